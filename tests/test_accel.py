"""Loops are compiled once and kept for other processes, and where they cannot be kept they run all the same."""

import subprocess
import sys
from pathlib import Path

import accelerator
import pytest

from wireloom.columnar import accel

pytestmark = pytest.mark.skipif(not accelerator.THERE, reason="numba is not there")


def twice(number: int) -> int:
    return number * 2


def test_a_loop_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    assert accel.compiled(twice)(21) == 42
    (kept,) = tmp_path.rglob("*.nbc")
    before = kept.stat().st_mtime_ns
    assert accel.compiled(twice)(21) == 42
    assert [file.stat().st_mtime_ns for file in tmp_path.rglob("*.nbc")] == [before]


def test_a_loop_runs_without_a_folder_to_keep_it_in(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core.caching import FunctionCache

    def nowhere(*_: object) -> None:
        raise RuntimeError("no locator available")

    monkeypatch.setattr(FunctionCache, "__init__", nowhere)
    assert accel.compiled(twice)(21) == 42


def test_a_loop_runs_if_it_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import config
    from numba.core.caching import FunctionCache

    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(FunctionCache, "save_overload", full)
    doubled = accel.compiled(twice)
    assert [doubled(21), doubled(4)] == [42, 8]
    assert not list(tmp_path.rglob("*.nbc"))


READS = """
import sys
from wireloom_protocols import couchbase_dcp
frame = bytes.fromhex("80 4a 0000 00 00 0000 00000000 00000000 0000000000000000")
for frames in map(int, sys.argv[1:]):
    couchbase_dcp.decode_columnar(frame * frames)
    print("numba" in sys.modules)
    assert "pandas" not in sys.modules  # which takes longer than reading a few records
"""


@pytest.mark.program
@pytest.mark.parametrize(("told", "loaded"), [(None, [False, False, True]), ("1", [True] * 3), ("0", [False] * 3)])
def test_numba_is_loaded_when_it_pays(told: str | None, loaded: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    if told is None:
        monkeypatch.delenv("WIRELOOM_ACCEL")
    else:
        monkeypatch.setenv("WIRELOOM_ACCEL", told)
    found = subprocess.run(
        [sys.executable, "-c", READS, "1", "700000", "1400000"], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == list(map(str, loaded))


def test_what_is_compiled_is_kept_for_these_sources_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "machine").mkdir()
    monkeypatch.setattr(accel, "__file__", str(tmp_path / "accel.py"))
    found = {accel._digest.__wrapped__()}
    for text in ("CALLED = 1", "CALLED = 2"):
        (tmp_path / "machine" / "operations.py").write_text(text)
        found.add(accel._digest.__wrapped__())
    assert len(found) == 3
