"""A stream of a Databus relay that an example makes up: what is decoded of it is what its maker knows to be in it."""

import sys
from collections.abc import Iterator
from functools import cache
from itertools import groupby, pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.lockstep import Pair, capture_alike
from support.paths import ROOT

from wireloom.cdc.databus import COLUMNS, windows
from wireloom_protocols import databus

sys.path.insert(0, str(ROOT / "examples"))
try:
    import relay_stream
    from databus_events import NO_VALUE, Event, Part
finally:
    sys.path.pop(0)

Row = dict[str, Any]
ORDERS = tuple(relay_stream.ORDERS)
WINDOWS = 400


@cache
def made(order: str, seed: int = relay_stream.SEED, *, damaged: bool = True) -> relay_stream.Stream:
    return relay_stream.make(WINDOWS, order, seed, damaged=damaged)


def test_the_same_stream_is_made_of_the_same_seed() -> None:
    assert relay_stream.make(WINDOWS) == made("big")
    assert made("big", 8).data != made("big").data


def test_all_that_can_happen_happens() -> None:
    stream = made("big")
    assert {event.source for event in stream.events.values()} == {-51, -6, -3, -2, 40, 41, 42, 70_000}
    assert {(event.version, type(event.key)) for event in stream.events.values()} == {
        *((0, kind) for kind in (int, bytes)),
        *((2, kind) for kind in (int, bytes, Part)),
    }
    assert {len(event.metadata.digest) for event in stream.events.values() if event.metadata} == {4, 16}
    assert {window.complete for window in stream.windows} == {True, False}
    assert stream.damages > 20


@each("order", ORDERS)
def test_no_event_is_malformed_where_there_is_no_damage(order: str) -> None:
    stream = made(order, damaged=False)
    assert events(databus.iter_records(stream.data)) == [*stream.events.values()]
    assert events(databus.iter_records(stream.data, byte_order=order)) == [*stream.events.values()]


@pytest.mark.sweep
@each(("order", "seed"), [(order, seed) for order in ORDERS for seed in range(5)])
def test_no_sound_event_is_lost(order: str, seed: int) -> None:
    stream = made(order, seed)
    assert sound(stream) == stream.events


@pytest.mark.sweep
@given(
    order=st.sampled_from(ORDERS),
    first=st.integers(0, 700),
    place=st.integers(0, 900),
    gone=st.integers(0, 50),
    added=st.binary(max_size=50),
)
def test_damage_anywhere_costs_no_event_that_lies_outside_it(
    order: str, first: int, place: int, gone: int, added: bytes
) -> None:
    """Fewer bytes than an event has, so that it ends where none begins."""
    clean = made(order, damaged=False)
    begins = [*clean.events, len(clean.data)][first : first + 9]
    data = clean.data[begins[0] : begins[-1]]
    place = min(place, len(data))
    gone = min(gone, len(data) - place)
    shift = len(added) - gone
    wanted = {
        start - begins[0] + (shift if start - begins[0] >= place + gone else 0): clean.events[start]
        for start, stop in pairwise(begins)
        if stop - begins[0] <= place or start - begins[0] >= place + gone
    }
    table = capture_alike(Pair.of(databus), data[:place] + added + data[place + gone :])
    found = told(table)
    assert {start: found.get(start) for start in wanted} == wanted


@each("order", ORDERS)
def test_a_window_is_complete_if_it_has_all_its_events(order: str) -> None:
    clean, stream = made(order, damaged=False), made(order)
    whole = [window for window in clean.windows if window.events]
    assert all(window.complete for window in whole)
    assert found_windows(clean) == whole
    complete = [window for window in found_windows(stream) if window.complete]
    assert len(whole) - 2 * stream.damages < len(complete) < len(whole)
    assert {*complete} < {*whole}


def found_windows(stream: relay_stream.Stream) -> list[relay_stream.Window]:
    """The windows that have data events, as they are followed."""
    table = databus.decode_columnar(stream.data, COLUMNS, mode="PERMISSIVE")
    rows = [row for batch in windows(table) for row in batch.to_pylist()]
    grouped = [list(group) for _, group in groupby(rows, key=lambda row: row["window"])]
    return [relay_stream.Window(group[0]["sequence"], len(group), group[0]["complete"]) for group in grouped]


@each("order", ORDERS)
def test_it_is_the_same_row_by_row_and_in_columns(order: str) -> None:
    capture_alike(Pair.of(databus), made(order).data)


@each("order", ORDERS)
def test_every_byte_comes_back(order: str) -> None:
    data = made(order).data
    assert b"".join(map(databus.build, databus.iter_records(data, "PERMISSIVE"))) == data


@pytest.mark.long
@each("order", ORDERS)
def test_all_of_it_holds_at_full_size(order: str) -> None:
    stream = relay_stream.make(order=order)
    assert sound(stream) == stream.events


def sound(stream: relay_stream.Stream) -> dict[int, Event]:
    """The events that are decoded, by where each begins."""
    return told(databus.decode_columnar(stream.data, mode="PERMISSIVE", positions=True))


def told(table: pa.Table) -> dict[int, Event]:
    table = table.filter(table["_corrupt_reason"].is_null())
    return dict(zip(table["_offset"].to_pylist(), events(table.to_pylist()), strict=True))


def events(rows: Iterator[Row] | list[Row]) -> list[Event]:
    return [of_version_1(row["dbus_event"]) if row["version"] == 0 else of_version_2(row) for row in rows]


def of_version_1(row: Row) -> Event:
    return Event(
        0,
        row["src_id"],
        row["sequence"],
        row["nano_timestamp"],
        row["key"] if row["variant"] == "long_key" else row["key_bytes"],
        row["opcode"] or 0,
        Part(0, row["schema_id"], row["value"]),
        partition=row["physical_partition_id"],
        logical_partition=row["logical_partition_id"],
        trace=row["trace"],
        replicated=row["ext_replicated"],
    )


def of_version_2(row: Row) -> Event:
    row = row["dbus_event_v2"]
    key = {"Number": row["key"], "String": row["key_bytes"], "Schema": part_of(row["key_with_schema"])}
    return Event(
        2,
        row["src_id"],
        row["sequence"],
        row["nano_timestamp"],
        key[row["key_type_name"]],
        row["opcode"],
        part_of(row["payload"]) or NO_VALUE,
        part_of(row["metadata"]),
        partition=row["partition_id"],
        trace=row["trace"],
        replicated=row["ext_replicated"],
    )


def part_of(part: Row | None) -> Part | None:
    return None if part is None else Part(part["schema_version"], part["digest"], part["data"])


VALUE = Part(5, bytes(range(16)), b"value")
WRITTEN = {"schema_version": 5, "digest_type": 0, "digest": bytes(range(16)), "data": b"value"}
EITHER = {"src_id": 40, "sequence": 7, "nano_timestamp": 99, "opcode": 2, "trace": True, "ext_replicated": True}
FIRST = EITHER | {"physical_partition_id": 3, "logical_partition_id": 4, "schema_id": VALUE.digest, "value": b"value"}
SECOND = EITHER | {"partition_id": 3, "payload": WRITTEN}
PLACES: Row = {"partition": 3, "trace": True, "replicated": True}


@each(
    ("event", "message", "values"),
    [
        (Event(0, 40, 7, 99, -5, 2, VALUE, logical_partition=4, **PLACES), "dbus_event", FIRST | {"key": -5}),
        (Event(0, 40, 7, 99, b"k", 2, VALUE, logical_partition=4, **PLACES), "dbus_event", FIRST | {"key_bytes": b"k"}),
        (Event(2, 40, 7, 99, -5, 2, VALUE, **PLACES), "dbus_event_v2", SECOND | {"key_type": 1, "key": -5}),
        (
            Event(2, 40, 7, 99, b"k", 2, VALUE, VALUE._replace(digest=b"abcd"), **PLACES),
            "dbus_event_v2",
            SECOND | {"key_type": 2, "key_bytes": b"k", "metadata": WRITTEN | {"digest_type": 1, "digest": b"abcd"}},
        ),
        (
            Event(2, 40, 7, 99, VALUE, 2, VALUE, **PLACES),
            "dbus_event_v2",
            SECOND | {"key_type": 3, "key_with_schema": WRITTEN},
        ),
    ],
)
def test_events_are_those_of_the_builder(event: Event, message: str, values: Row) -> None:
    for order, sign in relay_stream.ORDERS.items():
        built = databus.build({"message": message, "byte_order": order, message: values})
        assert built.hex() == event.packed(sign).hex()
