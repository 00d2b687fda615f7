"""Parts of a file of packets: they give each packet once, as the whole file does, wherever it is cut."""

from __future__ import annotations

import gzip
import struct
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from scapy.layers.l2 import Ether
from support.cases import often
from support.dcp_sessions import mutation
from support.lockstep import damaged
from support.traffic import Flow, disordered, written

from traffic.forged import block, enhanced, interface, ip, option, section
from wireloom import registry
from wireloom.codec import cutting
from wireloom.columnar import arrow_schema, decoder, scans
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scans import FilePart
from wireloom.files import listed
from wireloom.options import ReadOptions
from wireloom.spark.partition_planning import Divider
from wireloom.views import View
from wireloom_protocols import couchbase_dcp, packets, pcap, pcapng

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from pyspark.sql import SparkSession

ETHERNET, RAW_IP, NULL = 1, 101, 0
Sent = tuple[int, int | None, bytes]
"""Where a packet stands in its file, when it was recorded in nanoseconds if it says so, and what it carries."""


def packet(data: bytes, link_type: int) -> bytes:
    """A datagram behind a header of this link."""
    head = {ETHERNET: bytes(Ether(dst="02::1", src="02::2", type=0x0800)), RAW_IP: b"", NULL: b"\2\0\0\0"}
    return head[link_type] + ip(struct.pack(">4H", 5, 6, 8 + len(data), 0) + data, protocol=17)


@dataclass(frozen=True, slots=True)
class File:
    """A file, and the packets in it."""

    kind: ModuleType
    data: bytes
    sent: list[Sent]


def in_pcap(random: Random, count: int) -> File:
    """A file of either byte order and unit of time."""
    order, nano, link_type = random.choice("<>"), random.random() < 0.5, random.choice((ETHERNET, RAW_IP))
    data = bytearray(struct.pack(f"{order}IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type))
    sent = []
    for number in range(count):
        body = random.randbytes(random.choice((0, 1, 7, 60)))
        one, unit = packet(body, link_type), 1 if nano else 1000
        fraction = random.randrange(10**9 // unit)
        sent.append((len(data), number * 10**9 + fraction * unit, body))
        data += struct.pack(f"{order}4I", number, fraction, len(one), len(one)) + one
    return File(pcap, bytes(data), sent)


UNITS = {6: 1000, 9: 1}
"""Nanoseconds that units of time have, by their exponents."""


def in_pcapng(random: Random, count: int) -> File:
    """A file of several sections, whose interfaces are described anywhere in front of their packets."""
    data, sent = bytearray(), []
    order, links = "<", list[tuple[int, int]]()
    for number in range(count):
        if not number or random.random() < 0.2:
            order, links = random.choice("<>"), []
            data += section(order)
        while not links or random.random() < 0.3:
            links.append((random.choice((ETHERNET, RAW_IP, NULL)), random.choice((*UNITS,))))
            data += interface(links[-1][0], order, option(9, bytes([links[-1][1]]), order))
        if random.random() < 0.2:
            data += block(random.choice((5, 0xBAD)), random.randbytes(12), order)
        body, which = random.randbytes(random.choice((0, 1, 7, 60))), random.randrange(len(links))
        if random.random() < 0.2:
            one = packet(body, links[0][0])
            sent.append((len(data), None, body))
            data += block(3, struct.pack(f"{order}I", len(one)) + one, order)
            continue
        sent.append((len(data), number * 10**9 + 5000, body))
        stamp = sent[-1][1] // UNITS[links[which][1]]
        data += enhanced(packet(body, links[which][0]), which, order, stamp)
    return File(pcapng, bytes(data), sent)


MADE = {"pcap": in_pcap, "pcapng": in_pcapng}


class Reading:
    """Reads parts of the file ``capture`` in the working directory by a protocol."""

    def __init__(self, protocol: ModuleType, **options: Any) -> None:
        self.protocol = registry.protocol(protocol.PROTOCOL.name)
        given = {"positions": True, "connections": protocol is packets, **options}
        self.options = ReadOptions.of(given, self.protocol.parameters, self.protocol.messages)
        self.schema = arrow_schema(View(self.protocol, self.options).columns)

    def table(self, parts: Sequence[FilePart]) -> pa.Table:
        """The rows of parts that are read one by one, in the order of the file."""
        batches = [batch for part in parts for batch in scans.batches(self.decoder(), [part])]
        return pa.Table.from_batches(batches, self.schema).sort_by("_offset")

    def decoder(self) -> Decoder:
        return Decoder(self.protocol, self.options, self.schema)


WHOLE = [FilePart("capture")]


def cut(*places: int) -> list[FilePart]:
    """The parts of a file that is cut at these places."""
    return [FilePart("capture", *bounds, followed=True) for bounds in pairwise((0, *places, None))]


def found(table: pa.Table) -> Iterator[Sent]:
    """What a table says of packets, which are datagrams."""
    times = table["_time"].cast(pa.int64()).to_pylist()
    for offset, time, udp in zip(table["_offset"].to_pylist(), times, table["udp"].to_pylist(), strict=True):
        yield offset, time, udp["payload"]


@pytest.fixture(autouse=True)
def _in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


SEEDS = [
    0,
    pytest.param(1, marks=pytest.mark.sweep),
    *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 12)),
]


@pytest.mark.parametrize(
    ("seed", "step"),
    [
        (0, 29),
        pytest.param(1, 31, marks=pytest.mark.sweep),
        *(pytest.param(seed, 1, marks=pytest.mark.long) for seed in range(4)),
    ],
)
@pytest.mark.parametrize("kind", MADE)
def test_two_parts_have_each_packet_once(kind: str, seed: int, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"{kind} {seed}")
    file, reading = MADE[kind](random, 3), Reading(packets)
    Path("capture").write_bytes(file.data)
    whole = reading.table(WHOLE)
    assert list(found(whole)) == file.sent
    monkeypatch.setattr(decoder, "PIECE_BYTES", random.choice((decoder.PIECE_BYTES, 64, 333)))
    for place in range(1, len(file.data), step):
        assert reading.table(cut(place)).equals(whole), place


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", MADE)
def test_parts_of_any_size_give_the_rows_of_the_whole(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"{kind} {seed}")
    file = MADE[kind](random, often(20, 40))
    Path("capture").write_bytes(file.data)
    monkeypatch.setattr(decoder, "PIECE_BYTES", random.choice((decoder.PIECE_BYTES, 64, 1000)))
    for reading in map(Reading, (packets, file.kind)):
        whole = reading.table(WHOLE)
        for every in (random.randint(20, 200), random.randint(200, 2000)):
            assert reading.table(cut(*range(every, len(file.data), every))).equals(whole), every


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", MADE)
def test_damage_is_in_parts_what_it_is_in_the_whole(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"{kind} {seed}")
    file = MADE[kind](random, 12)
    for data in damaged(file.data, random, often(4, 12)):
        if data[:12] != file.data[:12]:
            continue  # then it may be a file of another kind
        Path("capture").write_bytes(data)
        for reading in map(Reading, (packets, file.kind)):
            whole = reading.table(WHOLE)
            places = sorted(random.sample(range(1, len(data)), 4))
            with monkeypatch.context() as patch:
                patch.setattr(decoder, "PIECE_BYTES", random.choice((64, 1000)))
                assert reading.table(cut(*places)).equals(whole), places


def test_a_part_may_begin_in_a_malformed_range_of_several_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (in_pcap(Random(1), 10).data for _ in range(2))
    Path("capture").write_bytes(first + bytes(1500) + second[24:])
    monkeypatch.setattr(cutting, "MAX_RECORD_BYTES", 300)
    monkeypatch.setattr(decoder, "PIECE_BYTES", 100)
    reading = Reading(pcap, maxRecordBytes="300")
    whole = reading.table(WHOLE)
    assert max(whole.filter(whole["_corrupt_reason"].is_valid())["_length"].to_pylist()) == 300
    for place in range(len(first) - 20, len(first) + 1520, 140):
        assert reading.table(cut(place)).equals(whole), place


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_block_of_either_byte_order_has_that_of_the_one_in_front(order: str) -> None:
    first, last = packet(b"first", RAW_IP), packet(b"last", RAW_IP)
    last += bytes(0x040400 - 32 - len(last))  # then the length of its block has the same bytes in both orders
    data, block_of_last = (
        section(order) + interface(RAW_IP, order) + enhanced(first, 0, order),
        enhanced(last, 0, order),
    )
    assert len(block_of_last) == 0x040400
    Path("capture").write_bytes(data + block_of_last)
    table = Reading(packets).table(cut(len(data)))
    assert [udp["payload"] for udp in table["udp"].to_pylist()] == [b"first", b"last"]


def divided(protocol: str, most: int, *, final: bool = True, **options: Any) -> list[tuple[FilePart, int]]:
    """How the file ``capture`` is divided."""
    (file,) = listed(["capture"])
    known = registry.protocol(protocol)
    return Divider(protocol, ReadOptions.of(options, known.parameters, known.messages), final).parts(file, most)


@pytest.mark.parametrize("kind", MADE)
def test_files_of_packets_are_cut_anywhere(kind: str) -> None:
    file = MADE[kind](Random(1), 40)
    Path("capture").write_bytes(file.data)
    size = len(file.data)
    for protocol in ("packets", kind):
        parts = divided(protocol, 1000)
        assert len(parts) == ceil(size / 1000)
        assert all(part.followed for part, _ in parts)
        assert [part.start for part, _ in parts] == [0, *(part.stop for part, _ in parts[:-1])]
        assert parts[-1][0].stop is None
        assert sum(share for _, share in parts) == size
        assert max(share for _, share in parts) - min(share for _, share in parts) <= len(parts)
        assert len(divided(protocol, 1)) == 16  # more would read more than they save
        assert divided(protocol, size) == [(FilePart(parts[0][0].path), size)]
    assert len(divided(kind, 1000, final=False)) == 1  # a stream follows what is appended
    assert len(divided("couchbase_dcp", 1000)) == 1
    assert len(divided("packets", 1000, capture="raw")) == 1


def test_compressed_files_of_packets_are_one_part() -> None:
    Path("capture.gz").write_bytes(gzip.compress(in_pcap(Random(1), 40).data))
    (file,) = listed(["capture.gz"])
    assert len(Divider("packets", ReadOptions()).parts(file, 1)) == 1


@pytest.mark.spark
@pytest.mark.parametrize("name", ["trace.pcap", "trace.pcapng"])
def test_conversations_over_one_divided_file_are_those_of_one_task(spark: SparkSession, name: str) -> None:
    from wireloom.spark import conversations, register

    register(spark)
    sent = [couchbase_dcp.build(mutation(1, number + 1, f"key{number}", "x" * 50)) for number in range(100)]
    flows = [Flow(size=500, destination_port=50000 + number) for number in range(4)]
    every = [packet for some in zip(*(flow.sent(b"".join(sent)) for flow in flows), strict=True) for packet in some]
    path = str(written(Path(name).absolute(), disordered(every, Random(name))))
    reader = spark.read.format("packets").options(positions=True, connections=True)
    whole, parts = (reader.option("maxPartitionBytes", most).load(path) for most in ("1g", 5000))
    assert whole.rdd.getNumPartitions() == 1
    assert parts.rdd.getNumPartitions() == ceil(Path(path).stat().st_size / 5000) > 10
    one, several = (sorted(rows.select("_offset", "_time", "tcp").collect()) for rows in (whole, parts))
    assert several == one
    columns = ["_time", "_connection", "_from_client", "_gap_before", "_corrupt_reason", "mutation"]
    read = spark.read.format("couchbase_dcp").option("connections", True).load(path).select(columns)
    rows = sorted(conversations(parts, "couchbase_dcp").select(columns).collect(), key=str)
    assert len(rows) == len(flows) * len(sent)
    assert rows == sorted(read.collect(), key=str)


@pytest.mark.spark
def test_a_stream_takes_a_file_of_packets_whole_and_divides_it(spark: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark import register

    register(spark)
    file = in_pcapng(Random(1), 40)
    tmp_path.joinpath("traces").mkdir()
    tmp_path.joinpath("traces/trace.pcapng").write_bytes(file.data)
    stream = spark.readStream.format("packets").options(positions=True, connections=True, maxPartitionBytes=1000)
    taken = stream.load(str(tmp_path / "traces"))
    taken = taken.selectExpr("_offset", "1000 * unix_micros(_time)", "udp.payload", "spark_partition_id() AS part")
    query = taken.writeStream.format("memory").queryName("divided")
    started = query.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    assert started.awaitTermination(120)
    rows = spark.table("divided").collect()
    assert sorted((offset, time, bytes(payload)) for offset, time, payload, _ in rows) == file.sent
    assert len({row.part for row in rows}) == ceil(len(file.data) / 1000)
