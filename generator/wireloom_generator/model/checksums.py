"""Checksums: the bytes that they cover, and the algorithm."""

from dataclasses import dataclass

from wireloom_generator.model.declarations import Sourced
from wireloom_generator.model.wires import Condition
from wireloom_generator.problems import Location
from wireloom_generator.reading import catalogue


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
