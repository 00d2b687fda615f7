"""What is around the contents of records, many at a time: flags, or one of several terminators."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from wireloom.codec.envelopes import EndedByAny, Envelope
from wireloom.columnar import flagged
from wireloom.columnar.buffers import LARGEST, Array, array, octets_of, places_after
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
    data, start, stop = octets_of(contents)
    first, sizes, end = int(start[0]) if len(start) else 0, stop - start, ended.ends[0]
    behind = np.cumsum(sizes + len(end))
    if len(behind) and behind[-1] > LARGEST:
        return None
    found = np.empty(int(behind[-1]) if len(behind) else 0, np.uint8)
    to = np.arange(int(sizes.sum())) + np.repeat(np.arange(len(sizes)) * len(end), sizes)
    found[to] = data[first : first + len(to)]
    for place, byte in enumerate(end, start=-len(end)):
        found[behind + place] = byte
    begins, stops = np.append(0, behind)[:-1], places_after(found, ended.ends)
    once = np.searchsorted(stops, behind, "right") - np.searchsorted(stops, begins, "right") == 1
    offsets = np.append(0, behind).astype(np.int32)
    sound = once & _is_canonical(found, begins, behind, ended)
    return array(pa.binary(), len(sizes), None, offsets, found), sound


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
