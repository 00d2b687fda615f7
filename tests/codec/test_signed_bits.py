"""Bit fields with a sign: each number of each width, and values that do not fit."""

from typing import Any

import pytest
from support import compiled
from support.cases import each

from wireloom.codec import Bit, DecodeError, EncodeError, OffsetBinary, SignMagnitude, TwosComplement

SIGNED = """
protocol: signed
byte_order: big
record:
  length: 4
  fields: [{section: body, size: rest}]
---
message: packet
match: {}
sections:
  body:
    - bits: u32
      name: word
      fields:
        - {name: change, width: 12, sign: twos_complement}
        - {name: drift, width: 6, sign: sign_magnitude}
        - {name: level, width: 6, sign: {offset: -10}}
        - {name: steps, width: 2, count: 2, sign: sign_magnitude}
        - {name: half, width: 4, sign: twos_complement, as: {decimal: {scale: 0.5}}}
"""
VALUES = {"change": -2, "drift": -3, "level": 5, "steps": [-1, 1], "half": -1}
WORD = 0b_111111111110_100011_001111_11_01_1110


def built(**values: Any) -> str:
    """The record of these values, in hex."""
    data: bytes = compiled.of(SIGNED).codec.build({"packet": values})
    return data.hex()


def test_numbers_and_bits_of_each_width_stand_for_each_other() -> None:
    for width in (2, 3, 7, 8):
        half = 1 << width - 1
        upwards = [*range(half), *range(-half, 0)]  # as two's complement counts
        assert [Bit(width, sign=TwosComplement()).value(bits) for bits in range(2 * half)] == upwards
        magnitudes = [*range(half), None, *range(-1, -half, -1)]  # negative zero is none
        for bits, number in enumerate(magnitudes):
            if number is not None:
                assert Bit(width, sign=SignMagnitude()).value(bits) == number
                assert Bit(width, sign=SignMagnitude()).number(number) == bits
        with pytest.raises(DecodeError, match="0 expected, found -0"):
            Bit(width, sign=SignMagnitude()).value(half)
        assert [Bit(width, sign=OffsetBinary(-5)).value(bits) for bits in range(2 * half)] == [*range(-5, 2 * half - 5)]
        assert [Bit(width, sign=TwosComplement()).number(number) for number in upwards] == [*range(2 * half)]


@each(
    ("bit", "column"),
    [
        (Bit(8, sign=TwosComplement()), "byte"),
        (Bit(8, sign=SignMagnitude()), "byte"),
        (Bit(9, sign=TwosComplement()), "short"),
        (Bit(7, sign=OffsetBinary(-64)), "byte"),
        (Bit(8, sign=OffsetBinary(-128)), "byte"),
        (Bit(8, sign=OffsetBinary(-127)), "short"),
        (Bit(8, sign=OffsetBinary(-40_000)), "int"),
        (Bit(38, sign=TwosComplement()), "long"),
        (Bit(64, sign=OffsetBinary(-(2**63))), "long"),
    ],
)
def test_columns_have_the_narrowest_type(bit: Bit, column: str) -> None:
    assert bit.type == column


@each("values", [VALUES, {"word": WORD}, {"word": WORD, "drift": -3}, {"word": WORD, **VALUES}])
def test_parts_and_the_whole_number_are_enough(values: Any) -> None:
    assert built(**values) == f"{WORD:08x}"


@each(
    ("values", "reason"),
    [
        ({**VALUES, "change": -2049}, "change: -2049 does not fit 12 bits"),
        ({**VALUES, "change": 2048}, "change: 2048 does not fit 12 bits"),
        ({**VALUES, "drift": -32}, "drift: -32 does not fit 6 bits"),
        ({**VALUES, "drift": 32}, "drift: 32 does not fit 6 bits"),
        ({**VALUES, "level": -11}, "level: -11 does not fit 6 bits"),
        ({**VALUES, "level": 54}, "level: 54 does not fit 6 bits"),
        ({**VALUES, "steps": [-2, 0]}, "steps[0]: -2 does not fit 2 bits"),
        ({**VALUES, "half": 4}, "half: 4 does not fit 4 bits"),
        ({**VALUES, "half": None}, "half: missing"),
        ({**VALUES, "drift": "-3"}, "drift: a whole number expected, not '-3'"),
        ({"word": WORD, "change": 5}, "change: 5 given, but word makes it -2"),
        ({"word": WORD, "half": 1}, "half: 1 given, but word makes it -2"),
        ({"word": 0b_100000 << 14}, "drift: 0 expected, found -0"),
        ({"word": 0b_10 << 4}, "steps[1]: 0 expected, found -0"),
        ({"word": 0b_100000 << 14, "drift": 0}, "drift: 0 given, but word makes it 32"),
    ],
)
def test_what_does_not_fit_is_refused(values: Any, reason: str) -> None:
    with pytest.raises(EncodeError) as found:
        built(**values)
    assert str(found.value) == f"packet.{reason}"


def test_negative_zero_is_malformed_where_it_is() -> None:
    codec = compiled.of(SIGNED).codec
    with pytest.raises(DecodeError) as found:
        codec.parse((0b_100000 << 14).to_bytes(4, "big"))
    assert str(found.value) == "invalid: packet.drift at byte 0: 0 expected, found -0"
    with pytest.raises(DecodeError) as found:
        codec.parse((0b_10 << 4).to_bytes(4, "big"))
    assert str(found.value) == "invalid: packet.steps[1] at byte 0: 0 expected, found -0"
