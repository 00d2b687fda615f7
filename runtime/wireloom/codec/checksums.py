"""Checksums by name, over a byte range of a record, and over many overlapping ranges."""

import binascii
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from operator import xor

from wireloom.expressions import Formula, expression

_ONES = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Crc:
    """A CRC: the initial register, the value XORed at the end, and how bytes change the register.

    The register is linear in its earlier value and in the bytes, so the sum of a range follows from the sums of two
    others.
    """

    bits: int
    initial: int
    final: int
    feed: Callable[[bytes | memoryview, int], int]

    def __call__(self, data: bytes | memoryview) -> int:
        return self.feed(data, self.initial) ^ self.final

    def bridge(self, register: int, before: int, after: int, count: int) -> int:
        """What ``register`` becomes after ``count`` bytes, given that the same bytes changed another from ``before`` to
        ``after``.
        """
        return self.passed(register ^ before, count) ^ after

    def passed(self, register: int, count: int) -> int:
        """What ``register`` becomes after ``count`` zero bytes."""
        step = 0
        while count:
            if count & 1:
                register = _applied(_zeros(self, step), register)
            count, step = count >> 1, step + 1
        return register


@cache
def _zeros(crc: Crc, step: int) -> tuple[int, ...]:
    """What each bit of a register becomes after ``2**step`` zero bytes."""
    if not step:
        return tuple(crc.feed(b"\0", 1 << bit) for bit in range(crc.bits))
    half = _zeros(crc, step - 1)
    return tuple(_applied(half, register) for register in half)


def _applied(columns: tuple[int, ...], register: int) -> int:
    return reduce(xor, (column for bit, column in enumerate(columns) if register >> bit & 1), 0)


@dataclass(frozen=True, slots=True)
class Adler:
    """Adler-32: two sums modulo a prime, the second one in the upper half."""

    initial: int = 1
    final: int = 0

    PRIME = 65521

    def __call__(self, data: bytes | memoryview) -> int:
        return zlib.adler32(data)

    def feed(self, data: bytes | memoryview, register: int) -> int:
        """What ``register`` becomes after some bytes."""
        return zlib.adler32(data, register)

    def bridge(self, register: int, before: int, after: int, count: int) -> int:
        """As ``Crc.bridge``."""
        low = (register & 0xFFFF) - (before & 0xFFFF)
        high = (register >> 16) - (before >> 16) + count * low
        return ((after >> 16) + high) % self.PRIME << 16 | ((after & 0xFFFF) + low) % self.PRIME


def _crc32(data: bytes | memoryview, register: int) -> int:
    """Plain CRC-32: zlib's, with its two inversions undone."""
    return zlib.crc32(data, register ^ _ONES) ^ _ONES


ALGORITHMS: dict[str, Crc | Adler] = {
    "adler32": Adler(),
    "crc16_xmodem": Crc(16, 0, 0, binascii.crc_hqx),
    "crc32": Crc(32, _ONES, _ONES, _crc32),
    "crc32_zero": Crc(32, 0, 0, _crc32),
}


class Checksum:
    """A checksum over the record's bytes from ``start`` (inclusive) to ``end`` (exclusive)."""

    def __init__(self, algorithm: str, start: Formula, end: Formula) -> None:
        self.algorithm = algorithm
        self.start = expression(start)
        self.end = expression(end)


_STEP = 4096
_FEW = 8
"""A range of no more steps than this is summed directly."""


class Sums:
    """Checksums of ranges of one capture. Each costs little more than two steps, however large the ranges are and
    however they overlap, since the register after every step is kept.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, list[int]]] = {}

    def of(self, name: str, buffer: bytes, start: int, stop: int, base: int) -> int:
        """The checksum of ``buffer`` from ``start`` to ``stop``; the buffer begins at byte ``base`` of the capture."""
        algorithm = ALGORITHMS[name]
        first, last = -(-(base + start) // _STEP), (base + stop) // _STEP
        if last - first <= _FEW:
            return algorithm(buffer[start:stop])
        origin, registers = self._kept.get(name, (first, [0]))
        if not origin <= first or (origin + len(registers) - 1) * _STEP < base:
            origin, registers = first, [0]
        self._kept[name] = origin, registers
        while origin + len(registers) <= last:
            at = (origin + len(registers) - 1) * _STEP - base
            registers.append(algorithm.feed(buffer[at : at + _STEP], registers[-1]))
        begin, end = first * _STEP - base, last * _STEP - base
        register = algorithm.feed(buffer[start:begin], algorithm.initial)
        register = algorithm.bridge(register, registers[first - origin], registers[last - origin], end - begin)
        return algorithm.feed(buffer[end:stop], register) ^ algorithm.final
