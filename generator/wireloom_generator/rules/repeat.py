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

from wireloom_generator.analysis.scopes import fields
from wireloom_generator.analysis.sequences import has_bytes, in_type, is_open, is_optional, takes_rest
from wireloom_generator.analysis.sites import constant
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import FlatBuffers, parse


def check(spec: Spec) -> Iterator[Problem]:
    """Lists without a length or with two, and items that cannot be listed."""
    for field in fields(spec):
        if isinstance(field, syntax.Field) and field.repeat is not None and field.compute is None:
            yield from _length(spec, field, field.repeat)
            yield from _item(spec, field)


def _length(spec: Spec, field: syntax.Field, repeat: syntax.Repeat | str) -> Iterator[Problem]:
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
    if repeat.until is not None and field.type not in spec.types:
        hint = "declare a type with one field, and ask for that"
        yield Problem(
            repeat.where("until"), "repeat", f"until asks for fields of an item, and {field.type} has none", hint
        )


def _item(spec: Spec, field: syntax.Field) -> Iterator[Problem]:
    if isinstance(parse(field.type), FlatBuffers):
        what, hint = "flatbuffers cannot be repeated", "put them into a type, and repeat that"
        yield Problem(field.where("repeat"), "repeat", what, hint)
    if field.size == "rest":
        hint = "to bound the list, put it into a section with that size"
        yield Problem(field.where("size"), "repeat", "the first item would take all that is left", hint)
    elif constant(field.size or "") == 0:
        yield Problem(field.where("size"), "repeat", "items without bytes would repeat for ever")
    at = field.where("type")
    if not has_bytes(spec, field.type):
        yield Problem(at, "repeat", f"{field.type} takes no bytes, so it would repeat for ever")
    if not is_open(spec, field):
        return
    hint = "give each item a size or a prefix"
    if in_type(spec, field.type, takes_rest):
        yield Problem(at, "repeat", f"the first {field.type} would take all that is left", hint)
    elif in_type(spec, field.type, is_optional):
        yield Problem(at, "repeat", f"{field.type} ends with an optional field, so where an item ends is open", hint)
