"""Where tables go: how Arrow tables get to each consumer, by the group that its documentation has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import dataset, parquet

from support.interop.consumers import InArrow, InDelta, InDuckDB, InIceberg, InPandas, InPolars, InSpark, Opened
from support.spark_sessions import configured
from wireloom import lakes
from wireloom.options import TableTypes

Tables = Sequence[pa.Table]
"""Parts of one table, each of which becomes a file or a batch of its own."""


class Place(NamedTuple):
    """Where tables are put, and who reads them there.

    ``put`` takes tables and an empty folder, and returns what all readers can open. ``ordered`` names the readers for
    which NaN is a number: equal to itself and above all others.
    """

    title: str
    types: TableTypes
    put: Callable[[Tables, Path], Any]
    readers: dict[str, Callable[[Any], Opened]]
    ordered: frozenset[str]


def _whole(tables: Tables, _: Path) -> pa.Table:
    return pa.concat_tables(tables)


def _files(tables: Tables, folder: Path) -> Path:
    for number, table in enumerate(tables):
        path = folder / f"{number}.parquet"
        parquet.write_table(table, path, **lakes.parquet_options(table.schema))
    return folder


def _delta(tables: Tables, folder: Path) -> Path:
    for table in tables:
        lakes.write_delta(folder, table, mode="append")
    return folder


def _iceberg(tables: Tables, folder: Path) -> Any:
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse")
    catalog.create_namespace("wire")
    made = catalog.create_table("wire.rows", schema=tables[0].schema)
    for table in tables:
        made.append(table)
    return made


def _in_pandas(table: pa.Table) -> InPandas:
    import pandas

    return InPandas(table.to_pandas(types_mapper=pandas.ArrowDtype), has_fields=True)


def _in_dask(table: pa.Table) -> InPandas:
    import dask.dataframe
    import pandas

    frame = dask.dataframe.from_pandas(table.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=2)
    return InPandas(frame, computed=lambda result: result.compute(scheduler="synchronous"))


def _files_in_polars(folder: Path) -> InPolars:
    import polars

    return InPolars(lambda: polars.scan_parquet(f"{folder}/*.parquet"))


def _of_delta(folder: Path) -> Any:
    from deltalake import DeltaTable

    return DeltaTable(folder)


def _delta_in_polars(folder: Path) -> InPolars:
    import polars

    return InPolars(lambda: polars.scan_delta(str(folder)))


def _in_polars(table: pa.Table) -> InPolars:
    import polars

    return InPolars(lambda: polars.scan_pyarrow_dataset(dataset.dataset(table), allow_pyarrow_filter=False))


def _in_polars_pushed(table: pa.Table) -> InPolars:
    import polars

    return InPolars(lambda: polars.scan_pyarrow_dataset(dataset.dataset(table)))


def _iceberg_in_polars(table: Any) -> InPolars:
    import polars

    return InPolars(lambda: polars.scan_iceberg(table))


def _spark() -> Any:
    """The session that there is, or one as tests have it, which says nothing of the errors that are expected."""
    from pyspark.sql import SparkSession

    builder = configured(SparkSession.builder.master("local[2]").appName("interop"))
    quiet = builder.config("spark.sql.session.timeZone", "UTC").config("spark.log.level", "OFF")
    return SparkSession.getActiveSession() or quiet.getOrCreate()


def _both(tables: Tables, folder: Path) -> tuple[pa.Table, Path]:
    return _whole(tables, folder), _files(tables, folder)


PLACES = {
    place.title: place
    for place in (
        Place(
            "In memory",
            TableTypes.ARROW,
            _whole,
            {
                "DuckDB": lambda table: InDuckDB(dataset.dataset(table)),
                "Polars": _in_polars,
                "Polars with Arrow's filters": _in_polars_pushed,
                "pandas": _in_pandas,
                "pandas' own types": lambda table: InPandas(table.to_pandas()),
                "Dask": _in_dask,
            },
            frozenset({"DuckDB", "Polars", "Polars with Arrow's filters"}),
        ),
        Place(
            "Parquet",
            TableTypes.ARROW,
            _files,
            {
                "pyarrow": lambda folder: InArrow(dataset.dataset(folder, format="parquet")),
                "DuckDB": lambda folder: InDuckDB(f"{folder}/*.parquet"),
                "Polars": _files_in_polars,
            },
            frozenset({"DuckDB", "Polars"}),
        ),
        Place(
            "Delta",
            TableTypes.DELTA,
            _delta,
            {
                "delta-rs": lambda folder: InDelta(_of_delta(folder)),
                "pyarrow": lambda folder: InArrow(_of_delta(folder).to_pyarrow_dataset()),
                "Polars": _delta_in_polars,
                "DuckDB": lambda folder: InDuckDB(_of_delta(folder).to_pyarrow_dataset()),
            },
            frozenset({"delta-rs", "Polars", "DuckDB"}),
        ),
        Place(
            "Iceberg",
            TableTypes.ICEBERG,
            _iceberg,
            {"pyiceberg": InIceberg, "Polars": _iceberg_in_polars},
            frozenset({"Polars"}),
        ),
        Place(
            "Spark",
            TableTypes.SPARK,
            _both,
            {
                "from Arrow": lambda both: InSpark(_spark().createDataFrame(both[0])),
                "from Parquet": lambda both: InSpark(_spark().read.parquet(str(both[1]))),
            },
            frozenset({"from Arrow", "from Parquet"}),
        ),
    )
}
