"""Instructions that numpy follows in several ways, which depend on how far apart bytes are."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from wireloom.backends.numpy import octets as numpy_octets
from wireloom.backends.numpy.octets import find
from wireloom.backends.numpy.tile import Tile
from wireloom.programs import opcodes as op

_WAYS = {"in each range": (64, 1 << 24), "in all records": (0, 1 << 24), "in a copy": (0, 0)}


@pytest.mark.parametrize(("close", "searched"), _WAYS.values(), ids=_WAYS)
@pytest.mark.parametrize("wanted", [b"\0", b"ab", b"aab"])
def test_bytes_are_found_in_ranges(wanted: bytes, close: int, searched: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_octets, "CLOSE", close)
    monkeypatch.setattr(numpy_octets, "_SEARCHED", searched)
    random = Random(7)
    data = bytes(random.choices(b"ab\0", k=2000))
    ends = np.array([0, *sorted(random.sample(range(1, 2000), 98)), 2000])
    buffer = np.frombuffer(data, np.uint8)
    base, zeros = buffer.ctypes.data, np.zeros(8, np.uint8)
    empty = np.zeros((0, 2), np.int64)
    tile = Tile(ends[:-1] + base, ends[1:] + base, np.arange(99), empty, empty, zeros.ctypes.data, base + len(data))
    number = int.from_bytes(wanted, "little")
    find(tile, op.FREE, op.START, op.STOP, op.ONES, number, len(wanted), 0, 1)
    places = [data.find(wanted, start, stop) for start, stop in pairwise(ends.tolist())]
    expected = [stop if place < 0 else place for place, stop in zip(places, ends[1:].tolist(), strict=True)]
    assert (tile.registers[op.FREE] - base).tolist() == expected
    find(tile, op.FREE, op.START, op.STOP, op.ONES, number, len(wanted), 1, 1)
    assert tile.registers[op.SOUND].tolist() == [place >= 0 for place in places]


@pytest.mark.parametrize("needed", [0, 1])
def test_nothing_is_sought_behind_an_end(needed: int) -> None:
    """Turns of loops that are guessed may begin there. Whatever they would find is not what the turn before ends with,
    and must not be an address in other memory.
    """
    buffer, zeros = np.frombuffer(b"a,b,", np.uint8), np.zeros(8, np.uint8)
    base, empty = buffer.ctypes.data, np.zeros((0, 2), np.int64)
    start, stop = np.array([0, 3, 2]) + base, np.array([4, 2, 2]) + base
    tile = Tile(start, stop, np.arange(3), empty, empty, zeros.ctypes.data, base + len(buffer))
    find(tile, op.FREE, op.START, op.STOP, op.ONES, ord(","), 1, needed, 1)
    assert tile.registers[op.SOUND].tolist() == [True, False, not needed]
    assert tile.registers[op.FREE][0] == base + 1
