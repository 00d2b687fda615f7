"""Which values of two arrays are the same."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.buffers import Array, as_numpy, counts_of, fields_of, items_of, valid_of


def alike(one: pa.Array, other: pa.Array) -> Array:
    """Which values are equal, or are both missing. Fields of structs that only ``other`` has do not count."""
    if one.equals(other) or (one.null_count == len(one) and other.null_count == len(other)):
        return np.ones(len(one), bool)
    none: Array = ~valid_of(one)
    missing: Array = ~valid_of(other)
    if pa.types.is_list(one.type):
        same: Array = (none == missing) & _lists_alike(one, other)
    elif pa.types.is_struct(one.type):
        same = none == missing
        fields, others = fields_of(one), fields_of(other)
        for name, field in fields.items():
            same &= none | alike(field, others[name])
    else:
        same = (as_numpy(pc.equal(one, other)) | none) & (none == missing)
    return same


def _lists_alike(one: pa.Array, other: pa.Array) -> Array:
    """Which lists have equal items; a missing one has none."""
    counts, others = counts_of(one), counts_of(other)
    same: Array = counts == others
    kept = np.flatnonzero(same & (counts > 0))
    same[np.repeat(kept, counts[kept])[~alike(items_of(one, kept), items_of(other, kept))]] = False
    return same
