"""What the progress of a stream shows of what is still to be read."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from wireloom_protocols import couchbase_dcp

pytestmark = pytest.mark.spark

UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})


def shown(folder: Path, batches: int, **options: Any) -> list[tuple[int, int]]:
    """The files and bytes that are left after each of so many batches of a query."""
    from wireloom.spark.sources import source_of

    source = source_of("couchbase_dcp", "frames")(
        {"path": str(folder), **{name: str(of) for name, of in options.items()}}
    )
    reader = source.streamReader(source.schema())
    offset, found = reader.initialOffset(), []
    for _ in range(batches):
        offset = reader.latestOffset(offset, reader.getDefaultReadLimit())
        told = reader.reportLatestOffset()
        assert (told["format"], told["path"]) == ("frames", str(folder))
        found.append((told["backlog"]["files"], told["backlog"]["bytes"]))
    return found


def test_what_limits_leave_to_later_batches_is_shown(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.bin").write_bytes(UNKNOWN * (number + 1))
    size = len(UNKNOWN)
    assert shown(tmp_path, 4, maxFilesPerTrigger=1) == [(2, 5 * size), (1, 3 * size), (0, 0), (0, 0)]
    assert shown(tmp_path, 3, maxBytesPerTrigger=2 * size + 1) == [(2, 4 * size - 1), (1, 2 * size - 2), (0, 0)]
    assert shown(tmp_path, 2) == [(0, 0), (0, 0)]


def test_a_file_that_was_begun_is_left_and_an_empty_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(UNKNOWN)
    (tmp_path / "b.bin.gz").write_bytes(packed := gzip.compress(UNKNOWN * 2))
    assert shown(tmp_path, 1, maxBytesPerTrigger=5) == [(2, len(UNKNOWN) - 5 + len(packed))]
    (tmp_path / "c.bin").write_bytes(b"")
    assert shown(tmp_path, 2, maxFilesPerTrigger=1) == [(1, len(packed)), (0, 0)]
