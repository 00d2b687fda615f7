"""Byte diagrams as in the protocols' documents: rows of four bytes, a box for each field, offsets at the left."""

import textwrap
from collections.abc import Iterable, Sequence

from wireloom_generator.emitters.docs.byte_rows import ROW, Break, DiagramRow, Drawn, FieldPart, letter, rows, wrapped
from wireloom_generator.emitters.docs.layout import Position

_BYTE = 16
"""The width of a byte in characters, with its right border."""


def draw(items: Iterable[Drawn], footer: Sequence[str] = ()) -> str:
    """The diagram, with the footer's lines below it."""
    grid = rows(items)
    margin = max([4, *(len(_shown(row.at)) + 1 for row in grid)])
    legend: dict[str, str] = {}
    lines = _ruler(margin)
    above: DiagramRow | None = None
    for row in grid:
        lines.append(_border(margin, above, row))
        lines += _row(margin, row, legend)
        above = row
    lines.append(_border(margin, above, None))
    lines += [" " * (margin + 1) + f"{short}: {label}" for label, short in legend.items()]
    lines += [" " * (margin + 1) + line for line in footer]
    return "\n".join(line.rstrip() for line in lines)


def _shown(offset: Position) -> str:
    """The offset beside a row; dots if it varies."""
    return str(offset) if not offset.terms else "..."


def _ruler(margin: int) -> list[str]:
    first = " " * (margin - 2) + "Byte/     0       |" + "".join(f"       {byte}       |" for byte in range(1, ROW))
    second = " " * (margin + 1) + "/" + " " * 14 + "|" + (" " * 15 + "|") * (ROW - 1)
    return [first, second, " " * margin + "|" + "0 1 2 3 4 5 6 7|" * ROW]


def _border(margin: int, above: DiagramRow | None, below: DiagramRow | None) -> str:
    width = max(row.width for row in (above, below) if row) if above or below else 0
    mark: Break | None = below.above if below else None
    line = ("=" if mark and mark.section else "-") * (_BYTE - 1) + "+"
    note = f" {mark.note}" if mark and mark.note else ""
    return " " * margin + "+" + line * width + note


def _row(margin: int, row: DiagramRow, legend: dict[str, str]) -> list[str]:
    columns = [_column(part, legend) for cell in row.cells for part in cell.parts]
    height = max(len(lines) for _, lines in columns)
    texts = []
    for index in range(height):
        inside = "|".join((lines[index] if index < len(lines) else "").ljust(width) for width, lines in columns)
        offset = _shown(row.at) if index == 0 else ""
        texts.append(f"{offset:>{margin}}|{inside}|")
    if row.text is not None:
        width = _BYTE * ROW - 1
        texts += [f"{' ' * margin}/ {line:{width - 1}}/" for line in textwrap.wrap(row.text, width - 2)]
    return texts


def _column(part: FieldPart, legend: dict[str, str]) -> tuple[int, list[str]]:
    """The width in characters and the lines of a field's part."""
    width = 2 * part.width - 1
    label = f"{'' if part.first else '... '}{part.label}{'' if part.last else ' ...'}"
    for text, indent in ((label, " "), (label, ""), *([] if part.first else [("...", " "), ("...", "")])):
        lines = wrapped(text, width - len(indent))
        if lines is not None:
            return width, [indent + line for line in lines]
    short = legend.setdefault(part.label, letter(len(legend)))
    return width, [short.center(width)[:width]]
