"""The documentation site, opened in Chromium from ``file://``: it loads what it needs, fits a phone and answers."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait
from support.chromium import asked, complaints
from support.paths import ROOT

from docs.search import found
from docs.site_pages import Page

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("site")]

MARKER = "protocols/couchbase_dcp/snapshot_marker.html"


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

OPENED = ("index", "quick-reference", "strings", "rules-spec", "command-line", "errata", "spark")
"""What is opened of the pages that are written by hand, or made at once of all rules and commands."""


def _some(pages: dict[Path, Page], site: Path, *, whole: bool) -> list[Path]:
    """Those that are written by hand, all of them or a few; the first of each protocol; and one in forty of those that
    are all alike: decisions and messages.
    """
    written = (site, site / "reference")
    alike = [path for path in pages if path.parent not in written and path.name != "index.html"]
    firsts = [path for path in pages if path.parent not in written and path.name == "index.html"]
    by_hand = [path for path in pages if path.parent in written and (whole or path.stem in OPENED)]
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
    return Opened(
        complaints(browser),
        asked(browser),
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
        ("endianness", "reference/byte-order"),
        ("null-terminated string", "reference/strings"),
        ("TLV", "reference/lengths"),
        ("C string", "reference/recipes"),
        ("varint", "reference/integers"),
        ("CRC", "reference/checksums"),
        ("optional field", "reference/versions"),
        ("nested message", "reference/structs"),
        ("install", "guide"),
        ("Spark schema", "spark"),
        ("quick start", "guide"),
        ("performance", "guide"),
        ("partition size", "tuning"),
        ("bitmask", "reference/enums"),
        ("conditional", "reference/versions"),
        ("date", "reference/times"),
        ("default value", "reference/constants"),
        ("floating point", "reference/integers"),
        ("IP address", "reference/times"),
        ("magic number", "reference/constants"),
        ("skip bytes", "reference/lengths"),
        ("UUID", "reference/times"),
        ("checksum mismatch", "reference/errors"),
        ("convert to parquet", "commands"),
        ("delimiter", "reference/strings"),
        ("error handling", "reference/errors"),
        ("serialize", "python"),
        ("sync word", "reference/framing"),
        ("pointer", "reference/pointers"),
        ("transform", "reference/compression"),
        ("validity check", "reference/framing"),
        ("little endian", "reference/byte-order"),  # rather than an example of that name
        ("checksum-algorithm", "rules-spec"),
        ("max_visible_seqno", "protocols/couchbase_dcp/snapshot_marker"),
    ],
)
def test_the_search_finds_the_page_first(chromium: webdriver.Chrome, site: Path, words: str, page: str) -> None:
    assert found(chromium, site, words)[0] == page


def test_a_phone_shows_below_a_row_what_it_means(chromium: webdriver.Chrome, site: Path) -> None:
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        chromium.get((site / MARKER).as_uri())
        row = chromium.find_element(By.XPATH, "//td[. = 'version']/..")
        name, *_, kind, meaning = (cell.rect for cell in row.find_elements(By.TAG_NAME, "td"))
    finally:
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert name["y"] == kind["y"] < meaning["y"]
    assert name["x"] == meaning["x"] < kind["x"]
    assert name["width"] < meaning["width"] > 300


def test_the_search_finds_the_guide_before_messages(chromium: webdriver.Chrome, site: Path) -> None:
    assert found(chromium, site, "logical_partition_id")[:2] == ["cdc-databus", "protocols/databus/dbus_event"]


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
