"""The documentation site, built once of a checkout with few messages; the whole of it where much is tried."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from support.chromium import browsing
from support.paths import ROOT
from support.small_checkout import small_checkout

from docs.site_pages import Page, pages_of


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
def pages(site: Path) -> dict[Path, Page]:
    """Every page of the site."""
    return pages_of(site)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser with a profile of its own, which writes down what pages ask for."""
    with browsing(tmp_path_factory.mktemp("profile")) as browser:
        yield browser
