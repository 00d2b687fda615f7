"""Windows of streams of Databus in Spark: those that pyarrow gives, from tables and from streams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from test_cdc_databus import stream

from wireloom.cdc import databus as cdc
from wireloom_protocols import databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FIRST = ("10a 10B", "10c 10. ! 11d", "11. 12E 12; 9<", "", "9f 13g 13H", "13. 14a")
SECOND = ("10x 10y", "10.", "11z")


@pytest.fixture
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
    events = databus.scan(folder, mode="PERMISSIVE", positions=True)
    rows = [row for batch in cdc.windows(events, drop_old=drop_old) for row in batch.to_pylist()]
    return [row | {"_file": Path(row["_file"]).name} for row in rows]


def told(rows: DataFrame) -> list[dict[str, Any]]:
    """The rows in order, as pyarrow gives them."""
    found = [row | {"_file": Path(row["_file"]).name} for row in rows.toArrow().to_pylist()]
    return sorted(found, key=lambda row: (row["_file"], row["_offset"]))


@pytest.mark.parametrize("drop_old", [False, True])
def test_a_table_has_the_windows_that_pyarrow_gives(session: SparkSession, tmp_path: Path, drop_old: bool) -> None:
    from wireloom.spark.databus import windows

    folder = written(tmp_path / "events", *FIRST)
    rows = session.read.format("databus").option("positions", True).load(str(folder))
    found = windows(rows, drop_old=drop_old)
    assert [field.name for field in found.schema] == pa.Table.from_batches(
        cdc.windows(databus.scan(folder, mode="PERMISSIVE", positions=True))
    ).column_names
    assert told(found) == expected(folder, drop_old)
    assert {row["complete"] for row in told(found)} == {True, False}


def test_each_stream_is_followed_alone(session: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark.databus import windows

    folders = [written(tmp_path / "events" / "one", *FIRST), written(tmp_path / "events" / "two", *SECOND)]
    rows = session.read.format("databus").option("positions", True).load(str(tmp_path / "events"))
    relay = fn.regexp_extract("_file", "events/([a-z]+)/", 1)
    found = windows(rows.withColumn("relay", relay), stream=["relay"])
    for folder in folders:
        mine = found.where(fn.col("relay") == folder.name).drop("relay")
        assert told(mine) == expected(folder)


def test_a_stream_gives_a_window_when_it_ends(session: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark.databus import windows

    folders = [written(tmp_path / "events" / "one", *FIRST), written(tmp_path / "events" / "two", *SECOND)]

    def run() -> DataFrame:
        rows = session.readStream.format("databus").options(positions=True, maxFilesPerTrigger=2)
        relay = fn.regexp_extract("_file", "events/([a-z]+)/", 1)
        found = windows(rows.load(str(tmp_path / "events")).withColumn("relay", relay), stream=["relay"])
        query = found.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
        query.trigger(availableNow=True).start(str(tmp_path / "table")).awaitTermination()
        return session.read.parquet(str(tmp_path / "table"))

    def ended(folder: Path, *open: int) -> list[dict[str, Any]]:
        return [row for row in expected(folder) if row["sequence"] not in open]

    def rows_of(table: DataFrame, folder: Path) -> list[dict[str, Any]]:
        return told(table.where(fn.col("relay") == folder.name).drop("relay"))

    table = run()
    assert rows_of(table, folders[0]) == ended(folders[0], 14)
    assert rows_of(table, folders[1]) == ended(folders[1], 11)
    folders[1].joinpath("003.bin").write_bytes(stream("11b 11. 12c"))
    assert rows_of(run(), folders[1]) == ended(folders[1], 12)
    assert {row["sequence"] for row in ended(folders[1], 12)} == {10, 11}
