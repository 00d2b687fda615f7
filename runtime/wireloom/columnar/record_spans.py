"""The records of a buffer, of one capture or of several small ones, as a decoder takes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, numbers, strings
from wireloom.codec.cutting import Cut
from wireloom.codec.protocol import POSITIONS
from wireloom.columnar.framing_errors import FramingErrors
from wireloom.columnar.scanning import Cuts
from wireloom.files import shown
from wireloom.views import FILE


@dataclass(slots=True, eq=False)
class RecordSpans:
    """Bytes that are records: ``start`` and ``stop`` in ``buffer``, with the byte order of each.

    ``origin`` is what reasons add to a place in the buffer, one for all records or one a record. ``gaps`` are rows that
    are malformed ranges, as in ``Cuts``. ``source`` is the number of the capture that records are of; one for all, or
    ascending. ``parameters`` are those of the captures, if not those of the decoder. What the records are is in
    ``passed`` if they were decoded when they were found.
    """

    buffer: Any
    start: Array
    stop: Array
    little: bool | Array
    origin: int | Array
    gaps: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    source: int | Array = 0
    parameters: Mapping[str, Any] | None = None
    passed: Any = None

    def sources(self, rows: Array) -> Array:
        """The number of the capture of each of ``rows``."""
        return np.broadcast_to(self.source, len(rows)) if isinstance(self.source, int) else self.source[rows]

    def counts(self, rows: Array) -> list[tuple[int, int]]:
        """The captures of ``rows``, by their numbers, and how many are of each."""
        if isinstance(self.source, int):
            return [(self.source, len(rows))]
        found = np.bincount(self.source[rows])
        return [(source, int(found[source])) for source in np.flatnonzero(found).tolist()]


class CutRecords(NamedTuple):
    """Records that were cut out of the capture ``source`` in ``file``."""

    cuts: Cuts
    file: str = ""
    source: int = 0

    def record(self, row: int, gaps: Callable[[Mapping[str, Any]], FramingErrors]) -> tuple[Cut, bytes, int]:
        """A row as the codec cuts it: the cut, its bytes, and what its place in the capture is to reasons."""
        cuts, window = self.cuts, self.cuts.window
        start, stop = int(cuts.start[row]), int(cuts.stop[row])
        order = cuts.little if isinstance(cuts.little, bool) else bool(cuts.little[row])
        error = cuts.errors.get(row)
        if error is None and cuts.malformed(row):
            error = gaps(cuts.parameters).error(window.buffer, start, window.base, order=order)
        cut = Cut(start, stop - start, order, error=error, preamble=cuts.preamble and not row)
        origin = window.base if cuts.provenance is None else int(cuts.provenance.origins[row])
        return cut, bytes(window.buffer[start:stop]), origin + start

    @property
    def span(self) -> slice:
        """Their places in their window."""
        return slice(int(self.cuts.start[0]), int(self.cuts.stop[-1]))

    @property
    def size(self) -> int:
        """How many bytes they are."""
        return int(self.cuts.stop[-1] - self.cuts.start[0])


class JoinedCaptures:
    """Records of some captures with the same parameters as one stretch. Those of a single one stay where they are."""

    def __init__(self, held: Sequence[CutRecords]) -> None:
        self.held = held
        self.counts = np.array([len(each.cuts.start) for each in held])
        self.firsts = np.cumsum(self.counts) - self.counts
        """The row of the first record of each."""

    def of(self, row: int) -> tuple[CutRecords, int]:
        """The capture of a row, and the row's number among the records of that."""
        number = int(np.searchsorted(self.firsts, row, "right")) - 1
        return self.held[number], row - int(self.firsts[number])

    @property
    def apart(self) -> list[int]:
        """The rows that are not decoded as records: those with a known error, and what captures begin with."""
        pairs = list(zip(self.firsts.tolist(), self.held, strict=True))
        wrong = [first + row for first, each in pairs for row in each.cuts.errors]
        return wrong + [first for first, each in pairs if each.cuts.preamble and not each.cuts.errors]

    @property
    def stretch(self) -> RecordSpans:
        """The records. Only those of a single capture may have gaps, whose reasons depend on the bytes after them."""
        if len(self.held) == 1:
            (each,) = self.held
            cuts, base = each.cuts, each.cuts.window.base
            buffer, known = cuts.window.buffer, cuts.parameters
            origin = base if cuts.provenance is None else cuts.provenance.origins
            return RecordSpans(
                buffer, cuts.start, cuts.stop, cuts.little, origin, cuts.gaps, each.source, known, cuts.passed
            )
        buffer = b"".join([memoryview(each.cuts.window.buffer)[each.span] for each in self.held])
        sizes = np.array([each.size for each in self.held])
        moved = self._each(np.cumsum(sizes) - sizes - [each.span.start for each in self.held])
        orders = np.concatenate([np.broadcast_to(each.cuts.little, len(each.cuts.start)) for each in self.held])
        little = bool(orders[0]) if (orders == orders[0]).all() else orders
        start, stop = (self._joined(name) + moved for name in ("start", "stop"))
        source = self._each([each.source for each in self.held])
        known = self.held[0].cuts.parameters
        return RecordSpans(buffer, start, stop, little, self._bases() - moved, source=source, parameters=known)

    @property
    def added(self) -> Mapping[str, Callable[[Array], pa.Array]]:
        """The columns that are not in the bytes, of some rows."""
        found = {FILE.name: self._files, POSITIONS[0].name: self._offsets, POSITIONS[1].name: self._sizes}
        provenance = self.held[0].cuts.provenance
        return found if provenance is None else {**found, **provenance.added}

    def _files(self, rows: Array) -> pa.Array:
        if len(self.held) == 1:
            return pa.repeat(strings([shown(self.held[0].file)])[0], len(rows))
        files = strings([shown(each.file) for each in self.held])
        return files.take(numbers(pa.int64(), self._each(np.arange(len(self.held)))[rows], None, None))

    def _offsets(self, rows: Array) -> pa.Array:
        provenance = self.held[0].cuts.provenance
        places = self._bases() + self._joined("start") if provenance is None else provenance.offsets
        return numbers(pa.int64(), places[rows], None, None)

    def _sizes(self, rows: Array) -> pa.Array:
        return numbers(pa.int64(), (self._joined("stop") - self._joined("start"))[rows], None, None)

    def _bases(self) -> Array:
        """Where in its capture the window of each record starts."""
        return self._each([each.cuts.window.base for each in self.held])

    def _joined(self, name: str) -> Array:
        found = [getattr(each.cuts, name) for each in self.held]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _each(self, values: Sequence[int] | Array) -> Array:
        """A value of each capture, for each of its records."""
        return np.repeat(np.asarray(values, np.int64), self.counts)
