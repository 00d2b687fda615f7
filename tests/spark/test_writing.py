"""DataFrames written as captures: what is read back is the same again, record for record and byte for byte."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain, groupby, product
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from support import compiled, vectors
from support.paths import ROOT

from spark.records_and_rows import CUT_OFF, MARKER, STREAM, UNKNOWN, collected
from spark.written_folders import content, everything, save, seen
from wireloom import registry
from wireloom.options import resolve

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

CAPTURES = ROOT / "examples" / "captures"


def told(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows, the reasons of malformed ones without the byte of the file they name."""
    rows = collected(frame)
    for row in rows:
        row["_corrupt_reason"] = re.sub(r"at byte \d+", "", row["_corrupt_reason"] or "")
    return rows


def assert_same_again(session: SparkSession, source: Path, target: Path, name: str, **options: Any) -> None:
    """See that what is read from ``source`` and written to ``target`` gives the same rows and the same bytes."""
    read = session.read.format(name).options(**options)
    rows = read.load(str(source)).coalesce(1)
    save(rows, target, name, **options)
    assert told(read.load(str(target)).coalesce(1)) == told(rows)
    assert content(target) == (source.read_bytes() if source.is_file() else content(source))


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*/*.bin")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_sample_captures_are_the_same_again(session: SparkSession, tmp_path: Path, path: Path) -> None:
    assert_same_again(session, path, tmp_path / "again", path.parent.name)


def vector_files(folder: Path, rows: list[vectors.Vector]) -> Path:
    """A folder with a file for each of the vectors, or for some hundred of them."""
    folder.mkdir()
    found = sorted({vectors.data_of(row) for row in rows if row.get("hex")})
    for number, data in enumerate(found[:: max(1, len(found) // 300)]):
        (folder / f"{number:06}.bin").write_bytes(data)
    return folder


DCP = (
    "couchbase_dcp/frames.jsonl",
    "couchbase_dcp/seed_frames.jsonl",
    "couchbase_dcp_all/doc_frames.jsonl",
    "couchbase_dcp_all/other_doc_frames.jsonl",
)
DATABUS = ("databus/vectors.jsonl",)


@pytest.mark.parametrize(("name", "files"), [("couchbase_dcp", DCP), ("databus", DATABUS)])
def test_vectors_are_the_same_again(session: SparkSession, tmp_path: Path, name: str, files: tuple[str, ...]) -> None:
    folder = vector_files(tmp_path / "vectors", vectors.committed(*files))
    assert_same_again(session, folder, tmp_path / "again", name)


@pytest.mark.parametrize(("name", "files"), [("couchbase_dcp", DCP), ("databus", DATABUS)])
def test_external_vectors_are_the_same_again(
    session: SparkSession, vectors_at: Path, tmp_path: Path, name: str, files: tuple[str, ...]
) -> None:
    folder = vector_files(tmp_path / "vectors", vectors.external(*files))
    assert_same_again(session, folder, tmp_path / "again", name)


@pytest.fixture
def vectors_at(request: pytest.FixtureRequest) -> Path:
    """The directory of external vectors."""
    path: Path = request.getfixturevalue("vectors")
    return path


def test_external_streams_are_the_same_again(session: SparkSession, vectors_at: Path, tmp_path: Path) -> None:
    for path in sorted((vectors_at / "databus").glob("stream*.bin")):
        assert_same_again(session, path, tmp_path / path.stem, "databus")


# What is written


@pytest.mark.parametrize(
    "options",
    [
        {"labels": False},
        {"positions": True},
        {"message": "snapshot_marker"},
        {"message": "snapshot_marker", "labels": False, "positions": True, "columnNameOfCorruptRecord": "_raw"},
        {"columns": "message, snapshot_marker, cas, _corrupt_record"},
    ],
)
def test_a_view_is_written_as_the_records_it_is_of(
    session: SparkSession, tmp_path: Path, options: dict[str, Any]
) -> None:
    (tmp_path / "capture.bin").write_bytes(MARKER + MARKER + CUT_OFF)
    rows = session.read.format("couchbase_dcp").options(**options).load(str(tmp_path / "capture.bin"))
    renamed = {name: value for name, value in options.items() if name == "columnNameOfCorruptRecord"}
    save(rows, tmp_path / "out", **renamed)
    assert content(tmp_path / "out") == MARKER + MARKER + CUT_OFF


def test_what_is_derived_or_known_is_filled_in(session: SparkSession, tmp_path: Path) -> None:
    rows = session.sql(
        "SELECT 18446744073709551615 AS cas, named_struct('start_seqno', 1, 'end_seqno', CAST(2 AS SMALLINT),"
        " 'snapshot_type_flags', array('Memory'), 'variant', null) AS snapshot_marker, null AS status"
    )
    save(rows, tmp_path / "out")
    assert content(tmp_path / "out") == MARKER


@pytest.mark.parametrize("options", [{}, {"message": "snapshot_marker"}])
def test_fields_of_one_message_need_not_say_which(
    session: SparkSession, tmp_path: Path, options: dict[str, str]
) -> None:
    rows = session.sql("SELECT 18446744073709551615 AS cas, 1 AS start_seqno, 2 AS end_seqno, 1 AS snapshot_type")
    save(rows, tmp_path / "out", **options)
    assert content(tmp_path / "out") == MARKER


def test_the_byte_order_of_a_row_wins(session: SparkSession, tmp_path: Path) -> None:
    rows = session.read.format("databus").load(str(STREAM))
    save(rows, tmp_path / "out", "databus", byte_order="little")
    assert content(tmp_path / "out") == STREAM.read_bytes()
    save(rows.drop("byte_order", "dbus_event.header_crc"), tmp_path / "other", "databus", byte_order="big")
    assert content(tmp_path / "other") == STREAM.read_bytes()


def test_a_record_behind_one_that_is_cut_off_begins_a_new_file(session: SparkSession, tmp_path: Path) -> None:
    for number, data in enumerate([CUT_OFF, UNKNOWN, CUT_OFF]):
        (tmp_path / f"{number}.bin").write_bytes(data)
    save(session.read.format("couchbase_dcp").load(f"{tmp_path}/*.bin").coalesce(1), tmp_path / "out")
    assert [path.read_bytes() for path in seen(tmp_path / "out")] == [CUT_OFF, UNKNOWN + CUT_OFF]


def test_only_the_last_record_of_a_file_lacks_its_terminator(session: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark import register

    with compiled.installed("unterminated_record", "of_lines", tmp_path / "package"):
        session.sparkContext.addPyFile(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "package"))
        register(session, "of_lines.unterminated_record", name="lines")
        for number, data in enumerate([b"N4:a\nN4:b", b"N4:c", b"N4:d\n", b"N4:e"]):
            (tmp_path / f"{number}.bin").write_bytes(data)
        rows = session.read.format("lines").load(f"{tmp_path}/*.bin").coalesce(1)
        save(rows, tmp_path / "out", "lines")
        assert content(tmp_path / "out") == b"N4:a\nN4:b\nN4:c\nN4:d\nN4:e"
        again = session.read.format("lines").load(str(tmp_path / "out"))
        assert [row.line_end for row in again.collect()] == [None, None, None, None, b""]


def test_records_between_malformed_ranges_are_the_same_again(session: SparkSession, tmp_path: Path) -> None:
    doubted = UNKNOWN[:5] + b"\x28" + UNKNOWN[6:]
    lines = [UNKNOWN, b"????", UNKNOWN, b"????????", doubted, b"??", UNKNOWN]
    source = tmp_path / "read"
    source.mkdir()
    for number, data in enumerate(lines):
        (source / f"{number}.bin").write_bytes(data)
    assert_same_again(session, source, tmp_path / "again", "couchbase_dcp")


def test_rows_are_divided_into_the_same_files_in_whatever_batches_they_come() -> None:
    from wireloom.spark.written_records import WrittenRecords, apart, runs

    protocol = registry.protocol("couchbase_dcp")
    known = resolve(protocol.parameters, {})

    def files(records: Iterable[WrittenRecords]) -> list[bytes]:
        return [b"".join(data for _, data in of) for _, of in groupby(apart(iter(records), protocol), itemgetter(0))]

    def batch(rows: tuple[bytes, ...]) -> Iterator[WrittenRecords]:
        reasons = {number: "" for number, data in enumerate(rows) if data in (CUT_OFF, b"????")}
        return runs(pa.array(rows, pa.binary()), reasons, known, single=False)

    for some in product((UNKNOWN, CUT_OFF, b"????", b""), repeat=3):
        rows = (*[MARKER] * 3, *some, *[MARKER] * 3)
        reasons = ("" if data in (CUT_OFF, b"????") else None for data in rows)
        expected = files(WrittenRecords(data, reason, False, known) for data, reason in zip(rows, reasons, strict=True))
        for place in range(2, 8):
            assert files(chain(batch(rows[:place]), batch(rows[place:]))) == expected
    assert len(list(batch((UNKNOWN,) * 1000))) == 4


@pytest.mark.parametrize(("compression", "suffix"), [("none", ""), ("gzip", ".gz"), ("ZSTD", ".zst")])
def test_compression_is_in_the_name(session: SparkSession, tmp_path: Path, compression: str, suffix: str) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN * 1000),)], "_corrupt_record binary")
    save(rows.coalesce(1), tmp_path / "out", compression=compression)
    (path,) = seen(tmp_path / "out")
    assert re.fullmatch(r"part-00000-[0-9a-f-]{36}-c00000\.couchbase_dcp\.bin" + re.escape(suffix), path.name)
    assert (path.stat().st_size < 1000) == bool(suffix)
    assert session.read.format("couchbase_dcp").load(str(tmp_path / "out")).count() == 1000


def test_each_partition_has_its_file_and_no_rows_no_file(session: SparkSession, tmp_path: Path) -> None:
    rows = session.range(0, 40, 1, 20).selectExpr("'unknown' AS message", "128 AS magic", "182 AS opcode")
    save(rows, tmp_path / "many")
    assert [path.read_bytes() for path in seen(tmp_path / "many")] == [UNKNOWN + UNKNOWN] * 20
    for number, empty in enumerate([rows.where("false"), session.createDataFrame([], rows.schema)]):
        save(empty, tmp_path / f"empty{number}")
        assert everything(tmp_path / f"empty{number}") == ["_SUCCESS"]
        assert session.read.format("couchbase_dcp").load(str(tmp_path / f"empty{number}")).collect() == []


def test_a_filesystem_that_is_not_this_machines_own(session: SparkSession, tmp_path: Path) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN),)], "_corrupt_record binary")
    for mode in ("append", "append", "overwrite"):
        save(rows, f"local://{tmp_path}/out", mode=mode)
    assert content(tmp_path / "out") == UNKNOWN
    assert everything(tmp_path / "out") == ["_SUCCESS", seen(tmp_path / "out")[0].name]


def test_values_are_those_python_has() -> None:
    from wireloom.columnar.python_values import to_python

    kind = pa.struct([("big", pa.decimal128(20, 0)), ("all", pa.list_(pa.decimal128(20, 0))), ("ratio", pa.float64())])
    rows = [{"big": 2**64 - 1, "all": [1, None], "ratio": 0.5}, None, {"big": None, "all": None, "ratio": None}]
    found = to_python(pa.array(rows, kind))
    assert found == rows
    assert isinstance(found[0]["all"][0], int)
    assert to_python(pa.array([Decimal("1.5")])) == [Decimal("1.5")]
    assert str(to_python(pa.array([float("nan"), float("-inf")]))) == "[nan, -inf]"
