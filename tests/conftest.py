"""What tests share: a Spark session, and the place of the external vectors."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from support import accelerator
from support.spark_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A busy machine is not a failing test. ``make fuzz`` is thorough.
settings.register_profile("wireloom", deadline=None, max_examples=10)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("wireloom")


gc.disable()  # nothing is garbage while modules are imported and tests are collected


def pytest_collection_finish() -> None:
    """Leave what stays to the end out of what the garbage collector goes over again and again."""
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)  # programs are made of many small objects that live as long as their protocol
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how much work the tests were, as a busy machine says little by how long they took."""
    took = os.times()
    seconds = took.user + took.system + took.children_user + took.children_system
    terminalreporter.write_line(f"{seconds:.0f} CPU seconds, with the processes that have ended")


def pytest_unconfigure() -> None:
    """Let it go at the end, where DuckDB tells of what it finds left."""
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)  # before what divides the groups among workers reads them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep in one worker what is dear to start: a run has one session, and compiles the accelerator once."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
        if item.get_closest_marker("accelerated"):
            item.add_marker(pytest.mark.xdist_group("accelerated"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    accelerator.switched(item)


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The directory of external vectors, named by WIRELOOM_VECTORS; without it the test is skipped."""
    directory = os.environ.get("WIRELOOM_VECTORS")
    if not directory:
        pytest.skip("external vectors: WIRELOOM_VECTORS is not set")
    path = Path(directory)
    assert path.is_dir(), f"WIRELOOM_VECTORS names no directory: {directory}"
    return path


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A small local session that leaves nothing behind and is reachable from this machine only."""
    from pyspark.sql import SparkSession

    session = (
        configured(SparkSession.builder.master("local[2]").appName("wireloom-tests"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture
def in_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test be a task of Spark, without a session."""
    from pyspark import TaskContext

    monkeypatch.setattr(TaskContext, "_taskContext", None)  # where the one of a process is kept
    context = TaskContext()
    context._partitionId, context._taskAttemptId = 0, 0
