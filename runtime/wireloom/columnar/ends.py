"""Extents of many rows inside which values end: at a terminator, or where padding begins."""

import numpy as np

from wireloom import codec
from wireloom.columnar.buffers import Array
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows


class Until:
    """Up to a terminator."""

    fixed = None

    def __init__(self, until: codec.Until) -> None:
        self.until = until

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        start, until, size = at.at, self.until, len(self.until.end)
        stop, missing = _ends(at, until.end, at.limit)
        if missing.any():
            if not until.unterminated:
                at.refuse(missing, "unterminated", start, f"no terminator {until.end.hex()}")
            elif until.terminator == "drop":
                at.keep(missing)
            stop = np.where(missing, at.limit if until.unterminated else start, stop)
        behind = stop + np.where(missing, 0, size)
        at.move(stop if until.terminator == "leave" else behind)
        return start, behind if until.terminator == "keep" else stop


class Padded:
    """In a region of a fixed size: up to a terminator, or to where nothing but padding follows."""

    def __init__(self, padded: codec.Padded, size: int) -> None:
        self.padded = padded
        self.fixed = size

    def span(self, at: Rows, this: Values) -> tuple[Array, Array]:
        start, size = at.at, self.fixed
        raw, offset = at.gather(size)
        octets = raw.view(np.uint8).reshape(len(at), raw.itemsize)[:, offset : offset + size]
        until, pad = self.padded.until, np.frombuffer(self.padded.pad, np.uint8)
        if until is None:
            return start, start + _unpadded(octets, pad)
        stop, missing = _ends(at, until.end, start + size, start)
        if missing.any() and not until.unterminated:
            at.refuse(missing, "unterminated", start, f"no terminator {until.end.hex()}")
        unended = start + (size if until.terminator == "drop" else _unpadded(octets, pad))
        stop = np.where(missing, unended, stop)
        behind = stop + np.where(missing, 0, len(until.end))
        place = np.arange(size) - (behind - start)[:, None]
        strange = ((octets != pad[place % len(pad)]) & (place >= 0)).any(axis=1)
        if strange.any():
            at.keep(strange)
        return start, behind if until.terminator == "keep" else stop


def _ends(at: Rows, end: bytes, limit: Array, start: Array | None = None) -> tuple[Array, Array]:
    """Where the next terminator is, and which rows have none before their limit."""
    start = at.at if start is None else start
    found = at.batch.places(end)
    if not len(found):
        return start, np.ones(len(at), bool)
    behind = np.searchsorted(found, start)
    stop = found[np.minimum(behind, len(found) - 1)]
    return stop, (behind == len(found)) | (stop + len(end) > limit)


def _unpadded(octets: Array, pad: Array) -> Array:
    """How many bytes of each row are before the padding."""
    rows, size = octets.shape
    units = size // len(pad)
    other = (octets[:, size - units * len(pad) :].reshape(rows, units, len(pad)) != pad).any(axis=2)
    padding = np.where(other.any(axis=1), np.argmax(other[:, ::-1], axis=1), units)
    found: Array = size - padding * len(pad)
    return found
