"""Enums and flags name the numbers of integers that are wide enough for them; flags are for unsigned ones.

A name for a number that the field cannot hold is never shown: a warning, since wider fields may have the same enum, or
an error if no name of it fits. The bit of a sign is no flag. A field has an enum or flags, not both. ``labels: false``
leaves out the column that enums and flags add. A repeated number has neither; a type with the number as its field,
repeated, names each.

Bad::

    - {name: kind, type: text, size: 4, enum: Kind}
    - {name: bits_set, type: i8, flags: Attributes}

Good::

    - {name: kind, type: u8, enum: Kind}
    - {name: bits_set, type: u8, flags: Attributes}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem, Severity
from wireloom_generator.types import Integer, whole


def check(spec: Resolved) -> Iterator[Problem]:
    """Enums and flags without an integer, or with one that is too narrow."""
    for field in fields(spec):
        yield from _bit(spec, field) if isinstance(field, model.BitField) else _field(spec, field)
        if field.gives("labels") and field.enum is None and not field.gives("flags"):
            what = "labels are names of an enum or of flags, and there is neither"
            yield Problem(
                field.where("labels"), "enum-on-integer", what, "leave out labels:, or give the field an enum"
            )


def _bit(spec: Resolved, bit: model.BitField) -> Iterator[Problem]:
    if bit.enum is not None and bit.boolean:
        yield Problem(
            bit.where("enum"),
            "enum-on-integer",
            "a bool can have no enum",
            "without type: bool, an enum can name its 0 and 1",
        )
    elif bit.enum is not None and bit.count is not None:
        hint = f"name an item that is computed: {{compute: '{bit.name}[0]', enum: {bit.enum}}}"
        yield Problem(bit.where("enum"), "enum-on-integer", "a list of numbers can have no enum", hint)
    elif bit.enum is not None:
        yield from _enum_fits(spec, bit, bit.enum, Integer(max(bit.width, 0), signed=False).values, f"{bit.width} bits")


def _field(spec: Resolved, field: model.Field | model.Computed) -> Iterator[Problem]:
    wire, word = whole(field.type), field.type.word
    given = [key for key in ("enum", "flags") if field.gives(key)]
    if len(given) == 2:
        what = f"{field.name!r} has both an enum and flags"
        yield Problem(field.where("flags"), "enum-on-integer", what, "a number has one name, or a name for each bit")
    for key in given:
        if wire is None:
            numbers = "an enum names the numbers of integers, as u8, i64 or leb128_u32"
            hint = numbers if key == "enum" else "flags name bits of unsigned integers, as u8 or leb128_u32"
            yield Problem(field.where(key), "enum-on-integer", f"{word} can have no {key}", hint)
        elif field.kind is Kind.LIST:
            what = f"a list of numbers can have no {key}"
            hint = f"declare a type with one field that has {key}:, and repeat that"
            yield Problem(field.where(key), "enum-on-integer", what, hint)
    if wire is not None and field.enum is not None:
        yield from _enum_fits(spec, field, field.enum, field.type.values, word)
    if wire is not None and isinstance(field, model.Field) and field.flags is not None:
        yield from _flags_fit(spec, field, field.flags, wire, field.type.values.most)


def _flags_fit(spec: Resolved, field: model.Field, name: str, wire: Integer, most: int) -> Iterator[Problem]:
    if wire.signed:
        what = f"flags name bits of unsigned integers, and {field.type.word} is signed"
        hint = f"write type: u{wire.bits}" if wire is field.type else "write the unsigned type"
        yield Problem(field.where("flags"), "enum-on-integer", what, hint)
        return
    flags = spec.flags.get(name)
    for flag in flags.values if flags else ():
        if flag.value > most:
            what = f"{name}.{flag.name} = {flag.value} does not fit {field.type.word}"
            yield Problem(field.where("flags"), "enum-on-integer", what)
            return


def _enum_fits(spec: Resolved, field: Named, name: str, fits: Domain, width: str) -> Iterator[Problem]:
    values = spec.enums[name].values if name in spec.enums else ()
    ends = [(value.name, end) for value in values for end in (value.first, value.last)]
    strange = [(label, end) for label, end in ends if not fits.least <= end <= fits.most]
    if strange:
        label, end = strange[0]
        severity = Severity.WARNING if len(strange) < len(ends) else Severity.ERROR
        what, hint = f"{name}.{label} = {end} does not fit {width}", "it is never there"
        yield Problem(field.where("enum"), "enum-on-integer", what, hint, severity)
