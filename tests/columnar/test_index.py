"""Indexes beside captures: parts found by one give the rows of the whole, and one that does not fit is not believed."""

import gzip
import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4
from zlib import crc32

import pyarrow as pa
import pytest
from click.testing import CliRunner
from fsspec import register_implementation
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile
from support.cases import often

from columnar.captures_to_divide import CAPTURES, UNKNOWN, decoder, frame
from wireloom import files, registry
from wireloom.cli import app
from wireloom.codec.parameter_discovery import WITHIN
from wireloom.columnar import decoder as decoding
from wireloom.columnar import index, scans
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.index import Reading
from wireloom.columnar.scans import FilePart
from wireloom.columnar.splits import UnfitError
from wireloom.files import CaptureFile, created, listed, opened
from wireloom_protocols import couchbase_dcp, databus


def stored(tmp_path: Path, capture: bytes) -> CaptureFile:
    (tmp_path / "capture.bin").write_bytes(capture)
    (file,) = listed([str(tmp_path / "capture.bin")])
    return file


def reading(decoding: Decoder) -> Reading:
    name = decoding.protocol.name
    return Reading.of(name, registry.digest(name), decoding.options)


@cache  # other indexes have parts in common
def rows(protocol: Any, capture: bytes, start: int, stop: int | None) -> tuple[pa.RecordBatch, ...]:
    """The rows of a part as a task reads them, checked."""
    decoding, stream = decoder(protocol), io.BytesIO(capture)
    stream.seek(start)
    cuts = decoding.cut(stream.readinto, start=start, stop=stop)
    checked = index.checked(cuts, decoding.scanner(), start, stop)
    return tuple(batch for each in checked for batch in decoding.cuts(each, ""))


def parted(protocol: Any, capture: bytes, parts: list[tuple[int, int]]) -> pa.Table:
    found: list[pa.RecordBatch] = []
    for start, stop in parts:
        found += rows(protocol, capture, start, None if stop == len(capture) else stop)
    return pa.Table.from_batches(found, decoder(protocol).schema)


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize("noted", [50, *(pytest.param(noted, marks=pytest.mark.sweep) for noted in (1, 100, 1000))])
def test_parts_by_an_index_give_the_rows_of_the_whole(
    name: str, noted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol, capture = CAPTURES[name]
    monkeypatch.setattr(index, "EVERY", noted)
    file, whole = stored(tmp_path, capture), pa.Table.from_batches(decoder(protocol).capture(capture))
    count = index.write(file, reading(decoder(protocol)), decoder(protocol).scanner())
    found = index.read(file, reading(decoder(protocol)))
    assert len(found) == count
    offsets = whole["_offset"].to_pylist()
    assert [offsets.index(place.offset) for place in found] == [place.number for place in found]
    for every in range(1, len(capture) + 60, 37):
        parts = list(index.parts(found, file.size, every))
        assert [0, *(stop for _, stop in parts)] == [*(start for start, _ in parts), len(capture)]
        assert parted(protocol, capture, parts).equals(whole)


PLAIN = UNKNOWN * 50 + frame(UNKNOWN * 20) + UNKNOWN * 50


@pytest.fixture
def indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CaptureFile:
    monkeypatch.setattr(index, "EVERY", 200)
    file, decoding = stored(tmp_path, PLAIN), decoder(couchbase_dcp)
    assert index.write(file, reading(decoding), decoding.scanner()) > 5
    return file


def beside(file: CaptureFile) -> Path:
    return Path(f"{file.path}.wlx")


def test_a_torn_index_is_not_believed(indexed: CaptureFile) -> None:
    data, mine = beside(indexed).read_bytes(), reading(decoder(couchbase_dcp))
    for size in range(len(data)):
        beside(indexed).write_bytes(data[:size])
        with pytest.raises(UnfitError, match="it is not whole"):
            index.read(indexed, mine)


def test_an_index_with_another_byte_is_not_believed(indexed: CaptureFile) -> None:
    data, mine = beside(indexed).read_bytes(), reading(decoder(couchbase_dcp))
    for place in range(len(data)):
        beside(indexed).write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(UnfitError):
            index.read(indexed, mine)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data + UNKNOWN, "it is of another size"),
        (lambda data: b"\x81" + data[1:], "it is of another content"),
        (lambda data: data[:-1] + b"\1", "it is of another content"),
    ],
)
def test_an_index_of_another_file_is_not_believed(
    indexed: CaptureFile, change: Callable[[bytes], bytes], told: str, tmp_path: Path
) -> None:
    file = stored(tmp_path, change(PLAIN))
    with pytest.raises(UnfitError, match=told):
        index.read(file, reading(decoder(couchbase_dcp)))


def test_an_index_of_another_reading_is_not_believed(indexed: CaptureFile) -> None:
    mine = reading(decoder(couchbase_dcp))
    assert index.read(indexed, mine)
    for other, told in (
        (replace(mine, protocol="databus"), "protocol"),
        (replace(mine, framing="0"), "framing"),
        (replace(mine, parameters={"byte_order": "big"}), "parameters"),
        (replace(mine, max_record_bytes=1000), "max_record_bytes"),
        (replace(mine, resync="proof"), "resync"),
    ):
        with pytest.raises(UnfitError, match=f"it is of another {told}"):
            index.read(indexed, other)


def forged(file: CaptureFile, lines: list[Any]) -> None:
    """An index that fits in everything but what it notes."""
    head = json.loads(beside(file).read_bytes().splitlines()[0])
    body = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    head |= {"places": len(lines), "crc32": crc32(body)}
    beside(file).write_bytes(json.dumps(head).encode() + b"\n" + body)


@pytest.mark.parametrize(
    "lines",
    [
        [[24, 1], [24, 2]],
        [[48, 2], [24, 1]],
        [[0, 0]],
        [[24, 0]],
        [[-24, 1]],
        [[len(PLAIN), 101]],
        [[10**400, 1]],
        [[24.0, 1]],
        [[True, 1]],
        [["24", 1]],
        [[24]],
        [{"24": 1}],
        [None],
        ["24"],
        [[[[]]] * 9] * 9,
    ],
)
def test_an_index_of_impossible_places_is_not_believed(indexed: CaptureFile, lines: list[Any]) -> None:
    forged(indexed, lines)
    with pytest.raises(UnfitError):
        index.read(indexed, reading(decoder(couchbase_dcp)))


@pytest.mark.parametrize("data", [b"", b"\n", b"[" * 10_000, b"\xff\xfe", b"null\n", b"{}\n", b"0" * 10_000_000])
def test_a_file_that_is_no_index_is_not_believed(indexed: CaptureFile, data: bytes) -> None:
    beside(indexed).write_bytes(data)
    with pytest.raises(UnfitError):
        index.read(indexed, reading(decoder(couchbase_dcp)))


@pytest.mark.sweep
def test_every_forged_place_is_found_by_the_task_before_it(indexed: CaptureFile) -> None:
    boundaries = decoder(couchbase_dcp)
    starts = {start for batch in boundaries.capture(PLAIN) for start in batch.column("_offset").to_pylist()}
    inside = range(1, len(PLAIN), often(61, 13))
    mine = reading(boundaries)
    for place in inside:
        forged(indexed, [[place, 1]])
        noted = index.read(indexed, mine)
        parts = list(index.parts(noted, len(PLAIN), 1))
        if place in starts:
            parted(couchbase_dcp, PLAIN, parts)
            continue
        with pytest.raises(UnfitError, match=f"no record begins at byte {place}"):
            parted(couchbase_dcp, PLAIN, parts)


def test_the_command_line_writes_indexes(tmp_path: Path) -> None:
    capture = tmp_path / "a.bin"
    capture.write_bytes(frame(bytes(100_000)) * 100)
    result = CliRunner().invoke(app, ["index", "couchbase_dcp", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (0, f"{capture}.wlx: 2 places\n")
    (file,) = listed([str(tmp_path)])  # which leaves out the index
    first, second = index.read(file, reading(decoder(couchbase_dcp)))
    assert (first.offset - 4 * 1024 * 1024, first.offset % 100_024, first.number) == (
        first.number * 100_024 - 4 * 1024 * 1024,
        0,
        42,
    )
    assert second.number == 84
    again = CliRunner().invoke(app, ["index", "couchbase_dcp", str(capture)])
    assert (again.exit_code, again.stdout) == (0, f"{capture}.wlx: 2 places, unchanged\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "a.bin.wlx"]


def test_an_index_of_another_protocol_stays(tmp_path: Path) -> None:
    file = stored(tmp_path, frame(bytes(1_000_000)) * 9)
    other = CliRunner().invoke(app, ["index", "databus", file.path])
    told = f"{file.path}.wlx: 0 places; no record of databus begins after the first 4194304 bytes\n"
    assert (other.exit_code, other.stdout) == (0, told)
    refused = CliRunner().invoke(app, ["index", "couchbase_dcp", file.path])
    assert refused.exit_code == 2
    assert "was kept: it is of another protocol; delete it if it is wrong" in refused.stderr
    with pytest.raises(index.ForeignError):
        index.read(file, reading(decoder(couchbase_dcp)))
    Path(file.path).write_bytes(frame(bytes(1_000_001)) * 9)
    assert CliRunner().invoke(app, ["index", "couchbase_dcp", file.path]).exit_code == 0


def test_a_byte_order_is_part_of_a_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "INDEX_EVERY", 50)
    _, capture = CAPTURES["events in events"]
    file = stored(tmp_path, capture)
    assert CliRunner().invoke(app, ["index", "databus", "-P", "byte_order=big", file.path]).exit_code == 0
    with pytest.raises(UnfitError, match="it is of another parameters"):
        index.read(file, reading(decoder(databus)))


def test_a_small_or_compressed_capture_needs_no_index(tmp_path: Path) -> None:
    (tmp_path / "a.bin.gz").write_bytes(gzip.compress(frame(bytes(5_000_000)) * 2, 0))
    (tmp_path / "b.bin").write_bytes(UNKNOWN)
    result = CliRunner().invoke(app, ["index", "couchbase_dcp", str(tmp_path)])
    told = "2 of 2 files need no index: they are small or compressed, and are not split\n"
    assert (result.exit_code, result.stdout) == (0, told)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin.gz", "b.bin"]


def encoded(rows: Path, *arguments: str) -> None:
    assert CliRunner().invoke(app, ["encode", "couchbase_dcp", str(rows), *arguments]).exit_code == 0


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Rows of a large capture as ``decode`` prints them."""
    (tmp_path / "source.bin").write_bytes(frame(bytes(1_000_000)) * 9)
    arguments = ["decode", "couchbase_dcp", str(tmp_path / "source.bin"), "--output", str(tmp_path / "rows.jsonl")]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return tmp_path / "rows.jsonl"


def test_encode_writes_the_index_of_its_file(written: Path, tmp_path: Path) -> None:
    encoded(written, "--output", str(tmp_path / "a.bin"))
    made = (tmp_path / "a.bin.wlx").read_bytes()
    assert made.splitlines()[1:] == [b"[5000120, 5]"]  # behind 4 MiB; behind 8 MiB no record begins
    (tmp_path / "a.bin.wlx").unlink()
    assert CliRunner().invoke(app, ["index", "couchbase_dcp", str(tmp_path / "a.bin")]).exit_code == 0
    assert (tmp_path / "a.bin.wlx").read_bytes() == made


def test_encode_writes_a_file_that_is_called_like_an_index(written: Path, tmp_path: Path) -> None:
    encoded(written, "--output", str(tmp_path / "a.wlx"))
    assert (tmp_path / "a.wlx").read_bytes() == (tmp_path / "source.bin").read_bytes()


def test_encode_leaves_no_index_of_another_file(written: Path, tmp_path: Path) -> None:
    for name in ("a.bin", "b.bin"):
        encoded(written, "--output", str(tmp_path / name))
    written.write_text(written.read_text().splitlines()[0])
    (tmp_path / "link").symlink_to("a.bin")
    encoded(written, "--output", str(tmp_path / "link"))
    encoded(written, "--hex", "--output", str(tmp_path / "b.bin"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "b.bin", "link", "rows.jsonl", "source.bin"]


def test_rows_that_cannot_be_encoded_leave_the_file_and_its_index(written: Path, tmp_path: Path) -> None:
    encoded(written, "--output", str(tmp_path / "a.bin"))
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith("a.bin")}
    written.write_text(written.read_text() + "{}")
    result = CliRunner().invoke(app, ["encode", "couchbase_dcp", str(written), "--output", str(tmp_path / "a.bin")])
    assert result.exit_code == 1
    assert {path: path.read_bytes() for path in before} == before
    assert len(before) == 2


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize(
    ("every", "piece"),
    [
        *((every, 60) for every in (1, 50, 100, 1000)),
        *(pytest.param(50, piece, marks=pytest.mark.sweep) for piece in (1, 16 * 1024 * 1024)),
    ],
)
def test_what_is_written_record_by_record_is_indexed_as_what_is_read(
    name: str, every: int, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol, capture = CAPTURES[name]
    monkeypatch.setattr(index, "EVERY", every)
    monkeypatch.setattr(decoding, "PIECE_BYTES", piece)
    file, mine = stored(tmp_path, capture), reading(decoder(protocol))
    index.write(file, mine, decoder(protocol).scanner())
    starts = [start for batch in decoder(protocol).capture(capture) for start in batch.column("_offset").to_pylist()]
    records = [capture[start:stop] for start, stop in pairwise([*starts, len(capture)])]
    target = io.BytesIO()
    size, noted = index.copied(iter(records), target, lambda: decoder(protocol).scanner())
    assert (target.getvalue(), size) == (capture, len(capture))
    assert noted == index.read(file, mine)
    index.put(f"{tmp_path}/copy", file, mine, noted)
    assert (tmp_path / "copy").read_bytes() == beside(file).read_bytes()


@pytest.mark.parametrize("stop", [1, 150_000, 16 * 1024 * 1024, 20_000_000, 33_000_000])
def test_little_is_read_behind_a_part(stop: int) -> None:
    long = 100_024
    stream = io.BytesIO(frame(bytes(long - 24)) * 500)
    cut = sum(len(cuts.start) for cuts in decoder(couchbase_dcp).cut(stream.readinto, stop=stop))
    assert cut == -(-stop // long)
    assert stop <= stream.tell() <= stop + 3 * long


class Counted(MemoryFileSystem):  # type: ignore[misc]
    """Files in memory that are fetched in ranges, as object stores give them, and every range that was fetched."""

    protocol = "counted"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    fetched: ClassVar[list[int]] = []

    def _open(self, path: str, mode: str = "rb", **given: Any) -> Any:
        return super()._open(path, mode, **given) if mode != "rb" else _Ranges(self, path, mode, **given)


class _Ranges(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = Counted.store[self.path].getvalue()[start:end]
        Counted.fetched.append(len(data))
        return data


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> str:
    """A directory on a filesystem that counts what is fetched."""
    register_implementation("counted", Counted, clobber=True)
    monkeypatch.setattr(Counted, "fetched", [])
    return f"counted://{uuid4().hex}"


def test_planning_fetches_kilobytes_of_a_remote_capture(counted: str) -> None:
    with created(f"{counted}/a.bin") as target:
        target.write(frame(bytes(100_000)) * 500)
    assert CliRunner().invoke(app, ["index", "couchbase_dcp", counted]).exit_code == 0
    (file,) = listed([counted])
    Counted.fetched.clear()
    assert len(index.read(file, reading(decoder(couchbase_dcp)))) == 11
    assert len(Counted.fetched) == 3
    assert sum(Counted.fetched) < 16 * 1024


def test_a_part_of_a_remote_capture_fetches_its_bytes(counted: str) -> None:
    long, count = 100_024, 100
    with created(f"{counted}/a.bin") as target:
        target.write(frame(bytes(long - 24)) * count)
    decoding = decoder(couchbase_dcp)
    part = FilePart(f"{counted}/a.bin", 3 * long, 53 * long, indexed=True)
    assert sum(batch.num_rows for batch in scans.batches(decoding, [part])) == 50
    beginning = -(-long // WITHIN) * WITHIN  # which may tell whether keys have a collection
    assert sum(Counted.fetched) == beginning + 50 * long
    Counted.fetched.clear()
    with opened(f"{counted}/a.bin", 3 * long) as stream:  # small reads share requests
        assert len(stream.read(10)) == len(stream.read(10))
    assert Counted.fetched == [4 * 1024 * 1024]
