"""Blocks of Snappy unpack to what the library makes of them, or are left to it."""

from random import Random
from typing import Any

import numpy as np
import pytest
from support import accelerator

from wireloom.codec.compression import COMPRESSORS
from wireloom.loops import accel
from wireloom.loops.unsnappy import SLACK, unsnappy

pytest.importorskip("cramjam")
SNAPPY = COMPRESSORS["snappy"]


def plain(random: Random) -> bytes:
    """Bytes with repetitions, near and far ones."""
    found = random.randbytes(random.randrange(1, 40))
    while random.random() < 0.9:
        begin = random.randrange(len(found))
        found += found[begin : begin + random.randrange(70)] * random.randrange(1, 30) + random.randbytes(3)
    return found


def unpacked(unpack: Any, block: bytes, room: int, beyond: int) -> bytes | None:
    """What ``unpack`` makes of a block in front of other bytes; None if nothing. It must not write too far."""
    held = np.frombuffer(block + bytes(beyond) + b"!", np.uint8)
    to = np.full(room + SLACK + 8, 7, np.uint8)
    at = held.ctypes.data
    size = unpack(at, at + len(block), to.ctypes.data, room, at + len(block) + beyond)
    assert (to[-8:] == 7).all()
    return None if size < 0 else to[:size].tobytes()


def blocks() -> list[tuple[bytes, bytes]]:
    random = Random("snappy")
    found = [(data, SNAPPY.pack(data)) for data in (plain(random) for _ in range(60))]
    long = random.randbytes(70_000) * 2
    return [*found, (long, SNAPPY.pack(long)), (b"", SNAPPY.pack(b""))]


def judge(unpack: Any) -> None:
    random = Random("damage")
    for data, block in blocks():
        assert unpacked(unpack, block, len(data), random.choice([0, 100])) == data
        assert unpacked(unpack, block, len(data) - 1, 0) is None
        for _ in range(20 if len(data) < 10_000 else 2):
            changed = bytearray(block)
            for _ in range(random.randrange(1, 3)):
                changed[random.randrange(len(changed))] = random.randrange(256)
            cut = bytes(changed[: random.choice([len(changed), random.randrange(len(changed))])])
            found = unpacked(unpack, cut, 200_000, 0)
            assert found is None or found == SNAPPY.unpack(cut, 200_000)


def test_blocks() -> None:
    small = [(data, block) for data, block in blocks() if len(data) < 300]
    assert len(small) > 10
    for data, block in small:
        assert unpacked(unsnappy, block, len(data), 100) == data


@accelerator.on
@pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")
def test_blocks_compiled() -> None:
    judge(accel.compiled(unsnappy))
