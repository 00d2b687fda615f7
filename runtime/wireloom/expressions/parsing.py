"""The expression language: text → tree, through Python's parser and an allow-list.

Comparisons, and/or/not, in, + - * // %, bit operations, ``a if b else c``, names, numbers, text, bytes as in
``hex('0d0a')``, true and false, and the calls ``size offset count present min max``. No loops, no other calls. A name
with dots leads into structs; ``sizes[index]``, ``first(sizes)`` and ``last(sizes)`` are items of a list, and
``[8, 16, 32][code]`` one of a list that is written down.

In generated code, names say where their values are found: ``record.magic`` is in the record's header,
``parameters.dialect`` is a parameter, ``given.size`` is what a type is given, ``section.left`` is how many bytes are
left in the section, ``item.index`` is the number of an item, any other name is in the own struct; ``this.`` stands
before one that would look like these. Any field may be absent, and what is left is not known while a record is written.
It also has calls of the functions of ``times``.

A name that is a word of Python's has an underscore behind it: ``class_`` asks for the field ``class``.
"""

import ast
import keyword
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from math import isfinite
from typing import assert_never

from wireloom.expressions.numerals import integer
from wireloom.expressions.tree import (
    OF_PLACES,
    OF_TIMES,
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    InList,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
    parts,
    walk,
)

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
ORIGINS = {
    "record": Origin.RECORD,
    "parameters": Origin.PARAMETER,
    "section": Origin.SECTION,
    "given": Origin.INPUT,
    "item": Origin.ITEM,
    "this": Origin.THIS,
}
"""The words of generated code for where the value of a name is found."""
_QUALIFIER = re.compile(rf"(?<![\w.])(?:{'|'.join(ORIGINS)})\.")
_PRESENT = (Origin.PARAMETER, Origin.INPUT, Origin.ITEM)
"""Where every name has a value, if it does not lead into a struct."""
_UNARY = {ast.Not: "not", ast.USub: "-", ast.Invert: "~"}

_LONGEST = 4000
"""The most characters of an expression."""
_DEEPEST = 64
"""The deepest nesting of operations; a sum of this many terms is as deep."""
_WIDEST = 1024
"""The most bits of a number in an expression; Python writes wide ones in decimal only up to a limit."""
_MOST = 4096
"""The most parts of an expression that looks a number up in a list."""
_AROUND = 4
"""The most operations that the compiler puts around an expression."""
_TOO_DEEP = f"more than {_DEEPEST} operations inside each other"
_SLIPS = {
    r"&&": "write and for &&",
    r"\|\|": "write or for ||",
    r"!(?!=)": "write not for !",
    r"===": "write == for ===",
    r"<>": "write != for <>",
    r"[^=!<>]=[^=]": "a comparison is written ==",
    r"\?": "a choice is written 2 if kind == 1 else 3",
    r"\.\.": "a range is written 1 <= kind <= 9",
    r"^\s*\w+\s+bits?\s*$": "sizes are in bytes, 8 bits each; smaller ones are bit fields, as in {bits: u8, fields: …}",
    r"^\s*\w+\s+(bytes?|octets?)\s*$": "sizes are in bytes; write the number alone",
}
"""How other languages write what is written otherwise here."""
_MEASURES = "size(x) is how many bytes x takes, count(x) how many items it has"
NO_TEXT = "no text is built, since it could not be taken apart again to be written; keep its parts as columns"
_NO_CODE = "a spec has no code, which could not be followed backwards to write; keep what it cannot say as bytes"
_NO_FLOATS = "there is no arithmetic with floats, which would round; scale a whole number, as: {double: {scale: 0.1}}"
_OF_ALL = "let each item look at the one before it, as the recipe for the sum of a list shows"
_OTHER_FUNCTIONS = {
    **dict.fromkeys(("len", "length", "sizeof", "strlen"), _MEASURES),
    **dict.fromkeys(("str", "format", "concat", "join", "upper", "lower", "strip", "replace", "substring"), NO_TEXT),
    **dict.fromkeys(("int", "to_i", "atoi", "parse_int"), "type: ascii reads digits, and its value is the number"),
    **dict.fromkeys(("float", "round", "floor", "ceil", "sqrt", "pow"), _NO_FLOATS),
    **dict.fromkeys(("eval", "exec", "map", "filter", "getattr", "__import__"), _NO_CODE),
    **dict.fromkeys(("tell", "pos", "position"), "offset(x) is where the field x begins"),
    "sum": _OF_ALL,
    "abs": "write max(x, -x)",
    "eof": "write left == 0",
}
"""What to ask in place of functions of other languages, or why there is nothing like them."""
_ITEMS = ("first", "last")
"""The words for items of a list that are no numbers."""
_SPLIT = "give parts of it names, with compute"


class ExpressionError(ValueError):
    """The text is not an expression; ``column`` counts from 0 in it."""

    def __init__(self, what: str, column: int = 0, hint: str = "") -> None:
        super().__init__(what)
        self.column = column
        self.hint = hint


@cache
def parse(text: str) -> Expr:
    """The tree of an expression as a spec has it. Raises ``ExpressionError``."""
    if len(text) > _LONGEST:
        raise ExpressionError(f"longer than {_LONGEST} characters", _LONGEST, _SPLIT)
    return _Reading(text.strip(), qualified=False).tree(_DEEPEST)


def parse_qualified(text: str) -> Expr:
    """The tree of an expression as generated code has it. Raises ``ExpressionError``."""
    return _Reading(text, qualified=True).tree(_DEEPEST + _AROUND)


@cache
def parsed(text: str) -> Expr | None:
    """The expression's tree; None if it is not one."""
    try:
        return parse(text)
    except ExpressionError:
        return None


_SIGNS = frozenset({"and", "else", "if", "in", "is", "not", "or"})
"""The words of Python's that expressions have, too."""


def _unwritten(bare: str) -> Iterator[str]:
    """Words of Python's in what is no expression, given without its texts, which may be meant as names."""
    for word in re.findall(r"[a-z]+(?![\w(])", bare):
        if keyword.iskeyword(word) and word not in _SIGNS:
            yield word


def _is_deeper(expression: Expr, depth: int) -> bool:
    return depth == 0 or any(_is_deeper(part, depth - 1) for part in parts(expression))


def _steps(node: ast.expr) -> list[str]:
    """The words of a name with dots between them; none if it is anything else."""
    match node:
        case ast.Name(id=name):
            return [_meant(name)]
        case ast.Attribute(value=inner, attr=name) if before := _steps(inner):
            return [*before, _meant(name)]
    return []


def _meant(word: str) -> str:
    """The name that is written so."""
    return word[:-1] if keyword.iskeyword(word[:-1]) and word.endswith("_") else word


def spelled(name: str) -> str:
    """How expressions write the name, or names with dots between them."""
    return ".".join(f"{step}_" if keyword.iskeyword(step) else step for step in name.split("."))


class _Reading:
    """Makes a tree from Python's syntax tree; ``qualified`` names say where they are found."""

    def __init__(self, text: str, *, qualified: bool) -> None:
        self.text = text
        self.qualified = qualified
        self.source = text.encode(errors="replace")
        self.starts = [0, *accumulate(map(len, self.source.splitlines(keepends=True)))]
        """Where in the source each line begins."""

    def tree(self, deepest: int) -> Expr:
        """The tree of the text, which is no deeper than this."""
        try:
            found = self.part(self.parsed())
        except (RecursionError, MemoryError):
            raise ExpressionError(_TOO_DEEP, 0, _SPLIT) from None
        if _is_deeper(found, deepest):
            raise ExpressionError(_TOO_DEEP, 0, _SPLIT)
        return found

    def parsed(self) -> ast.expr:
        """Python's tree of the text."""
        text = self.text
        if "\0" in text:  # Python 3.11.2 has no SyntaxError for it
            raise ExpressionError(f"not an expression: {text!r}", text.index("\0"))
        try:
            return ast.parse(text, mode="eval").body
        except UnicodeEncodeError as error:
            raise ExpressionError(f"not an expression: {text!r}", error.start) from None
        except SyntaxError as error:
            column = error.offset - 1 if error.offset else len(text)  # 0: the end came too early
            bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", text)
            hints = [hint for slip, hint in _SLIPS.items() if re.search(slip, bare)]
            hints += [f"the field {word!r} is written {word}_" for word in _unwritten(bare)]
            raise ExpressionError(f"not an expression: {text!r}", column, next(iter(hints), "")) from None

    def part(self, node: ast.expr) -> Expr:
        match node:
            case ast.Constant(value=bool() | str() as value):
                return Value(value)
            case ast.Constant(value=float() as value) if isfinite(value):
                return Value(value)
            case ast.Constant(value=bytes() as value):
                what = f"{ast.unparse(node)} is not how bytes are written"
                raise ExpressionError(what, self._column(node), f"write hex('{value.hex()}')")
            case ast.Constant(value=int() as value):
                return Value(self._number(node, value))
            case ast.Constant(value=None) if self.qualified:
                return Value(None)
            case ast.Name(id="true" | "false" as name):
                return Value(name == "true")
            case ast.Name(id=name):
                return self._name([_meant(name)], self._column(node))
            case ast.Subscript(value=ast.List(elts=items), slice=number):
                return self._looked_up(items, self.part(number), self._column(node))
            case ast.Attribute() | ast.Subscript() | ast.Call() if (found := self._item(node)) is not None:
                return found
            case ast.Attribute() if (steps := _steps(node)) and spelled(".".join(steps)) == self._source(node):
                return self._name(steps, self._column(node))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=float() as value)) if isfinite(value):
                return Value(-value)
            case ast.UnaryOp(op=operator, operand=operand) if type(operator) in _UNARY:
                return Unary(_UNARY[type(operator)], self.part(operand))
            case ast.BinOp(op=ast.Div()):
                raise ExpressionError("there is no /", self._column(node), "write // for the whole quotient")
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
                return Binary(_BINARY[type(operator)], self.part(left), self.part(right))
            case ast.BoolOp(op=operator, values=values):
                return Logical("and" if isinstance(operator, ast.And) else "or", tuple(map(self.part, values)))
            case ast.IfExp(test=test, body=body, orelse=other):
                return Conditional(self.part(test), self.part(body), self.part(other))
            case ast.Compare():
                return self._comparison(node)
            case ast.Call(func=ast.Name(id="hex")):
                return Value(self._bytes(node))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments, self._column(node))
        raise ExpressionError(f"{ast.unparse(node)!r} is not allowed here", self._column(node), _refusal(node))

    def _name(self, steps: list[str], column: int) -> Name:
        """The name of these steps; a qualified one says first where it is found, or else is in the own struct."""
        if not self.qualified:
            return Name(".".join(steps), column)
        origin = ORIGINS.get(steps[0]) if len(steps) > 1 else None
        name = ".".join(steps if origin is None else steps[1:])
        return Name(name, column, origin or Origin.THIS, origin not in _PRESENT or "." in name)

    def _item(self, node: ast.expr) -> Name | None:
        """The item of a list that is meant, or what is in it; None if something else is written there."""
        inner: list[str] = []
        while isinstance(node, ast.Attribute):
            inner.insert(0, _meant(node.attr))
            node = node.value
        match node:
            case ast.Subscript(value=listed, slice=number):
                word, index, text = "", self.part(number), self._unqualified(number)
            case ast.Call(func=ast.Name(id=("first" | "last") as word), args=[listed], keywords=[]):
                index, text = Value(0), ""
            case _:
                return None
        column = self._column(node)
        if not (steps := _steps(listed)):
            what = f"{ast.unparse(listed)!r} is not the name of a list"
            raise ExpressionError(what, column, "give the items a type, and let that ask for what is in them")
        if isinstance(index, Unary) and isinstance(index.operand, Value):
            raise ExpressionError("no item is in front of the first", column, f"write last({ast.unparse(listed)})")
        found = self._name(steps, self._column(listed))
        written = f"{word}({found.name})" if word else f"{found.name}[{text}]"
        item = InList(found.name, index, word, tuple(inner))
        return found._replace(name=".".join([written, *inner]), nullable=self.qualified, item=item)

    def _looked_up(self, items: list[ast.expr], number: Expr, column: int) -> Expr:
        """The item of a list that is written down; absent if it has none of that number."""
        values = list(map(self.part, items))
        if not values or not all(isinstance(value, Value | Unary) for value in values):
            raise ExpressionError("a list to look up in has numbers or texts in it", column, "as in [8, 16, 32][code]")
        if len(values) * sum(1 for _ in walk(number)) > _MOST:
            raise ExpressionError("too long a list for such a number", column, "give the number a name, with compute")

        def among(first: int, end: int) -> Expr:
            if end - first == 1:
                return values[first]
            middle = (first + end) // 2
            return Conditional(Compare("<", number, Value(middle)), among(first, middle), among(middle, end))

        known = Logical("and", (Compare(">=", number, Value(0)), Compare("<", number, Value(len(values)))))
        return Conditional(known, among(0, len(values)), Value(None))

    def _unqualified(self, number: ast.expr) -> str:
        """The text of an item's number without words for where values are found."""
        text = ast.unparse(number)
        return _QUALIFIER.sub("", text) if self.qualified else text

    def _column(self, node: ast.expr) -> int:
        """The byte of the text with which it begins, whatever line that is on."""
        return self.starts[node.lineno - 1] + node.col_offset

    def _source(self, node: ast.expr) -> str:
        """What is written there."""
        end = self.starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        return self.source[self._column(node) : end].decode()

    def _number(self, node: ast.Constant, value: int) -> int:
        """The number as it is written."""
        if value.bit_length() > _WIDEST:
            raise ExpressionError(f"a number of more than {_WIDEST} bits", self._column(node))
        written = self._source(node)
        return integer(written) if written[:2].lower() == "0x" else value

    def _bytes(self, node: ast.Call) -> bytes:
        """The bytes that the digits in ``hex('…')`` say."""
        hint = "as in hex('89504e47')"
        match node:
            case ast.Call(args=[ast.Constant(value=str() as digits)], keywords=[]):
                try:
                    return bytes.fromhex(digits)
                except ValueError:
                    what, count = f"{digits!r} is not pairs of hex digits", len(digits.replace(" ", ""))
                    hint = f"{count} digits: one is missing or too many" if count % 2 else hint
                    raise ExpressionError(what, self._column(node), hint) from None
        raise ExpressionError("hex() has digits in quotes", self._column(node), hint)

    def _comparison(self, node: ast.Compare) -> Expr:
        parts: list[Expr] = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            match operator, right:
                case ((ast.In() | ast.NotIn()), (ast.List(elts=choices) | ast.Tuple(elts=choices))):
                    negated = isinstance(operator, ast.NotIn)
                    parts.append(Among(self.part(left), tuple(map(self.part, choices)), negated))
                case _, _ if type(operator) in _COMPARE:
                    parts.append(Compare(_COMPARE[type(operator)], self.part(left), self.part(right)))
                case ast.Is() | ast.IsNot(), _:
                    word, ours = ("is", "==") if isinstance(operator, ast.Is) else ("is not", "!=")
                    raise ExpressionError(
                        f"expressions have no {word!r}", self._column(node), f"write {ours} for {word}"
                    )
                case _:
                    raise ExpressionError("in needs a list in brackets, as in kind in [1, 2]", self._column(node))
            left = right
        return parts[0] if len(parts) == 1 else Logical("and", tuple(parts))

    def _call(self, name: str, arguments: list[ast.expr], column: int) -> Expr:
        known = [each for each in Function if self.qualified or each not in OF_TIMES]
        if name not in known:
            hint = _OTHER_FUNCTIONS.get(name) or f"known: {', '.join([*known, *_ITEMS])}"
            raise ExpressionError(f"{name}() is no function here", column, hint)
        match Function(name):
            case Function.MIN | Function.MAX as function:
                if len(arguments) < 2:
                    raise ExpressionError(f"{name}() asks for two numbers or more", column, f"for a list, {_OF_ALL}")
                return Call(function, tuple(map(self.part, arguments)))
            case Function.SIZE | Function.OFFSET | Function.COUNT | Function.PRESENT as function:
                target = self.part(arguments[0]) if len(arguments) == 1 else None
                if not isinstance(target, Name):
                    raise ExpressionError(f"{name}() asks for one field or section", column)
                return Call(function, (target._replace(origin=None) if function in OF_PLACES else target,))
            case Function.CALENDAR | Function.NTP | Function.GPS | Function.GPS_COUNT as function:
                return Call(function, tuple(map(self.part, arguments)))
            case Function.MICROSECONDS | Function.YEAR | Function.MONTH | Function.DAY as function:
                return Call(function, tuple(map(self.part, arguments)))
            case unknown:
                assert_never(unknown)


def _refusal(node: ast.AST) -> str:
    """Why there is nothing like this in expressions."""
    match node:
        case ast.JoinedStr():
            return NO_TEXT
        case ast.Slice():
            return "nothing is cut from a text or a list; read the part as a field of its own"
        case ast.Call(func=ast.Attribute(attr=name)):
            return _OTHER_FUNCTIONS.get(name, _NO_CODE)
        case ast.Call() | ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.NamedExpr():
            return _NO_CODE
    return ""
