"""The documentation site: all is there, and every link leads on."""

import re
import textwrap
from collections import Counter
from pathlib import Path

import click
import pytest
from support.paths import ROOT

from docs.site_pages import Page, broken, loaded_from_elsewhere
from wireloom.cli import app
from wireloom_generator import rulebook

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("site")]


def test_a_bar_in_a_table_is_shown_as_it_is(site: Path) -> None:
    """Markdown escapes it, and code would show that."""
    assert "WIRE&#124;CODEC" in (site / "command-line.html").read_text(encoding="utf-8")
    assert [path for path in site.rglob("*.html") if "\\|" in path.read_text(encoding="utf-8")] == []


def test_every_link_leads_to_a_place_on_a_page(pages: dict[Path, Page]) -> None:
    assert broken(pages) == []


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page]) -> None:
    assert loaded_from_elsewhere(pages) == []


def test_an_id_is_given_once(pages: dict[Path, Page]) -> None:
    twice = [(path.name, name) for path, page in pages.items() for name, n in Counter(page.ids).items() if n > 1]
    assert not twice


def test_every_rule_is_in_the_catalogue(pages: dict[Path, Page], site: Path) -> None:
    for family in rulebook.Family:
        rules = {entry.id for entry in rulebook.ENTRIES if entry.family == family}
        assert rules
        assert rules <= set(pages[site / f"rules-{family}.html"].ids)


def test_every_command_and_option_is_told(site: Path) -> None:
    text = _text(site / "command-line.html")
    for name in app.commands:
        _, command, _ = app.resolve_command(click.Context(app), [name])
        assert command is not None
        assert f"$ wireloom {name} " in text
        assert len(command.params) > 0 or name in ("lsp", "protocols")
        assert all(option in text for parameter in command.params for option in parameter.opts if option[0] == "-")


def _text(path: Path) -> str:
    return re.sub(r"<[^>]+>", "", path.read_text())


def test_the_yaml_on_the_first_page_stands_in_a_spec() -> None:
    blocks = re.findall(
        r"^```yaml\n(.*?)^```", (ROOT / "docs/site/pages/index.md").read_text(), re.MULTILINE | re.DOTALL
    )
    specs = [path.read_text() for path in (ROOT / "specs").rglob("*.yaml")]
    assert blocks
    for block in blocks:
        assert any(f"\n{textwrap.indent(block, '      ')}" in text for text in specs), block


def test_every_erratum_of_the_generated_pages_is_a_row(pages: dict[Path, Page], site: Path) -> None:
    errata = 0
    for index in (site.parent / "pages" / "protocols").glob("*/index.md"):
        listed = re.findall(r"^\| \[\d+\]\(([\w.]*)#(erratum-\d+)\)", index.read_text(), re.MULTILINE)
        errata += len(listed)
        links = [
            f"{index.parent.name}/{(page or 'index.md').replace('.md', '.html')}#{anchor}" for page, anchor in listed
        ]
        references = pages[site / "protocols" / "errata.html"].references
        assert [link for link in references if link.startswith(f"{index.parent.name}/") and "#" in link] == links
    assert errata


def test_every_example_can_be_pointed_at(pages: dict[Path, Page]) -> None:
    checked = 0
    for path in pages:
        generated = ROOT / "generated" / "docs" / path.parent.name / f"{path.stem}.md"
        if path.parent.parent.name in ("lsp", "protocols") and generated.exists():
            examples = generated.read_text().partition("\n## Examples\n")[2].partition("\n## ")[0]
            assert path.read_text().count('<section class="wl-record') == examples.count("\n### ")
            checked += 1
    assert checked
