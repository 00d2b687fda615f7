"""Where commands write: what is there afterwards, whatever stood there before and however the command ended."""

import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.calls import CUT_OFF, MARKER, PROGRAM, UNKNOWN, program, run
from wireloom.cli.outputs import output

ROWS = run("decode", "couchbase_dcp", "-", stdin=MARKER + UNKNOWN).stdout_bytes
COMMANDS = {
    "decode": lambda source, target: ["decode", "couchbase_dcp", source, "--output", target],
    "parquet": lambda source, target: ["decode", "couchbase_dcp", source, "--format", "parquet", "--output", target],
    "encode": lambda source, target: ["encode", "couchbase_dcp", source, "--output", target],
    "inspect": lambda source, target: ["inspect", "couchbase_dcp", source, "--html", target],
}
"""Every command that writes a file, reading one."""


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest) -> Callable[[object, object], list[str]]:
    made = COMMANDS[request.param]
    return lambda source, target: [str(argument) for argument in made(source, target)]


@pytest.fixture
def source(tmp_path: Path, command: Callable[[object, object], list[str]]) -> Path:
    """What the command reads."""
    path = tmp_path / "source"
    path.write_bytes(ROWS if command("", "")[0] == "encode" else MARKER + UNKNOWN)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder"
    path.mkdir()
    return path


@pytest.fixture
def restrictive() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_beside_the_target_stay_as_they_are(
    command: Callable[[object, object], list[str]], source: Path, folder: Path
) -> None:
    beside = [folder / name for name in ("out.partial", "out.tmp", ".out", "out~", "out.new")]
    for path in beside:
        path.write_bytes(b"mine")
    run(*command(source, folder / "out"))
    assert {path.read_bytes() for path in beside} == {b"mine"}
    assert len(list(folder.iterdir())) == len(beside) + 1


def test_an_input_may_have_any_name_but_the_target_s(
    command: Callable[[object, object], list[str]], source: Path, folder: Path
) -> None:
    given = folder / "out.partial"
    given.write_bytes(source.read_bytes())
    run(*command(given, folder / "out"))
    assert given.read_bytes() == source.read_bytes()


LINKS: dict[str, Callable[[Path, Path], object]] = {
    "itself": lambda link, source: link.with_name("source"),
    "symbolic": lambda link, source: link.symlink_to(source),
    "hard": lambda link, source: link.hardlink_to(source),
}


@pytest.mark.parametrize("link", LINKS)
def test_an_output_that_is_an_input_is_refused(
    link: str, command: Callable[[object, object], list[str]], source: Path, tmp_path: Path
) -> None:
    before = source.read_bytes()
    target = LINKS[link](tmp_path / "link", source) or tmp_path / "link"
    refused = run(*command(source, target), status=2)
    assert refused.stderr == f"wireloom: {source} would be overwritten while it is read; choose another output\n"
    assert source.read_bytes() == before


@pytest.mark.program
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_an_output_that_is_standard_input_is_refused(name: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(MARKER)
    with source.open("rb") as stdin:
        command = [*PROGRAM, "decode", "couchbase_dcp", name, "--output", str(source)]
        done = subprocess.run(command, stdin=stdin, capture_output=True, check=False)
    assert (done.returncode, source.read_bytes()) == (2, MARKER)
    assert b"would be overwritten while it is read" in done.stderr


@pytest.mark.program
def test_standard_output_that_is_an_input_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(MARKER)
    with source.open("ab") as stdout:
        command = [*PROGRAM, "decode", "couchbase_dcp", str(source)]
        done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, source.read_bytes()) == (2, MARKER)
    assert b"would be overwritten while it is read" in done.stderr


@pytest.mark.usefixtures("restrictive")
def test_a_new_file_has_the_mode_of_any_other(
    command: Callable[[object, object], list[str]], source: Path, folder: Path
) -> None:
    run(*command(source, folder / "out"))
    assert mode(folder / "out") == 0o640


def test_a_file_that_is_replaced_keeps_its_mode(folder: Path) -> None:
    target = folder / "out"
    target.touch(0o600)
    target.chmod(0o604)
    run("decode", "couchbase_dcp", "-", "--output", target, stdin=MARKER)
    assert mode(target) == 0o604


def test_a_link_stays_and_what_it_leads_to_is_written(folder: Path, tmp_path: Path) -> None:
    link = folder / "link"
    link.symlink_to(tmp_path / "far")
    run("decode", "couchbase_dcp", "-", "--output", link, stdin=MARKER + UNKNOWN)
    assert link.is_symlink()
    assert (tmp_path / "far").read_bytes() == ROWS
    assert list(folder.iterdir()) == [link]


def test_a_name_may_be_as_long_as_a_name_can_be(folder: Path) -> None:
    target = folder / ("n" * 255)
    run("decode", "couchbase_dcp", "-", "--output", target, stdin=MARKER + UNKNOWN)
    assert target.read_bytes() == ROWS


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is refused to root")
def test_a_file_that_may_not_be_written_is_not_replaced(folder: Path) -> None:
    target = folder / "out"
    target.touch(0o444)
    assert (
        "Permission denied" in run("decode", "couchbase_dcp", "-", "--output", target, stdin=UNKNOWN, status=2).stderr
    )


def test_of_two_writers_the_last_wins_whole(folder: Path) -> None:
    target = folder / "out"
    with output(target, binary=True) as one:
        one.write(b"1" * 100_000)
        with output(target, binary=True) as other:
            other.write(b"2" * 50_000)
        one.write(b"1" * 100_000)
    assert target.read_bytes() == b"1" * 200_000
    assert list(folder.iterdir()) == [target]


def test_what_is_there_stays_until_the_output_is_whole(folder: Path) -> None:
    target = folder / "out"
    target.write_bytes(b"before")
    run("decode", "couchbase_dcp", "-", "--mode", "FAILFAST", "--output", target, stdin=MARKER + CUT_OFF, status=1)
    assert target.read_bytes() == b"before"
    assert list(folder.iterdir()) == [target]


@pytest.mark.program
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing(number: signal.Signals, folder: Path) -> None:
    command = [*PROGRAM, "decode", "couchbase_dcp", "-", "--output", str(folder / "out")]
    heard = signal.signal(number, signal.SIG_DFL)  # what is ignored here would be by the program, as under nohup
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    signal.signal(number, heard)
    with process:
        while not list(folder.iterdir()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        process.wait(timeout=60)
    assert process.returncode in {-number, 130}
    assert list(folder.iterdir()) == []


def test_a_pipe_is_written_straight(folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        run("decode", "couchbase_dcp", "-", "--output", pipe, stdin=MARKER + UNKNOWN)
        assert reader.communicate()[0] == ROWS
    assert list(folder.iterdir()) == [pipe]


@pytest.mark.program
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_by_its_path_is_written_straight(path: str, folder: Path) -> None:
    if not Path(path).exists():
        pytest.skip(f"there is no {path}")
    target = folder / "out"
    with target.open("wb") as stdout:
        command = [*PROGRAM, "decode", "couchbase_dcp", "-", "--output", path]
        subprocess.run(command, input=MARKER + UNKNOWN, stdout=stdout, check=True)
        assert os.path.samestat(os.fstat(stdout.fileno()), target.stat())
    assert target.read_bytes() == ROWS


def test_a_device_takes_what_is_written(command: Callable[[object, object], list[str]], source: Path) -> None:
    run(*command(source, "/dev/null"))
    assert not Path("/dev/null").is_file()


@pytest.mark.program
def test_a_full_device_is_a_sentence_and_status_2() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("wb", buffering=0) as full:
        command = [*PROGRAM, "decode", "couchbase_dcp", "-"]
        done = subprocess.run(command, input=MARKER, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"wireloom: No space left on device\n")


@pytest.mark.program
def test_the_program_says_what_is_no_place_to_write(folder: Path) -> None:
    refused = program(["decode", "couchbase_dcp", "-", "--output", folder])
    assert (refused.returncode, refused.stderr) == (
        2, f"wireloom: {folder} is a directory; name a file\n".encode(),
    )  # fmt: skip
