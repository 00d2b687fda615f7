"""Bytes that offsets say again and again are read no more often than they may, one record or many at once."""

from random import Random

import pytest
from protocols import strangers
from support import compiled
from support.lockstep import Pair, capture_alike, records_alike

from wireloom.codec import DecodeError

LARGE = """
protocol: large
byte_order: big
types:
  - name: Item
    fields:
      - {name: place, type: u32}
      - {name: data, type: bytes, size: 1000, at: place, when: place != 0}
      - {name: again, type: bytes, size: 1000, at: 12, shared: true, when: place == 0}
record:
  length: size
  fields:
    - {name: size, type: u32, derive: size(record)}
    - {section: body, size: rest, trailing: unused}
---
message: items
match: {}
sections:
  body:
    - {name: data_size, type: u32, derive: size(data)}
    - {name: items_count, type: u32, derive: count(items_)}
    - {name: data, type: bytes, size: data_size}
    - {name: items_, type: Item, repeat: {count: items_count}}
"""


def _items(places: list[int], data: bytes) -> bytes:
    body = len(data).to_bytes(4) + len(places).to_bytes(4) + data + b"".join(place.to_bytes(4) for place in places)
    return (len(body) + 4).to_bytes(4) + body


def test_bytes_are_not_read_as_often_as_offsets_say() -> None:
    codec = compiled.of(LARGE).codec
    with pytest.raises(DecodeError, match=r"^place: items\.items_\[\d+\]\.data "):
        codec.parse(_items([12] * 100_000, bytes(1000)))
    codec.parse(_items([0] * 63, bytes(1000)))
    with pytest.raises(DecodeError, match=r"^too-long: items\.items_"):
        codec.parse(_items([0] * 100_000, bytes(1000)))


STEPS = """
protocol: steps
byte_order: big
types:
  - {name: One, fields: [{name: number, type: u8}]}
  - name: Few
    fields: [{name: a, type: u8}, {name: b, type: u8, when: a == 0}, {name: c, type: u8, when: a == 0}]
  - {name: Bare, fields: [{name: a, type: u8}, {name: b, type: u8, when: a != 0}, {name: c, type: u8, when: a != 0}]}
  - name: Entry
    fields:
      - {name: kind, type: u8}
      - {name: again, %s, at: 4, shared: true}
record: {length: size, fields: [{name: size, type: u32, derive: size(record)}, {section: body, size: rest}]}
---
message: one
match: {}
sections:
  body:
    - {name: numbers, type: bytes, size: 300}
    - {name: count, type: u16, derive: count(entries)}
    - {name: entries, type: Entry, repeat: {count: count}}
    - {name: more, type: bytes, size: rest}
"""


@pytest.mark.parametrize(
    ("again", "counted"),
    [
        ("type: bytes, size: 300", 306),
        pytest.param("type: u8, repeat: {count: 300}", 306, marks=pytest.mark.sweep),
        ("type: One, repeat: {count: 300}", 4 * 300),
        pytest.param("type: Few, repeat: {count: 100}", 4 * 300, marks=pytest.mark.sweep),
        pytest.param("type: Bare, repeat: {count: 300}", 4 * 300, marks=pytest.mark.sweep),
        pytest.param("type: bytes, size: 1, repeat: {count: 300}", 4 * 300, marks=pytest.mark.sweep),
    ],
)
def test_what_is_read_again_takes_no_longer_than_a_few_records_do(again: str, counted: int) -> None:
    both = Pair.of(compiled.of(STEPS % again).columnar)

    def record(count: int) -> bytes:
        body = bytes(300) + count.to_bytes(2) + bytes(600)
        return (len(body) + 4).to_bytes(4) + body

    most = 64 * len(record(0)) // counted
    assert both.codec.build(both.codec.parse(record(most))) == record(most)
    with pytest.raises(DecodeError, match=rf"^too-long: one\.entries\[{most}\]"):
        both.codec.parse(record(most + 1))
    records_alike(both, [record(count) for count in (1, most - 1, most, most + 1, most + 99)])


APART = """
protocol: apart
byte_order: big
types:
  - {name: One, fields: [{name: x, type: u8}]}
  - name: Item
    fields:
      - {name: place, type: u16}
      - %s
record:
  length: size
  fields:
    - {name: size, type: u16, derive: size(record)}
    - {section: body, size: rest}
---
message: items
match: {}
sections:
  body:
    - {name: items_count, type: u16, derive: count(items_)}
    - {name: data, type: bytes, prefix: u16}
    - {name: items_, type: Item, repeat: {count: items_count}}
"""
LISTS = {
    "counted": "{name: again, type: u8, repeat: {count: place}, at: 6, shared: true}",
    "to the end": "{name: again, type: u16, repeat: rest, at: place, shared: true}",
    "to the last": "{name: again, type: One, repeat: {until: x == 255}, at: place, shared: true}",
    "of several sizes": "{name: again, type: text, prefix: u8, repeat: {count: place}, at: 6, shared: true}",
    "of its own": "{name: again, type: u8, repeat: {count: 2}, at: place}",
    "of its own, of several sizes": "{name: again, type: text, prefix: u8, repeat: {count: 2}, at: place}",
    "a text": "{name: again, type: text, size: place, encoding: latin-1, at: 6, shared: true}",
}


def _apart(data: bytes, places: list[int]) -> bytes:
    body = len(places).to_bytes(2) + len(data).to_bytes(2) + data + b"".join(place.to_bytes(2) for place in places)
    return (len(body) + 2).to_bytes(2) + body


@pytest.mark.parametrize("kind", LISTS)
def test_lists_apart_in_lists_are_what_the_codec_says(kind: str) -> None:
    both, random = Pair.of(compiled.of(APART % LISTS[kind]).columnar), Random(kind)
    data = bytes(random.choice([0, 1, 2, 255]) for _ in range(40))
    places = [[random.choice([3, 6, 7, 8, 20, 45]) for _ in range(size)] for size in (0, 1, 2, 3, 9, 200)]
    records_alike(both, [_apart(data, each) for each in places for _ in range(3)])
    records_alike(both, [_apart(data, [6, 8]), _apart(bytes(40), [6] * 2000), _apart(b"\xff" * 40, [40] * 2000)])


def test_names_that_go_on_elsewhere_are_what_the_codec_says() -> None:
    both = Pair.of(strangers.protocol("dns_tcp").columnar)
    for capture in strangers.captures("dns_tcp"):
        capture_alike(both, capture.data)
