"""Captures that grow, followed: however they are cut, what they give together is what the whole gives at once."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from columnar.captures_to_divide import CAPTURES, DAMAGED, UNKNOWN, event, frame
from hypothesis import given
from hypothesis import strategies as st
from support.cases import often

from files.growing_captures import check, decoder, rows
from wireloom.codec import cutting
from wireloom.columnar import following
from wireloom.columnar.following import Follower, Reach
from wireloom_protocols import couchbase_dcp, databus

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
