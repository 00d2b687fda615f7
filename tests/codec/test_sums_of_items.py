"""Checksums of items whose ranges follow from what is read: a record cannot have all its bytes summed by each item."""

import zlib
from functools import cache

import pytest
from support import compiled
from support.compiled import Compiled

from wireloom.codec import DecodeError, EncodeError
from wireloom.codec.reader import Reader

SPEC = """
protocol: summed
byte_order: big
record:
  length: rest
  fields: [{section: body, size: rest}]
types:
  - name: Entry
    fields:
      - {name: place, type: u32}
      - {name: first, type: u8, at: place, shared: true}
      - {name: crc, type: u32, checksum: {algorithm: crc32, from: offset(first), to: offset(crc)}}
---
message: one
match: {}
sections:
  body: [{name: entries, type: Entry, repeat: rest}]
"""
SIZE = 8


@cache
def protocol() -> Compiled:
    return compiled.of(SPEC)


def entries(places: list[int]) -> bytes:
    """A record of entries, each with the sum of the bytes from its place to its checksum."""
    data = b""
    for place in places:
        data += place.to_bytes(4)
        data += zlib.crc32(data[place:]).to_bytes(4)
    return data


def summed(places: list[int]) -> int:
    return sum(SIZE * number + 4 - place for number, place in enumerate(places))


def test_entries_with_sums_of_their_own_are_read() -> None:
    places = [SIZE * number for number in range(2000)]
    data = entries(places)
    found = protocol()
    assert [entry["place"] for entry in found.codec.parse(data)["one"]["entries"]] == places
    assert found.columnar.decode_columnar(data)["one"].to_pylist() == [found.codec.parse(data)["one"]]


def test_sums_of_others_are_read_up_to_a_bound() -> None:
    """Each of 120 entries has the sum of all before it, and together they sum less than the bound."""
    places = [0] * 120
    assert summed(places) < Reader.SHARED * SIZE * len(places)
    data, found = entries(places), protocol()
    assert found.columnar.decode_columnar(data)["one"].to_pylist() == [found.codec.parse(data)["one"]]
    assert found.codec.build(found.codec.parse(data)) == data


@pytest.mark.parametrize("count", [150, 400])
def test_more_is_malformed_and_the_bytes_are_not_summed(count: int) -> None:
    data, found = entries([0] * count), protocol()
    with pytest.raises(DecodeError, match="checksums over more than 64 times its bytes") as one:
        found.codec.parse(data)
    with pytest.raises(DecodeError) as many:
        found.columnar.decode_columnar(data)
    assert str(one.value) == str(many.value)
    assert one.value.code == "too-long"
    assert "one.entries[" in str(one.value)


def test_what_could_not_be_read_is_not_written() -> None:
    rows = [{"place": 0} for _ in range(150)]
    with pytest.raises(EncodeError, match="checksums over more than 64 times the bytes of the record"):
        protocol().codec.build({"message": "one", "one": {"entries": rows}})


PACKED = """
protocol: packed
byte_order: big
record:
  length: rest
  fields: [{section: body, size: rest}]
types:
  - name: Entry
    fields:
      - {name: content, type: bytes, size: 1000}
      - {name: crc, type: u32, checksum: {algorithm: crc32, from: offset(content), to: offset(crc)}}
---
message: one
match: {}
sections:
  body:
    - section: all
      size: rest
      through: zlib
      limit: 1000000
      raw: all_packed
      fields: [{name: entries, type: Entry, repeat: rest}]
"""


def test_what_is_packed_counts_as_many_bytes_as_it_unpacks_to() -> None:
    found, content = compiled.of(PACKED), bytes(1000)
    data = zlib.compress((content + zlib.crc32(content).to_bytes(4)) * 500)
    assert len(data) * Reader.SHARED < 500 * len(content)
    row = found.codec.parse(data)["one"]
    assert len(row["entries"]) == 500
    assert found.columnar.decode_columnar(data)["one"].to_pylist() == [row]
