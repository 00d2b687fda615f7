"""The contents of a byte diagram: a record's parts as boxes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.emitters.docs.byte_rows import Box, Break, Drawing, Drawn
from wireloom_generator.emitters.docs.layout import (
    ITEM,
    ByteCount,
    Fork,
    Option,
    Placed,
    Position,
    Single,
    Tree,
    bits_of,
)
from wireloom_generator.emitters.docs.markdown import plain
from wireloom_generator.emitters.docs.records import TRAILER, Area
from wireloom_generator.types import Struct


def drawn(parts: Sequence[Area], header: Sequence[Area] = ()) -> Drawing:
    """The diagram of parts; ``header`` are parts before them that are only counted."""
    pen = _Pen()
    items: list[Drawn] = []
    for part in parts:
        boxes = list(pen.boxes(part.trees, part.at))
        if boxes and isinstance(part.section, model.Slot) and (items or header):
            items.append(Break(f"{part.name}: {_bytes(part.extent)}", section=True))
        if boxes and part.name == TRAILER:
            items.append(Break("after the sections", section=True))
        items += boxes
        if part.terminator:
            size = len(part.terminator)
            items += [
                Break("terminator", section=True),
                Box(f"({part.terminator.hex()})", part.end.moved(-size), size),
            ]
    return Drawing(tuple(items), (_total([*header, *parts]), *pen.notes))


def sketched(trees: Iterable[Tree]) -> Drawing:
    """The diagram of a shared struct, or of other fields on their own."""
    pen = _Pen()
    items = tuple(pen.boxes(trees, Position(ITEM)))
    return Drawing(items, tuple(pen.notes))


def is_drawable(parts: Iterable[Area]) -> bool:
    return any(True for part in parts for _ in _Pen().boxes(part.trees, part.at))


class _Pen:
    """Turns trees into boxes; what does not fit in a box becomes a note."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def boxes(self, trees: Iterable[Tree], at: Position, prefix: str = "") -> Iterator[Drawn]:
        """The boxes of ``trees``. ``at`` is where their struct starts if their offsets count from it."""
        for tree in trees:
            if isinstance(tree, Fork):
                yield from self._fork(tree, at, prefix)
            else:
                yield from self._placed(tree, at, prefix)

    def _placed(self, tree: Placed, start: Position, prefix: str) -> Iterator[Drawn]:
        at = _from(start, tree.at)
        match tree.node:
            case model.Field() as field:
                yield from self._field(field, tree, at, prefix)
            case model.Bits(over=(_, _)):
                pass
            case model.Bits() as node:
                label = ", ".join(_names([tree], prefix))
                yield Box(label, at, tree.extent.size, bits=tuple(_bits(tree, prefix)), kind=node.wire.type.word)
            case model.Padding():
                if tree.extent.size != 0:
                    yield Box("(padding)", at, tree.extent.size, tree.extent.text)
            case model.Section(name=name):
                yield Break(f"{prefix}{name}: {_bytes(tree.extent)}", section=True)
                yield from self.boxes(tree.inner, start, prefix)
                yield Break(f"{prefix}{name} ends")
            case model.Slot(name=name):
                if tree.extent.size != 0:
                    yield Box(name, Position(name) if at.terms else at, tree.extent.size, _bytes(tree.extent))
            case model.Computed():
                pass
            case _:
                assert_never(tree.node)

    def _field(self, field: model.Field, tree: Placed, at: Position, prefix: str) -> Iterator[Drawn]:
        name = prefix + field.name
        fixed = isinstance(field.wire.type, Struct) and _all_fixed(tree.inner) and field.wire.extent is None
        if not fixed:
            yield Box(name, at, tree.extent.size, _size_in_words(field, tree), kind=_kind(field))
        elif field.repeat is None:
            yield from self.boxes(tree.inner, at, f"{name}.")
        else:
            yield from self.boxes(tree.inner, at, f"{name}[0].")
            yield Box(f"{name}[1] ...", at.moved(_span(tree.inner)), None, _more(field, tree), kind=_kind(field))

    def _fork(self, fork: Fork, start: Position, prefix: str) -> Iterator[Drawn]:
        first, *others = fork.options
        if fork.even:
            yield from self.boxes(first.trees, start, prefix)
            drawn = [", ".join(_names(option.trees, prefix)) for option in fork.options]
            self.notes += [
                _instead(drawn[0], other, prefix) for other, name in zip(others, drawn[1:], strict=True) if name
            ]
        elif not others:
            yield Break(plain(first.when))
            yield from self.boxes(first.trees, start, prefix)
            yield Break()
        else:
            names = [name for option in fork.options for name in _names(option.trees, prefix)]
            at = _from(start, _first(fork))
            if names:
                yield Box("one of", at, None, ", ".join(dict.fromkeys(names)))


def _bits(tree: Placed, prefix: str) -> Iterator[tuple[str, int]]:
    """Name and width of an integer's bit fields, from the most significant bit down."""
    assert isinstance(tree.node, model.Bits)
    found = list(_bit_fields(tree, prefix))
    yield from ((label, width) for _, label, width in sorted(found, reverse=tree.node.lsb))


def _bit_fields(tree: Placed, prefix: str) -> Iterator[tuple[int, str, int]]:
    """First bit, name and width of bit fields; those of which the record has one or the other are one."""
    assert isinstance(tree.node, model.Bits)
    yield from ((field.first, prefix + field.name, field.taken) for field in tree.node.fields)
    for inner in tree.inner:
        if isinstance(inner, Placed):
            yield from _bit_fields(inner, prefix)
        elif (place := bits_of(inner)) is not None:
            names = (", ".join(_names(option.trees, prefix)) for option in inner.options)
            yield place[0], " or ".join(names), place[1]


def _from(start: Position, at: Position) -> Position:
    """An offset inside a struct, counted from where the struct is."""
    if at.origin != ITEM or start.origin == ITEM:
        return at
    return Position(start.origin, start.fixed + at.fixed, (*start.terms, *at.terms))


def _first(fork: Fork) -> Position:
    for option in fork.options:
        for tree in option.trees:
            return _first(tree) if isinstance(tree, Fork) else tree.at
    return Position()


def _names(trees: Iterable[Tree], prefix: str) -> Iterator[str]:
    for tree in trees:
        if isinstance(tree, Fork):
            for option in tree.options:
                yield from _names(option.trees, prefix)
        elif isinstance(tree.node, model.Field | model.Section | model.Slot):
            yield prefix + tree.node.name
        elif isinstance(tree.node, model.Bits):
            yield from (prefix + field.name for field in tree.node.named)
            yield from _names(tree.inner, prefix)


def _instead(replaced: str, other: Option, prefix: str) -> str:
    placed = [tree for tree in other.trees if isinstance(tree, Placed)]
    shown = ", ".join(f"{prefix}{name} ({_range(tree)})" for tree in placed for name in _names([tree], ""))
    when = plain(other.when)
    return f"{when[0].upper()}{when[1:]}: {shown} instead of {replaced}"


def _range(tree: Placed) -> str:
    size = tree.extent.size
    if tree.at.terms or tree.at.origin or not size:
        return str(tree.at)
    return f"{tree.at.fixed}-{tree.at.fixed + size - 1}" if size > 1 else str(tree.at.fixed)


def _all_fixed(trees: Iterable[Tree]) -> bool:
    return all(isinstance(tree, Placed) and tree.extent.size is not None and not tree.at.terms for tree in trees)


def _span(trees: Sequence[Tree]) -> int | None:
    last = trees[-1] if trees else None
    return last.at.fixed + (last.extent.size or 0) if isinstance(last, Placed) else None


def _more(field: model.Field, tree: Placed) -> str:
    assert field.repeat is not None
    return f"and so on: {_span(tree.inner)} bytes each, {_repeated(field.repeat)}"


def _kind(field: model.Field) -> str:
    kind = field.wire.type.notation
    return f"list of {kind}" if field.repeat else kind


def _size_in_words(field: model.Field, tree: Placed) -> str:
    """The number of bytes of a box of variable size, in words."""
    found = field.wire.type
    if not isinstance(found, Struct) or field.repeat is None:
        return _bytes(tree.extent)
    return f"{found.name} after {found.name}, {_repeated(field.repeat)}"


def _repeated(repeat: model.Repeat) -> str:
    if repeat.count is not None:
        return f"{repeat.count.text} of them"
    return f"up to the first with {repeat.until.text}" if repeat.until is not None else "to the end"


def _bytes(extent: ByteCount) -> str:
    if extent.text == "rest":
        return "to the end"
    unit = "byte" if extent.text == "1" else "bytes"
    return f"{extent.text} {unit}" if extent.size is not None or extent.expression else extent.text


def _total(parts: Sequence[Area]) -> str:
    """``Total 69 bytes (24 byte header + 13 byte extras)``, or a sum if it varies."""
    end = parts[-1].end
    named = [part for part in parts if part.extent.size]
    shown = " + ".join(f"{part.extent.size} byte {part.name or 'header'}" for part in named)
    detail = f" ({shown})" if len(named) > 1 else ""
    optional = sum(_optional(part.trees) for part in parts)
    shorter = f", {end.moved(-optional)} without what is optional" if optional else ""
    more = ", and fields at other offsets" if any(_elsewhere(part.trees) for part in parts) else ""
    return f"Total {end} {'byte' if str(end) == '1' else 'bytes'}{detail}{shorter}{more}"


def _elsewhere(trees: Iterable[Tree]) -> bool:
    """Whether one of the fields has bytes of its own that are not in sequence."""
    return any(
        any(_elsewhere(option.trees) for option in tree.options)
        if isinstance(tree, Fork)
        else _is_elsewhere(tree.node) or _elsewhere(tree.inner)
        for tree in trees
    )


def _is_elsewhere(node: Single) -> bool:
    return isinstance(node, model.Field) and node.place is not None and not node.shared


def _optional(trees: Sequence[Tree]) -> int:
    """The size of optional fields, as far as it is fixed."""
    last = trees[-1] if trees else None
    if not isinstance(last, Fork) or not last.tail:
        return 0
    inner = last.options[0].trees
    return sum(tree.extent.size or 0 for tree in inner if isinstance(tree, Placed)) + _optional(inner)
