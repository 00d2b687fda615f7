"""Facts about a record before it is read, and the conditions and choices that they decide."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.expressions import (
    Among,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
    needed,
    walk,
)
from wireloom_generator.expressions.evaluation import UNDECIDED, Answer, evaluate, truth
from wireloom_generator.problems import Location
from wireloom_generator.types.columns import Column

Known = int | float | str | bool | bytes | None
Key = tuple[Origin, str]


@dataclass(frozen=True)
class Facts:
    """Known values, None for a field known to be absent, and the fields known to be present."""

    values: Mapping[Key, Known] = field(default_factory=dict)
    present: frozenset[Key] = frozenset()

    def of(self, asked: Name | Call) -> Answer:
        """The value of a name, or whether it is known to be present."""
        match asked:
            case Name():
                return self.values.get(_key(asked), UNDECIDED)
            case Call(Function.PRESENT):
                name = asked.target
                known = self.of(name)
                return True if _key(name) in self.present else UNDECIDED if known is UNDECIDED else known is not None
        return UNDECIDED

    def with_value(self, key: Key, value: Known) -> "Facts":
        """These facts and one more, unless it is about the bytes left in a section, which change by field."""
        return self if key[0] is Origin.SECTION else replace(self, values={**self.values, key: value})

    def with_present(self, keys: Iterable[Key]) -> "Facts":
        """These facts, and that some fields are present."""
        return replace(self, present=self.present | frozenset(keys))

    def below(self) -> "Facts":
        """The facts as seen inside a message or nested struct, where the record's fields are those of the header."""

        def outer(key: Key) -> Key:
            return (Origin.RECORD, key[1]) if key[0] is Origin.THIS else key

        values = {outer(key): value for key, value in self.values.items()}
        return Facts(values, frozenset(map(outer, self.present)))

    def only(self, keys: frozenset[Key]) -> "Facts":
        """Those of these facts that are about some names."""
        return Facts({key: self.values[key] for key in self.values.keys() & keys}, self.present & keys)

    def under(self, others: "Facts") -> "Facts":
        """These facts and others, which take precedence."""
        return Facts({**self.values, **others.values}, self.present | others.present)

    @property
    def key(self) -> Hashable:
        """A key that is the same for equal facts."""
        return frozenset(self.values.items()), self.present


def common(facts: Iterable[Facts]) -> Facts:
    """The facts that hold in all of several cases."""
    first, *others = facts
    values = {key: value for key, value in first.values.items() if all(key in o.values for o in others)}
    same = {key: value for key, value in values.items() if all(o.values[key] == value for o in others)}
    return Facts(same, first.present.intersection(*(o.present for o in others)))


def _key(name: Name) -> Key:
    return name.origin or Origin.THIS, name.name


def simplify(expression: Expr, facts: Facts) -> Expr:
    """The expression with known values filled in and decided alternatives chosen."""
    known = evaluate(expression, facts.of)
    if isinstance(known, int | str):
        return Value(known)
    if isinstance(expression, Conditional):
        decided = truth(expression.test, facts.of)
        if decided is not UNDECIDED:
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
    asked = [name for name in _compared(expression) if isinstance(name, Name) and name.origin is not Origin.PARAMETER]
    return facts.with_present(map(_key, asked))


def _compared(expression: Expr) -> Iterator[Expr]:
    """The names that have a value if the comparison is true."""
    match expression:
        case Compare(_, left, right):
            yield from (*needed(left), *needed(right))
        case Among(value):
            yield from needed(value)


def implied(nodes: Iterable[model.Node], facts: Facts) -> Facts:
    """The facts, and the conditions of those fields among ``nodes`` that are known to be present."""
    for node in nodes:
        if isinstance(node, model.Field) and node.when is not None and (Origin.THIS, node.name) in facts.present:
            facts = assume(node.when.expression, facts)
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
        if isinstance(node, model.Field) and node.when is None and not node.optional:
            kept.append(node)
            passed.append((Origin.THIS, node.name))
            continue
        if passed:
            facts = facts.with_present(passed)
            passed.clear()
        match node:
            case model.Choice():
                found, facts = _narrow_choice(node, facts)
            case model.Field(when=model.Condition(expression=condition)) if truth(condition, facts.of) is not UNDECIDED:
                there, gone = ((replace(node, when=None),), ()) if truth(condition, facts.of) else ((), (node,))
                found, facts = _taken(there, gone, facts)
            case model.Section(extent=model.Size(condition=size)) if evaluate(size.expression, facts.of) == 0:
                found = ()
            case model.Section(nodes=inner) | model.Ordered(nodes=inner):
                inner, facts = narrow(inner, facts)
                found = (replace(node, nodes=inner),)
            case model.Field() | model.Computed() | model.Bits() | model.Padding() | model.Slot():
                found = (node,)
            case _:
                assert_never(node)
        kept += found
    return tuple(kept), facts.with_present(passed) if passed else facts


def _narrow_choice(choice: model.Choice, facts: Facts) -> tuple[tuple[model.Node, ...], Facts]:
    left: list[model.When | model.Otherwise] = []
    for option in choice.alternatives:
        decided = truth(option.when.expression, facts.of) if isinstance(option, model.When) else True
        if decided is UNDECIDED:
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
        facts = facts.with_value((Origin.THIS, name), None)
    return narrow(nodes, facts)


_ASKING_NOTHING = (str, int, NoneType, model.Doc, Location, Column)


def asked(written: object) -> Iterator[Key]:
    """The record's fields that the conditions of nodes and their contents use."""
    if isinstance(written, model.Condition):
        yield from ((Origin.THIS, part.name) for part in walk(written.expression) if isinstance(part, Name))
    elif isinstance(written, tuple | dict):
        for each in written.values() if isinstance(written, dict) else written:
            yield from asked(each)
    elif not isinstance(written, _ASKING_NOTHING):
        for name in getattr(type(written), "__dataclass_fields__", ()):
            yield from asked(getattr(written, name))


class RecordNodes:
    """A record's own nodes, narrowed by facts about its header.

    Results are shared by messages with the same facts about the fields that the nodes use.
    """

    def __init__(self, protocol: model.Protocol) -> None:
        self.nodes = protocol.record.nodes
        self.asked = frozenset(asked((self.nodes, protocol.structs)))
        self._narrowed: dict[Hashable, tuple[tuple[model.Node, ...], Facts]] = {}

    def narrowed(self, facts: Facts) -> tuple[tuple[model.Node, ...], Facts]:
        """The nodes that can be present, and the facts after them."""
        telling = facts.only(self.asked)
        if (found := self._narrowed.get(telling.key)) is None:
            found = self._narrowed[telling.key] = narrow(self.nodes, telling)
        nodes, known = found
        return nodes, facts.under(known)
