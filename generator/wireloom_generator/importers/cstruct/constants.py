"""Constant expressions of C: what array sizes and enums are made of."""

import re
from collections.abc import Callable, Mapping
from typing import Any

_WIDEST = 1 << 64
_CHARACTERS = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34, "a": 7, "b": 8, "f": 12, "v": 11}
_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "&": int.__and__, "|": int.__or__, "^": int.__xor__,
    "<<": lambda a, b: a << min(max(b, 0), 64), ">>": lambda a, b: a >> min(max(b, 0), 64),
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a and b)), "||": lambda a, b: int(bool(a or b)),
}  # fmt: skip


class UnknownValueError(Exception):
    """An expression is not constant, or its value is beyond 64 bits."""


def value_of(text: str) -> int:
    """The value of an expression without names."""
    from pycparser import c_parser  # slow to import, and rarely needed

    if re.fullmatch(r"\s*\d{1,18}\s*", text):
        return int(text)
    try:
        (declaration,) = c_parser.CParser().parse(f"int x = ({text});").ext
        return evaluated(declaration.init, {}, lambda _: None)
    except (c_parser.ParseError, RecursionError, ValueError, AttributeError):
        raise UnknownValueError(text[:40]) from None


def evaluated(node: Any, names: Mapping[str, int], size: Callable[[Any], int | None]) -> int:
    """The value of a node of pycparser; ``size`` is that of a type. Raises ``UnknownValueError``."""
    found = _value(node, names, size)
    if found is None or not -_WIDEST < found < _WIDEST:
        raise UnknownValueError
    return found


def _value(node: Any, names: Mapping[str, int], size: Callable[[Any], int | None]) -> int | None:
    match type(node).__name__:
        case "Constant":
            return _constant(node.value)
        case "ID":
            return names.get(node.name)
        case "Cast":
            return evaluated(node.expr, names, size)
        case "UnaryOp" if node.op == "sizeof":
            return size(node.expr)
        case "UnaryOp" if node.op in ("-", "+", "~", "!"):
            inner = evaluated(node.expr, names, size)
            return {"-": -inner, "+": inner, "~": ~inner, "!": int(not inner)}[node.op]
        case "TernaryOp":
            return evaluated(node.iftrue if evaluated(node.cond, names, size) else node.iffalse, names, size)
        case "BinaryOp":
            left, right = evaluated(node.left, names, size), evaluated(node.right, names, size)
            if node.op in ("/", "%"):
                if not right:
                    return None
                whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
                return whole if node.op == "/" else left - whole * right
            return _BINARY[node.op](left, right) if node.op in _BINARY else None
    return None


def _constant(text: str) -> int | None:
    if text.startswith("'"):
        inner = text[1:-1]
        return ord(inner) if len(inner) == 1 else _CHARACTERS.get(inner[1:]) if inner.startswith("\\") else None
    digits = text.rstrip("uUlL")
    if re.fullmatch(r"0[0-7]+", digits):
        return int(digits, 8)
    try:
        return int(digits[:40], 0)
    except ValueError:
        return None
