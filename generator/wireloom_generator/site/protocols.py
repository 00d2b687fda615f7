"""The pages of protocols on a site: a list of them, their messages, their specs and their errata."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from wireloom.inspection import fragment
from wireloom_generator.emitters import Subject, docs
from wireloom_generator.emitters.docs import svg_diagram
from wireloom_generator.emitters.docs.errata import Errata, Erratum, markdown
from wireloom_generator.emitters.docs.markdown import cell, phrase, prose, visible
from wireloom_generator.emitters.docs.message_page import ExampleBlock
from wireloom_generator.emitters.docs.renderings import Rendering, fence
from wireloom_generator.emitters.docs.shared import Passage
from wireloom_generator.site.building import Navigation
from wireloom_generator.site.pages import Pages


def stage(pages: Pages, subjects: Sequence[Subject], below: str = "") -> Navigation:
    """Write the pages into the folder ``below``, which ends in a slash."""
    first = pages.page(f"{below}index.md", protocols_page(subjects))
    protocols = [(name(subject), list(_protocol(pages, subject, below))) for subject in subjects]
    errata = errata_page(subjects)
    return [first, *protocols, *([pages.page(f"{below}errata.md", errata)] if errata else [])]


def name(subject: Subject) -> str:
    """The protocol's title, as HTML."""
    return escape(visible(_title(subject)))


def protocols_page(subjects: Iterable[Subject]) -> str:
    """The list of all protocols and their messages."""
    lines = ["# Protocols", "", "Their parsers, their schemas and these pages are generated from the same specs."]
    for subject in subjects:
        protocol = subject.protocol
        lines += ["", f"## [{phrase(_title(subject))}]({protocol.name}/index.md)", "", prose(protocol.doc.text), ""]
        lines += ["| Message | What it is |", "|---|---|"]
        for message in protocol.messages:
            shown = phrase(message.doc.title or message.name)
            lines.append(f"| [{shown}]({protocol.name}/{message.name}.md) | {cell(prose(message.doc.text))} |")
    return "\n".join(lines) + "\n"


def message_pages(subject: Subject) -> Iterator[tuple[str, str]]:
    """The names and texts of the protocol's own pages."""
    for file in docs.emit(subject.protocol, subject.traces, subject.support, subject.types, RENDERING):
        yield file.path.name, file.text


def errata_page(subjects: Iterable[Subject]) -> str:
    """Where the source documents are wrong, of all protocols; nothing if they are not."""
    lines: list[str] = []
    for subject in subjects:
        errata = Errata(subject.protocol).all
        if not errata:
            continue
        lines += ["", f"## {phrase(_title(subject))}", "", "| No. | Where | What the document says, and what is true |"]
        lines += ["|---|---|---|"]
        for erratum in errata:
            where = f"[{erratum.number}]({subject.protocol.name}/{erratum.page}#{erratum.anchor})"
            lines.append(f"| {where} | {cell(erratum.place)} | {cell(markdown(erratum))} |")
    if not lines:
        return ""
    about = (
        "Where a source document is wrong, the spec records an `erratum`. The page of the message or protocol shows it"
        " as well."
    )
    return "\n".join(["# Errata of the documents", "", about, *lines]) + "\n"


def _title(subject: Subject) -> str:
    return subject.protocol.doc.title or subject.protocol.name


def _protocol(pages: Pages, subject: Subject, below: str) -> Iterator["str | tuple[str, list[str]]"]:
    """The front page, the messages by group, and the specs."""
    protocol = subject.protocol
    groups = {message.name: protocol.group(message) for message in protocol.messages}
    grouped: dict[str, list[str]] = {}
    for file, text in message_pages(subject):
        page = pages.page(f"{below}{protocol.name}/{file}", text)
        grouped.setdefault(groups.get(file.removesuffix(".md"), ""), []).append(page)
    yield from grouped.pop("", [])
    yield from sorted(grouped.items())
    yield "Specs", list(_specs(pages, subject, below))


def _specs(pages: Pages, subject: Subject, below: str) -> Iterator[str]:
    for folder in subject.protocol.folders:
        for path in subject.protocol.sources:
            if path.is_relative_to(folder):
                shown = path.relative_to(folder.parent)
                yield pages.source(f"{below}specs/{shown.with_suffix('.md').as_posix()}", shown.as_posix(), path)


_DIAGRAMS = (
    "In byte diagrams a row is four bytes. A thick line begins a section, and a dashed box is of no fixed size. Point"
    " at a box, or go to it with the tab key, for its type, size and offset."
)


def _heading(block: Passage) -> str:
    return f"### {block.title} {{ #{block.anchor} }}"


def _callout(erratum: Erratum) -> str:
    title = f'<p class="admonition-title" markdown="span">Erratum {erratum.number}, {erratum.here}</p>'
    return (
        f'<div class="admonition warning erratum" id="{erratum.anchor}" markdown="block">\n{title}\n\n'
        f"{markdown(erratum)}\n\n</div>"
    )


def _example(example: ExampleBlock) -> str:
    return f"\n{fragment(example.inspected)}\n" if example.inspected else fence(example.data.hex(" "))


def _row(row: str) -> str:
    """The row, folded."""
    return f'<details class="row" markdown="block">\n<summary>As a row</summary>\n{fence(row, "json")}\n</details>\n'


RENDERING = Rendering(svg_diagram.draw, _example, _row, _heading, _callout, _DIAGRAMS)
