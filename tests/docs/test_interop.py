"""The page on consumers of tables says what they do: each of its claims, of the versions that it names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import dataset, parquet
from support.interop.cases import cases, column_of, shapes, type_name
from support.interop.consumers import InArrow
from support.interop.findings import Finding, findings
from support.interop.page import PAGE, claims, filled, part, tables, titles, versions, with_versions
from support.interop.places import PLACES, Place
from support.interop.plain import Nanoseconds, plain, same
from support.lake_readers import Ask
from support.worked import SHIPPED, WHILE_ONE_WORKS, pair_of

from wireloom.columnar import arrow_schema
from wireloom.options import TableTypes

PAGE_TEXT = PAGE.read_text(encoding="utf-8")
CASES = cases()
QUICK = ("uint64",)
"""The type of which most is to be said."""


def places(more: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """All places but Spark, whose session is a fixture, with a mark for Iceberg, which takes longest."""
    marks = {"Iceberg": [more]}
    return pytest.mark.parametrize(
        "title", [pytest.param(title, marks=marks.get(title, ())) for title in PLACES if title != "Spark"]
    )


def seen(title: str, names: Sequence[str]) -> set[tuple[str, str, str]]:
    known = {name: CASES[name] for name in names}
    return claims(title, tables(PLACES[title], known, findings(PLACES[title], list(known.values()))))


def said(title: str, names: Sequence[str]) -> set[tuple[str, str, str]]:
    return {claim for claim in claims(title, part(PAGE_TEXT, title)) if claim[1].strip("`") in names}


@places(pytest.mark.sweep)
@pytest.mark.filterwarnings("ignore")
def test_some_claims_are_what_happens(title: str) -> None:
    assert seen(title, QUICK) == said(title, QUICK)


@pytest.mark.sweep
@places(pytest.mark.long)
@pytest.mark.filterwarnings("ignore")
def test_all_claims_are_what_happens(title: str) -> None:
    assert seen(title, tuple(CASES)) == claims(title, part(PAGE_TEXT, title))


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("names", [QUICK, pytest.param(tuple(CASES), marks=pytest.mark.long, id="all")])
def test_claims_about_spark_are_what_happens(names: tuple[str, ...]) -> None:
    assert seen("Spark", names) == said("Spark", names)


def test_versions_are_those_that_tests_run_with() -> None:
    assert with_versions(PAGE_TEXT) == PAGE_TEXT, f"run `python -m support.interop`: {versions()}"


def test_the_page_has_tables_of_all_places_and_types() -> None:
    assert titles(PAGE_TEXT) == list(PLACES)
    for title in PLACES:
        assert {kind.strip("`") for _, kind, _ in claims(title, part(PAGE_TEXT, title))} == CASES.keys()


KEPT_BUT = {
    ("DuckDB", "`duration[us]`"),  # in memory, beyond 292 years when it leaves; a number in Parquet
    ("Dask", "`duration[us]`"),
    ("from Arrow", "`timestamp[ns, tz=UTC]`"),
    ("from Parquet", "`timestamp[ns, tz=UTC]`"),
    ("from Parquet", "`duration[us]`"),
}
"""Types that are not kept where their dialect is for, of which sentences on the page tell."""


@pytest.mark.parametrize("title", PLACES)
def test_the_types_of_a_place_are_kept_there(title: str) -> None:
    own = {f"`{name}`" for name, case in CASES.items() if PLACES[title].types in case.dialects}
    lost = {
        (reader, kind)
        for reader, kind, what in claims(title, part(PAGE_TEXT, title))
        if kind in own and what.endswith(("≠", "≠ ?", "✗", "✗ ?")) and reader != "pandas' own types"
    }
    assert lost <= KEPT_BUT


def test_spark_keeps_the_types_of_delta_in_parquet_files() -> None:
    own = {f"`{name}`" for name, case in CASES.items() if TableTypes.DELTA in case.dialects}
    cells = {
        what
        for reader, kind, what in claims("Spark", part(PAGE_TEXT, "Spark"))
        if reader == "from Parquet" and kind in own
    }
    assert {cell[-1] for cell in cells if cell.startswith("`")} <= {"`", "?"}


def test_every_type_of_a_column_is_tried() -> None:
    found = {
        type_name(leaf)
        for name in {*WHILE_ONE_WORKS, *SHIPPED}
        for types in TableTypes
        for field in arrow_schema(pair_of(name).codec.columns, types)
        for leaf in leaves(field.type)
        if not pa.types.is_decimal(leaf) and not pa.types.is_fixed_size_binary(leaf)  # of any precision or size
    }
    found -= {type_name(pa.uuid())}  # as the page says
    assert found <= CASES.keys(), "give these a column in support.interop.cases"


def leaves(kind: pa.DataType) -> list[pa.DataType]:
    """The types in a type that have no others inside."""
    if pa.types.is_struct(kind) or pa.types.is_list(kind):
        return [leaf for at in range(kind.num_fields) for leaf in leaves(kind.field(at).type)]
    return [kind]


# What helps, as the page says


def in_pandas(kind: pa.DataType, values: Sequence[Any]) -> Any:
    import pandas

    return pa.table({"it": pa.array(values, kind)}).to_pandas(types_mapper=pandas.ArrowDtype)["it"]


def test_pandas_finds_unsigned_numbers_of_numpy() -> None:
    import numpy as np

    values = CASES["uint64"].values
    column = in_pandas(pa.uint64(), [*values, None])
    assert [int((column == np.uint64(value)).sum()) for value in values] == [1] * len(values)
    assert "numpy.uint64(2**63 - 1)` is right" in PAGE_TEXT


@pytest.mark.parametrize(
    ("kind", "values", "wanted"),
    [(pa.binary(), [b"", b"\0", b"a", b"a\0"], [b"\0", b"a\0"]), (pa.float64(), [0.5, math.nan], [math.nan])],
)
def test_isin_of_pandas_finds_an_array_of_arrow(kind: pa.DataType, values: list[Any], wanted: list[Any]) -> None:
    import pandas

    column = in_pandas(kind, [*values, None])
    found = column[column.isin(pandas.array(pa.array(wanted), dtype=column.dtype))]
    assert same(pa.array(found).to_pylist(), wanted)
    assert "isin(pandas.array(pyarrow.array(keys), dtype=" in PAGE_TEXT


def test_sums_of_polars_are_right_after_a_cast() -> None:
    import polars

    frame = polars.from_arrow(pa.table({"bytes": pa.array([2**32 - 1] * 2, pa.uint32())}))
    assert frame.select(polars.col("bytes").cast(polars.Int128).sum()).item() == 2**33 - 2
    assert '`polars.col("bytes").cast(polars.Int128).sum()`' in PAGE_TEXT


def test_durations_in_parquet_are_intervals_of_duckdb_again(tmp_path: Path) -> None:
    import duckdb

    parquet.write_table(pa.table({"duration": pa.array([1_500_000], pa.duration("us"))}), tmp_path / "t.parquet")
    with duckdb.connect() as connection:
        asked = f"select to_microseconds(duration)::varchar from '{tmp_path}/t.parquet'"
        assert connection.sql(asked).fetchall() == [("00:00:01.5",)]
    assert "`to_microseconds(duration)`" in PAGE_TEXT


# What judges


EXACT = (
    (pa.array([2**64 - 1, None], pa.uint64()), [2**64 - 1, None]),
    (pa.array([253_402_300_799_999_999], pa.timestamp("us", "UTC")), [Nanoseconds(253_402_300_799_999_999_000)]),
    (pa.array([-(2**63)], pa.timestamp("ns", "UTC")), [Nanoseconds(-(2**63))]),
    (pa.array([2**63 - 1], pa.duration("us")), [Nanoseconds((2**63 - 1) * 1000)]),
    (pa.array([(0, 1, 5)], pa.month_day_nano_interval()), [Nanoseconds(86_400_000_000_005)]),
    (pa.array(["a", None]).dictionary_encode(), ["a", None]),
    (pa.array([{"it": 1}, None]), [{"it": 1}, None]),
    (pa.array([[1, None], [], None]), [[1, None], [], None]),
)


@pytest.mark.parametrize(("array", "values"), EXACT, ids=lambda value: str(getattr(value, "type", "")))
def test_arrays_are_read_without_loss(array: pa.Array, values: list[Any]) -> None:
    assert all(map(same, plain(array), values))
    assert all(map(same, plain(pa.chunked_array([array, array])), values * 2))


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        (math.nan, math.nan, True),
        (0.0, -0.0, False),
        (1, 1.0, True),
        (2**53 + 1, float(2**53), False),
        (Decimal(2**64 - 1), 2**64 - 1, True),
        (True, 1, False),
        (Nanoseconds(1), 1, False),
        ([{"it": math.nan}], [{"it": math.nan}], True),
        ({"it": None}, None, False),
        ([], None, False),
    ],
)
def test_values_are_the_same_to_the_last_bit(one: Any, other: Any, are: bool) -> None:
    assert same(one, other) is same(other, one) is are


class Careless(InArrow):
    """Finds a row too many, and forgets to count."""

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        ask = super().ask(path, kind)
        return lambda question, value: ask(question, value) + (question == ">")

    def total(self, column: str, function: str) -> Any:
        return 0 if function == "count" else super().total(column, function)


def as_doubles(parts: Sequence[pa.Table], _: Path) -> pa.Table:
    """Only columns: a table of doubles, which refuses the greatest number."""
    whole = pa.concat_tables(parts)
    if any(pa.types.is_nested(kind) for kind in whole.schema.types):
        return whole
    if 2**64 - 1 in whole["it"].to_pylist():
        raise OverflowError
    return pa.table({"it": whole["it"].cast(pa.float64(), safe=False)})


def test_what_is_lost_refused_or_answered_wrongly_is_found() -> None:
    place = Place("", TableTypes.ARROW, as_doubles, {"it": lambda table: Careless(dataset.dataset(table))}, frozenset())
    found = findings(place, [CASES["uint64"]])["it"]["uint64"]
    assert found.own == "double"
    assert found.refused["column"] == {5: "OverflowError"}
    assert found.changed["column"] == {1: float(2**53), 2: float(2**63), 4: float(2**64)}
    assert found.kept(CASES["uint64"].values) == (0, 2**63)
    assert found.answers == {
        "`> 0`": "find 3 of 2 rows",
        "`count`": "give 0, not 4",
        "`sum`": "give 0, not 2^64",  # of pyarrow, of which 2^63 is there twice
    }
    assert Finding().kept((1, 2)) == (1, 2)


def test_columns_have_their_values_in_all_shapes() -> None:
    for case in CASES.values():
        column = column_of(case, case.values)
        assert (column.type, column.null_count, len(column)) == (case.kind, 1, len(case.values) + 1)
        for shape in shapes(column).values():
            shape.validate(full=True)
            assert shape.null_count == 1


def test_tables_are_put_where_their_mark_is() -> None:
    page = "a\n\n<!-- interop: Delta -->\n\n| old |\n\n| old |\n\nb\n\n<!-- interop: Spark -->\n\n| c |\n\nd\n"
    made = filled(page, "Delta", "| new |\n")
    assert made == page.replace("| old |\n\n| old |\n", "| new |\n")
    assert part(made, "Spark") == "| c |\n"
