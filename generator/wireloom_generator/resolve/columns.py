"""The columns of nodes: those of their types, merged where several have one, and what they weigh."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from wireloom_generator import model
from wireloom_generator.model import U64, Column, ColumnType, Primitive


def labelled(
    name: str, kind: ColumnType, doc: str, *, enum: Sequence[str] | None = None, flags: Sequence[str] | None = None
) -> tuple[Column, ...]:
    """A column and the label column beside it, if its numbers or bits have names: those of ``enum`` or ``flags``."""
    column = Column(name, kind, doc)
    sizes = [len(label.encode()) for label in (enum or flags or ())]
    if enum is not None:
        doc = f"Name of {name}; null if it has none"
        return column, Column(f"{name}_name", Primitive.STRING, doc, label=True, longest=max(sizes, default=0))
    if flags is not None:
        longest = sum(size + _PLACE for size in sizes)
        kind = model.ListType(Primitive.STRING)
        return column, Column(f"{name}_flags", kind, f"Bits set in {name}", label=True, longest=longest)
    return (column,)


def columns(nodes: Iterable[model.Node]) -> tuple[Column, ...]:
    """The columns of a list of nodes, in order of first appearance."""
    return merge(column for node in nodes for column in _node_columns(node))


def merge(found: Iterable[Column]) -> tuple[Column, ...]:
    """A name used by several alternatives is one column, where it first appears, as wide as the widest of them.

    What it means in each of them stands in its doc.
    """
    merged: dict[str, Column] = {}
    for column in found:
        known = merged.setdefault(column.name, column)
        doc = known.doc if column.doc in known.doc else f"{known.doc} Or: {column.doc}".strip()
        longest = max(known.longest, column.longest)
        merged[column.name] = replace(known, type=_wider(known.type, column.type), doc=doc, longest=longest)
    return tuple(merged.values())


_INTEGERS = (Primitive.BYTE, Primitive.SHORT, Primitive.INT, Primitive.LONG, U64)


def _wider(left: ColumnType, right: ColumnType) -> ColumnType:
    """The type that holds both of two integers; otherwise the first, which the rules made sure is the second too."""
    if left in _INTEGERS and right in _INTEGERS:
        return max(left, right, key=_INTEGERS.index)
    return left


def _node_columns(node: model.Node) -> Iterator[Column]:
    for field in node.fields if isinstance(node, model.Bits) else (node,):
        if isinstance(field, model.Valued):
            yield from field.columns
    yield from columns(model.children(node))
    if isinstance(node, model.Section) and node.trailing:
        yield Column(node.trailing, Primitive.BINARY, f"Bytes of {node.name} behind its last field")


def weight(field: model.Field) -> int:
    """How many bytes an item of a repeated field takes in a table, whatever it is, beside texts and bytes.

    Those stand in the record, and so are no more than that is long. Items of a list in it have a weight of their own.
    """
    kind = field.columns[0].type
    assert isinstance(kind, model.ListType)
    null = kind.element in (Primitive.STRING, Primitive.BINARY)
    return -(-(null + _bits(kind.element)) // 8)


_PLACE = 4
"""Bytes that Arrow takes to say where a text, bytes or a list begins."""
_WIDTHS = {
    Primitive.BYTE: 8,
    Primitive.SHORT: 16,
    Primitive.INT: 32,
    Primitive.LONG: 64,
    Primitive.FLOAT: 32,
    Primitive.DOUBLE: 64,
    Primitive.BOOLEAN: 1,
    Primitive.BINARY: 8 * _PLACE,
    Primitive.STRING: 8 * _PLACE,
}


def _bits(kind: ColumnType) -> int:
    match kind:
        case Primitive():
            return _WIDTHS[kind]
        case model.Decimal():
            return 128
        case model.ListType():
            return 8 * _PLACE
        case model.StructType(columns=inside):
            return sum(
                1 + _bits(column.type) + 8 * column.longest for column in inside
            )  # a bit says whether it is null
