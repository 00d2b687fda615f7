"""A progress bar on standard error, for somebody who watches it and sees no rows instead."""

import sys
from collections.abc import Iterable, Iterator

from wireloom.views import Row

_EVERY = 512
"""Rows between two looks at the bar."""


def with_progress(rows: Iterable[Row], name: str, size: int | None, *, to_stdout: bool) -> Iterator[Row]:
    """The rows of a source of ``size`` bytes; their positions move a bar if standard error is a terminal."""
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
        task = bar.add_task(name, total=size)
        for number, row in enumerate(rows):
            if number % _EVERY == 0:
                bar.update(task, completed=row["_offset"] + row["_length"])
            yield row
