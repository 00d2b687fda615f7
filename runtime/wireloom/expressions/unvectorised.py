"""Which expressions cannot be evaluated for many records at once, and why."""

from collections.abc import Mapping
from enum import Enum, auto

from wireloom.expressions.tree import (
    OF_NAMES,
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    InList,
    Name,
    Origin,
    Value,
    parts,
)

_LONGEST = 2**63 - 1
_EXACT = 2**53
"""Whole numbers up to it are floats, too."""


class Strange(Enum):
    """Values that are no whole numbers."""

    TEXT = auto()
    """A text, or bytes: it can be compared."""
    FLOAT = auto()
    OTHER = auto()


_NOTHING: Mapping[str, Strange] = {}


def reason(tree: Expr, strange: Mapping[str, Strange] = _NOTHING) -> str | None:
    """Why an expression cannot be evaluated for many records at once; None if it can.

    ``strange`` are the names whose values are not whole numbers. Parameters are the same in all records, so they can be
    compared whatever they are, also by types that are given them.
    """
    asked = parts(tree)
    match tree:
        case Value(value) if not isinstance(value, int) or abs(value) > _LONGEST:
            shown = f"hex('{value.hex()}')" if isinstance(value, bytes) else repr(value)
            return f"an expression contains {shown}"
        case Name(name, item=InList(listed, number, _, inner)):
            if (inner[-1] if inner else items_of(listed)) in strange:
                return f"an expression uses {name}, which is not a whole number"
            return reason(number, strange)
        case Call(function, (Name(name, item=InList()),)):
            return f"an expression uses {function}({name}) of an item of a list"
        case Name(name, origin=Origin.THIS | Origin.RECORD | None) if tree.steps[-1] in strange:
            return f"an expression uses {name}, which is not a whole number"
        case Compare("==" | "!=", Name(origin=Origin.PARAMETER | Origin.INPUT), Value()):
            return None
        case Compare(sign, left, right) if _comparable(strange, left, right, ordered=sign not in ("==", "!=")):
            return None
        case Among(value, choices) if _comparable(strange, value, *choices):
            return None
        case Call(function, (Name(),)) if function in OF_NAMES:
            return None
        case Binary("//" | "%", _, divisor) if not isinstance(divisor, Value):
            return "an expression divides by something other than a literal number"
        case Conditional(test, then, other):
            asked = (test, *(branch for branch in (then, other) if branch != Value(None)))
    return next(filter(None, (reason(part, strange) for part in asked)), None)


def items_of(listed: str) -> str:
    """The name of a list's items among strange ones."""
    return f"{listed.rpartition('.')[2]}[]"


def _comparable(strange: Mapping[str, Strange], *operands: Expr, ordered: bool = False) -> bool:
    """Whether these are texts, or floats, that can be compared."""
    return (not ordered and all(_is_text(each, strange) for each in operands)) or all(
        _is_float(each, strange) for each in operands
    )


def _is_text(tree: Expr, strange: Mapping[str, Strange]) -> bool:
    match tree:
        case Value(str() | bytes()) | Name(origin=Origin.PARAMETER | Origin.INPUT):
            return True
        case Name(item=None):
            return strange.get(tree.steps[-1]) is Strange.TEXT
    return False


def _is_float(tree: Expr, strange: Mapping[str, Strange]) -> bool:
    match tree:
        case Value(float()):
            return True
        case Value(int() as number):
            return abs(number) <= _EXACT
        case Name(origin=Origin.THIS | Origin.RECORD | None, item=None):
            return strange.get(tree.steps[-1]) is Strange.FLOAT
    return False
