"""How pages render what can be shown in several ways. The plain rendering is Markdown for any reader."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from wireloom_generator.emitters.docs import byte_diagram
from wireloom_generator.emitters.docs.byte_rows import Drawing
from wireloom_generator.emitters.docs.errata import Erratum, markdown
from wireloom_generator.emitters.docs.markdown import visible
from wireloom_generator.emitters.docs.message_page import ExampleBlock
from wireloom_generator.emitters.docs.shared import Passage


@dataclass(frozen=True, slots=True)
class Rendering:
    """Functions that give Markdown. ``outcome`` is the outcome of an example; ``diagrams`` explains byte diagrams."""

    drawing: Callable[[Drawing], str]
    example: Callable[[ExampleBlock], str]
    outcome: Callable[[ExampleBlock], str]
    heading: Callable[[Passage], str]
    erratum: Callable[[Erratum], str]
    diagrams: str


def fence(text: str, language: str = "text") -> str:
    """Text that is shown unchanged."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    quotes = "`" * max(3, longest + 1)
    return f"\n{quotes}{language}\n{visible(text)}\n{quotes}\n"


@lru_cache(maxsize=256)  # headers look alike on most pages
def _drawing(drawing: Drawing) -> str:
    return fence(byte_diagram.draw(drawing.items, drawing.footer))


def _example(example: ExampleBlock) -> str:
    drawings = "".join(map(_drawing, example.drawings))
    return fence(example.hexadecimal) + drawings + "".join(map(fence, example.breakdown))


def _outcome(example: ExampleBlock) -> str:
    verdict = "".join(f"\n{text}\n" for text in example.verdict)
    return verdict + "".join(fence(row, "json") for row in example.rows)


def _heading(block: Passage) -> str:
    return f'<a id="{block.anchor}"></a>\n\n### {block.title}'


def _erratum(erratum: Erratum) -> str:
    anchor = f'<a id="{erratum.anchor}"></a>'
    text = markdown(erratum).replace("\n", "\n> ")
    return f"{anchor}\n> ⚠ **Erratum {erratum.number}**, {erratum.here}.\n> {text}"


PLAIN = Rendering(
    _drawing,
    _example,
    _outcome,
    _heading,
    _erratum,
    "In byte diagrams a row is four bytes, `...` marks a field that goes on in another row, a double line begins a "
    "section,\n  and a box with slanted sides is of no fixed size.",
)
"""Everything as text."""
