"""Tables of decoded records back to bytes: programs write many rows at once, and verify them by reading them again.

Bytes that decode to the given values are right, because values determine the bytes of a record. All other rows are
built one by one by the codec, with its bytes and errors.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.buffers import (
    LARGEST,
    Allocate,
    Array,
    array,
    as_arrow,
    as_numpy,
    binaries,
    occurring,
    own_room,
    row_numbers,
    strings,
    valid_of,
    woven,
)
from wireloom.codec import EncodeError, Protocol
from wireloom.codec.captures import CaptureBuilder, may_lack_terminator
from wireloom.codec.parameter_discovery import WITHIN
from wireloom.codec.protocol import POSITIONS, PROVENANCE
from wireloom.columnar import arrow_schema
from wireloom.columnar.envelopes import closed
from wireloom.columnar.execution.encoding import WritingProgram, together, writing
from wireloom.columnar.execution.input_columns import outline_of
from wireloom.columnar.input_arrays import own, unpacked_size
from wireloom.columnar.memory_budget import weight_of
from wireloom.columnar.python_values import to_python
from wireloom.loops import accel
from wireloom.loops.compiled import labelled, weave
from wireloom.programs.writing.inputs import VARIANT, Outline
from wireloom.views import FILE, REASON, RECORD, Row

BATCH_ROWS = 128 * 1024
"""How many rows are laid out at once."""
_FEW = 512
"""How many rows are examined together as long as they may decide how the others are written."""
_UNKNOWN = -2
"""The number of a variant that there is not."""
MANY = 200
"""Fewer rows of one kind are built sooner one by one than together."""
_ENOUGH, _HEAVY = BATCH_ROWS, 64 * 1024 * 1024
"""No more rows, or bytes, than these are put together."""
_COPIED = 6 * 1024 * 1024
"""To copy so many bytes for each of its messages takes as long as to encode a batch does besides its rows."""
LEFT_OUT = frozenset({FILE.name, *(column.name for column in (*POSITIONS, *PROVENANCE))})
"""The columns with where a record was, and how it was sent, which is not in its bytes."""
_ORDERS = ("big", "little")


class _RowGroup(NamedTuple):
    """The ``rows`` of a message in a byte order, and the number of the variant of each, -1 if it has none."""

    code: int
    order: str | None
    rows: Array
    variants: Array

    def where(self, chosen: Array) -> "_RowGroup":
        """Those of its rows that the mask chooses."""
        return self if chosen.all() else self._replace(rows=self.rows[chosen], variants=self.variants[chosen])


class Encoder:
    """Encodes batches of one capture, in order, or of rows that are each ``alone``, with these ``parameters``.

    If it is ``lenient``, rows that cannot be written are null. What programs write goes to where there is ``room``.
    """

    def __init__(
        self,
        protocol: Protocol,
        parameters: Mapping[str, Any],
        *,
        alone: bool = False,
        lenient: bool = False,
        room: Allocate = own_room,
    ) -> None:
        self.protocol = protocol
        self.lenient = lenient
        self.room = room
        self.builder = CaptureBuilder(protocol, parameters, alone=alone)
        self.messages = list(protocol.records.values())
        self.codes = {name: code for code, name in enumerate(protocol.records)}
        self.header = [column.name for column in protocol.record.columns]
        self.plain = LEFT_OUT | {"message", RECORD.name, REASON.name}
        self.kinds = {field.name: field.type for field in arrow_schema(protocol.columns)}
        self.labels = frozenset(column.name for column in protocol.record.columns if column.label)
        self.rows = 0

    def encode(self, batch: pa.RecordBatch) -> pa.Array:
        """The bytes of each row. Raises ``EncodeError`` with the number of the ``row``, and ``pa.ArrowInvalid`` for a
        column that leads out of its memory.
        """
        found = list(self.parts(batch))
        return pa.concat_arrays(found) if found else pa.array([], pa.binary())

    def parts(self, batch: pa.RecordBatch) -> Iterator[pa.Array]:
        """The same, some rows after the other."""
        must_be_told_apart(batch, self.rows)
        at = 0
        while at < len(batch):
            size, tells, rest = self.builder.size, self._tells, self._some(batch.slice(at, BATCH_ROWS))
            count, unknown = self._quiet(rest)
            if count < min(MANY, len(rest)):
                some = rest.slice(0, count + unknown)
                found = self._built(some, row_numbers(len(some)))
            else:
                some = rest.slice(0, count)
                found = self._encoded(some)
                if tells:
                    self.builder.passed(size + (pc.sum(pc.binary_length(found)).as_py() or 0))
            at, self.rows = at + len(some), self.rows + len(some)
            yield found

    def _some(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """As many of the first rows as have records that an array holds, with columns as readers have them."""
        size = sum(map(unpacked_size, batch.columns))
        rest = own(batch.slice(0, max(1, LARGEST // 2 // max(1, size))), self.kinds)
        while len(rest) > 1 and sum(map(weight_of, rest.columns)) > LARGEST // 2:
            rest = rest.slice(0, len(rest) // 2)
        return rest

    @property
    def _tells(self) -> bool:
        """Whether rows may still decide how those after them are written."""
        return self.builder.listener is not None and self.builder.size < WITHIN

    def _quiet(self, batch: pa.RecordBatch) -> tuple[int, int]:
        """How many rows are before the first that may decide how later ones are written, and how many follow until it
        has decided.
        """
        listener = self.builder.listener
        if self.protocol.preamble is not None:
            return 0, _FEW
        if listener is None or not self._tells:
            return len(batch), 0
        if not _names_messages(batch):
            return 0, _FEW
        wanted = strings(sorted(listener.wanted))
        for some in (batch.slice(0, _FEW), batch):
            names = some.column("message")
            tells = as_numpy(pc.or_(names.is_null(), pc.is_in(names, value_set=wanted)))
            if tells.any():
                return int(tells.argmax()), 1
        return len(batch), 0

    def _encoded(self, batch: pa.RecordBatch) -> pa.Array:
        strange, groups = self._strange(batch), list(self._groups(batch))
        if strange.any():
            groups = [group.where(~strange[group.rows]) for group in groups]
        written = self._written(batch, groups)
        if written is None:
            return self._built(batch, row_numbers(len(batch)))
        records, sound = written
        if sound.all():
            return records
        left = np.flatnonzero(~sound)
        parts, numbers = [self._built(batch, left)], [left]
        if sound.any():
            parts.append(records.filter(as_arrow(sound)))
            numbers.append(np.flatnonzero(sound))
        if accel.WORTH and not any(part.null_count for part in parts) and sum(part.nbytes for part in parts) < LARGEST:
            return _woven(parts, numbers)
        return woven(parts, numbers)

    def _strange(self, batch: pa.RecordBatch) -> Array:
        """The rows in which something is given that the codec refuses, or that says how they are written."""
        known = {*self.header, *self.plain, self.protocol.framing.byte_order}
        structs, found = np.zeros(len(batch), bool), np.zeros(len(batch), bool)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.null_count == len(column):
                continue
            same = name in self.kinds and _means(self.kinds[name], column.type)
            if name in self.codes and same:
                there = valid_of(column)
                found |= there & structs
                structs |= there
            elif name not in known or (name in self.header and not same):
                found |= valid_of(column)
        return found

    def _built(self, batch: pa.RecordBatch, rows: Array) -> pa.Array:
        """What the codec makes of some rows."""
        found: list[bytes | None] = []
        for number, row in zip(rows.tolist(), plain(batch.take(as_arrow(rows))), strict=True):
            try:
                found.append(self.builder.build(row))
            except EncodeError as error:
                if not self.lenient:
                    error.row = self.rows + number
                    raise
                found.append(None)
        return binaries(found)

    def _groups(self, batch: pa.RecordBatch) -> Iterator[_RowGroup]:
        """The rows that are laid out alike."""
        names, order = batch.schema.names, self.protocol.framing.byte_order or ""
        if not _names_messages(batch):
            return
        keys = {"message": batch.column("message")}
        if order in names:
            keys["order"] = batch.column(order)
        if RECORD.name in names and batch.column(RECORD.name).null_count < len(batch):
            keys["sound"] = batch.column(RECORD.name).is_null()
        for found, rows in _distinct(keys):
            message = found["message"] or ""
            if message not in names or message not in self.codes or not found.get("sound", True):
                continue
            code, column = self.codes[message], batch.column(message)
            if pa.types.is_struct(column.type):
                variants = self._variants(code, column, rows)
                yield _RowGroup(code, found.get("order"), rows, variants).where(variants != _UNKNOWN)

    def _variants(self, code: int, column: pa.Array, rows: Array) -> Array:
        """The number of the variant of each of these rows of a message's column, -1 if it has none."""
        if column.type.get_field_index("variant") < 0:
            return np.full(len(rows), -1)
        names = pc.struct_field(column, "variant")
        if names.type != pa.string():
            return np.full(len(rows), -1 if pa.types.is_null(names.type) else _UNKNOWN)
        numbers, told = _numbered(names, rows)
        known: dict[str | None, int] = {None: -1}
        known |= {variant.name: number for number, variant in enumerate(self.messages[code].variants)}
        return np.array([known.get(name, _UNKNOWN) for name in told], np.int64).take(numbers)

    def _told(self, group: _RowGroup) -> tuple[dict[str, Any], bool] | None:
        """The parameters of such rows, and whether they are little-endian; None if these are not given, or not
        known.
        """
        framing, parameters = self.protocol.framing, dict(self.builder.known)
        if group.order not in (None, *_ORDERS):
            return None
        if group.order is not None and framing.byte_order:
            parameters[framing.byte_order] = group.order
        orders = framing.orders(parameters)
        return (parameters, orders[0]) if len(orders) == 1 else None

    def _written(self, batch: pa.RecordBatch, groups: Sequence[_RowGroup]) -> tuple[pa.Array, Array] | None:
        """The bytes of rows as programs write them, and which of them are sure; None if no program writes any."""
        outline = cache(lambda name: outline_of(batch.column(name)))
        chosen = []
        for group in groups:
            program = self._program(outline, batch, group) if len(group.rows) else None
            if program is not None:
                chosen.append((program, group))
        if not chosen:
            return None
        variants = chosen[0][1].variants
        if len(variants) < len(batch):
            variants = np.zeros(len(batch), np.int64)
            for _, group in chosen:
                variants[group.rows] = group.variants
        table = batch.append_column(VARIANT, as_arrow(variants))
        found = together(table, [(program, group.rows) for program, group in chosen], self.room)
        envelope = self.protocol.record.envelope
        if found is None or envelope is None:
            return found
        between = closed(found[0], envelope)
        return None if between is None else (between[0], found[1] & between[1])

    def _program(
        self, outline: Callable[[str], Outline | None], batch: pa.RecordBatch, group: _RowGroup
    ) -> WritingProgram | None:
        """What writes such rows, if a program does. ``outline`` gives those of the batch's columns."""
        told = self._told(group)
        name = self.messages[group.code].name
        given = batch.schema.names
        names = [each for each in (*self.header, name) if each in given]
        if told is None or not all(_typed(self.kinds[each], batch.schema.field(each).type) for each in names):
            return None
        parameters, little = told
        outlines = ((each, outline(each)) for each in names)
        found = tuple((each, known) for each, known in outlines if known is not None)
        return writing(self.protocol, parameters, little=little).of(group.code, found)


def gathered(protocol: Protocol, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of batches, with small batches joined: encoding a message's rows costs almost the same for few and many.

    Columns of messages that do not occur are left out.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        weights = [weight_of(column) for column in batch.columns]
        columns = zip(batch.schema.names, weights, strict=True)
        messages = sum(weight > 0 for name, weight in columns if name in protocol.messages)
        weight = sum(weights)
        large = weight > _COPIED * max(1, messages)
        if held and (large or rows + len(batch) > _ENOUGH or size + weight > _HEAVY):
            yield _joined(held, protocol)
            held, rows, size = [], 0, 0
        if large:
            yield batch
            continue
        held.append(batch)
        rows, size = rows + len(batch), size + weight
    if held:
        yield _joined(held, protocol)


def ended(protocol: Protocol, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of batches, which are written one after the other: of those that lack their terminator, only the last
    one still does. A batch that ends with such a row is held back until the next one comes.
    """
    name = may_lack_terminator(protocol)
    if not name:
        yield from batches
        return
    held = None
    for batch in batches:
        if held is not None and len(batch):
            yield _ended(held, name, len(held))
            held = None
        if len(batch) and _lacking(batch, name)[-1]:
            held = batch
        elif held is None or len(batch):
            yield _ended(batch, name, len(batch))
    if held is not None:
        yield _ended(held, name, len(held) - 1)


def _ended(batch: pa.RecordBatch, name: str, stop: int) -> pa.RecordBatch:
    """The batch, in which no row before ``stop`` lacks its terminator."""
    lacking = _lacking(batch, name)
    lacking[stop:] = False
    if not lacking.any():
        return batch
    column = pc.if_else(as_arrow(lacking), None, batch.column(name))
    return batch.set_column(batch.schema.get_field_index(name), name, column)


def _lacking(batch: pa.RecordBatch, name: str) -> Array:
    """The rows whose terminator, which the column says, is empty."""
    place = batch.schema.get_field_index(name)
    column = own(batch.select([place]), {name: pa.binary()}).column(0) if place >= 0 else pa.nulls(len(batch))
    if column.type != pa.binary():
        return np.zeros(len(batch), bool)
    return np.array(pc.equal(pc.binary_length(column), 0).fill_null(False))


def _joined(batches: Sequence[pa.RecordBatch], protocol: Protocol) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    names = batches[0].schema.names
    absent = [
        name
        for name in protocol.messages
        if names.count(name) == 1 and all(each.column(name).null_count == len(each) for each in batches)
    ]
    return pa.concat_batches([each.drop_columns(absent) for each in batches])


def _woven(parts: Sequence[pa.Array], numbers: Sequence[Array]) -> pa.Array:
    """The values of several arrays as one. ``numbers`` are the rows that each array has, together all of them."""
    owners = np.empty(sum(map(len, numbers)), np.int64)
    for owner, rows in enumerate(numbers):
        owners[rows] = owner
    found = [(part.buffers(), part.offset) for part in parts]
    places = np.array([ends.address + 4 * offset for (_, ends, _), offset in found], np.int64)
    begins = np.array([octets.address if octets else 0 for (_, _, octets), _ in found], np.int64)
    size = sum(int(pc.sum(pc.binary_length(part)).as_py() or 0) for part in parts)
    ends, octets = pa.allocate_buffer(4 * len(owners) + 4), pa.allocate_buffer(size)
    weave(places, begins, owners, ends.address, octets.address)
    return array(pa.binary(), len(owners), None, ends, octets)


def _numbered(column: pa.Array, rows: Array) -> tuple[Array, list[Any]]:
    """A number for the value in each of these rows, and the values by their numbers."""
    if 0 < len(rows) == len(column) and not column.null_count and _is_constant(column):
        return np.zeros(len(column), np.int32), [column[0].as_py()]
    if accel.WORTH and column.type == pa.string() and not (column.null_count and not valid_of(column)[rows].all()):
        _, ends, octets = column.buffers()
        found = labelled(ends.address + 4 * column.offset, octets.address if octets else 0, rows)
        if found is not None:
            return found[0], [column[row].as_py() for row in found[1].tolist()]
    chosen = column if len(rows) == len(column) else column.take(as_arrow(rows))
    encoded = chosen.dictionary_encode(null_encoding="encode")
    return as_numpy(encoded.indices), encoded.dictionary.to_pylist()


def _is_constant(column: pa.Array) -> bool:
    """Whether all values of a column, which has no nulls, are the same."""
    return bool(column.slice(1).equals(column.slice(0, len(column) - 1)))


def _distinct(keys: Mapping[str, pa.Array]) -> Iterator[tuple[Row, Array]]:
    """The rows that have the same values for all keys, and these values."""
    length, codes, told = len(next(iter(keys.values()))), None, []
    occurs: Iterable[int] = range(min(1, length))
    for column in keys.values():
        numbers, values = _numbered(column, row_numbers(length))
        told.append(values)
        if len(values) < 2:
            continue
        if codes is None:
            codes, occurs = numbers, range(len(values))
        else:
            codes = codes.astype(np.int64) * len(values) + numbers
            occurs = sorted(occurring(codes))
    for code in occurs:
        rows = row_numbers(length) if codes is None else np.flatnonzero(codes == code)
        found: Row = {}
        for name, values in reversed(list(zip(keys, told, strict=True))):
            code, number = divmod(code, max(1, len(values)))
            found[name] = values[number]
        yield found, rows


def must_be_told_apart(batch: pa.RecordBatch, row: int) -> None:
    """Raises ``EncodeError`` with the first ``row`` of the batch if two columns or fields of a struct share a name."""
    twice = _given_twice(batch.schema)
    if twice is not None:
        error = EncodeError("given twice", twice)
        error.row = row
        raise error


def _given_twice(fields: Iterable[pa.Field]) -> str | None:
    """The path of a name that two fields have, at any depth."""
    names = set()
    for field in fields:
        if field.name in names:
            return str(field.name)
        names.add(field.name)
        kind, inside = field.type, ""
        while hasattr(kind, "value_field"):
            kind, inside = kind.value_type, f"{inside}[]"
        twice = _given_twice(kind) if pa.types.is_struct(kind) else None
        if twice is not None:
            return f"{field.name}{inside}.{twice}"
    return None


def _names_messages(batch: pa.RecordBatch) -> bool:
    """Whether a column of texts names the messages."""
    return "message" in batch.schema.names and bool(batch.column("message").type == pa.string())


def _means(known: pa.DataType, given: pa.DataType) -> bool:
    """Whether values of a type mean what readers mean by theirs: of structs, those of fields that they have, once."""
    types = pa.types
    if types.is_struct(known) and types.is_struct(given):
        fields = {field.name: field.type for field in known}
        once = len({field.name for field in given}) == given.num_fields
        return once and all(field.name in fields and _means(fields[field.name], field.type) for field in given)
    if types.is_list(known) and types.is_list(given):
        return _means(known.value_type, given.value_type)
    if types.is_decimal(known) and given == pa.int64():
        return bool(known.scale == 0)
    both_float = types.is_floating(known) and types.is_floating(given)
    return bool(both_float or types.is_null(given) or known.equals(given))


def _typed(known: pa.DataType, given: pa.DataType) -> bool:
    """Whether values are given as readers have them, unsigned ones perhaps as longs."""
    if pa.types.is_struct(known) and pa.types.is_struct(given):
        there = {field.name: field.type for field in known}
        return all(field.name in there and _typed(there[field.name], field.type) for field in given)
    return bool(known.equals(given)) or (pa.types.is_decimal(known) and given == pa.int64())


def plain(batch: pa.RecordBatch) -> Iterator[Row]:
    """The rows of a batch as ``Protocol.build`` takes them. Columns without any value are skipped."""
    names, columns = [], []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name not in LEFT_OUT and column.null_count < len(column):
            names.append(name)
            columns.append(to_python(column))
    given = zip(*columns, strict=True) if columns else iter([()] * batch.num_rows)
    return (dict(zip(names, row, strict=True)) for row in given)
