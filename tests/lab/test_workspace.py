"""Drafts of specs, and how they are saved."""

from pathlib import Path

import pytest

from lab import small
from wireloom_generator.lab.workspace import ChangedError, NoNewFileError, SpecDrafts, UnreadableError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small.specs(tmp_path)


def test_the_protocol_is_in_front_of_its_messages(folder: Path) -> None:
    assert [path.name for path in SpecDrafts([folder]).files] == ["protocol.yaml", "alarm.yaml", "level.yaml"]


def test_a_file_means_its_protocol(folder: Path) -> None:
    assert SpecDrafts([folder / "level.yaml"]).files == SpecDrafts([folder]).files


def test_an_edit_is_written_when_it_is_saved_and_not_before(folder: Path) -> None:
    workspace, path = SpecDrafts([folder]), folder / "alarm.yaml"
    workspace.edit(path, "message: siren\n")
    assert (workspace.unsaved, path.read_text()) == ([path], small.ALARM)
    workspace.save(path)
    assert (workspace.unsaved, path.read_text()) == ([], "message: siren\n")


def test_a_file_that_was_changed_meanwhile_is_not_overwritten_unasked(folder: Path) -> None:
    workspace, path = SpecDrafts([folder]), folder / "alarm.yaml"
    workspace.edit(path, "message: siren\n")
    path.write_text("message: bell\n")
    with pytest.raises(ChangedError, match=r"alarm\.yaml was changed since it was read; your text was not written"):
        workspace.save(path)
    assert (path.read_text(), workspace.unsaved) == ("message: bell\n", [path])
    workspace.save(path, over=True)
    assert path.read_text() == "message: siren\n"


def test_what_is_on_disk_can_be_taken_instead(folder: Path) -> None:
    workspace, path = SpecDrafts([folder]), folder / "alarm.yaml"
    workspace.edit(path, "message: siren\n")
    path.write_text("message: bell\n")
    assert workspace.reload(path) == "message: bell\n"
    assert workspace.unsaved == []


def test_a_file_that_was_removed_is_not_written_again_unasked(folder: Path) -> None:
    workspace, path = SpecDrafts([folder]), folder / "alarm.yaml"
    workspace.edit(path, "message: siren\n")
    path.unlink()
    with pytest.raises(ChangedError, match="was removed"):
        workspace.save(path)


def test_new_files_are_made_but_no_file_is_overwritten_by_one(tmp_path: Path) -> None:
    new = tmp_path / "specs" / "meter" / "protocol.yaml"
    workspace = SpecDrafts([], {new: small.PROTOCOL})
    assert workspace.unsaved == [new]
    assert not new.parent.exists()
    workspace.save(new)
    assert new.read_text() == small.PROTOCOL
    other = SpecDrafts([], {new: "protocol: other\n"})
    with pytest.raises(ChangedError, match="was created"):
        other.save(new)


def test_lines_end_as_they_did(folder: Path) -> None:
    path = folder / "alarm.yaml"
    path.write_bytes(small.ALARM.replace("\n", "\r\n").encode())
    workspace = SpecDrafts([folder])
    assert workspace.texts[path] == small.ALARM
    workspace.edit(path, "# bell\n" + small.ALARM)
    workspace.save(path)
    assert path.read_bytes() == b"# bell\r\n" + small.ALARM.replace("\n", "\r\n").encode()


def test_what_is_no_text_is_refused(folder: Path) -> None:
    (folder / "alarm.yaml").write_bytes(b"message: \xff\n")
    with pytest.raises(UnreadableError, match=r"alarm\.yaml is not text in UTF-8: invalid start byte at byte 9"):
        SpecDrafts([folder])


def test_a_message_is_begun_beside_the_others(tmp_path: Path) -> None:
    folder = small.specs(tmp_path)
    workspace = SpecDrafts([folder])
    path = workspace.add_message(folder, "status")
    assert path == folder / "status.yaml"
    assert path in workspace.files
    assert workspace.unsaved == [path]
    assert workspace.drafts[path].text.startswith("message: status\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Status", "'Status' is not snake_case; write 'status'"),
        ("../status", "'../status' is not snake_case"),
        ("level", "there is a file level.yaml already"),
    ],
)
def test_a_message_needs_a_name_of_its_own(tmp_path: Path, name: str, said: str) -> None:
    folder = small.specs(tmp_path)
    with pytest.raises(NoNewFileError, match=said):
        SpecDrafts([folder]).add_message(folder, name)
