"""Packed bytes of many rows at once: all of them unpack into one buffer, in which reading continues."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from wireloom.codec.compression import COMPRESSORS, Compressor, DamagedError, OverflowingError
from wireloom.columnar.arrays import Column, Spans
from wireloom.columnar.buffers import Array, octets, octets_of, ragged
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import Field, number
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows
from wireloom.columnar.values import Extent, ValueReader


class Unpacked(NamedTuple):
    """What the bytes of all rows unpack to: those of ``data`` from each ``start`` to before its ``stop``. The packed
    bytes of rows that are ``kept`` belong beside it.
    """

    data: Array
    start: Array
    stop: Array
    kept: Array | None = None

    @classmethod
    def of(cls, data: Array, sizes: Array) -> "Unpacked":
        """So many bytes of each row, one after another."""
        ends = np.cumsum(sizes)
        return cls(data, ends - sizes, ends)


class Way(Protocol):
    """The transform of bytes. It doubts rows that it cannot unpack."""

    def unpack(self, at: Rows, this: Values, start: Array, sizes: Array) -> Unpacked:
        """What so many bytes of each row, from ``start`` on in the buffer, unpack to."""
        ...


def _packed(at: Rows, start: Array, sizes: Array) -> Array:
    """The packed bytes of all rows, one after another."""
    return octets_of(octets(at.batch.buffer, start, start + sizes, None, None))[0]


class Xor:
    """The XOR with a byte, or with bytes that are the same in all rows and repeated."""

    def __init__(self, key: Vectorised | bytes) -> None:
        self.key = key

    def unpack(self, at: Rows, this: Values, start: Array, sizes: Array) -> Unpacked:
        data = _packed(at, start, sizes)
        if isinstance(self.key, bytes):
            whole = np.frombuffer(self.key or b"\0", np.uint8)
            return Unpacked.of(data ^ whole[ragged(np.zeros(len(sizes), np.int64), sizes) % len(whole)], sizes)
        keys, valid = number(self.key(this, at.record, at.frame), at)
        wrong = (keys < 0) | (keys > 0xFF)
        at.doubt(wrong if valid is None else wrong | ~valid)
        return Unpacked.of(data ^ np.repeat(keys.astype(np.uint8), sizes), sizes)


class Rol:
    """Bytes whose bits were rotated to the left."""

    def __init__(self, bits: int) -> None:
        self.bits = bits % 8

    def unpack(self, at: Rows, this: Values, start: Array, sizes: Array) -> Unpacked:
        data = _packed(at, start, sizes)
        return Unpacked.of(data >> np.uint8(self.bits) | data << np.uint8((8 - self.bits) % 8), sizes)


class Zeros:
    """So many bytes, without the zeros at their end. Rows with zeros that should have been cut off are doubted."""

    def __init__(self, size: int) -> None:
        self.size = size

    def unpack(self, at: Rows, this: Values, start: Array, sizes: Array) -> Unpacked:
        data = _packed(at, start, sizes)
        last = np.zeros(len(sizes), np.uint8)
        some = sizes > 0
        last[some] = data[(np.cumsum(sizes) - 1)[some]]
        at.doubt((some & (last == 0) & (sizes > 1)) | (~some & (self.size > 0)))
        whole = np.maximum(sizes, self.size)
        at.batch.weigh(int(whole.sum()))
        found = np.zeros(int(whole.sum()), np.uint8)
        found[ragged(np.cumsum(whole) - whole, sizes)] = data
        return Unpacked.of(found, whole)


class Compressing:
    """A compression, or none: the one of the ``names`` whose number is asked for. A library is called for each row that
    is compressed; rows that are damaged, or unpack to more than ``limit`` or ``_LARGE`` bytes, are doubted.
    """

    def __init__(self, names: Sequence[str], asked: Vectorised, limit: int) -> None:
        self.steps = [COMPRESSORS.get(name) for name in names]
        self.packs = np.array([step is not None for step in self.steps])
        self.asked = asked
        self.most = min(limit, _LARGE)

    def unpack(self, at: Rows, this: Values, start: Array, sizes: Array) -> Unpacked:
        """If nothing is compressed, the bytes stay where they are; else unpacked bytes are added after them."""
        chosen, _ = number(self.asked(this, at.record, at.frame), at)
        packed = self.packs[chosen]
        buffer, stop = at.batch.buffer, start + sizes
        rows, others = np.flatnonzero(packed), np.flatnonzero(~packed)
        if not len(rows):
            return Unpacked(buffer, start, stop, packed)
        at.batch.weigh_copy(int(sizes[others].sum()))
        view, weight, pieces = buffer.data, 0, []
        told = (each[rows].tolist() for each in (chosen, start, stop))
        for row, step, begin, end in zip(rows.tolist(), *told, strict=True):
            pieces.append(self._one(at, row, self.steps[step], bytes(view[begin:end])))
            weight += len(pieces[-1])
            if weight > _WEIGHED:
                at.batch.weigh(weight)
                weight = 0
        at.batch.weigh(weight)
        found = [_packed(at, start[others], sizes[others]), np.frombuffer(b"".join(pieces), np.uint8)]
        whole, order = sizes.copy(), np.concatenate([others, rows])
        whole[rows] = [len(piece) for piece in pieces]
        stop[order] = np.cumsum(whole[order])
        return Unpacked(np.concatenate(found), stop - whole, stop, packed)

    def _one(self, at: Rows, row: int, step: Compressor | None, data: bytes) -> bytes:
        """The unpacked bytes of a row."""
        assert step is not None
        try:
            return step.unpack(data, self.most)
        except (DamagedError, OverflowingError, ModuleNotFoundError):
            at.doubt(np.array([row]))
            return b""


_WEIGHED = 1024 * 1024
"""After so many bytes it is asked whether they are too many."""
_LARGE = 16 * 1024 * 1024
"""What unpacks to more bytes is left to the codec, which counts them beside the lists of the record."""


def opened(at: Rows, this: Values, way: Way, start: Array, stop: Array) -> tuple[Rows, Values, Column]:
    """Rows of what the bytes from each ``start`` to before its ``stop`` unpack to, and the bytes that are kept."""
    last = len(at.batch.buffer)  # doubted rows may be anywhere
    start = np.clip(start, 0, last)
    sizes = np.clip(stop, start, last) - start
    found = way.unpack(at, this, start, sizes)
    batch = at.batch.unpacked(at.index, found.data, found.start, found.stop)
    inner = Rows(batch, np.arange(len(at)), batch.start, batch.stop, outer=at)
    inner.little, inner.frame.giving = at.little, at.frame
    kept = np.zeros(len(at), bool) if found.kept is None else found.kept
    packed = Spans(at.batch.buffer, start, start + sizes, None if kept.all() else kept)
    return inner, inner.record if this is at.record else Values(inner.selected, this), packed


def closed(at: Rows, inner: Rows) -> None:
    """Doubt the rows of which something is doubted that is packed in them."""
    if inner.batch.doubtful.any():
        at.doubt(inner.batch.doubtful)


class Packed:
    """A value that is packed."""

    def __init__(self, extent: Extent, way: Way, value: ValueReader, raw: str | None) -> None:
        self.extent = extent
        self.way = way
        self.value = value
        self.raw = raw
        self.fixed = extent.fixed

    def read(self, at: Rows, this: Values) -> Column:
        start, stop = self.extent.span(at, this)
        inner, values, packed = opened(at, this, self.way, start, stop)
        found = self.value.read(inner, values)
        closed(at, inner)
        if self.raw is not None:
            this.put(self.raw, packed)
        return found


class Inside(Protocol):
    """A layout."""

    def put(self, at: Rows, this: Values) -> None:
        """Read all of it."""
        ...


class Unpack:
    """The fields of a section whose bytes are packed. Bytes left over go to ``trailing`` or are doubtful."""

    derived: Sequence[Field] = ()
    fixed = None

    def __init__(self, way: Way, content: Inside, trailing: str | None, raw: str | None) -> None:
        self.way = way
        self.content = content
        self.trailing = trailing
        self.raw = raw

    def read(self, at: Rows, this: Values) -> None:
        start, stop = at.at, np.maximum(at.at, at.limit)
        inner, values, packed = opened(at, this, self.way, start, stop)
        self.content.put(inner, values)
        if (left := inner.at < inner.limit).any():
            if self.trailing is None:
                inner.doubt(left)
            else:
                found = Spans(inner.batch.buffer, inner.at, inner.limit, None if left.all() else left)
                values.put(self.trailing, found)
        closed(at, inner)
        for name, column in values.columns.items():
            this.put(name, column)
        if self.raw is not None:
            this.put(self.raw, packed)
        at.move(stop)
