"""Fields that are nested too deep, in many rows at once: the codec rejects them."""

import numpy as np

from wireloom.columnar.arrays import Column, Spans
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows


class Deeper:
    """Leaves all rows to the codec that have such a value, which no row should have."""

    fixed = None

    def read(self, at: Rows, this: Values) -> Column:
        start, nothing = at.at, np.zeros(len(at), bool)
        at.doubt(~nothing)
        return Spans(at.batch.buffer, start, start, nothing)
