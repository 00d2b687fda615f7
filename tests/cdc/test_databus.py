"""Windows, checkpoints and upserts of streams of Databus: written by hand, and those that Java wrote."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from protocols.databus_vectors import beside, of_kind, only, said_events
from support.cases import each, often
from support.pages import ROOT, blocks
from support.vectors import Vector, data_of

from cdc.databus_words import CHECKPOINT, stream, v1, v2
from wireloom.cdc.databus import COLUMNS, KEY, Windows, checkpoints, upserts, windows
from wireloom_protocols import databus


def decoded(data: bytes, size: int | None = None) -> list[pa.RecordBatch]:
    """The events of a stream, ``size`` a batch."""
    return databus.decode_columnar(data, mode="PERMISSIVE", positions=True).to_batches(max_chunksize=size)


def found(batches: list[pa.RecordBatch]) -> list[tuple[int, bool, str]]:
    """Sequence, completeness and keys of the windows in batches."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    numbers = sorted({row["window"] for row in rows})
    assert numbers == list(range(len(numbers)))
    assert [row["window"] for row in rows] == sorted(row["window"] for row in rows)
    windows = [[row for row in rows if row["window"] == number] for number in numbers]
    for window in windows:
        assert len({(row["sequence"], row["complete"]) for row in window}) == 1
    return [(each[0]["sequence"], each[0]["complete"], "".join(chr(row["key"]) for row in each)) for each in windows]


WINDOWS: dict[str, list[tuple[int, bool, str]]] = {
    "": [],
    "10a 10b 10.": [(10, True, "ab")],
    "10a 10B 10; 11c 11.": [(10, True, "ab"), (11, True, "c")],
    "10a 10b": [(10, False, "ab")],
    "10a 10. 11b": [(10, True, "a"), (11, False, "b")],
    "10a 12b 12.": [(10, False, "a"), (12, True, "b")],
    "10a 12. 13b 13.": [(10, False, "a"), (13, True, "b")],
    "10a 0? 10b 10.": [(10, True, "ab")],
    "10a 9< 10b 10.": [(10, False, "a"), (10, True, "b")],
    "10a 10. 9< 9b 9.": [(10, True, "a"), (9, True, "b")],
    "10. 11. 12a 12.": [(12, True, "a")],
    "10a 10. 10a 10.": [(10, True, "a"), (10, True, "a")],
    "10a ! 10b 10. 11c 11.": [(10, False, "ab"), (11, True, "c")],
    "10a ! 10. 11b 11.": [(10, False, "a"), (11, True, "b")],
    "10a 10. ! 12b 12. 13c 13.": [(10, True, "a"), (12, False, "b"), (13, True, "c")],
    "10a ! 12b 12.": [(10, False, "a"), (12, False, "b")],
    "! 10a 12b 12.": [(10, False, "a"), (12, True, "b")],
    "! 10. 11a 11.": [(11, True, "a")],
    "10a 10. !": [(10, True, "a")],
}

WITHOUT_OLD: dict[str, list[tuple[int, bool, str]]] = {
    "10a 10. 9b 9. 12c 12.": [(10, True, "a"), (12, True, "c")],
    "10a 9b 9. 10c 10. 12d 12.": [(10, True, "ac"), (12, True, "d")],
    "10a 10. 10b 10. 12c 12.": [(10, True, "a"), (12, True, "c")],
    "10a 10. 9< 9b 9. 10c 10.": [(10, True, "a"), (9, True, "b"), (10, True, "c")],
    "10a 10. 8< 9b 8c 8. 7d 7. 9e 9.": [(10, True, "a"), (9, False, "b"), (8, True, "c"), (9, True, "e")],
    "10a 12b 12.": [(10, False, "a"), (12, True, "b")],
    "10a 10. ! 9b 9. 12c 12.": [(10, True, "a"), (12, True, "c")],
    "10a 10. 0b 0. 11c 11.": [(10, True, "a"), (0, True, "b"), (11, True, "c")],
}


@each(("text", "expected"), WINDOWS.items())
def test_a_window_is_complete_if_its_end_came_and_nothing_is_damaged(text: str, expected: Any) -> None:
    assert found(list(windows(decoded(stream(text))))) == expected


@each(("text", "expected"), WITHOUT_OLD.items())
def test_events_that_come_again_are_left_out_as_java_does(text: str, expected: Any) -> None:
    assert found(list(windows(decoded(stream(text)), drop_old=True))) == expected


@pytest.mark.sweep
@each(("text", "old"), [*((text, False) for text in WINDOWS), *((text, True) for text in WITHOUT_OLD)])
def test_windows_are_the_same_however_the_stream_is_cut(text: str, old: bool) -> None:
    batches = decoded(stream(text), 1)
    expected = pa.Table.from_batches(windows(decoded(stream(text)), drop_old=old)) if batches else None
    for cut in range(len(batches)):
        first = Windows(drop_old=old)
        rows = list(first.closed(batches[:cut]))
        position = json.loads(first.position)
        second = Windows(json.dumps(position), drop_old=old)
        rows += second.closed(batches[cut:])
        rest = second.rest()
        assert expected is not None
        assert pa.Table.from_batches([*rows, rest] if rest else rows, expected.schema).equals(expected)


def test_an_open_window_is_not_complete_until_its_end_arrives() -> None:
    follower = Windows()
    assert found(list(follower.closed(decoded(stream("10a 10. 11b 11c"))))) == [(10, True, "a")]
    rest = follower.rest()
    assert rest is not None
    assert rest.select(["sequence", "complete", "window"]).to_pylist() == [
        {"sequence": 11, "complete": False, "window": 1} for _ in range(2)
    ]
    (ended,) = follower.closed(decoded(stream("11.")))
    assert ended.drop_columns(["complete"]).equals(rest.drop_columns(["complete"]))
    assert ended.column("complete").to_pylist() == [True, True]
    assert follower.rest() is None


# --- streams that Java wrote

whole = only(lambda row: (row["kind"] == "stream" or row.get("id") == "stream_scn_regress") and "events_file" in row)


def counted(said: list[dict[str, Any]], lost: int | None = None) -> list[tuple[int, bool, list[int]]]:
    """The windows of a stream: sequence, completeness and offsets of the events, one of which may be lost."""
    found: list[tuple[int, bool, list[int]]] = []
    offsets: list[int] = []
    whole, sequence = True, 0
    for number, event in enumerate(said):
        fields = event["fields"]
        if number == lost:
            whole = False
            continue
        if fields["is_eop"]:
            if offsets:
                found.append((sequence, whole and sequence == fields["sequence"], offsets))
            whole, offsets = True, []
            continue
        if offsets and fields["sequence"] != sequence:  # the end is the event that is lost
            found.append((sequence, False, offsets))
            offsets = []
        sequence = fields["sequence"]
        offsets.append(event["offset"])
    return found


def offsets(batches: list[pa.RecordBatch]) -> list[tuple[int, bool, list[int]]]:
    table = pa.Table.from_batches(batches).group_by(["window", "sequence", "complete"], use_threads=False)
    rows = table.aggregate([("_offset", "list")]).sort_by("window").to_pylist()
    return [(row["sequence"], row["complete"], row["_offset_list"]) for row in rows]


@whole
def test_the_windows_of_a_stream_are_counted(vector: Vector) -> None:
    expected = counted(said_events(vector))
    assert all(complete for _, complete, _ in expected)
    data = beside(vector, "file").read_bytes()
    assert offsets(list(windows(decoded(data, 16)))) == expected


@pytest.mark.sweep
@of_kind("stream", id="stream_mixed_be")
def test_a_damaged_event_makes_its_window_incomplete_and_no_other(vector: Vector) -> None:
    data, said = beside(vector, "file").read_bytes(), said_events(vector)
    for lost in range(0, len(said), often(7, 3)):
        place = said[lost]["offset"] + 30
        damaged = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        assert offsets(list(windows(decoded(damaged)))) == counted(said, lost)


def hexadecimal(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


@whole
def test_an_event_has_the_values_of_its_version(vector: Vector) -> None:
    data = beside(vector, "file").read_bytes()
    said = [event["fields"] for event in said_events(vector) if not event["fields"]["is_control"]]
    rows = [row for batch in windows(decoded(data)) for row in batch.to_pylist()]
    for row, fields in zip(rows, said, strict=True):
        first = fields["class"] == "DbusEventV1"
        part = fields["key_part"] or {"digest": None, "schema_version": None, "data": None}
        key = fields["key_bytes"] if fields["key_part"] is None else part["data"]
        assert {name: row[name] for name in ("sequence", "src_id", "key", "trace", "ext_replicated")} == {
            "sequence": fields["sequence"],
            "src_id": fields["source_id"],
            "key": fields["key_long"],
            "trace": fields["trace"],
            "ext_replicated": fields["ext_replicated"],
        }
        assert row["partition_id"] == fields["physical_partition_id"]
        assert row["logical_partition_id"] == (fields["logical_partition_id"] if first else None)
        assert row["opcode"] == {"UPSERT": 1, "DELETE": 2, None: None}[fields["opcode"]]
        assert row["deleted"] == (fields["opcode"] == "DELETE")
        assert row["nano_timestamp"] == fields["timestamp_in_nanos"]
        assert hexadecimal(row["key_bytes"]) == key
        assert hexadecimal(row["key_schema_id"]) == part["digest"]
        assert row["key_schema_version"] == part["schema_version"]
        assert hexadecimal(row["schema_id"]) == fields["schema_id"]
        assert hexadecimal(row["value"]) == fields["value"]
        assert row["schema_version"] == (fields["schema_version"] if not first and fields["payload_part"] else None)


@of_kind("stream", id="stream_scn_regress")
def test_old_events_are_left_out_as_java_does(vector: Vector) -> None:
    data = beside(vector, "file").read_bytes()
    rows = pa.Table.from_batches(windows(decoded(data), drop_old=True))
    # Java keeps 4 of 6 events: these two, and the ends of their windows.
    assert rows["sequence"].to_pylist() == [10, 12]
    assert rows["complete"].to_pylist() == [True, True]


# --- upserts


def rows(table: pa.Table, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.select(names).to_pylist()]


def test_what_upserts_lack_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    found = upserts(windows(decoded(stream("10a 10. 11a 11b ! 11. ! 12. 13c"))))
    assert found["sequence"].to_pylist() == [10]
    assert [record.message for record in caplog.records] == [
        "wireloom: 2 malformed among the events; windows with them are not complete",
        "wireloom: 3 events left out, because their windows are not complete",
    ]
    caplog.clear()
    upserts(windows(decoded(stream("10a 10. 11b 11."))))
    assert caplog.records == []


def test_upserts_are_the_last_event_of_each_key() -> None:
    data = b"".join(
        [
            v1(10, key=1, opcode=1, value=b"a"),
            v2(10, key=2, opcode=1, payload=part(b"b")),
            v1(10, -2),
            v2(11, key=1, opcode=2),
            v1(11, 41, key=1, opcode=1, value=b"of another source"),
            v1(11, -2),
            v1(12, key=2, opcode=1, value=b"in a window without end"),
        ]
    )
    found = upserts(windows(decoded(data)))
    assert rows(found, "src_id", "key", "value", "deleted") == [
        (40, 2, b"b", False),
        (40, 1, None, True),
        (41, 1, b"of another source", False),
    ]


def part(data: bytes, **values: Any) -> dict[str, Any]:
    return {"schema_version": 1, "digest_type": 1, "digest": b"abcd", "data": data, **values}


def test_keys_of_another_kind_are_other_keys() -> None:
    events = [
        v1(10, key=1),
        v1(10, key=None, key_bytes=b"1"),
        v2(10, key_type=2, key_bytes=b"1", payload=part(b"the same key")),
        v2(10, key_type=3, key_with_schema=part(b"1")),
        v2(10, key_type=3, key_with_schema=part(b"1", schema_version=2)),
        v2(10, key_type=3, key_with_schema=part(b"1", digest=b"efgh")),
        v1(10, -2),
    ]
    found = upserts(windows(decoded(b"".join(events))))
    assert KEY[0] == "src_id"
    assert rows(found, *KEY[1:], "value") == [
        (1, None, None, None, b""),
        (None, b"1", None, None, b"the same key"),
        (None, b"1", b"abcd", 1, None),
        (None, b"1", b"abcd", 2, None),
        (None, b"1", b"efgh", 1, None),
    ]


def test_what_came_last_is_newer_also_after_a_regress() -> None:
    found = upserts(windows(decoded(stream("10a 10b 10. 8< 9a 9."))))
    assert rows(found, "key", "sequence") == [(ord("b"), 10), (ord("a"), 9)]


def test_the_latest_state_goes_on() -> None:
    batches = list(windows(decoded(stream("10a 10b 10. 11b 11. 12c 12a 12."), 2)))
    latest = upserts(batches[:1])
    for batch in batches[1:]:
        latest = upserts([*latest.to_batches(), batch])
    assert latest.equals(upserts(batches))
    assert rows(latest, "key", "sequence") == [(ord("b"), 11), (ord("c"), 12), (ord("a"), 12)]


# --- checkpoints


def test_checkpoints_are_positions() -> None:
    data = stream("10a 10. 0?") + v2(9, -51, payload=part(CHECKPOINT)) + v1(0, -3, value=b"payload")
    data += v1(0, -3, value=b'{"windowScn": "x", "prevScn": 18446744073709551616}')
    table = pa.Table.from_batches(checkpoints(decoded(data)))
    assert rows(table, "sequence", "regress", "windowScn", "windowOffset", "consumption_mode", "tsNsecs") == [
        (0, False, 9, -1, "ONLINE_CONSUMPTION", None),
        (9, True, 9, -1, "ONLINE_CONSUMPTION", None),
        (0, False, None, None, None, None),
        (0, False, None, None, None, None),
    ]
    assert table["prevScn"].to_pylist() == [8, 8, None, None]
    assert [text and json.loads(text)["windowScn"] for text in table["checkpoint"].to_pylist()] == [9, 9, None, "x"]
    assert table["_offset"].null_count == 0


def test_a_checkpoint_may_say_what_no_column_has() -> None:
    data = v1(0, -3, value=rb'{"consumption_mode": "\udc00", "windowScn": 9}')
    table = pa.Table.from_batches(checkpoints(decoded(data)))
    assert rows(table, "windowScn", "consumption_mode") == [(9, None)]
    assert json.loads(table["checkpoint"][0].as_py())["consumption_mode"] == "\udc00"


@only(
    lambda row: (row["kind"] == "event" and ".ctl.checkpoint" in row["id"]) or ".ctl.scn_regress" in row.get("id", "")
)
def test_a_checkpoint_says_what_java_wrote(vector: Vector) -> None:
    said = json.loads(bytes.fromhex(vector["fields"]["value"]))
    (batch,) = checkpoints(decoded(data_of(vector)))
    (row,) = batch.to_pylist()
    assert {name: row[name] for name in said} == said
    assert row["regress"] == vector["fields"]["is_scn_regress"]
    assert row["sequence"] == vector["fields"]["sequence"]


# --- what is not there


def test_what_is_missing_is_told() -> None:
    table = databus.decode_columnar(stream("10a 10."), columns=["dbus_event.sequence"])
    with pytest.raises(ValueError, match=r"lack the column dbus_event\.end_of_period; COLUMNS lists"):
        list(windows(table))
    with pytest.raises(ValueError, match="neither the column dbus_event nor dbus_event_v2"):
        list(windows(table.drop_columns(["dbus_event"])))
    taken = databus.decode_columnar(stream("10a 10."))
    with pytest.raises(ValueError, match="a column value, which conflicts with a field of events; rename it"):
        list(windows(taken.append_column("value", taken["message"])))


def test_the_columns_that_it_takes_are_enough() -> None:
    data = stream("10a 10B 10; ! 11c 11.")
    table = databus.decode_columnar(data, columns=COLUMNS, mode="PERMISSIVE")
    assert found(list(windows(table))) == [(10, True, "ab"), (11, False, "c")]


def test_one_version_alone_is_enough() -> None:
    table = databus.decode_columnar(stream("10A 10;"), messages=["dbus_event_v2"])
    assert found(list(windows(table))) == [(10, True, "a")]


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for _, code in blocks("docs/cdc-databus.md", "python"):
        exec(compile(code.replace("/tmp/wireloom", str(tmp_path)), "docs/cdc-databus.md", "exec"), names)
