"""The README and the pages in docs do what they say: commands end well, links lead on, options are as listed.

What needs Spark is in test_spark_pages.py, and the recipes of the page on Python are in test_outside.py.
"""

from __future__ import annotations

import inspect
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import console
from support.pages import ELSEWHERE, IN_GIT, PAGES, ROOT, blocks, text

from wireloom import registry
from wireloom.options import READING as EVERY
from wireloom.options import U64, Mode, ReadOptions
from wireloom_generator import emitters
from wireloom_generator.compat import report
from wireloom_generator.generate import generate
from wireloom_protocols import couchbase_dcp

TABLES = runpy.run_path(str(ROOT / "docs" / "site" / "option_tables.py"))
PICTURE = runpy.run_path(str(ROOT / "docs" / "site" / "picture.py"))


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)[^):]*\)", text(page))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_every_page_is_one_step_from_the_readme() -> None:
    assert [page for page in PAGES[1:] if f"({page})" not in text("README.md")] == []


@pytest.mark.program
def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    specs = shutil.copytree(ROOT / "examples/protocols/ubx", tmp_path / "specs/ubx")
    generate([specs], tmp_path / "my_protocols", write=True)
    shutil.copytree(ROOT / "examples/captures", tmp_path / "examples/captures")
    _, (_, code), (_, shown) = blocks("README.md", "python|text")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert console.shows(shown, done.stdout)


@pytest.mark.parametrize("page", PAGES)
def test_what_runs_elsewhere_is_python(page: str) -> None:
    for _, code in blocks(page, "python"):
        compile(code, page, "exec")
        assert code.startswith(ELSEWHERE) or "elsewhere" not in code.lower()


def test_the_yaml_of_the_readme_is_in_the_spec() -> None:
    ((_, part),) = blocks("README.md", "yaml")
    assert part in text("examples/protocols/ubx/protocol.yaml")


def test_the_pictures_of_the_readme_are_current() -> None:
    made = PICTURE["pictures"]()
    assert made
    for path, picture in made.items():
        assert path.read_text(encoding="utf-8") == picture, "draw them anew: make generate"
        assert f'"{path.relative_to(ROOT)}"' in text("README.md")


def test_the_accepted_findings_are_well_formed(tmp_path: Path) -> None:
    (_, entries), _ = blocks("docs/your-protocol.md", "yaml")
    path = tmp_path / "accepted.yaml"
    path.write_text(entries, encoding="utf-8")
    found, problems = report.read_accepted(path)
    assert ([entry.rule for entry in found], problems) == (["field-renamed", "column-renamed"], [])


def test_every_output_is_named() -> None:
    listed = re.search(r"that come with\s+Wireloom: ([^.]*)\.", text("docs/your-protocol.md"))
    assert listed
    assert re.findall(r"\w+", listed[1].replace(" and ", " ")) == sorted(emitters.own())


# Commands


@pytest.mark.program
@pytest.mark.parametrize(
    "page", ["README.md", "docs/commands.md", "docs/programs.md", "docs/traffic.md", "docs/your-protocol.md"]
)
def test_commands_end_well_and_print_what_is_shown(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    found = blocks(page, "console")
    assert found
    for _, block in found:
        console.run(block, tmp_path)
        if "init" in block:
            console.run(IN_GIT, tmp_path)


@pytest.mark.parametrize("shown", ["a\nb\nc\n", "…\nc\n", "a\n…\n", "a\n…\nc\n", "a\nb\nc\n…\n"])
def test_what_is_printed_is_what_is_shown(shown: str) -> None:
    assert console.shows(shown, "a\nb\nc\n\n")


@pytest.mark.parametrize("shown", ["a\nb\n", "b\nc\n", "…\nb\n", "a\nc\n", "a\nb\nc \n", "a…\nb\nc\n"])
def test_what_is_printed_is_not_what_is_shown(shown: str) -> None:
    assert not console.shows(shown, "a\nb\nc\n")


@pytest.mark.program
def test_a_command_that_prints_something_else_is_an_error(tmp_path: Path) -> None:
    console.run("$ echo one\none\n$ echo two\n", tmp_path)
    with pytest.raises(AssertionError, match="echo two"):
        console.run("$ echo one\none\n$ echo two\nthree\n", tmp_path)
    with pytest.raises(AssertionError, match="wireloom explain nothing"):
        console.run("$ wireloom explain nothing\n", tmp_path)


# Options


@pytest.mark.parametrize("path", TABLES["PAGES"], ids=lambda path: path.name)
def test_tables_of_options_are_what_the_options_say(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert page == TABLES["filled"](page), "write the tables anew: make generate"


def test_each_option_is_in_one_table() -> None:
    named = [name for path in TABLES["PAGES"] for name in TABLES["named"](path.read_text(encoding="utf-8"))]
    assert sorted(named) == sorted(TABLES["rows"]())


def test_a_table_has_defaults_as_users_write_them() -> None:
    rows = TABLES["rows"]()
    assert rows["maxPartitionBytes"].startswith("| `maxPartitionBytes` | bytes | `128m` | The most ")
    assert rows["mode"].startswith("| `mode` | mode | `PERMISSIVE` | What happens ")
    assert rows["labels"].startswith("| `labels` | boolean | `true` | Adds ")
    assert rows["labels"].endswith(" Example: `false`. |\n")
    assert rows["minPartitionNum"].startswith("| `minPartitionNum` | number |   | The minimum ")


def test_examples_of_options_are_values_that_they_have() -> None:
    """And another than the default, or the example would do nothing."""
    from wireloom.spark.options import READING, SourceOptions
    from wireloom.spark.writing_options import WRITING, WriteOptions

    protocol = registry.protocol("couchbase_dcp")
    for name, it in EVERY.items():  # one by one: message and messages are not given together
        read = ReadOptions.of({name: it.example}, protocol.parameters, protocol.messages)
        assert getattr(read, it.sets) != getattr(ReadOptions(), it.sets), name
    source = SourceOptions.of({name: it.example for name, it in READING.items()})
    written = WriteOptions.of({name: it.example for name, it in WRITING.items()}, protocol.parameters, ())
    for options, known in ((source, READING), (written, WRITING)):
        default: Any = type(options)()
        assert [name for name, it in known.items() if getattr(options, it.sets) == getattr(default, it.sets)] == []


def test_the_python_page_has_each_option_with_its_default() -> None:
    table = text("docs/python.md").partition("\n## Options\n")[2].partition("\n\n**")[0]
    cells = {row[0].strip("`"): row for row in (line.strip("| ").split(" | ") for line in table.splitlines()[3:])}
    arguments = [name for name in inspect.signature(couchbase_dcp.scan).parameters if name != "options"]
    assert cells.keys() - {"the protocol's parameters"} == {*arguments, *EVERY, U64.name}
    defaults = {name: getattr(ReadOptions(), option.sets) for name, option in EVERY.items()}
    defaults |= {"mode": str(Mode.FAILFAST), U64.name: U64.default, "maxRecordBytes": "64m", "maxStreamBytes": "64m"}
    assert ReadOptions().max_record_bytes == ReadOptions().max_stream_bytes == 64 << 20
    words = {"columns": "all", "message": "none", "messages": "all", "ports": "the protocol's", "hosts": "all"}
    for name, default in defaults.items():
        shown = cells[name][2].strip("`")
        written = f'"{default}"' if isinstance(default, str) else repr(default)
        assert shown == words.get(name, written)


def test_the_python_page_says_what_the_options_say() -> None:
    """Its first sentences; the rest may be about Spark. Values are Python's there, and words may be links."""
    page = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text("docs/python.md")).replace('"', "")
    for name, option in EVERY.items():
        row = re.search(rf"^\| `{name}` \|.*", page, re.MULTILINE)
        assert row is not None, name
        assert f"| {option.about.partition('. ')[0].rstrip('.')}." in row[0], name
