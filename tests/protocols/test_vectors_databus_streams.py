"""Streams of Databus V1 against what Java found in them."""

import hashlib
from pathlib import Path

import pytest
from support.vectors import Vector, data_of

from protocols.databus_vectors import beside, forms, java_fields, of_kind, only, said_events
from wireloom_protocols import databus


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
