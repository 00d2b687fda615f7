"""``wireloom decode --split-by-message``: a file a message, all of them or none."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from support.paths import DATA

from cli.calls import CUT_OFF, MARKER, PROGRAM, UNKNOWN, run
from wireloom.cli import formats, splitting
from wireloom_protocols import couchbase_dcp, databus

TORN = b"\0" * 30
"""A record of no message."""
EVENTS = DATA / "databus" / "stream_scn_regress.bin"


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "capture.bin"
    path.write_bytes((MARKER + UNKNOWN) * 3 + TORN)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where files go; it is made by the program."""
    return tmp_path / "folder"


def split(*arguments: str | Path, status: int = 0, stdin: bytes = b"") -> Any:
    return run("decode", "couchbase_dcp", *arguments, status=status, stdin=stdin)


def content(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return parquet.read_table(path)
    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def comments(table: pa.Table) -> list[bytes | None]:
    """The comment of each column; Parquet files have other metadata beside it."""
    return [(field.metadata or {}).get(b"comment") for field in table.schema]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_each_message_has_a_file_with_its_narrow_table(form: str, capture: Path, folder: Path) -> None:
    told = split(capture, "--format", form, "--split-by-message", folder)
    tables = couchbase_dcp.decode_by_message(capture.read_bytes(), mode="PERMISSIVE")
    assert names(folder) == sorted(f"{name}.{form}" for name in ("snapshot_marker", "unknown", "no-message"))
    for name, table in tables.items():
        found = content(folder / f"{name}.{form}")
        assert found.equals(table)
        assert comments(found) == comments(table)
    assert told.stderr == split(capture).stderr  # of malformed records


def test_lines_of_json_are_those_of_each_message(capture: Path, folder: Path) -> None:
    split(capture, "--split-by-message", folder, "--positions")
    for name in ("snapshot_marker", "unknown"):
        assert (folder / f"{name}.jsonl").read_bytes() == split(
            capture, "--message", name, "--positions", "--mode", "DROPMALFORMED"
        ).stdout_bytes
    (torn,) = map(json.loads, (folder / "no-message.jsonl").read_text().splitlines())
    assert (torn["message"], torn["_corrupt_record"], torn["_offset"]) == (None, TORN.hex(), 3 * len(MARKER + UNKNOWN))


def test_lines_of_json_may_lack_nulls(capture: Path, folder: Path) -> None:
    split(capture, "--split-by-message", folder, "--no-nulls")
    assert b"null" not in (folder / "snapshot_marker.jsonl").read_bytes()


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_listed_messages_have_files_without_rows_too(form: str, folder: Path) -> None:
    listed = ["--messages", "unknown,system_event", "--format", form]
    split("-", *listed, "--split-by-message", folder, stdin=MARKER + UNKNOWN)
    assert names(folder) == [f"system_event.{form}", f"unknown.{form}"]
    if form == "parquet":
        assert content(folder / "system_event.parquet").schema.names[-3:-2] == ["trailing_value"]


def test_several_inputs_are_in_the_same_files(capture: Path, folder: Path) -> None:
    split(capture, "-", capture, "--format", "parquet", "--split-by-message", folder, stdin=MARKER)
    assert content(folder / "snapshot_marker.parquet").num_rows == 7


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_textual_form_is_split_too(form: str, folder: Path, tmp_path: Path) -> None:
    lines = run("decode", "databus", EVENTS, "--mode", "DROPMALFORMED").stdout_bytes
    text = run("encode", "databus", "-", "--form", "json", stdin=lines).stdout_bytes
    given = ["--form", "json", "--format", form]
    run("decode", "databus", "-", *given, "--split-by-message", folder, stdin=text + b"nonsense\n")
    assert names(folder) == [f"dbus_event.{form}", f"no-message.{form}"]
    whole = run("decode", "databus", "-", *given, "--message", "dbus_event", "--mode", "DROPMALFORMED", stdin=text)
    if form == "jsonl":
        assert (folder / "dbus_event.jsonl").read_bytes() == whole.stdout_bytes
    else:
        rows = databus.decode_columnar(EVENTS.read_bytes(), mode="DROPMALFORMED").num_rows
        assert content(folder / "dbus_event.parquet").num_rows == rows


def test_few_bytes_wait_however_many_messages_there_are(
    capture: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups are written when they are full, and the largest when all that wait are too much."""
    capture.write_bytes((MARKER * 9 + UNKNOWN) * 30_000)
    expected = couchbase_dcp.decode_by_message(capture.read_bytes())
    for most, groups in ((1, 5), (splitting.BYTES_HELD, 3)):
        monkeypatch.setattr(splitting, "BYTES_HELD", most)
        split(capture, "--format", "parquet", "--split-by-message", folder)
        file = parquet.ParquetFile(folder / "snapshot_marker.parquet")
        assert file.num_row_groups >= groups
        for name, table in expected.items():
            assert content(folder / f"{name}.parquet").equals(table)
    assert parquet.ParquetFile(folder / "unknown.parquet").num_row_groups == 1
    assert all(file.metadata.row_group(n).num_rows < 3 * formats.ROWS_A_GROUP for n in range(file.num_row_groups))


# What is there afterwards


def test_files_are_replaced_and_others_stay(capture: Path, folder: Path) -> None:
    folder.mkdir()
    for name in ("unknown.jsonl", "system_event.jsonl", "mine"):
        (folder / name).write_bytes(b"before")
    split(capture, "--split-by-message", folder)
    assert (folder / "unknown.jsonl").read_bytes().count(b"\n") == 3
    assert (folder / "system_event.jsonl").read_bytes() == (folder / "mine").read_bytes() == b"before"


@pytest.mark.parametrize("form", ["parquet", "arrow", "jsonl"])
def test_failfast_leaves_all_as_it_was(form: str, capture: Path, folder: Path) -> None:
    command = [capture, "--mode", "FAILFAST", "--format", form, "--split-by-message", folder]
    assert split(*command, status=1).stderr.startswith(f"wireloom: {capture}: ")
    assert not folder.exists()
    folder.mkdir()
    (folder / f"unknown.{form}").write_bytes(b"before")
    split(*command, status=1)
    assert names(folder) == [f"unknown.{form}"]
    assert (folder / f"unknown.{form}").read_bytes() == b"before"


def test_a_file_that_cannot_be_written_keeps_the_others_from_changing(capture: Path, folder: Path) -> None:
    (folder / "unknown.jsonl").mkdir(parents=True)
    told = split(capture, "--split-by-message", folder, status=2).stderr
    assert (
        told
        == f"wireloom: {folder / 'unknown.jsonl'} exists and is not a file; move it away, or choose another directory\n"
    )
    assert names(folder) == ["unknown.jsonl"]


def test_an_input_is_not_written_over(capture: Path, folder: Path) -> None:
    folder.mkdir()
    mine = capture.rename(folder / "unknown.jsonl")
    told = split(mine, "--split-by-message", folder, status=2).stderr
    assert told == f"wireloom: {mine} would be overwritten while it is read; choose another output\n"


@pytest.mark.program
def test_a_signal_leaves_no_file(folder: Path) -> None:
    command = [*PROGRAM, "decode", "couchbase_dcp", "-", "--split-by-message", str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        assert process.stdin is not None
        process.stdin.write(MARKER + UNKNOWN)
        process.stdin.flush()
        while not folder.exists() or len(names(folder)) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert names(folder) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output", "x.jsonl"], "--split-by-message and --output exclude each other: a directory, or a file"),
        (["--message", "unknown"], "does not accept message; messages selects some messages"),
        (["--columns", "opcode"], "does not accept columns; messages selects some messages"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: list[str], said: str, capture: Path, folder: Path
) -> None:
    assert said in split(capture, "--split-by-message", folder, *arguments, status=2).stderr
    assert not folder.exists()


def test_the_place_of_the_folder_must_be_there(capture: Path, folder: Path) -> None:
    told = split(capture, "--split-by-message", folder / "in" / "it", status=2).stderr
    assert told == f"wireloom: there is no directory {folder / 'in'}\n"
    told = split(capture, "--split-by-message", capture, status=2).stderr
    assert told == f"wireloom: {capture} is a file; name a directory\n"


def test_arrow_files_hold_no_zeros_for_lists_that_are_null(folder: Path) -> None:
    split("-", "--format", "arrow", "--split-by-message", folder, stdin=MARKER + CUT_OFF)
    assert (folder / "snapshot_marker.arrow").stat().st_size < 50_000
