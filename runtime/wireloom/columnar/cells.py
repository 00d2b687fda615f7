"""Records in the values of a binary column: one in each, or several."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, as_arrow, ends_of, row_numbers, valid_of
from wireloom.codec import DecodeError
from wireloom.codec.cutting import Cut
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.hopping import Hop, hop_of
from wireloom.columnar.python_values import to_arrow
from wireloom.columnar.record_spans import RecordSpans
from wireloom.loops import accel
from wireloom.options import OptionError
from wireloom.views import Row


@dataclass(frozen=True, slots=True)
class _Values:
    """The values that are not null: their numbers, and their positions in ``buffer``."""

    count: int
    buffer: Any
    numbers: Array
    start: Array
    stop: Array

    @classmethod
    def of(cls, values: pa.Array) -> "_Values":
        if not any(is_one(values.type) for is_one in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_null)):
            raise OptionError(f"expected a binary column, not one of {values.type}")
        values = values if values.type == pa.binary() else values.cast(pa.binary())
        data, ends = values.buffers()[2], ends_of(values).astype(np.int64)
        numbers = np.flatnonzero(valid_of(values))
        return cls(len(values), data or b"", numbers, ends[:-1][numbers], ends[1:][numbers])

    def data(self, row: int) -> bytes:
        """The bytes of a value, by its number among those that are not null."""
        return bytes(memoryview(self.buffer)[int(self.start[row]) : int(self.stop[row])])


def one(decoder: Decoder, values: pa.Array) -> pa.Array:
    """A struct for each value, which must be one record; null for null and for unwanted messages.

    Raises ``DecodeError`` at the first malformed one in mode ``FAILFAST``.
    """
    return _one(decoder, _Values.of(values))


def one_between(decoder: Decoder, buffer: Any, start: Array, stop: Array) -> pa.Array:
    """As ``one``, of the bytes in a buffer from each ``start`` to each ``stop``."""
    return _one(decoder, _Values(len(start), buffer, row_numbers(len(start)), start, stop))


def _one(decoder: Decoder, held: _Values) -> pa.Array:
    parameters, options = dict(decoder.options.parameters), decoder.options
    decoder.protocol.must_know(parameters)
    malformed: list[int] = []
    if (stretch := _passed(decoder, held)) is None:
        little, sound = _single(decoder, held)
        malformed = np.flatnonzero(~sound).tolist()
        stretch = RecordSpans(held.buffer, held.start, held.stop, _alike(little[sound], little), -held.start)

    def redo(row: int) -> Row | None:
        found = decoder.protocol.cell(held.data(row), parameters, options.mode, options.only)
        return None if found is None else next(decoder.view.of([found], ""))

    if not accel.WORTH:
        accel.WORTH.add(int((held.stop - held.start).sum()))
    structs, rows = _structs(decoder.records(stretch, malformed, redo, {}))
    if len(rows) == held.count:
        return structs
    places = np.full(held.count, -1)
    places[held.numbers[rows]] = np.arange(len(rows))
    return structs.take(pa.array(places, mask=places < 0))


def _passed(decoder: Decoder, held: _Values) -> RecordSpans | None:
    """The values, if they are the very records that are found and decoded in one pass over all bytes."""
    framing, parameters, start, stop = decoder.framed, dict(decoder.options.parameters), held.start, held.stop
    orders = decoder.protocol.framing.orders(parameters)
    if not accel.WORTH or not len(start) or len(orders) > 1 or (start[1:] != stop[:-1]).any():
        return None
    hop = hop_of(framing, parameters, little=orders[0])
    if not hop.possible or hop.ends:
        return None
    one_pass = decoder.one_pass(parameters, orders[0], np.frombuffer(held.buffer, np.uint8), int(start[0]), hop)
    passed = None if one_pass is None else one_pass.every(held.buffer, start, stop, hop)
    return None if passed is None else RecordSpans(held.buffer, start, stop, orders[0], -start, passed=passed)


def _alike(some: Array, every: Array) -> bool | Array:
    """The byte order that some records have in common, or else that of every one."""
    return bool(some[0]) if len(some) and (some == some[0]).all() else every


def _structs(batches: Iterable[tuple[pa.RecordBatch, Array]]) -> tuple[pa.Array, Array]:
    """All batches as one; the caller limits how many values there are."""
    found, rows = zip(*batches, strict=True)
    structs = [batch.to_struct_array() for batch in found]
    return structs[0] if len(structs) == 1 else pa.concat_arrays(structs), np.concatenate(rows)


def _single(decoder: Decoder, held: _Values) -> tuple[Array, Array]:
    """The byte order of each value, as ``little``, and whether it certainly is one record. None is in doubt,
    because nothing follows it.
    """
    if not decoder.framed.lengths:
        return _framed(decoder, held)
    array, parameters = np.frombuffer(held.buffer, np.uint8), dict(decoder.options.parameters)
    little, sound = np.zeros(len(held.start), bool), np.zeros(len(held.start), bool)
    proofs, open_ = np.zeros(len(held.start), np.int64), row_numbers(len(held.start))
    orders = decoder.protocol.framing.orders(parameters)
    if len(orders) == 1:
        proof = decoder.proof(parameters, orders[0])
        if proof is not None and proof(array, held.start, held.stop).all():
            return np.full(len(held.start), orders[0]), np.ones(len(held.start), bool)
    for order in orders:
        start, stop = held.start[open_], held.stop[open_]
        length, refuted = decoder.framed.proven(array, start, stop, parameters, little=order, doubting=False)
        mine = (length == stop - start) & (length > 0)
        little[open_[mine]] = order
        proofs[open_] += ~refuted
        sound[open_] |= mine
    return little, sound & (proofs == 1)


def _framed(decoder: Decoder, held: _Values) -> tuple[Array, Array]:
    """As ``_single``, if only the codec can decide."""
    little, sound = np.zeros(len(held.start), bool), np.zeros(len(held.start), bool)
    parameters, framing = dict(decoder.options.parameters), decoder.protocol.framing
    for row in range(len(held.start)):
        data = held.data(row)
        with suppress(DecodeError):
            length, little[row] = framing.first(data, 0, len(data), parameters)
            sound[row] = length == len(data)
    return little, sound


def many(decoder: Decoder, values: pa.Array) -> pa.Array:
    """A list of structs for each value, which has consecutive records; null for null.

    Raises ``DecodeError`` at the first malformed record in mode ``FAILFAST``.
    """
    held = _Values.of(values)
    try:
        return _lists(decoder, held)
    except DecodeError:
        for row in range(len(held.start)):  # the error of the first value must be reported
            list(decoder.view.rows(held.data(row), ""))
        raise


def _lists(decoder: Decoder, held: _Values) -> pa.Array:
    found = _Chains(decoder, held)

    def redo(row: int) -> Row | None:
        cell = int(found.cell[row])
        cut = Cut(0, 0, bool(found.little[row]))
        start, stop = int(found.start[row]), int(found.stop[row])
        data, parameters = bytes(memoryview(held.buffer)[start:stop]), dict(decoder.options.parameters)
        return decoder.row(cut, data, start - int(held.start[cell]), parameters, "")

    structs, rows = _structs(decoder.records(found.stretch, (), redo, {}))
    cells = found.cell[rows]
    broken = np.flatnonzero(~found.whole).tolist()
    slow = [(cell, row) for cell in broken for row in decoder.view.rows(held.data(cell), "")]
    if slow:
        made = to_arrow([row for _, row in slow], structs.type)
        structs = pa.concat_arrays([structs, made])
        cells = np.concatenate([cells, [cell for cell, _ in slow]])
        order = np.argsort(cells, kind="stable")
        structs, cells = structs.take(as_arrow(order)), cells[order]
    counts = np.zeros(held.count, np.int32)
    counts[held.numbers] = np.bincount(cells, minlength=len(held.numbers))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    null = np.ones(held.count, bool)
    null[held.numbers] = False
    return pa.ListArray.from_arrays(pa.array(offsets), structs, mask=pa.array(null) if null.any() else None)


_LEAST, _ROOM = 64, 4096
"""How many records of a value are followed at once: more and more, as long as there are as many."""
_BESIDE = 32
"""As long as there are more than so many values per record that one of them may still have, all values are followed
together, a record of each at a time; otherwise one value after another.
"""


class _Chains:
    """The records of the values that consist of sound records; ``whole`` says which values those are."""

    def __init__(self, decoder: Decoder, held: _Values) -> None:
        self.plan = decoder.framed
        self.options = decoder.options
        self.held = held
        self.array = np.frombuffer(held.buffer, np.uint8)
        self.whole = held.start == held.stop
        nothing = np.zeros(0, np.int64)
        parts: list[tuple[Array, Array, Array, Array]] = [(nothing, nothing, nothing, np.zeros(0, bool))]
        framing, known = decoder.protocol.framing, dict(decoder.options.parameters)
        alone = framing.preamble is None or not framing.preamble.awaited(known)  # else each is a capture with a header
        orders = framing.orders(known) if alone else ()
        for little in orders:
            others = tuple(other for other in orders if other is not little)
            parts.append(self._followed(np.flatnonzero(~self.whole), little, others))
        cell, start, stop, of = (np.concatenate(found) for found in zip(*parts, strict=True))
        order = np.argsort(cell, kind="stable")
        self.cell, self.start, self.stop, self.little = cell[order], start[order], stop[order], of[order]

    @property
    def stretch(self) -> RecordSpans:
        """The records; offsets in their reasons are from the start of the value."""
        held = self.held
        return RecordSpans(held.buffer, self.start, self.stop, self.little, -held.start[self.cell])

    def _followed(self, cells: Array, little: bool, others: tuple[bool, ...]) -> tuple[Array, Array, Array, Array]:
        """(value, start, end, byte order) of the records of those ``cells`` that have nothing else in that order."""
        cell, start, stop = self._candidates(cells, little)
        bound, parameters = self.options.max_record_bytes, self.options.parameters
        ends = self.held.stop[cell]
        good = self.plan.sound(self.array, start, stop, ends, parameters, bound=bound, little=little)
        first = np.flatnonzero(start == self.held.start[cell])  # those after it have its order
        good[first] &= self.plan.refuted(self.array, start[first], ends[first], parameters, orders=others)
        reached, bad = self.held.start.copy(), np.zeros(len(self.whole), bool)
        np.maximum.at(reached, cell, stop)
        bad[cell[~good]] = True
        self.whole |= ~bad & (reached == self.held.stop)
        mine = self.whole[cell]
        return cell[mine], start[mine], stop[mine], np.full(int(mine.sum()), little)

    def _candidates(self, cells: Array, little: bool) -> tuple[Array, Array, Array]:
        """(value, start, end) of the records of each value, according to their lengths."""
        found, held = [np.zeros((3, 0), np.int64)], self.held
        start, rounds = held.start[cells], 1.0
        while len(cells) > _BESIDE * rounds and not self.plan.ends:
            ends, parameters = held.stop[cells], self.options.parameters
            length, _ = self.plan.proven(self.array, start, ends, parameters, little=little, doubting=False)
            found.append(np.stack([cells, start, start + length]))
            more = (length > 0) & (start + length < ends)
            cells, start = cells[more], (start + length)[more]
            rounds = (ends[more] - start).sum() / max(1, length[more].sum())
        hop = hop_of(self.plan, self.options.parameters, little=little)
        for cell, at in zip(cells.tolist(), start.tolist(), strict=True) if hop.possible else ():
            found += self._chain(hop, cell, at)
        cell, start, stop = np.concatenate(found, axis=1)
        return cell, start, stop

    def _chain(self, hop: Hop, cell: int, at: int) -> Iterator[Array]:
        """As ``_candidates``, those of one value from ``at`` on."""
        end, room, more = int(self.held.stop[cell]), _LEAST, True
        while more:
            start, at = hop.follow(self.held.buffer, at, end, room)
            yield np.stack([np.full(len(start), cell), start, np.append(start[1:], at)[: len(start)]])
            more, room = len(start) == room, min(4 * room, _ROOM)
