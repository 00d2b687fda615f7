"""The rival: the same layouts as one writes them by hand with construct, interpreted and compiled.

Numbers and bits have their names, as in the generated parsers; checksums and the total length are checked and filled in
as one does it around a struct. Still they do less: no dispatch, no unknown values to keep, no byte order to find out.
"""

import zlib
from typing import Any

from construct import (
    Bytes,
    Computed,
    Enum,
    FixedSized,
    FlagsEnum,
    GreedyBytes,
    GreedyRange,
    IfThenElse,
    Int8ub,
    Int16sb,
    Int16ub,
    Int32sb,
    Int32ub,
    Int64sb,
    Int64ub,
    Pass,
    Struct,
    Switch,
    this,
)

_DATATYPE = FlagsEnum(Int8ub, JSON=1, Snappy=2, Xattr=4)
_SNAPSHOT_TYPE = FlagsEnum(Int32ub, Memory=1, Disk=2, Checkpoint=4, Ack=8, History=16, MayContainDuplicates=32)
_EVENT_ID = Enum(Int32ub, BeginCollection=0, EndCollection=1, CreateScope=3, DropScope=4, ModifyCollection=5)
_MARKER = Struct("start_seqno" / Int64ub, "end_seqno" / Int64ub, "snapshot_type" / _SNAPSHOT_TYPE)
_EVENT = Struct("by_seqno" / Int64ub, "event" / _EVENT_ID, "version" / Int8ub)
_CREATED = Struct("manifest_uid" / Int64ub, "scope_id" / Int32ub, "collection_id" / Int32ub, "max_ttl" / Int32ub)
_ENTRIES = GreedyRange(Struct("vb_uuid" / Int64ub, "vb_seqno" / Int64ub))

COUCHBASE_DCP = Struct(
    "magic" / Int8ub,
    "opcode" / Int8ub,
    "framing_extras_length" / IfThenElse((this.magic == 0x08) | (this.magic == 0x18), Int8ub, Computed(0)),
    "key_length" / IfThenElse((this.magic == 0x08) | (this.magic == 0x18), Int8ub, Int16ub),
    "extras_length" / Int8ub,
    "datatype" / _DATATYPE,
    "vbucket_or_status" / Int16ub,
    "total_body_length" / Int32ub,
    "opaque" / Int32ub,
    "cas" / Int64ub,
    "framing_extras" / Bytes(this.framing_extras_length),
    "extras" / FixedSized(this.extras_length, Switch(this.opcode, {0x56: _MARKER, 0x5F: _EVENT}, default=Pass)),
    "key" / Bytes(this.key_length),
    "value"
    / FixedSized(
        this.total_body_length - this.framing_extras_length - this.extras_length - this.key_length,
        Switch(this.opcode, {0x54: _ENTRIES, 0x5F: _CREATED}, default=GreedyBytes),
    ),
)

_BYTE_KEY = Struct("size" / Int32sb, "bytes" / Bytes(this.size))
DBUS_EVENT = Struct(
    "version" / Int8ub,
    "header_crc" / Int32ub,
    "length" / Int32sb,
    "attributes" / FlagsEnum(Int16ub, UPSERT=1, DELETE=2, TRACE=4, BYTE_KEY=8, END_OF_PERIOD=16, EXT_REPLICATED=256),
    "sequence" / Int64sb,
    "physical_partition_id" / Int16sb,
    "logical_partition_id" / Int16sb,
    "nano_timestamp" / Int64sb,
    "src_id" / Enum(Int16sb, END_OF_PERIOD_MARKER=-2, CHECKPOINT=-3, SCN_REGRESS=-51),
    "schema_id" / Bytes(16),
    "value_crc" / Int32ub,
    "key" / IfThenElse(this.attributes.BYTE_KEY, _BYTE_KEY, Int64sb),
    "value" / GreedyBytes,
)


def _crc(data: bytes) -> int:
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def parse_event(layout: Any, data: bytes) -> Any:
    """An event's values, both checksums compared."""
    event = layout.parse(data)
    head = 57 if event.attributes.BYTE_KEY else 61
    if _crc(data[5:head]) != event.header_crc or _crc(data[head:]) != event.value_crc:
        raise ValueError("checksum")
    return event


def build_event(layout: Any, values: Any) -> bytes:
    """An event's bytes, its length and both checksums filled in."""
    data = bytearray(layout.build(values))
    head = 57 if values.attributes.BYTE_KEY else 61
    data[5:9] = len(data).to_bytes(4, "big")
    data[49:53] = _crc(data[head:]).to_bytes(4, "big")
    data[1:5] = _crc(data[5:head]).to_bytes(4, "big")
    return bytes(data)


def parse_frame(layout: Any, data: bytes) -> Any:
    """A frame's values, its lengths held against each other."""
    frame = layout.parse(data)
    if 24 + frame.total_body_length != len(data):
        raise ValueError("length")
    return frame


def build_frame(layout: Any, values: Any) -> bytes:
    """A frame's bytes, its body's length filled in."""
    data = bytearray(layout.build(values))
    data[8:12] = (len(data) - 24).to_bytes(4, "big")
    return bytes(data)
