"""Databus V2 against what the Java implementation wrote, read and refused.

``STRICTER`` lists every vector that Java's ``scanEvent`` accepts and that is malformed here, with the reason. All of
them have both CRCs right and contradict themselves: a length inside the header, a key that is not as long as the header
says, a part whose size is negative or past the end, attributes that announce a part that is not there or leave out one
that is. No writer writes any of them, and of most the Java throws when somebody asks for the value.
Nowhere is it more lenient. Neither looks at the magic.
"""

import re
from itertools import pairwise
from typing import Any

import pytest
from support import vectors
from support.vectors import Vector, data_of

from protocols.databus_vectors import beside, first_row, of_kind, only, said_events
from protocols.databus_vectors import java_fields as fields_of_v1
from wireloom.cdc.databus import to_v1
from wireloom.codec import DecodeError, EncodeError
from wireloom_protocols import databus

FILE = "databus/vectors.jsonl"

STRICTER = {
    "invalid": [
        *(f"hdrlen_crc.v2.{name}=44" for name in ("be.long.md5meta.upsert", "le.byte.crcmeta.upsert", "le.eop.flags")),
        "hdrlen_crc.v2.be.schemacrc.nometa.upsert=44",
        *(f"size_crc.v2.le.eop.flags={length}" for length in (-1, 1, 44)),
        *(f"fuzz.{number}" for number in (398, 467, 470)),
    ],
    "invalid-size": ["keysize_crc.v2.le.byte.crcmeta.upsert=-1"],
    "overrun": [
        *(f"keysize_crc.v2.le.byte.crcmeta.upsert={size}" for size in (6, 101, 1000000, 2147483647)),
        *(f"hdrlen_crc.v2.{name}=49" for name in ("le.byte.crcmeta.upsert", "be.schemacrc.nometa.upsert")),
        "hdrlen_crc.v2.le.eop.flags=45",
        *(f"fuzz.{number}" for number in (155, 211, 463, 538)),
    ],
    "truncated": [
        *(f"fuzz.{number}" for number in (54, 62, 99, 190, 218, 383, 394, 395, 402)),
        *(f"v2.{order}.attr.00c5" for order in ("be", "le")),
    ],
    "trailing-bytes": [*(f"fuzz.{number}" for number in (118, 299, 342, 378, 439)), "v2.le.attr.0005"],
}
"""Events that Java accepts and that are malformed here, by the code."""

REASONS = {name: code for code, names in STRICTER.items() for name in names}

CONTROL = {"is_checkpoint": (-3,), "is_error": range(-49, -4), "is_scn_regress": (-51,), "is_eop": (-2,)}
"""What Java asks of the low 16 bits of a source id."""


def is_v2(vector: Vector) -> bool:
    """Whether a corrupt event is one of V2, and was not made to look like one of V1."""
    return not vector["base"].startswith("v1.") and vector["dispatch"] != "DbusEventV1"


def is_sound(vector: Vector) -> bool:
    """Whether it is a corrupt event of V2 that Java accepts all the same."""
    return vector["kind"] == "corrupt" and is_v2(vector) and vector.get("scan_event") == "OK"


events = only(lambda row: row["kind"] == "event" and row["version"] == 2 and row["id"] not in REASONS)
corrupt = only(lambda row: row["kind"] == "corrupt" and is_v2(row))


def part_of(part: Any) -> dict[str, Any] | None:
    """A part of an event as Java's accessors tell it."""
    return part and {
        "digest_type": part["digest_type_name"],
        "digest": part["digest"].hex(),
        "schema_version": part["schema_version"],
        "data": part["data"].hex(),
    }


def java_fields(data: bytes, order: str) -> dict[str, Any]:
    """The event as Java's accessors tell it."""
    event = databus.parse(data, byte_order=order)["dbus_event_v2"]
    payload = part_of(event["payload"])
    source, kind = event["src_id"], event["key_type_name"]
    short = (source + 0x8000) % 0x10000 - 0x8000
    return {
        "class": "DbusEventV2",
        "version": 2,
        "magic_i32": (event["magic"] ^ 1 << 31) - (1 << 31),
        "header_crc": event["header_crc"],
        "length": event["total_length"],
        "attributes_raw_i16": (event["attributes"] ^ 0x8000) - 0x8000,
        "header_length": event["header_length"],
        "opcode": event["opcode_name"],
        "trace": event["trace"],
        "ext_replicated": event["ext_replicated"],
        "is_key_number": kind == "Number",
        "is_key_string": kind == "String",
        "is_key_schema": kind == "Schema",
        "sequence": event["sequence"],
        "physical_partition_id": event["partition_id"],
        "logical_partition_id": event["partition_id"],
        "partition_id": event["partition_id"],
        "timestamp_in_nanos": event["nano_timestamp"],
        "src_id_i16": short,
        "source_id": source,
        "schema_id": payload and payload["digest"],
        "schema_version": payload["schema_version"] if payload else 0,
        "body_crc": event["body_crc"],
        "calculated_body_crc": event["body_crc"],
        "key_long": event["key"],
        "key_bytes": None if event["key_bytes"] is None else event["key_bytes"].hex(),
        "key_part": part_of(event["key_with_schema"]),
        "payload_length_api": len(event["payload"]["data"]) if payload else 0,
        "value_length": len(event["payload"]["data"]) if payload else 0,
        "value": payload and payload["data"],
        "payload_part": payload,
        "metadata_part": part_of(event["metadata"]),
        "is_control": source < 0,
        "is_private_control": short <= -20000,
        **{name: short in sources for name, sources in CONTROL.items()},
    }


def told(vector: Vector) -> dict[str, Any]:
    """What Java's accessors tell of the event, but for one that V2 does not have."""
    return {name: value for name, value in vector["fields"].items() if name != "key_length_api"}


def part_written(part: dict[str, Any]) -> dict[str, Any]:
    values = {"schema_version": part["schema_version"], "digest_type": databus.DigestType[part["digest_type"]]}
    return {**values, "digest": bytes.fromhex(part["digest"]), "data": bytes.fromhex(part["data"])}


def written(fields: dict[str, Any]) -> dict[str, Any]:
    """Java's fields as the values that somebody would write down; derived ones are not among them."""
    kind = next(kind for kind in ("number", "string", "schema") if fields[f"is_key_{kind}"])
    key = {
        "number": lambda: {"key": fields["key_long"]},
        "string": lambda: {"key_bytes": bytes.fromhex(fields["key_bytes"])},
        "schema": lambda: {"key_with_schema": part_written(fields["key_part"])},
    }[kind]()
    parts = {name: fields[f"{name}_part"] for name in ("payload", "metadata")}
    return {
        "opcode": 0 if fields["opcode"] is None else databus.DbusOpcode[fields["opcode"]],
        "key_type": databus.KeyType[kind.capitalize()],
        "trace": fields["trace"],
        "ext_replicated": fields["ext_replicated"],
        "nano_timestamp": fields["timestamp_in_nanos"],
        "src_id": fields["source_id"],
        "partition_id": fields["partition_id"],
        "sequence": fields["sequence"],
        **key,
        **{name: part_written(part) for name, part in parts.items() if part is not None},
    }


@events
def test_decodes_field_for_field_as_java(vector: Vector) -> None:
    assert java_fields(data_of(vector), vector["order"]) == told(vector)


@events
def test_the_byte_order_proves_itself(vector: Vector) -> None:
    assert databus.parse(data_of(vector))["byte_order"] == vector["order"]
    other = {"big": "little", "little": "big"}[vector["order"]]
    with pytest.raises(DecodeError):
        databus.parse(data_of(vector), byte_order=other)


@events
def test_encodes_to_the_same_bytes(vector: Vector) -> None:
    assert databus.build(databus.parse(data_of(vector))) == data_of(vector)


FORMS = pytest.mark.parametrize("form", ["json", "json_plain_value"])


def without_key_with_schema(line: str) -> str:
    """Java's line, but for the text of a key with a schema."""
    return re.sub(r'"keyType":"Schema","key":"[^"]*"', '"keyType":"Schema"', line)


@FORMS
@only(lambda row: row["kind"] == "event" and row["version"] == 2 and "json_plain_value" in row)
def test_writes_the_line_that_java_writes(vector: Vector, form: str) -> None:
    line = databus.PROTOCOL.form(form).write(databus.parse(data_of(vector), byte_order=vector["order"]))
    assert line + "\n" == without_key_with_schema(vector[form])


@only(lambda row: row["kind"] == "event" and row["version"] == 2 and "build" in row)
def test_encodes_from_the_values_alone(vector: Vector) -> None:
    built = databus.build({"dbus_event_v2": written(vector["fields"])}, byte_order=vector["order"])
    assert built.hex() == vector["hex"]


@corrupt
def test_a_corrupt_event_is_malformed_where_java_says_so(vector: Vector) -> None:
    row = first_row(vector)
    reason = row and row["_corrupt_reason"]
    match vector.get("scan_event"):
        case "OK" if vector["id"] in REASONS:
            assert reason.startswith(f"{REASONS[vector['id']]}: ")
        case "OK":
            assert reason is None
        case "PARTIAL":  # Java waits for as many bytes as a damaged header length says
            assert reason.startswith(("truncated: record at byte 0: ", "invalid: record at byte 0: header_length >= "))
        case "ERR":
            assert reason is not None
            assert not reason.startswith("truncated: record at byte 0: ")
        case None:  # Java throws
            assert row is None or reason.startswith("unknown-layout: record at byte 0: no layout for version ")


def test_the_list_of_where_this_codec_is_stricter_is_exact() -> None:
    rows = vectors.external(FILE) or vectors.committed(FILE)
    events = [row for row in rows if row["kind"] == "event" and row["version"] == 2]
    scanned = events + [row for row in rows if is_sound(row)]
    malformed = {row["id"] for row in scanned if first_row(row)["_corrupt_reason"] is not None}
    assert malformed == set(REASONS) & {row["id"] for row in scanned}


def with_metadata(part: dict[str, Any], order: str) -> bytes:
    """An event whose metadata is this part, and nothing behind it."""
    key = {"key_type": 1, "key": 1, "nano_timestamp": 1, "src_id": 1, "partition_id": 0, "sequence": 1}
    return databus.build({"dbus_event_v2": {**key, "metadata": part}}, byte_order=order)


@only(lambda row: row["kind"] == "part")
def test_a_part_is_that_of_java(vector: Vector) -> None:
    data = with_metadata(part_written(vector["decoded"]), vector["order"])
    assert data[53:].hex() == vector["hex"]
    assert part_of(databus.parse(data)["dbus_event_v2"]["metadata"]) == vector["decoded"]


@only(lambda row: row["kind"] == "part_digest_code")
def test_a_part_says_what_its_digest_is(vector: Vector) -> None:
    part = bytes.fromhex(vector["hex"])
    attributes, result = int.from_bytes(part[4:6], vector["order"]), vector["result"]
    if "exception" in result:
        with pytest.raises(EncodeError, match=r"metadata.attributes: .* does not satisfy attributes & 3 < 2"):
            with_metadata({"attributes": attributes, "digest": bytes(4), "data": b""}, vector["order"])
    else:
        values = {"attributes": attributes, "digest": bytes.fromhex(result["digest"])}
        data = with_metadata({**values, "data": bytes.fromhex(result["data"])}, vector["order"])
        assert part.startswith(data[53:])
        assert part_of(databus.parse(data)["dbus_event_v2"]["metadata"]) == result


@only(lambda row: row["kind"] == "convert_v2_v1")
def test_an_event_becomes_one_of_version_1_as_java_converts_it(vector: Vector) -> None:
    row = databus.parse(bytes.fromhex(vector["v2_hex"]), byte_order=vector["order"])
    if "hex" in vector["v1"]:
        assert databus.build(to_v1(row)).hex() == vector["v1"]["hex"]
    else:
        with pytest.raises(ValueError, match="version 1 does not support keys with a schema"):
            to_v1(row)


def test_only_an_event_of_version_2_becomes_one_of_version_1() -> None:
    (row,) = databus.iter_records(bytes(60), "PERMISSIVE")
    with pytest.raises(ValueError, match="expected an event of version 2, not "):
        to_v1(row)


# --- streams of both versions


@only(lambda row: row["kind"] == "stream" and "events_file" in row)
def test_a_stream_decodes_event_by_event(vector: Vector) -> None:
    data = beside(vector, "file").read_bytes()
    rows = databus.iter_records(data, "PERMISSIVE", positions=True)
    for row, said in zip(rows, said_events(vector), strict=True):
        assert (row["_offset"], row["_length"]) == (said["offset"], said["len"])
        event, fields = data[said["offset"] : said["offset"] + said["len"]], dict(said["fields"])
        if fields["class"] == "DbusEventV1":
            assert fields_of_v1(event, vector["order"]) == fields
        else:
            assert java_fields(event, vector["order"]) == told(said)
        assert databus.build(row) == event


@FORMS
@only(lambda row: row["kind"] == "stream" and "events_file" in row)
def test_a_stream_is_written_line_by_line(vector: Vector, form: str) -> None:
    lines = beside(vector, {"json": "json_file", "json_plain_value": "json_plain_file"}[form])
    rows = databus.iter_records(beside(vector, "file").read_bytes())
    expected = [without_key_with_schema(line) for line in lines.read_text().split("\n")[:-1]]
    assert [databus.PROTOCOL.form(form).write(row) for row in rows] == expected


@of_kind("stream", id="stream_mixed_be")
def test_damage_in_a_mixed_stream_costs_no_other_event(vector: Vector) -> None:
    data = beside(vector, "file").read_bytes()
    starts = [event["offset"] for event in said_events(vector)]
    for start, end in list(pairwise(starts))[::7]:
        damaged = data[: start + 30] + bytes([data[start + 30] ^ 0x10]) + data[start + 31 :]
        rows = list(databus.iter_records(damaged, "PERMISSIVE", positions=True))
        bad = [(row["_offset"], row["_length"]) for row in rows if row["_corrupt_reason"] is not None]
        assert bad == [(start, end - start)]
        assert [row["_offset"] for row in rows] == starts


@of_kind("stream_events", id="buffer_v2_le_stream")
def test_a_little_endian_stream_is_read_as_such(vector: Vector) -> None:
    rows = list(databus.iter_records(data_of(vector)))
    assert len(rows) == vector["n"]
    assert {row["byte_order"] for row in rows} == {vector["order"]}
    assert {row["message"] for row in rows} == {"dbus_event_v2"}
