"""The bytes of captures: read where they are asked for, or pasted."""

import gzip
from pathlib import Path

import pytest

from wireloom_generator.lab.capture_bytes import FileBytes, NoCaptureError, pasted


def test_a_file_is_read_from_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(bytes(range(100)))
    capture = FileBytes(path)
    assert (capture.name, capture.size) == ("capture.bin", 100)
    assert capture.read(10, 13) == b"\x0a\x0b\x0c"
    assert capture.read(98, 200) == b"\x62\x63"


def test_what_is_appended_later_is_not_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(b"abc")
    capture = FileBytes(path)
    with path.open("ab") as file:
        file.write(b"def")
    memory = bytearray(10)
    assert capture.read(0, 10) == b"abc"
    assert capture.stream()(memoryview(memory)) == 3


def test_a_compressed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "capture.bin.gz"
    path.write_bytes(gzip.compress(b"abc"))
    with pytest.raises(NoCaptureError, match="is compressed, so no place in it can be read by itself; unpack it first"):
        FileBytes(path)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoCaptureError, match="is a directory"):
        FileBytes(tmp_path)


def test_hex_is_pasted_with_blanks_and_comments() -> None:
    capture = pasted("57 4c  # the magic\n0x01\n\n00 16")
    assert capture.read(0, 10) == bytes.fromhex("574c010016")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("57 4", "the number of hex digits is odd"),
        ("57\n4g", "line 2 is not hex text: 'g' is no hex digit"),
        (" # nothing\n", "there are no bytes; paste hex digits, such as 57 4c 01"),
    ],
)
def test_what_is_no_hex_is_refused(text: str, said: str) -> None:
    with pytest.raises(NoCaptureError, match=said):
        pasted(text)
