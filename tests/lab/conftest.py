"""A browser for the page of the lab."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from support.chromium import browsing

from lab import small
from lab.opened_lab import OpenedLab, opened


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser with a profile of its own, as wide as a screen."""
    with browsing(tmp_path_factory.mktemp("profile"), "1440,1000") as browser:
        yield browser


@pytest.fixture
def lab(chromium: webdriver.Chrome, tmp_path: Path) -> Iterator[OpenedLab]:
    """The lab with the small protocol, of whose alarms no field is known yet, and a capture."""
    folder = small.specs(tmp_path)
    (folder / "alarm.yaml").write_text(small.ALARM.partition("    -")[0].replace("  body:\n", "  body: []\n"))
    (tmp_path / "capture.bin").write_bytes(small.FIRST + small.SECOND + small.NOISE + small.THIRD)
    with opened(chromium, tmp_path, "meter", "capture.bin") as found:
        yield found
