"""A list says once how long it is, and its items take bytes and end somewhere.

``repeat: rest`` goes to the end of the section, ``{count: …}`` gives the number of items, ``{until: …}`` is a condition
on an item, the last. ``size``, ``prefix`` and ``until`` beside it are those of one item. An item that takes the rest of
the section, or whose end is optional, leaves no second one.

Bad::

    - {name: names, type: text, size: rest, repeat: rest}

Good::

    - {name: names, type: text, prefix: u8, repeat: rest}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields, struct_of
from wireloom_generator.analysis.sequences import has_bytes, in_struct, is_optional, opened
from wireloom_generator.model import Resolved, constant, takes_rest
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax
from wireloom_generator.types import FlatBuffers


def check(spec: Resolved) -> Iterator[Problem]:
    """Lists without a length or with two, and items that cannot be listed."""
    for field in fields(spec):
        if isinstance(field, model.Field) and field.written.repeat is not None:
            yield from _length(spec, field, field.written.repeat)
            yield from _item(spec, field)


def _length(spec: Resolved, field: model.Field, repeat: syntax.Repeat | str) -> Iterator[Problem]:
    if isinstance(repeat, str):
        if repeat != "rest":
            hint = "write rest, {count: …} or {until: …}"
            yield Problem(field.where("repeat"), "repeat", f"unknown repeat {repeat!r}", hint)
        return
    if repeat.count is None and repeat.until is None:
        yield Problem(repeat.at, "repeat", "repeat needs count or until", "repeat: rest goes to the end of the section")
    elif repeat.count is not None and repeat.until is not None:
        yield Problem(
            repeat.where("until"), "repeat", "repeat has both count and until", "one of them says how long the list is"
        )
    if (constant(repeat.count or "") or 0) < 0:
        yield Problem(repeat.where("count"), "repeat", "a count cannot be negative")
    word = field.written.type
    if repeat.until is not None and word not in spec.structs:
        hint = "declare a type with one field, and ask for that"
        yield Problem(
            repeat.where("until"),
            "repeat",
            f"until asks for fields of an item, and {field.written.type} has none",
            hint,
        )


def _item(spec: Resolved, field: model.Field) -> Iterator[Problem]:
    if isinstance(field.type, FlatBuffers):
        what, hint = "flatbuffers cannot be repeated", "put them into a type, and repeat that"
        yield Problem(field.where("repeat"), "repeat", what, hint)
    if field.written.size == "rest":
        hint = "to bound the list, put it into a section with that size"
        yield Problem(field.where("size"), "repeat", "the first item would take all that is left", hint)
    elif constant(field.written.size or "") == 0:
        yield Problem(field.where("size"), "repeat", "items without bytes would repeat for ever")
    at, struct = field.where("type"), struct_of(spec, field)
    if struct is not None and not has_bytes(struct):
        yield Problem(at, "repeat", f"{field.type} takes no bytes, so it would repeat for ever")
    struct = opened(spec, field)
    if struct is None:
        return
    hint = "give each item a size or a prefix"
    if in_struct(spec, struct, takes_rest):
        yield Problem(at, "repeat", f"the first {field.type} would take all that is left", hint)
    elif in_struct(spec, struct, is_optional):
        yield Problem(at, "repeat", f"{field.type} ends with an optional field, so where an item ends is open", hint)
