"""Functions are compiled once and kept for other processes, and where they cannot be kept they run all the same."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support import accelerator

from wireloom.backends.llvm import backend as llvm_backend
from wireloom.backends.llvm import kernel, specialization, tiles, write_kernel
from wireloom.loops import accel, code_cache, compiled, llvm, llvm_codegen, memory
from wireloom.loops.unsnappy import _more

pytestmark = pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where code is kept."""
    code_cache._folder.cache_clear()
    monkeypatch.setenv("WIRELOOM_CACHE", str(tmp_path))
    yield tmp_path
    code_cache._folder.cache_clear()


def test_code_is_kept(folder: Path) -> None:
    assert accel.compiled(_more)(3) == 4
    (file,) = folder.iterdir()
    before = file.stat().st_mtime_ns
    assert accel.compiled(_more)(3) == 4
    assert [each.stat().st_mtime_ns for each in folder.iterdir()] == [before]


@pytest.mark.parametrize("changed", [b"", b"code of nobody"])
def test_code_that_is_damaged_is_made_again(changed: bytes, folder: Path) -> None:
    accel.compiled(_more)
    (file,) = folder.iterdir()
    sound = file.read_bytes()
    file.write_bytes(changed)
    assert accel.compiled(_more)(3) == 4
    assert file.read_bytes() == sound


def test_code_runs_without_a_folder_to_keep_it_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("WIRELOOM_CACHE", str(folder / "file" / "below"))
    assert accel.compiled(_more)(3) == 4


def test_code_is_not_taken_from_where_others_write(folder: Path) -> None:
    accel.compiled(_more)
    folder.chmod(0o777)
    code_cache._folder.cache_clear()
    assert not code_cache.has(next(folder.iterdir()).stem)
    assert accel.compiled(_more)(3) == 4


def test_code_runs_if_it_cannot_be_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert accel.compiled(_more)(3) == 4
    assert not list(folder.iterdir())


def test_few_files_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "_MOST", 4)
    (folder / "of somebody else").write_text("")
    for number in range(20):
        code_cache.found(str(number), lambda: b"code")
        assert code_cache.has(str(number))
        assert len(list(folder.glob("*.o"))) <= 4
    assert (folder / "of somebody else").exists()


def test_arrays_are_what_is_said_of_them() -> None:
    with pytest.raises(TypeError, match="int32"):
        accel.compiled(_more)(np.zeros(1, np.int32))
    with pytest.raises(TypeError, match="not an array"):
        accel.compiled(_more)(np.zeros(4, np.int64)[::2])


READS = """
import sys
from wireloom_protocols import couchbase_dcp
frame = bytes.fromhex("80 4a 0000 00 00 0000 00000000 00000000 0000000000000000")
for frames in map(int, sys.argv[1:]):
    couchbase_dcp.decode_columnar(frame * frames)
    print("llvmlite" in sys.modules)
malformed = bytes.fromhex("80 56 0000 02 00 0000 00000002 00000000 0000000000000000 ffff")
table = couchbase_dcp.decode_columnar(frame + malformed + frame, mode="PERMISSIVE")
assert table["_corrupt_reason"].null_count == 2
assert couchbase_dcp.encode_columnar(couchbase_dcp.decode_columnar(frame * 300)).to_pybytes() == frame * 300
assert "pandas" not in sys.modules  # which takes longer than to read or write a few records
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
    (tmp_path / "backends" / "llvm").mkdir(parents=True)
    monkeypatch.setattr(accel, "__file__", str(tmp_path / "loops" / "accel.py"))
    assert accel._files() == {}
    found = []
    for name, text in (("kernel", "CALLED = 1"), ("kernel", "CALLED = 2"), ("decoding", "CALLED = 3")):
        (tmp_path / "backends" / "llvm" / f"{name}.py").write_text(text)
        monkeypatch.setattr(accel, "_FILES", accel._files())
        found.append(accel._digest.__wrapped__())
    assert found[0] != found[1] == found[2]


def modules_of(functions: list[Any]) -> Iterator[str]:
    """The modules of functions that are compiled, of all that they call, and of the constants in them."""
    for function in functions:
        yield function.__module__
        names = {each.id for each in ast.walk(llvm_codegen.parsed(function)) if isinstance(each, ast.Name)}
        for name in (names - {*function.__code__.co_varnames}) & function.__globals__.keys():
            value = function.__globals__[name]
            if isinstance(value, ModuleType):
                yield value.__name__
            elif isinstance(value, int):
                yield from imported_from(sys.modules[function.__module__], name)
            elif isinstance(value, FunctionType) and value not in (*functions, *vars(memory).values()):
                functions.append(value)


def imported_from(module: ModuleType, name: str) -> Iterator[str]:
    """The module from which another one has a name, if it has not made it."""
    for each in ast.parse(inspect.getsource(module)).body:
        if isinstance(each, ast.ImportFrom) and each.module and name in {alias.name for alias in each.names}:
            yield each.module


def test_code_is_kept_for_all_sources_that_it_is_made_of() -> None:
    loops = [function for name, function in vars(compiled).items() if name.endswith("_loop") or name == "hops"]
    modules = {*modules_of([*loops, kernel.run, write_kernel.run])}
    assert "wireloom.loops.unsnappy" in modules
    made_by = {
        each.__name__ for each in (accel, compiled, llvm, llvm_backend, llvm_codegen, memory, specialization, tiles)
    }
    assert {f"{each.removeprefix('wireloom.').replace('.', '/')}.py" for each in modules | made_by} == {*accel.SOURCES}


@pytest.mark.parametrize("files", [{}, {"accel.py": 0}], ids=["none", "others"])
def test_code_of_sources_that_are_not_those_imported_is_not_kept(
    files: dict[str, int], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accel, "_FILES", files)
    monkeypatch.setattr(accel, "_digest", accel._digest.__wrapped__)
    assert accel.compiled(_more)(3) == 4
    assert not accel.is_kept("wireloom.loops.unsnappy._more")
    assert not list(folder.iterdir())


def test_code_of_others_is_not_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_others.py").write_text("def doubled(number: int) -> int:\n    return number * 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert accel.compiled(import_module("of_others").doubled)(21) == 42
    assert not list(folder.glob("*.o"))


def test_a_source_that_has_changed_is_not_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "edited_later.py"
    module.write_text("def doubled(number: int) -> int:\n    return number * 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    doubled = import_module("edited_later").doubled
    module.write_text("def doubled(number: int) -> int:\n    return number + 2\n")
    with pytest.raises(RuntimeError, match="the source of doubled has changed"):
        accel.compiled(doubled)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("for each in range(9, 0, -1): number += each", "a range by -1"),
        ("while number < 9: number += 1\n    else: number = 0", "while"),
        ("number = number ** 2", r"number \*\* 2"),
        ("number = number is number", "number is number"),
        ("number = max(number, key=0)", "key"),
    ],
)
def test_what_is_not_compiled_is_refused(
    line: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"refused_{len(line)}.py").write_text(f"def odd(number: int) -> int:\n    {line}\n    return number\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NotImplementedError, match=reason):
        accel.compiled(import_module(f"refused_{len(line)}").odd)


@pytest.mark.parametrize("reason", ["another version", "no source"])
def test_an_llvm_that_nothing_can_be_compiled_by_is_left_alone(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs may be shipped as bytecode alone."""
    from llvmlite import binding

    monkeypatch.setattr(accel, "ENABLED", True)
    if reason == "no source":
        monkeypatch.setattr("inspect.findsource", Mock(side_effect=OSError("could not get source code")))
    else:
        monkeypatch.delattr(binding, "create_pass_builder")
    accel._usable.cache_clear()
    assert not accel.Worth(0)
    monkeypatch.undo()
    accel._usable.cache_clear()
