"""The documentation site, built once and opened in Chromium from ``file://``: all is there, leads on and answers.

It is that of a checkout with few messages; the whole of it is built where much is tried.
"""

import json
import re
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait
from support.paths import ROOT
from support.small_checkout import small_checkout

from wireloom.cli import app
from wireloom_generator import rulebook

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("site")]

MARKER = "protocols/couchbase_dcp/snapshot_marker.html"
FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync"""


@pytest.fixture(scope="session", params=["small", pytest.param("whole", marks=pytest.mark.long)])
def checkout(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the site is built of."""
    return ROOT if request.param == "whole" else small_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def site(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    out = tmp_path_factory.mktemp("docs")
    command = [sys.executable, checkout / "docs" / "site", "--out", out]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return out / "site"


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser with a profile of its own, which writes down what pages ask for."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.fail("chromium and chromedriver are not on PATH; install them with: sh scripts/setup.sh browser")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--window-size=1280,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    yield browser
    browser.quit()


@pytest.fixture
def marker(chromium: webdriver.Chrome, site: Path) -> webdriver.Chrome:
    """The browser, at the page of the snapshot marker, where nothing is pointed at and nothing has the focus."""
    if chromium.current_url.partition("#")[0] != (site / MARKER).as_uri():
        chromium.get((site / MARKER).as_uri())
    chromium.execute_script("document.activeElement.blur()")
    ActionChains(chromium).move_to_element(chromium.find_element(By.CSS_SELECTOR, "header")).perform()
    assert chromium.find_elements(By.CSS_SELECTOR, ".wl-lit") == []
    return chromium


@dataclass(frozen=True)
class Page:
    """The ids of a page, and what it refers to."""

    ids: list[str]
    references: list[str]
    loaded: list[str]


_TAG = re.compile(r"""<([a-zA-Z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE = re.compile(r"""\s(id|href|src)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def page_of(text: str) -> Page:
    """What the tags of a page say; in text, ``<`` is escaped."""
    page = Page([], [], [])
    for tag, attributes in _TAG.findall(text):
        if "=" not in attributes:
            continue
        found = {name: unescape("".join(values)) for name, *values in _ATTRIBUTE.findall(attributes) if any(values)}
        if "id" in found:
            page.ids.append(found["id"])
        if tag == "a" and "href" in found:
            page.references.append(found["href"])
        elif "src" in found or (tag == "link" and "href" in found):
            page.loaded.append(found.get("src") or found["href"])
    return page


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    """Every page of the site."""
    return {path: page_of(path.read_text()) for path in sorted(site.rglob("*.html"))}


@cache
def _file(folder: Path, path: str) -> Path:
    return (folder / unquote(path)).resolve()


def _here(path: Path, reference: str) -> tuple[Path, str]:
    """The file that a reference names, and the fragment."""
    parts = urlsplit(reference)
    return (_file(path.parent, parts.path) if parts.path else path), unquote(parts.fragment)


def test_a_bar_in_a_table_is_shown_as_it_is(site: Path) -> None:
    """Markdown escapes it, and code would show that."""
    assert "WIRE&#124;CODEC" in (site / "command-line.html").read_text(encoding="utf-8")
    assert [path for path in site.rglob("*.html") if "\\|" in path.read_text(encoding="utf-8")] == []


def test_every_link_leads_to_a_place_on_a_page(pages: dict[Path, Page]) -> None:
    broken = []
    ids = {path: set(page.ids) for path, page in pages.items()}
    for path, page in pages.items():
        for reference in set(page.references):
            if urlsplit(reference).scheme in ("http", "https"):
                continue
            target, fragment = _here(path, reference)
            if target not in pages or (fragment and fragment not in ids[target]):
                broken.append(f"{path.name}: {reference}")
    assert not broken


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page]) -> None:
    loaded = {(path, reference) for path, page in pages.items() for reference in page.loaded}
    assert loaded
    assert not [reference for path, reference in loaded if not _here(path, reference)[0].is_file()]


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
        assert len(command.params) > 0 or name == "protocols"
        assert all(option in text for parameter in command.params for option in parameter.opts if option[0] == "-")


def _text(path: Path) -> str:
    return re.sub(r"<[^>]+>", "", path.read_text())


def test_the_yaml_on_the_first_page_stands_in_a_spec() -> None:
    blocks = re.findall(
        r"^```yaml\n(.*?)^```", (ROOT / "docs/site/pages/index.md").read_text(), re.MULTILINE | re.DOTALL
    )
    specs = [path.read_text() for path in (ROOT / "specs").glob("*/*.yaml")]
    assert blocks
    for block in blocks:
        assert any(f"\n{textwrap.indent(block, '  ')}" in text for text in specs), block


def test_every_erratum_of_the_generated_pages_is_a_row(pages: dict[Path, Page], site: Path) -> None:
    errata = 0
    for index in (site.parent / "pages" / "protocols").glob("*/index.md"):
        listed = re.findall(r"^\| \[\d+\]\(([\w.]*)#(erratum-\d+)\)", index.read_text(), re.MULTILINE)
        errata += len(listed)
        links = [
            f"protocols/{index.parent.name}/{(page or 'index.md').replace('.md', '.html')}#{anchor}"
            for page, anchor in listed
        ]
        references = pages[site / "errata.html"].references
        assert [
            link for link in references if link.startswith(f"protocols/{index.parent.name}/") and "#" in link
        ] == links
    assert errata


@dataclass(frozen=True)
class Opened:
    """A page as the browser of a phone found it: what the console has, what was asked for, its width, and the boxes of
    its diagrams."""

    complaints: list[str]
    asked: list[str]
    width: int
    diagrams: list[list[dict[str, Any]]]


PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
_WIDTH = "return document.documentElement.scrollWidth"
_MEASURE = """
const sides = (box) => [box.x, box.y, box.width, box.height];
const all = (box, tag) => [...box.querySelectorAll(tag)].map((part) => sides(part.getBBox()));
const measured = (box) => ({
  name: box.getAttribute("aria-label"), rectangles: all(box, "rect"), texts: all(box, "text") });
return [...document.querySelectorAll("figure.bytes svg")].map(
  (svg) => [...svg.querySelectorAll("g.box")].map(measured));
"""


OPENED = ("index", "language", "rules-spec", "command-line", "errata", "spark")
"""What is opened of the pages that are written by hand, or made at once of all rules and commands."""


def _some(pages: dict[Path, Page], site: Path, *, whole: bool) -> list[Path]:
    """Those that are written by hand, all of them or a few; the first of each protocol; and one in forty of those that
    are all alike: decisions and messages.
    """
    alike = [path for path in pages if path.parent != site and path.name != "index.html"]
    firsts = [path for path in pages if path.parent != site and path.name == "index.html"]
    by_hand = [path for path in pages if path.parent == site and (whole or path.stem in OPENED)]
    return [*by_hand, *firsts, *alike[::40], site / MARKER]


@pytest.fixture(scope="session")
def opened(chromium: webdriver.Chrome, pages: dict[Path, Page], site: Path, checkout: Path) -> dict[Path, Opened]:
    """Pages of every kind, each opened once."""
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    for log in ("browser", "performance"):
        chromium.get_log(log)
    try:
        return {path: _open(chromium, path) for path in _some(pages, site, whole=checkout == ROOT)}
    finally:
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def _open(browser: webdriver.Chrome, path: Path) -> Opened:
    browser.get(path.as_uri())
    with suppress(TimeoutException):  # a page is laid out once more when its scripts have run
        WebDriverWait(browser, 5, 0.1).until(lambda _: browser.execute_script(_WIDTH) <= PHONE["width"])
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return Opened(
        [entry["message"] for entry in browser.get_log("browser")],
        [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"],
        browser.execute_script(_WIDTH),
        browser.execute_script(_MEASURE),
    )


def test_no_page_makes_the_browser_complain(opened: dict[Path, Opened]) -> None:
    assert [message for page in opened.values() for message in page.complaints] == []


def test_no_page_asks_for_anything_from_elsewhere(opened: dict[Path, Opened]) -> None:
    for path, page in opened.items():
        assert path.as_uri() in page.asked
        assert [url for url in page.asked if urlsplit(url).scheme in ("http", "https", "ws", "wss")] == []


def test_no_page_is_wider_than_a_phone(opened: dict[Path, Opened]) -> None:
    assert [path.name for path, page in opened.items() if page.width > PHONE["width"]] == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("max_visible_seqno", "snapshot_marker.html"),
        ("logical_partition_id", "dbus_event.html"),
        ("checksum-algorithm", "rules-spec.html"),
    ],
)
def test_the_search_finds_the_page(chromium: webdriver.Chrome, site: Path, words: str, page: str) -> None:
    chromium.get((site / "index.html").as_uri())
    chromium.find_element(By.CSS_SELECTOR, ".md-search__button").click()
    root = WebDriverWait(chromium, 10).until(
        lambda browser: browser.execute_script(
            "return [...document.querySelectorAll('div')].map(host => host.shadowRoot).find(root => root"
            " && root.querySelector('input'))"
        )
    )
    root.find_element(By.CSS_SELECTOR, "input").send_keys(words)
    links = WebDriverWait(chromium, 10).until(
        lambda _: [link.get_attribute("href") or "" for link in root.find_elements(By.CSS_SELECTOR, "a[href]")]
    )
    assert page in {Path(urlsplit(link).path).name for link in links[:3]}


def _example(browser: webdriver.Chrome, title: str) -> WebElement:
    """The record below a heading, in view. Variants, which come first, may have the same name."""
    below = f"(//h3[text()='{title}'])[last()]/following::section[contains(@class, 'wl-record')][1]"
    record = WebDriverWait(browser, 10).until(lambda _: browser.find_element(By.XPATH, below))
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", record)
    return record


def _field(record: WebElement, name: str) -> WebElement:
    fields = record.find_elements(By.CSS_SELECTOR, ".wl-field")
    return next(found for found in fields if found.find_element(By.CSS_SELECTOR, ".wl-name").text == name)


def _lit_fields(record: WebElement) -> list[str]:
    return [found.text for found in record.find_elements(By.CSS_SELECTOR, ".wl-field.wl-lit .wl-name")]


def _lit_bytes(record: WebElement) -> list[int]:
    """Those that are highlighted, in hexadecimal and as characters alike."""
    found = record.find_elements(By.CSS_SELECTOR, ".wl-byte.wl-lit")
    return sorted({int(byte.get_attribute("data-at") or "") for byte in found})


def test_pointing_at_a_byte_shows_its_field(marker: webdriver.Chrome) -> None:
    record = _example(marker, "V1")
    ActionChains(marker).move_to_element(record.find_element(By.CSS_SELECTOR, '.wl-byte[data-at="26"]')).perform()
    assert _lit_fields(record) == ["start_seqno"]
    assert _lit_bytes(record) == list(range(24, 32))


def test_pointing_at_a_field_shows_its_bytes(marker: webdriver.Chrome) -> None:
    record = _example(marker, "V1")
    ActionChains(marker).move_to_element(_field(record, "end_seqno")).perform()
    assert _lit_bytes(record) == list(range(32, 40))
    assert _lit_fields(record) == ["end_seqno"]


def test_fields_are_walked_through_with_the_keyboard(marker: webdriver.Chrome) -> None:
    record = _example(marker, "V1")
    marker.execute_script("arguments[0].focus()", record.find_element(By.CSS_SELECTOR, '.wl-field[tabindex="0"]'))
    assert (_lit_fields(record), _lit_bytes(record)) == (["magic"], [0])
    ActionChains(marker).send_keys(Keys.ARROW_DOWN).perform()
    assert (_lit_fields(record), _lit_bytes(record)) == (["opcode"], [1])


def test_pointing_away_leaves_nothing_behind(marker: webdriver.Chrome) -> None:
    record = _example(marker, "V1")
    ActionChains(marker).move_to_element(_field(record, "end_seqno")).perform()
    ActionChains(marker).move_to_element(marker.find_element(By.CSS_SELECTOR, "header")).perform()
    assert _lit_bytes(record) == []


def test_a_malformed_example_shows_where_and_why(marker: webdriver.Chrome) -> None:
    record = _example(marker, "V1, as drawn in the document")
    assert "trailing-bytes" in record.find_element(By.CSS_SELECTOR, ".wl-reason").text
    bad = record.find_elements(By.CSS_SELECTOR, ".wl-byte.wl-bad")
    assert {int(byte.get_attribute("data-at") or "") for byte in bad} == set(range(24, 44))


def test_every_example_can_be_pointed_at(pages: dict[Path, Page]) -> None:
    checked = 0
    for path in pages:
        generated = ROOT / "generated" / "docs" / path.parent.name / f"{path.stem}.md"
        if path.parent.parent.name == "protocols" and generated.exists():
            examples = generated.read_text().partition("\n## Examples\n")[2].partition("\n## ")[0]
            assert path.read_text().count('<section class="wl-record') == examples.count("\n### ")
            checked += 1
    assert checked


def _diagram(browser: webdriver.Chrome, heading: str) -> WebElement:
    return browser.find_element(By.XPATH, f"//*[@id='{heading}']/following::figure[@class='bytes'][1]")


def test_a_diagram_has_the_fields_in_order(marker: webdriver.Chrome) -> None:
    boxes = _diagram(marker, "variant-v2_0").find_elements(By.CSS_SELECTOR, "g.box")
    assert [(box.get_attribute("aria-label") or "").partition(":")[0] for box in boxes] == [
        "version",
        "start_seqno",
        "end_seqno",
        "snapshot_type",
        "max_visible_seqno",
        "high_completed_seqno",
    ]


def test_the_box_with_the_focus_is_told(marker: webdriver.Chrome) -> None:
    diagram = _diagram(marker, "variant-v1")
    marker.execute_script("arguments[0].focus()", diagram.find_element(By.CSS_SELECTOR, "g.box"))
    assert diagram.find_element(By.CSS_SELECTOR, "p.told").text == "start_seqno: u64, 8 bytes at offset 24"


def _inside(outer: list[float], inner: list[float]) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and inner[0] + inner[2] <= outer[0] + outer[2]
        and inner[1] + inner[3] <= outer[1] + outer[3]
    )


def _apart(one: list[float], other: list[float]) -> bool:
    return (
        one[0] + one[2] <= other[0]
        or other[0] + other[2] <= one[0]
        or one[1] + one[3] <= other[1]
        or other[1] + other[3] <= one[1]
    )


def test_boxes_are_apart_and_hold_their_text(opened: dict[Path, Opened]) -> None:
    diagrams = [(path.name, boxes) for path, page in opened.items() for boxes in page.diagrams]
    assert diagrams
    for name, boxes in diagrams:
        rectangles = [rectangle for box in boxes for rectangle in box["rectangles"]]
        assert rectangles
        assert all(_apart(one, other) for one, other in combinations(rectangles, 2)), name
        for box in boxes:
            for text in box["texts"]:
                assert any(_inside(rectangle, text) for rectangle in box["rectangles"]), (name, box["name"])
