"""Indexes that a Spark job makes: of which files, what is told of them, and that they are those of the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from wireloom.cli import app
from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

LONG = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {"value": bytes(999_976)}})
"""A million bytes."""


def made(session: SparkSession, path: Path | list[str], **options: object) -> list[tuple[str, bool, int | None, str]]:
    """What the job says: the name, whether it was made, how many places, and the error."""
    from wireloom.spark import index

    rows = index(session, "couchbase_dcp", path if isinstance(path, list) else str(path), **options).collect()
    return sorted((row.path.rpartition("/")[2], row.made, row.places, row.error or "") for row in rows)


def test_a_job_makes_the_indexes_that_are_missing_or_do_not_fit(spark: SparkSession, tmp_path: Path) -> None:
    for name, count in {"a.bin": 9, "b.bin": 14, "c.bin": 5, "small.bin": 4, "packed.bin.gz": 9}.items():
        (tmp_path / name).write_bytes(LONG * count)
    assert made(spark, tmp_path) == [("a.bin", True, 1, ""), ("b.bin", True, 3, ""), ("c.bin", True, 0, "")]
    indexes = {path: path.read_bytes() for path in tmp_path.glob("*.wlx")}
    assert sorted(path.name for path in indexes) == ["a.bin.wlx", "b.bin.wlx", "c.bin.wlx"]
    assert made(spark, tmp_path) == [("a.bin", False, 1, ""), ("b.bin", False, 3, ""), ("c.bin", False, 0, "")]
    (tmp_path / "b.bin.wlx").write_bytes(b"torn")
    assert made(spark, tmp_path) == [("a.bin", False, 1, ""), ("b.bin", True, 3, ""), ("c.bin", False, 0, "")]
    assert CliRunner().invoke(app, ["index", "couchbase_dcp", str(tmp_path)]).exit_code == 0
    assert {path: path.read_bytes() for path in tmp_path.glob("*.wlx")} == indexes


def test_the_options_of_readers_say_which_files_and_how_they_are_read(spark: SparkSession, tmp_path: Path) -> None:
    for number, name in enumerate(("a.bin", "b.bin", "b.txt")):
        (tmp_path / name).write_bytes(LONG * 9)
        os.utime(tmp_path / name, (1767225600 + 3600 * number,) * 2)
    assert made(spark, tmp_path, pathGlobFilter="*.bin", modifiedAfter="2026-01-01T00:30:00Z") == [
        ("b.bin", True, 1, "")
    ]
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
        assert [name for name, *_ in made(spark, tmp_path, modifiedAfter="2026-01-01T10:30:00")] == ["b.txt"]
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert made(spark, tmp_path, maxRecordBytes=2_000_000) == [
        ("a.bin", True, 1, ""),
        ("b.bin", True, 1, ""),  # that of the reader before does not fit this one
        ("b.txt", True, 1, ""),
    ]
    assert made(spark, [str(tmp_path / "a.bin"), str(tmp_path / "b.bin")], pathGlobFilter="z*") == []
    with pytest.raises(OptionError, match="unknown option 'maxRecordByte'; did you mean 'maxRecordBytes'"):
        made(spark, tmp_path, maxRecordByte=5)


def test_what_cannot_be_indexed_is_told(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(LONG * 9)
    (tmp_path / "b.bin").write_bytes(LONG * 9)
    (tmp_path / "b.bin.wlx").mkdir()
    (one, other) = made(spark, tmp_path)
    assert one == ("a.bin", True, 1, "")
    assert other[:3] == ("b.bin", False, None)
    assert "b.bin.wlx" in other[3]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "a.bin.wlx", "b.bin", "b.bin.wlx"]
