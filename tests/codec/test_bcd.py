"""Packed decimals, by their definition: two digits a byte, then a sign nibble. It is written C for plus, D for minus,
F without a sign; A, C, E and F are read as plus, B and D as minus (IBM, z/Architecture Principles of Operation).
"""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import compiled
from support.alone import read_together

from wireloom.codec import Bcd, Column, DecodeError, EncodeError
from wireloom.codec.coercion import Coercion
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer

NINES = 10**38 - 1
SIGNS = (None, "signed", "unsigned")


def written(kind: Bcd, value: Any) -> bytes:
    """``value`` as bytes."""
    writer = Writer()
    (value,) = Coercion([Column("", kind.type)])([value])
    kind.build_stream(value, writer)
    return bytes(writer.buffer)


def read(kind: Bcd, data: bytes) -> int | Decimal:
    """The number that ``data`` is."""
    reader = Reader(data)
    value: int | Decimal = kind.parse_stream(reader)
    assert reader.pos == len(data)
    return value


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        (Bcd(1), 7, "07"),
        (Bcd(2), 42, "42"),
        (Bcd(3), 42, "00 42"),
        (Bcd(1, sign="signed"), 7, "7c"),
        (Bcd(3, sign="signed"), -123, "12 3d"),
        (Bcd(4, sign="signed"), -123, "00 12 3d"),
        (Bcd(3, sign="signed"), 0, "00 0c"),
        (Bcd(3, sign="unsigned"), 123, "12 3f"),
        (Bcd(5, scale=2, sign="signed"), Decimal("-123.45"), "12 34 5d"),
        (Bcd(2, scale=2), Decimal("0.05"), "05"),
        (Bcd(38), NINES, "99" * 19),
        (Bcd(8, little=True), 12345678, "78 56 34 12"),
        (Bcd(3, little=True), 123, "23 01"),
        (Bcd(4, low=True), 1234, "21 43"),
        (Bcd(4, little=True, low=True), 1234, "43 21"),
        (Bcd(3, sign="signed", little=True), -123, "3d 12"),
        (Bcd(3, sign="signed", low=True), -123, "21 d3"),
        (Bcd(38, sign="signed"), -NINES, "09" + "99" * 18 + "9d"),
        (Bcd(38, scale=38, sign="signed"), Decimal(f"{NINES}e-38"), "09" + "99" * 18 + "9c"),
    ],
)
def test_a_number_has_its_digits_and_its_sign(kind: Bcd, value: Any, data: str) -> None:
    assert written(kind, value) == bytes.fromhex(data)
    assert read(kind, bytes.fromhex(data)) == value
    assert str(read(kind, bytes.fromhex(data))) == str(value)


@pytest.mark.parametrize(
    ("kind", "data", "reason"),
    [
        (Bcd(4), "12 3a", "invalid: record at byte 1: a decimal digit expected, found a"),
        (Bcd(4, little=True), "12 3a", "invalid: record at byte 1: a decimal digit expected, found a"),
        (Bcd(4, little=True), "a2 34", "invalid: record at byte 0: a decimal digit expected, found a"),
        (Bcd(3, little=True), "12 34", "invalid: record at byte 1: a leading nibble 0 expected, found 3"),
        (Bcd(4), "f2 34", "invalid: record at byte 0: a decimal digit expected, found f"),
        (Bcd(3), "12 34", "invalid: record at byte 0: a leading nibble 0 expected, found 1"),
        (Bcd(3, sign="signed"), "12 3f", "invalid: record at byte 1: the sign c expected, found f"),
        (Bcd(3, sign="signed"), "12 3b", "invalid: record at byte 1: the sign d expected, found b"),
        (Bcd(3, sign="signed").lenient(), "12 34", "invalid: record at byte 1: a sign (a to f) expected, found 4"),
        (Bcd(3, sign="unsigned"), "12 3c", "invalid: record at byte 1: the sign f expected, found c"),
        (
            Bcd(3, sign="unsigned").lenient(),
            "12 3d",
            "invalid: record at byte 1: a number without a minus expected, found the sign d",
        ),
        (Bcd(3, sign="signed"), "00 0d", "invalid: record at byte 1: the sign c expected, found d"),
        (Bcd(3, sign="signed"), "12", "truncated: record at byte 0: needs 2 bytes, 1 left"),
    ],
)
def test_other_nibbles_are_malformed(kind: Bcd, data: str, reason: str) -> None:
    with pytest.raises(DecodeError) as found:
        read(kind, bytes.fromhex(data))
    assert found.value.reason == reason


@pytest.mark.parametrize(
    ("kind", "value", "what"),
    [
        (Bcd(3), 1000, "1000 does not fit 3 digits"),
        (Bcd(3, sign="signed"), -1000, "-1000 does not fit 3 digits"),
        (Bcd(3), -1, "-1 is negative, and has no sign"),
        (Bcd(3, sign="unsigned"), -1, "-1 is negative, and has no sign"),
        (Bcd(3), None, "missing"),
        (Bcd(3, scale=1), None, "missing"),
        (Bcd(3), "12", "a whole number expected, not '12'"),
        (Bcd(3), Decimal("1.5"), "a whole number expected, not 1.5"),
        (Bcd(3, scale=1), 1.5, "a decimal expected, not 1.5"),
        (Bcd(3, scale=1), "1.5", "a decimal expected, not '1.5'"),
        (Bcd(3, scale=1), Decimal("1.55"), "1.55 has more than 1 digit behind the point"),
        (Bcd(3, scale=1), Decimal("100.5"), "100.5 does not fit 3 digits"),
        (Bcd(3, scale=1), Decimal(100), "100 does not fit 3 digits"),
        (Bcd(3, scale=1), Decimal("NaN"), "a decimal expected, not nan"),
        (Bcd(3, scale=1), Decimal("Infinity"), "Infinity does not fit 3 digits"),
        (Bcd(3, scale=1), Decimal("1e999999"), "1E+999999 does not fit 3 digits"),
        (Bcd(3), 1 << 1000, "a number of 1001 bits does not fit 3 digits"),
    ],
)
def test_what_cannot_be_written_is_told(kind: Bcd, value: Any, what: str) -> None:
    with pytest.raises(EncodeError) as found:
        written(kind, value)
    assert str(found.value) == what


def test_whole_numbers_may_be_decimals_and_decimals_whole_numbers() -> None:
    assert written(Bcd(3), Decimal("12.00")) == bytes.fromhex("0012")
    assert written(Bcd(4, scale=2), 12) == bytes.fromhex("1200")
    assert written(Bcd(4, scale=2, sign="signed"), Decimal("-0.0")) == bytes.fromhex("00000c")


@settings(derandomize=True)
@given(st.binary(min_size=2, max_size=2), st.integers(1, 4), st.sampled_from(SIGNS))
def test_what_is_read_is_written_back(data: bytes, digits: int, sign: str | None) -> None:
    kind = Bcd(digits, sign=sign)
    try:
        value = read(kind, data[: kind.size])
    except DecodeError:
        return
    assert written(kind, value) == data[: kind.size]


SPEC = """\
protocol: signs
byte_order: big
record: {length: 12, fields: [{section: body, size: rest}]}
---
message: amounts
match: {}
sections:
  body:
    - {name: signed, type: bcd, digits: 3, sign: signed}
    - {name: scaled, type: bcd, digits: 2, scale: 2, sign: signed, raw: scaled_as_read}
    - {name: unsigned, type: bcd, digits: 3, sign: unsigned}
    - {name: parts, type: bcd, digits: 3, sign: signed, repeat: {count: 2}}
    - {name: last, type: bcd, digits: 3, sign: signed, at: size(record) - 2}
"""


def test_every_sign_that_machines_write_is_read_and_comes_back() -> None:
    """In the codec and in columns: what the definition says of each sign, and the bytes that were there."""
    protocol = compiled.of(SPEC)
    every = [(f"{number:03}", sign) for number in (0, 5, 120) for sign in "0123456789abcdef"]
    data = [bytes.fromhex("123c 012c 123f 123c 123c 123c")]
    for number, sign in every:
        value = f"{number}{sign}"
        data += [
            bytes.fromhex(f"{value} 012c 123f 123c 123c 123c"),
            bytes.fromhex(f"123c 0{value[1:]} 123f 123c 123c 123c"),
            bytes.fromhex(f"123c 012c {value} 123c 123c 123c"),
            bytes.fromhex(f"123c 012c 123f 123c {value} 123c"),
            bytes.fromhex(f"123c 012c 123f 123c 123c {value}"),
        ]
    rows = list(protocol.codec.iter_records(b"".join(data), mode="PERMISSIVE"))
    expected = [_meaning(record.hex()) for record in data]
    assert [row["amounts"] and _numbers(row["amounts"]) for row in rows] == expected
    table = protocol.columnar.decode_columnar(b"".join(data), mode="PERMISSIVE")
    assert [row["amounts"] and _numbers(row["amounts"]) for row in table.to_pylist()] == expected
    sound = [(row, record) for row, record in zip(rows, data, strict=True) if row["amounts"]]
    assert [protocol.codec.build(row) for row, _ in sound] == [record for _, record in sound]
    again = protocol.columnar.encode_columnar(
        protocol.columnar.decode_columnar(b"".join(record for _, record in sound))
    )
    assert again == b"".join(record for _, record in sound)


def _numbers(amounts: Any) -> list[Any]:
    return [amounts["signed"], amounts["scaled"], amounts["unsigned"], *amounts["parts"], amounts["last"]]


def _meaning(record: str) -> list[Any] | None:
    """The numbers of a record, or None if one of its nibbles is no sign or its minus cannot be."""
    found: list[Any] = []
    for at in range(0, 24, 4):
        number, sign = int(record[at : at + 3]), record[at + 3]
        if sign.isdecimal() or (sign in "bd" and at == 8 and number):
            return None
        signed = -number if sign in "bd" else number
        found.append(Decimal(signed).scaleb(-2) if at == 4 else signed)
    return found


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("digits", range(1, 39))
def test_many_are_read_as_each_is(digits: int, sign: str | None) -> None:
    """The numbers at the ends and between, and every nibble at every place of one of them."""
    kind = Bcd(digits, scale=digits // 2, sign=sign)
    numbers = sorted({0, 1, 5, 10 ** (digits - 1), 10**digits - 1, int("1234567890" * 4) % 10**digits})
    numbers += [-number for number in numbers if number and sign == "signed"]
    records = [written(kind, Decimal(f"{number}e-{kind.scale}")) for number in numbers]
    sample = records[len(records) // 2].hex()
    records += [
        bytes.fromhex(f"{sample[:at]}{nibble:x}{sample[at + 1 :]}") for at in range(len(sample)) for nibble in range(16)
    ]
    expected = []
    for data in records:
        try:
            expected.append(read(kind, data))
        except DecodeError:
            expected.append(None)
    assert read_together(kind, records).to_pylist() == expected
