"""Columns as the rows of their table, and how wire types become column types."""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.emitters.docs.markdown import cell, code, listing, phrase, prose
from wireloom_generator.emitters.docs.names import fields
from wireloom_generator.types import Struct
from wireloom_generator.types.columns import brief

TableRow = tuple[str, ...]


COLUMNS = ("Column", "Spark type", "Meaning")
"""The header of the tables that the proof of agreement reads back."""


def column_row(column: model.Column) -> TableRow:
    """Name, type, meaning."""
    return code(column.name), code(str(column.type)), cell(prose(column.doc))


def message_columns(message: model.Message) -> Iterator[TableRow]:
    """The columns of a message, with the variants that fill them if not all do."""
    common = set(names_in(message.sections.values()))
    for column in message.columns:
        name, kind, meaning = column_row(column)
        found: dict[str, list[str]] = {}
        for variant in message.variants:
            for node in _declaring(variant.sections.values(), column.name):
                found.setdefault(node.doc.text, []).append(variant.name)
        if found and column.name not in common and len(next(iter(found.values()))) < len(message.variants):
            texts = (
                f"In {listing(map(code, names), 'and')}: {prose(text)}".rstrip(": ") for text, names in found.items()
            )
            meaning = cell("\n".join(texts))
        yield name, kind, meaning


def _declaring(sections: Iterable[Iterable[model.Node]], column: str) -> Iterator[model.Named]:
    """The fields that have ``column`` as their own."""
    for nodes in sections:
        for node in model.walk(nodes):
            if isinstance(node, model.Named) and node.columns[:1] and node.columns[0].name == column:
                yield node


def names_in(sections: Iterable[Iterable[model.Node]]) -> Iterator[str]:
    """The columns that fields have as their own."""
    for nodes in sections:
        for node in model.walk(nodes):
            if isinstance(node, model.Named) and node.columns:
                yield node.columns[0].name


def row_columns(protocol: model.Protocol) -> Iterator[TableRow]:
    """The columns of a protocol's row; a message's struct is a link to its page."""
    rows = (*protocol.messages, *(protocol.preamble.messages if protocol.preamble is not None else ()))
    titles = {message.name: message.doc.title or message.name for message in rows}
    for column in protocol.columns:
        if column.name in titles and isinstance(column.type, model.StructType):
            link = f"[{phrase(titles[column.name])}]({column.name}.md): its columns are there"
            yield code(column.name), code("struct"), cell(f"{link}. Null unless the row is this message.")
        else:
            yield column_row(column)


def value_rows(protocol: model.Protocol) -> list[TableRow]:
    """The column type for each type on the wire that occurs."""
    found: dict[str, set[str]] = {}
    for field in (field for nodes in protocol.layouts for field in fields(nodes)):
        kind = field.columns[0].type
        while isinstance(kind, model.ListType):
            kind = kind.element
        word = "struct" if isinstance(field.wire.type, Struct) else field.wire.type.word
        found.setdefault(word, set()).add(brief(kind))
    rows = (
        (code(name), " or ".join(map(code, sorted(kinds)))) for name, kinds in sorted(found.items(), key=_wire_order)
    )
    return list(rows)


def _wire_order(item: tuple[str, set[str]]) -> tuple[str, int, str]:
    name = item[0]
    digits = "".join(filter(str.isdigit, name))
    return name.rstrip("0123456789"), int(digits or 0), name
