"""What nobody need wait for: modules that a command, or a first table, does not use."""

import os
import subprocess
import sys

import pytest
from support.paths import ROOT

from wireloom.cli import _COMMANDS

FRAME = ROOT / "examples/captures/couchbase_dcp/snapshot_marker_v1__as_drawn_in_the_document.bin"
IMPORTED = "import sys; from wireloom.cli import app; app(sys.argv[1:], standalone_mode=False); print(*sys.modules)"
NOOP = "805c".ljust(48, "0")
TABLE = f"import sys, wireloom_protocols.couchbase_dcp as p; p.decode_columnar(bytes.fromhex('{NOOP}'))"


@pytest.mark.program
@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (("--help",), {"construct", "pyarrow", "numpy", "rich.console", "wireloom.codec", "wireloom.cli.decode"}),
        (("protocols",), {"pyarrow", "numpy", "wireloom.cli.decode", "wireloom_generator"}),
        (
            ("decode", "couchbase_dcp", str(FRAME)),
            {"pyarrow", "numpy", "rich.console", "importlib.metadata", "shutil", "wireloom.backends.python.records"},
        ),
    ],
)
def test_what_is_not_used_is_not_imported(arguments: tuple[str, ...], missing: set[str]) -> None:
    imported = _imported(IMPORTED, *arguments)
    assert "click" in imported
    assert not imported & missing


@pytest.mark.program
def test_what_a_table_of_bytes_does_not_need_is_not_imported() -> None:
    files = {"wireloom.columnar.scans", "wireloom.columnar.summaries", "wireloom.columnar.traffic.reading"}
    imported = _imported(f"{TABLE}; print(*sys.modules)")
    assert "wireloom.columnar.decoder" in imported
    assert not imported & {"pyarrow.compute", "wireloom.columnar.encoding", "wireloom.columnar.by_message", *files}


@pytest.mark.program
@pytest.mark.parametrize(("said", "used"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_the_program_asks_for_no_threads_that_multiply(said: dict[str, str], used: str) -> None:
    told = "import atexit, os; atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS']))"
    program = [sys.executable, "-c", f"{told}; from wireloom.cli import main; main()", "--version"]
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env={**others, **said})
    assert done.stdout.splitlines()[-1] == used


def _imported(program: str, *arguments: str) -> set[str]:
    """The modules that a program has imported, which it tells last."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_listed_command_is_there(name: str) -> None:
    from click.testing import CliRunner

    from wireloom.cli import app

    told = CliRunner().invoke(app, [name, "--help"])
    assert told.exit_code == 0
    assert told.output.startswith(f"Usage: wireloom {name} ")
