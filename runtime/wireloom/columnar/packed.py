"""What is packed, in many rows at once: a buffer of what all of them unpack to, in which reading goes on."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from wireloom.columnar.arrays import Column, Spans
from wireloom.columnar.buffers import Array, ragged
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import Field, number
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows
from wireloom.columnar.values import Extent, ValueReader


class Way(Protocol):
    """What bytes go through. It doubts rows of which it cannot tell what they unpack to."""

    def unpack(self, at: Rows, this: Values, data: Array, sizes: Array) -> tuple[Array, Array]:
        """What the packed bytes of all rows, one behind the other, unpack to, and how many bytes each row has of it."""
        ...


class Xor:
    """The XOR with a byte, or with bytes that are the same in all rows and repeated."""

    def __init__(self, key: Vectorised | bytes) -> None:
        self.key = key

    def unpack(self, at: Rows, this: Values, data: Array, sizes: Array) -> tuple[Array, Array]:
        if isinstance(self.key, bytes):
            whole = np.frombuffer(self.key or b"\0", np.uint8)
            return data ^ whole[ragged(np.zeros(len(sizes), np.int64), sizes) % len(whole)], sizes
        keys, valid = number(self.key(this, at.record, at.frame), at)
        wrong = (keys < 0) | (keys > 0xFF)
        at.doubt(wrong if valid is None else wrong | ~valid)
        return data ^ np.repeat(keys.astype(np.uint8), sizes), sizes


class Rol:
    """Bytes whose bits were rotated to the left."""

    def __init__(self, bits: int) -> None:
        self.bits = bits % 8

    def unpack(self, at: Rows, this: Values, data: Array, sizes: Array) -> tuple[Array, Array]:
        return data >> np.uint8(self.bits) | data << np.uint8((8 - self.bits) % 8), sizes


class Zeros:
    """So many bytes, without the zeros at their end. Rows with zeros that should have been cut off are doubted."""

    def __init__(self, size: int) -> None:
        self.size = size

    def unpack(self, at: Rows, this: Values, data: Array, sizes: Array) -> tuple[Array, Array]:
        last = np.zeros(len(sizes), np.uint8)
        some = sizes > 0
        last[some] = data[(np.cumsum(sizes) - 1)[some]]
        at.doubt((some & (last == 0) & (sizes > 1)) | (~some & (self.size > 0)))
        whole = np.maximum(sizes, self.size)
        at.batch.weigh(int(whole.sum()))
        found = np.zeros(int(whole.sum()), np.uint8)
        found[ragged(np.cumsum(whole) - whole, sizes)] = data
        return found, whole


def opened(at: Rows, this: Values, way: Way, start: Array, stop: Array) -> tuple[Rows, Values]:
    """Rows of what the bytes from each ``start`` to before its ``stop`` unpack to."""
    last = len(at.batch.buffer)  # doubted rows may stand anywhere
    start = np.clip(start, 0, last)
    sizes = np.clip(stop, start, last) - start
    data, sizes = way.unpack(at, this, at.batch.buffer[ragged(start, sizes)], sizes)
    ends = np.cumsum(sizes)
    batch = at.batch.unpacked(at.index, data, ends - sizes, ends)
    inner = Rows(batch, np.arange(len(at)), batch.start, batch.stop, outer=at)
    inner.little = at.little
    return inner, inner.record if this is at.record else Values(inner.selected, this)


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
        inner, values = opened(at, this, self.way, start, stop)
        found = self.value.read(inner, values)
        closed(at, inner)
        if self.raw is not None:
            this.put(self.raw, Spans(at.batch.buffer, start, start, np.zeros(len(at), bool)))
        return found


class Inside(Protocol):
    """A layout."""

    def put(self, at: Rows, this: Values) -> None:
        """Read all of it."""
        ...


class Unpack:
    """The fields of a section whose bytes are packed. What is left over goes to ``trailing`` or is doubtful."""

    derived: Sequence[Field] = ()
    fixed = None

    def __init__(self, way: Way, content: Inside, trailing: str | None, raw: str | None) -> None:
        self.way = way
        self.content = content
        self.trailing = trailing
        self.raw = raw

    def read(self, at: Rows, this: Values) -> None:
        start, stop = at.at, np.maximum(at.at, at.limit)
        inner, values = opened(at, this, self.way, start, stop)
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
            this.put(self.raw, Spans(at.batch.buffer, start, start, np.zeros(len(at), bool)))
        at.move(stop)
