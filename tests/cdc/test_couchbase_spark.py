"""Vbuckets followed in Spark: what comes out is what pyarrow gives for the same frames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from protocols.made_up_sessions import dcp_session
from support import dcp_sessions as dcp
from support.pages import ELSEWHERE, ROOT, blocks

from cdc.couchbase_documents import AFTER, OF_COLLECTIONS, PREPARED, ROLLED_BACK
from wireloom.cdc import couchbase

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

PEERS = {"connection": ["_file"]}
HISTORIES = {
    "rolled back": [*ROLLED_BACK, *AFTER],
    "collections": [*OF_COLLECTIONS, dcp.dropped(1, 4, 8)],
    "durable": [*PREPARED, dcp.ended("commit", 1, 5, 7, "a"), dcp.ended("commit", 1, 9, 10, "b")],
    "unpaired": [dcp.mutation(1, 1, "a"), dcp.rolls_back(77, 0), dcp.frame("dcp_noop")],
}


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each history is a connection of its own, to other vbuckets; and a session that is made up."""
    folder = tmp_path_factory.mktemp("captures")
    for number, (name, frames) in enumerate(HISTORIES.items()):
        moved = [{**frame, "vbucket": 900 + number} if frame.get("vbucket") else frame for frame in frames]
        (folder / f"{name}.bin").write_bytes(b"".join(map(dcp.couchbase_dcp.build, moved)) + b"\x80cut")
    dcp_session.make(200, 8).write(folder)
    return folder


@pytest.fixture(scope="module")
def frames(spark: SparkSession, captures: Path) -> DataFrame:
    from wireloom.cdc.couchbase.spark import ORDER
    from wireloom.spark import register

    register(spark)
    read = spark.read.format("couchbase_dcp").option("positions", True)
    return read.option("columns", ",".join([*couchbase.STATE_COLUMNS, *ORDER])).load(str(captures)).persist()


@pytest.fixture(scope="module")
def table(frames: DataFrame) -> pa.Table:
    """The same frames for pyarrow, in their order."""
    return frames.toArrow().sort_by([("_file", "ascending"), ("_offset", "ascending")])


def alike(found: DataFrame, expected: pa.Table, *order: str) -> None:
    """The same columns, and the same rows when they are put in order."""
    made = found.toArrow()
    assert made.schema.names == expected.schema.names
    assert made.schema.types == expected.schema.types
    by = [(name, "ascending") for name in order]
    assert made.sort_by(by).to_pylist() == expected.sort_by(by).to_pylist()
    assert expected.num_rows > 0


def test_frames_that_documents_lack_are_named_alike(frames: DataFrame, table: pa.Table) -> None:
    from wireloom.cdc.couchbase import spark as vbuckets

    expected = couchbase.omissions(table, **PEERS)
    assert {*expected["problem"].to_pylist()} == {"malformed", "its request is not there"}
    alike(vbuckets.omissions(frames, **PEERS), expected, "_file", "_offset")


def test_frames_are_followed_alike(frames: DataFrame, table: pa.Table) -> None:
    from wireloom.cdc.couchbase import spark as vbuckets

    expected = pa.Table.from_batches(couchbase.follow(table, **PEERS))
    assert set(expected["problem"].to_pylist()) == {None, "no snapshot marker before it", "its request is not there"}
    alike(vbuckets.follow(frames, **PEERS), expected, "_file", "_offset")


def test_documents_and_positions_are_alike(frames: DataFrame, table: pa.Table) -> None:
    from wireloom.cdc.couchbase import spark as vbuckets

    order = ("vbucket", "by_seqno", "document_key")
    history = couchbase.History(table, **PEERS)
    alike(vbuckets.latest(frames, **PEERS), history.latest(), *order)
    alike(vbuckets.dropped(frames, **PEERS), history.dropped(), *order)
    alike(vbuckets.positions(frames, **PEERS), history.positions(), "vbucket", "stream_id")


@pytest.fixture
def elsewhere(spark: SparkSession) -> Iterator[SparkSession]:
    """The session in another time zone."""
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", zone)


@pytest.mark.sweep
@pytest.mark.usefixtures("elsewhere")
def test_a_session_may_show_times_of_any_zone(frames: DataFrame, table: pa.Table) -> None:
    from wireloom.cdc.couchbase import spark as vbuckets

    order = [(name, "ascending") for name in ("vbucket", "by_seqno", "document_key")]
    expected = couchbase.latest(table, **PEERS)
    assert expected["expires_at"].null_count < len(expected)
    found = vbuckets.latest(frames, **PEERS).toArrow()
    assert found.sort_by(order).to_pylist() == expected.sort_by(order).to_pylist()
    assert vbuckets.follow(frames, **PEERS).where("mutation.expires_at IS NOT NULL").count() > 0


def test_changes_and_sources_are_alike(frames: DataFrame, table: pa.Table) -> None:
    from wireloom.cdc.couchbase import spark as vbuckets

    half: Any = {**PEERS, "source": ["_file"]}
    early = frames.where("_offset < 4000")
    since = vbuckets.positions(early, **half)
    told = couchbase.positions(table.filter(pa.compute.less(table["_offset"], 4000)), **half)
    expected = couchbase.changes(table, told, **half)
    assert expected.num_rows < couchbase.changes(table, **half).num_rows
    alike(vbuckets.changes(frames, since, **half), expected, "_file", "vbucket", "by_seqno", "document_key")


@pytest.mark.sweep
def test_the_page_on_following_vbuckets_runs(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {"spark": spark}
    for _, code in blocks("docs/cdc.md", "python spark"):
        if not code.startswith(ELSEWHERE):
            exec(compile(code, "docs/cdc.md", "exec"), names)
    assert names["documents"].where("document_key LIKE 'orders:%'").count() == 6
    assert names["positions"].count() == 4
