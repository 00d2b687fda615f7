"""The bytes of a capture: those of a file, of which only what is asked for is read, or bytes that were pasted."""

import io
import os
from pathlib import Path

from wireloom.files import CaptureFile
from wireloom.hex_text import HexTextError, decoded
from wireloom.kinds import TELLING, ReadInto, kind_of
from wireloom.options import CaptureKind


class NoCaptureError(Exception):
    """What was named or pasted is no capture; ``args`` are the sentence that says why."""


class CaptureBytes:
    """A capture of ``size`` bytes, with a ``name`` for people."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self.size = len(content)
        self._content = content

    def read(self, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``, or as many of them as there are."""
        return self._content[start:stop]

    @property
    def kind(self) -> CaptureKind:
        """Whether it is records end to end or recorded packets, by its first bytes."""
        return kind_of(self.read(0, TELLING))

    def stream(self) -> ReadInto:
        """Reads the capture from its beginning, once."""
        at = 0

        def readinto(memory: memoryview) -> int:
            nonlocal at
            found = self.read(at, min(at + len(memory), self.size))
            memory[: len(found)] = found
            at += len(found)
            return len(found)

        return readinto


class FileBytes(CaptureBytes):
    """As a file has them; what is appended later is not seen. Raises ``NoCaptureError`` and ``OSError``."""

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise NoCaptureError(f"{path} is a directory; name a file in it")
        if not path.is_file():
            raise NoCaptureError(
                f"{path} is no file that can be read from anywhere; write what comes from it to a file"
            )
        if not CaptureFile(str(path), 0, 0).splittable:
            raise NoCaptureError(f"{path} is compressed, so no place in it can be read by itself; unpack it first")
        super().__init__(path.name, b"")
        self._file = io.FileIO(path)
        self.size = os.fstat(self._file.fileno()).st_size

    def read(self, start: int, stop: int) -> bytes:
        return os.pread(self._file.fileno(), max(0, min(stop, self.size) - start), start)


def pasted(text: str) -> CaptureBytes:
    """The bytes that hex text is, in which bytes may begin with ``0x``. Raises ``NoCaptureError``."""
    try:
        content = decoded(text.replace("0x", ""))
    except HexTextError as error:
        raise NoCaptureError(str(error)) from None
    if not content:
        raise NoCaptureError("there are no bytes; paste hex digits, such as 57 4c 01")
    return CaptureBytes("pasted bytes", content)
