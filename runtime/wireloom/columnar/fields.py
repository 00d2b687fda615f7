"""Fixed-size numbers of many rows, read with one look at each row's bytes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom import codec
from wireloom.codec import WireEnum, WireFlags
from wireloom.codec.checksums import Algorithm
from wireloom.codec.fields import TOO_LARGE
from wireloom.codec.labels import bits_of
from wireloom.codec.meanings import Meaning
from wireloom.columnar.arrays import Column, Labels, Numbers
from wireloom.columnar.buffers import Array, Valid
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.frames import Values
from wireloom.columnar.meanings import meant, undetermined
from wireloom.columnar.refusals import Words
from wireloom.columnar.rows import Rows
from wireloom.columnar.vectors import Texts, Vector, true
from wireloom.options import U64Type
from wireloom.programs.number_format import NumberFormat


@dataclass(slots=True, eq=False)
class Joined:
    """A checksum over ranges of the record's bytes and constants, one after another."""

    algorithm: Algorithm
    over: Sequence[tuple[Vectorised, Vectorised] | bytes]


@dataclass(slots=True, eq=False)
class Checksum(Joined):
    """A checksum over one range."""

    over: tuple[tuple[Vectorised, Vectorised]]


def bit_field(word: Array, shift: int, mask: int, *, boolean: bool = False) -> Array:
    """The bits of ``mask`` of each unsigned word, after a shift to the right; or whether there are any."""
    kind = word.dtype.type
    value: Array = word >> kind(shift) & kind(mask)
    return value != 0 if boolean else value.astype(np.min_scalar_type(mask))


class Number(NumberFormat):
    """A number of each row."""

    def __init__(self, code: str, part: codec.BitSlice | None = None) -> None:
        super().__init__(code, part)
        self.fixed = self.size

    def format(self, *, little: bool) -> str:
        """The numpy code by which it is taken out of a row's bytes."""
        return (
            f"V{self.size}" if self.odd else f"{self._sign(little=little)}{'u' if self.half else self.kind}{self.size}"
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
        if not self.odd:
            return data
        # The bytes, put at the high end of eight, are shifted down, which repeats the sign of signed ones.
        from_low = self.is_little(little=little)
        wide = np.zeros((len(data), 8), np.uint8)
        given = np.ascontiguousarray(data).view(np.uint8).reshape(-1, self.size)
        wide[:, 8 - self.size :] = given if from_low else given[:, ::-1]
        shifted: Array = wide.view(f"<{self.kind}8").ravel() >> 8 * (8 - self.size)
        return shifted.astype(np.int64)

    def read(self, at: Rows, this: Values) -> Column:
        """The next number of each row."""
        raw, offset = at.gather(self.size)
        return Numbers(self.check(at, self.of(raw, at.little, offset)))

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

    def check(self, at: Rows, data: Array, name: str = "", place: Array | None = None) -> Array:
        """Booleans; rows with bytes other than 0 and 1 at ``place`` are refused."""
        if not self.boolean:
            return data
        if (wrong := data > 1).any():
            if place is None:
                at.doubt(wrong)
            else:
                with at.within(name):
                    at.refuse(wrong, "invalid", place, "0 or 1 expected, found ", data)
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


class Field:
    """A number under its name. ``said`` is the codec's field, with conditions for single records.

    ``valid``, ``derive`` and ``checksum`` are the same conditions for many; ``written`` is the checksum to write, which
    the framing may have checked already. Expressions use the offset of a ``located`` field. A wrong number matters
    only if it is ``judged``.
    """

    def __init__(
        self,
        name: str,
        said: codec.Field,
        *,
        valid: Vectorised | None = None,
        derive: Vectorised | None = None,
        checksum: Joined | None = None,
        written: Joined | None = None,
        located: bool = False,
        judged: bool = True,
    ) -> None:
        self.name = name
        self.said = said
        self.enum = said.enum if said.labels and judged else None
        self.flags = said.flags if said.labels and judged else None
        self.raw = said.raw
        self.meaning = said.subcon.meaning if isinstance(said.subcon, codec.As) else said.meaning
        self.const = said.const if judged else None
        self.valid = valid
        self.derive = derive
        self.checksum = checksum
        self.written = written
        self.located = located or derive is not None or checksum is not None
        self.u64 = said.u64 and judged
        self.exacting = any(each is not None for each in (self.const, valid, derive, checksum))
        """Whether something must hold of its values, so that none may be missing."""

    def refuses(self, u64: U64Type) -> bool:
        """Whether some numbers are wrong whatever else the record has."""
        return self.const is not None or (self.u64 and self.said.is_bounded(u64))

    def put(self, at: Rows, this: Values, data: Array, place: Array, valid: Valid = None) -> None:
        """Set the field's values to ``data``, which was just read at ``place``."""
        if self.meaning is not None:
            self._mean(at, this, data, self.meaning)
            return
        if self.const is not None:
            wide = data.astype(float) if data.dtype.kind == "f" else data  # a single is compared as a double
            if (wrong := wide != self.const).any():
                self._refuse_const(at, wrong, data, place)
        if self.u64 and self.said.is_bounded(at.batch.u64):
            signed = data.astype(np.int64)
            if (high := signed < 0).any():
                with at.within(self.name):
                    at.refuse(high, "range", place, self.in_words(data, high), TOO_LARGE)
            data = signed
        numbers = Numbers(data, valid)
        this.put(self.name, numbers)
        label(this, self.name, numbers, self.enum, self.flags)

    def _mean(self, at: Rows, this: Values, data: Array, meaning: Meaning) -> None:
        numbers = Numbers(data)
        found = meant(meaning, numbers)
        for which in (found.doubtful, found.none if self.raw is None else None):
            if which is not None:
                at.doubt(which)
        column = found.column
        if self.raw is not None and isinstance(column, Numbers):
            this.put(self.raw, Numbers(data, undetermined(meaning, data, found)))
            column = column if found.none is None else Numbers(column.data, ~found.none)
        this.put(self.name, column)

    def _refuse_const(self, at: Rows, wrong: Array, data: Array, place: Array) -> None:
        if data.dtype.kind not in "iu":
            at.doubt(wrong)
            return
        with at.within(self.name):
            expected = self.said.shown(int(self.const or 0))
            at.refuse(wrong, "constant", place, f"{expected} expected, found ", self.in_words(data, wrong))

    def in_words(self, data: Array, which: Array) -> Words:
        """The numbers as messages show them, of all rows or of the selected ones."""
        return [self.said.shown(number) for number in data[which].tolist()] if self.said.digits else data


def label(
    this: Values, name: str, numbers: Numbers, enum: type[WireEnum] | None, flags: type[WireFlags] | None = None
) -> None:
    """Add the label column of a field."""
    if enum is not None:
        this.put(f"{name}_name", Labels(numbers, enum.label, pa.string()))
    if flags is not None:
        this.put(f"{name}_flags", Labels(numbers, _namer(flags), pa.list_(pa.string())))


@cache
def _namer(flags: type[WireFlags]) -> Callable[[int], list[str]]:
    bits = bits_of(flags)
    return lambda value: [label for label, bit in bits if value & bit]


class Run:
    """Consecutive numbers."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self.fields: list[tuple[Field, Number, int]] = []
        self.size = 0
        for field in fields:
            kind = Number.from_construct(field.said)
            self.fields.append((field, kind, self.size))
            self.size += kind.size
        self.derived = [field for field, _, _ in self.fields if field.derive or field.checksum]
        self.fixed = self.size

    def read(self, at: Rows, this: Values) -> None:
        """Put the fields' values into ``this``."""
        start = at.at
        if (short := start + self.size > at.limit).any():
            self._refuse_short(at, short, start)
        raw, first = at.gather(self.size, sure=True)
        little = at.little
        read = [kind.of(raw, little, first + offset) for _, kind, offset in self.fields]
        read = [
            kind.check(at, data, field.name, start + offset) if kind.boolean else data
            for (field, kind, offset), data in zip(self.fields, read, strict=True)
        ]
        for (field, kind, offset), data in zip(self.fields, read, strict=True):
            field.put(at, this, data, start + offset if field.refuses(at.batch.u64) else start)
            if field.located:
                place = start + offset
                at.frame.put(field.name, place, place + kind.size)
        for field, _, offset in self.fields:
            if field.valid is not None:
                must_be_valid(field, at, this, start + offset)

    def _refuse_short(self, at: Rows, short: Array, start: Array) -> None:
        """Refuse rows without room for all fields; the error names the first field that does not fit."""
        ends = np.array([offset + kind.size for _, kind, offset in self.fields])
        fitting = np.where(short, np.searchsorted(ends, at.limit - start, "right"), -1)
        for number in np.unique(fitting[short]).tolist():
            field, kind, offset = self.fields[number]
            with at.within(field.name):
                at.short(fitting == number, np.full(len(at), kind.size), start + offset)


def must_be_valid(field: Field, at: Rows, this: Values, place: Array) -> None:
    """Refuse rows whose field at ``place`` breaks its ``valid`` condition."""
    if field.valid is None or (wrong := false(field.valid, at, this)) is None:
        return
    column = this.column(field.name)
    if not isinstance(column, Numbers) or column.data.dtype.kind not in "iu" or column.valid is not None:
        at.doubt(wrong)
        return
    assert field.said.valid is not None
    with at.within(field.name):
        expected = f"{field.said.valid.written} expected, found "
        at.refuse(wrong, "invalid", place, expected, field.in_words(column.data, wrong))


def false(condition: Vectorised, at: Rows, this: Values) -> Array | None:
    """The rows in which a condition does not hold; None if it holds in all."""
    holds = true(condition(this, at.record, at.frame))
    if holds is False:
        holds = np.zeros(len(at), bool)
    return None if holds is True or holds.all() else ~holds


def number(value: Any, at: Rows) -> tuple[Array, Array | None]:
    """(numbers, validity) of an expression's value, one a row."""
    if value is None or isinstance(value, Texts):
        return np.zeros(len(at), np.int64), np.zeros(len(at), bool)
    vector = value if isinstance(value, Vector) else Vector(np.zeros(len(at), np.int64), None, at.doubt).like(value)
    return vector.data if vector.data.dtype == bool else vector.data.astype(np.int64, copy=False), vector.valid
