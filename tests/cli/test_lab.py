"""``wireloom lab`` before its page is served: what it refuses. The page is tested in tests/lab."""

import socket
from pathlib import Path

import pytest
from lab import small

from cli.calls import program, run
from wireloom_generator.lab.session import Session


def refused(*arguments: str | Path) -> str:
    """The sentence with which the program refuses its arguments."""
    return run("lab", "--no-browser", *arguments, status=2).stderr.removeprefix("wireloom: ").rstrip("\n")


def test_specs_must_be_there(tmp_path: Path) -> None:
    assert refused("absent") == "there is no file or folder absent; without one, the lab has a spec to start from"
    assert refused(tmp_path) == f"there is no spec in {tmp_path}"


def test_a_capture_alone_begins_a_spec_or_continues_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions: list[Session] = []
    monkeypatch.setattr("wireloom_generator.lab.serving.serve", lambda session, *_: sessions.append(session()))
    monkeypatch.chdir(tmp_path)
    Path("Log 7.bin").write_bytes(bytes(range(9)))
    run("lab", "--no-browser", "Log 7.bin")
    (begun,) = sessions
    assert [str(path) for path in begun.workspace.unsaved] == ["specs/log_7/protocol.yaml", "specs/log_7/content.yaml"]
    small.decoded(begun)
    assert begun.problems == ()
    assert "00010203" in begun.record(0).tree
    begun.workspace.edit(begun.path, begun.workspace.drafts[begun.path].text + "ports: [7]\n")
    for path in begun.workspace.unsaved:
        begun.workspace.save(path)
    run("lab", "--no-browser", "Log 7.bin")
    continued = sessions[1].workspace
    assert continued.drafts[begun.path].text.endswith("ports: [7]\n")
    assert not continued.unsaved


def test_a_capture_must_be_there(tmp_path: Path) -> None:
    folder = small.specs(tmp_path)
    assert refused(folder, "absent.bin") == "there is no file absent.bin"
    assert refused(folder, tmp_path) == f"{tmp_path} is a directory; name a file in it"


def test_a_capture_must_be_a_file(tmp_path: Path) -> None:
    assert refused(small.specs(tmp_path), "/dev/null").startswith("/dev/null is no file that can be read from anywhere")


def test_specs_must_be_text(tmp_path: Path) -> None:
    folder = small.specs(tmp_path)
    (folder / "alarm.yaml").write_bytes(b"\xff")
    assert "alarm.yaml is not text in UTF-8" in refused(folder)


def test_parameters_have_a_name_and_a_value(tmp_path: Path) -> None:
    assert refused(small.specs(tmp_path), "-P", "wide") == "-P must be PARAM=VALUE, not 'wide'"


@pytest.mark.program
def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = program(["lab", "--no-browser", "--port", port, small.specs(tmp_path)])
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"ddress already in use" in done.stderr
