"""A value has one source, and a field only the keys that its kind can have.

What a field holds is given, or follows from the rest: ``const`` always the same, ``derive`` from an expression,
``checksum`` from the bytes, ``compute`` without being in the bytes at all. Two of them would contradict each other, and
``default`` would never be used beside one. Only integers and booleans can be derived: lengths, counts, offsets, and
whether something is there. A list of them can be derived from another list, item by item.

Bad::

    - {name: length, type: u16, const: 8, derive: size(body)}
    - {name: is_last, type: bool, compute: number == 9, size: 1}

Good::

    - {name: length, type: u16, derive: size(body)}
    - {name: is_last, type: bool, compute: number == 9}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.types import Boolean, Bytes, FlatBuffers, Float, Integer, Text, whole

_DOUBLE = Float(64)
"""The floating-point number that a computed one is, since it holds every other."""
_SOURCES = ("const", "derive", "checksum", "compute", "default")


def check(spec: Resolved) -> Iterator[Problem]:
    """Values with two sources, and sources that a kind of field cannot have."""
    for field in fields(spec):
        yield from _one_source(field)
        match field:
            case model.Field():
                yield from _derived(field)
                yield from _flatbuffers(field)
            case model.Computed():
                yield from _computed(field)
            case model.BitField():
                pass


def _one_source(field: Named) -> Iterator[Problem]:
    given = [key for key in _SOURCES if field.gives(key)]
    for key in given[1:]:
        yield Problem(
            field.where(key),
            "value-source",
            f"{field.name!r} has both {given[0]} and {key}",
            "one of them says what it is",
        )


def _derived(field: model.Field) -> Iterator[Problem]:
    if field.derive is None:
        return
    if not isinstance(field.type, Boolean) and whole(field.type) is None:
        yield Problem(field.where("derive"), "value-source", f"{field.type.word} cannot be derived", "integers can")


def _computed(field: model.Computed) -> Iterator[Problem]:
    if not isinstance(field.type, Integer | Boolean | Text | Bytes) and field.type != _DOUBLE:
        what = f"{field.type.word} cannot be computed"
        yield Problem(field.where("type"), "value-source", what, "integers, f64, bool, text and bytes can")
    for key in field.stray:
        what = f"{field.name!r} is computed and not in the bytes, so it has no {key}"
        yield Problem(field.where(key), "value-source", what)


def _flatbuffers(field: model.Field) -> Iterator[Problem]:
    if isinstance(field.type, FlatBuffers) and field.valid is not None:
        yield Problem(field.where("valid"), "value-source", "flatbuffers takes no valid")
