"""Changes of descriptions, errata and examples."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison, HasName, by_name

_DESCRIBED = model.Named | model.Region
"""The nodes that have a description."""
_Pair = tuple[str, model.Doc, model.Doc]
"""The path of an element, and its old and new description."""


def _pairs(comparison: Comparison) -> Iterator[_Pair]:
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


def _declarations(comparison: Comparison) -> Iterator[_Pair]:
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


class _HasDoc(HasName, Protocol):
    """An element with a name and a description."""

    @property
    def doc(self) -> model.Doc: ...


def _named(path: str, old: Iterable[_HasDoc], new: Iterable[_HasDoc]) -> Iterator[_Pair]:
    for one, other in by_name(old, new).kept:
        yield f"{path}.{other.name}", one.doc, other.doc


def doc_changed(comparison: Comparison) -> Iterator[Change]:
    for path, old, new in _pairs(comparison):
        for what, before, after in (
            ("title", old.title, new.title),
            ("doc", old.text, new.text),
            ("unit", old.unit, new.unit),
            ("since", old.since, new.since),
            ("deprecated", old.deprecated, new.deprecated),
            ("source", old.source, new.source),
        ):
            if before != after:
                how = "added" if not before else "removed" if not after else "changed"
                yield Change(path, f"{what} {how}", BOTH)


def erratum_changed(comparison: Comparison) -> Iterator[Change]:
    for path, old, new in _pairs(comparison):
        gone = sum(erratum not in new.errata for erratum in old.errata)
        come = sum(erratum not in old.errata for erratum in new.errata)
        if gone:
            yield Change(path, f"{gone} of {len(old.errata)} errata {'changed' if come else 'removed'}", BOTH)
        elif come:
            yield Change(path, "erratum added", NEITHER)


def example_changed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        after = {example.name: example for example in pair.new.examples}
        for example in pair.old.examples:
            now = after.pop(example.name, None)
            if now is None:
                yield Change(path, f"example {example.name!r} removed", BOTH)
            elif _facts(example) != _facts(now):
                yield Change(path, f"example {example.name!r} changed", BOTH)
        for name in after:
            yield Change(path, f"example {name!r} added", NEITHER)


def _facts(example: model.Example) -> tuple[object, ...]:
    return example.data, dict(example.parameters), dict(example.decoded), example.malformed
