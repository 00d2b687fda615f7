"""FlatBuffers tables of many rows at once: every offset is checked, and where one is wrong the row is in doubt."""

import numpy as np

from wireloom.codec import Table, TableField
from wireloom.columnar.arrays import Column, Numbers, Spans, Structs
from wireloom.columnar.buffers import Array, windows
from wireloom.columnar.fields import Field
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows
from wireloom.columnar.values import Extent, text


class FlatBuffer:
    """A table's values under ``name``, and its bytes under ``raw``."""

    def __init__(self, name: str, extent: Extent, table: Table, *, raw: str, located: bool = False) -> None:
        self.name = name
        self.extent = extent
        self.table = table
        self.raw = raw
        self.located = located
        self.derived: list[Field] = []
        self.fixed = extent.fixed

    def read(self, at: Rows, this: Values) -> None:
        begin = at.at
        start, stop = self.extent.span(at, this)
        this.put(self.name, _Tables(at, start, stop).read(self.table))
        this.put(self.raw, Spans(at.batch.buffer, start, stop))
        if self.located:
            at.frame.put(self.name, begin, at.at)


class _Tables:
    """The tables in the ranges from ``start`` to ``stop``."""

    def __init__(self, at: Rows, start: Array, stop: Array) -> None:
        self.at = at
        self.start = start
        self.stop = stop

    def read(self, table: Table) -> Structs:
        """The tables' values."""
        place = self.start + self.number("<u4", self.start)
        vtable = place - self.number("<i4", place)
        vtable_size = self.number("<u2", vtable)
        table_size = self.number("<u2", vtable + 2)
        self.must((vtable_size >= 4) & (vtable_size % 2 == 0) & (vtable + vtable_size <= self.stop))
        self.must((table_size >= 4) & (place + table_size <= self.stop))
        columns: dict[str, Column] = {}
        for field in table.fields:
            slot = 4 + 2 * field.id
            has_slot = slot + 2 <= vtable_size
            offset = np.where(has_slot, self.number("<u2", vtable + slot, has_slot), 0)
            stored = offset != 0
            code = _CODES[field.type]
            size = int(code[-1])
            self.must(~stored | ((offset >= 4) & (offset + size <= table_size)))
            columns[field.name] = self._value(field, code, place + offset, stored)
        return Structs(len(self.start), columns)

    def _value(self, field: TableField, code: str, place: Array, stored: Array) -> Column:
        data = self.number(code, place, stored)
        if field.type == "text":
            begin = place + data
            size = self.number("<u4", begin, stored)
            stop = begin + 4 + size
            fits = stop <= self.stop
            self.must(~stored | fits)
            held = stored & fits
            return text(self.at, np.where(held, begin + 4, 0), np.where(held, stop, 0), held)
        if field.is_bounded(self.at.batch.u64):
            self.must(data >> np.uint64(63) == 0)
        if field.type == "bool":
            self.must(~stored | (data <= 1))
            data = data != 0
        default = field.default
        if default is None:
            return Numbers(data, stored)
        return Numbers(np.where(stored, data, np.array(default, data.dtype)))

    def number(self, code: str, place: Array, wanted: Array | bool = True) -> Array:
        """The number at each place, 0 where none is ``wanted``; places outside are in doubt."""
        size = int(code[-1])
        inside = (place >= self.start) & (place + size <= self.stop)
        self.must(inside | np.logical_not(wanted))
        found = windows(self.at.batch.buffer, np.where(inside, place, 0), size).view(code)
        if code[1] in "ui" and size < 8:
            found = found.astype(np.int64)
        return np.where(inside & wanted, found, np.zeros(1, found.dtype))

    def must(self, holds: Array) -> None:
        if not holds.all():
            self.at.doubt(~holds)


_CODES = {
    "bool": "<u1", "i8": "<i1", "u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4",
    "i64": "<i8", "u64": "<u8", "f32": "<f4", "f64": "<f8", "text": "<u4",
}  # fmt: skip
"""The numpy code of each type; for text, that of its position."""
