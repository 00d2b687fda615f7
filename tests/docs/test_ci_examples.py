"""What is shipped for others' CI: the commands in it are commands, and do what they are there for."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from support.paths import ROOT

from wireloom.cli import app

HOOKS = yaml.safe_load(ROOT.joinpath(".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load(ROOT.joinpath("docs", "ci", "github-actions.yml").read_text(encoding="utf-8"))
STEPS = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]
COMMANDS = [
    *(shlex.split(step)[1:] for step in STEPS if step.startswith("wireloom ")),
    *([*shlex.split(hook["entry"])[1:], *hook.get("args", ["specs"])] for hook in HOOKS),
]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a stranger's repository, with all that is generated; commands run in it."""
    monkeypatch.chdir(tmp_path)
    for command in (["init", "mine"], ["generate", "specs"]):
        assert CliRunner().invoke(app, command).exit_code == 0
    _git("init", "--quiet")
    _git("add", ".")
    _git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "specs")
    _git("update-ref", "refs/remotes/origin/main", "HEAD")
    return tmp_path


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def test_there_is_something_to_run() -> None:
    assert [command[0] for command in COMMANDS] == ["generate", "compat", "fmt", "check", "generate"]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_repository_as_it_should_be_passes(command: list[str], repository: Path) -> None:
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("command", [command for command in COMMANDS if command[0] != "fmt"], ids=" ".join)
def test_a_mistake_in_a_spec_fails(command: list[str], repository: Path) -> None:
    spec = repository / "specs" / "mine" / "reading.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("type: u32", "type: u33"), encoding="utf-8")
    assert CliRunner().invoke(app, command).exit_code == 1


def test_a_step_of_the_workflow_fails_when_generated_files_are_forgotten(repository: Path) -> None:
    shutil.rmtree(repository / "generated")
    failed = [command[0] for command in COMMANDS[:2] if CliRunner().invoke(app, command).exit_code == 1]
    assert failed == ["generate"]


def test_a_step_of_the_workflow_fails_when_tables_break(repository: Path) -> None:
    spec = repository / "specs" / "mine" / "reading.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("name: place,", "name: spot,"), encoding="utf-8")
    spec.write_text(spec.read_text(encoding="utf-8").replace("place: attic", "spot: attic"), encoding="utf-8")
    assert CliRunner().invoke(app, ["generate", "specs"]).exit_code == 0
    failed = [command[0] for command in COMMANDS[:2] if CliRunner().invoke(app, command).exit_code == 1]
    assert "compat" in failed


def test_what_is_installed_has_what_the_commands_need() -> None:
    project: dict[str, Any] = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    installs = [step for step in STEPS if "pip install" in step]
    installs += [text for hook in HOOKS for text in hook["additional_dependencies"]]
    extras = [set(found[1].split(",")) for text in installs if (found := re.search(r"\[([\w,]+)\]", text))]
    assert len(extras) == 4
    assert all({"generator", "cli"} <= found <= set(project["optional-dependencies"]) for found in extras)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_has_what_pre_commit_asks_for(hook: dict[str, Any]) -> None:
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert hook.get("pass_filenames", True) is (hook["id"] == "wireloom-fmt")
