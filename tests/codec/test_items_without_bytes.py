"""Items that may have no bytes are bounded, whatever their count says, in both directions."""

from typing import Any

import pytest
from support import compiled
from support.cases import each

from wireloom.codec import DecodeError, EncodeError


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
