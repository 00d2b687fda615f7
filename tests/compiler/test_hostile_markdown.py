"""Texts that mean harm on pages: they are shown as they are, and end nothing that they stand in."""

import importlib
import sys
from pathlib import Path

import pytest
from attack.texts import ALL, TEXTS
from support.cases import each
from support.paths import ROOT

from compiler.rendered import foreign, github, site
from compiler.text_places import ALL_PLACES, written
from wireloom_generator.emitters.docs.markdown import cell, code, phrase, prose

pytestmark = pytest.mark.xdist_group("hostile texts")

SITE = ROOT / "docs" / "site"


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


@pytest.fixture
def site_pages(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(SITE)
    yield importlib.import_module("protocol_pages")
    for name in ("protocol_pages", "navigation", "staging"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "name",
    [pytest.param("all", marks=pytest.mark.sweep), *(pytest.param(name, marks=pytest.mark.long) for name in TEXTS)],
)
def test_the_pages_of_the_site(name: str, tmp_path: Path, site_pages: object) -> None:
    rendered = {}
    for kind, text in (("usual", "harmless"), ("hostile", TEXTS.get(name, ALL))):
        folder = written(dict.fromkeys(ALL_PLACES, text), tmp_path / kind / "specs")
        (one,) = site_pages.compiled(folder)
        listed = site_pages.protocols_page([one]), site_pages.errata_page([one])
        rendered[kind] = [*(file.text for file in one.files), *listed]
    for usual, hostile in zip(rendered["usual"], rendered["hostile"], strict=True):
        assert foreign(site(hostile), site(usual)) == {}
