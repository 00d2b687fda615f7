"""Expressions over many rows mean what they mean for one: Python's own operators, and nothing where a value is absent.

Rows in doubt may have any value, but no row without a reason is in doubt.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wireloom.codec.frames import Frame
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.batch import Batch
from wireloom.columnar.expressions import vector
from wireloom.columnar.rows import Rows, Values
from wireloom.columnar.vectors import Vector, true
from wireloom.expressions import expression as of_text
from wireloom.expressions.rowwise import RowwiseError
from wireloom.expressions.text import printed
from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Logical,
    Name,
    Scope,
    Unary,
    Value,
    parse,
    rebuild,
)

COLUMNS: dict[str, tuple[str, bool]] = {
    "tiny": (">u1", False),
    "small": ("<i2", True),
    "long": (">i8", False),
    "huge": ("<u8", True),
    "flag": ("?", False),
    "sign": ("?", True),
    "mark": ("?", True),
}
"""How the values of a name are kept, and whether they may be absent."""
PARAMETERS = {"wide": True, "dialect": "old"}
NUMBERS = [name for name, (code, _) in COLUMNS.items() if code != "?"]
FLAGS = [name for name, (code, _) in COLUMNS.items() if code == "?"]

Row = dict[str, Any]


def of(name: str) -> Name:
    return Name(name, scope=Scope.THIS, nullable=COLUMNS[name][1])


def trees() -> tuple[st.SearchStrategy[Expr], st.SearchStrategy[Expr]]:
    """Numbers and conditions, as the language lets them be written."""
    numbers: st.SearchStrategy[Expr] = st.deferred(lambda: st.one_of(some, made))
    conditions: st.SearchStrategy[Expr] = st.deferred(lambda: st.one_of(known, asked))
    some = st.builds(Value, st.integers(-5, 300)) | st.builds(of, st.sampled_from(NUMBERS))
    known = (
        st.builds(Value, st.booleans())
        | st.builds(of, st.sampled_from(FLAGS))
        | st.builds(lambda name: Call("present", (of(name),)), st.sampled_from(list(COLUMNS)))
        | st.just(Name("wide", scope=Scope.PARAMETER))
        | st.just(Compare("==", Name("dialect", scope=Scope.PARAMETER), Value("old")))
    )
    divisors = st.builds(Value, st.sampled_from([-3, -1, 1, 2, 7]))
    shifts = st.builds(Value, st.integers(0, 63)) | st.just(of("tiny"))
    pair = st.lists(numbers, min_size=2, max_size=3).map(tuple)
    order = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    made = st.one_of(
        st.builds(Binary, st.sampled_from(["+", "-", "*", "&", "|", "^"]), numbers, numbers),
        st.builds(Binary, st.sampled_from(["//", "%"]), numbers, divisors),
        st.builds(Binary, st.sampled_from(["<<", ">>"]), numbers, shifts),
        st.builds(Unary, st.sampled_from(["-", "~"]), numbers),
        st.builds(Call, st.sampled_from(["min", "max"]), pair),
        st.builds(Conditional, conditions, numbers, numbers),
    )
    several = st.lists(conditions, min_size=2, max_size=3).map(tuple)
    asked = st.one_of(
        st.builds(Compare, order, numbers, numbers),
        st.builds(Compare, st.sampled_from(["==", "!="]), conditions, conditions),
        st.builds(Among, numbers, pair, st.booleans()),
        st.builds(Among, conditions, several, st.booleans()),
        st.builds(Logical, st.sampled_from(["and", "or"]), several),
        st.builds(Unary, st.just("not"), conditions),
        st.builds(Conditional, conditions, conditions, conditions),
    )
    return numbers, conditions


NUMBER, CONDITION = trees()
rows = st.lists(
    st.fixed_dictionaries(
        {
            name: (st.none() if absent else st.nothing())
            | (
                st.booleans()
                if code == "?"
                else st.integers(0, 4)
                | st.integers(0, 100)
                | st.integers(int(np.iinfo(code).min), int(np.iinfo(code).max))
                | st.sampled_from([int(np.iinfo(code).min), int(np.iinfo(code).max)])
            )
            for name, (code, absent) in COLUMNS.items()
        }
    ),
    min_size=1,
    max_size=5,
)


def in_vectors(expression: Expr, rows: list[Row]) -> tuple[Any, np.ndarray[Any, Any]]:
    """The expression's value in all rows at once, and which are in doubt."""
    nowhere = np.zeros(len(rows), np.int64)
    batch = Batch(np.zeros(0, np.uint8), nowhere, nowhere, PARAMETERS)
    at = Rows.all(batch)
    this = Values(at)
    for name, (code, _) in COLUMNS.items():
        valid = np.array([row[name] is not None for row in rows])
        data = np.array([row[name] or 0 for row in rows], code)
        this.put(name, Numbers(data, None if valid.all() else valid))
    value = vector(printed(expression))(this, this, at.frame)
    return value, batch.doubtful


def row_by_row(expression: Expr, rows: list[Row]) -> list[Any]:
    """The expression's value in each row as the codec has it."""
    return [of_text(printed(expression)).ask(row, row, Frame(PARAMETERS)) for row in rows]


@given(expression=CONDITION, rows=rows)
def test_conditions_hold_where_they_hold_for_one(expression: Expr, rows: list[Row]) -> None:
    try:
        found, doubtful = in_vectors(expression, rows)
    except RowwiseError:
        return
    holds = np.broadcast_to(true(found), len(rows)).tolist()
    for expected, one, doubt in zip(row_by_row(expression, rows), holds, doubtful, strict=True):
        assert doubt or one == bool(expected)


@given(expression=NUMBER | CONDITION, rows=rows)
def test_values_are_those_of_one_row(expression: Expr, rows: list[Row]) -> None:
    try:
        found, doubtful = in_vectors(expression, rows)
    except RowwiseError:
        return
    every = [found] * len(rows)
    if isinstance(found, Vector):
        valid = [True] * len(rows) if found.valid is None else found.valid.tolist()
        every = [value if there else None for value, there in zip(found.data.tolist(), valid, strict=True)]
    for expected, one, doubt in zip(row_by_row(expression, rows), every, doubtful, strict=True):
        assert doubt or (one == expected and (one is None) == (expected is None))


def parsed(text: str) -> Expr:
    """The expression, its names found."""

    def placed(part: Expr) -> Expr:
        return of(part.name) if isinstance(part, Name) else rebuild(part, placed)

    return placed(parse(text))


ROW: Row = dict.fromkeys(COLUMNS, 0) | {"flag": False, "sign": False, "mark": False}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("long + 1", 2**63 - 1),
        ("long * long", 2**32),
        ("-long", -(2**63)),
        ("long // -1", -(2**63)),
        ("1 << long", 62),
        ("1 >> long", -1),
        ("0 - long", -(2**63)),
    ],
)
def test_what_64_bits_do_not_hold_is_in_doubt(text: str, value: int) -> None:
    rows = [ROW | {"long": 1}, ROW | {"long": value}]
    assert in_vectors(parsed(text), rows)[1].tolist() == [False, True]


def test_a_number_from_2_to_the_63rd_on_is_in_doubt() -> None:
    rows = [ROW | {"huge": value} for value in (2**63 - 1, 2**63, None)]
    assert in_vectors(parsed("huge > 5"), rows)[1].tolist() == [False, True, False]


def test_a_division_by_zero_is_in_doubt() -> None:
    rows = [ROW | {"tiny": value} for value in (0, 3)]
    found, doubtful = in_vectors(Binary("//", Value(7), of("tiny")), rows)
    assert doubtful.tolist() == [True, False]
    assert found.data.tolist()[1] == 2


@given(value=st.integers(0, 255), shift=st.integers(0, 61))
def test_shifts_are_not_in_doubt_without_need(value: int, shift: int) -> None:
    assume(value << shift < 2**62)
    rows = [ROW | {"tiny": value, "long": shift}]
    for operator in ("<<", ">>"):
        found, doubtful = in_vectors(Binary(operator, of("tiny"), of("long")), rows)
        assert not doubtful.any()
        assert found.data.tolist() == [value << shift if operator == "<<" else value >> shift]


@pytest.mark.parametrize(
    "text",
    [
        "sign and mark",
        "sign or mark",
        "sign and tiny == 1 or mark",
        "not (sign or mark) and flag",
        "sign and true",
        "flag or sign",
        "tiny if sign else small",
        "(small if present(small) else 1) == 1",
        "(small if present(small) else 1) >= 1",
        "(small + 1 if present(small) else 1) == 1",
        "small in [1, tiny]",
        "small not in [1, tiny]",
        "tiny not in [1, small]",
        "tiny + 0 in [1, small]",
        "not (small != 1)",
        "(small == 1) != (tiny == 1)",
        "(sign or mark) == true",
        "(sign or flag) != true",
        "sign in [mark, true]",
        "present(small) == sign",
        "min(tiny, 1) == max(tiny, 0)",
        "sign == mark",
        "-small == 1",
        "not (~small == 1)",
        "max(small, 1) in [1, 2]",
        "sign == (-small == 1)",
    ],
)
def test_absent_values_are_what_they_are_for_one_row(text: str) -> None:
    absent = [None, False, True]
    rows = [
        ROW | {"sign": sign, "mark": mark, "small": small, "tiny": tiny, "flag": flag}
        for sign in absent
        for mark in absent
        for small in (None, 0, 1)
        for tiny in (0, 1)
        for flag in (False, True)
    ]
    found, doubtful = in_vectors(parsed(text), rows)
    valid = np.ones(len(rows), bool) if found.valid is None else found.valid
    for row, expected, value, there, doubt in zip(
        rows, row_by_row(parsed(text), rows), found.data.tolist(), valid, doubtful, strict=True
    ):
        assert doubt or (value if there else None) == expected, row
    assert np.count_nonzero(doubtful) <= len(rows) // 9


@pytest.mark.parametrize(
    "text", ["tiny + (1 << 63)", "tiny < 1 << 63", "min(1 << 63, 1 << 62)", "1 << 63 if flag else 2"]
)
def test_constants_that_64_bits_do_not_hold_are_in_doubt(text: str) -> None:
    found, doubtful = in_vectors(parsed(text), [ROW])
    assert doubtful.tolist() == [True] or not isinstance(found, Vector)
