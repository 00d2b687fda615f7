"""What can be known of conditions: each answer that is given is held against all values there are."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom_generator.expressions import Expr, conditions, parse
from wireloom_generator.expressions.conditions import Domains, disjoint, example, implies, impossible
from wireloom_generator.expressions.domain import TRUTH, Domain
from wireloom_generator.expressions.evaluation import UNDECIDED, evaluate, holds, of_values
from wireloom_generator.expressions.kinds import Kind

BYTE, WORD, LONG = Domain(0, 255), Domain(0, 65535), Domain(0, (1 << 64) - 1)
OPTIONAL = Domain(0, 255, when=parse("length == 1"))
IN_PARTS = {
    "id": Domain(0, 65535, valid=parse("id == (15 + more if nibble == 15 else nibble)")),
    "nibble": Domain(0, 15),
    "more": Domain(0, 255, when=parse("nibble == 15")),
}


@pytest.mark.parametrize(
    ("condition", "domains"),
    [
        ("a == 256", {"a": BYTE}),
        ("a == 3 and a == 4", {"a": LONG}),
        ("a < 3 and a >= 3", {"a": LONG}),
        ("a > 3 and a < 4", {"a": LONG}),
        ("a in [1, 2] and a not in [1, 2, 3]", {"a": LONG}),
        ("not (a < 5 or a > 4)", {"a": LONG}),
        ("a + 1 == 0", {"a": LONG}),
        ("2 * a == 5", {"a": LONG}),
        ("3 - a > 3", {"a": LONG}),
        ("1 < a < 2", {"a": LONG}),
        ("a & 1 != 0 and a & 1 == 0", {"a": LONG}),
        ("a & 0x30 == 0x40", {"a": LONG}),
        ("a & 3 in [4, 5]", {"a": LONG}),
        ("a % 4 == 4", {"a": BYTE}),
        ("a // 16 == 16", {"a": BYTE}),
        ("b and not b", {"b": TRUTH}),
        ("b == true and b == false", {"b": TRUTH}),
        ("a - c > 3 and a == 8 and c == 6", {"a": WORD, "c": WORD}),
        ("t == 'x' and t == 'y'", {"t": Domain(kind=Kind.TEXT)}),
        ("t not in ['old', 'new']", {"t": Domain(listed=("old", "new"))}),
        ("version == 0 and length == 20", {"version": OPTIONAL, "length": BYTE}),
        ("version != 0 and length == 20", {"version": OPTIONAL, "length": BYTE}),
        ("present(version) and length != 1", {"version": OPTIONAL, "length": BYTE}),
        ("a >= 4", {"a": Domain(0, 255, valid=parse("a < 4"))}),
        ("a > 2 and c > 9", {"a": Domain(0, 255, valid=parse("a == c")), "c": Domain(0, 9)}),
        ("2 * (a + c) > 4 * 65535", {"a": WORD, "c": WORD}),
        ("-(a + c) > 0", {"a": WORD, "c": WORD}),
        ("(a + 1) * 2 == 5", {"a": LONG}),
        ("size(x) < 0", {}),
        ("size(x) == 3 and size(x) == 4", {}),
        ("(a == 1 if b else a == 2) and a == 3", {"a": LONG, "b": TRUTH}),
        ("id == 271", IN_PARTS),
    ],
)
def test_what_never_holds(condition: str, domains: Domains) -> None:
    assert impossible(parse(condition), domains)


@pytest.mark.parametrize(
    ("condition", "domains"),
    [
        ("a == 255", {"a": BYTE}),
        ("a > 3 and a < 5", {"a": LONG}),
        ("2 * a == 6", {"a": LONG}),
        ("a & 1 != 0 and a & 2 == 0", {"a": LONG}),
        ("a == c", {"a": BYTE, "c": LONG}),
        ("a % 4 == 3", {"a": BYTE}),
        ("t != 'x'", {"t": Domain(kind=Kind.TEXT)}),
        ("version == 0 and length == 1", {"version": OPTIONAL, "length": BYTE}),
        ("not (version == 0) and length == 20", {"version": OPTIONAL, "length": BYTE}),
        ("not present(a)", {"a": Domain(0, 255, optional=True)}),
        ("id == 6", IN_PARTS),
        ("id == 270", IN_PARTS),
        ("true", {}),
    ],
)
def test_what_can_hold_is_shown_by_values_that_do(condition: str, domains: Domains) -> None:
    tree = parse(condition)
    found = example(tree, domains)
    assert found is not None
    assert holds(tree, {**dict.fromkeys(domains), **found})
    assert not impossible(tree, domains)


@pytest.mark.parametrize(
    ("condition", "domains"),
    [
        ("size(x) == 3", {}),
        ("a * a == 7", {"a": LONG}),
        ("a == c and a != c", {"a": LONG, "c": LONG}),
        ("a << 100 == 1", {"a": LONG}),
        ("a // 0 == 1", {"a": BYTE}),
        ("a == 1", {"a": Domain(0, 255, is_wider=True)}),
    ],
)
def test_what_is_too_hard_is_left_open(condition: str, domains: Domains) -> None:
    assert not impossible(parse(condition), domains)
    assert example(parse(condition), domains) is None


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        ("a <= 3", "a <= 4", True),
        ("a <= 4", "a <= 3", False),
        ("a == 1", "a in [1, 2]", True),
        ("a in [1, 2]", "a == 1", False),
        ("a > 1", "a >= 2", True),
        ("a & 6 == 6", "a & 2 != 0", True),
        ("a & 2 != 0", "a & 6 == 6", False),
        ("false", "a == 1", True),
    ],
)
def test_what_implies_what(one: str, other: str, holds: bool) -> None:
    assert implies(parse(one), parse(other), {"a": LONG}) is holds


def test_a_name_of_unknown_type_may_lie_between_whole_numbers() -> None:
    assert not implies(parse("a > 1"), parse("a >= 2"))
    assert implies(parse("a > 2"), parse("a >= 2"))


def test_a_name_of_unknown_type_may_be_no_number() -> None:
    assert not implies(parse("not (a > 1)"), parse("a <= 1"))


def test_lengths_and_versions_that_exclude_each_other_are_disjoint() -> None:
    known = {"version": OPTIONAL, "length": BYTE}
    assert disjoint(parse("length == 20"), parse("version == 0"), known)
    assert not disjoint(parse("length == 1"), parse("version == 0"), known)


@pytest.mark.parametrize("other", ["kind == true", "kind == 1.0"])
def test_values_of_several_kinds_are_several(other: str) -> None:
    assert parse("kind == 1") != parse(other)
    assert len({parse("kind == 1"), parse(other)}) == 2


def test_names_that_depend_on_each_other_are_left_open() -> None:
    known = {"a": Domain(0, 9, when=parse("c == 1")), "c": Domain(0, 9, when=parse("a == 1"))}
    assert not impossible(parse("a == 2"), known)
    assert example(parse("a == 2"), known) is None


def test_the_work_is_bounded() -> None:
    names = [f"n{number}" for number in range(30)]
    hard = parse(" and ".join(f"({name} == 1 or {name} == 2)" for name in names))
    assert not impossible(hard, dict.fromkeys(names, LONG))
    assert example(hard, dict.fromkeys(names, LONG)) is None


SMALL = {"a": Domain(0, 15), "c": Domain(-4, 3), "d": Domain(0, 15, when=parse("a > 7")), "b": TRUTH}
NUMBERS = st.integers(-2, 17).map(str)
TERMS = st.one_of(
    st.sampled_from(["a", "c", "d"]),
    st.builds("({} {} {})".format, st.sampled_from(["a", "c", "d"]), st.sampled_from(["+", "-", "*", "&"]), NUMBERS),
    st.builds("({} // {})".format, st.sampled_from(["a", "d"]), st.integers(1, 4).map(str)),
)
ATOMS = st.one_of(
    st.builds("{} {} {}".format, TERMS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), st.one_of(NUMBERS, TERMS)),
    st.builds("{} in [{}, {}]".format, TERMS, NUMBERS, NUMBERS),
    st.sampled_from(["b", "b == false", "present(d)", "not present(d)"]),
)
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
    ),
    max_leaves=4,
)


def _tried(tree: Expr) -> bool:
    """Whether it holds for any of all values."""
    for a, c, d, b in product(range(16), range(-4, 4), range(16), (False, True)):
        if holds(tree, {"a": a, "c": c, "d": d if a > 7 else None, "b": b}):
            return True
    return False


@given(CONDITIONS)
def test_no_answer_is_wrong(text: str) -> None:
    tree = parse(text)
    # the same numbers in wide domains, held to the small ones by what is valid: fewer of them can be tried one by one
    wide = {
        "a": Domain(0, 1 << 32, valid=parse("a < 16")),
        "c": Domain(-(1 << 31), 1 << 31, valid=parse("c >= -4 and c < 4")),
        "d": Domain(0, 1 << 32, when=parse("a > 7"), valid=parse("d < 16")),
        "b": TRUTH,
    }
    truth = _tried(tree)
    for domains in (SMALL, wide):
        assert not (truth and impossible(tree, domains))
        assert truth or example(tree, domains) is None


def test_what_cannot_be_computed_is_said_so() -> None:
    assert evaluate(parse("a // 0"), of_values({"a": 1})) is UNDECIDED


def test_both_is_the_condition_that_both_hold() -> None:
    tree = conditions.both(parse("a == 1"), parse("c == 2"))
    assert holds(tree, {"a": 1, "c": 2})
    assert not holds(tree, {"a": 1, "c": 3})
