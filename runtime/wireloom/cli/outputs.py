"""What commands write: bytes to standard output or to a file that is there only when it is complete."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from wireloom.cli.diagnostics import MisuseError


@contextmanager
def output(path: Path | None, *, binary: bool) -> Iterator[BinaryIO]:
    """Where to write. ``binary`` output is refused by a terminal. Raises ``MisuseError``."""
    if path is None or str(path) == "-":
        if binary and sys.stdout.isatty():
            raise MisuseError("this output is not for a terminal; name a file with --output, or redirect it")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():
        if path.is_dir():
            raise MisuseError(f"{path} is a directory, not a file to write")
        with path.open("wb") as stream:  # a pipe or a device
            yield stream
    else:
        with _whole_file(path) as stream:
            yield stream


@contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    if not path.parent.is_dir():
        raise MisuseError(f"there is no directory {path.parent}")
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
