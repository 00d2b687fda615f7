"""How pages render what can be shown in several ways. The plain rendering is Markdown for any reader."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from wireloom_generator.emitters.docs import byte_diagram
from wireloom_generator.emitters.docs.byte_rows import Drawing
from wireloom_generator.emitters.docs.errata import Erratum, markdown
from wireloom_generator.emitters.docs.markdown import visible
from wireloom_generator.emitters.docs.message_page import ExampleBlock
from wireloom_generator.emitters.docs.shared import Passage


@dataclass(frozen=True, slots=True)
class Rendering:
    """Functions that give Markdown. ``row`` is a decoded row as JSON; ``diagrams`` explains byte diagrams."""

    drawing: Callable[[Drawing], str]
    example: Callable[[ExampleBlock], str]
    row: Callable[[str], str]
    heading: Callable[[Passage], str]
    erratum: Callable[[Erratum], str]
    diagrams: str


def fence(text: str, language: str = "text") -> str:
    """Text that is shown unchanged."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    quotes = "`" * max(3, longest + 1)
    return f"\n{quotes}{language}\n{visible(text)}\n{quotes}\n"


def _drawing(drawing: Drawing) -> str:
    return fence(byte_diagram.draw(drawing.items, drawing.footer))


def _example(example: ExampleBlock) -> str:
    """What ``wireloom inspect`` prints of an example."""
    from wireloom.inspection import plain  # needs the codec, which only examples that were run have

    return fence("\n".join(plain.lines(example.inspected)) if example.inspected else example.data.hex(" "))


def _row(row: str) -> str:
    return fence(row, "json")


def _heading(block: Passage) -> str:
    return f'<a id="{block.anchor}"></a>\n\n### {block.title}'


def _erratum(erratum: Erratum) -> str:
    anchor = f'<a id="{erratum.anchor}"></a>'
    text = markdown(erratum).replace("\n", "\n> ")
    return f"{anchor}\n> ⚠ **Erratum {erratum.number}**, {erratum.here}.\n> {text}"


PLAIN = Rendering(
    _drawing,
    _example,
    _row,
    _heading,
    _erratum,
    "In byte diagrams a row is four bytes, a double line begins a section, and a box with slanted sides varies in\n"
    "  size. `...` marks a field that continues in another row, or an offset that varies.",
)
"""Everything as text."""
