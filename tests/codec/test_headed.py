"""Records whose length is told by a beginning of any size: torn ends, hostile numbers, parts, and many at once."""

import io
import itertools
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import accelerator, compiled
from support.cases import often
from support.lockstep import Pair, capture_alike

from wireloom.codec import DecodeError
from wireloom.codec.cutting import Cutter
from wireloom.columnar import cells, splits
from wireloom.columnar.hopping import Walk
from wireloom.options import resolve

SHORT, TOPIC, LONG = bytes.fromhex("10 02 0005"), bytes.fromhex("18 02 6162 02 0005"), b"\x20\x80\x01" + b"a" * 128
FIELDS = [
    bytes.fromhex(data)
    for data in ("01 05 05 6100 00 00", "02 05 03 0005 07 06", "02 03 02 0005", "01 05 05 ff00 00 00")
]
RESYNC = [bytes.fromhex(data) for data in ("cafe 01 02 6162", "feca 02 02 6162", "cafe 01 63 0064" + "61" * 100)]


def pair(name: str = "length_headed") -> Pair:
    return Pair.of(compiled.feature(name).columnar)


def cut_in_pieces(name: str, capture: bytes, bound: int, random: Random) -> list[tuple[int, int, str]]:
    """The cuts of a capture of which ever more is there."""
    codec = compiled.feature(name).codec
    cutter = Cutter(codec.framing, resolve(codec.parameters, {}), bound)
    found, start, end = [], 0, 0
    while start < len(capture):
        cut = cutter.cut(capture, start, end, final=end == len(capture)) if start < end else None
        if cut is None:
            assert end < len(capture)
            end = min(len(capture), end + random.randint(1, 9))
            continue
        found.append((cut.offset, cut.length, cut.error.reason if cut.error else ""))
        start += cut.length
    return found


captures = st.lists(st.sampled_from([SHORT, TOPIC, LONG, *RESYNC, *FIELDS]) | st.binary(max_size=6), max_size=8).map(
    b"".join
)


@pytest.mark.parametrize("name", ["length_headed", "length_headed_resync", "length_fields"])
@given(capture=captures, seed=st.integers(0, 1000), bound=st.sampled_from([5, 100, 1 << 20]))
def test_cuts_do_not_depend_on_the_pieces_that_come(name: str, capture: bytes, seed: int, bound: int) -> None:
    codec = compiled.feature(name).codec
    whole = Cutter(codec.framing, resolve(codec.parameters, {}), bound)
    expected, start = [], 0
    while start < len(capture):
        cut = whole.cut(capture, start, len(capture))
        assert cut is not None
        expected.append((cut.offset, cut.length, cut.error.reason if cut.error else ""))
        start += cut.length
    assert cut_in_pieces(name, capture, bound, Random(seed)) == expected


@pytest.mark.parametrize("name", ["length_headed", "length_headed_resync", "length_fields"])
@given(capture=captures)
def test_many_at_once_are_what_the_codec_finds(name: str, capture: bytes) -> None:
    capture_alike(pair(name), capture)
    capture_alike(pair(name), capture, maxRecordBytes="20")


def test_behind_damage_the_next_record_is_found() -> None:
    codec = compiled.feature("length_headed_resync").codec
    rows = list(codec.iter_records(b"\0\0\0" + RESYNC[0] + b"\xca" * 9 + RESYNC[1] + RESYNC[2][:-1], "PERMISSIVE"))
    assert [row["message"] for row in rows] == [None, "changing", None, "changing", "changing"]
    assert rows[4]["_corrupt_reason"].startswith("truncated: record at byte 24: a record of 106 bytes, 105 left")


def test_a_malformed_value_in_the_beginning_loses_no_record() -> None:
    text = """
protocol: lenient
byte_order: big
record:
  length: offset(body) + size
  fields:
    - {name: magic, type: u8, const: 7}
    - {name: name, type: text, prefix: u8}
    - {name: level, type: leb128_u32, valid: level < 9}
    - {name: size, type: u8}
    - {section: body, size: rest}
---
message: all
match: {}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""
    good = bytes.fromhex("07 01 61 01 01 ff")
    bad = [bytes.fromhex(data) for data in ("08 01 61 01 01 ff", "07 01 ff 01 01 ff", "07 01 61 0a 01 ff")]
    found = compiled.of(text)
    rows = list(found.codec.iter_records(b"".join([*bad, good]), "PERMISSIVE"))
    codes = [(row["_corrupt_reason"] or "").partition(":")[0] for row in rows]
    assert codes == ["constant", "text", "invalid", ""]
    capture_alike(Pair.of(found.columnar), b"".join([*bad, good] * 3))


HEADS = {
    "bits": ("- bits: u16\n      fields: [{name: kind, width: 3}, {name: size, width: 13}]", "2 + 2 * size"),
    "groups": ("- {name: kind, type: u8, const: 1}\n    - {name: size, type: leb128_u32}", "offset(body) + size"),
    "highest first": ("- {name: size, type: vlq_u64}\n    - {name: kind, type: u16}", "size(size) + 2 + size"),
    "quic": ("- {name: size, type: quic_u62}\n    - {name: more, type: i24}", "offset(body) + size + more"),
    "several": ("- {name: kind, type: quic_u62}\n    - {name: size, type: leb128_u14}", "offset(body) + size + kind"),
    "signed": ("- {name: kind, type: zigzag_i32}\n    - {name: size, type: leb128_u14}", "offset(body) + size"),
    "not always": ("- {name: kind, type: leb128_u7}\n    - {name: size, type: u8, when: kind > 3}",
                   "offset(body) + (size if present(size) else 1)"),
    "either": ("- {name: kind, type: u8}\n    - {name: size, type: u8}", "2 + size + (13 if kind & 1 != 0 else 0)"),
    "either of two": ("- {name: kind, type: u8}\n    - {name: size, type: u8}",
                      "2 + size + (13 if kind & size != 0 else 0)"),
}  # fmt: skip


@accelerator.off_and_on
@pytest.mark.parametrize("name", HEADS)
def test_lengths_are_followed_over_what_stands_before_them(name: str, accelerated: bool) -> None:
    fields, length = HEADS[name]
    found = compiled.of(f"""
protocol: followed
byte_order: little
record:
  length: {length}
  fields:
    {fields}
    - {{section: body, size: rest}}
---
message: all
match: {{}}
sections: {{body: [{{name: data, type: bytes, size: rest}}]}}
""")
    both, random = Pair.of(found.columnar), Random(name)
    hop = both.decoder(both.options({})).scanner().hops[False]
    assert hop.possible
    assert isinstance(hop, Walk) is (name in ("signed", "not always", "either of two"))
    for _ in range(often(8, 40)):
        pieces = (bytes(random.choice([0, 1, 1, 2, 5, 64, 65, 128, 200, 255]) for _ in range(3)) for _ in range(80))
        capture = b"".join(piece + bytes(random.randint(0, 9)) for piece in pieces)
        rows = capture_alike(both, capture).to_pylist()
        sound = [row["_offset"] for row in itertools.takewhile(lambda row: row["_corrupt_reason"] is None, rows)]
        assert hop.follow(capture, 0, len(capture), len(sound))[0].tolist()[: len(sound)] == sound


def test_a_stream_is_read_no_further_than_the_record() -> None:
    codec = compiled.feature("length_headed").codec
    stream = io.BytesIO(TOPIC + LONG + b"\x10\x82")
    assert codec.parse_stream(stream)["topic"] == "ab"
    assert stream.tell() == len(TOPIC)
    assert codec.parse_stream(stream)["size"] == 128
    assert stream.tell() == len(TOPIC + LONG)
    with pytest.raises(DecodeError, match="needs 1 byte"):
        codec.parse_stream(stream)


@pytest.mark.parametrize("size", ["ffffffff0f", "8080808001"])
def test_a_hostile_length_needs_no_memory(size: str) -> None:
    codec = compiled.feature("length_headed").codec
    rows = list(codec.iter_records(bytes.fromhex(f"10 {size} 00"), "PERMISSIVE"))
    assert [row["_corrupt_reason"].partition(":")[0] for row in rows] == ["too-long"]
    assert cut_in_pieces("length_headed", bytes.fromhex(f"10 {size} 00"), 1 << 20, Random(1))[0][2].startswith(
        "too-long"
    )


def test_values_of_a_column_are_told_first_and_read_together() -> None:
    decoding = pair().decoder(pair().options({"mode": "FAILFAST"}))
    found = cells.one(decoding, pa.array([SHORT, None, TOPIC, LONG], pa.binary())).to_pylist()
    assert [row and row["size"] for row in found] == [2, None, 2, 128]
    assert not decoding.tally.redone


def test_parts_of_a_capture_begin_where_records_do() -> None:
    scanner, stream = pair().decoder(pair().options({})).scanner(), io.BytesIO((SHORT + TOPIC + LONG) * 200)
    size = len(stream.getvalue())
    places: list[Any] = list(splits.places(scanner, stream.readinto, size, 5000))
    starts = {0}
    for record in [SHORT, TOPIC, LONG] * 200:
        starts.add(max(starts) + len(record))
    assert len(places) == size // 5000
    assert {place.offset for place in places} <= starts


def test_a_malformed_value_loses_no_record_that_ends_where_its_fields_do() -> None:
    codec = compiled.feature("length_fields").codec
    capture = b"".join([*FIELDS, bytes.fromhex("01 07 05 6100 00 00"), FIELDS[0], bytes.fromhex("03 00"), FIELDS[0]])
    codes = [(row["_corrupt_reason"] or "").partition(":")[0] for row in codec.iter_records(capture, "PERMISSIVE")]
    assert codes == ["", "", "", "text", "derived", "", "unknown-layout"]


def test_structs_and_lists_in_a_beginning() -> None:
    text = """
protocol: inner
byte_order: big
types:
  - {name: Pair, fields: [{name: key, type: u8}, {name: value, type: u8, valid: value < key}]}
record:
  length: offset(body) + size
  fields:
    - {name: pairs_count, type: u8}
    - {name: first, type: Pair}
    - {name: pairs, type: Pair, repeat: {count: pairs_count}}
    - {name: size, type: u16}
    - {section: body, size: rest}
---
message: all
match: {}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""
    found = compiled.of(text)
    good, bad = bytes.fromhex("01 0201 0402 0001 ff"), bytes.fromhex("01 0203 0402 0001 ff")
    capture = good + bad + good
    reasons = [row["_corrupt_reason"] for row in found.codec.iter_records(capture, "PERMISSIVE")]
    assert reasons == [None, "invalid: first.value at byte 10: value < key expected, found 3", None]
    for end in range(len(capture)):
        capture_alike(Pair.of(found.columnar), capture[:end])
    capture_alike(Pair.of(found.columnar), b"\xff" * 200)


TWICE = """\
protocol: twice
byte_order: big
record:
  length: length
  proof: {valid: length >= 5 and length == again}
  fields:
    - {name: kind, type: u8}
    - {name: length, type: u16, derive: size(record)}
    - {section: body, size: length - 5}
    - {name: again, type: u16, derive: size(record)}
---
message: only
match: {}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""


def test_a_capture_that_ends_in_front_of_a_length_that_stands_at_a_fixed_place() -> None:
    pair, record = Pair.of(compiled.of(TWICE).columnar), bytes.fromhex("00 0006 61 0006")
    for size in range(len(record)):
        table = capture_alike(pair, record + record[:size])
        assert table.num_rows == 1 + bool(size)
