"""What a record shows to be wrong is marked alike on a page, on a terminal and in plain text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

from support.cases import each
from support.compiled import of

from inspection.records_to_inspect import DCP, EXAMPLES
from wireloom.cli.terminal import Terminal, show
from wireloom.codec import DecodeError, Protocol
from wireloom.inspection import Inspected, fragment, inspect_record
from wireloom.inspection.plain import lines
from wireloom.inspection.record import explained


@dataclass(frozen=True)
class Marked:
    """The numbers of the bytes, the names of the fields and whether the end is marked."""

    at: frozenset[int] = frozenset()
    fields: tuple[str, ...] = ()
    end: bool = False


NOTHING = Marked()


def marked(inspected: Inspected) -> Marked:
    """What the page marks, the terminal marking the same. The plain form has marks under bytes alone."""
    page = _marked_on_a_page(inspected)
    assert _marked_on_a_terminal(inspected) == (len(page.at), page.fields, page.end)
    text = "\n".join(lines(inspected))
    assert text.count("^^") == len(page.at) + page.end
    assert ("the bytes end here" in text) == page.end
    return page


def _marked_on_a_page(inspected: Inspected) -> Marked:
    text = fragment(inspected)
    at = re.findall(r'class="wl-byte [^"]*wl-bad" data-at="(\d+)"', text)
    names = re.findall(r'class="wl-field [^"]*wl-bad"[^>]*><span class="wl-name">([^<]*)<', text)
    return Marked(frozenset(map(int, at)), tuple(names), '"wl-bad">the bytes end here<' in text)


def _marked_on_a_terminal(inspected: Inspected) -> tuple[int, tuple[str, ...], bool]:
    console = Terminal(force_terminal=True, color_system="standard", width=200, no_color=False, file=StringIO())
    with console.capture() as capture:
        show(inspected, None, console)
    text = capture.get()
    found = re.findall(r"\x1b\[1;37;41m(.*?)\x1b\[0m", text)
    at = [word for word in found if re.fullmatch("[0-9a-f]{2}", word)]
    return len(at), tuple(word for word in found if len(word) > 2), "the bytes end here" in text


COMPUTED = """
protocol: computed
byte_order: big
record: {length: 5, fields: [{section: body, size: rest}]}
---
message: reading
match: {}
sections:
  body:
    - {name: first, type: u32}
    - {name: other, type: u8, compute: 1}
    - {name: twice, type: u8, compute: first * 2}
"""


def test_a_computed_value_that_is_wrong_is_marked_and_not_its_neighbours() -> None:
    found = of(f"{COMPUTED}    - {{name: behind, type: u8}}\n")
    inspected = inspect_record(found.codec, bytes.fromhex("0001000007"))
    assert inspected.reason == "range: reading.twice at byte 4: 131072 does not fit a short"
    assert marked(inspected) == Marked(fields=("twice",))


def test_a_computed_value_at_the_end_does_not_end_early() -> None:
    found = of(COMPUTED.replace("length: 5", "length: 4"))
    inspected = inspect_record(found.codec, bytes.fromhex("00010000"))
    assert inspected.reason == "range: reading.twice at byte 4: 131072 does not fit a short"
    assert marked(inspected) == Marked(fields=("twice",))


def test_a_computed_value_in_front_of_missing_bytes_is_not_marked() -> None:
    found = of(f"{COMPUTED}    - {{name: behind, type: u8}}\n")
    inspected = inspect_record(found.codec, bytes.fromhex("00000001"))
    assert [leaf.name for leaf in inspected.leaves()] == ["first", "other", "twice"]
    assert marked(inspected) == Marked(end=True)


def test_a_later_piece_of_a_malformed_range_shows_nothing_of_what_is_wrong() -> None:
    told = DecodeError("invalid", "a magic expected", 4)
    assert marked(explained(DCP, bytes(range(24)), 100, {}, told)) == NOTHING


def test_a_field_whose_last_bytes_are_missing_is_marked_with_those_there_are() -> None:
    frame = bytes.fromhex("80560000140000000000001400000000") + bytes(8 + 19)
    assert marked(inspect_record(DCP, frame)) == Marked(frozenset({40, 41, 42}), ("snapshot_type",))


@each(("protocol", "data", "parameters"), EXAMPLES)
def test_all_forms_mark_the_same(protocol: Protocol, data: bytes, parameters: Mapping[str, Any]) -> None:
    inspected = inspect_record(protocol, data, **parameters)
    assert (marked(inspected) == NOTHING) == (inspected.error is None)


REFUSED = """
protocol: refused
byte_order: big
record: {length: 8, fields: [{name: kind, type: u8}, {section: body, size: rest}]}
---
message: reading
match: {}
sections:
  body:
    - {name: amount, type: bcd, digits: 6}
    - {name: unit, type: text, size: 2, encoding: ascii}
    - {name: more, type: u16}
"""


def test_a_value_that_is_refused_is_marked_and_not_what_follows() -> None:
    found = of(REFUSED).codec
    digit = inspect_record(found, bytes.fromhex("01 12 3a 56 6d6d 0001"))
    assert marked(digit) == Marked(frozenset({1, 2, 3}), ("amount",))
    letter = inspect_record(found, bytes.fromhex("01 12 34 56 6dff 0001"))
    assert marked(letter) == Marked(frozenset({4, 5}), ("unit",))
