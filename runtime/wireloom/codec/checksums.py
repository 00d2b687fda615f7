"""Checksums by registry name, over a byte range of the record."""

import binascii
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from wireloom.codec.streams import Expression


def _crc32_zero(data: bytes | memoryview) -> int:
    """CRC-32 with initial register 0 and no final XOR; zlib's, with both of its inversions undone."""
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


ALGORITHMS: dict[str, Callable[[bytes | memoryview], int]] = {
    "adler32": zlib.adler32,
    "crc16_xmodem": lambda data: binascii.crc_hqx(data, 0),
    "crc32": zlib.crc32,
    "crc32_zero": _crc32_zero,
}


@dataclass(frozen=True, slots=True)
class Checksum:
    """A checksum over the record's bytes from ``start`` (inclusive) to ``end`` (exclusive)."""

    algorithm: str
    start: Expression
    end: Expression
