"""An explained record on a terminal: its bytes beside the tree of fields, each field in its own colour."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from wireloom.codec.errors import counted
from wireloom.inspection import Inspected, Shown, hexdump
from wireloom.inspection.plain import in_words
from wireloom.inspection.wording import ascii_of
from wireloom.printable import printable

_STYLES = ("cyan", "magenta", "green", "yellow", "blue", "bright_magenta", "dim")
_BAD = "bold white on red"
_BESIDE = 124
"""The width of a terminal from which on fields are shown beside the bytes."""


class Terminal(Console):
    """Standard output, which may have no colours or not be a terminal."""

    @property
    def coloured(self) -> bool:
        """Whether colours are shown."""
        return self.is_terminal and self.color_system is not None and not self.no_color

    def on_broken_pipe(self) -> None:
        """End the program as after other output; rich would end it with status 1."""
        raise BrokenPipeError


def show(inspected: Inspected, number: int, console: Console) -> None:
    """Print the record."""
    console.print(Text(printable(inspected.headline(number)), style="bold"))
    if inspected.error:
        console.print(Text(f"  {printable(inspected.reason)}", style="bold red"))
    console.print(_body(inspected, beside=console.width >= _BESIDE))
    console.print()


def _body(inspected: Inspected, *, beside: bool) -> RenderableType:
    colours = [_STYLES[colour] for colour in hexdump.colours(inspected)]
    dump = Text("\n").join(_dump(inspected, colours))
    tree = Group(*_Fields(inspected, colours).lines(inspected.fields, 0))
    if not beside:
        return Group(dump, tree)
    table = Table.grid(padding=(0, 3))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(dump, tree)
    return table


def _dump(inspected: Inspected, colours: list[str]) -> Iterator[Text]:
    shown = hexdump.lines(inspected)
    owners = hexdump.owners(inspected, shown)
    error = inspected.error

    def style(at: int) -> str:
        return _BAD if error and error.covers(at, at + 1) else colours[owners[at]]

    for line in shown:
        if line.elided:
            yield Text(f"  {'':8}  … {counted(line.end - line.start, 'byte')}", style="dim")
            continue
        data = inspected.data[line.start : line.end]
        text = Text(f"  {inspected.offset + line.start:08x}  ", style="dim")
        for at, byte in enumerate(data, start=line.start):
            text.append(f"{byte:02x}", style=f"not dim {style(at)}").append(" ")
        text.append(" " * (1 + 3 * (hexdump.PER_LINE - len(data))))
        for at, character in enumerate(ascii_of(data), start=line.start):
            text.append(character, style=f"not dim {style(at)}")
        yield text
    if inspected.ends_early:
        yield Text("  the bytes end here", style="bold red")


class _Fields:
    def __init__(self, inspected: Inspected, colours: list[str]) -> None:
        self.inspected = inspected
        self.colours = iter(colours)

    def lines(self, parts: tuple[Shown, ...], depth: int) -> Iterator[Text]:
        for part in parts:
            style = "dim" if part.children else next(self.colours)
            if not part.children and part.start == part.end:
                style = ""  # a value without bytes
            bad = not part.children and self.inspected.is_bad(part)
            text = Text("  " * (depth + 1)).append(printable(part.name), style=_BAD if bad else style)
            yield text.append("  ").append(printable(in_words(part)))
            yield from self.lines(part.children, depth + 1)
