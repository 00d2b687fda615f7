"""A field with ``at`` stands in one place, and leaves its section to what stands there.

``at`` is a byte of the record. Whether such a field is there does not depend on bytes that are left in its section, and
nothing beside it takes all that is left, since its bytes are among them. The same holds of a field whose type has such
fields: a list of them has a count.

The bytes of a field with ``shared: true`` belong to others. It is read and never written, so nothing follows from where
it stands, and it follows from nothing.

Bad::

    - {name: total_offset, type: u16, derive: offset(total)}
    - {name: data, type: bytes, size: rest}
    - {name: total, type: u32, at: total_offset}

Good::

    - {name: total_offset, type: u16, derive: offset(total)}
    - {name: data_length, type: u16, derive: size(data)}
    - {name: data, type: bytes, size: data_length}
    - {name: total, type: u32, at: total_offset}
"""

from collections.abc import Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Visit, nodes
from wireloom_generator.analysis.sequences import Nodes, at_end, is_elsewhere, is_optional, opened, place, sequences
from wireloom_generator.analysis.sites import sites
from wireloom_generator.expressions import Function
from wireloom_generator.model import Resolved, takes_rest
from wireloom_generator.problems import Problem

_SOURCES = ("derive", "checksum", "default", "reserved")


def check(spec: Resolved) -> Iterator[Problem]:
    """Fields with ``at`` that cannot stand there, and what beside them would take their bytes."""
    for node in nodes(spec):
        if isinstance(node, model.Field):
            yield from _place(node)
            yield from _shared(node)
    for listed in sequences(spec):
        yield from _beside(spec, listed)
    yield from _derived(spec)


def _place(field: model.Field) -> Iterator[Problem]:
    if field.place is not None and field.optional:
        hint = "when: says under which condition it is there"
        yield Problem(field.where("optional"), "elsewhere", f"{field.name!r} has both at and optional", hint)
    if field.place is not None and (field.place.constant or 0) < 0:
        hint = "from the record's end, it is as in at: size(record) - 22"
        yield Problem(field.place.at, "elsewhere", "no byte of a record is in front of the first", hint)


def _shared(field: model.Field) -> Iterator[Problem]:
    if field.shared and field.place is None:
        hint = "at: says where its bytes are"
        yield Problem(field.where("shared"), "elsewhere", f"{field.name!r} is shared and has no at", hint)
    for key in _SOURCES:
        if field.shared and field.gives(key):
            what = f"{field.name!r} is shared and never written, so it has no {key}"
            yield Problem(field.where(key), "elsewhere", what, "say it of the field whose bytes they are")


def _beside(spec: Resolved, listed: Nodes) -> Iterator[Problem]:
    """What of a list would take the bytes of a field that stands elsewhere."""
    owners = [_owner(spec, node) for node in listed]
    owner = next((owner for owner in owners if owner is not None), None)
    if owner is None:
        return
    for node, own in zip(listed, owners, strict=True):
        taker = at_end(spec, node, takes_rest)
        if taker is not None:
            what = f"{place(taker)[1]} takes all that is left, and so the bytes of {(own or owner).name!r}"
            in_list = own is not None and isinstance(node, model.Field) and node.repeat is not None
            hint = "count: says how many items it has" if in_list else "give it a size, or put both into sections"
            yield Problem(node.where(place(node)[0]), "elsewhere", what, hint)
        elif at_end(spec, node, is_optional) is not None:
            what = f"{place(node)[1]} is there if bytes are left, and those of {owner.name!r} always are"
            yield Problem(node.where("optional"), "elsewhere", what, "when: says under which condition it is there")


def _owner(spec: Resolved, node: model.Node) -> model.Field | None:
    """The field that has bytes of the section elsewhere: itself, or one of its type."""
    if not isinstance(node, model.Field):
        return None
    if is_elsewhere(node):
        return None if node.shared else node
    struct = opened(spec, node)
    owners = (_owner(spec, inner) for inner in (struct.nodes if struct is not None else ()))
    return next((owner for owner in owners if owner is not None), None)


def _derived(spec: Resolved) -> Iterator[Problem]:
    """Values that follow from where the bytes of others are shared."""
    for site in sites(spec):
        tree = site.tree
        if site.key not in ("derive", "default") or tree is None:
            continue
        for function, name in expressions.measured(tree):
            ways = (".".join(name.steps[: count + 1]) for count in range(len(name.steps)))
            seen = [one for way in (*ways, name.name) for one in site.regions.get(way, ())]
            shared = any(isinstance(one, Visit) and getattr(one.item, "shared", False) for one in seen)
            if shared and function in (Function.OFFSET, Function.SIZE):
                what = f"nothing follows from where {name.name!r} stands, whose bytes belong to others"
                yield Problem(site.where(name.column), "elsewhere", what, "ask for the field whose bytes they are")
