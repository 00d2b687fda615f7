"""Captures that grow, followed: however they are cut, what they give together is what the whole gives at once."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from columnar.test_splits import CAPTURES, DAMAGED, UNKNOWN, event, frame
from hypothesis import given
from hypothesis import strategies as st
from support.cases import often

from wireloom import columnar
from wireloom.codec import cutting
from wireloom.columnar import following
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.following import Follower, Reach
from wireloom.options import ReadOptions
from wireloom.views import View
from wireloom_protocols import couchbase_dcp, databus

Rows = list[dict[str, Any]]
PIECES = {
    couchbase_dcp: [
        UNKNOWN,
        frame(UNKNOWN * 5, b"\x80\xb6"),
        frame(frame(UNKNOWN) * 2),
        UNKNOWN * 3,
        frame(UNKNOWN * 2)[:-3],
        b"\xff" * 30,
    ],
    databus: [
        event(b"a"),
        event(event(b"a", "little") + event(b"b")),
        event(b"c", "little"),
        event(event(b"d")[:-1]),
        DAMAGED,
        event(b"x" * 300)[:40],
        bytes(150),
        b"\x00",
    ],
}


def decoder(protocol: Any, largest: int | None = None) -> Decoder:
    """One whose records, and whose rows of malformed ranges, have so many bytes at most."""
    given = {"positions": "true"} | ({} if largest is None else {"maxRecordBytes": str(largest)})
    options = ReadOptions.of(given, protocol.PROTOCOL.parameters, protocol.PROTOCOL.messages)
    return Decoder(protocol.PROTOCOL, options, columnar.arrow_schema(View(protocol.PROTOCOL, options).columns))


def rows(cuts: Iterator[Any], made: Any) -> Rows:
    return [row for each in cuts for batch in made.cuts(each, "") for row in batch.to_pylist()]


def joined(found: Rows) -> Rows:
    """The rows, malformed ones of one reason that follow each other made one: a lost capture has some in each batch."""
    result = []
    for reason, same in groupby(found, key=lambda row: row["_corrupt_reason"]):
        first, *others = same
        if reason is None:
            result += [first, *others]
            continue
        record = b"".join(row["_corrupt_record"] for row in (first, *others))
        result.append({**first, "_corrupt_record": record, "_length": len(record)})
    return result


def check(made: Any, capture: bytes, sizes: list[int], remembered: list[bool], path: Path) -> None:
    """Batches between the sizes that a file had give what is there, and each gives the same when it is read again.

    Some go on from where the one before has ended, others follow the file from its beginning.
    """
    sizes = sorted({0, *sizes, len(capture)})
    found, reach = [], Reach()
    for (size, end), known in zip(pairwise(sizes), remembered, strict=False):
        path.write_bytes(capture[:end])
        follower = Follower(made(), str(path), reach if known else Reach())
        batch = rows(follower.between(size, end, final=False), follower.decoder)
        path.write_bytes(capture)
        again = Follower(made(), str(path), Reach())
        assert rows(again.between(size, end, final=False), again.decoder) == batch
        assert vars_of(again.reach) == vars_of(follower.reach)
        reach = follower.reach
        assert reach.position <= end
        found += batch
    whole = [row for batch in made().capture(capture) for row in batch.to_pylist()]
    rest = Follower(made(), str(path), reach)
    last = rows(rest.between(len(capture), len(capture), final=True), rest.decoder)
    assert joined(found + last) == joined(whole)


def vars_of(reach: Reach) -> tuple[object, ...]:
    return reach.position, reach.order, reach.lost and reach.lost.reason


@pytest.mark.sweep
@pytest.mark.parametrize("name", CAPTURES)
def test_a_capture_that_grows_byte_by_byte(name: str, tmp_path: Path) -> None:
    protocol, capture = CAPTURES[name]
    places = list(range(0, len(capture), often(23, 3)))
    check(lambda: decoder(protocol), capture, places, [True] * len(capture), tmp_path / "a.bin")


@pytest.mark.sweep
@pytest.mark.parametrize("protocol", PIECES, ids=lambda protocol: protocol.PROTOCOL.name)
@pytest.mark.parametrize("largest", [None, 120])
@given(data=st.data())
def test_a_capture_cut_anywhere(protocol: Any, largest: int | None, data: st.DataObject) -> None:
    capture = b"".join(data.draw(st.lists(st.sampled_from(PIECES[protocol]), max_size=8)))
    sizes = data.draw(st.lists(st.integers(0, len(capture)), max_size=6))
    remembered = data.draw(st.lists(st.booleans(), min_size=8, max_size=8))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        if largest is not None:  # of a piece of a malformed range, and of a piece of the file
            patched.setattr(cutting, "MAX_RECORD_BYTES", largest)
            patched.setattr(following, "PIECE_BYTES", 50)
        check(lambda: decoder(protocol, largest), capture, sizes, remembered, Path(folder) / "a.bin")


@pytest.mark.parametrize("behind", [event(b"d")[:-1] + event(b"a"), event(b"d")[:-1]], ids=["torn", "cut off"])
@pytest.mark.parametrize("final", [False, True])
def test_a_range_in_pieces_ends_where_another_malformed_one_begins(
    behind: bytes, final: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is behind a range is not taken for another piece of it, though it is malformed, too."""
    monkeypatch.setattr(cutting, "MAX_RECORD_BYTES", 120)
    monkeypatch.setattr(following, "PIECE_BYTES", 50)
    path, capture, made = tmp_path / "a.bin", bytes(200) + behind, decoder(databus, 120)
    path.write_bytes(capture)
    follower = Follower(made, str(path), Reach())
    found = rows(follower.between(0, len(capture), final=final), made)
    if not final:
        found += rows(follower.between(len(capture), len(capture), final=True), made)
    assert [row["_offset"] for row in found][:3] == [0, 120, 200]
    assert found == [row for batch in decoder(databus, 120).capture(capture) for row in batch.to_pylist()]
