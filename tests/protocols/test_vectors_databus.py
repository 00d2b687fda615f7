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

Leniencies of Java's JSON reader that are not followed (``LENIENT``): it takes numbers that wrap or have a fraction,
text that is no Base64 for an empty value, and an end of a window of which only the time and the sequence are told. It
overwrites what this codec reads: the sequence and the physical partition by those of its buffer, the opcode by UPSERT,
and a gzip value by what is in it. Why is said in docs/decisions/0074-databus-beside-java.md.
"""

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import sums, vectors
from support.cases import each
from support.vectors import Vector, data_of

from wireloom.codec import DecodeError, EncodeError
from wireloom_protocols import databus

FILE = "databus/vectors.jsonl"
FORMS = ("json", "json_plain_value")
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

LENIENT = {
    "json_in.key_float": "key: a whole number expected, not 123.9",
    "json_in.key_big": "key: 9223372036854775808 does not fit 64 bits",
    "json_in.srcId_wraps": "src_id: 70000 does not fit 16 bits",
    "json_in.value_urlsafe_chars": "json: value at byte 0: not Base64",
    "json_in.eop_bool": "json: logicalPartitionId at byte 0: missing",
    "json_in.eop_string": "json: logicalPartitionId at byte 0: missing",
}
"""Lines of JSON that Java reads and this codec refuses, and how."""

ERRORS = {"ERROR", "BOOTSTRAPTOOOLD_ERROR_SRCID", "PULLER_RETRIES_EXPIRED"}
PRIVATE = {
    "PRIVATE_SYSTEM",
    "PRIVATE_RANGE_MAX_SRCID",
    "START_OF_SNAPSHOT",
    "START_OF_CATCHUP",
    "END_OF_BOOTSTRAP",
}


def only(keep: Callable[[Vector], bool]) -> Any:
    """A test of the vectors that ``keep`` wants."""
    return each("vector", vectors.parameters(FILE, keep=keep))


def of_kind(kind: str, **wanted: Any) -> Any:
    """A test of the vectors of a kind whose values are as ``wanted``."""
    return only(lambda row: row["kind"] == kind and all(row.get(name) == value for name, value in wanted.items()))


def is_v1(vector: Vector) -> bool:
    """Whether a corrupt event is one of V1, or was made to look like one."""
    return vector["base"].startswith("v1.") or vector["dispatch"] == "DbusEventV1"


def is_good(vector: Vector) -> bool:
    """Whether a corrupt event of V1 is good all the same, says Java."""
    return is_v1(vector) and vector.get("scan_event") == GOOD


events = of_kind("event", version=0, scan_event=GOOD)
corrupt = only(lambda row: row["kind"] == "corrupt" and is_v1(row))
forms = pytest.mark.parametrize("form", FORMS)


def java_fields(data: bytes, order: str) -> dict[str, Any]:
    """The event as Java's accessors tell it."""
    event = databus.parse(data, byte_order=order)["dbus_event"]
    versioned = databus.parse(data, byte_order=order, repl_dbus=True)["dbus_event"]
    by_number = event["variant"] == "long_key"
    key = None if by_number else event["key_bytes"]
    source, label = event["src_id"], event["src_id_name"]
    return {
        "class": "DbusEventV1",
        "version": 0,
        "magic_i32": 0,
        "header_crc": event["header_crc"],
        "length": event["length"],
        "attributes_raw_i16": (event["attributes"] ^ 0x8000) - 0x8000,
        "opcode": event["opcode_name"],
        "trace": event["trace"],
        "ext_replicated": event["ext_replicated"],
        "is_key_number": by_number,
        "is_key_string": not by_number,
        "is_key_schema": False,
        "sequence": event["sequence"],
        "physical_partition_id": event["physical_partition_id"],
        "logical_partition_id": event["logical_partition_id"],
        "partition_id": event["physical_partition_id"],
        "timestamp_in_nanos": event["nano_timestamp"],
        "src_id_i16": source,
        "source_id": source,
        "schema_id": event["schema_id"].hex(),
        "schema_version": versioned["schema_version"],
        "body_crc": event["value_crc"],
        "calculated_body_crc": event["value_crc"],
        "key_long": event["key"],
        "key_bytes": None if key is None else key.hex(),
        "key_part": None,
        "key_length_api": 8 if key is None else 4 + event["key_size"],
        "payload_length_api": len(key or b"") + len(event["value"]),
        "value_length": len(event["value"]),
        "value": event["value"].hex(),
        "is_control": source < 0,
        "is_private_control": label in PRIVATE,
        "is_checkpoint": label == "CHECKPOINT_SRCID",
        "is_error": label in ERRORS,
        "is_eop": event["end_of_period"],
        "is_scn_regress": label == "SCN_REGRESS",
    }


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


def first_row(vector: Vector) -> Any:
    """The row of the corrupt event, which may have other bytes behind it; None where it has no byte at all."""
    records = databus.iter_records(data_of(vector), "PERMISSIVE", byte_order=vector["order"], max_record_bytes=2**31)
    rows = list(records)
    assert b"".join(databus.build(row) for row in rows) == data_of(vector)
    return rows[0] if rows else None


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


# --- streams


def beside(vector: Vector, file: str) -> Path:
    """A file of the stream ``vector``."""
    return Path(vector["source"], "databus", vector[file])


def said_events(vector: Vector) -> list[dict[str, Any]]:
    """The events that Java found in the stream: offset, length and fields of each."""
    return [json.loads(line) for line in beside(vector, "events_file").read_text().splitlines()]


def is_v1_stream(vector: Vector) -> bool:
    return (vector["kind"] == "stream" and "_v1_" in vector["id"]) or vector.get("id") == "stream_scn_regress"


whole = only(lambda row: is_v1_stream(row) and "events_file" in row)


@whole
@pytest.mark.parametrize("order", ["auto", "big"])
def test_a_stream_decodes_event_by_event(vector: Vector, order: str) -> None:
    data = beside(vector, "file").read_bytes()
    rows = databus.iter_records(data, "PERMISSIVE", positions=True, byte_order=order)
    for row, said in zip(rows, said_events(vector), strict=True):
        assert (row["_offset"], row["_length"]) == (said["offset"], said["len"])
        event = data[said["offset"] : said["offset"] + said["len"]]
        assert java_fields(event, "big") == said["fields"]
        assert row == databus.parse(event) | {"_offset": said["offset"], "_length": said["len"]}


@whole
@forms
def test_a_stream_is_written_line_by_line(vector: Vector, form: str) -> None:
    lines = beside(vector, {"json": "json_file", "json_plain_value": "json_plain_file"}[form])
    rows = databus.iter_records(beside(vector, "file").read_bytes())
    assert [databus.PROTOCOL.form(form).write(row) for row in rows] == lines.read_text().split("\n")[:-1]


@whole
def test_a_stream_is_encoded_back(vector: Vector) -> None:
    data = beside(vector, "file").read_bytes()
    assert b"".join(databus.build(row) for row in databus.iter_records(data)) == data


@of_kind("stream", id="stream_v1_be_truncated")
def test_a_truncated_stream_ends_with_one_malformed_row(vector: Vector) -> None:
    data = beside(vector, "file").read_bytes()
    undamaged = beside(vector, "file").with_name("stream_v1_be.bin").read_bytes()
    *rows, last = databus.iter_records(data, "PERMISSIVE")
    before = list(databus.iter_records(undamaged))[:-1]
    assert rows == before
    assert len(rows) == vector["read_events"]["events_in_buffer"]
    rest = data[sum(row["dbus_event"]["length"] for row in before) :]
    assert last["_corrupt_record"] == rest
    assert last["_corrupt_reason"].startswith("truncated: ")


@of_kind("stream", id="stream_v1_be_corrupt_mid")
def test_a_damaged_event_costs_no_other(vector: Vector) -> None:
    data = beside(vector, "file").read_bytes()
    undamaged = beside(vector, "file").with_name("stream_v1_be.bin").read_bytes()
    rows = list(databus.iter_records(data, "PERMISSIVE", positions=True))
    expected = list(databus.iter_records(undamaged, positions=True))
    damaged = [index for index, row in enumerate(rows) if row["_corrupt_reason"] is not None]
    assert damaged == [vector["read_events"]["events_in_buffer"]]
    (index,) = damaged
    assert rows[:index] + rows[index + 1 :] == expected[:index] + expected[index + 1 :]
    start, length = rows[index]["_offset"], rows[index]["_length"]
    assert (start, length) == (expected[index]["_offset"], expected[index]["_length"])
    assert start <= len(data) // 2 < start + length


@of_kind("stream_events", id="buffer_v1_le_stream")
def test_a_little_endian_stream_is_read_as_such(vector: Vector) -> None:
    rows = list(databus.iter_records(data_of(vector)))
    assert len(rows) == vector["n"]
    assert {row["byte_order"] for row in rows} == {vector["order"]}


@of_kind("event", id="file.DbusEventUpsertByOldJava")
def test_a_real_file_of_an_old_writer(vector: Vector) -> None:
    data = Path(vector["source"], "databus", "DbusEventUpsertByOldJava.evt").read_bytes()
    (row,) = databus.iter_records(data)
    assert java_fields(data, "auto") == vector["fields"]
    assert (row["dbus_event"]["attributes"], row["dbus_event"]["ext_replicated"]) == (0x0101, True)
    assert hashlib.sha256(databus.build(row)).hexdigest().startswith("485580aa")


# --- checksums and textual forms


@of_kind("crc")
def test_checksums_are_those_of_java(vector: Vector) -> None:
    data = bytes.fromhex(vector["hex"])
    assert sums.algorithm("crc32_zero")(data) == vector["ByteBufferCRC32"]
    assert sums.algorithm("crc32")(data) == vector["java_util_zip_CRC32"]


def some_event(**values: Any) -> Any:
    """The row of an event with these values and some others."""
    others = {"sequence": 5, "physical_partition_id": 3, "logical_partition_id": 2, "nano_timestamp": 1, "src_id": 15}
    fields = others | {"schema_id": bytes(16), "key": 123, "value": b"", "opcode": 1} | values
    return databus.parse(databus.build({"dbus_event": fields}))


@of_kind("base64")
def test_base64_is_that_of_java(vector: Vector) -> None:
    row = some_event(value=bytes.fromhex(vector["hex"]))
    line = databus.PROTOCOL.form("json").write(row)
    assert json.loads(line)["value"] == vector["encoded"]
    assert databus.PROTOCOL.form("json").read(line)["dbus_event"]["value"].hex() == vector["hex"]


def accepted(row: Vector) -> bool:
    """Whether Java makes an event of a line."""
    return row["kind"] == "json_in" and isinstance(row["result"], int)


@only(lambda row: accepted(row) and row["id"] not in LENIENT)
def test_a_line_that_java_reads_gives_its_event(vector: Vector) -> None:
    event = vector["events"][0]
    buffered = databus.parse(bytes.fromhex(event["hex"]))["dbus_event"]
    values = databus.PROTOCOL.form("json").read(vector["line"])["dbus_event"]
    assert values["sequence"] == json.loads(vector["line"])["sequence"]
    # What Java's buffer overwrites.
    values |= {"sequence": event["sequence"], "physical_partition_id": buffered["physical_partition_id"], "opcode": 1}
    assert databus.build({"dbus_event": values}, byte_order=vector["order"]).hex() == event["hex"]


@only(lambda row: accepted(row) and row["id"] in LENIENT)
def test_a_line_that_only_java_reads_is_refused(vector: Vector) -> None:
    with pytest.raises(ValueError, match=LENIENT[vector["id"]]):
        databus.build(databus.PROTOCOL.form("json").read(vector["line"]))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"schemaId": "YWJjZGVmZ2hpamtsbW5vcHE="}, "schema_id"),
        ({"endOfPeriod": "yes"}, "end_of_period: true or false expected, not 'yes'"),
    ],
)
def test_what_java_cuts_off_is_refused(values: dict[str, Any], told: str) -> None:
    found = json.loads(databus.PROTOCOL.form("json").write(some_event())) | values
    with pytest.raises(EncodeError, match=told):
        databus.build(databus.PROTOCOL.form("json").read(json.dumps(found)))


def test_a_value_that_is_gzip_is_kept() -> None:
    row = some_event(value=gzip.compress(b"a row"))
    again = databus.PROTOCOL.form("json").read(databus.PROTOCOL.form("json").write(row))
    assert again["dbus_event"]["value"] == row["dbus_event"]["value"]


@only(lambda row: row["kind"] == "json_in" and not accepted(row))
def test_a_line_that_java_refuses_is_refused(vector: Vector) -> None:
    with pytest.raises((DecodeError, EncodeError)):
        databus.build(databus.PROTOCOL.form("json").read(vector["line"]))
