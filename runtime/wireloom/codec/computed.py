"""Values that are not in the bytes: they are computed from others, and others use them when a record is written."""

from collections.abc import Iterator
from math import isnan
from typing import Any

from wireloom.codec.accepted_values import unfit
from wireloom.codec.columns import U64, Column, ColumnType
from wireloom.codec.deferred_checks import Validity
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.fields import Field
from wireloom.codec.frames import Frame, Values
from wireloom.codec.layout import NamedPart, Part
from wireloom.codec.meanings import Meaning
from wireloom.codec.reader import Reader
from wireloom.codec.tracing import SpanKind
from wireloom.codec.writer import Writer
from wireloom.expressions import Formula, expression


class Compute(NamedPart):
    """A value that is not in the bytes. Decoding computes it as ``value``; building uses it as an input to other
    fields. If it is not given, it is the ``default``, if that has a value. If it is present, ``valid`` must hold.
    """

    def __init__(
        self,
        value: Formula,
        type: ColumnType,
        *,
        enum: Any = None,
        labels: bool = True,
        valid: Formula | None = None,
        hex: bool = False,
        meaning: Meaning | None = None,
        default: Formula | None = None,
    ) -> None:
        super().__init__()
        self.value = expression(value)
        self.default = expression(default)
        self.type = type
        self.limits = LIMITS.get(type) if isinstance(type, str) else None
        self.least, self.most = self.limits or (-1, -1)
        self.enum = enum
        self.labels = labels
        self.valid = valid
        self.hex = hex
        self.meaning = meaning

    def called(self, name: str) -> Part:
        return Computed(name, self)


LIMITS = {
    "byte": (-(1 << 7), (1 << 7) - 1),
    "short": (-(1 << 15), (1 << 15) - 1),
    "int": (-(1 << 31), (1 << 31) - 1),
    "long": (-(1 << 63), (1 << 63) - 1),
    U64: (0, (1 << 64) - 1),
}
"""The lowest and highest value of each table type for integers."""


class Computed(Part):
    """A computed value under its name. When building, a given value must equal what the other values make it."""

    computed = True
    last = stored = False

    def __init__(self, name: str, compute: Compute) -> None:
        super().__init__()
        self.name = name
        self.compute = compute
        self.field = Field(compute, enum=compute.enum, labels=compute.labels, valid=compute.valid, hex=compute.hex)
        self.showing = self.field.showing(name)
        self._loaders = list(self.field.loaders(name))
        self.type = compute.type if compute.meaning is None else compute.meaning.type
        self._value = compute.value
        self._limits = compute.limits
        self._fitting = _Fitting(self)
        self._validity = None if self.field.valid is None else _ValidIfPresent(name, self.field.valid)

    def columns(self) -> Iterator[Column]:
        return self.field.labelled(self.name, self.type)

    def read(self, reader: Reader, this: Values) -> None:
        value = this[self.name] = self._value.ask(this, reader.record, reader.frame)
        if value is None:
            return
        if reader.trace is not None:
            reader.trace.note(self.name, reader.pos, reader.pos, this, kind=SpanKind.COMPUTED, field=self.field)
        if not self.fits(value):
            detail = f"{self.field.shown(value)} does not fit a {self.compute.type}"
            reader.refuse(DecodeError("range", detail, reader.pos, self.name))
            # Where a record begins, that does not matter yet; but a shift by such a number could take all memory.
            this[self.name] = None
            return
        if isinstance(value, str | bytes):
            reader.weigh(len(value) if isinstance(value, bytes) or value.isascii() else len(value.encode()))
        this[self.name] = self.meant(value)
        for load in self._loaders:
            load(this)
        if this[self.name] is not None:
            self.field.validate(this, self.name, reader, reader.pos)

    def meant(self, value: Any) -> Any:
        """The meaning of a number; None if it has none."""
        meaning = self.compute.meaning
        if meaning is None or not isinstance(value, int):
            return value
        try:
            return meaning.value(value)
        except DecodeError:
            return None

    def fits(self, value: Any) -> bool:
        """Whether the column can hold that value, which may be anything: it is computed from values that were given."""
        return not self._limits or (isinstance(value, int | float) and self._limits[0] <= value <= self._limits[1])

    def write(self, writer: Writer, this: Values) -> None:
        if this[self.name] is None:
            self.field.fill(writer, this, self.name)
        if this[self.name] is None and self.compute.default is not None:
            this[self.name] = self.compute.default.ask(this, writer.record, writer.frame)
        value = this[self.name]
        if self.compute.type == "boolean" and not isinstance(value, bool | None):
            raise EncodeError(unfit(value, "boolean", 1), self.name)
        if value is None:
            writer.await_(this, self.name, self)
            if self._limits:
                writer.claim(self._fitting, this, taken=True)
        else:
            writer.claim(self, this, _known(value))
        if self._validity is not None:
            writer.claim(self._validity, this, taken=True)

    def state(self, this: Values, record: Values, frame: Frame) -> object:
        """The value as it would be computed; if it does not fit, this object instead, which nobody can give."""
        value = self._value.ask(this, record, frame)
        return value if value is None else _known(self.meant(value)) if self.fits(value) else self

    def refusal(self, this: Values, taken: Any, found: Any) -> EncodeError:
        """The error for a given value ``taken`` where the other values make it ``found``."""
        show = self.field.shown
        if found is self:
            return EncodeError(f"what the other fields make it does not fit a {self.compute.type}", self.name)
        return EncodeError(f"{show(taken)} given, but the other fields make it {show(found)}", self.name)

    def expected(self, this: Values, record: Values, frame: Frame, buffer: bytes | bytearray) -> Any:
        """The computed value, which is written where none was given."""
        return self.meant(self._value.ask(this, record, frame))


def _known(value: object) -> object:
    """The value; for every NaN, which does not even equal itself, the same word."""
    return "NaN" if isinstance(value, float) and isnan(value) else value


class _ValidIfPresent(Validity):
    """The claim that a computed value is valid, or absent."""

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        return this[self.name] is None or super().state(this, record, frame)


class _Fitting:
    """The claim that a computed value fits its column, where no value was given."""

    def __init__(self, part: Computed) -> None:
        self.part = part

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        has_meaning = self.part.compute.meaning is not None
        value = self.part.compute.value.ask(this, record, frame) if has_meaning else this[self.part.name]
        return value is None or self.part.fits(value)

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        return self.part.refusal(this, None, self.part)
