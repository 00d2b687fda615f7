"""What of expressions cannot be asked of many records at once, and why."""

from collections.abc import Set

from wireloom.expressions.tree import OF_NAMES, Among, Call, Compare, Conditional, Expr, Name, Scope, Value, parts

_LONGEST = 2**63 - 1


class RowwiseError(ValueError):
    """Something is decoded row by row; the text says what."""


def refuse(tree: Expr, strange: Set[str] = frozenset()) -> None:
    """Raise ``RowwiseError`` for what many records cannot be asked for at once.

    ``strange`` are the names whose values are no whole numbers. Parameters are the same in all records: those can be
    compared with whatever they are.
    """
    match tree:
        case Value(value):
            if not isinstance(value, int) or abs(value) > _LONGEST:
                raise RowwiseError(f"an expression has {value!r} in it")
        case Name(name, scope=scope):
            if scope is not Scope.PARAMETER and name in strange:
                raise RowwiseError(f"an expression asks for {name}, which is no whole number")
        case Compare("==" | "!=", Name(scope=Scope.PARAMETER), Value()):
            pass
        case Among(Name(scope=Scope.PARAMETER), choices) if all(isinstance(choice, Value) for choice in choices):
            pass
        case Call(function, (Name(),)) if function in OF_NAMES:
            pass
        case Conditional(test, then, other):
            for part in (test, *(branch for branch in (then, other) if branch != Value(None))):
                refuse(part, strange)
        case _:
            for part in parts(tree):
                refuse(part, strange)
