"""Which values of two arrays are the same."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.columnar.buffers import Array, fields_of


def alike(one: pa.Array, other: pa.Array) -> Array:
    """Which values are equal, or are both missing. Fields of structs that only ``other`` has do not count."""
    if one.equals(other) or (one.null_count == len(one) and other.null_count == len(other)):
        return np.ones(len(one), bool)
    none: Array = one.is_null().to_numpy(zero_copy_only=False)
    missing: Array = other.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_list(one.type):
        same: Array = (none == missing) & lists_alike(one, other)
    elif pa.types.is_struct(one.type):
        same = none == missing
        fields, others = fields_of(one), fields_of(other)
        for name, field in fields.items():
            same &= none | alike(field, others[name])
    else:
        same = pc.equal(one, other).fill_null(False).to_numpy(zero_copy_only=False) | (none & missing)
    return same


def lists_alike(one: pa.Array, other: pa.Array) -> Array:
    """Which lists have equal items, as ``alike``; a missing one has none."""
    counts, others = (pc.list_value_length(each).fill_null(0).to_numpy() for each in (one, other))
    same: Array = counts == others
    if not counts.any():
        return same
    kept = pa.array(same & (counts > 0))
    owners = np.repeat(np.flatnonzero(kept), counts[kept])
    same[owners[~alike(one.filter(kept).flatten(), other.filter(kept).flatten())]] = False
    return same
