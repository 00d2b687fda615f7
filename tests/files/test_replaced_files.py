"""Folders that jobs write to: who reads sees all files from before a job or all from after it, whatever dies when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from wireloom.files import created, listed, opened, removed
from wireloom.filesystems import Local, Remote

pytestmark = pytest.mark.spark

OLD = {"day=1/old.bin", "day=1/old.bin.wlx", "old.bin"}
STEPS = ("writer", "move", "remove")


class DiedError(BaseException):
    """Ends what runs here as a signal ends a process: nothing is cleaned up, as each further step fails, too."""


@pytest.fixture(params=["local", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A folder with files in it."""
    path = str(tmp_path / "top" / "out") if request.param == "local" else f"memory://{uuid4().hex}/top/out"
    for name in OLD:
        put(f"{path}/{name}")
    yield path
    removed(path.rpartition("/")[0])


def put(path: str) -> None:
    with created(path) as stream:
        stream.write(path.rpartition("/")[2].encode())


def job(folder: str, *, overwrite: bool) -> tuple[Any, list[Any], set[str]]:
    """A job whose tasks are done: its writer, what they say, and the names of its files."""
    from pyspark.sql.types import StructType

    from wireloom.spark.writing import CaptureWriter, WrittenFiles
    from wireloom.spark.writing_options import WriteOptions

    writer = CaptureWriter("couchbase_dcp", folder, WriteOptions(), StructType(), overwrite=overwrite)
    names = [f"part-{number}-{writer.job}.bin" for number in range(3)]
    names.insert(0, f"{names[0]}.wlx")
    for name in names:
        put(f"{writer.temporary}/{name}")
    files = [(f"{writer.temporary}/{name}", f"{folder}/{name}") for name in names]
    return writer, [WrittenFiles(tuple(files[:2])), None, WrittenFiles(tuple(files[2:]))], set(names)


def seen(folder: str, pattern: str = "") -> set[str]:
    """The captures that a reader sees."""
    return {file.path.removeprefix(f"{folder}/") for file in listed([folder + pattern])}


def captures(names: set[str]) -> set[str]:
    return {name for name in names if not name.endswith(".wlx")}


def must_be_whole(folder: str, old: set[str], new: set[str]) -> bool:
    """Whether readers see what is new; if not, they see what is old. Each that is seen can be read."""
    found = seen(folder)
    assert found in (captures(old), captures(new))
    top = {name.removeprefix("out/") for name in seen(folder.rpartition("/")[0])}
    assert top == found
    for pattern in ("/*.bin", "/*"):
        assert {name for name in seen(folder, pattern) if "/" not in name} == {
            name for name in found if "/" not in name
        }
    assert seen(folder, "/**") == found
    for name in found:
        with opened(f"{folder}/{name}") as stream:
            assert stream.read() == name.rpartition("/")[2].encode()
    return found == captures(new)


def disturbed(monkeypatch: pytest.MonkeyPatch, disturb: Callable[[int], None]) -> None:
    """Let each step that changes files be preceded by ``disturb``, which is given its number."""
    steps = iter(range(10**6))

    def changed(step: Callable[..., Any]) -> Callable[..., Any]:
        def taken(*given: Any) -> Any:
            disturb(next(steps))
            return step(*given)

        return taken

    for kind in (Local, Remote):
        for name in STEPS:
            monkeypatch.setattr(kind, name, changed(getattr(kind, name)))


@pytest.mark.parametrize("overwrite", [True, False])
def test_readers_see_the_files_of_before_or_after_whenever_the_driver_dies(
    folder: str, overwrite: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, dies, replaced = OLD, 0, []
    while True:
        writer, messages, names = job(folder, overwrite=overwrite)
        new = names if overwrite else old | names
        finished = False
        with monkeypatch.context() as patch:

            def disturb(step: int, dies: int = dies) -> None:
                if step >= dies:
                    raise DiedError

            disturbed(patch, disturb)
            with suppress(DiedError):
                writer.commit(messages)
                finished = True
        is_new = must_be_whole(folder, old, new)
        replaced.append(is_new)
        if finished:
            break
        old, dies = new if is_new else old, dies + 1
    assert is_new
    assert replaced.count(False) >= 5  # it dies at each file that is moved
    assert not overwrite or replaced.count(True) >= 4  # and at each that is deleted
    left = {file.path.rpartition("/")[2] for file in listed([folder], every=True)}
    assert not overwrite or left == names  # nothing stays hidden for ever


def test_a_job_that_fails_is_undone_unless_its_files_are_seen(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, fails, is_new = OLD, 0, False
    while not is_new:
        writer, messages, names = job(folder, overwrite=True)
        with monkeypatch.context() as patch:

            def disturb(step: int, fails: int = fails) -> None:
                if step == fails:
                    raise OSError("no space left")

            disturbed(patch, disturb)
            with pytest.raises(OSError, match="no space left"):
                writer.commit(messages)
        is_new = must_be_whole(folder, old, names)
        writer.abort(messages)
        assert must_be_whole(folder, old, names) == is_new
        if not is_new:
            assert {file.path.removeprefix(f"{folder}/") for file in listed([folder], every=True)} == old
        fails += 1
    assert fails > 6


def test_a_reader_lists_anew_what_changes_while_it_lists(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import wireloom.files

    writer, messages, names = job(folder, overwrite=True)
    hiding = wireloom.files.hiding(folder, writer.job)
    wireloom.files.hide(hiding, names)
    for message in filter(None, messages):
        for source, target in message.files:
            wireloom.files.moved(source, target)
    read = wireloom.files.hidden_by

    def late(path: str) -> frozenset[str]:
        monkeypatch.setattr(wireloom.files, "hidden_by", read)
        for name in OLD:
            removed(f"{folder}/{name}")
        removed(hiding)
        return read(path)

    assert seen(folder) == captures(OLD)
    monkeypatch.setattr(wireloom.files, "hidden_by", late)
    assert seen(folder) == captures(names)  # old and new ones were listed, and nothing hides any now


def test_a_wildcard_matches_nothing_that_a_directory_hides(folder: str) -> None:
    """A driver that died leaves a folder of files that are not complete."""
    for name in ("_temporary-1/part.bin", "_SUCCESS", ".part.bin", "day=1/_x/part.bin", "_y=1/part.bin"):
        put(f"{folder}/{name}")
    visible = captures(OLD) | {"_y=1/part.bin"}
    assert seen(folder) == seen(folder, "/*") == seen(folder, "/**") == visible
    assert seen(folder, "/*/*.bin") == {"day=1/old.bin", "_y=1/part.bin"}
    assert seen(folder, "/{*,day=1/*}/part.bin") == {"_y=1/part.bin"}
    assert seen(folder, "/_temporary-*/*") == {"_temporary-1/part.bin"}  # it is meant
    assert seen(folder, "/day=1/_x/*") == {"day=1/_x/part.bin"}


@pytest.mark.parametrize("data", [b"", b"{", b"5", b'{"a.bin": 1}', b'[["a.bin"]]', b"\xff", b"[" * 100_000])
def test_a_list_of_hidden_files_that_is_none_is_named(tmp_path: Path, data: bytes) -> None:
    tmp_path.joinpath("a.bin").touch()
    tmp_path.joinpath("_hidden-00000000-0000-0000-0000-000000000000.json").write_bytes(data)
    with pytest.raises(OSError, match=r"_hidden-.*\.json is not a list of hidden files"):
        listed([str(tmp_path)])
