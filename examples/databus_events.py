"""Databus events of both versions, packed by hand with ``struct``: nothing of the specs or of generated code is used.

``relay_stream.py`` makes streams of them. A test holds them against what the builder makes of the same values.
"""

from dataclasses import dataclass
from struct import pack
from typing import NamedTuple
from zlib import crc32

UPSERT, DELETE = 1, 2
END_OF_PERIOD, CHECKPOINT, PULLER_RETRIES_EXPIRED, SCN_REGRESS = -2, -3, -6, -51
MAGIC = 0xCAFEDEED


class Part(NamedTuple):
    """A value in an event of version 2, and its schema: a digest of 16 bytes, MD5, or of 4, CRC-32."""

    schema_version: int
    digest: bytes
    data: bytes

    def packed(self, order: str) -> bytes:
        """The bytes, in byte order ``>`` or ``<``."""
        attributes = self.schema_version << 2 | (len(self.digest) == 4)
        return pack(f"{order}ih", len(self.data), attributes) + self.digest + self.data


NO_VALUE = Part(0, bytes(16), b"")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of either version. Version 1 has no parts: its schema is a digest, and its key no schema."""

    version: int
    source: int
    sequence: int
    time: int
    key: int | bytes | Part = 0
    opcode: int = 0
    value: Part = NO_VALUE
    metadata: Part | None = None
    partition: int = 1
    logical_partition: int = 0
    trace: bool = False
    replicated: bool = False

    def packed(self, order: str) -> bytes:
        """The bytes, in byte order ``>`` or ``<``."""
        return _version_2(self, order) if self.version == 2 else _version_1(self, order)


def _crc(data: bytes) -> int:
    """CRC-32 from 0, and not inverted at the end."""
    return crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def _version_1(event: Event, order: str) -> bytes:
    if isinstance(event.key, bytes):
        key, payload = pack(f"{order}i", len(event.key)), event.key + event.value.data
    else:
        key, payload = pack(f"{order}q", event.key), event.value.data
    attributes = event.opcode | event.trace << 2 | isinstance(event.key, bytes) << 3 | event.replicated << 8
    partitions = event.partition, event.logical_partition
    times = event.sequence, *partitions, event.time, event.source
    length = 53 + len(key) + len(payload)
    fields = pack(f"{order}ihqhhqh", length, attributes, *times) + event.value.digest
    header = fields + pack(f"{order}I", _crc(payload)) + key
    return pack(f"{order}bI", 0, _crc(header)) + header + payload


def _version_2(event: Event, order: str) -> bytes:
    match event.key:
        case Part():
            kind, key = 3, event.key.packed(order)
        case bytes():
            kind, key = 2, pack(f"{order}i", len(event.key)) + event.key
        case _:
            kind, key = 1, pack(f"{order}q", event.key)
    has_value = bool(event.value.data or event.value.schema_version > 0)
    body = event.metadata.packed(order) if event.metadata else b""
    body += event.value.packed(order) if has_value else b""
    attributes = event.opcode | kind << 2 | event.replicated << 4 | event.trace << 5
    attributes |= (event.metadata is not None) << 6 | has_value << 7
    length = 45 + len(key)
    fields = attributes, event.time, event.source, event.partition, event.sequence
    header = pack(f"{order}Iihqihq", _crc(body), length + len(body), *fields) + key
    return pack(f"{order}bIiI", 2, MAGIC, length, _crc(header)) + header + body
