"""Captures made to be slow or large to read: garbage that looks like records, and records that are all malformed.

They are data, by name, for tests to read and for ``benchmarks/unhappy.py`` to measure on. Protocols that are made for
them are in the folder ``specs`` beside this file.
"""

import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from zlib import crc32

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
    """Names of buckets that are no UTF-8."""
    while True:
        yield frame(0x80, 0x89, key=b"bucket \xff" + chance.randbytes(chance.randint(1, 40)))


def _keys(chance: random.Random) -> Iterator[bytes]:
    """System events, of new collections, whose keys are no UTF-8."""
    extras, value = bytes(8) + struct.pack(">IB", 0, 0), bytes(16)
    while True:
        yield frame(0x80, 0x5F, extras=extras, key=b"name \xff" + chance.randbytes(4), value=value)


_CUT_MARKER = struct.pack(">BBHBBHIIQ", 0x80, 0x56, 0, 20, 0, 0, 0, 0, 0)
"""A snapshot marker whose extras, it says, have 20 bytes, and which ends before them."""


def _cut_markers(chance: random.Random) -> Iterator[bytes]:
    """Such markers, each of a stream of its own."""
    while True:
        yield _CUT_MARKER[:12] + chance.randbytes(4) + _CUT_MARKER[16:]


def _markers(chance: random.Random) -> Iterator[bytes]:
    """Snapshot markers of versions that there are, whose extras and values have lengths that these never have."""
    while True:
        if chance.random() < 0.7:
            yield frame(0x80, 0x56, extras=bytes(chance.choice((0, 2, 19, 21))))
        else:
            yield frame(0x80, 0x56, extras=b"\0", value=bytes(chance.choice((37, 44, 100))))


def _cut_values(chance: random.Random) -> Iterator[bytes]:
    """Snapshot markers of version 2 and failover logs that end before they are whole."""
    while True:
        if chance.random() < 0.5:
            yield frame(0x80, 0x56, extras=b"\2", value=chance.randbytes(chance.randint(0, 3)) * 8)
        else:
            yield frame(0x81, 0x54, value=bytes(16 * chance.randint(0, 3) + chance.randint(1, 15)))


def infos(number: int, last: bytes = b"", kinds: bytes = b"\x50") -> bytes:
    """A request for a failover log with so many frame infos of one byte, the ``kinds`` by turns."""
    extras = (kinds * number)[: number - len(last)] + last
    return struct.pack(">BBBBBBHIIQ", 0x08, 0x54, number, 0, 0, 0, 0, number, 0, 0) + extras


def _events(damaged: Callable[[int], bool]) -> Callable[[int], bytes]:
    """Databus events, in some of which, by number, the checksum of the value is not right."""

    def records(chance: random.Random) -> Iterator[bytes]:
        for number in count():
            value = chance.randbytes(chance.randint(20, 200))
            yield event(number, value, crc32_zero(value) ^ damaged(number))

    return _of(records)


def _headers(chance: random.Random) -> Iterator[bytes]:
    """Databus events, every second of which has one byte changed that is under the checksum of its header."""
    for number in count():
        value = chance.randbytes(chance.randint(20, 200))
        found = bytearray(event(number, value, crc32_zero(value)))
        found[chance.randrange(5, 61)] ^= number & 1
        yield bytes(found)


def _torn(chance: random.Random) -> Iterator[bytes]:
    """Databus events, every second of which has lost bytes of its value."""
    for number in count():
        value = chance.randbytes(chance.randint(20, 200))
        found = event(number, value, crc32_zero(value))
        yield found[: len(found) - chance.randint(1, len(value)) * (number & 1)]


PCAP = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
"""The header of a capture file of Ethernet."""


def pcap_packet(seconds: int, fraction: int, data: bytes, *, claimed: int | None = None) -> bytes:
    """A packet of a capture file, with what it has, or the length that it claims."""
    size = len(data) if claimed is None else claimed
    return struct.pack("<IIII", seconds, fraction, size, size) + data


def _behind_a_packet(make: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """A capture file with one packet, and then what is none."""
    return lambda size: PCAP + pcap_packet(1_700_000_000, 1, bytes(60)) + make(size)


def _claims(chance: random.Random) -> Iterator[bytes]:
    """Headers of Databus events, with no values behind them, that claim up to 1 MiB."""
    for number in count():
        yield event(number, b"", 0, claimed=chance.randrange(1 << 20))


def event(number: int, value: bytes, value_crc: int, claimed: int = 0) -> bytes:
    """A Databus event of version 1 with a long key, whose value has so many bytes more, it says, than it has."""
    rest = struct.pack(">iHqhhqh", 61 + len(value) + claimed, 1, number, 1, 2, number, 15) + bytes(16)
    rest += struct.pack(">Iq", value_crc, number)
    return struct.pack(">BI", 0, crc32_zero(rest)) + rest + value


def crc32_zero(data: bytes) -> int:
    """The CRC-32 that Databus has, which begins and ends with 0."""
    return crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


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
    Hostile("PCAP: zeros", "pcap", _behind_a_packet(_repeated(b"\0"))),
    Hostile("PCAP: random", "pcap", _behind_a_packet(_random)),
    Hostile("PCAP: random 0 and 1", "pcap", _behind_a_packet(_bits)),
    Hostile("PCAP: small numbers repeated", "pcap", _behind_a_packet(_repeated(struct.pack("<I", 61)))),
    Hostile(
        "PCAP: headers of packets",
        "pcap",
        _behind_a_packet(_repeated(pcap_packet(1_700_000_000, 999_999, b"", claimed=60))),
    ),
    Hostile("DCP: zeros", "couchbase_dcp", _repeated(b"\0")),
    Hostile("DCP: random", "couchbase_dcp", _random),
    Hostile("DCP: magics repeated", "couchbase_dcp", _repeated(b"\x80")),
    Hostile("DCP: headers of frames", "couchbase_dcp", _repeated(frame(0x80, 0x56, extras=bytes(20))[:23])),
)
"""Nothing in them is a record, and the next one is searched for at every byte."""

MALFORMED = (
    Hostile("DCP: markers of 24 bytes", "couchbase_dcp", _of(_cut_markers)),
    Hostile("DCP: markers of impossible lengths", "couchbase_dcp", _of(_markers)),
    Hostile("DCP: values that are cut off", "couchbase_dcp", _of(_cut_values)),
    Hostile("DCP: texts that are no UTF-8", "couchbase_dcp", _of(_texts)),
    Hostile("DCP: keys that are no UTF-8", "couchbase_dcp", _of(_keys)),
    Hostile("Databus: checksums of values", "databus", _events(lambda number: True)),
)
"""Records that stand where they should and are all malformed."""

MIXED = (
    Hostile("DCP: 255 frame infos, the last cut off", "couchbase_dcp", _repeated(infos(255, b"\x51"))),
    Hostile("DCP: 255 frame infos", "couchbase_dcp", _repeated(infos(255))),
    Hostile("DCP: 255 frame infos of two kinds", "couchbase_dcp", _repeated(infos(255, kinds=b"\x50\x30"))),
    Hostile("Databus: checksum of every second value", "databus", _events(lambda number: number % 2 == 1)),
    Hostile("Databus: header of every second event", "databus", _of(_headers)),
    Hostile("Databus: bytes of every second value are gone", "databus", _of(_torn)),
    Hostile("Databus: headers that claim much", "databus", _of(_claims)),
)
"""Sound records are among them, or lists that are long for so few bytes."""

EVERY = (*SEARCHED, *MALFORMED, *MIXED)
