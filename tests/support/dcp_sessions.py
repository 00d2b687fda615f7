"""Sessions of DCP made of short events, as tables of decoded frames."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from wireloom_protocols import couchbase_dcp

Frame = dict[str, Any]

FLEXIBLE = 0x08


def frame(message: str, fields: dict[str, Any] | None = None, **header: Any) -> Frame:
    """A frame to build: the header's fields, and the message's own."""
    return {"message": message, **header, message: fields or {}}


def request(vbucket: int, start: int = 0, uuid: int = 0, opaque: int | None = None, **more: Any) -> Frame:
    """A stream request, from a seqno that is a snapshot's end unless told."""
    fields = {"start_seqno": start, "end_seqno": 2**64 - 1, "vb_uuid": uuid, "flags": 0, "filter": ""}
    fields |= {"snap_start_seqno": start, "snap_end_seqno": start} | more
    return frame("stream_req", fields, vbucket=vbucket, opaque=vbucket if opaque is None else opaque)


def log_of(*entries: tuple[int, int]) -> list[dict[str, int]]:
    """A failover log of pairs, newest first: the uuid of a branch, and the seqno it began at."""
    return [{"vb_uuid": uuid, "vb_seqno": seqno} for uuid, seqno in entries]


def begins(opaque: int, *entries: tuple[int, int]) -> Frame:
    """The response that begins a stream."""
    return frame("stream_req_response", {"variant": "success", "entries": log_of(*entries)}, status=0, opaque=opaque)


def rolls_back(opaque: int, seqno: int) -> Frame:
    """The response that sends a consumer back."""
    return frame("stream_req_response", {"variant": "rollback", "rollback_seqno": seqno}, status=0x23, opaque=opaque)


def stream(vbucket: int, start: int, *log: tuple[int, int], **more: Any) -> Iterator[Frame]:
    """A stream that begins as it was asked for."""
    yield request(vbucket, start, log[0][0], **more)
    yield begins(more.get("opaque", vbucket), *log)


def marker(vbucket: int, start: int, end: int, kind: int = 1, **header: Any) -> Frame:
    fields = {"variant": "v1", "start_seqno": start, "end_seqno": end, "snapshot_type": kind}
    return frame("snapshot_marker", fields, vbucket=vbucket, **header)


def mutation(vbucket: int, seqno: int, key: str, body: str = "", collection: int = 0, **header: Any) -> Frame:
    fields = {"by_seqno": seqno, "rev_seqno": 1, "flags": 0, "expiration": 0, "collection_id": collection}
    header = {"datatype": 1, "cas": 1000 + seqno, **header}
    return frame("mutation", {**fields, "document_key": key, "json": f'"{body}"'}, vbucket=vbucket, **header)


def deletion(vbucket: int, seqno: int, key: str, collection: int = 0, **header: Any) -> Frame:
    fields = {"variant": "v2", "by_seqno": seqno, "rev_seqno": 2, "delete_time": 60, "collection_id": collection}
    fields |= {"document_key": key, "body": b""}
    return frame("deletion", fields, vbucket=vbucket, cas=1000 + seqno, **header)


def expiration(vbucket: int, seqno: int, key: str, collection: int = 0) -> Frame:
    fields = {"by_seqno": seqno, "rev_seqno": 2, "delete_time": 60, "collection_id": collection}
    return frame("expiration", {**fields, "document_key": key, "body": b""}, vbucket=vbucket, cas=1000 + seqno)


def prepare(vbucket: int, seqno: int, key: str, body: str = "", *, deleted: bool = False, collection: int = 0) -> Frame:
    fields = {"by_seqno": seqno, "rev_seqno": 1, "flags": 0, "expiration": 0, "collection_id": collection}
    fields |= {"nru": 0, "deleted": deleted, "durability_level": 1, "document_key": key}
    fields |= {"body": b""} if deleted else {"json": f'"{body}"'}
    return frame("prepare", fields, vbucket=vbucket, cas=1000 + seqno, datatype=0 if deleted else 1)


def ended(message: str, vbucket: int, prepared: int, seqno: int, key: str, collection: int = 0) -> Frame:
    """What ends a prepare: a ``commit`` or an ``abort``."""
    fields = {"prepared_seqno": prepared, f"{message}_seqno": seqno, "document_key": key, "collection_id": collection}
    return frame(message, fields, vbucket=vbucket)


def dropped(vbucket: int, seqno: int, collection: int, version: int = 0) -> Frame:
    fields: Frame = {"by_seqno": seqno, "event": 1, "version": version, "key": ""}
    ids = {"scope_id": 0, "collection_id": collection, "manifest_uid": 5}
    table = {"dropped_collection": {"uid": 5, "scopeId": 0, "collectionId": collection}}
    return frame("system_event", fields | (table if version == 2 else ids), vbucket=vbucket)


def created(vbucket: int, seqno: int, collection: int, *, event: int = 0, flush_uid: int = 0) -> Frame:
    """A collection created, flushed or (event 5) modified."""
    table = {"uid": 5, "scopeId": 0, "collectionId": collection, "name": "c", "flushUid": flush_uid}
    fields = {"by_seqno": seqno, "event": event, "version": 2, "key": "c", "collection": table}
    return frame("system_event", fields, vbucket=vbucket)


def of_stream(stream_id: int, frames: Iterable[Frame]) -> Iterator[Frame]:
    """The frames with a stream id among their framing extras."""
    for each in frames:
        yield {**each, "magic": FLEXIBLE, "frame_infos": [{"id": 2, "stream_id": stream_id}]}


def decoded(frames: Iterable[Frame], **options: Any) -> pa.Table:
    """The frames built and decoded."""
    return couchbase_dcp.decode_columnar(b"".join(map(couchbase_dcp.build, frames)), **options)


def in_pieces(table: pa.Table, size: int) -> list[pa.RecordBatch]:
    """The table in batches of a few rows, as several files give it."""
    return [table.slice(at, size).combine_chunks().to_batches()[0] for at in range(0, table.num_rows, size)]
