"""Predicts the message of the next records, so that records of a single message are framed and decoded in one loop."""

import numpy as np

from wireloom.buffers import Array
from wireloom.columnar.execution.executor import Located
from wireloom.columnar.execution.programs import Programs, single_of
from wireloom.columnar.hopping import Hop

_SAMPLE, _WORTH = 64, 1024 * 1024
"""The first records are sampled if more bytes than this follow."""


class Prediction:
    """The message of the next records of captures: that of a sample of the first ones, then that of the batch before.

    A wrong one costs time only: the loop ends at the first record of another message.
    """

    def __init__(self) -> None:
        self.message: int | None = None
        """Its number; None if records are of several messages, or nothing is known yet."""
        self._is_sampled = False

    def sample(self, programs: Programs, buffer: Array, at: int, hop: Hop) -> None:
        """Look at the first records, once, from ``at`` on."""
        if self._is_sampled or len(buffer) - at <= _WORTH or (sorter := programs.sorting()) is None:
            return
        self._is_sampled = True
        starts, after = hop.follow(buffer, at, len(buffer), _SAMPLE)
        stops = np.append(starts[1:], min(after, len(buffer)))
        self.message = single_of(sorter.run(Located.of(buffer, starts, stops)).codes)

    def observe(self, message: int | None) -> None:
        """Take note of the message of all records of a batch, None if they are of several."""
        self.message = message
