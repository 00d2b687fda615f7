"""The records that are read together, and what they share."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from wireloom.buffers import Array, places
from wireloom.columnar import memory_budget
from wireloom.columnar.refusals import Refusals


def by_order(little: bool | Array, count: int) -> Iterator[tuple[bool, Array]]:
    """The rows of each byte order that occurs among ``count``; ``little`` is one for all of them, or one for each."""
    orders = np.broadcast_to(little, count)
    for order in (False, True):
        rows = np.flatnonzero(orders == order)
        if len(rows):
            yield order, rows


class Batch:
    """The records being read: ranges of one buffer, and what they share.

    Each ends with a ``terminator`` of so many bytes. ``little`` is its byte order: one value, or one per record. Of
    ``doubtful`` ones nothing is known; ``refusals`` says why others are malformed. ``weight`` is that of their lists.
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
        self.start = start
        self.stop = stop
        self.terminator = terminator
        self.parameters = parameters
        self.little = little
        self.doubtful = np.zeros(len(start), bool)
        self.refusals = Refusals(len(start))
        self.weight = 0
        self._found: dict[bytes, Array] = {}

    def part(self, rows: Array) -> "Batch":
        """Some of the records, which ascend."""
        little = self.little if isinstance(self.little, bool) else self.little[rows]
        found = Batch(self.buffer, self.start[rows], self.stop[rows], self.parameters, little, self.terminator)
        found.doubtful, found.refusals = self.doubtful[rows], self.refusals.part(rows)
        return found

    def weigh(self, weight: int) -> None:
        """Add lists to the batch's weight. Raises ``BatchTooLargeError`` if it is too much."""
        self.weight += weight
        memory_budget.check_budget(self.weight, memory_budget.lists(len(self.start)))

    def places(self, wanted: bytes) -> Array:
        """The positions of some bytes in the buffer, ascending."""
        if wanted not in self._found:
            self._found[wanted] = places(self.buffer, wanted)
        return self._found[wanted]
