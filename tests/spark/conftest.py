"""What tests of Spark share: the session with the protocols as formats, a capture, and a column of records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark.records_and_rows import CUT_OFF, MARKER, UNKNOWN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    """The session, with the installed protocols as formats."""
    from wireloom.spark import register

    register(spark)
    return spark


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A capture with a known, an unknown and a malformed record."""
    path = tmp_path / "capture.bin"
    path.write_bytes(MARKER + UNKNOWN + CUT_OFF)
    return path


@pytest.fixture
def values(session: SparkSession) -> DataFrame:
    """A binary column: a marker, another message, null."""
    return session.createDataFrame([(1, MARKER), (2, UNKNOWN), (3, None)], "id int, value binary")
