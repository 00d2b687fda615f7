"""Runs of fixed-size numbers: every width, signed and unsigned, in both byte orders, side by side."""

from typing import Any

import pytest
from construct import BytesInteger, Float32b, Float64l, Int8sb, Int8ub, Int16sl, Int16ub, Int32sb, Int64ul, Renamed
from hypothesis import given, settings
from hypothesis import strategies as st

from wireloom.codec import Boolean, DecodeError, EitherOrder, EncodeError, Field, Layout
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer

ORDERS = {False: "big", True: "little"}


def read(layout: Layout, data: bytes, **options: Any) -> dict[str, Any]:
    """What ``data`` holds."""
    reader = Reader(data, **options)
    values = dict(layout.parse_stream(reader))
    assert reader.pos == len(data)
    return values


def write(layout: Layout, values: dict[str, Any], **options: Any) -> bytes:
    """``values`` as bytes."""
    writer = Writer(**options)
    layout.build_stream(values, writer)
    return bytes(writer.buffer)


def bounds(size: int, signed: bool) -> tuple[int, int]:
    """The least and the greatest number of ``size`` bytes."""
    return (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("size", range(1, 9))
def test_integers_of_any_width(size: int, signed: bool, swapped: bool) -> None:
    order = ORDERS[swapped]
    layout = Layout("before" / Int8ub, "number" / BytesInteger(size, signed=signed, swapped=swapped), "behind" / Int8ub)
    for number in {*bounds(size, signed), 0, 1, 0x7F}:
        data = b"\x01" + number.to_bytes(size, order, signed=signed) + b"\x02"
        assert read(layout, data) == {"before": 1, "number": number, "behind": 2}
        assert write(layout, {"before": 1, "number": number, "behind": 2}) == data


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("size", range(1, 9))
def test_numbers_that_do_not_fit_are_refused(size: int, signed: bool) -> None:
    layout = Layout("number" / BytesInteger(size, signed=signed))
    low, high = bounds(size, signed)
    for number in (low - 1, high + 1):
        with pytest.raises(EncodeError, match=f"number: .* does not fit {8 * size} bits"):
            write(layout, {"number": number})


@pytest.mark.parametrize("size", range(1, 9))
@pytest.mark.parametrize("value", [0.5, "1", b"1"])
def test_only_a_whole_number_is_written_as_one(size: int, value: Any) -> None:
    with pytest.raises(EncodeError, match=r"number: a whole number expected, not "):
        write(Layout("number" / BytesInteger(size)), {"number": value})


NUMBERS = st.sampled_from(
    [
        (Int8sb, ">", 1, True),
        (Int16ub, ">", 2, False),
        (Int16sl, "<", 2, True),
        (Int32sb, ">", 4, True),
        (Int64ul, "<", 8, False),
        *((BytesInteger(size, signed=signed, swapped=order == "<"), order, size, signed)
          for size in (3, 5, 6, 7) for signed in (False, True) for order in "<>"),
    ]
)  # fmt: skip


@settings(derandomize=True)
@given(data=st.data(), kinds=st.lists(NUMBERS, min_size=1, max_size=8))
def test_numbers_of_any_kind_side_by_side(data: st.DataObject, kinds: list[Any]) -> None:
    layout = Layout(*(Renamed(kind, f"n{index}") for index, (kind, *_) in enumerate(kinds)))
    numbers = [data.draw(st.integers(*bounds(size, signed))) for _, _, size, signed in kinds]
    values = {f"n{index}": number for index, number in enumerate(numbers)}
    expected = b"".join(
        number.to_bytes(size, {"<": "little", ">": "big"}[order], signed=signed)
        for number, (_, order, size, signed) in zip(numbers, kinds, strict=True)
    )
    assert write(layout, values) == expected
    assert read(layout, expected) == values


@pytest.mark.parametrize("little", [False, True])
def test_the_order_of_the_record_is_that_of_its_numbers(little: bool) -> None:
    either = EitherOrder(BytesInteger(3, signed=True), BytesInteger(3, signed=True, swapped=True))
    layout = Layout("first" / either, "always_big" / Int16ub, "second" / either)
    data = (-2).to_bytes(3, ORDERS[little], signed=True) + b"\x01\x02" + (5).to_bytes(3, ORDERS[little])
    values = {"first": -2, "always_big": 0x0102, "second": 5}
    assert read(layout, data, little=little) == values
    assert write(layout, values, little=little) == data


def test_floats() -> None:
    layout = Layout("single" / Float32b, "double" / Float64l)
    data = bytes.fromhex("3fc00000 000000000000f8bf")
    assert read(layout, data) == {"single": 1.5, "double": -1.5}
    assert write(layout, {"single": 1.5, "double": -1.5}) == data


@pytest.mark.parametrize(("data", "value"), [(b"\x00", False), (b"\x01", True)])
def test_booleans(data: bytes, value: bool) -> None:
    layout = Layout("flag" / Boolean())
    assert read(layout, data)["flag"] is value
    assert write(layout, {"flag": value}) == data


def test_a_byte_that_is_neither_0_nor_1_is_no_boolean() -> None:
    with pytest.raises(DecodeError, match="invalid: flag at byte 1: 0 or 1 expected, found 2"):
        read(Layout("before" / Int8ub, "flag" / Boolean()), b"\x00\x02")


@pytest.mark.parametrize("value", [2, 1, "true", 0.0])
def test_only_a_boolean_is_written_as_one(value: Any) -> None:
    with pytest.raises(EncodeError, match=r"flag: true or false expected, not "):
        write(Layout("flag" / Boolean()), {"flag": value})


@pytest.mark.parametrize("length", range(11))
def test_the_field_that_is_cut_off_is_named(length: int) -> None:
    layout = Layout("one" / Int8ub, "three" / BytesInteger(3), "seven" / BytesInteger(7))
    fields = [("one", 0, "1 byte"), ("three", 1, "3 bytes"), ("seven", 4, "7 bytes")]
    name, start, size = fields[(length >= 1) + (length >= 4)]
    with pytest.raises(DecodeError) as raised:
        read(layout, bytes(length))
    assert raised.value.reason == f"truncated: {name} at byte {start}: needs {size}, {length - start} left"


def test_a_constant_is_checked_in_both_directions() -> None:
    layout = Layout("magic" / Field(Int16ub, const=0xCAFE))
    assert write(layout, {}) == b"\xca\xfe"
    with pytest.raises(DecodeError, match=f"constant: magic at byte 0: {0xCAFE} expected, found {0xCAFF}"):
        read(layout, b"\xca\xff")
    with pytest.raises(EncodeError, match=f"magic: must be {0xCAFE}, not 1"):
        write(layout, {"magic": 1})
