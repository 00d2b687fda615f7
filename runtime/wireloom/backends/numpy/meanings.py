"""The meaning of numbers and bytes, for many rows at once."""

import numpy as np
import pyarrow as pa

from wireloom import buffers
from wireloom.buffers import Array, strings
from wireloom.codec.meanings import (
    DoubleMeaning,
    Ipv4Meaning,
    MacMeaning,
    Meaning,
    UuidMeaning,
)


def doubles(meaning: DoubleMeaning, numbers: Array) -> Array:
    """The doubles that integers stand for."""
    times = abs(meaning.times)
    if not meaning.plus and not times & times - 1 and not meaning.by & meaning.by - 1:
        scaled: Array = numbers.astype(float) * (meaning.times / meaning.by)  # by a power of two
        return scaled
    bound = meaning.exact
    inexact = (numbers > bound) | (numbers < -bound) if bound > 0 else np.ones(len(numbers), bool)
    data = np.where(inexact, 0, numbers).astype(np.int64)
    found: Array = (data * meaning.times + meaning.plus) / meaning.by if bound > 0 else np.zeros(len(numbers))
    for row in np.flatnonzero(inexact):
        found[row] = meaning.value(int(numbers[row]))
    return found


def texts_of(meaning: Meaning, octets: Array) -> pa.Array:
    """The texts of bytes of one size, each of which is an item."""
    if type(meaning) not in _PUNCTUATED:
        found = buffers.array(pa.binary(octets.itemsize), len(octets), None, octets).dictionary_encode()
        known = np.frombuffer(found.dictionary.buffers()[1] or b"", octets.dtype, len(found.dictionary))
        if isinstance(meaning, Ipv4Meaning):
            texts = _dotted(known.view(np.uint8).reshape(-1, 4))
        else:
            texts = strings([meaning.value(bytes(each)) for each in known.tolist()])
        return texts.take(found.indices)
    return _digits(octets.view(np.uint8).reshape(-1, octets.itemsize), *_PUNCTUATED[type(meaning)])


def _digits(octets: Array, sign: str, behind: tuple[int, ...]) -> pa.Array:
    """The bytes of each row as digits, with a sign behind some of them."""
    width = 2 * octets.shape[1] + len(behind)
    text = np.full((len(octets), width), ord(sign), np.uint8)
    at = 0
    for number in range(octets.shape[1]):
        text[:, at : at + 2].view(_PAIRS.dtype)[:, 0] = _PAIRS.take(octets[:, number])
        at += 3 if number in behind else 2
    offsets = np.arange(len(octets) + 1, dtype=np.int32) * np.int32(width)
    return buffers.array(pa.string(), len(octets), None, offsets, text)


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
_PUNCTUATED: dict[type[Meaning], tuple[str, tuple[int, ...]]] = {
    UuidMeaning: ("-", (3, 5, 7, 9)),
    MacMeaning: (":", (0, 1, 2, 3, 4)),
}
"""The sign between digits, and after which bytes it is."""
