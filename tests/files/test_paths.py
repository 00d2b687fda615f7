"""What paths mean, on this machine and elsewhere: files, directories, patterns and URIs."""

from __future__ import annotations

import os
import re
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from support.scaling import LINEAR, growth

from files.contents import content, filled, names
from wireloom.files import CaptureFile, file_at, listed
from wireloom.options import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable


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
