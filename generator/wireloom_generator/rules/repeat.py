"""A list says once how long it is, and its items take bytes and end somewhere.

``repeat: rest`` goes to the end of the section, ``{count: …}`` gives the number of items, ``{until: …}`` is a condition
on an item, the last. ``size``, ``prefix`` and ``until`` beside it are those of one item. An item that always takes the
rest of the section, or whose end is optional, leaves no second one; one that takes it under a condition is the last.

Bad::

    - {name: names, type: text, size: rest, repeat: rest}

Good::

    - {name: names, type: text, prefix: u8, repeat: rest}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields, struct_of
from wireloom_generator.analysis.sequences import has_bytes, in_struct, is_optional, opened
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.types import FlatBuffers, Struct

_OTHER_WORDS = {"eos": "write rest", "expr": "write {count: …}", "until": "write {until: …}"}
"""What other tools call the ends of lists."""

_END = {"eof", "eos", "left == 0"}
"""Conditions that hold when nothing is left."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Lists without a length or with two, and items that cannot be listed."""
    for field in fields(spec):
        if isinstance(field, model.Field) and field.repeat is not None:
            yield from _length(spec, field, field.repeat)
            yield from _item(spec, field)


def _length(spec: Resolved, field: model.Field, repeat: model.Repeat) -> Iterator[Problem]:
    at, count, until = field.where("repeat"), repeat.count, repeat.until
    if "repeat" in field.stray:
        word = field.stray["repeat"]
        is_count = not word.isidentifier() or any(each.name == word for each in fields(spec))
        hint = f"write {{count: {word}}}" if is_count else "write rest, {count: …} or {until: …}"
        yield Problem(at, "repeat", f"unknown repeat {word!r}", _OTHER_WORDS.get(word, hint))
    elif count is None and until is None and not repeat.rest:
        yield Problem(at, "repeat", "repeat needs count or until", "repeat: rest goes to the end of the section")
    elif count is not None and until is not None:
        yield Problem(until.at, "repeat", "repeat has both count and until", "one of them says how long the list is")
    if count is not None and (count.constant or 0) < 0:
        yield Problem(count.at, "repeat", "a count cannot be negative")
    if until is not None and not isinstance(field.type, Struct):
        what = f"until asks for fields of an item, and {field.type.word} has none"
        hint = (
            "repeat: rest goes to the end" if until.raw in _END else "declare a type with one field, and ask for that"
        )
        yield Problem(until.at, "repeat", what, hint)


def _item(spec: Resolved, field: model.Field) -> Iterator[Problem]:
    assert field.repeat is not None
    if isinstance(field.type, FlatBuffers):
        what, hint = "flatbuffers cannot be repeated", "put them into a type, and repeat that"
        yield Problem(field.where("repeat"), "repeat", what, hint)
    if isinstance(field.wire.extent, model.Rest) or model.leaves(field) is not None:
        hint = "to bound the list, put it into a section with that size"
        yield Problem(field.where("size"), "repeat", "the first item would take all that is left", hint)
    elif isinstance(field.wire.extent, model.Size) and field.wire.extent.fixed == 0 and not model.numbered(field):
        yield Problem(field.where("size"), "repeat", "items without bytes would repeat for ever")
    at, struct = field.where("type"), struct_of(spec, field)
    if struct is not None and not has_bytes(struct) and not (model.numbered(field) and field.repeat.count):
        yield Problem(at, "repeat", f"{field.type} takes no bytes, so it would repeat for ever")
    struct = opened(spec, field)
    if struct is None:
        return
    hint = "give each item a size or a prefix"
    if model.exhausting(struct.nodes, spec.structs) is not None or any(map(_leaves_some, struct.nodes)):
        yield Problem(at, "repeat", f"the first {field.type} would take all that is left", hint)
    elif in_struct(spec, struct, is_optional):
        yield Problem(at, "repeat", f"{field.type} ends with an optional field, so where an item ends is open", hint)


def _leaves_some(node: model.Node) -> bool:
    """Whether it always takes all but a number of bytes, however many items there are."""
    return model.leaves(node) is not None and not (isinstance(node, model.Field) and node.when is not None)
