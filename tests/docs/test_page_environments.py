"""All code of the README and of each page in docs runs where there is what that page names, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.environments import environment
from support.pages import ELSEWHERE, PAGES, ROOT, RUNS, blocks, requirements
from support.paths import TESTS

pytestmark = [pytest.mark.program, pytest.mark.sweep]


def runs(page: str) -> list[tuple[str, str]]:
    """The blocks of a page that are run."""
    return [block for block in blocks(page, RUNS) if not block[1].startswith(ELSEWHERE)]


def test_every_page_with_code_names_what_it_needs() -> None:
    assert [page for page in PAGES if runs(page) and not requirements(page)] == []


def in_spark(page: str) -> bool:
    return any(language in ("python spark", "sql") or re.search(r"\bspark\b", code) for language, code in runs(page))


def marks(page: str) -> list[pytest.MarkDecorator]:
    """How long it takes: those in Spark, which start a session, run with all packages in other modules."""
    return [pytest.mark.long] if in_spark(page) else [pytest.mark.sweep] if page == "docs/python.md" else []


@pytest.mark.parametrize("page", [pytest.param(page, marks=marks(page)) for page in PAGES if runs(page)])
def test_a_page_runs_with_what_it_names(page: str, tmp_path: Path) -> None:
    python = environment(tmp_path / "environment", requirements(page))
    folder = tmp_path / "folder"
    shutil.copytree(ROOT / "examples", folder / "examples")
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    own |= {"PYTHONPATH": str(TESTS), "WIRELOOM_ACCEL": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-m", "support.page_runner", page, folder]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_environment_has_no_more_than_is_named(tmp_path: Path) -> None:
    python = environment(tmp_path, ["wireloom[arrow]"])
    tried = "import cramjam, numpy, pyarrow, wireloom_protocols.databus; import duckdb"
    done = subprocess.run([python, "-c", tried], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'duckdb'\n"), done.stderr
    assert sys.version.split()[0] in subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout
