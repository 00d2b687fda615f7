"""Console blocks of pages: their commands end well, and print what the block shows below them."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_ANY = "…"
"""A line that stands for any number of lines."""


def run(block: str, folder: Path) -> None:
    """Run the commands of a block in a folder. A command without lines below it may print anything."""
    for command, below in _COMMAND.findall(block):
        status, printed = _run(command, folder)
        assert status == 0, f"{command}\n{printed}"
        if below:
            assert shows(below, printed), f"{command}\nprints\n{printed}"


def shows(shown: str, printed: str) -> bool:
    """Whether ``shown`` is what was ``printed``."""
    lines = shown.strip("\n").split("\n")
    pattern = "".join(r"(?:.*\n)*" if line == _ANY else f"{re.escape(line)}\n" for line in lines)
    return re.fullmatch(pattern, printed.strip("\n") + "\n") is not None


def _run(command: str, folder: Path) -> tuple[int, str]:
    program, *arguments = shlex.split(command)
    if program == "wireloom" and not set(command) & set("|*") and "my_protocols." not in command:
        return _in_process(arguments, folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "WIRELOOM_ACCEL": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def _in_process(arguments: Sequence[str], folder: Path) -> tuple[int, str]:
    """A command that needs neither the shell nor a package in the folder needs no process."""
    from click.testing import CliRunner

    from wireloom.cli import app

    with chdir(folder):
        done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.output
