"""Rules about sections: their content, their sizes, and the bytes left over in them."""

from collections.abc import Iterator, Mapping, Sequence

from wireloom_generator import model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.rivals import tried
from wireloom_generator.analysis.scopes import Scope, every, nodes
from wireloom_generator.analysis.sequences import place
from wireloom_generator.expressions import Compare, Expr, Value, conditions, terms
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Violation, counted, seen_from
from wireloom_generator.types import Struct
from wireloom_generator.types.sizes import ANY, NOTHING, SizeRange


def section_nesting(spec: Resolved) -> Iterator[Violation]:
    """Reports empty sections that messages cannot fill."""
    for scope in every(spec):
        for visit in scope.visits:
            section = visit.item
            if not isinstance(section, model.Section) or not section.bare:
                continue
            if isinstance(scope.owner, model.Record):
                what = f"messages cannot fill section {section.name!r} here"
                hint = "move it to the top level of the record; to keep bytes, use a field of type bytes"
                yield Violation(visit.at, what, hint)
            elif section.trailing is None:
                what, hint = f"section {section.name!r} has no fields", "to keep bytes, use a field of type bytes"
                yield Violation(visit.at, what, hint)


def section_size(spec: Resolved) -> Iterator[Violation]:
    """Reports sections and records whose fields never add up to their size."""
    for scope in every(spec):
        known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
        for visit in scope.visits:
            section = visit.item
            if isinstance(section, model.Section) and not section.bare:
                holds = conditions.both(assumed, domains.taken(visit.branch))
                yield from _fits(section, section.where("size"), model.space_inside(section), holds, known)
            elif isinstance(section, model.Field) and (struct := _sized_struct(spec, section)) is not None:
                holds = conditions.both(assumed, domains.taken(visit.branch))
                yield from _fits(section, section.where("size"), model.space(struct.nodes), holds, known)
        if isinstance(scope.owner, model.Message):
            yield from _slots(spec, scope, scope.owner, known)
            yield from _shortest(spec, scope.owner, known)
        if not isinstance(scope.owner, model.Struct) and scope.owner.length is not None:
            yield from _record_length(spec, scope.owner, scope.owner.length, known)
    yield from dict.fromkeys(_wrong_rests(spec))


def _sized_struct(spec: Resolved, field: model.Field) -> model.Struct | None:
    """The struct of a field that is always present and has a size; the size is then that of the struct's fields."""
    is_plain = field.when is None and not field.optional and field.repeat is None and field.through is None
    extent = field.wire.extent
    is_sized = isinstance(field.type, Struct) and isinstance(extent, model.Size) and extent.pad is None
    return spec.structs.get(field.type.name) if is_plain and is_sized and isinstance(field.type, Struct) else None


def _wrong_rests(spec: Resolved) -> Iterator[Violation]:
    """Reports nodes that leave more or fewer bytes than the nodes after them take."""
    yield from _rests(spec.record.nodes, NOTHING)
    for struct in spec.structs.values():
        yield from _rests(struct.nodes, ANY)
    for message in spec.messages:
        for slot in spec.record.slots:
            behind = NOTHING if slot.trailing is None else ANY
            shared = message.sections.get(slot.name, ())
            for variant in message.variants:
                yield from _rests((*shared, *variant.sections.get(slot.name, ())), behind)
            if not message.variants or message.variants[-1].when is not None:
                yield from _rests(shared, behind)


def _rests(nodes: Sequence[model.Node], behind: SizeRange) -> Iterator[Violation]:
    """The same for some nodes with ``behind`` bytes after them."""
    for node in reversed(nodes):
        left = model.leaves(node)
        if left is not None and not (isinstance(node, model.Field) and node.repeat is not None):
            yield from _rest(node, left, behind)
        match node:
            case model.Section(nodes=inner, trailing=trailing, through=through):
                yield from _rests(inner, NOTHING if trailing is None and through is None else ANY)
            case model.Ordered(nodes=inner):
                yield from _rests(inner, behind)
            case model.Choice(alternatives=alternatives):
                for alternative in alternatives:
                    yield from _rests(alternative.nodes, behind)
        behind += model.space((node,))


def _rest(node: model.Node, left: int, behind: SizeRange) -> Iterator[Violation]:
    if left < 0:
        what, hint = f"{place(node)[1]} takes more bytes than are left", "rest - 4, for instance, leaves four bytes"
    elif left < behind.least:
        what = f"{place(node)[1]} leaves {counted(left, 'byte')}, but the fields after it need {behind.least}"
        hint = f"write rest - {behind.least}"
    elif behind.most is not None and left > behind.most:
        what = f"{place(node)[1]} leaves {counted(left, 'byte')}, but the fields after it take {behind.most}"
        rest = f"rest - {behind.most}" if behind.most else "rest"
        hint = f"write {rest}, or add trailing to the section"
    else:
        return
    yield Violation(node.where("size"), what, hint)


def _fits(
    section: model.Region | model.Field, at: Location, content: SizeRange, holds: Expr, known: conditions.Domains
) -> Iterator[Violation]:
    """Whether a record that satisfies ``holds`` can have the bytes of ``content`` in the section or struct."""
    if isinstance(section, model.Field):
        extent, trailing, word = section.wire.extent, None, ""
    else:
        extent, trailing, word = section.extent, section.trailing, "section "
    if not isinstance(extent, model.Size):
        return
    given = extent.condition
    size = given.tree
    if size is None or not domains.known(conditions.both(holds, size), known) or (given.constant or 0) < 0:
        return
    name = f"{word}{section.name!r}" + ("" if at.path == section.at.path else f" (size: {given.raw})")
    if conditions.excludes(holds, Compare(">=", size, Value(content.least)), known):
        what = f"{name} has fewer bytes than its fields need, {content.least}"
        yield Violation(at, what, "make it larger, or make a field optional")
        return
    left_over = content.most is not None and trailing is None
    if left_over and conditions.excludes(holds, Compare("<=", size, Value(content.most)), known):
        what = f"{name} has more bytes than its fields take, {content.most}"
        hint = "add trailing: to keep the rest" if word else "use a section with trailing to keep the rest"
        yield Violation(at, what, hint)


def _slots(spec: Resolved, scope: Scope, message: model.Message, known: conditions.Domains) -> Iterator[Violation]:
    """The sections that the message fills, for each of its variants; other sections must be empty."""
    filled = {*message.filled, *(name for variant in message.variants for name in variant.filled)}
    if not filled <= {slot.name for slot in spec.record.slots}:
        return  # known-section reports the misnamed one
    assumed = domains.assumed(spec, scope)
    for slot in spec.record.slots:
        shared = model.space(message.sections.get(slot.name, ()))
        at = message.where(f"sections.{slot.name}" if slot.name in message.filled else "message")
        if not message.variants:
            yield from _fits(slot, at, shared, assumed, known)
        for variant, cases in zip(message.variants, tried(message.variants), strict=True):
            if slot.name in variant.filled:
                at = variant.where(f"sections.{slot.name}")
            elif slot.name not in message.filled:
                at = variant.where("name")
            content = shared + model.space(variant.sections.get(slot.name, ()))
            holds = conditions.both(assumed, domains.first(cases))
            yield from _fits(slot, at, content, holds, known)


def _shortest(spec: Resolved, message: model.Message, known: conditions.Domains) -> Iterator[Violation]:
    """Whether the length can be that of the message's shortest variant."""
    given = message.length or spec.record.length
    length = given.tree if given is not None else None
    if length is None or not domains.known(length, known):
        return
    cases: list[Mapping[str, tuple[model.Node, ...]]] = [variant.sections for variant in message.variants]
    if not message.variants or message.variants[-1].when is not None:
        cases.append({})
    own = min(sum(_least(spec, slot, message, case) for slot in spec.record.slots) for case in cases)
    header = model.space(spec.record.nodes).least
    if conditions.excludes(TRUE, Compare(">=", length, Value(header + own)), known):
        at = message.where("length" if message.length is not None else "message")
        if message.length is None and own == 0:
            return  # reported for the record
        what = f"a record is shorter than its fields and sections, which have at least {counted(header + own, 'byte')}"
        yield Violation(at, what, "add all of them up")


def _least(spec: Resolved, slot: model.Slot, message: model.Message, case: Mapping[str, tuple[model.Node, ...]]) -> int:
    """How many bytes a slot needs beyond its size in the record."""
    if isinstance(slot.extent, model.Size) and slot.extent.fixed is not None:
        return 0
    return model.space((*message.sections.get(slot.name, ()), *case.get(slot.name, ()))).least


def _record_length(
    spec: Resolved, owner: model.Record | model.Message, given: model.Condition, known: conditions.Domains
) -> Iterator[Violation]:
    """Whether the length can be that of the record's fields and sections together."""
    length, at = given.tree, given.at
    if length is None or not domains.known(length, known):
        return
    least = model.space(spec.record.nodes).least
    if isinstance(owner, model.Record) and conditions.excludes(TRUE, Compare(">=", length, Value(least)), known):
        what = f"a record is shorter than its fields and sections, which have at least {counted(least, 'byte')}"
        yield Violation(at, what, "add all of them up")
        return
    total, difference = _record_size(spec), terms(length)
    if total is None or difference is None:
        return
    parts, is_open = total
    for name, factor in parts.items():
        difference[name] = difference.get(name, 0) - factor
    rest = difference.pop("", 0)
    if not any(difference.values()) and (rest < 0 or (rest > 0 and not is_open)):
        amount = f"{abs(rest)} byte{'s' if abs(rest) > 1 else ''} {'less' if rest < 0 else 'more'}"
        what = f"the length is {amount} than that of the fields and sections"
        first = spec.record.where("fields")
        yield Violation(at, f"{what}, which begin {seen_from(at, first)}", "add each of them once")


def _record_size(spec: Resolved) -> tuple[dict[str, int], bool] | None:
    """The size of the record as a sum over names, and whether there may be more; None if it is not such a sum."""
    total: dict[str, int] = {}
    is_open = False
    for node in spec.record.nodes:
        extent = node.extent if isinstance(node, model.Region) else None
        if isinstance(extent, model.Size) and not extent.condition.asks_left:
            tree = extent.condition.tree
            size = terms(tree) if tree is not None else None
        else:
            taken = model.space_inside(node) if isinstance(node, model.Region) else model.space((node,))
            is_open |= extent is not None
            size = {"": taken.least} if extent is not None or taken.least == taken.most else None
        if size is None:
            return None
        for name, factor in size.items():
            total[name] = total.get(name, 0) + factor
    return total, is_open


def trailing(spec: Resolved) -> Iterator[Violation]:
    """Reports ``trailing`` columns that never receive a byte."""
    for node in nodes(spec):
        if isinstance(node, model.Region) and node.trailing is not None:
            taker = model.exhausting(model.children(node), spec.structs)
            if taker is not None:
                takes = "takes" if model.leaves(taker) is None else "and the fields after it take"
                what = f"{node.trailing!r} is always null, because {place(taker)[1]} {takes} all bytes that are left"
                yield Violation(node.where("trailing"), what, "delete it, or give that field a size")
