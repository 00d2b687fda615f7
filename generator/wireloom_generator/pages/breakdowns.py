"""A worked example taken apart as the documents do it: ``Magic (0) : 0x80``, a line a field, every byte once."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wireloom_generator import ir
from wireloom_generator.pages.facts import declared
from wireloom_generator.pages.markdown import bit_range
from wireloom_generator.pages.names import Names, every, fields, message_nodes
from wireloom_generator.traces import Span, Traced

_BYTES = 16
"""Bytes on a line."""
_NUMBER = len("00 01 02 03 04 05 06 07")
"""Characters of a number of eight bytes; what values mean is told behind the longest number."""
_TEXT = 60
"""Longer text is told by the row alone."""


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    offsets: str
    value: str
    meaning: str = ""


class Breakdown:
    """Takes the examples of one message apart."""

    def __init__(self, names: Names, message: ir.Message) -> None:
        self.names = names
        self.message = message
        self.sections = dict(_sections(names.protocol, message))
        self.own = {field.name: field for field in fields(message_nodes(message))}
        self.bits = dict(_bits(names.protocol))

    def text(self, example: ir.Example, traced: Traced) -> str:
        """The breakdown. Bytes no field was read from are told as padding or, if the record is malformed, as such."""
        lines = [_Line("Field", "(offset)", "(value)")]
        section = ""
        end = 0
        for span in traced.spans:
            found = self.sections.get(span.path.removeprefix(f"{self.message.name}.").split(".")[0].split("[")[0], "")
            if span.start == span.end and not span.path.startswith(f"{self.message.name}."):
                continue
            if span.start > end:
                lines += self._raw("(padding)", example.data, end, span.start, section)
            if found != section:
                lines.append(_Line(found, "", ""))
                section = found
            lines += self._field(span, example, traced.row, section)
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
        return [
            range(span.start, span.end)
            for span in traced.spans
            if isinstance(_at(traced.row, span.path), str) and not _is_label(span.path)
        ]

    @staticmethod
    def _raw(name: str, data: bytes, start: int, end: int, section: str) -> Iterator[_Line]:
        indent = "  " if section else ""
        for at in range(start, end, _BYTES):
            stop = min(at + _BYTES, end)
            yield _Line(indent + name if at == start else "", _offsets(at, stop), data[at:stop].hex(" "))

    def _field(self, span: Span, example: ir.Example, row: Mapping[str, object], section: str) -> Iterator[_Line]:
        name = ("  " if section else "") + span.path.removeprefix(f"{self.message.name}.")
        part = example.data[span.start : span.end]
        value = _at(row, span.path) if row else self._number(span.path, part, example)
        if not part:
            yield _Line(name, f"({span.start})", "empty")
        elif not isinstance(value, int) or len(part) > 8:
            for at in range(0, len(part), _BYTES):
                line = part[at : at + _BYTES]
                meaning = self._meaning(span.path, value, row) if at + _BYTES >= len(part) else ""
                offsets = _offsets(span.start + at, span.start + at + len(line))
                yield _Line(name if at == 0 else "", offsets, line.hex(" "), meaning)
        else:
            bits = self.bits.get(span.path.split(".")[-1])
            big = bits is not None or int.from_bytes(part, "big", signed=value < 0) == value
            shown = f"0x{part.hex()}" if big else part.hex(" ")
            meaning = self._meaning(span.path, value, row)
            yield _Line(name, _offsets(span.start, span.end), shown, f"{bits}: {meaning}" if bits else meaning)

    def _number(self, path: str, part: bytes, example: ir.Example) -> int | None:
        """A number of a malformed record, which has no row to find it in."""
        field = self._declared(path)
        if field is None or not isinstance(field.wire, ir.Integer):
            return None
        order: str = field.wire.order
        if field.wire.order is ir.Order.PARAMETER:
            order = str(example.parameters.get(self.names.protocol.byte_order or "", ""))
        if order not in ("big", "little") and len(part) > 1:
            return None
        return int.from_bytes(part, "little" if order == "little" else "big", signed=field.wire.signed)

    def _declared(self, path: str) -> ir.Field | None:
        """The field at a path, the first of its name; None for what is no field, such as trailing bytes.

        Paths in a message begin with its name, unless it turned out to be malformed while it was read.
        """
        first, *steps = re.sub(r"\[\d+\]", "", path.removeprefix(f"{self.message.name}.")).split(".")
        field = self.own.get(first) if path.startswith(f"{self.message.name}.") else self.names.header.get(first)
        field = field or self.own.get(first)
        for step in steps:
            nodes = self.names.types[field.wire.name].nodes if field and isinstance(field.wire, ir.Struct) else ()
            field = next((found for found in fields(nodes) if found.name == step), None)
        return field

    def _meaning(self, path: str, value: object, row: Mapping[str, object]) -> str:
        """What a value is, beside its bytes: its name, or the number if the name's table has it in decimal."""
        if isinstance(value, str):
            return json.dumps(value, ensure_ascii=False) if len(value) <= _TEXT else ""
        if isinstance(value, bool | float):
            return str(value).lower()
        if not isinstance(value, int):
            return ""
        label = self._label(path, int(value), row)
        field = self._declared(path)
        enum = field.enum if field else None
        if label and (enum is None or self.names.hexadecimal(enum)):
            return label
        return f"{int(value)} ({label})" if label else str(int(value))

    def _label(self, path: str, value: int, row: Mapping[str, object]) -> str:
        if not path.endswith("]"):  # the items of a list have no label columns
            named, bits = _at(row, f"{path}_name"), _at(row, f"{path}_flags")
            if isinstance(named, str):
                return named
            if isinstance(bits, Sequence):
                return ", ".join(map(str, bits))
        field = self._declared(path)
        if field and field.flags:
            return ", ".join(self.names.bits(field.flags, value))
        return (self.names.label(field.enum, value) or "") if field and field.enum else ""


def _bits(protocol: ir.Protocol) -> Iterator[tuple[str, str]]:
    """Bit fields, and which bits of their bytes they are."""
    nodes = [*protocol.record, *(node for shared in protocol.types for node in shared.nodes)]
    nodes += [node for message in protocol.messages for node in message_nodes(message)]
    for node in every(nodes):
        if isinstance(node, ir.Bits):
            top = node.wire.bits
            for field in node.fields:
                yield field.name, bit_range(top, field.width)
                top -= field.width


def _sections(protocol: ir.Protocol, message: ir.Message) -> Iterator[tuple[str, str]]:
    """Columns and the section they stand in; none if all is in one."""
    for node in protocol.record:
        if isinstance(node, ir.Section):
            yield from ((field.name, node.name) for field in fields(node.nodes))
            yield from ((name, node.name) for name in (node.trailing,) if name)
    if len(protocol.slots) < 2:
        return
    for slot in protocol.slots:
        nodes = [*message.sections.get(slot.name, ())]
        nodes += [node for variant in message.variants for node in variant.sections.get(slot.name, ())]
        yield from ((name, slot.name) for name in declared(nodes))
        yield from ((name, slot.name) for name in (slot.trailing,) if name)


def _at(row: Mapping[str, object], path: str) -> object:
    """The value at a path such as ``entries[0].vb_uuid``; None if there is none."""
    found: object = row
    for step in path.replace("[", ".[").split("."):
        if step.startswith("["):
            index = int(step[1:-1])
            found = found[index] if isinstance(found, Sequence) and index < len(found) else None
        else:
            found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _is_label(path: str) -> bool:
    return path.endswith("_name")


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
    """The lines of a value: the outer two levels a column a line, what is inside them on one."""
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
    raise TypeError(f"no value of a row: {value!r}")
