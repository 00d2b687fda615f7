"""Checksums over a byte range of a record, and over many overlapping ranges."""

import binascii
import zlib
from collections.abc import Callable
from functools import cache, reduce
from itertools import accumulate
from operator import xor
from typing import Any, NamedTuple

from wireloom.expressions import Expression, Formula, expression

Data = bytes | bytearray | memoryview

REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
"""Each byte with its bits in the other order."""


def mirrored(number: int, bits: int) -> int:
    """The number with its bits in the other order."""
    return int.from_bytes(number.to_bytes(8, "little").translate(REVERSED), "big") >> 64 - bits


class Crc(NamedTuple):
    """A CRC by the parameters that catalogues give: ``init`` and ``poly`` with their highest bit first.

    ``reflect_in`` says that the lowest bit of each byte comes first, ``reflect_out`` that of the register. One that is
    ``unaugmented`` does not append as many zero bits to the bytes as it has itself. The register is kept as if it were
    reflected, whatever the CRC is: then all of them take bytes in the same way, those of one that is not reflected with
    their bits reversed. It is linear in its earlier value and in the bytes, so the sum of a range follows from the sums
    of two others.
    """

    bits: int
    poly: int
    init: int = 0
    reflect_in: bool = False
    reflect_out: bool = False
    xor_out: int = 0
    unaugmented: bool = False

    @property
    def initial(self) -> int:
        """The register before the first byte."""
        return mirrored(self.init, self.bits)

    @property
    def is_native(self) -> bool:
        """Whether the standard library feeds it."""
        return self.is_zlib or (self.bits, self.poly, self.reflect_in) == _BINASCII

    @property
    def is_zlib(self) -> bool:
        """Whether ``zlib.crc32`` feeds it; that has each bit of the register the other way round."""
        return (self.bits, self.poly, self.reflect_in) == _ZLIB

    @property
    def feeder(self) -> Callable[[Data, int], int]:
        """What feeds bytes: ``feed``, made once for many ranges."""
        return _feeder(self.bits, self.poly, self.reflect_in)

    def feed(self, data: Data, register: int) -> int:
        """What ``register`` becomes after some bytes."""
        return self.feeder(data, register)

    def final(self, register: int) -> int:
        """The checksum that the register is."""
        if self.unaugmented:
            tables = withdrawals(self.bits, self.poly)
            octets = register.to_bytes(len(tables), "little")
            register = reduce(xor, (one[byte] for one, byte in zip(tables, octets, strict=True)))
        return (register if self.reflect_out else mirrored(register, self.bits)) ^ self.xor_out

    def __call__(self, data: Data) -> int:
        return self.final(self.feed(data, self.initial))

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


_ZLIB = (32, 0x04C11DB7, True)
_BINASCII = (16, 0x1021, False)


@cache
def table(bits: int, poly: int) -> tuple[int, ...]:
    """What each byte makes of a reflected register of 0."""
    polynomial = mirrored(poly, bits)
    found = []
    for register in range(256):
        for _ in range(8):
            register = register >> 1 ^ (polynomial if register & 1 else 0)
        found.append(register)
    return tuple(found)


@cache
def withdrawals(bits: int, poly: int) -> tuple[tuple[int, ...], ...]:
    """For each byte of a reflected register, the lowest first, what each of its values adds to what the register was
    before as many zero bits as it has.
    """
    polynomial, highest, ones = mirrored(poly, bits), 1 << bits - 1, (1 << bits) - 1

    def before(register: int) -> int:
        for _ in range(bits):
            was_odd = register & highest  # polynomials are odd
            register = (register ^ polynomial) << 1 | 1 if was_odd else register << 1
        return register & ones

    return tuple(tuple(before(byte << place & ones) for byte in range(256)) for place in range(0, bits, 8))


@cache
def _feeder(bits: int, poly: int, reflected: bool) -> Callable[[Data, int], int]:
    """What feeds bytes to a reflected register: a function of the standard library where it has one."""
    ones = (1 << bits) - 1
    if (bits, poly, reflected) == _ZLIB:
        return lambda data, register: zlib.crc32(data, register ^ ones) ^ ones
    if (bits, poly, reflected) == _BINASCII:
        return lambda data, register: mirrored(binascii.crc_hqx(data, mirrored(register, 16)), 16)
    single = table(bits, poly)

    def feed(data: Data, register: int) -> int:
        for byte in data if reflected else bytes(data).translate(REVERSED):
            register = single[(register ^ byte) & 0xFF] ^ register >> 8
        return register

    return feed


@cache
def _zeros(crc: Crc, step: int) -> tuple[int, ...]:
    """What each bit of a register becomes after ``2**step`` zero bytes."""
    if not step:
        return tuple(crc.feed(b"\0", 1 << bit) for bit in range(crc.bits))
    half = _zeros(crc, step - 1)
    return tuple(_applied(half, register) for register in half)


def _applied(columns: tuple[int, ...], register: int) -> int:
    return reduce(xor, (column for bit, column in enumerate(columns) if register >> bit & 1), 0)


class Totals(NamedTuple):
    """The sum of all bytes modulo ``modulus``, and with ``twice`` the sum of those sums, as many bits higher.

    In the register, they are 16 bits apart.
    """

    bits: int
    modulus: int
    twice: bool = False
    initial: int = 0

    def feed(self, data: Data, register: int) -> int:
        """What ``register`` becomes after some bytes."""
        if self.modulus == ADLER:
            return zlib.adler32(data, register)
        if not self.twice:
            return (register + sum(data)) % self.modulus
        low = register & 0xFFFF
        high = (register >> 16) + len(data) * low + sum(accumulate(data))
        return high % self.modulus << 16 | (low + sum(data)) % self.modulus

    def final(self, register: int) -> int:
        """The checksum that the register is."""
        return register >> 16 << self.bits // 2 | register & 0xFFFF if self.twice else register

    def __call__(self, data: Data) -> int:
        return self.final(self.feed(data, self.initial))

    def bridge(self, register: int, before: int, after: int, count: int) -> int:
        """As ``Crc.bridge``."""
        if not self.twice:
            return (after + register - before) % self.modulus
        low = (register & 0xFFFF) - (before & 0xFFFF)
        high = (register >> 16) - (before >> 16) + count * low
        return ((after >> 16) + high) % self.modulus << 16 | ((after & 0xFFFF) + low) % self.modulus


class Words(NamedTuple):
    """Sums of numbers of two bytes modulo 65535; a last byte alone is filled up with a zero.

    That is the Internet checksum, the complement of a sum of big-endian numbers, or, ``twice``, Fletcher-32 of
    little-endian ones.
    """

    bits: int
    twice: bool = False

    def __call__(self, data: Data) -> int:
        padded = bytes(data) + bytes(len(data) % 2)
        if not self.twice:
            total = 256 * sum(padded[::2]) + sum(padded[1::2])
            return 0xFFFF - (total - 1) % 0xFFFF - 1 if total else 0xFFFF
        words = [low | high << 8 for low, high in zip(padded[::2], padded[1::2], strict=True)]
        return sum(accumulate(words)) % 0xFFFF << 16 | sum(words) % 0xFFFF


Rolling = Crc | Totals
"""Checksums whose register gives those of overlapping ranges."""
Algorithm = Rolling | Words
ADLER = 65521
"""The modulus of Adler-32."""
ALGORITHMS: dict[str, Algorithm] = {
    "adler32": Totals(32, ADLER, twice=True, initial=1),
    "fletcher8": Totals(8, 15, twice=True),
    "fletcher16": Totals(16, 255, twice=True),
    "fletcher16_mod256": Totals(16, 256, twice=True),
    "fletcher32": Words(32, twice=True),
    "internet": Words(16),
    "sum8": Totals(8, 1 << 8),
    "sum16": Totals(16, 1 << 16),
    "sum32": Totals(32, 1 << 32),
}
"""Checksums that are not CRCs."""


class Joined:
    """A checksum over several ranges, from their start to before their end, and constants, one after another."""

    def __init__(self, algorithm: Crc | str, *over: tuple[Formula, Formula] | bytes) -> None:
        self.algorithm = ALGORITHMS[algorithm] if isinstance(algorithm, str) else algorithm
        self.over = [each if isinstance(each, bytes) else (expression(each[0]), expression(each[1])) for each in over]

    def size(self, ask: Callable[[Expression], Any]) -> int:
        """How many bytes of the record it covers; ranges that depend on absent values have none."""
        bounds = ([ask(bound) for bound in each] for each in self.over if not isinstance(each, bytes))
        return sum(max(end - start, 0) for start, end in bounds if None not in (start, end))

    def of(self, buffer: Data, ask: Callable[[Expression], Any]) -> int | None:
        """The checksum; None if a range depends on an absent value. ``ask`` evaluates expressions."""
        pieces = [each if isinstance(each, bytes) else _bytes(buffer, *map(ask, each)) for each in self.over]
        known = [piece for piece in pieces if piece is not None]
        return self.algorithm(b"".join(known)) if len(known) == len(pieces) else None


class Checksum(Joined):
    """A checksum over the record's bytes from ``start`` (inclusive) to ``end`` (exclusive)."""

    def __init__(self, algorithm: Crc | str, start: Formula, end: Formula) -> None:
        super().__init__(algorithm, (start, end))
        self.start = expression(start)
        self.end = expression(end)


def _bytes(buffer: Data, start: Any, end: Any) -> bytes | None:
    """The bytes of a range; None if an end of it depends on an absent value."""
    return None if start is None or end is None else bytes(buffer[start:end])


_STEP = 4096
_FEW = 8
"""A range of no more steps than this is summed directly."""


class Sums:
    """Checksums of ranges of one capture. Each costs little more than two steps, however large the ranges are and
    however they overlap, since the register after every step is kept.
    """

    def __init__(self) -> None:
        self._kept: dict[Rolling, tuple[int, list[int]]] = {}

    def of(self, algorithm: Algorithm, buffer: bytes, start: int, stop: int, base: int) -> int:
        """The checksum of ``buffer`` from ``start`` to ``stop``; the buffer begins at byte ``base`` of the capture."""
        first, last = -(-(base + start) // _STEP), (base + stop) // _STEP
        if last - first <= _FEW or isinstance(algorithm, Words):
            return algorithm(buffer[start:stop])
        origin, registers = self._kept.get(algorithm, (first, [0]))
        if not origin <= first or (origin + len(registers) - 1) * _STEP < base:
            origin, registers = first, [0]
        self._kept[algorithm] = origin, registers
        while origin + len(registers) <= last:
            at = (origin + len(registers) - 1) * _STEP - base
            registers.append(algorithm.feed(buffer[at : at + _STEP], registers[-1]))
        begin, end = first * _STEP - base, last * _STEP - base
        register = algorithm.feed(buffer[start:begin], algorithm.initial)
        register = algorithm.bridge(register, registers[first - origin], registers[last - origin], end - begin)
        return algorithm.final(algorithm.feed(buffer[end:stop], register))
