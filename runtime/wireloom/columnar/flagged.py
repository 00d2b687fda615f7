"""Records between flags, many at a time: where they end, what they contain, and how they are written."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from wireloom.codec.escapes import EscapePairs
from wireloom.codec.flagged import Flagged
from wireloom.codec.transforms import Unescaped
from wireloom.columnar.buffers import LARGEST, Array, array, octets, octets_of, places
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
        escaped = octets(buffer[first:last], start - first, stop - first, None, None)
        pairs = flagged.transform.escaping
        if isinstance(pairs, EscapePairs):
            buffer, stop, sound = _unescaped(pairs, escaped)
        else:
            buffer, stop, sound = _changed(pairs.canonical, escaped)
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
    transform, codes, sound = flagged.transform, {}, None
    if isinstance(transform, Unescaped) and isinstance(transform.escaping, EscapePairs):
        codes = transform.escaping.written
    data, start, stop = octets_of(contents)
    if isinstance(transform, Unescaped) and not codes:
        data, stop, sound = _changed(transform.escaping.escape, contents)
        start = np.append(0, stop)[:-1]
    first, sizes, around = int(start[0]) if len(start) else 0, stop - start, len(flagged.opening) + 1
    data = data[first : first + int(sizes.sum())]
    is_escaped = np.zeros(256, bool)
    is_escaped[list(codes)] = True
    escapes = np.flatnonzero(is_escaped[data])
    ends = np.cumsum(sizes)
    behind = ends + np.searchsorted(escapes, ends) + around * np.arange(1, len(ends) + 1)
    if len(ends) and behind[-1] > LARGEST:
        return None
    shifts = np.repeat(np.arange(len(ends)) * around + len(flagged.opening), sizes)
    to = np.arange(len(data)) + shifts + np.cumsum(is_escaped[data])
    found = np.full(int(behind[-1]) if len(ends) else 0, flagged.flag[0], np.uint8)
    found[to] = data
    if isinstance(transform, Unescaped) and isinstance(transform.escaping, EscapePairs):
        codes_of = np.zeros(256, np.uint8)
        codes_of[list(codes)] = list(codes.values())
        found[to[escapes] - 1] = transform.escaping.escaping
        found[to[escapes]] = codes_of[data[escapes]]
    elif not isinstance(transform, Unescaped):
        flags = np.searchsorted(places(data, flagged.flag), np.append(0, ends))
        sound = flags[1:] == flags[:-1]
    offsets = np.append(0, behind).astype(np.int32)
    is_there = sizes > 0
    return array(pa.binary(), len(ends), None, offsets, found), is_there if sound is None else sound & is_there


def _unescaped(pairs: EscapePairs, escaped: pa.Array) -> tuple[Array, Array, Array]:
    """What escaped bytes stand for, one behind the other; where each ends; and which of them are escaped as they would
    be written.
    """
    data, start, stop = octets_of(escaped)
    data, ends = data[int(start[0]) : int(stop[-1])], stop - start[0]
    sound = np.ones(len(ends), bool)
    places = _escapes(data, np.append(0, ends)[:-1], pairs.escaping)
    codes = np.full(256, -1, np.int64)
    codes[list(pairs.written.values())] = list(pairs.written)
    owners = np.searchsorted(ends, places, "right")
    stand_for = codes[data[np.minimum(places + 1, len(data) - 1)]]
    wrong = (places + 1 >= ends[owners]) | (stand_for < 0)
    sound[owners[wrong]] = False
    places, stand_for = places[~wrong], stand_for[~wrong]
    is_bare = np.zeros(256, bool)
    is_bare[list(pairs.written)] = True
    is_bare[pairs.escaping] = False
    bare = is_bare[data]
    bare[places + 1] = False
    sound[np.searchsorted(ends, np.flatnonzero(bare), "right")] = False
    data = data.copy()
    data[places + 1] = stand_for
    kept = np.ones(len(data), bool)
    kept[places] = False
    return data[kept], ends - np.searchsorted(places, ends), sound


def _escapes(data: Array, begins: Array, escaping: int) -> Array:
    """The places at which escapes begin: every other byte of those that begin escapes, where these are side by side."""
    found = np.flatnonzero(data == escaping)
    follows = np.diff(found, prepend=-2) == 1
    follows &= ~np.isin(found, begins)
    numbers = np.arange(len(found))
    first = np.maximum.accumulate(np.where(follows, 0, numbers))
    leading: Array = found[(numbers - first) % 2 == 0]
    return leading


def _changed(change: Callable[[bytes], bytes], values: pa.Array) -> tuple[Array, Array, Array]:
    """What becomes of bytes, one behind the other; where each ends; and which of them there is something for."""
    found, sound = [], np.ones(len(values), bool)
    for row, each in enumerate(values.to_pylist()):
        try:
            found.append(change(each))
        except ValueError:
            found.append(b"")
            sound[row] = False
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    return np.frombuffer(b"".join(found), np.uint8), np.cumsum(sizes), sound
