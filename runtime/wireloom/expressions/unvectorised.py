"""Which expressions cannot be evaluated for many records at once, and why."""

from collections.abc import Set

from wireloom.expressions.tree import OF_NAMES, Among, Call, Compare, Conditional, Expr, Name, Origin, Value, parts

_LONGEST = 2**63 - 1


def reason(tree: Expr, strange: Set[str] = frozenset()) -> str | None:
    """Why an expression cannot be evaluated for many records at once; None if it can.

    ``strange`` are the names whose values are not whole numbers. Parameters are the same in all records, so they can be
    compared whatever they are, also by types that are given them.
    """
    asked = parts(tree)
    match tree:
        case Value(value) if not isinstance(value, int) or abs(value) > _LONGEST:
            shown = f"hex('{value.hex()}')" if isinstance(value, bytes) else repr(value)
            return f"an expression has {shown} in it"
        case Name(name, origin=Origin.THIS | Origin.RECORD | None) if tree.steps[-1] in strange:
            return f"an expression asks for {name}, which is no whole number"
        case Compare("==" | "!=", Name(origin=Origin.PARAMETER | Origin.INPUT), Value()):
            return None
        case Among(Name(origin=Origin.PARAMETER | Origin.INPUT), choices) if all(
            isinstance(choice, Value) for choice in choices
        ):
            return None
        case Call(function, (Name(),)) if function in OF_NAMES:
            return None
        case Conditional(test, then, other):
            asked = (test, *(branch for branch in (then, other) if branch != Value(None)))
    return next(filter(None, (reason(part, strange) for part in asked)), None)
