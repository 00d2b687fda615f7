"""Which names the expressions of a struct can use, where their values are found, and which are measured."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import get_args, get_type_hints

from wireloom_generator import expressions
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec

Spliced = syntax.Field | syntax.Section | syntax.Choice | syntax.Pad | syntax.Align | syntax.Bits
"""The content of a list of fields after its includes were replaced."""


def reach(types: Mapping[str, syntax.Type]) -> dict[str, frozenset[str]]:
    """The types that each type contains, directly or not, as a field or by include."""
    used = {name: frozenset(_used(type_.fields)) & types.keys() for name, type_ in types.items()}
    return {name: _reach(used, name) for name in types}


def _reach(used: Mapping[str, frozenset[str]], name: str) -> frozenset[str]:
    seen: set[str] = set()
    pending = set(used[name])
    while pending:
        seen |= pending
        pending = {inner for outer in pending for inner in used[outer]} - seen
    return frozenset(seen)


def _used(entries: Iterable[syntax.Entry]) -> Iterator[str]:
    for entry in syntax.walk(entries):
        if isinstance(entry, syntax.Field):
            yield entry.type
        elif isinstance(entry, syntax.Include):
            yield entry.include


class Splicing:
    """Lists of entries with includes replaced by the fields of their types, unless a type is unknown or recursive."""

    def __init__(self, types: Mapping[str, syntax.Type], recursive: frozenset[str]) -> None:
        self.types = types
        self.recursive = recursive
        self.unknown: dict[Location, syntax.Include] = {}
        """The includes of types that nothing declares."""

    def spliced(
        self, entries: Iterable[syntax.Entry], via: Location | None = None
    ) -> Iterator[tuple[Spliced, Location | None]]:
        """The entries, each with the outermost include that brought it."""
        for entry in entries:
            if not isinstance(entry, syntax.Include):
                yield entry, via
            elif entry.include not in self.types:
                self.unknown[entry.at] = entry
            elif entry.include not in self.recursive:
                yield from self.spliced(self.types[entry.include].fields, via or entry.where("include"))

    def declared(
        self, entries: Iterable[syntax.Entry], nullable: bool = False
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The names that a list of entries declares, and which of them may be absent."""
        found = list(self._declared(entries, nullable))
        return frozenset(name for name, _ in found), frozenset(name for name, absent in found if absent)

    def _declared(self, entries: Iterable[syntax.Entry], nullable: bool) -> Iterator[tuple[str, bool]]:
        for entry, _ in self.spliced(entries):
            match entry:
                case syntax.Field():
                    yield entry.name, nullable or entry.tail or entry.when is not None or entry.compute is not None
                    if entry.raw:
                        yield entry.raw, True
                case syntax.Section():
                    yield entry.section, nullable
                    yield from self._declared(entry.fields, nullable)
                    if entry.trailing:
                        yield entry.trailing, True
                case syntax.Choice(choice=alternatives):
                    for alternative in alternatives:
                        yield from self._declared(alternative.fields, True)
                case syntax.Bits(fields=fields):
                    yield from ((field.name, nullable) for field in fields)
                case syntax.Pad() | syntax.Align():
                    pass


_MEASURES = re.compile(r"\b(size|offset)\s*\(")


def measured(spec: Spec) -> Iterator[str]:
    """Every name whose size or offset an expression of the spec uses."""
    for written in filter(_MEASURES.search, _expressions(spec)):
        tree = expressions.parsed(written)
        if tree is not None:
            yield from (name.name for function, name in expressions.measured(tree) if function in ("offset", "size"))


def _expressions(spec: Spec) -> Iterator[str]:
    for part in syntax.within((spec.protocol, *spec.messages, *spec.libraries)):
        given = (getattr(part, key) for key in _EXPRESSION_KEYS[type(part)])
        yield from (value for value in given if isinstance(value, str))


def _expression_keys(kind: type) -> tuple[str, ...]:
    """The keys of a syntax class that hold expressions, or, as a default may, either a value or an expression."""
    hints = get_type_hints(kind).items()
    return tuple(key for key, hint in hints if key == "default" or syntax.Expression in (hint, *get_args(hint)))


_EXPRESSION_KEYS = {
    kind: _expression_keys(kind) for kind in vars(syntax).values() if isinstance(kind, type) and is_dataclass(kind)
}
