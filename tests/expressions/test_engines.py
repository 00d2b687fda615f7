"""Expressions mean the same to whoever asks them: the codec, the columnar decoder, and the compiler before any record.

Over many rows, those in doubt may have any value, but no row without a reason is in doubt.
"""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.invented_expressions import (
    ABSENT,
    COLUMNS,
    CONDITION,
    NUMBER,
    OF_ABSENT,
    PARAMETERS,
    ROW,
    ROWS,
    Row,
    of,
    parsed,
    values,
)

from wireloom.codec.frames import Frame
from wireloom.columnar.batch import Batch
from wireloom.columnar.expressions import vector
from wireloom.columnar.rows import Rows
from wireloom.columnar.vectors import Vector, true
from wireloom.expressions import expression as of_text
from wireloom.expressions.parsing import parse_qualified
from wireloom.expressions.text import printed, qualified
from wireloom.programs.values import NoProgramError
from wireloom_generator.emitters.wireshark import lua
from wireloom_generator.expressions import Binary, Expr, ExpressionError, Name, Origin, Value, parse, rename
from wireloom_generator.expressions.evaluation import UNDECIDED, evaluate, of_values


class SomeNumbers(Rows):
    """Rows, some of which do not have all numbers."""

    def __init__(self, rows: list[Row]) -> None:
        nowhere = np.zeros(len(rows), np.int64)
        super().__init__(Batch(np.zeros(0, np.uint8), nowhere, nowhere, PARAMETERS), np.arange(len(rows)))
        for name, (code, _) in COLUMNS.items():
            self.numbers[name] = np.array([row[name] or 0 for row in rows], code)
        self.valid = {name: np.array([row[name] is not None for row in rows]) for name in COLUMNS}

    def __getitem__(self, name: str) -> Vector:
        found, valid = super().__getitem__(name), self.valid.get(name)
        return found if valid is None or valid.all() else Vector(found.data, valid, self.doubt)


def in_vectors(expression: Expr, rows: list[Row]) -> tuple[Any, np.ndarray[Any, Any]]:
    """The expression's value in all rows at once, and which are in doubt: all, if it is none of numbers alone."""
    at = SomeNumbers(rows)
    try:
        return vector(of_text(printed(expression)))(at), at.doubtful
    except NoProgramError:
        return None, np.ones(len(rows), bool)


def row_by_row(expression: Expr, rows: list[Row]) -> list[Any]:
    """The expression's value in each row as the codec has it."""
    return [of_text(printed(expression)).ask(row, row, Frame(PARAMETERS)) for row in rows]


@given(expression=CONDITION, rows=ROWS)
def test_conditions_hold_where_they_hold_for_one(expression: Expr, rows: list[Row]) -> None:
    found, doubtful = in_vectors(expression, rows)
    holds = np.broadcast_to(true(found), len(rows)).tolist()
    for expected, one, doubt in zip(row_by_row(expression, rows), holds, doubtful, strict=True):
        assert doubt or one == bool(expected)


@given(expression=NUMBER | CONDITION, rows=ROWS)
def test_values_are_those_of_one_row(expression: Expr, rows: list[Row]) -> None:
    found, doubtful = in_vectors(expression, rows)
    every = [found] * len(rows)
    if isinstance(found, Vector):
        valid = [True] * len(rows) if found.valid is None else found.valid.tolist()
        every = [value if there else None for value, there in zip(found.data.tolist(), valid, strict=True)]
    for expected, one, doubt in zip(row_by_row(expression, rows), every, doubtful, strict=True):
        assert doubt or (one == expected and (one is None) == (expected is None))


@given(expression=NUMBER | CONDITION, rows=ROWS)
def test_the_compiler_knows_what_the_codec_will_find(expression: Expr, rows: list[Row]) -> None:
    for row, expected in zip(rows, row_by_row(expression, rows), strict=True):
        found = evaluate(expression, of_values(values(row)))
        assert found is UNDECIDED or (found == expected and (found is None) == (expected is None))


@given(expression=NUMBER | CONDITION)
def test_a_text_is_read_as_the_tree_it_was_printed_from(expression: Expr) -> None:
    text = printed(expression)
    assert printed(parse_qualified(text)) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("magic==0x0c  and old", "record.magic==0x0c  and parameters.old"),
        ("1 < magic <= tiny", "1 < record.magic <= tiny"),
        ("size( magic ) > (tiny)", "size( magic ) > (tiny)"),
        ("present(magic) and count(tiny) > 0", "present(record.magic) and count(tiny) > 0"),
        ("word == 'ä magic' or magic in (1, 2)", "word == 'ä magic' or record.magic in (1, 2)"),
        ("magic if old else true", "record.magic if parameters.old else true"),
        ("(tiny\n+ magic # ä\r\n  == 0x0c)", "(tiny\n+ record.magic # ä\r\n  == 0x0c)"),
        ("'''\n''' != word or \\\n old", "'''\n''' != word or \\\n parameters.old"),
    ],
)
def test_generated_text_is_that_of_the_spec_and_says_where_names_are_found(written: str, text: str) -> None:
    origins = {"magic": Origin.RECORD, "old": Origin.PARAMETER}
    tree = rename(parse(written), lambda name: Name(name.name, origin=origins.get(name.name, Origin.THIS)))
    assert qualified(tree, written) == text
    assert of_text(text).written == written


@pytest.mark.parametrize(
    ("written", "text", "value"),
    [
        ("head.low", "head.low", 5),
        ("head.more.low", "head.more.low", 6),
        ("1 + parameters.low", "1 + this.parameters.low", 8),
        ("this.low", "this.this.low", 8),
        ("present(gone.low) or gone.low > 1", "present(gone.low) or gone.low > 1", False),
        ("count(head.list)", "count(head.list)", 2),
    ],
)
def test_names_lead_into_structs(written: str, text: str, value: object) -> None:
    tree = rename(parse(written), lambda name: name._replace(origin=Origin.THIS, nullable=True))
    assert qualified(tree, written) == text
    assert of_text(text).written == written
    inner = {"low": 5, "list": [1, 2], "more": {"low": 6}}
    row = {"head": inner, "parameters": {"low": 7}, "this": {"low": 8}, "gone": None}
    assert of_text(text).ask(row, {}, Frame({})) == value


@pytest.mark.parametrize(
    "text",
    [
        "(record).a", "a . b", "a.b()", "a().b", "a[0:1]", "a()", "open('x')", "(lambda: 1)()", "x := 1", "",
        "a; b", "'\ud800'", "a\0", "-" * 100_000 + "1", "not " * 400 + "a", "1 + " * 5_000 + "1",
        "(" * 400 + "a" + ")" * 400,
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused_in_generated_code_too(text: str) -> None:
    with pytest.raises(ExpressionError):
        of_text(text).ask({}, {}, Frame({}))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(small if present(small) else 0) < 3", True),
        ("(small + 1 if present(small) else 0) >= 0", True),
        ("tiny in [small, 4]", True),
        ("tiny not in [small, 5]", False),
        ("small != 1", False),
        ("not small == 1", True),
        ("small + 1", None),
        ("min(small, 3) < 5", False),
        ("tiny if sign else small", None),
        ("sign and flag", None),
        ("sign or flag", True),
        ("small == huge", False),
    ],
)
def test_only_what_follows_from_an_absent_value_is_absent(text: str, value: bool | None) -> None:
    row = ROW | {"small": None, "sign": None, "huge": None, "tiny": 4, "flag": True}
    assert row_by_row(parsed(text), [row]) == [value]
    assert evaluate(parsed(text), of_values(values(row))) is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("long + 1", 2**63 - 1),
        ("long * long", 2**32),
        ("-long", -(2**63)),
        ("1 << long", 62),
        ("1 >> long", -1),
        ("0 - long", -(2**63)),
    ],
)
def test_what_64_bits_do_not_hold_is_in_doubt(text: str, value: int) -> None:
    rows = [ROW | {"long": 1}, ROW | {"long": value}]
    assert in_vectors(parsed(text), rows)[1].tolist() == [False, True]


def test_what_becomes_too_large_step_by_step_is_in_doubt() -> None:
    rows = [ROW | {"small": value} for value in (32767, -32768, None)]
    assert in_vectors(parsed("small * small * small * small * 4"), rows)[1].tolist() == [False, True, False]


def test_a_number_from_2_to_the_63rd_on_is_in_doubt() -> None:
    rows = [ROW | {"huge": value} for value in (2**63 - 1, 2**63, None)]
    assert in_vectors(parsed("huge > 5"), rows)[1].tolist() == [False, True, False]


def test_a_division_by_zero_is_in_doubt() -> None:
    for operator in ("//", "%"):
        found, doubtful = in_vectors(Binary(operator, of("tiny"), Value(0)), [ROW | {"tiny": 3}])
        assert doubtful.tolist() == [True]
        assert len(found.data) == 1


@given(value=st.integers(0, 255), shift=st.integers(0, 61))
def test_shifts_are_not_in_doubt_without_need(value: int, shift: int) -> None:
    assume(value << shift < 2**62)
    rows = [ROW | {"tiny": value, "long": shift}]
    for operator in ("<<", ">>"):
        found, doubtful = in_vectors(Binary(operator, of("tiny"), of("long")), rows)
        assert not doubtful.any()
        assert found.data.tolist() == [value << shift if operator == "<<" else value >> shift]


@pytest.mark.parametrize("text", OF_ABSENT)
def test_absent_values_are_what_they_are_for_one_row(text: str) -> None:
    rows = ABSENT
    found, doubtful = in_vectors(parsed(text), rows)
    valid = np.ones(len(rows), bool) if found.valid is None else found.valid
    for row, expected, value, there, doubt in zip(
        rows, row_by_row(parsed(text), rows), found.data.tolist(), valid, doubtful, strict=True
    ):
        assert doubt or (value if there else None) == expected, row
        assert evaluate(parsed(text), of_values(values(row))) == expected, row
    assert np.count_nonzero(doubtful) <= len(rows) // 9


@pytest.mark.parametrize(
    "text", ["tiny + (1 << 63)", "tiny < 1 << 63", "min(1 << 63, 1 << 62)", "1 << 63 if flag else 2"]
)
def test_constants_that_64_bits_do_not_hold_are_in_doubt(text: str) -> None:
    found, doubtful = in_vectors(parsed(text), [ROW])
    assert doubtful.tolist() == [True] or not isinstance(found, Vector)


DEEPER = (
    "(small if ({}) == 1 else tiny)",
    "(({}) + 1 if flag else 0)",
    "(tiny + ({}) if sign else small)",
    "((({}) + 1 if flag else small) == tiny)",
    "(({}) in [small, 2])",
    "(1 in [({}), small])",
    "(small not in [({} + tiny if flag else small), 3])",
    "(sign if ({}) else mark)",
    "(({}) and sign)",
    "min({}, small)",
    "-({})",
)


@pytest.mark.parametrize("deeper", DEEPER)
def test_the_deepest_expressions_take_no_longer_than_they_are_long(deeper: str) -> None:
    text, deepest = "small", ""
    while text != deepest:
        deepest = text
        with suppress(ExpressionError):
            parse(deeper.format(text))
            text = deeper.format(text)
    tree = parsed(deepest)
    assert len(lua.function(tree).expression) < 100 * len(deepest)
    evaluate(tree, of_values(values(ROW)))
    of_text(deepest).ask(ROW, ROW, Frame(PARAMETERS))
    in_vectors(tree, [ROW])
