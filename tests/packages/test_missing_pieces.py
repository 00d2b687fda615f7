"""What is said when a package is missing that only a part of Wireloom needs."""

import inspect
import subprocess
import sys

import pytest
from support.paths import ROOT

from wireloom_protocols import databus

pytestmark = pytest.mark.program

WITHOUT = "import sys; sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(','))); "
PROGRAM = "import runpy; runpy.run_module('wireloom', run_name='__main__')"
HEADER = str(ROOT / "tests/importers/cstruct/reading.h")


def run_without(packages: str, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python code as if packages were not installed."""
    command = [sys.executable, "-c", WITHOUT + code, packages, *arguments]
    return subprocess.run(command, input="", capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("missing", "arguments", "said"),
    [
        ("click", ["decode", "databus", "-"], "this program needs click; pip install 'wireloom[cli]'"),
        ("rich", ["--version"], "this program needs rich; pip install 'wireloom[cli]'"),
        ("yaml", ["check", "."], "this command needs yaml; pip install 'wireloom[generator]'"),
        ("pycparser", ["import", HEADER], "this format needs pycparser; pip install 'wireloom[generator]'"),
        ("jinja2", ["generate", "."], "this command needs jinja2; pip install 'wireloom[generator]'"),
        ("zensical", ["docs", "."], "this command needs zensical; pip install 'wireloom[docs]'"),
        ("nicegui", ["lab"], "this command needs nicegui; pip install 'wireloom[lab]'"),
        ("pygls", ["lsp"], "the language server needs pygls; pip install 'wireloom[lsp]'"),
        ("duckdb", ["sql", "select 1"], "this command needs duckdb; pip install 'wireloom[sql]'"),
        ("wireloom_generator", ["explain"], "this command needs wireloom_generator; pip install 'wireloom[generator]'"),
        (
            "pyarrow",
            ["decode", "databus", "-", "--format", "parquet", "--output", "x"],
            "--format parquet: wireloom.columnar needs pyarrow; pip install 'wireloom[arrow]'",
        ),
    ],
)
def test_the_program_says_what_to_install(missing: str, arguments: list[str], said: str) -> None:
    done = run_without(missing, PROGRAM, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"wireloom: {said}\n")


def test_rows_need_no_table() -> None:
    assert run_without("numpy,pyarrow,pyspark", PROGRAM, "decode", "databus", "-").returncode == 0


@pytest.mark.parametrize(
    ("missing", "code", "said"),
    [
        ("pyarrow", "from wireloom_protocols import databus; databus.decode_columnar", "decode_columnar needs pyarrow"),
        ("numpy", "from wireloom_protocols import databus; databus.decode_columnar", "decode_columnar needs numpy"),
        ("pyspark", "from wireloom_protocols import databus; databus.spark_schema", "spark_schema needs pyspark"),
        ("pyspark", "import wireloom.spark", "wireloom.spark needs pyspark"),
        ("pyarrow", "from wireloom.spark import register", "wireloom.spark needs pyarrow"),
        ("numpy", "import wireloom.columnar", "wireloom.columnar needs numpy"),
    ],
)
def test_python_says_what_to_install(missing: str, code: str, said: str) -> None:
    extra = "spark" if missing == "pyspark" else "arrow"  # a cluster has a PySpark of its own
    last = run_without(missing, code).stderr.splitlines()[-1]
    assert last == f"ModuleNotFoundError: {said}; pip install 'wireloom[{extra}]'"


def test_dir_has_what_is_imported_when_first_asked_for() -> None:
    lazy = {"arrow_schema", "decode_columnar", "encode_columnar", "scan", "spark_schema", "summary"}
    assert lazy <= {name for name, _ in inspect.getmembers(databus)}


@pytest.mark.parametrize("missing", ["numpy", "pyarrow", "pyspark"])
def test_dir_has_nothing_that_cannot_be_imported(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert ("scan" in dir(databus), "spark_schema" in dir(databus)) == (missing == "pyspark", missing != "pyspark")
    assert inspect.getmembers(databus)
