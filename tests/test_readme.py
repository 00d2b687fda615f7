"""The README does what it says: its Python runs, its commands end well, the files it names exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from wireloom.cli import app
from wireloom_generator.compat import accepted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_python_runs() -> None:
    code = "\n".join(blocks("python"))
    assert code
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.spark
def test_spark_runs(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names = {"spark": spark}
    try:
        for language in ("python spark", "python sql"):
            (code,) = blocks(language)
            exec(compile(code, "README.md", "exec"), names)
    finally:
        spark.sql("DROP TABLE IF EXISTS frames")
        for view in ("markers", "topic"):
            spark.catalog.dropTempView(view)


@pytest.mark.program
def test_commands_end_well(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for block in blocks("console"):
        _run(block, tmp_path)
        if "init" in block:
            _run(IN_GIT, tmp_path)


IN_GIT = """
$ git init --initial-branch main
$ git add specs my_protocols
$ git -c user.name=me -c user.email=me@localhost -c commit.gpgsign=false commit --message "A thermometer"
$ git tag v1.0
"""


def _run(block: str, folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        program, *arguments = shlex.split(command)
        if program == "wireloom" and not set(command) & set("|*"):
            with chdir(folder):  # what the shell has no part in needs no process
                done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, f"{command}\n{done.output}"
            continue
        run = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=folder,
            env={**os.environ, "PATH": path, "WIRELOOM_ACCEL": "0"},  # numba takes a second to start
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, f"{command}\n{run.stdout}{run.stderr}"


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_the_yaml_stands_in_the_spec() -> None:
    part, _ = blocks("yaml")
    assert part in (ROOT / "specs" / "couchbase_dcp" / "protocol.yaml").read_text(encoding="utf-8")


def test_the_accepted_findings_are_well_formed(tmp_path: Path) -> None:
    _, entries = blocks("yaml")
    path = tmp_path / "accepted.yaml"
    path.write_text(entries, encoding="utf-8")
    found, problems = accepted.read(path)
    assert ([entry.rule for entry in found], problems) == (["field-renamed", "column-renamed"], [])
