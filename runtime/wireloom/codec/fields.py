"""Fixed-size fields: construct's own integers and floats, and ``Field``, which adds the declarations of a spec.

``Run`` reads and writes a run of them with a single ``struct`` call.
"""

import struct
from collections.abc import Callable, Iterator, Set
from functools import partial, reduce
from operator import or_
from typing import Any, Literal, NamedTuple, Protocol

from construct import BytesInteger, Construct, FormatField, Renamed, Subconstruct

from wireloom.codec import floats
from wireloom.codec.accepted_values import shown
from wireloom.codec.bit_slice import BitSlice
from wireloom.codec.checksums import Joined
from wireloom.codec.columns import U64, Column, ColumnType, ListOf
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.codec.labels import (
    WireEnum,
    WireFlags,
    bits_of,
    enum_list_loader,
    enum_loader,
    flags_loader,
    longest,
    named,
    texts_of,
)
from wireloom.codec.meanings import As, Meaning, UuidMeaning
from wireloom.codec.writer import Writer
from wireloom.expressions import Expression, Formula, expression
from wireloom.options import U64Type

UNPACKABLE = (struct.error, TypeError, ValueError, ArithmeticError, AttributeError)
"""The errors that packing raises for a value that does not fit."""


class Refusing(Protocol):
    """How a value is read, and what happens to a wrong one."""

    record: Values
    frame: Frame

    def refuse(self, error: DecodeError) -> None:
        """Report that a value is wrong."""
        ...


class Boolean(Construct):
    """One byte, 0 or 1; any other value is malformed, since it could not be written back."""

    def _sizeof(self, context: Any, path: str) -> int:
        return 1


class EitherOrder(Construct):
    """A number whose byte order is a parameter of the protocol: ``big`` or ``little``, as the record's reader says."""

    def __init__(self, big: Construct, little: Construct) -> None:
        super().__init__()
        self.big = big
        self.little = little

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        return (self.little if stream.little else self.big)._parse(stream, context, path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return (self.little if stream.little else self.big)._build(obj, stream, context, path)

    def _sizeof(self, context: Any, path: str) -> int:
        return int(self.big.sizeof())


class WordSwapped(Construct):
    """A number of 4 or 8 bytes whose words, of 16 bits, come in the other order than those of ``number``."""

    def __init__(self, number: FormatField) -> None:
        super().__init__()
        self.number = number

    def _sizeof(self, context: Any, path: str) -> int:
        return int(self.number.length)


class Packing(NamedTuple):
    """How ``struct`` reads a fixed-size construct: its code, its byte order (if it has one) and its table type."""

    code: str
    order: str | None
    type: str
    load: Callable[[Any], Any] | None = None
    dump: Callable[[Any], Any] | None = None


_TYPES = {
    "b": "byte",
    "B": "short",
    "h": "short",
    "H": "int",
    "l": "int",
    "L": "long",
    "q": "long",
    "Q": U64,
    "d": "double",
}


def packing_of(construct: Construct, *, little: bool = False) -> Packing | None:
    """How ``struct`` reads ``construct`` in a record of that byte order, or None if it cannot."""
    match construct:
        case FormatField():
            order, code = construct.fmtstr
            if code == "e":
                return Packing("H", order, "float", load=floats.load_half, dump=floats.dump_half)
            if code == "f":
                return Packing("I", order, "float", load=floats.load, dump=floats.dump)
            return Packing(code, None if construct.length == 1 else order, _TYPES[code])
        case BytesInteger():
            return _odd_integer(construct.length, construct.signed, "little" if construct.swapped else "big")
        case Boolean():
            return Packing("B", None, "boolean", load=_load_boolean, dump=_dump_boolean)
        case EitherOrder():
            return packing_of(construct.little if little else construct.big)
        case WordSwapped():
            return _word_swapped(construct.number)
        case BitSlice():
            word = packing_of(construct.integer, little=little)
            return None if word is None else word._replace(load=construct.loader(word.load), dump=None)
        case As():
            kind = packing_of(construct.subcon, little=little)
            return None if kind is None else _meant(construct.meaning, kind)
        case Field():
            return packing_of(construct.subcon, little=little)
    return None


def _float_bits(construct: Construct) -> int:
    """How many bits a float has, or those in a list; 0 if as many as a double, or if it is not a float."""
    number = _number_of(construct)
    return {"e": 16, "f": 32}.get(number.fmtstr[1], 0) if isinstance(number, FormatField) else 0


def _unsigned_bits(construct: Construct) -> int:
    """How many bits a number has that is never negative, or one in a list; 0 for any other value."""
    number = _number_of(construct)
    match number:
        case FormatField():
            return 8 * int(number.length) if number.fmtstr[1] in "BHLQ" else 0
        case BytesInteger():
            return 0 if number.signed else 8 * int(number.length)
        case BitSlice():
            return 0 if number.boolean else number.width
    if getattr(number, "least", -1) == 0 and not getattr(number, "boolean", False):
        return int(number.most).bit_length()
    return 0


def _number_of(construct: Construct) -> Construct:
    """What reads a number, in one byte order if there are two; of a list, an item of it."""
    match found := _item_of(construct):
        case Field():
            return _number_of(found.subcon)
        case EitherOrder():
            return _number_of(found.big)
        case WordSwapped():
            return _number_of(found.number)
    return found


def _item_of(construct: Construct) -> Construct:
    """An item of a list, of the innermost one if there are several; anything else as it is."""
    item: Construct | None = getattr(construct, "item", None)
    return construct if item is None else _item_of(item)


def _is_uuid(construct: Construct) -> bool:
    return isinstance(construct, As) and isinstance(construct.meaning, UuidMeaning)


def digits(construct: Construct) -> int:
    """How many hexadecimal digits a number of that construct, or an item of a list, has; 2 if they vary."""
    construct = getattr(construct, "item", construct)
    kind = packing_of(construct)
    width: int = 8 if kind is None else 8 * construct.sizeof()
    return -(-getattr(construct, "width", width) // 4)


def _load_boolean(value: int) -> bool:
    if value > 1:
        raise DecodeError("invalid", f"0 or 1 expected, found {value}")
    return value == 1


def _dump_boolean(value: object) -> int:
    if not isinstance(value, bool):
        raise TypeError
    return int(value)


def _meant(meaning: Meaning, kind: Packing) -> Packing:
    """The meaning of a number."""

    def load(value: Any) -> Any:
        return meaning.value(value if kind.load is None else kind.load(value))

    def dump(value: Any) -> Any:
        if value is None:
            raise TypeError
        number = meaning.written(value)
        return number if kind.dump is None else kind.dump(number)

    return Packing(kind.code, kind.order, str(meaning.type), load, dump)


def _odd_integer(size: int, signed: bool, order: Literal["big", "little"]) -> Packing:
    def load(value: bytes) -> int:
        return int.from_bytes(value, order, signed=signed)

    def dump(value: int) -> bytes:
        return int.to_bytes(value, size, order, signed=signed)

    return Packing(f"{size}s", "<" if order == "little" else ">", "int" if size == 3 else "long", load, dump)


def swapped_words(data: bytes) -> bytes:
    """The words of 16 bits in the other order."""
    return b"".join(data[at : at + 2] for at in range(len(data) - 2, -1, -2))


def _word_swapped(number: FormatField) -> Packing:
    kind = packing_of(number)
    assert kind is not None
    one = struct.Struct(f"{kind.order}{kind.code}")

    def load(value: bytes) -> Any:
        (found,) = one.unpack(swapped_words(value))
        return found if kind.load is None else kind.load(found)

    def dump(value: Any) -> bytes:
        return swapped_words(one.pack(value if kind.dump is None else kind.dump(value)))

    return Packing(f"{number.length}s", None, kind.type, load, dump)


def _is_u64(construct: Construct) -> bool:
    """Whether its values are all unsigned 64-bit numbers."""
    if isinstance(construct, WordSwapped):
        construct = construct.number
    if (kind := packing_of(construct)) is not None:
        return kind.type == U64 and kind.load is None
    return (getattr(construct, "bits", 0), getattr(construct, "signed", True)) == (64, False)


TOO_LARGE = " does not fit a long; read it with the option u64=decimal"
UNWRITTEN = " does not fit a long; it needs the option u64=decimal"
"""The ends of messages about a number that is not below 2^63 although the spec, or the option, bounds it so."""


def is_too_large(value: object) -> bool:
    """Whether a number is not below 2^63."""
    return isinstance(value, int) and value >> 63 > 0


class Field(Subconstruct):
    """A fixed-size field with the declarations of its spec.

    ``enum`` and ``flags`` name its numbers (and add a label column unless ``labels`` is false); ``const`` and ``valid``
    must hold; ``derive`` and ``checksum`` are checked in decoding and filled in in encoding; ``default`` replaces a
    missing value; ``long`` bounds an unsigned 64-bit number below 2^63, and a ``decimal`` is never a long. The values
    of ``hex`` fields are shown in hexadecimal, as in the spec. ``raw`` is the column for bytes other than those that
    the value is written as, or for a number that its meaning does not determine. Expressions use the places of fields
    in a ``watched`` struct.
    """

    stored = True

    def __init__(
        self,
        subcon: Construct,
        *,
        enum: type[WireEnum] | None = None,
        flags: type[WireFlags] | None = None,
        labels: bool = True,
        const: Any = None,
        valid: Formula | None = None,
        derive: Formula | None = None,
        checksum: Joined | None = None,
        default: Any = None,
        long: bool = False,
        decimal: bool = False,
        hex: bool = False,
        raw: str | None = None,
        watched: bool = False,
    ) -> None:
        self.meaning: Meaning | None = None
        if raw is not None and isinstance(subcon, As):
            subcon, self.meaning = subcon.subcon, subcon.meaning
        super().__init__(subcon)
        self.is_list = isinstance(getattr(subcon, "type", None), ListOf)
        self.enum = enum
        self.flags = flags
        self.labels = labels
        self.const = const
        self.valid = expression(valid)
        self.derive = expression(derive)
        self.checksum = checksum
        self.default = default
        self.long = long
        self.hex = hex
        self.raw = raw
        self.watched = watched
        self.digits = digits(subcon) if hex or checksum is not None else 0
        self.last = checksum is not None
        self.u64 = long or not (decimal or self.last or is_too_large(const) or not _is_u64(subcon))
        """Whether readers can choose the table type."""
        self._most = 0
        if self.last:
            self._most = (1 << 8 * subcon.sizeof()) - 1 if packing_of(subcon) else subcon.most

    @property
    def derived(self) -> bool:
        """Whether the value follows from the rest of the record."""
        return self.derive is not None or self.checksum is not None

    def asks(self, inputs: Set[str]) -> bool:
        """Whether it is derived from one of these inputs of the struct."""
        return self.derive is not None and self.derive.asks_input(inputs)

    @property
    def fills(self) -> bool:
        """Whether a value can be put in place of a missing one before the rest is written."""
        known = self.const is not None or self.default is not None or self.enum is not None or self.flags is not None
        return known and not self.derived

    def columns(self, name: str) -> Iterator[Column]:
        """The field's column and its label column."""
        kind = packing_of(self.subcon)
        assert kind is not None
        if self.raw is None or self.meaning is None:
            yield from self.labelled(name, kind.type)
        else:
            yield Column(name, self.meaning.type)
            yield Column(self.raw, kind.type, unsigned=_unsigned_bits(self.subcon))

    def is_bounded(self, u64: U64Type) -> bool:
        """Whether its numbers must be below 2^63, for readers who choose ``u64``."""
        return self.u64 and (u64 is U64Type.LONG or (self.long and u64 is U64Type.DECLARED))

    def loaders(self, name: str, u64: U64Type = U64Type.DECLARED) -> Iterator[Callable[[Values], None]]:
        """Functions to call after a number was read as ``name``: they name it, label it, and refuse values that are not
        allowed.
        """
        if self.meaning is not None and self.raw is not None:
            yield partial(self._mean, name, self.raw)
        if self.const is not None or self.is_bounded(u64):
            yield partial(self._refuse, name, u64)
        if self.enum is not None:
            load = enum_list_loader if self.is_list else enum_loader
            yield load(self.enum, name, f"{name}_name" if self.labels else None)
        if self.flags is not None:
            yield flags_loader(self.flags, name, f"{name}_flags" if self.labels else None)

    def _mean(self, name: str, raw: str, this: Values) -> None:
        assert self.meaning is not None
        number = this[name]
        this[name], this[raw] = self.meaning.kept(number)

    def number(self, this: Values, name: str) -> Any:
        """The number to write: the raw one while it has the given value."""
        assert self.meaning is not None and self.raw is not None
        value, raw = this[name], this.get(self.raw)
        if raw is not None and (value is None or self.meaning.kept(raw)[0] == value):
            return raw
        return None if value is None else self.meaning.written(value)

    def _refuse(self, name: str, u64: U64Type, this: Values) -> None:
        value = this[name]
        if self.const is not None and value != self.const:
            raise DecodeError("constant", f"{self.shown(self.const)} expected, found {self.shown(value)}")
        if self.is_bounded(u64) and is_too_large(value):
            raise DecodeError("range", f"{self.shown(value)}{TOO_LARGE}")

    def shown(self, value: object) -> str:
        """A value as messages show it. Numbers look as in the spec: ``12``, or ``0x000c`` for two bytes."""
        return shown(value, self.digits)

    def validate(self, this: Values, name: str, reader: Refusing, offset: int) -> None:
        """Refuse the value that was just read if it breaks the field's ``valid`` condition."""
        if self.valid is not None and not self.valid.ask(this, reader.record, reader.frame):
            detail = f"{self.valid.written} expected, found {self.shown(this[name])}"
            reader.refuse(DecodeError("invalid", detail, offset, name))

    def expected(self, this: Values, record: Values, frame: Frame, buffer: bytes | bytearray) -> Any:
        """The required value of a derived field, or its default, given everything else in the record."""
        if self.checksum is None:
            return (self.derive or self.default).ask(this, record, frame)
        return self.checksum.of(buffer, lambda bound: bound.ask(this, record, frame))

    def summed(self, this: Values, record: Values, frame: Frame) -> int:
        """How many bytes of the record the field's checksum is over; 0 if it has none."""
        return 0 if self.checksum is None else self.checksum.size(lambda bound: bound.ask(this, record, frame))

    def placeholder(self, value: Any) -> int:
        """What is written for a checksum until it is known: the given value, if it is a possible one."""
        return value if isinstance(value, int) and 0 <= value <= self._most else 0

    def labelled(self, name: str, kind: ColumnType) -> Iterator[Column]:
        """A column of type ``kind`` and its label column."""
        shown = self.digits if self.hex else 0
        yield Column(
            name,
            "long" if self.long else kind,
            u64=self.u64,
            digits=shown,
            bits=_float_bits(self.subcon),
            unsigned=0 if self.long else _unsigned_bits(self.subcon),
            size=getattr(_item_of(self.subcon), "constant_size", 0),
            uuid=_is_uuid(_item_of(self.subcon)),
        )
        if self.enum is not None and self.labels:
            label: ColumnType = ListOf("string") if self.is_list else "string"
            size = 0 if self.is_list else longest(self.enum)
            yield Column(f"{name}_name", label, label=True, longest=size, texts=texts_of(self.enum))
        if self.flags is not None and self.labels:
            texts = tuple(dict.fromkeys(text for text, _ in bits_of(self.flags)))
            yield Column(f"{name}_flags", ListOf("string"), label=True, longest=longest(self.flags), texts=texts)

    def fill(self, writer: Writer, this: Values, name: str) -> bool:
        """Replace a missing value by the constant, the number that the label names, or the default.

        Returns whether the value must be computed at the end: a default that is an expression may use everything.
        """
        this[name] = self._missing(this, name)
        if this[name] is not None or not isinstance(self.default, Expression):
            return False
        writer.await_(this, name, self)
        if this[name] is None:
            this[name] = self.default.ask(this, writer.record, writer.frame)
        return True

    def check(self, this: Values, name: str, u64: U64Type = U64Type.DECLARED) -> None:
        """Raises ``EncodeError`` for a value that a decoder would refuse whatever the other values are."""
        value = this[name]
        if self.const is not None and value != self.const:
            raise EncodeError(f"must be {self.shown(self.const)}, not {self.shown(value)}", name)
        if self.is_bounded(u64) and is_too_large(value):
            raise EncodeError(f"{self.shown(value)}{UNWRITTEN}", name)

    def _missing(self, this: Values, name: str) -> Any:
        label = this.get(self.label(name))
        if label is not None:
            number = self._labelled(label, self.label(name))
            if self.const is not None and number != self.const:
                raise EncodeError(f"must name {self.shown(self.const)}", self.label(name))
            return number
        if self.const is not None:
            return self.const
        return None if isinstance(self.default, Expression) else self.default

    def label(self, name: str) -> str:
        """The name of the label column; nothing if there is none."""
        if not self.labels or not (self.enum or self.flags):
            return ""
        return f"{name}_name" if self.enum else f"{name}_flags"

    def called(self, value: int) -> list[str]:
        """The label of a number, or those of its bits."""
        if self.flags is not None:
            return [label for label, bit in bits_of(self.flags) if value & bit]
        label = self.enum.label(value) if self.enum is not None else None
        return [] if label is None else [label]

    def showing(self, name: str) -> tuple[str, ...]:
        """The columns that show that the field is present, if a value is given for one of them."""
        beside = self.raw if self.meaning is not None else self.label(name)
        return () if self.derived else (name, beside) if beside else (name,)

    def _labelled(self, label: object, path: str) -> int | list[int]:
        """The number that the label names, or the numbers of a list."""
        if self.enum is not None and not self.is_list:
            return named(self.enum, label, path)
        if not isinstance(label, list | tuple):
            raise EncodeError(f"a list expected, not {type(label).__name__}", path)
        if self.enum is not None:
            return [named(self.enum, one, path) for one in label]
        assert self.flags is not None
        return reduce(or_, (named(self.flags, flag, path) for flag in label), 0)


def fixed(item: Construct) -> tuple[str, Field] | None:
    """The name and field of a named fixed-size construct, with or without a ``Field`` around it; None for anything
    else.
    """
    if not isinstance(item, Renamed):
        return None
    field = item.subcon if isinstance(item.subcon, Field) else Field(item.subcon)
    return None if packing_of(field.subcon) is None or (field.raw and field.meaning is None) else (item.name, field)
