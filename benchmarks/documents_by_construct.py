"""What ``by_construct`` lacks for a session of DCP, written by hand as well: documents, durable writes, streams.

The few frames that set up the connection stay bytes.
"""

from datetime import UTC, datetime
from typing import Any

import cramjam
from by_construct import EXTRAS, VALUES, frame
from construct import (
    Adapter,
    Computed,
    CString,
    Flag,
    GreedyBytes,
    GreedyRange,
    GreedyString,
    If,
    IfThenElse,
    Int8ub,
    Int16ub,
    Int32ub,
    Int64ub,
    Prefixed,
    Struct,
    Switch,
    VarInt,
    this,
)


def _time(seconds: Any) -> Any:
    return Computed(lambda found: datetime.fromtimestamp(seconds(found), UTC) if seconds(found) else None)


_PAIR = Prefixed(Int32ub, Struct("key" / CString("utf-8"), "value" / CString("utf-8")))
_CONTENT = Struct(
    "xattrs" / If(this._params.xattr, Prefixed(Int32ub, GreedyRange(_PAIR))),
    "json" / If(this._params.json, GreedyString("utf-8")),
    "body" / If(lambda found: not found._params.json, GreedyBytes),
)


class _Document(Adapter):
    """What the value is made of."""

    def _decode(self, obj: bytes, context: Any, path: str) -> Any:
        kind, packed = context.datatype, None
        if kind.Snappy:
            packed, obj = obj, bytes(cramjam.snappy.decompress_raw(obj))
        found = _CONTENT.parse(obj, xattr=bool(kind.Xattr and obj), json=bool(kind.JSON))
        found["document_snappy"] = packed
        return found


_CHANGE = ("by_seqno" / Int64ub, "rev_seqno" / Int64ub)
_WRITE = (*_CHANGE, "flags" / Int32ub, "expiration" / Int32ub, "expires_at" / _time(this.expiration))
_DELETED = ("delete_time" / Int32ub, "deleted_at" / _time(this.delete_time))
_MUTATION = Struct(*_WRITE, "lock_time" / Int32ub, "nmeta" / Int16ub, "nru" / Int8ub)
_PREPARE = Struct(*_WRITE, "lock_time" / Int32ub, "nru" / Int8ub, "deleted" / Flag, "durability_level" / Int8ub)
_DELETION_V1 = Struct(*_CHANGE, "nmeta" / Int16ub)
_DELETION_V2 = Struct(*_CHANGE, *_DELETED, "unused" / Int8ub)
_POSITION = ("start_seqno" / Int64ub, "end_seqno" / Int64ub, "vb_uuid" / Int64ub)
_SNAPSHOT = ("snap_start_seqno" / Int64ub, "snap_end_seqno" / Int64ub)
_KEY = Struct("collection_id" / VarInt, "document_key" / GreedyString("utf-8"))
_ROLLBACK = {"Rollback": Struct("rollback_seqno" / Int64ub)}
_STREAMED = VALUES[0x154].cases | _ROLLBACK

SESSION = frame(
    EXTRAS
    | {
        0x57: _MUTATION,
        0x58: IfThenElse(this.extras_length == 18, _DELETION_V1, _DELETION_V2),
        0x59: Struct(*_CHANGE, *_DELETED),
        0x60: _PREPARE,
        0x61: Struct("prepared_seqno" / Int64ub),
        0x62: Struct("prepared_seqno" / Int64ub, "commit_seqno" / Int64ub),
        0x63: Struct("prepared_seqno" / Int64ub, "abort_seqno" / Int64ub),
        0x64: Struct("by_seqno" / Int64ub),
        0x65: Struct("flags" / Int32ub),
        0x53: Struct("flags" / Int32ub, "reserved" / Int32ub, *_POSITION, *_SNAPSHOT),
        0x50: Struct("reserved" / Int32ub, "flags" / Int32ub),
        0x55: Struct("end_status" / Int32ub),
        0x5D: Struct("buffer_bytes" / Int32ub),
    },
    dict.fromkeys((0x57, 0x58, 0x59, 0x60, 0x62, 0x63), _KEY),
    VALUES
    | dict.fromkeys((0x57, 0x58, 0x59, 0x60), _Document(GreedyBytes))
    | {
        0x53: Struct("filter" / GreedyString("utf-8")),
        0x153: Switch(this.status, _STREAMED, default=VALUES[0x154].default),
    },
)
