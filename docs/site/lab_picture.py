"""``python docs/site/lab_picture.py``: the pictures of the lab, which Chromium takes of the page itself, as PNG.

They are taken again when the page looks different; ``make generate`` does not need a browser.
"""

import base64
import io
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

ROOT = Path(__file__).parents[2]
PICTURES = {scheme: ROOT / "docs" / "pictures" / f"lab-{scheme}.png" for scheme in ("light", "dark")}
_SPEC, _CAPTURE = ROOT / "examples" / "protocols" / "ubx", ROOT / "examples" / "captures" / "ubx" / "drive.ubx"
_SIZE = {"width": 1400, "height": 800, "deviceScaleFactor": 1, "mobile": False}
_FIELD = "//*[contains(@class, 'wl-field') and .//*[@class='wl-name' and text()='lat']]"


def main() -> None:
    """Take the pictures: the field ``lat`` of the first record is pointed at."""
    command = [sys.executable, "-m", "wireloom", "lab", "--no-browser", str(_SPEC), str(_CAPTURE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab, tempfile.TemporaryDirectory() as profile:
        assert lab.stdout is not None
        browser = _browser(Path(profile))
        try:
            _take(browser, lab.stdout.readline().strip())
        finally:
            browser.quit()
            lab.terminate()


def _browser(profile: Path) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("--headless=new", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def _take(browser: webdriver.Chrome, address: str) -> None:
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", _SIZE)
    browser.get(address)
    waiting = WebDriverWait(browser, 30)
    waiting.until(partial(_has, selector=".ag-row .ag-cell"))
    field = waiting.until(lambda _: browser.find_element(By.XPATH, _FIELD))
    field.click()
    waiting.until(partial(_has, selector=".lab-line-lit"))
    for scheme, path in PICTURES.items():
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        waiting.until(partial(_has, selector=f"body.body--{scheme}"))
        ActionChains(browser).move_to_element(browser.find_element(By.XPATH, _FIELD)).pause(1).perform()
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": False})
        picture = Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
        picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def _has(browser: webdriver.Chrome, selector: str) -> bool:
    return bool(browser.find_elements(By.CSS_SELECTOR, selector))


if __name__ == "__main__":
    main()
