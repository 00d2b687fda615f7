"""The pages of protocols as a site has them: diagrams are SVG, and bytes and fields point at each other."""

from wireloom.inspection import fragment
from wireloom_generator.emitters.docs import svg_diagram
from wireloom_generator.emitters.docs.errata import Erratum, markdown
from wireloom_generator.emitters.docs.message_page import ExampleBlock
from wireloom_generator.emitters.docs.renderings import Rendering, fence
from wireloom_generator.emitters.docs.shared import Passage

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
