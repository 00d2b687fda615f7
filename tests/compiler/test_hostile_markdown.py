"""Texts that mean harm on pages: they are shown as they are, and end nothing that they stand in."""

from pathlib import Path

import pytest
from attack.texts import ALL, TEXTS
from support.cases import each

from compiler.rendered import foreign, github, site
from compiler.text_places import ALL_PLACES, written
from wireloom_generator.emitters.docs.markdown import cell, code, phrase, prose
from wireloom_generator.generate import subjects
from wireloom_generator.site.protocols import errata_page, message_pages, protocols_page

pytestmark = pytest.mark.xdist_group("hostile texts")


@each("name", TEXTS)
def test_prose_is_shown_unchanged(name: str) -> None:
    shown = TEXTS[name].replace("`", "")
    text = prose(shown)
    assert github(text).text.split() == site(text).text.split() == shown_as(shown)
    assert github(phrase(shown)).found == site(phrase(shown)).found == {"p [] []": 1}


@each("name", TEXTS)
def test_code_is_shown_unchanged(name: str) -> None:
    text = f"a {code(TEXTS[name])} b"
    assert github(text).text.split() == ["a", *shown_as(TEXTS[name]), "b"]
    assert site(text).found == {"p [] []": 1, "code [] []": 1}


def shown_as(text: str) -> list[str]:
    seen = "".join(
        char if char.isprintable() or char in "\n\xa0" else char.encode("unicode_escape").decode() for char in text
    )
    return seen.split()


@each("name", TEXTS)
def test_a_cell_ends_no_cell(name: str) -> None:
    for text in (prose(TEXTS[name]), code(TEXTS[name])):
        table = f"| a | b |\n|---|---|\n| {cell(text)} | {cell(text)} |\n"
        for rendered in (github, site):
            assert rendered(table).found["td [] []"] == 2
            assert rendered(table).found["tr [] []"] == 2


@pytest.mark.parametrize(
    "name",
    [pytest.param("all", marks=pytest.mark.sweep), *(pytest.param(name, marks=pytest.mark.long) for name in TEXTS)],
)
def test_the_pages_of_the_site(name: str, tmp_path: Path) -> None:
    rendered = {}
    for kind, text in (("usual", "harmless"), ("hostile", TEXTS.get(name, ALL))):
        folder = written(dict.fromkeys(ALL_PLACES, text), tmp_path / kind / "specs")
        (one,), problems = subjects([folder])
        assert not [problem for problem in problems if problem.severity == "error"]
        listed = protocols_page([one]), errata_page([one])
        rendered[kind] = [*(text for _, text in message_pages(one)), *listed]
    for usual, hostile in zip(rendered["usual"], rendered["hostile"], strict=True):
        assert foreign(site(hostile), site(usual)) == {}
