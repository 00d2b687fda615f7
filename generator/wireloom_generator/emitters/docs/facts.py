"""What is known about a record before it is read, and what follows: decided conditions and choices."""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from wireloom_generator import model
from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Logical,
    Name,
    Scope,
    Unary,
    Value,
    names,
)


class Unknown(Enum):
    """The value of something unknown."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN
Known = int | float | str | bool | bytes | None
Answer = Known | Unknown
Key = tuple[Scope, str]

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


@dataclass(frozen=True)
class Facts:
    """Known values, None for a field known to be absent, and the fields known to be present."""

    values: Mapping[Key, Known] = field(default_factory=dict)
    present: frozenset[Key] = frozenset()

    def of(self, name: Name) -> Answer:
        """The value of a name."""
        return self.values.get(_key(name), UNKNOWN)

    def has(self, name: Name) -> bool | Unknown:
        """Whether a field is known to be present."""
        if _key(name) in self.present:
            return True
        known = self.of(name)
        return UNKNOWN if known is UNKNOWN else known is not None

    def with_value(self, key: Key, value: Known) -> "Facts":
        """These facts and one more."""
        return replace(self, values={**self.values, key: value})

    def with_present(self, keys: Iterable[Key]) -> "Facts":
        """These facts, and that some fields are present."""
        return replace(self, present=self.present | frozenset(keys))

    def below(self) -> "Facts":
        """The facts as seen inside a message or nested struct, where the record's fields are those of the header."""

        def outer(key: Key) -> Key:
            return (Scope.RECORD, key[1]) if key[0] is Scope.THIS else key

        values = {outer(key): value for key, value in self.values.items()}
        return Facts(values, frozenset(map(outer, self.present)))


def common(facts: Iterable[Facts]) -> Facts:
    """The facts that hold in all of several cases."""
    first, *others = facts
    values = {key: value for key, value in first.values.items() if all(key in o.values for o in others)}
    same = {key: value for key, value in values.items() if all(o.values[key] == value for o in others)}
    return Facts(same, first.present.intersection(*(o.present for o in others)))


def _key(name: Name) -> Key:
    return name.scope or Scope.THIS, name.name


def evaluate(expression: Expr, facts: Facts) -> Answer:
    """The value of an expression, as far as the facts determine it."""
    match expression:
        case Value(value):
            return value
        case Name():
            return facts.of(expression)
        case Compare(name, left, right):
            return _compare(name, evaluate(left, facts), evaluate(right, facts))
        case Among(value, choices, negated):
            found = evaluate(value, facts)
            if found is None:
                return False
            answer = _any(_compare("==", found, evaluate(choice, facts)) for choice in choices)
            return _not(answer) if negated else answer
        case Logical(name, operands):
            answers = [_truth(evaluate(operand, facts)) for operand in operands]
            return _any(answers) if name == "or" else _not(_any(map(_not, answers)))
        case Unary("not", operand):
            return _not(_truth(evaluate(operand, facts)))
        case Conditional(test, then, other):
            decided = _truth(evaluate(test, facts))
            return UNKNOWN if decided is UNKNOWN else evaluate(then if decided else other, facts)
        case Binary(name, left, right):
            return _binary(name, evaluate(left, facts), evaluate(right, facts))
        case Call("present", (Name() as field_name,)):
            return facts.has(field_name)
    return UNKNOWN


def _binary(name: str, left: Answer, right: Answer) -> Answer:
    if not isinstance(left, int) or not isinstance(right, int):
        return UNKNOWN
    undefined = (name in ("//", "%") and right == 0) or (name in ("<<", ">>") and not 0 <= right < 64)
    return UNKNOWN if undefined else _BINARY[name](left, right)


def _compare(name: str, left: Answer, right: Answer) -> bool | Unknown:
    if left is None or right is None:
        return False
    if isinstance(left, int) and isinstance(right, int):
        return _COMPARE[name](left, right)
    if isinstance(left, str) and isinstance(right, str) and name in ("==", "!="):
        return (left == right) is (name == "==")
    return UNKNOWN


def _truth(answer: Answer) -> bool | Unknown:
    return UNKNOWN if answer is UNKNOWN else bool(answer)


def _not(answer: bool | Unknown) -> bool | Unknown:
    return UNKNOWN if answer is UNKNOWN else not answer


def _any(answers: Iterable[bool | Unknown]) -> bool | Unknown:
    found = list(answers)
    return True if True in found else UNKNOWN if UNKNOWN in found else False


def simplify(expression: Expr, facts: Facts) -> Expr:
    """The expression with known values filled in and decided alternatives chosen."""
    known = evaluate(expression, facts)
    if isinstance(known, int | str):
        return Value(known)
    if isinstance(expression, Conditional):
        decided = _truth(evaluate(expression.test, facts))
        if decided is not UNKNOWN:
            return simplify(expression.then if decided else expression.other, facts)
    return expression


def assume(expression: Expr, facts: Facts) -> Facts:
    """The facts, and what follows if the expression is true. In a true comparison no name is absent."""
    match expression:
        case Logical("and", operands):
            for operand in operands:
                facts = assume(operand, facts)
        case Compare("==", Name() as name, Value(value)) | Compare("==", Value(value), Name() as name):
            facts = facts.with_value(_key(name), value)
        case Name():
            facts = facts.with_value(_key(expression), True)
        case Unary("not", Name() as name):
            facts = facts.with_value(_key(name), False)
    if isinstance(expression, Compare | Among):
        facts = facts.with_present(_key(name) for name in names(expression) if name.scope is not Scope.PARAMETER)
    return facts


def implied(nodes: Iterable[model.Node], facts: Facts) -> Facts:
    """The facts, and the conditions of those fields among ``nodes`` that are known to be present."""
    for node in nodes:
        if isinstance(node, model.When) and any((Scope.THIS, name) in facts.present for name in declared(node.nodes)):
            facts = assume(node.condition.expression, facts)
    return facts


def declared(nodes: Iterable[model.Node]) -> Iterator[str]:
    """The names of the fields and sections among ``nodes``."""
    named = model.Named | model.Region
    return (node.name for node in model.walk(nodes) if isinstance(node, named))


def narrow(nodes: Iterable[model.Node], facts: Facts) -> tuple[tuple[model.Node, ...], Facts]:
    """The nodes that can be present, with decided choices replaced by the chosen one, and the facts after them."""
    kept: list[model.Node] = []
    passed: list[Key] = []
    for node in nodes:
        if isinstance(node, model.Field):
            kept.append(node)
            passed.append((Scope.THIS, node.name))
            continue
        if passed:
            facts = facts.with_present(passed)
            passed.clear()
        match node:
            case model.Choice():
                found, facts = _narrow_choice(node, facts)
            case model.When(condition=condition, nodes=inner) if evaluate(condition.expression, facts) is not UNKNOWN:
                found, facts = (
                    _taken(inner, (), facts) if evaluate(condition.expression, facts) else _taken((), inner, facts)
                )
            case model.Section(extent=model.Size(bytes=size)) if evaluate(size, facts) == 0:
                found = ()
            case model.Section(nodes=inner):
                inner, facts = narrow(inner, facts)
                found = (replace(node, nodes=inner),)
            case _:
                found = (node,)
        kept += found
    return tuple(kept), facts.with_present(passed) if passed else facts


def _narrow_choice(choice: model.Choice, facts: Facts) -> tuple[tuple[model.Node, ...], Facts]:
    left: list[model.When | model.Otherwise] = []
    for option in choice.alternatives:
        decided = evaluate(option.condition.expression, facts) if isinstance(option, model.When) else True
        if decided is UNKNOWN:
            left.append(option)
        elif decided and not left:
            others = tuple(node for other in choice.alternatives if other is not option for node in other.nodes)
            return _taken(option.nodes, others, facts)
        elif decided:
            left.append(option if isinstance(option, model.Otherwise) else model.Otherwise(option.nodes))
            break
    return ((replace(choice, alternatives=tuple(left)),) if left else ()), facts


def _taken(
    nodes: tuple[model.Node, ...], others: tuple[model.Node, ...], facts: Facts
) -> tuple[tuple[model.Node, ...], Facts]:
    for name in set(declared(others)) - set(declared(nodes)):
        facts = facts.with_value((Scope.THIS, name), None)
    return narrow(nodes, facts)
