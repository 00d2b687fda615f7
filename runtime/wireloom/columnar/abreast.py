"""Records followed from many places at once, at which the next ones seem to begin.

Nothing is believed of a place but what the records in front of it prove: that they end there.
"""

import numpy as np

from wireloom.columnar.buffers import Array, every
from wireloom.columnar.fields import Number

_PLACES, _EACH = 64, 64
"""At least so many places are worth it. From each of them about so many records are followed."""
MANY = _PLACES * _EACH
_FEW = 16
"""So many of the known records tell how common a byte is."""
_LONGEST = 4096
"""How far a record is looked for at most. Longer ones are followed as fast one by one."""
_DOUBT = 1 / 16
"""How often bytes that are no record may look like one, in as many bytes as a record has."""


class Abreast:
    """Follows records whose length is a positive ``constant`` and an unsigned number at ``offset``, of ``kind``, which
    has four bytes at most. Their first ``reach`` bytes may be looked at.
    """

    def __init__(self, kind: Number, offset: int, constant: int, reach: int, *, little: bool) -> None:
        self.size = kind.size
        self.format = kind.format(little=little)
        self.offset = offset
        self.constant = constant
        self.reach = reach

    def follow(self, buffer: Array, known: Array, at: int, last: int, room: int) -> tuple[Array, int]:
        """The starts of up to ``room`` records from ``at`` on, in front of ``last``, and where the last of them ends.

        There may be none, as if those ``known`` right in front of them do not begin alike.
        """
        each = _EACH * (at - int(known[0])) // len(known)
        end = min(at + each * (room // _EACH), last)
        longest = int(np.diff(known, append=at).max())
        around = np.arange(at + each, end - longest - self.reach, each)
        fitting = longest <= _LONGEST and len(around) >= _PLACES
        begins = self._likely(buffer, known, longest, around) if fitting else around[:0]
        if 2 * len(begins) < max(_PLACES, len(around)):
            return known[:0], at
        begins = np.append(at, begins)
        chains, inside = self._chains(buffer, begins, np.append(begins[1:], end))
        after = chains[inside.sum(axis=0), np.arange(len(begins))]
        wrong = np.flatnonzero(after[:-1] != begins[1:])
        right = int(wrong[0]) + 1 if len(wrong) else len(begins)
        starts = chains.T[:right][inside.T[:right]]
        return (starts, int(after[right - 1])) if len(starts) <= room else (starts[:room], int(starts[room]))

    def _likely(self, buffer: Array, known: Array, longest: int, around: Array) -> Array:
        """Where the next record behind each of the places ``around`` seems to begin, if it has the bytes that all
        ``known`` ones begin with; none if these bytes are too common.
        """
        heads = every(buffer, self.reach)[known].view(np.uint8).reshape(-1, self.reach)
        same = np.flatnonzero((heads == heads[0]).all(axis=0))
        sample = buffer[known[-_FEW] : known[-1]]
        shares = np.bincount(sample, minlength=256)[heads[0, same]] / len(sample)
        if shares.prod() * longest > _DOUBT:
            return around[:0]
        first, *others = same[np.argsort(shares)].tolist()
        found = np.flatnonzero(every(buffer, longest)[around + first].view(np.uint8) == heads[0, first])
        numbers, places = np.divmod(found, longest)
        places += around[numbers]
        for offset in others:
            fitting = buffer[places + offset] == heads[0, offset]
            numbers, places = numbers[fitting], places[fitting]
        likely: Array = np.unique(places[np.diff(numbers, prepend=-1) > 0])
        return likely

    def _chains(self, buffer: Array, begins: Array, limit: Array) -> tuple[Array, Array]:
        """The records from each place on, a column for each, and which of them begin before its ``limit``. Behind these
        there is another one in any case.
        """
        lengths = every(buffer[self.offset :], self.size)
        chains = [begins]
        while len(chains) <= 2 * _EACH and (chains[-1] < limit).any():
            numbers = lengths[np.minimum(chains[-1], len(lengths) - 1)].view(self.format)
            chains.append(chains[-1] + numbers + self.constant)
        found = np.array(chains)
        inside = found < limit
        inside[-1] = False
        return found, inside
