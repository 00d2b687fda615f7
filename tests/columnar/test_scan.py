"""Files as a stream of Arrow batches: what ``scan`` reads, filters and tells."""

from __future__ import annotations

import gzip
import re
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest
from support import compiled

from wireloom.codec import DecodeError
from wireloom.columnar.filters import filterable
from wireloom.columnar.tables import Table
from wireloom.files import created, removed
from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp as p

UNKNOWN = p.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "cas": 2**64 - 1, "unknown": {}})
MARKER = p.build({"snapshot_marker": {"start_seqno": 1, "end_seqno": 8, "snapshot_type": 1}})
BAD_LOG = bytes.fromhex("81540000 00000000 00000001 00000000 0000000000000000 00")
"""A failover log whose value is one byte."""


def rows(reader: pa.RecordBatchReader) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = reader.read_all().to_pylist()
    return found


def opcodes(path: Path, **given: Any) -> list[int | None]:
    return [row["opcode"] for row in rows(p.scan(path, ["opcode"], **given))]


# Paths


def test_a_scan_gives_what_the_table_of_the_bytes_has(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(capture := (UNKNOWN + MARKER) * 100)
    expected = p.decode_columnar(capture)
    assert p.scan(tmp_path / "capture.bin").read_all() == expected
    assert p.decode_columnar(tmp_path / "capture.bin") == expected
    assert p.decode_columnar(str(tmp_path / "capture.bin"), columns=["opcode"]) == expected.select(["opcode"])


@pytest.mark.parametrize("given", ["", "*.bin*", "{a,b}.bin*"])
def test_folders_patterns_and_compressed_files_are_read_in_order(tmp_path: Path, given: str) -> None:
    (tmp_path / "a.bin").write_bytes(UNKNOWN)
    (tmp_path / "b.bin.gz").write_bytes(gzip.compress(MARKER))
    (tmp_path / "c.bin").write_bytes(b"")
    found = rows(p.scan(f"{tmp_path}/{given}", ["message", "_file", "_offset"], positions=True))
    assert [tuple(row.values()) for row in found] == [
        ("unknown", f"{tmp_path}/a.bin", 0),
        ("snapshot_marker", f"{tmp_path}/b.bin.gz", 0),
    ]


@pytest.mark.parametrize("scheme", ["memory", "mock"])
def test_files_may_be_on_any_filesystem(scheme: str) -> None:
    folder = f"{scheme}://{uuid4().hex}/top"
    try:
        for name in ("1.bin", "2.bin"):
            with created(f"{folder}/{name}") as file:
                file.write(MARKER)
        found = rows(p.scan([f"{folder}/2.bin", f"{folder}/1.bin"], ["_file"], positions=True))
        assert [row["_file"] for row in found] == [f"{folder}/2.bin", f"{folder}/1.bin"]
    finally:
        removed(folder)


def test_a_path_without_files_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is no file or directory"):
        p.scan(tmp_path / "nothing.bin")


def test_a_file_larger_than_a_batch_is_several(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN * 100_000)
    read = 0
    with p.scan(tmp_path, ["opcode"]) as reader:
        first = reader.read_next_batch()
        assert 0 < first.num_rows < 100_000  # the rest is not read yet
        read = first.num_rows + sum(batch.num_rows for batch in reader)
    assert read == 100_000


def test_files_are_opened_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(UNKNOWN * 20_000)
    (tmp_path / "b.bin").write_bytes(UNKNOWN)
    reader = p.scan(tmp_path, ["opcode"])
    assert reader.read_next_batch().num_rows == 20_000
    (tmp_path / "b.bin").unlink()
    with pytest.raises(FileNotFoundError, match=r"b\.bin"):
        reader.read_next_batch()


def test_small_files_are_one_batch(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.bin").write_bytes(UNKNOWN)
    (batch,) = p.scan(tmp_path, ["opcode"])
    assert batch.num_rows == 20


# Options


def test_one_message_has_its_fields_beside_the_headers(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN + MARKER)
    (row,) = rows(p.scan(tmp_path, ["opcode", "end_seqno"], message="snapshot_marker"))
    assert row == {"opcode": 0x56, "end_seqno": 8}


@pytest.mark.parametrize("listed", [["snapshot_marker", "unknown"], "unknown,snapshot_marker"])
def test_several_messages_have_their_structs(tmp_path: Path, listed: Any) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN + BAD_LOG + MARKER + b"\0" * 30)
    reader = p.scan(tmp_path, messages=listed, mode="PERMISSIVE")
    others = set(p.messages) - {"snapshot_marker", "unknown"}
    assert reader.schema.names == [name for name in p.arrow_schema.names if name not in others]
    assert reader.schema.field("unknown").type == p.arrow_schema.field("unknown").type
    noop, marker, torn = rows(reader)
    assert (noop["message"], noop["unknown"]["value"], noop["snapshot_marker"]) == ("unknown", b"", None)
    assert (marker["message"], marker["unknown"], marker["snapshot_marker"]["end_seqno"]) == (
        "snapshot_marker",
        None,
        8,
    )
    assert (torn["message"], torn["_corrupt_record"]) == (None, b"\0" * 30)
    with pytest.raises(OptionError, match="unknown column 'system_event'"):
        p.scan(tmp_path, ["system_event"], messages=listed)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"messages": ["snapshot_markr"]}, "unknown message 'snapshot_markr'; did you mean 'snapshot_marker'?"),
        ({"messages": []}, "messages must be a comma-separated list of names, not ''"),
        ({"messages": ["unknown"], "message": "unknown"}, "message and messages exclude each other"),
    ],
)
def test_messages_that_mean_nothing_are_refused(tmp_path: Path, given: Any, said: str) -> None:
    with pytest.raises(OptionError, match=re.escape(said)):
        p.scan(tmp_path, **given)


def test_parameters_and_options_are_those_of_other_readers(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(MARKER)
    schema = p.scan(tmp_path, message="snapshot_marker", u64="decimal", labels=False).schema
    assert schema.field("end_seqno").type == pa.decimal128(20, 0)
    assert "opcode_name" not in schema.names
    with pytest.raises(OptionError, match="unknown option 'label'; did you mean 'labels'"):
        p.scan(tmp_path, label=False)
    with pytest.raises(OptionError, match="columns must be a list of names, not 'opcode'"):
        p.scan(tmp_path, "opcode")


# Malformed records


def test_an_error_names_the_file_and_the_offset(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(UNKNOWN)
    (tmp_path / "b.bin").write_bytes(UNKNOWN + MARKER[:-1])
    with pytest.raises(DecodeError) as raised:
        p.scan(tmp_path).read_all()
    assert (raised.value.file, raised.value.offset, raised.value.code) == (f"{tmp_path}/b.bin", 24, "truncated")
    assert str(raised.value).startswith(f"{tmp_path}/b.bin: truncated: record at byte 24: ")


def test_malformed_records_are_rows_or_left_out_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN + BAD_LOG + UNKNOWN)
    assert opcodes(tmp_path, mode="PERMISSIVE") == [0xB6, 0x54, 0xB6]
    assert opcodes(tmp_path, mode="DROPMALFORMED") == [0xB6, 0xB6]
    (first, second) = caplog.messages
    assert first == second
    assert first.startswith(f"wireloom: {tmp_path}/capture.bin: 1 of 3 records malformed (25 bytes), the first: ")


# A table a message


@pytest.mark.parametrize("form", ["bytes", "path", "paths"])
def test_a_table_a_message_is_what_the_option_message_gives(tmp_path: Path, form: str) -> None:
    capture = (UNKNOWN + MARKER + BAD_LOG) * 40
    (tmp_path / "capture.bin").write_bytes(capture)
    given: Any = {"bytes": capture, "path": tmp_path / "capture.bin", "paths": [tmp_path]}[form]
    options = {"mode": "PERMISSIVE", "labels": False}
    found = p.decode_by_message(given, **options)
    assert list(found) == ["failover_log_response", "snapshot_marker", "unknown"]  # as they stand in the protocol
    for message, table in found.items():
        expected = p.decode_columnar(capture, message=message, **options)
        assert expected.num_rows == 40
        assert table.equals(expected)
        assert table.schema.equals(expected.schema, check_metadata=True)


def test_a_malformed_record_of_no_message_has_a_table_of_its_own() -> None:
    found = p.decode_by_message(UNKNOWN + b"\0" * 30, mode="PERMISSIVE", positions=True)
    assert list(found) == ["unknown", "no-message"]
    (row,) = found["no-message"].to_pylist()
    assert (row["message"], row["opcode"], row["_corrupt_record"], row["_offset"]) == (None, None, b"\0" * 30, 24)
    header = [name for name in p.arrow_schema.names if name not in p.messages]
    assert found["no-message"].schema.names == [*header, "_file", "_offset", "_length"]


def test_listed_messages_have_tables_without_rows_too() -> None:
    assert p.decode_by_message(b"") == {}
    found = p.decode_by_message(UNKNOWN + MARKER, messages=["system_event", "snapshot_marker"])
    assert {name: table.num_rows for name, table in found.items()} == {"snapshot_marker": 1, "system_event": 0}
    assert found["system_event"].schema == p.decode_columnar(b"", message="system_event").schema


def test_tables_by_message_fail_as_a_single_one_does(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN + BAD_LOG)
    for given in (tmp_path / "capture.bin", UNKNOWN + BAD_LOG):
        with pytest.raises(DecodeError) as expected:
            p.decode_columnar(given)
        with pytest.raises(DecodeError, match=re.escape(str(expected.value))):
            p.decode_by_message(given)
    for wrong in ({"message": "unknown"}, {"columns": "opcode"}):
        with pytest.raises(OptionError, match=f"does not accept {next(iter(wrong))}; messages selects some"):
            p.decode_by_message(UNKNOWN, **wrong)


# Filters


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([("opcode", "=", 0x56)], [0x56]),
        ([("opcode", "in", [0x54, 0x56])], [0x54, 0x56]),
        ([("opcode", ">", 0x54), ("opcode", "<=", 0xB6)], [0xB6, 0x56]),
        ([("opcode", ">=", 0x54), ("opcode", "<", 0x56)], [0x54]),
        ([("message", "=", "snapshot_marker")], [0x56]),
        ([("message", "in", ("unknown", "snapshot_marker"))], [0xB6, 0x56]),
        ([("cas", "=", 2**64 - 1)], [0xB6]),
        ([("cas", "<", 2**64)], [0x54, 0xB6, 0x56]),
        ([("cas", "=", Decimal(2**64 - 1))], [0xB6]),  # as its column has it
        ([("cas", "in", [Decimal("18446744073709551615.0"), 7])], [0xB6]),
        ([("opcode", "=", Decimal(0x56))], [0x56]),
        ([("cas", "=", np.uint64(2**64 - 1)), ("opcode", "<", np.int64(0xB7))], [0xB6]),
        ([("opcode", "<", -1)], []),
        ([("opcode", "=", p.ClientOpcode.DcpSnapshotMarker)], [0x56]),
        ([("vbucket", "=", 0)], [0xB6, 0x56]),  # a response has none
    ],
)
@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])
def test_filters_leave_out_what_does_not_fit(
    tmp_path: Path, mode: str, filters: list[tuple[str, str, Any]], expected: list[int]
) -> None:
    (tmp_path / "capture.bin").write_bytes(BAD_LOG + UNKNOWN + MARKER)
    if mode == "FAILFAST" and 0x54 in expected:
        with pytest.raises(DecodeError):
            opcodes(tmp_path, filters=filters)
        return
    kept = [each for each in expected if mode == "PERMISSIVE" or each != 0x54]
    assert opcodes(tmp_path, mode=mode, filters=filters) == kept


def test_filters_judge_records_that_are_cut_off(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN + MARKER[:-1])
    assert opcodes(tmp_path, filters=[("opcode", "=", 0xB6)]) == [0xB6]
    assert opcodes(tmp_path, mode="PERMISSIVE", filters=[("opcode", "=", 0x56)]) == [0x56]


def test_filters_keep_what_has_no_header(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN + b"\0" * 30)
    assert opcodes(tmp_path, mode="PERMISSIVE", filters=[("opcode", "=", 0x56)]) == [None]


def test_filters_judge_what_only_the_codec_reads(tmp_path: Path) -> None:
    """Every feature of the language: a filter gives the rows that fit it, whoever has read them."""
    tried = 0
    for name in compiled.FEATURES:
        found = compiled.feature(name)
        capture = b"".join(example.data for _, example in compiled.worked(found.protocol) if not example.malformed)
        (tmp_path / name).write_bytes(capture)
        table = Table(found.codec, {})
        whole = rows(table.scan(tmp_path / name, mode="PERMISSIVE"))
        for column in filterable(found.codec) - {"message"}:
            for value in {row[column] for row in whole if row[column] is not None}:
                expected = [row for row in whole if row["message"] is None or row[column] == value]
                filtered = rows(table.scan(tmp_path / name, filters=[(column, "=", value)], mode="PERMISSIVE"))
                assert str(filtered) == str(expected)  # a NaN is not equal to itself
                tried += 1
    assert tried > 50


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("opcode", "filters are tuples of a column, an operator and a value, not 'o'"),
        ([("opcod", "=", 1)], "unknown column 'opcod'; did you mean 'opcode'"),
        ([("opcode_name", "=", "x")], "filters are for the message and integers of the header"),
        ([("snapshot_marker", "=", 1)], "filters are for the message and integers of the header"),
        ([("opcode", "==", 1)], "a filter on opcode has one of the operators =, <, <=, >, >=, in, not '=='"),
        ([("message", "<", "x")], "a filter on message has one of the operators =, in, not '<'"),
        ([("message", "=", "marker")], "unknown message 'marker'"),
        ([("opcode", "=", "86")], "a filter on opcode compares it with integers, not '86'"),
        ([("opcode", "=", np.bool_(True))], "a filter on opcode compares it with integers, not"),
        ([("cas", "=", Decimal("0.5"))], r"a filter on cas compares it with integers, not Decimal\('0.5'\)"),
        ([("cas", "=", Decimal("sNaN"))], "a filter on cas compares it with integers, not"),
        ([("cas", "=", Decimal("-Infinity"))], "a filter on cas compares it with integers, not"),
        ([("message", "=", ["unknown"])], "unknown message"),
        ([("opcode", "=", True)], "a filter on opcode compares it with integers, not True"),
        ([("opcode", "in", 86)], "a filter on opcode with in has a list of values, not 86"),
        ([("opcode", "in", [])], r"a filter on opcode with in has a list of values, not \[\]"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(tmp_path: Path, wrong: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        p.scan(tmp_path, filters=wrong)


# Rows


def test_rows_become_batches() -> None:
    capture = (UNKNOWN + MARKER) * 10
    reader = p.to_batches(p.iter_records(capture))
    assert reader.schema.equals(p.arrow_schema, check_metadata=True)
    assert reader.read_all() == p.decode_columnar(capture)


# Comments


def test_columns_carry_the_specs_words() -> None:
    comments = {
        "opcode": "The command.",
        "vb_uuid": "The branch: not 0, and below 2^48 in practice.",
    }
    entry = p.arrow_schema.field("failover_log_response").type.field("entries").type.value_type
    for field in (p.arrow_schema.field("opcode"), entry.field("vb_uuid")):
        assert field.metadata == {b"comment": comments[field.name].encode()}


def test_views_keep_the_comments(tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(MARKER)
    whole = p.arrow_schema.field("snapshot_marker").type
    reader = p.scan(tmp_path, ["opcode", "end_seqno", "bad"], "snapshot_marker", columnNameOfCorruptRecord="bad")
    assert reader.schema.field("opcode").metadata == p.arrow_schema.field("opcode").metadata
    assert reader.schema.field("end_seqno").metadata == whole.field("end_seqno").metadata
    assert reader.schema.field("bad").metadata == p.arrow_schema.field("_corrupt_record").metadata
    assert reader.read_all().schema.field("opcode").metadata
    nested = p.scan(tmp_path, ["snapshot_marker.end_seqno"]).schema.field("snapshot_marker").type
    assert nested.field("end_seqno").metadata == whole.field("end_seqno").metadata
