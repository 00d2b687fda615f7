"""Chromium, driven by tests: with a profile of its own, and a record of what pages ask for and complain of."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync"""


@contextmanager
def browsing(profile: Path, size: str = "1280,900") -> Iterator[webdriver.Chrome]:
    """A browser whose profile is in a folder."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.fail("chromium and chromedriver are not on PATH; install them with: sh scripts/setup.sh browser")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}", f"--window-size={size}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield browser
    finally:
        browser.quit()


def asked(browser: webdriver.Chrome) -> list[str]:
    """The addresses that pages asked for since this was called last, those of web sockets included."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requests = [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]
    sockets = [each["params"]["url"] for each in events if each["method"] == "Network.webSocketCreated"]
    return requests + sockets


def complaints(browser: webdriver.Chrome) -> list[str]:
    """What the console has got since this was called last."""
    return [entry["message"] for entry in browser.get_log("browser")]
