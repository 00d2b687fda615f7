"""Fixed-size fields: construct's own integers and floats, and ``Field``, which adds what a spec says about one.

``Block`` reads and writes a run of them with a single ``struct`` call.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import KEEP, EnumType, IntEnum, IntFlag
from functools import partial, reduce
from operator import or_
from typing import Any, Literal

from construct import BytesInteger, Construct, FormatField, Renamed, Subconstruct

from wireloom.codec import floats
from wireloom.codec.checksums import ALGORITHMS, Checksum
from wireloom.codec.columns import Column, ColumnType, ListOf
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.streams import Expression, Frame, Values


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition: how the spec writes it, and what it is compiled to."""

    text: str
    expression: Expression

    def holds(self, this: Values, record: Values, frame: Frame) -> bool:
        """Whether it is true; a value that is absent, or not known yet, makes it false."""
        return bool(ask(self.expression, this, record, frame))


_ASKED = re.compile(r"(?:\b(size|offset)\()?\b([a-z]\w*)")
"""The names in the text of a condition, and what is measured of them."""


def told(text: str, this: Values, record: Values, frame: Frame) -> str:
    """What a condition asks for, as ``kind 3, size(data) 7``; without what is absent."""
    found: Values = {}
    for measure, name in _ASKED.findall(text):
        if measure:
            found[f"{measure}({name})"] = getattr(frame, measure)(name)
        else:
            found[name] = this.get(name, record.get(name))
    numbers = {name: value for name, value in found.items() if isinstance(value, int | float)}
    return ", ".join(f"{name} {int(value) if isinstance(value, int) else value}" for name, value in numbers.items())


class _Measured(Frame):
    """A frame that knows the last region whose size was asked for."""

    last = ""

    def size(self, name: str) -> int:
        self.last = name
        return super().size(name)


def measured(rule: Rule, this: Values, record: Values, frame: Frame) -> str:
    """The region whose size made a condition false, if it asked for one last; else nothing."""
    asked = _Measured(frame.parameters, **frame)
    rule.holds(this, record, asked)
    return asked.last if asked.last in frame else ""


def ask(expression: Expression, this: Values, record: Values, frame: Frame) -> Any:
    """The value of an expression; None if one it follows from is absent, or it divides by zero."""
    try:
        return expression(this, record, frame)
    except (TypeError, ArithmeticError, ValueError):
        return None


class WireEnum(IntEnum):
    """Numbers with names on the wire. Numbers without a name stay plain integers; ``ranges`` may still label them."""

    @classmethod
    def ranges(cls) -> tuple[tuple[int, int, str], ...]:
        """(first, last, label) of the numbers that share a label, most specific first."""
        return ()

    @classmethod
    def label(cls, value: int) -> str | None:
        """The name of ``value``, the label of the range it is in, or None."""
        member = cls._value2member_map_.get(value)
        if member is not None:
            return member.name
        return next((label for first, last, label in cls.ranges() if first <= value <= last), None)


class _FlagsType(EnumType):
    """Gives each class of flags the ``&`` of integers; ``enum`` puts its own, slow one into every subclass."""

    def __new__(metacls, *arguments: Any, **options: Any) -> Any:
        flags: Any = super().__new__(metacls, *arguments, **options)
        flags.__and__ = int.__and__
        flags.__rand__ = int.__rand__
        return flags


class WireFlags(IntFlag, metaclass=_FlagsType, boundary=KEEP):
    """Named bits on the wire; bits without a name survive. ``&`` gives a plain integer, which is many times faster."""


class Boolean(Construct):
    """One byte, 0 or 1; any other value is malformed, since it could not be written back."""

    def _parse(self, stream: Any, context: Any, path: str) -> bool:
        value = stream.read(1)
        if value not in (b"\0", b"\1"):
            raise DecodeError("invalid", f"0 or 1 expected, found {value[0]}", stream.tell() - 1)
        return bool(value[0])

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, bool):
            raise EncodeError(f"true or false expected, not {obj!r}")
        stream.write(b"\1" if obj else b"\0")
        return obj

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


@dataclass(frozen=True, slots=True)
class Primitive:
    """How ``struct`` reads a fixed-size construct: its code, its byte order (None: no matter) and its table type."""

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
    "Q": "decimal(20,0)",
    "d": "double",
}


def primitive(construct: Construct, *, little: bool = False) -> Primitive | None:
    """The ``struct`` equivalent of ``construct`` in a record of that byte order, or None if it has none."""
    match construct:
        case FormatField():
            order, code = construct.fmtstr
            if code == "f":
                return Primitive("I", order, "float", load=floats.load, dump=floats.dump)
            return Primitive(code, None if construct.length == 1 else order, _TYPES[code])
        case BytesInteger():
            return _odd_integer(construct.length, construct.signed, "little" if construct.swapped else "big")
        case Boolean():
            return Primitive("B", None, "boolean", load=_load_boolean, dump=_dump_boolean)
        case EitherOrder():
            return primitive(construct.little if little else construct.big)
        case Field():
            return primitive(construct.subcon, little=little)
    return None


def digits(construct: Construct) -> int:
    """How many hexadecimal digits a number of that construct has; 2 if they vary."""
    kind = primitive(construct)
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


def _odd_integer(size: int, signed: bool, order: Literal["big", "little"]) -> Primitive:
    def load(value: bytes) -> int:
        return int.from_bytes(value, order, signed=signed)

    def dump(value: int) -> bytes:
        return int.to_bytes(value, size, order, signed=signed)

    return Primitive(f"{size}s", "<" if order == "little" else ">", "int" if size == 3 else "long", load, dump)


class Field(Subconstruct):
    """A fixed-size field with what the spec says of it.

    ``enum`` and ``flags`` name its numbers (and add a label column unless ``labels`` is false); ``const`` and ``valid``
    must hold; ``derive`` and ``checksum`` are checked on decode and filled in on encode; ``default`` fills in a missing
    value; ``long`` bounds an unsigned 64-bit number below 2^63; ``located`` fields are asked for their offset. The spec
    writes the values of ``hex`` ones in hexadecimal, and so does whoever tells of them.
    """

    def __init__(
        self,
        subcon: Construct,
        *,
        enum: type[WireEnum] | None = None,
        flags: type[WireFlags] | None = None,
        labels: bool = True,
        const: Any = None,
        valid: Rule | None = None,
        derive: Expression | None = None,
        checksum: Checksum | None = None,
        default: Any = None,
        long: bool = False,
        located: bool = False,
        hex: bool = False,
    ) -> None:
        super().__init__(subcon)
        self.enum = enum
        self.flags = flags
        self.labels = labels
        self.const = const
        self.valid = valid
        self.derive = derive
        self.checksum = checksum
        self.default = default
        self.long = long
        self.located = located or self.derived
        self.hex = hex or checksum is not None

    @property
    def derived(self) -> bool:
        """Whether the value follows from the rest of the record."""
        return self.derive is not None or self.checksum is not None

    @property
    def fills(self) -> bool:
        """Whether a value can be put in place of a missing one before the rest is written."""
        known = self.const is not None or self.default is not None or self.enum is not None or self.flags is not None
        return known and not self.derived

    def columns(self, name: str) -> Iterator[Column]:
        """The field's column and its label column."""
        kind = primitive(self.subcon)
        assert kind is not None
        yield from self.labelled(name, kind.type)

    def loaders(self, name: str) -> Iterator[Callable[[Values], None]]:
        """What is to be done to the number just read as ``name``: name and label it, refuse what may not be."""
        if self.const is not None or self.long:
            yield partial(self._refuse, name)
        if self.enum is not None:
            yield _enum_loader(self.enum, name, f"{name}_name" if self.labels else None)
        if self.flags is not None:
            yield _flags_loader(self.flags, name, f"{name}_flags" if self.labels else None)

    def _refuse(self, name: str, this: Values) -> None:
        value = this[name]
        if self.const is not None and value != self.const:
            raise DecodeError("constant", f"{self.shown(self.const)} expected, found {self.shown(value)}")
        if self.long and value >> 63:
            raise DecodeError("range", f"{self.shown(value)} is not below 2^63")

    def shown(self, value: object) -> str:
        """A value of the field in words, a number as the spec writes it: ``12``, or ``0x000c`` of two bytes."""
        match value:
            case bool():
                return str(value).lower()
            case int() if self.hex and value >= 0:
                return f"{value:#0{2 + digits(self.subcon)}x}"
            case int():
                return str(int(value))
        return repr(value)

    def validate(self, this: Values, name: str, record: Values, frame: Frame, offset: int) -> None:
        """Refuse a value just read. Raises ``DecodeError`` if there is a rule and it does not hold."""
        if self.valid is not None and not self.valid.holds(this, record, frame):
            detail = f"{self.valid.text} expected, found {self.shown(this[name])}"
            raise DecodeError("invalid", detail, offset, name)

    def expected(self, this: Values, record: Values, frame: Frame, buffer: bytes | bytearray) -> Any:
        """What a derived field must be, given everything else in the record."""
        if self.checksum is None:
            assert self.derive is not None
            return ask(self.derive, this, record, frame)
        start, end = (ask(bound, this, record, frame) for bound in (self.checksum.start, self.checksum.end))
        if start is None or end is None:
            return None
        return ALGORITHMS[self.checksum.algorithm](bytes(buffer[start:end]))

    def labelled(self, name: str, kind: ColumnType) -> Iterator[Column]:
        """A column of type ``kind`` and its label column."""
        yield Column(name, "long" if self.long else kind)
        if self.enum is not None and self.labels:
            yield Column(f"{name}_name", "string", label=True)
        if self.flags is not None and self.labels:
            yield Column(f"{name}_flags", ListOf("string"), label=True)

    def fill(self, this: Values, name: str, record: Values, frame: Frame) -> None:
        """Put a value in place before building: the default, the constant, or what the label says."""
        if this.get(name) is None:
            this[name] = self._missing(this, name, record, frame)

    def check(self, this: Values, name: str) -> None:
        """Refuse a value that a decoder would refuse, whatever the others are."""
        value = this[name]
        if self.const is not None and value != self.const:
            raise EncodeError(f"must be {self.shown(self.const)}, not {self.shown(value)}", name)
        if self.long and value >> 63:
            raise EncodeError(f"{self.shown(value)} is not below 2^63", name)

    def _missing(self, this: Values, name: str, record: Values, frame: Frame) -> Any:
        if self.const is not None:
            return self.const
        if self.labels and self.enum is not None and this.get(f"{name}_name") is not None:
            return _named(self.enum, this[f"{name}_name"], f"{name}_name")
        if self.labels and self.flags is not None and this.get(f"{name}_flags") is not None:
            given = this[f"{name}_flags"]
            if not isinstance(given, list | tuple):
                raise EncodeError(f"a list expected, not {type(given).__name__}", f"{name}_flags")
            return reduce(or_, (_named(self.flags, flag, f"{name}_flags") for flag in given), 0)
        return ask(self.default, this, record, frame) if callable(self.default) else self.default


@dataclass(frozen=True, slots=True)
class Validity:
    """That the field called ``name`` is valid, to be claimed when it is written."""

    name: str
    rule: Rule

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        return self.rule.holds(this, record, frame)

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        return EncodeError(f"{this[self.name]!r} does not satisfy {self.rule.text}", self.name)


def _named(numbers: type[WireEnum] | type[WireFlags], label: object, path: str) -> int:
    if not isinstance(label, str) or label not in numbers.__members__:
        raise EncodeError(f"{label!r} names no single number of {numbers.__name__}", path)
    return numbers[label]


def _enum_loader(enum: type[WireEnum], name: str, label: str | None) -> Callable[[Values], None]:
    members = {int(member): (member, member.name) for member in enum}

    def load(this: Values) -> None:
        value = this[name]
        known = members.get(value)
        if known is not None:
            this[name] = known[0]
        if label is not None:
            this[label] = known[1] if known is not None else enum.label(value)

    return load


FLAG_SETS_LIMIT = 4096
"""Combinations of a set of flags that are remembered; Python keeps every ``IntFlag`` it makes for ever."""


def _flags_loader(flags: type[WireFlags], name: str, label: str | None) -> Callable[[Values], None]:
    bits = [(int(flag), flag_name) for flag_name, flag in flags.__members__.items()]
    seen: dict[int, tuple[int, tuple[str, ...]]] = {}

    def load(this: Values) -> None:
        value = this[name]
        known = seen.get(value)
        if known is None:
            names = tuple(flag_name for bit, flag_name in bits if value & bit)
            remember = len(seen) < FLAG_SETS_LIMIT
            known = (flags(value) if remember else value, names)
            if remember:
                seen[value] = known
        this[name] = known[0]
        if label is not None:
            this[label] = list(known[1])

    return load


def fixed(item: Construct) -> tuple[str, Field] | None:
    """The name and field of a named fixed-size construct, bare or in a ``Field``; None if it is something else."""
    if not isinstance(item, Renamed):
        return None
    field = item.subcon if isinstance(item.subcon, Field) else Field(item.subcon)
    return None if primitive(field.subcon) is None else (item.name, field)
