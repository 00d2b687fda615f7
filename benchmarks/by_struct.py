"""The rivals written by hand with ``struct``: one loop over the buffer, one dict a record."""

import struct
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
Reader = Callable[[Row, bytes, bytes, bytes], None]
"""Adds to the row of a header what its extras, key and value say."""

_MUTATION = struct.Struct(">BBHBBHIIQ QQIIIHB")
_HEADER = struct.Struct(">BBHBBHIIQ")
_SEQNOS_AND_TYPE = struct.Struct(">QQI")
_V2_0 = struct.Struct(">QQIQQ")
_EVENT = struct.Struct(">QIB")
_MANIFEST = struct.Struct(">QI")
_ENTRY = struct.Struct(">QQ")


def mutations(data: bytes) -> list[Row]:
    """All frames of a buffer in which there are only mutations."""
    rows, at, unpack = [], 0, _MUTATION.unpack_from
    while at < len(data):
        (magic, opcode, key_length, extras_length, datatype, vbucket, body, opaque, cas, *extras) = unpack(data, at)
        if magic != 0x80 or opcode != 0x57 or extras_length != 31:
            raise ValueError("not a mutation")
        by_seqno, rev_seqno, flags, expiration, lock_time, metadata_length, nru = extras
        key = at + 55
        value = key + key_length
        end = at + 24 + body
        rows.append(
            {
                "message": "mutation",
                "magic": magic,
                "opcode": opcode,
                "key_length": key_length,
                "extras_length": extras_length,
                "datatype": datatype,
                "vbucket": vbucket,
                "total_body_length": body,
                "opaque": opaque,
                "cas": cas,
                "by_seqno": by_seqno,
                "rev_seqno": rev_seqno,
                "flags": flags,
                "expiration": expiration,
                "lock_time": lock_time,
                "metadata_length": metadata_length,
                "nru": nru,
                "key": data[key:value].decode(),
                "value": data[value:end],
            }
        )
        at = end
    return rows


def mixed(data: bytes) -> list[Row]:
    """All frames of mixed traffic, each as a flat row of its header and its message."""
    rows, at = [], 0
    while at < len(data):
        magic, opcode, key_length, extras_length, datatype, status, body, opaque, cas = _HEADER.unpack_from(data, at)
        row: Row = {"message": "unknown", "magic": magic, "opcode": opcode, "extras_length": extras_length}
        row |= {"datatype": datatype, "datatype_flags": _flags(datatype, _DATATYPE), "total_body_length": body}
        row |= {"opaque": opaque, "cas": cas}
        start, end = at + 24, at + 24 + body
        framing = 0
        if magic in (0x08, 0x18):
            framing, key_length = key_length >> 8, key_length & 0xFF
            row["framing_extras_length"] = framing
            row["frame_infos"] = _frame_infos(data[start : start + framing], magic)
        row["key_length"] = key_length
        key = start + framing + extras_length
        extras, value = data[start + framing : key], data[key + key_length : end]
        if magic in (0x80, 0x08):
            row["vbucket"] = status
        else:
            row |= {"status": status, "status_name": STATUS.get(status)}
        READERS.get((magic in (0x81, 0x18), opcode), _unknown)(row, extras, data[key : key + key_length], value)
        rows.append(row)
        at = end
    return rows


STATUS = {0: "Success", 1: "KeyEnoent", 4: "Einval", 7: "NotMyVbucket", 0x22: "Erange", 0x82: "Enomem"}
STATUS |= {0x21: "AuthContinue", 0x23: "Rollback"}
EVENT = {0: "BeginCollection", 1: "EndCollection", 3: "CreateScope", 4: "DropScope", 5: "ModifyCollection"}
_DATATYPE = ((1, "JSON"), (2, "Snappy"), (4, "Xattr"))
_SNAPSHOT = ((1, "Memory"), (2, "Disk"), (4, "Checkpoint"), (8, "Acknowledge"), (16, "History"))
_SNAPSHOT_TYPE = (*_SNAPSHOT, (32, "MayContainDuplicates"))


def _flags(number: int, names: tuple[tuple[int, str], ...]) -> list[str]:
    return [name for bit, name in names if number & bit]


def _frame_infos(data: bytes, magic: int) -> list[Row]:
    found, at = [], 0
    while at < len(data):
        kind, size = data[at] >> 4, data[at] & 15
        name = "stream_id" if magic == 0x08 else "server_duration"
        number = int.from_bytes(data[at + 1 : at + 1 + size], "big")
        found.append({"id_nibble": kind, "length_nibble": size, "id": kind, name: number})
        at += 1 + size
    return found


def _marker(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "snapshot_marker"
    if len(extras) == 20:
        row["variant"] = "v1"
        row["start_seqno"], row["end_seqno"], kind = _SEQNOS_AND_TYPE.unpack(extras)
    else:
        version = extras[0]
        row |= {"variant": f"v2_{version}", "version": version}
        row["start_seqno"], row["end_seqno"], kind, visible, completed = _V2_0.unpack_from(value)
        row |= {"max_visible_seqno": visible, "high_completed_seqno": completed}
        if version == 1:
            row["timestamp"] = int.from_bytes(value[36:], "big")
        elif version == 2:
            row["purge_seqno"] = int.from_bytes(value[36:44], "big")
            row["high_prepared_seqno"] = int.from_bytes(value[44:], "big") if len(value) > 44 else None
    row |= {"snapshot_type": kind, "snapshot_type_flags": _flags(kind, _SNAPSHOT_TYPE)}


def _system_event(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    by_seqno, event, version = _EVENT.unpack(extras)
    row |= {"message": "system_event", "by_seqno": by_seqno, "event": event, "event_name": EVENT.get(event)}
    row |= {"version": version, "version_name": f"version{version}", "key": key.decode()}
    if version == 2:
        column, table = TABLES[event]
        row |= {"variant": f"{column}_flatbuffer", "value_flatbuffer": value, column: flatbuffer(value, table)}
        return
    row["variant"] = _VARIANTS[event, version]
    row["manifest_uid"], row["scope_id"] = _MANIFEST.unpack_from(value)
    if event < 2:
        row["collection_id"] = int.from_bytes(value[12:16], "big")
    if version == 1:
        row["max_ttl"] = int.from_bytes(value[16:20], "big")


_VARIANTS = {
    (0, 0): "create_collection_v0",
    (0, 1): "create_collection_v1",
    (1, 0): "drop_collection_v0",
    (3, 0): "create_scope_v0",
    (4, 0): "drop_scope_v0",
}
_SCOPE = (("uid", "<Q", 0), ("scopeId", "<I", 0))
_DROPPED = (*_SCOPE, ("collectionId", "<I", 0), ("systemCollection", "<?", False))
_TTL = (("ttlValid", "<?", False), ("maxTtl", "<I", 0), ("name", "text", None), ("history", "<?", False))
_LATER = (("defaultCollectionMVS", "<Q", 0), ("metered", "<?", False), ("flushUid", "<Q", 0))
_COLLECTION = (*_SCOPE, ("collectionId", "<I", 0), *_TTL, *_LATER)
TABLES = {
    0: ("collection", _COLLECTION),
    1: ("dropped_collection", _DROPPED),
    3: ("scope", (*_SCOPE, ("name", "text", None))),
    4: ("dropped_scope", (*_SCOPE, ("systemScope", "<?", False))),
    5: ("collection", _COLLECTION),
}
"""For each event, the column of its FlatBuffers table, and the fields of that in the order of their slots."""


def flatbuffer(data: bytes, fields: tuple[tuple[str, str, Any], ...]) -> Row:
    """A table's values. It is read as it says, without a look at whether its offsets stay inside."""
    (table,) = struct.unpack_from("<I", data)
    vtable = table - struct.unpack_from("<i", data, table)[0]
    (vtable_size,) = struct.unpack_from("<H", data, vtable)
    values = {}
    for slot, (name, kind, default) in enumerate(fields):
        place = 4 + 2 * slot
        at = struct.unpack_from("<H", data, vtable + place)[0] if place < vtable_size else 0
        if not at:
            values[name] = default
        elif kind == "text":
            start = table + at + struct.unpack_from("<I", data, table + at)[0]
            (size,) = struct.unpack_from("<I", data, start)
            values[name] = data[start + 4 : start + 4 + size].decode()
        else:
            (values[name],) = struct.unpack_from(kind, data, table + at)
    return values


def _log_request(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "failover_log_request"


def _log_response(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "failover_log_response"
    if row["status"] == 0:
        entries = [{"vb_uuid": uuid, "vb_seqno": seqno} for uuid, seqno in _ENTRY.iter_unpack(value)]
        row |= {"variant": "success", "entries": entries}
    else:
        failure(row, value)


def failure(row: Row, value: bytes) -> None:
    if row["status"] == 7:
        row |= {"variant": "not_my_vbucket", "cluster_map": value.decode()}
    else:
        row |= {"variant": "error", "error": value.decode()}


def _marker_response(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row |= {"message": "snapshot_marker_response", "variant": "acknowledgement"}
    if row["status"]:
        failure(row, value)


def _event_response(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row |= {"message": "system_event_response", "variant": "acknowledgement"}
    if row["status"]:
        failure(row, value)


def _unknown(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row |= {"extras": extras, "key": key, "value": value}


READERS: dict[tuple[bool, int], Reader] = {
    (False, 0x54): _log_request,
    (False, 0x56): _marker,
    (False, 0x5F): _system_event,
    (True, 0x54): _log_response,
    (True, 0x56): _marker_response,
    (True, 0x5F): _event_response,
}
"""By whether it is a response, and by opcode. ``documents_by_struct`` has more of them."""
