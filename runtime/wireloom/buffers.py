"""Arrow arrays made from numpy's numbers and from positions in a buffer."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

Array = np.ndarray[Any, np.dtype[Any]]
Valid = Array | None
"""Which rows have a value; None means all of them."""


@dataclass(slots=True, eq=False)
class Places:
    """Where the values of some rows go: to ``rows``, in ascending order, of ``count``.

    Values between them may be anything, because the struct around them is null there.
    """

    rows: Array
    count: int


def spread(data: Array, places: Places | None) -> Array:
    """``data`` at its places, with zeros between."""
    if places is None:
        return data
    found = np.zeros(places.count, data.dtype)
    found[places.rows] = data
    return found


def array(
    kind: pa.DataType, count: int, valid: Valid, *buffers: Any, children: list[pa.Array] | None = None
) -> pa.Array:
    """An Arrow array of ``count`` values of numpy's or Arrow's ``buffers``, of which None has no bytes."""
    held = [None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))]
    held += [buffer if buffer is None or isinstance(buffer, pa.Buffer) else pa.py_buffer(buffer) for buffer in buffers]
    nulls = 0 if valid is None else int(len(valid) - np.count_nonzero(valid))
    return pa.Array.from_buffers(kind, count, held, nulls, children=children)


def as_arrow(data: Array) -> pa.Array:
    """Numbers or booleans as an array without nulls; see ``strings``."""
    return numbers(pa.from_numpy_dtype(data.dtype), data, None, None)


def strings(values: Sequence[str | None]) -> pa.Array:
    """Texts as an array. Arrow's own way imports pandas, which takes longer than reading a small capture."""
    return binaries([None if value is None else value.encode() for value in values]).view(pa.string())


def binaries(values: Sequence[bytes | None]) -> pa.Array:
    """Bytes as an array; see ``strings``. No more than ``LARGEST`` together."""
    ends = np.zeros(len(values) + 1, np.int32)
    np.cumsum([0 if value is None else len(value) for value in values], out=ends[1:])
    valid = np.array([value is not None for value in values]) if None in values else None
    return array(pa.binary(), len(values), valid, ends, b"".join(filter(None, values)))


def dictionary(indexes: pa.Array, texts: tuple[str, ...]) -> pa.Array:
    """The texts of these numbers, which are sound, as a dictionary."""
    return pa.DictionaryArray.from_arrays(indexes, values_of(texts), safe=False)


@lru_cache(maxsize=4096)
def values_of(texts: tuple[str, ...]) -> pa.Array:
    """All texts of a dictionary, for all arrays with it."""
    return strings(texts)


_MANY = 64 * 1024
_WIDEST = 16
"""The most bytes per value of any type, without the bytes it points to."""


def nulls(kind: pa.DataType, count: int) -> pa.Array:
    """This many nulls. All missing columns of a batch share the same zeros.

    No more than twice the zeros that are needed: of an array without rows, as a list without items has in a slice,
    Arrow writes the whole buffer of offsets into files and streams.
    """
    if pa.types.is_dictionary(kind):
        return dictionary(nulls(kind.index_type, count), ())
    if not count:
        return _nulls(kind, 0)
    if count <= _MANY:
        return _nulls(kind, 1 << (count - 1).bit_length()).slice(0, count)
    return _of_zeros(kind, count, zeros(count))


@lru_cache(maxsize=16 * 1024)
def _nulls(kind: pa.DataType, count: int) -> pa.Array:
    return _of_zeros(kind, count, zeros(count))


def zeros(count: int) -> pa.Buffer:
    """Zeros for so many values of any type at least, shared by all who ask."""
    return _zeros(count.bit_length())


@cache
def _zeros(bits: int) -> pa.Buffer:
    return pa.py_buffer(np.zeros(_WIDEST << bits, np.uint8))


def _of_zeros(kind: pa.DataType, count: int, zeros: pa.Buffer) -> pa.Array:
    """Nulls: zeros for validity, for numbers, and for the places of texts, bytes and items."""
    if pa.types.is_dictionary(kind):
        return dictionary(_of_zeros(kind.index_type, count, zeros), ())
    if pa.types.is_struct(kind):
        children = [_of_zeros(field.type, count, zeros) for field in kind]
        return pa.Array.from_buffers(kind, count, [zeros], count, children=children)
    if pa.types.is_list(kind):
        return pa.Array.from_buffers(kind, count, [zeros, zeros], count, children=[nulls(kind.value_type, 0)])
    return pa.Array.from_buffers(kind, count, [zeros] * kind.num_buffers, count)


def numbers(kind: pa.DataType, data: Array, valid: Valid, places: Places | None) -> pa.Array:
    """Numbers or booleans as the table has them."""
    count = len(data) if places is None else places.count
    rows: Any = slice(None) if places is None else places.rows
    valid = None if valid is None else spread(valid, places)
    if pa.types.is_decimal(kind):
        words = np.zeros((count, 2), np.uint64)
        words[rows, 0] = data
        if data.dtype.kind == "i":
            words[rows, 1] = np.where(data < 0, np.uint64(2**64 - 1), np.uint64(0))
        return array(kind, count, valid, words)
    if pa.types.is_boolean(kind):
        return array(kind, count, valid, np.packbits(spread(data, places), bitorder="little"))
    if places is None:
        return array(kind, count, valid, np.ascontiguousarray(data, _dtype(kind)))
    native = np.zeros(count, _dtype(kind))
    native[rows] = data
    return array(kind, count, valid, native)


def _dtype(kind: pa.DataType) -> str:
    """The type of an array of such numbers. ``to_pandas_dtype`` knows it, but asks pandas before pyarrow 20."""
    letter = "f" if pa.types.is_floating(kind) else "u" if pa.types.is_unsigned_integer(kind) else "i"
    return f"{letter}{kind.bit_width // 8}"


def integers(decimals: pa.Array) -> tuple[Array, Array]:
    """Decimals without a fraction as 64-bit integers, and which of them fit; nulls fit."""
    words = np.frombuffer(decimals.buffers()[1], np.int64).reshape(-1, 2)[decimals.offset :][: len(decimals)]
    low, high = words[:, 0], words[:, 1]
    fits = high == low >> 63
    return low, fits | ~valid_of(decimals)


_INLINE = 12
"""An Arrow view of up to this many bytes holds them itself."""
_VIEW = np.dtype([("size", "<i4"), ("head", "V4"), ("buffer", "<i4"), ("offset", "<i4")])


LARGEST = 2**31 - 1
"""Arrow counts the bytes of binary values in 32 bits."""


_LARGE = 1024 * 1024
"""So many bytes are copied faster by Arrow's views, unless they are short ones, which views hold themselves."""


def octets(buffer: Array, start: Array, stop: Array, valid: Valid, places: Places | None) -> pa.Array:
    """The bytes from each ``start`` to before its ``stop``."""
    if valid is not None:
        rows = np.flatnonzero(valid)
        spots = Places(rows, len(valid)) if places is None else Places(places.rows[rows], places.count)
        return placed(octets(buffer, start[rows], stop[rows], None, None), spots, hidden=False)
    if places is not None:
        return placed(octets(buffer, start, stop, None, None), places, hidden=True)
    count, sizes = len(start), stop - start
    total = int(sizes.sum())
    if len(buffer) > LARGEST or total > LARGEST:
        raise ValueError(f"{total} bytes of {len(buffer)} do not fit an Arrow array of binary values")
    if not total:
        return array(pa.binary(), count, None, np.zeros(count + 1, np.int32), b"")
    size = int(sizes[0])
    if size == sizes[-1] and (sizes == size).all():
        offsets = np.arange(count + 1, dtype=np.int32) * np.int32(size)
        return array(pa.binary(), count, None, offsets, windows(buffer, start, size))
    if (total < _LARGE or _are_short(sizes).any()) and (start[1:] >= stop[:-1]).all():
        return _between_others(buffer, start, stop)
    return array(pa.binary_view(), count, None, _views(buffer, start, sizes), buffer).cast(pa.binary())


def _between_others(buffer: Array, start: Array, stop: Array) -> pa.Array:
    """Bytes at ascending places: every other value of an array, which also contains the bytes between them."""
    ends = np.empty((len(start), 2), np.int32)
    ends[:, 0], ends[:, 1] = start, stop
    count = ends.size - 1
    every = array(pa.binary(), count, None, ends, buffer)
    return every.take(numbers(pa.int32(), np.arange(0, count, 2, dtype=np.int32), None, None))


def placed(values: pa.Array, places: Places, *, hidden: bool) -> pa.Array:
    """Texts or bytes at their places. Bytes between them are null, or empty if they are ``hidden`` in any case."""
    if not len(values):
        return nulls(values.type, places.count)
    valid: Valid = None
    if values.null_count or not hidden:
        valid = spread(valid_of(values), places)
    _, ends, data = values.buffers()
    ends = np.frombuffer(ends, np.int32)[values.offset :][: len(values) + 1]
    return array(values.type, places.count, valid, between(ends, places), data)


def between(ends: Array, places: Places) -> Array:
    """The ``ends`` of values at their places, beginning with the start of the first one; nothing is between values."""
    return np.repeat(ends, np.diff(places.rows, prepend=-1, append=places.count))


def woven(parts: Sequence[pa.Array], numbers: Sequence[Array]) -> pa.Array:
    """The bytes of several arrays as one. ``numbers`` are the rows that each array has, together all of them."""
    count = sum(map(len, parts))
    views, valid = np.zeros(count, _VIEW), np.ones(count, bool)
    found = [octets_of(part) for part in parts]
    for number, (part, rows, (buffer, start, stop)) in enumerate(zip(parts, numbers, found, strict=True)):
        views[rows] = _views(buffer, start, stop - start, number)
        if part.null_count:
            valid[rows] = valid_of(part)
    if (size := int(views["size"].sum(dtype=np.int64))) > LARGEST:
        raise ValueError(f"{size} bytes do not fit an Arrow array of binary values")
    held = [buffer for buffer, _, _ in found]
    return array(pa.binary_view(), count, None if valid.all() else valid, views, *held).cast(pa.binary())


def picked(buffer: Array, start: Array, sizes: Array, codes: Array) -> pa.Array:
    """Of the bytes that begin at each ``start``, those of each code. See ``_texts``."""
    views = _views(buffer, start, sizes)[codes]
    return array(pa.binary_view(), len(codes), None, views, buffer).cast(pa.binary())


def _views(buffer: Array, start: Array, sizes: Array, number: int = 0) -> Array:
    """Views of so many bytes from each ``start`` on, in the buffer of that ``number``."""
    views = np.zeros(len(start), _VIEW)
    views["size"], views["buffer"], views["offset"] = sizes, number, start
    if len(rows := np.flatnonzero(_are_short(sizes))):
        made = views[rows]
        _short(made, buffer, start[rows])
        views[rows] = made
    return views


def _are_short(sizes: Array) -> Array:
    """Which sizes fit into views themselves. The prefix of longer ones is also in the view, but no cast reads it."""
    found: Array = (sizes > 0) & (sizes <= _INLINE)
    return found


def _short(views: Array, buffer: Array, start: Array) -> None:
    """Views that hold their bytes, padded with zeros."""
    held = windows(buffer, start, _INLINE).view(np.uint8).reshape(-1, _INLINE)
    whole = views.view(np.uint8).reshape(-1, _VIEW.itemsize)
    whole[:, 4:] = held * (np.arange(_INLINE) < views["size"][:, None])


def fields_of(struct: pa.Array) -> dict[str, pa.Array]:
    """The fields of structs, which are null where these are."""
    return dict(zip((field.name for field in struct.type), struct.flatten(), strict=True))


def valid_of(column: pa.Array | pa.ChunkedArray) -> Array:
    """Where a column has a value. Arrow's own way imports pandas, see ``strings``."""
    if isinstance(column, pa.ChunkedArray):
        return np.concatenate([np.zeros(0, bool), *map(valid_of, column.chunks)])
    if column.null_count in (0, len(column)):
        return np.full(len(column), column.null_count == 0)
    return _bits(column, 0)


def as_numpy(column: pa.Array) -> Array:
    """Numbers or booleans, and anything where there are none. Arrow's own way imports pandas, see ``strings``."""
    kind = column.type
    if not len(column):
        return np.zeros(0, bool if kind == pa.bool_() else _dtype(kind))
    if kind == pa.bool_():
        return _bits(column, 1)
    size = kind.bit_width // 8
    return np.frombuffer(column.buffers()[1], _dtype(kind), len(column), size * column.offset)


def _bits(column: pa.Array, number: int) -> Array:
    """The bits in one of a column's buffers."""
    first, skipped = divmod(column.offset, 8)
    octets = np.frombuffer(column.buffers()[number], np.uint8)[first:]
    return np.unpackbits(octets, count=skipped + len(column), bitorder="little")[skipped:].view(bool)


def are(buffer: Array, start: Array, stop: Array, wanted: bytes) -> Array:
    """Which ranges of a buffer have just these bytes."""
    same: Array = stop - start == len(wanted)
    rows = np.flatnonzero(same)
    if wanted and len(rows):
        found = windows(buffer, start[rows], len(wanted)).view(np.uint8).reshape(-1, len(wanted))
        same[rows] = (found == np.frombuffer(wanted, np.uint8)).all(axis=1)
    return same


def ends_of(column: pa.Array) -> Array:
    """Where each text, bytes or list ends, in 32 bits, and before them where the first begins."""
    if not len(column):
        return np.zeros(1, np.int32)  # there may be no bytes that say so
    return np.frombuffer(column.buffers()[1], np.int32, len(column) + 1, 4 * column.offset)


def counts_of(lists: pa.Array) -> Array:
    """How many items each list has, none if it is missing."""
    ends = ends_of(lists)
    counts = ends[1:] - ends[:-1]
    return counts * valid_of(lists) if lists.null_count else counts


def items_of(lists: pa.Array, rows: Array) -> pa.Array:
    """The items of the lists in these rows, which are not missing, one list after another."""
    ends = ends_of(lists)
    begins = ends[rows].astype(np.int64)
    places = ragged(begins, ends[rows + 1] - begins)
    if (places[1:] == places[:-1] + 1).all():
        return lists.values.slice(int(places[0]) if len(places) else 0, len(places))
    return lists.values.take(as_arrow(places))


_SMALL, _CLOSE = 8, 1024
"""Small items, if there are many of them close to each other, are copied first, since numpy picks from copies faster.
"""


def octets_of(values: pa.Array) -> tuple[Array, Array, Array]:
    """A buffer, and where in it each text or bytes of an array begin and end."""
    data, ends = values.buffers()[2], ends_of(values).astype(np.int64)
    return np.frombuffer(data or b"", np.uint8), ends[:-1], ends[1:]


Allocate = Callable[[int, int], pa.Buffer]
"""Gives memory for so many bytes, which are those of so many rows."""


def own_room(size: int, _: int) -> pa.Buffer:
    """Memory of their own."""
    return pa.allocate_buffer(size)


_FORESEEN = 1 << 30
"""The most room that is requested because of the first rows, or eight times their size: others may be smaller."""


class Growing:
    """Bytes of about so many ``rows``, one after another, in memory that grows with them."""

    def __init__(self, rows: int) -> None:
        self.memory = pa.allocate_buffer(0, resizable=True)
        self.rows = rows
        self.size = self.done = 0

    def room(self, size: int, count: int) -> pa.Buffer:
        """Where the bytes of the next ``count`` rows may be written, until more room is requested."""
        needed = self.size + size
        if needed > self.memory.size:
            expected = needed * self.rows // max(1, self.done + count)
            foreseen = min(expected + expected // 16, max(8 * needed, _FORESEEN))
            self.memory.resize(max(needed, foreseen, 2 * self.size))
        return self.memory.slice(self.size, size)

    def add(self, values: pa.Array) -> None:
        """Add texts or bytes, of which some may be in their room already."""
        _, offsets, octets = values.buffers()
        begin, end = (np.frombuffer(offsets, np.int32)[values.offset + row] for row in (0, len(values)))
        size, at = int(end - begin), (octets.address if octets else 0) + int(begin)
        room = self.room(size, len(values))
        if room.address != at:
            ctypes.memmove(room.address, at, size)
        self.size, self.done = self.size + size, self.done + len(values)

    def whole(self) -> pa.Buffer:
        """All of them."""
        self.memory.resize(self.size, shrink_to_fit=True)
        return self.memory


def windows(buffer: Array, starts: Array, size: int) -> Array:
    """``size`` bytes from each of ``starts``, as one opaque item each; after the buffer's end they are zeros."""
    last = len(buffer) - size
    if not len(starts):
        return every(buffer, size)[starts]
    low, high = int(starts.min()), int(starts.max())
    if high <= last and size <= _SMALL and len(starts) >= _CLOSE and high - low < 2 * len(starts):
        close: Array = np.ascontiguousarray(every(buffer, size)[low : high + 1])[starts - low]
        return close
    if high <= last:
        return every(buffer, size)[starts]
    near = max(last + 1, 0)
    tail = np.concatenate([buffer[near:], np.zeros(size, np.uint8)])
    over = np.flatnonzero(starts >= near)
    found = every(buffer, size)[np.minimum(starts, last)] if last >= 0 else np.zeros(len(starts), f"V{size}")
    found[over] = every(tail, size)[np.minimum(starts[over] - near, len(tail) - size)]
    return found


def places(buffer: Array, wanted: bytes) -> Array:
    """The positions of some bytes in the buffer, ascending."""
    found = np.flatnonzero(buffer[: max(0, len(buffer) - len(wanted) + 1)] == wanted[0])
    for offset, byte in enumerate(wanted[1:], start=1):
        found = found[buffer[found + offset] == byte]
    return found


def places_after(buffer: Array, ends: Sequence[bytes]) -> Array:
    """The positions behind some bytes, or others, in the buffer, ascending."""
    found = [places(buffer, end) + len(end) for end in ends]
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found))


def flags_after(buffer: Array, flag: bytes) -> Array:
    """The places of a byte that are after another byte, ascending."""
    found = places(buffer, flag)
    found = found[found > 0]
    after: Array = found[buffer[found - 1] != flag[0]]
    return after


def every(buffer: Array, size: int) -> Array:
    """The items at every position."""
    return np.ndarray((max(0, len(buffer) - size + 1),), f"V{size}", buffer, strides=(1,))


_ROW_NUMBERS = 128 * 1024
"""So many are kept."""


def row_numbers(count: int) -> Array:
    """The numbers from 0 to before ``count``, which nobody may change: memory that is new costs more than they do."""
    return _row_numbers()[:count] if count <= _ROW_NUMBERS else np.arange(count)


@cache
def _row_numbers() -> Array:
    found = np.arange(_ROW_NUMBERS)
    found.setflags(write=False)
    return found


def ragged(starts: Array, counts: Array) -> Array:
    """``starts[i], starts[i] + 1, …``, ``counts[i]`` of them, for each i in turn."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)


def lists(kind: pa.DataType, counts: Array, items: pa.Array, valid: Valid, places: Places | None) -> pa.Array:
    """Lists with ``counts`` items each, all of them consecutive in ``items``."""
    counts = spread(counts, places)
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    valid = None if valid is None else spread(valid, places)
    return array(kind, len(counts), valid, offsets, children=[items])


def labels(kind: pa.DataType, data: Array, valid: Valid, label: Callable[[int], str | None]) -> pa.Array:
    """A column with the text that ``label`` gives for each number, if it gives one."""
    count = len(data)
    rows = None if valid is None else np.flatnonzero(valid)
    if rows is not None:
        data = data[rows]
    if not len(data):
        return nulls(kind, count)
    codes, numbers = grouped(data)
    found = [label(number) for number in numbers]
    spots = None if rows is None or len(rows) == count else Places(rows, count)
    if len(found) == 1 and spots is None:
        return repeated(kind, found[0], count)
    if pa.types.is_dictionary(kind):
        return _indexed(kind, codes, found, spots)
    return _texts(found, codes, spots)


def _indexed(kind: pa.DataType, codes: Array, texts: list[str | None], places: Places | None) -> pa.Array:
    """The text of each code, as a dictionary. Values between ``places`` are null."""
    there = np.array([text is not None for text in texts], bool)
    indexes = (np.cumsum(there) - 1)[codes]
    valid = spread(there[codes], places)
    found = numbers(kind.index_type, spread(indexes, places), None if valid.all() else valid, None)
    return dictionary(found, tuple(text for text in texts if text is not None))


_SHARED = 8 * 1024 * 1024
"""Columns with a single text share one array if it has no more bytes than this."""


def repeated(kind: pa.DataType, text: str | None, count: int) -> pa.Array:
    """One text for all of this many rows."""
    if text is None:
        return nulls(kind, count)
    if pa.types.is_dictionary(kind):
        return dictionary(numbers(kind.index_type, np.zeros(count, np.int8), None, None), (text,))
    many = 1 << count.bit_length()  # so that batches of any size share it
    size = (4 + len(text.encode())) * many
    return _same(text, many).slice(0, count) if size <= _SHARED else _same.__wrapped__(text, count)


@lru_cache(maxsize=8)
def _same(text: str, count: int) -> pa.Array:
    octets = text.encode()
    ends = np.arange(count + 1, dtype=np.int32) * np.int32(len(octets))
    return array(pa.string(), count, None, ends, np.tile(np.frombuffer(octets, np.uint8), count))


_FEW = 256
_SEVERAL = 64 * 1024


def occurring(data: Array) -> set[int]:
    """The integers that occur."""
    if not len(data):
        return set()
    least, most = int(data.min()), int(data.max())
    if least == most:
        return {least}
    if least >= 0 and most < _SEVERAL:
        return set(np.flatnonzero(np.bincount(data.astype(np.int64))).tolist())
    return set(as_arrow(data.astype(data.dtype.newbyteorder("="))).unique().to_pylist())


def grouped(data: Array) -> tuple[Array, list[int]]:
    """A code for each number, and the number by its code."""
    if not len(data):
        return np.zeros(0, np.int64), []
    least, most = data.min(), data.max()
    if least == most:
        return np.zeros(len(data), np.int64), [int(least)]
    if least >= 0 and most < _FEW:
        codes = data.astype(np.int64)
        there = np.bincount(codes) > 0
        return (np.cumsum(there) - 1)[codes], np.flatnonzero(there).tolist()
    found = as_arrow(data.astype(data.dtype.newbyteorder("="))).dictionary_encode()
    return as_numpy(found.indices), found.dictionary.to_pylist()


def _texts(texts: list[str | None], codes: Array, places: Places | None) -> pa.Array:
    """The text of each code, by Arrow's views: twice as fast as taking them. Values between ``places`` are null."""
    whole = strings(texts).cast(pa.string_view()).buffers()
    views = np.frombuffer(whole[1], _VIEW)[: len(texts)][codes]
    valid = np.array([text is not None for text in texts], bool)[codes] if None in texts else None
    found = array(pa.string_view(), len(codes), valid, views, *whole[2:]).cast(pa.string())
    return found if places is None else placed(found, places, hidden=False)
