"""Rules about the sources of values, and whether constants, defaults and meanings fit their fields."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.expressions import Literal, Value
from wireloom_generator.expressions.kinds import PLAIN, Kind
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Violation, closest
from wireloom_generator.types import Boolean, Bytes, FlatBuffers, Float, Integer, Text, whole
from wireloom_generator.types.decimals import Digits
from wireloom_generator.types.meanings import WORDS, Meaning

_DOUBLE = Float(64)
"""The type of a computed floating-point number: the one that holds all others."""
_SOURCES = ("const", "derive", "checksum", "compute", "default")


def value_source(spec: Resolved) -> Iterator[Violation]:
    """Reports values with two sources, and sources that this kind of field cannot have."""
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


def _one_source(field: Named) -> Iterator[Violation]:
    given = [key for key in _SOURCES if field.gives(key)]
    for key in given[1:]:
        yield Violation(field.where(key), f"{field.name!r} has both {given[0]} and {key}", "keep one of them")


def _derived(field: model.Field) -> Iterator[Violation]:
    if field.derive is None:
        return
    is_whole = isinstance(field.type, Digits) and not field.type.scale
    if not is_whole and not isinstance(field.type, Boolean) and whole(field.type) is None:
        yield Violation(field.where("derive"), f"{field.type.word} cannot be derived", "only integers and bool can")


def _computed(field: model.Computed) -> Iterator[Violation]:
    if not isinstance(field.type, Integer | Boolean | Text | Bytes) and field.type != _DOUBLE:
        what = f"{field.type.word} cannot be computed"
        yield Violation(field.where("type"), what, "only integers, f64, bool, text and bytes can")
    for key in field.stray:
        yield Violation(field.where(key), f"{field.name!r} is computed, not in the bytes, so it cannot have {key}")


def _flatbuffers(field: model.Field) -> Iterator[Violation]:
    if isinstance(field.type, FlatBuffers) and field.valid is not None:
        yield Violation(field.where("valid"), "flatbuffers cannot have valid")


_NO_LIST = "a list cannot have a const"


def const_fits(spec: Resolved) -> Iterator[Violation]:
    """Reports constants that their fields cannot hold."""
    for field in fields(spec):
        if isinstance(field, model.Computed) or field.const is None:
            continue
        fault = _constant(field, field.const) if isinstance(field, model.Field) else _bit_constant(field, field.const)
        if fault is not None:
            yield Violation(field.where("const"), *fault)


def _bit_constant(bit: model.BitField, const: Literal) -> tuple[str, str] | None:
    if bit.count is not None:
        return _NO_LIST, "write a bit field for each item"
    match bit.type:
        case Text():
            return "text among bits cannot have a const", f'write valid: {bit.name} == "…"'
        case Boolean():
            return Boolean().misfit(const)
        case Integer() as number:
            return number.unfit(const, f"{bit.width} bits")


def _constant(field: model.Field, const: Literal | bytes) -> tuple[str, str] | None:
    if field.repeat is not None:
        return _NO_LIST, f"write its bytes, in hex, as a const of type bytes, or valid: '{field.name}[0] == …'"
    extent = field.wire.extent
    size = None if isinstance(extent, model.Size) and extent.pad is not None else field.wire.fixed
    return None if isinstance(const, bytes) else field.type.misfit(const, size)


def default_fits(spec: Resolved) -> Iterator[Violation]:
    """Reports defaults that their fields cannot hold."""
    for field in fields(spec):
        if isinstance(field, model.Computed):
            continue
        fault = _default(field, field.default) if field.default is not None and field.gives("default") else None
        if fault is not None:
            yield Violation(field.where("default"), *fault)
        if field.reserved and not _has_zero(field):
            hint = f"only numbers, and bytes of a size up to {model.MOST_RESERVED}, can be; for zero bytes, write pad:"
            yield Violation(field.where("reserved"), f"{field.kind} cannot be reserved", hint)


def _has_zero(field: model.Field | model.BitField) -> bool:
    """Whether zeros can be written for it."""
    if isinstance(field, model.Field) and field.kind is Kind.BYTES:
        return field.repeat is None and 0 < (field.wire.fixed or 0) <= model.MOST_RESERVED
    return field.kind in (Kind.NUMBER, Kind.FLOAT, Kind.CONDITION)


def _default(field: model.Field | model.BitField, default: model.Condition) -> tuple[str, str] | None:
    wanted = field.kind
    if wanted not in PLAIN:
        return f"{wanted} cannot have a default", "its value must be given on encode"
    if default.is_written and default.constant is None:
        return None
    number = default.expression.value if isinstance(default.expression, Value) else default.constant
    assert not isinstance(number, bytes), "no default is bytes"
    if isinstance(number, bool):
        return None if wanted is Kind.CONDITION else (f"{str(number).lower()} is not {wanted}", "")
    if wanted is Kind.CONDITION:
        return f"{number} is neither true nor false", ""
    if wanted is Kind.TEXT:
        return f"{number} is not text", "text needs quotes of its own: \"'none'\""
    if wanted is Kind.BYTES:
        return f"{number} is not bytes", "bytes are written hex('0d0a')"
    if wanted is Kind.FLOAT:
        return None
    if not isinstance(number, int):
        return f"{number} is not a whole number", ""
    numbers, name = field.type.values, str(field.type)
    if isinstance(field, model.BitField):
        name = f"{field.width} bits"
    if not numbers.least <= number <= numbers.most:
        return f"{number} does not fit {name}", f"it can be {numbers.least} to {numbers.most}"
    return None


def time_fields(spec: Resolved) -> Iterator[Violation]:
    """Reports times that do not follow from their fields, and fields that could not be written from them."""
    for field in fields(spec):
        if isinstance(field, model.Computed) and field.instant is not None:
            yield from (Violation(*fault) for fault in field.instant.faults)
            if field.valid is not None:
                what = "a time of several fields cannot have valid"
                yield Violation(field.where("valid"), what, "give one of its fields the condition")


_ABOUT_NUMBERS = ("enum", "flags", "const", "valid", "derive", "checksum", "default", "reserved", "table_type")
"""The keys that apply to the number instead of its meaning."""
_OTHER_MEANINGS = {
    "guid": "uuid",
    "ip": "ipv4 or ipv6",
    "date": "{timestamp: {unit: …}}",
    "time": "{timestamp: {unit: …}}",
}
_MAPPINGS = ("timestamp", "duration", "decimal", "double")


def meaning(spec: Resolved) -> Iterator[Violation]:
    """Reports meanings that are unknown, do not fit, or lose information."""
    for field in fields(spec):
        if not field.gives("as"):
            continue
        if field.meaning is None:
            yield _unknown_meaning(field, field.stray.get("as"))
            continue
        yield from _number_keys(field)
        size = field.wire.fixed if isinstance(field, model.Field) else None
        if misfit := field.meaning.misfit(field.type, size):
            yield Violation(field.where("as"), *misfit)
        elif faults := field.meaning.faults():
            yield from (Violation(field.where("as"), f"{key}: {what}", hint) for key, what, hint in faults)
        elif isinstance(field, model.Field):
            yield from _raw_column(field, field.meaning)
        elif isinstance(field, model.BitField):
            yield from _lossy(field, field.meaning, "compute its meaning from the number")


def _unknown_meaning(field: model.Named, word: str | None) -> Violation:
    if word is None:
        return Violation(field.where("as"), f"as needs exactly one of {', '.join(_MAPPINGS)}")
    known = (*WORDS, *_MAPPINGS)
    if word in _MAPPINGS:
        keys = "scale: …" if word in ("decimal", "double") else "unit: …"
        return Violation(field.where("as"), f"{word} needs a value", f"write {{{word}: {{{keys}}}}}")
    hint = f"write {_OTHER_MEANINGS[word]}" if word in _OTHER_MEANINGS else closest(word, known)
    return Violation(field.where("as"), f"unknown meaning {word!r}", hint)


def _number_keys(field: model.Named) -> Iterator[Violation]:
    for key in _ABOUT_NUMBERS:
        if field.gives(key):
            hint = f"give the number a field of its own, and compute {field.name} from it with as:"
            yield Violation(field.where(key), f"{key} applies to the number, not to its meaning", hint)


def _raw_column(field: model.Field, meaning: Meaning) -> Iterator[Violation]:
    if field.raw is None:
        yield from _lossy(field, meaning, "add raw:, the name of a column for the exact number")
    elif field.repeat is not None:
        what = "a list cannot have a raw column"
        yield Violation(field.where("raw"), what, "declare a type with one such field, and repeat that")
    elif not meaning.keeps:
        yield Violation(field.where("raw"), "the value determines the bytes, so raw would always be null")
    elif field.wire.fixed is None:
        what = f"{field.type.word} cannot have both as and raw"
        yield Violation(field.where("raw"), what, "compute its meaning from a field with the number")


def _lossy(field: model.Named, meaning: Meaning, hint: str) -> Iterator[Violation]:
    """Reports a meaning whose value does not determine the number, if nothing keeps the number."""
    if lost := meaning.loses():
        other = f"write {meaning.exact}: instead, or " if meaning.exact else ""
        yield Violation(field.where("as"), lost, other + hint)
