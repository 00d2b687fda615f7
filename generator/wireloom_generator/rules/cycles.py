"""Rules about cycles of values and types."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import inf
from typing import TypeVar

from wireloom_generator import model
from wireloom_generator.analysis import offsets
from wireloom_generator.analysis.offsets import Offsets, edge
from wireloom_generator.analysis.scopes import Input, Scope, Visit, head, messages, structs
from wireloom_generator.analysis.sites import Site, sites
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
from wireloom_generator.model import Named, Resolved
from wireloom_generator.model.resolved import Loop
from wireloom_generator.problems import Location, Violation
from wireloom_generator.reading.unrolling import DEEPEST, LIMIT
from wireloom_generator.types import Integer

K = TypeVar("K", bound=Hashable)

Bounds = tuple[float, float]
"""The lowest and highest value of an offset."""


def derive_cycle(spec: Resolved) -> Iterator[Violation]:
    """Reports derived fields that depend on themselves."""
    derived = [site for site in sites(spec) if site.key == "derive"]
    passed = [(site.input, site) for site in sites(spec) if site.input is not None]
    given: dict[Input, list[Site]] = {told: [site for other, site in passed if other == told] for told, _ in passed}
    uses = {
        number: [other for other, used in enumerate(derived) if _uses_value_of(site, used, given)]
        for number, site in enumerate(derived)
    }
    for number, site in enumerate(derived):
        circle = _back_to(number, uses)
        if circle is not None:
            through = _through([_name(derived[other]) for other in circle])
            yield Violation(site.at, f"{_name(site)!r} is derived from itself{through}")


def _name(site: Site) -> str:
    item = site.visit.item if site.visit else None
    assert isinstance(item, Named)
    return item.name


def _uses_value_of(site: Site, other: Site, given: Mapping[Input, Sequence[Site]]) -> bool:
    """Whether a derived field follows from the value of another, be it through the inputs of types."""
    pending, seen_inputs = [site], set[Input]()
    while pending:
        for seen in pending.pop().used:
            if isinstance(seen, Visit) and other.visit is not None and seen.item is other.visit.item:
                return True
            if isinstance(seen, Input) and seen not in seen_inputs:
                seen_inputs.add(seen)
                pending += given.get(seen, ())
    return False


def _back_to(start: K, edges: Mapping[K, Sequence[K]]) -> list[K] | None:
    """The shortest way from ``start`` back to itself; None if there is none."""
    paths: list[list[K]] = [[other] for other in edges[start]]
    seen: set[K] = set()
    while paths:
        path = paths.pop(0)
        if path[-1] == start:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            paths += [[*path, other] for other in edges[path[-1]]]
    return None


def _through(circle: Sequence[str]) -> str:
    """The names on the way back, except the last, which is the starting point."""
    return f" through {', '.join(map(repr, circle[:-1]))}" if len(circle) > 1 else ""


@dataclass(frozen=True, slots=True)
class _Coverage:
    """A checksum field: the ranges that it always covers, and its own bytes, or at least their start."""

    name: str
    at: Location
    covers: Sequence[Bounds]
    stands: Bounds | None
    least: float

    def is_over(self, other: "_Coverage") -> bool:
        """Whether it certainly covers bytes of the other."""
        if other.stands is None:
            return any(start <= other.least and end == inf for start, end in self.covers)
        first, last = other.stands
        return any(start < last and first < end for start, end in self.covers)


def checksum_cycle(spec: Resolved) -> Iterator[Violation]:
    """Reports checksums that cover themselves, directly or through others."""
    found: dict[Location, Violation] = {}
    in_records = (_in_record(spec, scope) for scope in (head(spec), *messages(spec)))
    for found_there in (*in_records, *map(_in_type, structs(spec))):
        sums = list(found_there)
        over = {one.name: [other.name for other in sums if one.is_over(other)] for one in sums}
        for one in sums:
            circle = _back_to(one.name, over)
            if circle is not None:
                what = f"{one.name!r} covers its own bytes{_through(circle)}"
                hint = f"exclude them, as in to: offset({one.name})"
                found.setdefault(one.at, Violation(one.at, what, hint))
    yield from found.values()


def _in_record(spec: Resolved, scope: Scope) -> Iterator[_Coverage]:
    is_message = isinstance(scope.owner, model.Message)
    assert not isinstance(scope.owner, model.Struct)
    layout = offsets.of(spec, scope.owner)
    visits: tuple[Visit, ...] = (*scope.header, *scope.visits) if is_message else scope.visits
    for visit in visits:
        field = visit.item
        if isinstance(field, model.Field) and field.checksum is not None and not visit.in_variant:
            spans = [each for each in map(partial(_span, layout), field.checksum.ranges) if each is not None]
            if spans:
                slot = layout.places.get(visit.sections[0]) if visit in scope.visits and is_message else None
                least = slot.bytes if slot is not None else 0
                yield _Coverage(field.name, _reported_at(field.checksum), spans, _place(field, layout), least)


def _in_type(scope: Scope) -> Iterator[_Coverage]:
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
                yield _Coverage(field.name, _reported_at(field.checksum), covers, (visit.order, visit.order + 1), 0)


def _reported_at(checksum: model.Checksum) -> Location:
    """The place for problems with the bytes that it covers."""
    return checksum.ranges[0].start.at if checksum.alone else checksum.where("over")


def _node(bound: Expr | None, visits: Iterable[Visit]) -> int | None:
    """The number of the node at which a range starts or ends."""
    name, behind = edge(bound) or ("", False)  # checksum-algorithm reports other places
    if behind:
        return max((1 + each.order for each in visits if name in (each.name, *each.sections)), default=None)
    return max((each.order for each in visits if name and each.name == name), default=None)


def _span(layout: Offsets, covered: model.ByteRange) -> Bounds | None:
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


def recursive_type(spec: Resolved) -> Iterator[Violation]:
    """Reports types that contain themselves without a depth, and depths and limits that have no effect."""
    yield from _limits(spec)
    deep = {name: struct.depth for name, struct in spec.structs.items() if struct.depth is not None}
    for name, depth in deep.items():
        at = spec.structs[name].where("depth")
        if not 1 <= depth <= DEEPEST:
            yield Violation(at, f"a depth is from 1 to {DEEPEST}, not {depth}")
        elif name not in spec.recursive:
            yield Violation(at, f"type {name!r} does not contain itself, so it has no depth")
    for circle in _circles(spec.loops):
        yield from _endless(circle, {loop.name: deep[loop.name] for loop in circle if loop.name in deep})


def _limits(spec: Resolved) -> Iterator[Violation]:
    """What is wrong with the limits of types."""
    for name, struct in spec.structs.items():
        if struct.limit is None:
            continue
        at = struct.where("limit")
        if struct.depth is None:
            yield Violation(at, f"type {name!r} has no depth, so it has no limit")
        elif not struct.depth <= struct.limit <= LIMIT:
            yield Violation(at, f"a limit is from the depth, here {struct.depth}, to {LIMIT}, not {struct.limit}")


def _circles(loops: Iterable[Loop]) -> list[list[Loop]]:
    """The loops of types that contain each other, together."""
    found: list[list[Loop]] = []
    for loop in loops:
        met = [circle for circle in found if any({loop.name, loop.used} & {other.name, other.used} for other in circle)]
        found = [circle for circle in found if circle not in met] + [[*chain(*met), loop]]
    return found


def _endless(loops: Sequence[Loop], deep: Mapping[str, int]) -> Iterator[Violation]:
    """Why types that contain each other, of which some are ``deep``, could not be unrolled."""
    if not deep:
        hint = "give it a depth, as in depth: 4, for how many are nested"
        yield from (_contains_itself(loop, hint) for loop in loops)
        return
    if not all(1 <= depth <= DEEPEST for depth in deep.values()):
        return  # the depth itself is reported
    first, depth = next(iter(deep.items()))
    past = [loop for loop in loops if not {loop.name, loop.used} & deep.keys()]
    for loop in loops:
        if deep.get(loop.name, depth) != depth:
            hint = f"{first} is in the same cycle and has depth: {depth}; write the same depth here"
        elif loop in past and loop.name in _reached(past, loop.used):
            hint = f"this cycle does not pass through {first}; give {loop.name} the same depth: {depth}"
        elif loop.included and loop.used in deep:
            hint = "included fields cannot be missing below the depth; make it a field of that type"
        else:
            continue
        yield _contains_itself(loop, hint)


def _contains_itself(loop: Loop, hint: str) -> Violation:
    through = "" if loop.used == loop.name else f" through {loop.used}"
    return Violation(loop.at, f"type {loop.name!r} contains itself{through}", hint)


def _reached(loops: Iterable[Loop], name: str) -> set[str]:
    """The types that can be reached from a type, including itself."""
    found, pending = set(), {name}
    while pending:
        found |= pending
        pending = {loop.used for loop in loops if loop.name in pending} - found
    return found
