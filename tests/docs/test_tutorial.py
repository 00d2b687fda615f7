"""The tutorial of the spec language from start to end: its files are written, its commands and its Python run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import console
from support.paths import ROOT

pytestmark = pytest.mark.program

PAGE = (ROOT / "docs/reference/tutorial.md").read_text(encoding="utf-8")


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
            console.run(block, tmp_path)
        elif language == "python":
            run = subprocess.run(
                [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=True
            )
            printed = run.stdout
        else:
            assert block == printed
