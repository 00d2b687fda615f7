"""The tutorial of the spec language, done from start to end: its files written, its commands and its Python run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import ROOT

pytestmark = pytest.mark.program

PAGE = (ROOT / "docs/reference/tutorial.md").read_text(encoding="utf-8")
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_the_tutorial_shows_what_happens(tmp_path: Path) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert {language for language, _ in blocks} == {"yaml", "console", "python", "text"}
    printed = ""
    for language, block in blocks:
        if language == "yaml":
            path = tmp_path / block.partition("\n")[0].removeprefix("# ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block, encoding="utf-8")
        elif language == "console":
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                output = _run(["bash", "-o", "pipefail", "-c", command], tmp_path)
                assert shown in ("", output), command
        elif language == "python":
            printed = _run([sys.executable, "-c", block], tmp_path)
        else:
            assert block == printed


def _run(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
