"""Filters and aggregates on what a reader has, and what is wrong with its answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import MAX_PREC, localcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyarrow as pa

from support.interop.cases import Case, column_of, shapes
from support.interop.consumers import Opened
from support.interop.places import Place
from support.interop.plain import plain, same
from support.interop.words import of_type, word
from support.lake_readers import expected

WIDEST = pa.decimal128(38, 0)
"""A sum of such decimals is too large or not, depending on the order of its files."""
Asked = tuple[Case, tuple[Any, ...]]
"""A case, and those of its values that the reader keeps."""
Wrong = dict[str, str]
"""What is wrong with answers, by question."""


def answers(place: Place, reader: str, asked: Sequence[Asked]) -> dict[str, Wrong]:
    """What is wrong with the answers of a reader about columns, and about fields of structs, by name of the case.

    All rows are there twice: in a table, and each in one of its own, as readers skip tables by their least and greatest
    values.
    """
    if not asked:
        return {}
    longest = max(len(values) for _, values in asked) + 1
    shaped = [shapes(column_of(case, values)) for case, values in asked]
    columns = {f"c{at}": _longer(each["column"], longest) for at, each in enumerate(shaped)}
    fields = {f"s{at}": _longer(each["struct"], longest) for at, each in enumerate(shaped)}
    table = pa.table(columns | fields)
    with TemporaryDirectory() as folder:
        there = place.put([table, *(table.slice(at, 1) for at in range(longest))], Path(folder))
        has = place.readers[reader](there)
        found = {}
        for at, (case, values) in enumerate(asked):
            one = _Asking(has, case, values, 2 * longest, reader in place.ordered)
            in_column, in_field = dict(one.filters(f"c{at}")), dict(one.filters(f"s{at}", "it"))
            only = {
                f"{question} of a field": wrong for question, wrong in in_field.items() if question not in in_column
            }
            found[case.name] = in_column | (only if has.has_fields else {}) | dict(one.totals(f"c{at}"))
    return found


def _longer(column: pa.Array, count: int) -> pa.Array:
    return pa.concat_arrays([column, pa.nulls(count - len(column), column.type)])


class _Asking(NamedTuple):
    """Questions about the ``values`` of a case, each of which is twice in so many ``rows``."""

    has: Opened
    case: Case
    values: tuple[Any, ...]
    rows: int
    ordered: bool

    def filters(self, *path: str) -> Iterator[tuple[str, str]]:
        """The filters that find other rows than there are, or fail."""
        kind = self.case.kind.value_type if pa.types.is_dictionary(self.case.kind) else self.case.kind
        ask = self.has.ask(path, kind)
        for question, value in self._questions():
            counted = _tried(ask, question, value)
            if counted != self._there(question, value):
                yield (
                    f"`{self._named(question, value)}`",
                    _said(counted, f"find {counted} of {self._there(question, value)} rows"),
                )

    def _questions(self) -> Iterator[tuple[str, Any]]:
        values = self.values
        yield from (("=", value) for value in values)
        if self.case.kind != pa.bool_():
            yield from ((">", values[0]), ("<=", values[0]), (">", values[-2]), (">=", values[-1]), ("<", values[-1]))
        yield from (("in", values), ("null", None))

    def _there(self, question: str, value: Any) -> int:
        if question == "null":
            return self.rows - 2 * len(self.values)
        return 2 * expected(self.values, question, value, ordered=self.ordered)

    def _named(self, question: str, value: Any) -> str:
        if question in ("in", "null"):
            return {"in": "in", "null": "is null"}[question]
        return f"{question} {word(of_type(value, self.case.kind), self.case.kind)}"

    def totals(self, column: str) -> Iterator[tuple[str, str]]:
        """The aggregates that are wrong, or fail."""
        for function, right in self._right().items():
            found = _tried(self.has.total, column, function)
            if not any(same(found, each) for each in right):
                kind = self.case.kind
                yield f"`{function}`", _said(found, f"give {word(found, kind)}, not {word(right[0], kind)}")

    def _right(self) -> dict[str, tuple[Any, ...]]:
        """The right aggregates. Where NaN is no number, the greatest may leave it out."""
        kind, exact = self.case.kind, plain(column_of(self.case, self.values))[:-1]
        found: dict[str, tuple[Any, ...]] = {"count": (2 * len(self.values),)}
        if kind == pa.bool_():
            return found
        numbers = [value for value in exact if value == value]
        found["min"], found["max"] = (min(numbers),), (max(numbers),)
        if len(numbers) < len(exact):
            found["max"] = (math.nan,) if self.ordered else (math.nan, max(numbers))
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or (pa.types.is_decimal(kind) and kind != WIDEST):
            with localcontext(prec=MAX_PREC):
                found["sum"] = (2 * sum(exact),)
        return found


def _tried(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns, or the error that it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return error


def _said(answer: Any, otherwise: str) -> str:
    return f"fail with `{type(answer).__name__}`" if isinstance(answer, Exception) else otherwise
