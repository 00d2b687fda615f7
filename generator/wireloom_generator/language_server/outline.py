"""The outline of a file: its declarations, and what is in them."""

from collections.abc import Iterator
from dataclasses import dataclass

from wireloom_generator.language_server.nodes import entry
from wireloom_generator.language_server.occurrences import SymbolKind
from wireloom_generator.language_server.places import TextRange
from wireloom_generator.language_server.workspace import Document
from wireloom_generator.reading import syntax
from wireloom_generator.reading.source import YamlList, YamlMapping, YamlNode, YamlScalar

_NAMED: dict[type, tuple[str, SymbolKind]] = {
    syntax.Protocol: ("protocol", SymbolKind.MESSAGE),
    syntax.Library: ("library", SymbolKind.MESSAGE),
    syntax.Message: ("message", SymbolKind.MESSAGE),
    syntax.Struct: ("name", SymbolKind.TYPE),
    syntax.Enum: ("name", SymbolKind.ENUM),
    syntax.Flags: ("name", SymbolKind.ENUM),
    syntax.Table: ("name", SymbolKind.TABLE),
    syntax.EnumValue: ("name", SymbolKind.VALUE),
    syntax.Flag: ("name", SymbolKind.VALUE),
    syntax.TableField: ("name", SymbolKind.FIELD),
    syntax.Parameter: ("name", SymbolKind.PARAMETER),
    syntax.Variant: ("name", SymbolKind.VARIANT),
    syntax.Section: ("section", SymbolKind.SECTION),
    syntax.Field: ("name", SymbolKind.FIELD),
    syntax.BitField: ("name", SymbolKind.FIELD),
    syntax.Bitmap: ("name", SymbolKind.FIELD),
}


@dataclass(frozen=True, slots=True)
class Outlined:
    """A declaration: its name and its place, a few words about it, the last line of it, and what is in it."""

    name: str
    kind: SymbolKind
    detail: str
    span: TextRange
    last: int
    inner: "tuple[Outlined, ...]"


def outline(document: Document) -> tuple[Outlined, ...]:
    """The declarations of a file; of one that cannot be read, those before the problem."""
    kinds = {id(node): kind for kind, node in document.kinds}
    return () if document.begun is None else tuple(_declared(document.begun, kinds))


def _declared(node: YamlNode, kinds: dict[int, type]) -> Iterator[Outlined]:
    match node:
        case YamlList(items=items):
            for item in items:
                yield from _declared(item, kinds)
        case YamlMapping(entries=entries):
            key, kind = _NAMED.get(kinds.get(id(node), object), ("", SymbolKind.FIELD))
            name = entry(node, key)
            inner = (each for _, value in entries for each in _declared(value, kinds))
            if isinstance(name, YamlScalar) and name.text:
                about = entry(node, "type") or entry(node, "title") or entry(node, "value") or entry(node, "width")
                detail = about.text if isinstance(about, YamlScalar) else ""
                column = name.at.column - 1 + (name.at.verbatim or 0)
                span = TextRange(name.at.line - 1, column, column + len(name.text))
                yield Outlined(name.text, kind, detail, span, _last(node), tuple(inner))
            else:
                yield from inner


def _last(node: YamlNode) -> int:
    """The last line, from 0, on which something in a node begins."""
    match node:
        case YamlScalar(at=at):
            return at.line - 1
        case YamlList(at=at, items=items):
            return max([at.line - 1, *map(_last, items)])
        case YamlMapping(at=at, entries=entries):
            return max([at.line - 1, *(_last(value) for _, value in entries)])
