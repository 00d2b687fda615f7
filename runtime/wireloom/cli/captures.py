"""What commands read: files and standard input, as mapped memory or line by line, hex text included."""

import binascii
import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO

from wireloom import files
from wireloom.cli.diagnostics import MisuseError

STDIN = "-"
_CHUNK = 1024 * 1024


def name_of(source: str) -> str:
    """The source as diagnostics call it."""
    return "standard input" if source == STDIN else source


def must_exist(sources: Iterable[str], output: Path | None) -> None:
    """Find out before anything is written what is not there or would be written over. Raises ``MisuseError``."""
    for source in sources:
        if source == STDIN:
            continue
        path = files.local(source)
        if path is not None and output is not None and output.exists() and path.exists() and output.samefile(path):
            raise MisuseError(f"{source} would be written over while it is read; name another file")
        if path is not None and path.is_dir():
            raise MisuseError(f"{source} is a directory; name the files in it")
        if not files.exists(source):
            raise MisuseError(f"there is no file {source}")


def size_of(source: str) -> int | None:
    """The bytes of a source, if that can be known before it is read."""
    path = None if source == STDIN else files.local(source)
    known = path is not None and path.is_file() and files.CaptureFile(source, 0, 0).splittable
    return path.stat().st_size if path is not None and known else None


@contextmanager
def byte_stream(source: str) -> Iterator[BinaryIO]:
    """The source opened for reading, decompressed if its name says that it is compressed."""
    if source == STDIN:
        yield sys.stdin.buffer
    else:
        with files.opened(source) as file:
            yield file


@contextmanager
def chunks(source: str, *, from_hex: bool) -> Iterator[Callable[[int], bytes]]:
    """What reads the next bytes of the source."""
    if from_hex:
        with buffer(source, from_hex=True) as data:
            yield BytesIO(data).read
    else:
        with byte_stream(source) as stream:
            yield stream.read


@contextmanager
def buffer(source: str, *, from_hex: bool) -> Iterator[bytes]:
    """All bytes of the source, without holding them in memory: a file is mapped, anything else goes to one first."""
    with byte_stream(source) as stream:
        if not from_hex and _can_be_mapped(stream):
            with _mapped(stream) as data:
                yield data
            return
        with TemporaryFile() as copy:
            if from_hex:
                _unhex(stream, copy, name_of(source))
            else:
                copyfileobj(stream, copy, _CHUNK)
            copy.flush()
            with _mapped(copy) as data:
                yield data


def _can_be_mapped(stream: BinaryIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode) and stream.tell() == 0
    except OSError:
        return False


@contextmanager
def _mapped(file: BinaryIO) -> Iterator[bytes]:
    if os.fstat(file.fileno()).st_size == 0:
        yield b""  # an empty file cannot be mapped
        return
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data  # type: ignore[misc]


def _unhex(source: BinaryIO, target: BinaryIO, name: str) -> None:
    """Copy hex text as bytes. White space means nothing, and ``#`` begins a comment, as in specs."""
    line, rest, in_comment = 1, b"", False
    while piece := source.readline(_CHUNK):
        code, hash_sign, _ = piece.partition(b"#")
        digits = rest if in_comment else rest + b"".join(code.split())
        even = len(digits) & ~1
        try:
            target.write(binascii.unhexlify(digits[:even]))
        except binascii.Error:
            raise MisuseError(f"{name}: line {line} is not hex text") from None
        rest = digits[even:]
        ended = piece.endswith(b"\n")
        in_comment = bool(in_comment or hash_sign) and not ended
        line += ended
    if rest:
        raise MisuseError(f"{name}: an odd number of hex digits")


def lines(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """(number from 1, offset in bytes, text without its line feed) of the lines that are not blank."""
    offset = 0
    for number, line in enumerate(stream, start=1):
        if line.strip():
            yield number, offset, line.removesuffix(b"\n")
        offset += len(line)
