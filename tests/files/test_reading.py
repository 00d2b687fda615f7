"""Files that are read, from an offset or decompressed, and those that are cut off or corrupt."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from random import Random

import pytest

from files.contents import CONTENT, compressed, content, filled
from wireloom.compressed import COMPRESSIONS
from wireloom.files import CaptureFile, listed, opened

EVERY = pytest.mark.parametrize("name", [f"a{suffix}" for suffix in COMPRESSIONS])


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
    with pytest.raises(ValueError, match=f"{name} is compressed, so it cannot be read from byte 1"):
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
