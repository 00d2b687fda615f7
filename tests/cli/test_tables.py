"""Parquet and Arrow files that the program writes and reads."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from support.lockstep import misleading

from cli.calls import CUT_OFF, MARKER, STREAM, UNKNOWN, run
from wireloom_protocols import couchbase_dcp


def test_parquet_and_arrow_hold_what_jsonl_shows(capture: Path, tmp_path: Path) -> None:
    tables = []
    for name in ("parquet", "arrow"):
        run("decode", "couchbase_dcp", capture, "--format", name, "--output", tmp_path / name)
    tables = [parquet.read_table(tmp_path / "parquet"), pa.ipc.open_file(tmp_path / "arrow").read_all()]
    for table in tables:
        assert table.schema.equals(couchbase_dcp.arrow_schema)
        assert table.column("message").to_pylist() == ["snapshot_marker", "unknown", "snapshot_marker"]
        assert table.column("_corrupt_record").to_pylist()[2] == CUT_OFF
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_a_table_is_written_to_the_bytes_it_came_from(name: str, capture: Path, tmp_path: Path) -> None:
    run("decode", "couchbase_dcp", capture, "--format", name, "--output", tmp_path / "table")
    run("encode", "couchbase_dcp", tmp_path / "table", "--output", tmp_path / "bytes")
    assert (tmp_path / "bytes").read_bytes() == capture.read_bytes()
    lines = run("encode", "couchbase_dcp", tmp_path / "table", "--hex").stdout.split()
    assert lines == [MARKER.hex(), UNKNOWN.hex(), CUT_OFF.hex()]


def test_a_table_is_written_to_a_textual_form(tmp_path: Path) -> None:
    run("decode", "databus", STREAM, "--format", "arrow", "--mode", "DROPMALFORMED", "--output", tmp_path / "table")
    piped = run("decode", "databus", STREAM, "--mode", "DROPMALFORMED").stdout.encode()
    lines = run("encode", "databus", "-", "--form", "json", stdin=piped).stdout
    assert run("encode", "databus", tmp_path / "table", "--form", "json").stdout == lines


def test_a_row_of_a_table_that_cannot_be_written_is_told_by_its_number(tmp_path: Path) -> None:
    table = pa.table({"message": ["dcp_noop", "dcp_noop", "noop!"]})
    parquet.write_table(table, tmp_path / "table")
    found = run("encode", "couchbase_dcp", tmp_path / "table", status=1)
    assert found.stderr.startswith(f"wireloom: {tmp_path / 'table'}: row 2: message: unknown message 'noop!'")


def test_a_table_that_is_cut_off_is_told(capture: Path, tmp_path: Path) -> None:
    run("decode", "couchbase_dcp", capture, "--format", "parquet", "--output", tmp_path / "table")
    (tmp_path / "table").write_bytes((tmp_path / "table").read_bytes()[:3000])
    found = run("encode", "couchbase_dcp", tmp_path / "table", status=1)
    assert found.stderr.startswith(f"wireloom: {tmp_path / 'table'}: ")


def test_a_table_that_leads_out_of_its_memory_is_told(tmp_path: Path) -> None:
    run("decode", "databus", STREAM, "--format", "arrow", "--mode", "DROPMALFORMED", "--output", tmp_path / "good")
    given = misleading(pa.ipc.open_file(tmp_path / "good").read_all(), "dbus_event", "value")
    with pa.ipc.new_file(tmp_path / "table", given.schema) as file:
        file.write(given)
    found = run("encode", "databus", tmp_path / "table", status=1)
    assert found.stderr.startswith(f"wireloom: {tmp_path / 'table'}: ")
    assert "Offset invariant failure" in found.stderr


def test_tables_have_all_columns(capture: Path) -> None:
    told = run("decode", "couchbase_dcp", capture, "--format", "arrow", "--no-nulls", status=2).stderr
    assert told == "wireloom: --nulls and --no-nulls need --format jsonl; arrow has all columns\n"
