"""Records found and proven in one pass, and decoded if they are of a single message, tile by tile.

So their bytes are still in the cache, and not gone through again for each of these steps. The pass ends in front of the
first tile of records with anything else, or with anything in doubt, which is left to others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from wireloom.columnar import accel
from wireloom.columnar.buffers import Array, read_only
from wireloom.columnar.hopping import Hop
from wireloom.columnar.machine import kernel
from wireloom.columnar.machine import operations as op
from wireloom.columnar.machine.filled import Filled
from wireloom.columnar.machine.stages import Located, Program, registers_for

_LEAST = 8 * op.TILE
"""Fewer records are not worth a batch of their own."""


def run(
    data: Array,
    base: int,
    at: int,
    last: int,
    bound: int,
    hop: Any,
    code: Array,
    starts: Array,
    places: Array,
    registers: Array,
    out: Array,
    written: Array,
    safe: int,
) -> tuple[int, int]:
    """Follow records from ``at`` on as far as ``starts`` has room, the last one up to ``last``. Returns how many there
    are, and where the next one begins.

    ``hop`` is as in ``hopping.Told``; ``code`` and what follows is as in ``kernel.run``.
    """
    selector, select, constants, begins, terms = hop
    rows, before = 0, written.copy()
    while rows < len(starts):
        room = min(op.TILE, len(starts) - rows)
        tile = starts[rows : rows + room]
        count, behind = accel.hops(data, base, at, last, tile, selector, select, constants, begins, terms)
        if count > 0 and behind > len(data):
            count, behind = count - 1, tile[count - 1]
        if count == 0:
            break
        fine = True
        for i in range(count):
            stop = tile[i + 1] if i + 1 < count else behind
            fine = fine and stop - tile[i] <= bound
            registers[op.START, i] = base + tile[i]
            registers[op.STOP, i] = base + stop
            registers[op.SOUND, i] = 1
            registers[op.ONES, i] = 1
        before[:] = written
        if fine:
            kernel.tile(code, count, places[rows : rows + count], registers, out, written, safe, base + len(data))
            for i in range(count):
                fine = fine and registers[op.SOUND, i] != 0
        if not fine:
            written[:] = before
            break
        rows, at = rows + count, behind
    return rows, at


@cache
def compiled() -> Callable[..., tuple[int, int]]:
    """``run``, compiled."""
    return accel.compiled(run, *accel.HOPS, *kernel.TILES)


@dataclass(frozen=True, slots=True)
class Passed:
    """What a program has written of consecutive records of the message ``code``."""

    program: Program
    code: int
    written: Filled


class OnePass:
    """Finds and decodes records that are all of the message ``code``, by a ``program`` that proves them, too."""

    def __init__(self, program: Program, code: int, rows: int) -> None:
        self.program = program
        self.code = code
        self.rows = rows
        self.size = 0
        """The bytes of a record, as far as is known."""

    def run(
        self, buffer: Any, at: int, end: int, limit: int, bound: int, hop: Hop
    ) -> tuple[Array, Array, Passed] | None:
        """As ``scanning.Pass``."""
        most = end if not self.size else min(end, at + self.rows * (self.size + self.size // 4))
        data = read_only(buffer)[:most]
        written = Filled(self.program.assembled.rooms, self.rows, self.rows, most - at)
        starts, stops = _followed(self.program, data, at, limit, bound, hop, written)
        count = len(starts)
        if count < min(_LEAST, self.rows):
            return None
        self.size = int(stops[-1] - at) // count + 1
        written.cut(count)
        sound = np.ones(count, bool)
        self.program.read_lists(Located.of(data, starts, stops), _places(count), written, sound)
        return (starts, stops, Passed(self.program, self.code, written)) if sound.all() else None


class Proving:
    """Finds records and proves them, up to ``rows``, by a ``program`` that writes nothing."""

    def __init__(self, program: Program, rows: int) -> None:
        self.program = program
        self.rows = rows

    def __call__(self, buffer: Array, start: Array, stop: Array) -> Array:
        """As ``framing.Proof``."""
        return self.program.run(Located.of(buffer, start, stop), _places(len(start)), len(start))[1]

    def run(self, buffer: Any, at: int, end: int, limit: int, bound: int, hop: Hop) -> tuple[Array, Array, None] | None:
        """As ``scanning.Pass``."""
        data, rooms = read_only(buffer)[:end], self.program.assembled.rooms
        written = Filled(rooms, self.rows, self.rows, 0)
        starts, stops = _followed(self.program, data, at, limit, bound, hop, written)
        return (starts, stops, None) if len(starts) else None


def _followed(
    program: Program, data: Array, at: int, limit: int, bound: int, hop: Hop, written: Filled
) -> tuple[Array, Array]:
    """Where the records start and stop of which a program has ``written``: from ``at`` on, as many as there is room."""
    assembled, starts = program.assembled, np.empty(written.count, np.int64)
    registers, zeros = registers_for(assembled), np.zeros(assembled.reach, np.uint8)
    count, behind = compiled()(
        data, data.ctypes.data, at, min(len(data) - hop.reach, limit - 1), bound, hop.told, assembled.code,
        starts, _places(written.count), registers, written.addresses, written.amounts, zeros.ctypes.data,
    )  # fmt: skip
    starts = starts[:count]
    return starts, np.append(starts[1:], behind)[:count]


@cache
def _places(count: int) -> Array:
    return np.arange(count)
