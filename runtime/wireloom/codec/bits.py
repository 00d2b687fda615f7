"""Integers that are split into bit fields."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from construct import Construct, Renamed

from wireloom.characters import CharacterSet
from wireloom.codec.accepted_values import unfit
from wireloom.codec.character_sets import Characters
from wireloom.codec.columns import PLACE, Column, ListOf, integer_type, weight
from wireloom.codec.deferred_checks import Validity
from wireloom.codec.errors import DecodeError, EncodeError, counted, join
from wireloom.codec.fields import Field
from wireloom.codec.frames import Frame, Values
from wireloom.codec.labels import longest
from wireloom.codec.layout import Part
from wireloom.codec.meanings import As
from wireloom.codec.reader import Reader
from wireloom.codec.signs import Sign
from wireloom.codec.tracing import SpanKind, Trace
from wireloom.codec.writer import Writer


class Bits(Part):
    """An integer split into named bit fields, the most significant first, or with ``lsb`` the least significant first.

    A field of type ``bool`` is one bit wide. The ``whole`` number may also have a name. Either is enough in building;
    if both are given they must agree, except for the bits of derived fields.

    Bits without a name have names in parts ``over`` the same bytes, directly after this one. Those of a ``bitmap``,
    which begins with the bit of that number, are in no row.
    """

    last = stored = False

    def __init__(
        self,
        integer: Construct,
        *fields: Construct,
        whole: Construct | None = None,
        lsb: bool = False,
        over: bool = False,
        bitmap: int = 0,
    ) -> None:
        super().__init__()
        self.bitmap = bitmap
        self.integer = integer
        self.size = integer.sizeof()
        self.lsb = lsb
        self.over = over
        self.fields: list[tuple[str, Field, int, int]] = []
        taken = 0
        for item in fields:
            if isinstance(item, Bit):
                taken += item.width
                continue
            assert isinstance(item, Renamed)
            field = item.subcon if isinstance(item.subcon, Field) else Field(item.subcon)
            width = _width(field.subcon)
            shift = taken if lsb else 8 * self.size - taken - width
            taken += width
            self.fields.append((item.name, field, shift, (1 << width) - 1))
        assert taken == 8 * self.size, "bit fields fill their integer"
        self.whole: tuple[str, Field] | None = None
        if isinstance(whole, Renamed):
            self.whole = whole.name, whole.subcon if isinstance(whole.subcon, Field) else Field(whole.subcon)
        self._told = sum(mask << shift for _, field, shift, mask in self.fields if not field.derived)
        self.values = [_value(field.subcon, lsb=lsb) for _, field, _, _ in self.fields]
        lists = [field.subcon for _, field, _, _ in self.fields if isinstance(field.subcon, BitList)]
        self.weight = sum(each.weight for each in lists) + sum(_labels_weight(each) for _, each, _, _ in self.fields)
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
            for column in field.labelled(name, field.subcon.type):
                yield replace(column, hidden=self.bitmap > 0)

    def read(self, reader: Reader, this: Values) -> None:
        if self.over:
            reader.pos -= self.size
        start = reader.pos
        if reader.limit - start < self.size:
            raise reader.short(self.size).within(self.name)
        word = self.integer._parse(reader, this, "")
        if self.weight:
            reader.weigh(self.weight)
        if self.whole is not None:
            this[self.name] = word
            reader.frame[self.name] = (start, reader.pos)
            if reader.trace is not None:
                reader.trace.note(self.name, start, reader.pos, this, field=self.whole[1])
        for (name, field, shift, mask), value, loaders in zip(self.fields, self.values, self._loaders, strict=True):
            number = word >> shift & mask
            try:
                this[name] = number if value is None else value(number)
            except DecodeError as error:
                error.offset = start
                reader.refuse(error.within(name))
            reader.frame[name] = (start, reader.pos)
            if reader.trace is not None:
                self._note(reader.trace, name, field, (start, reader.pos), this, shift, mask)
            try:
                if self.bitmap and number and field.const is not None:
                    raise self._unused(shift + number.bit_length())
                for load in loaders:
                    load(this)
            except DecodeError as error:
                error.offset = start
                reader.refuse(error.within(name))
            field.validate(this, name, reader, start)

    def _unused(self, bits: int) -> DecodeError:
        """The error for a bit of a bitmap that has no field, the last of so many."""
        return DecodeError("constant", f"bit {self.bitmap + 8 * self.size - bits} is 1, but has no field")

    def _note(
        self, trace: Trace, name: str, field: Field, span: tuple[int, int], this: Values, shift: int, mask: int
    ) -> None:
        """Note a bit field, and the items of one that is a list."""
        (start, end), kind, items = span, field.subcon, this[name]
        bits = (shift + mask.bit_length() - 1, shift)
        this = {name: this[name]} if self.bitmap else this
        if not isinstance(kind, BitList) or items is None:
            trace.note(name, start, end, this, field=field, bits=bits)
            return
        trace.begin(name, start, field=field, bits=bits)
        for index, low in enumerate(kind.shifts(lsb=self.lsb)[: trace.items]):
            label, bits = f"[{index}]", (shift + low + kind.width - 1, shift + low)
            trace.note(label, start, end, {label: items[index]}, bits=bits)
        if trace.items is not None and trace.items < kind.count:
            trace.begin(f"[{trace.items}]", start, SpanKind.OMITTED)
            trace.finish(end, kind.count - trace.items)
        trace.finish(end, items)

    def write(self, writer: Writer, this: Values) -> None:
        start = len(writer.buffer) - (self.size if self.over else 0)
        if self.whole is not None:
            self._part(writer, this, self.whole[1])
        for name, field, _, _ in self.fields:
            this[name] = _truth(field.subcon, this[name])
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
        """Take parts that are not given from the whole; the whole is computed from them in the end."""
        word = this[self.name]
        writer.frame[self.name] = (len(writer.buffer), len(writer.buffer) + self.size)
        if word is not None:
            if type(word) is not int or not 0 <= word < 1 << 8 * self.size:
                raise EncodeError(unfit(word, field.subcon.type, 8 * self.size), self.name)
            for (name, part, shift, mask), value in zip(self.fields, self.values, strict=True):
                if this[name] is None and not part.derived:
                    number = word >> shift & mask
                    this[name] = number if value is None else _given(value, number, name)
            writer.claim(self, this, word & self._told)
        writer.await_(this, self.name, self)

    def expected(self, this: Values, record: Values, frame: Frame, buffer: bytes | bytearray) -> int | None:
        """The whole number."""
        return self._word(this)

    def _word(self, this: Values) -> int | None:
        """The whole number that the parts make; None while one of them is none."""
        word = 0
        for name, field, shift, mask in self.fields:
            value = _number(field.subcon, this[name], lsb=self.lsb)
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
            meant: Any = taken >> shift & mask
            if found is not None and meant != found >> shift & mask:
                with suppress(DecodeError):  # of bits that are no number
                    meant = _meant(field.subcon, meant, lsb=self.lsb)
                return EncodeError(f"{field.shown(this[name])} given, but {self.name} makes it {meant}", name)
        return EncodeError("given, but one of its bit fields is no number", self.name)

    def pack(self, writer: Writer, this: Values) -> bytes:
        """The integer's bytes."""
        for name, field, _, _ in self.fields:
            _check(field.subcon, this[name], name)
            field.check(this, name)
        part = Writer(little=writer.little)
        self.integer._build(self._word(this), part, this, "")
        return bytes(part.buffer)

    def misfit(self, writer: Writer, this: Values) -> EncodeError | None:
        """The error for a given value that does not fit, if there is one."""
        for name, field, _, _ in self.fields:
            if not writer.awaited.has(this, name):
                try:
                    _check(field.subcon, this[name], name)
                    field.check(this, name)
                except EncodeError as error:
                    return error
        return None


def _labels_weight(field: Field) -> int:
    """The weight of the labels of a list's items."""
    labelled = isinstance(field.subcon, BitList) and field.enum is not None and field.labels
    return field.subcon.count * (PLACE + longest(field.enum)) if labelled else 0


def _value(kind: Construct, *, lsb: bool) -> Callable[[int], Any] | None:
    """What makes a value of the number; None if that is one."""
    match kind:
        case As(meaning=meaning, subcon=Bit(sign=Sign()) as bit):
            return lambda number: meaning.value(bit.value(number))
        case As(meaning=meaning):
            return meaning.value
        case BitList() | BitText():
            return partial(kind.values, lsb=lsb)
        case Bit(boolean=True):
            return bool
        case Bit(sign=Sign()):
            return kind.value
    return None


def _meant(kind: Construct, number: int, *, lsb: bool) -> Any:
    """The number or the items that some bits are."""
    match kind:
        case BitList() | BitText():
            return kind.values(number, lsb=lsb)
        case As(subcon=bit) | bit:
            return bit.value(number)


def _given(value: Callable[[int], Any], number: int, name: str) -> Any:
    """The value of a number that is given."""
    try:
        return value(number)
    except DecodeError as error:
        raise EncodeError(error.detail, join(name, error.field)) from None


def _truth(kind: Construct, value: Any) -> Any:
    """A given value as true or false, if it is given as 1 or 0 and conditions expect that."""
    if isinstance(kind, BitList) and isinstance(value, list | tuple):
        return [_truth(kind.item, each) for each in value]
    return value == 1 if kind.type == "boolean" and type(value) is int and value in (0, 1) else value


def _number(kind: Construct, value: Any, *, lsb: bool) -> int | None:
    """The number that is written for a value; None if there is none."""
    if isinstance(kind, BitList | BitText):
        return kind.number(value, lsb=lsb)
    if isinstance(kind, As) and value is not None:
        with suppress(EncodeError):
            return _number(kind.subcon, int(kind.meaning.written(value)), lsb=lsb)
        return None
    return kind.number(value) if isinstance(value, int) else None


def _check(kind: Construct, value: Any, name: str) -> None:
    """Raises ``EncodeError`` for a value that the bits cannot hold."""
    if isinstance(kind, BitList | BitText):
        kind.check(value, name)
        return
    number = value
    if isinstance(kind, As) and value is not None:
        try:
            number = kind.meaning.written(value)
        except EncodeError as error:
            raise error.within(name) from None
    bit = kind.subcon if isinstance(kind, As) else kind
    if not isinstance(number, int) or not bit.least <= number <= bit.most:
        raise EncodeError(unfit(value, kind.type, bit.width), name)


def _width(kind: Construct) -> int:
    """How many bits it has, whatever they represent."""
    match kind:
        case As(subcon=inner):
            return _width(inner)
        case BitList(item=item, count=count):
            return count * _width(item)
        case BitText(width=width, count=count):
            return count * width
        case Bit(width=width):
            return int(width)
    raise AssertionError(f"{kind} is no bit field")


class Bit(Construct):
    """The width of a bit field, in bits, how they represent its ``sign`` if it has one, and its table type."""

    def __init__(self, width: int, *, boolean: bool = False, sign: Sign | None = None) -> None:
        super().__init__()
        self.width = width
        self.boolean = boolean
        self.sign = sign
        self.least, self.most = (0, (1 << width) - 1) if sign is None else sign.ends(width)
        self.type = "boolean" if boolean else integer_type(max(self.most, ~self.least).bit_length() + 1, signed=True)

    def value(self, bits: int) -> int:
        """The number that its bits are. Raises ``DecodeError`` if they are none."""
        return bits if self.sign is None else self.sign.value(bits, self.width)

    def number(self, value: int) -> int:
        """The bits of a number; any if it does not fit them."""
        return value if self.sign is None else self.sign.bits(value, self.width)


class BitList(Construct):
    """A bit field that is a list of ``count`` items, which have equally many bits each.

    The first item is in the most significant of them, or with ``lsb`` in the least ones, as bit fields are.
    """

    def __init__(self, item: Construct, count: int) -> None:
        super().__init__()
        self.item = item
        self.count = count
        self.width = _width(item)
        self.type = ListOf(item.type)
        self.weight = count * weight(item.type)

    def shifts(self, *, lsb: bool) -> range:
        """The number of the lowest bit of each item."""
        shifts = range(0, self.count * self.width, self.width)
        return shifts if lsb else shifts[::-1]

    def values(self, number: int, *, lsb: bool) -> list[Any]:
        """The items that are in a number. Raises ``DecodeError`` if one of them has no value."""
        mask = (1 << self.width) - 1
        numbers = [number >> shift & mask for shift in self.shifts(lsb=lsb)]
        value = _value(self.item, lsb=lsb)
        return numbers if value is None else [_item(value, each, index) for index, each in enumerate(numbers)]

    def number(self, values: Any, *, lsb: bool) -> int | None:
        """The number that items make; None if they make none."""
        if not isinstance(values, list | tuple) or len(values) != self.count:
            return None
        found = 0
        for value, shift in zip(values, self.shifts(lsb=lsb), strict=True):
            number = _number(self.item, value, lsb=lsb)
            if number is None:
                return None
            found |= number << shift
        return found

    def check(self, values: Any, name: str) -> None:
        """Raises ``EncodeError`` for a list that the bits cannot hold."""
        if values is None:
            raise EncodeError("missing", name)
        if not isinstance(values, list | tuple):
            raise EncodeError(f"a list expected, not {type(values).__name__}", name)
        if len(values) != self.count:
            raise EncodeError(f"{counted(self.count, 'item')} expected, {len(values)} given", name)
        for index, value in enumerate(values):
            _check(self.item, value, f"{name}[{index}]")


class BitText(Construct):
    """A bit field that is a text of ``count`` characters. A ``pad`` fills what is left behind a shorter text.

    The first one is in the most significant bits, or with ``lsb`` in the least ones, as bit fields are.
    """

    type = "string"

    def __init__(self, width: int, characters: str, count: int, pad: str = "") -> None:
        super().__init__()
        self.width = width
        self.count = count
        self.pad = pad
        self._orders = [Characters(CharacterSet(width, characters, lsb), pad) for lsb in (False, True)]

    def characters(self, *, lsb: bool) -> Characters:
        """The set of its characters, in an order."""
        return self._orders[lsb]

    def values(self, number: int, *, lsb: bool) -> str:
        """The text that is in a number. Raises ``DecodeError`` if a character has no value."""
        characters = self._orders[lsb]
        return characters.text(characters.known.split(number, self.count), 0)

    def number(self, text: Any, *, lsb: bool) -> int | None:
        """The number that a text makes; None if it makes none."""
        with suppress(EncodeError):
            return self._orders[lsb].known.joined(self._codes(text, lsb=lsb))
        return None

    def octets(self, text: str, *, lsb: bool) -> bytes:
        """The number that a text makes, in as few bytes as it takes, the highest first. Raises ``EncodeError``."""
        number = self._orders[lsb].known.joined(self._codes(text, lsb=lsb))
        return number.to_bytes((self.count * self.width + 7) // 8, "big")

    def check(self, text: Any, name: str) -> None:
        """Raises ``EncodeError`` for a text that the bits cannot hold."""
        try:
            self._codes(text, lsb=False)
        except EncodeError as error:
            raise error.within(name) from None

    def _codes(self, text: Any, *, lsb: bool) -> bytes:
        """The codes of a text. Raises ``EncodeError``."""
        codes = self._orders[lsb].codes(text, self.count)
        if len(codes) != self.count:
            raise EncodeError(f"{counted(self.count, 'character')} expected, {len(codes)} given")
        return codes


def _item(value: Callable[[int], Any], number: int, index: int) -> Any:
    """The value of an item."""
    try:
        return value(number)
    except DecodeError as error:
        raise error.within(f"[{index}]") from None
