"""Items of lists, one for each of many rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wireloom.columnar.arrays import Begun, Column, Lists, Structs
from wireloom.columnar.frames import Values
from wireloom.columnar.vectors import Vector


def item(values: Values, listed: str, number: Any, inner: Sequence[str]) -> Vector:
    """The item of that number, or else the last one, of a list in each row, or what ``inner`` leads to in it.

    Of a list that is being read, that is the last one that was.
    """
    around, owner, first = values, np.arange(len(values.rows)), listed.partition(".")[0]
    while first not in around.columns and around.outer is not None:
        owner = owner if around.rows.chosen is None else around.rows.chosen[owner]
        around = around.outer
    column: Column | None = around.column(listed)
    if not isinstance(column, Lists):
        return values.absent()
    number = None if isinstance(column, Begun) else number
    counts, starts = column.counts[owner], (np.cumsum(column.counts) - column.counts)[owner]
    index, there = counts - 1 if number is None else number, None
    if isinstance(number, Vector):
        index, there = number.data.astype(np.int64), number.valid
    known = (index >= 0) & (index < counts) & (True if there is None else there)
    if not known.any():
        return values.absent()
    column = column.items.take(np.where(known, starts + index, 0))
    for step in inner:
        column = column.columns.get(step) if isinstance(column, Structs) else None
    found = values.absent() if column is None else values.vector(column)
    return Vector(found.data, known if found.valid is None else known & found.valid, found.doubt)
