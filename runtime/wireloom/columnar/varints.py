"""Integers of variable length of many rows at once; whatever is not in its shortest form is doubtful."""

from typing import assert_never

import numpy as np

from wireloom.codec.varints import Leb128, Protobuf, Quic, SignedLeb128, Varint, Vlq, ZigZag
from wireloom.columnar.arrays import Column, Numbers
from wireloom.columnar.buffers import Array, windows
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows

Grouped = Leb128 | Protobuf | SignedLeb128 | Vlq
"""The forms that have seven bits of the number in each byte; its highest bit is set if another one follows."""


class Varints:
    """The reader of one form of them. ``said`` is the codec's."""

    fixed = None

    def __init__(self, said: Varint) -> None:
        self.said = said

    def read(self, at: Rows, this: Values) -> Column:
        value, wrong = self._read(at)
        if not self.said.signed and self.said.bits == 64:
            return _told(at, value, wrong)
        data = value.view(np.int64)
        return _told(at, data, wrong | (data < self.said.least) | (data > self.said.most))

    def _read(self, at: Rows) -> tuple[Array, Array]:
        match self.said:
            case Quic():
                return _quic(at)
            case Leb128() | Protobuf() | SignedLeb128() | Vlq():
                return _Groups(at, self.said).read()
            case _:
                raise NotImplementedError(type(self.said).__name__)


def _told(at: Rows, data: Array, wrong: Array) -> Numbers:
    if wrong.any():
        at.doubt(wrong)
    return Numbers(data)


class _Groups:
    """Numbers of seven bits a byte, being read a byte of each row at a time."""

    def __init__(self, at: Rows, said: Grouped) -> None:
        self.at = at
        self.said = said
        self.value = np.zeros(len(at), np.uint64)
        self.wrong = np.zeros(len(at), bool)

    def read(self) -> tuple[Array, Array]:
        """(numbers, rows in doubt); negative numbers are in two's complement."""
        at, pos, going = self.at, self.at.at.copy(), np.arange(len(self.at))
        before = np.zeros(len(at), np.uint8)
        for count in range(self.said.longest):
            short = pos[going] >= at.limit[going]
            self.wrong[going[short]] = True
            going = going[~short]
            byte = windows(at.batch.buffer, pos[going], 1).view(np.uint8)
            pos[going] += 1
            self._take(going, byte, count)
            last = byte < 0x80
            self._end(going[last], byte[last], before[going[last]], count)
            before[going] = byte
            going = going[~last]
            if not len(going):
                break
        self.wrong[going] = True
        at.move(pos)
        return self._unfolded(), self.wrong

    def _take(self, rows: Array, byte: Array, count: int) -> None:
        """Take a byte of each of the rows, after ``count`` others."""
        group = (byte & 0x7F).astype(np.uint64)
        if isinstance(self.said, Vlq):
            if count == 9:
                self.wrong[rows] |= self.value[rows] >> np.uint64(57) != 0
            self.value[rows] = self.value[rows] << np.uint64(7) | group
            if not count:
                self.wrong[rows] |= byte == 0x80
            return
        self.value[rows] |= group << np.uint64(7 * count)

    def _end(self, rows: Array, byte: Array, before: Array, count: int) -> None:
        """The rows end with ``byte``, after ``before``."""
        match self.said:
            case Vlq():
                return
            case SignedLeb128():
                negative = byte & 0x40 != 0
                if count < 9:
                    self.value[rows[negative]] |= ~np.uint64(0) << np.uint64(7 * count + 7)
                else:
                    self.wrong[rows] |= (byte != 0) & (byte != 0x7F)
                needless = np.where(before & 0x40 != 0, byte == 0x7F, byte == 0)
            case Leb128() | Protobuf():
                needless = byte == 0
                if count == 9:
                    self.wrong[rows] |= byte > 1
            case _:
                assert_never(self.said)
        if count:
            self.wrong[rows] |= needless

    def _unfolded(self) -> Array:
        if not isinstance(self.said, ZigZag):
            return self.value
        return (self.value >> np.uint64(1)) ^ (np.uint64(0) - (self.value & np.uint64(1)))


def _quic(at: Rows) -> tuple[Array, Array]:
    """(numbers, rows in doubt); the two highest bits of the first byte determine how many bytes there are."""
    start = at.at
    found = windows(at.batch.buffer, start, 8).view(">u8").astype(np.uint64).reshape(len(at))
    size = np.int64(1) << (found >> np.uint64(62)).astype(np.int64)
    bits = (8 * size).astype(np.uint64)
    value = (found << np.uint64(2)) >> np.uint64(2) >> (np.uint64(64) - bits)
    wrong = (start + size > at.limit) | ((size > 1) & (value < np.uint64(1) << (bits // np.uint64(2) - np.uint64(2))))
    at.move(np.where(start + size > at.limit, start, start + size))
    return value, wrong
