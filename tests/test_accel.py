"""Functions are compiled once and kept for other processes, and where they cannot be kept they run all the same."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import accelerator
import numpy as np
import pytest

from wireloom.columnar import accel, kept

pytestmark = pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")


def twice(number: int) -> int:
    return number * 2


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where code is kept."""
    kept._folder.cache_clear()
    monkeypatch.setenv("WIRELOOM_CACHE", str(tmp_path))
    yield tmp_path
    kept._folder.cache_clear()


def test_code_is_kept(folder: Path) -> None:
    assert accel.compiled(twice)(21) == 42
    (file,) = folder.iterdir()
    before = file.stat().st_mtime_ns
    assert accel.compiled(twice)(21) == 42
    assert [each.stat().st_mtime_ns for each in folder.iterdir()] == [before]


@pytest.mark.parametrize("changed", [b"", b"code of nobody"])
def test_code_that_is_damaged_is_made_again(changed: bytes, folder: Path) -> None:
    accel.compiled(twice)
    (file,) = folder.iterdir()
    sound = file.read_bytes()
    file.write_bytes(changed)
    assert accel.compiled(twice)(21) == 42
    assert file.read_bytes() == sound


def test_code_runs_without_a_folder_to_keep_it_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("WIRELOOM_CACHE", str(folder / "file" / "below"))
    assert accel.compiled(twice)(21) == 42


def test_code_is_not_taken_from_where_others_write(folder: Path) -> None:
    accel.compiled(twice)
    folder.chmod(0o777)
    kept._folder.cache_clear()
    assert not kept.has(next(folder.iterdir()).name)
    assert accel.compiled(twice)(21) == 42


def test_code_runs_if_it_cannot_be_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(kept, "_keep", full)
    assert accel.compiled(twice)(4) == 8
    assert not list(folder.iterdir())


def test_few_files_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MOST", 4)
    for number in range(20):
        kept.found(str(number), lambda: b"code")
        assert kept.has(str(number))
        assert len(list(folder.iterdir())) <= 4


def test_arrays_are_what_is_said_of_them() -> None:
    with pytest.raises(TypeError, match="int32"):
        accel.compiled(twice)(np.zeros(1, np.int32))
    with pytest.raises(TypeError, match="not an array"):
        accel.compiled(twice)(np.zeros(4, np.int64)[::2])


READS = """
import sys
from wireloom_protocols import couchbase_dcp
frame = bytes.fromhex("80 4a 0000 00 00 0000 00000000 00000000 0000000000000000")
for frames in map(int, sys.argv[1:]):
    couchbase_dcp.decode_columnar(frame * frames)
    print("llvmlite" in sys.modules)
    assert "pandas" not in sys.modules  # which takes longer than reading a few records
"""


@pytest.mark.program
@pytest.mark.parametrize(("told", "loaded"), [(None, [False, False, True]), ("1", [True] * 3), ("0", [False] * 3)])
def test_it_is_loaded_when_it_pays(told: str | None, loaded: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    if told is None:
        monkeypatch.delenv("WIRELOOM_ACCEL")
    else:
        monkeypatch.setenv("WIRELOOM_ACCEL", told)
    found = subprocess.run(
        [sys.executable, "-c", READS, "1", "200000", "300000"], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == list(map(str, loaded))


def test_code_is_kept_for_these_sources_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "machine").mkdir()
    monkeypatch.setattr(accel, "__file__", str(tmp_path / "accel.py"))
    found = {accel._digest.__wrapped__()}
    for text in ("CALLED = 1", "CALLED = 2"):
        (tmp_path / "machine" / "operations.py").write_text(text)
        found.add(accel._digest.__wrapped__())
    assert len(found) == 3
