"""Pages of records show every byte once, and hold no surprises."""

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from support.cases import each

from inspection.records_to_inspect import DCP, EXAMPLES, noop
from wireloom.codec import Protocol
from wireloom.inspection import fragment, inspect_record, page
from wireloom.inspection.hexdump import lines as hex_lines


class Parsed(HTMLParser):
    """A page's elements: (tag, attributes), its text, and whether every element that begins also ends."""

    VOID = frozenset({"meta", "br", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def having(self, attribute: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if attribute in attributes]


@each(("protocol", "data", "parameters"), EXAMPLES)
def test_every_byte_has_an_element_and_a_field_that_has_it(
    protocol: Protocol, data: bytes, parameters: Mapping[str, Any]
) -> None:
    inspected = inspect_record(protocol, data, **parameters)
    parsed = Parsed(fragment(inspected))
    shown = {at for line in hex_lines(inspected) if not line.elided for at in range(line.start, line.end)}
    assert {int(byte["data-at"] or "") for byte in parsed.having("data-at")} == shown
    fields = [(int(field["data-start"] or ""), int(field["data-end"] or "")) for field in parsed.having("data-start")]
    assert all(any(start <= at < end for start, end in fields) for at in shown)


def test_fragments_have_no_ids_that_could_clash() -> None:
    assert not Parsed(fragment(inspect_record(DCP, noop(b"value")))).having("id")


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '" onmouseover="alert(1)', "</section>", "&lt;"])
def test_values_cannot_become_markup(hostile: str) -> None:
    frame = bytearray(noop(hostile.encode()))
    frame[0], frame[1], frame[7] = 0x81, 0x54, 7
    plain = Parsed(fragment(inspect_record(DCP, noop(hostile.encode()))))
    told = Parsed(fragment(inspect_record(DCP, bytes(frame))))
    tags = {"section", "p", "div", "span", "ul", "li"}
    for parsed in (plain, told):
        assert {tag for tag, _ in parsed.elements} <= tags
        assert not any(name.startswith("on") for _, attributes in parsed.elements for name in attributes)
    assert hostile.replace('"', '\\"') in "".join(told.text)


def test_a_page_needs_nothing_beside_itself() -> None:
    parsed = Parsed("".join(page("a <capture>", [(0, inspect_record(DCP, noop(b"")))], ["no <more>"])))
    assert not parsed.having("src")
    assert not parsed.having("href")
    assert [tag for tag, _ in parsed.elements].count("script") == 1
    assert "a <capture>" in parsed.text
    assert "no <more>" in parsed.text


def test_one_field_of_a_fragment_is_reached_by_tab_and_the_others_from_there() -> None:
    parsed = Parsed(fragment(inspect_record(DCP, noop(b"value"))))
    assert [field["tabindex"] for field in parsed.having("tabindex")].count("0") == 1
