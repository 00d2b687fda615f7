"""Edits to what is generated from real specs: ``generate --check`` finds each, and nothing else.

Generated files are edited on disk and held against what was compiled once. What the command says of them, and of git,
is shown by a small repository of a stranger's.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.paths import ROOT

from wireloom.cli import app
from wireloom_generator.generate import outputs
from wireloom_generator.on_disk import FileChangeKind, Wanted, differences

pytestmark = pytest.mark.xdist_group("generated")  # which is compiled once

PACKAGE = "wireloom_protocols"


@dataclass(frozen=True)
class Tree:
    """Our specs and what is generated from them, or a copy, and what each generated file is to hold."""

    root: Path
    given: Wanted

    @property
    def wanted(self) -> Mapping[Path, str]:
        return self.given.files

    def changes(self) -> list[tuple[str, FileChangeKind]]:
        """How it differs from what it is to be."""
        found = differences(self.given, [self.root / "specs"])
        return [(change.path.relative_to(self.root).as_posix(), change.kind) for change in found]


def moved(wanted: Wanted, root: Path) -> Wanted:
    """What is wanted here, at another place."""

    def there(path: Path) -> Path:
        return root / path.relative_to(ROOT)

    folders = (frozenset(map(there, paths)) for paths in (wanted.own, wanted.shared, wanted.others))
    return Wanted({there(path): text for path, text in wanted.files.items()}, *folders)


@pytest.fixture(scope="module")
def ours() -> Tree:
    """What is in this repository."""
    generation, wanted = outputs([ROOT / "specs"], ROOT / "generated", PACKAGE)
    assert not generation.problems
    return Tree(ROOT, wanted)


@pytest.fixture(scope="module")
def tree(ours: Tree, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = tmp_path_factory.mktemp("generated_edits")
    shutil.copytree(ROOT / "specs", root / "specs")
    wanted = moved(ours.given, root)
    for path, text in wanted.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Tree(root, wanted)


@pytest.fixture
def mended(tree: Tree) -> Iterator[Tree]:
    """The tree, which is as it was when the test is over."""
    yield tree
    for path in tree.root.joinpath("generated").rglob("*"):
        if path.is_file() and path not in tree.wanted:
            path.unlink()
    for path, text in tree.wanted.items():
        path.write_text(text, encoding="utf-8")


FILES = (
    "specs/schema.json",
    *(
        path.relative_to(ROOT).as_posix()
        for pattern in ("*/*/*", "wireshark/*", "pyspark_*/*")
        for path in sorted(ROOT.joinpath("generated").glob(pattern))
        if path.suffix in (".py", ".md", ".lua")
    ),
)


def test_generated_is_current(ours: Tree) -> None:
    assert ours.changes() == []


def test_what_was_generated_is_current(tree: Tree) -> None:
    assert tree.changes() == []


def test_all_generated_files_are_edited_below(tree: Tree) -> None:
    assert sorted(FILES) == sorted(path.relative_to(tree.root).as_posix() for path in tree.wanted)


halves = pytest.mark.parametrize("files", [FILES[::2], FILES[1::2]], ids=["even", "odd"])
"""Every second file, while the others are as they should be."""


@halves
def test_files_with_a_line_more_are_edited(files: tuple[str, ...], mended: Tree) -> None:
    for path in map(mended.root.joinpath, files):
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert sorted(mended.changes()) == sorted((file, FileChangeKind.EDITED) for file in files)


@halves
def test_files_with_a_line_less_are_edited(files: tuple[str, ...], mended: Tree) -> None:
    for path in map(mended.root.joinpath, files):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        del lines[len(lines) // 2]
        path.write_text("".join(lines), encoding="utf-8")
    assert sorted(mended.changes()) == sorted((file, FileChangeKind.EDITED) for file in files)


@halves
def test_files_that_are_not_there_are_added(files: tuple[str, ...], mended: Tree) -> None:
    for file in files:
        (mended.root / file).unlink()
    assert sorted(mended.changes()) == sorted((file, FileChangeKind.MISSING) for file in files)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (f"generated/{PACKAGE}/databus/spark.py", '"trace", BooleanType()', '"trace", ByteType()'),
        (f"generated/{PACKAGE}/databus/spark.py", '"key_size"', '"keysize"'),
        (f"generated/{PACKAGE}/databus/columnar.py", "scan = TABLE.scan\n", "scan = TABLE.decode_columnar\n"),
        (f"generated/{PACKAGE}/databus/enums.py", "    DELETE = 2\n", "    DELETE = 3\n"),
        (f"generated/{PACKAGE}/databus/__init__.py", "build = PROTOCOL.build\n", ""),
        ("generated/docs/databus/dbus_event.md", "| `trace` | `boolean` |", "| `trace` | `byte` |"),
        ("specs/schema.json", '"crc32_zero"', '"crc32zero"'),
    ],
    ids=["type", "column", "arrow", "enum", "export", "docs", "schema"],
)  # fmt: skip
def test_a_word_that_is_another_is_an_edit(file: str, old: str, new: str, mended: Tree) -> None:
    path = mended.root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert mended.changes() == [(file, FileChangeKind.EDITED)]


@pytest.mark.parametrize("folder", [f"generated/{PACKAGE}/databus", "generated/docs/databus"])
def test_a_copy_of_a_generated_file_is_orphaned(folder: str, mended: Tree) -> None:
    first = next(path for path in mended.wanted if path.parent == mended.root / folder)
    shutil.copy(first, first.with_stem("left_over"))
    assert mended.changes() == [(f"{folder}/left_over{first.suffix}", FileChangeKind.ORPHANED)]


@pytest.mark.parametrize("name", ["mine.py", "notes.md", ".hidden"])
def test_a_file_without_the_mark_is_foreign(name: str, mended: Tree) -> None:
    path = mended.root / "generated" / PACKAGE / "couchbase_dcp" / name
    path.write_text("mine\n", encoding="utf-8")
    assert mended.changes() == [(f"generated/{PACKAGE}/couchbase_dcp/{name}", FileChangeKind.FOREIGN)]


def test_a_file_that_lost_its_mark_is_edited_all_the_same(mended: Tree) -> None:
    file = f"generated/{PACKAGE}/databus/enums.py"
    path = mended.root / file
    path.write_text(path.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    assert mended.changes() == [(file, FileChangeKind.EDITED)]


def test_each_change_is_told_once(mended: Tree) -> None:
    for number, path in enumerate(mended.wanted):
        if number % 2:
            path.unlink()
        else:
            path.write_text("", encoding="utf-8")
    kinds = [FileChangeKind.EDITED, FileChangeKind.MISSING]
    told = [(path.relative_to(mended.root).as_posix(), kinds[n % 2]) for n, path in enumerate(mended.wanted)]
    assert mended.changes() == sorted(told)


SPEC = """\
protocol: ping
byte_order: big
record:
  length: 2
  fields:
    - {name: kind, type: u8}
    - {section: body, size: rest}
"""
MESSAGE = """\
message: echo
match: {kind: 1}
sections:
  body:
    - {name: port, type: u8}
examples:
  - {name: One, hex: "01 07", decoded: {port: 7}}
"""


def _run(folder: Path, *arguments: str) -> Result:
    """The program run in ``folder``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(app, list(arguments))


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository of a stranger's, with a spec and what is generated from it, all added."""
    folder = tmp_path / "a repository" / "specs" / "ping"
    folder.mkdir(parents=True)
    (folder / "protocol.yaml").write_text(SPEC)
    (folder / "echo.yaml").write_text(MESSAGE)
    root = tmp_path / "a repository"
    assert _run(root, "generate").exit_code == 0
    _git(root, "init", "--quiet")
    _git(root, "add", ".")
    return root


def test_a_repository_that_has_everything_is_proven(repository: Path) -> None:
    done = _run(repository, "generate", "--check")
    assert (done.exit_code, done.output) == (0, "generated is up to date with specs\n")


def test_a_generated_file_that_git_does_not_have_is_untracked(repository: Path) -> None:
    _git(repository, "rm", "--cached", "--quiet", "generated/ping/enums.py", "specs/schema.json")
    done = _run(repository, "generate", "--check")
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        "generated/ping/enums.py: untracked",
        "specs/schema.json: untracked",
        "wireloom: git does not track all of these files; run: git add generated specs/schema.json",
    ]
    _git(repository, "add", "generated", "specs/schema.json")
    assert _run(repository, "generate", "--check").exit_code == 0


def test_a_generated_file_that_git_ignores_is_untracked(repository: Path) -> None:
    (repository / ".gitignore").write_text("enums.py\n")
    _git(repository, "rm", "--cached", "--quiet", "generated/ping/enums.py")
    assert "generated/ping/enums.py: untracked" in _run(repository, "generate", "--check").stderr


def test_a_spec_that_git_does_not_have_is_untracked(repository: Path) -> None:
    """What is generated from it could be generated by nobody else."""
    _git(repository, "rm", "--cached", "--quiet", "specs/ping/echo.yaml")
    assert "specs/ping/echo.yaml: untracked" in _run(repository, "generate", "--check").stderr.splitlines()


def test_files_do_not_depend_on_how_the_path_is_spelt(repository: Path) -> None:
    done = _run(repository / "specs", "generate", ".", "--out", "../generated", "--check")
    assert (done.exit_code, done.stdout) == (0, "../generated is up to date with .\n")
    done = _run(repository / "specs" / "ping", "generate", ".", "--out", "../../generated", "--check")
    assert (done.exit_code, done.stdout) == (0, "../../generated is up to date with .\n")


def test_line_ends_in_words_do_not_matter(repository: Path) -> None:
    spec_file = repository / "specs" / "ping" / "protocol.yaml"
    spec_file.write_text(SPEC + 'title: "a\\rb"\n')
    assert _run(repository, "generate").exit_code == 0
    assert _run(repository, "generate", "--check").exit_code == 0


def test_what_git_has_is_nobodys_business_when_generating(repository: Path) -> None:
    _git(repository, "rm", "--cached", "--quiet", "generated/ping/enums.py")
    assert _run(repository, "generate").exit_code == 0


def test_without_a_work_tree_nothing_is_untracked(repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    assert _run(repository, "generate", "--check").exit_code == 0


def test_where_git_does_not_answer_the_check_fails(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user is not the owner of the checkout."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    done = _run(repository, "generate", "--check")
    assert done.exit_code == 1
    assert "warning[generated]: git cannot list its files: detected dubious ownership" in done.stderr


def test_a_hook_of_another_repository_does_not_lead_astray(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / "elsewhere"))
    assert _run(repository, "generate", "--check").exit_code == 0


def test_a_warning_fails_the_check_and_not_the_generation(repository: Path) -> None:
    spec_file = repository / "specs" / "ping" / "protocol.yaml"
    spec_file.write_text(SPEC + "enums:\n  - {name: Kind, values: [{name: One, value: 1}]}\n")
    written = _run(repository, "generate")
    assert written.exit_code == 0
    assert "warning[unused]" in written.stderr
    checked = _run(repository, "generate", "--check")
    assert checked.exit_code == 1
    assert checked.stderr.splitlines() == [
        "specs/ping/protocol.yaml:9:12: warning[unused]: nothing uses 'Kind'",
        "wireloom: 1 warning; explain with: wireloom explain unused",
        "wireloom: --check also fails for warnings",
    ]


def test_the_command_that_mends_is_one_that_can_be_pasted(repository: Path) -> None:
    (repository / "specs").rename(repository / "my specs")
    assert _run(repository, "generate", "my specs", "--out", "my code").exit_code == 0
    (repository / "my code" / "ping" / "enums.py").unlink()
    last = _run(repository, "generate", "my specs", "--out", "my code", "--check").stderr.splitlines()
    assert "wireloom: my code is out of date with my specs; run: wireloom generate 'my specs' --out 'my code'" in last


def test_all_kinds_of_changes_are_told_at_once(repository: Path) -> None:
    code = repository / "generated" / "ping"
    _git(repository, "rm", "--cached", "--quiet", "generated/ping/spark.py")
    (code / "mine.py").write_text("mine = 1\n")
    (code / "left_over.py").write_text((code / "enums.py").read_text())
    (code / "columnar.py").unlink()
    (code / "parsers.py").write_text((code / "parsers.py").read_text().replace('"port"', '"prot"'))
    told = _run(repository, "generate", "--check").stderr.splitlines()
    assert [line for line in told if not line.startswith("  ")] == [
        "generated/ping/columnar.py: missing",
        "generated/ping/parsers.py: edited",
        "generated/ping/left_over.py: orphaned",
        "generated/ping/mine.py: foreign",
        "generated/ping/spark.py: untracked",
        "wireloom: generated is out of date with specs; run: wireloom generate specs --out generated",
        "wireloom: git does not track all of these files; run: git add generated",
        "wireloom: generated contains files that are not generated; move them elsewhere",
    ]
    assert [line[2] for line in told if '"prot"' in line] == ["-"]
    assert [line[2] for line in told if '"port" /' in line and "--" not in line][:1] == ["+"]


def test_changes_are_problems_to_programs(repository: Path) -> None:
    code = repository / "generated" / "ping"
    lines = (code / "parsers.py").read_text().splitlines()
    place = next(number for number, line in enumerate(lines) if '"port"' in line)
    lines[place] = lines[place].replace('"port"', '"prot"')
    (code / "parsers.py").write_text("\n".join(lines) + "\n")
    (code / "mine.py").write_text("mine = 1\n")
    done = _run(repository, "generate", "--check", "--format", "json")
    assert done.exit_code == 1
    found = [(one["path"], one["line"], one["rule"], one["what"], one["hint"]) for one in json.loads(done.stdout)]
    assert found == [
        (
            "generated/ping/parsers.py", place + 1, "generated", "differs from what the specs generate",
            "run: wireloom generate specs --out generated",
        ),
        (
            "generated/ping/mine.py", 1, "generated", "is not generated, but is among files that are",
            "keep it elsewhere",
        ),
    ]  # fmt: skip


def test_changes_are_annotations_on_github(repository: Path) -> None:
    (repository / "generated" / "ping" / "enums.py").unlink()
    done = _run(repository, "generate", "--check", "--format", "github")
    assert (done.exit_code, done.stdout) == (
        1,
        "::error file=generated/ping/enums.py,line=1,col=1,title=wireloom generated"
        "::is missing; run: wireloom generate specs --out generated\n",
    )


def test_problems_of_specs_are_told_in_any_format(repository: Path) -> None:
    (repository / "specs" / "ping" / "echo.yaml").write_text(MESSAGE.replace("port: 7", "port: 8"))
    for command in (["check"], ["generate", "--check"]):
        done = _run(repository, *command, "--format", "github")
        assert (done.exit_code, done.stdout) == (
            1,
            "::error file=specs/ping/echo.yaml,line=7,col=5,title=wireloom example::One: port: 8 expected, found 7\n",
        )


def test_a_format_for_programs_is_only_of_what_is_checked(repository: Path) -> None:
    done = _run(repository, "generate", "--format", "json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "wireloom: --format json needs --check\n"
