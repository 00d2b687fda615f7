"""Tables of any Arrow type: each row is written with its value, or refused with its number and its field."""

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest
from support import accelerator, compiled

from wireloom.codec import EncodeError
from wireloom.columnar import encoding, input_arrays
from wireloom.columnar.python_values import to_arrow, to_python
from wireloom.columnar.tables import Table

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
SPEC = """
protocol: p
byte_order: big
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: m
match: {}
sections:
  body:
    - {name: x, %s}
"""
FIELDS = {
    "microseconds": "type: i64, as: {timestamp: {unit: us}}",
    "seconds": "type: i32, as: {timestamp: {unit: s}}",
    "nanoseconds": "type: i64, as: {timestamp: {unit: ns}}",
    "duration": "type: i64, as: {duration: {unit: us}}",
    "long duration": "type: i64, as: {duration: {unit: s}}",
    "u8": "type: u8",
    "i8": "type: i8",
    "u24": "type: u24",
    "i64": "type: i64",
    "u64": "type: u64",
    "f16": "type: f16",
    "f32": "type: f32",
    "f64": "type: f64",
    "bool": "type: bool",
    "text": "type: text, prefix: u16",
    "bytes": "type: bytes, prefix: u16",
    "four bytes": "type: bytes, size: 4",
    "uuid": "type: bytes, size: 16, as: uuid",
    "address": "type: bytes, size: 4, as: ipv4",
    "list": "type: u8, repeat: {count: 2}",
}


NEAREST = {"f16": "<e", "f32": "<f"}
"""The fields that have the nearest number of their type."""


class Given(NamedTuple):
    """A value of an Arrow type, and what it is in Python; a time and a duration as its seconds."""

    kind: pa.DataType
    stored: Any
    value: Any

    def array(self, count: int) -> pa.Array:
        kind = self.kind
        if isinstance(kind, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(kind, pa.array([self.stored] * count, kind.storage_type))
        if pa.types.is_temporal(kind) and kind != pa.month_day_nano_interval():
            return pa.array([self.stored] * count, f"int{kind.bit_width}").view(kind)
        return pa.array([self.stored] * count, kind)


def times() -> Iterator[Given]:
    for unit, per in PER_SECOND.items():
        ends = (-(2**63), -62_135_596_800 * per - 1, -1, 0, 1, 1_500_000_000 * per, 253_402_300_800 * per, 2**63 - 1)
        for number in (each for each in ends if -(2**63) <= each < 2**63):
            for zone in (None, "-03:30", "Mars/Olympus") if number > 1 else ("UTC",):
                yield Given(pa.timestamp(unit, zone), number, Fraction(number, per) if zone else None)
            yield Given(pa.duration(unit), number, Fraction(number, per))
    yield from (Given(pa.date32(), days, None) for days in (0, 2**31 - 1))
    yield from (Given(pa.date64(), days * 86_400_000, None) for days in (0, 10**9))
    yield from (Given(kind, 5, None) for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")))


def numbers() -> Iterator[Given]:
    for bits in (8, 16, 32, 64):
        for kind, ends in (
            (f"int{bits}", (-(1 << bits - 1), -1, 1, (1 << bits - 1) - 1)),
            (f"uint{bits}", (0, 1 << bits - 1, (1 << bits) - 1)),
        ):
            yield from (Given(pa.type_for_alias(kind), number, number) for number in ends)
    for size in (pa.float16(), pa.float32(), pa.float64()):
        yield from (Given(size, size.to_pandas_dtype()(x), x) for x in (0.0, -0.0, 1.0, 1.5, float("inf")))
    yield Given(pa.float64(), 1e300, 1e300)
    for exact, text in (
        (pa.decimal32(5, 2), "1.50"),
        (pa.decimal64(10, 0), "-1"),
        (pa.decimal128(20, 0), "18446744073709551615"),
        (pa.decimal128(20, 0), "18446744073709551616"),
        (pa.decimal128(10, 2), "1.00"),
        (pa.decimal256(60, 0), "9" * 60),
        (pa.decimal128(5, -2), "100"),
    ):
        yield Given(exact, Decimal(text), Decimal(text))
    yield Given(pa.bool_(), True, True)


def others() -> Iterator[Given]:
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        yield from (Given(kind, text, text) for text in ("", "ä", "1", "1.2.3.4", "x" * 70_000))
    yield Given(pa.string(), "00000000-0000-0000-0000-0000000000ff", "00000000-0000-0000-0000-0000000000ff")
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(4)):
        yield from (Given(kind, data, data) for data in (b"\xff\xfe\0\0", b"abcd"))
    yield Given(pa.uuid(), bytes(15) + b"\xff", "00000000-0000-0000-0000-0000000000ff")
    for kind in (
        pa.list_(pa.uint8()),
        pa.large_list(pa.int64()),
        pa.list_(pa.int16(), 2),
        pa.list_view(pa.int8()),
        pa.large_list_view(pa.uint64()),
    ):
        yield Given(kind, [1, 2], [1, 2])
    yield Given(pa.list_(pa.int16()), [1, 300], [1, 300])
    yield Given(pa.list_(pa.null()), [None], [None])
    yield Given(pa.list_(pa.timestamp("ns")), [1], None)
    yield Given(pa.struct([("a", pa.int8())]), {"a": 1}, None)
    yield Given(pa.map_(pa.string(), pa.int8()), [("a", 1)], None)
    yield Given(pa.month_day_nano_interval(), (1, 2, 3), None)
    yield Given(pa.null(), None, None)


VALUES = [*times(), *numbers(), *others()]


def shapes(column: pa.Array) -> Iterator[pa.Array]:
    """The same values, each by itself, by numbers of a dictionary, and as one run."""
    yield column
    yield column.slice(1)
    if not pa.types.is_nested(column.type) and column.type != pa.null():
        yield pa.DictionaryArray.from_arrays(pa.array([0] * len(column), pa.int8()), column.slice(0, 1))
        yield pa.RunEndEncodedArray.from_arrays(pa.array([1, 9], pa.int32()), column.slice(0, 2)).slice(1, len(column))


def table(column: pa.Array) -> pa.Table:
    return pa.table({"message": ["m"] * len(column), "m": pa.StructArray.from_arrays([column], ["x"])})


def written(found: compiled.Compiled, given: pa.Table) -> list[bytes] | tuple[int | None, str, str]:
    try:
        return Table(found.codec, {}).encode_records(given).to_pylist()
    except EncodeError as error:
        return error.row, error.field, str(error)


def same(read: Any, value: Any) -> bool:
    """Whether a value that was read is the one that was given, to the last bit and digit."""
    if isinstance(read, datetime):
        read = read - EPOCH
    if isinstance(read, timedelta):
        return Fraction(read // timedelta(microseconds=1), 10**6) == value
    if isinstance(read, float) and isinstance(value, float):
        return struct.pack("d", read) == struct.pack("d", value)
    if isinstance(read, bool) or isinstance(value, bool):
        return read is value
    return bool(read == value)


@accelerator.off_and_on
@pytest.mark.parametrize("field", FIELDS)
def test_a_row_has_its_value_or_an_error(field: str, accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the values, and other ones for each field."""
    check(field, VALUES[list(FIELDS).index(field) % 7 :: 7], monkeypatch)


@pytest.mark.long
@accelerator.off_and_on
@pytest.mark.parametrize("field", FIELDS)
def test_each_row_has_its_value_or_an_error(field: str, accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    check(field, VALUES, monkeypatch)


def check(field: str, values: list[Given], monkeypatch: pytest.MonkeyPatch) -> None:
    found = compiled.of(SPEC % FIELDS[field])
    for given in values:
        for column in shapes(given.array(4)):
            answer = written(found, table(column))
            with monkeypatch.context() as patch:
                patch.setattr(encoding, "MANY", len(column) + 1)
                assert written(found, table(column)) == answer, (given, column.type)
            if isinstance(answer, tuple):
                row, path, text = answer
                assert (row, path[:3]) == (0, "m.x"), (given, column.type, answer)
                assert len(text) < 200
                continue
            for record in answer:
                read = found.codec.parse(record).m.x
                value = float(given.value) if isinstance(read, float) and given.value is not None else given.value
                if field in NEAREST and isinstance(value, float):
                    (value,) = struct.unpack(NEAREST[field], struct.pack(NEAREST[field], value))
                assert same(read, value), (given, column.type, read)


@pytest.mark.parametrize("field", ["microseconds", "seconds", "nanoseconds", "duration", "long duration"])
def test_what_microseconds_do_not_count_is_refused(field: str) -> None:
    """Of Arrow's nanoseconds, and of those that pandas gives."""
    found = compiled.of(SPEC % FIELDS[field])
    number = 1_500_000_000_000_000_001
    is_time = "duration" not in field
    kind = pa.timestamp("ns", "UTC") if is_time else pa.duration("ns")
    answer = written(found, table(pa.array([0, number], pa.int64()).view(kind)))
    assert isinstance(answer, tuple)
    assert answer[:2] == (1, "m.x")
    assert str(number) in answer[2]
    value = pd.Timestamp(number, tz="UTC") if is_time else pd.Timedelta(number)
    with pytest.raises(EncodeError, match=r"m\.x: .* has nanoseconds"):
        found.codec.build({"message": "m", "m": {"x": value}})


@pytest.mark.parametrize(
    "value",
    [
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
        datetime.fromisoformat("0001-01-01T00:00:00+23:59"),
        datetime.fromisoformat("9999-12-31T23:59:59.999999-23:59"),
        timedelta.min,
        timedelta.max,
        timedelta(microseconds=2**63),
        pd.NaT,
        pd.Timestamp("2020-01-01", tz="Europe/Berlin"),
        pd.Timedelta(days=1),
    ],
)
@pytest.mark.parametrize("field", ["microseconds", "duration"])
def test_what_is_built_can_be_parsed(field: str, value: Any) -> None:
    codec, refused = compiled.of(SPEC % FIELDS[field]).codec, None
    try:
        record = codec.build({"message": "m", "m": {"x": value}})
    except EncodeError as error:
        refused = error
    assert codec.parse(record).m.x == value if refused is None else refused.field == "m.x"


def test_texts_that_are_not_utf8_are_refused_with_their_row() -> None:
    found = compiled.of(SPEC % FIELDS["text"])
    for kind, octets in (("string", "binary"), ("large_string", "large_binary"), ("string_view", "binary_view")):
        data = pa.array([b"a", b"\xff\xfe"], octets)
        column = pa.Array.from_buffers(pa.type_for_alias(kind), 2, data.buffers())
        answer = written(found, table(column))
        assert isinstance(answer, tuple)
        assert answer[:2] == (1, "m.x")
        assert "UTF-8" in answer[2]


@pytest.mark.parametrize("text", [pa.string_view(), pa.dictionary(pa.int8(), pa.large_string())], ids=str)
def test_columns_of_nulls_have_types_that_arrow_takes_rows_of(text: pa.DataType) -> None:
    for kind in (text, pa.list_(text), pa.large_list(pa.struct([("key", text)]))):
        found = input_arrays.own(pa.record_batch([pa.nulls(3, kind)], ["column"]), {})
        assert found.take(pa.array([2, 0])).column(0).to_pylist() == [None, None]


def test_two_fields_of_one_name_are_refused() -> None:
    found = compiled.of(SPEC % FIELDS["u8"])
    column = pa.array([1], pa.int16())
    twice = pa.StructArray.from_arrays([column, column], ["x", "x"])
    answer = written(found, pa.table({"message": ["m"], "m": twice}))
    assert answer == (0, "m.x", "m.x: given twice")


NANS = """
protocol: p
byte_order: %s
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: m
match: {}
sections:
  body:
    - {name: x, type: %s}
    - {name: flag, type: u8}
    - {name: y, type: %s, when: flag == 1}
    - {name: pairs, type: %s, repeat: {count: 2}}
"""


@accelerator.off_and_on
@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("size", [2, 4, 8])
def test_nans_keep_every_bit(size: int, order: Any, accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signalling and quiet ones, whoever reads and writes them."""
    kind, fraction = f"f{8 * size}", {2: 10, 4: 23, 8: 52}[size]
    found = compiled.of(NANS % (order, kind, kind, kind))
    infinity = ((1 << 8 * size - 1) - 1) >> fraction << fraction
    payloads = (0, 1, 0x123, 1 << fraction - 1, (1 << fraction - 1) - 1, (1 << fraction) - 1)
    bits = [(sign << 8 * size - 1) | infinity | payload for sign in (0, 1) for payload in payloads]
    pieces = [number.to_bytes(size, order) for number in bits]
    records = [
        pieces[at] + bytes([at % 2]) + pieces[at - 1] * (at % 2) + pieces[at - 2] + pieces[at - 3]
        for at in range(len(pieces))
    ]
    parsed = [found.codec.parse(record) for record in records]
    assert [found.codec.build(row) for row in parsed] == records
    module = Table(found.codec, {})
    rows = pa.Table.from_batches(module.to_batches(parsed))
    column = rows.column("m").combine_chunks()
    assert octets(to_arrow(to_python(column), column.type)) == octets(column)
    assert module.encode_records(rows).to_pylist() == records
    monkeypatch.setattr(encoding, "MANY", len(records) + 1)
    assert module.encode_records(rows).to_pylist() == records


def octets(column: pa.Array) -> list[bytes]:
    """The memory of the numbers in a struct."""
    found = []
    for field in column.flatten():
        values = field.flatten() if pa.types.is_list(field.type) else field.drop_null()
        found.append(pa.concat_arrays([values]).buffers()[1].to_pybytes()[: len(values) * values.type.bit_width // 8])
    return found


@accelerator.off_and_on
@pytest.mark.parametrize("names", [pa.array([{"a": 1}] * 3), pa.array([[1]] * 3), pa.array([5] * 3)])
def test_the_name_of_a_variant_is_text(names: pa.Array, accelerated: bool) -> None:
    found = compiled.feature("variants")
    name = next(message.name for message in found.codec.records.values() if message.variants)
    answer = written(found, pa.table({"message": [name] * 3, name: pa.StructArray.from_arrays([names], ["variant"])}))
    assert isinstance(answer, tuple)
    assert answer[:2] == (0, f"{name}.variant")


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
@pytest.mark.parametrize("shape", ["dictionary", "runs"])
def test_rows_that_share_a_large_value_are_decoded_some_at_a_time(
    shape: str, kind: pa.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "LARGEST", 100_000)
    seen: list[int] = []
    monkeypatch.setattr(
        encoding, "own", lambda batch, kinds: (seen.append(len(batch)), input_arrays.own(batch, kinds))[1]
    )
    value = pa.array([b"x" * 10_000], kind)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([40], pa.int32()), value)
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 40, pa.int8()), value) if shape == "dictionary" else runs
    found = compiled.of(SPEC % FIELDS["bytes"])
    assert written(found, table(column)) == [b"\x27\x10" + b"x" * 10_000] * 40
    assert max(seen) == 5
