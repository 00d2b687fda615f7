"""The columns of nodes: those of their types, merged where several have one."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wireloom_generator import model, types
from wireloom_generator.model import U64, Column, ColumnType, Primitive
from wireloom_generator.reading import syntax
from wireloom_generator.types import FlatBuffers, meanings


def labelled(
    name: str, kind: ColumnType, doc: str, *, labels: bool, enum: str | None = None, flags: str | None = None
) -> tuple[Column, ...]:
    """A column and, if its numbers or bits have names, the label column beside it; of a list, that is a list, too."""
    column = Column(name, kind, doc)
    if labels and enum is not None:
        is_list = isinstance(kind, model.ListType)
        label = model.ListType(Primitive.STRING) if is_list else Primitive.STRING
        what = f"Names of {name}, each null if it has none" if is_list else f"Name of {name}; null if it has none"
        return column, Column(f"{name}_name", label, what, label=True)
    if labels and flags is not None:
        return column, Column(f"{name}_flags", model.ListType(Primitive.STRING), f"Bits set in {name}", label=True)
    return (column,)


def raw_column(field: syntax.Field) -> str | None:
    """The column for original bytes: that of ``raw``, or, for types that always have one, a column named after the
    field. A list whose items are at offsets of their own has none.
    """
    kind = types.of(field)
    has_raw = kind is not None and kind.has_raw and field.compute is None
    stands_apart = field.place is not None and field.repeat is not None
    return f"{field.name}_bytes" if field.raw is None and has_raw and not stands_apart else field.raw


def field_columns(
    field: syntax.Field, plain: ColumnType, doc: str, meaning: meanings.Meaning | None, through: model.Through | None
) -> tuple[Column, ...]:
    """The columns of a field of the ``plain`` table type: its own, its label's, and that of ``raw``."""
    kind = plain if meaning is None else meaning.column()
    if field.table_type == "long":
        kind = Primitive.LONG
    if field.repeat is not None:
        kind = model.ListType(kind)
    found = labelled(field.name, kind, doc, labels=field.labels, enum=field.enum, flags=field.flags)
    raw = raw_column(field)
    if raw is None:
        return found
    if meaning is not None:
        kept = f"Raw number of {field.name}, if the value does not determine it; written back if unchanged"
        return (*found, Column(raw, plain, kept))
    if through is not None:
        return (*found, Column(raw, Primitive.BINARY, _packed(field.name, through)))
    others = "" if field.type == FlatBuffers.spelling else ", if encoding it would give others"
    kept = f"Original bytes of {field.name}{others}; written back if it is unchanged"
    return (*found, Column(raw, Primitive.BINARY, kept))


def columns(nodes: Iterable[model.Node]) -> tuple[Column, ...]:
    """The columns of a list of nodes, in order of first appearance."""
    return merge(column for node in nodes for column in _node_columns(node))


def merge(found: Iterable[Column]) -> tuple[Column, ...]:
    """A name used by several alternatives is one column, where it first appears, as wide as the widest of them.

    Its doc combines those of all alternatives.
    """
    merged: dict[str, Column] = {}
    for column in found:
        known = merged.setdefault(column.name, column)
        if known is not column:
            doc = known.doc if column.doc in known.doc else f"{known.doc.rstrip('.')}. Or: {column.doc}".lstrip(". ")
            merged[column.name] = replace(known, type=_wider(known.type, column.type), doc=doc)
    return tuple(merged.values())


_INTEGERS = (Primitive.BYTE, Primitive.SHORT, Primitive.INT, Primitive.LONG, U64)


def _wider(left: ColumnType, right: ColumnType) -> ColumnType:
    """The type that holds both of two integers; for others the first, since rules ensure that both are equal."""
    if left in _INTEGERS and right in _INTEGERS:
        return max(left, right, key=_INTEGERS.index)
    return left


def _node_columns(node: model.Node) -> Iterator[Column]:
    for field in node.named if isinstance(node, model.Bits) else (node,):
        if isinstance(field, model.Named):
            yield from field.columns
    yield from columns(model.children(node))
    if isinstance(node, model.Section) and node.trailing:
        yield Column(node.trailing, Primitive.BINARY, f"Bytes of {node.name} after its last field")
    if isinstance(node, model.Section) and node.through is not None and node.through.raw:
        yield Column(node.through.raw, Primitive.BINARY, _packed(node.name, node.through))


def record_columns(record: model.Record) -> tuple[Column, ...]:
    """The columns of the header."""
    found = columns(record.nodes)
    match record.end:
        case model.BetweenFlags(raw=raw):
            kept = "Original bytes of the record, if it would be written with others; written back if it is unchanged"
        case model.Terminator(raw=str() as raw, value=value):
            kept = f"Terminator of the record, if it is not {value.hex()}"
        case _:
            return found
    return merge((*found, Column(raw, Primitive.BINARY, kept)))


def _packed(name: str, through: model.Through) -> str:
    """The doc of the column for packed bytes."""
    others = "" if not through.way else ", if encoding it would give others"
    return f"Original bytes of {name}{others}; written back if it is unchanged"
