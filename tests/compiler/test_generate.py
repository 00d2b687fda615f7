"""What generating does to a folder: it brings up to date what it made, and leaves alone what it did not."""

import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.paths import ROOT

from wireloom.cli import app
from wireloom_generator.generate import generate
from wireloom_generator.on_disk import FileChangeKind

PACKAGE = "wireloom_protocols"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with copies of the specs of Databus, and of what is generated from them."""
    for name in (
        "specs/databus",
        f"generated/{PACKAGE}/databus",
        "generated/docs/databus",
        "generated/pyspark_databus",
    ):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "generated" / "wireshark").mkdir()
    for name in ("specs/schema.json", "generated/wireshark/databus.lua", "generated/wireshark/wireloom.lua"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def whole(tree: Path) -> Path:
    """The same with two protocols more, of one library."""
    for name in ("pcap", "pcapng"):
        for folder in (
            f"specs/{name}",
            f"generated/{PACKAGE}/{name}",
            f"generated/docs/{name}",
            f"generated/pyspark_{name}",
        ):
            shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / f"generated/wireshark/{name}.lua", tree / "generated" / "wireshark")
    shutil.copytree(ROOT / "specs" / "capture", tree / "specs" / "capture")
    return tree


def _changes(tree: Path, *, write: bool = False, specs: str = "specs") -> list[tuple[str, FileChangeKind]]:
    found = generate([tree / specs], tree / "generated", write=write, package=PACKAGE)
    assert not found.problems
    return [(change.path.relative_to(tree).as_posix(), change.kind) for change in found.changes]


def _second_specs(tree: Path, root: str = "others") -> None:
    """Other specs beside ours: ``databus``, under another name."""
    shutil.copytree(tree / "specs" / "databus", tree / root / "otherbus")
    protocol = tree / root / "otherbus" / "protocol.yaml"
    text = protocol.read_text(encoding="utf-8")
    protocol.write_text(text.replace("protocol: databus", "protocol: otherbus"), encoding="utf-8")


def test_an_edited_file_is_told_and_written_again(tree: Path) -> None:
    path = tree / "generated" / PACKAGE / "databus" / "parsers.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "# mine\n", encoding="utf-8")
    expected = [("generated/wireloom_protocols/databus/parsers.py", FileChangeKind.EDITED)]
    assert _changes(tree) == expected
    assert path.read_text(encoding="utf-8") != text
    assert _changes(tree, write=True) == expected
    assert path.read_text(encoding="utf-8") == text


def test_a_missing_file_is_told_and_written(tree: Path) -> None:
    path = tree / "generated" / "docs" / "databus" / "index.md"
    path.unlink()
    expected = [("generated/docs/databus/index.md", FileChangeKind.MISSING)]
    assert _changes(tree) == expected
    assert not path.exists()
    assert _changes(tree, write=True) == expected
    assert _changes(tree) == []


def test_the_page_of_a_message_that_is_gone_is_orphaned(whole: Path) -> None:
    page = whole / "generated" / "docs" / "pcapng" / "simple_packet.md"
    (whole / "specs" / "pcapng" / "simple_packet.yaml").unlink()
    expected = (page.relative_to(whole).as_posix(), FileChangeKind.ORPHANED)
    assert expected in _changes(whole, write=True, specs="specs/pcapng")
    assert not page.exists()


def test_files_of_a_protocol_that_is_gone_are_orphaned(whole: Path) -> None:
    shutil.rmtree(whole / "specs" / "pcapng")
    changes = _changes(whole, write=True)
    assert changes
    assert all("pcapng" in path and kind is FileChangeKind.ORPHANED for path, kind in changes)
    assert not list((whole / "generated").glob("**/*pcapng/*"))
    assert list((whole / "generated").glob("**/databus/*"))


@pytest.mark.parametrize("name", ["notes.md", "mine.py", "picture.png"])
def test_a_file_of_ones_own_is_told_and_kept(tree: Path, name: str) -> None:
    path = tree / "generated" / PACKAGE / "databus" / name
    path.write_bytes(b"\xff mine")
    assert _changes(tree) == [(path.relative_to(tree).as_posix(), FileChangeKind.FOREIGN)]
    _changes(tree, write=True)
    assert path.read_bytes() == b"\xff mine"


def test_a_file_of_ones_own_stays_when_its_protocol_goes(whole: Path) -> None:
    path = whole / "generated" / PACKAGE / "pcapng" / "mine.py"
    path.write_text("mine = 1\n", encoding="utf-8")
    shutil.rmtree(whole / "specs" / "pcapng")
    _changes(whole, write=True)
    assert [found.name for found in path.parent.iterdir()] == ["mine.py"]


def test_a_folder_of_ones_own_is_nobodys_business(tree: Path) -> None:
    path = tree / "generated" / PACKAGE / "tools" / "mine.py"
    path.parent.mkdir()
    path.write_text("mine = 1\n", encoding="utf-8")
    assert _changes(tree, write=True) == []
    assert path.exists()


def test_one_protocol_alone_leaves_the_others_files(whole: Path) -> None:
    others = {path: path.stat().st_mtime_ns for path in whole.glob("generated/**/pcapng/*")}
    assert _changes(whole, write=True, specs="specs/databus") == []
    assert others == {path: path.stat().st_mtime_ns for path in whole.glob("generated/**/pcapng/*")}
    assert others


def test_two_folders_of_specs_share_an_output(tree: Path) -> None:
    _second_specs(tree)
    made = _changes(tree, write=True, specs="others")
    assert {kind for _, kind in made} == {FileChangeKind.MISSING}
    assert _changes(tree, write=True) == []
    assert _changes(tree, write=True, specs="others") == []


def test_a_mark_that_is_only_quoted_makes_nothing_generated(tree: Path) -> None:
    path = tree / "generated" / PACKAGE / "databus" / "mine.py"
    path.write_text('"""Beside what is Generated by wireloom from specs/databus."""\n', encoding="utf-8")
    assert [kind for _, kind in _changes(tree, write=True)] == [FileChangeKind.FOREIGN]
    assert path.exists()


def test_files_that_are_not_generated_are_told_as_such(tree: Path) -> None:
    path = tree / "generated" / PACKAGE / "databus" / "mine.py"
    path.write_text("mine = 1\n", encoding="utf-8")
    arguments = ["generate", str(tree / "specs"), "--out", str(tree / "generated"), "--package", PACKAGE]
    checked = CliRunner().invoke(app, [*arguments, "--check"])
    assert checked.exit_code == 1
    assert f"{path}: foreign" in checked.stderr
    assert "contains files that are not generated; move them elsewhere" in checked.stderr
    written = CliRunner().invoke(app, arguments)
    assert written.exit_code == 0
    assert written.stdout == f"kept, as it is not generated: {path}\n"


def test_a_file_of_ones_own_is_not_written_over(tree: Path) -> None:
    own = tree / "generated" / "wireloom_protocols" / "databus" / "parsers.py"
    own.write_text("# mine\n")
    found = generate([tree / "specs"], tree / "generated", write=True, package="wireloom_protocols")
    assert [problem.rule for problem in found.errors] == ["taken"]
    assert own.read_text() == "# mine\n"


@contextmanager
def _room(size: int) -> Iterator[None]:
    """No file can have more bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_full_disk_leaves_all_files_as_they_were(tree: Path) -> None:
    generated = tree / "generated"
    protocol = tree / "specs" / "databus" / "protocol.yaml"
    text = protocol.read_text(encoding="utf-8")
    protocol.write_text(text.replace("title: ", "title: Our ", 1), encoding="utf-8")
    before = _content(generated)
    sizes = sorted(len(before[tree / path]) for path, _ in _changes(tree))
    with _room(sizes[-1] - 1), pytest.raises(OSError, match="File too large"):
        _changes(tree, write=True)
    assert _content(generated) == before
    _changes(tree, write=True)
    assert _content(generated) != before


def test_what_a_link_leads_to_is_written_and_keeps_its_mode(tree: Path) -> None:
    path = tree / "generated" / PACKAGE / "databus" / "parsers.py"
    meant = path.read_bytes()
    other = tree / "elsewhere.py"
    path.rename(other)
    path.symlink_to(other)
    other.write_bytes(meant + b"# mine\n")
    other.chmod(0o640)
    _changes(tree, write=True)
    assert path.is_symlink()
    assert other.read_bytes() == meant
    assert other.stat().st_mode & 0o777 == 0o640


def test_init_writes_all_of_a_protocol_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with _room(1000):
        assert CliRunner().invoke(app, ["init", "thermometer"]).exit_code
    assert _content(tmp_path) == {}
    assert not CliRunner().invoke(app, ["init", "thermometer"]).exit_code
