"""Byte stuffing of many values at a time: what escaped bytes stand for, and the escaped form of bytes."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from wireloom.buffers import Array
from wireloom.codec.escapes import EscapePairs, Escaping


def unescaped(escaping: Escaping, data: Array, ends: Array) -> tuple[Array, Array, Array]:
    """What escaped values stand for, one after the other; where each ends; and which of them are in canonical form.

    Of values that are not, bytes are unspecified.

    Args:
        data: The bytes of all values, one value after the other.
        ends: Where each value ends in ``data``.
    """
    if isinstance(escaping, EscapePairs):
        return _unescaped_pairs(escaping, data, ends)
    return _changed(escaping.canonical, data, ends)


def escaped(escaping: Escaping, data: Array, ends: Array) -> tuple[Array, Array]:
    """The canonical escaped form of values, and where each ends; see ``unescaped`` for ``data`` and ``ends``."""
    if isinstance(escaping, EscapePairs):
        return _escaped_pairs(escaping, data, ends)
    return _changed(escaping.escape, data, ends)[:2]


def _unescaped_pairs(pairs: EscapePairs, data: Array, ends: Array) -> tuple[Array, Array, Array]:
    sound = np.ones(len(ends), bool)
    places = _escapes(data, np.append(0, ends)[:-1], pairs.escaping)
    codes = np.full(256, -1, np.int64)
    codes[list(pairs.written.values())] = list(pairs.written)
    owners = np.searchsorted(ends, places, "right")
    stand_for = codes[data[np.minimum(places + 1, len(data) - 1)]]
    wrong = (places + 1 >= ends[owners]) | (stand_for < 0)
    sound[owners[wrong]] = False
    places, stand_for = places[~wrong], stand_for[~wrong]
    is_bare = _is_among(pairs.written)
    is_bare[pairs.escaping] = False
    bare = is_bare[data]
    bare[places + 1] = False
    sound[np.searchsorted(ends, np.flatnonzero(bare), "right")] = False
    data = data.copy()
    data[places + 1] = stand_for
    return np.delete(data, places), ends - np.searchsorted(places, ends), sound


def _escaped_pairs(pairs: EscapePairs, data: Array, ends: Array) -> tuple[Array, Array]:
    places = np.flatnonzero(_is_among(pairs.written)[data])
    codes = np.arange(256, dtype=np.uint8)
    codes[list(pairs.written)] = list(pairs.written.values())
    coded = data.copy()
    coded[places] = codes[data[places]]
    return np.insert(coded, places, pairs.escaping), ends + np.searchsorted(places, ends)


def _is_among(values: dict[int, int]) -> Array:
    """Whether each of the 256 bytes is among the keys."""
    found = np.zeros(256, bool)
    found[list(values)] = True
    return found


def _escapes(data: Array, begins: Array, escaping: int) -> Array:
    """The places at which escapes begin: every other byte of those that begin escapes, where these are side by side."""
    found = np.flatnonzero(data == escaping)
    follows = np.diff(found, prepend=-2) == 1
    follows &= ~np.isin(found, begins)
    numbers = np.arange(len(found))
    first = np.maximum.accumulate(np.where(follows, 0, numbers))
    leading: Array = found[(numbers - first) % 2 == 0]
    return leading


def _changed(change: Callable[[bytes], bytes], data: Array, ends: Array) -> tuple[Array, Array, Array]:
    """What becomes of values, one after the other; where each ends; and for which of them ``change`` has no error."""
    found, sound = [], np.ones(len(ends), bool)
    octets = data.tobytes()
    for row, (begin, end) in enumerate(pairwise([0, *ends.tolist()])):
        try:
            found.append(change(octets[begin:end]))
        except ValueError:
            found.append(b"")
            sound[row] = False
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    return np.frombuffer(b"".join(found), np.uint8), np.cumsum(sizes), sound
