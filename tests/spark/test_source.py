"""Captures in Spark: what the rows are, and what options and a schema of one's own make of them."""

from __future__ import annotations

import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.paths import ROOT
from support.plain_values import plain

from spark.records_and_rows import CUT_OFF, MARKER, STREAM, UNKNOWN, collected
from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample captures."""
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        from make_captures import make
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("captures")
    make(folder)
    return folder


@pytest.mark.parametrize("protocol", [couchbase_dcp, databus])
def test_rows_are_what_the_parser_returns(session: SparkSession, captures: Path, protocol: Any) -> None:
    name = protocol.PROTOCOL.name
    for path in sorted((captures / name).iterdir()):
        found = collected(session.read.format(name).load(str(path)))
        assert found == [plain(row, local=True) for row in protocol.iter_records(path.read_bytes(), "PERMISSIVE")]


@pytest.mark.parametrize("protocol", [couchbase_dcp, databus])
def test_the_schema_is_the_generated_one_comments_included(
    session: SparkSession, captures: Path, protocol: Any
) -> None:
    name = protocol.PROTOCOL.name
    schema = session.read.format(name).load(str(captures / name)).schema
    assert schema == protocol.spark_schema
    assert schema.json() == protocol.spark_schema.json()


def test_a_directory_is_all_files_in_it(session: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "day"
    folder.mkdir()
    (folder / "a.bin").write_bytes(MARKER)
    (folder / "b.bin").write_bytes(UNKNOWN + UNKNOWN)
    (folder / "_SUCCESS").write_bytes(b"no capture")
    (tmp_path / "c.bin").write_bytes(MARKER)
    assert session.read.format("couchbase_dcp").load(str(tmp_path)).count() == 4


def test_a_pattern_and_a_list_mean_several_files(session: SparkSession, tmp_path: Path) -> None:
    for name in ("a1.bin", "a2.bin", "b 1.bin"):
        (tmp_path / name).write_bytes(MARKER)
    read = session.read.format("couchbase_dcp")
    assert read.load(f"{tmp_path}/a*.bin").count() == 2
    assert read.load([str(tmp_path / "a1.bin"), f"file://{tmp_path}/b%201.bin"]).count() == 2


def test_a_name_that_is_no_utf_8_does_not_stop_a_folder(session: SparkSession, tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9.bin")).write_bytes(UNKNOWN)
    (tmp_path / "a.bin").write_bytes(UNKNOWN)
    frame = session.read.format("couchbase_dcp").option("positions", True).load(str(tmp_path))
    assert {row["_file"] for row in frame.collect()} == {f"{tmp_path}/a.bin", f"file://{tmp_path}/caf%E9.bin"}


def test_an_empty_file_and_an_empty_directory_have_no_rows(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty.bin").touch()
    assert session.read.format("databus").load(str(tmp_path / "nothing")).collect() == []
    assert session.read.format("databus").load(str(tmp_path / "empty.bin")).collect() == []


def test_small_files_share_tasks(session: SparkSession, tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.bin").write_bytes(UNKNOWN)
    rows = session.read.format("couchbase_dcp").load(str(tmp_path))
    assert rows.count() == 300
    assert rows.rdd.getNumPartitions() < 300


def test_many_records_come_in_many_batches(session: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "many.bin"
    path.write_bytes(UNKNOWN * 20_000)
    assert session.read.format("couchbase_dcp").load(str(path)).where("opcode = 182").count() == 20_000


# Options


def test_dropmalformed_drops(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("mode", "DROPMALFORMED").load(str(capture))
    assert [row.message for row in rows.collect()] == ["snapshot_marker", "unknown"]


def test_failfast_fails_naming_file_offset_and_reason(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("mode", "FAILFAST").load(str(capture))
    with pytest.raises(Exception, match=f"{capture}: truncated: record at byte 68: a record of 44 bytes, 43 left"):
        rows.collect()


def test_one_message_has_its_fields_beside_the_header(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("message", "snapshot_marker").load(str(capture))
    assert rows.select("message", "opcode", "end_seqno").collect() == [
        ("snapshot_marker", 0x56, 2),
        ("snapshot_marker", 0x56, None),
    ]
    assert [bytes(row._corrupt_record) for row in rows.where("_corrupt_record is not null").collect()] == [CUT_OFF]
    assert (
        rows.schema["end_seqno"].metadata
        == session.read.format("couchbase_dcp")
        .load(str(capture))
        .schema["snapshot_marker"]
        .dataType["end_seqno"]
        .metadata
    )


def test_labels_can_be_left_out(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("labels", False).load(str(capture))
    assert "status_name" not in rows.columns
    assert "snapshot_type_flags" not in rows.schema["snapshot_marker"].dataType.names
    assert rows.where("snapshot_marker is not null").select("snapshot_marker.snapshot_type").collect() == [(1,)]


def test_positions_say_where_a_record_stood(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("positions", "true").load(str(capture))
    found = rows.select("_file", "_offset", "_length").orderBy("_offset").collect()
    assert found == [(str(capture), 0, 44), (str(capture), 44, 24), (str(capture), 68, 43)]


def test_max_record_bytes_bounds_a_record(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("maxRecordBytes", 40).load(str(capture))
    assert rows.first()["_corrupt_reason"].startswith("too-long")  # type: ignore[index]


def test_a_parameter_of_the_protocol_is_an_option(session: SparkSession) -> None:
    rows = session.read.format("databus").option("repl_dbus", True).load(str(STREAM))
    assert rows.where("dbus_event.schema_version is null").count() == 0


# A schema of the user's own


def test_a_narrower_schema_is_honoured(session: SparkSession, capture: Path) -> None:
    narrow = "snapshot_marker struct<end_seqno: bigint, snapshot_type_flags: array<string>>, cas decimal(20,0)"
    rows = session.read.format("couchbase_dcp").schema(narrow).load(str(capture))
    assert rows.columns == ["snapshot_marker", "cas"]
    assert rows.first() == ((2, ["Memory"]), Decimal(2**64 - 1))


def test_a_schema_may_have_wider_types(session: SparkSession, captures: Path) -> None:
    read = session.read.format("couchbase_dcp")
    plainly = read.load(str(captures / "couchbase_dcp"))
    for column, kind in (
        ("opcode", "int"),
        ("opcode", "bigint"),
        ("opcode", "float"),
        ("opcode", "decimal(7,2)"),
        ("opaque", "decimal(20,1)"),
        ("cas", "decimal(22,2)"),
    ):
        wide = read.schema(f"message string, {column} {kind}").load(str(captures / "couchbase_dcp"))
        assert wide.schema[column].dataType.simpleString() == kind
        assert wide.collect() == plainly.selectExpr("message", f"cast({column} as {kind})").collect(), kind
    wide = read.schema("snapshot_marker struct<end_seqno: decimal(19,0)>").load(str(captures / "couchbase_dcp"))
    found = [row[0] and row[0].end_seqno for row in wide.collect()]
    assert found == [row[0] and row[0].end_seqno for row in plainly.select("snapshot_marker").collect()]
    assert any(found)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("opcode tinyint", "column opcode is smallint, not tinyint"),
        ("opcode decimal(5,1)", r"column opcode is smallint, not decimal\(5,1\)"),
        ("opaque float", "column opaque is bigint, not float"),
        ("opaque double", "column opaque is bigint, not double"),
        ("cas decimal(21,2)", r"column cas is decimal\(20,0\), not decimal\(21,2\)"),
        ("opcode string", "column opcode is smallint, not string"),
        ("mesage string", "unknown column 'mesage'; did you mean 'message'"),
        ("cas bigint", r"column cas is decimal\(20,0\), not bigint"),
        ("snapshot_marker struct<end: bigint>", "unknown column 'snapshot_marker.end'; did you mean "),
        ("snapshot_marker struct<end_seqno: int>", "column snapshot_marker.end_seqno is bigint, not int"),
        ("frame_infos string", "column frame_infos is array<.*, not string"),
        ("message string not null", "column message must be nullable"),
    ],
)
def test_a_schema_that_is_wrong_names_the_column(
    session: SparkSession, capture: Path, schema: str, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        session.read.format("couchbase_dcp").schema(schema).load(str(capture)).collect()
