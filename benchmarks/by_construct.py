"""The rivals written by hand with construct, record by record.

``MUTATION`` compiles to straight Python. ``FRAME``, any frame of the mixed traffic, compiles but for some parts, which
compiled construct calls as they are: the lists (``GreedyRange``), in them the bits, and the FlatBuffers tables, which
construct has no words for and ``by_struct.flatbuffer`` reads. A list of all frames would not compile: it is a loop.
"""

from io import BytesIO
from typing import Any

from by_struct import EVENT, STATUS, TABLES, flatbuffer
from construct import (
    Adapter,
    BitsInteger,
    BitStruct,
    Bytes,
    Computed,
    Const,
    Enum,
    FixedSized,
    FlagsEnum,
    GreedyBytes,
    GreedyRange,
    GreedyString,
    IfThenElse,
    Int8ub,
    Int16ub,
    Int32ub,
    Int64ub,
    Optional,
    PaddedString,
    Pass,
    Struct,
    Switch,
    this,
)


def records(layout: Any, data: bytes) -> list[Any]:
    """All records of a buffer."""
    rows, stream, parse = [], BytesIO(data), layout.parse_stream
    while stream.tell() < len(data):
        rows.append(parse(stream))
    return rows


MUTATION = Struct(
    "magic" / Const(0x80, Int8ub),
    "opcode" / Const(0x57, Int8ub),
    "key_length" / Int16ub,
    "extras_length" / Const(31, Int8ub),
    "datatype" / Int8ub,
    "vbucket" / Int16ub,
    "total_body_length" / Int32ub,
    "opaque" / Int32ub,
    "cas" / Int64ub,
    "by_seqno" / Int64ub,
    "rev_seqno" / Int64ub,
    "flags" / Int32ub,
    "expiration" / Int32ub,
    "lock_time" / Int32ub,
    "metadata_length" / Int16ub,
    "nru" / Int8ub,
    "key" / PaddedString(this.key_length, "utf-8"),
    "value" / Bytes(this.total_body_length - this.extras_length - this.key_length),
)


class _FlatBuffer(Adapter):
    """The bytes of a FlatBuffers table, and its values."""

    def __init__(self, event: int) -> None:
        super().__init__(GreedyBytes)
        self.column, self.table = TABLES[event]

    def _decode(self, obj: bytes, context: Any, path: str) -> dict[str, Any]:
        return {"value_flatbuffer": obj, self.column: flatbuffer(obj, self.table)}

    def _encode(self, obj: dict[str, Any], context: Any, path: str) -> bytes:
        found: bytes = obj["value_flatbuffer"]
        return found


_DATATYPE = FlagsEnum(Int8ub, JSON=1, Snappy=2, Xattr=4)
_KINDS = {"Memory": 1, "Disk": 2, "Checkpoint": 4, "Acknowledge": 8, "History": 16, "MayContainDuplicates": 32}
_SNAPSHOT_TYPE = FlagsEnum(Int32ub, **_KINDS)
_SEQNOS = ("start_seqno" / Int64ub, "end_seqno" / Int64ub, "snapshot_type" / _SNAPSHOT_TYPE)
_V2_0 = (*_SEQNOS, "max_visible_seqno" / Int64ub, "high_completed_seqno" / Int64ub)
_V2_1 = Struct(*_V2_0, "timestamp" / Int64ub)
_V2_2 = Struct(*_V2_0, "purge_seqno" / Int64ub, "high_prepared_seqno" / Optional(Int64ub))
_MARKER_EXTRAS = Switch(this.extras_length, {1: Struct("version" / Int8ub), 20: Struct(*_SEQNOS)}, default=GreedyBytes)
_MARKER_VALUE = IfThenElse(
    this.extras_length == 1,
    Switch(this.extras.version, {0: Struct(*_V2_0), 1: _V2_1, 2: _V2_2}, default=GreedyBytes),
    GreedyBytes,
)
_EVENT = Struct(
    "by_seqno" / Int64ub,
    "event" / Enum(Int32ub, **{name: number for number, name in EVENT.items()}),
    "version" / Enum(Int8ub, version0=0, version1=1, version2=2),
)
_SCOPE = ("manifest_uid" / Int64ub, "scope_id" / Int32ub)
_COLLECTION = (*_SCOPE, "collection_id" / Int32ub)
_EVENT_0 = Switch(
    this.extras.event,
    {
        "BeginCollection": Struct(*_COLLECTION),
        "EndCollection": Struct(*_COLLECTION),
        "CreateScope": Struct(*_SCOPE),
        "DropScope": Struct(*_SCOPE),
    },
    default=GreedyBytes,
)
_EVENT_1 = Switch(
    this.extras.event, {"BeginCollection": Struct(*_COLLECTION, "max_ttl" / Int32ub)}, default=GreedyBytes
)
_EVENT_2 = Switch(this.extras.event, {EVENT[event]: _FlatBuffer(event) for event in TABLES}, default=GreedyBytes)
_EVENT_VALUE = Switch(
    this.extras.version, {"version0": _EVENT_0, "version1": _EVENT_1, "version2": _EVENT_2}, default=GreedyBytes
)
_ENTRIES = Struct("entries" / GreedyRange(Struct("vb_uuid" / Int64ub, "vb_seqno" / Int64ub)))
_MAP = Struct("cluster_map" / GreedyString("utf-8"))
_ERROR = Struct("error" / GreedyString("utf-8"))
_OUTCOMES = {"Success": Pass, "NotMyVbucket": _MAP}
_ANSWER = Switch(this.status, _OUTCOMES, default=_ERROR)
_IDS = ("ids" / BitStruct("id" / BitsInteger(4), "length_nibble" / BitsInteger(4)),)
_STREAM_ID = Struct(*_IDS, "stream_id" / Int16ub)
_SERVER_DURATION = Struct(*_IDS, "server_duration" / Int16ub)
_FRAME_INFOS = GreedyRange(IfThenElse(this.magic == 0x08, _STREAM_ID, _SERVER_DURATION))
_IS_REQUEST = (this.magic == 0x80) | (this.magic == 0x08)
_IS_FLEXIBLE = (this.magic == 0x08) | (this.magic == 0x18)


def frame(extras: dict[int, Any], key: dict[int, Any], value: dict[int, Any]) -> Any:
    """A frame whose sections are these by kind, its opcode and 0x100 for responses; other sections stay bytes."""
    size = this.total_body_length - this.framing_extras_length - this.extras_length - this.key_length
    return Struct(
        "magic" / Int8ub,
        "opcode" / Int8ub,
        "kind" / IfThenElse(_IS_REQUEST, Computed(this.opcode), Computed(this.opcode + 0x100)),
        "framing_extras_length" / IfThenElse(_IS_FLEXIBLE, Int8ub, Computed(0)),
        "key_length" / IfThenElse(_IS_FLEXIBLE, Int8ub, Int16ub),
        "extras_length" / Int8ub,
        "datatype" / _DATATYPE,
        "vbucket" / IfThenElse(_IS_REQUEST, Int16ub, Pass),
        "status" / IfThenElse(_IS_REQUEST, Pass, Enum(Int16ub, **{name: number for number, name in STATUS.items()})),
        "total_body_length" / Int32ub,
        "opaque" / Int32ub,
        "cas" / Int64ub,
        "frame_infos" / FixedSized(this.framing_extras_length, _FRAME_INFOS),
        "extras" / FixedSized(this.extras_length, Switch(this.kind, extras, GreedyBytes)),
        "key" / (FixedSized(this.key_length, Switch(this.kind, key, GreedyBytes)) if key else Bytes(this.key_length)),
        "value" / FixedSized(size, Switch(this.kind, value, default=GreedyBytes)),
    )


EXTRAS = {0x56: _MARKER_EXTRAS, 0x5F: _EVENT}
VALUES = {
    0x56: _MARKER_VALUE,
    0x5F: _EVENT_VALUE,
    0x154: Switch(this.status, _OUTCOMES | {"Success": _ENTRIES}, default=_ERROR),
    0x156: _ANSWER,
    0x15F: _ANSWER,
}
FRAME = frame(EXTRAS, {}, VALUES)
