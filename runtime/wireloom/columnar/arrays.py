"""What is decoded of a batch, before it becomes columns of a table."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom import buffers
from wireloom.buffers import Array, Valid, as_arrow


class Numbers(NamedTuple):
    """Numbers or booleans, one a row, and the mask of where there is one; None means everywhere."""

    data: Array
    valid: Valid = None


@dataclass(slots=True, eq=False)
class Spread:
    """The fields of a message in all rows of a batch, of which those of the message are ``rows``; None means all."""

    columns: dict[str, pa.Array]
    rows: Array | None
    count: int

    def take(self, rows: Array) -> "Spread":
        """Some of the batch's rows."""
        chosen = as_arrow(rows)
        columns = {name: column.take(chosen) for name, column in self.columns.items()}
        mine = None if self.rows is None else np.flatnonzero(np.isin(rows, self.rows))
        return Spread(columns, mine, len(rows))

    def arrow(self, kind: pa.DataType) -> pa.Array:
        """As a struct that is null in rows of other messages."""
        valid = None
        if self.rows is not None:
            valid = np.zeros(self.count, bool)
            valid[self.rows] = True
        children = [self.columns[field.name] for field in kind]
        return buffers.array(kind, self.count, valid, children=children)
