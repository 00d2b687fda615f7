"""A stream gives what a batch read of the same files gives, malformed bytes and large files included."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import often

from spark.growing_captures import EVENTS, FRAME, FRAMES, JUNK, append, named
from spark.records_and_rows import event
from spark.stepwise_query import Query, Rows, cas, joined
from wireloom import registry
from wireloom.codec.cutting import cuts
from wireloom.files import listed
from wireloom_protocols import couchbase_dcp, databus

pytestmark = pytest.mark.spark


# Malformed bytes


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """DCP as a protocol in which nothing can be found behind damage."""
    monkeypatch.setattr(couchbase_dcp.PROTOCOL.framing, "resync", False)


@pytest.mark.usefixtures("endless")
def test_behind_damage_a_file_is_lost_for_ever_where_nothing_is_searched_for(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(FRAMES[0] + JUNK[:1])
    found = query.trigger()
    assert [row["_corrupt_record"] for row in found] == [None]  # a byte more would tell
    append(path, JUNK[1:])
    for data in (FRAMES[1], FRAMES[2][:7], b"x"):
        found += query.trigger()
        append(path, data)
    found += query.trigger()
    assert [row["_corrupt_record"] for row in found[1:]] == [JUNK, FRAMES[1], FRAMES[2][:7], b"x"]
    assert joined(found) == query.at_once()


def test_behind_damage_the_next_dcp_frames_are_read(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(FRAMES[0] + JUNK)
    assert cas(query.trigger()) == [0]
    append(path, FRAMES[1])
    assert query.trigger() == []  # another frame behind it will show that it is one
    append(path, FRAMES[2])
    found = query.trigger()
    assert [row["_corrupt_record"] for row in found] == [JUNK, None, None]
    assert query.at_once()[1:] == found


@pytest.mark.usefixtures("endless")
def test_a_lost_file_is_bounded_too(tmp_path: Path) -> None:
    query = Query(tmp_path, maxBytesPerTrigger=FRAME + 10)
    named(tmp_path, "a.bin", FRAMES[0] + JUNK)
    found = query.triggers()
    assert len(found) == 2
    assert joined([row for rows in found for row in rows]) == query.at_once()


@pytest.mark.usefixtures("endless")
def test_options_of_the_reader_hold_in_lost_files_too(tmp_path: Path) -> None:
    named(tmp_path, "a.bin", FRAMES[0] + JUNK)
    assert len(Query(tmp_path, mode="DROPMALFORMED").trigger()) == 1
    with pytest.raises(ValueError, match=r"a\.bin: .* at byte 44"):
        Query(tmp_path, mode="FAILFAST").trigger()
    for options in ({"message": "snapshot_marker"}, {"positions": True}, {"columns": "cas,_corrupt_record"}):
        query = Query(tmp_path, **options)
        assert query.trigger() == query.at_once()


def test_damage_in_a_databus_file_is_delivered_once_its_end_is_known(tmp_path: Path) -> None:
    query = Query(tmp_path, "databus")
    framing, parameters = databus.PROTOCOL.framing, query.source().read_options.parameters
    first, *others = (record.length for record in cuts(framing, EVENTS, parameters))
    path = named(tmp_path, "a.bin", EVENTS[:first] + bytes(100))
    assert len(query.trigger()) == 1
    append(path, bytes(50) + EVENTS[:7])
    assert query.trigger() == []
    append(path, EVENTS[7:])
    found = query.trigger()
    assert found[0]["_corrupt_record"] == bytes(150)
    assert len(found) == 2 + len(others)
    assert query.at_once()[1:] == found


# Files of any content and size


@pytest.mark.parametrize("protocol", ["couchbase_dcp", "databus"])
@settings(max_examples=often(5, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_stream_gives_what_a_batch_gives(
    protocol: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("stream")
    sound = [FRAMES[0], FRAMES[1] + FRAMES[2]] if protocol == "couchbase_dcp" else [EVENTS, EVENTS]
    junk = [b"\0" * 70, JUNK, EVENTS[:33], b"\x80"]
    chosen = data.draw(st.lists(st.sampled_from(sound * 3 + junk), max_size=6))
    content = b"".join(chosen)
    path = folder / "in" / "a.bin"
    path.parent.mkdir()
    path.touch()
    options: dict[str, object] = {"maxBytesPerTrigger": data.draw(st.sampled_from([60, 300, 10**6])), "positions": True}
    if data.draw(st.booleans()):
        options["logLocation"] = folder / "log"
    query = Query(path.parent, protocol, **options)
    found: Rows = []
    while content:
        size = data.draw(st.integers(1, len(content)))
        append(path, content[:size])
        content = content[size:]
        found += [row for rows in query.triggers() for row in rows]
    _compare(found, query.at_once())


def _compare(found: Rows, expected: Rows) -> None:
    """All rows alike, but that a malformed one may come in pieces, and that some may be waiting: the last one, or all
    from the first on that claims to be longer than what is there; a record in front of these that has to lead to them,
    as it is behind damage; and the damage, whose end it would be.
    """
    for row in (*found, *expected):
        if row["_corrupt_reason"] is not None:
            del row["_length"], row["_offset"]
    found, expected = joined(found), joined(expected)
    reasons = [row["_corrupt_reason"] for row in expected]
    cut = (number for number, reason in enumerate(reasons) if reason is not None and reason.startswith("truncated"))
    least = max(0, min(next(cut, len(expected)), len(expected) - 1))
    least -= least > 1 and reasons[least - 1] is None and reasons[least - 2] is not None
    least -= least > 0 and reasons[least - 1] is not None
    assert found in [expected[:count] for count in range(least, len(expected) + 1)]


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("protocol", ["couchbase_dcp", "databus"])
def test_new_large_files_are_divided_as_in_batch_reads(
    protocol: str, final: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.columnar import index, splits

    monkeypatch.setattr(splits, "BEFORE_BYTES", 50)
    monkeypatch.setattr(index, "EVERY", 300)
    (tmp_path / "in").mkdir()
    content = b"".join(FRAMES) + JUNK if protocol == "couchbase_dcp" else EVENTS * 12 + bytes(90) + EVENTS[:200]
    path = named(tmp_path / "in", "a.bin", content, 10)
    options = {"maxPartitionBytes": 400, "openCostInBytes": 0, "maxRecordBytes": 500, "positions": True}
    query = Query(tmp_path / "in", protocol, cleanSource="delete" if final else "off", **options)
    if protocol == "couchbase_dcp":
        found, read = registry.protocol(protocol), query.source().read_options
        reading = index.Reading.of(found.name, registry.digest(protocol), read)
        index.write(listed([str(path)])[0], reading, query.reader().captures.decoder().scanner())
    start, end = query.plan()
    parts = [part for partition in query.reader().partitions(start, end) for part in partition.parts]
    assert len(parts) > 5
    whole, rows = query.at_once(), query.batch(start, end)
    if final:
        assert joined(rows) == joined(whole)
        return
    append(path, EVENTS[200:])  # which could be a frame's, too
    query.offset = end
    rows += query.trigger()
    _compare(rows, query.at_once())


def test_no_part_begins_in_a_record_that_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All in front of it is malformed for so long that a part begins there, and its payload has records, too."""
    from wireloom.columnar import splits

    monkeypatch.setattr(splits, "BEFORE_BYTES", 1500)
    within = event(event(b"a") + event(b"b") + bytes(200))
    options = {"maxPartitionBytes": 400, "openCostInBytes": 0, "maxRecordBytes": len(within), "positions": True}
    for gap in range(900, 1400, 100):
        (tmp_path / str(gap)).mkdir()
        path = named(tmp_path / str(gap), "a.bin", event(b"c") + bytes(gap) + within[:-1], 10)
        query = Query(path.parent, "databus", **options)
        rows = query.trigger()
        append(path, within[-1:] + event(b"d"))
        rows += query.trigger()
        _compare(rows, query.at_once())
