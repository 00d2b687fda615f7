"""Numbers with names: enums, flags and their labels."""

from collections.abc import Callable
from enum import KEEP, EnumType, IntEnum, IntFlag
from functools import cache
from typing import Any

from wireloom.codec.columns import PLACE
from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Values
from wireloom.codec.givens import shown


class WireEnum(IntEnum):
    """Numbers with names on the wire. Numbers without a name stay plain integers; ``ranges`` may still label them."""

    @classmethod
    def ranges(cls) -> tuple[tuple[int, int, str], ...]:
        """(first, last, label) of the numbers that share a label, most specific first."""
        return ()

    @classmethod
    def label(cls, value: int) -> str | None:
        """The name of ``value``, the label of the range it is in, or None."""
        member = cls._value2member_map_.get(value)
        if member is not None:
            return member.name
        return next((label for first, last, label in cls.ranges() if first <= value <= last), None)


class _FlagsType(EnumType):
    """Gives each class of flags the ``&`` of integers, since the one that ``enum`` puts into every subclass is slow."""

    def __new__(metacls, *arguments: Any, **options: Any) -> Any:
        flags: Any = super().__new__(metacls, *arguments, **options)
        flags.__and__ = int.__and__
        flags.__rand__ = int.__rand__
        return flags


class WireFlags(IntFlag, metaclass=_FlagsType, boundary=KEEP):
    """Named bits on the wire; bits without a name survive. ``&`` gives a plain integer, which is many times faster."""


@cache
def longest(names: type[WireEnum] | type[WireFlags]) -> int:
    """How many bytes a label of such a number takes in a table at most."""
    sizes = [len(name.encode()) for name in names.__members__]
    if issubclass(names, WireFlags):
        return sum(size + PLACE for size in sizes)
    return max((*sizes, *(len(label.encode()) for _, _, label in names.ranges())), default=0)


def named(numbers: type[WireEnum] | type[WireFlags], label: object, path: str) -> int:
    if not isinstance(label, str) or label not in numbers.__members__:
        raise EncodeError(f"{shown(label)} names no single number of {numbers.__name__}", path)
    return numbers[label]


def enum_loader(enum: type[WireEnum], name: str, label: str | None) -> Callable[[Values], None]:
    members = {int(member): (member, member.name) for member in enum}

    def load(this: Values) -> None:
        value = this[name]
        known = members.get(value)
        if known is not None:
            this[name] = known[0]
        if label is not None:
            this[label] = known[1] if known is not None else enum.label(value)

    return load


FLAG_SETS_LIMIT = 4096
"""How many combinations of a set of flags are kept as ``IntFlag``; Python never forgets one that it made."""


def flags_loader(flags: type[WireFlags], name: str, label: str | None) -> Callable[[Values], None]:
    bits = [(int(flag), flag_name) for flag_name, flag in flags.__members__.items()]
    seen: dict[int, tuple[int, tuple[str, ...]]] = {}

    def load(this: Values) -> None:
        value = this[name]
        known = seen.get(value)
        if known is None:
            names = tuple(flag_name for bit, flag_name in bits if value & bit)
            remember = len(seen) < FLAG_SETS_LIMIT
            known = (flags(value) if remember else value, names)
            if remember:
                seen[value] = known
        this[name] = known[0]
        if label is not None:
            this[label] = list(known[1])

    return load
