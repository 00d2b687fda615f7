"""Lists of many items are read many records at once, whatever their items are made of."""

import pyarrow as pa
import pytest
from support import compiled
from support.lockstep import Pair, captures_alike

HEAD = """\
protocol: lists
byte_order: big
types:
  - {name: Point, fields: [{name: x, type: i16}, {name: y, type: u8}]}
  - name: Marked
    fields:
      - bits: u16
        fields: [{name: high, width: 11}, {name: low, width: 4}, {name: last, width: 1, type: bool}]
      - {name: point, type: Point}
  - name: Deep
    fields:
      - {pad: 1}
      - {name: marked, type: Marked}
      - {name: sign, type: bytes, size: 1, const: "7f"}
      - {name: code, type: bytes, size: 2}
      - {name: one, compute: "1", type: u8}
      - {section: room, size: 2, trailing: left, fields: [{name: small, type: u8, optional: true}]}
  - name: Pairs
    fields:
      - {name: pairs, type: Point, repeat: {count: 2}}
      - {name: codes, type: u16, repeat: {count: 3}}
  - {name: Sized, fields: [{name: kind, type: u8}, {name: rest, type: bytes, size: rest}]}
  - {name: Told, fields: [{name: size, type: u8, derive: size(data)}, {name: data, type: bytes, size: size}]}
record:
  length: 3 + length
  fields:
    - {name: length, type: u16, derive: size(body)}
    - {name: item_size, type: u8}
    - {section: body, size: length}
---
message: list
match: {}
sections:
  body:
    - %s
"""

ITEMS = {
    "bits in structs": ("{name: items, type: Marked, repeat: rest}", bytes(range(5))),
    "structs in structs": ("{name: items, type: Deep, repeat: rest}", b"\0\1\2\3\4\5\x7f678\xff"),
    "lists of a fixed number of items": ("{name: items, type: Pairs, repeat: rest}", bytes(range(12))),
    "structs of a size that the header says": ("{name: items, type: Sized, size: item_size, repeat: rest}", b"\1\2\3"),
    "texts of a size that the header says": ("{name: items, type: text, size: item_size, repeat: rest}", b"abc"),
    "bytes of half a size": ("{name: items, type: bytes, size: item_size - 1, repeat: rest}", b"ab"),
}
VARYING = "{name: items, type: Told, repeat: rest}"


def made(entry: str) -> Pair:
    return Pair.of(compiled.of(HEAD % entry).columnar)


def record(body: bytes, size: int = 3) -> bytes:
    return len(body).to_bytes(2, "big") + bytes([size]) + body


def redone(pair: Pair, capture: bytes) -> int:
    """How many sound records the codec had to read."""
    decoding = pair.decoder(pair.options({"mode": "PERMISSIVE"}))
    batches = list(decoding.capture(capture))
    assert all(batch["_corrupt_reason"].null_count == batch.num_rows for batch in batches)
    return decoding.tally.redone


@pytest.mark.parametrize(("entry", "item"), ITEMS.values(), ids=ITEMS)
def test_items_of_one_size_are_read_at_once(entry: str, item: bytes) -> None:
    pair = made(entry)
    several = b"".join(record(item * count) for count in (0, 1, 3, 0, 70))
    captures_alike(pair, several)
    captures_alike(pair, several + record(item[:-1]) + record(item, 0) + record(item, 255) + several)
    assert redone(pair, several + record(item * 3000)) == 0


def test_items_of_a_size_that_their_message_says_are_read_at_once() -> None:
    fields = """{name: mark, type: bytes, prefix: u8}
    - {name: size, type: u8}
    - {name: some, type: Sized, size: size, repeat: {count: 2}}
    - {name: others, type: bytes, size: size(mark), repeat: rest}"""
    pair = made(fields)
    several = b"".join(
        record(bytes([count]) + b"m" * count + bytes([size]) + b"s" * 2 * size + b"o" * (count + 1) * others)
        for count, size, others in [(0, 1, 0), (1, 2, 3), (2, 3, 1), (5, 1, 70), (0, 4, 90)]
    )
    captures_alike(pair, several)
    captures_alike(pair, several + record(b"\0\0\0\0") + record(b"\1m\1ssooo") + record(b"\1m\1s"))
    assert redone(pair, several) == 0


def test_items_of_varying_size_are_read_at_once_in_many_records() -> None:
    pair = made(VARYING)
    several = b"".join(record(b"\2ab\0\1a" * count) for count in (0, 1, 3, 0, 2))
    captures_alike(pair, several)
    assert redone(pair, several) == 0
    assert redone(pair, record(b"\2ab\0\1a" * 100) * 300) == 0


def test_columns_of_messages_that_do_not_occur_share_their_memory() -> None:
    text = """\
protocol: wide
byte_order: big
record:
  length: 2
  fields:
    - {name: kind, type: u8}
    - {section: body, size: 1}
"""
    for kind in range(90):
        text += f"---\nmessage: kind_{kind}\nmatch: {{kind: {kind}}}\n"
        text += f"sections: {{body: [{{name: field_{kind}, type: {'u8' if kind % 2 else 'text, size: 1'}}}]}}\n"
    pair = Pair.of(compiled.of(text).columnar)
    (batch,) = pair.decoder(pair.options({})).capture(b"\0a\0b")
    columns = [batch.column(f"kind_{kind}").field(0) for kind in range(1, 90)]
    places = {buffer.address for column in columns for buffer in column.buffers() if buffer is not None}
    assert len(places) == 1
    assert all(column.equals(pa.nulls(2, column.type)) for column in columns)


HOLLOW = """
protocol: hollow
byte_order: big
types:
  - name: Item
    given: [flag]
    fields:
      - {name: more, type: u8, when: flag == 1}
      - {name: twice, type: u8, compute: flag}
  - name: Items
    given: [flag]
    fields: [{name: inner, type: Item, with: {flag: flag}, repeat: {count: 6}}]
record: {length: size, fields: [{name: size, type: u8}, {section: body, size: rest}]}
---
message: one
match: {}
sections:
  body:
    - {name: flag, type: u8}
    - {name: number, type: u8}
"""


def test_an_empty_item_does_not_end_a_list() -> None:
    until = "    - {name: items, type: Item, with: {flag: flag}, repeat: {until: twice == 0 or more == 9}}\n"
    found = compiled.of(HOLLOW + until + "    - {name: end, type: bytes, size: rest}\n")
    capture = bytes.fromhex("06 01 00 01 09 07  06 00 00 01 09 07")
    reasons = [row["_corrupt_reason"] for row in found.codec.iter_records(capture, "PERMISSIVE")]
    assert reasons[0] is None
    assert "without bytes" in reasons[1]
    captures_alike(Pair.of(found.columnar), capture)


@pytest.mark.sweep
def test_empty_items_of_lists_in_lists_are_counted_by_the_record() -> None:
    lists = "    - {name: lists, type: Items, with: {flag: flag}, repeat: {count: number}}\n"
    found = compiled.of(HOLLOW + lists + "    - {name: end, type: bytes, size: rest}\n")
    sound = [bytes([20, 0, number, *bytes(17)]) for number in range(18)] * 6
    capture = b"".join(sound) + bytes([255, 0, 250, *bytes(252)]) + bytes([10, 0, 255, *bytes(7)])
    reasons = [row["_corrupt_reason"] for row in found.codec.iter_records(capture, "PERMISSIVE")]
    assert set(reasons[: len(sound)]) == {None}
    captures_alike(Pair.of(found.columnar), capture)
