"""Values of variable size, and the extents that say how many bytes are theirs."""

from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from wireloom.columnar.arrays import Column, Lists, Made, Numbers, Spans, Structs
from wireloom.columnar.buffers import Array, ragged, windows
from wireloom.columnar.fields import Block, Expression, Number, number
from wireloom.columnar.rows import Rows, Values
from wireloom.columnar.vectors import true


class Value(Protocol):
    """Something that reads the next value of each row."""

    def read(self, at: Rows, this: Values) -> Column:
        """The values, one a row; the cursors go behind them."""
        ...


class Extent(Protocol):
    """Where a value ends."""

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        """(start, end) of each row's value; the cursors go where reading goes on."""
        ...


class Rest:
    """To the end of the enclosing section."""

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        start = at.at
        stop = np.maximum(start, at.limit)
        at.move(stop)
        return start, stop


class Size:
    """As many bytes as a number or an expression says."""

    def __init__(self, size: int | Expression) -> None:
        self.size = size

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        start = at.at
        if isinstance(self.size, int):
            at.need(self.size)
            at.shift += self.size
            return start, start + self.size
        stop = start + self.measure(at, this)
        at.move(stop)
        return start, stop

    def measure(self, at: Rows, this: Values) -> Array:
        """How many bytes; a size that is missing, negative or more than is left is doubtful, and bounded."""
        value = self.size(this, at.record, at.frame) if callable(self.size) else self.size
        sizes, valid = number(value, at)
        return _bounded(at, sizes, valid)


def _bounded(at: Rows, sizes: Array, valid: Array | None) -> Array:
    left = at.limit - at.at
    wrong = (sizes < 0) | (sizes > left)
    if valid is not None:
        wrong |= ~valid
    if wrong.any():
        at.doubt(wrong)
        return np.where(wrong, 0, sizes)
    return sizes


class Prefixed:
    """A length in front."""

    def __init__(self, length: Value) -> None:
        self.length = length

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        length = self.length.read(at, this)
        assert isinstance(length, Numbers)
        start = at.at
        stop = start + _bounded(at, length.data.astype(np.int64), length.valid)
        at.move(stop)
        return start, stop


class Until:
    """To a terminator, which stands behind."""

    def __init__(self, terminator: bytes) -> None:
        self.terminator = terminator

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        start, size = at.at, len(self.terminator)
        found = at.batch.places(self.terminator)
        behind = np.searchsorted(found, start)
        missing = behind == len(found)
        stop = np.where(missing, start, found[np.minimum(behind, len(found) - 1)]) if len(found) else start
        missing |= stop + size > at.limit
        if missing.any():
            at.doubt(missing)
            stop = np.where(missing, start, stop)
        at.move(stop + np.where(missing, 0, size))
        return start, stop


class Blob:
    """Bytes as they are."""

    def __init__(self, extent: Extent) -> None:
        self.extent = extent

    def read(self, at: Rows, this: Values) -> Column:
        return Spans(at.batch.buffer, *self.extent.span(at, this))


class Text:
    """Text in UTF-8; rows with other bytes are doubtful."""

    def __init__(self, extent: Extent) -> None:
        self.extent = extent

    def read(self, at: Rows, this: Values) -> Column:
        start, stop = self.extent.span(at, this)
        return text(at, start, stop, None)


def text(at: Rows, start: Array, stop: Array, valid: Array | None) -> Made:
    """The bytes as text, those of rows that are in doubt left out."""
    doubtful = at.batch.doubtful[at.index]
    if doubtful.any():
        valid = ~doubtful if valid is None else valid & ~doubtful
    found = Spans(at.batch.buffer, start, stop, valid).arrow(pa.binary())
    try:
        return Made(found.cast(pa.string()))
    except pa.ArrowInvalid:
        wrong = np.array([not _is_utf8(value) for value in found])
        at.doubt(wrong)
        valid = ~wrong if valid is None else valid & ~wrong
        return Made(Spans(at.batch.buffer, start, stop, valid).arrow(pa.string()))


def _is_utf8(value: Any) -> bool:
    try:
        (value.as_py() or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


class Constant:
    """Bytes that must be just these."""

    def __init__(self, value: bytes) -> None:
        self.value = value

    def read(self, at: Rows, this: Values) -> Column:
        start, size = at.at, len(self.value)
        raw, offset = at.gather(size)
        found = raw.view(np.uint8).reshape(-1, raw.itemsize)[:, offset : offset + size]
        wrong = (found != np.frombuffer(self.value, np.uint8)).any(axis=1)
        if wrong.any():
            at.doubt(wrong)
        return Spans(at.batch.buffer, start, start + size)


class Leb128:
    """Unsigned LEB128 of at most ``bits`` bits in its shortest form; whatever is not is doubtful."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def read(self, at: Rows, this: Values) -> Column:
        value = np.zeros(len(at), np.uint64)
        pos = at.at.copy()
        going = np.arange(len(at))
        wrong = np.zeros(len(at), bool)
        for shift in range(0, self.bits, 7):
            short = pos[going] >= at.limit[going]
            wrong[going[short]] = True
            going = going[~short]
            byte = windows(at.batch.buffer, pos[going], 1).view(np.uint8)
            pos[going] += 1
            value[going] |= (byte & 0x7F).astype(np.uint64) << np.uint64(shift)
            if shift + 7 > self.bits:
                wrong[going] |= byte >> (self.bits - shift) != 0
            if shift:
                wrong[going] |= byte == 0
            going = going[byte >= 0x80]
            if not len(going):
                break
        wrong[going] = True
        if wrong.any():
            at.doubt(wrong)
        at.move(pos)
        return Numbers(value if self.bits == 64 else value.astype(np.int64))


class ZigZag:
    """A signed integer of ``bits`` bits, folded into unsigned LEB128."""

    def __init__(self, bits: int) -> None:
        self.unsigned = Leb128(bits)

    def read(self, at: Rows, this: Values) -> Column:
        folded = self.unsigned.read(at, this)
        assert isinstance(folded, Numbers)
        data = folded.data.astype(np.uint64)
        return Numbers(((data >> np.uint64(1)) ^ (np.uint64(0) - (data & np.uint64(1)))).view(np.int64))


class Nested:
    """A struct in a region of its own; bytes that it leaves over are doubtful."""

    def __init__(self, extent: Extent, layout: Value) -> None:
        self.extent = extent
        self.layout = layout

    def read(self, at: Rows, this: Values) -> Column:
        start, stop = self.extent.span(at, this)
        after, outer = at.at, at.limit
        at.move(start)
        at.limit = stop
        found = self.layout.read(at, this)
        if (left := at.at < stop).any():
            at.doubt(left)
        at.move(after)
        at.limit = outer
        return found


ROUNDS = 64
ALL_ROUNDS = 4096
"""Items of varying size are read one round after the other; a row with more of them is left to the codec.

So are all that are still being read when a batch has had so many rounds, those of lists in lists included.
"""


class Repeat:
    """A list: ``count`` items, or up to and with the first for which ``until`` holds, or to the end of the section."""

    def __init__(self, item: Value, *, count: Expression | None = None, until: Expression | None = None) -> None:
        self.item = item
        self.count = count
        self.until = until
        self.fixed = until is None and _fixed_size(item)

    def read(self, at: Rows, this: Values) -> Column:
        counts = self._counts(at, this)
        if self.fixed:
            return self._together(at, this, counts)
        return self._in_rounds(at, this, counts)

    def _counts(self, at: Rows, this: Values) -> Array | None:
        """How many items each row has, as far as that can be known before they are read."""
        left = np.maximum(at.limit - at.at, 0)
        if self.count is None:
            if not self.fixed:
                return None
            counts: Array = left // self.fixed
            if (over := counts * self.fixed != left).any():
                at.doubt(over)
            return counts
        counts, valid = number(self.count(this, at.record, at.frame), at)
        wrong: Array = (counts < 0) | (counts > left // (self.fixed or 1))
        if valid is not None:
            wrong |= ~valid
        if wrong.any():
            at.doubt(wrong)
            counts = np.where(wrong, 0, counts)
        return counts

    def _together(self, at: Rows, this: Values, counts: Array | None) -> Column:
        """Items of one size: where each stands is known."""
        assert counts is not None
        start = at.at
        owner = np.repeat(np.arange(len(at)), counts)
        pos = start[owner] + self.fixed * (ragged(np.zeros(len(at), np.int64), counts))
        inner = at.nested(pos, pos + self.fixed, owner)
        inner.ahead = self.fixed
        items = self.item.read(inner, Values(inner))
        at.move(start + counts * self.fixed)
        return Lists(counts, items)

    def _in_rounds(self, at: Rows, this: Values, counts: Array | None) -> Column:
        """Items of varying size: the first of every row, the second of every row …"""
        pos, going = at.at.copy(), np.arange(len(at))
        parts: list[tuple[Array, Column]] = []
        for turn in range(ROUNDS + 1):
            if counts is not None:
                going = going[counts[going] > turn]
            elif self.until is None:
                going = going[pos[going] < at.limit[going]]
            at.batch.rounds += 1
            too_many = turn == ROUNDS or at.batch.rounds > ALL_ROUNDS
            if too_many:
                at.doubt(going)
                going = going[:0]
            if not len(going) and parts:
                break
            inner = at.nested(pos[going], at.limit[going], going)
            values = Values(inner)
            parts.append((going, self.item.read(inner, values)))
            empty = inner.at == pos[going]
            at.doubt(going[empty])
            pos[going] = inner.at
            ended = empty | at.batch.doubtful[inner.index]
            if self.until is not None:
                ended |= true(self.until(self._struct(parts[-1][1], inner), inner.record, inner.frame))
            going = going[~ended]
        at.move(pos)
        return _gathered(parts, len(at))

    @staticmethod
    def _struct(items: Column, rows: Rows) -> Values:
        """An item's fields, for ``until`` to ask for."""
        assert isinstance(items, Structs)
        values = Values(rows)
        values.columns = items.columns
        return values


def _gathered(parts: list[tuple[Array, Column]], count: int) -> Column:
    """The rounds' items as one list a row."""
    owner = np.concatenate([rows for rows, _ in parts])
    first, rest = parts[0][1], [column for _, column in parts[1:]]
    items: Column = first.joined(rest) if rest else first  # type: ignore[arg-type]
    if rest:
        items = items.take(np.argsort(owner, kind="stable"))
    return Lists(np.bincount(owner, minlength=count), items)


def _fixed_size(item: Value) -> int:
    """The bytes of an item that has as many in every row; 0 if that varies."""
    if isinstance(item, Number):
        return item.size
    steps = getattr(item, "steps", None)
    if steps is None or not all(isinstance(step, Block) for step in steps):
        return 0
    return sum(step.size for step in steps)
