"""Structs that are given what follows them: checked when all is read, filled in when all is written."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import DecodeError, EncodeError

NESTED = """
protocol: nested
byte_order: big
types:
  - name: Length
    given: [number]
    fields:
      - {name: value, type: leb128_u32, derive: number}
  - name: Head
    given: [number, doubled]
    fields:
      - {name: length, type: Length, with: {number: number + 1}}
      - {name: twice, type: u16, derive: doubled}
      - {name: own, type: u16, default: doubled}
record:
  length: rest
  fields:
    - {name: head, type: Head, with: {number: size(body), doubled: 2 * size(record)}}
    - {section: body, size: rest}
---
message: only
match: {}
sections:
  body:
    - {name: parts, type: Part, repeat: rest}
---
library: parts
types:
  - name: Part
    fields:
      - {name: mark, type: u8}
      - {name: head, type: Sized, when: mark == 1, with: {number: size(data)}}
      - {name: data, type: text, until: "00"}
  - name: Sized
    given: [number]
    fields:
      - {name: value, type: u8, derive: number}
""".replace("byte_order: big\n", "byte_order: big\nimports: [parts]\n", 1)

EMPTY, PARTS = bytes.fromhex("01 000a 000a"), bytes.fromhex("09 001a 001a  00 6100  01 03 626300")


def test_values_of_what_follows_are_filled_in() -> None:
    build = compiled.of(NESTED).codec.build
    parts: list[dict[str, Any]] = [{"mark": 0, "data": "a"}, {"mark": 1, "head": {}, "data": "bc"}]
    assert build({"message": "only", "only": {"parts": []}, "head": {"length": {}}}) == EMPTY
    assert build({"message": "only", "only": {"parts": parts}, "head": {"length": {}}}) == PARTS


def test_sizes_that_vary_count_what_follows() -> None:
    codec = compiled.of(NESTED).codec
    parts = [{"mark": 0, "data": "x" * 120}, {"mark": 0, "data": "yyy"}]  # 122 bytes and five
    data = codec.build({"message": "only", "only": {"parts": parts}, "head": {"length": {}, "own": 0}})
    assert data[:6] == bytes.fromhex("8001 010a 0000")  # a byte more, and twice the 133 bytes of all
    assert codec.parse(data)["head"] == {"length": {"value": 128}, "twice": 266, "own": 0}


@pytest.mark.parametrize(
    ("at", "found", "path", "offset", "detail"),
    [
        (0, 8, "head.length.value", 0, "9 expected, found 8"),
        (2, 0, "head.twice", 1, "26 expected, found 0"),
        (9, 2, "only.parts[1].head.value", 9, "3 expected, found 2"),
    ],
)
def test_others_are_malformed_where_they_are(at: int, found: int, path: str, offset: int, detail: str) -> None:
    data = PARTS[:at] + bytes([found]) + PARTS[at + 1 :]
    with pytest.raises(DecodeError) as raised:
        compiled.of(NESTED).codec.parse(data)
    assert (raised.value.code, raised.value.field, raised.value.offset) == ("derived", path, offset)
    assert raised.value.detail == detail


def test_what_is_wrong_behind_a_struct_comes_before_it() -> None:
    with pytest.raises(DecodeError, match="unterminated"):
        compiled.of(NESTED).codec.parse(PARTS[:-1])


LISTS = """
protocol: lists
byte_order: big
types:
  - name: Link
    given: [last]
    fields: [{bits: u8, fields: [{name: value, width: 7}, {name: more, width: 1, default: not last}]}]
  - name: Entry
    given: [place, length]
    fields: [{name: at, type: u8, default: place}, {name: size, type: u8, default: length}]
record:
  length: rest
  fields:
    - {section: body, size: rest}
---
message: only
match: {}
sections:
  body:
    - {name: links, type: Link, repeat: {until: not more}, with: {last: index + 1 == count(links)}}
    - name: entries
      type: Entry
      repeat: {count: 2}
      with: {place: "offset(texts[index])", length: "size(texts[index])"}
    - {name: texts, type: text, size: "entries[index].size", repeat: {count: 2}}
"""


def test_defaults_of_items_can_use_what_comes_with_the_list_and_behind_it() -> None:
    codec = compiled.of(LISTS).codec
    row = {"links": [{"value": 1}, {"value": 2}, {"value": 3}], "entries": [{}, {}], "texts": ["ab", "c"]}
    data = bytes.fromhex("03 05 06  07 02 09 01  6162 63")
    assert codec.build({"only": row}) == data
    assert codec.build(codec.parse(data)) == data
    other = codec.build({"only": row | {"entries": [{"at": 0}, {"at": 255}]}})
    assert other == bytes.fromhex("03 05 06  00 02 ff 01  6162 63")
    assert codec.parse(other)["only"]["entries"] == [{"at": 0, "size": 2}, {"at": 255, "size": 1}]


@pytest.mark.parametrize(
    ("links", "why"),
    [
        ([], "links: has no item that ends it"),
        ([{"value": 1, "more": False}, {"value": 2}], "links: ends with item 0, but there are more behind it"),
        ([{"value": 1}, {"value": 2, "more": True}], "links: has no item that ends it"),
    ],
)
def test_items_that_are_given_otherwise_are_refused(links: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(EncodeError, match=f"^only.{why}$"):
        compiled.of(LISTS).codec.build({"only": {"links": links, "entries": [{}, {}], "texts": ["", ""]}})
