"""docs/<protocol>/*.md: a front page and a page for each message, for readers who compare them with the documents."""

from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from jinja2 import Environment, Template

from wireloom_generator import model
from wireloom_generator.emitters import Emitter
from wireloom_generator.emitters.docs.errata import Errata, markdown
from wireloom_generator.emitters.docs.index_page import index_page
from wireloom_generator.emitters.docs.message_page import MessagePages
from wireloom_generator.emitters.docs.names import INDEX, page_of
from wireloom_generator.emitters.docs.renderings import PLAIN, Rendering
from wireloom_generator.output import OutputFile, head
from wireloom_generator.templates import environment
from wireloom_generator.traces import Traces

if TYPE_CHECKING:
    from wireloom.consumer_types import Differing
    from wireloom.programs.support import Support


def emit(
    protocol: model.Protocol,
    traces: Traces,
    support: "Support | None" = None,
    types: "Differing | None" = None,
    rendering: Rendering = PLAIN,
) -> Iterator[OutputFile]:
    """The pages. ``traces`` are the worked examples by message and name; examples without one are shown as bytes.

    The front page says how records are read if ``support`` is given, and the others the types that columns have for
    each consumer if ``types`` are.
    """
    types = types or {}
    pages = MessagePages(protocol, Errata(protocol), traces, types)
    templates = _templates(rendering)
    yield _file(protocol, INDEX, templates.get_template("index.md.j2"), index_page(pages, support))
    preamble = protocol.preamble
    homes = pages.names.homes
    own = () if preamble is None else (MessagePages(preamble, Errata(preamble), traces, types, homes=homes),)
    for page in (pages, *own):
        for message in page.protocol.messages:
            yield _file(protocol, page_of(message), templates.get_template("message.md.j2"), page.page(message))


@cache
def _templates(rendering: Rendering) -> Environment:
    templates = environment(__package__)
    templates.filters |= {
        "markdown": markdown,
        "drawn": rendering.drawing,
        "annotated": rendering.example,
        "row": rendering.row,
        "heading": rendering.heading,
        "callout": rendering.erratum,
    }
    templates.globals["diagrams"] = rendering.diagrams
    return templates


def _file(protocol: model.Protocol, name: str, template: Template, page: object) -> OutputFile:
    first = head(protocol.folders, open="<!-- ", close=" -->")
    text = template.render(head=first, page=page)
    return OutputFile(PurePosixPath("docs", protocol.name, name), _spaced(text))


def _spaced(text: str) -> str:
    """One blank line where there are several, and one line end at the end."""
    lines = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    while "\n\n\n" in lines:
        lines = lines.replace("\n\n\n", "\n\n")
    return lines + "\n"


EMITTER = Emitter(lambda subject: emit(subject.protocol, subject.traces, subject.support, subject.types))
