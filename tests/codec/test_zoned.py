"""Zoned decimals, by their definition: a digit a byte in EBCDIC (F0 to F9) or ASCII. A sign is the zone of a digit, C
for plus and D for minus; A, E and F are read as plus, B as minus (IBM, z/Architecture Principles of Operation). In
ASCII, digits with signs are the characters that EBCDIC has there: "{", "A" to "I" and "}", "J" to "R".
"""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom.codec import Column, DecodeError, EncodeError, Zoned
from wireloom.codec.coercion import Coercion
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer

NINES = 10**38 - 1


def written(kind: Zoned, value: Any) -> bytes:
    """``value`` as bytes."""
    writer = Writer()
    (value,) = Coercion([Column("", kind.type)])([value])
    kind.build_stream(value, writer)
    return bytes(writer.buffer)


def read(kind: Any, data: bytes) -> Any:
    """The number that ``data`` is."""
    reader = Reader(data)
    value = kind.parse_stream(reader)
    assert reader.pos == len(data)
    return value


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        (Zoned(4), 42, "f0f0f4f2"),
        (Zoned(4, encoding="ascii"), 42, "30303432"),
        (Zoned(5, scale=2, sign="trailing"), Decimal("123.45"), "f1f2f3f4c5"),
        (Zoned(5, scale=2, sign="trailing"), Decimal("-0.05"), "f0f0f0f0d5"),
        (Zoned(1, sign="trailing"), 0, "c0"),
        (Zoned(3, sign="leading"), -123, "d1f2f3"),
        (Zoned(3, sign="trailing_separate"), 123, "f1f2f34e"),
        (Zoned(3, sign="trailing_separate"), -123, "f1f2f360"),
        (Zoned(3, sign="leading_separate"), -1, "60f0f0f1"),
        (Zoned(2, sign="leading_separate", encoding="ascii"), -1, b"-01".hex()),
        (Zoned(2, sign="trailing_separate", encoding="ascii"), 1, b"01+".hex()),
        (Zoned(38), NINES, "f9" * 38),
        (Zoned(38, scale=38, sign="trailing"), Decimal(f"-{NINES}e-38"), "f9" * 37 + "d9"),
    ],
)
def test_a_number_has_its_digits_and_its_sign(kind: Zoned, value: Any, data: str) -> None:
    assert written(kind, value) == bytes.fromhex(data)
    assert read(kind, bytes.fromhex(data)) == value
    assert str(read(kind, bytes.fromhex(data))) == str(value)


@pytest.mark.parametrize("sign", ["trailing", "leading"])
@pytest.mark.parametrize("digit", range(10))
def test_digits_with_signs_in_ascii_are_the_characters_of_those_in_ebcdic(digit: int, sign: str) -> None:
    for value in (10 * digit + digit, -10 * digit - digit):
        octets = bytearray(written(Zoned(2, sign=sign), value))
        assert written(Zoned(2, sign=sign, encoding="ascii"), value) == octets.decode("cp037").encode("ascii")


@given(st.integers(1, 38), st.sampled_from(["ebcdic", "ascii"]), st.data())
@pytest.mark.parametrize("sign", ["", "trailing", "leading", "trailing_separate", "leading_separate"])
def test_any_number_comes_back(sign: str, digits: int, encoding: str, data: st.DataObject) -> None:
    kind, most = Zoned(digits, sign=sign, encoding=encoding), 10**digits - 1
    value = data.draw(st.integers(-most if sign else 0, most))
    assert read(kind, written(kind, value)) == value


@given(st.sampled_from(["ebcdic", "ascii"]), st.data())
@pytest.mark.parametrize("sign", ["", "trailing", "leading", "trailing_separate", "leading_separate"])
def test_what_is_read_is_written_back_as_it_was(sign: str, encoding: str, data: st.DataObject) -> None:
    kind = Zoned(2, sign=sign, encoding=encoding)
    octets = bytes(data.draw(st.lists(st.integers(0x20, 0xFF), min_size=kind.size, max_size=kind.size)))
    try:
        value = read(kind, octets)
    except DecodeError:
        return
    assert written(kind, value) == octets


@pytest.mark.parametrize(
    ("encoding", "octet", "value"),
    [
        *(("ebcdic", zone << 4 | 7, 7) for zone in (0xA, 0xC, 0xE, 0xF)),
        *(("ebcdic", zone << 4 | 7, -7) for zone in (0xB, 0xD)),
        *(("ascii", ord(char), 7) for char in "G7"),
        *(("ascii", ord(char), -7) for char in "Pw"),
    ],
)
def test_a_lenient_one_reads_every_sign(encoding: str, octet: int, value: int) -> None:
    kind = Zoned(1, sign="trailing", encoding=encoding)
    assert read(kind.lenient(), bytes([octet])) == value
    if written(kind, value) != bytes([octet]):
        with pytest.raises(DecodeError):
            read(kind, bytes([octet]))


@pytest.mark.parametrize(
    ("kind", "data", "reason"),
    [
        (Zoned(3), "f1f2fa", "invalid: record at byte 2: a decimal digit expected, found fa"),
        (Zoned(3), "f1e2f3", "invalid: record at byte 1: a decimal digit expected, found e2"),
        (Zoned(3), "f1f2c3", "invalid: record at byte 2: a decimal digit expected, found c3"),
        (Zoned(3, encoding="ascii"), "f1f2f3", "invalid: record at byte 0: a decimal digit expected, found f1"),
        (Zoned(2, sign="trailing"), "f1f2", "invalid: record at byte 1: the sign c2 expected, found f2"),
        (Zoned(2, sign="trailing"), "f0d0", "invalid: record at byte 1: the sign c0 expected, found d0"),
        (Zoned(2, sign="trailing"), "f1ca", "invalid: record at byte 1: a digit with a sign expected, found ca"),
        (Zoned(2, sign="leading"), "91f2", "invalid: record at byte 0: a digit with a sign expected, found 91"),
        (Zoned(1, sign="trailing_separate"), "f140", "invalid: record at byte 1: a sign expected, found 40"),
        (Zoned(1, sign="leading_separate"), "60f0", "invalid: record at byte 0: the sign 4e expected, found 60"),
        (Zoned(1, sign="leading_separate"), "4efa", "invalid: record at byte 1: a decimal digit expected, found fa"),
        (Zoned(3), "f1f2", "truncated: record at byte 0: needs 3 bytes, 2 left"),
    ],
)
def test_other_bytes_are_malformed(kind: Zoned, data: str, reason: str) -> None:
    with pytest.raises(DecodeError) as refused:
        read(kind, bytes.fromhex(data))
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("kind", "value", "what"),
    [
        (Zoned(3), 1000, "1000 does not fit 3 digits"),
        (Zoned(3), -1, "-1 is negative, and has no sign"),
        (Zoned(3), None, "missing"),
        (Zoned(3, scale=1, sign="trailing"), Decimal("1.55"), "1.55 has more than 1 digit behind the point"),
    ],
)
def test_what_cannot_be_written_is_told(kind: Zoned, value: Any, what: str) -> None:
    with pytest.raises(EncodeError) as refused:
        written(kind, value)
    assert str(refused.value) == what
