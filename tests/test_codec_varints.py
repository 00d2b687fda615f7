"""Integers of variable length, against the examples of the documents that define them."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wireloom.codec import DecodeError, EncodeError, Leb128, ZigZag
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer


def written(kind: Leb128 | ZigZag, value: Any) -> bytes:
    """``value`` as bytes."""
    writer = Writer()
    kind.build_stream(value, writer)
    return bytes(writer.buffer)


def read(kind: Leb128 | ZigZag, data: bytes) -> int:
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


@settings(derandomize=True)
@given(value=st.integers(0, 2**64 - 1))
def test_any_unsigned_number_comes_back(value: int) -> None:
    assert read(Leb128(64), written(Leb128(64), value)) == value


@settings(derandomize=True)
@given(value=st.integers(-(2**63), 2**63 - 1))
def test_any_signed_number_comes_back(value: int) -> None:
    assert read(ZigZag(64), written(ZigZag(64), value)) == value


@settings(derandomize=True)
@given(data=st.binary(min_size=1, max_size=12), bits=st.sampled_from([32, 64]))
def test_what_is_read_is_written_back_as_it_was(data: bytes, bits: int) -> None:
    reader = Reader(data)
    with suppress(DecodeError):
        value = Leb128(bits)._parse(reader, {}, "")
        assert written(Leb128(bits), value) == data[: reader.pos]


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


@pytest.mark.parametrize(("kind", "value"), [(Leb128(32), 2**32), (Leb128(64), -1), (ZigZag(32), 2**31)])
def test_numbers_that_do_not_fit_are_refused(kind: Leb128 | ZigZag, value: Any) -> None:
    with pytest.raises(EncodeError, match=f"does not fit {kind.bits} bits"):
        written(kind, value)


def test_only_a_whole_number_is_written_as_one() -> None:
    with pytest.raises(EncodeError, match="a whole number expected, not '1'"):
        written(Leb128(32), "1")
