"""Values in words: text that shows every character, and the names of numbers. Nothing in it controls a terminal."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from wireloom.codec.errors import counted
from wireloom.codec.fields import Field
from wireloom.codec.labels import WireFlags

_CHARACTERS = 120
"""Of a longer text, so many are shown."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A value as told: itself, and what it is called."""

    text: str
    label: str = ""


def worded(value: object, field: Field | None = None) -> Wording:
    """The value of a field."""
    match value:
        case None:
            return Wording("")
        case bool():
            return Wording(str(value).lower())
        case int():
            return Wording(field.shown(value), _label(int(value), field)) if field else Wording(str(int(value)))
        case float():
            return Wording(repr(value))
        case Decimal():
            return Wording(f"{value:f}")
        case str():
            return Wording(quoted(value))
        case bytes():
            return Wording(counted(len(value), "byte"))
        case list():
            return Wording(counted(len(value), "item"))
        case Mapping():
            return Wording("")
    return Wording(printable(str(value)))


def _label(value: int, field: Field) -> str:
    if field.enum is not None:
        return field.enum.label(value) or "(no name)"
    return _flags(value, field.flags) if field.flags is not None else ""


def _flags(value: int, flags: type[WireFlags]) -> str:
    """The names of the bits that are set, and bits without a name as a number."""
    bits = {name: int(flag) for name, flag in flags.__members__.items()}
    names = [name for name, bit in bits.items() if value & bit]
    for bit in bits.values():
        value &= ~bit
    return " | ".join([*names, *([f"{value:#x}"] if value else [])])


def quoted(text: str) -> str:
    """Text between quotation marks, a long one cut."""
    shown = printable(text[:_CHARACTERS].replace("\\", "\\\\").replace('"', '\\"'))
    more = f" … {counted(len(text), 'character')}" if len(text) > _CHARACTERS else ""
    return f'"{shown}"{more}'


def printable(text: str) -> str:
    """The text, each character that is not seen, or does something to a terminal, written as an escape."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def ascii_of(data: bytes) -> str:
    """The bytes as characters, a dot for each that is none."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)
