"""Databus V1 against what the Java implementation wrote, read and refused.

Where this codec is stricter than Java's ``scanEvent``, which believes lengths that cut the event off inside its own
header, and key sizes altogether (``STRICTER`` lists every vector it matters for):

| vectors | Java | here |
|---|---|---|
| ``size_crc.*`` | a length inside the header scans OK: a payload of negative size has CRC 0 | ``invalid`` |
| ``keysize_crc.*`` | a key size is not looked at; one that cannot be makes ``keyBytes()`` throw | malformed |
| ``fuzz.*`` | likewise: random bytes hit the key size, and the CRCs were computed over them | malformed |

Nowhere is it more lenient. Java throws for an unknown version, for a ``{`` (a JSON error in place of an event) and for
no bytes at all; none of these is an event here either.

What a line of JSON lacks, so that reading it gives another event than was written: the byte order, which the reader
names; attribute bits that are not an opcode, trace, a byte[] key or ext_replicated, and which of two opcode bits was
set beside UPSERT (``canonical``); in ``json_plain_value``, value bytes that are not UTF-8; and with ``repl_dbus`` the
schema version and what is left of the schema id.
"""

import json
from typing import Any

import pytest
from support import vectors
from support.vectors import Vector, data_of

from protocols.databus_vectors import FILE, first_row, forms, java_fields, of_kind, only
from wireloom.codec import DecodeError
from wireloom_protocols import databus

GOOD = "OK"

STRICTER = {
    "fuzz.0": "truncated",
    "fuzz.68": "truncated",
    "fuzz.488": "truncated",
    "fuzz.552": "truncated",
    "keysize_crc.v1.be.byte.empty_empty=-1": "invalid",
    "keysize_crc.v1.be.byte.empty_empty=-2147483648": "invalid",
    "keysize_crc.v1.be.byte.empty_empty=1": "truncated",
    "size_crc.v1.be.byte.empty_empty=53": "invalid",
    "size_crc.v1.be.eop.info=53": "invalid",
    "size_crc.v1.be.eop.info=54": "invalid",
}
"""Corrupt events that scan OK in Java and are malformed here, with the code."""

SOONER = ("zeros.v2.le.eop.flags", "version.v2.le.eop.flags=0")
"""Corrupt events that Java takes for the beginning of one. No more bytes can make them one: no event is so short."""


def is_v1(vector: Vector) -> bool:
    """Whether a corrupt event is one of V1, or was made to look like one."""
    return vector["base"].startswith("v1.") or vector["dispatch"] == "DbusEventV1"


def is_good(vector: Vector) -> bool:
    """Whether a corrupt event of V1 is good all the same, says Java."""
    return is_v1(vector) and vector.get("scan_event") == GOOD


events = of_kind("event", version=0, scan_event=GOOD)
corrupt = only(lambda row: row["kind"] == "corrupt" and is_v1(row))


def written(fields: dict[str, Any]) -> dict[str, Any]:
    """Java's fields as the values that somebody would write down; derived ones and attributes are not among them."""
    key = {} if fields["key_bytes"] is None else {"key_bytes": bytes.fromhex(fields["key_bytes"])}
    return {
        "opcode": None if fields["opcode"] is None else databus.DbusOpcode[fields["opcode"]],
        "trace": fields["trace"],
        "ext_replicated": fields["ext_replicated"],
        "sequence": fields["sequence"],
        "physical_partition_id": fields["physical_partition_id"],
        "logical_partition_id": fields["logical_partition_id"],
        "nano_timestamp": fields["timestamp_in_nanos"],
        "src_id": fields["src_id_i16"],
        "schema_id": bytes.fromhex(fields["schema_id"]),
        "value": bytes.fromhex(fields["value"]),
        **(key or {"key": fields["key_long"]}),
    }


def canonical(fields: dict[str, Any]) -> int:
    """The attributes that today's writer gives an event with these fields."""
    opcode = {"UPSERT": 0x0001, "DELETE": 0x0002, None: 0}[fields["opcode"]]
    bits = {"trace": 0x0004, "is_key_string": 0x0008, "ext_replicated": 0x0100}
    return opcode | sum(bit for name, bit in bits.items() if fields[name])


def attributes(fields: dict[str, Any]) -> int:
    """The attributes that the event has, unsigned."""
    return int(fields["attributes_raw_i16"]) & 0xFFFF


@events
def test_decodes_field_for_field_as_java(vector: Vector) -> None:
    assert java_fields(data_of(vector), vector["order"]) == vector["fields"]


@events
def test_the_byte_order_proves_itself(vector: Vector) -> None:
    assert java_fields(data_of(vector), "auto") == vector["fields"]
    assert databus.parse(data_of(vector))["byte_order"] == vector["order"]


@events
def test_no_other_byte_order_is_believed(vector: Vector) -> None:
    other = {"big": "little", "little": "big"}[vector["order"]]
    with pytest.raises(DecodeError):
        databus.parse(data_of(vector), byte_order=other)


@events
def test_encodes_to_the_same_bytes(vector: Vector) -> None:
    assert databus.build(databus.parse(data_of(vector))) == data_of(vector)
    replicated = databus.parse(data_of(vector), repl_dbus=True)
    assert databus.build(replicated, repl_dbus=True) == data_of(vector)


@events
def test_encodes_from_the_values_alone(vector: Vector) -> None:
    values = written(vector["fields"])
    if attributes(vector["fields"]) != canonical(vector["fields"]):
        values["attributes"] = attributes(vector["fields"])
    assert databus.build({"dbus_event": values}, byte_order=vector["order"]).hex() == vector["hex"]


@events
def test_encodes_the_schema_version(vector: Vector) -> None:
    values = written(vector["fields"]) | {"attributes": attributes(vector["fields"])}
    values["schema_version"] = vector["fields"]["schema_version"]
    values["schema_id_rest"] = values.pop("schema_id")[2:]
    built = databus.build({"dbus_event": values}, byte_order=vector["order"], repl_dbus=True)
    assert built.hex() == vector["hex"]


@forms
@events
def test_writes_the_line_that_java_writes(vector: Vector, form: str) -> None:
    row = databus.parse(data_of(vector))
    assert databus.PROTOCOL.form(form).write(row) + "\n" == vector[form]


@forms
@events
def test_a_line_has_no_place_for_a_schema_version(vector: Vector, form: str) -> None:
    line = databus.PROTOCOL.form(form).write(databus.parse(data_of(vector), repl_dbus=True))
    expected = json.loads(vector[form])
    del expected["schemaId"]
    assert json.loads(line) == expected


@forms
@events
def test_reads_its_line_back(vector: Vector, form: str) -> None:
    fields = dict(vector["fields"])
    values = databus.PROTOCOL.form(form).read(vector[form])
    data = databus.build(values, byte_order=vector["order"])
    if form == "json_plain_value":
        fields["value"] = json.loads(vector[form])["value"].encode().hex()
    if attributes(fields) == canonical(fields) and fields["value"] == vector["fields"]["value"]:
        assert data.hex() == vector["hex"]
    again = java_fields(data, vector["order"])
    assert written(again) == written(fields)
    assert attributes(again) == canonical(fields)


@of_kind("event", version=0, scan_event="ERR")
def test_an_event_that_was_not_committed_is_malformed(vector: Vector) -> None:
    (row,) = databus.iter_records(data_of(vector), "PERMISSIVE", byte_order=vector["order"])
    assert row["_corrupt_reason"].startswith("checksum: header_crc at byte 1: ")
    assert row["_corrupt_record"] == data_of(vector)


@only(lambda row: row["kind"] == "convert_v2_v1" and "hex" in row["v1"])  # those that Java can convert
def test_events_converted_from_v2_decode_as_java_decodes_them(vector: Vector) -> None:
    data = bytes.fromhex(vector["v1"]["hex"])
    assert java_fields(data, vector["order"]) == vector["v1"]["fields"]
    assert databus.build(databus.parse(data)) == data


@corrupt
def test_a_corrupt_event_is_malformed_where_java_says_so(vector: Vector) -> None:
    row = first_row(vector)
    reason = row and row["_corrupt_reason"]
    match vector.get("scan_event"):
        case "OK" if vector["id"] in STRICTER:
            assert reason.startswith(STRICTER[vector["id"]])
        case "OK":
            assert reason is None
        case "PARTIAL" if vector["id"] in SOONER:
            assert reason.startswith("invalid: record at byte 0: length >= ")
        case "PARTIAL":
            assert reason.startswith("truncated: record at byte 0: ")
        case "ERR":
            assert reason is not None
            assert not reason.startswith("truncated: record at byte 0: ")
        case None:  # Java throws
            assert row is None or reason.startswith("unknown-layout: record at byte 0: no layout for version ")


@only(lambda row: row["kind"] == "corrupt" and is_good(row) and "fields" in row and row["id"] not in STRICTER)
def test_a_changed_event_that_is_good_decodes_as_java_decodes_it(vector: Vector) -> None:
    assert java_fields(data_of(vector), vector["order"]) == vector["fields"]


def test_the_list_of_where_this_codec_is_stricter_is_exact() -> None:
    rows = vectors.external(FILE) or vectors.committed(FILE)
    scanned = [row for row in rows if row["kind"] == "corrupt" and is_good(row)]
    malformed = {row["id"] for row in scanned if first_row(row)["_corrupt_reason"] is not None}
    assert malformed == set(STRICTER) & {row["id"] for row in scanned}


@of_kind("read_events_case", id="v1_size_60")
def test_an_event_that_ends_inside_its_header_is_malformed_and_the_next_is_read(vector: Vector) -> None:
    rows = list(databus.iter_records(data_of(vector), "PERMISSIVE", positions=True, byte_order=vector["order"]))
    assert [(row["_offset"], row["_length"]) for row in rows] == [(0, 61), (61, 61)]
    assert rows[0]["_corrupt_reason"].startswith("invalid: record at byte 0: length >= ")
    assert rows[1]["dbus_event"]["end_of_period"]
