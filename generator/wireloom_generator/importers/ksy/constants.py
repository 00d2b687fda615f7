"""Expressions that have one value, whatever is read: joined texts, items of tables, arithmetic with floats."""

import operator
from collections.abc import Callable, Mapping

from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.encodings import encoding_name
from wireloom_generator.importers.ksy.phrases import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STR,
    UNARY,
    WHOLE,
    CannotSayError,
    Phrase,
)
from wireloom_generator.importers.ksy.structure import Attribute, Type

Constant = int | float | str | bytes | list["Constant"]
_MOST = 1 << 16
"""The most characters or items of a constant."""
_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "%": operator.mod,
}  # fmt: skip


class Constants:
    """Computes constants, each instance once."""

    def __init__(self) -> None:
        self._known: dict[Attribute, Constant | None] = {}

    def phrase(self, node: ks.Node, type: Type) -> Phrase | None:
        """The value of an expression in a type as a literal, if it is constant."""
        match self._value(node, type):
            case bool(value):
                return Phrase("true" if value else "false", BOOL)
            case int(value):
                return Phrase(str(value), INT, UNARY if value < 0 else WHOLE)
            case float(value):
                return Phrase(repr(value), FLOAT, UNARY if value < 0 else WHOLE)
            case str(value):
                return Phrase(repr(value), STR)
            case bytes(value):
                return Phrase(f"hex('{value.hex()}')", BYTES)
            case _:
                return None

    def _value(self, node: ks.Node, type: Type) -> Constant | None:
        try:
            found = self._computed(node, type)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return None
        match found:
            case str() | bytes() | list():
                return found if len(found) <= _MOST else None
            case int() | float():
                return found if abs(found) < 1 << 64 else None
        return found

    def _computed(self, node: ks.Node, type: Type) -> Constant | None:
        match node:
            case ks.Number(text):
                return float(text) if "." in text or ("e" in text and "x" not in text) else int(text, 0)
            case ks.Text(value) | ks.Truth(value):
                return value
            case ks.Items(items):
                found = [self._value(each, type) for each in items]
                if all(isinstance(each, int) and 0 <= each < 256 for each in found):
                    return bytes(each for each in found if isinstance(each, int))
                return None if None in found else [each for each in found if each is not None]
            case ks.Name(name):
                return self._instance(name, type)
            case ks.Cast(of, "bytes"):
                return self._value(of, type)
            case ks.Unary("-", of):
                negated = self._value(of, type)
                return -negated if isinstance(negated, int | float) else None
            case ks.Binary(sign, left, right):
                return _operation(sign, self._value(left, type), self._value(right, type))
            case ks.Choice(condition, yes, no):
                chosen = self._value(condition, type)
                return self._value(yes if chosen else no, type) if isinstance(chosen, bool) else None
            case ks.ItemOf(of, index):
                return _item(self._value(of, type), self._value(index, type))
            case ks.FieldOf(of, name):
                return _method(self._value(of, type), name, [])
            case ks.Call(of, name, arguments):
                return _method(self._value(of, type), name, [self._value(each, type) for each in arguments])
        return None

    def _instance(self, name: str, type: Type) -> Constant | None:
        attribute = type.own(name)
        if attribute is None or attribute.text("value") is None or {"if", "enum"} & attribute.keys.keys():
            return None
        if attribute not in self._known:
            self._known[attribute] = None  # what is computed from itself has no value
            try:
                self._known[attribute] = self._value(ks.parsed(attribute.text("value") or ""), type)
            except ks.ExpressionError:
                return None
        return self._known[attribute]


def _operation(sign: str, left: Constant | None, right: Constant | None) -> Constant | None:
    match left, right:
        case (int() | float(), int() | float()) if sign == "/":
            return left // right if isinstance(left, int) and isinstance(right, int) else left / right
        case (int(), int()) | (float(), int() | float()) | (int(), float()) if sign in _OPERATORS:
            found: Constant = _OPERATORS[sign](left, right)  # type: ignore[arg-type]
            return found
        case (str(), str()) if sign == "+":
            return left + right
    return None


def _item(of: Constant | None, index: Constant | None) -> Constant | None:
    if not isinstance(of, bytes | list) or not isinstance(index, int) or index < 0:
        return None
    return of[index]


def _method(of: Constant | None, name: str, arguments: list[Constant | None]) -> Constant | None:
    match of, name, arguments:
        case (str() | bytes() | list(), "length" | "size", []):
            return len(of)
        case (str(), "reverse", []):
            return of[::-1]
        case (str(), "substring", [int(start), int(end)]) if 0 <= start <= end <= len(of):
            return of[start:end]
        case (str(), "to_i", []):
            return int(of)
        case (str(), "to_i", [int(base)]):
            return int(of, base)
        case (int(), "to_s", []) if not isinstance(of, bool):
            return str(of)
        case (int() | float(), "to_i", []):
            return int(of)
        case (bytes(), "to_s", [str(encoding)]):
            return _decoded(of, encoding)
        case (bytes() | list(), "first" | "last", []):
            return of[0 if name == "first" else -1]
        case (bytes() | list(), "min" | "max", []):
            return (min if name == "min" else max)(of)
    return None


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding_name(encoding))
    except (LookupError, UnicodeDecodeError, CannotSayError):
        return None
