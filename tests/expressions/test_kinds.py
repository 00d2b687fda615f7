"""What is said of the kind of an expression before any record, held against what the codec makes of it."""

import pytest
from hypothesis import given
from support.invented_expressions import CONDITION, FLAGS, NUMBER, NUMBERS, PARAMETERS, ROWS, Row

from wireloom.codec.frames import Frame
from wireloom.expressions import expression as of_text
from wireloom.expressions.text import printed
from wireloom_generator.expressions import Expr, Name, Value, parse
from wireloom_generator.expressions.kinds import Fault, Kind, Misfit, kind, misfits


def known(name: Name) -> Kind | None:
    """The kinds of the names of invented expressions, and of some others."""
    return {
        **dict.fromkeys(NUMBERS, Kind.NUMBER),
        **dict.fromkeys((*FLAGS, "wide"), Kind.CONDITION),
        "dialect": Kind.TEXT,
        "ratio": Kind.FLOAT,
        "data": Kind.BYTES,
    }.get(name.name)


@given(number=NUMBER, condition=CONDITION, rows=ROWS)
def test_a_value_is_of_the_kind_that_its_expression_has(number: Expr, condition: Expr, rows: list[Row]) -> None:
    for tree, expected in ((number, Kind.NUMBER), (condition, Kind.CONDITION)):
        assert kind(tree, known) is expected
        asked = of_text(printed(tree))
        found = [asked.ask(row, row, Frame(PARAMETERS)) for row in rows]
        assert {kind(Value(value)) for value in found} <= {expected, None}


@given(number=NUMBER, condition=CONDITION)
def test_what_is_built_of_fitting_parts_fits_and_only_where_its_kind_does(number: Expr, condition: Expr) -> None:
    assert list(misfits(number, known, Kind.NUMBER)) == []
    assert list(misfits(condition, known, Kind.CONDITION)) == []
    assert list(misfits(number, known, Kind.FLOAT)) == [Misfit(number, Fault.UNWANTED, Kind.NUMBER, Kind.FLOAT)]
    assert list(misfits(number, known, Kind.CONDITION)) == [Misfit(number, Fault.UNWANTED, Kind.NUMBER, Kind.CONDITION)]


@pytest.mark.parametrize(
    ("text", "part", "fault"),
    [
        ("1 + (tiny if flag else sign)", "sign", Fault.MIXED),
        ("1 + (flag if sign else flag)", "flag if sign else flag", Fault.UNWANTED),
        ("ratio + 1", "ratio", Fault.UNWANTED),
        ("dialect == tiny", "dialect", Fault.UNLIKE),
        ("tiny in [1, 'a']", "tiny", Fault.UNLIKE),
        ("flag < true", "flag", Fault.UNORDERED),
        ("not (flag and data)", "data", Fault.UNWANTED),
        ("data == 'a'", "data", Fault.UNLIKE),
        ("data < 'a'", "data", Fault.UNLIKE),
        ("present(data) and size(data) + count(data) == true", "size(data) + count(data)", Fault.UNLIKE),
    ],
)
def test_each_misfit_is_told_once_and_at_the_part(text: str, part: str, fault: Fault) -> None:
    assert [(printed(found.part), found.fault) for found in misfits(parse(text), known)] == [(part, fault)]


@pytest.mark.parametrize("text", ["ratio < tiny", "stranger + 1 == stranger", "stranger if flag else 'a'"])
def test_what_is_unknown_may_fit(text: str) -> None:
    assert list(misfits(parse(text), known)) == []
