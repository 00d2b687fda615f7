"""Files that are lost, cut short or replaced while a stream reads them: each is told by its name, or left out."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from spark.growing_captures import FRAME, FRAMES, JUNK, append, dcp, named
from spark.stepwise_query import Query, cas, logged

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("damage", ["lost", "shrunk"])
@pytest.mark.parametrize("data", [FRAMES[0] + FRAMES[1], JUNK], ids=["sound", "malformed"])
def test_a_file_that_is_not_what_was_planned(
    tmp_path: Path, damage: str, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = named(tmp_path, "a.bin", data)
    named(tmp_path, "b.bin", FRAMES[2])
    query = Query(tmp_path)
    start, end = query.plan()
    if damage == "lost":
        path.unlink()
        message, option = f"{path} is gone, but was still to be read from byte 0 on", "ignoreMissingFiles"
    else:
        path.write_bytes(data[:-1])
        message = f"{path} has {len(data) - 1} bytes now, and had {len(data)} when it was read"
        option = "ignoreCorruptFiles"
    with pytest.raises(OSError, match=message) as failure:
        query.batch(start, end)
    assert failure.value.__notes__ == [f"the option {option}=true skips such files"]
    query.options["ignoreCorruptFiles"] = "true"
    with caplog.at_level(logging.WARNING, "wireloom"):
        assert cas(query.batch(start, end)) == [2]
    assert message in caplog.text


def test_a_file_that_is_gone_is_not_taken_for_those_that_its_name_matches(tmp_path: Path) -> None:
    for name, frame in {"[ab].bin": FRAMES[0], "a.bin": FRAMES[1], "b.bin": FRAMES[2]}.items():
        named(tmp_path, name, frame)
    query = Query(tmp_path)
    start, end = query.plan()
    (tmp_path / "[ab].bin").unlink()
    with pytest.raises(FileNotFoundError, match="is gone, but was still to be read"):
        query.batch(start, end)
    query.options["ignoreMissingFiles"] = "true"
    assert sorted(cas(query.batch(start, end))) == [1, 2]  # type: ignore[type-var]


def test_a_consumed_file_that_shrinks_is_an_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, query = named(tmp_path, "a.bin", FRAMES[0] + FRAMES[1]), Query(tmp_path)
    query.trigger()
    path.write_bytes(FRAMES[0])
    with pytest.raises(
        OSError, match=r"has 44 bytes now, and had 88 when it was read.*\nthe option ignoreCorruptFiles=true"
    ):
        query.plan()
    query.options["ignoreCorruptFiles"] = "true"
    assert query.trigger() == []
    assert "has 44 bytes now" in caplog.text


def test_a_deleted_file_is_forgotten_unless_its_folder_is_empty(tmp_path: Path) -> None:
    query = Query(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        named(tmp_path / name, "1.bin", FRAMES[0])
    query.trigger()
    for name in ("a", "b"):
        (tmp_path / name / "1.bin").unlink()
    named(tmp_path / "a", "2.bin", FRAMES[1])
    assert cas(query.trigger()) == [1]
    assert query.known() == {"a/2.bin": 44, "b/1.bin": 44}
    named(tmp_path / "b", "1.bin", FRAMES[0])  # as if it had not been mounted
    assert query.trigger() == []


# Files that are replaced


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("size", [10 * FRAME, 12 * FRAME, 200 * FRAME])
def test_a_file_that_is_replaced_is_told_and_never_read_from_the_middle(
    tmp_path: Path, size: int, logs: bool, caplog: pytest.LogCaptureFixture
) -> None:
    query = logged(tmp_path) if logs else Query(tmp_path / "in")
    (tmp_path / "in").mkdir(exist_ok=True)
    path = named(tmp_path / "in", "a.bin", b"".join(FRAMES[:10]), 10)
    query.trigger()
    named(tmp_path / "in", "a.bin", b"".join(map(dcp, range(100, 300)))[:size])
    named(tmp_path / "in", "b.bin", FRAMES[50])
    told = f"{path} was replaced: its first 440 bytes, which were read already, are others now. Give the new"
    with pytest.raises(OSError, match=told):
        query.plan()
    query.options["ignoreCorruptFiles"] = "true"
    reader = query.reader()
    for _ in range(2):
        end = reader.latestOffset(query.offset, reader.getDefaultReadLimit())
    assert cas(query.batch(query.offset, end)) == [50]
    assert caplog.text.count("are others now") == 1


def test_a_file_whose_time_alone_changed_goes_on(tmp_path: Path) -> None:
    query, path = Query(tmp_path), named(tmp_path, "a.bin", FRAMES[0], 100)
    query.trigger()
    named(tmp_path, "a.bin", FRAMES[0])
    assert query.trigger() == []
    append(path, FRAMES[1])
    assert cas(query.trigger()) == [1]


def test_a_file_that_is_replaced_after_it_was_planned_is_an_error_of_the_task(tmp_path: Path) -> None:
    path, query = named(tmp_path, "a.bin", FRAMES[0], 100), Query(tmp_path)
    start, end = query.plan()
    path.write_bytes(FRAMES[1])
    with pytest.raises(OSError, match="are others now"):
        query.batch(start, end)
