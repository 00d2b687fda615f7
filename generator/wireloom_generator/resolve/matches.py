"""Syntax → model for what selects a message: names of enum values become numbers, and ranges get both ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wireloom_generator import model
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import matching
from wireloom_generator.reading import syntax
from wireloom_generator.types import Struct

_ANY = Domain()


@dataclass(frozen=True, slots=True)
class Matching:
    """What a match can ask for: the header's nodes, with structs and enums by name, and parameters."""

    nodes: Sequence[model.Node]
    structs: Mapping[str, model.Struct]
    enums: Mapping[str, model.Enum]
    parameters: Mapping[str, model.Parameter]

    def match(self, written: Mapping[str, tuple[syntax.Matched, ...]]) -> model.Match:
        """What selects a message; what cannot be understood stays as it was written."""
        return {name: self._selectors(name, values) for name, values in written.items()}

    def _selectors(self, name: str, values: tuple[syntax.Matched, ...]) -> tuple[model.Selector, ...]:
        field = self._field(name)
        values_of = field.type.values if field is not None else self._parameter(name)
        enum = self.enums.get(field.enum) if field is not None and field.enum else None
        found: list[model.Selector] = []
        for value in values:
            match value:
                case syntax.Between(first=first, last=last):
                    least = values_of.least if first is None else first
                    found.append(model.Between(least, values_of.most if last is None else last))
                case str() if enum is not None:
                    found += numbers(enum, value) or (value,)
                case str() if values_of.kind is Kind.BYTES:
                    found.append(_octets(value))
                case _:
                    found.append(value)
        return tuple(found)

    def _field(self, name: str) -> model.Named | None:
        """The first field of that name."""
        first, *steps = name.split(".")
        found = _first(self.nodes, first)
        for step in steps:
            used = self.structs.get(found.type.name) if found is not None and isinstance(found.type, Struct) else None
            found = None if used is None else _first(used.nodes, step)
        return found

    def _parameter(self, name: str) -> Domain:
        bounds = self.parameters[name].bounds if name in self.parameters else None
        return _ANY if bounds is None else Domain(*bounds)


def numbers(enum: model.Enum, name: str) -> tuple[model.Selector, ...]:
    """The numbers that have a name of an enum; none if it has no such name."""
    named = next((value for value in enum.values if value.name == name), None)
    if named is None:
        return ()
    if not named.range:
        return (named.first,)
    narrow = (value for value in enum.values if value is not named and _goes_before(value, named))
    return matching.without([model.Between(named.first, named.last)], [_span(value) for value in narrow])


def _goes_before(value: model.EnumValue, other: model.EnumValue) -> bool:
    return not value.range or value.last - value.first < other.last - other.first


def _span(value: model.EnumValue) -> model.Selector:
    return model.Between(value.first, value.last) if value.range else value.first


def _octets(text: str) -> str | bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return text


def _first(nodes: Sequence[model.Node], name: str) -> model.Named | None:
    return next((node for node in model.walk(nodes) if isinstance(node, model.Named) and node.name == name), None)
