"""Bytes in memory are loaded, stored, copied, spelled and summed the same, compiled and in plain Python."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import accelerator, sums
from support.accelerator import with_llvm

from wireloom.backends.llvm import address_texts
from wireloom.backends.numpy.checksums import final
from wireloom.buffers import Array
from wireloom.codec.checksums import Crc
from wireloom.loops import accel, memory
from wireloom.loops import crc_loops as registers
from wireloom.loops.compiled import crc_loop
from wireloom.loops.memcpy import copy_all
from wireloom.programs import values
from wireloom_generator.reading.catalogue import ALGORITHMS


@st.composite
def reflected(draw: st.DrawFn) -> Crc:
    bits = draw(st.integers(3, 64))
    poly, init, last = (draw(st.integers(0, (1 << bits) - 1)) for _ in range(3))
    return Crc(bits, poly | 1, init, draw(st.booleans()), draw(st.booleans()), last)


def sums_of(crc: Crc, data: bytes, behind: Any) -> int:
    """The checksum by what gives the register behind bytes in memory."""
    held, tables = np.frombuffer(data + b"\0", np.uint8), registers.word_tables(crc)
    at, flipped = held.ctypes.data, 0 if crc.reflect_in else registers.FLIPPED.ctypes.data
    begun = int(np.uint64(crc.initial).astype(np.int64))
    found = behind(begun, at, at + len(data), tables.ctypes.data, flipped)
    kind = np.uint32 if crc.bits <= 32 else np.uint64
    return int(final(crc, np.array([found], np.int64).view(np.uint64).astype(kind))[0])


@settings(derandomize=True, max_examples=60)
@given(crc=reflected(), data=st.binary(max_size=100))
def test_crcs_in_memory(crc: Crc, data: bytes) -> None:
    assert sums_of(crc, data, registers.behind) == crc(data)


@settings(derandomize=True, max_examples=20)
@given(crc=reflected(), data=st.binary(max_size=100))
def test_crcs_in_memory_of_processors_that_cannot_fold(crc: Crc, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(registers, "folds", lambda: False)
        assert sums_of(crc, data, registers.behind) == crc(data)


LOADS = ("u1", "u2", "u4", "i8", "u2_big", "u4_big", "i8_big")


def numbers(at: int, found: Array) -> None:
    """What each way to load finds, and how numbers are shifted."""
    found[0], found[1], found[2], found[3] = memory.u1(at), memory.u2(at), memory.u4(at), memory.i8(at)
    found[4], found[5], found[6] = memory.u2_big(at), memory.u4_big(at), memory.i8_big(at)
    found[7] = memory.shifted(memory.i8(at), 5)


def copies(to: int, at: int) -> None:
    """What each way to store writes."""
    memory.put1(to, memory.i8(at))
    memory.put2(to + 1, memory.i8(at))
    memory.put4(to + 3, memory.i8(at))
    memory.put8(to + 7, memory.i8(at))
    memory.move32(to + 15, at)
    memory.move(to + 47, at, 9)
    memory.fetch(0, at)


@accelerator.on
@with_llvm
def test_memory_is_the_same_compiled() -> None:
    random = Random("memory")
    load, store = accel.compiled(numbers), accel.compiled(copies)
    for _ in range(40):
        data = np.frombuffer(random.randbytes(64), np.uint8)
        found, expected = np.zeros((2, 8), np.int64)
        written, wanted = np.zeros((2, 64), np.uint8)
        load(data.ctypes.data + 3, found)
        numbers(data.ctypes.data + 3, expected)
        store(written.ctypes.data, data.ctypes.data + 3)
        copies(wanted.ctypes.data, data.ctypes.data + 3)
        assert found.tolist() == expected.tolist()
        assert written.tolist() == wanted.tolist()


@accelerator.off_and_on
def test_all_bytes_are_copied_and_no_others(accelerated: bool) -> None:
    copy = accel.compiled(copy_all) if accelerated else copy_all
    data = np.frombuffer(Random("copies").randbytes(200), np.uint8)
    for size in range(150):
        written = np.zeros(200, np.uint8)
        copy(written.ctypes.data + 20, data.ctypes.data + 7, size)
        assert written.tobytes() == bytes(20) + data[7 : 7 + size].tobytes() + bytes(180 - size)


def spell(to: int, at: int, found: Array) -> None:
    """Bytes in each way that they are spelled, and how long that is."""
    found[0] = address_texts.spelled(to, at, 0)
    found[1] = address_texts.spelled(to + 64, at, 1)
    found[2] = address_texts.spelled(to + 128, at, 2)
    found[3] = address_texts.spelled(to + 192, at, 3)


def spelled(loop: Any, data: bytes) -> list[str]:
    """The same as texts."""
    texts, sizes = np.zeros((4, 64), np.uint8), np.zeros(4, np.int64)
    loop(texts.ctypes.data, np.frombuffer(data, np.uint8).ctypes.data, sizes)
    return [bytes(text[:size]).decode() for text, size in zip(texts, sizes.tolist(), strict=True)]


@accelerator.on
@with_llvm
def test_bytes_are_spelled_as_by_the_codec() -> None:
    random, loop = Random("spelling"), accel.compiled(spell)
    for _ in range(400):
        data = bytes(random.choice([0, 0, 0, 9, 10, 99, 100, random.randrange(256)]) for _ in range(16))
        wanted = [meaning().value(data[:size]) for meaning, size in zip(values.WAYS, (4, 16, 6, 16), strict=True)]
        assert spelled(spell, data) == spelled(loop, data) == wanted
        assert all(len(text) <= longest for text, longest in zip(wanted, values.LONGEST, strict=True))


def known() -> Iterator[Crc]:
    """The CRCs that specs can name."""
    for algorithm in map(sums.algorithm, ALGORITHMS):
        if isinstance(algorithm, Crc):
            yield algorithm


@accelerator.on
@with_llvm
def test_crcs_are_the_same_compiled() -> None:
    compiled_crc = accel.compiled(crc_loop)
    random = Random("sums")
    for crc in known():
        for size in (*range(0, 72, 3), 128, 1003):
            data = random.randbytes(size)

            def behind(register: int, at: int, stop: int, tables: int, flipped: int) -> int:
                found = np.zeros(1, np.int64)
                compiled_crc(np.array([at]), np.array([stop]), 1, tables, register, flipped, found)
                return int(found[0])

            assert sums_of(crc, data, behind) == crc(data)
