"""Loops are compiled once and kept for other processes, and where they cannot be kept they run all the same."""

from pathlib import Path

import accelerator
import pytest

from wireloom.columnar import accel

pytestmark = [accelerator.on, pytest.mark.skipif(not accelerator.THERE, reason="numba is not there")]


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
