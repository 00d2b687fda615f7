"""Which of many values select a message."""

from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.codec.matching import Selection
from wireloom.columnar.buffers import Array, are, as_numpy, binaries, strings


def numbers(data: Array, selection: Selection) -> Array:
    """Which of these numbers select it."""
    found = np.zeros(len(data), bool)
    for value in selection.listed:
        found |= data == value
    for least, most in selection.spans:
        found |= (data >= least) & (data <= most)
    return found


def octets(buffer: Array, start: Array, stop: Array, selection: Selection) -> Array:
    """Which of these bytes of the buffer select it."""
    found = np.zeros(len(start), bool)
    for value in selection.listed:
        assert isinstance(value, bytes)
        found |= are(buffer, start, stop, value)
    return found


def is_told(array: pa.Array) -> bool:
    """Whether ``made`` can decide which of these values select a message."""
    return any(array.type == kind for kind in (pa.string(), pa.binary()))


def made(array: pa.Array, selection: Selection) -> Array:
    """Which of these texts or bytes select it."""
    import pyarrow.compute as pc  # here, as only protocols that match texts need it

    listed: Any = list(selection.listed)
    return as_numpy(pc.is_in(array, strings(listed) if array.type == pa.string() else binaries(listed)))
