"""A record as HTML: its bytes, and the tree of its fields with their places in the spec. All text is escaped here."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from wireloom.codec.tracing import SpanKind
from wireloom.inspection import Inspected, Shown
from wireloom.inspection.hexdump import colours
from wireloom.inspection.html import hex_view, place_of
from wireloom_generator.field_lines import FieldLine
from wireloom_generator.problems import Problem

LineOf = Callable[[tuple[str, ...]], FieldLine | None]
"""Where the spec has the part that names lead to."""


def unknown_bytes(data: bytes, offset: int) -> Inspected:
    """Bytes of which nothing is known, as a record of one part."""
    part = Shown("(not read)", "", SpanKind.UNREAD, 0, len(data), f"{len(data)} bytes", opaque=True)
    return Inspected(data, offset, None, None, None, (part,) if data else (), None)


def bytes_of(inspected: Inspected) -> str:
    """The bytes of a record, in hexadecimal and as characters."""
    return hex_view(inspected, _LEAD)


def tree_of(inspected: Inspected, line_of: LineOf) -> str:
    """The fields of a record, one inside the other."""
    return "\n".join(_FieldTree(inspected, line_of).lines())


class _FieldTree:
    def __init__(self, inspected: Inspected, line_of: LineOf) -> None:
        self.inspected = inspected
        self.line_of = line_of
        self.colours = iter(colours(inspected))
        self.focus = 0

    def lines(self) -> Iterator[str]:
        heads = ("Field", "Value", "Offset", "Size", "Type", "What it is")
        cells = "".join(f'<span class="lab-{name.split()[0].lower()}">{name}</span>' for name in heads)
        yield f'<div class="lab-row lab-heads" aria-hidden="true">{cells}</div>'
        yield '<ul class="lab-tree" role="tree" aria-label="Fields">'
        for part in self.inspected.fields:
            yield from self._part(part, (), 1)
        yield "</ul>"

    def _part(self, part: Shown, outer: tuple[str, ...], depth: int) -> Iterator[str]:
        names = (*outer, part.name)
        classes = ["lab-row", "wl-field", f"wl-{part.kind}"]
        if not part.children:
            colour = next(self.colours)
            classes += [f"wl-c{colour}"] if part.start < part.end else []
            classes += ["wl-bad"] if self.inspected.is_bad(part) else []
        line = self.line_of(names)
        own = line if line is not None and line.name == part.name.partition("[")[0] else None
        place = place_of(part)
        if line is not None and line.name not in ("record", "message"):
            place += f' data-path="{escape(str(line.at.path))}" data-line="{line.at.line}"'
        if own is not None:
            place += f' title="{escape(" ".join(f"{own.name}: {own.type}. {own.doc}".split()))}"'
        yield (
            f'<li role="none"><div class="{" ".join(classes)}" role="treeitem" aria-level="{depth}"'
            f' style="--depth: {depth - 1}" tabindex="{self.focus}"{place}>{self._cells(part, own)}</div>'
        )
        self.focus = -1
        if part.children:
            yield '<ul role="group">'
            for child in part.children:
                yield from self._part(child, names, depth + 1)
            yield "</ul>"
        yield "</li>"

    def _cells(self, part: Shown, line: FieldLine | None) -> str:
        size = part.end - part.start
        value = [("text", part.text), ("label", part.label), ("note", part.note)]
        words = " ".join(f'<span class="wl-{kind}">{escape(text)}</span>' for kind, text in value if text)
        cells = {
            "field": f'<span class="wl-name">{escape(part.name)}</span>',
            "value": words,
            "offset": f"{self.inspected.offset + part.start:#x}" if size else "",
            "size": str(size) if size else "",
            "type": escape(line.type) if line is not None else "",
            "what": escape(" ".join(line.doc.split())) if line is not None else "",
        }
        tip = f' title="{escape(part.text)}"' if len(part.text) > _LONG else ""
        return "".join(
            f'<span class="lab-{name}"{tip if name == "value" else ""}>{cell}</span>' for name, cell in cells.items()
        )


def problems_list(problems: Iterable[Problem], shown: Callable[[Path], str]) -> str:
    """The problems as a list of buttons, each with its place; ``shown`` names files."""
    lines = [
        f'<li><button class="lab-problem lab-{problem.severity}" data-path="{escape(str(problem.location.path))}"'
        f' data-line="{problem.location.line}" data-column="{problem.location.column}">'
        f'<span class="lab-place">{escape(shown(problem.location.path))}:{problem.location.line}</span>'
        f' <span class="lab-said">{escape(said(problem))}</span> <span class="lab-rule">{problem.rule}</span>'
        "</button></li>"
        for problem in problems
    ]
    return f'<ul class="lab-problems">{"".join(lines)}</ul>' if lines else ""


def said(problem: Problem) -> str:
    """A problem in one line, without its place."""
    return f"{problem.what}{f'; {problem.hint}' if problem.hint else ''}"


def summary(inspected: Inspected, names: Sequence[str]) -> str:
    """The first values of a record in one line; those of its message, if it has some, rather than the header's."""
    leaves = [leaf for leaf in inspected.leaves() if leaf.path and leaf.kind is not SpanKind.UNREAD]
    own = [leaf for leaf in leaves if leaf.path.partition(".")[0] in names]
    said = (f"{leaf.name} {leaf.label or leaf.text}" for leaf in (own or leaves)[:_SHOWN])
    return "  ·  ".join(said)


_LEAD = 2048
"""So many bytes of a long value are shown: what it is may not be known yet."""
_LONG = 12
"""A value with more characters may not fit its column."""
_SHOWN = 8
"""How many values of a record are in its row of the table."""
