"""Byte diagrams as the protocols' documents draw them: rows of four bytes, a box a field, offsets at the left."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wireloom_generator.pages.layout import Offset

ROW = 4
"""Bytes in a row."""
_BYTE = 16
"""Characters a byte takes, its right border included."""
_MARGIN = 16
"""Characters an offset may take."""
_LONGEST = 32
"""Fixed fields of more bytes than this are one box, like those that vary."""
_LINES = 3
"""A label that needs more lines than this in its box is told below."""


@dataclass(frozen=True, slots=True)
class Box:
    """A field and the offset of its first byte. ``size`` None: it varies as ``text`` says; ``bits`` split its bytes."""

    label: str
    at: Offset
    size: int | None
    text: str = ""
    bits: "tuple[tuple[str, int], ...]" = ()


@dataclass(frozen=True, slots=True)
class Break:
    """A new row. ``section`` ones are drawn as a double line; the note stands at its right."""

    note: str = ""
    section: bool = False


Item = Box | Break


@dataclass(slots=True)
class _Cell:
    width: int
    label: str
    bits: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class _Row:
    offset: str
    above: Break | None
    cells: list[_Cell] = field(default_factory=list)
    text: str | None = None

    @property
    def width(self) -> int:
        return sum(cell.width for cell in self.cells)


def draw(items: Iterable[Item], footer: Sequence[str] = ()) -> str:
    """The diagram, with the footer's lines below it."""
    grid = _Grid()
    for item in items:
        grid.add(item)
    margin = max([4, *(len(row.offset) + 1 for row in grid.rows)])
    legend: dict[str, str] = {}
    lines = _ruler(margin)
    above: _Row | None = None
    for row in grid.rows:
        lines.append(_border(margin, above, row))
        lines += _row(margin, row, legend)
        above = row
    lines.append(_border(margin, above, None))
    lines += [" " * (margin + 1) + f"{letter}: {label}" for label, letter in legend.items()]
    lines += [" " * (margin + 1) + line for line in footer]
    return "\n".join(line.rstrip() for line in lines)


class _Grid:
    """Boxes laid into rows."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._open = False
        self._above: Break | None = None

    def add(self, item: Item) -> None:
        if isinstance(item, Break):
            self._open = False
            self._above = item
        elif item.size is None or item.size > _LONGEST:
            self._start(_shown(item.at)).cells.append(_Cell(ROW, item.label))
            self.rows[-1].text = f"{item.size} bytes" if item.size is not None else item.text
            self._open = False
        else:
            self._fixed(item, item.size)

    def _start(self, offset: str) -> _Row:
        self.rows.append(_Row(offset, self._above))
        self._above = None
        self._open = True
        return self.rows[-1]

    def _fixed(self, box: Box, size: int) -> None:
        left = size
        while left:
            row = self.rows[-1] if self._open else self._start(_shown(box.at.moved(size - left)))
            part = min(ROW - row.width, left)
            label = f"{'... ' if left < size else ''}{box.label}{' ...' if part < left else ''}"
            row.cells.append(_Cell(part, label, box.bits if part == size else ()))
            left -= part
            self._open = row.width < ROW


def _shown(offset: Offset) -> str:
    """An offset beside its row; dots for one that is too long there."""
    return str(offset) if len(str(offset)) <= _MARGIN else "..."


def _ruler(margin: int) -> list[str]:
    first = " " * (margin - 2) + "Byte/     0       |" + "".join(f"       {byte}       |" for byte in range(1, ROW))
    second = " " * (margin + 1) + "/" + " " * 14 + "|" + (" " * 15 + "|") * (ROW - 1)
    return [first, second, " " * margin + "|" + "0 1 2 3 4 5 6 7|" * ROW]


def _border(margin: int, above: _Row | None, below: _Row | None) -> str:
    width = max(row.width for row in (above, below) if row) if above or below else 0
    mark = below.above if below else None
    line = ("=" if mark and mark.section else "-") * (_BYTE - 1) + "+"
    note = f" {mark.note}" if mark and mark.note else ""
    return " " * margin + "+" + line * width + note


def _row(margin: int, row: _Row, legend: dict[str, str]) -> list[str]:
    columns = [column for cell in row.cells for column in _columns(cell, legend)]
    height = max(len(lines) for _, lines in columns)
    texts = []
    for index in range(height):
        inside = "|".join((lines[index] if index < len(lines) else "").ljust(width) for width, lines in columns)
        offset = row.offset if index == 0 else ""
        texts.append(f"{offset:>{margin}}|{inside}|")
    if row.text is not None:
        width = _BYTE * ROW - 1
        texts += [f"{' ' * margin}/ {line:{width - 1}}/" for line in textwrap.wrap(row.text, width - 2)]
    return texts


def _columns(cell: _Cell, legend: dict[str, str]) -> list[tuple[int, list[str]]]:
    """(width in characters, lines) of a box, or of the boxes of its bits."""
    if not cell.bits:
        return [(_BYTE * cell.width - 1, _label(cell.label, _BYTE * cell.width - 1, legend))]
    parts = [(2 * width - 1, label) for label, width in cell.bits]
    return [(width, _label(label, width, legend)) for width, label in parts]


def _label(label: str, width: int, legend: dict[str, str]) -> list[str]:
    for indent in (" ", ""):
        lines = _wrap(label, width - len(indent))
        if lines is not None:
            return [indent + line for line in lines]
    letter = legend.setdefault(label, _letter(len(legend)))
    return [letter.center(width)[:width]]


def _letter(index: int) -> str:
    return chr(ord("a") + index) if index < 26 else chr(ord("A") + index - 26) if index < 52 else "*"


def _wrap(label: str, width: int) -> list[str] | None:
    """The label on lines of at most ``width``, broken at blanks and behind underscores; None if that takes too many."""
    lines = [""]
    for word in re.findall(r"[^ _]*_|[^ _]+| ", label):
        joined = lines[-1] + word
        if len(joined.rstrip()) <= width:
            lines[-1] = joined
        elif len(word.strip()) <= width:
            lines.append(word.strip())
        else:
            return None
    lines = [line.rstrip() for line in lines]
    return lines if len(lines) <= _LINES else None
