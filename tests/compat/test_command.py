"""``wireloom compat``: folders, revisions and tags compared, findings filtered, accepted and told in each format."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wireloom.cli import app

PROTOCOL = """
protocol: ping
byte_order: big
record:
  length: length
  fields:
    - {name: length, type: u8, derive: size(record)}
    - {section: body, size: rest, trailing: left_over}
"""
MESSAGE = """
message: echo
match: {}
sections:
  body:
    - {name: number, type: u16}
    - {name: text, type: bytes, size: 2}
"""
RENAMED = ("name: number", "name: count")
RESIZED = ("type: u16", "type: u32")
GROWN = ("size: 2}", "size: 2}\n    - {name: more, type: u8, optional: true}")

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command in ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["compat", *arguments])


def _write(folder: Path, *edits: tuple[str, str]) -> None:
    text = MESSAGE
    for sought, replacement in edits:
        text = text.replace(sought, replacement)
    (folder / "ping").mkdir(parents=True, exist_ok=True)
    (folder / "ping" / "protocol.yaml").write_text(PROTOCOL.lstrip(), encoding="utf-8")
    (folder / "ping" / "echo.yaml").write_text(text.lstrip(), encoding="utf-8")


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=wireloom", "-c", "user.email=wireloom@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def _commit(folder: Path, tag: str, *edits: tuple[str, str]) -> None:
    _write(folder / "specs", *edits)
    _git(folder, "add", ".")
    _git(folder, "commit", "--allow-empty", "--message", tag)
    _git(folder, "tag", tag)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two releases and what was between them; the second release grew a field, which breaks nobody."""
    _git(tmp_path, "init", "--initial-branch", "main")
    (tmp_path / "README").write_text("nothing yet\n")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "--message", "begin")
    _git(tmp_path, "tag", "v0.1")
    _commit(tmp_path, "v1.0")
    _commit(tmp_path, "nightly", RENAMED)
    _commit(tmp_path, "v1.10", GROWN)
    return tmp_path


def _rules(result: Result) -> list[str]:
    return [line.partition("[")[2].partition("]")[0] for line in result.stderr.splitlines() if "[" in line]


def test_two_folders_that_are_alike(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new")
    result = run("old", "new")
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "against old: no findings (TABLE, FULL_TRANSITIVE)\n",
        "",
    )


def test_what_breaks_somebody_fails(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", RENAMED)
    result = run("old", "new")
    assert result.exit_code == 1
    assert result.stdout == "against old: 2 breaking (TABLE, FULL_TRANSITIVE)\n"
    assert result.stderr.splitlines() == [
        "new/ping/echo.yaml:5:14: error[column-renamed]: ping.echo.count: column was number (TABLE, BACKWARD and "
        "FORWARD); Parquet: two columns; Delta, Iceberg: two columns, unless it is renamed in the table first",
        "new/ping/echo.yaml:5:14: error[field-renamed]: ping.echo.count: was number (CODEC, BACKWARD and FORWARD)",
        "wireloom: 2 errors; explain with: wireloom explain column-renamed field-renamed",
    ]


def test_what_breaks_nobody_is_told_and_does_not_fail(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", GROWN)
    result = run("old", "new")
    assert result.exit_code == 0
    assert result.stdout == "against old: 2 compatible (TABLE, FULL_TRANSITIVE)\n"
    assert _rules(result) == ["column-added", "field-added"]


@pytest.mark.parametrize(
    ("category", "rules"),
    [
        ("WIRE", ["field-resized"]),
        ("CODEC", ["field-renamed", "field-resized"]),
        ("TABLE", ["column-renamed", "column-retyped", "field-renamed", "field-resized"]),
        ("DOCS", ["column-renamed", "column-retyped", "doc-changed", "field-renamed", "field-resized"]),
    ],
)
def test_a_category_has_those_before_it(category: str, rules: list[str], run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", ("size: 2}", "size: 2, doc: Two.}"), ("name: text", "name: data"))
    text = tmp_path / "new" / "ping" / "echo.yaml"
    text.write_text(text.read_text().replace("u16", "u32"))
    assert sorted(_rules(run("old", "new", "--category", category))) == rules


@pytest.mark.parametrize(("direction", "status"), [("BACKWARD", 1), ("FORWARD", 0), ("FULL", 1)])
def test_a_direction_leaves_out_what_breaks_the_other_side(
    direction: str, status: int, run: Run, tmp_path: Path
) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", ("type: u16", "type: u16, valid: number > 0"))
    assert run("old", "new", "--direction", direction).exit_code == status


def test_a_revision(run: Run, repository: Path) -> None:
    _write(repository / "specs", RENAMED)
    assert run("--against", "nightly").stdout == "against nightly: no findings (TABLE, FULL_TRANSITIVE)\n"
    assert run("--against", "v1.0").stdout == "against v1.0: 2 breaking (TABLE, FULL_TRANSITIVE)\n"


def test_a_revision_of_one_protocol_has_the_libraries_beside_it(run: Run, tmp_path: Path) -> None:
    library = tmp_path / "specs" / "shared" / "library.yaml"
    library.parent.mkdir(parents=True)
    library.write_text("library: shared\nenums:\n  - name: Kind\n    values: [{name: A, value: 1}]\n")
    _git(tmp_path, "init")
    _write(tmp_path / "specs", ("type: u16", "type: u16, enum: Kind"))
    protocol = tmp_path / "specs" / "ping" / "protocol.yaml"
    protocol.write_text(protocol.read_text().replace("byte_order", "imports: [shared]\nbyte_order"))
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "--message", "begin")
    library.write_text(library.read_text().replace("value: 1", "value: 2"))
    result = run("specs/ping", "--against", "HEAD")
    assert result.stderr.splitlines()[0] == (
        "specs/shared/library.yaml:4:21: error[enum-value-renumbered]: ping.Kind.A: was 1, is 2 (WIRE, BACKWARD and "
        "FORWARD)"
    )


def test_tags_that_are_releases_and_have_specs(run: Run, repository: Path) -> None:
    assert run("--against-tags").stdout == "against v1.10, v1.0: 2 compatible (TABLE, FULL_TRANSITIVE)\n"


def test_each_tag_is_compared_with_the_newest_not_with_its_neighbour(run: Run, repository: Path) -> None:
    """The number that v1.0 had is a count in v1.10 and a number again today: only v1.10 is broken."""
    _commit(repository, "v1.11", GROWN, RENAMED)
    _write(repository / "specs", GROWN)
    result = run("--against-tags", "--format", "json")
    broken = {tuple(one["against"]) for one in json.loads(result.stdout) if one["breaks"]}
    assert broken == {("v1.11",)}
    first = run("--against-tags").stderr.splitlines()[0]
    assert "ping.echo.number: column was count (TABLE, BACKWARD and FORWARD), against v1.11; " in first


def test_without_transitive_the_last_tag_counts(run: Run, repository: Path) -> None:
    _write(repository / "specs", GROWN)
    assert run("--against-tags", "--direction", "FULL").stdout == "against v1.10: no findings (TABLE, FULL)\n"


def test_a_release_that_is_not_right_by_todays_rules_is_left_out(run: Run, repository: Path) -> None:
    _commit(repository, "v1.5", ("type: u16", "type: u17"))
    _write(repository / "specs")
    result = run("--against-tags")
    assert "wireloom: skipped: the specs of v1.5 have errors: ping/echo.yaml:5: error[integer-width]: " in result.stderr
    assert result.stdout.startswith("against v1.10, v1.0: ")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((), "name the old and the new specs, or only the new ones with --against or --against-tags"),
        (("specs",), "name the old and the new specs, or only the new ones with --against or --against-tags"),
        (("nowhere", "specs"), "there is no file or folder nowhere"),
        (
            ("--against", "HEAD", "--category", "wires"),
            "--category must be one of WIRE, CODEC, TABLE, DOCS, not 'wires'",
        ),
        (("--against", "HEAD", "--accept", "nowhere.yaml"), "there is no file nowhere.yaml"),
    ],
)
def test_misuse(arguments: tuple[str, ...], what: str, run: Run, repository: Path) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (2, f"wireloom: {what}\n")


def test_a_revision_that_is_not_there_is_told_with_those_that_are(run: Run, repository: Path) -> None:
    _git(repository, "branch", "-m", "trunk")
    assert run("--against", "main").stderr == (
        "wireloom: there is no revision 'main'; there is trunk, v1.10, v1.0, v0.1, nightly\n"
    )
    for number in range(20):
        _git(repository, "branch", f"b{number}")
    assert run("--against", "main").stderr.endswith(" and 17 more\n")


def test_no_work_tree(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "specs")
    result = run("--against", "main")
    assert result.exit_code == 2
    assert result.stderr.startswith("wireloom: not a git repository")


def test_a_revision_without_specs_has_nothing_to_compare_with(run: Run, repository: Path) -> None:
    result = run("--against", "v0.1")
    assert (result.exit_code, result.stdout) == (0, "against nothing: no findings (TABLE, FULL_TRANSITIVE)\n")
    assert result.stderr == "wireloom: nothing to compare with: v0.1 has no specs in specs yet\n"


def test_releases_none_of_which_can_be_read(run: Run, tmp_path: Path) -> None:
    _git(tmp_path, "init")
    _commit(tmp_path, "v1.0", ("type: u16", "type: u17"))
    _write(tmp_path / "specs")
    result = run("--against-tags")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "wireloom: the specs of no release can be read"


def test_the_last_release_that_can_be_read_counts(run: Run, repository: Path) -> None:
    _commit(repository, "v1.11", ("type: u16", "type: u17"))
    _write(repository / "specs", GROWN)
    result = run("--against-tags", "--direction", "FULL")
    assert result.stdout == "against v1.10: no findings (TABLE, FULL)\n"


def test_entries_for_other_protocols_are_nobodys_business(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new")
    _accept(tmp_path, ("field-renamed", "pong.echo.count", "Never deployed."))
    assert run("old", "new", "--accept", "accepted.yaml").stderr == ""


def test_a_revision_is_no_option_of_git(run: Run, repository: Path) -> None:
    result = run("--against=--output=written")
    assert (result.exit_code, result.stderr) == (
        2, "wireloom: there is no revision '--output=written'; there is main, v1.10, v1.0, v0.1, nightly\n",
    )  # fmt: skip
    assert not (repository / "written").exists()


def test_specs_that_archives_leave_out_are_compared_all_the_same(run: Run, repository: Path) -> None:
    (repository / ".gitattributes").write_text("specs export-ignore\n")
    assert run("--against", "v1.10").stdout == "against v1.10: no findings (TABLE, FULL_TRANSITIVE)\n"


def test_a_hook_of_another_repository_does_not_lead_astray(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / "elsewhere"))
    assert run("--against", "v1.10").stdout == "against v1.10: no findings (TABLE, FULL_TRANSITIVE)\n"


def test_specs_that_are_linked_from_elsewhere(
    run: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    _write(elsewhere)
    (repository / "linked").symlink_to(elsewhere)
    result = run("linked", "--against", "v1.10")
    assert result.exit_code == 2
    assert result.stderr.startswith("wireloom: ")


def test_no_release(run: Run, tmp_path: Path) -> None:
    _git(tmp_path, "init")
    _write(tmp_path / "specs")
    result = run("--against-tags")
    assert (result.exit_code, result.stderr) == (
        2,
        "wireloom: no release tag, such as v1.2, contains these specs\n",
    )


def test_specs_with_errors_are_not_compared(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", ("type: u16", "type: u17"))
    assert (run("old", "new").exit_code, _rules(run("old", "new"))) == (1, ["integer-width"])
    result = run("new", "old")
    assert (result.exit_code, result.stderr.partition(": ping")[0]) == (2, "wireloom: the specs of new have errors")


def _accept(folder: Path, *entries: tuple[str, str, str]) -> None:
    lines = [f"  - {{rule: {rule}, element: {element}, reason: {reason}}}" for rule, element, reason in entries]
    (folder / "accepted.yaml").write_text("\n".join(["accept:", *lines, ""]))


def test_what_is_accepted_does_not_fail(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", RENAMED)
    element = "ping.echo.count"
    _accept(tmp_path, ("field-renamed", element, "Never deployed."), ("column-renamed", element, "No tables yet."))
    result = run("old", "new", "--accept", "accepted.yaml")
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "against old: 2 accepted (TABLE, FULL_TRANSITIVE)\n",
        "",
    )


@pytest.mark.parametrize("options", [("--category", "WIRE"), ("--direction", "FORWARD"), ("--category", "DOCS")])
def test_what_is_accepted_is_used_in_every_category_and_direction(
    options: tuple[str, str], run: Run, tmp_path: Path
) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", RENAMED)
    element = "ping.echo.count"
    _accept(tmp_path, ("field-renamed", element, "Never deployed."), ("column-renamed", element, "No tables yet."))
    result = run("old", "new", "--accept", "accepted.yaml", *options)
    assert (result.exit_code, result.stderr) == (0, "")


def test_an_entry_for_a_note_accepts_nothing(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", GROWN)
    _accept(tmp_path, ("field-added", "ping.echo.more", "It is optional."))
    result = run("old", "new", "--accept", "accepted.yaml")
    assert (result.exit_code, result.stdout) == (0, "against old: 2 compatible (TABLE, FULL_TRANSITIVE)\n")


def test_an_entry_that_accepts_nothing_is_told(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new")
    _accept(tmp_path, ("field-renamed", "ping.echo.count", "Never deployed."))
    result = run("old", "new", "--accept", "accepted.yaml")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == (
        "accepted.yaml:2:5: warning[accepted]: there is no field-renamed finding at ping.echo.count; delete the entry "
        "once every version that is compared has the change"
    )


def test_an_entry_of_an_unknown_rule_or_without_a_reason_fails(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new")
    _accept(tmp_path, ("field-rename", "ping.echo.count", "Never deployed."), ("field-moved", "ping.echo.text", '""'))
    result = run("old", "new", "--accept", "accepted.yaml")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[:2] == [
        "accepted.yaml:2:12: error[accepted]: there is no rule 'field-rename'; did you mean 'field-renamed'?",
        "accepted.yaml:3:58: error[accepted]: no reason is given; say why this is acceptable",
    ]


def test_json_has_every_fact_of_a_finding(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", RESIZED)
    found = json.loads(run("old", "new", "--category", "WIRE", "--format", "json").stdout)
    assert found == [
        {
            "path": "new/ping/echo.yaml", "line": 5, "column": 14, "severity": "error", "rule": "field-resized",
            "what": "was u16, is u32", "hint": "", "element": "ping.echo.number", "category": "WIRE",
            "breaks": ["BACKWARD", "FORWARD"], "against": ["old"],
        }
    ]  # fmt: skip


def test_github_annotates_the_line(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "old")
    _write(tmp_path / "new", RESIZED, GROWN)
    lines = run("old", "new", "--category", "WIRE", "--format", "github").stdout.splitlines()
    assert lines == [
        "::error file=new/ping/echo.yaml,line=5,col=14,title=wireloom field-resized::ping.echo.number: was u16, is u32 "
        "(WIRE, BACKWARD and FORWARD)",
        "::notice file=new/ping/echo.yaml,line=7,col=14,title=wireloom field-added::ping.echo.more: added, optional; "
        "old decoders keep its bytes in left_over",
    ]
