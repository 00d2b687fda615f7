"""Packets are followed in the order in which they stand in their file, whatever their interface, link and time."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from support.cases import often
from support.dcp_sessions import begins, mutation, request

from traffic.forged import block, enhanced, interface, ip, option, section, tcp
from wireloom.pairing import pair
from wireloom_protocols import couchbase_dcp, packets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ETHERNET, RAW_IP, NULL = 1, 101, 0
HEADS = {ETHERNET: bytes(12) + b"\x08\0", RAW_IP: b"", NULL: b"\2\0\0\0"}
SYN, ACK, DATA = 0x02, 0x10, 0x18
SERVER, CLIENT = 0x0A000001, 0x0A000002
SECOND = 1_700_000_000


def sent(data: bytes, sequence: int, flags: int = DATA, *, from_client: bool = False, port: int = 50000) -> bytes:
    """A packet of a connection to a server at 11210, from its IP header on."""
    ports, host = ((port, 11210), CLIENT) if from_client else ((11210, port), SERVER)
    packet = bytearray(ip(tcp(data, sequence, flags, ports), host=host))
    packet[16:20] = struct.pack(">I", SERVER if from_client else CLIENT)
    return bytes(packet)


def connections(random: Random) -> list[bytes]:
    """Connections that use the same two ports, one after the other, in which requests are answered at once."""
    found = []
    for number in range(3):
        first = random.randrange(1 << 31)
        found += [sent(b"", first, SYN, from_client=True), sent(b"", first, SYN | ACK)]
        asked = answered = first + 1
        for opaque in range(4):
            said = couchbase_dcp.build(request(opaque))
            found.append(sent(said, asked, from_client=True))
            asked += len(said)
            answer = [begins(opaque, (1, 0)), mutation(opaque, number + 1, "key", "x" * 30)]
            for data in map(couchbase_dcp.build, answer):
                found += [sent(data[:20], answered), sent(data[20:], answered + 20)]
                answered += len(data)
    return found


def recorded(random: Random, sent: list[bytes], links: tuple[int, ...]) -> bytes:
    """A file in which packets are those of any of the interfaces, the clocks of which differ. Some have no time."""
    data = section()
    for link in links:
        data += interface(link, options=option(9, bytes([random.choice((6, 9))])))
    for packet in sent:
        number = random.randrange(len(links))
        one, stamp = HEADS[links[number]] + packet, (SECOND + random.randrange(5)) * 10**6
        if not number and random.random() < 0.2:
            data += block(3, struct.pack("<I", len(one)) + one)
        else:
            data += enhanced(one, number, stamp=stamp)
    return data


def rows(module: Any, data: bytes, *columns: str) -> list[dict[str, Any]]:
    table = module.decode_columnar(data, list(columns), mode="PERMISSIVE", connections=True, positions=True)
    found: list[dict[str, Any]] = table.to_pylist()
    return found


COLUMNS = ("message", "opaque", "mutation", "_connection", "_from_client", "_gap_before", "_corrupt_reason")
LINKS = ((RAW_IP,), (ETHERNET, ETHERNET), (ETHERNET, RAW_IP), (NULL, ETHERNET, RAW_IP, ETHERNET))


@pytest.mark.parametrize("links", LINKS, ids=str)
def test_interfaces_change_no_row(links: tuple[int, ...]) -> None:
    for seed in range(often(3, 30)):
        random = Random(f"{links} {seed}")
        sent = connections(random)
        expected = rows(couchbase_dcp, section() + interface() + b"".join(map(enhanced, sent)), *COLUMNS)
        assert {row["_connection"] for row in expected} == {
            f"10.0.0.1:11210-10.0.0.2:50000{of}" for of in ("", "#2", "#3")
        }
        assert [row["_corrupt_reason"] for row in expected] == [None] * 36
        assert rows(couchbase_dcp, recorded(random, sent, links), *COLUMNS) == expected


@pytest.mark.parametrize("links", LINKS[:2], ids=str)
def test_packets_of_one_link_are_rows_in_the_order_of_the_file(links: tuple[int, ...]) -> None:
    random = Random(1)
    found = [row["_offset"] for row in rows(packets, recorded(random, connections(random), links), "_offset")]
    assert found == sorted(found)
    assert len(found) > 30


def test_answers_find_their_requests_whatever_interface_recorded_them() -> None:
    random = Random(2)
    made = enumerate(connections(random))
    blocks = (enhanced(HEADS[ETHERNET] + packet, at % 2, stamp=SECOND * 10**6 + at) for at, packet in made)
    data = section() + 2 * interface(ETHERNET) + b"".join(blocks)
    table = couchbase_dcp.decode_columnar(data, connections=True).sort_by("_time")
    paired = pa.Table.from_batches(pair(table, "couchbase_dcp", connection=["_connection"]))
    answers = paired.filter(pa.compute.equal(paired["message"], "stream_req_response"))
    assert answers.num_rows == answers["request"].is_valid().to_pylist().count(True) == 12


def test_the_segments_of_a_fragmented_packet_stand_where_it_became_whole() -> None:
    """The end of one connection is in a fragmented packet; then the ports are used again."""
    first, last = (couchbase_dcp.build(mutation(1, number, "key", "x" * 40)) for number in (1, 2))
    segment = sent(last, 1 + len(first))
    head, body = bytearray(segment[:20]), segment[20:]
    parts = []
    for at, more in ((0, True), (48, False)):
        part = body[at : at + 48] if more else body[at:]
        struct.pack_into(">HHH", head, 2, 20 + len(part), 9, at // 8 | more << 13)
        parts.append(bytes(head) + part)
    again = [sent(b"", 70_000, SYN | ACK), sent(first, 70_001)]
    packets = [sent(b"", 0, SYN | ACK), sent(first, 1), *parts, *again]
    found = rows(couchbase_dcp, section() + interface() + b"".join(map(enhanced, packets)), *COLUMNS)
    assert [(row["_connection"][-2:], row["_corrupt_reason"]) for row in found] == [("00", None)] * 2 + [("#2", None)]


@pytest.mark.spark
def test_conversations_are_those_that_one_task_follows(spark: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark import conversations, register

    register(spark)
    random, path = Random(3), tmp_path / "trace.pcapng"
    path.write_bytes(recorded(random, connections(random), LINKS[-1]))
    columns = ["message", "opaque", "_connection", "_from_client", "_time", "_corrupt_reason"]
    one = spark.read.format("couchbase_dcp").options(connections=True).load(str(path)).select(columns)
    read = spark.read.format("packets").options(positions=True, connections=True, maxPartitionBytes=2000)
    found = conversations(read.load(str(path)), "couchbase_dcp").select(columns)
    assert [*map(tuple, found.collect())] == [*map(tuple, one.collect())]
