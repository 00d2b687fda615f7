"""Rules about text of packed characters."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Violation, closest, counted
from wireloom_generator.reading.vocabulary import BIT_ORDERS, JUSTIFIED
from wireloom_generator.types import CharacterSet, Text

_OF_NUMBERS = ("count", "as", "enum", "derive", "reserved")
"""The keys of bit fields that no text has."""


def character_set(spec: Resolved) -> Iterator[Violation]:
    """Reports sets of packed characters from which a text could not be written as the bytes that it was read from."""
    for field in fields(spec):
        if isinstance(field.type, Text) and isinstance(field.type.encoding, CharacterSet):
            for what, hint in _faults(field.type.encoding):
                yield Violation(field.where("encoding"), what, hint)
        if isinstance(field, model.Field) and (order := field.stray.get("encoding")) is not None:
            yield Violation(field.where("encoding"), f"unknown bit order {order!r}", closest(order, BIT_ORDERS))


def _faults(known: CharacterSet) -> Iterator[tuple[str, str]]:
    """Mistakes in a set, and hints."""
    if not 1 <= known.width <= 8:
        yield "a packed character has at least one bit, and at most 8", ""
        return
    most = 1 << known.width
    if len(known.characters) > most:
        what = f"{counted(len(known.characters), 'character')} for {counted(known.width, 'bit')}"
        yield what, f"there are only {most} codes"
    places: dict[str, int] = {}
    for code, character in enumerate(known.characters):
        if character != known.NONE and places.setdefault(character, code) != code:
            what = f"{character!r} has the codes {places[character]:#04x} and {code:#04x}"
            yield what, "only one of them could be written; put U+FFFD in place of the other"
            return
    if not places:
        yield "none of the codes has a character", "as in characters: ABCDEFGH"


def packed_text(spec: Resolved) -> Iterator[Violation]:
    """Reports keys that text of packed characters cannot have, and sizes that do not fit it."""
    for field in fields(spec):
        match field:
            case model.BitField():
                yield from _bits(field)
            case model.Field(type=Text(encoding=CharacterSet() as known)):
                extent = field.wire.extent
                yield from _justified(field, known, extent)
                if isinstance(extent, model.Size) and extent.pad is not None and field.gives("pad"):
                    yield from _pad(field, known, extent.pad)


def _justified(field: model.Field, known: CharacterSet, extent: model.Extent | None) -> Iterator[Violation]:
    """Reports where characters are, if there is no room for another one in their bytes, or if that is no character."""
    if (word := field.stray.get("justify")) is not None:
        yield Violation(field.where("encoding"), f"unknown word {word!r}", closest(word, JUSTIFIED))
    elif known.right and not (isinstance(extent, model.Prefix) and extent.in_characters):
        hint = "add counts: characters to its length prefix, or delete it"
        yield Violation(field.where("encoding"), "justify applies only to characters that are counted", hint)
    elif known.right and 1 <= known.width <= 8 and 8 % known.width:
        what = f"{counted(known.width, 'bit')} do not divide a byte, so characters cannot be justified to the right"
        yield Violation(field.where("encoding"), what, "delete justify:")


def _bits(bit: model.BitField) -> Iterator[Violation]:
    if bit.text is None:
        for key in ("encoding", "pad"):
            if bit.gives(key) and bit.stray.get("type") != Text.spelling:
                yield Violation(bit.where(key), f"a number cannot have {key}", "add type: text")
        return
    known = bit.text.encoding
    assert isinstance(known, CharacterSet)
    if bit.width < 1 or (known.width > 0 and bit.width % known.width):
        what = f"{counted(bit.width, 'bit')} are not whole characters of {counted(known.width, 'bit')}"
        yield Violation(bit.where("width"), what, "the width is that of all its characters")
    for key in _OF_NUMBERS:
        if bit.gives(key):
            yield Violation(bit.where(key), f"text cannot have {key}", "its characters have only a set of their own")
    if known.right:
        yield Violation(bit.where("encoding"), "text among bit fields is not justified", "delete justify:")
    if "encoding" in bit.stray:
        hint = "delete it; bit_order: of the bits says it"
        yield Violation(bit.where("encoding"), "characters among bit fields have their order, not a bit_order", hint)
    if bit.pad is not None:
        yield from _pad(bit, known, bit.pad)


def _pad(field: model.Field | model.BitField, known: CharacterSet, pad: bytes) -> Iterator[Violation]:
    if len(pad) != 1:
        yield Violation(field.where("pad"), "padding of packed characters is the code of one", 'as in pad: "20"')
    elif known.text(pad) == known.NONE:
        yield Violation(
            field.where("pad"), f"no character has the code {pad.hex()}", "padding is a character of the set"
        )
