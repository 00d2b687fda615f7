"""The main job, start to end: captured bytes → Spark → Parquet → tables a person understands.

python examples/demo.py [OUTPUT_DIRECTORY]
"""

import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dcp_session
import pyarrow as pa
from make_captures import CAPTURES, make
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as fn
from rich.console import Console
from rich.table import Table

from wireloom.cdc import couchbase
from wireloom.lakes import parquet_options
from wireloom.spark import register
from wireloom_protocols import couchbase_dcp

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "build" / "demo"
COLUMNS = [*couchbase.STATE_COLUMNS, "system_event.key", "_file"]
"""What it takes to follow a session, and to name its collections."""
console = Console()


def main(output: Path) -> None:
    """Run all steps."""
    with step("Sample captures"):
        files = make()
        console.print(
            f"  {len(files)} files, {sum(file.stat().st_size for file in files):,} bytes, in {shown(CAPTURES)}"
        )
    with step(f"A session of DCP with {dcp_session.DOCUMENTS:,} documents in {dcp_session.VBUCKETS:,} vbuckets"):
        session = dcp_session.make()
        files = session.write(output / "session" / "captures")
        size = sum(file.stat().st_size for file in files)
        console.print(f"  {len(files)} connections, {session.frames.total():,} frames, {size:,} bytes")
    with step("The documents that there are after it, rollbacks and all"):
        follow(output / "session", session)
    with step("Starting Spark"):
        spark = start_spark()
    for protocol in ("couchbase_dcp", "databus"):
        with step(f"{protocol}: captures to Parquet"):
            to_parquet(spark, protocol, output / protocol)
    for protocol, show in (("couchbase_dcp", show_dcp), ("databus", show_databus)):
        console.rule(f"[bold]{protocol}[/bold], read back from {shown(output / protocol)}")
        rows = spark.read.parquet(str(output / protocol))
        show_messages(rows)
        show(rows)
        show_malformed(rows)
    console.rule(f"[bold]The session's documents[/bold], read back from {shown(output / 'session')}")
    show_documents(spark, output / "session")
    spark.stop()
    say_what_went_where(output)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Print what is being done and how long it took."""
    console.print(f"[bold cyan]•[/bold cyan] {what} …")
    start = time.monotonic()
    yield
    console.print(f"  [green]done[/green] in {time.monotonic() - start:.1f} s")


def follow(folder: Path, session: dcp_session.Session) -> None:
    """Frames of a session to the documents at its end, and to the versions that rollbacks undid, as Parquet."""
    frames = couchbase_dcp.scan(folder / "captures", COLUMNS, positions=True).read_all()
    history = couchbase.History(frames, connection=["_file"])
    found = {"documents": history.latest(), "dropped": history.dropped(), "collections": collections(frames)}
    for name, table in found.items():
        parquet.write_table(table, folder / f"{name}.parquet", **parquet_options(table.schema))
    known = {(vbucket, *key): document.seqno for (vbucket, key), document in session.documents.items()}
    keys = zip(
        *(found["documents"][name].to_pylist() for name in ("vbucket", "collection_id", "document_key")), strict=True
    )
    same = dict(zip(keys, found["documents"]["by_seqno"].to_pylist(), strict=True)) == known
    console.print(
        f"  {len(found['documents']):,} documents: {'those' if same else '[red]not those[/red]'} that its maker knows"
    )


def collections(frames: pa.Table) -> pa.Table:
    """The names of collections, from system events: in a table of FlatBuffers, or beside a struct."""
    events = frames["system_event"].combine_chunks().drop_null().to_pylist()
    begun = [event for event in events if event["event_name"] == "BeginCollection"]
    names = {
        (event["collection"] or {"collectionId": event["collection_id"]})["collectionId"]: event["key"]
        for event in begun
    }
    named = {0: "_default", **names}
    return pa.table({"collection_id": pa.array(named.keys(), pa.int64()), "collection": pa.array(named.values())})


def start_spark() -> SparkSession:
    """A session in this process and on this machine only."""
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("wireloom-demo")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        .getOrCreate()
    )
    register(spark)
    return spark


def to_parquet(spark: SparkSession, protocol: str, target: Path) -> None:
    """All binary captures of a protocol as one table, one row a record, with its place."""
    captures = spark.read.format(protocol).option("positions", True).load(f"{CAPTURES / protocol}/*.bin")
    captures.write.mode("overwrite").parquet(str(target))


def show_messages(rows: DataFrame) -> None:
    """How many records of what."""
    name = fn.coalesce("message", fn.lit("(malformed)")).alias("message")
    sizes = fn.count("*").alias("records"), fn.sum("_length").alias("bytes")
    show("Records", rows.groupBy(name).agg(*sizes).orderBy(name))


def show_dcp(rows: DataFrame) -> None:
    """The life of collections, snapshots and the histories of vbuckets."""
    session = rows.where(fn.col("_file").endswith("session.bin"))
    show(
        "Collections of the session",
        session.where("message = 'system_event'")
        .orderBy("_offset")
        .selectExpr(
            "vbucket",
            "system_event.by_seqno",
            "system_event.event_name AS event",
            "system_event.key AS collection",
            "hex(system_event.collection_id) AS id",
            "system_event.manifest_uid",
            "system_event.max_ttl",
        ),
    )
    show(
        "Snapshots of the session",
        session.where("message = 'snapshot_marker'")
        .orderBy("_offset")
        .selectExpr(
            "vbucket",
            "snapshot_marker.variant",
            "snapshot_marker.start_seqno",
            "snapshot_marker.end_seqno",
            "array_join(snapshot_marker.snapshot_type_flags, ' ') AS kind",
        ),
    )
    show(
        "Failover logs of the session",
        session.where("message = 'failover_log_response'")
        .selectExpr("opaque", "status_name AS status", "posexplode(failover_log_response.entries) AS (age, entry)")
        .selectExpr("opaque", "status", "age", "hex(entry.vb_uuid) AS vb_uuid", "entry.vb_seqno")
        .orderBy("opaque", "age"),
    )


def show_databus(rows: DataFrame) -> None:
    """What happened in each window, and whether its end arrived."""
    events = rows.where(fn.col("_file").endswith("windows.bin") & (fn.col("message") == "dbus_event"))
    show(
        "Windows",
        events.groupBy("dbus_event.sequence")
        .agg(
            fn.expr("count_if(dbus_event.opcode_name = 'UPSERT') AS upserts"),
            fn.expr("count_if(dbus_event.opcode_name = 'DELETE') AS deletes"),
            fn.expr("count_if(dbus_event.variant = 'byte_key') AS byte_keys"),
            fn.expr("bool_or(dbus_event.end_of_period) AS complete"),
        )
        .orderBy("sequence"),
    )
    show(
        "First changes",
        events.where("NOT dbus_event.end_of_period")
        .orderBy("_offset")
        .selectExpr(
            "dbus_event.sequence",
            "dbus_event.event_time AS time",
            "dbus_event.opcode_name AS opcode",
            "coalesce(CAST(dbus_event.key AS string), CAST(dbus_event.key_bytes AS string)) AS key",
            "CAST(dbus_event.value AS string) AS value",
        )
        .limit(5),
    )


def show_documents(spark: SparkSession, folder: Path) -> None:
    """What is in the bucket at the end of the session, and what is not any more."""
    tables = {
        name: spark.read.parquet(str(folder / f"{name}.parquet")) for name in ("documents", "dropped", "collections")
    }
    documents = tables["documents"].join(fn.broadcast(tables["collections"]), "collection_id")
    show(
        "Documents by collection",
        documents.groupBy("collection")
        .agg(
            fn.count("*").alias("documents"),
            fn.count_if(fn.col("json").isNotNull()).alias("json"),
            fn.count_if(fn.col("xattrs").isNotNull()).alias("with xattrs"),
            fn.count_if(fn.col("expires_at").isNotNull()).alias("expire"),
            fn.max("rev_seqno").alias("most changed"),
            fn.sum(fn.length(fn.coalesce("json", "body"))).alias("bytes"),
        )
        .orderBy("collection"),
    )
    ordered = Window.partitionBy("collection").orderBy(fn.desc("rev_seqno"), "document_key")
    show(
        "Two documents of each",
        documents.withColumn("place", fn.row_number().over(ordered))
        .where("place <= 2")
        .orderBy("collection", "place")
        .selectExpr(
            "collection",
            "document_key AS key",
            "rev_seqno AS rev",
            "coalesce(json, concat('0x', left(hex(body), 32), '…')) AS document",
            "array_join(transform(xattrs.pairs, pair -> concat(pair.key, '=', pair.value)), ' ') AS xattrs",
        ),
    )
    undone = (
        tables["dropped"]
        .groupBy("vbucket")
        .agg(
            fn.count("*").alias("versions undone"),
            fn.min("by_seqno").alias("from seqno"),
            fn.max("by_seqno").alias("to seqno"),
        )
    )
    standing = documents.groupBy("vbucket").agg(
        fn.count("*").alias("documents now"), fn.max("by_seqno").alias("last seqno now")
    )
    show(
        f"Rolled back furthest, of {undone.count():,} vbuckets",
        undone.join(standing, "vbucket").orderBy(fn.desc("versions undone"), "vbucket").limit(5),
    )


def show_malformed(rows: DataFrame) -> None:
    """What could not be read, where, and why."""
    show(
        "Malformed, and kept",
        rows.where("_corrupt_record IS NOT NULL")
        .orderBy("_file", "_offset")
        .selectExpr("element_at(split(_file, '/'), -1) AS file", "_offset", "_length", "_corrupt_reason AS reason"),
    )


def show(title: str, rows: DataFrame) -> None:
    """Print a small table."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in rows.columns:
        table.add_column(name.removeprefix("_"), overflow="fold")
    for row in rows.collect():
        table.add_row(*("" if value is None else str(value) for value in row))
    console.print(table)


def shown(path: Path) -> str:
    """The shortest form of a path."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def say_what_went_where(output: Path) -> None:
    """Where everything is now, and what to do with it."""
    session = shown(CAPTURES / "couchbase_dcp" / "session.bin")
    windows = shown(CAPTURES / "databus" / "windows.bin")
    program = shown(Path(sys.executable).with_name("wireloom"))
    console.rule("[bold]What went where[/bold]")
    console.print(f"captures  {shown(CAPTURES)}/<protocol>/*.bin   made by examples/make_captures.py")
    console.print(f"tables    {shown(output)}/<protocol>   Parquet, one row a record, one struct column a message")
    console.print(
        f"session   {shown(output)}/session   two connections made by examples/dcp_session.py; its last documents"
    )
    console.print("specs     specs/<protocol>/*.yaml   and what is generated from them: generated/")
    console.print("\n[bold]Try next[/bold]")
    for command in (
        f"{program} decode couchbase_dcp {session} --message snapshot_marker",
        f"{program} decode databus {windows} --mode FAILFAST",
        f"{program} decode databus {windows} | {program} encode databus | cmp - {windows}",
        f"{program} init my_protocol",
    ):
        console.print(f"  {command}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else OUTPUT)
