"""What a stream keeps in a log: each offset that Spark may ask for is what it was, and what nobody needs is removed."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from wireloom.codec import DecodeError
from wireloom.columnar.following import Reach
from wireloom.spark.log import Log, note, noted
from wireloom.spark.offsets import FIRST, State, StreamOffsets, TakenFile

RETAINED = 100


@pytest.mark.parametrize("logs", [True, False])
@pytest.mark.parametrize("known", [3, 300])
@pytest.mark.parametrize("restarts", [True, False])
def test_every_offset_that_spark_may_ask_for_is_what_it_was(
    logs: bool, known: int, restarts: bool, tmp_path: Path
) -> None:
    """Of few files and of many, which changes seldom need all of them to be written."""
    chance, log = random.Random(7), Log(str(tmp_path)) if logs else None
    offsets, offset = StreamOffsets(log), dict(FIRST)
    others: list[Path] = []
    files: dict[str, TakenFile] = {}
    history: list[tuple[dict[str, Any], State]] = []
    for number in range(260):
        taken = {
            f"/in/{chance.randrange(known)}": TakenFile(
                number, number + 1, 10**18 + number, "ab", chance.random() < 0.5
            )
            for _ in range(known if not number else 3)
        }
        gone = chance.sample(sorted(files), min(len(files), chance.randrange(3)))
        offset = json.loads(json.dumps(offsets.next(offset, taken, gone, horizon=number)))
        files = {path: each for path, each in files.items() if path not in gone} | taken
        history.append((offset, State(dict(files), number)))
        if logs and not number:
            (stream,) = tmp_path.iterdir()
            others = [stream / "README", stream / "7-of-mine", stream / "mine" / "a"]
            others[2].parent.mkdir()
            for other in others:
                other.write_text("not of the log")
        if restarts:
            offsets = StreamOffsets(log)
    for told, state in history[-RETAINED if logs else 0 :: 7]:
        assert StreamOffsets(log).state(told) == state
    assert all(other.exists() for other in others)
    assert not logs or len(list(tmp_path.glob("*/*"))) < RETAINED + 25


def test_an_entry_costs_what_changed(tmp_path: Path) -> None:
    offsets = StreamOffsets(Log(str(tmp_path)))
    taken = {f"/in/{number}": TakenFile(1, 1, 10**18, "ab") for number in range(10_000)}
    offset = offsets.next(dict(FIRST), taken, (), 0)
    for number in range(100):
        offset = offsets.next(offset, {f"/in/new{number}": TakenFile(1, 1, 10**18, "ab")}, (), 0)
        assert len(json.dumps(offset)) < 100
    first, *others = sorted(path.stat().st_size for path in tmp_path.glob("*/*"))[::-1]
    assert sum(others) < first / 5


@pytest.mark.parametrize(
    "reach", [Reach(7, True), Reach(9), Reach(5, False, DecodeError("invalid", "why", 5, "magic"))]
)
def test_a_note_is_what_was_noted_of_the_same_bytes(reach: Reach, tmp_path: Path) -> None:
    folder, path = str(tmp_path / "notes"), "/in/caf\udce9.bin"
    assert noted(folder, path, "alike", 9) == Reach()
    note(folder, path, "other", Reach(3))
    note(folder, path, "alike", reach)
    found = noted(folder, path, "alike", 9)
    assert (found.position, found.order) == (reach.position, reach.order)
    assert (found.lost and found.lost.reason) == (reach.lost and reach.lost.reason)
    assert noted(folder, path, "alike", reach.position - 1) == Reach()
    assert noted(folder, path, "other", 9) == noted(folder, "/in/b.bin", "alike", 9) == Reach()
    assert [file.name[0] for file in (tmp_path / "notes").iterdir()] != ["."]


@pytest.mark.parametrize(
    "told",
    [
        {"position": 1.5},
        {"position": None},
        {"position": 10},
        {"position": -1},
        {"order": "big"},
        {"lost": {}},
        {"lost": []},
        {"lost": ["invalid", "why", "5", "magic"]},
        {"lost": [[], {}, 1, 2]},
    ],
)
def test_a_note_that_cannot_be_is_none(told: dict[str, object], tmp_path: Path) -> None:
    note(str(tmp_path), "/in/a.bin", "alike", Reach(7, True))
    (written,) = tmp_path.iterdir()
    written.write_text(json.dumps({**json.loads(written.read_bytes()), **told}))
    assert noted(str(tmp_path), "/in/a.bin", "alike", 9) == Reach()


@pytest.mark.parametrize("content", [b"", b"{", b"7", b"[]", b"null", b"{}", b"[" * 100_000, b"\xff"])
def test_a_note_that_is_not_whole_is_none(content: bytes, tmp_path: Path) -> None:
    note(str(tmp_path), "/in/a.bin", "alike", Reach(7, True))
    (written,) = tmp_path.iterdir()
    written.write_bytes(content)
    assert noted(str(tmp_path), "/in/a.bin", "alike", 9) == Reach()
