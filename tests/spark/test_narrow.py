"""Wide rows of a protocol turned into narrow ones of a message, in a DataFrame and in a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.paths import ROOT

from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CAPTURES = ROOT / "examples" / "captures" / "couchbase_dcp"


def test_the_rows_of_a_message_are_those_of_its_view(session: SparkSession) -> None:
    from wireloom.spark import narrow

    read = session.read.format("couchbase_dcp").option("positions", True)
    wide = read.load(str(CAPTURES))
    for name in ("snapshot_marker", "system_event"):
        found = narrow(wide, "couchbase_dcp", name)
        expected = read.option("message", name).load(str(CAPTURES)).where("message IS NOT NULL")
        assert found.schema == expected.schema  # comments included
        rows = found.collect()
        assert rows
        assert any(row._corrupt_reason for row in rows)
        assert rows == expected.collect()


def test_records_of_no_message_are_apart(session: SparkSession) -> None:
    from wireloom.spark import narrow

    wide = session.read.format("couchbase_dcp").load(str(CAPTURES))
    table = couchbase_dcp.decode_by_message(CAPTURES, mode="PERMISSIVE")["no-message"]
    found = narrow(wide, "couchbase_dcp", "no-message")
    assert found.columns == table.column_names
    assert sorted(row._corrupt_reason for row in found.collect()) == sorted(table["_corrupt_reason"].to_pylist())


def test_columns_of_others_stay_where_they_are(session: SparkSession) -> None:
    from wireloom.spark import narrow

    wide = session.read.format("couchbase_dcp").option("columns", "message,snapshot_marker.end_seqno,opcode")
    rows = wide.load(str(CAPTURES)).selectExpr("1 AS `the.offset`", "*", "2 AS after")
    found = narrow(rows, "couchbase_dcp", "snapshot_marker")
    assert found.columns == ["the.offset", "message", "end_seqno", "opcode", "after"]
    assert narrow(rows, "couchbase_dcp", "no-message").columns == ["the.offset", "message", "opcode", "after"]
    assert {(row[0], row.after) for row in found.collect()} == {(1, 2)}


def test_what_cannot_be_narrowed_is_told(session: SparkSession) -> None:
    from wireloom.spark import narrow

    wide = session.read.format("couchbase_dcp").load(str(CAPTURES))
    with pytest.raises(OptionError, match="unknown message 'snapshot_markr'; did you mean 'snapshot_marker'"):
        narrow(wide, "couchbase_dcp", "snapshot_markr")
    with pytest.raises(OptionError, match="needs the column message"):
        narrow(wide.drop("message"), "couchbase_dcp", "snapshot_marker")
    view = session.read.format("couchbase_dcp").option("message", "snapshot_marker").load(str(CAPTURES))
    with pytest.raises(OptionError, match="needs the column snapshot_marker; read it, without the option"):
        narrow(view, "couchbase_dcp", "snapshot_marker")
    beside = wide.withColumn("END_SEQNO", wide.opcode)
    with pytest.raises(
        OptionError,
        match="snapshot_marker has a field END_SEQNO, and the rows have another column of that name; rename",
    ):
        narrow(beside, "couchbase_dcp", "snapshot_marker")
