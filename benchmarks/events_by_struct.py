"""The rival for Databus written by hand with ``struct`` and zlib: one loop, one dict an event, both checksums compared.

It reads version 1 in big endian and nothing else; it does not look for the next event behind a damaged one.
"""

import struct
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HEAD = struct.Struct(">BIiHqhhqh16sI")
_FLAGS = ((1, "UPSERT"), (2, "DELETE"), (4, "TRACE"), (8, "BYTE_KEY"), (16, "END_OF_PERIOD"), (256, "EXT_REPLICATED"))
_SOURCES = {0: "ZERO", -2: "EOPMarkerSrcId", -3: "CHECKPOINT_SRCID"}


def _said_by(attributes: int) -> dict[str, Any]:
    """What follows from the bits alone."""
    opcode = (1 if attributes & 1 else 2) if attributes & 3 else None
    return {
        "attributes_flags": [name for bit, name in _FLAGS if attributes & bit],
        "opcode": opcode,
        "opcode_name": {None: None, 1: "UPSERT", 2: "DELETE"}[opcode],
        "trace": attributes & 4 != 0,
        "ext_replicated": attributes & 256 != 0,
    }


_ATTRIBUTES = [_said_by(attributes) for attributes in range(512)]


def events(data: bytes) -> list[dict[str, Any]]:
    """All events of a buffer, as flat rows. Raises ``ValueError`` at one that is damaged."""
    rows, at, unpack, crc = [], 0, _HEAD.unpack_from, _crc
    while at < len(data):
        version, head_crc, length, bits, sequence, physical, logical, time, source, schema, tail_crc = unpack(data, at)
        head, end = at + (57 if bits & 8 else 61), at + length
        if version or end < head or end > len(data):
            raise ValueError("layout")
        if crc(data[at + 5 : head]) != head_crc or crc(data[head:end]) != tail_crc:
            raise ValueError("checksum")
        row = {
            "message": "dbus_event",
            "byte_order": "big",
            "version": version,
            "header_crc": head_crc,
            "length": length,
            "attributes": bits,
            **_ATTRIBUTES[bits & 511],
            "sequence": sequence,
            "physical_partition_id": physical,
            "logical_partition_id": logical,
            "nano_timestamp": time,
            "src_id": source,
            "src_id_name": "DATA" if source > 0 else _SOURCES.get(source),
            "schema_id": schema,
            "value_crc": tail_crc,
            "end_of_period": source == -2,
            "event_time": _EPOCH + timedelta(microseconds=time // 1000) if source >= 0 else None,
        }
        value = head
        if bits & 8:
            value += int.from_bytes(data[at + 53 : head], "big")
            row |= {"variant": "byte_key", "key_size": value - head, "key_bytes": data[head:value]}
        else:
            row |= {"variant": "long_key", "key": int.from_bytes(data[at + 53 : head], "big", signed=True)}
        row["value"] = data[value:end]
        rows.append(row)
        at = end
    return rows


def _crc(data: bytes) -> int:
    """CRC-32 that begins at 0 and is not inverted at the end."""
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
