"""The content of compressed files as streams."""

import io
import zlib
from collections.abc import Callable
from typing import Any

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}
"""The compressions, by the extensions of file names."""
_CHUNK = 1024 * 1024
_PIECE = 64 * 1024
_XZ_MEMORY = 512 * 1024 * 1024
"""The most memory for unpacking xz, whose presets need up to 65 MiB."""
_ERRORS = (OSError, EOFError, zlib.error)


def decompressed(stored: io.BufferedIOBase, compression: str, path: str) -> io.BufferedIOBase:
    """The content of a file with one of ``COMPRESSIONS``. Errors while reading it name its ``path``."""
    return _Content(_Decompressed(stored, compression, path), _CHUNK)


class DamagedFileError(OSError):
    """A compressed file is cut off or damaged, for this ``reason``.

    Readers of lines find in ``rest`` the offset and the bytes of the part after the last line.
    """

    rest: tuple[int, bytes] = (0, b"")

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason

    def __reduce__(self) -> tuple[Any, ...]:
        return DamagedFileError, (self.path, self.reason)


class _Stored:
    """A stream as it is stored, which remembers whether it could be read."""

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self.stream, self.is_read = stream, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def read(self, size: int = -1) -> bytes:
        try:
            return self.stream.read(size)
        except OSError:
            self.is_read = False
            raise


class _Content(io.BufferedReader):
    """Returns the bytes at hand instead of waiting for all that are requested, so that an error does not lose those
    before it.
    """

    def read(self, size: int | None = -1) -> bytes:
        return super().read(size) if size is None or size < 0 else self.read1(size)

    def readinto(self, buffer: Any) -> int:
        return self.readinto1(memoryview(buffer)[:_CHUNK])  # for more, it would also read further than its buffer


class _Decompressed(io.RawIOBase):
    """The content of a compressed file, with all its members or frames. Every error is an ``OSError``, and a
    ``DamagedFileError``, again and again, if the file itself could be read.
    """

    def __init__(self, stored: io.BufferedIOBase, compression: str, path: str) -> None:
        self._stored, self._path, self._damage = _Stored(stored), path, ""
        self._open = _OPENING[compression]
        self._content = self._open(self._stored)
        self._count = 0
        self._most, self._smaller = _CHUNK, [64, 1]
        if compression == "zstd":  # pyarrow closes a file at an error, so that it cannot be read again
            self._most, self._smaller = _PIECE, []

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._damage:
            raise DamagedFileError(self._path, self._damage)
        try:
            data = self._read(len(buffer))
        except _ERRORS as error:
            if not self._stored.is_read:
                raise OSError(f"{self._path}: {error}") from error
            raise self._damaged(str(error)) from error
        self._count += len(data)
        if not data and not self._stored.tell():  # decoders take no bytes at all for no content
            raise self._damaged("a compressed file cannot be empty")
        buffer[: len(data)] = data
        return len(data)

    def _read(self, size: int) -> bytes:
        """So many bytes or fewer.

        At the end or at damage, a decompressor loses the bytes before it in the same piece, so the file is then read
        again, in small pieces from there on.
        """
        try:
            found: bytes = self._content.read1(min(size, self._most))
        except _ERRORS:
            if not (self._smaller and self._stored.is_read and self._stored.seekable()):
                raise
            self._stored.seek(0)
            self._content, left = self._open(self._stored), self._count
            while left and (again := self._content.read1(min(left, _CHUNK))):
                left -= len(again)
            self._most = self._smaller.pop(0)
            return self._read(size)
        return found

    def _damaged(self, reason: str) -> DamagedFileError:
        self._damage = reason
        return DamagedFileError(self._path, reason)


def _gzip(stored: Any) -> Any:
    from gzip import GzipFile

    return GzipFile(fileobj=stored)


def _zstd(stored: Any) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(stored, "zstd")


def _xz(stored: Any) -> Any:
    import lzma

    return _Members(stored, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY), lzma.LZMAError)


def _bzip2(stored: Any) -> Any:
    import bz2

    return _Members(stored, bz2.BZ2Decompressor, OSError)


_OPENING: dict[str, Callable[[Any], Any]] = {"gzip": _gzip, "zstd": _zstd, "xz": _xz, "bzip2": _bzip2}


class _Members:
    """What the compressed members of a file hold, one after the other, each read by a decompressor of its own, which
    raises ``error``. Zeros may follow a member.
    """

    def __init__(self, stored: Any, decompressor: Callable[[], Any], error: type[Exception]) -> None:
        self.stored, self.decompressor, self.error = stored, decompressor, error
        self.member = decompressor()

    def read1(self, size: int) -> bytes:
        """Some bytes, ``size`` at most; none at the end."""
        packed = b""
        while True:
            if self.member.eof:
                packed = self.member.unused_data
                while not (packed := packed.lstrip(b"\0")):
                    if not (packed := self.stored.read(_PIECE)):
                        return b""
                self.member = self.decompressor()
            elif self.member.needs_input and not (packed := self.stored.read(_PIECE)):
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
            try:
                data: bytes = self.member.decompress(packed, size)
            except self.error as error:
                raise OSError(str(error)) from error
            if data:
                return data
            packed = b""
