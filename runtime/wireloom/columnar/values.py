"""Values of variable size, and the extents that say how many bytes are theirs."""

from typing import Protocol

import numpy as np
import pyarrow as pa

from wireloom.codec.meanings import Meaning
from wireloom.columnar.arrays import Column, Made, Numbers, Spans
from wireloom.columnar.buffers import Array
from wireloom.columnar.encodings import translated
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import number
from wireloom.columnar.frames import Values
from wireloom.columnar.meanings import meant
from wireloom.columnar.places import Scattered
from wireloom.columnar.refusals import Unit
from wireloom.columnar.rows import Rows


class ValueReader(Protocol):
    """Something that reads the next value of each row."""

    @property
    def fixed(self) -> int | None:
        """Its size, if it is the same in every row."""
        ...

    def read(self, at: Rows, this: Values) -> Column:
        """The values, one per row; moves the cursors past them."""
        ...


class Extent(Protocol):
    """Where a value ends."""

    @property
    def fixed(self) -> int | None:
        """Its size with a length or a terminator, if it is the same in every row."""
        ...

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        """(start, end) of each row's value; the cursors move to where reading continues."""
        ...


class Rest:
    """To the end of the enclosing section."""

    fixed = None

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        start = at.at
        stop = np.maximum(start, at.limit)
        at.move(stop)
        return start, stop


class Size:
    """As many bytes as a number or an expression says."""

    def __init__(self, size: int | Vectorised) -> None:
        self.size = size
        self.fixed = size if isinstance(size, int) else None

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        if isinstance(self.size, int):
            start = at.at
            at.need(self.size)
            at.shift += self.size
            return start, start + self.size
        sizes, valid = number(at.ask(self.size, this), at)
        return at.skip(_bounded(at, sizes, valid))


def _bounded(at: Rows, sizes: Array, valid: Array | None) -> Array:
    """Numbers of bytes; a size that is negative or exceeds the bytes left is refused and then limited."""
    left = at.limit - at.at
    wrong = (sizes < 0) | (sizes > left)
    if valid is not None and not valid.all():
        at.doubt(~valid)
        wrong |= ~valid
    if wrong.any():
        at.short(wrong, sizes, at.at)
        return np.where(wrong, 0, sizes)
    return sizes


class Prefixed:
    """After a length prefix."""

    fixed = None

    def __init__(self, length: ValueReader) -> None:
        self.length = length

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        length = self.length.read(at, this)
        assert isinstance(length, Numbers)
        sizes = length.data.astype(np.int64)
        if (strange := sizes < 0).any():  # numpy's numbers do not hold it
            at.doubt(strange)
        return at.skip(_bounded(at, sizes, length.valid))


class Blob:
    """Bytes as they are."""

    def __init__(self, extent: Extent) -> None:
        self.extent = extent
        self.fixed = extent.fixed

    def read(self, at: Rows, this: Values) -> Column:
        return Spans(at.batch.buffer, *self.extent.span(at, this))


class Text:
    """Text in UTF-8, or in an encoding that has one byte for each character. Other bytes are refused, or kept if it is
    not ``strict``.
    """

    def __init__(self, extent: Extent, encoding: str, *, strict: bool) -> None:
        self.extent = extent
        self.encoding = encoding
        self.strict = strict
        self.fixed = extent.fixed

    def read(self, at: Rows, this: Values) -> Column:
        place = at.at
        start, stop = self.extent.span(at, this)
        if at.apart and (over := at.count("apart", np.arange(len(at)), stop - start)).any():
            at.doubt(over)
            stop = np.where(over, start, stop)
        if self.encoding != "utf-8":
            return translated(at, start, stop, self.encoding)
        return text(at, start, stop, None, place if self.strict else None)


def text(at: Rows, start: Array, stop: Array, valid: Array | None, place: Array | None = None) -> Made:
    """The bytes as text, without those of doubtful rows.

    Rows with other bytes are refused with an error at ``place``; if there is none, these are kept.
    """
    at.batch.weigh_copy(int((stop - start).sum()))
    doubtful = at.batch.doubtful[at.index]
    if doubtful.any():
        valid = ~doubtful if valid is None else valid & ~doubtful
    found = Spans(at.batch.buffer, start, stop, valid).arrow(pa.binary())
    try:
        return Made(found.cast(pa.string()))
    except pa.ArrowInvalid:
        wrong, details = _no_text(at, start, stop, valid)
        if place is None:
            at.keep(wrong)
        else:
            at.refuse(wrong, "text", place, details)
        valid = ~wrong if valid is None else valid & ~wrong
        return Made(Spans(at.batch.buffer, start, stop, valid).arrow(pa.string()))


def _no_text(at: Rows, start: Array, stop: Array, valid: Array | None) -> tuple[Array, list[str]]:
    """Which rows have bytes that are not UTF-8, and their errors. Those that are all ASCII need no check."""
    high = at.batch.places_of_high()
    strange = np.searchsorted(high, start) < np.searchsorted(high, stop)
    rows = np.flatnonzero(strange if valid is None else strange & valid)
    wrong, details = np.zeros(len(at), bool), []
    data = memoryview(at.batch.buffer.data)
    for row, begin, end in zip(rows.tolist(), start[rows].tolist(), stop[rows].tolist(), strict=True):
        try:
            str(data[begin:end], "utf-8")
        except UnicodeDecodeError as error:
            found = data[begin + error.start : begin + error.end].hex()
            details.append(f"not utf-8 at byte {error.start} of it: {found}")
            wrong[row] = True
    return wrong, details


class As:
    """The meaning of numbers or bytes; those without one are doubtful."""

    def __init__(self, value: ValueReader, meaning: Meaning) -> None:
        self.value = value
        self.meaning = meaning
        self.fixed = value.fixed

    def read(self, at: Rows, this: Values) -> Column:
        found = meant(self.meaning, self.value.read(at, this))
        for which in (found.doubtful, found.none):
            if which is not None:
                at.doubt(which)
        return found.column


class Constant:
    """Bytes that must be just these."""

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.fixed = len(value)

    def read(self, at: Rows, this: Values) -> Column:
        start, size = at.at, len(self.value)
        raw, offset = at.gather(size)
        found = raw.view(np.uint8).reshape(-1, raw.itemsize)[:, offset : offset + size]
        wrong = (found != np.frombuffer(self.value, np.uint8)).any(axis=1)
        if wrong.any():
            shown = [bytes(each).hex() for each in found[wrong]]
            at.refuse(wrong, "constant", start, f"{self.value.hex()} expected, found ", shown)
        return Spans(at.batch.buffer, start, start + size)


def left_over(at: Rows) -> tuple[Array, Array]:
    """From where to where there are bytes that nobody has read of the region that ends here."""
    if not at.scattered:
        return at.at, at.limit
    start, end, doubtful = at.scattered.left_over(at.at, at.limit)
    at.doubt(doubtful)
    return start, end


class Nested:
    """A struct in a region of its own; bytes that it leaves over are doubtful."""

    def __init__(self, extent: Extent, layout: ValueReader) -> None:
        self.extent = extent
        self.layout = layout
        self.fixed = extent.fixed

    def read(self, at: Rows, this: Values) -> Column:
        start, stop = self.extent.span(at, this)
        after, outer = at.at, (at.limit, at.scattered)
        at.move(start)
        at.limit, at.scattered = stop, Scattered()
        found = self.layout.read(at, this)
        start, stop = left_over(at)
        if (left := start < stop).any():
            at.refuse(left, "trailing-bytes", start, stop - start, Unit("byte"), " left over")
        at.move(after)
        at.limit, at.scattered = outer
        return found
