"""Columns of times, decimals, addresses and UUIDs, and columns with names of Python's: read and written in Spark."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from support import compiled

import wireloom_generator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def session(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """The session, with two features of the language as functions of packages that executors are sent."""
    folder = tmp_path_factory.mktemp("features")
    for name in ("meanings", "words"):
        compiled.folders(compiled.FEATURES[name].read_text(encoding="utf-8"), folder / "specs")
    done = wireloom_generator.generate([folder / "specs"], folder / "package", write=True, package="features")
    assert not done.errors
    packed = shutil.make_archive(str(folder / "features"), "zip", folder / "package")
    sys.path.append(packed)
    spark.sparkContext.addPyFile(packed)
    return spark


def rows_of(session: SparkSession, name: str, captures: list[bytes]) -> DataFrame:
    """The records of captures as columns."""
    from pyspark.sql import functions as f

    from wireloom.spark import from_wire

    frame = session.createDataFrame([(bytearray(each),) for each in captures], "value binary")
    return frame.select("value", from_wire(f.col("value"), f"features.{name}").alias("row")).select("value", "row.*")


def written(frame: DataFrame, name: str) -> list[bool]:
    """Whether each row is written as the bytes that it came from."""
    from pyspark.sql import functions as f

    from wireloom.spark import to_wire

    columns = f.struct(*(each for each in frame.columns if each != "value"))
    found = frame.select("value", to_wire(columns, f"features.{name}").alias("again")).collect()
    return [each.value == each.again for each in found]


def examples(name: str) -> list[bytes]:
    """The sound examples of a feature."""
    return [each.data for _, each in compiled.worked(compiled.feature(name).protocol) if each.malformed is None]


def test_times_decimals_addresses_and_uuids_are_filtered_and_written_back(session: SparkSession) -> None:
    from pyspark.sql import functions as f

    frame = rows_of(session, "meanings", examples("meanings"))
    conditions = [
        f.col("reading.taken_at") == f.expr("timestamp '2024-05-01 12:25:28'"),
        f.col("reading.waited") == f.expr("interval '-1' second"),
        f.col("reading.temperature") == f.expr("5.00bd"),
        f.col("reading.id") == "550e8400-e29b-41d4-a716-446655440000",
        f.col("reading.from_address") == "192.0.2.1",
        f.col("reading.station") == "00:50:56:c0:00:01",
    ]
    assert frame.count() == len(examples("meanings"))
    for condition in conditions:
        assert frame.where(condition).count(), condition
    assert all(written(frame, "meanings"))


def test_columns_have_names_of_python(session: SparkSession) -> None:
    frame = rows_of(session, "words", examples("words"))
    found = frame.where("`class` = 1").select("import.items.from", "import.values.or.to", "not", "class_name").first()
    assert found is not None
    assert found.asDict() == {"from": [1, 3], "to": 7, "not": 1, "class_name": "mro"}
    assert all(written(frame, "words"))
