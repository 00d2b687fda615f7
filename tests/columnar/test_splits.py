"""Parts of a capture give what the whole gives, wherever it is split and whatever its payloads look like."""

import io
import random
from bisect import bisect_left
from functools import cache
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pytest
from support import accelerator
from support.cases import often

from columnar.captures_to_divide import CAPTURES, UNKNOWN, decoder, divided, frame
from wireloom.columnar import decoder as decoding
from wireloom.columnar.index import scanner_of
from wireloom.columnar.splits import places
from wireloom.loops import accel
from wireloom.options import ReadOptions
from wireloom_protocols import couchbase_dcp


def part(protocol: Any, capture: bytes, start: int, stop: int | None) -> list[pa.RecordBatch]:
    stream = io.BytesIO(capture)
    stream.seek(start)
    return list(decoder(protocol).stream(stream.readinto, start=start, stop=stop))


@pytest.mark.sweep
@pytest.mark.parametrize("name", CAPTURES)
def test_every_size_of_parts_gives_the_rows_of_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol, capture = CAPTURES[name]
    monkeypatch.setattr(decoding, "PIECE_BYTES", 100)
    whole = pa.Table.from_batches(decoder(protocol).capture(capture))
    read = cache(lambda start, stop: part(protocol, capture, start, stop))  # many sizes have parts in common
    for every in (*range(1, 62, often(6, 1)), *range(62, len(capture) + 2, often(41, 13)), len(capture) + 1):
        parts = divided(decoder(protocol), capture, every)
        assert [0, *(stop for _, stop in parts)] == [*(start for start, _ in parts), len(capture)]
        found = [batch for start, stop in parts for batch in read(start, stop)]
        assert pa.Table.from_batches(found).equals(whole), every


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize("size", [1, 7, 24, 61, 100])
def test_pieces_of_any_size_give_the_rows_of_the_whole(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol, capture = CAPTURES[name]
    whole = pa.Table.from_batches(decoder(protocol).capture(capture))
    monkeypatch.setattr(decoding, "PIECE_BYTES", size)
    assert pa.Table.from_batches(part(protocol, capture, 0, None)).equals(whole)


def test_parts_are_about_as_large_as_asked_for() -> None:
    capture = UNKNOWN * 1000
    parts = divided(decoder(couchbase_dcp), capture, 6000)
    assert [stop - start for start, stop in parts] == [6000] * 4


@accelerator.off_and_on
@pytest.mark.parametrize("window", [500, 2_000, 10_000])
def test_records_are_noted_wherever_a_window_ends(
    window: int, accelerated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert accelerated == accel.ENABLED
    accelerator.pay(monkeypatch, 0)
    monkeypatch.setattr(decoding, "PIECE_BYTES", window)
    chance = random.Random(5)
    records = [frame(bytes(chance.choice([0, 3, 40, 700, 3_000]))) for _ in range(750)]
    ends = list(accumulate(map(len, records)))
    protocol, capture, every = couchbase_dcp.PROTOCOL, b"".join(records), 5_000
    scanner = scanner_of(protocol, ReadOptions.of({}, protocol.parameters, protocol.messages))
    expected = [bisect_left(ends, at) + 1 for at in range(every, ends[-2] + 1, every)]
    assert len(expected) > 100
    found = list(places(scanner, io.BytesIO(capture).readinto, len(capture), every))
    assert [place.number for place in found] == expected
    assert [place.offset for place in found] == [ends[number - 1] for number in expected]
