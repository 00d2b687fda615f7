"""Integers of variable length, against the examples of the documents that define them."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wireloom.codec import DecodeError, EncodeError, Leb128, Protobuf, Quic, SignedLeb128, Vlq, ZigZag
from wireloom.codec.reader import Reader
from wireloom.codec.varints import Varint
from wireloom.codec.writer import Writer


def written(kind: Varint, value: Any) -> bytes:
    """``value`` as bytes."""
    writer = Writer()
    kind.build_stream(value, writer)
    return bytes(writer.buffer)


def read(kind: Varint, data: bytes) -> int:
    """The number at the beginning of ``data``, which must be all of it."""
    reader = Reader(data)
    value: int = kind.parse_stream(reader)
    assert reader.pos == len(data)
    return value


@pytest.mark.parametrize(
    ("value", "data"),
    [  # the DWARF standard's and Couchbase's own (Collections.md: 0x5555), and the bounds
        (0, "00"),
        (2, "02"),
        (127, "7f"),
        (128, "80 01"),
        (129, "81 01"),
        (12857, "b9 64"),
        (0x5555, "d5 aa 01"),
        (624485, "e5 8e 26"),
        (2**32 - 1, "ff ff ff ff 0f"),
    ],
)
@pytest.mark.parametrize("bits", [32, 64])
def test_leb128(bits: int, value: int, data: str) -> None:
    assert written(Leb128(bits), value) == bytes.fromhex(data)
    assert read(Leb128(bits), bytes.fromhex(data)) == value


@pytest.mark.parametrize(
    ("value", "unsigned"),  # the table of the Protocol Buffers encoding
    [(0, 0), (-1, 1), (1, 2), (-2, 3), (2**31 - 1, 2**32 - 2), (-(2**31), 2**32 - 1)],
)
@pytest.mark.parametrize("bits", [32, 64])
def test_zig_zag(bits: int, value: int, unsigned: int) -> None:
    assert written(ZigZag(bits), value) == written(Leb128(bits), unsigned)
    assert read(ZigZag(bits), written(Leb128(bits), unsigned)) == value


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        # the DWARF standard
        (SignedLeb128(32), 2, "02"),
        (SignedLeb128(32), -2, "7e"),
        (SignedLeb128(32), 127, "ff 00"),
        (SignedLeb128(32), -127, "81 7f"),
        (SignedLeb128(32), 128, "80 01"),
        (SignedLeb128(32), -128, "80 7f"),
        (SignedLeb128(32), 129, "81 01"),
        (SignedLeb128(32), -129, "ff 7e"),
        (SignedLeb128(32), -(2**31), "80 80 80 80 78"),
        (SignedLeb128(33), 2**32 - 1, "ff ff ff ff 0f"),
        # Protocol Buffers
        (Protobuf(32), 150, "96 01"),
        (Protobuf(32), -2, "fe ff ff ff ff ff ff ff ff 01"),
        (Protobuf(64), -1, "ff ff ff ff ff ff ff ff ff 01"),
        # MQTT
        (Leb128(28), 16_384, "80 80 01"),
        (Leb128(28), 268_435_455, "ff ff ff 7f"),
        # Standard MIDI Files
        (Vlq(28), 0x40, "40"),
        (Vlq(28), 0x80, "81 00"),
        (Vlq(28), 0x2000, "c0 00"),
        (Vlq(28), 0x3FFF, "ff 7f"),
        (Vlq(28), 0x100000, "c0 80 00"),
        (Vlq(28), 0x0FFFFFFF, "ff ff ff 7f"),
        # RFC 9000
        (Quic(62), 37, "25"),
        (Quic(62), 15_293, "7b bd"),
        (Quic(62), 494_878_333, "9d 7f 3e 7d"),
        (Quic(62), 151_288_809_941_952_652, "c2 19 7c 5e ff 14 e8 8c"),
    ],
)
def test_numbers_are_as_their_documents_have_them(kind: Varint, value: int, data: str) -> None:
    assert written(kind, value) == bytes.fromhex(data)
    assert read(kind, bytes.fromhex(data)) == value


KINDS = st.one_of(
    st.builds(Quic, st.just(62)),
    *(st.builds(kind, st.integers(1, 64)) for kind in (Leb128, SignedLeb128, ZigZag, Protobuf, Vlq)),
)


@settings(derandomize=True)
@given(kind=KINDS, data=st.data())
def test_any_number_comes_back(kind: Varint, data: st.DataObject) -> None:
    value = data.draw(st.integers(kind.least, kind.most))
    assert read(kind, written(kind, value)) == value
    assert len(written(kind, value)) <= kind.longest


@settings(derandomize=True)
@given(data=st.binary(min_size=1, max_size=12), kind=KINDS)
def test_what_is_read_is_written_back_as_it_was(data: bytes, kind: Varint) -> None:
    reader = Reader(data)
    with suppress(DecodeError):
        value = kind._parse(reader, {}, "")
        assert written(kind, value) == data[: reader.pos]


@settings(derandomize=True)
@given(data=st.binary(min_size=1, max_size=12), kind=KINDS)
def test_a_lenient_one_reads_what_another_reads_and_more(data: bytes, kind: Varint) -> None:
    lenient, reader = kind.lenient(), Reader(data)
    with suppress(DecodeError):
        value = kind._parse(reader, {}, "")
        assert lenient._parse(again := Reader(data), {}, "") == value
        assert again.pos == reader.pos
    with suppress(DecodeError):
        value = lenient._parse(reader := Reader(data), {}, "")
        assert len(written(kind, value)) <= reader.pos or isinstance(kind, Protobuf)


@pytest.mark.parametrize(
    ("kind", "data", "value"),
    [
        (Quic(62), "40 25", 37),
        (Quic(62), "c0 00 00 00 00 00 00 25", 37),
        (Vlq(28), "80 80 07", 7),
        (SignedLeb128(32), "fe ff 7f", -2),
        (ZigZag(32), "83 80 00", -2),
        (Protobuf(32), "ff ff ff ff 0f", -1),  # of five bytes, as some write it
    ],
)
def test_longer_forms_say_the_same(kind: Varint, data: str, value: int) -> None:
    assert read(kind.lenient(), bytes.fromhex(data)) == value
    with pytest.raises(DecodeError):
        read(kind, bytes.fromhex(data))


@pytest.mark.parametrize(
    ("bits", "data", "reason"),
    [
        (32, "80", "truncated: record at byte 1: needs 1 byte, 0 left"),
        (32, "80 00", "leb128: record at byte 0: not the shortest form"),
        (32, "ff 80 00", "leb128: record at byte 0: not the shortest form"),
        (32, "80 80 80 80 80 01", "leb128: record at byte 0: no stop byte within 5 bytes"),
        (32, "ff ff ff ff 10", "leb128: record at byte 0: more than 32 bits"),
        (64, "ff ff ff ff ff ff ff ff ff 02", "leb128: record at byte 0: more than 64 bits"),
        (64, "80 80 80 80 80 80 80 80 80 80 01", "leb128: record at byte 0: no stop byte within 10 bytes"),
    ],
)
def test_other_forms_are_malformed(bits: int, data: str, reason: str) -> None:
    with pytest.raises(DecodeError) as raised:
        Leb128(bits)._parse(Reader(bytes.fromhex(data)), {}, "")
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Leb128(32), 2**32), (Leb128(64), -1), (ZigZag(32), 2**31), (Quic(62), 2**62), (SignedLeb128(8), -129)],
)
def test_numbers_that_do_not_fit_are_refused(kind: Varint, value: Any) -> None:
    with pytest.raises(EncodeError, match=f"does not fit {kind.bits} bits"):
        written(kind, value)


def test_only_a_whole_number_is_written_as_one() -> None:
    with pytest.raises(EncodeError, match="a whole number expected, not '1'"):
        written(Leb128(32), "1")
