"""Numbers with names: enums, flags and their labels."""

from collections import Counter
from collections.abc import Callable, Mapping
from enum import KEEP, EnumType, IntEnum, IntFlag
from functools import cache
from typing import Any, Self

from wireloom.codec.accepted_values import shown
from wireloom.codec.columns import PLACE
from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Values


class WireEnum(IntEnum):
    """Numbers with names on the wire. Numbers without a name stay plain integers; ``ranges`` may still label them.

    A member is a number, or a number and its label, the words that its document has for it; else its name is the label.
    """

    _label: str | None

    def __new__(cls, value: int, label: str | None = None) -> Self:
        member = int.__new__(cls, value)
        member._value_, member._label = value, label
        return member

    @classmethod
    def ranges(cls) -> tuple[tuple[int, int, str], ...]:
        """(first, last, label) of the numbers that share a label, most specific first."""
        return ()

    @classmethod
    def label(cls, value: int) -> str | None:
        """The label of ``value``, that of the range it is in, or None."""
        return named_number(cls)(value)[1]


class _FlagsType(EnumType):
    """Gives each class of flags the ``&`` of integers, since the one that ``enum`` puts into every subclass is slow. It
    also gives their ``~``, since that of ``enum`` is never negative.
    """

    def __new__(metacls, *arguments: Any, **options: Any) -> Any:
        flags: Any = super().__new__(metacls, *arguments, **options)
        flags.__and__ = int.__and__
        flags.__rand__ = int.__rand__
        flags.__invert__ = int.__invert__
        return flags


class WireFlags(IntFlag, metaclass=_FlagsType, boundary=KEEP):
    """Named bits on the wire; bits without a name survive. ``&`` and ``~`` give plain integers, which expressions need.

    A member is a bit, or a bit and its label.
    """

    _label: str | None

    def __new__(cls, value: int, label: str | None = None) -> Self:
        member = int.__new__(cls, value)
        member._value_, member._label = value, label
        return member


@cache
def bits_of(flags: type[WireFlags]) -> tuple[tuple[str, int], ...]:
    """(label, bit) of each flag, in the order of the spec."""
    return tuple((flag._label or name, int(flag)) for name, flag in flags.__members__.items())


@cache
def numbers_of(names: type[WireEnum] | type[WireFlags]) -> Mapping[str, int]:
    """The numbers by their labels, without labels that several have."""
    if issubclass(names, WireFlags):
        found, ranges = bits_of(names), []
    else:
        found = tuple((member._label or member.name, int(member)) for member in names)
        ranges = [label for _, _, label in names.ranges()]
    often = Counter([*(label for label, _ in found), *ranges])
    return {label: number for label, number in found if often[label] == 1}


@cache
def longest(names: type[WireEnum] | type[WireFlags]) -> int:
    """How many bytes a label of such a number takes in a table at most."""
    if issubclass(names, WireFlags):
        return sum(len(label.encode()) + PLACE for label, _ in bits_of(names))
    return max((len(label.encode()) for label in texts_of(names)), default=0)


@cache
def texts_of(enum: type[WireEnum]) -> tuple[str, ...]:
    """All labels, in the order of the numbers that have them."""
    _, texts = label_steps(enum)
    return texts


@cache
def label_steps(enum: type[WireEnum]) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """The number of the text, -1 for none, of all numbers from each of these on to before the next, and the texts."""
    ranges = enum.ranges()
    members = [int(member) for member in enum]
    firsts = {*members, *(each + 1 for each in members)}
    firsts |= {end for least, most, _ in ranges for end in (least, most + 1)}
    texts: dict[str, int] = {}
    steps = []
    for first in sorted(firsts):
        label = enum.label(first)
        steps.append((first, -1 if label is None else texts.setdefault(label, len(texts))))
    return steps, tuple(texts)


def named(numbers: type[WireEnum] | type[WireFlags], label: object, path: str) -> int:
    """The number that has the label."""
    found = numbers_of(numbers).get(label) if isinstance(label, str) else None
    if found is None:
        raise EncodeError(f"{shown(label)} names no single number of {numbers.__name__}", path)
    return found


@cache
def named_number(enum: type[WireEnum]) -> Callable[[int], tuple[int, str | None]]:
    """What finds the member that a number is, if it is one, and its label."""
    members = {int(member): (member, member._label or member.name) for member in enum}
    ranges = enum.ranges()

    def find(value: int) -> tuple[int, str | None]:
        known = members.get(value)
        if known is not None:
            return known
        for first, last, label in ranges:
            if first <= value <= last:
                return value, label
        return value, None

    return find


def enum_loader(enum: type[WireEnum], name: str, label: str | None) -> Callable[[Values], None]:
    find = named_number(enum)

    def load(this: Values) -> None:
        this[name], found = find(this[name])
        if label is not None:
            this[label] = found

    return load


def enum_list_loader(enum: type[WireEnum], name: str, label: str | None) -> Callable[[Values], None]:
    """The same for all numbers of a list."""
    find = named_number(enum)

    def load(this: Values) -> None:
        found = [find(number) for number in this[name]]
        this[name] = [number for number, _ in found]
        if label is not None:
            this[label] = [text for _, text in found]

    return load


FLAG_SETS_LIMIT = 4096
"""How many combinations of a set of flags are kept as ``IntFlag``; Python never forgets one that it made."""


@cache
def named_flags(flags: type[WireFlags]) -> Callable[[int], tuple[int, tuple[str, ...]]]:
    """What finds the flags that a number is, and their labels."""
    bits = bits_of(flags)
    seen: dict[int, tuple[int, tuple[str, ...]]] = {}

    def find(value: int) -> tuple[int, tuple[str, ...]]:
        known = seen.get(value)
        if known is None:
            names = tuple(label for label, bit in bits if value & bit)
            remember = len(seen) < FLAG_SETS_LIMIT
            known = (flags(value) if remember else value, names)
            if remember:
                seen[value] = known
        return known

    return find


def flags_loader(flags: type[WireFlags], name: str, label: str | None) -> Callable[[Values], None]:
    find = named_flags(flags)

    def load(this: Values) -> None:
        this[name], names = find(this[name])
        if label is not None:
            this[label] = list(names)

    return load
