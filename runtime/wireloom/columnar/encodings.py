"""Text of many rows at once in encodings that have one byte for each character."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.characters import characters
from wireloom.columnar import buffers
from wireloom.columnar.arrays import Column, Made, Spans
from wireloom.columnar.buffers import Array, ends_of
from wireloom.columnar.rows import Rows

_EACH = 16
"""How many bytes each byte takes while it is translated."""


class Characters(NamedTuple):
    """What the 256 bytes of an encoding are in UTF-8: ``octets`` padded with zeros, and their ``sizes``, 0 for none."""

    octets: Array
    sizes: Array

    @classmethod
    @lru_cache(maxsize=32)
    def of(cls, encoding: str) -> "Characters":
        """Those of an encoding that has one byte for each character."""
        found = characters(encoding)
        assert found is not None
        written = [b"" if character is None else character.encode() for character in found]
        octets = np.array(written, "S4").view(np.uint8).reshape(256, 4)
        return cls(octets, np.array([len(each) for each in written], np.int64))


def translated(at: Rows, start: Array, stop: Array, encoding: str) -> Column:
    """The bytes as text, without those of doubtful rows; invalid bytes are kept, or else also doubtful."""
    table = Characters.of(encoding)
    at.batch.weigh_copy(int((stop - start).sum()), _EACH)
    doubtful = at.batch.doubtful[at.index]
    valid = ~doubtful if doubtful.any() else None
    found = Spans(at.batch.buffer, start, stop, valid).arrow(pa.binary())
    data = found.buffers()[2]
    ends = ends_of(found)
    octets = np.frombuffer(data, np.uint8)[: ends[-1]] if data is not None else np.zeros(0, np.uint8)
    sizes = table.sizes[octets]
    if (strange := np.flatnonzero(sizes == 0)).size:
        wrong = np.zeros(len(at), bool)
        wrong[np.searchsorted(ends, strange, "right") - 1] = True
        at.keep(wrong)
        valid = ~wrong if valid is None else valid & ~wrong
    after = np.concatenate([[0], np.cumsum(sizes)])
    text = np.zeros(int(after[-1]), np.uint8)
    for place in range(int(sizes.max(initial=0))):
        has = sizes > place
        text[after[:-1][has] + place] = table.octets[octets[has], place]
    return Made(buffers.array(pa.string(), len(at), valid, after[ends].astype(np.int32), text))
