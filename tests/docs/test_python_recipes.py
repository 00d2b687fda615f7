"""Batches taken by what people work with: the recipes of docs/python.md, and that nothing is lost on the way."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from support import compiled
from support.paths import ROOT

from wireloom import lakes
from wireloom.cli import app
from wireloom.columnar.tables import Table
from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    import pandas
    from pyiceberg.catalog.sql import SqlCatalog

pytestmark = pytest.mark.sweep  # all of them take seconds to import, so that tests do it themselves

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


def recipes() -> tuple[str, str]:
    """All that docs/python.md has in Python but for Ray, and that for Ray."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    before, heading, after = page.partition("\n## Ray\n")
    for_ray, following, after = after.partition("\n## ")
    assert heading
    assert following
    rest, apart = (
        re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for text in (before + after, for_ray)
    )
    assert len(rest) > 7
    assert len(apart) == 1
    return "\n".join(rest), apart[0]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Those that the recipes but Ray's define, run where the captures are."""
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "examples").symlink_to(ROOT / "examples")
    with contextlib.chdir(folder):
        found: dict[str, Any] = {"__name__": "recipes"}
        code = recipes()[0].replace("/tmp/wireloom", str(folder))
        exec(compile(code, "docs/python.md", "exec"), found)
        yield found


def test_the_recipes_run(names: dict[str, Any]) -> None:
    rows = whole(couchbase_dcp)
    sound = [row for row in rows if row["_corrupt_reason"] is None]
    markers = [row["snapshot_marker"] for row in sound if row["message"] == "snapshot_marker" and row["vbucket"] < 64]
    assert names["rows"] == len(rows)
    assert names["markers"]["snapshot_marker"].to_pylist() == markers != []
    assert max(last or 0 for _, _, last in names["top"]) == max(marker["end_seqno"] or 0 for marker in markers)
    assert set(names["by_source"]["src_id"]) == names["seen"] != set()
    assert names["by_message"].to_dict() == Counter(row["message"] for row in rows if row["message"])
    assert names["stored"].scan().count() == len(rows)


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Ray on this machine, which tells nobody that it is used and does what it is told by who has its token."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex())  # or one would be written to the home directory
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    yield ray
    ray.shutdown()


@pytest.mark.program
@pytest.mark.long
def test_the_recipe_for_ray_runs(names: dict[str, Any], ray: ModuleType) -> None:
    exec(compile(recipes()[1], "docs/python.md", "exec"), names)
    assert names["counted"] == len(whole(couchbase_dcp))


@PROTOCOLS
def test_duckdb_has_every_row(protocol: Any) -> None:
    import duckdb

    assert duckdb.from_arrow(scanned(protocol)).fetchall() == [tuple(row.values()) for row in whole(protocol)]


def test_duckdb_tells_the_file_and_the_reason() -> None:
    import duckdb

    frames = couchbase_dcp.scan(CAPTURES[couchbase_dcp] / "session.bin")
    with pytest.raises(duckdb.Error, match=r"session\.bin: truncated: .* at byte 1704"):
        duckdb.from_arrow(frames).fetchall()


@PROTOCOLS
def test_polars_has_every_row(protocol: Any) -> None:
    import polars

    frame = polars.from_arrow(scanned(protocol))
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts() == whole(protocol)


@PROTOCOLS
def test_pandas_keeps_integers_that_may_be_null(protocol: Any) -> None:
    import pandas

    frame = scanned(protocol).read_pandas(types_mapper=pandas.ArrowDtype)
    assert pa.Table.from_pandas(frame, schema=scanned(protocol).schema, preserve_index=False).to_pylist() == whole(
        protocol
    )


@PROTOCOLS
def test_dask_has_every_row(protocol: Any) -> None:
    import dask.dataframe
    import pandas

    def frame(path: Path) -> pandas.DataFrame:
        reader = protocol.scan(path, mode="PERMISSIVE", positions=True)
        found: pandas.DataFrame = reader.read_pandas(types_mapper=pandas.ArrowDtype)
        return found

    lazy = dask.dataframe.from_map(frame, sorted(CAPTURES[protocol].iterdir()))
    assert lazy.npartitions == len(list(CAPTURES[protocol].iterdir())) > 1
    stored = pa.Table.from_pandas(lazy.compute(), schema=scanned(protocol).schema, preserve_index=False)
    assert stored.to_pylist() == whole(protocol)


@PROTOCOLS
def test_parquet_has_every_row_and_comment(protocol: Any, tmp_path: Path) -> None:
    reader = scanned(protocol)
    options = lakes.parquet_options(reader.schema)
    with parquet.ParquetWriter(tmp_path / "t.parquet", reader.schema, **options) as writer:
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
    from deltalake import DeltaTable

    lakes.write_delta(tmp_path / "delta", scanned(protocol))
    found = DeltaTable(tmp_path / "delta")
    stored = found.to_pyarrow_table().sort_by([("_file", "ascending"), ("_offset", "ascending")])
    assert stored.to_pylist() == whole(protocol)
    told = {field.name: field.metadata.get("comment") for field in found.schema().fields}
    assert {name: text.encode() for name, text in told.items() if text} == {
        name: text for name, text in comments(scanned(protocol).schema).items() if "." not in name
    }


@PROTOCOLS
def test_iceberg_has_every_row(protocol: Any, tmp_path: Path) -> None:
    reader = scanned(protocol)
    table = catalog(tmp_path).create_table("wire.records", schema=reader.schema)
    table.append(reader)
    stored = table.scan().to_arrow().sort_by([("_file", "ascending"), ("_offset", "ascending")])
    kind = pa.struct(list(reader.schema))
    assert stored.to_pylist() == [emptied(row, kind) for row in whole(protocol)]


def catalog(folder: Path) -> SqlCatalog:
    from pyiceberg.catalog.sql import SqlCatalog

    made = SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse")
    made.create_namespace("wire")
    return made


def emptied(value: Any, kind: pa.DataType) -> Any:
    """A value as pyiceberg stores it: it makes lists of structs that are null empty."""
    if pa.types.is_struct(kind) and value is not None:
        return {field.name: emptied(value[field.name], field.type) for field in kind}
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        return [emptied(item, kind.value_type) for item in value or ()]
    return value


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


@pytest.fixture
def revisions(tmp_path: Path) -> list[pa.RecordBatchReader]:
    """What two revisions of a spec read, the older first. ``compat`` finds nothing against the newer."""
    folders = [str(compiled.folders(text, tmp_path / name)) for name, text in (("old", OLD), ("new", NEW))]
    compared = CliRunner().invoke(app, ["compat", *folders, "--category", "TABLE", "--direction", "BACKWARD"])
    assert compared.exit_code == 0, compared.output

    old, new = compiled.of(OLD).codec, compiled.of(NEW).codec
    (tmp_path / "old.bin").write_bytes(old.build({"reading": {"celsius": 21}}))
    (tmp_path / "new.bin").write_bytes(new.build({"reading": {"celsius": 22, "serial": 2**64 - 1}}))
    return [
        Table(codec, {}).scan(tmp_path / f"{name}.bin", ["reading"]) for codec, name in ((old, "old"), (new, "new"))
    ]


GROWN = [{"celsius": 21, "serial": None}, {"celsius": 22, "serial": 2**64 - 1}]


def test_a_delta_table_grows_as_compat_promised(revisions: list[pa.RecordBatchReader], tmp_path: Path) -> None:
    from deltalake import DeltaTable

    for rows in revisions:
        lakes.write_delta(tmp_path / "delta", rows, mode="append", schema_mode="merge")
    assert readings(DeltaTable(tmp_path / "delta").to_pyarrow_table()) == GROWN


def test_an_iceberg_table_grows_as_compat_promised(revisions: list[pa.RecordBatchReader], tmp_path: Path) -> None:
    table = catalog(tmp_path).create_table("wire.readings", schema=revisions[0].schema)
    for rows in revisions:
        with table.update_schema() as update:
            update.union_by_name(rows.schema)
        table.append(rows)
    assert readings(table.scan().to_arrow()) == GROWN


def readings(table: pa.Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table["reading"].to_pylist()
    return sorted(found, key=lambda reading: reading["celsius"])


def test_no_batch_begins_inside_its_buffers() -> None:
    """DuckDB refuses structs that do. Batches that are split where the codec has read a record would."""
    batches = list(scanned(couchbase_dcp))
    assert len(batches) > 2
    assert {column.offset for batch in batches for column in batch.columns} == {0}
