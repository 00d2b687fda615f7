"""Fields that stand where offsets say: what is written where, and what is shown of them."""

from typing import Any

import pytest
from support import compiled
from support.compiled import feature

from wireloom.codec import EncodeError
from wireloom.inspection.record import inspect_record
from wireloom_generator import examples, explained
from wireloom_generator.emitters import Subject, docs


def _built(name: str, row: dict[str, Any]) -> bytes:
    data: bytes = feature(name).codec.build(row)
    return data


def _table(*entries: tuple[int | None, str], **more: Any) -> dict[str, Any]:
    listed = [{"key": key, "data_offset": place, "data": text} for key, (place, text) in enumerate(entries)]
    return {"table": {"entries": listed, **more}}


def test_what_is_not_told_stands_behind_the_sequence_in_the_order_of_the_list() -> None:
    assert _built("elsewhere", _table((None, "b"), (None, "cd"), note=258)) == bytes.fromhex(
        "0f 06 02 04  0102  00 0a 01 0c  0162 026364"
    )


def test_a_place_that_is_given_is_kept() -> None:
    data = bytes.fromhex("0f 07 02 0b  026364  01 0d 00 04  0102 0162")
    row = feature("elsewhere").codec.parse(data)
    assert [entry["data"] for entry in row["table"]["entries"]] == ["b", "cd"]
    assert feature("elsewhere").codec.build(row) == data


def test_places_that_went_stale_are_made_anew() -> None:
    row = feature("elsewhere").codec.parse(bytes.fromhex("0f 07 02 0b  026364  01 0d 00 04  0102 0162"))
    row["table"]["entries"][1]["data"] = "cdefg"
    data = feature("elsewhere").codec.build(row)
    again = feature("elsewhere").codec.parse(data)
    assert [entry["data"] for entry in again["table"]["entries"]] == ["b", "cdefg"]
    assert again["table"]["note"] == 258
    assert len(data) == 18


@pytest.mark.parametrize("place", [0, 1, 5, 255, 10**30, -1, "here", 1.5, True])
def test_no_place_that_is_given_is_in_the_way(place: Any) -> None:
    row = _table((place, "b"), (place, "cd"), note=258, note_offset=place)
    row["table"]["entries_offset"] = place
    if place == 0:
        row["table"]["note_offset"] = None
    again = feature("elsewhere").codec.parse(feature("elsewhere").codec.build(row))
    assert [entry["data"] for entry in again["table"]["entries"]] == ["b", "cd"]


def test_an_end_that_is_read_first_is_written_last() -> None:
    files = [("a", 1, ""), ("b", 4, "xyz")]
    directory = [{"name": name, "file_offset": place, "file": {"data": data}} for name, place, data in files]
    row = {"archive": {"entries_count": 2, "directory_offset": 9, "directory": directory}}
    expected = "18 504b 00  504b 03 78797a  01 61 0100  01 62 0400  0605 0200 0900"
    assert _built("elsewhere_from_the_end", row) == bytes.fromhex(expected)


@pytest.mark.parametrize("place", [0, 2, 3, 60])
def test_a_place_that_follows_from_nothing_must_fit(place: int) -> None:
    directory = [{"name": "a", "file_offset": place, "file": {"data": ""}}]
    row = {"archive": {"entries_count": 1, "directory_offset": 3, "directory": directory}}
    with pytest.raises(EncodeError, match=r"stands at byte \d+, but file_offset says \d+"):
        _built("elsewhere_from_the_end", row)


def test_left_over_bytes_fill_the_gaps() -> None:
    directory = [{"name": "a", "file_offset": 3, "file": {"data": ""}}]
    row = {"archive": {"entries_count": 1, "directory_offset": 5, "directory": directory, "unused": b"\x01\x02"}}
    expected = "10 0102 504b 00  01 61 0300  0605 0100 0500"
    assert _built("elsewhere_from_the_end", row) == bytes.fromhex(expected)


SHARED = bytes.fromhex("0c 05 6162630000  02 01  04 02  06 03")


def test_what_is_shared_may_be_left_out() -> None:
    row = {"symbols": {"strings": bytes.fromhex("6162630000")}}
    row["symbols"]["symbols"] = [{"name_offset": place, "value": value} for place, value in ((2, 1), (4, 2), (6, 3))]
    assert _built("elsewhere_shared", row) == SHARED


AHEAD = """
protocol: ahead
byte_order: big
types:
  - {name: Head, fields: [{name: kind, type: u8}, {name: size, type: u8}]}
  - name: Inner
    given: [kind]
    fields:
      - {name: more, type: u16, when: kind == 6}
      - {name: double, type: i16, compute: kind * 2}
record: {length: rest, fields: [{section: body, size: rest}]}
---
message: one
match: {}
sections:
  body:
    - {name: head, type: Head, at: 1, shared: true}
    - {name: last, type: u8, at: size(record) - 1, shared: true}
    - {name: version, type: u8}
    - {name: kind, type: u8}
    - {name: size, type: u8, derive: size(data)}
    - {name: inner, type: Inner, with: {kind: head.kind}}
    - {name: data, type: bytes, size: head.size}
    - {name: numbers, type: u8, repeat: {count: 2}}
    - {name: again, type: u8, at: "offset(numbers) + index", shared: true, repeat: {count: 2}}
    - {name: extra, type: u8, when: "again[1] == 3"}
    - {pad: last & 1}
    - {name: end, type: bytes, size: rest}
"""
PLAIN = {"version": 1, "kind": 5, "inner": {}, "data": b"ab", "numbers": [1, 2], "end": b"\x08"}


@pytest.mark.parametrize(
    ("more", "data"),
    [
        ({}, "01 05 02 6162 0102 08"),
        ({"head": {"kind": 5}}, "01 05 02 6162 0102 08"),
        ({"kind": 6, "inner": {"more": 7}}, "01 06 02 0007 6162 0102 08"),
        ({"kind": 6, "inner": {"more": 7, "double": 12}}, "01 06 02 0007 6162 0102 08"),
        ({"numbers": [1, 3], "extra": 9, "end": b"\x07"}, "01 05 02 6162 0103 09 00 07"),
        ({"data": b"", "head": None, "last": 3, "end": b"\x03"}, "01 05 00 0102 00 03"),
    ],
)
def test_what_is_shared_and_left_out_is_known_to_who_asks_for_it(more: dict[str, Any], data: str) -> None:
    codec = compiled.of(AHEAD).codec
    built = codec.build({"one": {**PLAIN, **more}})
    assert built == bytes.fromhex(data)
    assert codec.build(codec.parse(built)) == built


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"kind": 6}, "one.inner.more: missing"),
        ({"inner": {"more": 7}}, "one.inner.more: given, but kind == 6 is false"),
        ({"inner": {"double": 12}}, "one.inner.double: 12 given, but the other fields make it 10"),
        ({"numbers": [1, 3]}, "one.extra: missing"),
        ({"extra": 9}, "one.extra: given, but again[1] == 3 is false"),
        ({"head": {"kind": 7, "size": 2}}, "one.head: {'kind': 7, 'size': 2} given, but the bytes there are "),
    ],
)
def test_what_is_shared_and_left_out_is_no_way_to_write_what_reads_otherwise(
    more: dict[str, Any], message: str
) -> None:
    with pytest.raises(EncodeError) as error:
        compiled.of(AHEAD).codec.build({"one": {**PLAIN, **more}})
    assert str(error.value).startswith(message)


MEASURED = """
protocol: measured
byte_order: big
types:
  - {name: Word, fields: [{name: word, type: text, until: "00"}]}
record: {length: rest, fields: [{section: body, size: rest}]}
---
message: one
match: {}
sections:
  body:
    - {name: words, type: bytes, size: 4}
    - {name: word, type: Word, at: offset(words) + 1, shared: true}
    - {name: long, type: u8, when: size(word) > 2}
    - {name: data, type: bytes, size: size(word.word)}
    - {name: place, type: u8, derive: offset(word.word)}
"""


@pytest.mark.parametrize(
    ("words", "more", "data"),
    [
        ("61626300", {"long": 9, "data": b"xyz"}, "61626300 09 78797a 01"),
        ("61620000", {"long": 9, "data": b"xyz", "word": {"word": "b"}}, None),
        ("61620000", {"data": b"xy"}, "61620000 7879 01"),
        ("61620000", {"data": b"xy", "word": {"word": "b"}}, "61620000 7879 01"),
        ("61620000", {"long": 9, "data": b"xy"}, None),
        ("61626300", {"data": b"xyz"}, None),
        ("61626364", {"long": 9, "data": b"xyz"}, None),
    ],
)
def test_what_is_shared_can_be_measured(words: str, more: dict[str, Any], data: str | None) -> None:
    codec = compiled.of(MEASURED).codec
    row = {"one": {"words": bytes.fromhex(words), **more}}
    if data is None:
        with pytest.raises(EncodeError):
            codec.build(row)
    else:
        built = codec.build(row)
        assert built == bytes.fromhex(data)
        assert codec.build(codec.parse(built)) == built


def test_what_is_shared_must_be_what_others_wrote() -> None:
    row = feature("elsewhere_shared").codec.parse(SHARED)
    row["symbols"]["symbols"][1]["name"] = "d"
    with pytest.raises(EncodeError, match=r"^symbols.symbols\[1\].name: 'd' given, but the bytes there are 'c'$"):
        _built("elsewhere_shared", row)


def test_what_is_shared_must_be_readable() -> None:
    row = feature("elsewhere_shared").codec.parse(SHARED)
    row["symbols"]["symbols"][1]["name_offset"] = 200
    with pytest.raises(EncodeError, match=r"^symbols.symbols\[1\].name: cannot be read back: would stand at byte 200"):
        _built("elsewhere_shared", row)


def test_an_inspection_shows_bytes_where_they_stand_and_shared_ones_where_they_are_asked_for() -> None:
    data = bytes.fromhex("1c504b0162ffff504b00ee0161070001620100dddddd060502000a00")
    found = inspect_record(feature("elsewhere_from_the_end").codec, data)
    leaves = [leaf for leaf in found.leaves() if leaf.start < leaf.end]
    assert [leaf.start for leaf in leaves] == sorted(leaf.start for leaf in leaves)
    assert [(leaf.path, leaf.start) for leaf in leaves[1:4]] == [
        ("archive.directory[1].file.mark", 1),
        ("archive.directory[1].file.data", 3),
        ("archive.unused", 5),
    ]
    (name,) = [
        leaf for leaf in inspect_record(feature("elsewhere_shared").codec, SHARED).leaves() if leaf.text == '"c"'
    ]
    assert (name.path, name.start, name.end) == ("symbols.symbols[1].name", 10, 10)
    assert name.note == "the bytes from 0x4 to 0x6"


def test_an_inspection_shows_all_that_is_left_over_around_a_field_without_bytes() -> None:
    found = inspect_record(feature("elsewhere").codec, bytes.fromhex("07 05 00 00 ffffff"))
    assert found.reason.startswith("trailing-bytes")
    assert [(leaf.start, leaf.end) for leaf in found.leaves()][-2:] == [(5, 5), (4, 7)]


def test_pages_say_where_fields_stand_and_whose_bytes_are_shared() -> None:
    page = _page("elsewhere", "table")
    assert "| `note` | `note_offset` | 2 | `u16` | If `note_offset != 0`. |" in page
    assert "Total 4 bytes (1 byte header + 3 byte body), and fields at other offsets" in page
    page = _page("elsewhere_shared", "symbols")
    assert "| `first` | `offset(body) + 3` | 2 | `u16` | Read from bytes of other fields, and not written. |" in page


def _page(name: str, message: str) -> str:
    """The page of a message."""
    found = feature(name)
    protocol, codec = found.protocol, found.codec
    subject = Subject(protocol, examples.run(protocol, codec)[0], explained.support(codec), {}, protocol.name)
    pages = {file.path.stem: file.text for file in docs.EMITTER.emit(subject)}
    return pages[message]


TIFF = """
protocol: tiff
byte_order: big
types:
  - name: Directory
    fields:
      - {name: tags_count, type: u16, derive: count(tags)}
      - {name: tags, type: u16, repeat: {count: tags_count}}
record:
  length: rest
  fields:
    - {section: body, size: rest}
---
message: file
match: {}
sections:
  body:
    - {name: mark, type: u16, valid: "mark in [0x4949, 0x4d4d]"}
    - section: content
      size: rest
      byte_order: "little if mark == 0x4949 else big"
      fields:
        - {name: version, type: u16, const: 42}
        - {name: first_offset, type: u32, derive: offset(first)}
        - {name: first, type: Directory, at: first_offset}
"""


@pytest.mark.parametrize("data", ["4949 2a00 0800 0000 02 00 0100 0200", "4d4d 002a 0000 0008 0002 0001 0002"])
def test_what_stands_elsewhere_has_the_byte_order_of_where_it_is_declared(data: str) -> None:
    codec = compiled.of(TIFF).codec
    row = codec.parse(bytes.fromhex(data))
    assert row["file"]["first"] == {"tags_count": 2, "tags": [1, 2]}
    assert codec.build(row) == bytes.fromhex(data)
    row["file"]["first_offset"] = None
    assert codec.build(row) == bytes.fromhex(data)
