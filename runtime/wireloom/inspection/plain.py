"""An explained record as text: a line per field, beginning with offset and bytes, with marks under errors."""

from collections.abc import Iterator
from dataclasses import dataclass

from wireloom.codec.errors import counted
from wireloom.codec.tracing import SpanKind
from wireloom.inspection.hexdump import hidden
from wireloom.inspection.record import Failure, Inspected, Shown
from wireloom.inspection.wording import ascii_of

_WIDTH = 8
"""Bytes on a line."""
_HEX = len("00 " * _WIDTH) - 1


def lines(inspected: Inspected, number: int | None = None) -> Iterator[str]:
    """The record's lines, without line breaks or spaces at their ends; ``number`` is its number in the capture."""
    yield inspected.headline(number)
    if inspected.error:
        yield f"  {inspected.reason}"
    yield from _Listing(inspected).lines()


@dataclass(frozen=True, slots=True)
class _Listing:
    inspected: Inspected

    def lines(self) -> Iterator[str]:
        names = max((len(name) for name in _names(self.inspected.fields, 0)), default=0)
        for part in self.inspected.fields:
            yield from self._part(part, 0, names)
        if self.inspected.ends_early:
            yield f"  {self._offset(len(self.inspected.data))}  {'^^':{_HEX}}  the bytes end here"

    def _offset(self, at: int) -> str:
        return f"{self.inspected.offset + at:08x}"

    def _part(self, part: Shown, depth: int, names: int) -> Iterator[str]:
        name = f"{_indented(part.name, depth):{names}}"
        if part.children or part.start == part.end:
            yield f"  {'':8}  {'':{_HEX}}  {name}  {in_words(part)}".rstrip()
        else:
            yield from self._leaf(part, name)
        for child in part.children:
            yield from self._part(child, depth + 1, names)

    def _leaf(self, part: Shown, name: str) -> Iterator[str]:
        said = False
        for start, end in _pieces(part, self.inspected.error):
            if end - start > _WIDTH:
                yield f"  {'':8}  … {counted(end - start, 'byte')}"
                continue
            data = self.inspected.data[start:end]
            words = f"|{ascii_of(data)}|" if part.opaque else ""
            if start == part.start:
                words = f"{name}  {words}{'  ' if words else ''}{in_words(part)}"
            elif words:
                words = f"{'':{len(name)}}  {words}"
            yield f"  {self._offset(start)}  {data.hex(' '):{_HEX}}  {words}".rstrip()
            marks = self._marks(start, end)
            if marks:
                yield f"  {'':8}  {marks:{_HEX}}  {'' if said else self._why()}".rstrip()
                said = True

    def _marks(self, start: int, end: int) -> str:
        """The marks under the bytes of a line."""
        error = self.inspected.error
        if error is None:
            return ""
        return " ".join("^^" if error.covers(at, at + 1) else "  " for at in range(start, end)).rstrip()

    def _why(self) -> str:
        assert self.inspected.error is not None
        return f"{self.inspected.error.code}: {self.inspected.error.detail}"


def _names(parts: tuple[Shown, ...], depth: int) -> Iterator[str]:
    for part in parts:
        yield _indented(part.name, depth)
        yield from _names(part.children, depth + 1)


def _indented(name: str, depth: int) -> str:
    return "  " * depth + name


def in_words(part: Shown) -> str:
    """A part's value, its label and its note."""
    note = f"({part.note})" if part.note else ""
    text = f"({part.text})" if part.kind is SpanKind.SECTION else part.text
    return "  ".join(word for word in (text, part.label, note) if word)


def _pieces(part: Shown, error: Failure | None) -> Iterator[tuple[int, int]]:
    """The bytes of a leaf, line by line, and longer pieces that are hidden."""
    position = part.start
    for start, end in hidden(part, error, _WIDTH):
        yield from _cut(position, start)
        yield start, end
        position = end
    yield from _cut(position, part.end)


def _cut(start: int, end: int) -> Iterator[tuple[int, int]]:
    yield from ((at, min(at + _WIDTH, end)) for at in range(start, end, _WIDTH))
