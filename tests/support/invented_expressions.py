"""Expressions as the language lets them be written, and rows of values to ask them of."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
    parse,
    rename,
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
    return Name(name, origin=Origin.THIS, nullable=COLUMNS[name][1])


def trees() -> tuple[st.SearchStrategy[Expr], st.SearchStrategy[Expr]]:
    """Numbers and conditions, as the language lets them be written."""
    numbers: st.SearchStrategy[Expr] = st.deferred(lambda: st.one_of(some, made))
    conditions: st.SearchStrategy[Expr] = st.deferred(lambda: st.one_of(known, asked))
    some = st.builds(Value, st.integers(-5, 300)) | st.builds(of, st.sampled_from(NUMBERS))
    known = (
        st.builds(Value, st.booleans())
        | st.builds(of, st.sampled_from(FLAGS))
        | st.builds(lambda name: Call(Function.PRESENT, (of(name),)), st.sampled_from(list(COLUMNS)))
        | st.just(Name("wide", origin=Origin.PARAMETER))
        | st.just(Compare("==", Name("dialect", origin=Origin.PARAMETER), Value("old")))
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
        st.builds(Call, st.sampled_from([Function.MIN, Function.MAX]), pair),
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
ROWS = st.lists(
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


def values(row: Row) -> dict[str, Any]:
    """The values of a row and of the parameters, as the compiler keeps them by name."""
    return {f"this.{name}": value for name, value in row.items()} | {
        f"parameter.{name}": value for name, value in PARAMETERS.items()
    }


def parsed(text: str) -> Expr:
    """The expression, its names found."""
    return rename(parse(text), lambda name: of(name.name))


ROW: Row = dict.fromkeys(COLUMNS, 0) | {"flag": False, "sign": False, "mark": False}
OF_ABSENT = (
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
    "small == huge",
    "(small + 1 if flag else 0) == 1",
    "not ((small + 1 if flag else 0) < 3)",
    "(small + 1 if flag else tiny) if sign else 7",
    "(min(small, 1) if flag else tiny) != 0",
)
"""Expressions that ask for what may be absent."""
ABSENT: list[Row] = [
    ROW | {"sign": sign, "mark": mark, "small": small, "tiny": tiny, "flag": flag, "huge": None}
    for sign in (None, False, True)
    for mark in (None, False, True)
    for small in (None, 0, 1)
    for tiny in (0, 1)
    for flag in (False, True)
]
"""Rows in all of which something is."""
