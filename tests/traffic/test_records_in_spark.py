"""Recorded traffic as Spark reads it."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from support.traffic import CLIENT, PORT, SERVER, Flow, written

from traffic.recorded_frames import ALL, SENT
from wireloom.options import OptionError


@pytest.mark.spark
@pytest.mark.parametrize("name", ["trace.pcap", "trace.pcapng.gz"])
def test_spark_reads_recorded_packets(spark: Any, tmp_path: Path, name: str) -> None:
    from wireloom.spark import register

    register(spark)
    folder = tmp_path / "traces"
    folder.mkdir()
    flow = Flow(size=1000)
    packets = [flow.back.syn(), flow.syn(answers=True), *flow.sent(SENT, syn=False)]
    path = written(folder / name.removesuffix(".gz"), packets)
    if name.endswith(".gz"):
        (folder / name).write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    reader = spark.read.format("couchbase_dcp").option("connections", True)
    read = reader.option("maxPartitionBytes", 2000).load(str(folder))
    assert read.rdd.getNumPartitions() == 1
    rows = read.select("mutation.by_seqno", "_time", "_connection", "_from_client", "_gap_before").collect()
    assert [row.by_seqno for row in rows] == ALL
    assert {row._connection for row in rows} == {f"{SERVER}:{PORT}-{CLIENT}:50000"}
    assert {(row._from_client, row._gap_before) for row in rows} == {(False, 0)}
    assert rows[0]._time.timestamp() == pytest.approx(flow.at + 0.001)
    stream = spark.readStream.format("couchbase_dcp").option("maxPartitionBytes", 2000).load(str(folder))
    query = stream.writeStream.format("memory").queryName("recorded").trigger(availableNow=True)
    started = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    assert started.awaitTermination(120)
    assert spark.sql("select mutation.by_seqno from recorded").count() == len(ALL)


def test_spark_tells_the_kind_of_a_file_from_the_header_of_one(tmp_path: Path) -> None:
    from wireloom.spark.sources import source_of

    written(tmp_path / "trace.pcap", Flow(size=1000).sent(SENT))
    source = source_of("couchbase_dcp")

    def count(**options: str) -> int:
        reader = source({"path": str(tmp_path), **options}).reader(source({"path": str(tmp_path)}).schema())
        return sum(batch.num_rows for part in reader.partitions() for batch in reader.read(part))

    assert count(capture="pcap") == count(Capture="auto") == len(ALL)
    assert count(capture="raw") > len(ALL)  # with malformed rows for what is between them
    for wrong, told in (("pcpa", "did you mean 'pcap'"), ('{"magic": 1}', "an option of writing")):
        with pytest.raises(OptionError, match=told):
            count(capture=wrong)


@pytest.mark.spark
def test_conversations_span_files_and_tasks(spark: Any, tmp_path: Path) -> None:
    from wireloom.spark import conversations, register

    register(spark)
    flows = [Flow(size=500, destination_port=50000 + number) for number in range(5)]
    every = [packet for some in zip(*(flow.sent(SENT) for flow in flows), strict=True) for packet in some]
    folder = tmp_path / "traces"
    folder.mkdir()
    for number in range(4):
        written(folder / f"trace_{number:05}.pcap", every[number::4])
    reader = spark.read.format("packets").option("positions", True).option("connections", True)
    found = conversations(reader.load(str(folder)), "couchbase_dcp").where("_corrupt_reason IS NULL")
    rows = found.select("mutation.by_seqno", "_connection", "_from_client").collect()
    for flow in flows:
        name = f"{SERVER}:{PORT}-{CLIENT}:{flow.destination_port}"
        assert [row.by_seqno for row in rows if row._connection == name] == ALL
    assert len(rows) == 5 * len(ALL)
    with pytest.raises(OptionError, match="_time"):
        conversations(reader.load(str(folder)).drop("_time"), "couchbase_dcp")
    with pytest.raises(OptionError, match="ends of tunnels"):
        conversations(reader.load(str(folder)), "couchbase_dcp", tunnels=True)
