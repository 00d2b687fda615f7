"""Conditions by which records need not be decoded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wireloom.columnar.buffers import Array

_COMPARE: dict[str, Callable[[Array, Any], Array]] = {
    "=": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on the message or an integer of the header: the ``operator`` holds for one of the ``values``.

    Records for which it is false need not be decoded; those with a malformed header are decoded all the same.
    """

    column: str
    operator: str
    values: tuple[Any, ...]

    def holds(self, data: Array) -> Array:
        """For which numbers it is true."""
        compare = _COMPARE[self.operator]
        found: Array = np.logical_or.reduce([compare(data, value) for value in self.values])
        return found
