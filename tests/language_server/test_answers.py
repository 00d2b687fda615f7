"""Descriptions, outlines, problems and their fixes."""

from pathlib import Path

import pytest

from language_server.opened import Opened
from wireloom_generator.language_server.diagnostics import canonical, fixes, page_of, span_of
from wireloom_generator.language_server.hover import hover
from wireloom_generator.language_server.outline import Outlined, outline
from wireloom_generator.language_server.places import TextRange, inside, replaced
from wireloom_generator.problems import Location

READING, PROTOCOL, LIBRARY = "station/reading.yaml", "station/protocol.yaml", "shared/library.yaml"


def test_the_protocol_of_these_tests_has_no_problems(opened: Opened) -> None:
    assert opened.check(READING) == {}


@pytest.mark.parametrize(
    ("name", "around", "said"),
    [
        (READING, "unit: rooms, d¦oc", ["`doc`: ", "```yaml\ndoc: "]),
        (READING, "name: pla¦ce", ["`place`: u8, rooms\n\nWhich room it is.", "- offset: 4", "- size: 1 byte"]),
        (READING, "name: pla¦ce", ["- column `place`: short"]),
        (READING, "name: ma¦rk", ["Where it was marked.", "- offset: after `points`"]),
        (READING, "count: points_¦count", ["`points_count`: u8", "- offset: 5"]),
        (READING, "header.ki¦nd ==", ["`kind`: u8", "- offset: +1 in `Header`", "`kind_name`: string"]),
        (READING, "type: Po¦int", ["`Point`\n\nA place in the plane.", "- `x`: short"]),
        (PROTOCOL, "enum: Ki¦nd", ["`Kind`\n\nWhat a record is.", "- `Reading`"]),
        (PROTOCOL, "name: Stat¦us", ["`Status` = 2"]),
        (PROTOCOL, "name: len¦gth", ["`length`: u16", "- offset: 0"]),
    ],
)  # fmt: skip
def test_what_a_name_means_is_told(opened: Opened, name: str, around: str, said: list[str]) -> None:
    opened.check(name)
    found = hover(opened.workspace, *opened.cursor(name, around))
    assert found is not None
    assert [part for part in said if part not in found[1]] == []


def test_nothing_is_told_of_what_means_nothing(opened: Opened) -> None:
    opened.check(READING)
    assert hover(opened.workspace, *opened.cursor(READING, "Which ro¦om")) is None


def test_a_broken_spec_keeps_its_last_meaning(opened: Opened) -> None:
    opened.check(READING)
    opened.edit(PROTOCOL, "byte_order: big", "byte_order: [")
    opened.check(PROTOCOL)
    found = hover(opened.workspace, *opened.cursor(READING, "name: pla¦ce"))
    assert found is not None
    assert "- offset: 4" in found[1]


def test_a_file_that_is_broken_when_it_is_opened_has_an_outline_up_to_there(opened: Opened) -> None:
    opened.edit("station/reading.yaml", "    - name: mark\n", "    - {name: mark\n")
    opened.check("station/reading.yaml")
    (message,) = outline(opened.workspace.document(opened.path("station/reading.yaml")))
    assert message.name == "reading"
    assert [each.name for each in message.inner] == ["place", "points_count", "points"]
    path, line, column = opened.cursor("station/reading.yaml", "un¦it: rooms")
    told = hover(opened.workspace, path, line, column)
    assert told is not None
    assert "unit" in told[1].lower()


def test_an_outline_has_what_is_declared(opened: Opened) -> None:
    def names(found: tuple[Outlined, ...]) -> list[object]:
        return [[each.name, *names(each.inner)] if each.inner else each.name for each in found]

    document = opened.workspace.document(opened.path(PROTOCOL))
    assert names(outline(document)) == [
        ["station", ["Kind", "Reading", "Status"], ["Header", "version", "kind"], "length", "header", "body"]
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "rule", "shown", "title", "mended"),
    [
        (READING, "type: Point", "type: Poimt", "known-type", "Poimt", "Write Point", "type: Point"),
        (READING, "points_count}", "points_cuont}", "expression", "points_cuont", "Write points_count", "_count}}"),
        (READING, "unit: rooms", "uniit: rooms", "unknown-key", "uniit", "Write unit", "unit: rooms"),
        (READING, "place != 0", "plaec != 0", "expression", "plaec", "Write place", "place != 0"),
        (READING, "place, type: u8,", "place,", "missing-key", "{", "Add type", "- {type: u16, name: place,"),
        (READING, "mark\n      type: u8", "mark", "missing-key", "name", "Add type", "- type: u16\n      name: mark"),
        (PROTOCOL, "[shared]", "[shraed]", "known-import", "shraed", "Write shared", "imports: [shared]"),
    ],
)  # fmt: skip
def test_a_problem_is_where_it_is_and_has_a_fix(
    opened: Opened, name: str, old: str, new: str, rule: str, shown: str, title: str, mended: str
) -> None:
    opened.edit(name, old, new)
    problems = opened.check(name)[name]
    problem = next(each for each in problems if each.rule == rule)
    document = opened.workspace.document(opened.path(name))
    span = span_of(document, problem)
    assert document.lines[span.line][span.start : span.end] == shown
    fix = next(fix for fix in fixes(document, problem) if fix.title == title)
    assert mended in replaced(document.text, {fix.span: fix.word})


def test_problems_of_a_library_are_those_of_all_protocols_that_use_it(opened: Opened) -> None:
    opened.edit(LIBRARY, "name: Point", "name: Spot")
    assert "known-type" in [problem.rule for problem in opened.check(LIBRARY)[READING]]


def test_each_rule_has_a_page() -> None:
    page = page_of("known-type")
    assert page is not None
    assert page.read_text(encoding="utf-8").startswith("# known-type\n")
    assert page_of("no-such-rule") is None


def test_the_canonical_form_is_offered_if_it_is_another(opened: Opened) -> None:
    document = opened.workspace.document(opened.path(LIBRARY))
    assert canonical(document) is None
    opened.edit(LIBRARY, "library: shared", "library:   'shared'")
    assert canonical(opened.workspace.document(opened.path(LIBRARY))) == document.text
    opened.edit(LIBRARY, "types:", "types: [")
    assert canonical(opened.workspace.document(opened.path(LIBRARY))) is None


@pytest.mark.parametrize(
    ("lines", "column", "text", "part", "span"),
    [
        (["a: b.c + d"], 4, "b.c + d", "d", TextRange(0, 9, 10)),
        (["a: 'b  +  c'"], 4, "b  +  c", "c", TextRange(0, 10, 11)),
        (["a: >-  # why", "    b and", "    cd"], 4, "b and cd", "cd", TextRange(2, 4, 6)),
        (["a: b +", "  c"], 4, "b + c", "c", TextRange(1, 2, 3)),
        (['a: "\\x62"'], 4, "b", "b", None),
    ],
)
def test_a_part_of_a_text_is_found_on_its_line(
    lines: list[str], column: int, text: str, part: str, span: TextRange | None
) -> None:
    assert inside(lines, Location(Path("x"), 1, column), text, text.rindex(part), len(part)) == span
