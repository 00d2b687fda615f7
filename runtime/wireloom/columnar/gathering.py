"""Captures decoded one after the other, the records of small ones together: a batch costs much more than a record."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from wireloom.codec import DecodeError
from wireloom.columnar.counters import Tally
from wireloom.columnar.decoder import BATCH_BYTES, BATCH_ROWS, Decoder
from wireloom.columnar.record_spans import CutRecords, JoinedCaptures
from wireloom.columnar.scanning import Cuts
from wireloom.files import shown
from wireloom.views import Row

_PARTS = 4
"""Records are decoded as soon as they are this part of the largest batch. As many of one capture are not copied."""


class Gatherer:
    """Gives the batches of captures in order. Those of small captures come with ``rest``, or before.

    The decoder has a tally for each capture, in the order of ``files``.
    """

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self.files: list[str] = []
        self.held: list[CutRecords] = []
        self.rows = self.size = 0
        decoder.tallies.clear()

    def begin(self, file: str) -> None:
        """Continue with another capture."""
        self.files.append(file)
        self.decoder.tallies.append(Tally())

    def capture(self, cuts: Iterable[Cuts], file: str) -> Iterator[pa.RecordBatch]:
        """The batches that are full with the records of a capture.

        Raises ``DecodeError`` in mode ``FAILFAST``, which names the file of the malformed record.
        """
        self.begin(file)
        for each in cuts:
            yield from self.add(each)

    def add(self, cuts: Cuts) -> Iterator[pa.RecordBatch]:
        """The batches that are full with some records of the last capture. Raises as ``capture``."""
        held = CutRecords(cuts, self.files[-1], len(self.files) - 1)
        apart = cuts.passed is not None or cuts.provenance is not None or len(cuts.gaps) > 0
        alone = apart or _is_full(len(cuts.start), held.size)
        if alone or (self.held and not self._alike(cuts)):
            yield from self.rest()
        self.held.append(held)
        self.rows += len(cuts.start)
        self.size += held.size
        if alone or _is_full(self.rows, self.size):
            yield from self.rest()

    def _alike(self, cuts: Cuts) -> bool:
        """Whether records can be decoded with those that are held; what captures begin with can be, with any."""
        return cuts.preamble or cuts.parameters == self.held[-1].cuts.parameters

    def rest(self) -> Iterator[pa.RecordBatch]:
        """The batches of the records held. Raises as ``capture``."""
        if not self.held:
            return
        together = JoinedCaptures(self.held)
        self.held, self.rows, self.size = [], 0, 0

        def redo(row: int) -> Row | None:
            held, number = together.of(row)
            try:
                return self.decoder.redo(held, number)
            except DecodeError as error:
                error.file = shown(held.file)
                raise

        for batch, _ in self.decoder.records(together.stretch, together.apart, redo, together.added):
            yield batch


def _is_full(rows: int, size: int) -> bool:
    return rows * _PARTS >= BATCH_ROWS or size * _PARTS >= BATCH_BYTES
