"""What a session makes of drafts and a capture."""

from pathlib import Path

import numpy as np
import pytest

from lab import small
from wireloom_generator.lab import record_index
from wireloom_generator.lab.capture_bytes import pasted
from wireloom_generator.lab.session import RecordFilter, Session
from wireloom_generator.lab.worked_example import NoExampleError
from wireloom_generator.lab.workspace import SpecDrafts

CAPTURE = small.FIRST + small.SECOND + small.NOISE + small.THIRD


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return small.opened(tmp_path, CAPTURE)


def edited(session: Session, file: str, before: str, after: str) -> None:
    """Change a draft, and check it."""
    path = next(path for path in session.workspace.files if path.name == file)
    text = session.workspace.texts[path]
    assert before in text
    session.workspace.edit(path, text.replace(before, after))
    small.decoded(session)


def test_records_are_found_with_the_bytes_that_are_none(session: Session) -> None:
    assert [(row["offset"], row["length"], row["message"], row["malformed"]) for row in session.rows(0, 10)] == [
        ("0x0", 11, "level", False),
        ("0xb", 8, "alarm", False),
        ("0x13", 16, "–", True),
        ("0x23", 11, "level", False),
    ]


def test_a_row_has_the_values_of_its_message_or_what_is_wrong(session: Session) -> None:
    values = [row["values"] for row in session.rows(0, 10)]
    assert values[0] == "tank 5  ·  millimetres 256  ·  at 1970-01-01T01:00:00Z"
    assert values[1] == 'text "leak"'
    assert values[2].startswith("invalid: record at byte 19: magic == 0xca expected")


def test_fields_have_their_bytes_and_their_line_in_the_spec(session: Session) -> None:
    tree = session.record(0).tree
    level = next(path for path in session.workspace.files if path.name == "level.yaml")
    assert f'data-start="4" data-end="5" data-path="{level}" data-line="5"' in tree
    assert f'data-start="5" data-end="7" data-path="{level}" data-line="8"' in tree


def test_texts_of_strangers_are_escaped(session: Session) -> None:
    tree = session.record(0).tree
    assert "Which &lt;b&gt;tank&lt;/b&gt;." in tree
    assert "<b>" not in tree


def test_values_of_strangers_are_escaped(tmp_path: Path) -> None:
    session = small.opened(tmp_path, bytes.fromhex("ca 02 0008") + b"<script>")
    assert "&lt;script&gt;" in session.record(0).tree
    assert "<script" not in session.record(0).tree + session.record(0).bytes


def test_an_edit_decodes_anew(session: Session) -> None:
    edited(session, "level.yaml", "millimetres, type: u16", "millimetres, type: i16")
    edited(session, "level.yaml", "name: tank", "name: basin")
    assert session.rows(0, 1)[0]["values"].startswith("basin 5")


def test_a_broken_spec_says_where_and_keeps_what_was_shown(session: Session) -> None:
    edited(session, "level.yaml", "type: u8", "type: u9")
    (problem,) = session.problems
    assert (problem.location.path.name, problem.location.line) == ("level.yaml", 6)
    assert session.is_stale
    assert session.rows(0, 1)[0]["values"].startswith("tank 5")
    edited(session, "level.yaml", "type: u9", "type: u8")
    assert not session.is_stale
    assert session.problems == ()


def test_drafts_are_decoded_before_they_are_saved(session: Session) -> None:
    edited(session, "alarm.yaml", "name: text", "name: words")
    assert session.rows(1, 2)[0]["values"] == 'words "leak"'
    assert [path.name for path in session.workspace.unsaved] == ["alarm.yaml"]


def test_a_spec_that_was_never_right_shows_bytes(tmp_path: Path) -> None:
    folder = small.specs(tmp_path)
    (folder / "protocol.yaml").write_text("protocol: meter\n")
    session = Session(SpecDrafts([folder]), pasted("01 02 03"))
    small.decoded(session)
    view = session.record(None)
    assert view.headline == "pasted bytes: the first 3 bytes"
    assert 'data-at="2">03<' in view.bytes


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (RecordFilter(), [0, 1, 2, 3]),
        (RecordFilter(messages=("level",)), [0, 3]),
        (RecordFilter(malformed=True), [2]),
        (RecordFilter(text="leak"), [1]),
        (RecordFilter(text="00 07"), [0, 3]),
        (RecordFilter(text="0x1112"), [2]),
        (RecordFilter(messages=("level",), text="0e10"), [0]),
        (RecordFilter(text="nowhere"), []),
    ],
)
def test_records_are_filtered(session: Session, wanted: RecordFilter, numbers: list[int]) -> None:
    session.wanted = wanted
    assert list(session.numbers()) == numbers
    assert [row["number"] for row in session.rows(0, 10)] == numbers


def test_a_record_is_found_by_a_byte(session: Session) -> None:
    assert [session.nearest(offset) for offset in (0, 10, 11, 20, 35, 10_000)] == [0, 0, 1, 2, 3, 3]


def test_a_place_in_the_picture_is_a_record(session: Session) -> None:
    assert session.at_place(0.0, by_time=False) == 0
    assert session.at_place(0.5, by_time=False) == 2
    assert session.at_place(1.0, by_time=False) == 3
    assert session.at_place(1.0, by_time=True) == 3


def test_times_are_those_of_messages(session: Session) -> None:
    found = session.found
    assert found is not None
    hour = 3_600_000_000_000
    assert [found.time[number] for number in (0, 3)] == [hour, 2 * hour]


def test_the_index_is_small(session: Session) -> None:
    found = session.found
    assert found is not None
    sizes = {name: np.asarray(getattr(found, name)).itemsize for name in ("offset", "length", "message", "malformed")}
    assert sum(sizes.values()) <= 16


def test_of_a_long_malformed_range_the_beginning_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_index, "_LONGEST", 1000)
    session = small.opened(tmp_path, bytes(5000))
    view = session.record(0)
    assert view.headline == "record 0 at 0x0: 1000 bytes, malformed, the first of 5,000"
    assert session.rows(0, 1)[0]["length"] == 5000


def test_a_parameter_that_the_protocol_does_not_have_is_said(tmp_path: Path) -> None:
    session = Session(SpecDrafts([small.specs(tmp_path)]), pasted("01"), {"wide": "true"})
    small.decoded(session)
    assert "'wide'" in session.note
    assert session.note.endswith("; start the lab with -P NAME=VALUE")
    assert session.is_stale


def test_a_library_in_front_is_not_decoded_by(tmp_path: Path) -> None:
    library = tmp_path / "common" / "library.yaml"
    library.parent.mkdir()
    library.write_text("library: common\n")
    session = Session(SpecDrafts([small.specs(tmp_path).parent]), pasted(small.SECOND.hex()))
    small.decoded(session)
    assert session.path.name == "protocol.yaml"
    session.open(library)
    small.decoded(session)
    assert session.rows(0, 1)[0]["message"] == "alarm"


def test_without_a_capture_the_worked_examples_are_decoded(tmp_path: Path) -> None:
    folder = small.specs(tmp_path)
    path = folder / "alarm.yaml"
    path.write_text(
        small.ALARM + f"examples:\n  - {{name: Leak, hex: {small.SECOND.hex(' ')}, decoded: {{text: leak}}}}\n"
    )
    session = Session(SpecDrafts([folder]))
    small.decoded(session)
    assert [row["values"] for row in session.rows(0, 5)] == ['text "leak"']


def test_a_record_becomes_a_worked_example_that_holds(session: Session) -> None:
    path, text, line = session.example(0, "An hour later")
    assert path.name == "level.yaml"
    assert "name: An hour later" in text.splitlines()[line - 1]
    session.workspace.edit(path, text)
    check = session.check()
    assert check.problems == ()
    assert check.compiled is not None
    _, problems = check.compiled.worked
    assert problems == []
    (example,) = next(each.examples for each in check.compiled.protocol.messages if each.name == "level")
    assert (example.name, example.data) == ("An hour later", small.FIRST)
    assert example.decoded["millimetres"] == 256
    assert example.decoded["at"] == "1970-01-01T01:00:00Z"


def test_bytes_without_a_message_are_no_worked_example(session: Session) -> None:
    with pytest.raises(NoExampleError, match="its message is unknown"):
        session.example(2, "Noise")


def test_outputs_are_those_of_the_drafts(session: Session) -> None:
    edited(session, "alarm.yaml", "name: text", "name: words")
    assert session.compiled is not None
    assert '"words"' in session.compiled.modules["spark"]
    page = session.compiled.page("alarm.md")
    assert page is not None
    assert "| `words` |" in page
    assert session.compiled.page("absent.md") is None
