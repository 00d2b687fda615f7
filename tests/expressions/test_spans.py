"""Between which numbers expressions lie: every value that they have, and as few others as can be told."""

from itertools import product

import pytest

from wireloom_generator.expressions import parse
from wireloom_generator.expressions.evaluation import evaluate, of_values
from wireloom_generator.expressions.spans import Span, out_of_reach, span

ENDS = {"a": Span(0, 7), "b": Span(-3, 4), "c": Span(1, 5)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - 2 * b + 1", Span(-7, 14)),
        ("a - a", Span(0, 0)),
        ("b & 6", Span(0, 6)),
        ("a & c", Span(0, 5)),
        ("a | c", Span(0, 7)),
        ("a ^ c", Span(0, 7)),
        ("b % c", Span(0, 4)),
        ("a // c", Span(0, 7)),
        ("a >> c", Span(0, 7)),
        ("a * c", Span(0, 35)),
        ("(a & 3) + a * c", Span(0, 38)),
        ("min(a, b, 3)", Span(-3, 3)),
        ("max(a, b, 3)", Span(3, 7)),
        ("a if b > 0 else b", Span(-3, 7)),
    ],
)
def test_every_value_lies_between_the_ends(text: str, expected: Span) -> None:
    tree = parse(text)
    found = span(tree, ENDS.__getitem__)
    assert found == expected
    least, most = found
    assert least is not None
    assert most is not None
    for a, b, c in product(range(8), range(-3, 5), range(1, 6)):
        value = evaluate(tree, of_values({"a": a, "b": b, "c": c}))
        assert isinstance(value, int)
        assert least <= value <= most


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", Span()),
        ("x & 7", Span(0, 7)),
        ("x % 64", Span(0, 63)),
        ("x % b", Span()),
        ("max(x, 1)", Span(1, None)),
        ("min(x, 63)", Span(None, 63)),
        ("x + 1", Span()),
        ("x // c", Span()),
        ("b >> a", Span()),
        ("a if b > 0 else x", Span()),
        ("~a", Span()),
    ],
)
def test_what_may_be_anything_has_the_ends_that_are_written(text: str, expected: Span) -> None:
    assert span(parse(text), lambda key: ENDS.get(key, Span())) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a == 8", True),
        ("a == 7", False),
        ("b > 4", True),
        ("b >= 4", False),
        ("a < 0", True),
        ("a <= 0", False),
        ("c + a > 12", True),
        ("a & 3 >= 4", True),
        ("x > 9", False),
        ("a != 8", False),
    ],
)
def test_a_comparison_of_what_is_too_far_apart_never_holds(text: str, expected: bool) -> None:
    assert out_of_reach(parse(text), lambda key: ENDS.get(key, Span())) is expected
