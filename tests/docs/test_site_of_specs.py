"""The site that ``wireloom docs`` builds of somebody's specs, and what it does with the folder that it is given."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.calls import run
from selenium import webdriver
from support.paths import ROOT

from docs.search import found
from docs.site_pages import Page, broken, loaded_from_elsewhere, pages_of

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("site")]

LISTED = "wireloom-files.txt"


@pytest.fixture(scope="module")
def ubx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a copy of specs, in a folder of its own and built by the program."""
    folder = tmp_path_factory.mktemp("stranger")
    shutil.copytree(ROOT / "examples/protocols/ubx", folder / "my specs" / "ubx")
    program = [sys.executable, "-m", "wireloom", "docs", "my specs", "--out", "a site"]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "wrote a site; open a site/index.html in a browser\n"
    assert sorted(path.name for path in folder.iterdir()) == ["a site", "my specs"]
    return folder / "a site"


@pytest.fixture(scope="module")
def ubx_pages(ubx: Path) -> dict[Path, Page]:
    return pages_of(ubx)


def test_every_message_and_spec_has_a_page(ubx: Path, ubx_pages: dict[Path, Page]) -> None:
    specs = {path.stem for path in (ROOT / "examples/protocols/ubx").glob("*.yaml")}
    assert {path.relative_to(ubx).as_posix() for path in ubx_pages} == {
        "index.html",
        "ubx/index.html",
        "ubx/unknown.html",
        *(f"ubx/{name}.html" for name in specs - {"protocol"}),
        *(f"specs/ubx/{name}.html" for name in specs),
    }


def test_every_link_leads_to_a_place_on_a_page(ubx_pages: dict[Path, Page]) -> None:
    assert broken(ubx_pages) == []


def test_nothing_is_loaded_from_elsewhere(ubx_pages: dict[Path, Page]) -> None:
    assert loaded_from_elsewhere(ubx_pages) == []


@pytest.mark.parametrize(
    ("words", "page"), [("fix_type", "ubx/nav_pvt"), ("NAV-POSLLH", "ubx/nav_posllh"), ("GNSS", "ubx/nav_sat")]
)
def test_the_search_finds_a_message(chromium: webdriver.Chrome, ubx: Path, words: str, page: str) -> None:
    assert found(chromium, ubx, words)[0] == page


def test_the_browser_shows_a_message_without_complaints(chromium: webdriver.Chrome, ubx: Path) -> None:
    chromium.get_log("browser")
    chromium.get((ubx / "ubx" / "nav_posllh.html").as_uri())
    assert "UBX-NAV-POSLLH" in chromium.title
    assert chromium.execute_script("return document.querySelectorAll('figure.bytes svg g.box').length") > 0
    assert chromium.get_log("browser") == []


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small spec, in the folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    run("init", "thermometer")
    return tmp_path / "specs"


def test_a_later_site_replaces_an_earlier_one(specs: Path, tmp_path: Path) -> None:
    run("docs")
    message = specs / "thermometer" / "reading.yaml"
    message.write_text(message.read_text().replace("message: reading", "message: measurement"))
    message.rename(message.with_stem("measurement"))
    run("docs")
    site = tmp_path / "site"
    assert (site / "thermometer" / "measurement.html").is_file()
    assert not (site / "thermometer" / "reading.html").exists()
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert set((site / LISTED).read_text().splitlines()) == files - {LISTED}


@pytest.mark.parametrize("other", ["CNAME", "thermometer/notes.html"])
def test_other_files_are_left_alone(specs: Path, tmp_path: Path, other: str) -> None:
    run("docs")
    (tmp_path / "site" / other).write_text("mine")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")}
    done = run("docs", status=1)
    where = tmp_path / "site" / other
    assert done.stderr == f"wireloom: {where} is not part of an earlier site; move it, or choose another folder\n"
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")} == before


def test_a_site_is_not_built_among_other_files(specs: Path, tmp_path: Path) -> None:
    done = run("docs", "--out", ".", status=1)
    assert f"{specs / 'schema.json'} is not part of an earlier site" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["specs"]


def test_a_site_is_no_file(specs: Path, tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    done = run("docs", status=1)
    assert done.stderr == f"wireloom: {tmp_path / 'site'} is a file; choose another folder\n"
    assert (tmp_path / "site").read_text() == "mine"


def test_specs_with_errors_have_no_site(specs: Path, tmp_path: Path) -> None:
    message = specs / "thermometer" / "reading.yaml"
    message.write_text(message.read_text().replace("type: f32", "type: f33"))
    done = run("docs", status=1)
    assert "error[known-type]" in done.stderr
    assert not (tmp_path / "site").exists()


def test_a_site_that_cannot_be_built_leaves_nothing(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    python = tmp_path_factory.mktemp("bin") / "python"
    python.write_text("#!/bin/sh\necho this link\necho leads nowhere >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    done = run("docs", status=1)
    assert done.stderr == "wireloom: zensical does not build the site:\nthis link\nleads nowhere\n"
    assert [path.name for path in tmp_path.iterdir()] == ["specs"]


def test_a_folder_without_specs_has_no_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert "error[no-spec]: no *.yaml file in empty" in run("docs", "empty", status=1).stderr
    assert run("docs", "absent", status=2).stderr == "wireloom: there is no file or folder absent\n"
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_a_title_is_shown_as_it_is(specs: Path, tmp_path: Path, chromium: webdriver.Chrome) -> None:
    """The theme puts titles of sites and sections into pages as they are."""
    protocol = specs / "thermometer" / "protocol.yaml"
    title = 'A <b id="bold">thermometer</b> & "co"'
    protocol.write_text(protocol.read_text().replace("title: Thermometer", f"title: '{title}'"))
    run("docs")
    chromium.get((tmp_path / "site" / "index.html").as_uri())
    assert chromium.title == f"Protocols - {title}"
    assert chromium.execute_script("return document.getElementById('bold')") is None
    shown = chromium.execute_script("return document.querySelector('.md-tabs').textContent")
    assert title in shown
