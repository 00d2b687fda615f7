"""Escaped bytes as others escape them: cobs, sliplib, yahdlc and mutagen."""

from io import BytesIO
from itertools import product
from random import Random

import pytest
import sliplib
import yahdlc
from cobs import cobs
from mutagen.id3._util import unsynch
from support import compiled

from wireloom.codec import DecodeError
from wireloom.codec.escapes import ESCAPINGS, EscapePairs, Escaping

COBS, SLIP, SYNCHRONISED = (ESCAPINGS[name] for name in ("cobs", "slip", "unsynchronisation"))


def some_bytes() -> list[bytes]:
    """All short strings of some bytes, and long ones of few and many kinds."""
    random, special = Random(5), bytes.fromhex("00 01 41 c0 db dc dd e0 ff")
    short = [bytes(each) for size in range(4) for each in product(special, repeat=size)]
    sizes = (253, 254, 255, 508, 509, 1000)
    dense = [b"a" * size + end for size in sizes for end in (b"", b"\0", b"\0\0", b"b\0")]
    return [*short, *dense, *(random.randbytes(size) for size in sizes)]


def read_by(escaping: Escaping, data: bytes) -> bytes | None:
    try:
        return escaping.unescape(data)
    except DecodeError:
        return None


def test_cobs() -> None:
    for data in some_bytes():
        assert COBS.escape(data) == cobs.encode(data)
        assert COBS.canonical(cobs.encode(data)) == data
        try:
            told = cobs.decode(data)
        except cobs.DecodeError:
            told = None
        assert read_by(COBS, data) == told


def test_slip() -> None:
    for data in some_bytes():
        escaped = sliplib.encode(data)
        assert SLIP.escape(data) == escaped
        assert SLIP.canonical(escaped) == data
        try:
            told = sliplib.decode(data) if b"\xc0" not in data else None
        except sliplib.ProtocolError:
            told = None
        assert read_by(SLIP, data) == told


def test_unsynchronisation() -> None:
    for data in some_bytes():
        assert SYNCHRONISED.escape(data) == unsynch.encode(data)
        try:
            told = unsynch.decode(data)
        except ValueError:
            told = None
        assert read_by(SYNCHRONISED, data) == told


def test_dle_is_doubled() -> None:
    assert ESCAPINGS["dle"].escape(b"\x10a\x10\x10") == b"\x10\x10a\x10\x10\x10\x10"
    assert read_by(ESCAPINGS["dle"], b"\x10\x10\x10\x10") == b"\x10\x10"
    assert read_by(ESCAPINGS["dle"], b"\x10\x10\x10") is None


@pytest.mark.parametrize(
    ("data", "detail", "offset"),
    [("41c0", "c0 must be escaped", 1), ("4141dbdb", "dbdb is no escape", 2), ("dbdcdb", "db ends it", 2)],
)
def test_what_is_wrong_is_named_with_its_place(data: str, detail: str, offset: int) -> None:
    with pytest.raises(DecodeError) as caught:
        SLIP.unescape(bytes.fromhex(data))
    assert (caught.value.detail, caught.value.offset) == (detail, offset)


def test_the_first_of_several_codes_is_written() -> None:
    pairs = EscapePairs(1, {5: 1, 6: 0, 7: 0})
    assert pairs.escape(b"\0\1") == b"\1\6\1\5"
    assert pairs.unescape(b"\1\6\1\7") == b"\0\0"
    with pytest.raises(ValueError, match=r"^$"):
        pairs.canonical(b"\1\7")


HDLC = """
protocol: hdlc
byte_order: big
record:
  between: {flag: "7e", unescape: hdlc, raw: frame}
  fields:
    - {name: address, type: u8}
    - {name: control, type: u8}
    - {section: body, size: rest - 2}
    - {name: fcs, type: u16, byte_order: little, checksum: {algorithm: crc16_ibm_sdlc, from: 0, to: offset(fcs)}}
---
message: data
match: {}
sections: {body: [{name: data, type: bytes, size: rest}]}
"""


def test_frames_of_hdlc() -> None:
    codec, random = compiled.of(HDLC).codec, Random(2)
    contents = [bytes(random.choices(b"\x7d\x7e\x5d\x5e\x11a", k=random.randrange(40))) for _ in range(300)]
    frames = [yahdlc.frame_data(data, yahdlc.FRAME_DATA, number % 8) for number, data in enumerate(contents)]
    rows = list(codec.iter_records(b"".join(frames)))
    assert [row["data"]["data"] for row in rows] == contents
    assert {row["address"] for row in rows} == {0xFF}
    assert all(row["frame"] is None for row in rows)
    assert [codec.build(row) for row in rows] == frames
    shared = frames[0] + b"".join(frame[1:] for frame in frames[1:])
    assert [row["data"]["data"] for row in codec.iter_records(shared)] == contents


def test_yahdlc_reads_what_is_written() -> None:
    codec = compiled.of(HDLC).codec
    for data in (b"", b"~}~", bytes(range(256))):
        row = {"address": 0xFF, "control": 0x10, "data": {"data": data}}
        assert yahdlc.get_data(codec.build(row)) == (data, yahdlc.FRAME_DATA, 0)


def test_records_are_taken_from_a_stream_one_by_one() -> None:
    codec = compiled.of(HDLC).codec
    frames = [codec.build({"address": 1, "control": 2, "data": {"data": data}}) for data in (b"a", b"~", b"")]
    stream = BytesIO(b"~~" + frames[0] + frames[1][1:] + frames[2] + b"~")
    found = [codec.parse_stream(stream) for _ in frames]
    assert [row["data"]["data"] for row in found] == [b"a", b"~", b""]
    with pytest.raises(DecodeError, match="no record after a flag 7e"):
        codec.parse_stream(stream)


def test_kept_bytes_are_written_as_long_as_they_mean_the_row() -> None:
    codec = compiled.of(HDLC).codec
    frame = codec.build({"address": 1, "control": 2, "data": {"data": b"ab"}})
    kept = b"~~" + frame.replace(b"ab", b"}Ab")
    row = codec.parse(kept)
    assert row["data"]["data"] == b"ab"
    assert (row["frame"], codec.build(row)) == (kept, kept)
    row["data"]["data"], row["fcs"] = b"cd", None
    assert codec.build(row) == codec.build({"address": 1, "control": 2, "data": {"data": b"cd"}})
    stale = {"address": 1, "control": 2, "data": {"data": b"ab"}}
    assert codec.build({**stale, "frame": frame + frame}) == codec.build({**stale, "frame": b""}) == frame
