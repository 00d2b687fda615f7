"""Items that expressions ask for are read in many records at once as the codec reads them."""

import random

import pyarrow.compute as pc
import pytest
from support import compiled
from support.cases import each
from support.lockstep import Pair, captures_alike

from wireloom.codec import DecodeError, EncodeError
from wireloom.programs.support import unread


@each("key", ["", ", shared: true"])
def test_items_elsewhere_are_left_to_the_codec_whatever_tells_where_they_stand(key: str) -> None:
    found = compiled.of(
        f"""
protocol: places
byte_order: big
record: {{length: size, fields: [{{name: size, type: u8}}, {{section: body, size: rest, trailing: unused}}]}}
---
message: one
match: {{}}
sections:
  body:
    - {{name: count, type: u8}}
    - {{name: cells, type: u8, at: size - 1 - index, repeat: {{count: count}}{key}}}
"""
    )
    capture = bytes.fromhex("05 02 aabbcc  04 01 0102  03 02 07  02 00")
    table = captures_alike(Pair.of(found.columnar), capture)
    assert table["one"].combine_chunks().field("cells").to_pylist()[:2] == [[0xCC, 0xBB], [2]]


def test_items_are_asked_for_in_many_records_at_once() -> None:
    found = compiled.of(
        """
protocol: many
byte_order: big
types:
  - {name: Pair, fields: [{name: flag, type: bool}, {name: size, type: u16}]}
  - {name: Sized, given: [width], fields: [{name: text, type: bytes, size: width}]}
record: {length: 1 + size, fields: [{name: size, type: u8}, {section: body, size: rest, trailing: unused}]}
---
message: one
match: {}
sections:
  body:
    - {name: count, type: u8}
    - {name: numbers, type: i8, repeat: {count: count}}
    - {name: pairs, type: Pair, repeat: {count: count // 2}}
    - {name: told, type: u8, when: "numbers[1] > 2 or last(pairs).flag"}
    - {name: chosen, type: i64, compute: "numbers[numbers[0]] + 1 if count > 1 else last(numbers)"}
    - {name: sized, type: Sized, repeat: {count: 2}, with: {width: first(pairs).size}, when: count > 1}
    - {name: data, type: bytes, size: "numbers[2]", when: count > 2}
"""
    )
    assert unread(found.codec)["one"] == ("an item of a list",)
    chance = random.Random(8)
    records = []
    for _ in range(300):
        count = chance.choice([0, 1, 2, 3, 4])
        numbers = [chance.choice([0, 1, 2, 3, 255]) for _ in range(count)]
        pairs = [byte for _ in range(count // 2) for byte in (chance.choice([0, 0, 1, 1, 2]), 0, chance.choice([0, 1]))]
        body = bytes([count, *numbers, *pairs, *chance.randbytes(chance.choice([0, 3, 6, 9]))])
        records.append(bytes([len(body)]) + body)
    captures_alike(Pair.of(found.columnar), b"".join(records))
    rows = list(found.codec.iter_records(b"".join(records), "PERMISSIVE"))
    assert 50 < sum(row["_corrupt_reason"] is None for row in rows) < 290


NUMBERED = """
protocol: numbered
byte_order: big
types:
  - name: Step
    given: [before, number]
    fields:
      - {name: kind, type: u8, compute: before}
      - {name: next, type: u8}
      - {name: more, type: bytes, size: kind % 4, when: number > 0}
  - {name: Delta, given: [before], fields: [{name: plus, type: i8}, {name: total, type: i32, compute: before + plus}]}
  - name: Row
    given: [number]
    fields:
      - name: deltas
        type: Delta
        repeat: {count: 2}
        with: {before: "deltas[index - 1].total if index > 0 else number"}
record: {length: 1 + size, fields: [{name: size, type: u8}, {section: body, size: rest, trailing: unused}]}
---
message: one
match: {}
sections:
  body:
    - {name: sizes, type: u8, repeat: {count: 3}}
    - {name: words, type: bytes, size: "sizes[index] % 8", repeat: {count: 3}}
    - name: steps
      type: Step
      when: first(sizes) < 3
      with: {number: index, before: "steps[index - 1].next if index > 0 else last(sizes)"}
      repeat: {until: next == 0 or kind > 200 or number == 5}
    - {name: steps_end, type: u8, compute: last(steps).next}
    - {name: rows, type: Row, with: {number: "sizes[index]"}, repeat: {count: 2}}
    - {name: deltas, type: Delta, repeat: rest, with: {before: "deltas[index - 1].total if index > 0 else 0"}}
"""


def test_items_that_depend_on_their_number_and_on_the_item_before_are_read_in_many_records_at_once() -> None:
    found = compiled.of(NUMBERED)
    assert unread(found.codec)["one"] == ("an item of a list",)
    chance, records = random.Random(9), []
    for number in range(120):
        size = 250 if number % 60 == 7 else chance.randrange(40)  # lists that are long, too
        body = bytes(chance.choice([0, 0, 1, 1, 2, 3, 201, 255]) for _ in range(size))
        records.append(bytes([len(body)]) + body)
    table = captures_alike(Pair.of(found.columnar), b"".join(records))
    sound = table.filter(pc.is_null(table["_corrupt_reason"]))["one"].combine_chunks()
    assert 30 < len(sound) < 117
    steps = pc.list_value_length(sound.field("steps")).drop_null()
    assert set(steps.to_pylist()) == {1, 2, 3, 4, 5, 6}


def test_what_a_struct_is_given_is_in_doubt_in_the_rows_that_ask_for_it() -> None:
    found = compiled.of(
        """
protocol: given
byte_order: big
types:
  - name: Sized
    given: [size]
    fields:
      - {name: flag, type: u8}
      - {name: data, type: bytes, size: size * 4, when: flag == 1}
record: {length: 13, fields: [{section: body, size: rest, trailing: unused}]}
---
message: one
match: {}
sections:
  body:
    - {name: size, type: i64}
    - {name: sized, type: Sized, with: {size: size}}
"""
    )
    sizes = [(1, 0), (1 << 62, 1), (1, 1), (1 << 62, 0)]
    capture = b"".join(size.to_bytes(8, "big") + bytes([flag]) + b"abcd" for size, flag in sizes)
    table = captures_alike(Pair.of(found.columnar), capture)
    assert table["_corrupt_reason"].is_null().to_pylist() == [True, False, True, True]


@pytest.mark.parametrize(
    "flag", ["first(flags)", "first (flags)", "last(flags)", "last (flags)", "flags[0]", "flags [0]"]
)
def test_a_struct_that_is_given_an_item_which_is_not_there_is_an_error_however_that_is_written(flag: str) -> None:
    found = compiled.of(
        f"""
protocol: given
byte_order: big
types: [{{name: Flagged, given: [flag], fields: [{{name: data, type: u8, when: flag > 0}}]}}]
record: {{length: 3, fields: [{{section: body, size: rest, trailing: unused}}]}}
---
message: one
match: {{}}
sections:
  body:
    - {{name: count, type: u8}}
    - {{name: flags, type: u8, repeat: {{count: count}}}}
    - {{name: flagged, type: Flagged, with: {{flag: "{flag}"}}}}
"""
    )
    assert found.codec.parse(bytes([1, 1, 7]))["one"]["flagged"] == {"data": 7}
    with pytest.raises(DecodeError, match="which is given as flag"):
        found.codec.parse(bytes([0, 1, 7]))
    captures_alike(Pair.of(found.columnar), bytes([1, 1, 7, 0, 1, 7, 1, 0, 7]))


def test_what_depends_on_the_item_before_is_what_the_layout_says() -> None:
    data = bytes.fromhex("13 020001 aabb cc 03 05eeeeee 00ff 01 02 7f ff 05 fb")
    row = compiled.of(NUMBERED).codec.parse(data)["one"]
    assert row["words"] == [b"\xaa\xbb", b"", b"\xcc"]
    steps = [(step["kind"], step["next"], step["more"]) for step in row["steps"]]
    assert steps == [(1, 3, None), (3, 5, b"\xee\xee\xee"), (5, 0, b"\xff")]
    assert [[delta["total"] for delta in each["deltas"]] for each in row["rows"]] == [[3, 5], [127, 126]]
    assert [delta["total"] for delta in row["deltas"]] == [5, 0]
    assert row["steps_end"] == 0


def test_an_item_that_a_struct_is_given_must_be_there() -> None:
    found = compiled.of(
        """
protocol: lacking
byte_order: big
types: [{name: Flagged, given: [flag, level], fields: [{name: more, type: u8, when: flag or not level}]}]
record: {length: 1 + size, fields: [{name: size, type: u8}, {section: body, size: rest, trailing: unused}]}
---
message: one
match: {}
sections:
  body:
    - {name: flags, type: bool, repeat: {count: 2}}
    - {name: number, type: u8}
    - {name: flagged, type: Flagged, with: {flag: "flags[number]", level: "first(flags) and flags[1]"}, size: rest}
"""
    )
    capture = bytes.fromhex("04 0001 01 07  04 0001 00 07  04 0001 02 07  04 0101 01 07")
    reasons = [row["_corrupt_reason"] for row in found.codec.iter_records(capture, "PERMISSIVE")]
    assert [reason is None for reason in reasons] == [True, True, False, True]
    assert "flags[number] has no value, which is given as flag" in reasons[2]
    captures_alike(Pair.of(found.columnar), capture)
    values = {"flags": [False, True], "number": 2, "flagged": {"more": 7}}
    with pytest.raises(EncodeError, match="has no value"):
        found.codec.build({"size": 4, "message": "one", "one": values})


ALONE = """
protocol: alone
byte_order: big
record: {{length: size, fields: [{{name: size, type: u8}}, {{section: body, size: rest, trailing: unused}}]}}
---
message: one
match: {{}}
sections:
  body:
    - {{name: cells, type: {kind}, repeat: rest}}
    - {{name: second, compute: "offset(cells[1])", type: i16}}
"""


def test_numbers_that_are_read_one_by_one_are_as_if_they_were_read_together() -> None:
    """Somebody asks where one of them is."""
    found = compiled.of(ALONE.format(kind="u32"))
    table = captures_alike(Pair.of(found.columnar), bytes.fromhex("09 00000001 00000002  06 00000001 ff  01"))
    assert table["_corrupt_reason"].to_pylist() == [
        None, "truncated: one.cells[1] at byte 14: needs 4 bytes, 1 left", None,
    ]  # fmt: skip
    for value, told in ((2**40, "does not fit 32 bits"), ("x", "")):
        with pytest.raises(EncodeError, match=rf"one\.cells\[0\].*{told}"):
            found.codec.build({"size": 5, "one": {"cells": [value]}})
    floats = compiled.of(ALONE.format(kind="f32"))
    signalling = bytes.fromhex("05 7f800001")
    assert floats.codec.build(floats.codec.parse(signalling)) == signalling
    truths = compiled.of(ALONE.format(kind="bool"))
    table = captures_alike(Pair.of(truths.columnar), bytes.fromhex("03 0100 03 0102"))
    assert table["_corrupt_reason"].to_pylist() == [None, "invalid: one.cells[1] at byte 5: 0 or 1 expected, found 2"]
