"""Trees → the text in generated code: that of the spec with qualified names, if there is one."""

from typing import assert_never

from wireloom.expressions.parsing import ORIGINS, parsed, spelled
from wireloom.expressions.tree import (
    OF_PLACES,
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    InList,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
    parts,
    rebuild,
    rename,
    walk,
)

_PREFIXES = {
    None: "",
    Origin.THIS: "",
    Origin.RECORD: "record.",
    Origin.PARAMETER: "parameters.",
    Origin.SECTION: "section.",
    Origin.INPUT: "given.",
    Origin.ITEM: "item.",
}
_PRECEDENCE = {"or": 1, "and": 2, "not": 3, "in": 4, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9}
_TIGHT = 10


def qualified(tree: Expr, written: str) -> str:
    """The text of a tree whose names are resolved: as it is ``written``, if that means the tree, else printed."""
    found = parsed(written)
    origins = {name.name: name.origin for name in walk(tree) if isinstance(name, Name) and name.origin is not None}
    if found is None or _bare(rename(found, lambda name: Name(name.name, 0, origins.get(name.name)))) != _bare(tree):
        return printed(tree)
    places = {name.column: _prefix(name, origins.get(name.name)) for name in _valued(found)}
    text = written.strip().encode()
    for place in sorted(places, reverse=True):
        text = text[:place] + places[place].encode() + text[place:]
    return text.decode()


def unqualified(text: str, tree: Expr) -> str:
    """The text of a tree with unqualified names."""
    places = {name.column: len(_prefix(name, name.origin)) for name in _valued(tree)}
    found = text.encode()
    for place in sorted(places, reverse=True):
        found = found[:place] + found[place + places[place] :]
    return found.decode()


def _prefix(name: Name, origin: Origin | None) -> str:
    """What stands before a name in generated code."""
    looks_alike = origin is Origin.THIS and len(name.steps) > 1 and name.steps[0] in ORIGINS
    return "this." if looks_alike else _PREFIXES[origin]


def _valued(tree: Expr) -> list[Name]:
    """The names to qualify: all but those of which only the position is used."""
    match tree:
        case Name():
            return [tree, *(name for part in parts(tree) for name in _valued(part))]
        case Call(function) if function in OF_PLACES:
            tree = tree.target
    return [name for part in parts(tree) for name in _valued(part)]


def _bare(tree: Expr) -> Expr:
    """The tree without details that do not affect its value: positions of names, and origins of measured ones."""
    match tree:
        case Name(name, origin=origin):
            return Name(name, origin=origin)
        case Call(function, (Name(name),)) if function in OF_PLACES:
            return Call(function, (Name(name),))
    return rebuild(tree, _bare)


def printed(tree: Expr) -> str:
    """The tree as text."""
    return _text(tree)


def _text(tree: Expr, outer: int = 0) -> str:
    text, own = _printed(tree)
    return f"({text})" if own < outer else text


def _printed(tree: Expr) -> tuple[str, int]:
    """The text, and the precedence of its outermost operator."""
    match tree:
        case Value(value):
            return literal(value), 99
        case Name():
            return _spelled(tree, _prefix(tree, tree.origin)), 99
        case Unary("not", operand):
            return f"not {_text(operand, 3)}", 3
        case Unary(operator, operand):
            return f"{operator}{_text(operand, 11)}", 11
        case Binary(operator, left, right):
            own = _PRECEDENCE.get(operator, _TIGHT)
            return f"{_text(left, own)} {operator} {_text(right, own + 1)}", own
        case Compare(operator, left, right):
            return f"{_text(left, 5)} {operator} {_text(right, 5)}", 4
        case Among(value, choices, negated):
            return f"{_text(value, 5)} {'not in' if negated else 'in'} [{', '.join(map(_text, choices))}]", 4
        case Logical(operator, operands):
            own = _PRECEDENCE[operator]
            return f" {operator} ".join(_text(operand, own + 1) for operand in operands), own
        case Conditional(test, then, other):
            return f"{_text(then, 1)} if {_text(test, 1)} else {_text(other)}", 0
        case Call(function) if function in OF_PLACES:
            return f"{function}({_spelled(tree.target, '')})", 99
        case Call(function, arguments):
            return f"{function}({', '.join(map(_text, arguments))})", 99
        case _:
            assert_never(tree)


def _spelled(name: Name, prefix: str) -> str:
    """A name as it is written, with what stands in front of where it is found."""
    match name.item:
        case None:
            return prefix + spelled(name.name)
        case InList(listed, number, word, inner):
            found = f"{prefix}{spelled(listed)}"
            found = f"{word}({found})" if word else f"{found}[{_text(number)}]"
            return ".".join([found, *map(spelled, inner)])


def literal(value: int | float | str | bytes | None) -> str:
    """A value in the language; numbers look as in the spec."""
    match value:
        case bool():
            return "true" if value else "false"
        case None | int() | float() | str():
            return repr(value)
        case bytes():
            return f"hex('{value.hex()}')"
        case _:
            assert_never(value)
