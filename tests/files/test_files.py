"""Files: what paths mean, on this machine and elsewhere, and what is read from and written to them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import pickle
import re
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pytest
from support.scaling import LINEAR, growth

from wireloom.compressed import COMPRESSIONS
from wireloom.files import CaptureFile, created, exists, file_at, listed, moved, opened, removed
from wireloom.options import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONTENT = b"".join(number.to_bytes(4, "big") for number in range(100_000))


@pytest.fixture(params=["memory", "mock"])
def remote(request: pytest.FixtureRequest) -> Iterator[str]:
    """A directory that is not on this machine: on a filesystem of fsspec's, and on one of pyarrow's."""
    directory = f"{request.param}://{uuid4().hex}/top"
    with created(f"{directory}/here"):
        pass
    removed(f"{directory}/here")
    yield directory
    removed(directory)


def filled(directory: Path | str, *names: str, content: bytes = b"content") -> None:
    """Files of these names, with the directories they need."""
    for name in names:
        with created(f"{directory}/{name}") as file:
            file.write(content)


def names(directory: Path | str, *paths: str) -> list[str]:
    """What paths below a directory mean, as names below it."""
    return [file.path.removeprefix(f"{directory}/") for file in listed(f"{directory}/{path}" for path in paths)]


def content(path: Path | str, offset: int = 0) -> bytes:
    with opened(str(path), offset) as file:
        return file.read()


def compressed(name: str, data: bytes) -> bytes:
    """``data`` as one member of a file of this name."""
    ways = {".gz": partial(gzip.compress, compresslevel=1), ".bz2": bz2.compress, ".xz": lzma.compress}
    return ways.get(Path(name).suffix, partial(pa.Codec("zstd").compress, asbytes=True))(data)


EVERY = pytest.mark.parametrize("name", [f"a{suffix}" for suffix in COMPRESSIONS])


# Local paths


def test_a_file_is_itself_with_its_size_and_time(tmp_path: Path) -> None:
    filled(tmp_path, "a.bin", content=b"12345")
    os.utime(tmp_path / "a.bin", ns=(0, 1_234_567_890_123_456_789))
    assert listed([str(tmp_path / "a.bin")]) == (CaptureFile(f"{tmp_path}/a.bin", 5, 1_234_567_890_123_456_789),)


def test_a_directory_is_all_files_below_it_sorted_but_for_hidden_ones(tmp_path: Path) -> None:
    filled(tmp_path, "b.bin", "a/2.bin", "a/1.bin", "a-b.bin", "_SUCCESS", ".a.crc", "_tmp/x.bin", "a/.git/x.bin")
    assert names(tmp_path, "") == ["a/1.bin", "a/2.bin", "a-b.bin", "b.bin"]


def test_a_hidden_file_or_directory_is_read_when_it_is_named(tmp_path: Path) -> None:
    filled(tmp_path, "_SUCCESS", "_tmp/x.bin")
    assert names(tmp_path, "_SUCCESS", "_tmp") == ["_SUCCESS", "_tmp/x.bin"]


def test_files_come_once_in_the_order_of_the_paths(tmp_path: Path) -> None:
    filled(tmp_path, "a.bin", "b.bin", "c.bin")
    assert names(tmp_path, "c.bin", "", "a.bin", "c.bin") == ["c.bin", "a.bin", "b.bin"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.bin", ["a1.bin", "a2.bin", "b.bin"]),
        ("a?.bin", ["a1.bin", "a2.bin"]),
        ("a[2-9].bin", ["a2.bin"]),
        ("*/1.bin", ["day=1/1.bin", "day=2/1.bin"]),
        ("day*", ["day=1/1.bin", "day=2/1.bin", "day=2/deep/2.bin"]),
        ("**/[12].bin", ["day=1/1.bin", "day=2/1.bin", "day=2/deep/2.bin"]),
        ("**/deep", ["day=2/deep/2.bin"]),
        ("day=2/**", ["day=2/1.bin", "day=2/deep/2.bin"]),
        ("{b,a1}.bin", ["a1.bin", "b.bin"]),
        ("{day=1,day={2,3}}/*.bin", ["day=1/1.bin", "day=2/1.bin"]),
        ("{b,c}.bin", ["b.bin"]),
    ],
)
@pytest.mark.parametrize("place", ["local", "remote"])
def test_a_pattern_means_what_matches_it(
    request: pytest.FixtureRequest, tmp_path: Path, place: str, pattern: str, expected: list[str]
) -> None:
    directory = str(tmp_path) if place == "local" else f"mock://{uuid4().hex}"
    filled(directory, "a1.bin", "a2.bin", "b.bin", "day=1/1.bin", "day=2/1.bin", "day=2/deep/2.bin", ".hidden/1.bin")
    assert names(directory, pattern) == expected


def test_a_path_that_exists_is_no_pattern(tmp_path: Path) -> None:
    filled(tmp_path, "[a].bin", "a.bin", "{b,c}.bin", "b.bin")
    assert names(tmp_path, "[a].bin", "{b,c}.bin") == ["[a].bin", "{b,c}.bin"]


@pytest.mark.parametrize("scheme", ["file://", "file:", "FILE://", "file://localhost"])
def test_a_file_uri_has_percent_escapes(tmp_path: Path, scheme: str) -> None:
    filled(tmp_path, "a b%#?.bin")
    assert [file.path for file in listed([f"{scheme}{tmp_path}/a%20b%25%23%3F.bin"])] == [f"{tmp_path}/a b%#?.bin"]


def test_a_file_uri_may_be_a_pattern(tmp_path: Path) -> None:
    filled(tmp_path, "a1.bin", "a2.bin")
    assert len(listed([f"file://{tmp_path}/a?.bin"])) == 2


def test_a_file_uri_of_another_host_is_an_error() -> None:
    with pytest.raises(OptionError, match="names the host data"):
        listed(["file://data/x.bin"])


@pytest.mark.parametrize("name", ["a b.bin", "100%.bin", "a%20b.bin", "a#b.bin", "a:b.bin", "é.bin"])
def test_a_plain_path_is_taken_as_it_stands(tmp_path: Path, name: str) -> None:
    filled(tmp_path, name)
    assert names(tmp_path, name) == [name]


def test_relative_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "[1]{a}"  # what a directory is called makes no pattern of a path relative to it
    filled(odd, "a:b.bin", "c/d.bin")
    monkeypatch.chdir(odd)
    expected = [f"{odd}/a:b.bin", f"{odd}/c/d.bin"]
    assert [file.path for file in listed(["a:b.bin", "./c"])] == expected
    assert [file.path for file in listed(["*"])] == expected


def test_an_empty_directory_has_no_files(tmp_path: Path) -> None:
    assert listed([str(tmp_path)]) == ()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("absent.bin", "there is no file or directory absent.bin"),
        ("absent*.bin", "no file matches absent*.bin"),
        ("absent{1,2}.bin", "no file matches absent{1,2}.bin"),
        ("file:///absent/a%20b", "there is no file or directory file:///absent/a%20b"),
        ("mock://absent/x", "there is no file or directory mock://absent/x"),
        ("mock://absent/x/*", "no file matches mock://absent/x/*"),
    ],
)
def test_a_path_that_means_nothing_is_an_error(path: str, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        listed([path])


def test_a_link_to_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "link.bin").symlink_to("absent")
    for path in ("", "*"):
        with pytest.raises(OptionError, match=r"there is no file or directory .*/link\.bin"):
            names(tmp_path, path)


def test_ten_thousand_files_are_listed_in_ten_times_the_time_of_a_thousand(tmp_path: Path) -> None:
    def listing(count: int) -> Callable[[], object]:
        folder = tmp_path / str(count)
        folder.mkdir()
        filled(folder, "0.bin")
        for number in range(1, count):
            (folder / f"{number}.bin").hardlink_to(folder / "0.bin")  # quicker made than files of their own
        return partial(listed, [str(folder)])

    assert growth(listing, 1_000) < LINEAR
    assert len(listed([str(tmp_path / "10000")])) == 10_000


# Remote ones


def test_a_remote_directory_is_all_files_below_it_sorted_but_for_hidden_ones(remote: str) -> None:
    filled(remote, "b.bin", "a/2.bin", "a/1.bin", "a-b.bin", "_SUCCESS", "_tmp/x.bin", "a/.git/x.bin")
    assert names(remote, "") == ["a/1.bin", "a/2.bin", "a-b.bin", "b.bin"]


def test_a_remote_file_has_the_size_and_time_that_its_directory_tells(remote: str) -> None:
    filled(remote, "a/b.bin", content=b"12345")
    (file,) = listed([f"{remote}/a/b.bin"])
    assert listed([remote]) == listed([f"{remote}/*/b.*"]) == (file,) == (file_at(f"{remote}/a/b.bin"),)
    assert file.size == 5
    assert abs(file.modified / 1e9 - time.time()) < 60


@pytest.mark.parametrize("name", ["a b.bin", "a%20b.bin", "a#b.bin", "[a].bin"])
def test_a_uri_is_taken_as_it_stands(remote: str, name: str) -> None:
    filled(remote, name)
    assert names(remote, name) == [name]
    assert content(f"{remote}/{name}") == b"content"


def test_files_that_come_later_are_seen(remote: str) -> None:
    filled(remote, "a.bin")
    assert names(remote, "") == ["a.bin"]
    filled(remote, "b.bin")
    assert names(remote, "") == ["a.bin", "b.bin"]


def test_a_scheme_that_nothing_knows_is_an_error() -> None:
    with pytest.raises(OptionError, match="nothing:// paths cannot be used: Protocol not known: nothing"):
        listed(["nothing://host/x"])


def test_a_scheme_that_pyarrow_does_not_know_needs_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(OptionError, match="other:// paths need fsspec: pip install fsspec"):
        listed(["other://host/x"])


# Reading


@pytest.mark.parametrize(
    ("name", "compression"),
    [("a.bin", None), ("a.gz", "gzip"), ("a.bin.ZST", "zstd"), ("a.bz2", "bzip2"), (".gz", None), ("gz", None)],
)
def test_a_name_says_how_a_file_is_compressed(name: str, compression: str | None) -> None:
    file = CaptureFile(f"s3://bucket.gz/{name}", 0, 0)
    assert (file.compression, file.splittable) == (compression, compression is None)


def test_a_file_travels() -> None:
    file = CaptureFile("s3://bucket/a.bin", 1, 2)
    assert pickle.loads(pickle.dumps(file)) == file


def test_a_file_is_read_from_an_offset(tmp_path: Path) -> None:
    filled(tmp_path, "a.bin", content=CONTENT)
    assert content(tmp_path / "a.bin", 399_990) == CONTENT[399_990:]
    assert content(f"file://{tmp_path}/a.bin", 500_000) == b""


def test_a_remote_file_is_read_from_an_offset(remote: str) -> None:
    filled(remote, "a.bin", content=CONTENT)
    with opened(f"{remote}/a.bin", 399_990) as file:
        assert file.read(3) == CONTENT[399_990:399_993]
        buffer = bytearray(20)
        assert file.readinto(buffer) == 7
        assert file.read(1) == b""


@EVERY
def test_a_compressed_file_is_read_to_the_end_of_its_last_part(tmp_path: Path, name: str) -> None:
    data = compressed(name, CONTENT) + compressed(name, b"") + compressed(name, b"more")
    filled(tmp_path, name, content=data)
    assert listed([str(tmp_path)])[0].size == len(data)
    with opened(str(tmp_path / name)) as file:
        assert b"".join(iter(lambda: file.read(300_000), b"")) == CONTENT + b"more"


def test_zeros_may_follow_what_is_compressed(tmp_path: Path) -> None:
    for name in ("a.xz", "a.bz2"):
        filled(tmp_path, name, content=compressed(name, CONTENT) + bytes(8) + compressed(name, b"more") + bytes(4))
        assert content(tmp_path / name) == CONTENT + b"more"


def test_what_stands_in_front_of_where_a_compressed_file_is_cut_off_is_read(tmp_path: Path) -> None:
    filled(tmp_path, "a.gz", content=compressed("a.gz", CONTENT)[:-10])
    found: list[bytes] = []
    with opened(str(tmp_path / "a.gz")) as file, pytest.raises(OSError, match=r"a\.gz: Compressed file ended"):
        found.extend(iter(lambda: file.read(1000), b""))
    assert found
    assert CONTENT.startswith(b"".join(found))


def test_what_was_decompressed_ahead_is_read_though_there_is_an_error_behind_it(tmp_path: Path) -> None:
    noise = Random(1).randbytes(5000)  # which takes as many bytes compressed
    filled(tmp_path, "a.gz", content=compressed("a.gz", noise)[:3000])
    memory = memoryview(bytearray(4_000_000))
    with opened(str(tmp_path / "a.gz")) as file:
        found = file.readinto(memory[:12])
        found += file.readinto(memory[12:])
        with pytest.raises(OSError, match=r"a\.gz: Compressed file ended"):
            file.readinto(memory)
    assert found > 2900
    assert memory[:found] == noise[:found]


@EVERY
def test_a_remote_compressed_file_is_decompressed(remote: str, name: str) -> None:
    filled(remote, name, content=compressed(name, CONTENT))
    assert content(f"{remote}/{name}") == CONTENT


@EVERY
def test_a_compressed_file_has_no_offsets(tmp_path: Path, name: str) -> None:
    filled(tmp_path, name, content=compressed(name, CONTENT))
    with pytest.raises(ValueError, match=f"{name} is compressed and cannot be read from byte 1"):
        content(tmp_path / name, 1)


@EVERY
def test_a_compressed_file_that_is_cut_off_anywhere_is_an_error(tmp_path: Path, name: str) -> None:
    one = compressed(name, b"some content, and some more")
    path = tmp_path / name
    for length in {*range(2 * len(one))} - {len(one)}:
        path.write_bytes((one + one)[:length])
        with pytest.raises(OSError, match=str(path)):
            content(path)


@EVERY
@pytest.mark.parametrize("left", [0.001, 0.5, 0.999])
def test_a_long_compressed_file_that_is_cut_off_is_an_error(tmp_path: Path, name: str, left: float) -> None:
    data = compressed(name, CONTENT + os.urandom(300_000))
    filled(tmp_path, name, content=data[: int(len(data) * left)])
    with pytest.raises(OSError, match=str(tmp_path / name)):
        content(tmp_path / name)


@EVERY
@pytest.mark.parametrize("rest", [b"\0\1 rest", b"this is no compressed file"])
def test_a_compressed_file_that_is_corrupt_is_an_error(tmp_path: Path, name: str, rest: bytes) -> None:
    for number, data in enumerate((compressed(name, CONTENT) + rest, compressed(name, CONTENT)[:500] + rest, rest)):
        filled(tmp_path, f"{number}{name}", content=data)
        with pytest.raises(OSError, match=f"{tmp_path}/{number}{name}"):
            content(tmp_path / f"{number}{name}")


def test_what_a_reader_raises_is_left_alone(tmp_path: Path) -> None:
    filled(tmp_path, "a.gz", content=compressed("a.gz", CONTENT))
    with pytest.raises(EOFError, match="mine"), opened(str(tmp_path / "a.gz")):
        raise EOFError("mine")


@pytest.mark.parametrize("name", ["a.bin", "a.gz"])
def test_a_file_that_is_not_there_cannot_be_opened(tmp_path: Path, remote: str, name: str) -> None:
    for directory in (tmp_path, remote):
        with pytest.raises(FileNotFoundError, match=name):
            content(f"{directory}/{name}")


# Writing


def test_a_new_local_file_replaces_none(tmp_path: Path) -> None:
    filled(f"file://{tmp_path}", "a/b%20c.bin")
    with pytest.raises(FileExistsError):
        filled(tmp_path, "a/b c.bin", content=b"other")
    assert (tmp_path / "a" / "b c.bin").read_bytes() == b"content"


def test_what_is_written_is_stored_as_it_is(tmp_path: Path, remote: str) -> None:
    for directory in (tmp_path, remote):
        filled(directory, "a.gz", content=compressed("a.gz", CONTENT))
        assert content(f"{directory}/a.gz") == CONTENT


def test_a_moved_file_takes_the_place_of_another(tmp_path: Path, remote: str) -> None:
    for directory in (tmp_path, remote):
        filled(directory, "a.bin", content=b"new")
        filled(directory, "b.bin", content=b"old")
        moved(f"{directory}/a.bin", f"{directory}/b.bin")
        assert names(directory, "") == ["b.bin"]
        assert content(f"{directory}/b.bin") == b"new"


def test_a_directory_moves_with_all_in_it(tmp_path: Path, remote: str) -> None:
    for directory in (tmp_path, remote):
        filled(directory, "a/1.bin", "a/b/2.bin")
        moved(f"{directory}/a", f"{directory}/c")
        assert names(directory, "") == ["c/1.bin", "c/b/2.bin"]


def test_nothing_moves_between_filesystems(tmp_path: Path, remote: str) -> None:
    filled(tmp_path, "a.bin")
    with pytest.raises(ValueError, match="are on different filesystems"):
        moved(f"{tmp_path}/a.bin", f"{remote}/a.bin")


def test_files_and_directories_are_removed_if_they_are_there(tmp_path: Path, remote: str) -> None:
    for directory in (tmp_path, remote):
        filled(directory, "a.bin", "b/1.bin", "b/c/2.bin", "d.bin")
        for name in ("a.bin", "b", "absent"):
            removed(f"{directory}/{name}")
        assert names(directory, "") == ["d.bin"]


def test_a_removed_link_leaves_what_it_names(tmp_path: Path) -> None:
    filled(tmp_path, "a/1.bin")
    (tmp_path / "link").symlink_to("a")
    removed(f"{tmp_path}/link")
    assert names(tmp_path, "") == ["a/1.bin"]


def test_files_and_directories_exist_and_patterns_do_not(tmp_path: Path, remote: str) -> None:
    for directory in (tmp_path, remote):
        filled(directory, "a/1.bin")
        found = [exists(f"{directory}/{path}") for path in ("a/1.bin", "a", "", "b", "a/*")]
        assert found == [True, True, True, False, False]


def test_a_directory_that_goes_while_it_is_listed_has_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    going, scandir = tmp_path / "going", os.scandir
    going.mkdir()
    (tmp_path / "stays.bin").touch()

    def gone(path: str) -> object:
        if path == str(going):
            going.rmdir()
        return scandir(path)

    monkeypatch.setattr(os, "scandir", gone)
    assert [file.path for file in listed([str(tmp_path)])] == [str(tmp_path / "stays.bin")]


def test_a_file_that_goes_while_it_is_looked_at_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    going = tmp_path / "going.bin"
    going.touch()
    (tmp_path / "stays.bin").touch()

    def gone(path: Path) -> bool:
        going.unlink(missing_ok=True)
        return False

    monkeypatch.setattr(type(going), "is_dir", gone)
    assert [file.path for file in listed([str(tmp_path / "*.bin")])] == [str(tmp_path / "stays.bin")]
