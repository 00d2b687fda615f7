"""Couchbase DCP against the vectors: frames of the documents, and frames laid out from the server's own code.

What a frame must decode to is said by ``code_decodes_as`` where the document is wrong, else by ``expected``. Header
fields that a vector does not list are read from its bytes by hand.
"""

import struct
from typing import Any

import pytest
from support import vectors
from support.cases import each
from support.vectors import Vector, data_of

from protocols.frame_bytes import REQUESTS, SERVER, header, sections
from wireloom.codec import Column
from wireloom_protocols import couchbase_dcp

MESSAGES = {
    0x00: ("get", "get_response"),
    0x02: ("set", "response"),
    0x04: ("delete", "response"),
    0x05: ("increment", "increment_response"),
    0x07: ("quit", "response"),
    0x0A: ("noop", "response"),
    0x0B: ("server_version", "server_version_response"),
    0x0E: ("append", "response"),
    0x10: ("stat", "stat_response"),
    0x1F: ("hello", "hello_response"),
    0x20: ("sasl_list_mechs", "sasl_list_mechs_response"),
    0x21: ("sasl_auth", "sasl_auth_response"),
    0x22: ("sasl_auth", "sasl_auth_response"),
    0x48: ("get_all_vb_seqnos", "get_all_vb_seqnos_response"),
    0x50: ("open_connection", "response"),
    0x51: ("add_stream", "add_stream_response"),
    0x52: ("close_stream", "response"),
    0x53: ("stream_req", "stream_req_response"),
    0x54: ("failover_log_request", "failover_log_response"),
    0x55: ("stream_end", "response"),
    0x56: ("snapshot_marker", "snapshot_marker_response"),
    0x57: ("mutation", "response"),
    0x58: ("deletion", "response"),
    0x59: ("expiration", "response"),
    0x5A: ("flush", "response"),
    0x5B: ("set_vbucket_state", "response"),
    0x5C: ("dcp_noop", "response"),
    0x5D: ("buffer_acknowledgement", "response"),
    0x5E: ("control", "response"),
    0x5F: ("system_event", "system_event_response"),
    0x60: ("prepare", "response"),
    0x61: ("seqno_acknowledged", "response"),
    0x62: ("commit", "response"),
    0x63: ("abort", "response"),
    0x64: ("seqno_advanced", "response"),
    0x65: ("oso_snapshot", "response"),
    0x66: ("cache_transfer", "response"),
    0x67: ("cache_transfer_end", "response"),
    0x87: ("list_buckets", "list_buckets_response"),
    0x89: ("select_bucket", "response"),
    0x96: ("failover_log_request", "failover_log_response"),
    0xA0: ("get_meta", "get_meta_response"),
    0xA2: ("set_with_meta", "response"),
    0xA8: ("set_with_meta", "response"),
    0xB2: ("return_meta", "return_meta_response"),
    0xB7: ("seqno_persistence", "response"),
}
"""The messages of each opcode: of its requests, and of its responses."""
OF_SERVER = ("server_request", "server_response")

META = ("flags", "expiration", "rev_seqno", "source_cas")
COMMANDS: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "get": ("", (), "document_key", ""),
    "get_response": (">I", ("flags",), "document_key", "value"),
    "set": (">II", ("flags", "expiration"), "document_key", "value"),
    "delete": ("", (), "document_key", ""),
    "increment": (">QQI", ("delta", "initial", "expiration"), "document_key", ""),
    "increment_response": ("", (), "", "counter"),
    "append": ("", (), "document_key", "value"),
    "stat": ("", (), "group", "arguments"),
    "stat_response": ("", (), "name", "text"),
    "server_version_response": ("", (), "", "server_version"),
    "list_buckets_response": ("", (), "", "buckets"),
    "get_meta": (">B", ("version",), "document_key", ""),
    "get_meta_response": (">IIIQB", ("deleted", "flags", "expiration", "rev_seqno", "document_datatype"), "", ""),
    "return_meta": (">III", ("mutation_type", "flags", "expiration"), "document_key", "value"),
    "return_meta_response": (">IIQ", ("flags", "expiration", "rev_seqno"), "", ""),
    "seqno_persistence": (">Q", ("seqno",), "", ""),
    "server_request": ("", (), "user", "request"),
    "server_response": ("", (), "", "answer"),
}
"""How commands have their extras in the format of ``struct``, and in which columns their key and value are."""
WITH_META = {26: (">IIQQH", (*META, "nmeta")), 30: (">IIQQIH", (*META, "options", "nmeta"))}

TABLES = {
    "Collections.VB.Collection": "collection",
    "Collections.VB.DroppedCollection": "dropped_collection",
    "Collections.VB.Scope": "scope",
    "Collections.VB.DroppedScope": "dropped_scope",
}
VARIANTS = {"V1": "v1", "V2.0": "v2_0", "V2.1": "v2_1", "V2.2": "v2_2"}

ERROR_TEXTS = {7: "cluster_map"}
"""The column that a response's value is in, by status; ``error`` for the others but success."""

READ_BY_HAND = {
    "kv-get_seqno-1": {},
    "kv-get_seqno-2": {"state": 2},
    "kv-get_seqno-3": {"state": 0, "collection_id": 0xCAFEF00D},
    "kv-get_seqno-4": {"state": 2, "collection_id": 0xCAFEF00D},
    "kv-open-connection-1": {"seqno": 0, "flags": 0, "connection_name": "bucketstream vb[100-105]", "settings": ""},
    "kvx-BinaryProtocol-18": {"agent": "mchello v1.0", "features": [{"feature": number} for number in range(1, 6)]},
    "kvx-BinaryProtocol-19": {"features": [{"feature": 3}, {"feature": 4}]},
    "kvx-BinaryProtocol-22": {"bucket": "engineering"},
    "kvx-sasl-2": {"mechanisms": "SCRAM-SHA1 CRAM-MD5 PLAIN"},
}
"""What frames hold whose sections the vectors leave uncut, or whose fields they call otherwise."""

DOCUMENT = {"key": "document_key", "value": "body", "value_len": "value_length", "key_len": "key_length"}
"""What vectors call columns of documents."""

SAID_OTHERWISE = ("total_body", "variant", "snapshot_flags", "flatbuffer", "flatbuffer_table", "failover_log")
"""What vectors call otherwise than the columns."""

described = each("vector", vectors.parameters("couchbase_dcp/frames.jsonl", "couchbase_dcp/seed_frames.jsonl"))
DRAWN = ("couchbase_dcp_all/doc_frames.jsonl", "couchbase_dcp_all/other_doc_frames.jsonl")
"""The frames of all documents; one of them draws lengths that nobody could make true, and two are no frames."""

drawn = each("vector", vectors.parameters(*DRAWN))
repaired = each("vector", vectors.parameters(*DRAWN, keep=lambda row: bool(row.get("repaired_hex"))))


def said_of(vector: Vector) -> dict[str, Any]:
    """What the vector says of its frame."""
    return dict(vector.get("code_decodes_as") or vector["expected"])


def plain(vector: Vector) -> dict[str, Any]:
    """The row of a frame as somebody would write it down: no derived values, labels, variant or raw FlatBuffers."""
    data, said = data_of(vector), said_of(vector)
    top = {name: value for name, value in header(data).items() if not name.endswith("_length")}
    if "stream_id" in said:
        top["frame_infos"] = [{"id": 2, "stream_id": said.pop("stream_id")}]
    message = message_of(top["opcode"], top["magic"])
    fields = {name: value for name, value in said.items() if name not in (*header(data), *SAID_OTHERWISE)}
    if "flatbuffer" in said:
        fields[TABLES[said["flatbuffer_table"]]] = said["flatbuffer"]
    if "failover_log" in said:
        fields["entries"] = said["failover_log"]
    if message == "system_event":
        fields.setdefault("key", "")  # events 1 and 4 have none
    elif message.endswith("_response") and top["status"]:
        fields[ERROR_TEXTS.get(top["status"], "error")] = sections(data)["value"].decode()
    return {"message": message, **top, message: fields}


def contents(values: Any, columns: tuple[Column, ...]) -> dict[str, Any]:
    """What is there of ``values``, less what the rest says already: labels, the variant, raw FlatBuffers."""
    left_out = {column.name for column in columns if column.label} | {"variant", "value_flatbuffer"}
    return {name: value for name, value in values.items() if value is not None and name not in left_out}


@described
def test_decodes_to_what_the_vector_says(vector: Vector) -> None:
    row = couchbase_dcp.parse(data_of(vector))
    expected = plain(vector)
    name = expected["message"]
    found = contents(row[name], couchbase_dcp.messages[name].columns)
    for table in set(TABLES.values()) & set(found):
        said = expected[name][table]
        assert {field: value for field, value in found[table].items() if value or field in said} == said
        del found[table], expected[name][table]
    assert row["message"] == name
    assert found == {field: value for field, value in expected[name].items() if value is not None}


@described
def test_the_header_decodes_to_what_the_bytes_say(vector: Vector) -> None:
    row = couchbase_dcp.parse(data_of(vector))
    assert {name: row[name] for name in header(data_of(vector))} == header(data_of(vector))
    said = said_of(vector)
    shown = dict(row) | {"total_body": row["total_body_length"]}
    shown["framing_extras_length"] = row["framing_extras_length"] or 0
    assert {name: shown[name] for name in said if name in shown} == {name: said[name] for name in said if name in shown}


@described
def test_variants_and_labels_are_those_of_the_vector(vector: Vector) -> None:
    said = said_of(vector)
    row = couchbase_dcp.parse(data_of(vector))
    fields = row[row["message"]]
    if "variant" in said:
        assert fields["variant"] == VARIANTS[said["variant"]]
    if "snapshot_flags" in said:
        assert [flag.lower() for flag in fields["snapshot_type_flags"]] == said["snapshot_flags"]
    if "stream_id" in said:
        assert [info["id_name"] for info in row["frame_infos"]] == ["DcpStreamId"]
    if "flatbuffer" in said:
        assert fields["value_flatbuffer"] == sections(data_of(vector))["value"]


@described
def test_builds_back_from_its_row(vector: Vector) -> None:
    assert couchbase_dcp.build(couchbase_dcp.parse(data_of(vector))) == data_of(vector)


@described
def test_builds_from_the_plain_values_alone(vector: Vector) -> None:
    built = couchbase_dcp.build(plain(vector))
    if "flatbuffer" not in said_of(vector):
        assert built.hex() == data_of(vector).hex()
        return
    row, again = couchbase_dcp.parse(data_of(vector)), couchbase_dcp.parse(built)  # other bytes, the same values
    columns = couchbase_dcp.messages[row["message"]].columns
    assert contents(again[row["message"]], columns) == contents(row[row["message"]], columns)
    assert all(again[name] == row[name] for name in ("vbucket", "opaque", "cas"))


def message_of(opcode: int, magic: int) -> str:
    """The message that a frame is of."""
    request, response = OF_SERVER if magic in SERVER else MESSAGES.get(opcode, ("unknown", "unknown"))
    return request if magic in REQUESTS else response


def of_document(said: dict[str, Any]) -> dict[str, Any]:
    """Values of a document by the names of their columns."""
    named = {DOCUMENT.get(name, name): value for name, value in said.items() if name != "key_raw"}
    texts = {"body": str.encode, "ext_meta": bytes.fromhex, "variant": str.lower}
    return {name: texts[name](value) if name in texts else value for name, value in named.items()}


def of_command(message: str, data: bytes) -> dict[str, Any]:
    """What a command holds, cut out of its bytes by hand."""
    cut = sections(data)
    if data[0] in (0x81, 0x83) and header(data)["status"]:
        return {"error": cut["value"].decode()}
    form, names, key, value = COMMANDS.get(message, (*WITH_META.get(data[4], ("", ())), "document_key", "body"))
    found: dict[str, Any] = dict(zip(names, struct.unpack(form, cut["extras"]), strict=True))
    found |= {key: cut["key"].decode()} if key and cut["key"].isascii() else {}
    reads = {"value": bytes, "body": bytes, "counter": int.from_bytes}
    return found | ({value: reads.get(value, bytes.decode)(cut["value"])} if value else {})


def told(vector: Vector) -> dict[str, Any]:
    """What the vector says of the fields behind the header, by the names of their columns."""
    if vector["id"] in READ_BY_HAND:
        return READ_BY_HAND[vector["id"]]
    given = vector["code_decodes_as"]
    said = {name: value for name, value in given.items() if name not in {*header(data_of(vector)), "total_body"}}
    message = message_of(given["opcode"], given["magic"])
    if message in COMMANDS or message == "set_with_meta":
        return of_command(message, data_of(vector))
    match said:
        case {"extras": "", "key": mechanism, "value": challenge} if given["opcode"] in (0x21, 0x22):
            name = {"mechanism": mechanism} if mechanism else {}
            return {**name, "challenge": challenge.encode()}
        case {"extras": "", "key": "", "value": ""}:
            return {}
        case {"failover_log": entries}:
            return {"entries": entries}
        case {"vb_seqnos": pairs}:
            return {"seqnos": [{"vbucket": vbucket, "seqno": seqno} for vbucket, seqno in pairs]}
        case {"items": items}:
            return {"items": [of_document({**item, "value": bytes.fromhex(item["value"]).decode()}) for item in items]}
        case {"key_raw": _}:
            return of_document(said)
        case {"key": name, "value": value} if given["opcode"] == 0x5E:
            return {"property": name, "setting": value}
        case {"reserved": _, "start_seqno": _}:
            return {"filter" if name == "value" else name: value for name, value in said.items()}
        case _:
            return said


def same(found: Any, said: Any) -> bool:
    """Whether all that is said was found."""
    match said:
        case dict():
            return all(same(found[name], value) for name, value in said.items())
        case list():
            return len(found) == len(said) and all(map(same, found, said))
        case _:
            return bool(found == said)


@repaired
def test_frames_of_all_documents_decode_to_what_the_server_reads(vector: Vector) -> None:
    said = vector["code_decodes_as"]
    row = couchbase_dcp.parse(data_of(vector), collections="items" in said)
    message = message_of(said["opcode"], said["magic"])
    assert row["message"] == message
    assert {name: row[name] for name in header(data_of(vector))} == header(data_of(vector))
    if message == "unknown":
        cut = sections(data_of(vector))
        assert dict(row["unknown"]) == {name: cut[name] for name in ("extras", "key", "value")}
    elif said["opcode"] not in (0x56, 0x5F):  # whose fields are compared above
        assert same(row[message], told(vector)), told(vector)
    assert couchbase_dcp.build(row, collections="items" in said) == data_of(vector)


@drawn
def test_frames_as_drawn_lose_no_byte(vector: Vector) -> None:
    data = bytes.fromhex(vector["hex"])
    rows = list(couchbase_dcp.iter_records(data, "PERMISSIVE"))
    assert b"".join(couchbase_dcp.build(row) for row in rows) == data


@pytest.mark.parametrize("name", ["couchbase_dcp/frames.jsonl", "couchbase_dcp/seed_frames.jsonl"])
def test_a_capture_of_all_frames_falls_into_them(name: str) -> None:
    frames = [data_of(vector) for vector in vectors.committed(name)]
    rows = list(couchbase_dcp.iter_records(b"".join(frames), positions=True))
    assert [row["_length"] for row in rows] == [len(frame) for frame in frames]
    assert [couchbase_dcp.build(row) for row in rows] == frames
