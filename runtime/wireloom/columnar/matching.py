"""Which of many values select a message."""

import numpy as np
import pyarrow as pa

from wireloom.codec.matching import Selection
from wireloom.columnar.buffers import Array, are


def numbers(data: Array, selection: Selection) -> Array:
    """Which of these numbers select it."""
    found = np.zeros(len(data), bool)
    for value in selection.listed:
        found |= data == value
    for least, most in selection.spans:
        found |= (data >= least) & (data <= most)
    return found


def octets(buffer: Array, start: Array, stop: Array, selection: Selection) -> Array:
    """Which of these bytes of the buffer, perhaps of a text in UTF-8, select it."""
    found = np.zeros(len(start), bool)
    for value in selection.listed:
        wanted = value.encode() if isinstance(value, str) else value
        assert isinstance(wanted, bytes)
        found |= are(buffer, start, stop, wanted)
    return found


def is_told(array: pa.Array) -> bool:
    """Whether ``made`` can tell which of these values select a message."""
    return any(array.type == kind for kind in (pa.string(), pa.binary()))


def made(array: pa.Array, selection: Selection) -> Array:
    """Which of these texts or bytes select it."""
    import pyarrow.compute as pc  # here, as only texts that are computed need it

    found: Array = pc.is_in(array, pa.array(list(selection.listed), array.type)).to_numpy(zero_copy_only=False)
    return found
