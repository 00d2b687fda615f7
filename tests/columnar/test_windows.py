"""Windows over a stream: what they show, that it stays, and how much memory they take."""

import io
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.traffic import Flow, written

from wireloom.columnar import decoder, read_buffers
from wireloom.columnar.scanning import Window
from wireloom.columnar.windows import Pieces
from wireloom.kinds import ReadInto
from wireloom_protocols import packets

SMALL = 256 * 1024
SIZES = (1, 1000, SMALL - 1, SMALL, SMALL + 1, 3 * SMALL, 8 * SMALL, 8 * SMALL + 1, 20 * SMALL)
DATA = Random(5).randbytes(21 * SMALL + 77)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_buffers, "SMALL", SMALL)  # other tests have pages for all


class Unreadable(io.BytesIO):
    """A stream that cannot be read from its end on, and keeps what it was to fill."""

    def readinto(self, buffer: Any) -> int:
        memory = memoryview(buffer)
        if not (count := super().readinto(memory)):
            raise OSError("no more")
        return count


def no_memory(*_: object, **__: object) -> None:
    raise OSError("no pages")


def in_chunks(stream: io.BytesIO, random: Random) -> ReadInto:
    """Fills less than what is asked for."""
    return lambda memory: stream.readinto(memory[: random.randint(1, 2 * SMALL)])


def windows(pieces: Pieces, kept: Random) -> Iterator[Window]:
    """All windows, of each of which a consumer keeps some bytes at the end."""
    for window in pieces:
        yield Window(window.buffer, window.base, window.final)
        end = len(window.buffer)
        pieces.keep(end - min(end, kept.choice((0, 0, 1, 700, SMALL, 5 * SMALL))))


def are_right(found: list[Window], data: bytes, size: int) -> None:
    """See that windows show all of the data, the last one to its end, and that nothing has changed them since."""
    reached = 0
    for window in found:
        end = window.base + len(window.buffer)
        assert window.base <= reached <= end
        assert window.buffer[:] == data[window.base : end]
        reached = end
    assert reached == len(data)
    assert all(len(window.buffer) >= size for window in found[:-1])


@pytest.mark.parametrize("pages", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_windows_show_a_stream_and_stay_as_they_are(size: int, pages: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not pages:
        monkeypatch.setattr(read_buffers.mmap, "mmap", no_memory)
    random = Random(size)
    for length in (0, 1, size - 1, size, size + 1, len(DATA) if size > 1 else 2000):
        data = DATA[:length]
        stream = io.BytesIO(data)
        for readinto in (in_chunks(stream, random), stream.readinto):
            stream.seek(0)
            found = list(windows(Pieces(readinto, size, 0, final=True), random))
            are_right(found, data, size)
            assert [window.final for window in found] == [*(False for _ in found[1:]), True]


@pytest.mark.parametrize("length", [0, 100, SMALL + 100, 9 * SMALL])
def test_what_was_read_in_front_of_an_error_is_a_window(length: int) -> None:
    found: list[Window] = []
    with pytest.raises(OSError, match="no more"):
        found.extend(windows(Pieces(Unreadable(DATA[:length]).readinto, 20 * SMALL, 0, final=True), Random(1)))
    assert [(window.buffer[:], window.final) for window in found] == [(DATA[:length], False)]


@pytest.mark.parametrize("size", [SMALL + 1, 2 * SMALL, 16 * SMALL])
def test_large_pieces_have_the_packets_that_were_sent(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DATA[: 4 * SMALL]
    file = written(tmp_path / "a.pcap", Flow().sent(data))
    monkeypatch.setattr(decoder, "PIECE_BYTES", size)
    batches = list(packets.scan(file, ["tcp"]))
    assert len(batches) == -(-file.stat().st_size // size)
    assert b"".join(row["payload"] for batch in batches for row in batch["tcp"].to_pylist()) == data


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    file = written(tmp_path / "a.pcap", Flow().sent(b"few"))
    packets.scan(file).read_all()  # which imports
    tracemalloc.start()
    try:
        assert packets.scan(file).read_all().num_rows == 2
        assert tracemalloc.get_traced_memory()[1] < 8 * SMALL
    finally:
        tracemalloc.stop()
