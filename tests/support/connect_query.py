"""Everything that works with a Spark session, through Spark Connect; run by a test in a process of its own."""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

from support.spark_sessions import configured
from wireloom.spark import dataset, from_wire, from_wire_many, narrow, register, summary, to_wire
from wireloom_protocols import couchbase_dcp

UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})


def main(folder: Path) -> None:
    """Read, sum up, decode and encode columns, write, stream; ``folder`` is for the files."""
    builder = configured(SparkSession.builder.remote("local[2]")).config(
        "spark.sql.warehouse.dir", str(folder / "tables")
    )
    session = builder.getOrCreate()
    captures = folder / "captures"
    captures.mkdir()
    (captures / "a.bin").write_bytes(UNKNOWN * 3 + UNKNOWN[:5])
    assert session.read.format("couchbase_dcp").load(str(captures)).count() == 4  # Spark finds what is installed
    register(session)

    rows = session.read.format("couchbase_dcp").option("positions", True).load(str(captures))
    (counted,) = summary(rows).collect()
    assert (counted.records, counted.malformed, counted.malformed_bytes) == (4, 1, 5)

    assert narrow(rows, "couchbase_dcp", "unknown").count() == 3

    values = session.createDataFrame([(UNKNOWN,)], "v binary")
    (row,) = values.select(
        to_wire(from_wire("v", "couchbase_dcp"), "couchbase_dcp").alias("one"),
        from_wire_many("v", "couchbase_dcp", columns="opcode").alias("many"),
    ).collect()
    assert (bytes(row.one), row.many[0].opcode) == (UNKNOWN, 0xB6)

    values.createOrReplaceTempView("arriving")
    (row,) = session.sql(
        "SELECT from_couchbase_dcp(v, map('mode', 'PERMISSIVE')).opcode, from_couchbase_dcp_many(v)[0].message, "
        "to_couchbase_dcp(from_couchbase_dcp(v)) AS one FROM arriving"
    ).collect()
    assert (row[0], row[1], bytes(row.one)) == (0xB6, "unknown", UNKNOWN)

    dataset(session, "dcp_connected", format="couchbase_dcp", path=str(captures), mode="DROPMALFORMED")
    session.sql("CREATE TABLE frames USING dcp_connected")
    assert session.table("frames").count() == 3
    session.sql("DROP TABLE frames")

    written = folder / "written"
    session.read.format("couchbase_dcp").load(str(captures)).write.format("couchbase_dcp").mode("append").save(
        str(written)
    )
    assert session.read.format("couchbase_dcp").load(str(written)).count() == 4

    stream = session.readStream.format("couchbase_dcp").load(str(captures)).writeStream.format("parquet")
    query = (
        stream.option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "parquet"))
    )
    query.awaitTermination(600)
    assert session.read.parquet(str(folder / "parquet")).count() == 3  # what may still become a frame waits
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
