"""What records weigh as columns: lists may take a hundred times their bytes, and no batch takes more than it may."""

import tracemalloc
from functools import cache
from io import BytesIO
from typing import Any

import pyarrow as pa
import pytest
from support import compiled
from support.lockstep import Pair, capture_alike, captures_alike

from wireloom.buffers import nulls
from wireloom.codec import DecodeError, EncodeError
from wireloom.codec.reader import Reader
from wireloom_protocols import couchbase_dcp, databus, memcached

HEAD = """\
protocol: heavy
byte_order: big
enums:
  - name: Kind
    values: [{name: A, value: 0}, {name: TheLongestOfAllNames, value: 1}, {name: Nächster, from: 2, to: 9}]
flags:
  - {name: Marks, values: [{name: Some, value: 1}, {name: Others, value: 2}, {name: More, value: 4}]}
types:
  - name: Labelled
    fields:
      - {name: kind, type: u8, enum: Kind}
      - {name: marks, type: u8, flags: Marks}
      - {name: again, compute: kind, type: u8, enum: Kind}
  - name: Nested
    fields:
      - bits: u8
        fields: [{name: high, width: 7}, {name: low, width: 1, type: bool}]
      - {name: one, type: Labelled}
      - {name: some, type: bytes, prefix: u8}
      - {name: number, type: u64, when: low}
  - name: Lists
    fields:
      - {name: numbers, type: i16, repeat: {count: 2}}
      - {name: inner, type: Labelled, repeat: {count: 1}}
record:
  length: 2 + length
  fields:
    - {name: length, type: u16, derive: size(body)}
    - {section: body, size: length}
---
message: list
match: {}
sections:
  body:
    - {name: items, %s}
"""

ITEMS = {
    "numbers": ("type: u16, repeat: rest", b"\0\1"),
    "counted numbers": ("type: u16, repeat: {count: length // 2}", b"\0\1"),
    "large numbers": ("type: u64, repeat: rest", bytes(8)),
    "texts": ("type: text, prefix: u8, repeat: rest", "\2ä".encode()),
    "labels": ("type: Labelled, repeat: rest", b"\1\7"),
    "structs of varying size": ("type: Nested, repeat: rest", b"\3\1\7\1a" + bytes(8)),
    "lists in lists": ("type: Lists, repeat: rest", b"\0\1\0\2\1\7"),
    "up to one": ("type: Labelled, repeat: {until: kind == 0}", b"\1\7"),
}
WHILE_ONE_WORKS = ("numbers", "structs of varying size")
EACH = pytest.mark.parametrize(
    ("entry", "item"),
    [
        pytest.param(*case, id=name, marks=() if name in WHILE_ONE_WORKS else pytest.mark.sweep)
        for name, case in ITEMS.items()
    ],
)


@cache
def made(entry: str) -> Pair:
    return Pair.of(compiled.of(HEAD % entry).columnar)


def record(item: bytes, count: int, entry: str) -> bytes:
    body = item * count + (b"\0\0" if "until" in entry else b"")
    return len(body).to_bytes(2, "big") + body


def weight(batch: pa.RecordBatch) -> int:
    """The bytes of what is not nulls alone."""
    return sum(column.nbytes for column in batch.columns if column.null_count < len(column))


@EACH
def test_no_batch_weighs_more_than_it_may(entry: str, item: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "HEAVIEST", 1_000)
    pair = made(entry)
    capture = b"".join(record(item, count, entry) for count in (1, 0, 5, 2, 9, 3) * 2)
    batches = list(pair.decoder(pair.options({})).capture(capture))
    assert max(weight(batch) for batch in batches if batch.num_rows > 1) <= 1_000
    assert all(batch["_corrupt_reason"].null_count == batch.num_rows for batch in batches)
    captures_alike(pair, capture)


@EACH
def test_a_record_that_is_too_heavy_is_malformed(entry: str, item: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "HEAVIEST", 1_000)
    pair = made(entry)
    light, heavy = record(item, 3, entry), record(item, 525, entry)
    found = capture_alike(pair, light * 9 + heavy + light * 9 + heavy * 2 + light)
    reasons = [reason and reason.split(":")[0] for reason in found["_corrupt_reason"].to_pylist()]
    assert reasons == [None] * 9 + ["too-long"] + [None] * 9 + ["too-long"] * 2 + [None]
    value = pair.codec.parse(light)["list"]["items"]
    with pytest.raises(EncodeError, match="items: a list of more than 1000 bytes in a table"):
        pair.codec.build({"message": "list", "list": {"items": value[:1] * 1_001}})


@EACH
def test_items_weigh_what_they_take_in_a_table(entry: str, item: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = made(entry)
    data = record(item, 1_000, entry)
    (batch,) = pair.decoder(pair.options({})).capture(data)
    texts = {"texts": 2_000, "structs of varying size": 1_000}
    taken = batch["list"].field("items").flatten().nbytes - next(
        (n for k, n in texts.items() if ITEMS[k][0] == entry), 0
    )
    monkeypatch.setattr(Reader, "HEAVIEST", int(1.5 * taken))
    assert pair.codec.parse(data)
    monkeypatch.setattr(Reader, "HEAVIEST", taken - 64)
    with pytest.raises(DecodeError, match="too-long"):
        pair.codec.parse(data)


def test_light_records_come_in_large_batches_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "HEAVIEST", 100_000)
    pair = made("type: Labelled, repeat: rest")
    capture = record(b"\1\7", 1_000, "") * 20 + record(b"", 0, "") * 20_000
    rows = [batch.num_rows for batch in pair.decoder(pair.options({})).capture(capture)]
    assert sum(rows) == 20_020
    assert len(rows) < 60


@pytest.mark.parametrize("piece", [0x00, 0xFF])
def test_memory_is_bounded_whatever_the_bytes(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Framing extras of a byte each, 255 of them in a frame, took 650 times their bytes."""
    monkeypatch.setattr(Reader, "HEAVIEST", 20_000_000)
    pair = Pair(couchbase_dcp.PROTOCOL)
    frame = bytes([8, 0x54, 255, *bytes(5)]) + (255).to_bytes(4, "big") + bytes(12) + bytes([piece]) * 255
    stream = BytesIO(frame * 1_000)
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    rows = most = 0
    for batch in pair.decoder(pair.options({})).stream(stream.readinto):
        rows += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 1_000
    assert most < 3 * 20_000_000
    assert peak < 8 * 20_000_000


def test_rows_of_many_messages_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "HEAVIEST", 50_000)
    text = """\
protocol: wide
byte_order: big
record:
  length: 9
  fields:
    - {name: kind, type: u8}
    - {section: body, size: 8}
"""
    for kind in range(20):
        text += f"---\nmessage: kind_{kind}\nmatch: {{kind: {kind}}}\nsections:\n  body:\n"
        text += "".join(f"    - {{name: field_{kind}_{number}, type: u8}}\n" for number in range(8))
    pair = Pair.of(compiled.of(text).columnar)
    capture = b"".join(bytes([kind]) + bytes(8) for kind in range(20)) * 30
    batches = list(pair.decoder(pair.options({})).capture(capture))
    assert sum(batch.num_rows for batch in batches) == 600
    assert max(map(weight, batches)) <= 50_000
    captures_alike(pair, capture[: 9 * 30])


@pytest.mark.parametrize("text", ["type: text", "type: bytes", "type: text, encoding: latin-1"])
def test_computed_texts_are_weighed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each item has all of a text, of which the record has one."""
    monkeypatch.setattr(Reader, "HEAVIEST", 1_000_000)
    kind = "bytes" if "bytes" in text else "text"
    pair = Pair.of(
        compiled.of(f"""\
protocol: words
byte_order: big
types:
  - {{name: Said, given: [text], fields: [{{name: word, type: {kind}, compute: text}}]}}
record:
  length: 2 + length
  fields: [{{name: length, type: u16, derive: size(body)}}, {{section: body, size: length}}]
---
message: words
match: {{}}
sections:
  body:
    - {{name: words, {text}, prefix: u16, repeat: {{count: 1}}}}
    - {{name: codes, type: u8, repeat: rest}}
    - {{name: said, type: Said, repeat: {{count: count(codes)}}, with: {{text: "words[codes[index]]"}}}}
""").columnar
    )

    def record(count: int) -> bytes:
        body = (2_000).to_bytes(2, "big") + 1_000 * "é".encode() + bytes(count)
        return len(body).to_bytes(2, "big") + body

    bytes_each = 4_000 if "latin-1" in text else 2_000
    most = 1_000_000 // (bytes_each + 4)
    capture = b"".join(record(count) for count in (1, most - 10, most + 1, 2))
    batches = list(pair.decoder(pair.options({})).capture(capture))
    reasons = [reason for batch in batches for reason in batch["_corrupt_reason"].to_pylist()]
    assert [reason and reason.split(":")[0] for reason in reasons] == [None, None, "too-long", None]
    assert max(weight(batch) for batch in batches) < 1_100_000
    captures_alike(pair, capture)


@pytest.mark.parametrize("protocol", [couchbase_dcp, memcached, databus], ids=lambda protocol: protocol.__name__)
def test_parts_of_missing_columns_are_small_in_a_stream(protocol: Any) -> None:
    """Arrow writes the whole buffers of lists that have items in other rows alone, so these may not be large."""
    for column in protocol.arrow_schema:
        part = pa.RecordBatch.from_arrays([nulls(column.type, 3).slice(3)], ["part"])
        whole = pa.RecordBatch.from_arrays([nulls(column.type, 3)], ["part"])
        assert pa.ipc.get_record_batch_size(part) <= 4 * pa.ipc.get_record_batch_size(whole)
