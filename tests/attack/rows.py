"""Rows altered at random: each is a row that somebody could hand over, be it nonsense."""

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from attack.shapes import Row, Shapes, structs
from wireloom.codec import Column, DecodeError, ListOf, Protocol, StructOf
from wireloom.codec.columns import decimal_size

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
    for values, known in structs(row, Shapes.of(protocol).whole):
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
