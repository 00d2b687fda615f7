"""What bytes go through: each compression against its own tools, bombs, what is kept, and what is told of it."""

import bz2
import gzip
import lzma
import random
import sys
import tracemalloc
import zlib
from contextlib import suppress
from decimal import Decimal
from functools import partial
from textwrap import dedent
from types import SimpleNamespace
from unittest import mock

import cramjam
import kafka.codec
import pytest
from support import compiled
from support.cases import often
from support.lockstep import Pair, captures_alike
from support.scaling import LINEAR, growth

from wireloom.codec import DecodeError, EncodeError, compression
from wireloom.codec.compression import COMPRESSORS, DamagedError, OverflowingError
from wireloom.codec.reader import Reader
from wireloom.columnar.packed import Zeros
from wireloom.columnar.tables import Table
from wireloom.inspection.plain import lines
from wireloom.inspection.record import inspect_record
from wireloom.rowwise import account

TEXT = b"".join(b"line %d of a text that repeats itself, " % number for number in range(400))
NOISE = random.Random(5).randbytes(70_000)
CONTENTS = (b"", b"a", TEXT, NOISE, bytes(200_000))


def deflated(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


def xerial(data: bytes) -> bytes:
    """As Kafka's client for Python writes it, by way of another library for the blocks in it."""
    raw = SimpleNamespace(compress=lambda block: bytes(cramjam.snappy.compress_raw(bytes(block))))
    with mock.patch.multiple(kafka.codec, snappy=raw, has_snappy=lambda: True):
        return kafka.codec.snappy_encode(data)


OTHERS = {
    "zlib": zlib.compress,
    "deflate": deflated,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: bytes(cramjam.zstd.compress(data)),
    "lz4": lambda data: bytes(cramjam.lz4.compress(data)),
    "lz4_block": lambda data: bytes(cramjam.lz4.compress_block(data, store_size=False)),
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
    "snappy_framed": lambda data: bytes(cramjam.snappy.compress(data)) or bytes.fromhex("ff060000734e61507059"),
    "snappy_xerial": xerial,
    "snappy_crc32": lambda data: bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big"),
}


@pytest.mark.parametrize("name", COMPRESSORS)
def test_each_unpacks_what_others_pack_and_what_it_packs(name: str) -> None:
    for data in CONTENTS:
        for packed in (OTHERS[name](data), COMPRESSORS[name].pack(data)):
            assert COMPRESSORS[name].unpack(packed, len(data)) == data
            if data:
                with pytest.raises(OverflowingError):
                    COMPRESSORS[name].unpack(packed, len(data) - 1)


@pytest.mark.parametrize("data", CONTENTS)
def test_a_block_without_a_header_is_read_where_kafka_has_one(data: bytes) -> None:
    assert COMPRESSORS["snappy_xerial"].unpack(OTHERS["snappy"](data), len(data)) == data


@pytest.mark.parametrize("name", COMPRESSORS)
def test_what_is_cut_off_or_followed_by_others_is_damaged(name: str) -> None:
    packed = OTHERS[name](TEXT)
    for wrong in (packed[:-1], packed[: len(packed) // 2], packed + b"\x55", b"\x57\x33\x22"):
        if name == "deflate" and wrong.startswith(packed):
            assert COMPRESSORS[name].unpack(wrong, 1 << 20) == TEXT
            continue
        with pytest.raises(DamagedError):
            COMPRESSORS[name].unpack(wrong, 1 << 20)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_damage_is_an_error_of_its_own(name: str) -> None:
    chance, packed = random.Random(name), OTHERS[name](TEXT)
    for _ in range(200):
        wrong = bytearray(packed)
        for _ in range(chance.randint(1, 4)):
            wrong[chance.randrange(len(wrong))] = chance.randrange(256)
        with suppress(DamagedError, OverflowingError):
            COMPRESSORS[name].unpack(bytes(wrong), 1 << 20)


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz"])
def test_many_streams_are_one_and_cost_no_more_than_their_bytes(name: str) -> None:
    assert COMPRESSORS[name].unpack(OTHERS[name](TEXT) + OTHERS[name](NOISE), 1 << 20) == TEXT + NOISE
    assert COMPRESSORS[name].unpack(OTHERS[name](b"") * 20_000, 0) == b""
    assert growth(lambda streams: partial(COMPRESSORS[name].unpack, OTHERS[name](b"") * streams, 0), 2_000) < LINEAR


BOMB = """
protocol: bomb
byte_order: big
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: all
match: {}
sections:
  body:
    - {name: data, type: bytes, size: rest, through: %s, raw: packed%s}
"""


@pytest.mark.parametrize(
    "name",
    [
        "zlib",
        *(pytest.param(name, marks=pytest.mark.sweep) for name in ("gzip", "deflate", "bzip2", "xz", "zstd", "lz4")),
    ],
)
def test_a_bomb_is_stopped(name: str) -> None:
    packed = OTHERS[name](bytes(24 << 20))
    found = compiled.of(BOMB % (name, ", limit: 100000"))
    tracemalloc.start()
    with pytest.raises(DecodeError, match="more than the 100000 bytes allowed") as told:
        found.codec.parse(packed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told.value.code == "too-long"
    assert peak < 16_000_000


def test_all_bombs_of_a_record_share_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Reader.HEAVIEST == 256 << 20  # as the reference of the language says
    monkeypatch.setattr(Reader, "HEAVIEST", 10 << 20)
    found = compiled.of(
        """
protocol: bombs
byte_order: big
types:
  - {name: Bomb, fields: [{name: data, type: bytes, prefix: u24, through: zlib, raw: packed}]}
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: all
match: {}
sections:
  body: [{name: bombs, type: Bomb, repeat: rest}]
"""
    )
    packed = zlib.compress(bytes(4 << 20), 9)
    one = len(packed).to_bytes(3, "big") + packed
    assert len(found.codec.parse(one * 2)["all"]["bombs"]) == 2
    with pytest.raises(DecodeError, match=r"too-long: all\.bombs") as told:
        found.codec.parse(one * 3)
    assert told.value.offset == 2 * len(one) + 3


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


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cramjam", None)
    monkeypatch.setattr(compression, "_library", compression._library.__wrapped__)
    with pytest.raises(ModuleNotFoundError, match=r"needs cramjam; pip install 'wireloom\[compression\]'"):
        COMPRESSORS["zstd"].unpack(b"abc", 100)


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
    assert account(found.codec).left["all"] == ()
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
    assert account(found.codec).left["all"] == ()
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


def test_bombs_of_many_records_are_not_unpacked_at_once() -> None:
    found = compiled.of(
        """
protocol: bombs_in_a_row
byte_order: big
record: {length: 3 + size, fields: [{name: size, type: u24, derive: size(body)}, {section: body, size: rest}]}
---
message: all
match: {}
sections: {body: [{name: data, type: bytes, size: rest, through: zlib, raw: packed}]}
"""
    )
    pair, bomb = Pair.of(found.columnar), zlib.compress(bytes(1 << 20), 9)
    capture = (len(bomb).to_bytes(3, "big") + bomb) * 50
    rows = weight = 0
    with mock.patch("wireloom.columnar.weighing.LISTS", 4 << 20):
        for batch in pair.decoder(pair.options({})).capture(capture):
            rows, weight = rows + batch.num_rows, max(weight, batch.nbytes)
    assert rows == 50
    assert weight < 9 << 20


def test_zeros_of_many_records_are_read_no_more_at_once_than_memory_holds() -> None:
    found = compiled.of(
        """
protocol: filled
byte_order: big
record: {length: 1 + size, fields: [{name: size, type: u8}, {section: body, size: size}]}
---
message: one
match: {}
sections:
  body:
    - {section: filled, size: rest, through: {zeros: 20000}, trailing: left, fields: [{name: number, type: u8}]}
"""
    )
    pair, capture = Pair.of(found.columnar), bytes.fromhex("0105 0100 020500") * 30
    with (
        mock.patch("wireloom.columnar.weighing.LISTS", 500_000),
        mock.patch("wireloom.columnar.packed.Zeros.unpack", autospec=True, side_effect=Zeros.unpack) as unpack,
    ):
        assert captures_alike(pair, capture).num_rows == 90
    assert unpack.call_count > 90 * 20_000 // 500_000


def test_what_the_codec_unpacks_of_many_records_is_not_held_at_once() -> None:
    found = compiled.of("""\
protocol: bombs
byte_order: big
record:
  length: 6
  fields: [{name: length, type: u32}, {section: body, size: rest}]
---
message: bomb
match: {}
sections: {body: [{name: filled, type: bytes, size: rest, through: {zeros: length}}]}
""")
    pair, size = Pair.of(found.columnar), 1 << 20
    capture = (size.to_bytes(4, "big") + b"ab") * 64
    list(pair.decoder(pair.options({})).capture(bytes(6)))  # what is imported for it
    tracemalloc.start()
    rows = sum(batch.num_rows for batch in pair.decoder(pair.options({})).capture(capture))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 64
    assert most < 8 * size


def test_a_signalling_nan_is_refused_where_bytes_are_read_again() -> None:
    masks = {"mask": 15, "data": b"\1\2\3", "turned": {"first": Decimal("sNaN"), "second": 48}}
    with pytest.raises(EncodeError, match=r"^masks.turned: .*sNaN"):
        compiled.feature("through_shared").codec.build({"message": "masks", "kind": 2, "masks": masks})
