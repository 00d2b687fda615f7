"""Integers of any size, as Python's ``int.to_bytes`` has them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import compiled

from wireloom.codec import EncodeError, Size, SizedInteger
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer

SPEC = """\
protocol: ours
byte_order: big
record:
  length: rest
  fields:
    - {name: width, type: u8}
    - {name: length, type: u8, derive: size(short)}
    - {name: number, type: %s, size: width, byte_order: %s}
    - {name: short, type: %s, size: length, byte_order: %s}
    - {section: body, size: rest}
---
message: one
match: {}
sections: {body: []}
"""


def written(kind: SizedInteger, value: Any) -> bytes:
    """``value`` as bytes."""
    writer = Writer()
    kind.build_stream(value, writer)
    return bytes(writer.buffer)


@given(st.integers(0, 8), st.data())
@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("signed", [False, True])
def test_bytes_are_those_of_python(signed: bool, order: Any, size: int, data: st.DataObject) -> None:
    octets = data.draw(st.binary(min_size=size, max_size=size))
    kind = SizedInteger(Size(size), signed=signed, little=order == "little")
    number = int.from_bytes(octets, order, signed=signed)
    assert kind.parse_stream(Reader(octets)) == number
    assert written(kind, number) == octets == number.to_bytes(size, order, signed=signed)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize(
    ("signed", "number", "size"),
    [
        *((False, number, size) for number, size in ((0, 1), (1, 1), (255, 1), (256, 2), ((1 << 64) - 1, 8))),
        *((True, number, size) for number, size in ((0, 1), (127, 1), (128, 2), (-1, 1), (-128, 1), (-129, 2))),
        *((True, number, size) for number, size in ((1 << 55, 8), ((1 << 55) - 1, 7), (-1 << 55, 7), (-1 << 63, 8))),
    ],
)
def test_a_size_that_follows_from_a_number_is_the_smallest(order: Any, signed: bool, number: int, size: int) -> None:
    word = "int" if signed else "uint"
    codec = compiled.of(SPEC % (word, order, word, order)).codec
    data = codec.build({"width": 8, "number": number, "short": number, "message": "one"})
    assert data == bytes([8, size]) + b"".join(number.to_bytes(each, order, signed=signed) for each in (8, size))
    row = codec.parse(data)
    assert (row["number"], row["length"], row["short"]) == (number, size, number)


@pytest.mark.parametrize(
    ("width", "number", "what"),
    [
        (1, 128, "number: has 2 bytes, but its size says 1"),
        (1, -129, "number: has 2 bytes, but its size says 1"),
        (0, 1, "number: has 1 byte, but its size says 0"),
        (9, 1, "number: has 1 byte, but its size says 9"),
        (8, 1 << 63, "number: 9223372036854775808 does not fit 64 bits"),
        (8, "1", "number: a whole number expected, not '1'"),
        (8, None, "number: missing"),
        (None, 1, "width: missing"),
    ],
)
def test_what_cannot_be_written_is_told(width: int | None, number: Any, what: str) -> None:
    codec = compiled.of(SPEC % ("int", "big", "int", "big")).codec
    with pytest.raises(EncodeError) as refused:
        codec.build({"width": width, "number": number, "short": 0, "message": "one"})
    assert str(refused.value) == what
