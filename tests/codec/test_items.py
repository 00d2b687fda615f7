"""Items of lists in expressions: what is written where numbers are left out, given, moved or wrong."""

import math
import random
from typing import Any

import pyarrow.compute as pc
import pytest
from support import compiled
from support.cases import each, often
from support.lockstep import Pair, captures_alike

from wireloom import rowwise
from wireloom.codec import DecodeError, EncodeError

TABLE = {"cells": ["de", "c"], "entries": [], "names": b"", "labels": []}


def written(name: str, row: dict[str, Any]) -> bytes:
    found = compiled.feature(name)
    (message,) = found.codec.messages
    data: bytes = found.codec.build({message: row})
    return data


def read(name: str, data: bytes) -> dict[str, Any]:
    found = compiled.feature(name)
    (message,) = found.codec.messages
    values: dict[str, Any] = found.codec.parse(data)[message]
    return values


@each("offsets", [[7, 5], [5, 8], None, [99, 99], []])
def test_offsets_are_kept_where_they_can_be_and_made_anew_where_not(offsets: list[int] | None) -> None:
    data = written("items_elsewhere", TABLE | {"offsets": offsets})
    swapped = bytes.fromhex("0b 02 07 05 00 00 01 63 02 64 65")
    assert data == (swapped if offsets == [7, 5] else bytes.fromhex("0b 02 05 08 00 00 02 64 65 01 63"))
    assert read("items_elsewhere", data)["cells"] == ["de", "c"]


def test_what_belongs_to_others_may_be_left_out_and_must_be_right_if_it_is_not() -> None:
    data = bytes.fromhex("0a 00 01 0207 04 61006200")
    row = read("items_elsewhere", data)
    assert row["labels"] == ["b"]
    assert written("items_elsewhere", {**row, "labels": None}) == data
    for wrong in (["a"], [None], [], ["b", "b"]):
        with pytest.raises(EncodeError, match="labels"):
            written("items_elsewhere", {**row, "labels": wrong})


def test_gaps_between_items_are_kept() -> None:
    data = bytes.fromhex("0d 02 0a 06 00 00  ff 01 63 ee ee 01 64")
    found = read("items_elsewhere", data)
    assert (found["cells"], found["unused"]) == (["d", "c"], b"\xff\xee\xee")
    assert written("items_elsewhere", found) == data


def test_a_table_of_sizes_follows_from_what_is_written() -> None:
    row = {"bodies": ["", "abc", "d"], "entries": [], "rows": []}
    assert written("items", row) == bytes.fromhex("0a 03 000301 00 61626364")
    assert written("items", row | {"sizes": [9]}) == bytes.fromhex("0a 03 000301 00 61626364")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"rows": [{"cell": b"a"}]}, r"entries\[index\].width has no value"),
        ({"entries": [{"tag": 1, "width": 2}], "rows": [{"cell": b"a"}]}, "its size says 2"),
        ({"entries": [{"tag": 1, "width": 1}], "rows": [{"cell": b"a", "place": 3}]}, "the other fields make it 0"),
        ({"entries": 5, "rows": []}, "a list expected"),
        ({"bodies": [5]}, "text expected"),
    ],
)
def test_what_does_not_go_together_is_an_error(row: dict[str, Any], told: str) -> None:
    with pytest.raises(EncodeError, match=told):
        written("items", {"bodies": [], "entries": [], "rows": []} | row)


def test_a_list_sees_what_is_computed_of_the_items_in_front() -> None:
    row = {"start": 10, "samples": [{"more": 1}, {"more": 2}, {"more": 255}]}
    assert written("items_before", row) == bytes.fromhex("05 0a 0102ff")
    with pytest.raises(EncodeError, match="the other fields make it 13"):
        written("items_before", {"start": 10, "samples": [{"more": 1}, {"more": 2, "total": 14}]})


@each("text", ["repeat: {count: number}", "repeat: {count: 65535}"])
def test_items_without_bytes_are_bounded(text: str) -> None:
    found = compiled.of(
        f"""
protocol: empty
byte_order: big
record: {{length: rest, fields: [{{section: body, size: rest}}]}}
---
message: one
match: {{}}
sections:
  body:
    - {{name: number, type: u32}}
    - {{name: nothing, type: bytes, size: "index * 0", {text}}}
    - {{name: rest_of_it, type: bytes, size: rest}}
"""
    )
    with pytest.raises(DecodeError, match="too-long"):
        found.codec.parse(bytes.fromhex("ffffffff"))


@pytest.mark.sweep
@each("name", ["items", "items_before", "items_elsewhere"])
def test_hostile_bytes_are_read_or_refused(name: str) -> None:
    found, chance = compiled.feature(name), random.Random(5)
    capture = b""
    for _, example in compiled.worked(found.protocol):
        for _ in range(often(40, 150)):
            data = bytearray(example.data)
            for _ in range(chance.choice([1, 1, 2, 4])):
                data[chance.randrange(len(data))] = chance.choice([0, 1, 2, len(data), chance.randrange(256)])
            try:
                row = found.codec.parse(bytes(data))
            except DecodeError:
                continue
            assert found.codec.build(row) == data
            capture += data
    captures_alike(Pair.of(found.columnar), capture + b"\5\1\2")


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


def test_items_are_unpacked_each_as_long_as_its_number_says() -> None:
    found = compiled.of(
        """
protocol: packed
byte_order: big
record: {length: rest, fields: [{section: body, size: rest}]}
---
message: one
match: {}
sections:
  body:
    - {name: count, type: u8, derive: count(sizes)}
    - {name: sizes, type: u8, derive: "size(bodies[index])", repeat: {count: count}}
    - {name: bodies, type: bytes, size: "sizes[index]", through: {xor: 5}, repeat: {count: count}}
"""
    )
    data = bytes.fromhex("03 01 00 02 0a 0b0c")
    row = found.codec.parse(data)
    assert row["one"]["bodies"] == [b"\x0f", b"", b"\x0e\x09"]
    assert found.codec.build({"one": {"bodies": row["one"]["bodies"]}}) == data


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
    account = rowwise.account(found.codec)
    assert account.left == {"one": ()}
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
    assert rowwise.account(found.codec).left == {"one": ()}
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


def test_a_condition_that_does_not_hold_tells_the_items_it_asks_for() -> None:
    found = compiled.of(
        """
protocol: judged
byte_order: big
record: {length: rest, fields: [{section: body, size: rest}]}
---
message: one
match: {}
valid: last(numbers) == 5 and size(words[1]) < 4 and numbers[7] != 5
sections:
  body:
    - {name: numbers, type: u8, repeat: {count: 2}}
    - {name: words, type: text, until: "00", repeat: rest}
"""
    )
    with pytest.raises(DecodeError, match=r"found last\(numbers\) 6, size\(words\[1\]\) 4$"):
        found.codec.parse(bytes.fromhex("0106 6100 61626300"))


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


def test_what_belongs_to_others_is_read_back_even_if_it_is_left_out() -> None:
    row = read("items_elsewhere", bytes.fromhex("0a 00 01 0207 04 61006200"))
    row["entries"][0]["name_offset"] = 99
    with pytest.raises(EncodeError, match=r"labels.*would stand at byte 105"):
        written("items_elsewhere", {**row, "labels": None})


EMPTY = """
protocol: empty
byte_order: big
record: {{length: rest, fields: [{{section: body, size: rest}}]}}
---
message: one
match: {{}}
sections:
  body:
    - {{name: number, type: u16}}
    - {{name: nothing, {what}, repeat: {{count: number}}}}
"""


@pytest.mark.parametrize(
    ("what", "most"),
    [
        ('type: bytes, size: "index * 0"', 32),
        ('type: bytes, size: "index * 0", at: "index * 0"', 32),
        ('type: u16, at: "index * 0", shared: true', 25),
    ],
)
def test_no_more_is_written_than_would_be_read(what: str, most: int) -> None:
    codec = compiled.of(EMPTY.format(what=what)).codec

    def row(number: int) -> Any:
        return {"number": number, "nothing": [number if "shared" in what else b""] * number}

    assert codec.parse(codec.build({"one": row(most)}))["one"] == row(most)
    with pytest.raises(EncodeError, match=r"one\.nothing.*more than (16|64)"):
        codec.build({"one": row(most + 1)})
    with pytest.raises(DecodeError, match="more than 64"):
        codec.parse((most + 1).to_bytes(2))


def test_what_may_be_read_again_is_counted_by_the_record_and_not_by_what_is_at_hand() -> None:
    packed = compiled.of(
        EMPTY.format(what='type: bytes, size: "index * 0"')
        + """\
    - {name: more, type: u8}
    - section: packed
      size: rest
      through: {xor: 0x55}
      fields:
        - {name: inner, type: bytes, size: "0 if index else 1", repeat: {count: more}}
"""
    ).codec
    row = {"number": 30, "nothing": [b""] * 30, "more": 31, "inner": [b"a"] + [b""] * 30}
    assert packed.build({"one": row}).hex() == "001e" + "1f" + "34"
    with pytest.raises(DecodeError, match="more than 64"):
        packed.parse(bytes.fromhex("001e ff 34"))
    assert packed.parse(bytes.fromhex("001e 1f 34"))["one"] == row

    ended = compiled.of(
        EMPTY.format(what='type: bytes, size: "index * 0"').replace("length: rest", "length: fields")
        + "    - {name: more, type: bytes, prefix: u8}\n"
    ).codec
    record = (1000).to_bytes(2) + b"\x64" + bytes(100)
    assert [len(found["one"]["nothing"]) for found in ended.iter_records(2 * record)] == [1000, 1000]


@each("extent", ['until: "0a", terminator: leave', "size: number - number"])
def test_items_that_may_be_empty_are_bounded_in_both_directions(extent: str) -> None:
    found = compiled.of(EMPTY.format(what=f"type: bytes, {extent}") + "    - {name: more, type: bytes, size: rest}\n")
    sound = [(40).to_bytes(2) + b"\n", (48).to_bytes(2) + b"\n"]
    assert [found.codec.build(found.codec.parse(data)) for data in sound] == sound
    row = {"number": 49, "nothing": [b""] * 49, "more": b"\n"}
    with pytest.raises(EncodeError, match="more than 16"):
        found.codec.build({"one": row})
    with pytest.raises(DecodeError, match="too-long"):
        found.codec.parse(b"\xff\xff\n")


def test_a_computed_nan_comes_to_rest() -> None:
    found = compiled.of(
        """
protocol: floats
byte_order: big
record: {length: rest, fields: [{section: body, size: rest}]}
---
message: one
match: {}
sections:
  body:
    - {name: number, type: f32}
    - {name: chosen, type: f64, compute: number if present(number) else 0.5}
"""
    )
    data = bytes.fromhex("7fc00000")
    row = found.codec.parse(data)
    assert math.isnan(row["one"]["chosen"])
    assert found.codec.build(row) == data
    assert found.codec.build({"one": {"number": math.nan}}) == data


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
