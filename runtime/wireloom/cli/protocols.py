"""``wireloom protocols``: the installed protocols."""

import click

from wireloom import registry
from wireloom.options import OptionError
from wireloom.printable import printable


@click.command
def protocols() -> None:
    """List the installed protocols and their messages."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("protocol", "title", "messages")
    for name in registry.names():
        try:
            module = registry.load(name)
        except OptionError as error:
            table.add_row(name, Text(printable(str(error)), "red"), "")
            continue
        title = (module.__doc__ or "").strip().partition("\n")[0].partition(": parsers")[0]
        table.add_row(name, Text(printable(title)), ", ".join(module.PROTOCOL.messages))
    Console().print(table)
