"""The boxes of a byte diagram, divided into rows of four bytes, for both text and SVG."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wireloom_generator.emitters.docs.layout import Position

ROW = 4
"""Bytes in a row."""
_LINES = 3
"""A label that needs more lines than this in its box is put below the diagram."""
_LONGEST = 32
"""Fixed fields of more bytes than this are drawn as one box, like fields of variable size."""


@dataclass(frozen=True, slots=True)
class Box:
    """A field and the offset of its first byte. If ``size`` is None, it varies as ``text`` says; ``bits`` split its
    bytes.

    ``kind`` is its type in words.
    """

    label: str
    at: Position
    size: int | None
    text: str = ""
    bits: "tuple[tuple[str, int], ...]" = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Break:
    """A new row. The beginning of a ``section`` is drawn as a double line, with the note at its right."""

    note: str = ""
    section: bool = False


Drawn = Box | Break


@dataclass(frozen=True, slots=True)
class Drawing:
    """A diagram before it is drawn, and the lines below it."""

    items: tuple[Drawn, ...]
    footer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """The bytes of a box in one row, from its byte ``start`` on. All its rows have ``total`` bytes."""

    box: Box
    width: int
    total: int
    start: int = 0

    @property
    def parts(self) -> "Iterator[FieldPart]":
        """The contents of the cell: the field or bit fields, or their parts in this row."""
        begin, end = 8 * self.start, 8 * (self.start + self.width)
        at = 0
        for label, width in self.box.bits or ((self.box.label, 8 * self.total),):
            first, last = max(at, begin), min(at + width, end)
            if first < last:
                yield FieldPart(label, last - first, 8 * self.total - at, width, first == at, last == at + width)
            at += width


@dataclass(frozen=True, slots=True)
class FieldPart:
    """The part of a field in one row, ``width`` bits wide. It is the ``first`` part, the ``last``, or both.

    All of the field are ``taken`` bits, those below bit ``top``.
    """

    label: str
    width: int
    top: int
    taken: int
    first: bool
    last: bool

    @property
    def whole(self) -> bool:
        """Whether all of the field is in this row."""
        return self.first and self.last


@dataclass(slots=True)
class DiagramRow:
    """Up to four bytes, or one box of any size, whose ``text`` then says which."""

    at: Position
    above: Break | None
    cells: list[Cell] = field(default_factory=list)
    text: str | None = None

    @property
    def width(self) -> int:
        """Bytes from the left."""
        return sum(cell.width for cell in self.cells)


def rows(items: Iterable[Drawn]) -> list[DiagramRow]:
    """Boxes arranged in rows."""
    grid = _Grid()
    for item in items:
        grid.add(item)
    return grid.rows


class _Grid:
    def __init__(self) -> None:
        self.rows: list[DiagramRow] = []
        self._open = False
        self._above: Break | None = None

    def add(self, item: Drawn) -> None:
        if isinstance(item, Break):
            self._open = False
            self._above = item
        elif item.size is None or item.size > _LONGEST:
            self._start(item.at).cells.append(Cell(item, ROW, ROW))
            self.rows[-1].text = f"{item.size} bytes" if item.size is not None else item.text
            self._open = False
        else:
            self._fixed(item, item.size)

    def _start(self, at: Position) -> DiagramRow:
        self.rows.append(DiagramRow(at, self._above))
        self._above = None
        self._open = True
        return self.rows[-1]

    def _fixed(self, box: Box, size: int) -> None:
        left = size
        while left:
            row = self.rows[-1] if self._open else self._start(box.at.moved(size - left))
            part = min(ROW - row.width, left)
            row.cells.append(Cell(box, part, size, size - left))
            left -= part
            self._open = row.width < ROW


def wrapped(label: str, width: int) -> list[str] | None:
    """The label in lines of at most ``width``, broken at blanks and after underscores; None if there are too many
    lines.
    """
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


def letter(index: int) -> str:
    """The letter in a box whose label does not fit."""
    return chr(ord("a") + index) if index < 26 else chr(ord("A") + index - 26) if index < 52 else "*"
