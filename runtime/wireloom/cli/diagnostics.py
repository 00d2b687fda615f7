"""How a command fails: with one sentence on standard error and an exit status."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click
from click.exceptions import Exit, NoArgsIsHelpError

from wireloom import files
from wireloom.options import OptionError
from wireloom.printable import printable

FAILED = 1
MISUSED = 2
INTERRUPTED = 130
"""As shells have it."""


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
        raise Exit(MISUSED) from None
    except FailedError as error:
        say(str(error))
        raise Exit(FAILED) from None
    except NoArgsIsHelpError:
        raise
    except click.UsageError as error:  # which has arguments in it, and so names of files
        raise click.UsageError(printable(error.format_message()), error.ctx) from None
    except KeyboardInterrupt:
        raise Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _close_output()
        raise Exit(0) from None  # whoever reads the output has enough of it
    except OSError as error:
        why = error.strerror or str(error)
        say(f"{files.shown(os.fsdecode(error.filename))}: {why}" if error.filename else why)
        if not error.filename:
            _close_output()  # such as one on a full device, which would also be full for the interpreter
        raise Exit(MISUSED) from None


def _close_output() -> None:
    """Discard the rest of the output, so that the interpreter can flush it without an error."""
    with suppress(io.UnsupportedOperation):  # it is not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
