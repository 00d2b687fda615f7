"""Columns of a table as numbers to compute with, and numbers as the bytes of many rows."""

import numpy as np
import pyarrow as pa

from wireloom.columnar.arrays import Column, Made, Numbers
from wireloom.columnar.buffers import Array, array
from wireloom.columnar.fields import Number


def computed(column: pa.Array) -> Column | None:
    """What expressions can compute with; None if they cannot."""
    kind = column.type
    if column.null_count == len(column):
        return None
    if pa.types.is_decimal(kind) and kind.scale == 0 and pa.types.is_decimal128(kind):
        return Made(column)
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return Made(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        valid = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None
        filled = column if valid is None else column.fill_null(False if pa.types.is_boolean(kind) else 0)
        return Numbers(filled.to_numpy(zero_copy_only=False), valid)
    return None


def low(decimals: pa.Array) -> Array:
    """The low 64 bits of decimals, 0 where there is none."""
    words = np.frombuffer(decimals.buffers()[1], np.uint64).reshape(-1, 2)[decimals.offset :][: len(decimals)]
    there = decimals.is_valid().to_numpy(zero_copy_only=False)
    found: Array = np.where(there, words[:, 0], np.uint64(0))
    return found


def bytes_of(data: Array, kind: Number, *, little: bool) -> Array:
    """The bytes of numbers, one row each; those of numbers that do not fit are any."""
    sign = "<" if kind.is_little(little=little) else ">"
    if kind.kind == "f":
        floats: Array = data.astype(f"{sign}f{kind.size}").view(np.uint8).reshape(-1, kind.size)
        return floats
    wide = data.astype(np.uint64) if data.dtype.kind == "u" else data.astype(np.int64)
    octets: Array = wide.astype(f"{sign}{wide.dtype.kind}8").view(np.uint8).reshape(-1, 8)
    return octets[:, : kind.size] if sign == "<" else octets[:, 8 - kind.size :]


def ragged(matrix: Array, mine: Array) -> pa.Array:
    """The rows of a matrix of bytes that are ``mine``, and nothing in the others."""
    size = matrix.shape[1]
    return binary(mine * size, np.ascontiguousarray(matrix if mine.all() else matrix[mine]).reshape(-1))


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
