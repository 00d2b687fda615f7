"""Why checks of a program reject records: what the codec says of these, as far as registers say it.

A check without a reason is of records that only the codec can tell about. Reasons are asked for where records were
rejected, by a form of the program that keeps the registers that they need.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from wireloom.codec import Field, Message
from wireloom.programs import opcodes as op
from wireloom.programs.values import Number


class SectionName(str):
    """The step of a path that is a section, which the fields in it do not have in theirs."""

    __slots__ = ()


class ShownNumber(NamedTuple):
    """A number, as its field shows numbers, if it has one. It is ``unsigned`` if that is its two's complement."""

    register: int
    field: Field | None
    unsigned: bool = False


class Counted(NamedTuple):
    """So many of what a noun names."""

    register: int
    noun: str


class Distance(NamedTuple):
    """How many bytes there are between two positions."""

    start: int
    stop: int


class Hexadecimal(NamedTuple):
    """So many bytes at a position."""

    position: int
    size: int


class Undecodable(NamedTuple):
    """Why the bytes from one position to another are no text in an encoding."""

    start: int
    stop: int
    encoding: str


Word = str | ShownNumber | Counted | Distance | Hexadecimal | Undecodable


class Reason(NamedTuple):
    """The code of an error, the register with the position that it is at, and its words."""

    code: str
    position: int
    words: tuple[Word, ...]

    def registers(self) -> Iterator[int]:
        """The registers that it needs."""
        yield self.position
        for word in self.words:
            match word:
                case ShownNumber(register) | Counted(register):
                    yield register
                case Distance(start, stop) | Undecodable(start, stop):
                    yield from (start, stop)
                case Hexadecimal(position):
                    yield position

    def renamed(self, name: Callable[[int], int]) -> "Reason":
        """The same of other registers."""
        words: list[Word] = []
        for word in self.words:
            match word:
                case ShownNumber() | Counted():
                    words.append(word._replace(register=name(word.register)))
                case Distance() | Undecodable():
                    words.append(word._replace(start=name(word.start), stop=name(word.stop)))
                case Hexadecimal():
                    words.append(word._replace(position=name(word.position)))
                case _:
                    words.append(word)
        return Reason(self.code, name(self.position), tuple(words))


class Missing(NamedTuple):
    """Bytes that do not end by the ``limit``, from ``shift`` bytes after the ``position`` on: of values with these
    names, or none, and ``sizes``, or as many as the ``register`` says if there is one.
    """

    position: int
    limit: int
    shift: int = 0
    sizes: tuple[tuple[str | None, int], ...] = ()
    register: int | None = None

    def registers(self) -> Iterator[int]:
        """The registers that it needs."""
        yield from (self.position, self.limit)
        if self.register is not None:
            yield self.register

    def renamed(self, name: Callable[[int], int]) -> "Missing":
        """The same of other registers."""
        register = None if self.register is None else name(self.register)
        return self._replace(position=name(self.position), limit=name(self.limit), register=register)


class BrokenRule(NamedTuple):
    """Conditions of a whole record of a message, of which one does not hold: the register with the number of its
    variant, -1 for none, and the numbers and the spans that they mention, by their names.
    """

    message: Message
    variant: int
    numbers: Mapping[str, Number]
    spans: Mapping[str, tuple[int, int]]

    def registers(self) -> Iterator[int]:
        """The registers that it needs."""
        yield from (op.START, self.variant)
        for number in self.numbers.values():
            yield from (number.register, number.valid)
        for span in self.spans.values():
            yield from span

    def renamed(self, name: Callable[[int], int]) -> "BrokenRule":
        """The same of other registers."""
        numbers = {
            key: replace(number, register=name(number.register), valid=name(number.valid))
            for key, number in self.numbers.items()
        }
        spans = {key: (name(start), name(stop)) for key, (start, stop) in self.spans.items()}
        return BrokenRule(self.message, name(self.variant), numbers, spans)


class WrongItem(NamedTuple):
    """What is wrong with an item of the list at a ``place`` of outputs. It has this ``number`` and begins at the
    ``position``. It may take all bytes up to the ``limit``. Items are ``given`` these registers, by the places of
    outputs.
    """

    place: int
    number: int
    position: int
    limit: int
    given: Mapping[int, int]

    def registers(self) -> Iterator[int]:
        """The registers that it needs."""
        yield from (self.number, self.position, self.limit, *self.given.values())

    def renamed(self, name: Callable[[int], int]) -> "WrongItem":
        """The same of other registers."""
        given = {place: name(register) for place, register in self.given.items()}
        return WrongItem(self.place, name(self.number), name(self.position), name(self.limit), given)


AnyReason = Reason | Missing | BrokenRule | WrongItem


class Check(NamedTuple):
    """The ``number`` of a check in its program, in the order in which the codec checks, the name of the message whose
    field it is of, None in headers, and the reason of its rejections.
    """

    number: int
    message: str | None
    reason: AnyReason | None = None

    def registers(self) -> Iterator[int]:
        """The registers that its reason needs."""
        if self.reason is not None:
            yield from self.reason.registers()
