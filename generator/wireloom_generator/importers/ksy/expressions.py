"""Expressions of Kaitai Struct: text → tree."""

import re
from dataclasses import dataclass

_MOST = 64
"""The deepest nesting of an expression."""


class ExpressionError(Exception):
    """A text is not an expression; the argument says why."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as it is written if Python writes it so too."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    value: str


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Items:
    """A list, or bytes."""

    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Name:
    name: str


@dataclass(frozen=True, slots=True)
class EnumName:
    """A value of an enum: the path of the enum, then the name of the value."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A field, or a method without arguments."""

    of: "Node"
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    of: "Node"
    name: str
    arguments: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class ItemOf:
    of: "Node"
    index: "Node"


@dataclass(frozen=True, slots=True)
class Cast:
    of: "Node"
    type: str


@dataclass(frozen=True, slots=True)
class SizeOf:
    type: str


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    of: "Node"


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Choice:
    condition: "Node"
    yes: "Node"
    no: "Node"


@dataclass(frozen=True, slots=True)
class StreamStart:
    """Where the stream begins that a type is read from. No text says it; it follows from ``pos``."""


@dataclass(frozen=True, slots=True)
class StreamSize:
    """How many bytes that stream has: ``_io.size``."""


@dataclass(frozen=True, slots=True)
class Offset:
    """Where a field begins, in the record. No text says it; it follows from ``io``."""

    of: "Node"


Node = (
    Number | Text | Truth | Items | Name | EnumName | FieldOf | Call | ItemOf | Cast | SizeOf | Unary | Binary | Choice
    | StreamStart | StreamSize | Offset
)  # fmt: skip

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*(?:\.\d[\d_]*|\.(?![\w.]))?(?:[eE][+-]?\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<double>"(?:\\.|[^"\\])*")
    |(?P<single>'[^']*')
    |(?P<sign>::|<<|>>|<=|>=|==|!=|[-+*/%&|^~<>?:.,()\[\]])
    )""",
    re.VERBOSE | re.DOTALL,
)
_LEVELS = (("or",), ("and",), ("not",), ("==", "!=", "<", "<=", ">", ">="), ("|",), ("^",), ("&",), ("<<", ">>"),
           ("+", "-"), ("*", "/", "%"))  # fmt: skip
_NOT = 2
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


def parsed(text: str) -> Node:
    """The tree of an expression. Raises ``ExpressionError``."""
    parser = _Parser(text)
    node = parser.ternary()
    if parser.kind:
        raise ExpressionError(f"{parser.token!r} is not expected in {text!r}")
    return node


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.kind = ""
        self.token = ""
        self.next()

    def next(self) -> None:
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            if self.text[self.at :].strip():
                raise ExpressionError(f"{self.text[self.at :].strip()!r} is not expected in {self.text!r}")
            self.kind, self.token = "", ""
            return
        self.kind = str(found.lastgroup)
        self.token = found[self.kind]
        self.at = found.end()

    def takes(self, token: str) -> bool:
        if self.token == token and self.kind in ("sign", "name"):
            self.next()
            return True
        return False

    def expects(self, token: str) -> None:
        if not self.takes(token):
            raise ExpressionError(f"{token!r} expected in {self.text!r}")

    def ternary(self) -> Node:
        self.depth += 1
        if self.depth > _MOST:
            raise ExpressionError("nested too deeply")
        node = self.binary(0)
        if self.takes("?"):
            yes = self.ternary()
            self.expects(":")
            node = Choice(node, yes, self.ternary())
        self.depth -= 1
        return node

    def binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.unary()
        if level == _NOT:
            return Unary("not", self.binary(level)) if self.takes("not") else self.binary(level + 1)
        node = self.binary(level + 1)
        while self.token in _LEVELS[level] and self.kind in ("sign", "name"):
            operator = self.token
            self.next()
            node = Binary(operator, node, self.binary(level + 1))
        return node

    def unary(self) -> Node:
        for operator in "-~+":
            if self.takes(operator):
                self.depth += 1
                if self.depth > _MOST:
                    raise ExpressionError("nested too deeply")
                of = self.unary()
                self.depth -= 1
                return of if operator == "+" else Unary(operator, of)
        return self.postfix(self.atom())

    def postfix(self, node: Node) -> Node:
        while True:
            if self.takes("."):
                name = self.name()
                if name == "as" and self.takes("<"):
                    node = Cast(node, self.type())
                    self.expects(">")
                elif self.takes("("):
                    node = Call(node, name, self.items(")"))
                else:
                    node = FieldOf(node, name)
            elif self.takes("["):
                node = ItemOf(node, self.ternary())
                self.expects("]")
            else:
                return node

    def atom(self) -> Node:
        kind, token = self.kind, self.token
        if self.takes("("):
            node = self.ternary()
            self.expects(")")
            return node
        if self.takes("["):
            return Items(self.items("]"))
        if self.takes("::"):
            return self.enum([])
        self.next()
        match kind:
            case "number":
                return Number(_number(token))
            case "double":
                return Text(_unescaped(token[1:-1]) + self.more())
            case "single":
                return Text(token[1:-1] + self.more())
            case "name" if token in ("true", "false"):
                return Truth(token == "true")
            case "name" if token in ("sizeof", "bitsizeof") and self.takes("<"):
                found = SizeOf(self.type())
                self.expects(">")
                return found if token == "sizeof" else Binary("*", found, Number("8"))
            case "name" if self.takes("::"):
                return self.enum([token])
            case "name":
                return Name(token)
        raise ExpressionError(f"{token!r} is not expected in {self.text!r}" if token else f"{self.text!r} ends early")

    def more(self) -> str:
        """Texts that follow a text belong to it."""
        found = ""
        while self.kind in ("double", "single"):
            found += _unescaped(self.token[1:-1]) if self.kind == "double" else self.token[1:-1]
            self.next()
        return found

    def enum(self, path: list[str]) -> Node:
        path.append(self.name())
        while self.takes("::"):
            path.append(self.name())
        return EnumName(tuple(path))

    def items(self, end: str) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self.takes(end):
            found.append(self.ternary())
            if not self.takes(","):
                self.expects(end)
                break
        return tuple(found)

    def name(self) -> str:
        token = self.token
        if self.kind != "name":
            raise ExpressionError(f"a name expected in {self.text!r}")
        self.next()
        return token

    def type(self) -> str:
        found = self.name() if not self.takes("::") else f"::{self.name()}"
        while self.takes("::"):
            found += f"::{self.name()}"
        if self.takes("["):
            self.expects("]")
            found += "[]"
        return found


def _number(text: str) -> str:
    plain = text.replace("_", "").lower()
    if plain[:2] in ("0b", "0o"):
        return str(int(plain, 0))
    if plain.isdigit():
        return str(int(plain))
    return f"{plain}0" if plain.endswith(".") else plain


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] == "u":
            return chr(int(code[1:], 16))
        if code[0] in "01234567":
            return chr(int(code, 8))
        return _ESCAPES.get(code, code)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", one, text, flags=re.DOTALL)
