"""An explained record as HTML: its bytes beside the tree of fields, which point at each other.

A fragment has no ids or scripts, so that a page can have many. The page has the style sheet and the script once.
"""

from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files

from wireloom.codec.errors import counted
from wireloom.codec.tracing import SpanKind
from wireloom.inspection import hexdump
from wireloom.inspection.record import Inspected, Shown
from wireloom.inspection.wording import ascii_of


def stylesheet() -> str:
    """The CSS of fragments. A page needs it once."""
    return _asset("annotated.css")


def script() -> str:
    """The JavaScript that highlights bytes and fields together. A page needs it once."""
    return _asset("annotated.js")


def _asset(name: str) -> str:
    return files("wireloom.inspection").joinpath(name).read_text(encoding="utf-8")


def fragment(inspected: Inspected, number: int | None = None) -> str:
    """One record as an HTML element: its bytes beside the tree of its fields.

    Parameters
    ----------
    inspected : Inspected
        The record.
    number : int, optional
        Its number in the capture, for the headline.

    Returns
    -------
    str
        The element. The page that contains it also needs ``stylesheet()`` and ``script()``.
    """
    return "\n".join(_Fragment(inspected).lines(number)) + "\n"


def page(title: str, records: Iterable[tuple[int, Inspected]], notes: Iterable[str] = ()) -> Iterator[str]:
    """A self-contained HTML page of records.

    Parameters
    ----------
    title : str
        The title and heading of the page.
    records : iterable of (int, Inspected)
        The records, with their numbers in the capture.
    notes : iterable of str
        Paragraphs below the records.

    Yields
    ------
    str
        The page, in pieces.

    Examples
    --------
    >>> from wireloom.inspection import inspect_record, page
    >>> from wireloom_protocols import couchbase_dcp
    >>> frame = couchbase_dcp.build({"seqno_advanced": {"by_seqno": 7}})
    >>> "".join(page("One frame", [(0, inspect_record(couchbase_dcp.PROTOCOL, frame))]))[:15]
    '<!doctype html>'
    """
    yield (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{stylesheet()}</style>\n</head>\n"
        f'<body class="wl-page">\n<h1>{escape(title)}</h1>\n'
    )
    for number, inspected in records:
        yield fragment(inspected, number)
    yield from (f'<p class="wl-note">{escape(note)}</p>\n' for note in notes)
    yield f"<script>\n{script()}</script>\n</body>\n</html>\n"


def hex_view(inspected: Inspected, lead: int = hexdump.LEAD) -> str:
    """The bytes of one record as an HTML element, as in its ``fragment``; script and style sheet are the same.

    Of long values, ``lead`` bytes and the last ones are shown.
    """
    return "\n".join(_Fragment(inspected, lead).hex()) + "\n"


def place_of(part: Shown) -> str:
    """The attributes of an element that say which bytes of the record are those of a part; none if it has none."""
    if part.kind in (SpanKind.COMPUTED, SpanKind.DEFAULT, SpanKind.SHARED, SpanKind.UNPACKED):
        return ""
    return f' data-start="{part.start}" data-end="{part.end}"'


class _Fragment:
    def __init__(self, inspected: Inspected, lead: int = hexdump.LEAD) -> None:
        self.inspected = inspected
        self.lead = lead
        self.colours = hexdump.colours(inspected)
        self.leaf = 0
        self.parts = 0

    def lines(self, number: int | None) -> Iterator[str]:
        malformed = " wl-malformed" if self.inspected.error else ""
        yield f'<section class="wl-record{malformed}">'
        yield f'<p class="wl-head">{escape(self.inspected.headline(number))}</p>'
        if self.inspected.error:
            yield f'<p class="wl-reason" role="note">{escape(self.inspected.reason)}</p>'
        yield '<div class="wl-body">'
        yield from self.hex()
        yield '<ul class="wl-tree">'
        for part in self.inspected.fields:
            yield from self._part(part)
        yield "</ul>"
        yield "</div>"
        yield "</section>"

    def hex(self) -> Iterator[str]:
        yield '<div class="wl-hex" role="img" aria-label="The bytes, in hexadecimal">'
        yield from self._hex()
        yield "</div>"

    def _hex(self) -> Iterator[str]:
        shown = hexdump.lines(self.inspected, self.lead)
        owners = hexdump.owners(self.inspected, shown)
        for line in shown:
            if line.elided:
                yield f'<div class="wl-elided">… {counted(line.end - line.start, "byte")}</div>'
                continue
            data = self.inspected.data[line.start : line.end]
            spaces = "   " * (hexdump.PER_LINE - len(data))
            yield (
                f'<div class="wl-line"><span class="wl-offset">{self.inspected.offset + line.start:08x}</span>  '
                + " ".join(self._byte(line.start + i, f"{byte:02x}", owners) for i, byte in enumerate(data))
                + f"{spaces}  "
                + "".join(
                    self._byte(line.start + i, escape(ascii_of(data[i : i + 1])), owners) for i in range(len(data))
                )
                + "</div>"
            )
        if self.inspected.ends_early:
            yield '<div class="wl-line"><span class="wl-bad">the bytes end here</span></div>'

    def _byte(self, at: int, text: str, owners: dict[int, int]) -> str:
        error = self.inspected.error
        bad = " wl-bad" if error and error.covers(at, at + 1) else ""
        return f'<span class="wl-byte wl-c{self.colours[owners[at]]}{bad}" data-at="{at}">{text}</span>'

    def _part(self, part: Shown) -> Iterator[str]:
        classes = [f"wl-{part.kind}"]
        if not part.children:
            if part.start < part.end:
                classes.append(f"wl-c{self.colours[self.leaf]}")
            self.leaf += 1
            if self.inspected.is_bad(part):
                classes.append("wl-bad")
        focus = 0 if self.parts == 0 else -1
        self.parts += 1
        place = place_of(part)
        yield f'<li><span class="wl-field {" ".join(classes)}" tabindex="{focus}"{place}>{self._in_words(part)}</span>'
        if part.children:
            yield "<ul>"
            for child in part.children:
                yield from self._part(child)
            yield "</ul>"
        yield "</li>"

    def _in_words(self, part: Shown) -> str:
        words = [("name", part.name), ("value", part.text), ("label", part.label), ("note", part.note)]
        return " ".join(f'<span class="wl-{kind}">{escape(text)}</span>' for kind, text in words if text)
