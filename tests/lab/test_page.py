"""The page of the lab, used as a person uses it."""

import socket
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from selenium import webdriver
from selenium.webdriver import Keys
from support.chromium import asked, complaints

from lab import small
from lab.opened_lab import ALT, CONTROL, SHIFT, OpenedLab, opened, running

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("site")]


def test_the_page_asks_this_machine_alone_and_nothing_is_missing(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    asked(chromium), complaints(chromium)
    (tmp_path / "capture.bin").write_bytes(small.FIRST)
    with opened(chromium, tmp_path, small.specs(tmp_path), "capture.bin") as lab:
        for tab in ("Spark schema", "Documentation", "Parser"):
            lab.wait(lambda name=tab: _tab(lab, name))
        urls = map(urlsplit, asked(chromium))
        found = {(url.scheme, url.netloc) for url in urls if url.scheme in ("http", "https", "ws", "wss")}
        here = urlsplit(lab.address).netloc
        assert found == {("http", here), ("ws", here)}
        assert complaints(chromium) == []


def _tab(lab: OpenedLab, name: str) -> bool:
    """Open a tab; whether it is open."""
    tab = next(tab for tab in lab.all(".q-tab") if tab.text.strip() == name)
    tab.click()
    return tab.get_attribute("aria-selected") == "true"


def test_a_field_that_is_typed_shows_its_bytes(lab: OpenedLab) -> None:
    lab.press(ALT, Keys.PAGE_DOWN)
    lab.wait(lambda: "record 1 " in lab.one(".lab-headline").text)
    assert "text" not in lab.fields()
    lab.file("alarm.yaml")
    lab.editor()
    lab.press(CONTROL, Keys.END)
    lab.press(Keys.ARROW_LEFT)
    for _ in "[]":
        lab.press(Keys.BACKSPACE)
    lab.type("\n- {name: text, type: text, size: rest}")
    lab.wait(lambda: lab.fields().get("text") == '"leak"')
    lab.point(lab.field("text"))
    assert lab.lit() == [4, 5, 6, 7]
    assert lab.wait(lambda: lab.line("lit")) == ["- {name: text, type: text, size: rest}"]
    assert (lab.folder / "meter" / "alarm.yaml").read_text().endswith("body: []\n")


def test_a_broken_spec_says_where_and_keeps_the_last_picture(lab: OpenedLab) -> None:
    lab.file("level.yaml")
    lab.editor()
    lab.press(CONTROL, Keys.END)
    lab.type("bogus: 1")
    (problem,) = lab.wait(lambda: lab.all(".lab-problem"))
    assert "level.yaml:10 unknown key 'bogus'" in problem.text
    assert lab.wait(lambda: lab.line("error")) == ["bogus: 1"]
    assert lab.one(".lab-mark-error").text.startswith("bogus")
    assert lab.wait(lambda: lab.one(".lab-stale").text).startswith("The spec has an error.")
    assert lab.fields()["tank"] == "5"
    lab.press(CONTROL, Keys.HOME)
    problem.click()
    lab.wait(lambda: "bogus" in lab.one(".lab-editor:not(.hidden) .cm-activeLine").text)
    for _ in "bogus: 1":
        lab.press(Keys.ARROW_RIGHT)
    for _ in "bogus: 1":
        lab.press(Keys.BACKSPACE)
    lab.wait(lambda: not lab.one(".lab-stale").is_displayed() and not lab.all(".lab-problem"))


def test_a_message_is_begun_in_the_page(lab: OpenedLab) -> None:
    lab.button("A new message").click()
    lab.one(".lab-new-message input").send_keys("level", Keys.ENTER)
    lab.wait(lambda: "there is a file level.yaml already" in lab.one(".q-notification").text)
    lab.one(".lab-new-message input").send_keys("_of_old")
    lab.button("Begin its file").click()
    lab.wait(lambda: "level_of_old.yaml" in lab.one(".lab-files").text)
    assert lab.text().startswith("message: level_of_old\n")
    lab.wait(lambda: lab.all(".lab-problem"))  # it describes all records, as the others do
    assert not (lab.folder / "meter" / "level_of_old.yaml").exists()
    lab.editor()
    lab.press(CONTROL, "s")
    lab.wait((lab.folder / "meter" / "level_of_old.yaml").exists)


def test_bytes_fields_and_lines_point_at_each_other(lab: OpenedLab) -> None:
    lab.file("level.yaml")
    lab.point(lab.field("millimetres"))
    assert lab.lit() == [5, 6]
    assert lab.wait(lambda: lab.line("lit")) == ["- {name: millimetres, type: u16}"]
    lab.one('.wl-byte[data-at="4"]').click()
    assert "wl-lit" in (lab.field("tank").get_attribute("class") or "")
    assert lab.wait(lambda: lab.line("lit")) == ["- name: tank"]
    lab.editor()
    lab.press(CONTROL, Keys.HOME)
    for _ in range(5):
        lab.press(Keys.ARROW_DOWN)
    assert lab.wait(lambda: lab.lit("lab-on")) == [4]  # by the second line of the field
    lab.press(Keys.ARROW_DOWN)
    lab.press(Keys.ARROW_DOWN)
    lab.wait(lambda: lab.lit("lab-on") == [5, 6])


def test_a_field_of_another_file_leads_there(lab: OpenedLab) -> None:
    assert "protocol.yaml" in lab.one(".lab-files").text
    lab.field("tank").click()
    lab.wait(lambda: "level.yaml" in lab.one(".lab-files").text)
    lab.wait(lambda: lab.line("lit") == ["- name: tank"])


def test_the_keyboard_is_enough(lab: OpenedLab) -> None:
    browser = lab.browser

    def focused(selector: str) -> bool:
        return bool(browser.execute_script("return document.activeElement.closest(arguments[0]) !== null", selector))

    browser.execute_script("document.activeElement.blur()")
    for pane in (".lab-spec", ".lab-bytes", ".lab-fields", ".lab-lower"):
        lab.press(Keys.F6)
        lab.wait(lambda pane=pane: focused(pane))
    lab.press(SHIFT, Keys.F6)
    lab.wait(lambda: focused(".wl-field"))
    lab.press(Keys.END)
    lab.wait(lambda: lab.lit() == [7, 8, 9, 10])
    lab.press(Keys.ENTER)
    lab.wait(lambda: focused(".cm-content"))
    assert "level.yaml" in lab.one(".lab-files").text
    lab.press(Keys.F1)
    lab.wait(lambda: "next, previous record" in lab.one(".lab-card").text)
    lab.press(Keys.ESCAPE)
    lab.wait(lambda: not lab.all(".lab-card"))
    lab.press(ALT, Keys.PAGE_DOWN)
    lab.wait(lambda: "record 1 " in lab.one(".lab-headline").text)


def test_rows_are_walked_through_with_the_keyboard(lab: OpenedLab) -> None:
    lab.wait(lambda: len(lab.all(".lab-grid .ag-row")) == 4)
    lab.one('.ag-row[row-index="0"] .ag-cell').click()
    for number in (1, 2, 3):
        lab.press(Keys.ARROW_DOWN)
        lab.wait(lambda number=number: f"record {number} " in lab.one(".lab-headline").text)
    assert lab.fields()["tank"] == "6"


def test_a_malformed_range_says_why(lab: OpenedLab) -> None:
    lab.one('.ag-row[row-index="2"] .ag-cell').click()
    lab.wait(lambda: "magic == 0xca expected" in lab.one(".wl-reason").text)
    assert lab.lit("wl-bad") == [0]


def test_records_are_filtered(lab: OpenedLab) -> None:
    lab.one('.lab-filters input[aria-label="Text, or bytes in hex"]').send_keys("leak")
    lab.wait(lambda: "1 of 4 records" in lab.one(".lab-count").text)
    lab.wait(lambda: [row.text.split()[0] for row in lab.all(".ag-center-cols-container .ag-row")] == ["1"])


def test_an_example_is_made_by_one_click_and_saved_on_demand(lab: OpenedLab) -> None:
    file = lab.folder / "meter" / "level.yaml"
    lab.button("Make an example").click()
    lab.wait(lambda: "level.yaml" in lab.one(".lab-files").text)
    lab.wait(lambda: "- name: Record at 0x0" in lab.text())
    assert f"hex: {small.FIRST.hex(' ')}" in lab.text()
    assert "millimetres: 256" in lab.text()
    lab.wait(lambda: "not saved" in lab.one(".lab-unsaved").text)
    lab.wait(lambda: lab.one(".lab-verdict").text == "no problems")
    assert file.read_text() == small.LEVEL
    lab.press(CONTROL, "s")
    lab.wait(lambda: file.read_text() == lab.text())
    lab.wait(lambda: lab.one(".lab-unsaved").text == "")


def test_a_file_that_was_changed_on_disk_is_not_overwritten_unasked(lab: OpenedLab) -> None:
    file = lab.folder / "meter" / "protocol.yaml"
    lab.editor()
    lab.press(CONTROL, Keys.HOME)
    lab.type("# mine\n")
    lab.wait(lambda: "not saved" in lab.one(".lab-unsaved").text)
    file.write_text("# theirs\n" + small.PROTOCOL)
    lab.press(CONTROL, "s")
    lab.wait(lambda: "was changed since it was read" in lab.one(".lab-card").text)
    assert file.read_text().startswith("# theirs\n")
    lab.button("Write mine over it").click()
    lab.wait(lambda: file.read_text() == "# mine\n" + small.PROTOCOL)


def test_bytes_are_pasted(lab: OpenedLab) -> None:
    lab.button("Paste bytes").click()
    lab.one(".lab-paste textarea").send_keys(small.THIRD.hex(" "))
    lab.button("Decode them").click()
    lab.wait(lambda: lab.fields().get("tank") == "6")
    assert lab.one(".lab-source").text == "pasted bytes, 11 bytes"


def test_outputs_are_those_of_what_is_on_the_screen(lab: OpenedLab) -> None:
    lab.wait(lambda: _tab(lab, "Documentation"))
    lab.wait(lambda: "millimetres" in lab.one(".lab-documentation").text)
    lab.wait(lambda: _tab(lab, "Spark schema"))
    lab.wait(lambda: any("SCHEMA is a row" in code.text for code in lab.all(".lab-code .cm-content")))


def test_colours_follow_the_system_until_one_chooses(lab: OpenedLab) -> None:
    def is_dark() -> bool:
        script = "return getComputedStyle(document.querySelector('.lab-pane')).backgroundColor"
        return str(lab.browser.execute_script(script)) == "rgb(13, 17, 23)"

    for scheme in ("dark", "light"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        lab.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        lab.wait(lambda scheme=scheme: is_dark() == (scheme == "dark"))
    lab.button("Dark").click()
    lab.wait(is_dark)


def test_a_narrow_page_has_one_part_below_the_other(lab: OpenedLab) -> None:
    narrow = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    lab.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    try:
        lab.wait(lambda: lab.browser.execute_script("return document.documentElement.scrollWidth") == 400)
        tops = [lab.one(each).rect["y"] for each in (".lab-spec", ".lab-bytes", ".lab-fields", ".lab-lower")]
        assert tops == sorted(tops)
        assert all(lab.one(each).rect["width"] == 400 for each in (".lab-editors", ".lab-bytes", ".lab-fields"))
    finally:
        lab.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_large_capture_is_shown_before_it_is_read(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    text = b"a long alarm, of which there are many".ljust(180)
    alarm = b"\xca\x02" + len(text).to_bytes(2) + text
    records = (small.FIRST + alarm) * 1000 + small.NOISE
    times = 50_000_000 // len(records)
    (tmp_path / "capture.bin").write_bytes(records * times)
    with opened(chromium, tmp_path, small.specs(tmp_path), "capture.bin") as lab:
        lab.wait(lambda: lab.fields().get("tank") == "5")
        paint = chromium.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        lab.wait(lambda: " read" not in lab.one(".lab-count").text and "records" in lab.one(".lab-count").text)
        sys.stderr.write(f"\nfirst paint after {paint / 1000:.1f} s, then {lab.memory()} MB\n")
        assert lab.one(".lab-count").text == f"{times * 2001:,} records, {times} malformed"
        assert paint < 20_000
        assert lab.memory() < 600


def test_nothing_is_written_unless_it_is_saved(lab: OpenedLab) -> None:
    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in lab.folder.rglob("*") if path.is_file()}

    before = files()
    lab.editor()
    lab.type("# a draft\n")
    lab.wait(lambda: "not saved" in lab.one(".lab-unsaved").text)
    lab.wait(lambda: _tab(lab, "Documentation"))
    lab.wait(lambda: lab.one(".lab-documentation").text)
    assert files() == before


def test_a_second_page_takes_over_the_drafts(lab: OpenedLab) -> None:
    first = lab.browser.current_window_handle
    lab.editor()
    lab.type("# a draft\n")
    lab.wait(lambda: "not saved" in lab.one(".lab-unsaved").text)
    lab.browser.switch_to.new_window("tab")
    try:
        lab.browser.get(lab.address)
        lab.wait(lambda: lab.all(".lab-editor .cm-content") and lab.text().startswith("# a draft\n"))
        lab.wait(lambda: "not saved" in lab.one(".lab-unsaved").text)
        lab.browser.execute_script("lab.unsaved(0)")
    finally:
        lab.browser.close()
        lab.browser.switch_to.window(first)
    lab.wait(lambda: lab.one(".lab-editor .cm-content").get_attribute("contenteditable") == "false")


def test_without_the_token_nothing_is_answered(tmp_path: Path) -> None:
    with running(tmp_path, small.specs(tmp_path)) as (address, _):
        here = urlsplit(address)
        assert here.hostname == "127.0.0.1"
        with urlopen(address) as answer:
            assert answer.status == 200
        root = f"http://{here.netloc}"
        for request in (Request(f"{root}/"), Request(f"{root}/_nicegui_ws/socket.io/?EIO=4&transport=polling")):
            with pytest.raises(HTTPError, match="403"):
                urlopen(request)
        with pytest.raises(HTTPError, match="403"):
            urlopen(Request(address, headers={"Host": f"rebound.example:{here.port}"}))
        for path, status in (("/_nicegui_ws/socket.io/", b"403"), (f"{here.path}_nicegui_ws/socket.io/", b"101")):
            assert _upgraded(here.netloc, f"{path}?EIO=4&transport=websocket") == status


def _upgraded(place: str, path: str) -> bytes:
    """The status that the server answers who asks for a web socket."""
    host, _, port = place.partition(":")
    lines = [f"GET {path} HTTP/1.1", f"Host: {place}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return connection.recv(64).split()[1]
