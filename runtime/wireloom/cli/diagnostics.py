"""How a command fails: with one sentence on standard error and an exit status."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast

import typer

from wireloom import files
from wireloom.options import OptionError
from wireloom.printable import printable

FAILED = 1
MISUSED = 2
UsageError = cast(type[typer.BadParameter], typer.BadParameter.__bases__[0])
"""The error that click raises, from its package or from typer's copy of it."""


class MisuseError(Exception):
    """The command was called wrongly; exit status 2."""


class FailedError(Exception):
    """The command's input is bad; exit status 1."""


def tell(line: str) -> None:
    """Print a line without characters that control a terminal."""
    print(printable(line))


def complain(line: str) -> None:
    """Write such a line to standard error."""
    print(printable(line), file=sys.stderr)


def say(sentence: str) -> None:
    """Write a line to standard error that begins with the program's name."""
    complain(f"wireloom: {sentence}")


@contextmanager
def exit_statuses() -> Iterator[None]:
    """Turn expected errors into a sentence and an exit status, without a traceback."""
    try:
        yield
    except (MisuseError, OptionError) as error:
        say(str(error))
        raise typer.Exit(MISUSED) from None
    except FailedError as error:
        say(str(error))
        raise typer.Exit(FAILED) from None
    except UsageError as error:
        error.message = printable(error.message)  # which has arguments in it, and so names of files
        raise
    except BrokenPipeError:
        _close_output()
        raise typer.Exit(0) from None  # whoever reads the output has enough of it
    except OSError as error:
        why = error.strerror or str(error)
        say(f"{files.shown(os.fsdecode(error.filename))}: {why}" if error.filename else why)
        if not error.filename:
            _close_output()  # such as one on a full device, which would be full for the interpreter, too
        raise typer.Exit(MISUSED) from None


def _close_output() -> None:
    """Discard the rest of the output, so that the interpreter can flush it without an error."""
    with suppress(io.UnsupportedOperation):  # it is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
