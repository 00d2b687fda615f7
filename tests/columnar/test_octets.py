"""Bytes at places of a buffer as an Arrow array, short or long, one behind the other or in any order."""

from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom.buffers import Places, octets

BUFFER = Random(0).randbytes(3 * 1024 * 1024)
SIZES = st.sampled_from([0, 1, 11, 12, 13, 200]) | st.integers(0, 40)


def made(spans: list[tuple[int, int] | None], valid: bool, places: Places | None) -> pa.Array:
    """The bytes of spans; None has no value, and any place."""
    known = [(-1, -5) if span is None else span for span in spans]
    start, stop = (np.array([span[number] for span in known], np.int64) for number in (0, 1))
    there = np.array([span is not None for span in spans], bool) if valid else None
    found = octets(np.frombuffer(BUFFER, np.uint8), start, stop, there, places)
    found.validate(full=True)
    return found


@given(st.lists(st.tuples(SIZES, SIZES, st.booleans()), max_size=40), st.booleans(), st.booleans(), st.data())
def test_bytes_are_those_at_their_places(
    sizes: list[tuple[int, int, bool]], shuffled: bool, missing: bool, data: st.DataObject
) -> None:
    spans: list[tuple[int, int] | None] = []
    at = 0
    for gap, size, there in sizes:
        spans.append((at + gap, at + gap + size) if there or not missing else None)
        at += gap + size
    if shuffled:
        spans = data.draw(st.permutations(spans))
    expected = [None if span is None else BUFFER[slice(*span)] for span in spans]
    assert made(spans, missing, None).to_pylist() == expected
    rows = [2 * row + 1 for row in range(len(spans))]
    placed = made(spans, missing, Places(np.array(rows, np.int64), 2 * len(spans) + 2))
    assert len(placed) == 2 * len(spans) + 2
    assert [placed[row].as_py() for row in rows] == expected


@pytest.mark.parametrize(("least", "most"), [(900, 1000), (0, 1000), (1000, 1000)])
def test_many_bytes_are_those_at_their_places(least: int, most: int) -> None:
    random = Random(most + least)
    spans = [(1000 * number, 1000 * number + random.randint(least, most)) for number in range(3000)]
    spans[5:8] = [(5000, 5000), (6000, 6000), (7000, 7000)]
    assert made(list(spans), False, None).to_pylist() == [BUFFER[slice(*span)] for span in spans]
