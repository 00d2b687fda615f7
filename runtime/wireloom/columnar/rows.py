"""The first bytes of many records, and the numbers in them by which captures are cut into records."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from wireloom.buffers import Array
from wireloom.columnar.batch import Batch
from wireloom.columnar.vectors import Vector


class Rows:
    """Records of a batch, by their numbers in it, ``index``, and the ``numbers`` that were read of each, by name. Those
    that numpy cannot tell about are doubted, and left to the codec.
    """

    def __init__(self, batch: Batch, index: Array) -> None:
        self.batch = batch
        self.index = index
        self.start: Array = batch.start[index]
        self.stop: Array = batch.stop[index]
        self.little: bool | Array = batch.little if isinstance(batch.little, bool) else batch.little[index]
        """The byte order of each row."""
        self.numbers: dict[str, Array] = {}

    @classmethod
    def all(cls, batch: Batch) -> "Rows":
        """All records of a batch."""
        return cls(batch, np.arange(len(batch.start)))

    def __len__(self) -> int:
        return len(self.index)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Those of the capture."""
        return self.batch.parameters

    @property
    def doubtful(self) -> Array:
        """Which rows are left to the codec."""
        found: Array = self.batch.doubtful[self.index]
        return found

    def doubt(self, which: Array) -> None:
        """Leave rows to the codec."""
        self.batch.doubtful[self.index[which]] = True

    def need(self, size: int) -> None:
        """Doubt rows that have fewer bytes."""
        self.doubt(self.start + size > self.stop)

    def only(self, chosen: Array) -> "Rows":
        """Some of the rows, with their numbers."""
        found = Rows(self.batch, self.index[chosen])
        found.numbers = {name: data[chosen] for name, data in self.numbers.items()}
        return found

    def __getitem__(self, name: str) -> Vector:
        """Numbers for an expression to compute with: in this machine's byte order, and signed if they have 64 bits. Too
        large ones are doubted.
        """
        data = self.numbers.get(name)
        if data is None:
            return Vector(np.zeros(len(self), np.int64), np.zeros(len(self), bool), self.doubt)
        if data.dtype.kind == "f":
            with np.errstate(invalid="ignore"):  # signalling NaN
                return Vector(data.astype(np.float64), None, self.doubt)
        if data.dtype.kind == "u" and data.dtype.itemsize == 8:
            self.doubt(data > 2**63 - 1)
            return Vector(data.astype(np.int64), None, self.doubt)
        return Vector(data if data.dtype.isnative else data.astype(data.dtype.newbyteorder("=")), None, self.doubt)
