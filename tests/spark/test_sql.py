"""SQL: tables of datasets, temporary views, what is said where Spark forgets a path, and functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)
UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a marker, another message and a malformed record."""
    path = tmp_path / "captures"
    path.mkdir()
    (path / "a.bin").write_bytes(MARKER + UNKNOWN + MARKER[:-1])
    return path


@pytest.fixture
def table(session: SparkSession) -> Iterator[str]:
    """The name of a table that is not there, and is dropped in the end."""
    yield "frames"
    session.sql("DROP TABLE IF EXISTS frames")


def counted(session: SparkSession, query: str) -> int:
    return int(session.sql(f"SELECT count(*) FROM {query}").collect()[0][0])


def messages(session: SparkSession, source: str) -> list[str | None]:
    return sorted(row[0] or "" for row in session.sql(f"SELECT message FROM {source}").collect())


def test_a_table_of_a_dataset_is_read(session: SparkSession, folder: Path, table: str) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_read", format="couchbase_dcp", path=str(folder), mode="DROPMALFORMED")
    session.sql(f"CREATE TABLE {table} USING dcp_read COMMENT 'what came' TBLPROPERTIES ('team' = 'x')")
    assert messages(session, table) == ["snapshot_marker", "unknown"]
    assert session.table(table).schema == couchbase_dcp.spark_schema
    (folder / "b.bin").write_bytes(UNKNOWN)
    assert counted(session, table) == 3
    assert session.sql(f"SELECT snapshot_marker.end_seqno FROM {table} WHERE opcode = 86").collect() == [(2,)]


def test_a_table_may_have_fewer_columns(session: SparkSession, folder: Path, table: str) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_few", format="couchbase_dcp", path=str(folder))
    session.sql(f"CREATE TABLE {table} (opcode SMALLINT, message STRING) USING dcp_few")
    rows = session.table(table)
    assert rows.columns == ["opcode", "message"]
    assert rows.count() == 3


def test_a_table_tells_the_comments_of_its_columns(session: SparkSession, folder: Path, table: str) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_told", format="couchbase_dcp", path=str(folder))
    session.sql(f"CREATE TABLE {table} USING dcp_told")
    told = {row.col_name: row.comment for row in session.sql(f"DESCRIBE {table}").collect()}
    expected = {field.name: field.metadata.get("comment") for field in couchbase_dcp.spark_schema}
    assert expected["opcode"]
    assert {name: told[name] for name in expected} == expected


def test_rows_are_inserted(session: SparkSession, folder: Path, tmp_path: Path, table: str) -> None:
    from wireloom.spark import dataset

    written = tmp_path / "written"
    written.mkdir()
    dataset(session, "dcp_written", format="couchbase_dcp", path=str(written), mode="FAILFAST", compression="gzip")
    session.sql(f"CREATE TABLE {table} USING dcp_written")
    session.read.format("couchbase_dcp").load(str(folder)).createOrReplaceTempView("arrived")
    good = "SELECT * FROM arrived WHERE _corrupt_record IS NULL"
    session.sql(f"INSERT INTO {table} {good}")
    session.sql(f"INSERT INTO {table} {good}")
    assert counted(session, table) == 4
    session.sql(f"INSERT OVERWRITE {table} {good} AND opcode = 86")
    assert messages(session, table) == ["snapshot_marker"]
    assert all(path.suffix == ".gz" for path in written.glob("*.bin*"))


def test_a_table_may_be_created_from_a_query(session: SparkSession, folder: Path, tmp_path: Path, table: str) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_made", format="couchbase_dcp", path=str(tmp_path / "made"))
    session.read.format("couchbase_dcp").load(str(folder)).createOrReplaceTempView("arrived")
    session.sql(f"CREATE TABLE {table} USING dcp_made AS SELECT * FROM arrived WHERE _corrupt_record IS NULL")
    assert messages(session, table) == ["snapshot_marker", "unknown"]
    assert list((tmp_path / "made").glob("*.bin"))


def test_a_view_of_a_table_stays(session: SparkSession, folder: Path, table: str) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_viewed", format="couchbase_dcp", path=str(folder))
    session.sql(f"CREATE TABLE {table} USING dcp_viewed")
    session.sql(f"CREATE OR REPLACE VIEW markers AS SELECT opcode, snapshot_marker.* FROM {table} WHERE opcode = 86")
    try:
        assert session.sql("SELECT end_seqno FROM markers WHERE end_seqno IS NOT NULL").collect() == [(2,)]
    finally:
        session.sql("DROP VIEW markers")


def test_a_dataset_is_a_format(session: SparkSession, folder: Path, tmp_path: Path) -> None:
    from wireloom.spark import dataset

    (tmp_path / "more.bin").write_bytes(UNKNOWN)
    paths = [str(folder), str(tmp_path / "more.bin")]
    dataset(session, "dcp_format", format="couchbase_dcp", path=paths, mode="DROPMALFORMED", positions=True)
    rows = session.read.format("dcp_format").load()
    assert (rows.count(), "_file" in rows.columns) == (3, True)
    assert session.read.format("dcp_format").option("MODE", "PERMISSIVE").load().count() == 4
    assert session.readStream.format("dcp_format").load().isStreaming


def test_an_option_of_a_query_overrides_the_dataset(session: SparkSession, folder: Path, table: str) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_with", format="couchbase_dcp", path=str(folder), mode="DROPMALFORMED")
    session.sql(f"CREATE TABLE {table} USING dcp_with")
    assert counted(session, f"{table} WITH (mode = 'PERMISSIVE')") == 3


def test_a_path_beside_a_dataset_is_refused(session: SparkSession, folder: Path) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_own", format="couchbase_dcp", path=str(folder))
    with pytest.raises(Exception, match="the dataset 'dcp_own' already has a path; leave out this one"):
        session.read.format("dcp_own").load(str(folder))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modus": "x"}, "unknown option 'modus'; did you mean 'mode'"),
        ({"message": "snapshot"}, "unknown message 'snapshot'"),
        ({"name": "parquet"}, "'parquet' is already a format of Spark; choose another"),
        ({"format": "couchbase"}, "unknown protocol 'couchbase'; did you mean 'couchbase_dcp'"),
    ],
)
def test_a_dataset_that_cannot_be_is_refused_at_once(
    session: SparkSession, options: dict[str, str], message: str
) -> None:
    from wireloom.options import OptionError
    from wireloom.spark import dataset

    with pytest.raises(OptionError, match=message):
        dataset(session, **{"name": "dcp_bad", "format": "couchbase_dcp", "path": "x", **options})


# What Spark forgets


@pytest.mark.parametrize(
    ("clause", "what"),
    [
        ("OPTIONS (path '/x', message 'snapshot_marker')", "path and message"),
        ("LOCATION '/x'", "path"),
        ("OPTIONS (message 'snapshot_marker')", "message"),
    ],
)
def test_a_table_that_could_not_be_read_is_refused(session: SparkSession, table: str, clause: str, what: str) -> None:
    with pytest.raises(Exception, match=f"Spark forgets {what} of a table") as error:
        session.sql(f"CREATE TABLE {table} USING couchbase_dcp {clause}")
    assert "CREATE TEMPORARY VIEW … USING couchbase_dcp OPTIONS (" in str(error.value)
    assert 'wireloom.spark.dataset(spark, "NAME", format="couchbase_dcp", path=…)' in str(error.value)
    assert not session.catalog.tableExists(table)


def test_so_is_one_of_the_catalog(session: SparkSession, table: str) -> None:
    with pytest.raises(Exception, match="Spark forgets path of a table"):
        session.catalog.createTable(table, source="couchbase_dcp", path="/x")


def test_options_of_a_table_of_a_dataset_are_refused(session: SparkSession, folder: Path, table: str) -> None:
    from wireloom.spark import dataset

    dataset(session, "dcp_opted", format="couchbase_dcp", path=str(folder))
    with pytest.raises(Exception, match="Spark forgets mode of a table; the dataset 'dcp_opted' has its own"):
        session.sql(f"CREATE TABLE {table} USING dcp_opted OPTIONS (mode 'FAILFAST')")


def test_a_table_without_a_path_is_told_of(session: SparkSession, folder: Path, table: str) -> None:
    session.sql(f"CREATE TABLE {table} (message STRING) USING couchbase_dcp OPTIONS (path '{folder}')")
    told = "A table keeps no path: SELECT … FROM t WITH"
    with pytest.raises(Exception, match=told):
        session.table(table).collect()
    with pytest.raises(Exception, match=told):
        session.sql(f"INSERT INTO {table} VALUES ('noop')")
    assert counted(session, f"{table} WITH (path = '{folder}')") == 3


def test_a_temporary_view_keeps_its_options(session: SparkSession, folder: Path) -> None:
    session.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW markers USING couchbase_dcp "
        f"OPTIONS (path '{folder}', message 'snapshot_marker')"
    )
    assert session.sql("SELECT end_seqno FROM markers WHERE end_seqno > 1").collect() == [(2,)]
    session.sql("INSERT INTO markers SELECT * FROM markers WHERE end_seqno = 2")
    written = session.read.format("couchbase_dcp").load(str(folder))  # the view knows the files of its first query
    assert written.where("snapshot_marker.end_seqno = 2").count() == 2
    session.sql("DROP VIEW markers")


# Functions


@pytest.fixture
def values(session: SparkSession) -> Iterator[str]:
    """A view with binary values: a marker, another message, null."""
    frame = session.createDataFrame([(1, MARKER), (2, UNKNOWN), (3, None)], "id int, value binary")
    frame.createOrReplaceTempView("arriving")
    yield "arriving"
    session.sql("DROP VIEW arriving")


def test_sql_decodes_values(session: SparkSession, values: str) -> None:
    from wireloom.spark import from_wire

    rows = session.sql(f"SELECT from_couchbase_dcp(value) AS row FROM {values} ORDER BY id")
    assert rows.schema["row"].dataType == couchbase_dcp.spark_schema
    assert rows.collect() == session.table(values).orderBy("id").select(from_wire("value", "couchbase_dcp")).collect()
    picked = session.table(values).selectExpr("from_couchbase_dcp(value).snapshot_marker.end_seqno AS e").where("e > 1")
    assert picked.collect() == [(2,)]


def test_sql_decodes_several_records_a_value(session: SparkSession) -> None:
    several = (MARKER + UNKNOWN + MARKER[:-1]).hex()
    query = f"SELECT from_couchbase_dcp_many(X'{several}', map('mode', 'DROPMALFORMED')).message"
    assert session.sql(query).collect() == [(["snapshot_marker", "unknown"],)]


def test_sql_gives_the_bytes_back(session: SparkSession, values: str) -> None:
    query = f"SELECT count(*) FROM {values} WHERE value = to_couchbase_dcp(from_couchbase_dcp(value))"
    assert session.sql(query).collect() == [(2,)]


def test_sql_fills_in_what_is_derived(session: SparkSession) -> None:
    query = "SELECT to_couchbase_dcp(named_struct('message', 'unknown', 'magic', 128, 'opcode', 182))"
    assert bytes(session.sql(query).collect()[0][0]) == UNKNOWN


def test_a_map_of_options_is_for_every_row(session: SparkSession) -> None:
    cut_off = f"from_couchbase_dcp(X'{MARKER[:-1].hex()}', map('mode', 'PERMISSIVE'))._corrupt_reason"
    assert session.sql(f"SELECT {cut_off} FROM range(3)").distinct().collect()[0][0].startswith("truncated")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("map('modus', 'x')", "unknown option 'modus'; did you mean 'mode'"),
        ("map('mode', 'DROPMALFORMED')", "a column function cannot drop rows"),
        (
            "map('message', 'snapshot_marker')",
            "returns whole rows in SQL, which message would change; wireloom.spark.from_",
        ),
        ("map('u64', 'decimal')", "returns whole rows in SQL, which u64 would change"),
        ("map('mode', if(id = 0, 'PERMISSIVE', 'FAILFAST'))", "options must be the same for all rows"),
        ("'PERMISSIVE'", r"options must be one map, such as map\('mode', 'PERMISSIVE'\)"),
    ],
)
def test_options_in_sql_that_cannot_be(session: SparkSession, options: str, message: str) -> None:
    query = f"SELECT from_couchbase_dcp(X'{UNKNOWN.hex()}', {options}) FROM range(0, 2, 1, 1)"
    with pytest.raises(Exception, match=message):
        session.sql(query).collect()


def test_functions_that_spark_has_are_known(session: SparkSession) -> None:
    from wireloom.spark.sql_functions import SPARKS

    found = {row[0].removeprefix("system.builtin.") for row in session.sql("SHOW SYSTEM FUNCTIONS").collect()}
    assert "from_json" in found
    theirs = {name.split("_", 1)[1] for name in found if name.startswith(("from_", "to_"))}
    assert theirs <= SPARKS


def test_a_format_of_another_name_has_functions_of_that_name(session: SparkSession) -> None:
    from wireloom.spark import register

    register(session, "couchbase_dcp", name="dcp_frames")
    assert session.sql(f"SELECT from_dcp_frames(X'{UNKNOWN.hex()}').opcode").collect() == [(0xB6,)]
    with pytest.warns(UserWarning, match="date has no SQL functions: Spark has its own from_date or to_date"):
        register(session, "couchbase_dcp", name="date")
