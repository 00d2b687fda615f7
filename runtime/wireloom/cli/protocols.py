"""``wireloom protocols``: what is installed."""

from wireloom import registry
from wireloom.options import OptionError


def protocols() -> None:
    """The installed protocols and their messages."""
    from rich.console import Console
    from rich.table import Table

    table = Table("protocol", "title", "messages")
    for name in registry.names():
        try:
            module = registry.load(name)
        except OptionError as error:
            table.add_row(name, f"[red]{error}[/red]", "")
            continue
        title = (module.__doc__ or "").strip().partition("\n")[0].partition(": parsers")[0]
        table.add_row(name, title, ", ".join(module.PROTOCOL.messages))
    Console().print(table)
