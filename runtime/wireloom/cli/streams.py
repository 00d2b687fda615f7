"""The standard streams, of which any may be closed: then the command goes on, and says so when it needs the stream."""

import io
import os
import sys
from typing import BinaryIO

from wireloom.cli.diagnostics import MisuseError


class _Closed(io.TextIOBase):
    """In place of standard input or output. Whoever reads or writes gets a ``MisuseError``."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    @property
    def buffer(self) -> BinaryIO:
        raise MisuseError(self._sentence)

    def write(self, text: str, /) -> int:
        raise MisuseError(self._sentence)


def mend() -> None:
    """Put something in place of each standard stream that is closed.

    Their numbers are taken too, or a file that is opened next would get one, and whatever is printed as its content.
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
