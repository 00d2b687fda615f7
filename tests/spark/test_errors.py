"""What is said of options, paths, values and structs that cannot be, and in how many lines."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark.records_and_rows import CUT_OFF

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


# Misuse


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mod": "FAILFAST"}, "unknown option 'mod'; did you mean 'mode'?"),
        ({"mode": "STRICT"}, "mode must be one of PERMISSIVE, DROPMALFORMED, FAILFAST, not 'STRICT'"),
        ({"message": "snapshot_mark"}, "unknown message 'snapshot_mark'; did you mean 'snapshot_marker'?"),
        ({"positions": "here"}, "positions must be true or false, not 'here'"),
    ],
)
def test_an_option_that_cannot_be_is_an_error(
    session: SparkSession, capture: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(Exception) as error:  # noqa: PT011 - Spark wraps what a source raises
        session.read.format("couchbase_dcp").options(**options).load(str(capture)).collect()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("absent.bin", "there is no file or directory absent.bin"),
        ("absent*.bin", "no file matches absent*.bin"),
        ("nosuch://bucket/x", "nosuch"),
    ],
)
def test_a_path_that_means_nothing_is_an_error(session: SparkSession, path: str, message: str) -> None:
    with pytest.raises(Exception) as error:  # noqa: PT011
        session.read.format("couchbase_dcp").load(path).collect()
    assert message in str(error.value)


def test_no_path_is_an_error(session: SparkSession) -> None:
    with pytest.raises(Exception, match="no path given"):
        session.read.format("couchbase_dcp").load().collect()


# Errors


def told(frame: Callable[[], DataFrame]) -> list[str]:
    """What Spark says of a query, from the analysis to the last row, line by line."""
    with pytest.raises(Exception) as error:  # noqa: PT011 - the test looks at what it says
        frame().collect()
    return str(error.value).replace(" SQLSTATE: 38000", "").strip().splitlines()


def test_an_error_of_a_value_is_two_lines(session: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark import from_wire, to_wire

    (tmp_path / "a.bin").write_bytes(CUT_OFF)
    frame = session.createDataFrame(
        [(CUT_OFF, (1, "nosuch"))], "value binary, row struct<opcode: int, message: string>"
    )
    source = session.read.format("couchbase_dcp").option("mode", "FAILFAST")
    for query, reason in (
        (lambda: frame.select(from_wire("value", "couchbase_dcp")), "DecodeError: truncated: record at byte 0: "),
        (lambda: source.load(str(tmp_path)), f"DecodeError: {tmp_path}/a.bin: truncated: "),
        (lambda: frame.select(to_wire("row", "couchbase_dcp")), "EncodeError: "),
    ):
        whose, what = told(query)
        assert whose == "An exception was thrown from the Python worker:"
        assert what.startswith(f"wireloom.codec.errors.{reason}")


def test_an_error_of_an_option_is_one_sentence(session: SparkSession, capture: Path) -> None:
    (what,) = told(lambda: session.read.format("couchbase_dcp").option("modus", "x").load(str(capture)))
    assert what.startswith("[PYTHON_DATA_SOURCE_ERROR] ")
    assert what.endswith(": wireloom.options.OptionError: unknown option 'modus'; did you mean 'mode'?")


def test_what_is_not_a_worker_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.options import OptionError
    from wireloom.spark.workers import brief

    monkeypatch.delenv("SPARK_HIDE_TRACEBACK", raising=False)
    with pytest.raises(OptionError), brief():
        raise OptionError("of somebody's own program")
    assert "SPARK_HIDE_TRACEBACK" not in os.environ


def test_other_errors_tell_where_they_were_raised(session: SparkSession, values: DataFrame) -> None:
    from pyspark.sql.functions import udf

    def failing(value: bytes) -> bytes:
        raise ValueError("of somebody else")

    assert "Traceback (most recent call last):" in told(lambda: values.select(udf(failing, "binary")("value")))
