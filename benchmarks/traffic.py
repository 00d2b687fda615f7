"""Mixed traffic of Couchbase DCP as rows to build: every message, layout and version that its spec describes.

Of a hundred frames some thirty are snapshot markers, forty system events, half of these with FlatBuffers, fifteen
failover logs, ten answers, and five are of messages that the spec does not describe. One in ten has a framing extra.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

Row = dict[str, Any]

_OPCODES = {
    "failover_log_request": 0x54,
    "failover_log_response": 0x54,
    "snapshot_marker": 0x56,
    "snapshot_marker_response": 0x56,
    "system_event": 0x5F,
    "system_event_response": 0x5F,
    "unknown": 0xB6,
}


def rows(chance: random.Random, count: int) -> Iterator[Row]:
    """So many rows."""
    kinds = chance.choices(list(_KINDS), list(_KINDS.values()), k=count)
    for seqno, kind in enumerate(kinds, start=1):
        yield kind(chance, seqno)


def markers(chance: random.Random, count: int) -> Iterator[Row]:
    """So many snapshot markers."""
    return (_marker(chance, seqno) for seqno in range(1, count + 1))


def _request(chance: random.Random, message: str, fields: Row, **header: int) -> Row:
    common = {"vbucket": chance.randrange(1024), "opaque": chance.getrandbits(32), "cas": 0, "datatype": 0}
    magic: Row = {"magic": 0x80}
    if chance.random() < 0.1:
        magic = {"magic": 0x08, "frame_infos": [{"id": 2, "stream_id": chance.randint(1, 65535)}]}
    return {"message": message, **magic, "opcode": _OPCODES[message], **common, **header, message: fields}


def _response(chance: random.Random, message: str, status: int, fields: Row) -> Row:
    common = {"status": status, "opaque": chance.getrandbits(32), "cas": 0, "datatype": int(status in (4, 7))}
    magic: Row = {"magic": 0x81}
    if chance.random() < 0.1:
        magic = {"magic": 0x18, "frame_infos": [{"id": 0, "server_duration": chance.getrandbits(16)}]}
    return {"message": message, **magic, "opcode": _OPCODES[message], **common, message: fields}


def _marker(chance: random.Random, seqno: int) -> Row:
    variant = chance.choice(["v1", "v1", "v2_0", "v2_0", "v2_1", "v2_2", "v2_2", "v2_2"])
    fields: Row = {"variant": variant, "start_seqno": seqno, "end_seqno": seqno + chance.randrange(1000)}
    fields["snapshot_type"] = chance.choice([0x01, 0x02, 0x05, 0x06, 0x09, 0x12, 0x3F])
    if variant != "v1":
        fields |= {"version": int(variant[-1]), "max_visible_seqno": seqno, "high_completed_seqno": seqno // 2}
    if variant == "v2_1":
        fields["timestamp"] = chance.getrandbits(64)
    if variant == "v2_2":
        fields["purge_seqno"] = chance.randrange(seqno)
        fields |= {"high_prepared_seqno": seqno // 2} if chance.random() < 0.9 else {}
    return _request(chance, "snapshot_marker", fields)


def _system_event(chance: random.Random, seqno: int) -> Row:
    variant, event, version = chance.choice(_PLAIN)
    fields: Row = {"variant": variant, "by_seqno": seqno, "event": event, "version": version}
    fields["key"] = _name(chance) if variant.startswith("create") else ""
    fields |= {"manifest_uid": chance.getrandbits(63), "scope_id": chance.getrandbits(16)}
    if "collection" in variant:
        fields["collection_id"] = chance.getrandbits(20)
    if variant == "create_collection_v1":
        fields["max_ttl"] = 72_000
    return _request(chance, "system_event", fields)


_PLAIN = (
    ("create_collection_v0", 0, 0),
    ("create_collection_v1", 0, 1),
    ("drop_collection_v0", 1, 0),
    ("create_scope_v0", 3, 0),
    ("drop_scope_v0", 4, 0),
)


def _flatbuffer_event(chance: random.Random, seqno: int) -> Row:
    variant, event = chance.choice(_FLATBUFFERS)
    fields: Row = {"variant": variant, "by_seqno": seqno, "event": event, "version": 2}
    name = "" if variant.startswith("dropped") else _name(chance)
    table: Row = {"uid": chance.getrandbits(63), "scopeId": chance.getrandbits(16)}
    if "collection" in variant:
        table["collectionId"] = chance.getrandbits(20)
    if variant == "collection_flatbuffer":
        table |= {"ttlValid": True, "maxTtl": chance.getrandbits(16), "name": name, "history": chance.random() < 0.5}
        table |= {"defaultCollectionMVS": chance.getrandbits(32), "metered": False, "flushUid": chance.randrange(9)}
    elif variant == "dropped_collection_flatbuffer":
        table["systemCollection"] = False
    elif variant == "scope_flatbuffer":
        table["name"] = name
    else:
        table["systemScope"] = True
    fields |= {"key": name, variant.removesuffix("_flatbuffer"): table}
    return _request(chance, "system_event", fields)


_FLATBUFFERS = (
    ("collection_flatbuffer", 0),
    ("collection_flatbuffer", 5),
    ("dropped_collection_flatbuffer", 1),
    ("scope_flatbuffer", 3),
    ("dropped_scope_flatbuffer", 4),
)


def _name(chance: random.Random) -> str:
    return f"c{chance.getrandbits(60):018d}"[: chance.randint(3, 19)]


def _log_request(chance: random.Random, _: int) -> Row:
    return _request(chance, "failover_log_request", {})


def _log_response(chance: random.Random, seqno: int) -> Row:
    if chance.random() < 0.2:
        return _failure(chance, "failover_log_response")
    entries = [{"vb_uuid": chance.getrandbits(48), "vb_seqno": seqno} for _ in range(chance.randrange(5))]
    return _response(chance, "failover_log_response", 0, {"variant": "success", "entries": entries})


def _answer(chance: random.Random, _: int) -> Row:
    message = chance.choice(["snapshot_marker_response", "system_event_response"])
    if chance.random() < 0.5:
        return _failure(chance, message)
    return _response(chance, message, 0, {"variant": "acknowledgement"})


def _failure(chance: random.Random, message: str) -> Row:
    if chance.random() < 0.5:
        cluster_map = f'{{"rev":{chance.getrandbits(200)}}}'
        return _response(chance, message, 7, {"variant": "not_my_vbucket", "cluster_map": cluster_map})
    status, error = chance.choice([(0x22, ""), (4, '{"error":{"context":"Request must not include key"}}')])
    return _response(chance, message, status, {"variant": "error", "error": error})


def _unknown(chance: random.Random, seqno: int) -> Row:
    if chance.random() < 0.2:
        return _request(chance, "unknown", {"extras": b"", "key": b"", "value": b""}, opcode=0xF3)
    fields = {"extras": seqno.to_bytes(8, "big") + bytes(23), "key": _name(chance).encode()}
    return _request(chance, "unknown", {**fields, "value": chance.randbytes(chance.randrange(100))})


_KINDS: dict[Callable[[random.Random, int], Row], int] = {
    _marker: 30,
    _system_event: 20,
    _flatbuffer_event: 20,
    _log_request: 5,
    _log_response: 10,
    _answer: 10,
    _unknown: 5,
}
"""What there is, and how often."""
