"""Framing and decoding fused in one loop, for records that are all of one message.

Their bytes are still in the cache when they are decoded. The loop ends at the first record that is of another message,
or in any doubt, which is left to the separate steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.backends.llvm.tiles import TILE
from wireloom.buffers import Array, row_numbers
from wireloom.columnar.execution.executor import Located, Program
from wireloom.columnar.execution.output_memory import Budget, OutputMemory
from wireloom.columnar.hopping import Hop
from wireloom.columnar.memory_budget import BatchTooLargeError

_LEAST = 8 * TILE
"""Fewer records are not worth a batch of their own."""
_FEW = 64
"""So many records tell how large they are."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What a program has written of consecutive records of the message ``code``."""

    program: Program
    code: int
    written: OutputMemory

    def header(self) -> dict[str, pa.Array]:
        """The columns of the header."""
        return self.program.head(self.written)

    def fields(self) -> dict[str, pa.Array]:
        """The columns of the message's fields."""
        return self.program.fields(self.written)


class FusedScan:
    """Finds and decodes records that are all of the message ``code``, by a ``program`` that proves them, too."""

    def __init__(self, program: Program, code: int, rows: int) -> None:
        self.program = program
        self.code = code
        self.rows = rows

    def run(
        self, buffer: Any, at: int, end: int, limit: int, bound: int, hop: Hop
    ) -> tuple[Array, Array, Passed] | None:
        """As ``scanning.Pass``."""
        some, stop = hop.follow(buffer, at, end, _FEW)
        size = max(1, (stop - at) // max(1, len(some)))
        there = (end - at) // size
        if there < min(_LEAST, self.rows):
            return None
        loop = self.program.assembled.runner.scan(min(self.rows, there), hop)
        if loop is None:
            return None
        rows = min(self.rows, there + _LEAST)
        most = min(end, at + rows * (size + size // 4))
        data = np.frombuffer(buffer, np.uint8)[:most]
        written = OutputMemory(self.program.assembled.buffers, rows, rows, most - at)
        starts, stops = _found(loop, self.program, data, at, limit, bound, hop, written, rows)
        count = len(starts)
        if count < min(_LEAST, self.rows):
            return None
        written.cut(count)
        passed = self._passed(data, written, stops - starts)
        return None if passed is None else (starts, stops, passed)

    def every(self, buffer: Any, start: Array, stop: Array, hop: Hop) -> Passed | None:
        """The records from each ``start`` to each ``stop``, one behind the other, if they are what is found there."""
        at, end, rows = int(start[0]), int(stop[-1]), len(start)
        loop = self.program.assembled.runner.scan(rows, hop)
        if loop is None:
            return None
        data = np.frombuffer(buffer, np.uint8)[:end]
        written = OutputMemory(self.program.assembled.buffers, rows, rows, end - at)
        starts, stops = _found(loop, self.program, data, at, end, end - at, hop, written, rows)
        if not np.array_equal(starts, start) or not np.array_equal(stops, stop):
            return None
        return self._passed(data, written, stop - start)

    def _passed(self, data: Array, written: OutputMemory, sizes: Array) -> Passed | None:
        """What is written of all records in front of the end of ``data``, which have so many bytes each, unless a list
        of one is in doubt.
        """
        if self.program.stages:
            sound = np.ones(written.count, bool)
            written.budget = Budget.of(sizes, self.program.heavy)
            try:
                self.program.read_lists(data.ctypes.data + len(data), None, written, sound)
            except BatchTooLargeError:
                return None
            if not sound.all():
                return None
        return Passed(self.program, self.code, written)


class Proving:
    """Finds records and proves them, up to ``rows``, by a ``program`` that writes nothing."""

    def __init__(self, program: Program, rows: int) -> None:
        self.program = program
        self.rows = rows

    def __call__(self, buffer: Array, start: Array, stop: Array) -> Array:
        """As ``framing.Proof``."""
        return self.program.run(Located.of(buffer, start, stop), row_numbers(len(start)), len(start))[1]

    def run(self, buffer: Any, at: int, end: int, limit: int, bound: int, hop: Hop) -> tuple[Array, Array, None] | None:
        """As ``scanning.Pass``."""
        loop = self.program.assembled.runner.scan(min(self.rows, (end - at) // max(1, hop.reach)), hop)
        if loop is None:
            return None
        data, written = np.frombuffer(buffer, np.uint8)[:end], OutputMemory(self.program.assembled.buffers, 0, 0, 0)
        starts, stops = _found(loop, self.program, data, at, limit, bound, hop, written, self.rows)
        return (starts, stops, None) if len(starts) else None


def _found(
    loop: Callable[..., int],
    program: Program,
    data: Array,
    at: int,
    limit: int,
    bound: int,
    hop: Hop,
    written: OutputMemory,
    rows: int,
) -> tuple[Array, Array]:
    """Where the records start and stop of which a program has ``written``: from ``at`` on, up to ``rows`` of them."""
    starts, zeros = np.empty(rows + 1, np.int64), np.zeros(program.assembled.reach, np.uint8)
    base, size = data.ctypes.data, len(data)
    count = loop(
        base, size, at, min(size - hop.reach, limit - 1), bound, rows, starts, hop.select,
        written.addresses, written.amounts, zeros.ctypes.data, base + size,
    )  # fmt: skip
    return starts[:count], starts[1 : count + 1]
