"""How many bytes something takes, at least and at most."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SizeRange:
    """A number of bytes; ``most`` is None if there is no limit."""

    least: int
    most: int | None

    def __add__(self, other: "SizeRange") -> "SizeRange":
        unbounded = self.most is None or other.most is None
        return SizeRange(self.least + other.least, None if unbounded else (self.most or 0) + (other.most or 0))

    def times(self, least: int, most: int | None) -> "SizeRange":
        """The size of this many of them."""
        bounded = self.most is not None and most is not None
        return SizeRange(self.least * least, (self.most or 0) * (most or 0) if bounded else None)


def exactly(size: int) -> SizeRange:
    """Exactly this many bytes."""
    return SizeRange(size, size)


def one_of(sizes: Sequence[SizeRange]) -> SizeRange:
    """The size of one of several alternatives."""
    most = max((size.most for size in sizes if size.most is not None), default=0)
    return SizeRange(min(size.least for size in sizes), None if any(size.most is None for size in sizes) else most)


NOTHING = exactly(0)
ANY = SizeRange(0, None)
