"""Columns of a table as numbers to compute with, and numbers as the bytes of many rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.columnar.arrays import Column, Made, Numbers
from wireloom.columnar.buffers import Array, array, as_arrow, as_numpy, ends_of, valid_of
from wireloom.columnar.fields import Number


def computed(column: pa.Array) -> Column | None:
    """What expressions can compute with; None if they cannot."""
    kind = column.type
    if kind in (pa.string(), pa.binary()) or (pa.types.is_decimal128(kind) and kind.scale == 0):
        return Made(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        valid = valid_of(column) if column.null_count else None
        data = as_numpy(column)
        return Numbers(data if valid is None else np.where(valid, data, data.dtype.type(0)), valid)
    return None


def octets(column: pa.Array, given: Array) -> pa.Array:
    """Texts or bytes as bytes, none in rows in which they are not ``given``."""
    ends = ends_of(column)
    whole = pa.Array.from_buffers(pa.binary(), len(column), [None, *column.buffers()[1:]], 0, column.offset)
    empty = ends[1:] == ends[:-1]
    return whole if (given | empty).all() else pc.if_else(as_arrow(given), whole, EMPTY)


def low(decimals: pa.Array) -> Array:
    """The low 64 bits of decimals, 0 where there is none."""
    words = np.frombuffer(decimals.buffers()[1], np.uint64).reshape(-1, 2)[decimals.offset :][: len(decimals)]
    there = valid_of(decimals)
    found: Array = np.where(there, words[:, 0], np.uint64(0))
    return found


def put(octets: Array, data: Array, kind: Number, *, little: bool) -> None:
    """Put numbers into a matrix of bytes, one a row; the bytes of numbers that do not fit are any."""
    sign = "<" if kind.is_little(little=little) else ">"
    if kind.odd:
        wide = data.astype(f"{sign}i8").view(np.uint8).reshape(-1, 8)
        octets[:] = wide[:, : kind.size] if sign == "<" else wide[:, 8 - kind.size :]
    else:
        with np.errstate(over="ignore"):
            octets.view(f"{sign}{kind.kind}{kind.size}")[:, 0] = data


@dataclass(frozen=True, slots=True)
class Fixed:
    """As many bytes in each row, which ``fill`` puts into a matrix; only in rows that are ``mine``, if that is said."""

    size: int
    fill: Callable[[Array], None]
    mine: Array | None


EMPTY = array(pa.binary(), 1, None, np.zeros(2, np.int32), np.zeros(0, np.uint8))[0]
"""No bytes. Asking Arrow for a scalar would import pandas."""


def joined(parts: Sequence[Fixed | pa.Array], rows: int) -> pa.Array:
    """The bytes of all parts, one after another in each row."""
    found: list[pa.Array] = []
    for _, some in groupby(parts, lambda part: id(part.mine if isinstance(part, Fixed) else part)):
        each = list(some)
        fixed = [part for part in each if isinstance(part, Fixed)]
        found += [_filled(fixed, rows)] if fixed else each
    if not found:
        return binary(np.zeros(rows, np.int64), np.zeros(0, np.uint8))
    return found[0] if len(found) == 1 else pc.binary_join_element_wise(*found, EMPTY)


def _filled(parts: Sequence[Fixed], rows: int) -> pa.Array:
    """The bytes of parts that are in the same rows."""
    size, mine = sum(part.size for part in parts), parts[0].mine
    matrix, at = np.zeros((rows, size), np.uint8), 0
    for part in parts:
        part.fill(matrix[:, at : at + part.size])
        at += part.size
    if mine is None:
        return array(pa.binary(), rows, None, np.arange(rows + 1, dtype=np.int32) * np.int32(size), matrix)
    return binary(mine * size, matrix[mine].reshape(-1))


def binary(sizes: Array, octets: Array) -> pa.Array:
    """So many of the ``octets`` in each row."""
    ends = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=ends[1:])
    return array(pa.binary(), len(sizes), None, ends, octets)


_LEB128 = 5
"""How many bytes numbers of 32 bits have at most."""


def leb128(data: Array, mine: Array) -> tuple[Array, Array]:
    """How many bytes each number of up to 32 bits has, none if it is not ``mine``, and these bytes."""
    shifts = 7 * np.arange(_LEB128, dtype=np.uint64)
    groups = (data.astype(np.uint64)[:, None] >> shifts & np.uint64(0x7F)).astype(np.uint8)
    count = 1 + (groups[:, ::-1].cumsum(axis=1)[:, :-1] > 0).sum(axis=1)
    sizes = np.where(mine, count, 0)
    place = np.arange(_LEB128)
    more = (place < count[:, None] - 1).astype(np.uint8) << np.uint8(7)
    return sizes, (groups | more)[place < sizes[:, None]]
