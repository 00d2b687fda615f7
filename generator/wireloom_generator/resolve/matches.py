"""Syntax → model for the selection of messages and alternatives: names become numbers, and ranges get both ends.

A field that alternatives match on gets a default: the value that selects the alternative for which a value is given.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import assert_never

from wireloom_generator import expressions, model, types
from wireloom_generator.expressions import (
    Call,
    Conditional,
    Expr,
    Function,
    Literal,
    Logical,
    Name,
    Value,
    qualified,
    spelled,
)
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import matching
from wireloom_generator.model.names import Names
from wireloom_generator.reading import syntax
from wireloom_generator.resolve import conditions
from wireloom_generator.resolve.names import DeclaredNames, Splicing
from wireloom_generator.types.signs import sign_of

_ANY = Domain()


@dataclass(frozen=True, slots=True)
class Matching:
    """Interprets the values that select a message or an alternative, with enums and parameters by name."""

    enums: Mapping[str, model.Enum]
    parameters: Mapping[str, model.Parameter]

    def match(self, written: Mapping[str, tuple[syntax.Matched, ...]], names: Names) -> model.Match:
        """The selectors; invalid ones stay as written."""
        return {name: self._selectors(name, values, names) for name, values in written.items()}

    def _selectors(self, name: str, values: tuple[syntax.Matched, ...], names: Names) -> tuple[model.Selector, ...]:
        field = _field(name, names)
        numbers = self._parameter(name) if field is None else _values(field)
        return selectors(values, numbers, self._enum(name, names))

    def _parameter(self, name: str) -> Domain:
        bounds = self.parameters[name].bounds if name in self.parameters else None
        return _ANY if bounds is None else Domain(*bounds)

    def condition(self, alternative: syntax.Alternative, names: Names) -> model.Condition | None:
        """When an alternative is taken: if it matches, and if its condition holds."""
        if not alternative.match:
            return conditions.condition(alternative.when, names)
        match = self.match(alternative.match, names)
        meant = {spelled(name): tuple(self._meant(name, selectors, names)) for name, selectors in match.items()}
        found = qualified(matching.condition(meant), "")
        text = found if alternative.when is None else f"({found}) and ({alternative.when})"
        return conditions.of_text(text, alternative.where("match"), names)

    def misnamed(self, alternative: syntax.Alternative, names: Names) -> Iterator[tuple[str, str]]:
        """The words of a match that do not name a value of the enum, with the enum."""
        for name, selectors in self.match(alternative.match, names).items():
            if (enum := self._enum(name, names)) is not None:
                yield from ((word, enum.name) for word in selectors if isinstance(word, str))

    def _meant(self, name: str, selectors: Sequence[model.Selector], names: Names) -> Iterator[model.Selector]:
        """The selectors, with a placeholder number for each word that does not name a value of its enum."""
        enum = self._enum(name, names)
        for each in selectors:
            yield enum.values[0].first if isinstance(each, str) and enum is not None and enum.values else each

    def _enum(self, name: str, names: Names) -> model.Enum | None:
        field = _field(name, names)
        return self.enums.get(field.enum) if field is not None and field.enum else None


def selectors(values: Iterable[syntax.Matched], numbers: Domain, enum: model.Enum | None) -> tuple[model.Selector, ...]:
    """The selectors for values written for a field: ``numbers`` are those that it can have, ``enum`` names them."""
    found: list[model.Selector] = []
    for value in values:
        match value:
            case syntax.Between(first=first, last=last):
                least = numbers.least if first is None else first
                found.append(model.Between(least, numbers.most if last is None else last))
            case str() if enum is not None:
                found += named(enum, value) or (value,)
            case str() if numbers.kind is Kind.BYTES:
                found.append(_octets(value))
            case int() | float() | str():
                found.append(value)
    return tuple(found)


def names_of_numbers(
    enums: Iterable[model.Enum], flags: Iterable[model.Flags]
) -> Iterator[tuple[str, int | tuple[int, ...]]]:
    """The names of numbers in expressions, such as ``Kind.Reading``, and of groups of numbers without ranges."""
    for enum in enums:
        numbers = {each.name: each.first for each in enum.values if not each.range}
        for group, names in enum.groups.items():
            if names and all(name in numbers for name in names):
                yield f"{enum.name}.{spelled(group)}", tuple(numbers[name] for name in names)
        yield from ((f"{enum.name}.{spelled(name)}", number) for name, number in numbers.items())
    for bits in flags:
        yield from ((f"{bits.name}.{spelled(flag.name)}", flag.value) for flag in bits.values)


def named(enum: model.Enum, name: str) -> tuple[model.Selector, ...]:
    """The numbers of an enum's name or group; none if it does not have it."""
    if name in enum.groups:
        return tuple(number for each in enum.groups[name] for number in _one(enum, each))
    return _one(enum, name)


def _one(enum: model.Enum, name: str) -> tuple[model.Selector, ...]:
    found = next((value for value in enum.values if value.name == name), None)
    if found is None:
        return ()
    if not found.range:
        return (found.first,)
    width = found.last - found.first
    narrow = (each for each in enum.values if each is not found and (not each.range or each.last - each.first < width))
    taken = [model.Between(each.first, each.last) if each.range else each.first for each in narrow]
    return matching.without([model.Between(found.first, found.last)], taken)


def _octets(text: str) -> str | bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return text


def _field(name: str, names: Names) -> syntax.Field | syntax.BitField | None:
    """The field of a name, which may have dots."""
    for known in (names.own, names.header):
        if isinstance(known, DeclaredNames) and (found := known.field(name)) is not None:
            return found
    return None


def follows(asked: Iterable[Name], names: Names, through: Set[str] = frozenset()) -> bool:
    """Whether one of these names is derived, or computed from one that is."""
    for name in asked:
        found = _field(name.name, names)
        if found is None or name.name in through:
            continue
        computed = expressions.parsed(found.compute or "") if isinstance(found, syntax.Field) else None
        others = () if computed is None else expressions.names(computed)
        if found.derive is not None or follows(others, names, through | {name.name}):
            return True
    return False


def _values(field: syntax.Field | syntax.BitField) -> Domain:
    """The values that a field can have."""
    if isinstance(field, syntax.BitField):
        return model.bit_type(field.width, sign=sign_of(field)).values
    found = types.of(field)
    return _ANY if found is None else found.values


_Case = tuple[Expr, Literal | bytes]
"""The condition that a value of an alternative is given, and the value that selects the alternative."""


def filled(
    field: syntax.Field | syntax.BitField, splicing: Splicing, matching: Matching, names: Names
) -> model.Condition | None:
    """The default of a field; None if alternatives do not determine one."""
    is_set = field.derive is not None or field.const is not None
    is_plain = isinstance(field, syntax.BitField) or (field.repeat is None and field.checksum is None)
    if is_set or not is_plain or not isinstance(names.own, DeclaredNames):
        return None
    choices = names.own.choices
    cases = [case for choice in choices for case in _cases(field.name, choice, splicing, matching, names)]
    if not cases:
        return None
    tree = names.resolved(_first(cases))
    return model.Condition(tree, qualified(tree, ""))


def _cases(field: str, choice: syntax.Choice, splicing: Splicing, matching: Matching, names: Names) -> Iterator[_Case]:
    """The alternatives that match on a field and have fields that no other has."""
    if not any(field in alternative.match for alternative in choice.choice):
        return
    given = [tuple(dict.fromkeys(_names(each.fields, splicing))) for each in choice.choice]
    count = Counter(name for found in given for name in found)
    for alternative, found in zip(choice.choice, given, strict=True):
        own = [Call(Function.PRESENT, (Name(name),)) for name in found if count[name] == 1]
        selectors = matching.match(alternative.match, names).get(field)
        if own and selectors and len(selectors) == 1 and not isinstance(selectors[0], model.Between):
            yield own[0] if len(own) == 1 else Logical("or", tuple(own)), selectors[0]


def _first(cases: Sequence[_Case]) -> Expr:
    """The value of the first case that holds, found in few steps."""
    if not cases:
        return Value(None)
    half = max(1, len(cases) // 2)
    (_, value), *_ = cases
    found = _first(cases[:half]) if half > 1 else Value(value)
    return Conditional(_any(test for test, _ in cases[:half]), found, _first(cases[half:]))


def _any(tests: Iterable[Expr]) -> Expr:
    found = tuple(part for test in tests for part in (test.operands if isinstance(test, Logical) else (test,)))
    return found[0] if len(found) == 1 else Logical("or", found)


def _names(entries: Iterable[syntax.Entry], splicing: Splicing) -> Iterator[str]:
    """The names of all values that can be given."""
    for entry in splicing.flat(entries):
        match entry:
            case syntax.Field(compute=None):
                yield entry.name
            case syntax.Bits():
                yield from (name for name in (entry.name, *(field.name for field in entry.parts)) if name)
            case syntax.Choice():
                yield from (name for each in entry.choice for name in _names(each.fields, splicing))
            case syntax.Field() | syntax.Section() | syntax.Include() | syntax.Pad() | syntax.Align():
                pass
            case _:
                assert_never(entry)
