"""What a key or a name at a cursor means, in Markdown."""

from collections.abc import Iterator
from pathlib import Path

from wireloom_generator import model
from wireloom_generator.emitters.docs.facts import Facts
from wireloom_generator.emitters.docs.layout import ITEM, Fork, Placed, Placing, Position, Tree
from wireloom_generator.emitters.docs.names import Meanings
from wireloom_generator.emitters.docs.records import Records
from wireloom_generator.language_server.key_docs import key_text
from wireloom_generator.language_server.navigation import name_at
from wireloom_generator.language_server.occurrences import Symbol, SymbolKind
from wireloom_generator.language_server.places import TextRange
from wireloom_generator.language_server.workspace import Checked, Workspace
from wireloom_generator.problems import Location, counted
from wireloom_generator.resolve import protocol_of


def hover(workspace: Workspace, path: Path, line: int, column: int) -> tuple[TextRange, str] | None:
    """The description of what is at a place, and its extent."""
    document = workspace.document(path)
    for kind, node in document.kinds:
        for key, _ in node.entries:
            span = TextRange(key.at.line - 1, key.at.column - 1, key.at.column - 1 + len(key.text))
            if span.has(line, column):
                try:
                    return span, key_text(kind, key.text)
                except KeyError:  # it is none of the language
                    return None
    found = name_at(workspace, path, line, column)
    if found is None:
        return None
    place, symbol = found
    texts = (_described(checked, symbol) for checked in workspace.of(path))
    return place.span, next(filter(None, texts), f"{symbol.kind} `{symbol.name}`")


def _described(checked: Checked, symbol: Symbol) -> str:
    """What a protocol says of a name; empty if it does not have it."""
    parts = checked.model
    match symbol.kind:
        case SymbolKind.FIELD:
            return _field(checked, symbol)
        case SymbolKind.TYPE | SymbolKind.ENUM | SymbolKind.TABLE:
            named = (each for part in parts.shared for each in part.named)
            return next((_declared(each) for each in named if _is_at(each.where("name"), symbol.at)), "")
        case SymbolKind.VALUE:
            values = (value for part in parts.shared for numbers in part.numbers for value in numbers.values)
            return next((_value(each) for each in values if _is_at(each.where("name"), symbol.at)), "")
        case SymbolKind.PARAMETER:
            given = parts.parameters.get(symbol.name)
            return "" if given is None else f"parameter `{given.name}`: {given.type}\n\n{given.doc.text}"
        case SymbolKind.MESSAGE | SymbolKind.VARIANT | SymbolKind.SECTION | SymbolKind.INPUT:
            return f"{symbol.kind} `{symbol.name}`"


def _declared(found: model.Enum | model.Flags | model.Struct | model.Table) -> str:
    """A type, an enum, flags or a table, with its values or columns."""
    head = f"`{found.name}`\n\n{found.doc.text}"
    if isinstance(found, model.Enum | model.Flags):
        rows = [f"- `{each.name}`" for each in found.values]
    elif isinstance(found, model.Struct):
        rows = [f"- `{each.name}`: {each.type}" for each in found.columns]
    else:
        rows = [f"- `{each.name}`: {each.type}" for each in found.fields]
    return "\n".join([head, "", *rows[:_MOST], *(["- …"] if rows[_MOST:] else [])])


_MOST = 20
"""The most values or columns that are listed."""


def _value(found: model.EnumValue | model.Flag) -> str:
    is_range = isinstance(found, model.EnumValue) and found.range
    number = f"{found.first} to {found.last}" if is_range and isinstance(found, model.EnumValue) else str(found.value)
    return f"`{found.name}` = {number}\n\n{found.doc.text}".rstrip()


def _field(checked: Checked, symbol: Symbol) -> str:
    """A field: its type, where it is in the record, and its columns."""
    nodes = [
        node
        for nodes in checked.model.layouts
        for node in model.walk(nodes)
        if isinstance(node, model.Named) and _is_at(node.where("name"), symbol.at)
    ]
    if not nodes:
        return ""
    node = nodes[0]
    said = f"`{node.name}`: {node.type.word}" + (f", {node.doc.unit}" if node.doc.unit else "")
    offsets = dict.fromkeys(_offsets(checked, node))
    rows = [f"- offset: {', '.join(offsets)}"] if offsets else []
    size = node.size if isinstance(node, model.Field) else None
    rows += [f"- size: {counted(size, 'byte')}"] if size is not None else []
    rows += [f"- bits: {node.width}"] if isinstance(node, model.BitField) else []
    rows += [f"- column `{each.name}`: {each.type}" for each in node.columns]
    return "\n".join([said, *(["", node.doc.text] if node.doc.text else []), "", *rows])


def _offsets(checked: Checked, node: model.Named) -> Iterator[str]:
    """Where a field is in the records of messages, or in its type, as the pages of the protocol say it."""
    if not checked.is_valid:
        return
    protocol = protocol_of(checked.model)
    for struct in protocol.structs:
        trees = Placing(checked.model.structs, Facts(), Facts()).place(struct.nodes, Position(ITEM))[0]
        yield from (f"{at.words} in `{struct.name}`" for at in _found(trees, node))
    records = Records(Meanings(protocol))
    if any(_is_same(each, node) for each in model.walk(protocol.record.nodes)):
        for shape in records.shapes()[:1]:
            yield from (at.words for part in records.parts(shape) for at in _found(part.trees, node))
        return
    for message in protocol.messages:
        if not any(node is each for nodes in message.layouts for each in model.walk(nodes)):
            continue
        for shape in records.shapes(message)[:1]:
            for variant in (None, *message.variants):
                for part in records.parts(shape, message, variant):
                    yield from (at.words for at in _found(part.trees, node))


def _found(trees: tuple[Tree, ...], node: model.Named) -> Iterator[Position]:
    for tree in trees:
        match tree:
            case Placed(node=placed, at=at, inner=inner):
                bits = placed.named if isinstance(placed, model.Bits) else ()
                if _is_same(placed, node) or any(_is_same(bit, node) for bit in bits):
                    yield at
                yield from _found(inner, node)
            case Fork(options=options):
                for option in options:
                    yield from _found(option.trees, node)


def _is_same(placed: object, node: model.Named) -> bool:
    return isinstance(placed, model.Named) and placed.name == node.name and placed.at == node.at


def _is_at(at: Location, declared: Location) -> bool:
    return Location(at.path, at.line, at.column + (at.verbatim or 0)) == declared
