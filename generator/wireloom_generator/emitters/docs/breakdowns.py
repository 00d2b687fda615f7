"""A worked example taken apart as documents do: ``Magic (0) : 0x80``, one line per field, every byte once."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wireloom_generator import model
from wireloom_generator.emitters.docs.markdown import bit_range
from wireloom_generator.emitters.docs.names import Meanings
from wireloom_generator.traces import Span, Traced, text_of

_BYTES = 16
"""Bytes on a line."""
_NUMBER = len("00 01 02 03 04 05 06 07")
"""The width of an eight-byte number; meanings are aligned after it."""
_TEXT = 60
"""Longer text is shown only in the row."""


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    offsets: str
    value: str
    meaning: str = ""


class Breakdown:
    """Takes the examples of one message apart."""

    def __init__(self, names: Meanings, message: model.Message) -> None:
        self.names = names
        self.message = message
        slots = [slot.name for slot in names.protocol.record.slots]
        self.untold = slots if len(slots) < 2 else []

    def text(self, example: model.Example, traced: Traced) -> str:
        """The breakdown. Bytes without a field are shown as padding or, in a malformed record, as malformed."""
        lines = [_Line("Field", "(offset)", "(value)")]
        section = ""
        end = 0
        for span in traced.spans:
            found = "" if span.section in self.untold else span.section
            if span.start == span.end and not span.path.startswith(f"{self.message.name}."):
                continue
            if span.start > end:
                lines += self._raw("(padding)", example.data, end, span.start, section)
            if found != section:
                lines.append(_Line(found, "", ""))
                section = found
            lines += self._field(span, example.data[span.start : span.end], "  " if section else "")
            end = max(end, span.end)
        if end < len(example.data):
            left = (
                "(left over)"
                if example.malformed == "trailing-bytes"
                else "(not read)"
                if traced.reason
                else "(padding)"
            )
            lines += self._raw(left, example.data, end, len(example.data), "")
        return _aligned(lines)

    def readable(self, traced: Traced) -> list[range]:
        """The bytes that are text."""
        return [range(span.start, span.end) for span in traced.spans if isinstance(span.value, str)]

    @staticmethod
    def _raw(name: str, data: bytes, start: int, end: int, section: str) -> Iterator[_Line]:
        indent = "  " if section else ""
        for at in range(start, end, _BYTES):
            stop = min(at + _BYTES, end)
            yield _Line(indent + name if at == start else "", _offsets(at, stop), data[at:stop].hex(" "))

    def _field(self, span: Span, part: bytes, indent: str) -> Iterator[_Line]:
        name = indent + span.path.removeprefix(f"{self.message.name}.")
        bits = bit_range(span.bits[0] + 1, span.bits[0] - span.bits[1] + 1) + ": " if span.bits else ""
        if not part and isinstance(span.value, list) and span.value:
            return  # its items stand elsewhere
        if not part:
            yield _Line(name, f"({span.start})", "empty")
        elif not isinstance(span.value, int) or len(part) > 8:
            for at in range(0, len(part), _BYTES):
                line = part[at : at + _BYTES]
                meaning = bits + _meaning(span) if at + _BYTES >= len(part) else ""
                offsets = _offsets(span.start + at, span.start + at + len(line))
                yield _Line(name if at == 0 else "", offsets, line.hex(" "), meaning)
        else:
            big = bits or int.from_bytes(part, "big", signed=span.value < 0) == span.value
            shown = f"0x{part.hex()}" if big else part.hex(" ")
            yield _Line(name, _offsets(span.start, span.end), shown, bits + _meaning(span, shown))


def _meaning(span: Span, bytes_shown: str = "") -> str:
    """What a value means. This includes the number, unless the bytes show it as the spec does."""
    value = span.value
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if len(value) <= _TEXT else ""
    if isinstance(value, bool | float):
        return str(value).lower()
    if (text := text_of(value)) is not None:
        return text
    if not isinstance(value, int):
        return ""
    number = span.shown or str(int(value))
    if number == bytes_shown:
        return span.label
    return f"{number} ({span.label})" if span.label else number


def _offsets(start: int, end: int) -> str:
    """``(4)``, ``(2,3)``, ``(8-11)``."""
    if end - start == 1:
        return f"({start})"
    return f"({start},{end - 1})" if end - start == 2 else f"({start}-{end - 1})"


def _aligned(lines: Sequence[_Line]) -> str:
    name = max(len(line.name) for line in lines)
    offsets = max(len(line.offsets) for line in lines)
    value = max((len(line.value) for line in lines if line.meaning and len(line.value) <= _NUMBER), default=0)
    shown = [f"{lines[0].name:{name}} {lines[0].offsets:{offsets}}  {lines[0].value}"]
    for line in lines[1:]:
        colon = ":" if line.offsets else ""
        shown.append(
            f"{line.name:{name}} {line.offsets:{offsets}}{colon} {line.value:{value}}  {line.meaning}".rstrip()
        )
    return "\n".join(shown)


def as_json(row: Mapping[str, object]) -> str:
    """A row as JSON; columns that are null are left out, bytes are hexadecimal."""
    return "\n".join(_json(row, 0))


def _json(value: object, depth: int) -> Iterator[str]:
    """The lines of a value: one column per line on the outer two levels, deeper values on one line."""
    if isinstance(value, Mapping) and depth < 2:
        entries = [(json.dumps(name) + ": ", item) for name, item in value.items() if item is not None]
        brackets = "{}"
    elif isinstance(value, list | tuple) and depth < 3 and any(isinstance(item, Mapping) for item in value):
        entries = [("", item) for item in value]
        brackets = "[]"
    else:
        yield json.dumps(_plain(value), ensure_ascii=False)
        return
    if not entries:
        yield brackets
        return
    yield brackets[0]
    for index, (name, item) in enumerate(entries):
        first, *rest = _json(item, depth + 1 if isinstance(value, Mapping) else 3)
        comma = "," if index < len(entries) - 1 else ""
        lines = [name + first, *rest]
        lines[-1] += comma
        yield from (f"  {line}" for line in lines)
    yield brackets[1]


def _plain(value: object) -> object:
    match value:
        case Mapping():
            return {name: _plain(item) for name, item in value.items() if item is not None}
        case list() | tuple():
            return [_plain(item) for item in value]
        case bytes():
            return value.hex()
        case bool() | float() | str() | None:
            return value
        case int():
            return int(value)
    if (text := text_of(value)) is not None:
        return text
    raise TypeError(f"no value of a row: {value!r}")
