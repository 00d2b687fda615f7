"""The content of compressed files as streams."""

import io
import zlib
from typing import Any

_CHUNK = 1024 * 1024


def decompressed(stored: io.BufferedIOBase, compression: str, path: str) -> io.BufferedIOBase:
    """The content of a file with that compression, ``gzip`` or ``zstd``. Errors while reading it name its ``path``."""
    return _Content(_Decompressed(stored, compression, path), _CHUNK)


class _Content(io.BufferedReader):
    """Returns what is there instead of waiting for everything asked for, so that an error does not cost what came
    before it.
    """

    def read(self, size: int | None = -1) -> bytes:
        return super().read(size) if size is None or size < 0 else self.read1(size)

    def readinto(self, buffer: Any) -> int:
        return self.readinto1(memoryview(buffer)[:_CHUNK])  # for more, it also reads behind what it holds already


class _Decompressed(io.RawIOBase):
    """The content of a compressed file, with all its members or frames. Every error is an ``OSError``."""

    def __init__(self, stored: io.BufferedIOBase, compression: str, path: str) -> None:
        self._stored, self._path = stored, path
        self._content: Any = _gzip(stored) if compression == "gzip" else _zstd(stored)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._content.read1(len(buffer))
        except (OSError, EOFError, zlib.error) as error:
            raise OSError(f"{self._path}: {error}") from error
        if not data and not self._stored.tell():  # decoders take no bytes at all for no content
            raise OSError(f"{self._path}: a compressed file cannot be empty")
        buffer[: len(data)] = data
        return len(data)


def _gzip(stored: io.BufferedIOBase) -> Any:
    from gzip import GzipFile

    return GzipFile(fileobj=stored)


def _zstd(stored: io.BufferedIOBase) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(stored, "zstd")
