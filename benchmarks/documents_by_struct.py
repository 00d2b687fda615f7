"""What ``by_struct`` lacks for a session of DCP, written by hand as well: documents, durable writes, the connection."""

import struct
from datetime import UTC, datetime

import by_struct
import cramjam
from by_struct import READERS, Row, failure

_MUTATION = struct.Struct(">QQIIIHB")
_PREPARE = struct.Struct(">QQIIIBBB")
_DELETION_V1 = struct.Struct(">QQH")
_DELETION_V2 = struct.Struct(">QQIB")
_EXPIRATION = struct.Struct(">QQI")
_STREAM_REQ = struct.Struct(">IIQQQQQ")
_TWO = struct.Struct(">QQ")
_SEQNO = struct.Struct(">HQ")
_NUMBER = struct.Struct(">I")


def session(data: bytes) -> list[Row]:
    """All frames of a session."""
    return by_struct.mixed(data)


def _document(row: Row, key: bytes, value: bytes) -> None:
    """The key with its collection, and what the value is made of."""
    number, shift, at = 0, 0, 0
    while key[at] & 0x80:
        number |= (key[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    row["collection_id"] = number | key[at] << shift
    row["document_key"] = key[at + 1 :].decode()
    datatype = row["datatype"]
    if datatype & 2:
        row["document_snappy"] = value
        value = bytes(cramjam.snappy.decompress_raw(value))
    if datatype & 4 and value:
        (length,) = _NUMBER.unpack_from(value)
        pairs, at = [], 4
        while at < 4 + length:
            (size,) = _NUMBER.unpack_from(value, at)
            name, text, _ = value[at + 4 : at + 4 + size].split(b"\0")
            pairs.append({"length": size, "key": name.decode(), "value": text.decode()})
            at += 4 + size
        row["xattrs"] = {"length": length, "pairs": pairs}
        value = value[at:]
    if datatype & 1:
        row["json"] = value.decode()
    else:
        row["body"] = value


def _time(seconds: int) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


def _mutation(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    seqno, rev, flags, expiration, lock_time, nmeta, nru = _MUTATION.unpack(extras)
    row |= {"message": "mutation", "by_seqno": seqno, "rev_seqno": rev, "flags": flags, "expiration": expiration}
    row |= {"expires_at": _time(expiration), "lock_time": lock_time, "nmeta": nmeta, "nru": nru}
    _document(row, key, value)


def _prepare(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    seqno, rev, flags, expiration, lock_time, nru, deleted, level = _PREPARE.unpack(extras)
    row |= {"message": "prepare", "by_seqno": seqno, "rev_seqno": rev, "flags": flags, "expiration": expiration}
    row |= {"expires_at": _time(expiration), "lock_time": lock_time, "nru": nru}
    row |= {"deleted": bool(deleted), "durability_level": level}
    _document(row, key, value)


def _deletion(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "deletion"
    if len(extras) == 18:
        row["variant"] = "v1"
        row["by_seqno"], row["rev_seqno"], row["nmeta"] = _DELETION_V1.unpack(extras)
    else:
        row["variant"] = "v2"
        row["by_seqno"], row["rev_seqno"], row["delete_time"], row["unused"] = _DELETION_V2.unpack(extras)
        row["deleted_at"] = _time(row["delete_time"])
    _document(row, key, value)


def _expiration(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "expiration"
    row["by_seqno"], row["rev_seqno"], row["delete_time"] = _EXPIRATION.unpack(extras)
    row["deleted_at"] = _time(row["delete_time"])
    _document(row, key, value)


def _commit(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "commit"
    row["prepared_seqno"], row["commit_seqno"] = _TWO.unpack(extras)
    _key(row, key)


def _abort(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "abort"
    row["prepared_seqno"], row["abort_seqno"] = _TWO.unpack(extras)
    _key(row, key)


def _key(row: Row, key: bytes) -> None:
    _document(row, key, b"")
    del row["body"]


def _stream_req(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    flags, reserved, start, end, uuid, snap_start, snap_end = _STREAM_REQ.unpack(extras)
    row |= {"message": "stream_req", "flags": flags, "reserved": reserved, "start_seqno": start, "end_seqno": end}
    row |= {"vb_uuid": uuid, "snap_start_seqno": snap_start, "snap_end_seqno": snap_end, "filter": value.decode()}


def _stream_req_response(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["message"] = "stream_req_response"
    match row["status"]:
        case 0:
            entries = [{"vb_uuid": uuid, "vb_seqno": seqno} for uuid, seqno in _TWO.iter_unpack(value)]
            row |= {"variant": "success", "entries": entries}
        case 0x23:
            row |= {"variant": "rollback", "rollback_seqno": int.from_bytes(value, "big")}
        case _:
            failure(row, value)


def _number(message: str, field: str) -> by_struct.Reader:
    """Reads a message that is one number in the extras."""

    def read(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
        row["message"] = message
        row[field] = int.from_bytes(extras, "big")

    return read


def _texts(message: str, of_key: str = "", of_value: str = "") -> by_struct.Reader:
    """Reads a message that is a text in the key, or one in the value, or both."""

    def read(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
        row["message"] = message
        if of_key:
            row[of_key] = key.decode()
        if of_value:
            row[of_value] = value.decode()

    return read


def _answered(message: str, of_value: str = "") -> by_struct.Reader:
    """Reads a response that is bytes if all is well."""

    def read(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
        row["message"] = message
        if row["status"] in (0, 0x21):
            row["variant"] = "success" if of_value else "acknowledgement"
            row |= {of_value: value} if of_value else {}
        else:
            failure(row, value)

    return read


def _features(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row["features"] = [{"feature": number} for (number,) in struct.iter_unpack(">H", value)]
    if "status" in row:
        row |= {"message": "hello_response", "variant": "success"}
    else:
        row |= {"message": "hello", "agent": key.decode()}


def _error_map(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row |= {"message": "get_error_map", "version": int.from_bytes(value, "big")}


def _seqnos(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    found = [{"vbucket": vbucket, "seqno": seqno} for vbucket, seqno in _SEQNO.iter_unpack(value)]
    row |= {"message": "get_all_vb_seqnos_response", "variant": "success", "seqnos": found}


def _open(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row |= {"message": "open_connection", "flags": int.from_bytes(extras, "big"), "connection_name": key.decode()}


def _sasl(row: Row, extras: bytes, key: bytes, value: bytes) -> None:
    row |= {"message": "sasl_auth", "mechanism": key.decode(), "challenge": value}


READERS.update(
    {
        (False, 0x57): _mutation,
        (False, 0x58): _deletion,
        (False, 0x59): _expiration,
        (False, 0x60): _prepare,
        (False, 0x61): _number("seqno_acknowledged", "prepared_seqno"),
        (False, 0x62): _commit,
        (False, 0x63): _abort,
        (False, 0x64): _number("seqno_advanced", "by_seqno"),
        (False, 0x65): _number("oso_snapshot", "flags"),
        (False, 0x52): _texts("close_stream"),
        (False, 0x53): _stream_req,
        (True, 0x53): _stream_req_response,
        (False, 0x55): _number("stream_end", "end_status"),
        (False, 0x5B): _number("set_vbucket_state", "state"),
        (False, 0x5C): _texts("dcp_noop"),
        (False, 0x5D): _number("buffer_acknowledgement", "buffer_bytes"),
        (False, 0x5E): _texts("control", "property", "setting"),
        (False, 0x50): _open,
        (False, 0x1F): _features,
        (True, 0x1F): _features,
        (False, 0x20): _texts("sasl_list_mechs"),
        (True, 0x20): _answered("sasl_list_mechs_response", "mechanisms"),
        (False, 0x21): _sasl,
        (False, 0x22): _sasl,
        (True, 0x21): _answered("sasl_auth_response", "challenge"),
        (True, 0x22): _answered("sasl_auth_response", "challenge"),
        (False, 0x89): _texts("select_bucket", "bucket"),
        (False, 0xFE): _error_map,
        (True, 0xFE): _answered("get_error_map_response", "error_map"),
        (False, 0x48): _number("get_all_vb_seqnos", "state"),
        (True, 0x48): _seqnos,
        **{(True, opcode): _answered("response") for opcode in (0x50, 0x52, 0x5B, 0x5C, 0x5E, 0x89)},
    }
)
