"""An expression gives what its place asks for, and compares and computes with what fits.

A size is a number, a condition is true or false. Numbers are not conditions: one output of a spec would take 2 for
true, another would not. Text equals text, a number equals a number. Bytes, lists and structs cannot be in an
expression, but ``size``, ``count`` and ``present`` of them can. Divisors and shifts are plain numbers, since a hostile
record could otherwise divide by zero or shift by billions.

Bad::

    - {name: extra, type: u32, when: flags & 0x02}
    - {name: body, type: bytes, size: total // unit}

Good::

    - {name: extra, type: u32, when: flags & 0x02 != 0}
    - {name: body, type: bytes, size: total // 4}
"""

from collections.abc import Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Visit
from wireloom_generator.analysis.sites import Seen, Site, sites
from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Logical,
    Name,
    Unary,
    Value,
)
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.types import PLAIN, Integer, Kind, Unknown, parse

_NUMBERS = (Kind.NUMBER, Kind.FLOAT)


def check(spec: Resolved) -> Iterator[Problem]:
    """Expressions of the wrong type, and wrong types inside them."""
    for site in sites(spec):
        tree = site.tree
        if tree is not None:
            typing = _Typing(site)
            if site.wants is not None:
                typing.want(tree, site.wants)
            yield from typing.problems


class _Typing:
    """The kinds of an expression's parts; None for unknown ones."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.problems: list[Problem] = []

    def report(self, part: Expr, what: str, hint: str = "") -> None:
        names = expressions.names(part)
        at = self.site.where(names[0].column if names else 0)
        self.problems.append(Problem(at, "expression-type", what, hint))

    def want(self, part: Expr, wanted: Kind) -> None:
        """Report ``part`` if it is known not to be ``wanted``."""
        found = self.kind(part)
        if found is None or found is wanted or (wanted is Kind.FLOAT and found is Kind.NUMBER):
            return
        hint, named = "", str(wanted)
        if wanted is Kind.NUMBER and found is Kind.FLOAT:
            named = "a whole number"
        elif wanted is Kind.CONDITION and found is Kind.NUMBER:
            hint = "compare it, as in … != 0"
        elif wanted is Kind.NUMBER and found is Kind.CONDITION:
            hint = "write 1 if … else 0"
        self.report(part, f"{named} expected, found {found}", hint)

    def kind(self, part: Expr) -> Kind | None:
        match part:
            case Value(value=value):
                return _literal(value)
            case Name():
                return self.name(part)
            case Unary(operator, operand):
                wanted = Kind.CONDITION if operator == "not" else Kind.NUMBER
                self.want(operand, wanted)
                return wanted
            case Binary(operator, left, right):
                self.want(left, Kind.NUMBER)
                self.want(right, Kind.NUMBER)
                self.bounded(operator, right)
                return Kind.NUMBER
            case Compare(operator, left, right):
                self.compared(operator, left, right)
                return Kind.CONDITION
            case Among(value, choices):
                for choice in choices:
                    self.compared("==", value, choice)
                return Kind.CONDITION
            case Logical(_, operands):
                for operand in operands:
                    self.want(operand, Kind.CONDITION)
                return Kind.CONDITION
            case Conditional(test, then, other):
                self.want(test, Kind.CONDITION)
                return self.either(then, other)
            case Call(function, arguments):
                return self.called(function, arguments)

    def called(self, function: str, arguments: tuple[Expr, ...]) -> Kind:
        if function in expressions.OF_NUMBERS:
            for argument in arguments:
                self.want(argument, Kind.NUMBER)
        return Kind.CONDITION if function == "present" else Kind.NUMBER

    def either(self, then: Expr, other: Expr) -> Kind | None:
        first, second = self.kind(then), self.kind(other)
        if first and second and first is not second:
            self.report(other, f"{first} or {second}, as the case may be", "both must be of one kind")
        return first if first is second else None

    def name(self, name: Name) -> Kind | None:
        kinds = {kind for seen in self.site.values.get(name.name, ()) if (kind := self.kind_of(seen))}
        found = kinds.pop() if len(kinds) == 1 else None
        if found is None or found in PLAIN:
            return found
        asks = f"count({name.name})" if found is Kind.LIST else f"size({name.name})"
        self.report(
            name,
            f"{name.name!r} is {found}, which expressions cannot work with",
            f"they can ask for {asks} and present({name.name})",
        )
        return None

    def kind_of(self, seen: Seen) -> Kind | None:
        if isinstance(seen, model.Parameter):
            found = parse(seen.written.type)
            return found.kind if found is not None else None
        if not isinstance(seen.item, Named) or isinstance(seen.item.type, Unknown):
            return None
        return seen.item.kind

    def compared(self, operator: str, left: Expr, right: Expr) -> None:
        first, second = self.kind(left), self.kind(right)
        comparable = first is second or (first in _NUMBERS and second in _NUMBERS)
        if first and second and not comparable:
            hint = _comparison_hint(first, second)
            self.report(left, f"{first} is never {second}", hint)
        elif operator not in ("==", "!=") and (first or second) in (Kind.TEXT, Kind.CONDITION):
            self.report(left, f"{first or second} has no order", "compare it by == or !=")

    def bounded(self, operator: str, right: Expr) -> None:
        if operator in ("//", "%") and not (isinstance(right, Value) and right.value):
            self.report(right, "the divisor must be a number other than 0", "a record could have 0 here")
        elif operator in ("<<", ">>") and not self.is_small(right):
            hint = "a record could have billions here; a field of 8 bits is enough"
            self.report(right, "the shift must be a number up to 63 or a small field", hint)

    def is_small(self, part: Expr) -> bool:
        match part:
            case Value(value=int() as value):
                return 0 <= value <= 63
            case Name(name=name):
                return all(_bits(seen) <= 8 for seen in self.site.values.get(name, ()))
            case _:
                return False


def _literal(value: int | float | str | bool | bytes | None) -> Kind:
    return Kind.TEXT if isinstance(value, str) else Kind.CONDITION if isinstance(value, bool) else Kind.NUMBER


def _bits(seen: Seen) -> int:
    type_ = seen.item.type if isinstance(seen, Visit) and isinstance(seen.item, Named) else None
    return type_.bits if isinstance(type_, Integer) and not type_.signed else 64


def _comparison_hint(first: Kind, second: Kind) -> str:
    if Kind.CONDITION in (first, second) and Kind.NUMBER in (first, second):
        return "write true or false"
    if Kind.TEXT in (first, second) and Kind.NUMBER in (first, second):
        return "numbers stand without quotes"
    return ""
