"""Declarations, references and renaming, in files that need not be saved."""

import pytest

from language_server.opened import Opened
from wireloom_generator.language_server.navigation import RenameError, declarations, edited, references, renamed

READING, PROTOCOL, LIBRARY = "station/reading.yaml", "station/protocol.yaml", "shared/library.yaml"

VARIANTS = """\
variants:
  - name: dated
    when: wide
    sections:
      body:
        - {name: year, type: u16}
        - {name: month, type: u8}
        - {name: day, type: u8}
        - name: date
          type: timestamp
          compute: {calendar: {year: year, month: month, day: day}}
examples:"""


def found(opened: Opened, name: str, around: str) -> list[str]:
    opened.check(name)
    return opened.shown(references(opened.workspace, *opened.cursor(name, around)))


def test_a_type_of_a_library_is_used_by_fields(opened: Opened) -> None:
    assert found(opened, READING, "type: Po¦int") == [
        "shared/library.yaml:3: - name: «Point»",
        "station/reading.yaml:7: - {name: points, type: «Point»",
    ]


def test_a_field_is_used_by_expressions_and_examples(opened: Opened) -> None:
    assert found(opened, READING, "count: points_¦count") == [
        "station/reading.yaml:6: - {name: «points_count»",
        "station/reading.yaml:7: - {name: points, type: Point, repeat: {count: «points_count»",
    ]
    assert found(opened, READING, "name: pla¦ce") == [
        "station/reading.yaml:5: - {name: «place»",
        "station/reading.yaml:11: «place»",
        "station/reading.yaml:17: decoded: {header: {kind: 1, kind_name: Reading}, «place»",
    ]


def test_a_field_in_a_struct_is_used_behind_dots_and_by_its_columns(opened: Opened) -> None:
    assert found(opened, PROTOCOL, "name: ki¦nd") == [
        "station/protocol.yaml:17: - {name: «kind»",
        "station/reading.yaml:2: match: {header.«kind»",
        "station/reading.yaml:12: header.«kind»",
        "station/reading.yaml:17: decoded: {header: {«kind»",
        "station/reading.yaml:17: decoded: {header: {kind: 1, «kind»",
    ]


def test_a_value_of_an_enum_is_used_in_groups_selectors_expressions_and_labels(opened: Opened) -> None:
    assert found(opened, PROTOCOL, "name: Read¦ing") == [
        "station/protocol.yaml:9: - {name: «Reading»",
        "station/protocol.yaml:11: groups: {Any: [«Reading»",
        "station/reading.yaml:2: match: {header.kind: «Reading»",
        "station/reading.yaml:12: header.kind == Kind.«Reading»",
        "station/reading.yaml:17: decoded: {header: {kind: 1, kind_name: «Reading»",
    ]


def test_a_parameter_a_variant_and_parts_of_times_are_used_by_name(opened: Opened) -> None:
    opened.edit(
        PROTOCOL, "imports: [shared]", "imports: [shared]\nparameters: [{name: wide, type: bool, default: false}]"
    )
    opened.edit(READING, "examples:", VARIANTS)
    opened.edit(READING, "decoded: {header", "parameters: {wide: true}\n    decoded: {variant: dated, header")
    assert found(opened, READING, "- name: da¦ted") == [
        "station/reading.yaml:15: - name: «dated»",
        "station/reading.yaml:29: decoded: {variant: «dated»",
    ]
    assert [each.partition(": ")[0] for each in found(opened, READING, "name: ye¦ar")] == [
        "station/reading.yaml:19", "station/reading.yaml:24",
    ]  # fmt: skip
    assert [each.partition(": ")[0] for each in found(opened, READING, "when: wi¦de")] == [
        "station/protocol.yaml:5", "station/reading.yaml:16", "station/reading.yaml:28",
    ]  # fmt: skip


def test_what_a_type_is_given_is_renamed_where_it_is_passed(opened: Opened) -> None:
    opened.edit(LIBRARY, "    doc: A place in the plane.\n", "    given: [far]\n    doc: A place in the plane.\n")
    opened.edit(LIBRARY, "{name: y, type: i16}", "{name: y, type: i16, when: far > 1}")
    opened.edit(READING, "type: Point, repeat", "type: Point, with: {far: place}, repeat")
    assert opened.check(LIBRARY) == {}
    assert found(opened, READING, "{fa¦r: place}") == [
        "shared/library.yaml:4: given: [«far»",
        "shared/library.yaml:6: fields: [{name: x, type: i16}, {name: y, type: i16, when: «far»",
        "station/reading.yaml:7: - {name: points, type: Point, with: {«far»",
    ]
    places = renamed(opened.workspace, *opened.cursor(LIBRARY, "[fa¦r]"), "distance")
    texts = edited(opened.workspace, places, "distance")
    assert "with: {distance: place}" in texts[opened.path(READING)]
    assert "when: distance > 1" in texts[opened.path(LIBRARY)]


def test_a_name_leads_to_its_declaration(opened: Opened) -> None:
    opened.check(READING)
    for around, at in [
        ("type: Po¦int", "shared/library.yaml:3: - name: «Point»"),
        ("== Ki¦nd.", "station/protocol.yaml:6: - name: «Kind»"),
        ("header¦.kind ==", "station/protocol.yaml:22: - {name: «header»"),
        ("bo¦dy:", "station/protocol.yaml:23: - {section: «body»"),
    ]:
        assert opened.shown(declarations(opened.workspace, *opened.cursor(READING, around))) == [at]
    assert declarations(opened.workspace, *opened.cursor(READING, "rooms, d¦oc")) == []


def test_a_renamed_type_is_written_in_every_file(opened: Opened) -> None:
    opened.edit(READING, "Which room it is.", "Unsaved.")
    opened.check(LIBRARY)
    places = renamed(opened.workspace, *opened.cursor(LIBRARY, "name: Po¦int"), "Spot")
    texts = edited(opened.workspace, places, "Spot")
    assert {path.name for path in texts} == {"library.yaml", "reading.yaml"}
    assert "type: Spot, repeat" in texts[opened.path(READING)]
    assert "Unsaved." in texts[opened.path(READING)]
    for path, text in texts.items():
        opened.workspace.texts[path] = text
    assert opened.check(LIBRARY) == {}


@pytest.mark.parametrize(
    ("name", "around", "new", "reason"),
    [
        (READING, "name: pla¦ce", "points", "would be wrong: 'points' is already given in line"),
        (READING, "name: pla¦ce", "length", "would be wrong:"),
        (READING, "name: pla¦ce", "FileRange", "a field is written in snake_case, not 'FileRange'"),
        (READING, "type: Po¦int", "Header", "would be wrong:"),
        (READING, "type: Po¦int", "point", "a type is written in CamelCase, not 'point'"),
        (PROTOCOL, "name: Read¦ing", "Status", "would be wrong:"),
        (READING, "message: read¦ing", "measurement", "a message has the name of its file"),
        (READING, "ro¦oms", "room", "there is no name here that a spec declares"),
    ],
)
def test_names_that_clash_are_refused(opened: Opened, name: str, around: str, new: str, reason: str) -> None:
    opened.check(name)
    with pytest.raises(RenameError, match=reason):
        renamed(opened.workspace, *opened.cursor(name, around), new)


def test_references_are_those_of_the_last_text_that_could_be_read(opened: Opened) -> None:
    before = found(opened, READING, "type: Po¦int")
    opened.edit(READING, "examples:", "examples: [")
    assert [problem.rule for problem in opened.check(READING)[READING]] == ["yaml"]
    assert opened.shown(references(opened.workspace, *opened.cursor(LIBRARY, "name: Po¦int"))) == before
