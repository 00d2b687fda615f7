"""Textual forms of records: one JSON object per line, with the keys in the order of the source document."""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values


def _base64_57(data: bytes) -> str:
    """Base64 with a line break after every complete group of 57 bytes, including the last one."""
    chunks = (data[start : start + 57] for start in range(0, len(data), 57))
    return "".join(base64.b64encode(chunk).decode() + ("\n" if len(chunk) == 57 else "") for chunk in chunks)


def _unbase64(value: object) -> bytes:
    try:
        return base64.b64decode("".join(_text(value).split()), validate=True)
    except binascii.Error as error:
        raise ValueError(f"not Base64: {error}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"text expected, found {json.dumps(value)[:60]}")
    return value


_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


def _java_text(data: bytes) -> str:
    """UTF-8 as Java's ``String`` decodes it: invalid bytes become U+FFFD, a whole encoded surrogate becomes one."""
    return _SURROGATE.sub(b"\xff", data).decode("utf-8", "replace")


def _signed(number: int) -> int:
    """A number of 32 bits as Java has it."""
    return number - (1 << 32) if number >> 31 else number


class _Notation(NamedTuple):
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


_NOTATIONS = {
    "value": _Notation(lambda value: value, lambda text: text),
    "base64_57": _Notation(_base64_57, _unbase64),
    "signed": _Notation(_signed, lambda number: number),
    "text": _Notation(_java_text, lambda value: _text(value).encode()),
}


class FormEntry(NamedTuple):
    """One key of the object: a field in a notation, or a constant.

    ``field`` is a path if the field is inside of structs, null if one of them is. ``notation`` is ``value``, ``label``,
    ``base64_57``, ``text`` or ``signed``, of a number of 32 bits; ``omit`` is ``never``, ``absent`` or ``false``. A
    ``computed`` field may be missing when read.
    """

    key: str
    field: str | None = None
    notation: str = "value"
    const: str | None = None
    omit: str = "never"
    computed: bool = False


class Form:
    """A message as one line of JSON."""

    def __init__(self, name: str, message: str, *entries: FormEntry, write_only: bool = False) -> None:
        self.name = name
        self.message = message
        self.entries = entries
        self.write_only = write_only

    def write(self, row: Values) -> str:
        """The row, which is one of the message, as a line without a line break."""
        values = row[self.message]
        written: dict[str, Any] = {}
        for entry in self.entries:
            value = self._value(entry, values, row)
            if not ((entry.omit != "never" and value is None) or (entry.omit == "false" and value is False)):
                written[entry.key] = value
        return _jackson(json.dumps(written, ensure_ascii=False, separators=(",", ":")))

    def _value(self, entry: FormEntry, values: Values, row: Values) -> Any:
        if entry.field is None:
            return entry.const
        if entry.notation == "label":
            return values[f"{entry.field}_name"]
        first, *inner = entry.field.split(".")
        value = values[first] if first in values else row[first]
        for name in inner:
            value = value and value[name]
        return None if value is None else _NOTATIONS[entry.notation].write(value)

    def read(self, line: str) -> Values:
        """The fields of a line, as ``build`` takes them. Raises ``DecodeError`` naming the key that is wrong."""
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DecodeError("json", f"not JSON: {error}") from None
        if not isinstance(found, dict):
            raise DecodeError("json", f"an object expected, found {type(found).__name__}")
        values: Values = {}
        for entry in self.entries:
            if entry.key in found and entry.field is not None:
                name = f"{entry.field}_name" if entry.notation == "label" else entry.field
                try:
                    values[name] = _NOTATIONS.get(entry.notation, _NOTATIONS["value"]).read(found[entry.key])
                except ValueError as error:
                    raise DecodeError("json", str(error), path=entry.key) from None
            elif entry.key in found and found[entry.key] != entry.const:
                raise DecodeError("json", f"{entry.const!r} expected, found {found[entry.key]!r}", path=entry.key)
            elif entry.key not in found and entry.omit == "never" and not entry.computed:
                raise DecodeError("json", "missing", path=entry.key)
        return {"message": self.message, self.message: values}


class Forms:
    """The forms of one name, each of another message. One of them at most is not ``write_only``."""

    def __init__(self, name: str, forms: Iterable[Form]) -> None:
        self.name = name
        self._writing = {form.message: form for form in forms}
        self._reading = next((form for form in self._writing.values() if not form.write_only), None)

    def write(self, row: Values) -> str:
        """The row as a line, without a line break. Raises ``ValueError`` if it is another message or malformed."""
        form = self._writing.get(row["message"])
        if form is None or row[form.message] is None:
            only = " and ".join(self._writing)
            found = "malformed records" if form is not None else row["message"] or "malformed records"
            raise ValueError(f"form {self.name} writes {only} only, not {found}")
        return form.write(row)

    def read(self, line: str) -> Values:
        """The fields of a line, as ``build`` takes them. Raises ``DecodeError`` naming the key that is wrong, and for
        every line if no form of this name is read.
        """
        if self._reading is None:
            raise DecodeError("json", f"form {self.name} is written only")
        return self._reading.read(line)


_ASTRAL_OR_CONTROL = r"[\U00010000-\U0010ffff]|\\u00[01][0-9a-f]"
"""Compiled when it is needed, since that takes long."""


def _jackson(text: str) -> str:
    """JSON escaped as Jackson does it: upper-case ``\\u`` for controls, surrogate pairs for characters above
    16 bits.
    """
    return re.sub(_ASTRAL_OR_CONTROL, _escape, text)


def _escape(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) > 1:
        return "\\u" + text[2:].upper()
    units = text.encode("utf-16-be").hex().upper()
    return f"\\u{units[:4]}\\u{units[4:]}"
