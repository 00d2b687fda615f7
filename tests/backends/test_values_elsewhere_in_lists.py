"""Programs read and write values in lists whose bytes belong to others as the codec does, if these are not too many."""

from random import Random

import numpy as np
import pytest
from support import accelerator, compiled, specialised
from support.cases import often
from support.lockstep import Pair, damaged, records_alike, rows_alike

from wireloom.codec import DecodeError
from wireloom.columnar.tables import Table

SHARED = """
protocol: shared_in_lists
byte_order: big
enums:
  - {name: Kind, values: [{name: Short, value: 1}, {name: Long, value: 2}]}
types:
  - name: Entry
    given: [base]
    fields:
      - {name: kind, type: u8, enum: Kind}
      - {name: place, type: u8}
      - choice:
          - match: {kind: [1]}
            fields: [{name: short, type: u16, at: base + place, shared: true}]
          - match: {kind: [2]}
            fields:
              - {name: long, type: Named, with: {base: base}, at: base + place, shared: true}
              - {name: size, type: u8, at: place, shared: true, when: place > 9}
          - match: {kind: [3]}
            fields: [{name: long, type: Named, with: {base: base}, at: place, shared: true}]
          - fields: [{name: texts, type: text, prefix: u8, repeat: {count: 2}, at: base + place, shared: true}]
  - name: Named
    given: [base]
    depth: 3
    fields:
      - {name: mark, type: u8, enum: Kind}
      - {name: name, type: text, prefix: u8}
      - {name: parts, type: Entry, with: {base: base}, repeat: {count: mark & 1}, when: mark < 4}
record:
  length: 1 + size
  fields:
    - {name: size, type: u8, derive: size(body)}
    - {section: body, size: size}
---
message: entries
match: {}
sections:
  body:
    - {name: count, type: u8, derive: count(entries)}
    - {name: entries, type: Entry, with: {base: offset(count)}, repeat: {count: count}}
    - {name: rest, type: bytes, size: rest}
"""


def entries(random: Random) -> bytes:
    """A record whose entries lead to what stands behind them, mostly."""
    count = random.randrange(5)
    parts = [b"\1\2", b"\0\3abc", b"\4\0", b"\2\1z", b"\1\1y\1\0", b"\1\1y\2\6", b"\2ab\1c", b"\0\0", b"\1\xff\0\0"]
    behind = [random.choice(parts) for _ in range(random.randrange(6))]
    ends = np.cumsum([0, *map(len, behind)])
    places = [2 * count + 1 + int(random.choice(ends)) + random.choice([0, 0, 0, 0, 1, -1]) for _ in range(count)]
    kinds = random.choices([1, 2, 3, 4], k=count)
    table = b"".join(bytes([kind, place + (kind == 3)]) for kind, place in zip(kinds, places, strict=True))
    body = bytes([count]) + table + b"".join(behind)
    return bytes([len(body)]) + body


@accelerator.off_and_on
def test_values_that_lists_lead_to(accelerated: bool, accepted: list[int]) -> None:
    _entries_alike(accepted)


@accelerator.on
@accelerator.with_llvm
def test_loops_of_their_own_accept_as_much(accepted: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """They leave out blocks in each row, where others do that in a tile in which no row has them."""
    accelerator.pay(monkeypatch, 0)
    _entries_alike(accepted)


def _entries_alike(accepted: list[int]) -> None:
    pair, random = Pair.of(compiled.of(SHARED).columnar), Random(1)
    records = [entries(random) for _ in range(400)]
    sound = [record for record in records if is_sound(pair, record)]
    assert 100 < len(sound) < 400
    records_alike(pair, records)
    records_alike(pair, [each for record in records[: often(40, 400)] for each in damaged(record, random, 4)])
    accepted.clear()
    records_alike(pair, sound)
    assert max(accepted) == len(sound)


@accelerator.off_and_on
def test_values_that_lists_lead_to_are_written(accelerated: bool) -> None:
    pair, random = Pair.of(compiled.of(SHARED).columnar), Random(2)
    records = [record for record in (entries(random) for _ in range(300)) if is_sound(pair, record)]
    table = Table(pair.codec, {}).decode_columnar(b"".join(records))
    rows_alike(pair, table)
    rows = table.to_pylist()
    for row in rows:
        for entry in row["entries"]["entries"]:
            name = random.choice(list(entry))
            entry[name] = random.choice(rows[0]["entries"]["entries"] or [entry])[name]
    rows_alike(pair, type(table).from_pylist(rows, table.schema))


def test_single_records_with_values_that_lists_lead_to() -> None:
    codec, random = compiled.of(SHARED).codec, Random(3)
    for record in [entries(random) for _ in range(often(60, 600))]:
        for data in (record, *damaged(record, random, 2)):
            specialised.parse_alike(codec, data)
        if is_sound(Pair(codec), record):
            row = codec.parse(record)
            for changed in (row, *specialised.changed(row, random, 3)):
                specialised.build_alike(codec, changed)


OFTEN = """
protocol: often
byte_order: big
types:
  - name: Link
    fields:
      - {name: place, type: u16}
      - {name: data, type: bytes, prefix: u8, at: place, shared: true}
  - name: Node
    depth: 5
    fields:
      - {name: count, type: u8}
      - {name: edges, type: Edge, repeat: {count: count}}
  - {name: Edge, fields: [{name: place, type: u16}, {name: node, type: Node, at: place, shared: true, when: place > 0}]}
record:
  length: 3 + size
  fields:
    - {name: size, type: u16, derive: size(body)}
    - {name: kind, type: u8}
    - {section: body, size: size}
---
message: links
match: {kind: 1}
sections:
  body:
    - {name: count, type: u8, derive: count(links)}
    - {name: links, type: Link, repeat: {count: count}}
    - {name: data, type: bytes, size: rest}
---
message: graph
match: {kind: 2}
sections:
  body:
    - {name: count, type: u8, derive: count(nodes)}
    - {name: nodes, type: Node, repeat: {count: count}}
"""


@accelerator.off_and_on
def test_bytes_are_read_as_often_as_they_may(accelerated: bool, accepted: list[int]) -> None:
    """The codec reads 64 times as many bytes as a record has. Of all bytes that are read, programs assume that each is
    a value by itself, which counts as four.
    """
    pair = Pair.of(compiled.of(OFTEN).columnar)
    records = [_links(count, size) for count in range(0, 200, 9) for size in range(0, 200, 17)]
    records_alike(pair, records)
    sound = [record for record in records if is_sound(pair, record)]
    assert 50 < max(accepted) < len(sound) < len(records)


def _links(count: int, size: int) -> bytes:
    """A record with so many links to the same bytes."""
    body = bytes([count]) + (4 + 2 * count).to_bytes(2) * count + bytes([size]) + bytes(size)
    return len(body).to_bytes(2) + b"\1" + body


@accelerator.off_and_on
def test_nodes_that_all_lead_to_all_nodes_behind_them(accelerated: bool, accepted: list[int]) -> None:
    """Each level has as many nodes again; nobody goes through all of them."""
    pair = Pair.of(compiled.of(OFTEN).columnar)
    sizes = (1, 1, 0), (2, 3, 2, 0), (200, 200, 200, 200, 0), (9, 0)
    records = [_graph(*each) for each in sizes]
    records_alike(pair, records)
    assert [is_sound(pair, record) for record in records] == [True, True, False, True]
    assert max(accepted) == 3


def _graph(*sizes: int) -> bytes:
    """A record with a node for each size, which so many edges lead from to the next one."""
    body = bytes([len(sizes)])
    for size in sizes:
        body += bytes([size]) + (3 + len(body) + 1 + 2 * size).to_bytes(2) * size
    return len(body).to_bytes(2) + b"\2" + body


def is_sound(pair: Pair, record: bytes) -> bool:
    """Whether the codec reads a record."""
    try:
        pair.codec.parse(record)
    except DecodeError:
        return False
    return True
