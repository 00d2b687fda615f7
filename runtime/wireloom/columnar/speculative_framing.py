"""Speculative framing: finds record boundaries in parallel, from many guessed boundaries at once.

A chain of records is kept only if the records in front of it lead to its beginning.
"""

from collections.abc import Callable

import numpy as np

from wireloom.buffers import Array, every
from wireloom.columnar.fields import Number

_PLACES, _EACH = 64, 64
"""The least number of places that is worth it, and about how many records are followed from each."""
MANY = _PLACES * _EACH
_LONGEST = 4096
"""How far records are searched for at most. Longer ones are followed as fast one by one."""
_ALIKE = 8
"""A byte identifies records if it has no more values than these in the known ones."""
_DOUBT = 1 / 4
"""How often other bytes may look like a record, in as many bytes as a record has."""
_SURE = 1 / 64
"""How rarely they must, to be good enough."""
_FOUND = 1 / 2
"""The part of the places that must be found."""
_LATE = 1 / 64
"""The part of the chains that may be cut off when the others have reached the next place."""

Singly = Callable[[int, int], tuple[Array, int]]
"""Follows records from a place on that begin no later than at another one; see ``Hop.follow``."""


class SpeculativeFraming:
    """Follows records whose length is a ``constant`` and a number at ``offset``, of ``kind``, which has four bytes at
    most. Their first ``reach`` bytes may be looked at. At ``selector``, if it is not negative, they have a byte for
    which ``selected`` is true.
    """

    def __init__(
        self, kind: Number, offset: int, constant: int, reach: int, selector: int, selected: Array, *, little: bool
    ) -> None:
        self.size = kind.size
        self.format = kind.format(little=little)
        self.offset = offset
        self.constant = constant
        self.reach = reach
        self.selector = selector
        self.selected = selected

    def follow(self, buffer: Array, known: Array, at: int, last: int, room: int, singly: Singly) -> tuple[Array, int]:
        """The starts of up to ``room`` records from ``at`` to before ``last``, and where the last of them ends.

        There may be none, for example if the ``known`` records before them do not begin alike. If a place was wrong,
        records are followed ``singly`` up to one that is right.
        """
        each = _EACH * (at - int(known[0])) // len(known)
        end = min(at + each * (room // _EACH), last)
        longest = int(np.diff(known, append=at).max())
        around = np.arange(at + each, end - longest - self.reach, each)
        fitting = longest <= _LONGEST and len(around) >= _PLACES
        begins = self._likely(buffer, known, at, longest, around) if fitting else around[:0]
        if len(begins) < _FOUND * max(_PLACES, len(around)):
            return known[:0], at
        begins = np.append(at, begins)
        chains = self._chains(buffer, begins, np.append(begins[1:], end))
        starts, at = _joined(begins, *chains, singly)
        return (starts, at) if len(starts) <= room else (starts[:room], int(starts[room]))

    def _likely(self, buffer: Array, known: Array, at: int, longest: int, around: Array) -> Array:
        """Where the next record after each of the places ``around`` seems to begin, judging by the first bytes of the
        ``known`` ones. None if these bytes are too common.
        """
        heads = every(buffer, self.reach)[known].view(np.uint8).reshape(-1, self.reach)
        told = np.zeros((self.reach, 256), bool)
        told[np.arange(self.reach), heads] = True
        shares = told @ np.bincount(buffer[known[0] : at], minlength=256) / (at - known[0])
        alike = np.flatnonzero(told.sum(axis=1) <= _ALIKE)
        doubt, telling = float(longest), []
        for offset in alike[np.argsort(shares[alike])].tolist():
            if doubt > _SURE:
                doubt *= shares[offset]
                telling.append(offset)
        if doubt > _DOUBT:
            return around[:0]
        first, *others = telling
        windows = every(buffer, longest)[around + first].view(np.uint8)
        fitting = np.zeros(len(windows), bool)
        for value in np.flatnonzero(told[first]):
            fitting |= windows == value
        numbers, places = np.divmod(np.flatnonzero(fitting), longest)
        places += around[numbers]
        for offset in others:
            fitting = told[offset][buffer[places + offset]]
            numbers, places = numbers[fitting], places[fitting]
        likely: Array = places[np.diff(numbers, prepend=-1) > 0]
        return likely[np.diff(likely, prepend=-1) > 0]  # two places may have the same record after them

    def _chains(self, buffer: Array, begins: Array, limits: Array) -> tuple[Array, Array, Array]:
        """The records from each place on, a column for each, of which the longest may be cut off; how many of these
        begin before its limit and can be followed; and where the next one begins.
        """
        lengths, highest = every(buffer[self.offset :], self.size), len(buffer) - self.reach
        found = np.empty((2 * _EACH + 1, len(begins)), np.int64)
        found[0], row = begins, 0
        while row < 2 * _EACH and np.count_nonzero(found[row] < limits) > _LATE * len(begins):
            at = np.minimum(found[row], highest)
            after = found[row] + lengths[at].view(self.format) + self.constant
            if self.selector >= 0:
                after = np.where(self.selected[buffer[at + self.selector]], after, found[row])
            row += 1
            np.maximum(after, found[row - 1], out=found[row])
        going = (found[:row] < limits) & (found[1 : row + 1] > found[:row])
        counts = going.sum(axis=0)
        return found[:row], counts, found[counts, np.arange(len(begins))]


def _joined(begins: Array, chains: Array, counts: Array, ends: Array, singly: Singly) -> tuple[Array, int]:
    """The records from the first place on, and where the last of them ends.

    They are those of each chain that the one before leads to, and between them those that are followed ``singly``.
    """
    inside = np.arange(len(chains)) < counts[:, None]
    lost = np.append(np.flatnonzero(ends[:-1] != begins[1:]), len(begins) - 1)
    parts, number, at = [], 0, int(begins[0])
    while number < len(begins):
        last = int(lost[lost.searchsorted(number)])
        parts.append(chains.T[number : last + 1][inside[number : last + 1]])
        number, at = last + 1, int(ends[last])
        while (number := number + int(begins[number:].searchsorted(at))) < len(begins) and begins[number] != at:
            found, after = singly(at, int(begins[number]) - 1)
            if after == found[-1]:
                return np.concatenate([*parts, found[:-1]]), after
            parts.append(found)
            at = after
    return np.concatenate(parts), at
