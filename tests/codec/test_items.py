"""Items of lists in expressions: what is written where numbers are left out, given, moved or wrong."""

import math
import random
from typing import Any

import pytest
from support import compiled
from support.cases import each, often
from support.lockstep import Pair, captures_alike

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


def test_what_belongs_to_others_is_read_back_even_if_it_is_left_out() -> None:
    row = read("items_elsewhere", bytes.fromhex("0a 00 01 0207 04 61006200"))
    row["entries"][0]["name_offset"] = 99
    with pytest.raises(EncodeError, match=r"labels.*would stand at byte 105"):
        written("items_elsewhere", {**row, "labels": None})


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
