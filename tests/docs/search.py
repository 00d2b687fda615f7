"""The search of a site, asked in the browser."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

_ROOT = """
return [...document.querySelectorAll("div")].map(host => host.shadowRoot).find(root => root?.querySelector("input"))
"""


def found(browser: webdriver.Chrome, site: Path, words: str) -> list[str]:
    """The pages that are found, best first, each once and without ``.html``."""
    browser.get((site / "index.html").as_uri())
    browser.find_element(By.CSS_SELECTOR, ".md-search__button").click()
    root = WebDriverWait(browser, 10).until(lambda _: browser.execute_script(_ROOT))
    root.find_element(By.CSS_SELECTOR, "input").send_keys(words)
    links = WebDriverWait(browser, 10).until(
        lambda _: [link.get_attribute("href") or "" for link in root.find_elements(By.CSS_SELECTOR, "a[href]")]
    )
    paths = [Path(unquote(urlsplit(link).path)).relative_to(site) for link in links]
    return list(dict.fromkeys(path.with_suffix("").as_posix() for path in paths))
