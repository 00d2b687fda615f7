"""Formats that are registered: the Python of the workers that read them, and the names that they may have."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark.records_and_rows import MARKER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


# The Python of workers


@pytest.fixture
def bare_python(tmp_path: Path) -> str:
    """A Python that has nothing installed."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("python", ["bare", "absent"])
def test_workers_are_given_a_python_that_has_wireloom(
    python: str, bare_python: str, session: SparkSession, capture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.spark import register

    context = session.sparkContext
    monkeypatch.setattr(context, "pythonExec", bare_python if python == "bare" else "/no/such/python")
    register(session, "couchbase_dcp")
    assert context.pythonExec == sys.executable
    assert session.read.format("couchbase_dcp").load(str(capture)).count() == 3


def test_workers_of_columns_are_given_one_too(
    bare_python: str, session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.spark import from_wire, to_wire

    monkeypatch.setattr(session.sparkContext, "pythonExec", bare_python)
    frame = session.sql(f"SELECT X'{MARKER.hex()}' AS v")
    (row,) = frame.select(to_wire(from_wire("v", "couchbase_dcp"), "couchbase_dcp").alias("v")).collect()
    assert bytes(row.v) == MARKER


def test_a_python_that_has_wireloom_is_left_to_workers(session: SparkSession) -> None:
    from wireloom.spark import register

    before = session.sparkContext.pythonExec
    register(session)
    assert session.sparkContext.pythonExec == before != sys.executable


def test_of_a_cluster_that_lacks_wireloom_it_is_said(bare_python: str) -> None:
    from types import SimpleNamespace

    from wireloom.spark.workers import provide

    context = SimpleNamespace(master="spark://host:7077", pythonExec=bare_python)
    with pytest.warns(UserWarning, match=f"the Python of Spark's workers, {bare_python}, has no Wireloom"):
        provide(SimpleNamespace(sparkContext=context))  # type: ignore[arg-type]
    assert context.pythonExec == bare_python


@pytest.mark.parametrize("started", ["here", "elsewhere"])
def test_of_a_connect_server_that_was_started_here_and_lacks_wireloom_it_is_said(
    started: str, bare_python: str, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    from types import SimpleNamespace

    from pyspark import SparkContext

    from wireloom.spark.workers import provide

    if started == "here":
        monkeypatch.setenv("SPARK_LOCAL_REMOTE", "1")
    connected: Any = SimpleNamespace()
    for python, is_told in (
        (bare_python, started == "here"),
        ("/no/such/python", started == "here"),
        (sys.executable, False),
    ):
        monkeypatch.setattr(SparkContext, "_active_spark_context", SimpleNamespace(pythonExec=python))
        recwarn.clear()
        provide(connected)
        told = [str(warning.message) for warning in recwarn]
        assert len(told) == is_told
        assert not is_told or (f"runs {python}, which has no Wireloom" in told[0] and sys.executable in told[0])


# Names of formats


def test_a_protocol_may_be_another_format(session: SparkSession, capture: Path, tmp_path: Path) -> None:
    from wireloom.spark import register

    register(session, "wireloom_protocols.couchbase_dcp", name="dcp")
    frame = session.read.format("dcp").load(str(capture))
    frame.write.format("dcp").mode("append").save(str(tmp_path / "written"))
    assert session.read.format("dcp").load(str(tmp_path / "written")).count() == 3
    assert session.readStream.format("dcp").load(str(tmp_path)).isStreaming


@pytest.mark.parametrize("name", ["avro", "kafka", "Parquet", "binaryfile", "rate-micro-batch"])
def test_a_format_that_spark_has_is_not_taken(name: str, session: SparkSession) -> None:
    from wireloom.options import OptionError
    from wireloom.spark import register

    with pytest.raises(OptionError, match=f"'{name}' is already a format of Spark; register"):
        register(session, "couchbase_dcp", name=name)


def test_every_format_of_this_spark_is_known_as_taken(session: SparkSession) -> None:
    from wireloom.spark.sources import TAKEN

    jvm = session.sparkContext._jvm
    assert jvm is not None
    kind = jvm.java.lang.Class.forName("org.apache.spark.sql.sources.DataSourceRegister")
    sources, found = jvm.java.util.ServiceLoader.load(kind).iterator(), set()
    while sources.hasNext():
        found.add(sources.next().shortName().lower())
    assert "parquet" in found
    assert found <= {name.lower() for name in TAKEN}


def test_the_rule_about_specs_knows_the_formats_that_are_taken() -> None:
    from wireloom.spark.sources import TAKEN
    from wireloom_generator.naming import SPARK_FORMATS, column_fault

    of_tables = {"delta", "hudi", "iceberg"}
    possible = {name.lower() for name in TAKEN if column_fault(name.lower()) is None}
    assert possible == SPARK_FORMATS - of_tables


def test_only_one_protocol_is_called_otherwise(session: SparkSession) -> None:
    from wireloom.options import OptionError
    from wireloom.spark import register

    with pytest.raises(OptionError, match="name requires exactly one protocol"):
        register(session, name="mine")
