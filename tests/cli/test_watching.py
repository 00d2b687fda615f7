"""``wireloom check --watch``: what it says after each change, and how it ends."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.calls import run
from wireloom.cli import watching

WRONG = "specs/mine/reading.yaml:10:31: error[integer-width]: no integer has 33 bits"


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of a protocol that has no problems."""
    monkeypatch.chdir(tmp_path)
    run("init", "mine")
    return tmp_path / "specs/mine/reading.yaml"


def after_each_look(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> None:
    """Do this whenever nothing has changed, then press Ctrl-C."""
    waiting: Iterator[Callable[[], object]] = iter(steps)

    def sleep(_: float) -> None:
        step = next(waiting, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(watching.time, "sleep", sleep)


def replaced(path: Path, old: str, new: str) -> Callable[[], object]:
    return lambda: path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_only_what_changed_is_said(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong, right = replaced(spec, "type: u32", "type: u33 "), replaced(spec, "type: u33 ", "type: u32")
    after_each_look(monkeypatch, wrong, lambda: None, right)
    lines = run("check", "--watch").stderr.splitlines()
    state = "watching, stop with Ctrl-C"
    assert lines[0] == f"wireloom: specs: no problems; {state}"
    assert lines[1].startswith(WRONG)
    assert lines[2] == f"wireloom: specs: 1 error; {state}"
    assert lines[3] == f"fixed: {lines[1]}"
    assert lines[4:] == [f"wireloom: specs: no problems; {state}"]


def test_a_library_beside_is_watched_as_well(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = spec.parent.parent / "shared/library.yaml"
    library.parent.mkdir()
    after_each_look(monkeypatch, lambda: library.write_text("library: shared\n", encoding="utf-8"))
    assert len(run("check", "--watch", "specs/mine").stderr.splitlines()) == 2


def test_the_status_is_that_of_the_last_state(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after_each_look(monkeypatch, replaced(spec, "type: u32", "type: u33 "))
    run("check", "--watch", status=1)
    after_each_look(monkeypatch, replaced(spec, "type: u33 ", "type: u32"))
    run("check", "--watch", status=0)


def test_a_terminal_is_cleared_and_shows_everything(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after_each_look(monkeypatch, replaced(spec, "type: u32", "type: u33 "), spec.touch)
    monkeypatch.setattr("wireloom.cli.watching.is_terminal", lambda: True)
    said = run("check", "--watch", status=1).stderr
    assert said.count("\x1b[2J") == 3
    assert said.rpartition("\x1b[2J")[2].count("integer-width") == 2


@pytest.mark.parametrize("more", [["--explain"], ["--format", "json"]])
def test_other_reports_are_not_repeated(spec: Path, more: list[str]) -> None:
    said = run("check", "--watch", *more, status=2).stderr
    assert said == "wireloom: --watch reports problems as text, without --explain and --format\n"
