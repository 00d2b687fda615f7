"""A dissector that others wrote: Wireshark's own for Couchbase shows of every frame what the codec reads.

The row of each worked example is built, and what tshark shows of those bytes is, field by field, what the row has.
Where tshark is wrong or shows nothing, that is told here, with the reason.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from protocols.frame_bytes import header, sections
from support import compiled, tshark
from support.paths import ROOT

from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_protocols import couchbase_dcp, memcached

pytestmark = pytest.mark.wireshark

SPECS = ROOT / "specs"

Fields = dict[str, list[Any]]
"""Values by tshark's names, less the ``couchbase.`` in front: numbers, or bytes. What is empty is left out."""

COUNTED = ("value.length", "dcp.failover_log.size", "vbucket_states.size")
PART_OF_BYTES = ("key.collection_id", "flex_frame.frame.id", "flex_frame.frame.len")
"""Numbers that are not in bytes of their own."""
BYTES = (
    "key",
    "key.logical_key",
    "value",
    "xattrs.pair.key",
    "xattrs.pair.value",
    "flex_frame.frame.impersonated_user",
)
BESIDE = ("warn.", "extras.flags.", "datatype.", "value_missing", "flex_frame_extras")
"""What it shows beside values: warnings, bits one by one, bytes as a whole."""
AROUND = ("extras", "dcp.failover_log", "vbucket_states", "hello.features", "xattrs")

IN_HEADER = {
    "framing_extras_length": "flex_extras",
    "key_length": "key.length",
    "extras_length": "extras.length",
    "total_body_length": "total_bodylength",
}
IN_FRAMES = {
    "durability_level": "durability_req",
    "stream_id": "dcp_stream_id",
    "user": "impersonated_user",
    "server_duration": "duration",
}
IN_KEYS = {
    *("agent", "bucket", "connection_name", "document_key", "group", "key", "key_bytes", "mechanism"),
    *("name", "property"),
}
IN_VALUES = {
    *("arguments", "body", "challenge", "cluster_map", "error", "error_map", "ext_meta", "filter", "json"),
    *("mechanisms", "setting", "settings", "text", "trailing_value", "value", "value_flatbuffer"),
    "version_response.version",
}
IN_EXTRAS = {
    "abort.abort_seqno": "extras.by_seqno_abort",
    "abort.prepared_seqno": "extras.by_seqno_prepared",
    "add_stream_response.stream_opaque": "extras.opaque",
    "buffer_acknowledgement.buffer_bytes": "extras.bytes_to_ack",
    "commit.commit_seqno": "extras.by_seqno",
    "commit.prepared_seqno": "extras.by_seqno_prepared",
    "deletion.unused": "extras.delete_unused",
    "flush.delay": "extras.expiration",
    "get_all_vb_seqnos.state": "vbucket_states.state",
    "get_error_map.version": "geterrmap.version",
    "increment_response.counter": "extras.response",
    "oso_snapshot.flags": "extras.dcp_oso_snapshot_flags",
    "prepare.durability_level": "flex_frame.frame.durability_req",
    "seqno_acknowledged.prepared_seqno": "extras.by_seqno",
    "set_vbucket_state.state": "extras.unknown",
    "snapshot_marker.snapshot_type": "extras.flags",
    "snapshot_marker.version": "extras.marker_version",
    "stream_end.end_status": "extras.unknown",
    "stream_req.vb_uuid": "extras.vbucket_uuid",
    "system_event.event": "extras.system_event_id",
    "system_event.version": "extras.system_event_version",
    "touch.expiration": "extras.unknown",
    "verbosity.level": "extras.unknown",
}
"""What tshark calls columns otherwise than ``extras.<column>``."""

COMMANDS = {
    path.stem
    for folder in ("couchbase/*", "memcached/items", "memcached/server")
    for path in SPECS.glob(f"{folder}/*.yaml")
}
"""Of these in DCP the header and the key are compared; it calls many of their fields otherwise, or knows them not."""

SAID_ALREADY = {"variant", "deleted_at", "expires_at"}

MISTAKES: dict[str, tuple[str, set[str]]] = {
    "cache_transfer": ("It does not know the command.", {"extras.items", "value"}),
    "failover_log_request: Request with several framing extras": (
        "Of durability it shows the level alone, and it does not know the kind 20.",
        {"flex_frame.frame.durability_timeout", "flex_frame.frame.data"},
    ),
    "get_all_vb_seqnos": ("It knows extras of 4 bytes, not of 8.", {"extras.collection_id"}),
    "get_response: Touched": ("It knows no extras there.", {"extras.flags", "extras.unknown"}),
    "snapshot_marker: V2.2 with 44 bytes of value": (
        "It takes all values of 44 bytes for V2.1.",
        {"extras.purge_seqno", "extras.timestamp"},
    ),
    "snapshot_marker: V2.2 with 52 bytes of value": (
        "It gives up, since it knows values of 36 and 44 bytes.",
        {"extras.purge_seqno", "extras.high_prepared_seqno"},
    ),
    "snapshot_marker: A version to come": ("It reads every version as V2.", {"extras.start_seqno"}),
    "stream_req_response: Rollback to the beginning": ("It shows the bytes alone.", {"extras.rollback_seqno", "value"}),
    "system_event": (
        "It does not look into values.",
        {"value", *(f"extras.{name}" for name in ("manifest_uid", "scope_id", "collection_id", "max_ttl"))}
        | {f"extras.{name}" for name in ("collection", "dropped_collection", "scope", "dropped_scope")},
    ),
}
"""What tshark is wrong about, or does not show, in a message or in one of its examples."""


def examples(protocol: ModuleType) -> Iterator[tuple[str, Any, bytes]]:
    """The good records among the worked examples: name, row, and what is built of the row."""
    (one,), _ = spec.load([SPECS / protocol.PROTOCOL.name])
    for message, example in compiled.worked(protocol_of(resolve(one))):
        parameters = dict(example.parameters)
        rows = list(protocol.iter_records(example.data, "PERMISSIVE", **parameters))
        if len(rows) == 1 and rows[0]["_corrupt_reason"] is None:
            yield f"{message.name}: {example.name}", rows[0], protocol.build(rows[0], **parameters)


def leb128(number: int) -> bytes:
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + leb128(number >> 7)


def ours(protocol: ModuleType, row: Any, data: bytes) -> Fields:
    """What the row of a frame has, by tshark's names."""
    found: Fields = defaultdict(list)
    for name in header(data):
        if row[name] is not None:
            found[IN_HEADER.get(name, name)] = [row[name]]
    found["value.length"] = [len(sections(data)["value"])]
    for info in row["frame_infos"]:
        found["flex_frame.frame.id"].append(info["id"])
        found["flex_frame.frame.len"].append(info["length_nibble"] + (info["length_escape"] or 0))
        for name, value in info.items():
            if value is not None and not name.startswith(("id", "length")) and not name.endswith("_name"):
                found[f"flex_frame.frame.{IN_FRAMES.get(name, name)}"].append(in_bytes(value))
    message = row["message"]
    key, body = b"", b""
    labels = {column.name for column in protocol.messages[message].columns if column.label}
    for name, value in row[message].items():
        if value is None or name in SAID_ALREADY | labels or name.endswith("_snappy"):
            continue
        match name, value:
            case "collection_id", _ if "document_key" in row[message]:
                key = leb128(value)
                found["key.collection_id"] = [value]
                found["key.logical_key"] = [row[message]["document_key"].encode()]
            case "entries", _:
                found["dcp.failover_log.size"] = [len(value)] if value else []
                found["dcp.failover_log.vbucket_uuid"] = [entry["vb_uuid"] for entry in value]
                found["dcp.failover_log.seqno"] = [entry["vb_seqno"] for entry in value]
            case "seqnos", _:
                found["vbucket_states.size"] = [len(value)] if value else []
                found["vbucket_states.id"] = [one["vbucket"] for one in value]
                found["vbucket_states.seqno"] = [one["seqno"] for one in value]
            case "features", _:
                found["hello.features.feature"] = [one["feature"] for one in value]
            case "xattrs", _:
                found["xattrs.length"] = [value["length"]]
                found["xattrs.pair.length"] = [pair["length"] for pair in value["pairs"]]
                found["xattrs.pair.key"] = [pair["key"].encode() for pair in value["pairs"]]
                found["xattrs.pair.value"] = [pair["value"].encode() for pair in value["pairs"]]
            case _ if f"{message}.{name}" not in IN_VALUES and name in IN_KEYS:
                key += in_bytes(value)
            case _ if not IN_VALUES.isdisjoint((name, f"{message}.{name}")):
                body += in_bytes(value)
            case _:
                found[IN_EXTRAS.get(f"{message}.{name}", f"extras.{name}")].append(value)
    found["key"], found["value"] = [key], [body]
    return cleaned(found, row)


def in_bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def theirs(packet: ElementTree.Element, row: Any, only: set[str] | None = None) -> Fields:
    """What tshark shows of a packet, which has one frame, or ``only`` some of that."""
    found: Fields = defaultdict(list)
    (tree,) = (proto for proto in packet.iter("proto") if proto.get("name") == "couchbase")
    for field in tree.iter("field"):
        prefix, _, name = field.get("name", "").partition("couchbase.")
        name = name.replace("server.", "")
        if prefix or not name or name in AROUND or name.startswith(BESIDE) or not (only is None or name in only):
            continue
        data = bytes.fromhex(field.get("value", ""))
        number = int(field.get("show", ""), 0) if name in COUNTED + PART_OF_BYTES else int.from_bytes(data, "big")
        found[name].append(data if name in BYTES else number)
    return cleaned(found, row)


def cleaned(fields: Fields, row: Any) -> Fields:
    """The fields that are not empty, less those that tshark makes of values in Snappy, which it cannot read."""
    packed = ("value",) if row["datatype"] & couchbase_dcp.Datatype.Snappy else ()
    return {name: values for name, values in fields.items() if values not in ([], [b""]) and name not in packed}


@pytest.mark.parametrize("protocol", [couchbase_dcp, memcached], ids=lambda protocol: protocol.PROTOCOL.name)
def test_wireshark_shows_what_the_rows_have(protocol: ModuleType, tmp_path: Path) -> None:
    frames = list(examples(protocol))
    packets = tshark.tcp(data for _, _, data in frames)
    wrong, mistaken = [], defaultdict(set)
    told = ("-d", f"tcp.port=={tshark.PORT},couchbase")
    for (name, row, data), packet in zip(frames, tshark.shown(packets, tmp_path, *told)[1:], strict=True):
        if protocol is couchbase_dcp and row["message"] in COMMANDS:
            compared = {*(IN_HEADER.get(name, name) for name in header(data)), "key"}
            compared -= {"flex_extras"} if data[0] in (0x82, 0x83) else set()  # it shows some, and there are none
            compared -= {"cas"} if row["message"].startswith("observe") else set()  # it shows two numbers
            known = {field: values[:1] for field, values in theirs(packet, row, compared).items()}  # statuses of paths
            cut = {IN_HEADER.get(name, name): [value] for name, value in header(data).items() if value is not None}
            cut |= {"key": [sections(data)["key"]]} if sections(data)["key"] else {}
            other = {field for field in compared if known.get(field) != cut.get(field)}
            wrong += [f"{name}: {field}: {cut.get(field)} expected, found {known.get(field)}" for field in other]
            continue
        expected, found = ours(protocol, row, data), theirs(packet, row)
        if "key.collection_id" not in expected:  # to tshark every key has one
            found = {field: values for field, values in found.items() if not field.startswith("key.co")}
            found.pop("key.logical_key", None)
        other = {field for field in {*expected, *found} if expected.get(field) != found.get(field)}
        place = name if name in MISTAKES else row["message"]
        mistaken[place] |= other
        wrong += [
            f"{name}: {field}: {expected.get(field)} expected, found {found.get(field)}"
            for field in sorted(other - MISTAKES.get(place, ("", set()))[1])
        ]
    assert wrong == []
    messages = protocol.messages.keys() - {"unknown"}
    whole = messages - (COMMANDS if protocol is couchbase_dcp else set())
    known = {place: fields for place, (_, fields) in MISTAKES.items() if place.partition(":")[0] in whole}
    assert {place: fields for place, fields in mistaken.items() if fields} == known
    assert {name.partition(":")[0] for name, _, _ in frames} == messages
