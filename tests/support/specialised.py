"""Specialised functions beside the parts: the same bytes through both, and the same row or error.

Without this, a function that is wrong could hide behind the parts, which read all that it doubts.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag, StrEnum
from fractions import Fraction
from random import Random
from sys import maxsize
from typing import Any

import numpy as np
import pandas as pd

from support.lockstep import exact
from wireloom.codec import DecodeError, EncodeError, Protocol
from wireloom.codec.specialised import Specialised
from wireloom.options import resolve

Outcome = tuple[Any, ...]


@contextmanager
def from_the_first(protocol: Protocol) -> Iterator[None]:
    """Meanwhile, functions are made for a kind of records when the first of it is met."""
    before, protocol.specialised.many = protocol.specialised.many, 0
    try:
        yield
    finally:
        protocol.specialised.many = before


@contextmanager
def afresh(protocol: Protocol, many: int = 0) -> Iterator[None]:
    """Meanwhile, there are no functions but those of kinds of which more than so many records are met then."""
    known = protocol.specialised
    fresh = Specialised(known.protocol, known.dispatch, known.row, known.recorded, known.longs)
    fresh.many, protocol.specialised = many, fresh
    try:
        yield
    finally:
        protocol.specialised = known


def by_parts(protocol: Protocol) -> AbstractContextManager[None]:
    """Meanwhile, there are no functions, not even those that were made before."""
    return afresh(protocol, maxsize)


def both(protocol: Protocol, call: Callable[[], Any]) -> tuple[Outcome, Outcome]:
    """What a call comes to with functions, and by the parts alone."""
    with from_the_first(protocol):
        found = outcome(call)
    with by_parts(protocol):
        return found, outcome(call)


def outcome(call: Callable[[], Any]) -> Outcome:
    """What a call returns, in every detail, or all of the error that it raises."""
    try:
        return "returns", detailed(call())
    except DecodeError as error:
        return "refuses", error.code, error.detail, error.offset, error.field, error.needed, error.whole
    except EncodeError as error:
        return "refuses", error.detail, error.field


def detailed(value: Any) -> Any:
    """A value with its types, those of what is in it, and the order of keys."""
    match value:
        case dict():
            return type(value), [(name, detailed(each)) for name, each in value.items()]
        case list():
            return [detailed(each) for each in value]
    return type(value), exact(value)


def parse_alike(protocol: Protocol, data: bytes, orders: Iterable[bool] = (False,), **parameters: Any) -> None:
    """See that bytes are the same row, or the same error, found as a record or cut as one."""
    found, expected = both(protocol, lambda: protocol.parse(data, **parameters))
    assert found == expected, data.hex()
    resolved = resolve(protocol.parameters, parameters)
    for little in orders:
        found, expected = both(protocol, lambda little=little: protocol.decode(data, resolved, little=little))  # type: ignore[misc]
        assert found == expected, data.hex()


def build_alike(protocol: Protocol, row: Any, **parameters: Any) -> None:
    """See that a row is written as the same bytes, or refused with the same error."""
    found, expected = both(protocol, lambda: protocol.build(row, **parameters))
    assert found == expected, row


def changed(row: Any, random: Random, count: int) -> Iterator[Any]:
    """The row ``count`` times, with some values changed in each, or left out, or more."""
    for _ in range(count):
        values = copied(row)
        if random.random() < 0.3:
            values = present(values)
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            within = random.choice(list(structs(values)))
            name = random.choice([*within, "strange"])
            before = within.get(name)
            if random.random() < 0.2:
                within.pop(name, None)
            else:
                is_near = type(before) is int and random.random() < 0.4
                within[name] = copied(random.choice((before + 1, before ^ 1, before >> 1) if is_near else VALUES))
        yield values


class Word(StrEnum):
    """A text that is shown as something else."""

    X = "x"


class Letter(str, Enum):  # noqa: UP042 - it is what StrEnum was before there was one
    """A text whose ``str`` is another one."""

    X = "x"


class Number(IntEnum):
    """Numbers that are shown as something else."""

    ONE = 1
    TWO = 2


class Bits(IntFlag):
    """Numbers whose ``~`` is another one."""

    ONE = 1


class Indexed:
    """A whole number to ``operator.index`` alone."""

    def __index__(self) -> int:
        return 3


class Hostile:
    """Something that raises whatever is asked of it."""

    def _raises(self, *_: object) -> Any:
        raise RuntimeError

    __eq__ = __bool__ = __index__ = __float__ = __len__ = __hash__ = __repr__ = __getattr__ = _raises  # type: ignore[assignment]


NUMBERS = (0, 1, 2, -1, 255, 1 << 32, 1 << 64, 10**5000, True, False, 1.5, 2.0, math.nan, math.inf, -0.0)
DECIMALS = tuple(map(Decimal, ("3", "-0", "0.5", "3.0", "NaN", "sNaN", "Infinity", "1E+400", "1E-400", "1E+999999")))
NUMPY = (
    *(kind(5) for kind in (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64)),
    *(kind(1.5) for kind in (np.float16, np.float32, np.float64, np.longdouble)),
    *(np.uint8(255), np.int64(-1), np.uint64(2**64 - 1), np.float64("nan"), np.longdouble("1e4000")),
    *(np.bool_(True), np.bool_(False), np.str_("x"), np.bytes_(b"x"), np.complex64(1), np.datetime64(5, "ns")),
    *(np.timedelta64(5, "s"), np.array(5), np.array(1.5), np.array(True), np.array("x"), np.array([])),
    *(np.array([5]), np.array([1, 2]), np.zeros((2, 2)), np.array([None])),
)  # fmt: skip
"""Numbers of each width, those at which they overflow, and arrays, of which only some have a value."""
LIKE_NUMBERS = (Fraction(1, 2), Fraction(4, 2), Number.TWO, Bits.ONE, Indexed(), pd.NA, pd.NaT, 1j)
OTHERS = ("", "x", "é\udc80", b"", b"x", bytes(16), bytearray(b"x"), memoryview(b"xyz")[::2], Word.X, Letter.X)
STRUCTURES = ([], [1], {}, {"x": 1}, ["x"], (1, 2), [np.uint8(5), Decimal(2)], [None], [Hostile()], {1}, range(2))
VALUES = (*(None,) * 8, *NUMBERS, *DECIMALS, *NUMPY, *LIKE_NUMBERS, *OTHERS, *STRUCTURES, object(), Hostile())
"""What is put in the place of values: much of what people hand over, and what nobody should."""


def copied(value: Any) -> Any:
    """A value whose structs and lists can be changed."""
    match value:
        case dict():
            return {name: copied(each) for name, each in value.items()}
        case list():
            return [copied(each) for each in value]
    return value


def present(row: Any) -> Any:
    """The row without what is None, as one writes it down."""
    return {name: present(each) if isinstance(each, dict) else each for name, each in row.items() if each is not None}


def structs(row: Any) -> Iterator[Any]:
    """The row and all structs in it."""
    yield row
    for each in row.values():
        for item in each if isinstance(each, list) else [each]:
            if isinstance(item, dict):
                yield from structs(item)


def builds(protocol: Protocol, row: Any, **parameters: Any) -> bool:
    """Whether a function writes the row."""
    with from_the_first(protocol):
        data: bytes | None = protocol.specialised.build(row, resolve(protocol.parameters, parameters))
    return data is not None


def reads(protocol: Protocol, data: bytes, **parameters: Any) -> bool:
    """Whether a function reads the record."""
    resolved, functions = resolve(protocol.parameters, parameters), protocol.specialised
    with from_the_first(protocol):
        little = functions.order(data, resolved)
        return little is not None and functions.read(data, resolved, little=little) is not None
