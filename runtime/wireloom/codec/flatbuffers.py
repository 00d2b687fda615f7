"""FlatBuffers tables: reading checks every offset against the buffer, and writing lays the table out anew.

This does not use the FlatBuffers runtime for Python because that has no verifier: a hostile offset makes it read
elsewhere. Format: https://flatbuffers.dev/internals/ (all little-endian). Flat tables consist of scalars, booleans and
strings.
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from wireloom.codec.accepted_values import octets, shown
from wireloom.codec.coercion import Coercion
from wireloom.codec.columns import U64, Column, ColumnType, StructOf
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.fields import TOO_LARGE, UNWRITTEN, is_too_large
from wireloom.codec.frames import Values
from wireloom.codec.layout import NamedPart, Part, container
from wireloom.codec.reader import Reader
from wireloom.codec.tracing import SpanKind, Trace
from wireloom.codec.values import Extent
from wireloom.codec.writer import Writer
from wireloom.options import U64Type

SCALARS = {
    "bool": ("?", "boolean"),
    "i8": ("b", "byte"),
    "u8": ("B", "short"),
    "i16": ("h", "short"),
    "u16": ("H", "int"),
    "i32": ("i", "int"),
    "u32": ("I", "long"),
    "i64": ("q", "long"),
    "u64": ("Q", U64),
    "f32": ("f", "float"),
    "f64": ("d", "double"),
    "text": ("I", "string"),
}


class TableField(NamedTuple):
    """A field of a table: its vtable slot ``id``, its type, and the default a reader sees when it is not stored."""

    name: str
    type: str
    id: int
    default: Any = None

    @property
    def u64(self) -> bool:
        """Whether readers can choose the table type."""
        return self.type == "u64" and not is_too_large(self.default)

    def is_bounded(self, u64: U64Type) -> bool:
        """Whether its numbers must be below 2^63, for readers who choose ``u64``."""
        return self.u64 and u64 is U64Type.LONG


class Table:
    """A FlatBuffers table as the root of a buffer without size prefix."""

    def __init__(self, name: str, *fields: TableField) -> None:
        self.name = name
        self.fields = fields
        self.empty: Values = {field.name: field.default for field in fields}
        self.coercion = Coercion(self.columns())

    def columns(self) -> tuple[Column, ...]:
        """The columns in the table's order."""
        return tuple(
            Column(
                field.name,
                SCALARS[field.type][1],
                u64=field.u64,
                bits=32 if field.type == "f32" else 0,
                unsigned=int(field.type[1:]) if field.type.startswith("u") else 0,
            )
            for field in self.fields
        )

    def read(self, data: bytes, u64: U64Type = U64Type.DECLARED) -> Values:
        """The table's values. Raises ``DecodeError`` with an offset into ``data``."""
        table = _number(data, "<I", 0, "root offset")
        vtable = table - _number(data, "<i", table, "vtable offset")
        vtable_size = _number(data, "<H", vtable, "vtable size")
        table_size = _number(data, "<H", vtable + 2, "table size")
        if vtable_size < 4 or vtable_size % 2 or vtable + vtable_size > len(data):
            raise DecodeError("flatbuffers", f"a vtable of {counted(vtable_size, 'byte')}", vtable)
        if table_size < 4 or table + table_size > len(data):
            raise DecodeError("flatbuffers", f"a table of {counted(table_size, 'byte')}", table)
        values: Values = container(self.empty)
        for field in self.fields:
            slot = 4 + 2 * field.id
            at = _number(data, "<H", vtable + slot, field.name) if slot + 2 <= vtable_size else 0
            if at:
                code = SCALARS[field.type][0]
                if at < 4 or at + struct.calcsize("<" + code) > table_size:
                    raise DecodeError("flatbuffers", f"{at} is outside the table", vtable + slot, field.name)
                value = values[field.name] = _value(data, field, code, table + at)
                if field.is_bounded(u64) and is_too_large(value):
                    raise DecodeError("range", f"{value}{TOO_LARGE}", table + at, field.name)
        return values

    def parts(self, data: bytes) -> Iterator[tuple[str, int, int, Any]]:
        """The parts of a buffer that ``read`` accepts, as (name, start, end, value) in no particular order."""
        table: int = struct.unpack_from("<I", data)[0]
        distance: int = struct.unpack_from("<i", data, table)[0]
        vtable = table - distance
        vtable_size: int = struct.unpack_from("<H", data, vtable)[0]
        yield "(root offset)", 0, 4, table
        yield "(vtable)", vtable, vtable + vtable_size, vtable_size
        yield "(vtable offset)", table, table + 4, distance
        values = self.read(data)
        for field in self.fields:
            slot = 4 + 2 * field.id
            at = struct.unpack_from("<H", data, vtable + slot)[0] if slot + 2 <= vtable_size else 0
            code = "<" + SCALARS[field.type][0]
            start, end = table + at, table + at + struct.calcsize(code)
            if at and field.type == "text":
                offset: int = struct.unpack_from(code, data, start)[0]
                yield f"({field.name} offset)", start, end, offset
                start += offset
                size: int = struct.unpack_from("<I", data, start)[0]
                yield f"({field.name} size)", start, start + 4, size
                yield field.name, start + 4, start + 4 + size, values[field.name]
            elif at:
                yield field.name, start, end, values[field.name]

    def write(self, values: Values) -> bytes:
        """A buffer that decodes to ``values``: the vtable, the table with its widest fields first, then the strings."""
        stored = [field for field in self.fields if values[field.name] not in (None, field.default)]
        stored.sort(key=lambda field: -struct.calcsize(SCALARS[field.type][0]))
        slots = [0] * (max((field.id for field in stored), default=-1) + 1)
        size = 4
        for field in stored:
            width = struct.calcsize(SCALARS[field.type][0])
            size += -size % width
            slots[field.id] = size
            size += width
        vtable_size = 4 + 2 * len(slots)
        table = 4 + vtable_size
        table += -table % 8
        out = bytearray(table + size)
        struct.pack_into("<I", out, 0, table)
        struct.pack_into(f"<{2 + len(slots)}H", out, table - vtable_size, vtable_size, size, *slots)
        struct.pack_into("<i", out, table, vtable_size)
        for field in stored:
            _store(out, field, table + slots[field.id], values[field.name])
        return bytes(out)


def _number(data: bytes, code: str, at: int, what: str, path: str = "") -> int:
    if not 0 <= at <= len(data) - struct.calcsize(code):
        nearest = max(0, min(at, len(data)))
        raise DecodeError("flatbuffers", f"{what} stands outside the {counted(len(data), 'byte')}", nearest, path)
    number: int = struct.unpack_from(code, data, at)[0]
    return number


def _value(data: bytes, field: TableField, code: str, at: int) -> Any:
    value = struct.unpack_from("<" + code, data, at)[0]
    if field.type == "bool" and data[at] > 1:
        raise DecodeError("flatbuffers", f"0 or 1 expected, found {data[at]}", at, field.name)
    if field.type != "text":
        return value
    start = at + value
    size = _number(data, "<I", start, "size of the text", field.name)
    if start + 4 + size > len(data):
        raise DecodeError(
            "flatbuffers", f"{counted(size, 'byte')} of text, {len(data) - start - 4} left", start, field.name
        )
    try:
        return data[start + 4 : start + 4 + size].decode()
    except UnicodeDecodeError:
        raise DecodeError("text", "not utf-8", start + 4, field.name) from None


def _same(one: Values, other: Values) -> bool:
    """Whether the values are the same. One NaN is the same as another."""
    return all(one[name] == other[name] or (one[name] != one[name] and other[name] != other[name]) for name in one)


def _store(out: bytearray, field: TableField, at: int, value: Any) -> None:
    try:
        if field.type == "text":
            out += bytes(-len(out) % 4)
            data = value.encode()
            struct.pack_into("<I", out, at, len(out) - at)
            out += struct.pack("<I", len(data)) + data + b"\0"
        elif field.type == "bool" and not isinstance(value, bool):
            raise TypeError
        else:
            struct.pack_into("<" + SCALARS[field.type][0], out, at, value)
    except (struct.error, TypeError, OverflowError, ValueError, AttributeError):
        raise EncodeError(f"{shown(value)} is no {field.type}", field.name) from None


class FlatBuffer(NamedPart):
    """A table's values under the part's name, and its bytes under ``raw``, since the same values can have different
    bytes.

    Building uses the raw bytes if they still decode to the given values, and writes a new table otherwise.
    """

    def __init__(self, extent: Extent, table: Table, *, raw: str) -> None:
        super().__init__()
        self.extent = extent
        self.table = table
        self.raw = raw

    def called(self, name: str) -> Part:
        return Encoded(name, self)


class Encoded(Part):
    """A table under its name, and its bytes under their own."""

    def __init__(self, name: str, encoding: FlatBuffer) -> None:
        super().__init__()
        self.name = name
        self.encoding = encoding
        self.showing = (name, encoding.raw)

    def columns(self) -> Iterator[Column]:
        columns: ColumnType = StructOf(self.encoding.table.columns())
        yield Column(self.name, columns)
        yield Column(self.encoding.raw, "binary")

    def read(self, reader: Reader, this: Values) -> None:
        begin = reader.pos
        start, end, after = self.encoding.extent.span(reader, this)
        if reader.trace is not None:
            reader.trace.begin(self.name, begin)
            if begin < start:
                reader.trace.note("(length)", begin, start, {"(length)": end - start}, kind=SpanKind.PART)
        data = reader.buffer[start:end]
        try:
            this[self.name] = self.encoding.table.read(data, reader.u64)
        except DecodeError as error:
            error.offset += start
            raise error.within(self.name) from None
        this[self.encoding.raw] = data
        reader.pos = after
        reader.frame[self.name] = (begin, after)
        if reader.trace is not None:
            self._note(reader.trace, data, start, this[self.name])
            reader.trace.finish(after, this[self.name])

    def _note(self, trace: Trace, data: bytes, start: int, values: Values) -> None:
        parts = sorted(self.encoding.table.parts(data), key=lambda part: part[1:3])
        for name, at, end, value in parts:
            trace.note(name, start + at, start + end, {name: value}, kind=SpanKind.PART)
        stored = {name for name, *_ in parts}
        for name in values:
            if name not in stored:
                trace.note(name, start, start, values, kind=SpanKind.DEFAULT)

    def write(self, writer: Writer, this: Values) -> None:
        start = len(writer.buffer)
        if this.get(self.name) is None:
            raise EncodeError("missing", self.name)
        raw = this.get(self.encoding.raw)
        if raw is not None:
            raw = octets(raw, self.encoding.raw)
        outer = writer.path
        writer.path = (outer, self.name)
        self.encoding.extent.write(writer, this, self.octets(this[self.name], raw, writer.u64))
        writer.path = outer
        writer.frame[self.name] = (start, len(writer.buffer))

    def octets(self, table: Any, raw: bytes | None, u64: U64Type = U64Type.DECLARED) -> bytes:
        """The bytes of a table: the ``raw`` ones if they still say the same. Raises ``EncodeError``."""
        values = self.encoding.table.coercion.struct(table, self.encoding.table.empty)
        for field in self.encoding.table.fields:
            if field.is_bounded(u64) and is_too_large(values[field.name]):
                raise EncodeError(f"{shown(values[field.name])}{UNWRITTEN}", field.name)
        values.update({name: default for name, default in self.encoding.table.empty.items() if values[name] is None})
        if raw is not None:
            try:
                if _same(self.encoding.table.read(raw), values):
                    return raw
            except DecodeError:
                pass
        return self.encoding.table.write(values)
