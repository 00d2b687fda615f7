"""The picture of a capture, in numbers."""

from pathlib import Path

import numpy as np

from lab import small
from wireloom_generator.lab.overview import BINS, Overview, drawn, overview, relative_entropy
from wireloom_generator.lab.session import Session, time_text


def _of(session: Session, *, by_time: bool = False) -> Overview:
    assert session.index is not None
    return overview(session.capture, session.index.found, session.index.names, by_time=by_time)


def test_records_are_counted_where_they_begin(tmp_path: Path) -> None:
    found = _of(small.opened(tmp_path, small.FIRST * 1200))
    assert found.messages.keys() == {"level"}
    assert found.messages["level"].records == 1200
    assert found.messages["level"].columns.tolist() == [5] * BINS


def test_a_record_is_as_long_as_it_is(tmp_path: Path) -> None:
    found = _of(
        small.opened(tmp_path, bytes.fromhex("ca 02 0074") + b"a" * 0x74 + bytes.fromhex("ca 01 0074") + bytes(0x74))
    )
    assert found.messages["alarm"].columns.tolist() == [1] * 120 + [0] * 120  # each has 120 bytes
    assert found.messages["level"].columns.tolist() == [0] * 120 + [1] * 120


def test_messages_have_lanes_of_their_own_the_most_frequent_first(tmp_path: Path) -> None:
    found = _of(small.opened(tmp_path, small.SECOND + small.FIRST + small.THIRD))
    assert {name: lane.records for name, lane in found.messages.items()} == {"level": 2, "alarm": 1}
    assert list(found.messages) == ["level", "alarm"]


def test_malformed_bytes_are_where_they_are(tmp_path: Path) -> None:
    # 88 of 352 bytes are before them, and as many after: a quarter of the columns each
    found = _of(small.opened(tmp_path, small.FIRST * 8 + small.NOISE * 11 + small.FIRST * 8))
    assert np.allclose(found.malformed, [0] * 60 + [1] * 120 + [0] * 60)
    assert np.isnan(found.entropy[0])
    assert found.entropy[120] > 0.5


def test_over_time_records_are_where_their_time_is(tmp_path: Path) -> None:
    found = _of(small.opened(tmp_path, small.THIRD + small.SECOND + small.FIRST), by_time=True)
    assert (time_text(found.first), time_text(found.last)) == ("1970-01-01 01:00:00", "1970-01-01 02:00:00")
    assert found.messages["level"].columns.nonzero()[0].tolist() == [0, BINS - 1]
    assert "alarm" not in found.messages


def test_entropy_is_none_of_equal_bytes_and_whole_of_different_ones() -> None:
    assert relative_entropy(b"") == relative_entropy(b"a") == relative_entropy(b"a" * 1000) == 0
    assert relative_entropy(bytes(range(256))) == 1
    assert relative_entropy(b"ab" * 128) == 1 / 8


def test_names_are_escaped_in_the_picture(tmp_path: Path) -> None:
    found = _of(small.opened(tmp_path, small.FIRST))
    found.messages["<i>"] = found.messages.pop("level")
    assert "<i>" not in drawn(found, time_text)
    assert "&lt;i&gt;" in drawn(found, time_text)


def test_the_picture_is_described_in_words(tmp_path: Path) -> None:
    found = _of(small.opened(tmp_path, small.FIRST * 3))
    assert 'aria-label="Records over offset: 3 level; malformed bytes in 0 of 240 columns"' in drawn(found, time_text)
