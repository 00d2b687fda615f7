"""Files that begin with a header: read together, in parts, by an index, and while they grow."""

import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.lockstep import Pair

from codec.headed_captures import BIG, CAPTURES, LITTLE, capture, notes, plain, searched
from wireloom.columnar import index, scans, splits
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.following import Follower, Reach
from wireloom.columnar.scans import FilePart
from wireloom.files import CaptureFile


def files(folder: Path, found: Pair, captures: dict[str, bytes]) -> list[FilePart]:
    for name, data in captures.items():
        folder.joinpath(name).write_bytes(data)
    return [FilePart(str(folder / name)) for name in captures]


def table(decoding: Decoder, parts: list[FilePart]) -> pa.Table:
    return pa.Table.from_batches(scans.batches(decoding, parts), decoding.schema)


def test_files_with_other_headers_are_read_in_one_go(tmp_path: Path) -> None:
    found = plain()
    decoding = found.decoder(found.options({"positions": "true"}))
    parts = files(tmp_path, found, CAPTURES)
    expected = [row for part in parts for row in table(decoding, [part]).to_pylist()]
    assert table(decoding, parts).to_pylist() == expected
    assert sum(row["message"] == "capture" for row in expected) >= 6


@pytest.mark.parametrize("order", [BIG, LITTLE])
def test_parts_of_a_file_begin_with_its_header_read(order: tuple[int, str], tmp_path: Path) -> None:
    data, found = notes(order, 60), searched()
    (part,) = files(tmp_path, found, {"notes": data})
    decoding = found.decoder(found.options({"positions": "true"}))
    whole = table(decoding, [part])
    assert whole.num_rows == 61
    for every in (33, 42, 400, 5000):
        bounds = [*range(0, len(data), every), len(data)]
        parts = [
            FilePart(part.path, start, None if stop == len(data) else stop, searched=len(data))
            for start, stop in pairwise(bounds)
        ]
        assert table(decoding, parts).equals(whole), every
    broken = b"\0" + data[1:]
    tmp_path.joinpath("notes").write_bytes(broken)
    parts = [FilePart(part.path, 0, 500, searched=len(data)), FilePart(part.path, 500, searched=len(data))]
    assert [row["_corrupt_record"] for row in table(decoding, parts).to_pylist()] == [broken]


def test_an_index_divides_a_file_behind_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "EVERY", 64)
    data, found = capture(LITTLE, 100, dated=True), plain()
    (part,) = files(tmp_path, found, {"samples": data})
    decoding = found.decoder(found.options({"positions": "true"}))
    file = CaptureFile(part.path, len(data), 0)
    reading = index.Reading("capture_header", "framing", {}, 1 << 20, "chain")
    assert index.write(file, reading, decoding.scanner()) > 5
    bounds = list(index.parts(index.read(file, reading), len(data), 200))
    assert len(bounds) > 3
    parts = [FilePart(part.path, start, None if stop == len(data) else stop, indexed=True) for start, stop in bounds]
    assert table(decoding, parts).equals(table(decoding, [part]))
    broken = b"\0" + data[1:]
    tmp_path.joinpath("samples").write_bytes(broken)
    assert list(splits.places(decoding.scanner(), io.BytesIO(broken).readinto, len(broken), 64)) == []
    with pytest.raises(splits.UnfitError, match="its header is malformed"):
        table(decoding, parts[1:])


@pytest.mark.parametrize("broken", [False, True])
def test_a_growing_file_is_settled_behind_its_header(broken: bool, tmp_path: Path) -> None:
    for found, whole in ((plain(), capture(LITTLE, 4, dated=True)), (searched(), notes(LITTLE, 4))):
        data = (b"\0" if broken else whole[:1]) + whole[1:]
        decoding, path = found.decoder(found.options({"positions": "true"})), tmp_path / "growing"
        expected = table(decoding, files(tmp_path, found, {"growing": data}))
        for remembered in (False, True):
            rows, reach = [], Reach()
            for size, end in pairwise([0, 1, 5, 20, 43, len(data)]):
                path.write_bytes(data[:end])
                follower = Follower(decoding, str(path), reach if remembered else Reach())
                rows += list(_rows(decoding, follower, size, end, final=end == len(data)))
                reach = follower.reach
            if broken:  # in a row for each batch
                assert b"".join(row["_corrupt_record"] for row in rows) == data
                assert {row["_corrupt_reason"] for row in rows} == set(expected["_corrupt_reason"].to_pylist())
            else:
                assert [row["_offset"] for row in rows] == expected["_offset"].to_pylist()
                assert [row["message"] for row in rows] == expected["message"].to_pylist()


def _rows(decoding: Decoder, follower: Follower, size: int, end: int, *, final: bool) -> Iterator[dict[str, Any]]:
    for cuts in follower.between(size, end, final=final):
        for batch in decoding.cuts(cuts, ""):
            yield from batch.to_pylist()
