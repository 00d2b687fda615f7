"""Many records that go through something are read at once as the codec reads them."""

import random
from unittest import mock

import pytest
from support import compiled
from support.cases import often
from support.lockstep import Pair, captures_alike

from codec.other_packers import OTHERS
from wireloom.codec import DecodeError
from wireloom.columnar.tables import Table
from wireloom.programs.support import unread

MASKED = """
protocol: masks
byte_order: big
types:
  - {name: Pair, fields: [{name: one, type: u8}, {name: other, type: u16}]}
  - {name: Chunk, fields: [{name: key, type: u8}, {name: pairs, type: bytes, prefix: u8, through: {xor: key}}]}
record:
  length: 2 + size
  fields:
    - {name: size, type: u16, derive: size(body)}
    - {section: body, size: rest}
---
message: all
match: {}
sections:
  body:
    - {name: key, type: u16}
    - {name: text, type: text, prefix: u8, through: {xor: key}}
    - {name: pair, type: Pair, size: 3, through: {rol: 5}}
    - {name: short, type: bytes, prefix: u8, through: {zeros: 4}, raw: short_packed}
    - section: more
      size: 8
      through: {xor: hex('010203')}
      trailing: left
      fields:
        - {name: number, type: u32, valid: number < 0xfffffff0}
        - {name: is_long, type: bool}
        - {name: name, type: text, size: rest, when: is_long}
    - {name: chunks, type: Chunk, repeat: rest}
"""


def masked(random: random.Random) -> bytes:
    """A record as MASKED says, some of them malformed."""
    key = random.choice((*range(256), 256, 0xFFFF)) if random.random() < 0.2 else random.randrange(256)
    text = "".join(random.choices("aé𝄞", k=random.randrange(4))).encode()
    pair = bytes((byte << 5 | byte >> 3) & 0xFF for byte in random.randbytes(3))
    short = random.choice((b"", b"\0", b"\1\0", b"\1\2", b"\1\2\3\4\5", random.randbytes(random.randrange(7))))
    more = random.choice(
        (b"\0\0\0\1\0abc", b"\xff\xff\xff\xf1\0abc", b"\0\0\0\1\1abc", b"\0\0\0\1\2abc", b"\0\0\0\1\1\xff\xff\xff")
    )
    data = [(random.randrange(256), random.randbytes(random.randrange(5))) for _ in range(random.randrange(5))]
    chunks = b"".join(bytes([mask, len(each), *(byte ^ mask for byte in each)]) for mask, each in data)
    hidden = bytes(byte ^ mask for byte, mask in zip(more, b"\1\2\3" * 3, strict=False))
    body = key.to_bytes(2, "big") + bytes([len(text)]) + bytes(byte ^ key & 0xFF for byte in text)
    body += pair + bytes([len(short)]) + short + hidden + chunks
    return len(body).to_bytes(2, "big") + body


@pytest.mark.sweep
def test_masks_and_zeros_are_read_many_records_at_once_as_the_codec_does() -> None:
    found, chance = compiled.of(MASKED), random.Random(3)
    assert unread(found.codec)["all"] == ()
    records = [masked(chance) for _ in range(often(250, 800))]
    captures_alike(Pair.of(found.columnar), b"".join(records))
    rows = list(found.codec.iter_records(b"".join(records), "PERMISSIVE"))
    malformed = sum(row["_corrupt_reason"] is not None for row in rows)
    assert len(rows) == len(records)
    assert len(rows) // 8 < malformed < len(rows) * 5 // 8


def test_sound_records_are_not_left_to_the_codec() -> None:
    found, chance = compiled.of(MASKED), random.Random(4)
    record = next(each for each in iter(lambda: masked(chance), None) if _is_sound(found, each))
    with mock.patch.object(type(found.codec), "row", side_effect=AssertionError("left to the codec")):
        read = Table(found.codec, {}).decode_columnar(record * 50, None, "PERMISSIVE")
    assert read.num_rows == 50


def _is_sound(found: compiled.Compiled, record: bytes) -> bool:
    try:
        row = found.codec.parse(record)
    except DecodeError:
        return False
    return row["all"]["short_packed"] is None


PACKED = """
protocol: packs
byte_order: big
types:
  - name: Pair
    fields:
      - {name: length, type: u8, derive: size(both)}
      - section: both
        size: length
        fields:
          - {name: key, type: text, until: "00"}
          - {name: value, type: text, size: rest}
  - name: Document
    given: [kind]
    fields:
      - section: document
        size: rest
        through: "['none', 'zlib', 'snappy', 'zstd'][kind & 3]"
        limit: 5000
        raw: packed
        fields:
          - {name: pairs, type: Pair, repeat: {count: 2}, when: kind & 4 != 0 and left > 0}
          - {name: text, type: text, size: rest, when: kind & 8 != 0, raw: text_bytes}
          - {name: data, type: bytes, size: rest, when: kind & 8 == 0}
record:
  length: 4 + size
  fields:
    - {name: kind, type: u8}
    - {name: size, type: u24, derive: size(body)}
    - {section: body, size: rest}
---
message: all
match: {}
sections:
  body:
    - {name: document, type: Document, size: rest - 2, with: {kind: kind}}
    - {name: last, type: u16}
"""
PACKING = [bytes, OTHERS["zlib"], OTHERS["snappy"], OTHERS["zstd"]]


def packed(chance: random.Random) -> bytes:
    """A record as PACKED says, some of them malformed."""
    kind = chance.randrange(16) | (chance.random() < 0.05) * 16
    pairs = [(chance.choice((b"a", b"", b"key")), chance.choice((b"{}", b"", b"\xff"))) for _ in range(2)]
    inside = b"".join(bytes([len(key) + 1 + len(value)]) + key + b"\0" + value for key, value in pairs)
    inside = chance.choice((inside, inside, b"", inside[:3])) if kind & 4 else b""
    inside += chance.choice((b"", b"text", "é".encode(), b"\xff\xfe", bytes(chance.choice((4990, 5001, 9000)))))
    body = PACKING[kind & 3](inside)
    damage = chance.random()
    body = chance.randbytes(3) + body[3:] if damage < 0.1 else body[:-1] if damage < 0.2 else body
    body += b"\0\7"
    return bytes([kind]) + len(body).to_bytes(3, "big") + body


@pytest.mark.sweep
def test_what_is_compressed_is_read_many_records_at_once_as_the_codec_does() -> None:
    found, chance = compiled.of(PACKED), random.Random(6)
    assert unread(found.codec)["all"] == ()
    capture = b"".join(packed(chance) for _ in range(often(400, 1500)))
    captures_alike(Pair.of(found.columnar), capture)
    rows = list(found.codec.iter_records(capture, "PERMISSIVE"))
    codes = {row["_corrupt_reason"].partition(":")[0] for row in rows if row["_corrupt_reason"] is not None}
    assert {"packed", "too-long", "text"} <= codes
    assert sum(row["_corrupt_reason"] is None for row in rows) > len(rows) // 3


def test_no_sound_record_is_left_to_the_codec_because_it_is_compressed() -> None:
    found = compiled.of(PACKED)
    inside = bytes.fromhex("04 61 00 7b7d 04 62 00 7b7d") + b"text"
    bodies = [(kind | 12, pack(inside) + b"\0\7") for kind, pack in enumerate(PACKING)]
    capture = b"".join(bytes([kind]) + len(body).to_bytes(3, "big") + body for kind, body in bodies) * 20
    with mock.patch.object(type(found.codec), "row", side_effect=AssertionError("left to the codec")):
        read = Table(found.codec, {}).decode_columnar(capture, None, "FAILFAST")
    documents = read.column("all").combine_chunks().field("document")
    assert documents.field("text").to_pylist() == ["text"] * 80
    assert [each is None for each in documents.field("packed").to_pylist()] == [True, False, False, False] * 20
