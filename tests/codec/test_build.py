"""What ``build`` makes of values that no record can have: an ``EncodeError`` that says where, and nothing else."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from support import vectors
from support.vectors import data_of

from wireloom.codec import Column, DecodeError, EncodeError, StructOf
from wireloom_protocols import couchbase_dcp, databus

NUMBERS = (1.5, float("nan"), True, -1, 2**70)
WRONG: tuple[Any, ...] = ("x", "\ud800", b"x", *NUMBERS, [], [None], [{}], {}, {"x": 1}, (), object())
"""Values, each of which is wrong in most columns."""
ROUND = 5
"""Where a record has no value, one of so many of them is tried, other ones in other records."""


def samples(protocol: ModuleType) -> dict[str, bytes]:
    """A record of each kind."""
    if protocol is databus:
        names = ("v1.le.long.upsert", "v1.be.byte.empty_empty")
        rows = (row for row in vectors.committed("databus/vectors.jsonl") if row.get("id") in names)
    else:
        rows = iter(vectors.committed("couchbase_dcp/frames.jsonl"))
    return {row["id"]: data_of(row) for row in rows}


EVERY_RECORD = [
    pytest.param(protocol, data, id=name)
    for protocol in (couchbase_dcp, databus)
    for name, data in samples(protocol).items()
]


def places(columns: tuple[Column, ...], row: Any) -> Iterator[tuple[str, ...]]:
    """The way to each column of a row, and of the structs in it that are there."""
    for column in columns:
        yield (column.name,)
        if isinstance(column.type, StructOf) and row[column.name] is not None:
            yield from ((column.name, *rest) for rest in places(column.type.columns, row[column.name]))


def changed(row: Any, place: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The row with another value in one place."""
    name, *rest = place
    return {**row, name: changed(row[name], tuple(rest), value) if rest else value}


def is_there(row: Any, place: tuple[str, ...]) -> bool:
    """Whether the row has a value in that place."""
    name, *rest = place
    return row[name] is not None and (not rest or is_there(row[name], tuple(rest)))


@pytest.mark.parametrize(("protocol", "data"), EVERY_RECORD)
def test_wrong_values_are_refused_or_can_be_read_back(protocol: ModuleType, data: bytes) -> None:
    row = protocol.parse(data)
    for number, place in enumerate(places(protocol.PROTOCOL.columns, row), len(data)):
        among = WRONG if is_there(row, place) else WRONG[number % ROUND :: ROUND]
        for value in among:
            try:
                built = protocol.build(changed(row, place, value))
            except EncodeError:
                continue
            assert place == ("_corrupt_record",) or isinstance(protocol.parse(built), dict), (place, value)


@pytest.mark.parametrize(("protocol", "data"), EVERY_RECORD)
def test_without_one_of_its_values_a_record_is_refused_or_can_be_read_back(protocol: ModuleType, data: bytes) -> None:
    row = protocol.parse(data)
    for place in places(protocol.PROTOCOL.columns, row):
        try:
            built = protocol.build(changed(row, place, None))
        except EncodeError:
            continue
        assert isinstance(protocol.parse(built), dict), place


@pytest.mark.parametrize("value", [None, [], "x", 5, b"", {"message": "nonsense"}, {"nonsense": 1}, {}])
@pytest.mark.parametrize("protocol", [couchbase_dcp, databus])
def test_what_is_no_row_is_refused(protocol: ModuleType, value: Any) -> None:
    with pytest.raises(EncodeError):
        protocol.build(value)


@pytest.mark.parametrize("value", [None, "x", 5])
@pytest.mark.parametrize("protocol", [couchbase_dcp, databus])
def test_what_is_no_bytes_is_refused(protocol: ModuleType, value: Any) -> None:
    with pytest.raises((DecodeError, TypeError)):
        protocol.parse(value)


def test_a_computed_value_that_contradicts_the_others_is_refused() -> None:
    event = bytes.fromhex(
        "0014e049d200000044000100000000000003e80007001e12d5084f77904d15000f"
        "6162636465666768696a6b6c6d6e6f70df40b56b00000000000030397061796c6f6164"
    )
    row = databus.parse(event)
    row.dbus_event.opcode = databus.DbusOpcode.DELETE
    with pytest.raises(EncodeError, match=r"opcode: .*given, but the other fields make it"):
        databus.build(row)


def test_a_line_of_json_may_leave_out_what_the_document_leaves_out() -> None:
    line = (
        '{"opcode":"UPSERT","key":1,"sequence":5,"logicalPartitionId":2,"physicalPartitionId":3,"timestampInNanos":7,'
        '"srcId":15,"schemaId":"YWJjZGVmZ2hpamtsbW5vcA==","valueEnc":"JSON","value":""}'
    )
    event = databus.parse(databus.build(databus.PROTOCOL.form("json").read(line))).dbus_event
    assert event.ext_replicated is False
    assert event.attributes == databus.EventAttributes.UPSERT


def test_a_byte_order_that_is_none_is_refused() -> None:
    with pytest.raises(EncodeError, match="byte_order must be one of auto, big, little"):
        databus.build({"message": "dbus_event", "byte_order": "middle", "version": 0, "dbus_event": {}})
