"""What records weigh as columns: a batch is no heavier than memory bears, whatever its bytes become."""

import pyarrow as pa

from wireloom.codec import streams


class TooHeavyError(Exception):
    """Some records weigh more than a batch may."""


def bear(weight: int) -> None:
    """Raise ``TooHeavyError`` if a batch may not weigh so many bytes."""
    if weight > streams.HEAVIEST:
        raise TooHeavyError


def width(kind: pa.DataType) -> int:
    """The bits that a value takes in an Arrow array, whatever it is; of texts, bytes and lists, where they begin."""
    if pa.types.is_struct(kind):
        return sum(1 + width(field.type) for field in kind)
    return 32 if kind.num_fields or kind in (pa.string(), pa.binary()) else int(kind.bit_width)


def weight_of(array: pa.Array) -> int:
    """The bytes of a column; one of nulls is made of zeros that are there once."""
    return 0 if array.null_count == len(array) else int(array.nbytes)
