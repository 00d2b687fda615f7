"""Filters and aggregates on what a reader has, and what is wrong with its answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from support.interop.cases import Case, column_of, shapes
from support.interop.consumers import Opened
from support.interop.places import Place
from support.interop.plain import plain, same
from support.lake_readers import expected

Asked = tuple[Case, tuple[Any, ...]]
"""A case, and those of its values that the reader keeps."""


def answers(place: Place, reader: str, asked: Sequence[Asked]) -> dict[str, dict[str, str]]:
    """What is wrong with the answers of a reader about the columns of some cases: by case, and by question.

    All rows are there twice: in a table, and each in one of its own, as readers skip tables by their least and greatest
    values.
    """
    longest = max(len(values) for _, values in asked) + 1
    columns = {}
    for at, (case, values) in enumerate(asked):
        shaped = shapes(column_of(case, values))
        columns[f"c{at}"] = _longer(shaped["column"], longest)
        columns[f"s{at}"] = _longer(shaped["struct"], longest)
    table = pa.table(columns)
    with TemporaryDirectory() as folder:
        there = place.put([table, *(table.slice(at, 1) for at in range(longest))], Path(folder))
        has = place.readers[reader](there)
        found = {}
        for at, (case, values) in enumerate(asked):
            ordered = reader in place.ordered
            wrong = dict(_wrong_filters(has, (f"c{at}",), case, values, 2 * longest, ordered))
            wrong |= {f"{key} of a field": value for key, value in _wrong_filters(has, (f"s{at}", "it"), case, values, 2 * longest, ordered) if key not in wrong}
            found[case.name] = wrong | dict(_wrong_totals(has, f"c{at}", case, values, ordered))
    return found


def _longer(column: pa.Array, count: int) -> pa.Array:
    return pa.concat_arrays([column, pa.nulls(count - len(column), column.type)])


def _questions(kind: pa.DataType, values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    yield from (("=", value) for value in values)
    if kind != pa.bool_():
        yield from ((">", values[0]), ("<=", values[0]), (">", values[-2]), (">=", values[-1]), ("<", values[-1]))
    yield from (("in", values), ("null", None))


def _wrong_filters(has: Opened, path: tuple[str, ...], case: Case, values: tuple[Any, ...], rows: int, ordered: bool) -> Iterator[tuple[str, str]]:
    kind = case.kind.value_type if pa.types.is_dictionary(case.kind) else case.kind
    ask = has.ask(path, kind)
    for question, value in _questions(kind, values):
        there = rows - 2 * len(values) if question == "null" else 2 * expected(values, question, value, ordered=ordered)
        try:
            counted = ask(question, value)
        except Exception as error:
            yield f"{question} {value}", type(error).__name__ + str(error)[:80]
        else:
            if counted != there:
                yield f"{question} {value}", f"{counted} of {there}"


def _wrong_totals(has: Opened, column: str, case: Case, values: tuple[Any, ...], ordered: bool) -> Iterator[tuple[str, str]]:
    for function, right in _totals(case, values, ordered=ordered).items():
        try:
            found = has.total(column, function)
        except Exception as error:
            yield function, type(error).__name__ + str(error)[:80]
        else:
            if not any(same(found, each) for each in right):
                yield function, f"{found}"


def _totals(case: Case, values: tuple[Any, ...], *, ordered: bool) -> dict[str, tuple[Any, ...]]:
    """The right answers, as ``plain`` has them. Where NaN is no number, the greatest may leave it out."""
    exact = plain(column_of(case, values))[:-1]
    found: dict[str, tuple[Any, ...]] = {"count": (2 * len(values),)}
    if case.kind == pa.bool_():
        return found
    numbers = [value for value in exact if value == value]
    found["min"], found["max"] = (min(numbers),), (max(numbers),)
    if len(numbers) < len(exact):
        found["max"] = (math.nan,) if ordered else (math.nan, max(numbers))
    if pa.types.is_integer(case.kind) or pa.types.is_decimal(case.kind) or pa.types.is_floating(case.kind):
        found["sum"] = (2 * sum(exact),)
    return found
