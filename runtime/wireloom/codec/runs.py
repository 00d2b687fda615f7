"""A run of fixed-size fields, read and written with a single ``struct`` call."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from wireloom.codec.accepted_values import unfit
from wireloom.codec.columns import Column
from wireloom.codec.deferred_checks import Validity
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.fields import UNPACKABLE, Field, packing_of
from wireloom.codec.frames import Extremes, Values
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer
from wireloom.options import U64Type


class _Packed:
    """The fields' ``struct`` layout in one byte order."""

    def __init__(self, fields: list[tuple[str, Field]], *, little: bool) -> None:
        kinds = [kind for _, field in fields if (kind := packing_of(field.subcon, little=little)) is not None]
        order = next((kind.order for kind in kinds if kind.order), ">")
        self.struct = struct.Struct(order + "".join(kind.code for kind in kinds))
        self.parts = [struct.Struct(order + kind.code) for kind in kinds]
        self.offsets = [0, *accumulate(part.size for part in self.parts)][: len(kinds)]
        names = [name for name, _ in fields]
        self.loads = [
            (name, kind.load, at) for name, kind, at in zip(names, kinds, self.offsets, strict=True) if kind.load
        ]
        self.dumps = [(index, kind.dump) for index, kind in enumerate(kinds) if kind.dump]


def byte_order(field: Field) -> tuple[str | None, str | None]:
    """The byte order of ``field`` in a big-endian and in a little-endian record; None for a single byte, which has
    none.
    """
    big, little = packing_of(field.subcon), packing_of(field.subcon, little=True)
    assert big is not None and little is not None
    return big.order, little.order


class Run:
    """Consecutive fixed-size fields of one byte order."""

    computed = over = False
    late = ()

    def __init__(self, fields: list[tuple[str, Field]]) -> None:
        self.fields = fields
        self.names = tuple(name for name, _ in fields)
        self.showing = tuple(column for name, field in fields for column in field.showing(name))
        self.big = _Packed(fields, little=False)
        self.size = self.big.struct.size
        self.types = [kind.type for _, field in fields if (kind := packing_of(field.subcon)) is not None]
        packed = [(name, field, at) for (name, field), at in zip(fields, self.big.offsets, strict=True)]
        self._loaded = {
            u64: [(name, load, at) for name, field, at in packed for load in field.loaders(name, u64)]
            for u64 in U64Type
        }
        self._valid = [(name, field, at) for name, field, at in packed if field.valid]
        self.spans: Mapping[str, Extremes] = {name: (at, at + field.sizeof()) for name, field, at in packed}
        self.derived = [(name, field) for name, field in fields if field.derived]
        self._kept = [(index, name, field) for index, (name, field) in enumerate(fields) if field.meaning]
        self._filled = [(name, field) for name, field in fields if field.fills]
        self._checked = [(name, field) for name, field in fields if field.const is not None or field.u64]
        self._validities = [Validity(name, field.valid) for name, field in fields if field.valid]

    @cached_property
    def little(self) -> _Packed:
        """As ``big``, in a record whose byte order is little."""
        return _Packed(self.fields, little=True)

    def columns(self) -> Iterator[Column]:
        """The columns in order."""
        for name, field in self.fields:
            yield from field.columns(name)

    def read(self, reader: Reader, this: Values) -> None:
        """Put the fields' values into ``this``."""
        start = reader.pos
        packing = self.little if reader.little else self.big
        if start + self.size > reader.limit:
            raise self._short(reader, this)
        dict.update(this, zip(self.names, packing.struct.unpack_from(reader.buffer, start), strict=True))
        if reader.trace is not None:
            for (name, field), at in zip(self.fields, packing.offsets, strict=True):
                reader.trace.note(name, start + at, start + at + field.sizeof(), this, field=field)
        for name, convert, at in packing.loads:
            try:
                this[name] = convert(this[name])
            except DecodeError as error:
                error.offset = start + at
                reader.refuse(error.within(name))
        for name, load, at in self._loaded[reader.u64]:
            try:
                load(this)
            except DecodeError as error:
                error.offset = start + at
                reader.refuse(error.within(name))
        reader.frame.runs[self] = start
        reader.pos = start + self.size
        for name, field, at in self._valid:
            field.validate(this, name, reader, start + at)

    def _short(self, reader: Reader, this: Values) -> DecodeError:
        packing = self.little if reader.little else self.big
        for (name, field), part, at in zip(self.fields, packing.parts, packing.offsets, strict=True):
            start = reader.pos + at
            if start + part.size > reader.limit:
                return reader.short(part.size, start).within(name)
            if reader.trace is not None and reader.trace.cut_off:
                this[name] = part.unpack_from(reader.buffer, start)[0]
                reader.trace.note(name, start, start + part.size, this, field=field)
        raise AssertionError("the run fits")

    def write(self, writer: Writer, this: Values) -> None:
        """Write the fields' values, or reserve room for them if some are derived from what follows."""
        start = len(writer.buffer)
        awaited = bool(self.derived)
        for name, field in self._filled:
            if this[name] is None and field.fill(writer, this, name):
                awaited = True
        writer.frame.runs[self] = start
        for validity in self._validities:
            writer.claim(validity, this, taken=True)
        if awaited:
            writer.reserve(self, this, self.size)
        else:
            writer.buffer += self.pack(writer, this)

    def pack(self, writer: Writer, this: Values) -> bytes:
        """The run's bytes. Raises ``EncodeError`` naming the field that is missing or does not fit."""
        packing = self.little if writer.little else self.big
        values = [this[name] for name in self.names]
        try:
            for name, field in self._checked:
                field.check(this, name, writer.u64)
            for index, name, field in self._kept:
                values[index] = field.number(this, name)
            for index, dump in packing.dumps:
                values[index] = dump(values[index])
            return packing.struct.pack(*values)
        except UNPACKABLE:
            unfit = self._unfit(packing, this, self.names, writer.u64)
            raise unfit or AssertionError("every field fits") from None

    def misfit(self, writer: Writer, this: Values) -> EncodeError | None:
        """The error for a given value that does not fit, if there is one."""
        packing = self.little if writer.little else self.big
        given = [name for name in self.names if not writer.awaited.has(this, name)]
        return self._unfit(packing, this, given, writer.u64)

    def _unfit(self, packing: _Packed, this: Values, names: Sequence[str], u64: U64Type) -> EncodeError | None:
        dumps = dict(packing.dumps)
        for index, ((name, field), part) in enumerate(zip(self.fields, packing.parts, strict=True)):
            if name in names:
                value = this[name]
                try:
                    field.check(this, name, u64)
                    value = field.number(this, name) if field.meaning else value
                    part.pack(dumps[index](value) if index in dumps else value)
                except EncodeError as error:
                    return error if error.field else error.within(name)
                except UNPACKABLE:
                    return EncodeError(unfit(value, self.types[index], 8 * part.size), name)
        return None
