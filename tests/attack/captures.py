"""Captures made to be slow or large to read: garbage that looks like records, and records that are all malformed.

They are data, by name, for tests to read and for ``benchmarks/unhappy.py`` to measure on. Protocols that are made for
them are in the folder ``specs`` beside this file.
"""

import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SEED = 9


@dataclass(frozen=True, slots=True)
class Hostile:
    """A capture of any size. ``protocol`` is what it is read as; ``make`` gives at least so many bytes of it."""

    name: str
    protocol: str
    make: Callable[[int], bytes]

    def data(self, size: int) -> bytes:
        """The first ``size`` bytes."""
        return self.make(size)[:size]


def _repeated(unit: bytes) -> Callable[[int], bytes]:
    return lambda size: unit * (size // len(unit) + 1)


def _random(size: int) -> bytes:
    return random.Random(SEED).randbytes(size)


def _bits(size: int) -> bytes:
    return _random(size).translate(bytes(byte & 1 for byte in range(256)))


def _half_zeros(size: int) -> bytes:
    return _random(size // 2 + 1) + bytes(size // 2 + 1)


def _frames(chance: random.Random) -> Iterator[bytes]:
    """DCP frames of random keys and values."""
    while True:
        key, value = chance.randbytes(chance.randint(0, 20)), chance.randbytes(chance.randint(0, 200))
        yield frame(0x80, 0x57, extras=bytes(31), key=key, value=value)


def frame(
    magic: int, opcode: int, *, status: int = 0, extras: bytes = b"", key: bytes = b"", value: bytes = b""
) -> bytes:
    """A frame of DCP."""
    body = extras + key + value
    return struct.pack(">BBHBBHIIQ", magic, opcode, len(key), len(extras), 0, status, len(body), 0, 0) + body


def _of(records: Callable[[random.Random], Iterator[bytes]]) -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        found = bytearray()
        for record in records(random.Random(SEED)):
            found += record
            if len(found) >= size:
                break
        return bytes(found)

    return make


def _texts(chance: random.Random) -> Iterator[bytes]:
    """Failures whose texts are no UTF-8."""
    while True:
        yield frame(0x81, 0x54, status=4, value=b"no such key \xff" + chance.randbytes(chance.randint(1, 40)))


_BROKEN_MARKER = struct.pack(">BBHBBHIIQ", 0x80, 0x56, 0, 20, 0, 0, 0, 0, 0)
"""A snapshot marker whose extras, it says, have 20 bytes, and which ends before them."""

SEARCHED = (
    Hostile("Databus: zeros", "databus", _repeated(b"\0")),
    Hostile("Databus: 00 ff repeated", "databus", _repeated(b"\x00\xff")),
    Hostile("Databus: random 0 and 1", "databus", _bits),
    Hostile("Databus: small lengths repeated", "databus", _repeated(struct.pack(">I", 61))),
    Hostile("Databus: small lengths repeated, little", "databus", _repeated(struct.pack("<I", 57))),
    Hostile("Databus: half random, half zeros", "databus", _half_zeros),
    Hostile("Databus: random", "databus", _random),
    Hostile("Databus: DCP frames", "databus", _of(_frames)),
    Hostile("packets: zeros", "packets", _repeated(b"\0")),
    Hostile("packets: preambles repeated", "packets", _repeated(b"\xb5\x62")),
    Hostile("packets: heads of small packets", "packets", _repeated(b"\xb5\x62\1\1\x20\0")),
    Hostile("packets: heads of large packets", "packets", _repeated(b"\xb5\x62\1\1\xff\xff")),
    Hostile("packets: random", "packets", _random),
)
"""Nothing in them is a record, and the next one is searched for at every byte."""

MALFORMED = (
    Hostile("DCP: markers of 24 bytes", "couchbase_dcp", _repeated(_BROKEN_MARKER)),
    Hostile("DCP: texts that are no UTF-8", "couchbase_dcp", _of(_texts)),
)
"""Records that stand where they should and are all malformed."""

EVERY = (*SEARCHED, *MALFORMED)
