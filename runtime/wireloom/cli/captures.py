"""What commands read: files and standard input, piece by piece or line by line, hex text included."""

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

from wireloom import files
from wireloom.cli.diagnostics import MisuseError
from wireloom.compressed import DamagedFileError
from wireloom.hex_text import HexDecoder, HexTextError

STDIN = "-"
_CHUNK = 1024 * 1024


def name_of(source: str) -> str:
    """The name of the source in messages."""
    return "standard input" if source == STDIN else files.shown(source)


def meant(sources: Iterable[str], *outputs: Path | None, rotated: bool = False) -> list[str]:
    """The captures that sources refer to: files, directories with everything below them, patterns, and standard input.

    Local files keep the name that was given. Raises ``MisuseError`` for a file that would be overwritten, and for
    standard input if the captures are ``rotated``; ``OptionError`` for a path without files.
    """
    sources = list(sources)
    if rotated and STDIN in sources:
        raise MisuseError("--rotated needs files; standard input cannot be part of a recording")
    found: list[str] = []
    for source in sources:
        path = None if source == STDIN else files.local(source)
        named = source == STDIN or (path is not None and path.exists() and not path.is_dir())
        found += [source] if named else [file.path for file in files.listed([source])]
    written = [_written(output) for output in outputs]
    for source in found:
        _must_stay(source, written)
    return found


def must_exist(source: str, output: Path | None) -> None:
    """Check before anything is written that a file exists and is not overwritten. Raises ``MisuseError``."""
    name = name_of(source)
    path = None if source == STDIN else files.local(source)
    if path is not None and path.is_dir():
        raise MisuseError(f"{name} is a directory; name a file in it")
    if source != STDIN and not files.exists(source):
        raise MisuseError(f"there is no file {name}")
    _must_stay(source, [_written(output)])


def _written(output: Path | None) -> os.stat_result | None:
    """The file that is replaced, if there is one."""
    return _regular(1 if output is None or str(output) == STDIN else output)


def _must_stay(source: str, written: Iterable[os.stat_result | None]) -> None:
    path = 0 if source == STDIN else files.local(source)
    read = None if path is None else _regular(path)
    if read is not None and any(each is not None and os.path.samestat(read, each) for each in written):
        raise MisuseError(f"{name_of(source)} would be overwritten while it is read; choose another output")


def _regular(file: Path | int) -> os.stat_result | None:
    """The file that a path or an open file refers to, with links followed; None if it is not a regular file."""
    try:
        status = os.stat(file)  # noqa: PTH116 - it may be the number of an open file
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def size_of(source: str) -> int | None:
    """The size of a source in bytes, if it is known before reading."""
    path = None if source == STDIN else files.local(source)
    known = path is not None and path.is_file() and files.CaptureFile(source, 0, 0).splittable
    return path.stat().st_size if path is not None and known else None


@contextmanager
def byte_stream(source: str, *, from_hex: bool = False) -> Iterator[io.BufferedIOBase]:
    """The source opened for reading; decompressed if its name says so, or decoded from hex text."""
    with nullcontext(sys.stdin.buffer) if source == STDIN else files.opened(source) as stream:
        content = cast(io.BufferedIOBase, stream)
        yield io.BufferedReader(_Unhexed(content, name_of(source)), _CHUNK) if from_hex else content


class _Unhexed(io.RawIOBase):
    """The bytes of hex text as it arrives."""

    def __init__(self, text: io.BufferedIOBase, name: str) -> None:
        self._text, self._name, self._decoder = text, name, HexDecoder()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            while text := self._text.read1(len(buffer)):
                if data := self._decoder.decode(text):
                    buffer[: len(data)] = data
                    return len(data)
            self._decoder.finish()
        except HexTextError as error:
            raise MisuseError(f"{self._name}: {error}") from None
        return 0


def lines(stream: io.BufferedIOBase) -> Iterator[tuple[int, int, bytes]]:
    """(number from 1, offset in bytes, text without its line feed) of the lines that are not blank.

    Raises ``DamagedFileError`` with the ``rest``.
    """
    number, offset, parts = 1, 0, [b""]
    try:
        while data := stream.read1(_CHUNK):
            first, *others = data.split(b"\n")
            parts.append(first)
            for other in others:
                line = b"".join(parts)
                if line.strip():
                    yield number, offset, line
                number, offset, parts = number + 1, offset + len(line) + 1, [other]
    except DamagedFileError as error:
        error.rest = offset, b"".join(parts)
        raise
    if (line := b"".join(parts)).strip():
        yield number, offset, line
