"""Numbers in ASCII digits: each is what ``printf`` makes of it, and many are read as each is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.alone import read_together

from wireloom.codec import Ascii, DecodeError, EncodeError, Padded, Rest, Size
from wireloom.codec.ends import Until
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer

TAR = Ascii(Padded(8, b"\0", Until(b"\0", unterminated=True)), 24, base=8, digits=7)
SUM = Ascii(Padded(8, b" ", Until(b"\0", unterminated=True)), 24, base=8, digits=6)
CPIO = Ascii(Size(8), 32, base=16, digits=8)
UPPER = Ascii(Size(16), 64, base=16, digits=16, upper=True)
AR = Ascii(Padded(10, b" "), 34)
RIGHT = Ascii(Size(6), 21, fill=b" ", width=6, signed=True)
SIGNED = Ascii(Size(5), 18, digits=5, signed=True)
REST = Ascii(Rest(), 64, signed=True)
FORMS = {
    "tar": (TAR, b"%07o\0"),
    "sum": (SUM, b"%06o\0 "),
    "cpio": (CPIO, b"%08x"),
    "upper": (UPPER, b"%016X"),
    "ar": (AR, b"%-10d"),
    "right": (RIGHT, b"%6d"),
    "signed": (SIGNED, b"%05d"),
    "rest": (REST, b"%d"),
}


def written(kind: Ascii, value: Any) -> bytes:
    """The bytes of a value."""
    writer = Writer({})
    kind._build(value, writer, {}, "")
    return bytes(writer.buffer)


def read(kind: Ascii, data: bytes) -> int | None:
    """The value that the bytes have."""
    value: int | None = kind._parse(Reader(data, {}), {}, "")
    return value


@pytest.mark.parametrize(("kind", "form"), FORMS.values(), ids=FORMS)
@settings(derandomize=True)
@given(number=st.integers(0, 9999), is_negative=st.booleans())
def test_numbers_are_written_as_printf_writes_them(kind: Ascii, form: bytes, number: int, is_negative: bool) -> None:
    value = -number if is_negative and kind.signed else number
    assert written(kind, value) == form % value
    assert read(kind, form % value) == value


@pytest.mark.parametrize(
    ("kind", "value", "what"),
    [
        (CPIO, 1 << 32, "4294967296 does not fit 32 bits"),
        (CPIO, -1, "-1 does not fit 32 bits"),
        (CPIO, None, "missing"),
        (CPIO, "12", "a whole number expected, not '12'"),
        (SIGNED, 100000, "5 bytes expected, 6 given"),
        (SIGNED, -10000, "5 bytes expected, 6 given"),
        (RIGHT, 1_000_000, "6 bytes expected, 7 given"),
        (AR, 10**10, "10 bytes cannot hold it: it takes 11"),
        (TAR, 8**8, "16777216 does not fit 24 bits"),
    ],
)
def test_what_cannot_be_written_is_told(kind: Ascii, value: Any, what: str) -> None:
    with pytest.raises(EncodeError) as found:
        written(kind, value)
    assert str(found.value) == what


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"   644 \0", 0o644),
        (b"\0\0\0\0\0\0\0\0", None),
        (b"        ", None),
        (b"0000008\0", None),
        (b"\x80\0\0\0\0\0\0\x01", None),
        (b"+0644\0\0\0", 0o644),
        (b"-0644\0\0\0", None),
        (b"0000644 ", 0o644),
        (b"0_644\0\0\0", None),
        (b"0o644\0\0\0", None),
    ],
)
def test_with_raw_what_programs_write_is_read(data: bytes, value: int | None) -> None:
    assert read(TAR.lenient(), data) == value


def test_no_digits_take_long() -> None:
    for digits in (b"0" * 1_000_000, b"9" * 1_000_000, b" " * 1_000_000 + b"x"):
        with pytest.raises(DecodeError):
            read(REST, digits)


@pytest.mark.parametrize("kind", [kind for kind, _ in FORMS.values()], ids=FORMS)
def test_many_are_read_as_each_is(kind: Ascii) -> None:
    """The numbers at the ends and between, and many characters at every place of some of them."""
    numbers = {0, 1, 7, 420, kind.most, kind.least, kind.most // 3}
    records = []
    for number in numbers:
        try:
            records.append(written(kind, number))
        except EncodeError:
            continue
    for sample in records[:3]:
        for at in range(len(sample)):
            records += [sample[:at] + bytes([octet]) + sample[at + 1 :] for octet in b"\0 +-/0179:@AFGafg\xff"]
    if isinstance(kind.extent, Rest):
        records += [b"", b"-", b"00", b"9" * 19, b"9" * 20, b"-9223372036854775809", b"0" * 70, b"1" * 200]
    expected = []
    for data in records:
        try:
            expected.append(read(kind, data))
        except DecodeError:
            expected.append(None)
    found = read_together(kind, records).to_pylist()
    assert found == expected
