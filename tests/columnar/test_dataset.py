"""Captures as a dataset of pyarrow: DuckDB and Polars read it as often as they want, and decode what they need."""

from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.dataset
import pytest
from pyarrow.compute import field
from pyarrow.dataset import Dataset
from support.paths import ROOT

from wireloom.columnar.dataset import CaptureDataset
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


def test_polars_finds_unsigned_numbers_if_it_filters_itself(tmp_path: Path, scanned: list[list[str]]) -> None:
    numbers = [0, 2**63 - 1, 2**63, 2**64 - 1]
    capture = tmp_path / "session.bin"
    capture.write_bytes(b"".join(couchbase_dcp.build({"message": "dcp_noop", "cas": number}) for number in numbers))
    frames = polars.scan_pyarrow_dataset(
        couchbase_dcp.dataset(capture, types="polars"),
        allow_pyarrow_filter=False,  # as docs/python.md has it
    )
    scanned.clear()
    found = [frames.filter(polars.col("cas") == number).select("cas").collect() for number in numbers]
    assert [frame["cas"].to_list() for frame in found] == [[number] for number in numbers]
    assert scanned == [["cas"]] * len(numbers)


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


def test_columns_are_not_a_text() -> None:
    with pytest.raises(OptionError, match="columns must be a list of names, not 'vbucket'"):
        couchbase_dcp.dataset(SESSION, "vbucket")


def test_arguments_that_can_be_read_once_hold_for_all_queries() -> None:
    conditions = iter([("message", "=", "mutation")])
    frames = couchbase_dcp.dataset(iter([SESSION]), iter(["message"]), mode="DROPMALFORMED", filters=conditions)
    for _ in range(2):
        assert set(frames.to_table()["message"].to_pylist()) == {"mutation"}


SUPPORTED = {"count_rows", "head", "scanner", "schema", "to_batches", "to_table"}
UNSUPPORTED = sorted(name for name in dir(Dataset) if not name.startswith("_") and name not in SUPPORTED)


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_would_read_a_dataset_of_pyarrow_itself_is_refused(name: str) -> None:
    frames = couchbase_dcp.dataset(SESSION)
    assert name in vars(CaptureDataset)  # or it would end the process
    with pytest.raises(NotImplementedError, match=f"a dataset of captures has no {name}; use to_table"):
        getattr(frames, name)()


def test_captures_are_no_part_of_other_datasets() -> None:
    frames = couchbase_dcp.dataset(SESSION)
    with pytest.raises(NotImplementedError, match="a dataset of captures has no replace_schema"):
        pyarrow.dataset.dataset([frames, frames])
