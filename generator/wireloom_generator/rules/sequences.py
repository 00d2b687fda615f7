"""Rules about the order of nodes: rests, optional fields, lists, padding, and fields at absolute offsets."""

from collections.abc import Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Scope, Visit, every, fields, nodes, struct_of
from wireloom_generator.analysis.sequences import (
    Bounded,
    Nodes,
    at_end,
    has_bytes,
    in_struct,
    is_elsewhere,
    is_optional,
    needs_bytes,
    opened,
    place,
    sequences,
)
from wireloom_generator.analysis.sites import sites
from wireloom_generator.expressions import Function
from wireloom_generator.model import Resolved, takes_rest
from wireloom_generator.problems import Violation, closest
from wireloom_generator.types import Deeper, FlatBuffers, Struct


def one_rest(spec: Resolved) -> Iterator[Violation]:
    """Reports nodes after one that leaves no bytes."""
    for listed in sequences(spec):
        yield from _after_rest(spec, listed)


def _after_rest(spec: Resolved, listed: Nodes) -> Iterator[Violation]:
    taker: model.Node | None = None
    always = False
    for node in listed:
        if taker is not None and _lacks(node, always=always):
            key, name = place(node)
            what = f"{place(taker)[1]} takes all bytes that are left, so there are none for {name}"
            yield Violation(node.where(key), what)
            return
        found = _taker(spec, node)
        if found is not None:
            taker, always = found, model.exhausting((node,), spec.structs) is not None


def _lacks(node: model.Node, *, always: bool) -> bool:
    """Whether it lacks bytes after a node that takes all that are left, ``always`` or sometimes."""
    taken = model.space((node,))
    return needs_bytes(node) and (taken.most != 0 if always else taken.least > 0)


def _taker(spec: Resolved, node: model.Node) -> model.Node | None:
    """The node, or a node in one of its alternatives, that takes all remaining bytes if it is present."""
    if isinstance(node, model.Choice | model.Ordered):
        found = (_taker(spec, inner) for inner in model.children(node))
        return next((taker for taker in found if taker is not None), None)
    return node if model.exhausts(node, spec.structs) else None


def optional_last(spec: Resolved) -> Iterator[Violation]:
    """Reports mandatory nodes after an optional one."""
    for listed in sequences(spec):
        yield from _after_optional(spec, listed)


def _after_optional(spec: Resolved, listed: Nodes) -> Iterator[Violation]:
    first: Bounded | None = None
    after: Nodes = ()
    for index, node in enumerate(listed):
        optional = isinstance(node, model.Field) and node.optional
        if first is not None and needs_bytes(node) and not optional:
            key, name = place(node)
            how = "is optional" if is_optional(first) else "ends with an optional field"
            what = f"{place(first)[1]} {how}, so {name} after it must also be optional"
            yield Violation(node.where(key), what, _optional_elsewhere(first, after))
            return
        if first is None:
            first, after = at_end(spec, node, is_optional), listed[index + 1 :]


def _optional_elsewhere(first: Bounded, after: Nodes) -> str:
    """How to correct an optional field and the nodes after it."""
    end = "put optional fields at the end of the section"
    size = model.space(after)
    if not is_optional(first) or size.least != size.most:
        return end
    return f"{end}, or replace 'optional: true' by 'when: left > {size.least}'"


_WRITING = ("derive", "checksum", "default", "reserved")


def elsewhere(spec: Resolved) -> Iterator[Violation]:
    """Reports keys that contradict ``at``, and neighbouring fields that would take the bytes of a field with ``at``."""
    for node in nodes(spec):
        if isinstance(node, model.Field):
            yield from _at(node)
            yield from _shared(node)
    for listed in sequences(spec):
        yield from _beside(spec, listed)
    yield from _derived_of_shared(spec)


def _at(field: model.Field) -> Iterator[Violation]:
    if field.place is not None and field.optional and not field.shared:
        hint = "use when: for a condition, or shared: true if its bytes belong to other fields"
        yield Violation(field.where("optional"), f"{field.name!r} has both at and optional", hint)
    elif field.optional and model.numbered(field, "at"):
        hint = "declare a type with a field at an offset that is optional, and repeat that"
        yield Violation(field.where("optional"), f"the items of {field.name!r} cannot be optional one by one", hint)
    if field.place is not None and (field.place.constant or 0) < 0:
        hint = "to count from the end of the record, write at: size(record) - 22"
        yield Violation(field.place.at, "the offset is negative", hint)


def _shared(field: model.Field) -> Iterator[Violation]:
    if field.shared and field.place is None:
        hint = "add at:, the offset of its bytes"
        yield Violation(field.where("shared"), f"{field.name!r} is shared and has no at", hint)
    for key in _WRITING:
        if field.shared and field.gives(key):
            what = f"{field.name!r} is shared and never written, so it cannot have {key}"
            yield Violation(field.where(key), what, "move it to the field that owns the bytes")


def _beside(spec: Resolved, listed: Nodes) -> Iterator[Violation]:
    """Reports nodes of a sequence that would take the bytes of a field with ``at``."""
    owners = [_owner(spec, node) for node in listed]
    owner = next((owner for owner in owners if owner is not None), None)
    if owner is None:
        return
    for node, own in zip(listed, owners, strict=True):
        taker = at_end(spec, node, takes_rest)
        if taker is not None:
            what = f"{place(taker)[1]} takes all bytes that are left, including those of {(own or owner).name!r}"
            in_list = own is not None and isinstance(node, model.Field) and node.repeat is not None
            hint = "give the list a count" if in_list else "give it a size, or a section of its own"
            yield Violation(node.where(place(node)[0]), what, hint)
        elif at_end(spec, node, is_optional) is not None:
            what = f"{place(node)[1]} is present if bytes are left, and those of {owner.name!r} always are"
            yield Violation(node.where("optional"), what, "use when: for a condition")


def _owner(spec: Resolved, node: model.Node) -> model.Field | None:
    """The field with bytes at an absolute offset in the section: itself, or one of its type."""
    if not isinstance(node, model.Field):
        return None
    if is_elsewhere(node):
        return None if node.shared else node
    struct = opened(spec, node)
    owners = (_owner(spec, inner) for inner in (struct.nodes if struct is not None else ()))
    return next((owner for owner in owners if owner is not None), None)


def _derived_of_shared(spec: Resolved) -> Iterator[Violation]:
    """Reports values that are derived from the place of a shared field."""
    for site in sites(spec):
        tree = site.tree
        if site.key not in ("derive", "default") or tree is None:
            continue
        for function, name in expressions.measured(tree):
            ways = (".".join(name.steps[: count + 1]) for count in range(len(name.steps)))
            seen = [one for way in (*ways, name.name) for one in site.regions.get(way, ())]
            shared = any(isinstance(one, Visit) and getattr(one.item, "shared", False) for one in seen)
            if shared and function in (Function.OFFSET, Function.SIZE):
                what = f"nothing can be derived from the place of {name.name!r}, whose bytes belong to other fields"
                yield Violation(site.where(name.column), what, "use the field that owns the bytes")


_OTHER_WORDS = {"eos": "write rest", "expr": "write {count: …}", "until": "write {until: …}"}
"""Other tools' words for the ends of lists."""

_AT_END = {"eof", "eos", "left == 0"}
"""Conditions that hold if no bytes are left."""


def repeat(spec: Resolved) -> Iterator[Violation]:
    """Reports lists without a length or with two, and items that cannot be repeated."""
    for field in fields(spec):
        if isinstance(field, model.Field) and field.repeat is not None:
            yield from _list_length(spec, field, field.repeat)
            yield from _items(spec, field)


def _list_length(spec: Resolved, field: model.Field, repeat: model.Repeat) -> Iterator[Violation]:
    at, count, until = field.where("repeat"), repeat.count, repeat.until
    if "repeat" in field.stray:
        word = field.stray["repeat"]
        is_count = not word.isidentifier() or any(each.name == word for each in fields(spec))
        hint = f"write {{count: {word}}}" if is_count else "write rest, {count: …} or {until: …}"
        yield Violation(at, f"unknown repeat {word!r}", _OTHER_WORDS.get(word, hint))
    elif count is None and until is None and not repeat.rest:
        yield Violation(at, "repeat needs count or until", "write repeat: rest for a list to the end of the section")
    elif count is not None and until is not None:
        yield Violation(until.at, "repeat has both count and until", "keep one of them")
    if count is not None and (count.constant or 0) < 0:
        yield Violation(count.at, "a count cannot be negative")
    if until is not None and not isinstance(field.type, Struct | Deeper):
        what = f"until needs items with fields, and {field.type.word} has none"
        is_end = until.raw in _AT_END
        hint = "write repeat: rest for a list to the end" if is_end else "declare a type with that field"
        yield Violation(until.at, what, hint)


def _items(spec: Resolved, field: model.Field) -> Iterator[Violation]:
    assert field.repeat is not None
    if isinstance(field.type, FlatBuffers):
        what, hint = "flatbuffers cannot be repeated", "declare a type with one such field, and repeat that"
        yield Violation(field.where("repeat"), what, hint)
    if isinstance(field.wire.extent, model.Rest) or model.leaves(field) is not None:
        hint = "if this is the size of the list, put the list into a section with that size"
        yield Violation(field.where("size"), "the first item would take all bytes that are left", hint)
    elif isinstance(field.wire.extent, model.Size) and field.wire.extent.fixed == 0 and not model.numbered(field):
        yield Violation(field.where("size"), "items without bytes would repeat for ever")
    at, struct = field.where("type"), struct_of(spec, field)
    if struct is not None and not has_bytes(struct) and not (model.numbered(field) and field.repeat.count):
        yield Violation(at, f"{field.type} takes no bytes, so it would repeat for ever")
    struct = opened(spec, field)
    if struct is None:
        return
    hint = "give each item a size or a prefix"
    if model.exhausting(struct.nodes, spec.structs) is not None or any(map(_leaves_some, struct.nodes)):
        yield Violation(at, f"the first {field.type} would take all bytes that are left", hint)
    elif in_struct(spec, struct, is_optional):
        yield Violation(at, f"{field.type} ends with an optional field, so the end of an item is not clear", hint)


def _leaves_some(node: model.Node) -> bool:
    """Whether it always takes all but a number of bytes, however many items there are."""
    return model.leaves(node) is not None and not (isinstance(node, model.Field) and node.when is not None)


def padding(spec: Resolved) -> Iterator[Violation]:
    """Reports padding without bytes, and alignment from an unknown section."""
    yield from dict.fromkeys(problem for scope in every(spec) for problem in _origins(scope))
    for node in nodes(spec):
        if not isinstance(node, model.Padding):
            continue
        count = node.fixed
        if node.gives("pad") and count is not None and count < 1:
            what, hint = f"pad: {count} adds nothing", "write the number of zero bytes, 1 or more"
            yield Violation(node.where("pad"), what, hint)
        elif node.gives("align") and node.align < 2:
            yield Violation(node.where("align"), f"align: {node.align} does nothing", "write 2 or more, as in align: 4")


def _origins(scope: Scope) -> Iterator[Violation]:
    for visit in scope.visits:
        item = visit.item
        if isinstance(item, model.Padding) and item.start is not None and item.start not in visit.sections:
            what = f"{item.start!r} is not a section around it"
            yield Violation(item.where("from"), what, closest(item.start, filter(None, visit.sections)))
