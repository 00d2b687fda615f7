"""The examples in docstrings print what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from support.paths import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples read captures of the checkout."""
    monkeypatch.chdir(ROOT)


def failures(name: str, **names: object) -> list[str]:
    """What the examples of a module that fail print; they see ``names`` beside those of the module."""
    found: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder(exclude_empty=True).find(import_module(name), extraglobs=names):
        runner.run(test, out=found.append)
    assert runner.tries, f"{name} has no examples"
    return found


@pytest.mark.parametrize(
    "name",
    [
        "wireloom",
        "wireloom.cdc.couchbase.documents",
        "wireloom.cdc.couchbase.follow",
        "wireloom.cdc.couchbase.rollback",
        "wireloom.cdc.databus.upserts",
        "wireloom.cdc.databus.windows",
        "wireloom.codec.errors",
        "wireloom.codec.protocol",
        "wireloom.columnar.tables",
        "wireloom.inspection.html",
        "wireloom.inspection.record",
        "wireloom.json_rows",
        "wireloom.lakes",
        "wireloom.pairing",
        "wireloom.responses",
    ],
)
def test_examples(name: str) -> None:
    assert not (found := failures(name)), "\n".join(found)


@pytest.mark.spark
@pytest.mark.parametrize(
    "name", ["conversations", "functions", "indexing", "narrowing", "pairing", "sources", "summaries"]
)
def test_examples_on_spark(name: str, spark: SparkSession) -> None:
    assert not (found := failures(f"wireloom.spark.{name}", spark=spark)), "\n".join(found)
