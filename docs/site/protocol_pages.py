"""The pages of protocols: those that are checked in, with diagrams as SVG and examples that can be pointed at."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wireloom.inspection import fragment
from wireloom_generator import emitters, examples, explained, frontend, model, resolve
from wireloom_generator.emitters import docs
from wireloom_generator.emitters.docs import svg_diagram
from wireloom_generator.emitters.docs.errata import Errata, Erratum, markdown
from wireloom_generator.emitters.docs.markdown import cell, phrase, prose
from wireloom_generator.emitters.docs.message_page import ExampleBlock
from wireloom_generator.emitters.docs.renderings import Rendering, fence
from wireloom_generator.emitters.docs.shared import Passage
from wireloom_generator.output import OutputFile
from wireloom_generator.problems import Severity

FOLDER = PurePosixPath("protocols")
_DIAGRAMS = (
    "In byte diagrams a row is four bytes. A thick line begins a section, and a dashed box is of no fixed size. Point"
    " at a box, or go to it with the tab key, for its type, size and offset."
)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A protocol and its pages; their paths are those on the site. ``examples`` are by message and name."""

    protocol: model.Protocol
    files: tuple[OutputFile, ...]
    examples: Mapping[tuple[str, str], str]

    @property
    def title(self) -> str:
        return phrase(self.protocol.doc.title or self.protocol.name)


def compiled(specs: Path) -> Iterator[Compiled]:
    """The protocols of a folder of specs."""
    loaded, problems = frontend.read([specs])
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise SystemExit(f"the specs have problems, see: wireloom check {specs}")
    for one in loaded:
        protocol = resolve.protocol_of(one)
        with examples.running(emitters.modules(protocol)) as codec:
            traces, _ = examples.run(protocol, codec)
            account = explained.account(codec)
        files = docs.emit(protocol, traces, account, RENDERING)
        pages = [OutputFile(FOLDER.joinpath(*file.path.parts[1:]), file.text) for file in files]
        shown = {name: f"\n{fragment(traced.inspected)}\n" for name, traced in traces.items()}
        yield Compiled(protocol, tuple(pages), shown)


def protocols_page(protocols: Iterable[Compiled]) -> str:
    """The list of all protocols and their messages."""
    lines = ["# Protocols", "", "Their parsers, their schemas and these pages are generated from the same specs."]
    for one in protocols:
        name = one.protocol.name
        lines += ["", f"## [{one.title}]({name}/index.md)", "", prose(one.protocol.doc.text), ""]
        lines += ["| Message | What it is |", "|---|---|"]
        for message in one.protocol.messages:
            title = phrase(message.doc.title or message.name)
            lines.append(f"| [{title}]({name}/{message.name}.md) | {cell(prose(message.doc.text))} |")
    return "\n".join(lines) + "\n"


def errata_page(protocols: Iterable[Compiled]) -> str:
    """Where the source documents are wrong, of all protocols."""
    lines = [
        "# Errata of the documents",
        "",
        "Where a source document is wrong, the spec records an `erratum`. The page of the message or protocol shows it"
        " as well.",
    ]
    for one in protocols:
        errata = Errata(one.protocol).all
        if not errata:
            continue
        lines += [
            "",
            f"## {one.title}",
            "",
            "| No. | Where | What the document says, and what is true |",
            "|---|---|---|",
        ]
        for erratum in errata:
            page = FOLDER / one.protocol.name / erratum.page
            where = f"[{erratum.number}]({page}#{erratum.anchor})"
            lines.append(f"| {where} | {cell(erratum.place)} | {cell(markdown(erratum))} |")
    return "\n".join(lines) + "\n"


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
"""Diagrams as SVG, examples as bytes and fields that point at each other."""
