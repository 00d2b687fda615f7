"""Which of many values select a message."""

import numpy as np

from wireloom.buffers import Array
from wireloom.codec.matching import Selection


def numbers(data: Array, selection: Selection) -> Array:
    """Which of these numbers select it."""
    found = np.zeros(len(data), bool)
    for value in selection.listed:
        found |= data == value
    for least, most in selection.spans:
        found |= (data >= least) & (data <= most)
    return found
