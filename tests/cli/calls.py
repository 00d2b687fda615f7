"""Calls of the program, in this process or in one of its own, and the records that it is given."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from support.paths import DATA

from wireloom.cli import app
from wireloom_protocols import couchbase_dcp

STREAM = DATA / "databus" / "stream_scn_regress.bin"

MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)
UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})
CUT_OFF = MARKER[:-1]
PROGRAM = [sys.executable, "-m", "wireloom"]


def run(*arguments: str | Path, stdin: bytes = b"", status: int = 0) -> Result:
    """Call the program in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == status, result.output
    return result


def rows(result: Result) -> list[dict[str, Any]]:
    """What ``decode`` printed."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def program(arguments: Sequence[str | Path], stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own."""
    return subprocess.run([*PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, check=False, **options)
