"""What encoding fills in, and what it refuses because it would not read back as it was given."""

import struct
import zlib
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import compiled

from wireloom.codec import EncodeError

FRAME = """
protocol: frame
byte_order: big
record:
  length: 2 + size
  fields:
    - {name: size, type: u8, derive: size(body)}
    - {name: kind, type: u8, default: 0}
    - {section: body, size: rest, trailing: trailing_body}
---
message: thing
match: {}
"""


def feature(name: str) -> Any:
    return compiled.feature(name).codec


def thing(fields: str) -> Any:
    """The codec of a protocol with one message that has these fields."""
    body = "\n".join(f"    {line}" for line in fields.strip().splitlines())
    return compiled.of(f"{FRAME}sections:\n  body:\n{body}\n").codec


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


def test_a_length_that_no_size_makes_true_is_refused() -> None:
    codec = thing("- {name: odd, type: leb128_u32, derive: 129 - size(odd)}")
    with pytest.raises(EncodeError, match="odd: was taken to be"):
        codec.build({"thing": {}})


REFUSED = {
    "a size that says otherwise": (
        "- {name: told, type: u8}\n- {name: data, type: bytes, size: told}",
        {"told": 2, "data": b"abc"},
        "thing.data: has 3 bytes, but its size says 2",
    ),
    "a count that says otherwise": (
        "- {name: told, type: u8}\n- {name: list, type: u8, repeat: {count: told}}",
        {"told": 2, "list": [1]},
        "thing.list: has 1 item, but its count says 2",
    ),
    "a section whose size says otherwise": (
        "- {name: told, type: u8}\n- {section: box, size: told, fields: [{name: inner, type: u8}]}",
        {"told": 2, "inner": 1},
        "thing.inner: box has 1 byte, but its size says 2",
    ),
    "a field whose condition is false": (
        "- {name: has, type: u8}\n- {name: more, type: u8, when: has == 1}",
        {"has": 0, "more": 5},
        "thing.more: given, but has == 1 is false",
    ),
    "fields of two alternatives": (
        "- {name: type_, type: u8}\n"
        "- choice: [{when: type_ == 1, fields: [{name: one, type: u8}]}, {fields: [{name: two, type: u8}]}]",
        {"type_": 1, "one": 5, "two": 6},
        "thing.two: not in one alternative with one",
    ),
    "a field of another alternative": (
        "- {name: type_, type: u8}\n"
        "- choice: [{when: type_ == 1, fields: [{name: one, type: u8}]}, {fields: [{name: two, type: u8}]}]",
        {"type_": 1, "two": 6},
        "thing.two: not in the alternative that is taken: type_ == 1",
    ),
    "a value that is not valid": (
        "- {name: low, type: u8, valid: low < 5}",
        {"low": 7},
        "thing.low: 7 does not satisfy low < 5",
    ),
    "an optional field in front of others": (
        "- {name: one, type: u8, optional: true}\n- {name: two, type: u8, optional: true}",
        {"two": 7},
        "thing.one: missing",
    ),
    "bytes behind an optional field that is missing": (
        "- {name: one, type: u8, optional: true}",
        {"trailing_body": b"abc"},
        "thing.one: missing, but there are bytes behind it",
    ),
    "a terminator in what it ends": (
        '- {name: text, type: text, until: "00"}',
        {"text": "a\0b"},
        "thing.text: contains its terminator 00",
    ),
    "a number too large": ("- {name: small, type: u8}", {"small": 256}, "thing.small: 256 does not fit 8 bits"),
    "a missing number": ("- {name: small, type: u8}", {}, "thing.small: missing"),
    "a field that is not there": (
        "- {name: small, type: u8}",
        {"smal": 1},
        "thing.smal: unknown field; known are small, trailing_body",
    ),
    "text that the encoding lacks": (
        "- {name: text, type: text, size: rest, encoding: ascii}",
        {"text": "é"},
        "thing.text: 'é' cannot be written in ascii",
    ),
    "a list with a number too large": (
        "- {name: list, type: u16, repeat: rest}",
        {"list": [1, 65536]},
        "thing.list[1]: 65536 does not fit 16 bits",
    ),
}


@pytest.mark.parametrize(("fields", "values", "message"), REFUSED.values(), ids=REFUSED)
def test_what_would_not_read_back_is_refused(fields: str, values: Any, message: str) -> None:
    with pytest.raises(EncodeError) as error:
        thing(fields).build({"thing": values})
    assert str(error.value) == message


def test_a_length_that_is_given_must_be_right() -> None:
    codec = compiled.of(FRAME.replace(", derive: size(body)", "")).codec
    with pytest.raises(EncodeError, match="has 3 bytes, but its length says 7"):
        codec.build({"size": 5, "thing": {"trailing_body": b"a"}})


def test_an_error_in_a_struct_says_where() -> None:
    codec = feature("types_and_the_header")
    with pytest.raises(EncodeError, match=r"^item\.item\.number: 256 does not fit 8 bits"):
        codec.build({"item": {"item": {"number": 256}}})


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


def test_a_value_may_not_end_in_half_a_terminator() -> None:
    codec = thing('- {name: text, type: bytes, until: "0000"}\n- {name: more, type: bytes, size: rest}')
    assert codec.build({"thing": {"text": b"a", "more": b"\0b"}}).hex() == "05006100000062"
    with pytest.raises(EncodeError, match="text: contains its terminator 0000"):
        codec.build({"thing": {"text": b"a\0", "more": b"b"}})


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


def test_bytes_behind_a_section_that_takes_the_rest_are_refused() -> None:
    codec = feature("sections_to_the_rest")
    for row in ({"kind": 1, "number": 5}, {"kind": 2, "note": {"kind": 7, "text": "ab"}}, {"kind": 3, "list": [5]}):
        with pytest.raises(EncodeError, match="takes all of its section, but there are bytes behind it"):
            codec.build({"boxes": {**row, "outer_rest": b"xyz", "after": 9}})


def test_what_is_packed_in_bytes_of_others_is_compared_with_what_is_written() -> None:
    codec = feature("through_shared")
    data = zlib.compress(b"abc")
    file = {"place": 3, "size": len(data), "is_packed": True}
    for said in ({}, {"content": "abc"}, {"content": "abc", "content_packed": data}):
        again = codec.parse(codec.build({"archive": {"data": data, "files": [file | said]}}))
        assert [again["archive"]["files"][0][name] for name in ("content", "content_packed")] == ["abc", data]
    for said, wrong in (
        ({"content": "abd"}, "content: 'abd' given, but the bytes there are 'abc'"),
        ({"content_packed": b"x"}, "content_packed: b'x' given, but the bytes there are "),
        ({"size": 9}, "content: cannot be read back: no zlib: it ends too early"),
    ):
        with pytest.raises(EncodeError, match=f"archive.files\\[0\\].{wrong}"):
            codec.build({"archive": {"data": data, "files": [file | said]}})


@pytest.mark.parametrize(
    ("message", "row", "field"),
    [
        ("listed", {"items": [{"kind": 2, "text": "a"}, {"kind": 1, "number": 5}]}, "items[0].text"),
        ("listed", {"items": [{"kind": 3, "numbers": []}, {"kind": 0}]}, "items[0].numbers"),
        ("counted", {"items": [{"kind": 2, "text": ""}, {"kind": 2, "text": "a"}], "behind": b""}, "items[0].text"),
        ("counted", {"items": [{"kind": 2, "text": "a"}], "behind": b"b"}, "items[0].text"),
        ("pair", {"key": {"kind": 2, "text": "a"}, "value": {"kind": 0}}, "key.text"),
        ("either", {"how": 1, "words": [], "other": b"a"}, "words"),
        ("either", {"how": 2, "packed": {"kind": 1, "number": 5}, "other": b"a"}, "packed"),
    ],
)
def test_bytes_behind_what_takes_the_rest_this_time_are_refused(message: str, row: dict[str, Any], field: str) -> None:
    with pytest.raises(EncodeError, match="takes all of its section, but there are bytes behind it") as error:
        feature("rest_sometimes").build({message: row})
    assert error.value.field == f"{message}.{field}"


def test_a_section_of_a_fixed_size_that_has_another_is_refused_in_an_unknown_message() -> None:
    header = dict.fromkeys(("compat_flags", "sequence", "system_id", "component_id"), 0)
    row = {"message": "unknown", "message_id": 9, **header, "unknown": {"payload": b"", "check": b"abc"}}
    with pytest.raises(EncodeError, match="check: check has 3 bytes, but its size says 2"):
        feature("checksum_over_constants").build(row)


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


def test_a_length_prefix_that_cannot_fit_is_refused() -> None:
    spec = f"""{FRAME.replace("u8, derive: size(body)", "u16, derive: size(body)").replace("2 + size", "3 + size")}
sections:
  body:
    - {{name: inner, type: Inner, prefix: leb128_u32}}
"""
    types = "types:\n  - name: Inner\n    fields:\n      - {name: data, type: bytes, prefix: u8}\n      - {align: 4}\n"
    codec = compiled.of(spec.replace("\n---\n", f"\n{types}---\n", 1)).codec
    refusals = []
    for size in range(116, 132):
        try:
            built = codec.build({"thing": {"inner": {"data": bytes(size)}}})
        except EncodeError as error:
            refusals.append(str(error))
        else:
            assert codec.build(codec.parse(built)) == built
    assert refusals
    assert all("no length prefix fits" in refusal for refusal in refusals)


@pytest.mark.parametrize("row", [{}, {"message": None}, {"thing": None}, {"thing": {}}])
def test_the_only_message_needs_no_name(row: dict[str, Any]) -> None:
    assert thing("- {name: spare, type: u16, reserved: true}").build(row).hex() == "02000000"


def test_a_length_in_a_struct_of_the_header_is_named_with_it() -> None:
    spec = """
protocol: headed
byte_order: big
types:
  - {name: Head, fields: [{name: size, type: u8}]}
record:
  length: 1 + head.size
  fields: [{name: head, type: Head}, {section: body, size: rest}]
---
message: thing
match: {}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""
    with pytest.raises(EncodeError, match=r"^head\.size: the record has 3 bytes, but its length says 4$"):
        compiled.of(spec).codec.build({"head": {"size": 3}, "thing": {"data": b"ab"}})
