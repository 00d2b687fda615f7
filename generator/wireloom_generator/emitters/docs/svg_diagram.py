"""Byte diagrams as SVG in a figure, from the same rows as in text; the page sets the colours."""

import html
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

from wireloom_generator.emitters.docs.byte_rows import (
    ROW,
    Box,
    Break,
    DiagramRow,
    Drawing,
    FieldPart,
    letter,
    rows,
    wrapped,
)
from wireloom_generator.emitters.docs.layout import Position
from wireloom_generator.emitters.docs.markdown import bit_range, plain, visible

_BYTE = 152
"""Width of a byte; all lengths are in pixels."""
_HEIGHT = 30
"""Height of a row of one line."""
_RULER = 34
_BAND = 28
"""Height of the line that names a section."""
_GAP = 8
_CHARACTER = 0.62
"""The largest width of a character in monospaced fonts, relative to the font size."""
_SIZES = {13: 16, 11: 13}
"""Font sizes of labels and their line heights; the second is for labels that do not fit with the first."""
_LARGE, _SMALL = _SIZES


@dataclass(frozen=True, slots=True)
class _Rectangle:
    """Some bytes, or bits, in one row or in full rows below each other."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        return self.width * self.height


@dataclass(slots=True)
class _Shape:
    """All rectangles of a box. The largest has the label, and the size if it varies."""

    label: str
    title: str
    text: str | None
    rectangles: list[_Rectangle] = field(default_factory=list)


@dataclass(slots=True)
class _Sheet:
    """The drawing: boxes, offsets, and lines with text."""

    left: int
    y: float = _RULER
    shapes: list[_Shape] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    legend: dict[str, str] = field(default_factory=dict)


def draw(drawing: Drawing) -> str:
    """The figure, as HTML."""
    grid = rows(drawing.items)
    longest = max((len(_shown(row.at)) for row in grid), default=1)
    sheet = _Sheet(round(longest * _LARGE * _CHARACTER) + 14)
    for row in grid:
        _place(sheet, row)
    boxes = [line for shape in sheet.shapes for line in _box(sheet, shape)]
    width, height = sheet.left + ROW * _BYTE + 2, round(sheet.y) + 2
    captions = [*(f"{short}: {label}" for label, short in sheet.legend.items()), *drawing.footer]
    lines = [
        '<figure class="bytes">',
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="group"'
        ' xmlns="http://www.w3.org/2000/svg">',
        f"<title>Byte diagram. {_escaped(drawing.footer[0] if drawing.footer else '')}</title>",
        "<desc>A row is four bytes, with the offset of its first byte at the left; a box is a field.</desc>",
        *_ruler(sheet.left),
        *sheet.marks,
        *boxes,
        "</svg>",
        f"<figcaption>{'<br/>'.join(map(_escaped, captions))}</figcaption>",
        "</figure>",
    ]
    return "\n" + "\n".join(lines) + "\n"


def _ruler(left: int) -> Iterator[str]:
    """The bytes of a row, and their bits."""
    yield '<g class="ruler" aria-hidden="true">'
    for byte in range(ROW):
        yield _text(left + (byte + 0.5) * _BYTE, 11, str(byte), "middle")
        for bit in range(8):
            x = left + byte * _BYTE + (bit + 0.5) * _BYTE / 8
            yield _text(x, 27, str(bit), "middle", kind="bit")
    yield "</g>"


def _place(sheet: _Sheet, row: DiagramRow) -> None:
    """Add a row at the bottom."""
    if row.above:
        _mark(sheet, row.above, row.width)
    pieces = [(cell.box, piece) for cell in row.cells for piece in cell.parts]
    height = max(_height(piece, row.text) for _, piece in pieces)
    sheet.marks.append(_text(sheet.left - 8, sheet.y + 20, _shown(row.at), "end", kind="offset"))
    x: float = sheet.left
    for box, piece in pieces:
        part = _Rectangle(x, sheet.y, piece.width * _BYTE / 8, height)
        _add(sheet, box, piece, part, row.text)
        x += part.width
    sheet.y += height


def _shown(offset: Position) -> str:
    """The offset beside a row; dots if it varies, since the titles of boxes say more."""
    return str(offset) if not offset.terms else "…"


def _mark(sheet: _Sheet, above: Break, width: int) -> None:
    if not above.note:
        sheet.y += _GAP
        return
    sheet.y += _BAND
    kind = "section" if above.section else "note"
    end = sheet.left + width * _BYTE
    y = sheet.y - 2
    sheet.marks.append(_text(sheet.left, y - 7, above.note, "start", kind=kind))
    sheet.marks.append(f'<line class="{kind}" x1="{sheet.left}" y1="{y}" x2="{end}" y2="{y}" stroke="currentColor"/>')


def _height(piece: FieldPart, text: str | None) -> float:
    """The height of a part; the label of a field in several rows is where there is room."""
    if not piece.whole:
        return _HEIGHT
    found = _fitting(piece.label, piece.width * _BYTE / 8)
    return _HEIGHT + (len(found[0]) - 1 if found else 0) * _SIZES[_LARGE] + len(_lines(text)) * _SIZES[_SMALL]


def _add(sheet: _Sheet, box: Box, piece: FieldPart, at: _Rectangle, text: str | None) -> None:
    if piece.first:
        sheet.shapes.append(_Shape(piece.label, _title(box, piece), text, [at]))
        return
    shape = sheet.shapes[-1]
    last = shape.rectangles[-1]
    if (last.x, last.width, last.y + last.height) == (at.x, at.width, at.y):
        shape.rectangles[-1] = _Rectangle(last.x, last.y, last.width, last.height + at.height)
    else:
        shape.rectangles.append(at)


def _title(box: Box, piece: FieldPart) -> str:
    """``start_seqno: u64, 8 bytes at offset 24``."""
    place = plain(box.at.words if box.at.words.startswith("after ") else f"at offset {box.at}")
    if box.bits:
        return f"{piece.label}: {bit_range(piece.top, piece.taken)} of {box.kind or 'the integer'} {place}"
    size = box.text if box.size is None else "1 byte" if box.size == 1 else f"{box.size} bytes"
    kind = f"{box.kind}, " if box.kind else ""
    return f"{box.label}: {kind}{size or 'of no fixed size'} {place}"


def _box(sheet: _Sheet, shape: _Shape) -> Iterator[str]:
    kind = "box" if shape.text is None else "box varies"
    title = _escaped(shape.title)
    yield f'<g class="{kind}" role="img" tabindex="0" aria-label="{title}"><title>{title}</title>'
    largest = max(shape.rectangles, key=lambda part: part.area)
    for index, part in enumerate(shape.rectangles):
        dashes = ' stroke-dasharray="5 3"' if shape.text is not None else ""
        yield (
            f'<rect x="{part.x:g}" y="{part.y:g}" width="{part.width:g}" height="{part.height:g}"'
            f' fill="none" stroke="currentColor"{dashes}/>'
        )
        if part is not largest:
            before = index < shape.rectangles.index(largest)
            yield from _continued(part, f"{shape.label} …" if before else f"… {shape.label}")
    yield from _written(sheet, shape, largest)
    yield "</g>"


def _continued(at: _Rectangle, label: str) -> Iterator[str]:
    """The text in a rectangle whose box has its label elsewhere."""
    fits = len(label) * _SMALL * _CHARACTER <= at.width - 6
    yield _text(at.x + at.width / 2, at.y + at.height / 2 + 4, label if fits else "…", "middle", kind="small")


def _written(sheet: _Sheet, shape: _Shape, at: _Rectangle) -> Iterator[str]:
    """The label, in the middle of its rectangle."""
    remarks = _lines(shape.text)
    found = _fitting(shape.label, at.width, at.height - len(remarks) * _SIZES[_SMALL])
    if found is None:
        found = [sheet.legend.setdefault(shape.label, letter(len(sheet.legend)))], _LARGE
    lines, size = found
    y = at.y + (at.height - len(lines) * _SIZES[size] - len(remarks) * _SIZES[_SMALL]) / 2
    for line in lines:
        yield _text(at.x + at.width / 2, y + size - 1, line, "middle", kind="" if size == _LARGE else "small")
        y += _SIZES[size]
    for line in remarks:
        yield _text(at.x + at.width / 2, y + _SMALL - 1, line, "middle", kind="size")
        y += _SIZES[_SMALL]


def _fitting(label: str, width: float, height: float = inf) -> tuple[list[str], int] | None:
    """The label's lines and the size of their font; None if they do not fit."""
    for size, line in _SIZES.items():
        lines = wrapped(label, int((width - 6) / (size * _CHARACTER)))
        if lines is not None and len(lines) * line <= height:
            return lines, size
    return None


def _lines(text: str | None) -> list[str]:
    return textwrap.wrap(text or "", int((ROW * _BYTE - 12) / (_SMALL * _CHARACTER)))


def _text(x: float, y: float, text: str, anchor: str, *, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    size = _SMALL if kind in ("small", "size", "bit") else _LARGE
    return (
        f'<text{named} x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" font-family="monospace"'
        f' fill="currentColor">{_escaped(text)}</text>'
    )


def _escaped(text: str) -> str:
    """Text on one line, escaped for HTML."""
    return html.escape(visible(" ".join(text.split())))
