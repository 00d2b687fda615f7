"""What encoding fills in: defaults, what is derived or computed, and the nearest of a number."""

import struct
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codec.framed import feature, thing
from wireloom.codec import EncodeError


def test_defaults_are_filled_in() -> None:
    assert feature("default").build({"request": {}}).hex() == "0d03003f000000046e6f6e6506"


def test_reserved_fields_are_zero() -> None:
    assert feature("reserved").build({"number": {"number": 7, "version": 3}}).hex() == "000007000060"


def test_labels_stand_for_numbers() -> None:
    row = {"paint": {"wall_name": "Green", "door": 2, "roof": 1}}
    assert feature("enums").build(row).hex() == "010000020001"


def test_flag_labels_stand_for_bits() -> None:
    row = {"options": {"known_flags": ["Fast", "Safe"], "unknown": 0x4101, "none_flags": [], "bare": 0x80}}
    assert feature("flags").build(row).hex() == "8141010080"


def test_computed_values_feed_defaults_and_derived_fields() -> None:
    assert feature("compute").build({"packed": {"side_name": "Right", "height": 5}}).hex() == "0b05"


def test_a_computed_nan_is_given_again_and_nothing_else_in_its_place() -> None:
    codec, data = feature("compute_floats"), bytes.fromhex("7fc00000 7fc00000 00000000 0000 7e00")
    row = codec.parse(data)
    assert codec.build(row) == data
    row["numbers"]["larger"] = 0.5
    with pytest.raises(EncodeError, match=r"^numbers\.larger: 0\.5 given, but the other fields make it 'NaN'$"):
        codec.build(row)


def test_given_values_of_derived_fields_do_not_matter() -> None:
    row = {"size": 99, "blobs": {"fixed": b"ab", "told_size": 77, "told": b"xyz"}}
    assert feature("bytes_sized").build(row).hex() == "036162" + "03" + b"xyz".hex()


def test_a_table_without_its_bytes_is_written_afresh() -> None:
    codec = feature("flatbuffers")
    monster = {"hp": 80, "name": "orc", "friendly": True, "experience": 7, "weight": 1.5}
    row = codec.parse(codec.build({"monster": {"monster": monster}}))
    assert dict(row["monster"]["monster"]) == monster


def test_a_changed_table_is_written_afresh_although_its_bytes_are_given() -> None:
    codec = feature("flatbuffers")
    row = codec.parse(codec.build({"monster": {"monster": {"hp": 80}}}))
    row["monster"]["monster"]["hp"] = 81
    assert codec.parse(codec.build(row))["monster"]["monster"]["hp"] == 81


def test_bytes_that_a_value_does_not_determine_are_written_while_they_say_it() -> None:
    codec = feature("raw_bytes")
    data = bytes.fromhex("0f  ac8200 8300 8100 81808000 05 868000")
    row = codec.parse(data)
    assert codec.build(row) == data
    row["numbers"] |= {"number": 301, "list_count": 2, "list": [1, 2]}
    assert codec.build(row) == bytes.fromhex("0b  ad02 8300 02 0102 05 868000")


@pytest.mark.parametrize("told", [b"\x86\x80\x00\x00", b"\x86\x80", b"\x07", b""])
def test_bytes_that_do_not_say_the_value_are_not_written(told: bytes) -> None:
    values = {"number": 1, "change": 0, "list_count": 0, "strict": 5, "last": 6}
    assert feature("raw_bytes").build({"numbers": {**values, "last_bytes": told}}) == bytes.fromhex(
        "05  01 00 00 05 06"
    )


def test_a_length_that_counts_its_own_size_is_the_least_unless_given() -> None:
    codec = feature("varints_derived")
    data = bytes.fromhex("000d  8001 aabbccddeeff  0c 02 0161 0f")  # 16 * (2 + 6), which one byte cannot say
    row = codec.parse(data)
    assert codec.build(row) == data
    least = bytes.fromhex("000c  70 aabbccddeeff  0b 02 0161 0e")  # 16 * (1 + 6)
    for told in (None, 113, 5000, "no number"):
        row["box"]["total"] = told
        assert codec.build(row) == least


def test_offsets_that_push_each_other_over_a_border_are_found() -> None:
    """With offsets of one byte each the last two are beyond 127. Two bytes for these push two more beyond it."""
    count = 64
    offsets = [f"- {{name: at_{n}, type: leb128_u32, derive: offset(item_{n})}}" for n in range(count)]
    items = [f"- {{name: item_{n}, type: u8}}" for n in range(count)]
    codec = thing("\n".join(offsets + items))
    values = codec.parse(codec.build({"thing": {f"item_{n}": n for n in range(count)}}))["thing"]
    told = [values[f"at_{n}"] for n in range(count)]
    size = sum(1 if number < 128 else 2 for number in told)
    assert told == [2 + size + n for n in range(count)]
    assert size == 2 * count


def test_offsets_in_a_struct_know_how_long_its_prefix_is() -> None:
    codec = feature("derive_in_types")
    row = codec.parse(codec.build({"pair": {"plain": {"text": ""}, "boxed": {"text": "x" * 200}}}))
    assert row["pair"]["boxed"] == {"place": 9, "text": "x" * 200}


@pytest.mark.parametrize(
    ("tail", "record"),
    [
        ("{name: m, type: u16, const: 7, optional: true}", "0300010007"),
        ("{name: m, type: u16, derive: size(record), optional: true}", "0300010005"),
        ("{name: m, type: u16, checksum: {algorithm: crc16_xmodem, from: 0, to: 3}, optional: true}", "0300014971"),
    ],
)
def test_an_optional_field_that_follows_from_others_is_not_lost(tail: str, record: str) -> None:
    codec = thing(f"- {{name: first, type: u8}}\n- {tail}")
    data = bytes.fromhex(record)
    assert codec.build(codec.parse(data)) == data


@pytest.mark.parametrize(
    ("default", "told"),
    [("size(data)", "0005"), ("offset(data)", "0004"), ("size(body)", "0007"), ("size(record)", "0009")],
)
def test_a_default_asks_for_what_is_written_behind_it(default: str, told: str) -> None:
    codec = thing(f"- {{name: told, type: u16, default: {default}}}\n- {{name: data, type: bytes, size: rest}}")
    assert codec.build({"thing": {"data": b"hello"}}).hex() == f"0700{told}{b'hello'.hex()}"
    assert codec.build({"thing": {"told": 3, "data": b"hello"}}).hex() == f"07000003{b'hello'.hex()}"


def test_a_default_in_bit_fields_uses_what_is_derived() -> None:
    fields = """
- {name: count_, type: u8, derive: count(list)}
- bits: u8
  fields:
    - {name: known, width: 4, default: count_ + 1}
    - {name: bytes_, width: 4, default: size(list)}
- {name: list, type: u16, repeat: {count: count_}}
"""
    assert thing(fields).build({"thing": {"list": [7, 8]}}).hex() == "060002" + "34" + "00070008"


@given(st.floats() | st.floats(width=16))
def test_a_float_is_written_as_the_nearest_that_its_type_has(number: float) -> None:
    codec = floats()
    with np.errstate(over="ignore"):
        nearest = {"single": np.float32(number), "half": np.float16(number), "swapped": np.float16(number)}
    large = {name for name, value in nearest.items() if np.isinf(value) and not np.isinf(number)}
    for name in large:
        with pytest.raises(EncodeError, match=rf"{name}: .* is too large"):
            codec.build({"numbers": dict.fromkeys(("double", *nearest), 0.0) | {name: number}})
    expected = {name: 0.0 if name in large else float(value) for name, value in nearest.items()} | {"double": number}
    given = {name: 0.0 if name in large else number for name in expected}
    back = codec.parse(codec.build({"numbers": given}))["numbers"]
    assert np.array_equal([back[name] for name in expected], list(expected.values()), equal_nan=True)


@pytest.mark.parametrize(
    ("bits", "single", "half"),
    [
        (0x7FF8_0000_0000_0000, "7fc00000", "7e00"),
        (0xFFF8_0000_0000_0000, "ffc00000", "fe00"),
        (0x7FF0_0400_0000_0000, "7f802000", "7c01"),
        (0x7FF0_0000_2000_0000, "7f800001", "7e00"),
        (0x7FF0_0000_0000_0001, "7fc00000", "7e00"),
    ],
)
def test_a_nan_stays_one_with_the_bits_that_fit(bits: int, single: str, half: str) -> None:
    number = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
    built = floats().build({"numbers": dict.fromkeys(("single", "double", "half", "swapped"), number)})
    assert built.hex() == f"{single}{bits:016x}{half}{half[2:]}{half[:2]}"


@cache
def floats() -> Any:
    return feature("floats")


@pytest.mark.parametrize("row", [{}, {"message": None}, {"thing": None}, {"thing": {}}])
def test_the_only_message_needs_no_name(row: dict[str, Any]) -> None:
    assert thing("- {name: spare, type: u16, reserved: true}").build(row).hex() == "02000000"
