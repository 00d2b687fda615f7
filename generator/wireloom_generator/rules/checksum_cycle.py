"""A checksum is not over its own bytes, and no two are over each other.

Writing a checksum changes the bytes it stands in. If it is over these too, it is wrong as soon as it is written, and
what is encoded cannot be decoded. Let the range end in front of it or begin behind it. A checksum that a document
computes with its own bytes as zero is a plain number here.

Bad::

    - {name: crc, type: u32, checksum: {algorithm: crc32, from: 0, to: size(record)}}

Good::

    - {name: crc, type: u32, checksum: {algorithm: crc32, from: offset(data), to: size(record)}}
    - {name: data, type: bytes, size: rest}
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

from wireloom_generator import model
from wireloom_generator.analysis import offsets
from wireloom_generator.analysis.offsets import Offsets, edge
from wireloom_generator.analysis.scopes import Scope, Visit, head, messages, structs
from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Unary,
    Value,
)
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem
from wireloom_generator.types import Integer

Bounds = tuple[float, float]
"""The lowest and highest value of an offset."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """A checksum field: the ranges that it surely covers, and its own bytes, or at least where these begin."""

    name: str
    at: Location
    covers: Sequence[Bounds]
    stands: Bounds | None
    least: float

    def is_over(self, other: "_Sum") -> bool:
        """Whether it certainly covers bytes of the other."""
        if other.stands is None:
            return any(start <= other.least and end == inf for start, end in self.covers)
        first, last = other.stands
        return any(start < last and first < end for start, end in self.covers)


def check(spec: Resolved) -> Iterator[Problem]:
    """Checksums that cover themselves, directly or through others."""
    found: dict[Location, Problem] = {}
    in_records = (_sums(spec, scope) for scope in (head(spec), *messages(spec)))
    for found_there in (*in_records, *map(_in_type, structs(spec))):
        sums = list(found_there)
        over = {one.name: [other.name for other in sums if one.is_over(other)] for one in sums}
        for one in sums:
            circle = _back_to(one.name, over)
            if circle is not None:
                through = f" through {', '.join(map(repr, circle[:-1]))}" if len(circle) > 1 else ""
                what = f"{one.name!r} is a checksum over its own bytes{through}"
                hint = f"leave them out, as in to: offset({one.name})"
                found.setdefault(one.at, Problem(one.at, "checksum-cycle", what, hint))
    yield from found.values()


def _sums(spec: Resolved, scope: Scope) -> Iterator[_Sum]:
    is_message = isinstance(scope.owner, model.Message)
    assert not isinstance(scope.owner, model.Struct)
    layout = offsets.of(spec, scope.owner)
    visits: tuple[Visit, ...] = (*scope.header, *scope.visits) if is_message else scope.visits
    for visit in visits:
        field = visit.item
        if isinstance(field, model.Field) and field.checksum is not None and not visit.in_variant:
            spans = [each for each in map(partial(_covered, layout), field.checksum.ranges) if each is not None]
            if spans:
                slot = layout.places.get(visit.sections[0]) if visit in scope.visits and is_message else None
                least = slot.bytes if slot is not None else 0
                yield _Sum(field.name, _told(field.checksum), spans, _place(field, layout), least)


def _in_type(scope: Scope) -> Iterator[_Sum]:
    """The checksums of a type, whose ranges begin and end at fields; places are counted in nodes."""
    for visit in scope.visits:
        field = visit.item
        if isinstance(field, model.Field) and field.checksum is not None:
            beside = [each for each in scope.visits if each.meets(visit)]
            covers: list[Bounds] = []
            for covered in field.checksum.ranges:
                start, end = _node(covered.start.tree, beside), _node(covered.end.tree, beside)
                covers += [(start, end)] if start is not None and end is not None else []
            if covers:
                yield _Sum(field.name, _told(field.checksum), covers, (visit.order, visit.order + 1), 0)


def _told(checksum: model.Checksum) -> Location:
    """Where a mistake in what it covers is told."""
    return checksum.ranges[0].start.at if checksum.alone else checksum.where("over")


def _node(bound: Expr | None, visits: Iterable[Visit]) -> int | None:
    """The number of the node that an end of a range stands in front of."""
    name, behind = edge(bound) or ("", False)  # another rule tells of other places
    if behind:
        return max((1 + each.order for each in visits if name in (each.name, *each.sections)), default=None)
    return max((each.order for each in visits if name and each.name == name), default=None)


def _covered(layout: Offsets, covered: model.ByteRange) -> Bounds | None:
    start, end = _bounds(covered.start.tree, layout), _bounds(covered.end.tree, layout)
    return (start[1], end[0]) if start is not None and end is not None and start[1] < end[0] else None


def _place(field: model.Field, layout: Offsets) -> Bounds | None:
    wire, known = field.type, layout.numbers.get(field.name)
    if known is None or known.node is not field or not isinstance(wire, Integer):
        return None
    return known.offset, known.offset + wire.bits // 8


def _bounds(tree: Expr | None, layout: Offsets) -> Bounds | None:
    match tree:
        case Value(int() as number):
            return number, number
        case Call(Function.SIZE, (Name("record"),)):
            return inf, inf
        case Call(Function.OFFSET, (Name(name=name),)):
            at = layout.places.get(name)
            return None if at is None or at.sizes else (at.bytes, at.bytes)
        case Binary("+" | "-" as sign, left, right):
            one, two = _bounds(left, layout), _bounds(right, layout)
            if one is None or two is None or inf in two:
                return None
            return (one[0] + two[0], one[1] + two[1]) if sign == "+" else (one[0] - two[1], one[1] - two[0])
        case Conditional(_, then, other):
            one, two = _bounds(then, layout), _bounds(other, layout)
            return None if one is None or two is None else (min(one[0], two[0]), max(one[1], two[1]))
        case Value() | Name() | Unary() | Binary() | Compare() | Among() | Logical() | Call() | None:
            return None


def _back_to(start: str, over: Mapping[str, list[str]]) -> list[str] | None:
    """The circle of checksums from ``start`` back to itself; None if there is none."""
    paths, seen = [[name] for name in over[start]], set[str]()
    while paths:
        path = paths.pop(0)
        if path[-1] == start:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            paths += [[*path, name] for name in over[path[-1]]]
    return None
