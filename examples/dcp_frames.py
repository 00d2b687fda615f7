"""The frames of DCP connections, packed by hand with ``struct``: nothing of the specs or of what is generated is used.

``dcp_session.py`` makes sessions of them. A test holds them against what the builders make of the same values.
"""

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

REQUEST, RESPONSE = 0x80, 0x81
ALT_REQUEST, ALT_RESPONSE = 0x08, 0x18
JSON, SNAPPY, XATTR = 1, 2, 4
SUCCESS, EINVAL, NOT_MY_VBUCKET, AUTH_CONTINUE, ROLLBACK = 0, 4, 7, 0x21, 0x23
MEMORY, DISK, CHECKPOINT, ACKNOWLEDGE = 1, 2, 4, 8
BEGIN_COLLECTION, END_COLLECTION, CREATE_SCOPE, DROP_SCOPE, MODIFY_COLLECTION = 0, 1, 3, 4, 5

_HEADER = Struct(">BBHBBHIIQ")
_STREAM_ID = Struct(">BH")
_MUTATION = Struct(">QQIIIHB")
_PREPARE = Struct(">QQIIIBBB")
_DELETION_V1 = Struct(">QQH")
_DELETION_V2 = Struct(">QQIB")
_EXPIRATION = Struct(">QQI")
_TWO_SEQNOS = Struct(">QQ")
_SEQNO = Struct(">Q")
_NUMBER = Struct(">I")
_MARKER = Struct(">QQI")
_MARKER_V2_0 = Struct(">QQIQQ")
_MARKER_V2_2 = Struct(">QQIQQQQ")
_EVENT = Struct(">QIB")
_STREAM_REQ = Struct(">IIQQQQQ")
_VBUCKET_SEQNO = Struct(">HQ")


class Frame(NamedTuple):
    """A frame, and what the specs call its message."""

    message: str
    data: bytes

    def of_stream(self, opaque: int) -> "Frame":
        """The same frame in another stream."""
        return Frame(self.message, self.data[:12] + _NUMBER.pack(opaque) + self.data[16:])


class Stream(NamedTuple):
    """What all frames of a stream have in common. An id of 0 is none."""

    vbucket: int
    opaque: int
    id: int = 0


class Write(NamedTuple):
    """A document as it is sent. ``key`` begins with its collection."""

    seqno: int
    rev: int
    cas: int
    key: bytes
    value: bytes = b""
    datatype: int = 0
    flags: int = 0
    expiration: int = 0


def leb128(number: int) -> bytes:
    """An unsigned number in groups of seven bits, the lowest first."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def xattrs(pairs: Iterable[tuple[str, str]]) -> bytes:
    """The section of extended attributes, before a document."""
    packed = b""
    for key, value in pairs:
        pair = key.encode() + b"\0" + value.encode() + b"\0"
        packed += _NUMBER.pack(len(pair)) + pair
    return _NUMBER.pack(len(packed)) + packed


def request(
    message: str,
    opcode: int,
    stream: Stream,
    extras: bytes = b"",
    key: bytes = b"",
    value: bytes = b"",
    *,
    datatype: int = 0,
    cas: int = 0,
) -> Frame:
    """Any request."""
    vbucket, opaque, stream_id = stream
    size = len(extras) + len(key) + len(value)
    if not stream_id:
        header = _HEADER.pack(REQUEST, opcode, len(key), len(extras), datatype, vbucket, size, opaque, cas)
        return Frame(message, header + extras + key + value)
    framing = _STREAM_ID.pack(0x22, stream_id)
    lengths, size = len(framing) << 8 | len(key), size + len(framing)
    header = _HEADER.pack(ALT_REQUEST, opcode, lengths, len(extras), datatype, vbucket, size, opaque, cas)
    return Frame(message, header + framing + extras + key + value)


def response(
    message: str,
    opcode: int,
    opaque: int,
    value: bytes = b"",
    *,
    status: int = SUCCESS,
    datatype: int = 0,
    duration: int | None = None,
) -> Frame:
    """Any response, with how long the server took where tracing is agreed on."""
    if duration is None:
        header = _HEADER.pack(RESPONSE, opcode, 0, 0, datatype, status, len(value), opaque, 0)
        return Frame(message, header + value)
    framing = _STREAM_ID.pack(0x02, duration)
    header = _HEADER.pack(ALT_RESPONSE, opcode, 3 << 8, 0, datatype, status, 3 + len(value), opaque, 0)
    return Frame(message, header + framing + value)


def mutation(stream: Stream, write: Write) -> Frame:
    """A document was written."""
    extras = _MUTATION.pack(write.seqno, write.rev, write.flags, write.expiration, 0, 0, 2)
    return _document("mutation", 0x57, stream, write, extras)


def deletion(stream: Stream, write: Write, time: int | None) -> Frame:
    """A document was deleted, with the time on connections that want it: version 1 or 2."""
    if time is None:
        return _document("deletion", 0x58, stream, write, _DELETION_V1.pack(write.seqno, write.rev, 0))
    return _document("deletion", 0x58, stream, write, _DELETION_V2.pack(write.seqno, write.rev, time, 0))


def expiration(stream: Stream, write: Write, time: int) -> Frame:
    """A document expired."""
    return _document("expiration", 0x59, stream, write, _EXPIRATION.pack(write.seqno, write.rev, time))


def prepare(stream: Stream, write: Write, *, deleted: bool, level: int) -> Frame:
    """A durable write, or a durable deletion, that does not count yet."""
    extras = _PREPARE.pack(write.seqno, write.rev, write.flags, write.expiration, 0, 2, deleted, level)
    return _document("prepare", 0x60, stream, write, extras)


def _document(message: str, opcode: int, stream: Stream, write: Write, extras: bytes) -> Frame:
    return request(message, opcode, stream, extras, write.key, write.value, datatype=write.datatype, cas=write.cas)


def commit(stream: Stream, key: bytes, prepared: int, seqno: int) -> Frame:
    """A durable write counts."""
    return request("commit", 0x62, stream, _TWO_SEQNOS.pack(prepared, seqno), key)


def abort(stream: Stream, key: bytes, prepared: int, seqno: int) -> Frame:
    """A durable write does not count."""
    return request("abort", 0x63, stream, _TWO_SEQNOS.pack(prepared, seqno), key)


def seqno_acknowledged(stream: Stream, prepared: int) -> Frame:
    """A replica has what was prepared up to a seqno."""
    return request("seqno_acknowledged", 0x61, stream, _SEQNO.pack(prepared))


def marker_v1(stream: Stream, start: int, end: int, kind: int) -> Frame:
    """A snapshot begins: version 1."""
    return request("snapshot_marker", 0x56, stream, _MARKER.pack(start, end, kind))


def marker_v2_0(stream: Stream, start: int, end: int, kind: int) -> Frame:
    """A snapshot begins: version 2.0, for who takes durable writes."""
    return request("snapshot_marker", 0x56, stream, b"\0", value=_MARKER_V2_0.pack(start, end, kind, end, 0))


def marker_v2_2(stream: Stream, start: int, end: int, kind: int) -> Frame:
    """A snapshot begins: version 2.2, for those from disk."""
    value = _MARKER_V2_2.pack(start, end, kind, end, 0, 0, 0)
    return request("snapshot_marker", 0x56, stream, b"\2", value=value)


def system_event(stream: Stream, seqno: int, event: int, version: int, key: str, value: bytes) -> Frame:
    """A collection or a scope came, changed or went."""
    return request("system_event", 0x5F, stream, _EVENT.pack(seqno, event, version), key.encode(), value)


def stream_req(stream: Stream, start: int, uuid: int, snapshot: tuple[int, int], filter_: str = "") -> Frame:
    """The consumer requests everything after ``start``. The stream's id, if any, is in the filter."""
    extras = _STREAM_REQ.pack(0, 0, start, 2**64 - 1, uuid, *snapshot)
    return request("stream_req", 0x53, stream._replace(id=0), extras, value=filter_.encode())


def failover_log(entries: Iterable[tuple[int, int]]) -> bytes:
    """Branches and the seqnos at which they began, newest first, as responses have them."""
    return b"".join(_TWO_SEQNOS.pack(*entry) for entry in entries)


def seqnos(found: Iterable[tuple[int, int]]) -> bytes:
    """Vbuckets and their seqnos, as the response has them."""
    return b"".join(_VBUCKET_SEQNO.pack(*each) for each in found)


def stream_end(stream: Stream, status: int) -> Frame:
    """The producer has ended a stream."""
    return request("stream_end", 0x55, stream, _NUMBER.pack(status))


def oso_snapshot(stream: Stream, flags: int) -> Frame:
    """A snapshot without an order begins (1) or ends (2)."""
    return request("oso_snapshot", 0x65, stream, _NUMBER.pack(flags))


def seqno_advanced(stream: Stream, seqno: int) -> Frame:
    """The seqno moves past what the stream does not show."""
    return request("seqno_advanced", 0x64, stream, _SEQNO.pack(seqno))


def set_vbucket_state(stream: Stream, state: int) -> Frame:
    """A vbucket is taken over."""
    return request("set_vbucket_state", 0x5B, stream, bytes([state]))


def buffer_acknowledgement(opaque: int, size: int) -> Frame:
    """The consumer has so many bytes."""
    return request("buffer_acknowledgement", 0x5D, Stream(0, opaque), _NUMBER.pack(size))
