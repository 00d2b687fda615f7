"""Rows altered at random, and the contract of ``build``: an error that names a field, or bytes that parse back.

``altered`` makes a row that somebody could hand over, be it nonsense; ``check`` builds it, and says what is wrong with
what comes of that.
"""

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from wireloom.codec import (
    Bits,
    Choice,
    Column,
    DecodeError,
    DoubleMeaning,
    Elsewhere,
    EncodeError,
    Field,
    Layout,
    ListOf,
    Nested,
    Optional,
    Ordered,
    Packed,
    Protocol,
    Repeat,
    Section,
    StructOf,
    Unpack,
    When,
    With,
)
from wireloom.codec.captures import CaptureBuilder
from wireloom.codec.columns import decimal_size
from wireloom.codec.computed import Computed
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.layout import Lone
from wireloom.codec.meanings import Meaning, Spelled
from wireloom.codec.protocol import CORRUPT, POSITIONS
from wireloom.codec.runs import Run

Row = dict[str, Any]

BOUNDARIES = tuple(
    sign * (1 << bits) + step for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1) for step in (-1, 0, 1)
)
NUMBERS: tuple[Any, ...] = (*range(-2, 20), *BOUNDARIES, 2**70, 10**5000)
FLOATS = (
    0.0,
    -0.0,
    1.0,
    0.1,
    1.5,
    1e300,
    2.0**24 + 1,
    math.inf,
    -math.inf,
    math.nan,
    struct.unpack("<d", b"\1\0\0\0\0\0\xf0\x7f")[0],
)
TEXTS = ("", "a", "\0", "a\0b", "é", "\ud800", "𝄞", "x" * 300, "NaN", "\r\n", "\x1b[31m")
BYTES: tuple[Any, ...] = (
    b"",
    b"\0",
    b"\0\0",
    b"abc",
    bytes(range(20)),
    bytes(300),
    bytearray(b"ab"),
    memoryview(b"abcd"),
)
STRANGE: tuple[Any, ...] = (
    True, False, Decimal(5), Decimal("5.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1E+400"),
    [], [None], [{}], {}, {"x": 1}, {1: 2}, (), (1, 2), object(), int, dict, range(3), {1}, 1j, ..., [[[[]]]], [1, "x"],
    Decimal("-0"), Decimal("1E-400"), Fraction(1, 2), Fraction(4, 2),
    np.uint8(255), np.int64(-1), np.uint64(2**64 - 1), np.float32(0.1), np.float64(1.5), np.bool_(True), np.str_("a"),
    np.array(5), np.array(0.5), np.array([]), np.array([1, 2]), np.datetime64(5, "ns"), np.timedelta64(5, "s"),
)  # fmt: skip
VALUES: tuple[Sequence[Any], ...] = (NUMBERS, FLOATS, TEXTS, BYTES, STRANGE)


def of(protocol: Protocol, records: Iterable[bytes], parameters: Mapping[str, Any]) -> list[Row]:
    """The rows of those records that are not malformed."""
    found = []
    for record in records:
        with suppress(DecodeError):
            found.append(protocol.parse(record, **parameters))
    return found


def altered(protocol: Protocol, row: Row, others: Sequence[Row], random: Random) -> Row:
    """The row with a few things changed; what belongs to ``others`` may come into it."""
    row = copied(row)
    if random.random() < 0.5:
        _spare(row, protocol, random)
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        _alter(protocol, row, others, random)
    return row


def copied(value: Any) -> Any:
    """A row of its own; what is no list or mapping is shared."""
    if isinstance(value, Mapping):
        return {name: copied(inner) for name, inner in value.items()}
    return [copied(item) for item in value] if type(value) is list else value


def _spare(row: Row, protocol: Protocol, random: Random) -> None:
    """Leave out what can be: labels, what is derived, and what is not there."""
    for values, known in _structs(row, Shapes.of(protocol).whole):
        for name in list(values):
            kind = known.get(name)
            if values[name] is None or (kind is not None and kind.spared and random.random() < 0.9):
                del values[name]


def _alter(protocol: Protocol, row: Row, others: Sequence[Row], random: Random) -> None:
    columns = {column.name: column for column in protocol.columns}
    message = row.get("message")
    places = [(row, columns)] * (1 if random.random() < 0.3 else 0)
    places += list(_places(row, columns))
    values, known = random.choice(places or [(row, columns)])
    if random.random() < 0.02:
        values[random.choice(("nonsense", 7, None, "", "a.b"))] = random.choice(NUMBERS)
        return
    name = random.choice([*known, *values] if known else list(values) or ["x"])
    if name == "_corrupt_record" and random.random() < 0.9:
        return
    what = random.randrange(8)
    if what == 0:
        values.pop(name, None)
    elif what == 1:
        values[name] = None
    elif what == 2 and others:
        _mix(row, random.choice(others), message, random)
    elif what == 3 and name in values:
        values[name] = _resized(values[name], random)
    elif what == 4:
        values[name] = copied(values.get(random.choice([*values, name])))
    elif name in known:
        values[name] = _value(known[name].type, random) if random.random() < 0.7 else _any(random)
    else:
        values[name] = _any(random)


def _any(random: Random) -> Any:
    """Any of the values, of its own: what is altered in it later must not alter it for others."""
    return copied(random.choice(random.choice(VALUES)))


def _mix(row: Row, other: Row, message: Any, random: Random) -> None:
    """Let some of another row's values into this one: of its header, or of its message."""
    source, target = other, row
    inner = other[other["message"]]
    if random.random() < 0.6 and isinstance(message, str) and isinstance(row.get(message), dict):
        source, target = inner, row[message]
    for name, value in source.items():
        if value is not None and name != "_corrupt_record" and random.random() < 0.4:
            target[name] = copied(value)


def _resized(value: Any, random: Random) -> Any:
    if isinstance(value, list):
        changed = [*value, *random.choices([*value, None, 0], k=random.randrange(3))]
        random.shuffle(changed)
        return changed[: random.randrange(len(changed) + 2)]
    if isinstance(value, bytes | str):
        more = type(value)
        extra: Any = b"\0\1" if more is bytes else "\0z"
        return random.choice((value[:-1], value + extra, value * 2, value[1:], value[:0], value + extra * 150))
    if isinstance(value, int) and not isinstance(value, bool):
        return value + random.choice((-1, 1, 2, 256))
    if isinstance(value, Decimal) and value.is_finite():
        return -value if random.random() < 0.3 else value * random.choice((0, 1, 10, Decimal("0.1")))
    return value


def _value(kind: Any, random: Random) -> Any:
    """A value that the column could have."""
    if isinstance(kind, StructOf):
        return {column.name: _value(column.type, random) for column in kind.columns if random.random() < 0.7}
    if isinstance(kind, ListOf):
        return [_value(kind.element, random) for _ in range(random.choice((0, 1, 2, 3, 5)))]
    size = decimal_size(kind)
    if size is not None and size[1] and random.random() < 0.8:
        return Decimal(f"{random.choice(NUMBERS[:-1])}e-{random.choice(size)}")
    if kind == "boolean":
        return random.random() < 0.5
    if kind == "string":
        return random.choice(TEXTS)
    if kind == "binary":
        return random.choice(BYTES)
    return random.choice(FLOATS if kind in ("float", "double") and random.random() < 0.8 else NUMBERS)


def _places(values: Any, columns: Mapping[str, Column]) -> Iterator[tuple[Row, dict[str, Column]]]:
    """The structs in a row, those in its lists too, with their columns."""
    for name, column in columns.items():
        value = values.get(name)
        kind = column.type
        if isinstance(kind, ListOf):
            kind = kind.element
        if isinstance(kind, StructOf):
            inner = {column.name: column for column in kind.columns}
            for item in value if isinstance(value, list) else [value]:
                if type(item) is dict:
                    yield item, inner
                    yield from _places(item, inner)


# --- what a row must come back as


@dataclass(frozen=True)
class Kind:
    """What may become of a column: ``follows`` from the rest whatever is given; ``fills`` itself if nothing is;
    is the label of another column; is a struct, or a list of such; is beside values that do not determine it; is a
    number with such parts; is what a number or bytes stand for."""

    follows: bool = False
    fills: bool = False
    label_of: str | None = None
    inner: "Shape | None" = None
    raw: bool = False
    parts: tuple[str, ...] = ()
    meaning: Meaning | None = None

    @property
    def spared(self) -> bool:
        """Whether it can be left out."""
        return self.follows or self.fills or self.label_of is not None


Shape = dict[str, Kind]


@dataclass(frozen=True)
class Shapes:
    """The kinds of a protocol's columns."""

    whole: Shape

    @classmethod
    def of(cls, protocol: Protocol) -> "Shapes":
        found = _SHAPES.get(protocol)
        if found is None:
            found = _SHAPES[protocol] = cls(_whole(protocol))
        return found


_SHAPES: WeakKeyDictionary[Protocol, Shapes] = WeakKeyDictionary()


def _whole(protocol: Protocol) -> Shape:
    record = protocol.record
    whole: Shape = {"message": Kind(fills=True)}
    whole |= {parameter.name: Kind(fills=True) for parameter in protocol.parameters if parameter.column}
    for layout in (record.head, *(part for part in record.tail if isinstance(part, Layout))):
        _add(whole, _shape(layout.steps))
    for message in protocol.messages.values():
        inner: Shape = {"variant": Kind(fills=True)} if message.variants else {}
        for sections in (message.sections, *(variant.sections for variant in message.variants)):
            for layout in sections.values():
                _add(inner, _shape(layout.steps))
        inner |= {name: Kind() for name in message.trailing.values() if name}
        for path in message.match:
            _selects(whole, path)
        whole[message.name] = Kind(inner=inner)
    return whole


def _selects(shape: Shape, path: str) -> None:
    """What selects the message is filled in, be it in a struct; a parameter that no row has is not."""
    name, _, inner = path.partition(".")
    kind = shape.get(name)
    if kind is not None:
        shape[name] = replace(kind, fills=True)
        if inner and kind.inner is not None:
            _selects(kind.inner, inner)


def _add(shape: Shape, more: Shape) -> None:
    """Columns that two layouts share follow or fill where either says so."""
    for name, kind in more.items():
        known = shape.get(name, kind)
        shape[name] = replace(kind, follows=known.follows or kind.follows, fills=known.fills or kind.fills)


def _shape(steps: Iterable[Any]) -> Shape:
    shape: Shape = {}
    for step in steps:
        match step:
            case Run():
                for name, field in step.fields:
                    _add(shape, _field(name, field))
                    if field.meaning is not None and field.raw is not None:
                        told = Kind(fills=True, meaning=_meaning(field))
                        _add(shape, {name: told, field.raw: Kind(raw=True, fills=True)})
            case Bits():
                if step.whole is not None:
                    follows = any(field.derived for _, field, _, _ in step.fields)
                    names = tuple(name for name, *_ in step.fields)
                    _add(shape, {step.name: Kind(follows=follows, fills=True, parts=names)})
                for name, field, _, _ in step.fields:
                    _add(shape, _field(name, field))
            case Lone():
                _add(shape, _field(step.name, step.field))
                if step.raw is not None or step.beside:
                    _add(shape, {step.field.raw or step.beside: Kind(raw=True, fills=True)})
            case Computed():
                _add(
                    shape, {**_field(step.name, step.field), step.name: Kind(fills=True, meaning=_meaning(step.field))}
                )
            case Encoded():
                fields = {field.name: Kind(fills=True) for field in step.encoding.table.fields}
                _add(shape, {step.name: Kind(inner=fields), step.encoding.raw: Kind(raw=True, fills=True)})
            case Section() | When() | Optional() | Ordered() | Unpack():
                _add(shape, _shape(step.content.steps))
                if isinstance(step, Section | Unpack) and step.trailing:
                    shape[step.trailing] = Kind()
                if isinstance(step, Unpack) and step.through.raw:
                    shape[step.through.raw] = Kind(raw=True, fills=True)
            case Elsewhere():
                inside = _shape(step.content.steps)
                _add(shape, _filled(inside) if step.shared else inside)
            case Choice():
                for option in step.alternatives:
                    _add(shape, _shape((option if isinstance(option, Layout) else option.content).steps))
            case _:
                pass
    return shape


def _filled(shape: Shape) -> Shape:
    """The shape of what is read from the bytes of others, whatever is given of it."""
    return {name: replace(kind, fills=True, inner=kind.inner and _filled(kind.inner)) for name, kind in shape.items()}


def _field(name: str, field: Field) -> Shape:
    inside, constant = field.subcon, type(field.subcon).__name__ == "Constant"
    repeated = isinstance(inside, Repeat)
    inside = inside.item if isinstance(inside, Repeat) else inside
    while isinstance(inside, Nested | With | Packed):
        inside = inside.value if isinstance(inside, Packed) else inside.layout
    inner = _shape(inside.steps) if isinstance(inside, Layout) else None
    fills = repeated or constant or field.const is not None or field.default is not None
    shape: Shape = {}
    if field.labels and (field.enum or field.flags):
        shape[f"{name}_name" if field.enum else f"{name}_flags"] = Kind(label_of=name)
    return {name: Kind(follows=field.derived, fills=fills, inner=inner, meaning=_meaning(field)), **shape}


def _meaning(field: Field) -> Meaning | None:
    """What the field, or each item of its list, stands for."""
    inside = field.subcon.item if isinstance(field.subcon, Repeat) else field.subcon
    found = field.meaning or getattr(inside, "meaning", None)
    return found if isinstance(found, Meaning) else None


def _structs(values: Any, shape: Shape) -> Iterator[tuple[Row, Shape]]:
    """The structs of a row with their shapes, itself first."""
    yield values, shape
    for name, kind in shape.items():
        value = values.get(name)
        if kind.inner is not None:
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    yield from _structs(item, kind.inner)


def check(protocol: Protocol, row: Any, parameters: Mapping[str, Any]) -> str | None:
    """What is wrong with what becomes of the row when it is built; None if nothing is."""
    try:
        data = protocol.build(row, **parameters)
    except EncodeError as error:
        return _misnamed(protocol, row, error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if row.get("_corrupt_record") is not None:
        return None if data == bytes(row["_corrupt_record"]) else "a malformed row is not its bytes"
    try:
        back = _read(protocol, data, row, parameters)
    except DecodeError as error:
        return f"{data.hex()} is malformed: {error.reason}"
    names = {column.name for column in (*CORRUPT, *POSITIONS)} | {"_file"}
    given = {name: value for name, value in row.items() if name not in names}
    back = {name: value for name, value in back.items() if name not in names}
    difference = _difference(given, back, Shapes.of(protocol).whole)
    return f"{data.hex()} has other values: {difference}" if difference else None


def _read(protocol: Protocol, data: bytes, row: Row, parameters: Mapping[str, Any]) -> Row:
    """The row that was built as these bytes: a record, or what a capture begins with. Raises ``DecodeError``."""
    told = protocol.preamble.told if protocol.preamble is not None else ()
    own = {name: value for name, value in parameters.items() if name not in told}
    if not CaptureBuilder(protocol, own).begins(row):
        return protocol.parse(data, **parameters)
    found = list(protocol.iter_records(data, **own))
    assert len(found) == 1, "there is more behind what the capture begins with"
    return found[0]


def _misnamed(protocol: Protocol, row: Any, error: EncodeError) -> str | None:
    """What is wrong with where an error says that it is: it must be a column, a section, a parameter, a strange key,
    or of the whole.
    """
    path = error.field
    if any(path == parameter.name for parameter in protocol.parameters):
        return None
    if not path:
        return None if not isinstance(row, Mapping) else f"no field is named: {error}"
    if error.detail.startswith(("unknown field", "a mapping of fields expected", "the record has ")):
        return None
    if path in {slot.name for slot in protocol.record.slots}:
        return None  # a section, which may have no column of its own
    shape: Shape | None = Shapes.of(protocol).whole | {column.name: Kind() for column in CORRUPT}
    *outer, last = path.split(".")
    for step in outer:
        kind = shape.get(step.partition("[")[0]) if shape is not None else None
        shape = kind.inner if kind else None
    kind = shape.get(last.partition("[")[0]) if shape is not None else None
    if kind is None:
        return f"{path!r} is no column: {error}"
    return (
        f"a message is named where a field is meant: {error}"
        if path in protocol.messages and "mapping" not in str(error) and "given, but the row" not in str(error)
        else None
    )


def _difference(given: Mapping[str, Any], back: Mapping[str, Any], shape: Shape) -> str | None:
    """The first value that is not what was given, or that nobody gave."""
    for name, found in back.items():
        kind, value = shape[name], given.get(name)
        if (
            kind.follows
            or kind.raw
            or (
                kind.label_of
                and (value is None or _is_given(kind.label_of, given, shape) or shape[kind.label_of].follows)
            )
        ):
            continue
        if value is None:
            may_be = (
                found is None
                or kind.fills
                or any(
                    given.get(other) is not None
                    for other, of in shape.items()
                    if of.label_of == name or name in of.parts
                )
            )
            if not may_be and not (isinstance(found, Mapping) and name == back.get("message")):
                return f"{name} was not given and is {found!r}"
            continue
        what = _different(value, found, kind)
        if what:
            return f"{name}{what}"
    return None


def _is_given(name: str, given: Mapping[str, Any], shape: Shape) -> bool:
    """Whether a number is given, or one that it is a part of."""
    whole = (other for other, of in shape.items() if name in of.parts)
    return any(given.get(other) is not None for other in (name, *whole))


def _different(value: Any, found: Any, kind: Kind) -> str | None:
    if isinstance(value, Mapping) and isinstance(found, Mapping):
        inner = _difference(value, found, kind.inner or {})
        return f".{inner}" if inner else None
    if isinstance(value, list | tuple) and isinstance(found, list):
        if kind.label_of:
            return None if set(value) == set(found) else f" {value} came back as {found}"
        if len(value) != len(found):
            return f" has {len(value)} items, and came back with {len(found)}"
        found_out = (_different(one, other, kind) for one, other in zip(value, found, strict=True))
        return next((f"[{index}]{what}" for index, what in enumerate(found_out) if what), None)
    return None if _same(value, found, kind.meaning) else f" {value!r} came back as {found!r}"


def _same(value: Any, found: Any, meaning: Meaning | None) -> bool:
    """Whether a number, a text or bytes came back; a float as the nearest that its field can have, an address as it is
    spelled.
    """
    if isinstance(value, Decimal) and value.is_nan():
        return isinstance(found, float) and math.isnan(found)
    if isinstance(found, float):
        number = float(value)
        return found == number or (math.isnan(number) and math.isnan(found)) or found in nearest(number, meaning)
    if isinstance(meaning, Spelled):
        return bool(meaning.value(meaning.written(value)) == found)
    return found is not None and bool(value == found)


def nearest(number: float, meaning: Meaning | None) -> list[float]:
    """The numbers nearest to one that is not too large: of single and of half precision, and that in steps."""
    sizes = [(code, most) for code, most in (("<f", 3.5e38), ("<e", 65520.0)) if abs(number) < most]
    found = [struct.unpack(code, struct.pack(code, number))[0] for code, _ in sizes]
    if not isinstance(meaning, DoubleMeaning) or not math.isfinite(number):
        return found
    return [*found, meaning.value(meaning.written(number))]
