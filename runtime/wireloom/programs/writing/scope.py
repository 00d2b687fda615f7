"""The scope of one struct while its program that writes is made: its columns, offsets, and values to fill in later."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wireloom import codec
from wireloom.expressions import Expression
from wireloom.programs import opcodes as op
from wireloom.programs.reading.lowering import Span
from wireloom.programs.values import Datum, Level
from wireloom.programs.writing.inputs import Inputs, Outline, Path


class Copied(NamedTuple):
    """From where to where in the record bytes of a column are, in the rows ``where`` they were copied."""

    start: int
    stop: int
    where: int


@dataclass(slots=True)
class Laid(Level):
    """The values of a struct that is laid out: where those that are bytes stand, which fields can be ``filled`` in and
    the masks of the rows for that, the structs in it, what is known of its columns, which are those of ``inputs`` with
    this ``path``, and which fields are ``placed``. It is given ``later`` what follows from the values ``around`` it.
    """

    octets: dict[str, Copied] = field(default_factory=dict)
    filled: dict[str, int] = field(default_factory=dict)
    inner: "dict[str, Laid]" = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    outlines: Mapping[str, Outline] = field(default_factory=dict)
    inputs: Inputs | None = None
    path: Path = ()
    around: "Laid | None" = None
    later: Mapping[str, Expression] = field(default_factory=dict)
    placed: set[str] = field(default_factory=set)
    told: Mapping[str, Datum] = field(init=False)
    """What is given, with nothing filled in."""

    def __post_init__(self) -> None:
        self.told = dict(self.columns)


@dataclass(frozen=True, slots=True)
class Following:
    """A field whose value follows from others, its path, and the mask of the rows in which it is laid out."""

    name: str
    said: codec.Field
    of: Laid
    where: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Divided:
    """Bit fields of a number in the rows ``where`` they are laid out, with what texts add to each 32 bits of it."""

    part: codec.Bits
    of: Laid
    where: int
    texts: Mapping[str, Mapping[int, int]]


@dataclass(slots=True)
class Summed:
    """The checksum of the bytes from ``start`` to before ``stop``, which have not changed since where ``valid``."""

    algorithm: codec.Crc
    start: int
    stop: int
    register: int
    valid: int = op.ONES


@dataclass(frozen=True, slots=True)
class Stamp:
    """A checksum of ``size`` bytes that stands ``shift`` bytes behind ``position``, and what writes the number."""

    following: Following
    size: int
    position: int
    shift: int
    write: Callable[[int], None]
