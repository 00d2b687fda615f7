"""What bytes go through: what is derived in it, what is kept of it, and what is told of it."""

import zlib
from decimal import Decimal
from textwrap import dedent

import pytest
from support import compiled

from wireloom.codec import DecodeError, EncodeError
from wireloom.inspection.plain import lines
from wireloom.inspection.record import inspect_record

NESTED = """
protocol: nested
byte_order: big
types:
  - name: Entry
    fields:
      - {name: text_size, type: leb128_u32, derive: size(text)}
      - {name: text, type: text, size: text_size}
      - {name: sum, type: u8, checksum: {algorithm: sum8, from: offset(text), to: offset(sum)}}
record:
  length: size
  fields:
    - {name: size, type: u32, derive: size(record)}
    - {section: body, size: rest}
---
message: all
match: {}
sections:
  body:
    - {name: entries_count, type: u8, derive: count(entries)}
    - {name: outer_size, type: leb128_u32, derive: size(outer)}
    - section: outer
      size: outer_size
      through: {xor: 0x33}
      fields:
        - {name: inner_size, type: leb128_u32, derive: size(inner)}
        - section: inner
          size: inner_size
          through: zlib
          raw: inner_packed
          fields:
            - {name: first, type: u8}
            - {name: entries, type: Entry, repeat: {count: entries_count}}
            - {name: crc, type: u32, checksum: {algorithm: crc32, from: offset(entries), to: offset(crc)}}
    - {name: last, type: u8}
"""


def nested(count: int, level: int) -> bytes:
    """A record as NESTED says."""
    texts = [b"text %d" % number * number for number in range(count)]
    entries = b"".join(leb128(len(each)) + each + bytes([sum(each) & 0xFF]) for each in texts)
    inner = zlib.compress(b"\x07" + entries + zlib.crc32(entries).to_bytes(4, "big"), level)
    outer = bytes(byte ^ 0x33 for byte in leb128(len(inner)) + inner)
    body = leb128(len(outer)) + outer + b"\x09"
    return (5 + len(body)).to_bytes(4, "big") + bytes([count]) + body


def leb128(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + leb128(number >> 7)


@pytest.mark.parametrize("level", [0, 1, 6, 9])
@pytest.mark.parametrize("count", [0, 1, 5, 40])
def test_what_is_derived_in_it_is_filled_in(count: int, level: int) -> None:
    found, data = compiled.of(NESTED), nested(count, level)
    row = found.codec.parse(data)
    assert row["all"]["first"] == 7
    assert len(row["all"]["entries"]) == count
    assert found.codec.build(row) == data
    inner = row["all"]
    row["size"] = inner["entries_count"] = inner["outer_size"] = inner["inner_size"] = inner["inner_packed"] = inner[
        "crc"
    ] = None
    for entry in inner["entries"]:
        entry["text_size"] = entry["sum"] = None
    assert found.codec.build(row) == nested(count, -1)


def test_packed_bytes_that_say_something_else_are_passed_over() -> None:
    found = compiled.of(NESTED)
    row = found.codec.parse(nested(3, 1))
    row["all"]["first"] = 8
    again = found.codec.parse(found.codec.build(row))
    assert again["all"]["first"] == 8
    assert zlib.decompress(again["all"]["inner_packed"])[0] == 8


def test_an_error_tells_where_the_packed_bytes_begin() -> None:
    found, data = compiled.of(NESTED), bytearray(nested(2, 0))
    data[-2] ^= 1  # of the checksum of zlib
    with pytest.raises(DecodeError) as told:
        found.codec.parse(bytes(data))
    assert (told.value.code, told.value.offset, told.value.field) == ("packed", 6, "all.inner")
    inner = b"\x07" + b"\x05\x01x"
    outer = bytes(byte ^ 0x33 for byte in leb128(len(zlib.compress(inner))) + zlib.compress(inner))
    body = leb128(len(outer)) + outer + b"\x09"
    with pytest.raises(DecodeError, match=r"overrun: all\.entries") as overrun:
        found.codec.parse((5 + len(body)).to_bytes(4, "big") + b"\x01" + body)
    assert overrun.value.offset == 6
    assert "of what is unpacked" in overrun.value.detail


def test_inspection_shows_every_byte_once_where_what_is_unpacked_cannot_be_read() -> None:
    spec = """
        protocol: words
        byte_order: big
        record:
          length: rest
          fields:
            - {section: body, size: rest}
        ---
        message: two
        match: {}
        sections:
          body:
            - section: words
              size: rest - 1
              through: {zeros: 9}
              fields: [{name: first, type: u8}, {name: second, type: text, size: 8}]
            - {name: third, type: u8}
    """
    inspected = inspect_record(compiled.of(dedent(spec)).codec, bytes.fromhex("01 ffff 02 03"))
    taken = [byte for leaf in inspected.leaves() for byte in range(leaf.start, leaf.end)]
    assert taken == [*range(5)]


def test_inspection_shows_packed_bytes_and_what_they_say() -> None:
    shown = "\n".join(lines(inspect_record(compiled.of(NESTED).codec, nested(2, 6))))
    assert "(packed)" in shown
    assert "unpacked, from 0x0 to 0x1" in shown
    assert "text 1" in shown


def test_what_a_value_goes_through_must_follow_from_the_others() -> None:
    found = compiled.of(
        """
protocol: masked
byte_order: big
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: all
match: {}
sections:
  body:
    - {name: key, type: u16}
    - {name: data, type: bytes, size: rest, through: {xor: key}}
"""
    )
    assert found.codec.build({"all": {"key": 1, "data": b"ab"}}) == bytes.fromhex("00016063")
    with pytest.raises(DecodeError, match="a key from 0 to 255 expected, found 256"):
        found.codec.parse(bytes.fromhex("01006063"))
    with pytest.raises(EncodeError, match="data: key says nothing that it can go through"):
        found.codec.build({"all": {"key": 256, "data": b"ab"}})


def test_a_signalling_nan_is_refused_where_bytes_are_read_again() -> None:
    masks = {"mask": 15, "data": b"\1\2\3", "turned": {"first": Decimal("sNaN"), "second": 48}}
    with pytest.raises(EncodeError, match=r"^masks.turned: .*sNaN"):
        compiled.feature("through_shared").codec.build({"message": "masks", "kind": 2, "masks": masks})
