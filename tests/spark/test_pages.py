"""The blocks of Python and SQL in the pages on Spark run, and the recipes do what they promise."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet
from support import console
from support.pages import ELSEWHERE, ROOT, blocks
from support.paths import TESTS

from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CAPTURES = "examples/captures/couchbase_dcp"
WINDOWS = ROOT / "examples/captures/databus/windows.bin"


@pytest.fixture
def clean(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """The session, in the checkout, which has no table and no view afterwards."""
    monkeypatch.chdir(ROOT)
    yield spark
    for table in spark.catalog.listTables():
        if table.isTemporary:
            spark.catalog.dropTempView(table.name)
        else:
            spark.sql(f"DROP {'VIEW' if table.tableType == 'VIEW' else 'TABLE'} {table.name}")


def run(spark: SparkSession, page: str, folder: Path, captures: Path | str = CAPTURES) -> dict[str, Any]:
    """What the blocks of a page define, run in its order, writing below the folder; captures of DCP may be others."""
    names: dict[str, Any] = {"spark": spark}
    for language, code in blocks(page, "python|python spark|sql"):
        if code.startswith(ELSEWHERE):
            continue
        here = code.replace("/tmp/wireloom", str(folder)).replace(CAPTURES, str(captures))
        if language == "sql":
            for statement in here.strip().removesuffix(";").split(";\n"):
                spark.sql(statement).collect()
        else:
            exec(compile(here, page, "exec"), names)
    return names


def test_the_first_page_runs_and_prints_what_it_shows(tmp_path: Path) -> None:
    """In a session of its own: the workers find the package that the page generates in their folder."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    own = {**os.environ, "PYTHONPATH": str(TESTS), "WIRELOOM_ACCEL": "0"}
    command = [sys.executable, "-m", "support.page_runner", "README.md", tmp_path]
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_first_page_of_the_site_prints_what_it_shows(
    clean: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(clean, "docs/site/pages/index.md", tmp_path)
    ((_, shown),) = blocks("docs/site/pages/index.md", "text")
    assert console.shows(shown, capsys.readouterr().out)


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Captures of DCP as those of the examples, but of few messages."""
    skipped = shutil.ignore_patterns("examples.bin")
    return shutil.copytree(ROOT / CAPTURES, tmp_path / "captures", ignore=skipped)


@pytest.mark.sweep
def test_the_page_on_spark_runs_and_stores_a_table_a_message(clean: SparkSession, few: Path, tmp_path: Path) -> None:
    names = run(clean, "docs/spark.md", tmp_path, few)

    def rows() -> dict[str, int]:
        tables = {path.name: parquet.read_table(path) for path in tmp_path.joinpath("tables").iterdir()}
        assert {"end_seqno", "batch"} <= set(tables["snapshot_marker"].column_names)
        return {name: table.num_rows for name, table in tables.items()}

    found = couchbase_dcp.decode_by_message(few, mode="PERMISSIVE")
    expected = {name: table.num_rows for name, table in found.items()}
    assert len(expected) > 5
    awaited = 3  # the ends of a record and of two malformed ranges, with which captures end
    assert sum(rows().values()) == sum(expected.values()) - awaited
    names["store"](names["frames"], 0)  # what is repeated replaces what was there
    assert rows() == expected


@pytest.mark.sweep
def test_the_page_on_tuning_runs(clean: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark import register

    register(clean)
    run(clean, "docs/tuning.md", tmp_path)


@pytest.mark.sweep
def test_the_page_on_recorded_traffic_runs(clean: SparkSession, tmp_path: Path) -> None:
    names = run(clean, "docs/traffic.md", tmp_path)
    counted = {row.message: row["count"] for row in names["found"].groupBy("message").count().collect()}
    told = {"failover_log_response": 3, "stream_req_response": 1, "snapshot_marker": 1, "mutation": 12, "dcp_noop": 1}
    assert counted == {**told, None: 1}
    assert names["answers"].count() == 5


@pytest.mark.sweep
def test_the_recipes_run_and_keep_their_promises(clean: SparkSession, tmp_path: Path) -> None:
    from deltalake import DeltaTable
    from pyspark.sql import functions

    names = run(clean, "docs/recipes.md", tmp_path)
    records = list(databus.iter_records(WINDOWS.read_bytes(), mode="PERMISSIVE"))
    sound = [row.dbus_event for row in records if row._corrupt_reason is None]
    broken = [row._corrupt_record for row in records if row._corrupt_reason is not None]
    little = [row | {"byte_order": "little"} for row in records if row.dbus_event and row.dbus_event.sequence == 120]
    dead = [*broken, *map(databus.build, little)]
    big = [event for event in sound if event.sequence != 120]
    assert len(sound) > len(big) > len(dead) > len(broken) > 1
    assert {row.event.dbus_event.sequence for row in names["saved"].collect()} == {120}
    assert names["saved"].count() == len(little)

    def table(name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = DeltaTable(str(tmp_path / "tables" / name)).to_pyarrow_table().to_pylist()
        return found

    topic = clean.read.parquet(str(tmp_path / "topic"))
    for _ in range(2):  # what is repeated is not stored again
        assert sorted(row["header_crc"] for row in table("events")) == sorted(event.header_crc for event in big)
        assert sorted(row["value"] for row in table("dead_letters")) == sorted(dead)
        names["store"](topic, 0)
    nothing = topic.limit(1).withColumn("value", functions.lit(None).cast("binary"))
    names["store"](nothing, 1)
    assert (len(table("events")), len(table("dead_letters"))) == (len(big), len(dead))

    newest = {}
    for event in sound:
        if event.src_id >= 0:
            key = str(event.key) if event.key_bytes is None else event.key_bytes.hex().upper()
            newest[event.src_id, key] = event
    assert {event.opcode_name for event in newest.values()} == {"UPSERT", "DELETE"}
    expected = {key: (it.sequence, it.value, it.opcode_name == "DELETE") for key, it in newest.items()}
    again = clean.read.format("databus").options(message="dbus_event", mode="DROPMALFORMED", positions=True)
    again = again.load(str(WINDOWS))
    for events in (None, again.where("sequence < 120"), again):  # what comes late or twice changes nothing
        if events is not None:
            names["upsert"](events, 0)
        members = table("members")
        assert {(it["src_id"], it["id"]): (it["sequence"], it["value"], it["deleted"]) for it in members} == expected
        assert len(members) == len(expected)
