"""Batches taken by what people work with: the recipes of docs/python.md, and that nothing is lost on the way."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import compiled
import duckdb
import pandas
import polars
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyarrow import parquet
from typer.testing import CliRunner

from wireloom.cli import app
from wireloom.columnar.tables import Table
from wireloom_protocols import couchbase_dcp, databus

ROOT = Path(__file__).parent.parent
CAPTURES = {
    couchbase_dcp: ROOT / "examples/captures/couchbase_dcp",
    databus: ROOT / "examples/captures/databus",
}
PROTOCOLS = pytest.mark.parametrize("protocol", CAPTURES, ids=lambda protocol: protocol.PROTOCOL.name)


def scanned(protocol: Any) -> pa.RecordBatchReader:
    return protocol.scan(CAPTURES[protocol], mode="PERMISSIVE", positions=True)


def whole(protocol: Any) -> list[dict[str, Any]]:
    """Every row, in the order of files and offsets."""
    found: list[dict[str, Any]] = scanned(protocol).read_all().to_pylist()
    assert {bool(row["_corrupt_reason"]) for row in found} == {True, False}
    return found


def test_the_recipes_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    recipes = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(recipes) > 5
    names: dict[str, Any] = {"__name__": "recipes"}
    exec(compile("\n".join(recipes), "docs/python.md", "exec"), names)
    sound = [row for row in whole(couchbase_dcp) if row["_corrupt_reason"] is None]
    markers = [row["snapshot_marker"] for row in sound if row["message"] == "snapshot_marker" and row["vbucket"] < 64]
    assert names["rows"] == len(whole(couchbase_dcp))
    assert names["markers"]["snapshot_marker"].to_pylist() == markers != []
    assert max(last or 0 for _, _, last in names["top"]) == max(marker["end_seqno"] or 0 for marker in markers)
    assert set(names["by_source"]["src_id"]) == names["seen"] != set()


@PROTOCOLS
def test_duckdb_has_every_row(protocol: Any) -> None:
    assert duckdb.from_arrow(scanned(protocol)).fetchall() == [tuple(row.values()) for row in whole(protocol)]


def test_duckdb_tells_the_file_and_the_reason() -> None:
    frames = couchbase_dcp.scan(CAPTURES[couchbase_dcp] / "session.bin")
    with pytest.raises(duckdb.Error, match=r"session\.bin: truncated: .* at byte 1668"):
        duckdb.from_arrow(frames).fetchall()


@PROTOCOLS
def test_polars_has_every_row(protocol: Any) -> None:
    frame = polars.from_arrow(scanned(protocol))
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts() == whole(protocol)


@PROTOCOLS
def test_pandas_keeps_integers_that_may_be_null(protocol: Any) -> None:
    frame = scanned(protocol).read_pandas(types_mapper=pandas.ArrowDtype)
    assert pa.Table.from_pandas(frame, schema=scanned(protocol).schema, preserve_index=False).to_pylist() == whole(
        protocol
    )


@PROTOCOLS
def test_parquet_has_every_row_and_comment(protocol: Any, tmp_path: Path) -> None:
    reader = scanned(protocol)
    with parquet.ParquetWriter(tmp_path / "t.parquet", reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    found = parquet.read_table(tmp_path / "t.parquet")
    assert found.to_pylist() == whole(protocol)
    assert comments(found.schema) == comments(reader.schema)
    assert len(comments(reader.schema)) > 20


def comments(schema: pa.Schema | pa.StructType, within: str = "") -> dict[str, bytes]:
    """Those of all columns, by path."""
    found = {}
    for field in schema:
        path, kind = f"{within}{field.name}", field.type
        if field.metadata and b"comment" in field.metadata:
            found[path] = field.metadata[b"comment"]
        kind = kind.value_type if pa.types.is_list(kind) else kind
        found |= comments(kind, f"{path}.") if pa.types.is_struct(kind) else {}
    return found


@PROTOCOLS
def test_delta_has_every_row_and_comment(protocol: Any, tmp_path: Path) -> None:
    write_deltalake(tmp_path / "delta", scanned(protocol))
    found = DeltaTable(tmp_path / "delta")
    stored = found.to_pyarrow_table().sort_by([("_file", "ascending"), ("_offset", "ascending")])
    assert stored.to_pylist() == whole(protocol)
    told = {field.name: field.metadata.get("comment") for field in found.schema().fields}
    assert {name: text.encode() for name, text in told.items() if text} == {
        name: text for name, text in comments(scanned(protocol).schema).items() if "." not in name
    }


OLD = """
protocol: meter
byte_order: big
record:
  length: 2 + size
  fields:
    - {name: kind, type: u8}
    - {name: size, type: u8, derive: size(body)}
    - {section: body, size: size}
---
message: reading
match: {kind: 1}
sections:
  body:
    - {name: celsius, type: i16}
"""
NEW = OLD + "    - {name: serial, type: u64, optional: true}\n"


def test_a_delta_table_grows_as_compat_promised(tmp_path: Path) -> None:
    folders = [str(compiled.folders(text, tmp_path / name)) for name, text in (("old", OLD), ("new", NEW))]
    compared = CliRunner().invoke(app, ["compat", *folders, "--category", "TABLE", "--direction", "BACKWARD"])
    assert compared.exit_code == 0, compared.output

    old, new = compiled.of(OLD), compiled.of(NEW)
    (tmp_path / "old.bin").write_bytes(old.codec.build({"reading": {"celsius": 21}}))
    (tmp_path / "new.bin").write_bytes(new.codec.build({"reading": {"celsius": 22, "serial": 2**64 - 1}}))
    for protocol, name in ((old, "old.bin"), (new, "new.bin")):
        rows = Table(protocol.codec, {}).scan(tmp_path / name, ["reading"])
        write_deltalake(tmp_path / "delta", rows, mode="append", schema_mode="merge")
    readings = DeltaTable(tmp_path / "delta").to_pyarrow_table()["reading"].to_pylist()
    assert {reading["celsius"]: reading["serial"] for reading in readings} == {21: None, 22: 2**64 - 1}


def test_no_batch_begins_inside_its_buffers() -> None:
    """DuckDB refuses structs that do. Batches that are split where the codec has read a record would."""
    batches = list(scanned(couchbase_dcp))
    assert len(batches) > 2
    assert {column.offset for batch in batches for column in batch.columns} == {0}
