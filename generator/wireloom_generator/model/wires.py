"""The wire form of values: type, byte order, extent and transform."""

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import permutations, product
from pathlib import Path

from wireloom_generator.expressions import Call, Expr, Function, Origin, Unary, Value, names, parsed, terms, walk
from wireloom_generator.model.declarations import Sourced
from wireloom_generator.problems import Location
from wireloom_generator.reading import catalogue
from wireloom_generator.types import WireType

NOWHERE = Location(Path(), 1, 1)
"""The place of something that is not in a file."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression with resolved names, and its text on one line.

    ``raw`` is the text as written at the place ``at``; expressions added by the compiler have no place.
    """

    expression: Expr
    text: str
    raw: str = field(default="", compare=False, repr=False)
    at: Location = field(default=NOWHERE, compare=False, repr=False)

    @property
    def is_written(self) -> bool:
        """Whether it is an expression of the spec, not a plain value or one that the compiler added."""
        return self.at is not NOWHERE

    @property
    def is_of_time(self) -> bool:
        """Whether it is what a time that consists of several fields says of one of them."""
        return any(isinstance(part, Call) and part.function is Function.MICROSECONDS for part in walk(self.expression))

    @property
    def asks_left(self) -> bool:
        """Whether it uses the number of bytes left in the section."""
        return any(name.origin is Origin.SECTION for name in names(self.expression))

    @property
    def asks_index(self) -> bool:
        """Whether it uses the number of an item."""
        return any(name.origin is Origin.ITEM for name in names(self.expression))

    @property
    def left_behind(self) -> int | None:
        """For a size such as ``rest - 4``, how many bytes it leaves."""
        found = terms(self.expression) if self.asks_left else None
        constant = found.pop("", 0) if found else 0
        return -constant if found == {"section.rest": 1} else None

    @property
    def tree(self) -> Expr | None:
        """Its tree as written, with unresolved names; None if it cannot be parsed."""
        return parsed(self.raw)

    @property
    def constant(self) -> int | None:
        """The number, if it is a plain number."""
        match self.tree:
            case Value(value=bool()):
                return None
            case Value(value=int() as value):
                return value
            case Unary("-", Value(value=int() as value)):
                return -value
            case _:  # any other expression
                return None

    def where(self, column: int = 0) -> Location:
        """The place of its ``column`` if it is written unchanged on one line; else its beginning."""
        if self.at.verbatim is None:
            return self.at
        text = self.raw.lstrip()
        start = self.at.verbatim + len(self.raw) - len(text)
        characters = len(text.encode()[:column].decode(errors="ignore"))
        return Location(self.at.path, self.at.line, self.at.column + start + characters)


class Order(StrEnum):
    """Byte order; ``PARAMETER`` means that the protocol's parameter gives it. In ``CDAB`` and ``BADC``, the words of 16
    bits of a big-endian and of a little-endian number are ``swapped``: they come in the other order.
    """

    BIG = "big"
    LITTLE = "little"
    CDAB = "cdab"
    BADC = "badc"
    PARAMETER = "parameter"

    @property
    def is_little(self) -> bool:
        """Whether the bytes of each word come lowest first."""
        return self in (Order.LITTLE, Order.BADC)

    @property
    def swapped(self) -> bool:
        return self in (Order.CDAB, Order.BADC)

    def octets(self, number: int, size: int, *, signed: bool) -> bytes:
        """The bytes of an integer. Raises ``OverflowError`` if they are too few."""
        return self._arranged(number.to_bytes(size, "little" if self.is_little else "big", signed=signed))

    def number(self, octets: bytes, *, signed: bool) -> int:
        """The integer that has these bytes."""
        return int.from_bytes(self._arranged(octets), "little" if self.is_little else "big", signed=signed)

    def _arranged(self, octets: bytes) -> bytes:
        """The bytes with their words in the other order if they are swapped."""
        if not self.swapped:
            return octets
        return b"".join(octets[at : at + 2] for at in reversed(range(0, len(octets), 2)))


@dataclass(frozen=True, slots=True)
class Rest:
    """To the end of the section."""


@dataclass(frozen=True, slots=True)
class Terminator:
    """Up to these bytes, or one of the ``others``, at a multiple of ``unit`` bytes. They are not part of the value
    (``drop``), its end (``keep``), or the start of the next field (``leave``). The column ``raw`` has those of a record
    that ends with one of the others, or with none.
    """

    value: bytes
    terminator: str = "drop"
    unterminated: bool = False
    unit: int = 1
    others: tuple[bytes, ...] = ()
    raw: str | None = None

    @property
    def ends(self) -> tuple[bytes, ...]:
        """All of them, the one that is written first."""
        return self.value, *self.others

    @property
    def ambiguous(self) -> str:
        """Why it depends on where the search for them begins which one is found; empty if it does not."""
        for one, other in permutations(self.ends, 2):
            if 0 <= one.find(other) < max(1, len(one) - len(other)):
                return f"the terminator {one.hex()} contains {other.hex()} before its end"
        for one, other in product(self.ends, repeat=2):
            if any(other.startswith(one[size:]) for size in range(1, len(one)) if len(one) - size < len(other)):
                return f"the end of the terminator {one.hex()} can be the beginning of {other.hex()}"
        return ""

    @property
    def text(self) -> str:
        """All of them in hex."""
        return " or ".join(end.hex() for end in self.ends)


@dataclass(frozen=True, slots=True)
class Size:
    """As many bytes as the expression gives. With a ``pad``, the value ends inside them: at a terminator, or where only
    padding follows.
    """

    condition: Condition
    pad: bytes | None = None
    until: Terminator | None = None

    @property
    def fixed(self) -> int | None:
        """The number, if it is a plain number."""
        return self.condition.constant


@dataclass(frozen=True, slots=True)
class Prefix:
    """After a length prefix, which ``counts`` bytes or characters."""

    length: "Wire"
    counts: str = "bytes"

    @property
    def in_characters(self) -> bool:
        """Whether it counts characters."""
        return self.counts == "characters"


Extent = Rest | Size | Prefix | Terminator


@dataclass(frozen=True, slots=True)
class Fields:
    """Where the fields end."""


@dataclass(frozen=True, slots=True)
class Escapes(Sourced):
    """Escapes of two bytes: ``escape``, and one of the ``codes``, each with the byte that it stands for.

    All are as written; what is not one byte is a mistake.
    """

    escape: bytes
    codes: tuple[tuple[str, bytes], ...]

    @property
    def pairs(self) -> dict[int, int]:
        """The codes that are bytes."""
        found = ((hexadecimal(code), byte) for code, byte in self.codes)
        return {code[0]: byte[0] for code, byte in found if code is not None and len(code) == len(byte) == 1}

    @property
    def text(self) -> str:
        """The escapes in words."""
        return ", ".join(f"{self.escape.hex()}{code} for {byte.hex()}" for code, byte in self.codes)


def hexadecimal(text: str) -> bytes | None:
    """The bytes of hex digits; None for other text."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class BetweenFlags(Sourced):
    """After the ``flag`` that follows the record. The flags before it are its own: one, or, if ``shared``, none.

    ``escaping`` is the name of the escapes in between, or says what they are; None if there are none. ``raw`` is the
    column for records that are written otherwise.
    """

    flag: bytes
    shared: bool
    escaping: str | Escapes | None
    raw: str

    @property
    def text(self) -> str:
        """The flags in words."""
        escaped = self.escaping.text if isinstance(self.escaping, Escapes) else self.escaping
        shared = ", shared" if self.shared else ""
        return f"{self.flag.hex()}{shared}{f', with escapes: {escaped}' if escaped is not None else ''}"


End = Rest | Size | Fields | Terminator | BetweenFlags
"""The end of a record: the end of the input, after so many bytes, after its fields, or after a terminator or a flag."""


@dataclass(frozen=True, slots=True)
class Through:
    """A transform of bytes: ``way`` is its key, empty for a compression, whose name ``asked`` gives. A ``table`` has
    escapes without a name.

    They unpack to at most ``limit`` bytes. ``raw`` is the column for the packed ones. Unless exactly one way is
    ``given``, which is a mistake, there is no ``way``.
    """

    way: str
    asked: Condition
    limit: int | None
    raw: str | None
    given: tuple[str, ...] = field(default=(), compare=False)
    at: Location = field(default=NOWHERE, compare=False, repr=False)
    table: Escapes | None = None

    @property
    def resizes(self) -> bool:
        """Whether packed and unpacked sizes can differ."""
        return self.way in ("", "zeros", "unescape")

    @property
    def text(self) -> str:
        return f"{self.way}: {self.asked.text}" if self.way else self.asked.text


@dataclass(frozen=True, slots=True)
class Wire:
    """A value in the bytes: its type, its byte order if it has one, and its extent if the type is open.

    A struct without an extent is as long as its fields.
    """

    type: WireType
    order: Order | None = None
    extent: Extent | None = None

    @property
    def fixed(self) -> int | None:
        """The size of each value; None if it may differ or depends on the fields of a struct."""
        if self.extent is not None:
            return self.extent.fixed if isinstance(self.extent, Size) else None
        size = self.type.size
        return size.least if size.least == size.most else None


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The record's bytes from ``start`` to before ``end``."""

    start: Condition
    end: Condition

    @property
    def text(self) -> str:
        """The range in words."""
        return f"from `{self.start.text}` to `{self.end.text}`"


@dataclass(frozen=True, slots=True)
class Checksum(Sourced):
    """An algorithm over ranges of the record's bytes and constants, one after the other.

    ``algorithm`` is its name as written, or its parameters in words, and ``title`` its name for people. An unknown one
    has no ``kind``. ``faults`` are the mistakes in ``over``: the place, the problem, a hint.
    """

    algorithm: str
    title: str
    kind: catalogue.Computation | None
    over: tuple[ByteRange | bytes, ...]
    faults: tuple[tuple[Location, str, str], ...]

    @property
    def ranges(self) -> tuple[ByteRange, ...]:
        """The covered bytes of the record."""
        return tuple(piece for piece in self.over if isinstance(piece, ByteRange))

    @property
    def alone(self) -> ByteRange | None:
        """The range, if it is the only piece."""
        return self.ranges[0] if self.ranges and len(self.over) == 1 else None
