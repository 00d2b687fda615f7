"""Lines of JSON of Databus V1, and its checksums, against what Java reads and writes.

Leniencies of Java's JSON reader that are not followed (``LENIENT``): it takes numbers that wrap or have a fraction,
text that is no Base64 for an empty value, and an end of a window of which only the time and the sequence are told. It
overwrites what this codec reads: the sequence and the physical partition by those of its buffer, the opcode by UPSERT,
and a gzip value by what is in it. Why is said in docs/decisions/0074-databus-beside-java.md.
"""

import gzip
import json
from typing import Any

import pytest
from support import sums
from support.vectors import Vector

from protocols.databus_vectors import of_kind, only
from wireloom.codec import DecodeError, EncodeError
from wireloom_protocols import databus

LENIENT = {
    "json_in.key_float": "key: a whole number expected, not 123.9",
    "json_in.key_big": "key: 9223372036854775808 does not fit 64 bits",
    "json_in.srcId_wraps": "src_id: 70000 does not fit 16 bits",
    "json_in.value_urlsafe_chars": "json: value at byte 0: not Base64",
    "json_in.eop_bool": "json: logicalPartitionId at byte 0: missing",
    "json_in.eop_string": "json: logicalPartitionId at byte 0: missing",
}
"""Lines of JSON that Java reads and this codec refuses, and how."""


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
