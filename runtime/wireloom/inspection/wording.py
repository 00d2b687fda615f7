"""Values as text: every character visible, numbers with their names, and nothing that controls a terminal."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from wireloom.codec.errors import counted
from wireloom.codec.fields import Field
from wireloom.codec.labels import WireFlags, bits_of
from wireloom.codec.meanings import duration_text, time_text
from wireloom.printable import printable

_CHARACTERS = 120
"""How many characters of a text are shown."""
_BYTES = 16
"""How many bytes are shown as they are; of more, their number."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A value as text, and its label."""

    text: str
    label: str = ""


def worded(value: object, field: Field | None = None) -> Wording:
    """The value of a field as text."""
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
        case datetime():
            return Wording(time_text(value))
        case timedelta():
            return Wording(duration_text(value))
        case str():
            return Wording(quoted(value))
        case bytes():
            return Wording(value.hex() if 0 < len(value) <= _BYTES else counted(len(value), "byte"))
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
    """The labels of the bits that are set, and bits without one as a number."""
    labels = [label for label, bit in bits_of(flags) if value & bit]
    for _, bit in bits_of(flags):
        value &= ~bit
    return " | ".join([*labels, *([f"{value:#x}"] if value else [])])


def quoted(text: str) -> str:
    """Text in quotation marks, shortened if it is long."""
    shown = printable(text[:_CHARACTERS].replace("\\", "\\\\").replace('"', '\\"'))
    more = f" … {counted(len(text), 'character')}" if len(text) > _CHARACTERS else ""
    return f'"{shown}"{more}'


def ascii_of(data: bytes) -> str:
    """The bytes as ASCII characters, with a dot for others."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)
