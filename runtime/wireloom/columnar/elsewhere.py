"""Fields at offsets (pointers), as in the codec, for many rows at once."""

import numpy as np

from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import number
from wireloom.columnar.frames import Values
from wireloom.columnar.parts import Layout
from wireloom.columnar.places import Scattered
from wireloom.columnar.rows import Rows


class Elsewhere:
    """Fields at the byte ``place`` of the record; the bytes of ``shared`` ones belong to others.

    Rows in which they are out of bounds are doubtful.
    """

    fixed = 0

    def __init__(self, place: Vectorised, content: Layout, *, shared: bool) -> None:
        self.place = place
        self.content = content
        self.derived = content.derived
        self.shared = shared

    def read(self, at: Rows, this: Values) -> None:
        pos, limit, scattered, apart = at.at, at.limit, at.scattered, at.apart
        if self.shared:
            at.limit, at.scattered = at.batch.limit[at.index], Scattered()
        place, valid = number(self.place(this, at.record, at.frame), at)
        wrong = (place < 0) | (place > at.limit - at.start)
        if valid is not None:
            wrong |= ~valid
        at.doubt(wrong)
        start = np.where(wrong, at.limit, at.start + np.where(wrong, 0, place))
        at.move(start)
        at.apart = True
        self.content.put(at, this)
        at.apart, stop = apart, at.at
        if self.shared:
            for rows, _, _ in at.scattered or ():
                at.doubt(rows)
            at.scattered = scattered
            at.doubt(at.borrow(np.arange(len(at)), stop - start))
        at.move(pos)
        at.limit = limit
        if not self.shared:
            at.take(np.arange(len(at)), start, stop)
