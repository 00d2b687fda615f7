"""The lab as a person has it: the program, and its page in a browser."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

PATIENCE = 60
"""After so many seconds, what a test waits for does not come even on a busy machine."""


@dataclass(frozen=True)
class OpenedLab:
    """A browser at the page of a program that runs in a folder."""

    browser: webdriver.Chrome
    address: str
    folder: Path
    process: int

    def wait(self, condition: Callable[[], Any]) -> Any:
        """What a condition gives, once that is true."""
        ignored = [StaleElementReferenceException]
        return WebDriverWait(self.browser, PATIENCE, 0.05, ignored).until(lambda _: condition())

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """The element, once it is there."""
        found: WebElement = self.wait(lambda: next(iter(self.all(selector)), None))
        return found

    def field(self, name: str) -> WebElement:
        """The row of a field, once it is there."""
        path = f"//*[contains(@class, 'wl-field') and .//*[@class='wl-name' and text()='{name}']]"
        found: WebElement = self.wait(lambda: next(iter(self.browser.find_elements(By.XPATH, path)), None))
        return found

    def fields(self) -> dict[str, str]:
        """The names and values of the fields that are shown."""
        script = """return [...document.querySelectorAll('.lab-tree .wl-field')].map((row) => [
            row.querySelector('.wl-name').textContent, row.querySelector('.lab-value').textContent])"""
        return dict(self.browser.execute_script(script))

    def lit(self, kind: str = "wl-lit") -> list[int]:
        """The bytes that are lit."""
        script = f"return [...document.querySelectorAll('.wl-byte.{kind}')].map((byte) => +byte.dataset.at)"
        return sorted(set(self.browser.execute_script(script)))

    def line(self, kind: str) -> list[str]:
        """The texts of the lines of the spec that are marked in a way."""
        return [line.text.strip() for line in self.all(f".lab-editor:not(.hidden) .cm-line.lab-line-{kind}")]

    def point(self, element: WebElement) -> None:
        ActionChains(self.browser).move_to_element(element).perform()

    def press(self, *keys: str) -> None:
        """Press keys together."""
        chain = ActionChains(self.browser)
        for key in keys[:-1]:
            chain.key_down(key)
        chain.send_keys(keys[-1])
        for key in reversed(keys[:-1]):
            chain.key_up(key)
        chain.perform()

    def type(self, text: str) -> None:
        """Type where the focus is."""
        ActionChains(self.browser).send_keys(text).perform()

    def file(self, name: str) -> None:
        """Open a file of the specs, by the list of files."""
        self.one(".lab-files").click()
        option = f"//*[@role='option'][contains(., '{name}')]"
        self.wait(lambda: self.browser.find_elements(By.XPATH, option))[0].click()
        self.wait(lambda: name in self.one(".lab-files").text)

    def editor(self) -> WebElement:
        """The part of the visible editor that takes keys, which gets the focus."""
        content = self.one(".lab-editor:not(.hidden):not(.lab-code) .cm-content")
        self.browser.execute_script("arguments[0].focus()", content)
        return content

    def text(self) -> str:
        """The text in the visible editor."""
        script = "return getElement(+arguments[0].id.slice(1)).editor.state.doc.toString()"
        found: str = self.browser.execute_script(script, self.one(".lab-editors .lab-editor:not(.hidden)"))
        return found

    def button(self, name: str) -> WebElement:
        path = f"//button[.//*[text()='{name}'] or @aria-label='{name}']"
        found: WebElement = self.wait(lambda: next(iter(self.browser.find_elements(By.XPATH, path)), None))
        return found

    def memory(self) -> int:
        """How much memory the program has, in MB."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024


@contextmanager
def running(folder: Path, *arguments: str | Path) -> Iterator[tuple[str, int]]:
    """The program in a folder: its address, and its number as a process."""
    command = [sys.executable, "-m", "wireloom", "lab", "--no-browser", *map(str, arguments)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            assert process.stderr is not None
            raise AssertionError(process.stderr.read())
        try:
            yield address, process.pid
        finally:
            process.terminate()


@contextmanager
def opened(browser: webdriver.Chrome, folder: Path, *arguments: str | Path) -> Iterator[OpenedLab]:
    """The lab, once its first record is shown."""
    with running(folder, *arguments) as (address, process):
        browser.get(address)
        lab = OpenedLab(browser, address, folder, process)
        lab.wait(lambda: lab.all(".lab-tree .wl-field"))
        yield lab
        browser.execute_script("lab.unsaved(0)")  # so that it does not ask whether to leave
        browser.get("about:blank")


CONTROL, ALT, SHIFT = Keys.CONTROL, Keys.ALT, Keys.SHIFT
