"""What numbers and bytes stand for, at the edges: both engines against what Python's own types say."""

import ipaddress
import random
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from support import compiled
from support.compiled import Compiled
from support.lockstep import Pair

from wireloom.codec import DecodeError, EncodeError
from wireloom.codec.meanings import DoubleMeaning, Ipv6Meaning, duration_text, time_text
from wireloom.json_rows import json_reader, json_writer

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SPEC = """
protocol: edge
byte_order: big
record:
  length: {length}
  fields: [{{section: body, size: rest}}]
---
message: one
match: {{}}
sections:
  body: [{{name: it, {field}}}]
"""


@cache
def protocol(field: str, size: int) -> Compiled:
    """A protocol whose records are one field."""
    return compiled.of(SPEC.format(length=size, field=field))


def decoded(field: str, data: bytes) -> Any:
    """The struct of a record by both engines, which agree; or the code of the error of both."""
    found = protocol(field, len(data))
    try:
        one = found.codec.parse(data)["one"]
    except DecodeError as error:
        with pytest.raises(DecodeError, match=error.code):
            found.columnar.decode_columnar(data)
        return error.code
    (many,) = found.columnar.decode_columnar(data)["one"].to_pylist()
    assert many == dict(one)
    assert found.codec.build({"message": "one", "one": many}) == data
    return dict(one)


EDGES = [0, 1, -1, 999, 1000, -999, -1000, -1001, 2**31, 2**63 - 1, -(2**63), 2**62, 10**15, 253402300799, -62135596800]
AROUND = [edge + step for edge in EDGES for step in (-1, 0, 1) if -(2**63) <= edge + step < 2**63]


@pytest.mark.parametrize(
    ("unit", "nanoseconds"),
    [("ns", 1), ("100ns", 100), ("us", 1000), ("ms", 10**6), ("s", 10**9), ("d", 86400 * 10**9)],
)
@pytest.mark.parametrize("epoch", ["1970-01-01", "0001-01-01", "2000-01-01T12:00:00.5"])
def test_a_time_is_the_last_microsecond_that_is_not_after_it(unit: str, nanoseconds: int, epoch: str) -> None:
    first = (datetime.fromisoformat(epoch).replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    last = (datetime.max.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    end = (last + 1 - first) * 1000 // nanoseconds  # the first number behind the year 9999
    field = f'type: i64, as: {{timestamp: {{unit: {unit}, epoch: "{epoch}"}}}}, raw: raw'
    for number in (*AROUND, *(each for each in (end - 1, end, end + 1) if abs(each) < 2**63)):
        exact = first + Fraction(number * nanoseconds, 1000)
        try:
            time = EPOCH + timedelta(microseconds=exact.__floor__())
        except OverflowError:
            time = None
        determined = time is not None and exact.denominator == 1
        row = {"it": time, "raw": None if determined else number}
        assert decoded(field, number.to_bytes(8, "big", signed=True)) == row, number


@pytest.mark.parametrize("number", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_time_of_64_unsigned_bits(number: int) -> None:
    found = decoded("type: u64, as: {timestamp: {unit: ns}}, raw: raw", number.to_bytes(8))
    assert found["it"] == EPOCH + timedelta(microseconds=number // 1000)
    assert found["raw"] == (number if number % 1000 else None)


@pytest.mark.parametrize("number", AROUND)
def test_a_duration_is_no_longer_than_tables_hold(number: int) -> None:
    found = decoded("type: i64, as: {duration: {unit: ms}}", number.to_bytes(8, "big", signed=True))
    fits = -(2**63) <= number * 1000 < 2**63
    assert found == ({"it": timedelta(milliseconds=number)} if fits else "range")


@pytest.mark.parametrize(
    ("scale", "offset"), [("0.01", "-40"), ("1", "0"), ("1/256", "0.5"), ("-0.5", "3"), ("1e3", "7"), ("1e-12", "0")]
)
def test_a_decimal_is_exact(scale: str, offset: str) -> None:
    field = f"type: i64, as: {{decimal: {{scale: {scale}, offset: {offset}}}}}"
    for number in AROUND:
        value = decoded(field, number.to_bytes(8, "big", signed=True))["it"]
        assert Fraction(value) == number * Fraction(scale) + Fraction(offset)


def test_the_least_number_is_read_many_at_once() -> None:
    """Documents often have it stand for none."""
    both = Pair.of(protocol("type: i64, as: {decimal: {scale: 0.001}}", 8).columnar)
    decoder = both.decoder(both.options({}))
    (batch,) = decoder.capture((-(2**63)).to_bytes(8, "big", signed=True))
    assert batch.column("one").to_pylist() == [{"it": Decimal("-9223372036854775.808")}]
    assert decoder.tally.redone == 0


@pytest.mark.parametrize(
    ("scale", "offset"),
    [("0.1", "0"), ("1e-7", "-180"), ("1/3", "0"), ("-0.01", "0.3"), ("1e20", "0"), ("1e-40", "1e-40")],
)
def test_a_double_is_the_nearest(scale: str, offset: str) -> None:
    field = f"type: i32, as: {{double: {{scale: {scale}, offset: {offset}}}}}"
    chance = random.Random(5)
    for number in (0, 3, 2**31 - 1, -(2**31), *(chance.randrange(-(2**31), 2**31) for _ in range(40))):
        value = decoded(field, number.to_bytes(4, "big", signed=True))["it"]
        assert value == float(number * Fraction(scale) + Fraction(offset))


LONG = [2**bits + step for bits in (51, 52, 53, 54, 62, 63, 64) for step in (-3, -2, -1, 0, 1, 2, 3)]


@pytest.mark.parametrize(
    ("type_", "scale", "offset"),
    [
        ("u64", "1/4294967296", "0"),
        ("i64", "-1/4294967296", "0"),
        ("u64", "256", "0"),
        ("i64", "0.1", "0"),
        ("u64", "1/3", "-0.5"),
        ("i48", "1e-7", "1e10"),
    ],
)
def test_the_number_is_kept_where_another_has_the_same_double(type_: str, scale: str, offset: str) -> None:
    bits, signed = int(type_[1:]), type_[0] == "i"
    field = f"type: {type_}, as: {{double: {{scale: {scale}, offset: {offset}}}}}, raw: raw"
    chance = random.Random(6)
    for number in {*LONG, *(-each for each in LONG), *(chance.getrandbits(each) for each in range(65))}:
        if (0, -(1 << bits - 1))[signed] <= number < 1 << bits - signed:
            value = float(number * Fraction(scale) + Fraction(offset))
            determined = round((Fraction(value) - Fraction(offset)) / Fraction(scale)) == number
            row = {"it": value, "raw": None if determined else number}
            assert decoded(field, number.to_bytes(bits // 8, "big", signed=signed)) == row, number


def test_fixed_point_of_64_bits_is_read_beside_its_number() -> None:
    field = "type: u64, as: {double: {scale: 1/4294967296}}, raw: raw"
    both = Pair.of(protocol(field, 8).columnar)
    decoder = both.decoder(both.options({}))
    numbers = [number for number in LONG if number < 2**64]
    batches = decoder.capture(b"".join(number.to_bytes(8) for number in numbers))
    assert sum(batch.num_rows for batch in batches) == len(numbers)


def test_a_double_is_written_as_the_step_nearest_to_it() -> None:
    meaning = DoubleMeaning(scale="0.1")
    assert meaning.written(0.1 + 0.2) == 3
    assert meaning.written(Decimal("21.349")) == 213
    for strange in (float("nan"), float("inf"), True, "1", Decimal("1e999999999")):
        with pytest.raises(EncodeError):
            meaning.written(strange)


def test_an_ipv6_address_has_the_spelling_of_its_standard() -> None:
    chance, meaning = random.Random(7), Ipv6Meaning()
    for _ in range(2000):
        data = b"".join(chance.choice((b"\0\0", b"\0\1", chance.randbytes(2))) for _ in range(8))
        text = meaning.value(data)
        assert ipaddress.IPv6Address(text).packed == data
        if ipaddress.IPv6Address(data).ipv4_mapped is None:
            assert text == str(ipaddress.IPv6Address(data))


@pytest.mark.parametrize("word", ["uuid", "ipv4", "ipv6", "mac"])
def test_bytes_are_spelled_alike_by_both_engines(word: str) -> None:
    size = {"uuid": 16, "ipv4": 4, "ipv6": 16, "mac": 6}[word]
    chance = random.Random(3)
    for data in (bytes(size), b"\xff" * size, *(chance.randbytes(size) for _ in range(20))):
        decoded(f"type: bytes, size: {size}, as: {word}", data)


OBJECTS = {
    "type: bytes, size: 16, as: uuid": (
        UUID("550E8400-e29b-41d4-a716-446655440000"),
        "550E8400-E29B-41D4-A716-446655440000",
    ),
    "type: bytes, size: 4, as: ipv4": (ipaddress.IPv4Address("192.0.2.1"), "192.0.2.1"),
    "type: bytes, size: 16, as: ipv6": (ipaddress.IPv6Address("2001:db8::1"), "2001:0DB8:0::1"),
    "type: bytes, size: 6, as: mac": ("00:50:56:c0:00:01", "00-50-56-C0-00-01"),
    "type: u32, as: {timestamp: {unit: s}}": (
        EPOCH + timedelta(hours=1),
        datetime(1970, 1, 1, 3, tzinfo=timezone(timedelta(hours=2))),
    ),
}


@pytest.mark.parametrize("field", OBJECTS)
def test_other_spellings_and_objects_are_written_the_same(field: str) -> None:
    found = protocol(field, 16 if "16" in field else 6 if "6," in field else 4)
    one, other = (found.codec.build({"message": "one", "one": {"it": value}}) for value in OBJECTS[field])
    assert one == other


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("type: u32, as: {timestamp: {unit: s}}", datetime(2024, 5, 1), "it: 2024-05-01T00:00:00 has no time zone"),
        ("type: u32, as: {timestamp: {unit: s}}", EPOCH + timedelta(microseconds=1), "is not a multiple of s"),
        ("type: u32, as: {timestamp: {unit: s}}", EPOCH - timedelta(seconds=1), "does not fit 32 bits"),
        ("type: u32, as: {timestamp: {unit: s}}", 5, "it: a time expected, not 5"),
        ("type: u32, as: {timestamp: {unit: s}}", None, "it: missing"),
        ("type: u32, as: {duration: {unit: s}}", "PT5S", "it: a duration expected, not 'PT5S'"),
        ("type: u32, as: {decimal: {scale: 0.01}}", Decimal("0.001"), "it: 0.001 is between two values"),
        ("type: u32, as: {decimal: {scale: 0.01}}", 0.25, "it: a decimal expected, not 0.25"),
        ("type: u32, as: {decimal: {scale: 0.01}}", Decimal("1e9"), "does not fit 32 bits"),
        ("type: bytes, size: 4, as: ipv4", "192.0.2.256", "it: an IPv4 address expected, not '192.0.2.256'"),
        ("type: bytes, size: 4, as: ipv4", 5, "it: an IPv4 address expected, not 5"),
    ],
)
def test_what_cannot_be_written_is_told(field: str, value: Any, told: str) -> None:
    with pytest.raises(EncodeError) as raised:
        protocol(field, 4).codec.build({"message": "one", "one": {"it": value}})
    assert told in str(raised.value)


RAW = "type: i64, as: {timestamp: {unit: ns}}, raw: raw"


@pytest.mark.parametrize(
    ("row", "number"),
    [
        ({"it": EPOCH + timedelta(microseconds=1), "raw": 1001}, 1001),
        ({"it": EPOCH + timedelta(microseconds=2), "raw": 1001}, 2000),
        ({"it": EPOCH + timedelta(microseconds=2)}, 2000),
        ({"raw": 1001}, 1001),
    ],
)
def test_the_raw_number_is_written_while_it_has_the_given_value(row: dict[str, Any], number: int) -> None:
    assert protocol(RAW, 8).codec.build({"message": "one", "one": row}) == number.to_bytes(8)


def test_times_and_durations_are_exact_in_json() -> None:
    columns = protocol("type: i64, as: {timestamp: {unit: us}}", 8).codec.messages["one"].columns
    write, read = json_writer(columns), json_reader(columns)
    for time in (EPOCH, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        assert read(write({"it": time})) == {"it": time}
    columns = protocol("type: i64, as: {duration: {unit: us}}", 8).codec.messages["one"].columns
    write, read = json_writer(columns), json_reader(columns)
    for number in (0, 1, -1, 10**6, -86_400_000_001, 2**63 - 1, -(2**63)):
        assert read(write({"it": timedelta(microseconds=number)})) == {"it": timedelta(microseconds=number)}
    assert time_text(EPOCH) == "1970-01-01T00:00:00Z"
    assert duration_text(timedelta(days=-1, microseconds=-1)) == "-P1DT0.000001S"
