"""``wireloom summary``: records and damage, counted per capture."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from wireloom.cli import arguments, captures
from wireloom.cli.arguments import OfProtocol, options_of, protocol_of
from wireloom.cli.outputs import output
from wireloom.cli.progress import progress, reads_moving
from wireloom.codec import Protocol
from wireloom.json_rows import json_line
from wireloom.options import ReadOptions
from wireloom.printable import printable
from wireloom.views import Row


@click.command(cls=OfProtocol)
@arguments.protocol
@arguments.inputs
@click.option("--message", metavar="NAME", help="Only records of this message.")
@click.option("--messages", metavar="NAME,…", help="Only records of these messages.")
@arguments.parameters
@arguments.rotated
@arguments.traffic
@arguments.max_record_bytes
@arguments.resync
def summary(protocol: str, inputs: Sequence[str], parameters: Sequence[str], **told: object) -> None:
    """Count the records and the damage in each capture, and for recorded traffic also packets.

    Prints a JSON object per capture, or a table on a terminal.
    """
    found = protocol_of(protocol)
    options = options_of(found, parameters, told)
    rows = _rows(found, options, captures.meant(inputs, rotated=options.rotated))
    with output(None, binary=False) as stream:
        if stream.isatty():
            _show(rows)
            return
        for row in rows:
            stream.write(json_line(row))
            stream.flush()


def _rows(protocol: Protocol, options: ReadOptions, sources: Sequence[str]) -> Iterator[Row]:
    """The row of each source, or of all together if they are parts of one recording."""
    from wireloom.columnar import summaries
    from wireloom.columnar.traffic.opening import recordings

    if options.rotated:
        yield summaries.of_packets(summaries.counting(protocol, options), recordings(sources, protocol.name, options))
        return
    for source in sources:
        size = captures.size_of(source)
        with captures.byte_stream(source) as stream, progress(Path(source).name, size, to_stdout=True) as move:
            yield summaries.of(summaries.counting(protocol, options), reads_moving(stream.readinto, move), source)


def _show(rows: Iterable[Row]) -> None:
    """Print a table per row, without nulls and zeros."""
    from rich.table import Table
    from rich.text import Text

    from wireloom.cli.terminal import Terminal

    console = Terminal(highlight=False)
    for row in rows:
        (_, file), *counts = row.items()
        console.print(Text(printable(file), style="bold"))
        table = Table.grid(padding=(0, 0, 0, 2))
        table.add_column(style="dim")
        table.add_column(overflow="fold")
        for name, value in counts:
            if value:
                table.add_row(name, Text(printable(str(value))))
        console.print(table)
