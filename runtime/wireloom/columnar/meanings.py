"""The meaning of numbers and bytes, for many rows at once."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.codec.meanings import (
    Counted,
    DecimalMeaning,
    DoubleMeaning,
    Ipv4Meaning,
    Ipv6Meaning,
    MacMeaning,
    Meaning,
    UuidMeaning,
)
from wireloom.columnar import buffers
from wireloom.columnar.arrays import Column, Labels, Made, Numbers, Spans
from wireloom.columnar.buffers import Array, Valid, strings, windows

_EXACT = 2**52
"""Whole numbers up to this are doubles, the quotient of two of them is the nearest double, and it determines them."""
_LEAST, _MOST = -(2**63), 2**63 - 1


class Meant(NamedTuple):
    """Values of a column. Some rows may be ``doubtful``, some may have ``none``."""

    column: Column
    doubtful: Valid = None
    none: Valid = None


def meant(meaning: Meaning, column: Column) -> Meant:
    """The values of a column of numbers or bytes."""
    if isinstance(column, Spans):
        return Meant(_spelled(meaning, column))
    if not isinstance(column, Numbers):
        return Meant(column, np.ones(len(column), bool))
    if isinstance(meaning, Counted):
        return _counted(meaning, column)
    if isinstance(meaning, DoubleMeaning):
        return Meant(_doubled(meaning, column))
    assert isinstance(meaning, DecimalMeaning)
    return _scaled(meaning, column)


def undetermined(meaning: Meaning, numbers: Array, found: Meant) -> Array:
    """Where the values do not determine their numbers."""
    assert isinstance(found.column, Numbers)
    if isinstance(meaning, Counted):
        steps = (found.column.data - meaning.first) * meaning.parts
        differs = steps != _signed(numbers)[0] if meaning.parts > 1 else np.zeros(len(numbers), bool)
    elif isinstance(meaning, DoubleMeaning) and _shift(meaning) is not None:
        nearest, end = numbers.astype(float), float(np.iinfo(numbers.dtype).max) + 1
        fits = nearest < end
        differs = ~fits | (np.where(fits, nearest, 0).astype(numbers.dtype) != numbers)
    elif isinstance(meaning, DoubleMeaning):
        differs = np.zeros(len(numbers), bool)
        for row in np.flatnonzero(_inexact(meaning, numbers)):
            differs[row] = meaning.written(float(found.column.data[row])) != int(numbers[row])
    else:
        differs = np.zeros(len(numbers), bool)
    return differs if found.none is None else differs | found.none


def _counted(meaning: Counted, column: Numbers) -> Meant:
    """Times and durations in microseconds."""
    least, most = meaning.fewest, meaning.highest
    data, high = _signed(column.data)
    none, doubtful = (high, None) if most <= _MOST else (None, high)
    none = _either(none, _some((data < max(least, _LEAST)) | (data > min(most, _MOST))))
    data = _harmless(data, none, doubtful)
    data = data // meaning.parts if meaning.parts > 1 else data * meaning.times if meaning.times > 1 else data
    return Meant(Numbers(data + meaning.first if meaning.first else data, column.valid), doubtful, none)


def _scaled(meaning: DecimalMeaning, column: Numbers) -> Meant:
    """Numbers times a number, plus another; those for which that becomes too large are doubtful."""
    data, doubtful = _signed(column.data)
    bound = (_MOST - abs(meaning.plus)) // abs(meaning.times)
    if bound < 1:
        return Meant(column, np.ones(len(data), bool))
    down = -_LEAST if meaning.times > 0 else _MOST
    least = -((down - abs(meaning.plus)) // abs(meaning.times))
    large = _some((data > bound) | (data < least))
    data = _harmless(data, large, doubtful) * meaning.times + meaning.plus
    return Meant(Numbers(data, column.valid), _either(large, doubtful))


def _doubled(meaning: DoubleMeaning, column: Numbers) -> Numbers:
    """The doubles next to scaled numbers."""
    if (factor := _shift(meaning)) is not None:
        return Numbers(column.data.astype(float) * factor, column.valid)
    inexact = _inexact(meaning, column.data)
    values = np.empty(len(column.data))
    if not inexact.all():
        data = np.where(inexact, 0, column.data).astype(np.int64)
        values = (data * meaning.times + meaning.plus) / meaning.by
    for row in np.flatnonzero(inexact):
        values[row] = meaning.value(int(column.data[row]))
    return Numbers(values, column.valid)


def _inexact(meaning: DoubleMeaning, numbers: Array) -> Array:
    """For which numbers the arithmetic of doubles is not exact."""
    bound = (_EXACT - abs(meaning.plus)) // abs(meaning.times)
    if bound < 1 or meaning.by > _EXACT:
        return np.ones(len(numbers), bool)
    data, high = _signed(numbers)
    large = (data > bound) | (data < -bound)
    return large if high is None else large | high


def _shift(meaning: DoubleMeaning) -> float | None:
    """The scale, if it is a power of two and there is no offset: a number is then rounded as it becomes a double."""
    times = abs(meaning.times)
    if meaning.plus or times & times - 1 or meaning.by & meaning.by - 1:
        return None
    return meaning.times / meaning.by


def _some(which: Array) -> Valid:
    """The same; None if it is none."""
    return which if which.any() else None


def _harmless(data: Array, *wrong: Valid) -> Array:
    """The numbers, with 0 for those that are wrong."""
    for which in wrong:
        if which is not None:
            data = np.where(which, 0, data)
    return data


def _signed(data: Array) -> tuple[Array, Valid]:
    """Numbers as signed ones of 64 bits, and which of them do not fit, if any."""
    if data.dtype.kind == "u" and data.dtype.itemsize == 8 and (high := data > _MOST).any():
        return data.astype(np.int64), high
    return data.astype(np.int64, copy=False), None


def _either(one: Valid, other: Valid) -> Valid:
    return other if one is None else one if other is None else one | other


def _spelled(meaning: Meaning, column: Spans) -> Column:
    size = SIZES[type(meaning)]
    start = column.start if column.valid is None else np.where(column.valid, column.start, 0)
    octets = windows(column.buffer, start, size)
    if isinstance(meaning, Ipv4Meaning):
        numbers = Numbers(octets.view(">u4"), column.valid)
        return Labels(numbers, lambda number: meaning.value(number.to_bytes(4)), pa.string())
    return Made(texts_of(meaning, octets, column.valid))


def texts_of(meaning: Meaning, octets: Array, valid: Valid = None) -> pa.Array:
    """The texts of bytes of one size, each of which is an item."""
    if type(meaning) not in _PUNCTUATED:
        found = buffers.array(pa.binary(octets.itemsize), len(octets), valid, octets).dictionary_encode()
        known = np.frombuffer(found.dictionary.buffers()[1] or b"", octets.dtype, len(found.dictionary))
        if isinstance(meaning, Ipv4Meaning):
            texts = _dotted(known.view(np.uint8).reshape(-1, 4))
        else:
            texts = strings([meaning.value(bytes(each)) for each in known.tolist()])
        return texts.take(found.indices)
    octets = octets.view(np.uint8).reshape(-1, SIZES[type(meaning)])
    return _digits(octets, _PUNCTUATED[type(meaning)], valid)


def _digits(octets: Array, places: tuple[str, tuple[int, ...]], valid: Valid) -> pa.Array:
    """The bytes of each row as digits, with a sign between some of them."""
    sign, behind = places
    width = 2 * octets.shape[1] + len(behind)
    text = np.full((len(octets), width), ord(sign), np.uint8)
    at = 0
    for number in range(octets.shape[1]):
        text[:, at : at + 2].view(_PAIRS.dtype)[:, 0] = _PAIRS.take(octets[:, number])
        at += 3 if number in behind else 2
    offsets = np.arange(len(octets) + 1, dtype=np.int32) * np.int32(width)
    return buffers.array(pa.string(), len(octets), valid, offsets, text)


def _dotted(octets: Array) -> pa.Array:
    """The bytes of each row in decimal, with dots between them."""
    text = _DECIMALS.take(octets, axis=0).reshape(len(octets), 16)[:, :-1]
    there = text != 0
    offsets = np.zeros(len(octets) + 1, np.int32)
    there.sum(axis=1).cumsum(out=offsets[1:])
    return buffers.array(pa.string(), len(octets), None, offsets, text[there])


_DECIMALS = np.frombuffer(b"".join(str(byte).encode().rjust(3, b"\0") + b"." for byte in range(256)), np.uint8)
_DECIMALS = _DECIMALS.reshape(256, 4)
"""The decimal digits of each byte, behind zeros, and a dot."""
_PAIRS = np.frombuffer(bytes(range(256)).hex().encode(), np.uint16)
"""The two digits of each byte, as the memory of one number."""
SIZES: dict[type[Meaning], int] = {UuidMeaning: 16, Ipv4Meaning: 4, Ipv6Meaning: 16, MacMeaning: 6}
"""How many bytes each is."""
_PUNCTUATED: dict[type[Meaning], tuple[str, tuple[int, ...]]] = {
    UuidMeaning: ("-", (3, 5, 7, 9)),
    MacMeaning: (":", (0, 1, 2, 3, 4)),
}
"""The sign between digits, and after which bytes it is."""
