"""What is around the contents of records, many at a time: flags, or one of several terminators."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from wireloom.buffers import LARGEST, Array, octets_of, places_after
from wireloom.codec.envelopes import EndedByAny, Envelope
from wireloom.columnar import flagged
from wireloom.columnar.record_spans import RecordSpans


def opened(stretch: RecordSpans, rows: Array, envelope: Envelope) -> tuple[RecordSpans, Array]:
    """The contents of some records in place of all bytes, and which of the records these are: those that have the bytes
    with which they would be written.
    """
    if isinstance(envelope, EndedByAny):
        return _unterminated(stretch, rows, envelope)
    return flagged.opened(stretch, rows, envelope)


def closed(contents: pa.Array, envelope: Envelope) -> tuple[pa.Array, Array] | None:
    """The records with these contents, and which of them are sound: those that have the same contents when they are
    read. None if they do not fit into an array.
    """
    return _terminated(contents, envelope) if isinstance(envelope, EndedByAny) else flagged.closed(contents, envelope)


def _unterminated(stretch: RecordSpans, rows: Array, ended: EndedByAny) -> tuple[RecordSpans, Array]:
    """As ``opened``."""
    buffer = np.frombuffer(stretch.buffer, np.uint8)
    rows = rows[_is_canonical(buffer, stretch.start[rows], stretch.stop[rows], ended)]
    starts, stops = np.zeros_like(stretch.start), np.zeros_like(stretch.stop)
    starts[rows], stops[rows] = stretch.start[rows], stretch.stop[rows] - len(ended.ends[0])
    return replace(stretch, start=starts, stop=stops), rows


def _terminated(contents: pa.Array, ended: EndedByAny) -> tuple[pa.Array, Array] | None:
    """As ``closed``."""
    import pyarrow.compute as pc  # which reading does not need

    _, start, stop = octets_of(contents)
    if int((stop - start).sum()) + len(start) * len(ended.ends[0]) > LARGEST:
        return None
    records = pc.binary_join_element_wise(contents, ended.ends[0], b"")
    buffer, start, stop = octets_of(records)
    ends = places_after(buffer, ended.ends)
    once = np.searchsorted(ends, stop, "right") - np.searchsorted(ends, start, "right") == 1
    return records, once & _is_canonical(buffer, start, stop, ended)


def _is_canonical(buffer: Array, start: Array, stop: Array, ended: EndedByAny) -> Array:
    """Which records have contents, and behind them the terminator with which they would be written."""
    end, *others = ended.ends
    found = (stop - start > len(end)) & _ends_with(buffer, start, stop, end)
    for other in others:
        if other.endswith(end):
            found &= ~_ends_with(buffer, start, stop, other)
    return found


def _ends_with(buffer: Array, start: Array, stop: Array, end: bytes) -> Array:
    """Which records end with these bytes."""
    found: Array = stop - start >= len(end)
    for place, byte in enumerate(end, start=-len(end)):
        found = found & (buffer[np.where(found, stop + place, 0)] == byte) if len(buffer) else found
    return found
