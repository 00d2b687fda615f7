"""What the program lists and loads, what pipes and terminals get of it, and the memory that it takes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import peak
from support.paths import ROOT

from cli.calls import PROGRAM, UNKNOWN, program, run
from wireloom_protocols import couchbase_dcp


def test_protocols_lists_what_is_installed() -> None:
    printed = run("protocols").stdout
    assert "couchbase_dcp" in printed
    assert "LinkedIn Databus" in printed
    assert "dbus_event" in printed


@pytest.mark.program
def test_the_program_runs_without_spark_or_the_generator(capture: Path) -> None:
    code = (
        "import sys; from wireloom.cli import app; app(sys.argv[1:], standalone_mode=False);"
        "print(sorted({'pyspark', 'wireloom_generator', 'pyarrow', 'yaml'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "decode", "couchbase_dcp", str(capture)], capture_output=True, check=True
    )
    assert done.stderr.splitlines()[-1] == b"[]"


@pytest.mark.program
def test_a_pipe_gives_every_byte_back(capture: Path) -> None:
    decoded = program(["decode", "couchbase_dcp", "-"], capture.read_bytes())
    encoded = program(["encode", "couchbase_dcp"], decoded.stdout)
    assert (decoded.returncode, encoded.returncode, encoded.stdout) == (0, 0, capture.read_bytes())


@pytest.mark.program
def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "long.bin"
    path.write_bytes(UNKNOWN * 5000)
    with subprocess.Popen(
        [*PROGRAM, "decode", "couchbase_dcp", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


NULLS = re.compile(rb'"\w+":null')


def test_keys_with_null_are_left_out_where_they_are_not_wanted(tmp_path: Path) -> None:
    captures = ROOT / "examples" / "captures"
    for protocol in ("couchbase_dcp", "databus"):
        for path in sorted(captures.joinpath(protocol).glob("*.bin")):
            whole, bare = (run("decode", protocol, path, option).stdout_bytes for option in ("--nulls", "--no-nulls"))
            assert len(NULLS.findall(whole)) > len(whole.splitlines())
            assert not NULLS.search(bare)
            assert list(map(json.loads, bare.splitlines())) == [
                bare_of(json.loads(line)) for line in whole.splitlines()
            ]
            assert run("encode", protocol, "-", stdin=bare).stdout_bytes == path.read_bytes()


def bare_of(value: Any) -> Any:
    """The value without nulls in objects."""
    if isinstance(value, dict):
        return {name: bare_of(each) for name, each in value.items() if each is not None}
    return list(map(bare_of, value)) if isinstance(value, list) else value


@pytest.mark.program
@pytest.mark.parametrize(("options", "there"), [([], False), (["--nulls"], True)])
def test_a_terminal_gets_no_nulls_unless_told(options: list[str], there: bool, capture: Path) -> None:
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    try:
        command = [*PROGRAM, "decode", "couchbase_dcp", str(capture), "--messages", "snapshot_marker", *options]
        subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=True)
        line = os.read(reader, 1 << 16)
    finally:
        os.close(writer)
        os.close(reader)
    assert line.startswith(b'{"message":"snapshot_marker"')
    assert bool(NULLS.search(line)) is there


@pytest.mark.program
def test_a_terminal_gets_no_binary_output(capture: Path) -> None:
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    try:
        done = subprocess.run(
            [*PROGRAM, "decode", "couchbase_dcp", str(capture), "--format", "parquet"],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)
        os.close(reader)
    assert done.returncode == 2
    assert done.stderr.startswith(b"wireloom: binary output is not written to a terminal")


@pytest.mark.sweep
def test_memory_does_not_grow_with_the_capture(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    body = bytes(1 << 20)
    record = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {"value": body}})
    with path.open("wb") as file:
        for _ in range(200):
            file.write(record)
    arguments = ["decode", "couchbase_dcp", str(path), "--format", "parquet", "--output", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-c", peak.PROGRAM, *arguments], capture_output=True, check=True)
    assert int(done.stderr) - len(record) * 200 // 2**20 < 400  # the mapped file counts, what is held does not grow
