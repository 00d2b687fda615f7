"""Files and directories that are written, moved and removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from files.contents import CONTENT, compressed, content, filled, names
from wireloom.files import exists, moved, removed


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
