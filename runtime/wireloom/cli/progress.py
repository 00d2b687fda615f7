"""A progress bar on standard error, for somebody who watches it and sees no rows instead."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from wireloom.cli.captures import STDIN, name_of
from wireloom.views import Row

_EVERY = 512
"""Rows between two looks at the bar."""


def with_progress(rows: Iterable[Row], source: str, *, to_stdout: bool) -> Iterator[Row]:
    """The rows of ``source``, their ``_offset`` and ``_length`` moving a bar if standard error is a terminal."""
    if not sys.stderr.isatty() or (to_stdout and sys.stdout.isatty()):
        yield from rows
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        size = None if source == STDIN else Path(source).stat().st_size
        task = bar.add_task(name_of(source) if size is None else Path(source).name, total=size)
        for number, row in enumerate(rows):
            if number % _EVERY == 0:
                bar.update(task, completed=row["_offset"] + row["_length"])
            yield row
