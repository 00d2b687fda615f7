"""Where the items of a record are, and how many bytes they have, as Enterprise COBOL lays them out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wireloom_generator.importers import SourceError
from wireloom_generator.importers.copybook.data_items import DataItem, Sign, Usage
from wireloom_generator.importers.copybook.pictures import Kind
from wireloom_generator.problems import Location

MOST_BYTES = 134_217_727
"""The largest item of Enterprise COBOL."""
_ALONE = {Usage.SINGLE: 4, Usage.DOUBLE: 8, Usage.INDEX: 4, Usage.POINTER: 4}
"""Usages without a picture, and their sizes."""
_BINARY = (Usage.BINARY, Usage.NATIVE, Usage.LITTLE)


class UnsayableError(Exception):
    """A record that no spec says, with the reason."""

    def __init__(self, at: Location, reason: str) -> None:
        super().__init__(reason)
        self.at = at


@dataclass(slots=True, eq=False)
class Node:
    """An item at its place. Usage and sign are its own or those of its groups."""

    item: DataItem
    usage: Usage
    sign: Sign | None
    size: int | None = None
    """Bytes of one occurrence; None if they vary."""
    boundary: int = 1
    """What its place is a multiple of, by SYNC."""
    slack: int = 0
    """Unused bytes before it."""
    slack_behind: int = 0
    """Unused bytes at the end of each occurrence."""
    nodes: "list[Node]" = field(default_factory=list)
    views: "list[Node]" = field(default_factory=list)
    """The items that redefine it."""

    @property
    def total(self) -> int | None:
        """Bytes of all occurrences."""
        occurs = self.item.occurs
        if self.size is None or (occurs and occurs.depending):
            return None
        return self.size * (occurs.most if occurs else 1)

    @property
    def area(self) -> int | None:
        """Bytes of all occurrences, or of the longest view."""
        return self.total if not self.views else max(node.total or 0 for node in (self, *self.views))

    def inside(self) -> "Iterator[Node]":
        """All items in it and in its views, in the order of the copybook."""
        for node in self.nodes:
            for each in (node, *node.views):
                yield each
                yield from each.inside()


def laid_out(record: DataItem) -> Node:
    """A record with all places. Raises ``SourceError`` and ``UnsayableError``."""
    if record.occurs:
        raise SourceError(record.at, f"{record.shown} has level 01 and OCCURS")
    return _node(record, 0, Usage.DISPLAY, None, is_synchronized=False)


def _node(item: DataItem, start: int | None, usage: Usage, sign: Sign | None, *, is_synchronized: bool) -> Node:
    node = Node(item, item.usage or usage, item.sign or sign)
    is_synchronized |= item.is_synchronized
    if item.items:
        _group(node, start, is_synchronized=is_synchronized)
    else:
        node.size = _size(item, node.usage, node.sign)
        node.boundary = _boundary(item, node.usage) if is_synchronized else 1
    if (node.total or 0) > MOST_BYTES:
        raise SourceError(item.at, f"{item.shown} has {node.total:,} bytes; COBOL has items of up to {MOST_BYTES:,}")
    return node


def _group(group: Node, start: int | None, *, is_synchronized: bool) -> None:
    """Place the items of a group."""
    at, before = start, start
    for item in group.item.items:
        if item.redefines:
            first = _redefined(item, group.nodes)
            view = _node(item, before, group.usage, group.sign, is_synchronized=is_synchronized)
            if first.total is None or view.total is None:
                raise UnsayableError(item.at, f"{item.shown} redefines {item.redefines}, and the size of one varies")
            first.views.append(view)
            at = None if before is None else before + (first.area or 0)
            continue
        slack = 0
        if (boundary := _first_boundary(item, group.usage, is_synchronized=is_synchronized)) > 1:
            if at is None:
                raise UnsayableError(item.at, f"{item.shown} has SYNC, and what is before it varies in size")
            slack = -at % boundary
        before = None if at is None else at + slack
        node = _node(item, before, group.usage, group.sign, is_synchronized=is_synchronized)
        node.slack = slack
        at = None if before is None or node.total is None else before + node.total
        group.nodes.append(node)
    group.boundary = max(each.boundary for node in group.nodes for each in (node, *node.views))
    areas = [node.area for node in group.nodes]
    if None not in areas:
        group.size = sum(node.slack + (node.area or 0) for node in group.nodes)
    if group.item.occurs and group.boundary > 1:
        if group.size is None:
            raise UnsayableError(group.item.at, f"{group.item.shown} has SYNC inside, and varies in size")
        group.slack_behind = -group.size % group.boundary
        group.size += group.slack_behind


def _redefined(item: DataItem, before: Sequence[Node]) -> Node:
    """The first item at the place of one that redefines it."""
    if before and item.redefines in [node.item.name for node in (before[-1], *before[-1].views)]:
        return before[-1]
    raise SourceError(item.at, f"{item.shown} redefines {item.redefines}, which is not the item before it")


def _size(item: DataItem, usage: Usage, sign: Sign | None) -> int:
    """Bytes of one occurrence of an elementary item."""
    if item.picture is None:
        if usage not in _ALONE:
            raise SourceError(item.at, f"{item.shown} has neither a picture nor items of its own")
        return _ALONE[usage]
    size, kind = item.picture.size, item.picture.kind
    match kind, usage:
        case Kind.NUMBER, Usage.DISPLAY:
            return size + bool(item.picture.is_signed and sign and sign.is_separate)
        case Kind.NUMBER, Usage.BINARY | Usage.NATIVE | Usage.LITTLE:
            return _binary(item, size, usage)
        case Kind.NUMBER, Usage.PACKED:
            return size // 2 + 1
        case Kind.NUMBER, Usage.UNSIGNED:
            return (size + 1) // 2
        case (Kind.NATIONAL | Kind.DOUBLE_BYTES, _) | (_, Usage.NATIONAL):
            return 2 * size
        case (Kind.TEXT, Usage.BINARY) | (_, Usage.DISPLAY):
            return size
        case _:
            raise SourceError(item.at, f"{item.shown} has the usage {usage}, which does not go with its picture")


def _binary(item: DataItem, digits: int, usage: Usage) -> int:
    if digits > 18:
        raise SourceError(item.at, f"{item.shown} has {digits} digits; {usage} has up to 18")
    if usage is Usage.LITTLE and digits <= 2:
        return 1
    return 2 if digits <= 4 else 4 if digits <= 9 else 8


def _boundary(item: DataItem, usage: Usage) -> int:
    if usage in _BINARY and item.picture is not None and item.picture.kind is Kind.NUMBER:
        return 2 if item.picture.size <= 4 else 4
    return _ALONE.get(usage, 1)


def _first_boundary(item: DataItem, usage: Usage, *, is_synchronized: bool) -> int:
    """The boundary of the first elementary item: unused bytes are before the groups that begin with it."""
    while True:
        is_synchronized |= item.is_synchronized
        usage = item.usage or usage
        if not item.items:
            return _boundary(item, usage) if is_synchronized else 1
        item = item.items[0]
