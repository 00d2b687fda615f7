"""Times that consist of several fields, by the codec and by programs, beside Python's own ``datetime``."""

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from support import compiled
from support.accelerator import off_and_on
from support.cases import often
from support.lockstep import Pair, rows_alike

from wireloom.codec import EncodeError
from wireloom.columnar import encoding
from wireloom.columnar.tables import Table
from wireloom.expressions import times

SPEC = """\
protocol: ours
byte_order: big
record:
  length: 12
  fields: [{section: body, size: rest}]
---
message: one
match: {}
sections:
  body:
    - {name: year, type: u16}
    - {name: month, type: u8}
    - {name: day, type: u8}
    - {name: hour, type: u8}
    - {name: minute, type: u8}
    - {name: second, type: i8}
    - {name: spare, type: u8, reserved: true}
    - {name: micros, type: i32}
    - name: time
      type: timestamp
      compute:
        calendar:
          {year: year, month: month, day: day, hour: hour, minute: minute, second: second, microsecond: micros}
"""
COUNTED = """\
protocol: ours
byte_order: big
record:
  length: 23
  fields: [{section: body, size: rest}]
---
message: one
match: {}
sections:
  body:
    - {name: seconds, type: u32}
    - {name: fraction, type: u40}
    - {name: sent, type: timestamp, compute: {ntp: {second: seconds, fraction: fraction, pivot: "2000-01-01"}}}
    - {name: week, type: i16}
    - {name: tow, type: u32}
    - {name: nano, type: i32}
    - {name: fix, type: timestamp, compute: {gps: {week: week, millisecond: tow, nanosecond: nano}}}
    - {name: short_week, type: u16}
    - {name: second, type: u16}
    - name: page
      type: timestamp
      compute: {gps: {week: short_week, rollover: 1024, pivot: "2019-04-07", second: second}}
"""
"""A fraction has more bits than it should, to be kept where it has."""
Fields = tuple[int, int, int, int, int, int, int]


def expected(fields: Fields) -> datetime | None:
    """The time with these fields, whose microseconds may count back."""
    *whole, micros = fields
    if not -1_000_000 <= micros < 1_000_000:
        return None
    try:
        return datetime(*whole, tzinfo=UTC) + timedelta(microseconds=micros)  # type: ignore[misc]
    except (ValueError, OverflowError):
        return None


def invented() -> Iterator[Fields]:
    """Times of all years, the ends of months, and fields that make none."""
    random = Random(1)
    for year in range(1, 10_000, often(37, 1)):
        month, day = random.randint(1, 12), random.randint(1, 31)
        yield year, month, day, random.randint(0, 23), random.randint(0, 59), random.randint(0, 59), 0
        yield year, 2, 29, 23, 59, 59, random.randint(-1_000_000, 999_999)
    for year in (1900, 1970, 2000, 2100, 2024):
        for month in range(14):
            for day in (0, 1, 28, 29, 30, 31, 32):
                yield year, month, day, 0, 0, 0, -1
    for wrong in (
        (24, 0, 0, 0),
        (0, 60, 0, 0),
        (0, 0, 60, 0),
        (0, 0, -1, 0),
        (0, 0, 0, 1_000_000),
        (0, 0, 0, -1 << 31),
    ):
        yield 2024, 1, 1, *wrong
    yield 0, 1, 1, 0, 0, 0, 0
    yield 1, 1, 1, 0, 0, 0, -1
    yield 10_000, 1, 1, 0, 0, 0, 0
    yield 65_535, 1, 1, 0, 0, 0, 0


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair(compiled.of(SPEC).codec)


@off_and_on
def test_times_are_those_of_datetime(pair: Pair, accelerated: bool) -> None:
    fields = list(invented())
    records = [struct.pack(">HBBBBbxi", *each) for each in fields]
    wanted = [expected(each) for each in fields]
    assert [pair.codec.parse(record)["one"]["time"] for record in records] == wanted
    found = Table(pair.codec, {}).decode_columnar(b"".join(records))
    assert found["one"].combine_chunks().field("time").to_pylist() == wanted
    assert found["one"].combine_chunks().field("year").to_pylist() == [year for year, *_ in fields]


@off_and_on
def test_fields_are_written_that_make_a_time(pair: Pair, accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    random, last = Random(2), (datetime(9999, 12, 31, tzinfo=UTC) - datetime(1, 1, 1, tzinfo=UTC)).days
    times = [
        datetime(1, 1, 1, tzinfo=UTC) + timedelta(days=day, microseconds=random.randrange(86_400_000_000))
        for day in range(0, last, often(401, 7))
    ]
    records = [struct.pack(">HBBBBbxi", *time.timetuple()[:6], time.microsecond) for time in times]
    rows = [{"message": "one", "one": {"time": time}} for time in times]
    assert list(map(pair.codec.build, rows)) == records
    monkeypatch.setattr(encoding.Encoder, "_built", None)
    found = Table(pair.codec, {})
    assert found.encode_records(pa.Table.from_pylist(rows, found.schema)).to_pylist() == records


def test_rows_that_say_something_else_are_refused_alike(pair: Pair) -> None:
    time = datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=UTC)
    given: list[dict[str, Any]] = [
        {"time": time},
        {"time": time, "month": 2},
        {"time": time, "month": 3},
        {"time": time, "second": 4, "micros": -999_996},
        {"year": 2023, "month": 2, "day": 29, "hour": 0, "minute": 0, "second": 0, "micros": 0},
        {"year": 2023, "month": 2, "day": 29, "hour": 0, "minute": 0, "second": 0, "micros": 0, "time": time},
        {"year": 2023, "month": 2, "day": 28},
        {},
    ]
    table = pa.Table.from_pylist([{"message": "one", "one": each} for each in given], Table(pair.codec, {}).schema)
    rows_alike(pair, table)


def test_a_field_that_is_given_is_not_taken_from_the_time(pair: Pair) -> None:
    time = datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=UTC)
    back = pair.codec.build({"message": "one", "one": {"time": time, "second": 4, "micros": -999_996}})
    assert back == struct.pack(">HBBBBbxi", 2024, 2, 29, 1, 2, 4, -999_996)
    with pytest.raises(EncodeError, match=r"one\.time: 2024-02-29.* given, but the other fields make it 2024-03-29"):
        pair.codec.build({"message": "one", "one": {"time": time, "month": 3}})


@pytest.mark.parametrize("wrong", ["2024-02-29", datetime(2024, 2, 29), 5])
def test_what_is_no_time_is_refused(pair: Pair, wrong: object) -> None:
    with pytest.raises(EncodeError):
        pair.codec.build({"message": "one", "one": {"time": wrong}})


# --- NTP and GPS

Counts = tuple[int, int, int, int, int, int, int]
NTP_EPOCH, GPS_EPOCH = datetime(1900, 1, 1, tzinfo=UTC), datetime(1980, 1, 6, tzinfo=UTC)
LEAPS = [
    datetime(*each, 1, tzinfo=UTC)  # type: ignore[misc]
    for each in (
        (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7), (1993, 7), (1994, 7),
        (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7), (2015, 7), (2017, 1),
    )
]  # fmt: skip
"""The days that began after a leap second, by the table of leap seconds of the IERS."""
UNKNOWN_FROM = datetime(2027, 6, 28, tzinfo=UTC)


def packed(counts: Counts) -> bytes:
    seconds, fraction, *others = counts
    return struct.pack(">IBIhIiHH", seconds, fraction >> 32, fraction & 0xFFFF_FFFF, *others)


def sent(seconds: int, fraction: int) -> datetime | None:
    """The time of an NTP timestamp from 2000 on."""
    if fraction >> 32 or seconds == fraction == 0:
        return None
    early = NTP_EPOCH + timedelta(seconds=seconds, microseconds=fraction * 10**6 >> 32)
    return early if early.year >= 2000 else early + timedelta(seconds=2**32)


def of_gps(week: int, seconds: int, microseconds: int) -> datetime | None:
    """The time of GPS in UTC: earlier by the leap seconds that were before it."""
    if week < 0 or not 0 <= seconds < 604_800:
        return None
    counted = GPS_EPOCH + timedelta(weeks=week, seconds=seconds, microseconds=microseconds)
    for number, leap in reversed([*enumerate([GPS_EPOCH, *LEAPS])]):
        time = counted - timedelta(seconds=number)
        if time >= leap:
            is_leap_second = number < len(LEAPS) and time >= LEAPS[number]
            return None if is_leap_second or time >= UNKNOWN_FROM else time
    return None


def of_counts(counts: Counts) -> tuple[datetime | None, ...]:
    """The times of a record."""
    seconds, fraction, week, tow, nano, short_week, second = counts
    fix = None
    if -(10**6) <= nano < 10**6 and tow < 604_800_000:
        fix = of_gps(week, tow // 1000, tow % 1000 * 1000 + nano // 1000)
    page = of_gps(2048 + short_week, second, 0) if short_week < 1024 else None
    return sent(seconds, fraction), fix, page


def counts() -> Iterator[Counts]:
    """Times of all eras, around leap seconds, at the ends of fields, and numbers that stand for none."""
    random = Random(3)
    pages = [(random.randrange(430), random.randrange(1 << 16)) for _ in range(9)]
    pages += [(1023, 0), (1024, 0), (1 << 15, 0)]
    for leap in [GPS_EPOCH, *LEAPS, UNKNOWN_FROM]:
        number = sum(other <= leap for other in LEAPS)
        for second in range(-3, 4):
            week, tow = divmod((leap - GPS_EPOCH) // timedelta(seconds=1) + number + second, 604_800)
            for nano in (0, -1, 1, 999_999, -1_000_000, 1_000_000):
                yield (
                    random.choice((0, 1, (1 << 32) - 1, random.getrandbits(32))),
                    random.choice((0, 1, (1 << 32) - 1, 1 << 32, (1 << 40) - 1, random.getrandbits(32))),
                    max(week, -1),
                    tow * 1000,
                    nano,
                    *random.choice(pages),
                )
    yield 0, 0, -1, 0, 0, 0, 0
    yield 3_155_673_600, 0, 0, 604_800_000, 0, 0, 0  # 2000-01-01
    yield 3_155_673_599, 0, 32_767, 604_799_999, 0, 0, 0
    yield 1, 0, 0, (1 << 32) - 1, 0, 0, 0


@pytest.fixture(scope="module")
def counted() -> Pair:
    return Pair(compiled.of(COUNTED).codec)


@off_and_on
def test_times_of_ntp_and_gps_are_those_of_the_definitions(counted: Pair, accelerated: bool) -> None:
    numbers = list(counts())
    records, times = list(map(packed, numbers)), list(map(of_counts, numbers))
    rows = [counted.codec.parse(record)["one"] for record in records]
    assert [(row["sent"], row["fix"], row["page"]) for row in rows] == times
    found = Table(counted.codec, {}).decode_columnar(b"".join(records))["one"].combine_chunks()
    columns = [found.field(name).to_pylist() for name in ("sent", "fix", "page")]
    assert list(zip(*columns, strict=True)) == times
    assert all(any(time is not None for time in column) and None in column for column in columns)


@off_and_on
def test_fields_of_ntp_and_gps_are_written(counted: Pair, accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lowest fraction of a microsecond, and no negative nanoseconds."""
    found: list[tuple[bytes, dict[str, Any]]] = []
    for each in counts():
        seconds, fraction, week, tow, nano, *page = each
        times = dict(zip(("sent", "fix", "page"), of_counts(each), strict=True))
        if None not in times.values() and nano >= 0 and nano % 1000 == 0:
            lowest = -((fraction * 10**6 >> 32) * -(2**32) // 10**6)
            if (seconds, lowest) != (0, 0):  # which stands for an unknown time
                found.append((packed((seconds, lowest, week, tow, nano, *page)), times))
    assert len(found) > 20
    records, rows = [record for record, _ in found], [{"message": "one", "one": times} for _, times in found]
    assert list(map(counted.codec.build, rows)) == records
    monkeypatch.setattr(encoding.Encoder, "_built", None)
    table = Table(counted.codec, {})
    assert table.encode_records(pa.Table.from_pylist(rows, table.schema)).to_pylist() == records


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("sent", datetime(1999, 12, 31, tzinfo=UTC)),
        ("sent", datetime(2136, 2, 7, 6, 28, 16, tzinfo=UTC)),
        ("sent", datetime(2036, 2, 7, 6, 28, 16, tzinfo=UTC)),
        ("fix", GPS_EPOCH - timedelta(microseconds=1)),
        ("fix", UNKNOWN_FROM),
        ("page", datetime(2019, 4, 6, 23, 59, 41, tzinfo=UTC)),
        ("page", datetime(2024, 5, 1, 0, 0, 0, 1, tzinfo=UTC)),
    ],
)
def test_a_time_that_no_fields_say_is_refused(counted: Pair, name: str, time: datetime) -> None:
    sound = datetime(2024, 5, 5, tzinfo=UTC)
    row = {"message": "one", "one": {"sent": sound, "fix": sound, "page": sound, name: time}}
    with pytest.raises(EncodeError, match=rf"one\.{name}: {time.date()}"):
        counted.codec.build(row)


def test_leap_seconds_are_those_of_the_time_zone_database() -> None:
    """As far as they are known: a later database may know more, for longer."""
    lines = resources.files("tzdata").joinpath("zoneinfo", "leapseconds").read_text(encoding="utf-8")
    days = re.findall(r"^Leap\s+(\d+)\s+(\w+)\s+(\d+)\s+23:59:60\s+\+", lines, re.MULTILINE)
    leaps = [datetime.strptime(f"{' '.join(day)} +0000", "%Y %b %d %z") + timedelta(days=1) for day in days]
    (expires,) = re.findall(r"^#expires (\d+)", lines, re.MULTILINE)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert [epoch + timedelta(microseconds=leap) for leap in times.LEAPS] == LEAPS
    assert [leap for leap in leaps if GPS_EPOCH < leap < UNKNOWN_FROM] == LEAPS
    assert epoch + timedelta(microseconds=times.KNOWN_UNTIL) == UNKNOWN_FROM <= epoch + timedelta(seconds=int(expires))
