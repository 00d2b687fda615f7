"""What findings say of tables, held against Spark's Parquet reader: rows of the old and of the new type together."""

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wireloom_generator.compat import tables
from wireloom_generator.model import U64, Decimal, ListType, Primitive

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INTEGERS = (Primitive.BYTE, Primitive.SHORT, Primitive.INT, Primitive.LONG, U64)
NUMBERS = (*INTEGERS, Decimal(7, 2), Decimal(12, 2), Primitive.DOUBLE)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("old", "new"), [(old, new) for old, new in product(NUMBERS, NUMBERS) if tables.widens(old, new)]
)
def test_parquet_reads_both_with_the_wider_schema(
    old: Primitive | Decimal, new: Primitive | Decimal, spark: "SparkSession", tmp_path: Path
) -> None:
    assert tables.verdict(old, new).startswith("Parquet: give the reader the new schema;")
    _write(spark, tmp_path, old, new)
    rows = spark.read.schema(f"a {new}").parquet(str(tmp_path / "table")).collect()
    assert sorted(int(row.a) for row in rows) == [1, 2]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Primitive.LONG, Primitive.INT),
        (U64, Primitive.LONG),
        (Primitive.LONG, Decimal(18)),
        (Decimal(7, 2), Decimal(7, 3)),
        (Primitive.STRING, Primitive.LONG),
    ],
)
def test_parquet_does_not_read_both_with_another_schema(
    old: Primitive | Decimal, new: Primitive | Decimal, spark: "SparkSession", tmp_path: Path
) -> None:
    assert tables.verdict(old, new) == "Parquet, Delta, Iceberg: no"
    _write(spark, tmp_path, old, new)
    with pytest.raises(Exception, match=r"PARQUET_COLUMN_DATA_TYPE_MISMATCH|cannot be converted"):
        spark.read.schema(f"a {new}").parquet(str(tmp_path / "table")).collect()


def _write(spark: "SparkSession", folder: Path, *kinds: Primitive | Decimal) -> None:
    for number, kind in enumerate(kinds, start=1):
        frame = spark.sql(f"SELECT CAST({number} AS {kind}) AS a")
        frame.coalesce(1).write.mode("append").parquet(str(folder / "table"))


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (Primitive.SHORT, Primitive.INT, "Delta: with type widening; Iceberg: yes, both are its int"),
        (Primitive.INT, Primitive.LONG, "Delta: with type widening; Iceberg: widen the column first"),
        (Primitive.FLOAT, Primitive.DOUBLE, "Delta: with type widening; Iceberg: widen the column first"),
        (Decimal(7, 2), Decimal(9, 2), "Delta: with type widening; Iceberg: widen the column first"),
        (Decimal(7, 2), Decimal(9, 3), "Delta: with type widening; Iceberg: no"),
        (Primitive.INT, Decimal(12, 2), "Delta: alter the column, with type widening; Iceberg: no"),
        (Primitive.LONG, U64, "Delta: alter the column, with type widening; Iceberg: no"),
        (
            ListType(Primitive.INT),
            ListType(Primitive.LONG),
            "Delta: with type widening; Iceberg: widen the column first",
        ),
    ],
)
def test_delta_and_iceberg_have_rules_of_their_own(
    old: Primitive | Decimal | ListType, new: Primitive | Decimal | ListType, verdict: str
) -> None:
    assert tables.verdict(old, new) == f"Parquet: give the reader the new schema; {verdict}"
