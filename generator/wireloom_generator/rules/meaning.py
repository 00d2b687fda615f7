"""What a number or bytes stand for is said once, and fits their type: ``as`` of a field.

A time, a duration and a scaled number are whole numbers on the wire; a UUID and an address are so many bytes. Rules,
constants and names are about the number itself. So a field that has them is a number, and what it stands for is
computed from it.

``raw`` names the column that keeps the number where its value does not determine it, or where it has no value. A time
or a duration that is counted finer than in microseconds needs one: no table holds them exactly. So does a ``double`` of
numbers that are longer than doubles are. A bit field has none.

Bad::

    - {name: sent_at, type: i64, as: {timestamp: {unit: ns}}}
    - {name: session, type: bytes, size: 8, as: uuid}

Good::

    - {name: sent_at, type: i64, as: {timestamp: {unit: ns}}, raw: sent_at_ns}
    - {name: session, type: bytes, size: 16, as: uuid}
    - {name: kept_seconds, type: u32, default: 0}
    - {name: kept_until, type: u32, compute: kept_seconds, as: {timestamp: {unit: s}}}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.types.meanings import WORDS, Meaning

_ABOUT_NUMBERS = ("enum", "flags", "const", "valid", "derive", "checksum", "default", "reserved", "table_type")
"""The keys that say something of the number."""
_OTHER_NAMES = {
    "guid": "uuid",
    "ip": "ipv4 or ipv6",
    "date": "{timestamp: {unit: …}}",
    "time": "{timestamp: {unit: …}}",
}
_MAPPINGS = ("timestamp", "duration", "decimal", "double")


def check(spec: Resolved) -> Iterator[Problem]:
    """Meanings that do not exist, do not fit, or lose something."""
    for field in fields(spec):
        if not field.gives("as"):
            continue
        if field.meaning is None:
            yield _unknown(field, field.stray.get("as"))
            continue
        yield from _keys(field)
        size = field.wire.fixed if isinstance(field, model.Field) else None
        if misfit := field.meaning.misfit(field.type, size):
            yield Problem(field.where("as"), "meaning", *misfit)
        elif faults := field.meaning.faults():
            yield from (Problem(field.where("as"), "meaning", f"{key}: {what}", hint) for key, what, hint in faults)
        elif isinstance(field, model.Field):
            yield from _raw(field, field.meaning)
        elif isinstance(field, model.BitField):
            yield from _lost(field, field.meaning, "compute what it stands for from the number")


def _unknown(field: model.Named, word: str | None) -> Problem:
    if word is None:
        return Problem(field.where("as"), "meaning", f"as: has one of {', '.join(_MAPPINGS)}")
    known = (*WORDS, *_MAPPINGS)
    if word in _MAPPINGS:
        keys = "scale: …" if word in ("decimal", "double") else "unit: …"
        return Problem(field.where("as"), "meaning", f"{word} needs to be told more", f"write {{{word}: {{{keys}}}}}")
    hint = f"write {_OTHER_NAMES[word]}" if word in _OTHER_NAMES else closest(word, known)
    return Problem(field.where("as"), "meaning", f"unknown meaning {word!r}", hint)


def _keys(field: model.Named) -> Iterator[Problem]:
    for key in _ABOUT_NUMBERS:
        if field.gives(key):
            hint = f"give the number a field of its own, and compute {field.name} from it with as:"
            yield Problem(
                field.where(key), "meaning", f"{key}: is about the number, not about what it stands for", hint
            )


def _raw(field: model.Field, meaning: Meaning) -> Iterator[Problem]:
    if field.raw is None:
        yield from _lost(field, meaning, "name a column for the exact number with raw:")
    elif field.repeat is not None:
        yield Problem(field.where("raw"), "meaning", "a list has no raw column", "put it into a type, and repeat that")
    elif not meaning.keeps:
        yield Problem(field.where("raw"), "meaning", "each value determines what is written, so raw would be empty")
    elif field.wire.fixed is None:
        what = f"a {field.type.word} takes no raw beside as"
        yield Problem(field.where("raw"), "meaning", what, "compute what it stands for from a field with the number")


def _lost(field: model.Named, meaning: Meaning, hint: str) -> Iterator[Problem]:
    """A number whose value does not determine it, with nothing that keeps it."""
    if lost := meaning.loses():
        other = f"write {meaning.exact}: instead, or " if meaning.exact else ""
        yield Problem(field.where("as"), "meaning", lost, other + hint)
