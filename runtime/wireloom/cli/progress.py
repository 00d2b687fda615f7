"""A progress bar on standard error, for a terminal on which nothing else may appear."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wireloom.printable import printable
from wireloom.views import Row

if TYPE_CHECKING:
    from wireloom.kinds import ReadInto

_EVERY = 512
"""How many rows pass between two updates of the bar."""


@contextmanager
def progress(name: str, size: int | None, *, to_stdout: bool) -> Iterator[Callable[[int], None] | None]:
    """A function that moves the bar of a source of ``size`` bytes to a position; None where nobody would see it, or
    where rows could get into its line.
    """
    if not sys.stderr.isatty() or (to_stdout and _may_be_shown()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(printable(name), total=size)
        yield lambda position: bar.update(task, completed=position)


def _may_be_shown() -> bool:
    """Whether standard output may appear on a terminal: directly, or through a pipe."""
    mode = os.fstat(sys.stdout.fileno()).st_mode
    return sys.stdout.isatty() or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def rows_moving(rows: Iterable[Row], move: Callable[[int], None] | None) -> Iterator[Row]:
    """The rows unchanged; every few of them ``move`` the bar."""
    for number, row in enumerate(rows):
        if move is not None and number % _EVERY == 0:
            move(row["_offset"] + row["_length"])
        yield row


def reads_moving(readinto: "ReadInto", move: Callable[[int], None] | None) -> "ReadInto":
    """A ``readinto`` that also moves the bar."""
    if move is None:
        return readinto
    position = 0

    def reading(memory: memoryview) -> int | None:
        nonlocal position
        count = readinto(memory)
        position += count or 0
        move(position)
        return count

    return reading
