"""A field with ``at`` stands in one place, and leaves its section to what stands there.

``at`` is a byte of the record. Whether such a field is there does not depend on bytes that are left in its section, and
nothing beside it takes all that is left, since its bytes are among them.

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
from wireloom_generator.analysis.sequences import Nodes, at_end, is_elsewhere, is_optional, place, sequences
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
    owner = next((node for node in listed if isinstance(node, model.Field) and _owns(node)), None)
    if owner is None:
        return
    for node in listed:
        taker = at_end(spec, node, takes_rest)
        if taker is not None:
            what = f"{place(taker)[1]} takes all that is left, and so the bytes of {owner.name!r}"
            yield Problem(node.where(place(node)[0]), "elsewhere", what, "give it a size, or put both into sections")
        elif at_end(spec, node, is_optional) is not None:
            what = f"{place(node)[1]} is there if bytes are left, and those of {owner.name!r} always are"
            yield Problem(node.where("optional"), "elsewhere", what, "when: says under which condition it is there")


def _owns(field: model.Field) -> bool:
    return is_elsewhere(field) and not field.shared


def _derived(spec: Resolved) -> Iterator[Problem]:
    """Values that follow from where the bytes of others are shared."""
    for site in sites(spec):
        tree = site.tree
        if site.key not in ("derive", "default") or tree is None:
            continue
        for function, name in expressions.measured(tree):
            seen = site.regions.get(name.name, ())
            shared = any(isinstance(one, Visit) and getattr(one.item, "shared", False) for one in seen)
            if shared and function in (Function.OFFSET, Function.SIZE):
                what = f"nothing follows from where {name.name!r} stands, whose bytes belong to others"
                yield Problem(site.where(name.column), "elsewhere", what, "ask for the field whose bytes they are")
