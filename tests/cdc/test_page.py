"""The examples of docs/cdc.md, run one after the other as they stand; those in Spark, beside the other tests of it."""

import contextlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyarrow import parquet
from support.pages import ROOT, blocks


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Those that the examples without Spark define, run where the captures are."""
    folder = tmp_path_factory.mktemp("cdc")
    (folder / "examples").symlink_to(ROOT / "examples")
    found: dict[str, Any] = {"__name__": "examples"}
    code = "\n".join(code for _, code in blocks("docs/cdc.md", "python"))
    with contextlib.chdir(folder):
        exec(compile(code.replace("/tmp/wireloom", str(folder)), "docs/cdc.md", "exec"), found)
    return found


def test_the_changes_of_the_session_are_in_snapshots(names: dict[str, Any]) -> None:
    assert set(names["changes"]["problem"].to_pylist()) == {None}
    assert names["changes"].num_rows == 29


def stored(rows: pa.Table) -> list[dict[str, Any]]:
    """Rows of documents in the order of their keys."""
    found: list[dict[str, Any]] = rows.to_pylist()
    return sorted(found, key=lambda row: (row["vbucket"], row["by_seqno"]))


def test_the_tables_hold_the_latest_documents(names: dict[str, Any]) -> None:
    documents = stored(names["documents"])
    keys = [(row["vbucket"], row["document_key"]) for row in documents]
    assert keys == [
        (number, f"{name}:{seqno}")
        for number, name in ((0, "orders"), (1, "customers"), (3, "returns"))  # invoices are dropped
        for seqno in range(2, 8)
    ]
    folder = Path(names["TABLE"]).parent
    assert stored(parquet.read_table(folder / "documents.parquet")) == documents
    parts = [parquet.read_table(path) for path in sorted(folder.glob("documents-*.parquet"))]
    assert stored(pa.concat_tables(parts)) == documents


def test_merging_what_has_changed_gives_the_same(names: dict[str, Any]) -> None:
    table = DeltaTable(names["TABLE"])
    assert stored(table.to_pyarrow_table()) == stored(names["documents"])
    counted = [entry["operationMetrics"] for entry in table.history() if entry["operation"] == "MERGE"]
    done = [(each["num_target_rows_inserted"], each["num_target_rows_deleted"]) for each in reversed(counted)]
    assert done == [(18, 0), (6, 6)]  # of three collections; then those of the fourth, and the third was dropped
