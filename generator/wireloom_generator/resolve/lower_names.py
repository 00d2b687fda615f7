"""Which names the expressions of a struct can ask for, where their values are found, and which of them are measured."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from wireloom_generator import expressions
from wireloom_generator.expressions import Call, Expr, Name, Scope
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


@dataclass(frozen=True)
class Names:
    """What the expressions of one struct can ask for: its own fields, the record's header fields, parameters.

    What judges whole records compares those of ``hexadecimal`` with numbers written so.
    """

    own: frozenset[str]
    own_nullable: frozenset[str]
    header: frozenset[str]
    header_nullable: frozenset[str]
    parameters: frozenset[str]
    is_record: bool = False
    hexadecimal: frozenset[str] = frozenset()

    def resolve(self, name: Name) -> Name:
        """The name with the scope it is found in."""
        if name.name in self.own:
            return replace(name, scope=Scope.THIS, nullable=name.name in self.own_nullable)
        if name.name in self.header:
            return replace(name, scope=Scope.RECORD, nullable=name.name in self.header_nullable)
        assert name.name in self.parameters, name.name
        return replace(name, scope=Scope.PARAMETER)


def declared(
    spec: Spec, entries: Iterable[syntax.Entry], nullable: bool = False
) -> tuple[frozenset[str], frozenset[str]]:
    """The names a list of fields declares, and those of them that may be absent."""
    names: set[str] = set()
    absent: set[str] = set()
    for name, optional in _declared(spec, entries, nullable):
        names.add(name)
        if optional:
            absent.add(name)
    return frozenset(names), frozenset(absent)


def _declared(spec: Spec, entries: Iterable[syntax.Entry], nullable: bool) -> Iterator[tuple[str, bool]]:
    for entry in spec.entries(entries):
        match entry:
            case syntax.Field():
                yield entry.name, nullable or entry.tail or entry.when is not None or entry.compute is not None
                if entry.raw:
                    yield entry.raw, True
            case syntax.Section():
                yield entry.section, nullable
                yield from _declared(spec, entry.fields, nullable)
                if entry.trailing:
                    yield entry.trailing, True
            case syntax.Choice(choice=alternatives):
                for alternative in alternatives:
                    yield from _declared(spec, alternative.fields, True)
            case syntax.Bits(fields=fields):
                yield from ((field.name, nullable) for field in fields)
            case _:
                pass


_MEASURES = re.compile(r"\b(size|offset|count|present)\s*\(")


def measured(spec: Spec) -> Iterator[str]:
    """Every name an expression of the spec asks the size or offset of."""
    for written in filter(_MEASURES.search, _all_texts(spec)):
        try:
            yield from (name.name for _, name in expressions.measured(expressions.parse(written)))
        except expressions.ExpressionError:
            continue


def _all_texts(spec: Spec) -> Iterator[str]:
    for part in syntax.within((spec.protocol, *spec.messages, *spec.libraries)):
        given = (getattr(part, key) for key in part.__dataclass_fields__ if key not in ("doc", "hex", "name"))
        yield from (value for value in given if isinstance(value, str))


def resolved(expression: Expr, names: Names) -> Expr:
    """The expression with each name told where its value is found."""
    match expression:
        case Name():
            return names.resolve(expression)
        case Call(function=function, arguments=arguments) if function in expressions.OF_NAMES:
            return Call(function, tuple(_measurable(argument, names) for argument in arguments))
    return expressions.rebuild(expression, lambda part: resolved(part, names))


def _measurable(argument: Expr, names: Names) -> Expr:
    assert isinstance(argument, Name)
    known = argument.name in names.own | names.header | names.parameters
    return names.resolve(argument) if known else argument
