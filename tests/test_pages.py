"""The pages in docs do what they say: their Python runs, and their tables of options are what the options say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wireloom import registry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TABLES = runpy.run_path(str(DOCS / "site" / "option_tables.py"))


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", TABLES["PAGES"], ids=lambda path: path.name)
def test_tables_of_options_are_what_the_options_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == TABLES["filled"](text), "write the tables anew: make generate"


def test_the_spark_page_has_each_option_once() -> None:
    assert sorted(TABLES["named"](page("spark.md"))) == sorted(TABLES["rows"]())


def test_a_table_has_defaults_as_users_write_them() -> None:
    rows = TABLES["rows"]()
    assert rows["maxPartitionBytes"].startswith("| `maxPartitionBytes` | bytes | `128m` | `256m` |")
    assert rows["mode"].startswith("| `mode` | `PERMISSIVE`, `DROPMALFORMED` or `FAILFAST` | `PERMISSIVE` |")
    assert rows["labels"].startswith("| `labels` | true or false | `true` | `false` |")
    assert rows["minPartitionNum"].startswith("| `minPartitionNum` | number |   | `64` |")


def test_examples_of_options_are_values_that_they_have() -> None:
    """And another than the default, or the example would do nothing."""
    from wireloom.options import READING as EVERY
    from wireloom.options import ReadOptions
    from wireloom.spark.options import READING, WRITING, SourceOptions, WriteOptions

    protocol = registry.protocol("couchbase_dcp")
    read = ReadOptions.of({name: it.example for name, it in EVERY.items()}, protocol.parameters, protocol.messages)
    source = SourceOptions.of({name: it.example for name, it in READING.items()})
    written = WriteOptions.of({name: it.example for name, it in WRITING.items()}, protocol.parameters, ())
    for options, known in ((read, EVERY), (source, READING), (written, WRITING)):
        default: Any = type(options)()
        assert [name for name, it in known.items() if getattr(options, it.sets) == getattr(default, it.sets)] == []


@pytest.mark.spark
def test_the_spark_page_runs(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"^```python\n(.*?)^```", page("spark.md"), re.MULTILINE | re.DOTALL)
    try:
        exec(compile("\n".join(code), "docs/spark.md", "exec"), {"spark": spark})
    finally:
        spark.sql("DROP TABLE IF EXISTS frames")
        for view in ("markers", "topic"):
            spark.catalog.dropTempView(view)
