"""The records that are decoded together, and what they share."""

from collections.abc import Mapping
from copy import copy
from typing import Any, Literal

import numpy as np

from wireloom.codec.reader import Reader
from wireloom.columnar import weighing
from wireloom.columnar.buffers import Array, places
from wireloom.columnar.known import KnownSums
from wireloom.columnar.refusals import Refusals
from wireloom.options import U64Type

Often = Literal["shared", "summed", "apart"]
"""Why bytes are read more than once: they belong to other fields, are under checksums, or are at offsets."""


class Batch:
    """The records being decoded: ranges of one buffer, and what they share.

    Each ends with a ``terminator`` of so many bytes; its fields end before that, at ``limit``. ``little`` is its byte
    order: one value, or one per record. ``weight`` is that of the lists read so far. Items of lists are also batches;
    what they share is in the ``root``.
    """

    def __init__(
        self,
        buffer: Array,
        start: Array,
        stop: Array,
        parameters: Mapping[str, Any],
        little: bool | Array = False,
        terminator: int = 0,
    ) -> None:
        self.buffer = buffer
        self.known = KnownSums()
        self.start = start
        self.stop = stop
        self.terminator = terminator
        self.parameters = parameters
        self.u64 = U64Type.of(parameters)
        self.little = little
        self.doubtful = np.zeros(len(start), bool)
        self.refusals = Refusals(len(start))
        self.turns = 0
        """How many turns of few rows it took to read lists, including lists in lists."""
        self.weight = 0
        self.untold: Array | None = None
        """In which records the first error is not known where others are found."""
        self.counted: dict[Often, Array] = {}
        """How many bytes of each record were read for such a reason, if any were."""
        self._outermost: Batch | None = None
        self._found: dict[bytes | None, Array] = {}

    @property
    def root(self) -> "Batch":
        """The records themselves."""
        return self._outermost or self

    @property
    def limit(self) -> Array:
        """Where the fields of each record end at the latest."""
        return self.stop - self.terminator if self.terminator else self.stop

    def items(self, records: Array, run: Array) -> "Batch":
        """Items as if each were a record that can be doubtful or refused; this many for each of ``records``."""
        count = int(run.sum())
        found = copy(self)
        found._outermost = self.root
        found.start, found.stop = np.repeat(self.start[records], run), np.repeat(self.stop[records], run)
        found.little = self.little if isinstance(self.little, bool) else np.repeat(self.little[records], run)
        found.doubtful = np.zeros(count, bool)
        found.refusals = Refusals(count)
        found.untold = None if self.untold is None else np.repeat(self.untold[records], run)
        return found

    def part(self, rows: Array) -> "Batch":
        """Some of the records, of which nothing is wrong so far."""
        little = self.little if isinstance(self.little, bool) else self.little[rows]
        return Batch(self.buffer, self.start[rows], self.stop[rows], self.parameters, little, self.terminator)

    def unpacked(self, records: Array, buffer: Array, start: Array, stop: Array) -> "Batch":
        """The unpacked bytes of ``records``, as records of another buffer."""
        found = copy(self)
        found._outermost, found._found = self.root, self._found if buffer is self.buffer else {}
        found.known = self.known if buffer is self.buffer else KnownSums()
        found.buffer, found.start, found.stop = buffer, start, stop
        found.little = self.little if isinstance(self.little, bool) else self.little[records]
        found.doubtful = self.doubtful[records]
        found.untold = None if self.untold is None else self.untold[records]
        found.refusals = Refusals(len(start))
        return found

    def places_of_high(self) -> Array:
        """The positions of non-ASCII bytes in the buffer, ascending."""
        if None not in self._found:
            self._found[None] = np.flatnonzero(self.buffer >= 0x80)
        return self._found[None]

    def weigh(self, weight: int, ahead: float = 0) -> None:
        """Add lists to the batch's weight, with about as much ``ahead`` to come. Raises ``TooHeavyError`` if it is too
        much.
        """
        root = self.root
        root.weight += weight
        weighing.bear(root.weight, weighing.lists(len(root.start)), ahead)

    def weigh_copy(self, size: int, each: int = 1) -> None:
        """Weigh bytes that are copied, ``each`` as so many, if they are so many that some belong to others."""
        if size > len(self.buffer):
            self.weigh(each * size)

    def leave_errors(self, records: Array) -> None:
        """Leave records to the codec if anything is wrong with them."""
        self.untold = np.zeros(len(self.start), bool) if self.untold is None else self.untold
        self.untold[records] = True

    def count(self, why: Often, records: Array, sizes: Array) -> Array:
        """Count bytes that are read for such a reason; which of the ``records`` have too many of them."""
        found = self.counted.setdefault(why, np.zeros(len(self.start), np.int64))
        np.add.at(found, records, sizes)
        many: Array = found[records] > Reader.SHARED * (self.stop - self.start)[records]
        return many

    def places(self, wanted: bytes) -> Array:
        """The positions of some bytes in the buffer, ascending; for no bytes, those of bytes other than zero."""
        if wanted not in self._found:
            self._found[wanted] = places(self.buffer, wanted) if wanted else np.flatnonzero(self.buffer)
        return self._found[wanted]
