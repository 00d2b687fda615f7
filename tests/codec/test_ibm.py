"""Hexadecimal floats, by their definition: 0.fraction * 16 ** (exponent - 64), with a sign in front (IBM,
z/Architecture Principles of Operation), worked out with exact fractions.
"""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom.codec import DecodeError, EncodeError, IbmFloat
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer


def written(kind: IbmFloat, value: Any) -> bytes:
    """``value`` as bytes."""
    writer = Writer()
    kind.build_stream(value, writer)
    return bytes(writer.buffer)


def meant(data: bytes) -> Fraction:
    """The number that the bytes are."""
    fraction = Fraction(int.from_bytes(data[1:], "big"), 1 << 8 * len(data) - 8)
    number = fraction * Fraction(16) ** ((data[0] & 0x7F) - 64)
    return -number if data[0] & 0x80 else number


@pytest.mark.parametrize(
    ("data", "number"),
    [
        ("c276a000", -118.625),
        ("41100000", 1.0),
        ("40800000", 0.5),
        ("00000000", 0.0),
        ("7fffffff", float(Fraction(0xFFFFFF, 1 << 24) * 16**63)),
        ("00100000", 16.0**-65),
        ("4110000000000000", 1.0),
        ("c01999999999999a", -0.1),
        ("4110000000000001", 1 + 2**-52),
    ],
)
def test_numbers_are_as_they_are_defined(data: str, number: float) -> None:
    octets = bytes.fromhex(data)
    kind = IbmFloat(len(octets))
    assert kind.parse_stream(Reader(octets)) == number
    assert written(kind, number) == octets
    assert written(IbmFloat(len(octets), little=True), number) == octets[::-1]


@given(st.binary(min_size=4, max_size=4) | st.binary(min_size=8, max_size=8))
def test_any_bytes_are_the_nearest_double_and_come_back_if_nothing_is_lost(data: bytes) -> None:
    kind = IbmFloat(len(data))
    number = kind.lenient().parse_stream(Reader(data))
    assert number == float(meant(data))
    try:
        assert kind.parse_stream(Reader(data)) == number
    except DecodeError:
        usual = written(kind, number)
        assert usual != data
        assert meant(usual) == Fraction(number)
    else:
        assert written(kind, number) == data


@pytest.mark.parametrize(
    ("size", "value", "what"),
    [
        (4, 0.1, "0.1 is no number of 4 bytes; the nearest is 0.10000002384185791"),
        (4, 1e80, "1e+80 is too large for 32 bits"),
        (8, float("inf"), "inf is too large for 64 bits"),
        (8, float("nan"), "a number expected, not nan"),
        (8, 1e-100, "1e-100 is no number of 8 bytes; the nearest is 0.0"),
        (8, "1", "a number expected, not '1'"),
        (8, None, "missing"),
    ],
)
def test_what_cannot_be_written_is_told(size: int, value: Any, what: str) -> None:
    with pytest.raises(EncodeError) as refused:
        written(IbmFloat(size), value)
    assert str(refused.value) == what


def test_a_number_is_read_in_the_form_in_which_it_is_written() -> None:
    with pytest.raises(DecodeError, match=r"invalid: record at byte 0: 0\.0625 is written 40100000, found 42001000"):
        IbmFloat(4).parse_stream(Reader(bytes.fromhex("42001000")))
