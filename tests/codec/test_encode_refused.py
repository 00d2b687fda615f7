"""Encoding refuses what would not read back as it was given."""

import zlib
from typing import Any

import pytest
from support import compiled

from codec.framed import FRAME, feature, thing
from wireloom.codec import EncodeError


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


def test_a_value_may_not_end_in_half_a_terminator() -> None:
    codec = thing('- {name: text, type: bytes, until: "0000"}\n- {name: more, type: bytes, size: rest}')
    assert codec.build({"thing": {"text": b"a", "more": b"\0b"}}).hex() == "05006100000062"
    with pytest.raises(EncodeError, match="text: contains its terminator 0000"):
        codec.build({"thing": {"text": b"a\0", "more": b"b"}})


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
