"""Records between flags, many at a time: where they end, what they contain, and how they are written."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from wireloom.backends.numpy.escapes import escaped, unescaped
from wireloom.buffers import LARGEST, Array, array, octets, octets_of
from wireloom.codec.envelopes import Flagged
from wireloom.codec.transforms import Unescaped
from wireloom.columnar.record_spans import RecordSpans


def opened(stretch: RecordSpans, rows: Array, flagged: Flagged) -> tuple[RecordSpans, Array]:
    """The contents of some records in place of all bytes, and which of the records these are: those that have the bytes
    with which they would be written.
    """
    buffer, flag, opening = np.frombuffer(stretch.buffer, np.uint8), flagged.flag[0], len(flagged.opening)
    rows = rows[stretch.stop[rows] - stretch.start[rows] > opening + 1]
    start, stop = stretch.start[rows] + opening, stretch.stop[rows] - 1
    sound = (buffer[stop] == flag) & (buffer[start] != flag)
    if opening:
        sound &= buffer[start - 1] == flag
    rows, start, stop = rows[sound], start[sound], stop[sound]
    if isinstance(flagged.transform, Unescaped) and len(rows):
        first, last = int(start.min()), int(stop.max())
        data, begins, ends = octets_of(octets(buffer[first:last], start - first, stop - first, None, None))
        buffer, stop, sound = unescaped(
            flagged.transform.escaping, data[int(begins[0]) : int(ends[-1])], ends - begins[0]
        )
        start = np.append(0, stop)[:-1]
        sound &= start < stop
        rows, start, stop = rows[sound], start[sound], stop[sound]
    starts, stops = np.zeros_like(stretch.start), np.zeros_like(stretch.stop)
    starts[rows], stops[rows] = start, stop
    return replace(stretch, buffer=buffer, start=starts, stop=stops), rows


def closed(contents: pa.Array, flagged: Flagged) -> tuple[pa.Array, Array] | None:
    """The records with these contents, and which of them are sound: not those that are empty, or contain the flag. None
    if they do not fit into an array.
    """
    import pyarrow.compute as pc  # which reading does not need

    data, start, stop = octets_of(contents)
    if not len(start):
        return contents, np.ones(0, bool)
    is_sound = start < stop
    if isinstance(flagged.transform, Unescaped):
        first = int(start[0])
        data, ends = escaped(flagged.transform.escaping, data[first : int(stop[-1])], stop - first)
    else:
        is_sound &= pc.find_substring(contents, flagged.flag).to_numpy(zero_copy_only=False) < 0
        ends = stop - start[0]
    if int(ends[-1]) + len(ends) * (len(flagged.opening) + 1) > LARGEST:
        return None
    if isinstance(flagged.transform, Unescaped):
        contents = array(pa.binary(), len(ends), None, np.append(0, ends).astype(np.int32), data)
    return pc.binary_join_element_wise(flagged.opening, contents, flagged.flag, b""), is_sound
