"""Back ends of other packages: they are found by their entry points, and execute what they can load."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.dcp_sessions import mutation

from wireloom.backends.interface import Memory, RecordsToRead, RowsToWrite, Runner
from wireloom.backends.numpy.backend import NumpyBackend, NumpyRunner
from wireloom.buffers import Array
from wireloom.columnar.execution.executable import backends
from wireloom.loops import accel
from wireloom_protocols import couchbase_dcp

FRAMES = [couchbase_dcp.build(mutation(1, number + 1, f"key{number}", "value")) for number in range(40)]
CAPTURE = b"".join(FRAMES)


class Counting(NumpyRunner):
    """Counts the records that it reads and writes."""

    read_records = written_records = 0

    def read(self, records: RecordsToRead, memory: Memory) -> None:
        Counting.read_records += len(records.places)
        super().read(records, memory)

    def write(self, rows: RowsToWrite, memory: Memory) -> Callable[[int, int], object]:
        Counting.written_records += len(rows.rows)
        return super().write(rows, memory)


class CountingBackend(NumpyBackend):
    """It is asked first, and loads what it is told to."""

    rank = 20
    loads = True

    def can_load(self, kinds: frozenset[int]) -> bool:
        return self.loads

    def load(self, code: Array, registers: int) -> Runner:
        return Counting(code)


BACKEND = CountingBackend()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A package that names the back end of this module."""
    folder = tmp_path / "counting-1.dist-info"
    folder.mkdir()
    folder.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: counting\nVersion: 1\n")
    folder.joinpath("entry_points.txt").write_text(f"[wireloom.backends]\ncounting = {__name__}:BACKEND\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(accel.WORTH, "after", 0)
    monkeypatch.setattr(Counting, "read_records", 0)
    monkeypatch.setattr(Counting, "written_records", 0)
    backends.cache_clear()
    yield BACKEND
    backends.cache_clear()


def test_it_executes_programs(installed: CountingBackend) -> None:
    table = couchbase_dcp.decode_columnar(CAPTURE)
    assert [couchbase_dcp.build(row) for row in table.to_pylist()] == FRAMES
    assert Counting.read_records >= len(FRAMES)
    encoded = couchbase_dcp.encode_columnar(table)
    assert bytes(encoded) == CAPTURE
    assert Counting.written_records >= len(FRAMES)


def test_another_one_executes_what_it_cannot_load(installed: CountingBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "loads", False)
    assert couchbase_dcp.decode_columnar(CAPTURE).num_rows == len(FRAMES)
    assert Counting.read_records == 0


def test_it_is_not_looked_for_by_processes_that_read_little(
    installed: CountingBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accel.WORTH, "after", accel.WORTH.read + (1 << 30))
    assert isinstance(couchbase_dcp.decode_columnar(CAPTURE), pa.Table)
    assert backends.cache_info().currsize == 0
