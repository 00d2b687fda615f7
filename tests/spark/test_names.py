"""Names of columns in any case, as Spark takes them, and of protocols that a session has registered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

pytestmark = pytest.mark.spark

CASE = "spark.sql.caseSensitive"
MARKER = couchbase_dcp.build({"snapshot_marker": {"start_seqno": 1, "end_seqno": 2, "snapshot_type": 1}})
LOG = couchbase_dcp.build(
    {
        "message": "failover_log_response",
        "magic": 0x81,
        "status": 0,
        "failover_log_response": {"entries": [{"vb_uuid": 7, "vb_seqno": 9}]},
    }
)


def source(folder: Path, *, case_sensitive: bool = False, **options: Any) -> Any:
    from wireloom.spark.names import Resolver
    from wireloom.spark.sources import source_of

    found = source_of("couchbase_dcp")
    found.resolver = Resolver(case_sensitive)
    return found({"path": str(folder), **{name: str(value) for name, value in options.items()}})


def table(read: Any, schema: StructType) -> pa.Table:
    """What Spark is given."""
    reader = read.reader(schema)
    return pa.Table.from_batches([batch for part in reader.partitions() for batch in reader.read(part)])


def struct(**columns: Any) -> StructType:
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(name, kind) for name, kind in columns.items()])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Day=1").mkdir()
    (tmp_path / "Day=1" / "a.bin").write_bytes(MARKER + LOG)
    return tmp_path


def wanted() -> StructType:
    """A schema whose names are in any case, with a wider type in it."""
    from pyspark.sql.types import ArrayType, DecimalType, IntegerType, LongType, StringType

    return struct(
        OPCODE=IntegerType(),
        DAY=IntegerType(),
        Snapshot_Marker=struct(END_SEQNO=DecimalType(22, 0), Start_Seqno=LongType()),
        failover_log_response=struct(ENTRIES=ArrayType(struct(VB_Seqno=LongType()))),
        _METADATA=struct(File_Name=StringType()),
        _OFFSET=LongType(),
    )


def test_a_schema_has_names_in_any_case(folder: Path) -> None:
    found = table(source(folder, metadata=True, positions=True), wanted()).to_pylist()
    rest = {"DAY": 1, "_METADATA": {"File_Name": "a.bin"}}
    assert found == [
        {
            "OPCODE": 0x56,
            "Snapshot_Marker": {"END_SEQNO": 2, "Start_Seqno": 1},
            "failover_log_response": None,
            "_OFFSET": 0,
            **rest,
        },
        {
            "OPCODE": 0x54,
            "Snapshot_Marker": None,
            "failover_log_response": {"ENTRIES": [{"VB_Seqno": 9}]},
            "_OFFSET": len(MARKER),
            **rest,
        },
    ]


def test_names_are_exact_where_the_session_says_so(folder: Path) -> None:
    for name in wanted().names:
        read = source(folder, case_sensitive=True, metadata=True, positions=True)
        with pytest.raises(OptionError, match=r"column '(failover_log_response\.)?[A-Z_]+"):
            table(read, struct(**{name: wanted()[name].dataType}))


def test_the_option_columns_has_names_in_any_case(folder: Path) -> None:
    names = "OPCODE,Snapshot_Marker.END_SEQNO,DAY,_metadata.FILE_NAME,_Offset,BAD"
    read = source(folder, columns=names, metadata=True, positions=True, columnNameOfCorruptRecord="Bad")
    assert read.schema().names == ["opcode", "snapshot_marker", "Day", "_metadata", "_offset", "Bad"]
    assert table(read, read.schema()).to_pylist()[0]["snapshot_marker"] == {"end_seqno": 2}
    with pytest.raises(OptionError, match="unknown column 'OPCODE'"):
        source(folder, case_sensitive=True, columns="OPCODE").schema()
    with pytest.raises(OptionError, match=r"unknown column 'snapshot_marker\.END'"):
        source(folder, columns="Snapshot_Marker.END").schema()


@pytest.mark.parametrize("option", ["positions", "connections", "metadata"])
def test_a_schema_with_a_column_that_an_option_adds_names_the_option(folder: Path, option: str) -> None:
    there = set(source(folder).schema().names)
    added = [field for field in source(folder, **{option: True}).schema() if field.name not in there]
    assert added
    for field in added:
        with pytest.raises(OptionError, match=f"column '{field.name}' requires {option}=true"):
            table(source(folder), struct(**{field.name: field.dataType}))


def shouted(kind: Any) -> Any:
    """A type of Arrow's whose fields have names in capitals, as systems have them that know no others."""
    if pa.types.is_struct(kind):
        return pa.struct([field.with_name(field.name.upper()).with_type(shouted(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(shouted(kind.value_type)))
    return kind


def in_capitals(rows: pa.Table) -> pa.RecordBatch:
    (batch,) = rows.combine_chunks().to_batches()
    columns = [column.view(shouted(column.type)) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, [name.upper() for name in batch.schema.names])


def test_the_rows_of_to_wire_have_names_in_any_case() -> None:
    from wireloom.spark.functions import Encoding
    from wireloom.spark.names import Resolver

    rows = in_capitals(couchbase_dcp.decode_columnar(MARKER + LOG))
    values = pa.StructArray.from_arrays(rows.columns, rows.schema.names)
    assert Encoding.of("couchbase_dcp", {}, Resolver())(values).to_pylist() == [MARKER, LOG]
    assert Encoding.of("couchbase_dcp", {"mode": "PERMISSIVE"}, Resolver(True))(values).to_pylist() == [None, None]
    twice = pa.StructArray.from_arrays([*rows.columns, rows.column("OPCODE")], [*rows.schema.names, "Opcode"])
    with pytest.raises(OptionError, match="two columns are called opcode"):
        Encoding.of("couchbase_dcp", {}, Resolver())(twice)


@pytest.mark.usefixtures("in_a_task")
@pytest.mark.parametrize("message", [None, "failover_log_response"])
def test_rows_that_are_written_have_names_in_any_case(folder: Path, message: str | None) -> None:
    from pyspark.sql.pandas.types import from_arrow_schema

    one = {} if message is None else {"message": message}
    rows = in_capitals(couchbase_dcp.scan(folder, **one).read_all())
    given = {"columnNameOfCorruptRecord": "_Corrupt_Record", **one}
    written = folder / "written"
    schema = from_arrow_schema(rows.schema)
    writer = source(written, **given).writer(schema, False)
    writer.commit([writer.write(iter([rows]))])
    assert b"".join(path.read_bytes() for path in written.glob("*.bin")) == MARKER * (message is None) + LOG
    with pytest.raises(OptionError, match=r"column '?MESSAGE|MAGIC"):
        source(written, case_sensitive=True, **given).writer(schema, False)


def test_a_session_says_whether_case_matters(spark: SparkSession, folder: Path) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark import from_wire, narrow, paired, register, summary, to_wire

    def read() -> Any:
        register(spark, "couchbase_dcp")
        return spark.read.format("couchbase_dcp").option("positions", True)

    schema = (
        "MESSAGE string, OPCODE int, OPAQUE bigint, Snapshot_Marker struct<Variant string, END_SEQNO bigint>, "
        "_FILE string, _OFFSET bigint, _LENGTH bigint, _CORRUPT_REASON string"
    )
    rows = read().schema(schema).load(str(folder))
    assert rows.columns[:2] == ["MESSAGE", "OPCODE"]
    assert [row.END_SEQNO for row in narrow(rows, "couchbase_dcp", "snapshot_marker").collect()] == [2]
    assert summary(rows).columns[1:3] == ["records", "malformed"]
    assert paired(rows, "couchbase_dcp").columns[-1] == "_pairing"
    values = rows.select(to_wire(fn.struct(*rows.columns[:4]), "couchbase_dcp", mode="PERMISSIVE").alias("V"))
    decoded = values.select(from_wire("v", "couchbase_dcp", columns="OPCODE").alias("r"))
    assert decoded.select("r.*").columns == ["opcode"]
    spark.conf.set(CASE, "true")
    try:
        with pytest.raises(Exception, match="unknown column 'OPCODE'"):
            read().schema("OPCODE int").load(str(folder)).collect()
        with pytest.raises(OptionError, match="unknown column 'OPCODE'"):
            from_wire("v", "couchbase_dcp", columns="OPCODE")
    finally:
        spark.conf.unset(CASE)
        register(spark, "couchbase_dcp")


def test_a_name_that_a_session_registers_is_known_wherever_a_protocol_is_named(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark import dataset, from_wire, from_wire_many, index, narrow, paired, register, to_wire
    from wireloom.spark.formats import resolve_protocol

    module = "wireloom_protocols.couchbase_dcp"
    register(spark, module, name="Frames")
    rows = spark.read.format("frames").option("positions", True).load(str(folder))
    assert narrow(rows, "frames", "snapshot_marker").columns == narrow(rows, module, "snapshot_marker").columns
    assert paired(rows, "FRAMES").columns[-1] == "_pairing"
    assert index(spark, "frames", str(folder)).collect() == []
    dataset(spark, "frames_here", format="frames", path=str(folder))
    here = spark.read.format("frames_here").load()
    sound = here.select(fn.struct(*here.columns[:-3]).alias("r"))
    values = sound.select(to_wire("r", "frames").alias("v"))
    again = values.select(
        from_wire("v", "Frames", columns="opcode").alias("one"), from_wire_many("v", "frames").alias("m")
    )
    assert [row.one.opcode for row in again.collect()] == [0x56, 0x54]
    register(spark, "frames", name="frames_too")
    assert spark.read.format("frames_too").load(str(folder)).columns == here.columns
    for unknown in (lambda: from_wire("v", "frame"), lambda: dataset(spark, "x", format="frame", path="p")):
        with pytest.raises(OptionError, match="unknown protocol 'frame'"):
            unknown()
    register(spark, module, name="memcached")
    assert resolve_protocol("memcached", spark) == module
    register(spark, "memcached")
    assert resolve_protocol("memcached", spark) == "memcached"
    other = spark.newSession()
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: other)
    with pytest.raises(OptionError, match="unknown protocol 'frames'"):
        from_wire("v", "frames")


def test_a_protocol_in_a_package_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.spark.formats import resolve_protocol

    (tmp_path / "their_protocols" / "thermo").mkdir(parents=True)
    (tmp_path / "their_protocols" / "thermo" / "parsers.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OptionError, match=r"unknown protocol 'thermo'; did you mean 'their_protocols\.thermo'\?"):
        resolve_protocol("thermo", None)
