"""Offsets of a stream: each says what its batch is, whatever was appended since, and a log keeps long ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.growing_captures import FRAME, FRAMES, JUNK, append, dcp, named
from spark.stepwise_query import Query, cas, logged
from wireloom import files

pytestmark = pytest.mark.spark


def test_a_batch_is_the_same_whatever_was_appended_since(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(b"".join(FRAMES[:3]))
    start, end = query.plan()
    append(path, FRAMES[3] + JUNK)
    (tmp_path / "b.bin").write_bytes(FRAMES[4])
    assert cas(query.batch(start, end)) == [0, 1, 2]


def test_a_batch_of_malformed_bytes_is_the_same_whatever_was_appended_since(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(FRAMES[0] + JUNK)
    start, end = query.plan()
    before = query.batch(start, end)
    append(path, FRAMES[3] + JUNK)
    assert query.batch(start, end) == before


def test_equal_offsets_give_nothing(tmp_path: Path) -> None:
    query = Query(tmp_path)
    named(tmp_path, "a.bin", FRAMES[0])
    query.trigger()
    assert list(query.reader().partitions(query.offset, query.offset)) == []


def test_an_offset_has_a_name_and_few_numbers_for_each_file_or_names_an_entry_of_a_log(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(200):
        (tmp_path / "in" / f"{number:06}.bin").write_bytes(FRAMES[0])
    query, logged = Query(tmp_path / "in"), Query(tmp_path / "in", logLocation=tmp_path / "log")
    assert len(query.trigger()) == len(logged.trigger()) == 200
    assert len(json.dumps(query.offset)) < 200 * 80 + 200
    assert len(json.dumps(logged.offset)) < 100


def test_offsets_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    named(tmp_path / "in", "a.bin", FRAMES[0])
    query = Query(tmp_path / "in", logLocation=tmp_path / "log")
    query.trigger()
    for options, told in (
        ({}, "the checkpoint needs the log [0-9a-f]{16}; set logLocation as when the query started"),
        (
            {"logLocation": tmp_path / "other"},
            "there is no .*/other/.*, which the checkpoint needs: .* logLocation is not",
        ),
    ):
        other = Query(tmp_path / "in", **options)
        other.offset = query.offset
        with pytest.raises(ValueError, match=told):
            other.plan()
    query.offset = {"version": 1, "folders": {}}
    with pytest.raises(ValueError, match="the checkpoint has offsets of version 1, not 2"):
        query.plan()


# The log


def test_every_offset_of_a_log_can_be_begun_from_and_old_entries_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many are kept where Spark needs them is what test_log.py tells."""
    monkeypatch.setattr("wireloom.spark.log._KEPT", 20)
    query = logged(tmp_path)
    offsets = [query.offset]
    for number in range(55):
        if number:
            (tmp_path / "in" / f"{number - 1}.bin").unlink()
        named(tmp_path / "in", f"{number}.bin", dcp(number))
        assert cas(query.trigger()) == [number]
        offsets.append(query.offset)
    assert cas(query.batch(offsets[54], offsets[55])) == [54]
    for number in (54, 45, 34):
        query.offset = offsets[number + 1]
        assert query.known() == {f"{number}.bin": FRAME}
    entries = list((tmp_path / "log").glob("*/*"))
    assert len(entries) < 35
    query.offset = offsets[10]
    with pytest.raises(ValueError, match="it was removed"):
        query.plan()


def test_what_was_planned_and_never_used_is_in_nobodys_way(tmp_path: Path) -> None:
    query = logged(tmp_path)
    named(tmp_path / "in", "a.bin", FRAMES[0])
    query.trigger()
    start = query.offset
    named(tmp_path / "in", "b.bin", FRAMES[1])
    _, never = query.plan()
    named(tmp_path / "in", "c.bin", FRAMES[2])
    assert sorted(cas(query.trigger())) == [1, 2]  # type: ignore[type-var]
    named(tmp_path / "in", "d.bin", FRAMES[3])
    assert cas(query.trigger()) == [3]
    assert cas(query.batch(start, never)) == [1]


def test_a_query_that_began_without_a_log_goes_on_with_one(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    query = Query(tmp_path / "in")
    path = named(tmp_path / "in", "a.bin", FRAMES[0])
    query.trigger()
    append(path, FRAMES[1])
    query.options["logLocation"] = str(tmp_path / "log")
    assert cas(query.trigger()) == [1]
    assert "log" in query.offset


@pytest.mark.parametrize("damage", ["none", "torn", "of other bytes", "gone"])
def test_notes_save_following_a_file_from_its_beginning(
    tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.columnar import following

    query, begun = logged(tmp_path), []

    def opened(path: str, offset: int = 0) -> Any:
        begun.append(offset)
        return files.opened(path, offset)

    path = named(tmp_path / "in", "a.bin", b"".join(FRAMES[:3]) + FRAMES[3][:7])
    query.trigger()
    append(path, FRAMES[3][7:] + FRAMES[4])
    query.trigger()
    (note,) = (tmp_path / "log").glob("*/notes/*")
    if damage == "torn":
        note.write_bytes(note.read_bytes()[:-9])
    elif damage == "of other bytes":
        note.write_text(json.dumps({**json.loads(note.read_text()), "likeness": "0" * 32, "position": FRAME}))
    elif damage == "gone":
        note.unlink()
    append(path, FRAMES[5])
    monkeypatch.setattr(following, "opened", opened)
    assert cas(query.trigger()) == [5]
    assert begun == ([5 * FRAME] if damage == "none" else [0, 5 * FRAME])


def test_a_note_that_cannot_be_written_is_not_missed(tmp_path: Path) -> None:
    query = logged(tmp_path)
    path = named(tmp_path / "in", "a.bin", b"".join(FRAMES[:3]))
    start, query.offset = query.plan()
    (stream,) = (tmp_path / "log").iterdir()
    (stream / "notes").write_text("no folder")
    assert cas(query.batch(start, query.offset)) == [0, 1, 2]
    append(path, FRAMES[3])
    assert cas(query.trigger()) == [3]
