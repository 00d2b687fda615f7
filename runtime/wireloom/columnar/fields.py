"""Fixed-size numbers of many rows, read with one look at each row's bytes."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from wireloom.buffers import Array
from wireloom.codec.checksums import Algorithm
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.rows import Rows
from wireloom.columnar.vectors import Vector
from wireloom.programs.number_format import NumberFormat


class Checksum(NamedTuple):
    """A checksum over a range of the record's bytes: where that begins and ends."""

    algorithm: Algorithm
    start: Vectorised
    stop: Vectorised


def bit_field(word: Array, shift: int, mask: int, *, boolean: bool = False) -> Array:
    """The bits of ``mask`` of each unsigned word, after a shift to the right; or whether there are any."""
    kind = word.dtype.type
    value: Array = word >> kind(shift) & kind(mask)
    return value != 0 if boolean else value.astype(np.min_scalar_type(mask))


class Number(NumberFormat):
    """A number of each row."""

    def format(self, *, little: bool) -> str:
        """The numpy code by which it is taken out of a row's bytes."""
        is_opaque = self.odd or self.swapped
        return (
            f"V{self.size}" if is_opaque else f"{self._sign(little=little)}{'u' if self.half else self.kind}{self.size}"
        )

    def load(self, data: Array, *, little: bool) -> Array:
        """The data taken by ``format``, as numbers."""
        word = self._word(data, little=little)
        return word if self.part is None else self.bits(word)

    def bits(self, word: Array) -> Array:
        """Its bits of each word, or the words themselves if it is all of them."""
        if self.part is None:
            return word
        unsigned = word.astype(np.uint64 if self.odd else f"u{self.size}")
        return bit_field(unsigned, self.part.shift, self.part.mask, boolean=self.part.boolean)

    def _word(self, data: Array, *, little: bool) -> Array:
        if self.half:
            return _halves()[data]
        if self.swapped:
            words = np.ascontiguousarray(data).view("<u2").reshape(-1, self.size // 2)[:, ::-1]
            swapped: Array = np.ascontiguousarray(words).view(f"{self.order}{self.kind}{self.size}").ravel()
            return swapped
        if not self.odd:
            return data
        # The bytes, put at the high end of eight, are shifted down, which repeats the sign of signed ones.
        from_low = self.is_little(little=little)
        wide = np.zeros((len(data), 8), np.uint8)
        given = np.ascontiguousarray(data).view(np.uint8).reshape(-1, self.size)
        wide[:, 8 - self.size :] = given if from_low else given[:, ::-1]
        shifted: Array = wide.view(f"<{self.kind}8").ravel() >> 8 * (8 - self.size)
        return shifted.astype(np.int64)

    def of(self, raw: Array, little: bool | Array, offset: int = 0) -> Array:
        """The numbers at ``offset`` in ``raw``, which is one opaque item a row."""
        if isinstance(little, bool):
            return self._at(raw, offset, little=little)
        big = self._at(raw, offset, little=False)
        return big if self.order != "@" else np.where(little, self._at(raw, offset, little=True), big)

    def _at(self, raw: Array, offset: int, *, little: bool) -> Array:
        found = raw.view(_within(self.format(little=little), offset, raw.itemsize))["it"]
        if self.size == 1:  # adjacent bytes are compared many times as fast
            found = np.ascontiguousarray(found)
        return self.load(found, little=little)

    def check(self, at: Rows, data: Array) -> Array:
        """Booleans, if it is one; rows with bytes other than 0 and 1 are doubted."""
        if not self.boolean:
            return data
        at.doubt(data > 1)
        truth: Array = data != 0
        return truth


@cache
def _halves() -> Array:
    """Each number of half precision in single precision, by its bits; numpy would make signalling NaN quiet."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    singles = bits.view(np.float16).astype(np.float32)
    sign, fraction = (bits >> 15).astype(np.uint32) << 31, (bits & 0x03FF).astype(np.uint32) << 13
    nan = np.isnan(singles)
    singles.view(np.uint32)[nan] = (sign | 0x7F80_0000 | fraction)[nan]
    return singles


@cache
def _within(format: str, offset: int, size: int) -> np.dtype[Any]:
    """How numpy finds one number in opaque items of ``size`` bytes."""
    return np.dtype({"names": ["it"], "formats": [format], "offsets": [offset], "itemsize": size})


def number(value: Any, at: Rows) -> tuple[Array, Array | None]:
    """(numbers, validity) of an expression's value, one a row."""
    if value is None:
        return np.zeros(len(at), np.int64), np.zeros(len(at), bool)
    vector = value if isinstance(value, Vector) else Vector(np.zeros(len(at), np.int64), None, at.doubt).like(value)
    return vector.data if vector.data.dtype == bool else vector.data.astype(np.int64, copy=False), vector.valid
