"""Which values of two arrays are the same."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.columnar.buffers import Array, fields_of, items_of, row_numbers


def alike(one: pa.Array, other: pa.Array) -> Array:
    """Which values are equal, or are both missing. Fields of structs that only ``other`` has do not count."""
    if one.equals(other) or (one.null_count == len(one) and other.null_count == len(other)):
        return np.ones(len(one), bool)
    none: Array = one.is_null().to_numpy(zero_copy_only=False)
    missing: Array = other.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_list(one.type):
        same: Array = (none == missing) & lists_alike(one, other, row_numbers(len(one)))
    elif pa.types.is_struct(one.type):
        same = none == missing
        fields, others = fields_of(one), fields_of(other)
        for name, field in fields.items():
            same &= none | alike(field, others[name])
    else:
        same = pc.equal(one, other).fill_null(False).to_numpy(zero_copy_only=False) | (none & missing)
    return same


def lists_alike(one: pa.Array, other: pa.Array, rows: Array) -> Array:
    """Which lists have the items of the ``other`` ones in these ``rows``, as ``alike``; a missing one has none."""
    (counts, items), (others, wanted) = items_of(one, row_numbers(len(one))), items_of(other, rows)
    same: Array = counts == others
    kept = row_numbers(len(one))
    if not same.all():
        kept = np.flatnonzero(same)
        (counts, items), (_, wanted) = items_of(one, kept), items_of(other, rows[kept])
    equal = alike(items, wanted)
    if not equal.all():
        same[np.repeat(kept, counts)[~equal]] = False
    return same
