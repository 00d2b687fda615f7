"""Rules about enums and flags: the numbers that they name, and the fields that use them."""

from collections.abc import Iterator, Sequence

from wireloom_generator import model, naming
from wireloom_generator.analysis.labels import misread, unnamed
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Enum, EnumValue, Flag, Named, Resolved
from wireloom_generator.problems import Location, Severity, Violation, seen_from
from wireloom_generator.types import Integer, whole


def enum_values(spec: Resolved) -> Iterator[Violation]:
    """Reports values without a number, reversed ranges, numbers with two names, and groups of unknown values."""
    for shared in spec.shared:
        for enum in shared.enums:
            seen: dict[tuple[int, int], EnumValue] = {}
            for value in enum.values:
                yield from _numbers(value)
                yield from _named_twice(value, seen)
            yield from _names(enum.values)
            for group, names in enum.groups.items():
                for what, hint in _group(enum, group, names):
                    yield Violation(enum.where(f"groups.{group}"), what, hint)


def _names(values: Sequence[EnumValue | Flag]) -> Iterator[Violation]:
    """Reports mistakes in the names and labels of numbers."""
    for value in values:
        if (fault := naming.word_fault(value.name)) is not None:
            yield Violation(value.where("name"), *fault)
    yield from misread(values)


def _numbers(value: EnumValue) -> Iterator[Violation]:
    ends = [key for key in ("from", "to") if value.gives(key)]
    if value.gives("value") and ends:
        what = f"{value.name} has value, and from or to as well"
        yield Violation(value.where(ends[0]), what, "value: is for one number, from: and to: are for a range")
    elif not value.gives("value") and not ends:
        yield Violation(value.at, f"{value.name} has no value", "give value, or from and to")
    elif len(ends) == 1:
        missing = "from" if ends == ["to"] else "to"
        yield Violation(value.at, f"the range {value.name} has no {missing}")
    elif value.first > value.last:
        what = f"the range {value.name} ends before it begins"
        yield Violation(value.where("to"), what, f"from: {value.last}, to: {value.first}?")


def _named_twice(value: EnumValue, seen: dict[tuple[int, int], EnumValue]) -> Iterator[Violation]:
    if value.range and value.first >= value.last:
        return
    known = seen.setdefault((value.first, value.last), value)
    if known is not value:
        at, numbers = _place(value), f"{value.first} to {value.last}" if value.range else f"{value.first}"
        yield Violation(at, f"{numbers} is already {known.name}, {seen_from(at, _place(known))}")


def _group(enum: Enum, group: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The mistakes in a group, with hints."""
    known = frozenset(value.name for value in enum.values)
    if naming.word_fault(group) is not None:
        yield f"{group!r} cannot name a group", "a name has letters, digits and underscores, and begins with a letter"
    if group in known:
        yield f"{group!r} is already a value of {enum.name}", ""
    if not names:
        yield f"the group {group!r} has no values", "list their names"
    for number, name in enumerate(names):
        if name in names[:number]:
            yield f"{name!r} is in the group {group!r} twice", ""
        elif name not in known:
            yield (f"{name!r} is a group", "list its values") if name in enum.groups else unnamed(enum, name)


def _place(value: EnumValue) -> Location:
    return value.where("from" if value.range else "value")


def flag_values(spec: Resolved) -> Iterator[Violation]:
    """Reports flags that are not a single bit, or whose bit already has a name."""
    for shared in spec.shared:
        for flags in shared.flags:
            seen: dict[int, Flag] = {}
            for flag in flags.values:
                yield from _one_bit(flag, seen)
            yield from _names(flags.values)


def _one_bit(flag: Flag, seen: dict[int, Flag]) -> Iterator[Violation]:
    at = flag.where("value")
    if flag.value <= 0 or flag.value & (flag.value - 1) or flag.value >> 64:
        hint = "a flag is 1, 2, 4, 8 …; several bits together are a bit field"
        yield Violation(at, f"{flag.value} is not one bit", hint)
        return
    known = seen.setdefault(flag.value, flag)
    if known is not flag:
        place = seen_from(at, known.where("value"))
        yield Violation(at, f"{flag.value} is already {known.name}, {place}")


def enum_on_integer(spec: Resolved) -> Iterator[Violation]:
    """Reports enums and flags on anything but an integer, or on one that is too narrow."""
    for field in fields(spec):
        yield from _on_bits(spec, field) if isinstance(field, model.BitField) else _on_field(spec, field)
        if field.gives("labels") and field.enum is None and not field.gives("flags"):
            what = "labels needs an enum or flags, and there are none"
            yield Violation(field.where("labels"), what, "delete labels:, or give the field an enum")


def _on_bits(spec: Resolved, bit: model.BitField) -> Iterator[Violation]:
    if bit.enum is not None and bit.boolean:
        what = "a bool cannot have an enum"
        yield Violation(bit.where("enum"), what, "delete type: bool, and the enum can name 0 and 1")
    elif bit.enum is not None:
        yield from _enum_fits(spec, bit, bit.enum, bit.type.values, f"{bit.width} bits")


def _on_field(spec: Resolved, field: model.Field | model.Computed) -> Iterator[Violation]:
    wire, word = whole(field.type), field.type.word
    given = [key for key in ("enum", "flags") if field.gives(key)]
    if len(given) == 2:
        what = f"{field.name!r} has both an enum and flags"
        yield Violation(field.where("flags"), what, "use the enum if numbers have names, flags if bits have")
    for key in given:
        if wire is None:
            numbers = "an enum needs an integer, such as u8, i64 or leb128_u32"
            hint = numbers if key == "enum" else "flags need an unsigned integer, such as u8 or leb128_u32"
            yield Violation(field.where(key), f"{word} cannot have {key}", hint)
        elif key == "flags" and field.kind is Kind.LIST:
            what = "a list of numbers cannot have flags"
            yield Violation(field.where(key), what, "declare a type with one field that has flags:, and repeat that")
    if wire is not None and field.enum is not None:
        yield from _enum_fits(spec, field, field.enum, field.type.values, word)
    if wire is not None and isinstance(field, model.Field) and field.flags is not None:
        yield from _flags_fit(spec, field, field.flags, wire, field.type.values.most)


def _flags_fit(spec: Resolved, field: model.Field, name: str, wire: Integer, most: int) -> Iterator[Violation]:
    if wire.signed:
        what = f"flags need an unsigned integer, and {field.type.word} is signed"
        hint = f"write type: u{wire.bits}" if wire is field.type else "write the unsigned type"
        yield Violation(field.where("flags"), what, hint)
        return
    flags = spec.flags.get(name)
    for flag in flags.values if flags else ():
        if flag.value > most:
            yield Violation(field.where("flags"), f"{name}.{flag.name} = {flag.value} does not fit {field.type.word}")
            return


def _enum_fits(spec: Resolved, field: Named, name: str, fits: Domain, width: str) -> Iterator[Violation]:
    values = spec.enums[name].values if name in spec.enums else ()
    ends = [(value.name, end) for value in values for end in (value.first, value.last)]
    strange = [(label, end) for label, end in ends if not fits.least <= end <= fits.most]
    if strange:
        label, end = strange[0]
        severity = Severity.WARNING if len(strange) < len(ends) else Severity.ERROR
        what, hint = f"{name}.{label} = {end} does not fit {width}", "the field never has that value"
        yield Violation(field.where("enum"), what, hint, severity)
