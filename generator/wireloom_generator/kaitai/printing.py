"""Expressions in Kaitai Struct's language, and where its types find what they use.

A spec has flat names; a ``.ksy`` file has types in types, each with a stream of its own. So a name becomes a path: by
``_parent`` within what was one struct, by ``_root`` to the header of the record, by parameters to the inputs of a type.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from wireloom_generator import expressions
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
)
from wireloom_generator.kaitai.names import KsyContext, KsyScope, KsyType, KsyValue, NoKsyError, enclosed

LEFT = "(_io.size - _io.pos)"
"""How many bytes are left in the stream of a type."""


def literal(value: expressions.Literal | bytes | None) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Hexadecimal() | int():
            return f"({value!r})" if value < 0 else repr(value)
        case float():
            return repr(value)
        case bytes() if value:
            return f"[{', '.join(map(hex, value))}]"
        case str() if value.isprintable() and "'" not in value:
            return f"'{value}'"
        case _:
            raise NoKsyError(f"the value {value!r}")


@dataclass(frozen=True, slots=True)
class KsyPrinter:
    """Writes expressions of a scope that stand in the type ``here``.

    With a ``prefix``, they stand elsewhere, and it leads to the type from there. ``own`` is the name that is ``_``.
    """

    around: KsyContext
    scope: KsyScope
    here: KsyType
    prefix: str = ""
    own: str = ""

    def text(self, tree: Expr) -> str:
        """The expression. Raises ``NoKsyError``."""
        match tree:
            case Value(value):
                return literal(value)
            case Name():
                return self.truth(tree, self._number(tree))
            case Unary("not", operand):
                return f"not {self._part(operand)}"
            case Unary(operator, operand):
                return f"{operator}{self._part(operand)}"
            case Binary():
                return self._binary(tree)
            case Compare(operator, left, right):
                if operator not in ("==", "!=") and "s" in (self._sort(left), self._sort(right)):
                    raise NoKsyError("an order of texts or bytes")
                others = (right, left) if operator in ("==", "!=") else (None, None)
                texts = map(self._part, (left, right), others)
                return self.truth(tree, f" {operator} ".join(texts))
            case Among(value, choices, negated):
                sign, word = ("!=", "and") if negated else ("==", "or")
                each = (f"{self._part(value, one)} {sign} {self._part(one, value)}" for one in choices)
                return self.truth(tree, f" {word} ".join(each))
            case Logical(operator, operands):
                return f" {operator} ".join(map(self._part, operands))
            case Conditional(_, _, Value(value=None)):
                raise NoKsyError("a value that may be absent in a calculation")
            case Conditional(test, then, other):
                return f"{self._part(test)} ? {self._part(then)} : {self._part(other)}"
            case Call():
                return self._call(tree)
            case _:
                assert_never(tree)

    def truth(self, tree: Expr, text: str) -> str:
        """A condition on values, which does not hold if one of them is absent."""
        if isinstance(tree, Name) and self.known(tree)[1].given_as != "bool":
            return text
        guards = dict.fromkeys(guard for part in expressions.parts(tree) or (tree,) for guard in self.guards(part))
        both = len(guards) > 0 and (" or " in text or " ? " in text)
        return " and ".join([*guards, enclosed(text) if both else text])

    def guards(self, tree: Expr) -> Iterator[str]:
        """The conditions under which an expression has a value."""
        for part in expressions.needed(tree):
            if isinstance(part, Name):
                yield from self.presence(part)
            elif isinstance(part, Conditional) and part.other != Value(None):
                test, then, other = self._part(part.test), self._guard(part.then), self._guard(part.other)
                if other != "true" or then not in ("true", test):
                    yield f"({test} ? {then} : {other})"
            elif expressions.may_be_absent(part):
                raise NoKsyError("a value that may be absent in a comparison")

    def _guard(self, tree: Expr) -> str:
        found = list(dict.fromkeys(self.guards(tree)))
        return enclosed(" and ".join(found)) if found else "true"

    def presence(self, name: Name) -> Iterator[str]:
        """The conditions under which a name has a value."""
        if not name.nullable or (self.own and name.name == self.own):
            return
        if name.origin is Origin.SECTION or (name.origin is Origin.INPUT and len(name.steps) == 1):
            return
        text = ""
        for known, printer, text in self._steps(name):  # noqa: B007, the last one is used
            if known.unsure:
                raise NoKsyError(f"whether {name.name} is there")
            if known.there is not None:
                yield enclosed(printer.text(known.there))
        if name.item is not None:
            if name.item.word:
                yield f"{text}.size > 0"
            else:
                number = self._part(name.item.number)
                least = [] if isinstance(name.item.number, Value) else [f"{number} >= 0"]
                yield from (*least, f"{text}.size > {number}")

    def known(self, name: Name) -> tuple[str, KsyValue]:
        """The text for a name, and what is known of its value."""
        if self.own and name.name == self.own:
            *_, (known, _, text) = self._steps(name)
            return f"_{known.text.removeprefix(self.own)}", known
        *_, (known, _, text) = self._steps(name)
        if name.item is None:
            return text, known
        text += f".{name.item.word}" if name.item.word else f"[{self.text(name.item.number)}]"
        text += known.item
        for step in name.item.inner:
            if known.struct is None:
                raise NoKsyError(f"{name.name}, which is bytes here")
            scope, top = known.struct, known.struct.top
            known = _own(scope, step)
            if known.there is not None or known.unsure:
                raise NoKsyError(f"whether {name.name} is there")
            text += f".{_path(top, known)}"
        return text, replace(known, given_as=known.given_as.removesuffix("[]"))

    def _steps(self, name: Name) -> Iterator[tuple[KsyValue, "KsyPrinter", str]]:
        """What each step of a name leads to, a printer of the conditions that are said of it, and the text so far."""
        first, *steps = name.steps
        printer: KsyPrinter = self
        match name.origin:
            case Origin.PARAMETER:
                known = self.around.parameters[first]
                text = known.text if self.here is self.around.header.top else f"_root.{known.text}"
            case Origin.INPUT:
                known = _own(self.scope, first, inputs=True)
                text = self.prefix + self._way(known)
            case Origin.RECORD:
                known = _own(self.around.header, first)
                text = _between(self.here, known)
                printer = KsyPrinter(self.around, self.around.header, self.here)
            case Origin.THIS:
                known = _own(self.scope, first)
                text = self.prefix + self._way(known)
            case Origin.SECTION:
                known, text = KsyValue(self.here, "", "s8"), LEFT
            case Origin.ITEM:
                known, text = KsyValue(self.here, "", "s4"), "_index"
            case _:
                raise NoKsyError(f"the name {name.name}")
        yield known, printer, text
        for step in steps:
            if known.struct is None:
                raise NoKsyError(f"{name.name}, which is bytes here")
            scope = known.struct
            printer = KsyPrinter(self.around, scope, scope.top, prefix=f"{text}.")
            known = _own(scope, step)
            text += f".{_path(scope.top, known)}"
            yield known, printer, text

    def _way(self, known: KsyValue) -> str:
        return _path(self.here, known) if self.prefix else _between(self.here, known)

    def _number(self, name: Name) -> str:
        """A value, which is a number although its numbers have names."""
        text, known = self.known(name)
        if known.enum is not None:
            self.around.enums.plain.add(name.name.rpartition(".")[2])
            return f"{text}.to_i"
        return text

    def _part(self, tree: Expr, other: Expr | None = None) -> str:
        """An operand, which may be compared with an ``other`` one."""
        if isinstance(other, Name) and isinstance(tree, Value) and isinstance(tree.value, int):
            known = self.known(other)[1]
            named = self.around.enums.values[known.enum].get(int(tree.value)) if known.enum else None
            if named is not None:
                return named
        if isinstance(other, Value) and isinstance(tree, Name) and isinstance(other.value, int):
            text, known = self.known(tree)
            if known.enum and int(other.value) in self.around.enums.values[known.enum]:
                return text
        if isinstance(tree, Name) and other is not None:
            return self._number(tree)
        return enclosed(self.text(tree))

    def _binary(self, tree: Binary) -> str:
        left, right = self._part(tree.left), self._part(tree.right)
        if tree.operator == "//":
            by = tree.right.value if isinstance(tree.right, Value) else None
            if isinstance(by, int) and by > 0 and by & (by - 1) == 0:
                return f"{left} >> {by.bit_length() - 1}" if by > 1 else left
            if not self._is_natural(tree.left) or not self._is_natural(tree.right):
                raise NoKsyError("a division of numbers that may be below zero")
            return f"{left} / {right}"
        if tree.operator == "<<" and not isinstance(tree.left, Value):
            return f"{left if left.endswith(')') else f'({left})'}.as<s8> << {right}"
        return f"{left} {tree.operator} {right}"

    def _sort(self, tree: Expr) -> str:
        """``s`` for texts and bytes."""
        given_as = self.kind(tree).given_as if isinstance(tree, Name | Value) else ""
        return "s" if given_as in ("str", "bytes") else ""

    def _is_natural(self, tree: Expr) -> bool:
        """Whether a number cannot be below zero, as far as its types say."""
        match tree:
            case Value(value):
                return isinstance(value, int) and value >= 0
            case Name():
                return self.known(tree)[1].given_as.startswith(("u", "b"))
            case Binary(operator, left, right):
                return operator != "-" and self._is_natural(left) and self._is_natural(right)
            case _:
                return False

    def _call(self, call: Call) -> str:
        match call.function:
            case Function.MIN | Function.MAX:
                sign = "<" if call.function is Function.MIN else ">"
                texts = list(map(self._part, call.arguments))
                found = texts[0]
                for each in texts[1:]:
                    found = f"({found} {sign} {each} ? {found} : {each})"
                return found
            case Function.COUNT:
                return f"{self.known(call.target)[0]}.size"
            case Function.PRESENT:
                if self.known(call.target)[1].lenient:
                    raise NoKsyError(expressions.printed(call))
                found = " and ".join(self.presence(call.target._replace(nullable=True)))
                return enclosed(found) if found else "true"
            case Function.OFFSET if call.target.origin in (Origin.THIS, Origin.RECORD):
                scope = self.scope if call.target.origin is Origin.THIS else self.around.header
                if call.target.name in scope.offsets:
                    return str(scope.offsets[call.target.name])
            case Function.SIZE if call.target.name == "record" and self.around.is_whole:
                return "_root._io.size"
            case Function.SIZE if call.target.origin in (Origin.THIS, Origin.RECORD):
                of_record = call.target.origin is Origin.RECORD
                scope = self.around.header if of_record else self.scope
                if call.target.name in scope.sizes:
                    printer = replace(self, scope=scope, prefix="" if of_record else self.prefix)
                    return f"({printer.text(scope.sizes[call.target.name])})"
                text, known = self.known(call.target)
                if known.given_as == "bytes" and known.there is None and not known.unsure:
                    return f"{text}.length"
        raise NoKsyError(expressions.printed(call))

    def kind(self, tree: Expr) -> KsyValue:
        """What a parameter is that gets the value."""
        match tree:
            case Name():
                return self.known(tree)[1]
            case Compare() | Among() | Logical() | Unary("not") | Call(Function.PRESENT) | Value(bool()):
                return KsyValue(self.here, "", "bool")
            case Conditional(_, then, _):
                return self.kind(then)
            case Value(str() | bytes() as value):
                return KsyValue(self.here, "", "str" if isinstance(value, str) else "bytes")
            case _:
                return KsyValue(self.here, "", "s8")


def _own(scope: KsyScope, name: str, *, inputs: bool = False) -> KsyValue:
    found = (scope.inputs if inputs else scope.names).get(name)
    if found is None:
        raise NoKsyError(f"{name}, which is not read here")
    return found


def _path(top: KsyType, known: KsyValue) -> str:
    """The path to a value from a type that it is inside of."""
    ways: list[str] = []
    for each in known.type.outwards:
        if each is top:
            return ".".join([*reversed(ways), known.text])
        ways.append(each.way)
    raise NoKsyError(f"{known.text} from outside of its type")


def _between(here: KsyType, known: KsyValue) -> str:
    """The path to a value from any type."""
    around = known.type.outwards
    for number, each in enumerate(here.outwards):
        if each in around:
            return "_parent." * number + _path(each, known)
    top = around[-1]
    return f"{top.prefix}{_path(top, known)}"


def either(conditions: Sequence[Expr | None]) -> Expr | None:
    """The condition that one of these holds; None if one always does."""
    found = [each for each in conditions if each is not None]
    if len(found) < len(conditions):
        return None
    return found[0] if len(found) == 1 else Logical("or", tuple(found))


def both(one: Expr | None, other: Expr | None) -> Expr | None:
    """The condition that both hold; None always does."""
    if one is None or other is None:
        return other if one is None else one
    return Logical("and", (one, other))
