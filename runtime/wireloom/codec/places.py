"""Fields at offsets: which bytes of their region they take, and in which order they are written."""

from collections import deque
from heapq import heappop, heappush
from typing import Generic, TypeVar

from wireloom.codec.errors import DecodeError, counted
from wireloom.codec.frames import Extremes

T = TypeVar("T")


class Scattered:
    """The bytes of a region that were read out of sequence."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int, str]] = []
        self._size = 0

    def take(self, start: int, end: int, limit: int, name: str) -> None:
        """Take bytes for ``name``. Raises ``DecodeError`` if all that were taken exceed ``limit``.

        So a record cannot make its reader read the same bytes many times.
        """
        if start < end:
            self._spans.append((start, end, name))
            self._size += end - start
            if self._size > limit:
                raise _taken(start, end, name, name)

    def left_over(self, pos: int, limit: int) -> list[Extremes]:
        """The bytes after ``pos``, the end of the sequence, that nothing took. Raises ``DecodeError`` if one
        is taken twice.
        """
        found: list[Extremes] = []
        for start, end, name in sorted(self._spans):
            if start < pos:
                raise _taken(start, end, name, "")
            if pos < start:
                found.append((pos, start))
            pos = end
        return [*found, (pos, limit)] if pos < limit else found


def _taken(start: int, end: int, name: str, path: str) -> DecodeError:
    what = f"{name} has {counted(end - start, 'byte')} here, some of which others have too"
    return DecodeError("place", what, start, path)


class Waiting(Generic[T]):
    """What is written once everything in sequence is."""

    def __init__(self) -> None:
        self._placed: list[tuple[int, int, T]] = []
        self._others: deque[tuple[int | None, T]] = deque()
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._placed or self._others)

    def add(self, place: int | None, item: T) -> None:
        """Let an item wait that should be at ``place``; None if that is unknown."""
        if place is None:
            self._others.append((place, item))
        else:
            heappush(self._placed, (place, self._count, item))
        self._count += 1

    def placed(self, first: int, last: int) -> tuple[int, T] | None:
        """The item with the lowest place, if that is from ``first`` to ``last``; others can be anywhere."""
        while self._placed:
            place, _, item = heappop(self._placed)
            if first <= place <= last:
                return place, item
            self._others.append((place, item))
        return None

    def other(self) -> tuple[int | None, T] | None:
        """The first of the items that can be anywhere, and the place where it should be."""
        return self._others.popleft() if self._others else None
