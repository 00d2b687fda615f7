"""Lua source: tables laid out as a person would do it, safely quoted texts, and expressions as functions.

Expressions behave as in the codec: arithmetic with an absent value is an error in Lua, which the caller takes for
absent. Comparisons are Lua's own. Arithmetic is a call, because Lua's numbers end at 2^53.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from wireloom_generator import expressions
from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Hexadecimal,
    Logical,
    Name,
    Scope,
    Unary,
    Value,
)

WIDTH = 120
_EXACT = 1 << 53
_WORDS = frozenset({
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
})  # fmt: skip
_FUNCTIONS = {
    "+": "add", "-": "sub", "*": "mul", "//": "div", "%": "mod", "&": "band", "|": "bor", "^": "bxor", "<<": "shl",
    ">>": "shr", "min": "least", "max": "greatest",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LuaTable:
    """A table constructor with ``head`` before it, such as the name of a function whose only argument it is."""

    items: "Sequence[Lua]"
    head: str = ""


@dataclass(frozen=True, slots=True)
class LuaEntry:
    """A key of a table and its value."""

    key: str
    value: "Lua"


Lua = str | LuaTable | LuaEntry


def entries(**values: "Lua | None") -> list[Lua]:
    """Entries for the keys that have a value. A key may end in ``_`` if it is a word of Python."""
    return [LuaEntry(key.removesuffix("_"), value) for key, value in values.items() if value is not None]


def render(tree: Lua, indent: int = 0, used: int = 0) -> str:
    """The source. A table is on one line if it fits after ``used`` characters; if not, each item has its own."""
    line = _flat(tree)
    if indent + used + len(line) < WIDTH or isinstance(tree, str):
        return line
    if isinstance(tree, LuaEntry):
        key = f"{_key(tree.key)} = "
        return key + render(tree.value, indent, used + len(key))
    inner = "".join(f"{' ' * (indent + 2)}{render(item, indent + 2)},\n" for item in tree.items)
    return f"{tree.head}{{\n{inner}{' ' * indent}}}"


def _flat(tree: Lua) -> str:
    match tree:
        case str():
            return tree
        case LuaEntry(key, value):
            return f"{_key(key)} = {_flat(value)}"
        case LuaTable(items, head):
            return f"{head}{{{', '.join(map(_flat, items))}}}"


def _key(name: str) -> str:
    return name if _is_name(name) else f"[{string(name)}]"


def _is_name(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)) and name not in _WORDS


def string(text: str | bytes) -> str:
    """A string literal; bytes that are not printable are written as numbers."""
    if isinstance(text, bytes):
        return '"' + "".join(f"\\{byte:03}" for byte in text) + '"'
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '\\"':
        return "\\" + char
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03}" for byte in char.encode("utf-8", "surrogatepass"))


def literal(value: int | float | str | bytes | None) -> str:
    """A value in Lua; numbers look as in the spec."""
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case int():
            if abs(value) >= _EXACT:
                return f"int({string(str(int(value)))})"
            return repr(value) if isinstance(value, Hexadecimal) else str(value)
        case float():
            return repr(value) if value == value and abs(value) != float("inf") else _infinite(value)
        case str() | bytes():
            return string(value)
        case _:
            assert_never(value)


def _infinite(value: float) -> str:
    return "0 / 0" if value != value else "huge" if value > 0 else "-huge"


def function(expression: Expr) -> str:
    """The expression as a function of its own struct, the header and the known positions."""
    return f"function(this, record, frame) return {_text(expression)} end"


def _text(expression: Expr) -> str:
    match expression:
        case Value(value):
            return literal(value)
        case Name():
            return _value_of(expression)
        case Unary("not", operand):
            return f"(not {_text(operand)})"
        case Unary(operator, operand):
            return f"{'neg' if operator == '-' else 'bnot'}({_text(operand)})"
        case Binary(operator, left, right):
            return f"{_FUNCTIONS[operator]}({_text(left)}, {_text(right)})"
        case Compare(operator, left, right):
            compared = f"{_text(left)} {'~=' if operator == '!=' else operator} {_text(right)}"
            return _guarded(expression, compared)
        case Among(value, choices, negated):
            found = f"among({', '.join(map(_text, (value, *choices)))})"
            return _guarded(expression, f"not {found}" if negated else found)
        case Logical(operator, operands):
            return f"({f' {operator} '.join(map(_text, operands))})"
        case Conditional(test, then, other):
            if _is_never_false(then):
                return f"({_text(test)} and {_text(then)} or {_text(other)})"
            return f"(function() if {_text(test)} then return {_text(then)} end return {_text(other)} end)()"
        case Call(name, arguments):
            return _call(name, arguments)
        case _:
            assert_never(expression)


def _is_never_false(expression: Expr) -> bool:
    """Whether its value, if it has one, is a number or text, which is true in Lua."""
    match expression:
        case Value(value):
            return not isinstance(value, bool) and value is not None
        case Unary(operator):
            return operator != "not"
        case Binary():
            return True
        case Call(name):
            return name != "present"
        case Name() | Compare() | Among() | Logical() | Conditional():
            return False
        case _:
            assert_never(expression)


def _guarded(comparison: Compare | Among, text: str) -> str:
    """A comparison that is false, and not an error, if a value in it is absent."""
    present = (f"{name} ~= nil" for name in dict.fromkeys(map(_value_of, guards(comparison))))
    return f"({' and '.join([*present, text])})"


def guards(comparison: Compare | Among) -> tuple[Name, ...]:
    """The names whose absence makes a comparison false; Lua itself handles the others."""
    match comparison:
        case Compare("==", _, Value(bool())):
            return ()
        case Compare("==", left, right) if not _computes(comparison) and not (_nullable(left) and _nullable(right)):
            return ()
        case Among(value, choices, False) if not _computes(comparison):
            if not (_nullable(value) and any(map(_nullable, choices))):
                return ()
    return tuple(name for name in expressions.names(comparison) if name.nullable)


def _nullable(expression: Expr) -> bool:
    return any(name.nullable for name in expressions.names(expression))


def _computes(expression: Expr) -> bool:
    """Whether something in it has no result if a value is absent."""
    return any(
        isinstance(part, Binary)
        or (isinstance(part, Unary) and part.operator != "not")
        or (isinstance(part, Call) and part.function in expressions.OF_NUMBERS)
        for part in expressions.walk(expression)
    )


def _value_of(name: Name) -> str:
    scope = "parameters" if name.scope is Scope.PARAMETER else name.scope or "this"
    return f"{scope}.{name.name}" if _is_name(name.name) else f"{scope}[{string(name.name)}]"


def _call(name: str, arguments: tuple[Expr, ...]) -> str:
    if name in expressions.OF_NUMBERS:
        return f"{_FUNCTIONS[name]}({', '.join(map(_text, arguments))})"
    target = arguments[0]
    assert isinstance(target, Name)
    match name:
        case "count":
            return f"#({_value_of(target)} or {{}})"
        case "present":
            return f"({_value_of(target)} ~= nil)"
    return f"{name}_of(frame, {string(target.name)})"
