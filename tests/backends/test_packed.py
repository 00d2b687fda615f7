"""Programs unpack Snappy's blocks and read FlatBuffers tables as the codec does, whatever is wrong with their bytes."""

from random import Random
from typing import Any

import pytest
from support import accelerator, compiled
from support.lockstep import Pair, damaged, records_alike

from wireloom.codec import Table, TableField
from wireloom.codec.compression import COMPRESSORS
from wireloom.codec.reader import Reader
from wireloom.columnar import memory_budget

pytestmark = [accelerator.on, pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")]
pytest.importorskip("cramjam")
pack = COMPRESSORS["snappy"].pack


DOCUMENTS = """
protocol: documents
byte_order: big
types:
  - {name: Pair, fields: [{name: key, type: text, prefix: u8}, {name: value, type: bytes, prefix: u8}]}
record:
  length: 4 + size
  fields:
    - {name: kind, type: u8}
    - {name: size, type: u24, derive: size(body)}
    - {section: body, size: rest}
---
message: document
match: {}
sections:
  body:
    - {name: title, type: text, prefix: u8, through: "snappy if kind & 1 != 0 else none", raw: title_packed}
    - section: content
      size: rest
      through: "['none', 'snappy', 'zlib', 'none'][kind >> 1 & 3]"
      limit: 400
      raw: content_packed
      trailing: left
      fields:
        - {name: number, type: u16}
        - {name: pairs_size, type: u8}
        - {section: listed, size: pairs_size, fields: [{name: pairs, type: Pair, repeat: rest}]}
        - {name: data, type: bytes, prefix: u16, when: kind & 8 != 0}
"""
PACKERS = [bytes, pack, COMPRESSORS["zlib"].pack, bytes]


def document(random: Random, kind: int) -> bytes:
    """A record as DOCUMENTS says; one in a few damaged in what is packed."""
    title = random.choice(["", "é" * 20, "a title that is a title", "short"]).encode()
    pairs = b"".join(
        b"\3key" + bytes([size]) + b"v" * size for size in random.choices(range(30), k=random.randrange(4))
    )
    data = random.choice([b"ab", random.randbytes(3), b"0123456789"]) * random.randrange(30 if kind & 8 else 1)
    inside = random.randbytes(2) + bytes([len(pairs)]) + pairs
    inside += len(data).to_bytes(2, "big") + data if kind & 8 else random.choice([b"", b"", b"left"])
    title, content = (pack(title) if kind & 1 else title), PACKERS[kind >> 1 & 3](inside)
    if random.random() < 0.5:
        (content,) = damaged(content, random, 1)
    body = bytes([len(title)]) + title + content
    return bytes([kind]) + len(body).to_bytes(3, "big") + body


def test_documents(accepted: list[int]) -> None:
    pair, random = Pair.of(compiled.of(DOCUMENTS).columnar), Random(1)
    for kind in range(16):
        records_alike(pair, [document(random, kind) for _ in range(200)])
    assert all(count > 60 for count in accepted)
    mixed = [document(random, random.randrange(16)) for _ in range(500)]
    records_alike(pair, mixed)


def test_what_unpacks_to_more_than_there_is_room_for(accepted: list[int]) -> None:
    """The bytes of all are few beside those of one, which are left out."""
    pair, random = Pair.of(compiled.of(DOCUMENTS).columnar), Random(2)
    inside = bytes(2) + bytes(1) + (300).to_bytes(2, "big") + bytes(300)
    body = b"\0" + pack(inside)
    dense = bytes([10]) + len(body).to_bytes(3, "big") + body
    records_alike(pair, [dense] * 50)
    assert 0 < accepted[-1] < 50
    records_alike(pair, [dense, *(document(random, 8) for _ in range(50))])
    assert accepted[-1] > 20


BOMBS = """
protocol: bombs
byte_order: big
types:
  - {name: Bomb, fields: [{name: data, type: bytes, prefix: u16, through: snappy, raw: packed}]}
record:
  length: 4 + size
  fields:
    - {name: first_size, type: u16, derive: size(first)}
    - {name: size, type: u16, derive: size(body)}
    - {section: body, size: rest}
---
message: bombs
match: {}
sections:
  body:
    - {name: first, type: bytes, size: first_size, through: snappy, raw: first_packed}
    - {name: others_size, type: u16, derive: size(others)}
    - {section: listed, size: others_size, fields: [{name: others, type: Bomb, repeat: rest}]}
    - {name: last, type: bytes, size: rest, through: snappy, raw: last_packed}
"""


def bombs(first: int, others: list[int], last: int) -> bytes:
    """A record as BOMBS says, whose parts unpack to so many bytes each."""
    one, *some, other = (pack(Random(size).randbytes(size)) for size in (first, *others, last))
    listed = b"".join(len(each).to_bytes(2, "big") + each for each in some)
    body = one + len(listed).to_bytes(2, "big") + listed + other
    return len(one).to_bytes(2, "big") + len(body).to_bytes(2, "big") + body


@pytest.mark.parametrize(
    ("first", "others", "last"),
    [(900, [], 900), (900, [900], 0), (0, [400] * 5, 0), (0, [10], 1900), (100, [300, 300], 300)],
)
def test_all_that_is_unpacked_of_a_record_shares_a_bound(
    first: int, others: list[int], last: int, accepted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, records = Pair.of(compiled.of(BOMBS).columnar), [bombs(first, others, last), *[bombs(0, [], 0)] * 30]
    records_alike(pair, records)
    assert accepted == [31]
    monkeypatch.setattr(Reader, "HEAVIEST", 1500)
    monkeypatch.setattr(memory_budget, "LISTS", 1500)
    records_alike(pair, records)


TABLES = """
protocol: fields_of_tables
byte_order: big
tables:
  - name: Everything
    fields:
      - {name: flag, type: bool, id: 0, default: true}
      - {name: tiny, type: i8, id: 1, default: -3}
      - {name: small, type: u8, id: 12}
      - {name: short, type: i16, id: 2}
      - {name: ushort, type: u16, id: 3, default: 0xfff0}
      - {name: number, type: i32, id: 4, default: -7}
      - {name: unsigned, type: u32, id: 5}
      - {name: long, type: i64, id: 6, default: -1}
      - {name: ulong, type: u64, id: 7, default: 5}
      - {name: real, type: f32, id: 8, default: 0.5}
      - {name: double, type: f64, id: 9, default: -1.25}
      - {name: title, type: text, id: 10}
      - {name: late, type: text, id: 40}
record:
  length: 2 + size
  fields:
    - {name: size, type: u16, derive: size(body)}
    - {section: body, size: rest}
---
message: tables
match: {}
sections:
  body:
    - {name: table, type: flatbuffers, prefix: u16, table: Everything, raw: table_bytes}
    - {name: last, type: u8}
"""
KINDS = {
    "flag": ("bool", 0, True), "tiny": ("i8", 1, -3), "small": ("u8", 12, None), "short": ("i16", 2, None),
    "ushort": ("u16", 3, 0xFFF0), "number": ("i32", 4, -7), "unsigned": ("u32", 5, None), "long": ("i64", 6, -1),
    "ulong": ("u64", 7, 5), "real": ("f32", 8, 0.5), "double": ("f64", 9, -1.25), "title": ("text", 10, None),
    "late": ("text", 40, None),
}  # fmt: skip
EVERYTHING = Table("Everything", *(TableField(name, *told) for name, told in KINDS.items()))


def values(random: Random) -> dict[str, Any]:
    """What a table has: the least or the most of each type, the default, or nothing."""
    found: dict[str, Any] = {}
    for name, (kind, _, default) in KINDS.items():
        match kind[0], kind[1:]:
            case "b", _:
                choices: list[Any] = [False, True]
            case "f", _:
                choices = [0.0, -2.5, float("inf")]
            case "t", _:
                choices = ["", "text", "é" * 9]
            case sign, bits:
                most = (1 << int(bits) - (sign == "i")) - 1
                choices = [most, 0 if sign == "u" else -most - 1, random.randrange(most)]
        found[name] = random.choice([*choices, default, default])
    return found


@pytest.mark.parametrize("u64", ["declared", "long"])
def test_tables(u64: str, accepted: list[int]) -> None:
    pair, random = Pair.of(compiled.of(TABLES).columnar), Random(3)
    records = []
    for count in range(600):
        data = EVERYTHING.write(values(random))
        if count % 2:
            (data,) = damaged(data, random, 1)
        body = len(data).to_bytes(2, "big") + data + b"\1"
        records.append(len(body).to_bytes(2, "big") + body)
    records_alike(pair, records, u64=u64)
    assert accepted[-1] > 200
