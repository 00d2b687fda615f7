"""Numbers in ASCII digits of many rows at once."""

import numpy as np

from wireloom import codec
from wireloom.codec.ascii import BLANKS
from wireloom.columnar.arrays import Column, Numbers
from wireloom.columnar.buffers import Array, windows
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows
from wireloom.columnar.values import Extent

_NONE = 255
_MINUS = ord("-")
_LONGEST = 64
"""Longer values are left to the codec."""


class Ascii:
    """Numbers of one form. Other forms, and text that is not a number, are kept if possible, or else doubtful."""

    def __init__(self, said: codec.Ascii, extent: Extent) -> None:
        self.said = said
        self.extent = extent
        self.fixed = extent.fixed
        self._digits = np.full(256, _NONE, np.uint8)
        self._digits[np.frombuffer(said.alphabet, np.uint8)] = np.arange(said.base)
        self._most = max(count for count in range(65) if said.base**count <= 1 << 64)

    def read(self, at: Rows, this: Values) -> Column:
        start, stop = self.extent.span(at, this)
        sizes = stop - start
        wrong = sizes > _LONGEST
        longest = int(np.where(wrong, 1, sizes).max(initial=1))
        octets = windows(at.batch.buffer, start, longest).view(np.uint8).reshape(len(at), longest)
        number = _Digits(self.said, self._digits, len(at), blanks=at.kept is not None)
        for place in range(longest):
            number.take(octets[:, place], place < sizes)
        none = (number.count == 0) & ~number.negative
        other = none | number.blank | self._is_other(number, sizes)
        wrong |= number.wrong | (number.count > self._most) | ((number.count == 0) & number.negative)
        value = number.value
        wrong |= value > np.uint64(self.said.most) + number.negative.astype(np.uint64)
        if self.said.signed or self.said.bits < 64:
            value = value.view(np.int64)
            value = np.where(number.negative, -value, value)
        if wrong.any():
            at.doubt(wrong)
        if not other.any():
            return Numbers(value)
        missing = at.kept is not None and none.any()
        at.keep(other)
        return Numbers(value, ~none if missing else None)

    def _is_other(self, number: "_Digits", sizes: Array) -> Array:
        """Which rows are not as their number is written."""
        said, characters = self.said, number.count + number.negative
        wrong = (characters < said.digits) | (number.zero_first & (characters > said.digits))
        wrong |= number.negative & (number.value == 0)
        if said.fill:
            wrong |= (sizes < said.width) | ((number.filled > 0) & (sizes != said.width))
        found: Array = wrong
        return found


def _blank(fill: bytes) -> Array:
    """Whether each byte means nothing around a number."""
    found = np.zeros(256, bool)
    found[list(BLANKS + fill)] = True
    return found


class _Digits:
    """Numbers while they are read, a character of each row at a time."""

    def __init__(self, said: codec.Ascii, digits: Array, count: int, *, blanks: bool) -> None:
        self.fill = said.fill[0] if said.fill else _NONE
        self.signed = said.signed
        self.base = np.uint64(said.base)
        self.digits = digits
        self.value = np.zeros(count, np.uint64)
        self.count, self.filled = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.negative, self.zero_first, self.wrong, self.blank, self.ended = (np.zeros(count, bool) for _ in range(5))
        self._blanks = _blank(said.fill) if blanks else None

    def take(self, octet: Array, inside: Array) -> None:
        """Take the next character of the rows that have one ``inside``."""
        digit = self.digits[octet]
        counts = inside & (digit != _NONE)
        first = (self.count == 0) & ~self.negative & inside
        filling = first & (octet == self.fill) if self.fill != _NONE else np.zeros(len(octet), bool)
        minus = first & (octet == _MINUS) if self.signed else np.zeros(len(octet), bool)
        known = counts | filling | minus
        if self._blanks is not None:
            blank = inside & ~known & self._blanks[octet]
            self.wrong |= (counts & self.ended) | (blank & self.negative & (self.count == 0))
            self.ended |= blank & (self.count > 0)
            self.blank |= blank
            known |= blank
        self.wrong |= inside & ~known
        self.zero_first |= counts & (self.count == 0) & (digit == 0)
        self.value = np.where(counts, self.value * self.base + digit, self.value)
        self.count += counts
        self.filled += filling
        self.negative |= minus
