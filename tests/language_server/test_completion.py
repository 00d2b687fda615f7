"""What is offered at a cursor, in texts as they are while somebody types."""

import pytest

from language_server.opened import CURSOR, Opened
from wireloom_generator.language_server.completion import Completion, completions

READING, PROTOCOL = "station/reading.yaml", "station/protocol.yaml"
FIELD = "- {name: place, type: u8, unit: rooms, doc: Which room it is.}"


def offered(opened: Opened, name: str, old: str, new: str) -> dict[str, Completion]:
    opened.check(name)
    path, line, column = opened.typed(name, old, new)
    found = completions(opened.workspace, path, line, column)
    assert found is not None
    span, items = found
    assert (span.line, span.start <= column <= span.end) == (line, True)
    return {each.label: each for each in items}


@pytest.mark.parametrize(
    ("old", "new", "some", "none"),
    [
        (FIELD, f"- {{name: place, ty{CURSOR}}}", {"type", "unit", "when"}, {"name", "section"}),
        (FIELD, f"- {{name: place, type: u8, de{CURSOR}", {"derive", "default"}, {"name", "type"}),
        (FIELD, f"- name: place\n      type: u8\n      wh{CURSOR}", {"when", "with"}, {"name", "type"}),
        (FIELD, f"- na{CURSOR}", {"name", "section", "choice", "include", "bits"}, {"when"}),
        ("kind: Reading}\n", f"kind: Reading}}\nva{CURSOR}\n", {"variants", "valid"}, {"match"}),
        ("type: Point, repeat", f"type: {CURSOR}, repeat", {"u8", "text", "Point", "Header"}, {"Kind"}),
        ("unit: rooms", f"enum: K{CURSOR}", {"Kind"}, {"Point"}),
        ("unit: rooms", f"optional: {CURSOR}", {"true", "false"}, {"Kind"}),
        ("unit: rooms", f"terminator: {CURSOR}", {"drop", "keep", "leave"}, {"Kind"}),
        ("unit: rooms", f"checksum: {{algorithm: crc{CURSOR}}}", {"crc32", "crc32c"}, {"Kind"}),
        ("count: points_count", f"count: points_{CURSOR}", {"points_count", "length", "size()", "left"}, {"x"}),
        ("header.kind == Kind.Reading", f"header.{CURSOR}", {"kind", "version"}, {"place"}),
        ("header.kind == Kind.Reading", f"header.kind == Kind.{CURSOR}", {"Reading", "Status", "Any"}, {"place"}),
        ("header.kind == Kind.Reading", f"count(points) == points[0].{CURSOR}", {"x", "y"}, {"place"}),
        ("{header.kind: Reading}", f"{{header.kind: Re{CURSOR}}}", {"Reading", "Any"}, {"place"}),
        ("{header.kind: Reading}", f"{{hea{CURSOR}}}", {"header", "length"}, {"place"}),
        ("  body:", f"  bo{CURSOR}:", {"body"}, {"place"}),
    ],
)  # fmt: skip
def test_what_is_offered(opened: Opened, old: str, new: str, some: set[str], none: set[str]) -> None:
    found = offered(opened, READING, old, new).keys()
    assert some <= found
    assert not none & found


def test_keys_come_with_their_descriptions(opened: Opened) -> None:
    key = offered(opened, READING, FIELD, f"- {{name: place, type: u8, prefi{CURSOR}}}")["prefix"]
    assert key.detail.startswith("instead of `size`: unsigned integer type of a length prefix")
    assert "```yaml\nprefix: u16\n```" in key.text
    assert key.insert == "prefix: "
    assert offered(opened, READING, "prefi}", f"prefi{CURSOR}: u8}}")["prefix"].insert == ""


def test_names_come_with_their_types_and_descriptions(opened: Opened) -> None:
    place = offered(opened, READING, "count: points_count", f"count: {CURSOR}")["place"]
    assert (place.detail, place.text) == ("u8", "Which room it is.")
    value = offered(opened, PROTOCOL, "{Any: [Reading, Status]}", f"{{Any: [Reading, Status]}}\n    s{CURSOR}")
    assert {"since", "source"} <= value.keys()
    assert "doc" not in value


def test_where_nothing_can_be_said_nothing_is_offered(opened: Opened) -> None:
    opened.check(READING)
    place = opened.typed(READING, "message: reading", f"]]{CURSOR} message: reading")
    assert completions(opened.workspace, *place) is None


def test_a_file_that_is_broken_elsewhere_below_still_gets_keys(opened: Opened) -> None:
    opened.edit(READING, "decoded: {header", "decoded: {[header")
    assert "when" in offered(opened, READING, FIELD, f"- {{name: place, wh{CURSOR}}}")
