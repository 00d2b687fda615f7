"""The standard streams, and what is printed: streams that are closed or slow, and text that is not seen."""

import contextlib
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyarrow import parquet
from support import peak

from cli.calls import CUT_OFF, MARKER, PROGRAM, STREAM, UNKNOWN, rows, run
from wireloom.cli import app
from wireloom.files import shown
from wireloom.json_rows import harmless, json_writer
from wireloom_protocols import databus

CLOSED = {"standard input": 0, "standard output": 1, "standard error": 2}


def without(stream: str, arguments: Sequence[str | Path], stdin: bytes = MARKER) -> subprocess.CompletedProcess[bytes]:
    """Run the program with a standard stream that is closed."""
    command = [*PROGRAM, *map(str, arguments)]
    closed = partial(os.close, CLOSED[stream])
    return subprocess.run(command, input=stdin, capture_output=True, check=False, preexec_fn=closed)


# Closed streams


@pytest.mark.program
@pytest.mark.parametrize(
    ("stream", "arguments"),
    [
        ("standard input", ["decode", "couchbase_dcp", "-"]),
        ("standard input", ["encode", "couchbase_dcp"]),
        ("standard output", ["decode", "couchbase_dcp", "-"]),
        ("standard output", ["decode", "couchbase_dcp", "-", "--format", "arrow"]),
        ("standard output", ["--help"]),
        *(
            pytest.param("standard output", arguments, marks=pytest.mark.sweep)
            for arguments in (["inspect", "couchbase_dcp", "-"], ["protocols"], ["--version"], ["explain"])
        ),
    ],
)
def test_a_closed_stream_that_is_needed_is_a_sentence_and_status_2(stream: str, arguments: list[str]) -> None:
    done = without(stream, arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"wireloom: {stream} is closed; ".encode())
    assert done.stderr.count(b"\n") == 1
    assert done.stdout == b""


@pytest.mark.program
@pytest.mark.parametrize("stream", CLOSED)
def test_a_closed_stream_that_is_not_needed_is_not_missed(stream: str, tmp_path: Path) -> None:
    source, target = tmp_path / "capture", tmp_path / "rows"
    source.write_bytes(MARKER + CUT_OFF)  # of which there is something to tell on standard error
    done = without(stream, ["decode", "couchbase_dcp", source, "--output", target])
    assert done.returncode == 0
    assert target.read_bytes() == run("decode", "couchbase_dcp", source).stdout_bytes
    assert done.stdout == b""


@pytest.mark.program
def test_diagnostics_without_standard_error_are_not_output() -> None:
    done = without("standard error", ["decode", "couchbase_dcp", "-"], CUT_OFF)
    assert done.returncode == 0
    assert json.loads(done.stdout)["_corrupt_record"] == CUT_OFF.hex()


# Text that is not seen

SEEN_BUT_FOR = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters: control, format, surrogate, line and paragraph separator."""


def test_json_has_no_character_that_is_not_seen_and_means_the_same() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    text = "".join(char for char in every if unicodedata.category(char) not in ("Cn", "Co"))  # all that mean something
    shown = harmless(json.dumps(text, ensure_ascii=False))
    assert not {unicodedata.category(char) for char in shown} & SEEN_BUT_FOR
    assert json.loads(shown) == json.loads(json.dumps(text))
    assert "é日🙂" in harmless(json.dumps("é日🙂", ensure_ascii=False))


@pytest.fixture
def protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A protocol with text in its records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    run("init", "unseen")
    run("generate", "--out", "unseen_protocols")
    return "unseen_protocols.unseen"


def test_rows_show_what_is_not_seen_as_escapes_and_give_the_bytes_back(protocol: str) -> None:
    place = "\x1b[2J\x7f\x9b31m\u202e\u2066\u061c\ufeff\u200d\xad\u2028\U000e0041é"
    row = {"reading": {"sensor_id": 1, "taken_at": 2, "temperature": 3.0, "quality": 0, "place": place}}
    record = run("encode", protocol, stdin=json.dumps(row).encode()).stdout_bytes
    printed = run("decode", protocol, "-", stdin=record)
    assert rows(printed)[0]["reading"]["place"] == place
    assert printed.stdout.removesuffix("\n").isprintable()
    assert run("encode", protocol, stdin=printed.stdout_bytes).stdout_bytes == record
    assert all(line.isprintable() for line in run("inspect", protocol, "-", stdin=record).stdout.splitlines())


HOSTILE_NAME = "\x1b[31m\u202e[red]\udce9\x9b"


@pytest.mark.parametrize(
    "arguments",
    [
        ["decode", "couchbase_dcp", HOSTILE_NAME],
        ["inspect", "couchbase_dcp", HOSTILE_NAME, "--offset", "1"],
        ["inspect", "couchbase_dcp", HOSTILE_NAME, "--offset", "1000"],
        ["decode", "couchbase_dcp", f"no{HOSTILE_NAME}"],
        ["decode", "couchbase_dcp", f"--{HOSTILE_NAME}"],
        ["decode", HOSTILE_NAME, "-"],
        [HOSTILE_NAME],
        ["decode", "couchbase_dcp", "-", "--output", f"{HOSTILE_NAME}/{HOSTILE_NAME}"],
        ["encode", "couchbase_dcp", HOSTILE_NAME],
        ["check", HOSTILE_NAME],
        ["check", HOSTILE_NAME, "--format", "github"],
        ["check", HOSTILE_NAME, "--format", "json"],
        ["check", f"no{HOSTILE_NAME}"],
        ["compat", HOSTILE_NAME, HOSTILE_NAME],
        ["generate", HOSTILE_NAME],
        ["explain", HOSTILE_NAME],
        ["init", HOSTILE_NAME],
    ],
)
def test_names_of_files_do_nothing_to_a_terminal(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(HOSTILE_NAME).write_bytes(CUT_OFF)
    done = CliRunner().invoke(app, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert done.output
    assert all(line.isprintable() for line in done.output.split("\n"))


COLOURS = re.compile(r"\x1b\[[\d;?]*[A-Za-z]|[\r\n]")
"""What rich sends to a terminal beside text."""


def on_a_terminal(arguments: Sequence[str], stdin: bytes, *, stdout: int | None = None) -> str:
    """What a terminal gets from the program, less colours and line breaks; ``stdout`` is the terminal, too, if None."""
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    stdout = writer if stdout is None else stdout
    environment = {**os.environ, "TERM": "xterm-256color"}
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=stdout, stderr=writer, env=environment
    ) as process:
        os.close(writer)
        assert process.stdin is not None
        process.stdin.write(stdin)
        process.stdin.close()
        got = b""
        with contextlib.suppress(OSError):  # which is how the end of a terminal shows on Linux
            while piece := os.read(reader, 65536):
                got += piece
    os.close(reader)
    assert process.returncode == 0
    return COLOURS.sub("", got.decode())


@pytest.mark.program
def test_a_terminal_gets_text_in_colours_and_nothing_else(protocol: str) -> None:
    place = "\x1b]0;title\x07\x9b31m\u202e[red]"
    row = {"reading": {"sensor_id": 1, "taken_at": 2, "temperature": 3.0, "quality": 0, "place": place}}
    record = run("encode", protocol, stdin=json.dumps(row).encode()).stdout_bytes
    shown = on_a_terminal(["inspect", protocol, "-"], record)
    assert "[red]" in shown
    assert shown.isprintable()


@pytest.mark.program
def test_a_progress_bar_has_a_harmless_name(tmp_path: Path) -> None:
    source = tmp_path / "\x1b]0;title\x07\u202e[red]"
    source.write_bytes(UNKNOWN * 4_000)
    shown = on_a_terminal(["decode", "couchbase_dcp", str(source)], b"", stdout=subprocess.DEVNULL)
    assert "\\u202e[red]" in shown
    assert shown.isprintable()


@pytest.mark.program
def test_no_progress_bar_stands_in_the_line_of_what_a_pipe_shows(tmp_path: Path) -> None:
    source = tmp_path / "capture.bin"
    source.write_bytes(UNKNOWN * 4)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as cat:
        assert cat.stdin is not None
        assert on_a_terminal(["decode", "couchbase_dcp", str(source)], b"", stdout=cat.stdin.fileno()) == ""


# Names of files that are no UTF-8


@pytest.fixture
def oddly_named(tmp_path: Path) -> Path:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9 %.bin"))
    path.write_bytes(MARKER + CUT_OFF)
    return path


def test_a_name_that_is_no_utf_8_comes_out_as_the_uri_of_the_file(oddly_named: Path, tmp_path: Path) -> None:
    expected = f"file://{tmp_path}/caf%E9%20%25.bin"
    decoded = run("decode", "couchbase_dcp", oddly_named, "--positions")
    assert [row["_file"] for row in rows(decoded)] == [expected] * 2
    assert decoded.stderr.startswith(f"wireloom: {expected}: 1 of 2 records malformed")
    run("decode", "couchbase_dcp", oddly_named, "--positions", "--format", "parquet", "--output", tmp_path / "table")
    assert parquet.read_table(tmp_path / "table").column("_file").to_pylist() == [expected] * 2


def test_such_a_uri_names_the_file(oddly_named: Path) -> None:
    by_uri = run("decode", "couchbase_dcp", shown(oddly_named))
    assert by_uri.stdout == run("decode", "couchbase_dcp", oddly_named).stdout


def test_a_page_of_a_file_whose_name_is_no_utf_8_is_written(oddly_named: Path, tmp_path: Path) -> None:
    target = Path(os.fsdecode(bytes(tmp_path) + b"/\xff.html"))
    run("inspect", "couchbase_dcp", oddly_named, "--html", target)
    assert "caf%E9%20%25.bin as couchbase_dcp" in target.read_text()


# Input as it arrives

ARRIVING: dict[str, Callable[[bytes], bytes]] = {
    "bytes": lambda data: data,
    "hex": lambda data: data.hex().encode(),
}


@pytest.mark.program
@pytest.mark.parametrize("kind", ARRIVING)
def test_a_row_is_there_before_the_next_record_is(kind: str) -> None:
    options = ["--hex"] if kind == "hex" else []
    command = [*PROGRAM, "decode", "couchbase_dcp", "-", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for record, message in ((MARKER, "snapshot_marker"), (UNKNOWN, "unknown")):
            process.stdin.write(ARRIVING[kind](record))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["message"] == message
        process.stdin.close()
        assert process.stdout.read() == b""


@pytest.mark.program
@pytest.mark.parametrize("name", ["capture.bin", "capture.bin.gz", "-", "hex"])
def test_rows_do_not_depend_on_how_their_bytes_come(name: str, tmp_path: Path) -> None:
    capture = STREAM.read_bytes() * 100 + MARKER + b"something else" + STREAM.read_bytes() + CUT_OFF
    path = tmp_path / name
    path.write_bytes(capture if name != "capture.bin.gz" else gzip.compress(capture))
    given: list[Any] = ["-"] if name in {"-", "hex"} else [path]
    stdin = capture.hex(" ", 7).replace("3 ", "3 # 3\n ").encode() if name == "hex" else capture
    found = rows(run("decode", "databus", *given, *["--hex"][: name == "hex"], stdin=stdin))
    expected = rows_of_the_whole(capture)
    assert found == expected


def rows_of_the_whole(capture: bytes) -> list[dict[str, Any]]:
    """As JSON, the rows of the codec, which has the whole capture at once."""
    write = json_writer(databus.PROTOCOL.columns)
    return [json.loads(json.dumps(write(row))) for row in databus.iter_records(capture, "PERMISSIVE")]


@pytest.mark.program
@pytest.mark.parametrize("megabytes", [10, pytest.param(600, marks=pytest.mark.long)])
@pytest.mark.parametrize("form", [[], ["--hex"]])
def test_zeros_take_no_disk_and_bounded_memory(megabytes: int, form: list[str], tmp_path: Path) -> None:
    path = tmp_path / "zeros.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(megabytes):
            file.write((b"0" if form else b"\0") * 1_000_000)
    arguments = ["decode", "couchbase_dcp", str(path), "--message", "snapshot_marker", *form]
    command = [sys.executable, "-c", peak.PROGRAM, *arguments]

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, preexec_fn=bounded)
    assert int(done.stderr.splitlines()[-1]) < 800, done.stderr
