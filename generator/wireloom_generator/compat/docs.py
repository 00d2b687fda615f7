"""The descriptions of the same elements in both versions."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.comparison import Comparison, HasName, by_name

_DESCRIBED = model.Named | model.Region
"""The nodes that have a description."""
Pair = tuple[str, model.Doc, model.Doc]
"""The path of an element, and its old and new description."""


def pairs(comparison: Comparison) -> Iterator[Pair]:
    """Every element of both versions that can be described."""
    old, new = comparison.old, comparison.new
    yield new.name, old.doc, new.doc
    yield f"{new.name}.record", old.record.doc, new.record.doc
    yield from _declarations(comparison)
    for pair in comparison.messages:
        path = f"{new.name}.{pair.new.name}"
        yield path, pair.old.doc, pair.new.doc
        for one, other in pair.variants.kept:
            yield f"{path}.{other.name}", one.doc, other.doc
    for _, kept in walks.kept(comparison):
        before, after = kept.old.node, kept.new.node
        if isinstance(before, _DESCRIBED) and isinstance(after, _DESCRIBED):
            yield kept.new.path, before.doc, after.doc


def _declarations(comparison: Comparison) -> Iterator[Pair]:
    old, new = comparison.old, comparison.new
    yield from _named(new.name, old.parameters, new.parameters)
    yield from _named(new.name, old.enums, new.enums)
    yield from _named(new.name, old.flags, new.flags)
    yield from _named(new.name, old.tables, new.tables)
    yield from _named(new.name, old.structs, new.structs)
    for enum, now in comparison.enums.kept:
        yield from _named(f"{new.name}.{now.name}", enum.values, now.values)
    for flags, these in comparison.flags.kept:
        yield from _named(f"{new.name}.{these.name}", flags.values, these.values)
    for before, after in comparison.tables.kept:
        yield from _named(f"{new.name}.{after.name}", before.fields, after.fields)


class HasDoc(HasName, Protocol):
    """An element with a name and a description."""

    @property
    def doc(self) -> model.Doc: ...


def _named(path: str, old: Iterable[HasDoc], new: Iterable[HasDoc]) -> Iterator[Pair]:
    for one, other in by_name(old, new).kept:
        yield f"{path}.{other.name}", one.doc, other.doc
