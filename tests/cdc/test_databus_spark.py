"""Windows of streams of Databus in Spark: those that pyarrow gives, from tables and from streams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from support.pages import ROOT, blocks

from cdc.databus_words import stream
from wireloom.cdc import databus as cdc
from wireloom_protocols import databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

COLUMNS = [*cdc.COLUMNS, "_file", "_offset"]
OPTIONS: dict[str, Any] = {"columns": ",".join(COLUMNS), "positions": True}
FIRST = ("10a 10B", "10c 10. ! 11d", "11. 12E 12; 9a 9.", "9<", "9f 13g 13H", "13. 14a")
SECOND = ("10x 10y", "10.", "11z")


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    from wireloom.spark import register

    register(spark)
    return spark


def written(folder: Path, *parts: str) -> Path:
    """Files of a stream, one behind the other."""
    folder.mkdir(parents=True)
    for number, part in enumerate(parts):
        folder.joinpath(f"{number:03}.bin").write_bytes(stream(part))
    return folder


def expected(folder: Path, drop_old: bool = False) -> list[dict[str, Any]]:
    return rows_of(pa.Table.from_batches(cdc.windows(scanned(folder), drop_old=drop_old)))


def scanned(folder: Path) -> pa.RecordBatchReader:
    return databus.scan(folder, columns=COLUMNS, mode="PERMISSIVE", positions=True)


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    rows = [row | {"_file": Path(row["_file"]).name} for row in table.to_pylist()]
    return sorted(rows, key=lambda row: (row["_file"], row["_offset"]))


def told(rows: DataFrame) -> list[dict[str, Any]]:
    return rows_of(rows.toArrow())


def test_a_table_has_what_pyarrow_gives(session: SparkSession, tmp_path: Path) -> None:
    from wireloom.cdc.databus.spark import upserts, windows

    folder = written(tmp_path / "events", *FIRST)
    rows = session.read.format("databus").options(**OPTIONS).load(str(folder))
    found = told(windows(rows))
    assert found == expected(folder)
    assert {row["complete"] for row in found} == {True, False}
    assert [*found[0]] == [*expected(folder)[0]]
    assert told(windows(rows, drop_old=True)) == expected(folder, drop_old=True) != found
    assert told(upserts(windows(rows))) == rows_of(cdc.upserts(cdc.windows(scanned(folder))))


def test_each_stream_is_followed_alone(session: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import functions as fn

    from wireloom.cdc.databus.spark import windows

    folders = [written(tmp_path / "events" / "one", *FIRST), written(tmp_path / "events" / "two", *SECOND)]
    rows = session.read.format("databus").options(**OPTIONS).load(str(tmp_path / "events"))
    relay = fn.regexp_extract("_file", "events/([a-z]+)/", 1)
    found = windows(rows.withColumn("relay", relay), stream=["relay"])
    for folder in folders:
        mine = found.where(fn.col("relay") == folder.name).drop("relay")
        assert told(mine) == expected(folder)


def test_a_stream_gives_a_window_when_it_ends(session: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import functions as fn

    from wireloom.cdc.databus.spark import windows

    folders = [written(tmp_path / "events" / "one", *FIRST), written(tmp_path / "events" / "two", *SECOND)]

    def run() -> DataFrame:
        rows = session.readStream.format("databus").options(
            columns=",".join(COLUMNS), positions=True, maxFilesPerTrigger=3
        )
        relay = fn.regexp_extract("_file", "events/([a-z]+)/", 1)
        found = windows(rows.load(str(tmp_path / "events")).withColumn("relay", relay), stream=["relay"])
        query = found.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
        query.trigger(availableNow=True).start(str(tmp_path / "table")).awaitTermination()
        return session.read.parquet(str(tmp_path / "table"))

    def ended(folder: Path, *open: int) -> list[dict[str, Any]]:
        return [row for row in expected(folder) if row["sequence"] not in open]

    def of(table: DataFrame, folder: Path) -> list[dict[str, Any]]:
        return told(table.where(fn.col("relay") == folder.name).drop("relay"))

    table = run()
    assert of(table, folders[0]) == ended(folders[0], 14)
    assert of(table, folders[1]) == ended(folders[1], 11)
    folders[1].joinpath("003.bin").write_bytes(stream("11b 11. 12c"))
    assert of(run(), folders[1]) == ended(folders[1], 12)
    assert {row["sequence"] for row in ended(folders[1], 12)} == {10, 11}


@pytest.mark.sweep
def test_the_page_runs(session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {"spark": session}
    for _, code in blocks("docs/cdc-databus.md", "python spark"):
        exec(compile(code.replace("/tmp/wireloom", str(tmp_path)), "docs/cdc-databus.md", "exec"), names)
    members = names["members"].collect()
    assert sorted(row.key for row in members if row.key) == [1700, 1770, 1840, 1980, 2050]
