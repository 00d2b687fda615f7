"""The output of commands: bytes to standard output, or to files that appear only when they are complete.

A file is written under a temporary name beside its place and renamed when it is complete. Until then the old file can
be read, and if several programs write it, one of them wins as a whole. An incomplete file is removed however the
program ends, except by SIGKILL.
"""

import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from wireloom import files
from wireloom.cli.diagnostics import MisuseError

_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def output(path: Path | None, *, binary: bool) -> Iterator[BinaryIO]:
    """The stream to write to. Raises ``MisuseError`` for ``binary`` output to a terminal."""
    if path is None or str(path) == "-":
        _refused_by_terminal(sys.stdout.buffer, binary=binary)
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.is_dir():
        raise MisuseError(f"{files.shown(path)} is a directory; name a file")
    elif not path.parent.is_dir():
        raise MisuseError(f"there is no directory {files.shown(path.parent)}")
    elif _is_stream(path):
        with path.open("wb") as stream:
            _refused_by_terminal(stream, binary=binary)
            yield stream
    else:
        with _whole_file(Path(os.path.realpath(path))) as stream:  # links are followed, as by any program
            yield stream


def replaced(path: Path | None) -> Path | None:
    """The file that ``output`` would put in the place of this path; None if it would write to a stream."""
    return None if path is None or str(path) == "-" or _is_stream(path) else Path(os.path.realpath(path))


def is_seen(stream: BinaryIO) -> bool:
    """Whether somebody may be waiting for the output: it is not a file."""
    try:
        return not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


def _refused_by_terminal(stream: BinaryIO, *, binary: bool) -> None:
    if binary and stream.isatty():
        raise MisuseError("binary output is not written to a terminal; name a file with --output, or redirect it")


def _is_stream(path: Path) -> bool:
    """Whether the path is a pipe, a device, or a name of an open file such as ``/dev/stdout``."""
    folder = os.path.realpath(path.parent)
    if folder == "/dev" or folder.startswith("/proc/"):
        return True
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


OpensFile = Callable[[Path], BinaryIO]


@contextmanager
def whole_files(folder: Path) -> Iterator[OpensFile]:
    """Gives a function that opens files in ``folder`` to be written, which is made if its own is there.

    They take their places when the context ends, all of them or, if it fails, none. Raises ``MisuseError``.
    """
    if not folder.parent.is_dir():
        raise MisuseError(f"there is no directory {files.shown(folder.parent)}")
    if folder.exists() and not folder.is_dir():
        raise MisuseError(f"{files.shown(folder)} is a file; name a directory")
    made = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with _placed_when_whole() as opened:
            yield lambda path: opened(_file(path))
    except BaseException:
        if made:
            with suppress(OSError):  # somebody else has put something there
                folder.rmdir()
        raise


def _file(path: Path) -> Path:
    """The file that a path leads to, or is to be."""
    if path.exists() and not path.is_file():
        raise MisuseError(f"{files.shown(path)} exists and is not a file; move it away, or choose another directory")
    return Path(os.path.realpath(path))


@contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    with _placed_when_whole() as opened:
        yield opened(path)


@contextmanager
def _placed_when_whole() -> Iterator[OpensFile]:
    """As ``whole_files``, wherever they are."""
    partials: dict[Path, Path] = {}
    streams: list[BinaryIO] = []

    def opened(path: Path) -> BinaryIO:
        if path.exists():
            path.open("ab").close()  # what may not be written is not replaced either
        partial = path.with_name(f".wireloom-{uuid4().hex}")
        partials[partial] = path  # before it is there, as a signal may come at any time
        stream = partial.open("xb")
        streams.append(stream)
        return stream

    with _signals_remove(partials):
        try:
            yield opened
            for stream in streams:
                stream.close()
            for partial, path in partials.items():
                if path.exists():
                    partial.chmod(stat.S_IMODE(path.stat().st_mode))
                partial.replace(path)
        finally:
            for stream in streams:
                with suppress(OSError):  # the failed write has been reported
                    stream.close()
            for partial in partials:
                partial.unlink(missing_ok=True)


@contextmanager
def _signals_remove(partials: Collection[Path]) -> Iterator[None]:
    """Let signals that end the program remove the files first; ignored signals, as under ``nohup``, stay ignored."""

    def end(number: int, _: object) -> None:
        for partial in partials:
            partial.unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)  # so that the parent process sees the signal

    mine = threading.current_thread() is threading.main_thread()  # no other may handle signals
    taken = [number for number in _ENDING if mine and signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
