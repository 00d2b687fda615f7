"""Windows of a stream: the data events of one sequence, which an end of period with that sequence closes."""

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from wireloom.cdc.databus.events import (
    DAMAGE,
    DATA,
    END,
    LOG,
    REGRESS,
    EventBatches,
    Kinds,
    each_batch,
    events,
)

ADDED = pa.schema({"window": pa.int64(), "complete": pa.bool_()})
"""The columns that windows add to events."""


def windows(batches: EventBatches, *, drop_old: bool = False) -> Iterator[pa.RecordBatch]:
    """Add to each data event of a Databus stream the window that it is in, and whether that window is complete.

    A window is the data events of one sequence (SCN), and ends with the end-of-period event of that sequence.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The decoded events of one stream, in order, of version 1, 2 or both, with at least ``COLUMNS``.
    drop_old : bool, default False
        Leave out events that are sent again, as ``DbusEventBuffer.setDropOldEvents`` of the Java client: those of a
        sequence below the last one, and those of the window that was closed last. After an SCN regress, events are kept
        until the end of the next window, and earlier sequences are forgotten. If a window has no end, this function
        continues with the next one, whereas Java fails.

    Yields
    ------
    pyarrow.RecordBatch
        The data events, in order, with the columns of ``wireloom.cdc.databus.events.EVENTS``, those that are not
        columns of ``databus``, such as ``_file``, and two more. ``window`` numbers the windows that have data events,
        from 0; a window that is sent again has a new number. ``complete`` is false if the window has no end before the
        next sequence, an SCN regress or the end of ``batches``, or if there is damage between its start and its end.

    Raises
    ------
    ValueError
        If a column is missing.

    Notes
    -----
    The events of a window are held in memory until it ends. The stream is assumed to begin at the start of a window.
    The log reports malformed events: they may have been all of a window.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from wireloom.cdc import databus as cdc
    >>> from wireloom_protocols import databus
    >>> capture = "examples/captures/databus/windows.bin"
    >>> events = databus.scan(capture, columns=cdc.COLUMNS, mode="PERMISSIVE")
    >>> found = pa.Table.from_batches(cdc.windows(events))
    >>> found.select(["window", "sequence", "complete"]).slice(5, 2).to_pylist()
    [{'window': 2, 'sequence': 120, 'complete': True}, {'window': 3, 'sequence': 130, 'complete': False}]
    """
    stream = Windows(drop_old=drop_old)
    yield from stream.closed(batches)
    rest = stream.rest()
    if rest is not None:
        yield rest


@dataclass(slots=True)
class _Place:
    """The state of a stream, without the events that are held."""

    window: int = 0
    """The number of the open window, or of the next one."""
    open: int | None = None
    """The sequence of the open window."""
    damaged: bool = False
    """Whether there was damage in the open window, or from the last window to it."""
    gap: bool = False
    """Whether there was damage after the last event."""
    last: int | None = None
    """The sequence of the last event that was not left out."""
    closed: int | None = None
    """The sequence of the window that was closed last."""
    regressed: bool = False
    """Whether an SCN regress came, and no end of a window since."""


class Windows:
    """The windows of one stream that is read in parts, as the function ``windows`` gives them.

    Parameters
    ----------
    position : str, optional
        The ``position`` of another ``Windows``, after which this one continues. Default: the start of the stream.
    drop_old : bool, default False
        As in ``windows``.
    """

    def __init__(self, position: str | None = None, *, drop_old: bool = False) -> None:
        saved = json.loads(position) if position else {"held": None}
        held = saved.pop("held")
        self._held: list[pa.RecordBatch] = list(pa.ipc.open_stream(base64.b64decode(held))) if held else []
        self._place = _Place(**saved)
        self._drop_old = drop_old

    @property
    def position(self) -> str:
        """The state of the stream, as JSON: a few numbers, and the events of the open window in Base64."""
        held = base64.b64encode(packed(self._held)).decode() if self._held else None
        return json.dumps({**asdict(self._place), "held": held})

    def closed(self, batches: EventBatches) -> Iterator[pa.RecordBatch]:
        """The events of the windows that ``batches``, the next part of the stream, end or leave without an end."""
        for batch in each_batch(batches):
            found = self._add(batch)
            if found is not None:
                yield found

    def rest(self) -> pa.RecordBatch | None:
        """The events of the window that is still open, marked as incomplete; it stays open. None if there are none."""
        held = sum(each.num_rows for each in self._held)
        return _with_windows(self._held, [self._place.window] * held, [False] * held) if held else None

    def _add(self, batch: pa.RecordBatch) -> pa.RecordBatch | None:
        """The events of the windows that ended in a batch; None if none did."""
        rows, kinds = events(batch)
        if damaged := int(np.count_nonzero(kinds == DAMAGE)):
            LOG.warning("wireloom: %d malformed among the events; windows with them are not complete", damaged)
        begun = self._place.window
        numbers = np.full(len(kinds), -1)
        complete: list[bool] = []
        for start, end, kind, sequence in _runs(rows, kinds):
            kept, ended = self._step(kind, sequence)
            if ended is not None:
                complete.append(ended)
            if kept:
                numbers[start:end] = self._place.window
        held = sum(each.num_rows for each in self._held)
        is_open = numbers == self._place.window
        is_ended = (numbers >= 0) & ~is_open
        pieces = [*self._held, rows.filter(pa.array(is_ended))]
        if complete:
            self._held = []
        if is_open.any():
            self._held.append(rows.filter(pa.array(is_open)))
        if not complete:
            return None
        numbers = np.concatenate((np.full(held, begun), numbers[is_ended]))
        return _with_windows(pieces, numbers, np.array(complete)[numbers - begun])

    def _step(self, kind: int, sequence: int) -> tuple[bool, bool | None]:
        """Whether events of a kind and a sequence are kept, and whether the window that ends with them is complete."""
        place = self._place
        whole = None
        if kind == DAMAGE:
            place.gap = True
        elif kind == REGRESS:
            whole = self._end(complete=False)
            place.last = place.closed = None
            place.regressed = True
        elif self._is_old(sequence):
            if kind == END and place.open is None:
                place.gap = False
        elif kind == END:
            whole = self._end(complete=sequence == place.open and not (place.damaged or place.gap))
            place.last = place.closed = sequence
            place.gap = place.regressed = False
        else:
            if place.open is not None and place.open != sequence:
                whole = self._end(complete=False)
            place.damaged = place.gap or (place.damaged and place.open is not None)
            place.last = place.open = sequence
            place.gap = False
            return True, whole
        return False, whole

    def _end(self, complete: bool) -> bool | None:
        """End the open window, if there is one, and return whether it is complete."""
        if self._place.open is None:
            return None
        self._place.open, self._place.damaged = None, False
        self._place.window += 1
        return complete

    def _is_old(self, sequence: int) -> bool:
        place = self._place
        if not self._drop_old or place.regressed or place.last is None:
            return False
        return 0 < sequence < place.last or sequence == place.closed


def _runs(rows: pa.RecordBatch, kinds: Kinds) -> Iterator[tuple[int, int, int, int]]:
    """Consecutive rows of one kind and one sequence: start, end, kind and sequence.

    Control events that do not affect windows are left out.
    """
    sequences = rows.column("sequence").fill_null(0).to_numpy(zero_copy_only=False)
    changes = np.flatnonzero((np.diff(kinds) != 0) | (np.diff(sequences) != 0)) + 1
    bounds = [0, *changes.tolist(), len(kinds)]
    for start, end in pairwise(bounds):
        kind = int(kinds[start])
        if kind in (DATA, END, REGRESS, DAMAGE):
            yield start, end, kind, int(sequences[start])


def _with_windows(pieces: list[pa.RecordBatch], numbers: Iterable[int], complete: Iterable[bool]) -> pa.RecordBatch:
    """The pieces as one batch, whose rows are in these windows."""
    rows = pa.concat_batches(pieces)
    columns = [*rows.columns, pa.array(numbers, pa.int64()), pa.array(complete, pa.bool_())]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema([*rows.schema, *ADDED]))


def packed(batches: list[pa.RecordBatch]) -> bytes:
    """Batches of one schema as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())
