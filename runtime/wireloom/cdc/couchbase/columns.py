"""Numbers as Arrow columns."""

import pyarrow as pa

from wireloom.cdc.couchbase.frames import Ints, Uints

UUID = pa.decimal128(20, 0)
"""A branch's uuid, below 2^64."""


def integers(values: Ints, kind: pa.DataType) -> pa.Array:
    """Numbers as a column; −1 is null."""
    return pa.array(values, mask=values < 0).cast(kind)


def uuids(values: Uints) -> pa.Array:
    """Uuids of branches as a column; 0 is null."""
    return pa.array(values, mask=values == 0).cast(UUID)
