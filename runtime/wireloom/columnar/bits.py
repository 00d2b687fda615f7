"""Integers that are split into bit fields, as the codec has them, for many rows at once."""

from typing import NamedTuple

import numpy as np

from wireloom.codec.meanings import Meaning
from wireloom.columnar.arrays import Column, Lists, Numbers
from wireloom.columnar.buffers import Array
from wireloom.columnar.fields import Field, Number, bit_field, must_be_valid
from wireloom.columnar.frames import Values
from wireloom.columnar.meanings import meant
from wireloom.columnar.rows import Rows


class Bit(NamedTuple):
    """Some bits of an integer under their name: those of ``mask``, after a shift to the right."""

    field: Field
    shift: int
    mask: int
    boolean: bool = False

    def of(self, word: Array) -> Array:
        """Their values in each of the words."""
        return bit_field(word, self.shift, self.mask, boolean=self.boolean)


class BitList(NamedTuple):
    """Bits of an integer as a list under its name: items of those of ``mask``, after each of the ``shifts``.

    The items of a row take ``weight`` bytes in a table.
    """

    field: Field
    shifts: tuple[int, ...]
    mask: int
    weight: int
    boolean: bool = False
    meaning: Meaning | None = None

    def put(self, at: Rows, this: Values, word: Array) -> None:
        """Set the lists to those in each of the words."""
        at.batch.weigh(len(word) * self.weight)
        kind = word.dtype.type
        numbers: Array = (word[:, None] >> np.array(self.shifts, kind) & kind(self.mask)).reshape(-1)
        numbers = numbers != 0 if self.boolean else numbers.astype(np.min_scalar_type(self.mask))
        items: Column = Numbers(numbers)
        if self.meaning is not None:
            found = meant(self.meaning, items)
            for which in (found.doubtful, found.none):
                if which is not None:
                    at.doubt(np.any(which.reshape(len(word), -1), axis=1))
            items = found.column
        this.put(self.field.name, Lists(np.full(len(word), len(self.shifts)), items))


class Bits:
    """An integer split into bit fields, or some that are ``over`` the integer that was read last."""

    def __init__(self, word: Number, *bits: Bit | BitList, whole: Field | None = None, over: bool = False) -> None:
        self.word = word
        self.bits = bits
        self.whole = whole
        self.name = (whole or bits[0].field).name
        self.derived = [bit.field for bit in bits if bit.field.derive]
        self.over = over
        self.fixed = 0 if over else word.size

    def read(self, at: Rows, this: Values) -> None:
        if self.over:
            at.shift -= self.word.size
        start = at.at
        with at.within(self.name):
            raw, offset = at.gather(self.word.size)
        stop = at.at
        word = self.word.of(raw, at.little, offset)
        if self.whole is not None:
            self.whole.put(at, this, word, start)
            at.frame.put(self.name, start, stop)
        word = word.astype(np.uint64 if self.word.odd else f"u{self.word.size}")
        for bit in self.bits:
            if isinstance(bit, BitList):
                bit.put(at, this, word)
            else:
                bit.field.put(at, this, bit.of(word), start)
            at.frame.put(bit.field.name, start, stop)
            must_be_valid(bit.field, at, this, start)
