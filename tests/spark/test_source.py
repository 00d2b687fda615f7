"""Captures and binary columns in Spark: what the rows are, what can be asked for, and what is said when it cannot."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.paths import DATA, ROOT
from support.plain_values import plain

from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

STREAM = DATA / "databus" / "stream_scn_regress.bin"
MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "cas": 2**64 - 1,
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)
UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})
CUT_OFF = MARKER[:-1]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    """The session, with the installed protocols as formats."""
    from wireloom.spark import register

    register(spark)
    return spark


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample captures."""
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        from make_captures import make
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("captures")
    make(folder)
    return folder


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A capture with a known, an unknown and a malformed record."""
    path = tmp_path / "capture.bin"
    path.write_bytes(MARKER + UNKNOWN + CUT_OFF)
    return path


def collected(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows, as the Python API has them."""
    return [plain(row.asDict(recursive=True), local=True) for row in frame.collect()]


@pytest.mark.parametrize("protocol", [couchbase_dcp, databus])
def test_rows_are_what_the_parser_returns(session: SparkSession, captures: Path, protocol: Any) -> None:
    name = protocol.PROTOCOL.name
    for path in sorted((captures / name).iterdir()):
        found = collected(session.read.format(name).load(str(path)))
        assert found == [plain(row, local=True) for row in protocol.iter_records(path.read_bytes(), "PERMISSIVE")]


@pytest.mark.parametrize("protocol", [couchbase_dcp, databus])
def test_the_schema_is_the_generated_one_comments_included(
    session: SparkSession, captures: Path, protocol: Any
) -> None:
    name = protocol.PROTOCOL.name
    schema = session.read.format(name).load(str(captures / name)).schema
    assert schema == protocol.spark_schema
    assert schema.json() == protocol.spark_schema.json()


def test_a_directory_is_all_files_in_it(session: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "day"
    folder.mkdir()
    (folder / "a.bin").write_bytes(MARKER)
    (folder / "b.bin").write_bytes(UNKNOWN + UNKNOWN)
    (folder / "_SUCCESS").write_bytes(b"no capture")
    (tmp_path / "c.bin").write_bytes(MARKER)
    assert session.read.format("couchbase_dcp").load(str(tmp_path)).count() == 4


def test_a_pattern_and_a_list_mean_several_files(session: SparkSession, tmp_path: Path) -> None:
    for name in ("a1.bin", "a2.bin", "b 1.bin"):
        (tmp_path / name).write_bytes(MARKER)
    read = session.read.format("couchbase_dcp")
    assert read.load(f"{tmp_path}/a*.bin").count() == 2
    assert read.load([str(tmp_path / "a1.bin"), f"file://{tmp_path}/b%201.bin"]).count() == 2


def test_an_empty_file_and_an_empty_directory_have_no_rows(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty.bin").touch()
    assert session.read.format("databus").load(str(tmp_path / "nothing")).collect() == []
    assert session.read.format("databus").load(str(tmp_path / "empty.bin")).collect() == []


def test_small_files_share_tasks(session: SparkSession, tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.bin").write_bytes(UNKNOWN)
    rows = session.read.format("couchbase_dcp").load(str(tmp_path))
    assert rows.count() == 300
    assert rows.rdd.getNumPartitions() < 300


def test_many_records_come_in_many_batches(session: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "many.bin"
    path.write_bytes(UNKNOWN * 20_000)
    assert session.read.format("couchbase_dcp").load(str(path)).where("opcode = 182").count() == 20_000


# Options


def test_dropmalformed_drops(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("mode", "DROPMALFORMED").load(str(capture))
    assert [row.message for row in rows.collect()] == ["snapshot_marker", "unknown"]


def test_failfast_fails_naming_file_offset_and_reason(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("mode", "FAILFAST").load(str(capture))
    with pytest.raises(Exception, match=f"{capture}: truncated: record at byte 68: a record of 44 bytes, 43 left"):
        rows.collect()


def test_one_message_has_its_fields_beside_the_header(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("message", "snapshot_marker").load(str(capture))
    assert rows.select("message", "opcode", "end_seqno").collect() == [
        ("snapshot_marker", 0x56, 2),
        ("snapshot_marker", 0x56, None),
    ]
    assert [bytes(row._corrupt_record) for row in rows.where("_corrupt_record is not null").collect()] == [CUT_OFF]
    assert (
        rows.schema["end_seqno"].metadata
        == session.read.format("couchbase_dcp")
        .load(str(capture))
        .schema["snapshot_marker"]
        .dataType["end_seqno"]
        .metadata
    )


def test_labels_can_be_left_out(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("labels", False).load(str(capture))
    assert "status_name" not in rows.columns
    assert "snapshot_type_flags" not in rows.schema["snapshot_marker"].dataType.names
    assert rows.where("snapshot_marker is not null").select("snapshot_marker.snapshot_type").collect() == [(1,)]


def test_positions_say_where_a_record_stood(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("positions", "true").load(str(capture))
    found = rows.select("_file", "_offset", "_length").orderBy("_offset").collect()
    assert found == [(str(capture), 0, 44), (str(capture), 44, 24), (str(capture), 68, 43)]


def test_max_record_bytes_bounds_a_record(session: SparkSession, capture: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("maxRecordBytes", 40).load(str(capture))
    assert rows.first()["_corrupt_reason"].startswith("too-long")  # type: ignore[index]


def test_a_parameter_of_the_protocol_is_an_option(session: SparkSession) -> None:
    rows = session.read.format("databus").option("repl_dbus", True).load(str(STREAM))
    assert rows.where("dbus_event.schema_version is null").count() == 0


# A schema of the user's own


def test_a_narrower_schema_is_honoured(session: SparkSession, capture: Path) -> None:
    narrow = "snapshot_marker struct<end_seqno: bigint, snapshot_type_flags: array<string>>, cas decimal(20,0)"
    rows = session.read.format("couchbase_dcp").schema(narrow).load(str(capture))
    assert rows.columns == ["snapshot_marker", "cas"]
    assert rows.first() == ((2, ["Memory"]), Decimal(2**64 - 1))


def test_a_schema_may_have_wider_types(session: SparkSession, captures: Path) -> None:
    read = session.read.format("couchbase_dcp")
    plainly = read.load(str(captures / "couchbase_dcp"))
    for column, kind in (
        ("opcode", "int"),
        ("opcode", "bigint"),
        ("opcode", "float"),
        ("opcode", "decimal(7,2)"),
        ("opaque", "decimal(20,1)"),
        ("cas", "decimal(22,2)"),
    ):
        wide = read.schema(f"message string, {column} {kind}").load(str(captures / "couchbase_dcp"))
        assert wide.schema[column].dataType.simpleString() == kind
        assert wide.collect() == plainly.selectExpr("message", f"cast({column} as {kind})").collect(), kind
    wide = read.schema("snapshot_marker struct<end_seqno: decimal(19,0)>").load(str(captures / "couchbase_dcp"))
    found = [row[0] and row[0].end_seqno for row in wide.collect()]
    assert found == [row[0] and row[0].end_seqno for row in plainly.select("snapshot_marker").collect()]
    assert any(found)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("opcode tinyint", "column opcode is smallint, not tinyint"),
        ("opcode decimal(5,1)", r"column opcode is smallint, not decimal\(5,1\)"),
        ("opaque float", "column opaque is bigint, not float"),
        ("opaque double", "column opaque is bigint, not double"),
        ("cas decimal(21,2)", r"column cas is decimal\(20,0\), not decimal\(21,2\)"),
        ("opcode string", "column opcode is smallint, not string"),
        ("mesage string", "unknown column 'mesage'; did you mean 'message'"),
        ("cas bigint", r"column cas is decimal\(20,0\), not bigint"),
        ("snapshot_marker struct<end: bigint>", "unknown column 'snapshot_marker.end'; did you mean "),
        ("snapshot_marker struct<end_seqno: int>", "column snapshot_marker.end_seqno is bigint, not int"),
        ("frame_infos string", "column frame_infos is array<.*, not string"),
        ("message string not null", "column message must be nullable"),
    ],
)
def test_a_schema_that_is_wrong_names_the_column(
    session: SparkSession, capture: Path, schema: str, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        session.read.format("couchbase_dcp").schema(schema).load(str(capture)).collect()


# Misuse


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mod": "FAILFAST"}, "unknown option 'mod'; did you mean 'mode'?"),
        ({"mode": "STRICT"}, "mode is PERMISSIVE, DROPMALFORMED, FAILFAST, not 'STRICT'"),
        ({"message": "snapshot_mark"}, "unknown message 'snapshot_mark'; did you mean 'snapshot_marker'?"),
        ({"positions": "here"}, "positions is true or false, not 'here'"),
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


# Columns


@pytest.fixture
def values(session: SparkSession) -> DataFrame:
    """A binary column: a marker, another message, null."""
    return session.createDataFrame([(1, MARKER), (2, UNKNOWN), (3, None)], "id int, value binary")


def test_from_wire_gives_the_rows_of_single_records(values: DataFrame) -> None:
    from wireloom.spark import from_wire

    rows = values.select("id", from_wire("value", "couchbase_dcp").alias("row")).orderBy("id")
    assert rows.schema["row"].dataType == couchbase_dcp.spark_schema
    found = collected(rows)
    assert [row["row"] for row in found] == [
        *(plain(couchbase_dcp.parse(record), local=True) for record in (MARKER, UNKNOWN)),
        None,
    ]


def test_from_wire_of_one_message_is_null_for_others(values: DataFrame) -> None:
    from wireloom.spark import from_wire

    rows = values.select("id", from_wire("value", "couchbase_dcp", message="snapshot_marker").alias("row"))
    assert rows.select("row.end_seqno").collect() == [(2,), (None,), (None,)]
    assert rows.where("row is null").count() == 2


def test_to_wire_gives_the_bytes_back(values: DataFrame) -> None:
    from wireloom.spark import from_wire, to_wire

    rows = values.select("value", from_wire("value", "couchbase_dcp").alias("row"))
    assert rows.where(~to_wire("row", "couchbase_dcp").eqNullSafe(rows.value)).count() == 0


def test_to_wire_fills_in_what_is_derived(session: SparkSession) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark import to_wire

    marker = fn.struct(
        fn.lit(1).alias("start_seqno"),
        fn.lit(2).alias("end_seqno"),
        fn.array(fn.lit("Memory")).alias("snapshot_type_flags"),
    )
    row = fn.struct(fn.lit(Decimal(2**64 - 1)).alias("cas"), marker.alias("snapshot_marker"))
    (found,) = session.range(1).select(to_wire(row, "couchbase_dcp").alias("wire")).collect()
    assert bytes(found.wire) == MARKER


def test_malformed_values_fail_unless_permitted(session: SparkSession) -> None:
    from wireloom.spark import from_wire, to_wire

    frame = session.createDataFrame([(CUT_OFF,), (MARKER + UNKNOWN,)], "value binary")
    with pytest.raises(Exception, match=r"truncated: record at byte 0|trailing-bytes: record at byte 44"):
        frame.select(from_wire("value", "couchbase_dcp")).collect()
    rows = frame.select("value", from_wire("value", "couchbase_dcp", mode="PERMISSIVE").alias("row"))
    assert [row._corrupt_reason.partition(":")[0] for row in rows.select("row.*").collect()] == [
        "truncated",
        "trailing-bytes",
    ]
    assert rows.where(to_wire("row", "couchbase_dcp") == rows.value).count() == 2


def test_a_struct_that_cannot_be_written_fails_unless_permitted(session: SparkSession) -> None:
    from wireloom.spark import to_wire

    frame = session.sql("SELECT named_struct('message', 'unknown', 'magic', 300, 'opcode', 1) AS row")
    with pytest.raises(Exception, match=r"magic: 300 does not fit 8 bits"):
        frame.select(to_wire("row", "couchbase_dcp")).collect()
    assert frame.select(to_wire("row", "couchbase_dcp", mode="PERMISSIVE")).collect() == [(None,)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "DROPMALFORMED"}, "a column cannot drop rows"),
        ({"positions": True}, "has no position"),
        ({"modus": "x"}, "did you mean 'mode'"),
    ],
)
def test_column_functions_refuse_options_at_once(
    session: SparkSession, options: dict[str, object], message: str
) -> None:
    from wireloom.options import OptionError
    from wireloom.spark import from_wire

    with pytest.raises(OptionError, match=message):
        from_wire("value", "couchbase_dcp", **options)


def test_a_column_is_called_by_its_function(values: DataFrame) -> None:
    from wireloom.spark import from_wire, from_wire_many, to_wire

    row = from_wire("value", "couchbase_dcp")
    columns = [row, from_wire_many(values.value, "couchbase_dcp"), to_wire(row, "couchbase_dcp")]
    assert values.select(columns).columns == ["from_wire(value)", "from_wire_many", "to_wire"]
    assert values.select(row["message"], row.opcode).where(row.opcode == 0x56).count() == 1


def test_options_of_a_column_are_a_mapping_or_names(values: DataFrame) -> None:
    from wireloom.spark import from_wire

    given = from_wire("value", "couchbase_dcp", {"mode": "PERMISSIVE", "message": "snapshot_marker"}, columns="opcode")
    named = from_wire("value", "couchbase_dcp", mode="PERMISSIVE", message="snapshot_marker", columns="opcode")
    assert values.select(given).schema == values.select(named).schema
    assert values.select(given).collect() == values.select(named).collect()


def test_a_column_that_is_not_binary_fails_when_the_query_is_analysed(session: SparkSession) -> None:
    from pyspark.errors import AnalysisException

    from wireloom.spark import from_wire, from_wire_many

    frame = session.createDataFrame([("x", 1)], "text string, number int")
    for column in (from_wire("text", "couchbase_dcp"), from_wire_many(frame.number, "couchbase_dcp")):
        with pytest.raises(
            AnalysisException, match=r'requires the "BINARY" type, however "(text|number)" has the type'
        ):
            frame.select(column)


def test_a_column_to_encode_that_is_no_struct_fails_when_the_query_is_analysed(values: DataFrame) -> None:
    from pyspark.errors import AnalysisException

    from wireloom.spark import to_wire

    with pytest.raises(AnalysisException, match=r'requires the "STRUCT" type, however "value" has the type "BINARY"'):
        values.select(to_wire("value", "couchbase_dcp"))


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


# The Python of workers, and names of formats


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

    with pytest.raises(OptionError, match=f"'{name}' is a format that Spark has already; register"):
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

    with pytest.raises(OptionError, match="name is what one protocol is called"):
        register(session, name="mine")


def test_a_name_that_is_no_utf_8_does_not_stop_a_folder(session: SparkSession, tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9.bin")).write_bytes(UNKNOWN)
    (tmp_path / "a.bin").write_bytes(UNKNOWN)
    frame = session.read.format("couchbase_dcp").option("positions", True).load(str(tmp_path))
    assert {row["_file"] for row in frame.collect()} == {f"{tmp_path}/a.bin", f"file://{tmp_path}/caf%E9.bin"}
