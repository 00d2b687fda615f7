"""Integers that are split into bit fields."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from construct import Construct, Renamed

from wireloom.codec.claims import Validity
from wireloom.codec.columns import Column, integer_type
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.fields import Field
from wireloom.codec.frames import Frame, Values
from wireloom.codec.givens import unfit
from wireloom.codec.layout import Part
from wireloom.codec.meanings import As
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer


class Bits(Part):
    """An integer split into named bit fields, the most significant first, or with ``lsb`` the least one.

    A field of type ``bool`` is one bit wide. The ``whole`` number may have a name, too. When building, either is
    enough, and where both are given they must agree, but in the bits of derived fields.

    Bits without a name have names in parts that stand ``over`` the same bytes, right behind this one.
    """

    last = stored = False

    def __init__(
        self,
        integer: Construct,
        *fields: Construct,
        whole: Construct | None = None,
        lsb: bool = False,
        over: bool = False,
    ) -> None:
        super().__init__()
        self.integer = integer
        self.size = integer.sizeof()
        self.over = over
        self.fields: list[tuple[str, Field, int, int]] = []
        taken = 0
        for item in fields:
            if isinstance(item, Bit):
                taken += item.width
                continue
            assert isinstance(item, Renamed)
            field = item.subcon if isinstance(item.subcon, Field) else Field(item.subcon)
            width = _bit(field).width
            shift = taken if lsb else 8 * self.size - taken - width
            taken += width
            self.fields.append((item.name, field, shift, (1 << width) - 1))
        assert taken == 8 * self.size, "bit fields fill their integer"
        self.whole: tuple[str, Field] | None = None
        if isinstance(whole, Renamed):
            self.whole = whole.name, whole.subcon if isinstance(whole.subcon, Field) else Field(whole.subcon)
        self._told = sum(mask << shift for _, field, shift, mask in self.fields if not field.derived)
        self._values = [_value(field) for _, field, _, _ in self.fields]
        self._loaders = [list(field.loaders(name)) for name, field, _, _ in self.fields]
        self.derived = [(name, field) for name, field, _, _ in self.fields if field.derived]
        parts = tuple(column for name, field, _, _ in self.fields for column in field.showing(name))
        self.showing = parts if self.whole is None else (self.whole[0], *parts)
        self.name = self.showing[0] if self.whole is not None else self.fields[0][0]

    def columns(self) -> Iterator[Column]:
        if self.whole is not None:
            name, field = self.whole
            yield from field.labelled(name, field.subcon.type)
        for name, field, _, _ in self.fields:
            yield from field.labelled(name, field.subcon.type)

    def read(self, reader: Reader, this: Values) -> None:
        if self.over:
            reader.pos -= self.size
        start = reader.pos
        if reader.limit - start < self.size:
            raise reader.short(self.size).within(self.name)
        word = self.integer._parse(reader, this, "")
        if self.whole is not None:
            this[self.name] = word
            reader.frame[self.name] = (start, reader.pos)
            if reader.trace is not None:
                reader.trace.note(self.name, start, reader.pos, this, field=self.whole[1])
        for (name, field, shift, mask), value, loaders in zip(self.fields, self._values, self._loaders, strict=True):
            number = word >> shift & mask
            try:
                this[name] = number if value is None else value(number)
            except DecodeError as error:
                error.offset = start
                reader.refuse(error.within(name))
            reader.frame[name] = (start, reader.pos)
            if reader.trace is not None:
                bits = (shift + mask.bit_length() - 1, shift)
                reader.trace.note(name, start, reader.pos, this, field=field, bits=bits)
            try:
                for load in loaders:
                    load(this)
            except DecodeError as error:
                error.offset = start
                reader.refuse(error.within(name))
            field.validate(this, name, reader, start)

    def write(self, writer: Writer, this: Values) -> None:
        start = len(writer.buffer) - (self.size if self.over else 0)
        if self.whole is not None:
            self._part(writer, this, self.whole[1])
        for name, field, _, _ in self.fields:
            if this[name] is None and not field.derived:
                field.fill(writer, this, name)
            writer.frame[name] = (start, start + self.size)
            if field.valid is not None:
                writer.claim(Validity(name, field.valid), this, taken=True)
        if self.over:
            writer.overlay(self, this, self.size)
        else:
            writer.reserve(self, this, self.size)

    def _part(self, writer: Writer, this: Values, field: Field) -> None:
        """Take what is not given of the parts from the whole; it is what they make it in the end."""
        word = this[self.name]
        writer.frame[self.name] = (len(writer.buffer), len(writer.buffer) + self.size)
        if word is not None:
            if type(word) is not int or not 0 <= word < 1 << 8 * self.size:
                raise EncodeError(unfit(word, field.subcon.type, 8 * self.size), self.name)
            for (name, part, shift, mask), value in zip(self.fields, self._values, strict=True):
                if this[name] is None and not part.derived:
                    number = word >> shift & mask
                    this[name] = number if value is None else _given(value, number, name)
            writer.claim(self, this, word & self._told)
        else:
            known = writer.known.get(writer.path)
            this[self.name] = known and known.get(self.name)
        writer.await_(this, self.name, self)

    def expected(self, this: Values, record: Values, frame: Frame, buffer: bytes | bytearray) -> int | None:
        """The whole number."""
        return self._word(this)

    def _word(self, this: Values) -> int | None:
        """The whole number that the parts make; None while one of them is none."""
        word = 0
        for name, field, shift, mask in self.fields:
            value = _number(field, this[name])
            if value is None:
                return None
            word |= (value & mask) << shift
        return word

    def state(self, this: Values, record: Values, frame: Frame) -> int | None:
        """The bits of the parts that are given, and not derived."""
        word = self._word(this)
        return None if word is None else word & self._told

    def refusal(self, this: Values, taken: int, found: int | None) -> EncodeError:
        for name, field, shift, mask in self.fields:
            meant = taken >> shift & mask
            if found is not None and meant != found >> shift & mask:
                return EncodeError(f"{field.shown(this[name])} given, but {self.name} makes it {meant}", name)
        return EncodeError("given, but one of its bit fields is no number", self.name)

    def pack(self, writer: Writer, this: Values) -> bytes:
        """The integer's bytes."""
        for name, field, _, mask in self.fields:
            self._check(name, field, mask, this)
        part = Writer(little=writer.little)
        self.integer._build(self._word(this), part, this, "")
        return bytes(part.buffer)

    def misfit(self, writer: Writer, this: Values) -> EncodeError | None:
        """The error for a given value that does not fit, if there is one."""
        for name, field, _, mask in self.fields:
            if not writer.awaited.has(this, name):
                try:
                    self._check(name, field, mask, this)
                except EncodeError as error:
                    return error
        return None

    def _check(self, name: str, field: Field, mask: int, this: Values) -> None:
        value = this[name]
        if isinstance(field.subcon, As) and value is not None:
            try:
                value = field.subcon.meaning.written(value)
            except EncodeError as error:
                raise error.within(name) from None
        if not isinstance(value, int) or not 0 <= value <= mask:
            raise EncodeError(unfit(this[name], field.subcon.type, mask.bit_length()), name)
        field.check(this, name)


def _bit(field: Field) -> "Bit":
    """The bits of a bit field, whatever they stand for."""
    found = field.subcon.subcon if isinstance(field.subcon, As) else field.subcon
    assert isinstance(found, Bit)
    return found


def _value(field: Field) -> Callable[[int], Any] | None:
    """What makes a value of the number; None if that is one."""
    if isinstance(field.subcon, As):
        return field.subcon.meaning.value
    return bool if _bit(field).boolean else None


def _given(value: Callable[[int], Any], number: int, name: str) -> Any:
    """The value of a number that is given."""
    try:
        return value(number)
    except DecodeError as error:
        raise EncodeError(error.detail, name) from None


def _number(field: Field, value: Any) -> int | None:
    """The number that is written for a value; None if there is none."""
    if isinstance(field.subcon, As) and value is not None:
        with suppress(EncodeError):
            return int(field.subcon.meaning.written(value))
        return None
    return value if isinstance(value, int) else None


class Bit(Construct):
    """The width of a bit field, in bits, and its table type."""

    def __init__(self, width: int, *, boolean: bool = False) -> None:
        super().__init__()
        self.width = width
        self.boolean = boolean
        self.type = "boolean" if boolean else integer_type(width)
