"""Captures as a dataset of pyarrow: DuckDB and Polars read it as often as they want, and decode what they need."""

from typing import Any

import duckdb
import polars
import pyarrow as pa
import pytest
from pyarrow.compute import field
from support.paths import ROOT

from wireloom.columnar.tables import Table
from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp

SESSION = ROOT / "examples/captures/couchbase_dcp/session.bin"


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The columns that each scan is asked for."""
    seen: list[list[str]] = []
    scan = Table.scan

    def noted(self: Table, paths: Any, columns: Any = None, *given: Any, **options: Any) -> pa.RecordBatchReader:
        seen.append(columns)
        return scan(self, paths, columns, *given, **options)

    monkeypatch.setattr(Table, "scan", noted)
    return seen


def test_two_statements_of_duckdb_read_the_same_dataset() -> None:
    frames = couchbase_dcp.dataset(SESSION, mode="PERMISSIVE")
    expected = couchbase_dcp.scan(SESSION, mode="PERMISSIVE").read_all()
    with duckdb.connect() as connection:
        connection.register("frames", frames)
        for _ in range(2):
            assert connection.execute("select count(*) from frames").fetchall() == [(expected.num_rows,)]
        ((markers,),) = connection.execute("select count(snapshot_marker) from frames").fetchall()
    assert markers == expected.num_rows - expected["snapshot_marker"].null_count


def test_unsigned_numbers_stay_unsigned_in_duckdb() -> None:
    frame = couchbase_dcp.build({"cas": 2**64 - 1, "message": "dcp_noop"})
    frames = couchbase_dcp.dataset(SESSION, mode="DROPMALFORMED", types="duckdb", columns=["cas", "opcode_name"])
    with duckdb.connect() as connection:
        connection.register("frames", frames)
        kinds = dict(connection.execute("select typeof(cas), typeof(opcode_name) from frames limit 1").fetchall())
    assert kinds == {"UBIGINT": "VARCHAR"}
    assert couchbase_dcp.decode_columnar(frame, types="duckdb")["cas"].to_pylist() == [2**64 - 1]


def test_lazy_frames_of_polars_decode_what_they_use(scanned: list[list[str]]) -> None:
    frames = polars.scan_pyarrow_dataset(couchbase_dcp.dataset(SESSION, mode="DROPMALFORMED", types="polars"))
    scanned.clear()
    found = frames.filter(polars.col("opcode") == 0x56).select("vbucket").collect()
    assert scanned == [["opcode", "vbucket"]]
    expected = couchbase_dcp.scan(SESSION, mode="DROPMALFORMED", filters=[("opcode", "=", 0x56)]).read_all()
    assert found["vbucket"].to_list() == expected["vbucket"].to_pylist() != []


def test_methods_of_datasets() -> None:
    frames = couchbase_dcp.dataset(SESSION, mode="DROPMALFORMED")
    rows = couchbase_dcp.scan(SESSION, mode="DROPMALFORMED").read_all()
    assert frames.to_table().equals(rows)
    assert frames.count_rows() == rows.num_rows
    assert frames.head(3).equals(rows.slice(0, 3))
    assert frames.head(0).schema.equals(rows.schema)
    chosen = frames.to_table(columns=["vbucket"], filter=field("opcode") == 0x56)
    assert chosen.schema.names == ["vbucket"]
    assert 0 < chosen.num_rows < rows.num_rows
    assert frames.scanner(filter=field("opcode") == 0x56).count_rows() == chosen.num_rows
    assert sum(map(len, frames.to_batches(columns=[]))) == rows.num_rows


def test_columns_that_were_chosen_are_all_there_are() -> None:
    frames = couchbase_dcp.dataset(SESSION, ["snapshot_marker.end_seqno", "vbucket"], mode="DROPMALFORMED")
    assert frames.schema.names == ["snapshot_marker", "vbucket"]
    assert [each.name for each in frames.to_table().schema.field("snapshot_marker").type] == ["end_seqno"]


def test_wrong_options_are_refused_at_once() -> None:
    with pytest.raises(OptionError, match="unknown column 'vbuckt'; did you mean 'vbucket'"):
        couchbase_dcp.dataset(SESSION, ["vbuckt"])
