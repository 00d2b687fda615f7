"""The descriptions of the same elements in both versions."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Leaf

Pair = tuple[str, model.Doc, model.Doc]
"""The path of an element, and its old and new description."""


def pairs(comparison: Comparison) -> Iterator[Pair]:
    """Every element of both versions that can be described."""
    old, new = comparison.old, comparison.new
    yield new.name, old.doc, new.doc
    yield f"{new.name}.record", old.record_doc, new.record_doc
    yield from _declarations(comparison)
    for pair in comparison.messages:
        path = f"{new.name}.{pair.new.name}"
        yield path, pair.old.doc, pair.new.doc
        for one, other in pair.variants.kept:
            yield f"{path}.{other.name}", one.doc, other.doc
    for layout in comparison.layouts:
        for kept in layout.kept:
            before, after = _doc(kept.old), _doc(kept.new)
            if before is not None and after is not None:
                yield kept.new.path, before, after


def _declarations(comparison: Comparison) -> Iterator[Pair]:
    name = comparison.new.name
    for one, other in comparison.parameters.kept:
        yield f"{name}.{other.name}", one.doc, other.doc
    for before, after in comparison.enums.kept:
        yield f"{name}.{after.name}", before.doc, after.doc
        yield from _named(f"{name}.{after.name}", before.values, after.values)
    for earlier, later in comparison.flags.kept:
        yield f"{name}.{later.name}", earlier.doc, later.doc
        yield from _named(f"{name}.{later.name}", earlier.values, later.values)
    for table, now in comparison.tables.kept:
        yield f"{name}.{now.name}", table.doc, now.doc
        yield from _named(f"{name}.{now.name}", table.fields, now.fields)
    types = {type_.name: type_ for type_ in comparison.old.types}
    for type_ in comparison.new.types:
        if type_.name in types:
            yield f"{name}.{type_.name}", types[type_.name].doc, type_.doc


Named = model.EnumValue | model.Flag | model.TableField


def _named(path: str, old: tuple[Named, ...], new: tuple[Named, ...]) -> Iterator[Pair]:
    before = {item.name: item for item in old}
    for item in new:
        if item.name in before:
            yield f"{path}.{item.name}", before[item.name].doc, item.doc


def _doc(leaf: Leaf) -> model.Doc | None:
    match leaf.carrier:
        case BitLeaf(field=field):
            return field.doc
        case model.Padding():
            return None
        case model.Field(doc=doc) | model.Computed(doc=doc) | model.Section(doc=doc) | model.Slot(doc=doc):
            return doc
