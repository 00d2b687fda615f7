"""What people know from Spark's own sources: the session's settings hold, and errors name the options."""

from __future__ import annotations

import errno
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wireloom_protocols import couchbase_dcp

pytestmark = pytest.mark.spark

UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})


def read(folder: Path, settings: dict[str, str], *, replaced: bool = False, **options: Any) -> int:
    """How many rows there are after a file is gone, or ``replaced`` by a folder, that was there when it was planned."""
    from wireloom.spark.sources import source_of

    source = source_of("couchbase_dcp")
    source.settings = settings
    made = source({"path": str(folder), **{name: str(value) for name, value in options.items()}})
    reader = made.reader(made.schema())
    parts = reader.partitions()
    (folder / "gone.bin").unlink()
    if replaced:
        (folder / "gone.bin").mkdir()
    return sum(len(batch) for part in parts for batch in reader.read(part))


@pytest.mark.parametrize("setting", ["ignoreMissingFiles", "ignoreCorruptFiles"])
def test_a_session_says_which_files_are_left_out_unless_a_reader_does(tmp_path: Path, setting: str) -> None:
    from wireloom.spark.options import settings

    session: Any = SimpleNamespace(conf={f"spark.sql.files.{setting}": "true"})
    found = settings(session)
    assert found[setting] == "true"
    for name in ("a.bin", "gone.bin"):
        (tmp_path / name).write_bytes(UNKNOWN)
    assert read(tmp_path, found) == 1
    (tmp_path / "gone.bin").write_bytes(UNKNOWN)
    with pytest.raises(FileNotFoundError, match=r"gone\.bin.*\nthe option ignoreMissingFiles=true skips such files"):
        read(tmp_path, found, **{setting: "false"})


def test_a_file_that_cannot_be_read_says_how_it_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "gone.bin").write_bytes(UNKNOWN)
    with pytest.raises(IsADirectoryError, match=r"gone\.bin.*\nthe option ignoreCorruptFiles=true skips") as failure:
        read(tmp_path, {}, replaced=True)
    assert failure.value.errno == errno.EISDIR
    (tmp_path / "gone.bin").rmdir()
    (tmp_path / "gone.bin").write_bytes(UNKNOWN)
    assert read(tmp_path, {}, replaced=True, ignoreCorruptFiles=True) == 0
