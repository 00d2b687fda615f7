"""The standard streams, any of which may be closed: the command continues, and fails only when it needs the stream."""

import io
import os
import sys
from typing import BinaryIO

from wireloom.cli.diagnostics import MisuseError


class _Closed(io.TextIOBase):
    """Replaces closed standard input or output. Reading and writing raise ``MisuseError``."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    @property
    def buffer(self) -> BinaryIO:
        raise MisuseError(self._sentence)

    def write(self, text: str, /) -> int:
        raise MisuseError(self._sentence)


def mend() -> None:
    """Replace each standard stream that is closed.

    Its file number is occupied as well; otherwise the next opened file would get it, and printed text with it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    if sys.stdin is None:
        sys.stdin = _Closed("standard input is closed; name a file")
    if sys.stdout is None:
        sys.stdout = _Closed("standard output is closed; there is nowhere to write")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for good
