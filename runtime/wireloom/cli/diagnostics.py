"""How a command ends other than well: one sentence on standard error and an exit status."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from wireloom.inspection.wording import printable
from wireloom.options import OptionError

FAILED = 1
MISUSED = 2


class MisuseError(Exception):
    """The command was called in a way that cannot work; exit status 2."""


class FailedError(Exception):
    """What the command was given is bad; exit status 1."""


def complain(line: str) -> None:
    """Write a line beside the output."""
    print(line, file=sys.stderr)


def say(sentence: str) -> None:
    """Tell the user something beside the output, in the program's name."""
    complain(f"wireloom: {printable(sentence)}")


@contextmanager
def exit_statuses() -> Iterator[None]:
    """Turn what goes wrong in a foreseen way into a sentence and a status, never a traceback."""
    try:
        yield
    except (MisuseError, OptionError) as error:
        say(str(error))
        raise typer.Exit(MISUSED) from None
    except FailedError as error:
        say(str(error))
        raise typer.Exit(FAILED) from None
    except BrokenPipeError:
        _close_output()
        raise typer.Exit(0) from None  # whoever reads the output has enough of it
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        say(what)
        raise typer.Exit(MISUSED) from None


def _close_output() -> None:
    """Send the rest of the output nowhere, so that nothing complains when the interpreter flushes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
