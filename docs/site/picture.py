"""``python docs/site/picture.py``: the picture of the README, which shows a record's bytes, spec and values, as SVG.

``make generate`` runs this, and a test compares the files with it. The colours are those of an inspected record's page.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

import yaml

from wireloom.inspection import hexdump, html, inspect_record
from wireloom.inspection.record import Inspected, Shown
from wireloom_generator import emitters, examples, frontend, resolve

ROOT = Path(__file__).parents[2]
_SPEC = ROOT / "examples" / "protocols" / "ubx"
_MESSAGE = "nav_posllh"
_CAPTURE = ROOT / "examples" / "captures" / "ubx" / "drive.ubx"
_RECORD = slice(0, 36)
"""Where the record is in the capture."""

_FIELD = re.compile(r"^ *- (\{name: (\w+), .*\})$", re.MULTILINE)
_DOC = re.compile(r", doc: .*(?=\}$)")
_TINT = re.compile(r"\.wl-c(\d) \{ background: rgb\((\d+) (\d+) (\d+) / (\d+)%\)")
_TEXT = {"light": ("#1f2328", "#59636e"), "dark": ("#f0f6fc", "#9198a1")}
"""The colours of text and of muted text, by colour scheme."""

_WIDTH, _ROW, _LETTER, _MARGIN = 830, 20, 7.2, 8
"""Pixels: the picture, a row, a letter and the space to the left and right of text."""
_SPEC_LETTERS = 71
_BYTES, _ROWS = 24, 84
"""How far down the bytes and the rows of fields begin."""
_RECORD_X = 2 * _MARGIN + _SPEC_LETTERS * _LETTER + 16


def pictures() -> dict[Path, str]:
    """What each file should contain."""
    inspected, lines = _inspected(), _lines()
    folder = ROOT / "docs" / "pictures"
    return {
        folder / f"record-{scheme}.svg": "".join(_Picture(inspected, lines, *colours).parts())
        for scheme, colours in _TEXT.items()
    }


def _inspected() -> Inspected:
    (loaded,), _ = frontend.read([_SPEC])
    with examples.running(emitters.modules(resolve.protocol_of(loaded))) as codec:
        return inspect_record(codec, _CAPTURE.read_bytes()[_RECORD])


def _lines() -> dict[str, str]:
    """The line of each field in the spec, without its ``doc``."""
    texts = (_SPEC.joinpath(f"{name}.yaml").read_text(encoding="utf-8") for name in ("protocol", _MESSAGE))
    return {name: _DOC.sub("", line) for text in texts for line, name in _FIELD.findall(text)}


@dataclass(frozen=True, slots=True)
class _Picture:
    inspected: Inspected
    lines: Mapping[str, str]
    ink: str
    muted: str

    def parts(self) -> Iterator[str]:
        leaves = [*zip(self.inspected.leaves(), hexdump.colours(self.inspected), strict=True)]
        height = _ROWS + _ROW * len(leaves)
        yield (
            '<svg xmlns="http://www.w3.org/2000/svg" font-size="12"'
            ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"'
            f' width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}">\n'
            "<style>text { white-space: pre }</style>\n"
        )
        yield self._text(_MARGIN, 14, "captured bytes", self.muted)
        yield self._text(_MARGIN, _ROWS - 12, "the spec you write", self.muted)
        yield self._text(_RECORD_X, _ROWS - 12, "the record you get", self.muted)
        tints = _tints()
        names = max(len(leaf.name) for leaf, _ in leaves)
        for row, (leaf, colour) in enumerate(leaves):
            yield from self._bytes(leaf, *tints[colour])
            yield from self._field(_ROWS + row * _ROW, leaf, names, *tints[colour])
        yield "</svg>\n"

    def _bytes(self, leaf: Shown, colour: str, opacity: float) -> Iterator[str]:
        step = (_WIDTH - 2 * _MARGIN) / len(self.inspected.data)
        yield _box(_MARGIN + leaf.start * step, _BYTES, (leaf.end - leaf.start) * step - 2, colour, opacity)
        for at in range(leaf.start, leaf.end):
            middle = _MARGIN + (at + 0.5) * step - 1
            yield self._text(middle - _LETTER, _BYTES + 13, f"{self.inspected.data[at]:02x}", self.ink)

    def _field(self, y: float, leaf: Shown, names: int, colour: str, opacity: float) -> Iterator[str]:
        """The line of the spec, and the bytes, name and value."""
        line = self.lines[leaf.name]
        note = leaf.label or str(yaml.safe_load(line).get("unit", ""))
        if len(line) > _SPEC_LETTERS:
            line = f"{line[: line.rindex(', ', 0, _SPEC_LETTERS)]}, …"
        yield _box(_MARGIN, y, len(line) * _LETTER + _MARGIN, colour, opacity)
        yield self._text(_MARGIN + 4, y + 13, line, self.ink)
        value = f"{self.inspected.data[leaf.start : leaf.end].hex(' '):13}{leaf.name:{names}}  {leaf.text} "
        yield _box(_RECORD_X - 4, y, _WIDTH - _MARGIN - _RECORD_X + 4, colour, opacity)
        yield self._text(_RECORD_X, y + 13, value, self.ink)
        if note:
            yield self._text(_RECORD_X + len(value) * _LETTER, y + 13, note, self.muted)

    def _text(self, x: float, y: float, text: str, colour: str) -> str:
        """Text whose width does not depend on the reader's font."""
        width = f'textLength="{len(text) * _LETTER:g}" lengthAdjust="spacingAndGlyphs"'
        return f'<text x="{x:g}" y="{y:g}" {width} fill="{colour}">{escape(text)}</text>\n'


def _tints() -> dict[int, tuple[str, float]]:
    """Colour and opacity by the number that a leaf has for its colour."""
    found = _TINT.findall(html.stylesheet())
    return {int(number): (f"rgb({red},{green},{blue})", int(share) / 100) for number, red, green, blue, share in found}


def _box(x: float, y: float, width: float, colour: str, opacity: float) -> str:
    size = f'width="{width:g}" height="{_ROW - 3}" rx="3"'
    return f'<rect x="{x:g}" y="{y:g}" {size} fill="{colour}" fill-opacity="{opacity:g}"/>\n'


if __name__ == "__main__":
    for path, picture in pictures().items():
        path.write_text(picture, encoding="utf-8")
