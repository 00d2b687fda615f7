"""Lua source: readable tables, safely quoted texts, and expressions as functions.

Expressions behave as in the codec: arithmetic with an absent value is absent, and a comparison with one is false.
Comparisons are Lua's own. Arithmetic is a call, because Lua's numbers end at 2^53.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Hexadecimal,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
    may_be_absent,
    needed,
)
from wireloom_generator.expressions.kinds import Kind, kind
from wireloom_generator.output import WIDTH, Bracketed, Code, Keyed, flat, pieces

_JOINED = 100
"""The most texts that one expression joins; Lua's own limit is 200, including enclosing expressions."""
_WORDS = frozenset({
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
})  # fmt: skip
_ORIGINS = {Origin.PARAMETER: "parameters", Origin.INPUT: "frame[1]"}
_FUNCTIONS = {
    "+": "add", "-": "sub", "*": "mul", "//": "div", "%": "mod", "&": "band", "|": "bor", "^": "bxor", "<<": "shl",
    ">>": "shr", "min": "least", "max": "greatest",
}  # fmt: skip


class LuaFunction(str):
    """A function of its own struct, the header and the known positions that returns the value of an expression."""

    __slots__ = ("expression", "signature")
    expression: str
    signature: str
    """The beginning of the function, with the parameters that the expression uses, and all before them."""

    def __new__(cls, expression: str) -> "LuaFunction":
        names = [name if re.search(rf"\b{name}\b", expression) else "_" for name in _PARAMETERS]
        while names[-1:] == ["_"]:
            names.pop()
        signature = f"function({', '.join(names)})"
        found = super().__new__(cls, f"{signature} return {expression} end")
        found.expression, found.signature = expression, signature
        return found


def table(items: Sequence[Code], head: str = "") -> Bracketed:
    """A table constructor with ``head`` before it, such as the name of a function whose only argument it is."""
    return Bracketed(head, items, "{}")


def call(name: str, *arguments: Code) -> Bracketed:
    return Bracketed(name, arguments)


def entry(key: str | int, value: Code) -> Keyed:
    """A key of a table, a name or a number, and its value."""
    return Keyed(f"{_key(key)} = ", value)


def entries(**values: Code | None) -> list[Code]:
    """Entries for the keys that have a value. A key may end in ``_`` if it is a word of Python."""
    return [entry(key.removesuffix("_"), value) for key, value in values.items() if value is not None]


def render(tree: Code, indent: int = 0, used: int = 0, after: int = 1) -> str:
    """The source. What does not fit on one line, ``used`` characters before it and some ``after`` it, has several.

    The last argument of a call takes several lines if the others fit on the first one; else each has its own lines.
    """
    room = WIDTH - indent - used - after
    if len(flat(tree)) <= room:
        return flat(tree)
    margin = "\n" + " " * (indent + 2)
    match tree:
        case str() if tree.startswith('"'):
            found = pieces(tree[1:-1], room - len('"" ..') + after, WIDTH - indent - 2 - len('"" ..'))
            return f" ..{margin}".join(f'"{piece}"' for piece in found) if len(found) < _JOINED else tree
        case LuaFunction():
            body = _filled(_WORD.findall(f"return {tree.expression}"), WIDTH - indent - 4, WIDTH - indent - 6)
            return f"{tree.signature}{margin}{f'{margin}  '.join(body)}\n{' ' * indent}end"
        case str():
            return tree
        case Keyed(before, value):
            return before + render(value, indent, used + len(before), after)
        case Bracketed(head, items, "{}"):
            return f"{margin.join(_lines(items, head, indent, used))}\n{' ' * indent}}}"
        case Bracketed(name, arguments):
            before = "".join([f"{name}(", *(f"{flat(argument)}, " for argument in arguments[:-1])])
            if arguments[1:] and len(before) >= room:
                parts = f",{margin}".join(render(argument, indent + 2) for argument in arguments)
                return f"{name}({margin}{parts}\n{' ' * indent})"
            return f"{before}{render(arguments[-1], indent, used + len(before), after + 1)})"


def _lines(items: Sequence[Code], head: str, indent: int, used: int) -> list[str]:
    """A table constructor in lines, but for its last brace. Short items share a line; with a head, also its first."""
    lines, is_open = [f"{head}{{"], bool(head)
    room = WIDTH - indent - used
    for item in items:
        is_short = len(flat(item)) <= _most(item, WIDTH - indent - 3)
        text = f"{flat(item)}," if is_short else f"{render(item, indent + 2)},"
        gap = " " if lines[-1].endswith(",") else ""
        if is_open and is_short and len(lines[-1]) + len(gap) + len(text) <= room:
            lines[-1] += gap + text
        else:
            lines.append(text)
            room = WIDTH - indent - 2
        is_open = is_short
    return lines


def _most(item: Code, room: int) -> int:
    """Up to how many characters an item of a table shares its line with others, if there is ``room`` for so many."""
    if isinstance(item, Bracketed) and item.brackets == "{}":
        return _ROW
    return room if isinstance(item, str) and not isinstance(item, LuaFunction) else _SHORT


_ESCAPED = re.compile(r'[\\"]')
_PARAMETERS = ("this", "record", "frame")
_SHORT, _ROW = 60, 36
"""Up to how many characters an item of a table, or a table in it, shares its line with others."""
_PARENTHESIS = re.compile(r'"(?:\\.|[^"\\])*"|[()]')
"""A parenthesis, or a text, in which there may be others."""
_WORD = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^\s"])+')
"""A word between spaces; spaces inside texts do not count."""


def _filled(words: Iterable[str], first: int, others: int) -> list[str]:
    """The words in lines: the first not longer than ``first``, the others not longer than ``others``."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > (others if lines[1:] else first):
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def _key(key: str | int) -> str:
    return key if isinstance(key, str) and _is_name(key) else f"[{literal(key)}]"


def _is_name(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)) and name not in _WORDS


def string(text: str | bytes) -> str:
    """A string literal; bytes that are not printable are written as numbers."""
    if isinstance(text, bytes):
        return '"' + "".join(f"\\{byte:03}" for byte in text) + '"'
    if text.isprintable() and not _ESCAPED.search(text):
        return f'"{text}"'
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '\\"':
        return "\\" + char
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03}" for byte in char.encode("utf-8", "surrogatepass"))


def is_exact(value: int) -> bool:
    """Whether a double holds this number and all smaller ones."""
    return abs(value) < 1 << 53


def literal(value: int | float | str | bytes | None) -> str:
    """A value in Lua; numbers look as in the spec."""
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case int():
            if not is_exact(value):
                return f"int({string(str(int(value)))})"
            return repr(value) if isinstance(value, Hexadecimal) else str(value)
        case float():
            return repr(value) if value == value and abs(value) != float("inf") else _infinite(value)
        case str() | bytes():
            return string(value)


def _infinite(value: float) -> str:
    return "0 / 0" if value != value else "huge" if value > 0 else "-huge"


def characters(encoding: Sequence[str | None]) -> Bracketed:
    """The characters of bytes as runs: the first byte, its character, and the number of consecutive ones."""
    runs: list[tuple[int, int, int]] = []
    for byte, point in ((byte, ord(character)) for byte, character in enumerate(encoding) if character is not None):
        first, start, count = runs[-1] if runs else (-1, -1, 0)
        if (byte - first, point - start) == (count, count):
            runs[-1] = (first, start, count + 1)
        else:
            runs.append((byte, point, 1))
    return table([table([str(byte), f"0x{point:04x}", str(count)]) for byte, point, count in runs])


def function(expression: Expr) -> LuaFunction:
    """A function that gives the expression's value."""
    return LuaFunction(_bare(_text(expression, may_fail=True)))


def _bare(text: str) -> str:
    """An expression without the parentheses around all of it, if there are any."""
    depth = 0
    for part in _PARENTHESIS.finditer(text):
        depth += {"(": 1, ")": -1}.get(part[0], 0)
        if depth == 0:
            return text[1:-1] if text[0] == "(" and part.end() == len(text) else text
    return text


def _text(expression: Expr, *, may_fail: bool = False) -> str:
    """Its value, or nil. It ``may_fail`` instead of being nil where it is the whole expression."""
    match expression:
        case Value(value):
            return literal(value)
        case Name():
            return _value_of(expression)
        case Unary("not", operand):
            return f"(not {_text(operand)})"
        case Unary() | Binary():
            return _number(expression, may_fail=may_fail)
        case Compare("==", left, right) if _is_none_alike(left, right):
            return f"({_text(left)} == {_text(right)})"
        case Compare("==" | "!=" as operator, left, right):
            return _guarded((left, right), f" {'~=' if operator == '!=' else operator} ".join)
        case Compare(operator, left, right) if {Kind.NUMBER, Kind.FLOAT} & {kind(left), kind(right)}:
            return _guarded((left, right), f" {operator} ".join)
        case Compare(operator, left, right):
            return _guarded((left, right), lambda values: f" {operator} ".join(f"by_bytes({one})" for one in values))
        case Among(value, choices, negated):
            if negated:
                return _guarded((value, *choices), lambda values: f"not among({', '.join(values)})")
            return _guarded((value,), lambda values: f"among({', '.join([*values, *map(_text, choices)])})")
        case Logical(operator, operands):
            return f"({f' {operator} '.join(map(_text, operands))})"
        case Conditional(test, then, other):
            chosen = [_text(part, may_fail=may_fail) for part in (then, other)]
            is_true = kind(then) not in (Kind.CONDITION, None)  # in Lua, whatever the number or text
            if is_true and (may_fail or not may_be_absent(then)):
                return f"({_text(test)} and {chosen[0]} or {chosen[1]})"
            return f"(function() if {_text(test)} then return {chosen[0]} end return {chosen[1]} end)()"
        case Call():
            return _called(expression, may_fail=may_fail)


def _number(expression: Expr, *, may_fail: bool) -> str:
    """The number, or nil."""
    if may_fail or not may_be_absent(expression):
        return _computed(expression, {})
    return _guarded((expression,), lambda values: f"{values[0]} or nil")


def _guarded(parts: Sequence[Expr], write: Callable[[list[str]], str]) -> str:
    """The result of ``write`` for the values of some parts; false if a part has no value.

    A value that takes a choice to find is computed once: it is an argument of a function.
    """
    held: dict[Expr, str] = {}
    there: dict[str, None] = {}
    for leaf in (leaf for part in parts for leaf in needed(part) if may_be_absent(leaf)):
        value = _value_of(leaf) if isinstance(leaf, Name) else held.setdefault(leaf, f"held{len(held)}")
        there[f"{value} ~= nil"] = None
    text = f"({' and '.join([*there, write([_computed(part, held) for part in parts])])})"
    return f"(function({', '.join(held.values())}) return {text} end)({', '.join(map(_text, held))})" if held else text


def _computed(expression: Expr, held: Mapping[Expr, str]) -> str:
    """Its value, if all that it needs is present; ``held`` has the names of values that are arguments."""
    match expression:
        case Unary("-" | "~" as operator, operand):
            return f"{'neg' if operator == '-' else 'bnot'}({_computed(operand, held)})"
        case Binary(operator, left, right):
            return f"{_FUNCTIONS[operator]}({_computed(left, held)}, {_computed(right, held)})"
        case Call(Function.MIN | Function.MAX as function, arguments):
            return f"{_FUNCTIONS[function]}({', '.join(_computed(argument, held) for argument in arguments)})"
    return held[expression] if expression in held else _text(expression)


def _is_none_alike(left: Expr, right: Expr) -> bool:
    """Whether two values can be compared as they are: at most one may be absent, and that one computes nothing."""
    absent = [side for side in (left, right) if may_be_absent(side)]
    return len(absent) < 2 and all(needed(side) == (side,) for side in absent)


def _value_of(name: Name) -> str:
    if name.origin is Origin.SECTION or name.origin is Origin.ITEM:
        return "frame[0]" if name.origin is Origin.SECTION else "frame[2]"
    origin = _ORIGINS.get(name.origin or Origin.THIS, name.origin or "this")
    first, *steps = name.steps
    value = f"{origin}.{first}" if _is_name(first) else f"{origin}[{string(first)}]"
    value = f"in_struct({', '.join([value, *map(string, steps)])})" if steps else value
    if name.item is None:
        return value
    number = [] if name.item.word == "last" else [_text(name.item.number)]
    return f"{'item' if number else 'last_item'}({', '.join([value, *number, *map(string, name.item.inner)])})"


def _called(call: Call, *, may_fail: bool) -> str:
    match call.function:
        case Function.MIN | Function.MAX:
            return _number(call, may_fail=may_fail)
        case Function.COUNT:
            return f"#({_value_of(call.target)} or {{}})"
        case Function.PRESENT:
            return f"({_value_of(call.target)} ~= nil)"
        case Function.SIZE | Function.OFFSET:
            return _placed(call.function, call.target)
        case Function.CALENDAR | Function.NTP | Function.GPS:
            return f"times.{call.function}({', '.join(map(_text, call.arguments))})"
        case Function.GPS_COUNT | Function.MICROSECONDS | Function.YEAR | Function.MONTH | Function.DAY:
            raise AssertionError("only what is written is taken from a time")


def _placed(function: Function, target: Name) -> str:
    """The size or the offset of a field, a section or an item."""
    *structs, name = map(string, target.steps)
    frame = f"in_frame({', '.join(['frame', *structs])})" if structs else "frame"
    if target.item is None:
        return f"{function}_of({frame}, {name})"
    number = string("last") if target.item.word == "last" else _text(target.item.number)
    return f"item_{function}({', '.join([frame, name, number, *map(string, target.item.inner)])})"
