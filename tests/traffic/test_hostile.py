"""Files of recorded traffic that nobody recorded: whatever they hold, they are read to their end, in bounds."""

import itertools
import struct
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from support import peak
from support.cases import often
from support.tapped import all_cuts, delivered

from traffic.forged import FRAME, FRAMES, enhanced, interface, ip, ipv6, option, pcap, section, stream, tcp
from wireloom.columnar.traffic.packet_stats import PacketStats
from wireloom_protocols import couchbase_dcp

SECONDS = 30.0
"""More than any of these files takes on a busy machine."""


def read(tmp_path: Path, data: bytes, **options: Any) -> tuple[pa.Table, PacketStats]:
    """The table of a file, and what became of its packets."""
    path = tmp_path / "trace"
    path.write_bytes(data)
    began = time.process_time()
    table = couchbase_dcp.decode_columnar(path, mode="PERMISSIVE", connections=True, positions=True, **options)
    assert time.process_time() - began < SECONDS
    stats = PacketStats()
    assert sum(len(cuts.start) for cuts in all_cuts(path, couchbase_dcp, stats)) == table.num_rows
    return table, stats


def sound(table: pa.Table) -> int:
    return table["_corrupt_reason"].null_count


def told(stats: PacketStats, packets: int) -> None:
    """Each packet is accounted for, or the file is said to be damaged."""
    assert sum(stats.packets.values()) == packets or stats.damage


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("size", [0, 1, 15, 0x40000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_pcap_packets_of_forged_lengths(tmp_path: Path, size: int, order: str) -> None:
    whole = pcap(stream(), order=order)
    at = 24 + 16 + 40 + 16 + 140  # behind two packets
    forged = whole[: at + 8] + struct.pack(f"{order}I", size) + whole[at + 12 :]
    _, stats = read(tmp_path, forged)
    told(stats, len(stream()))
    assert stats.packets["read"] >= 1


@pytest.mark.parametrize("size", [0, 8, 12, 13, 0x7FFFFFF0, 0xFFFFFFF0, 0xFFFFFFFF])
@pytest.mark.parametrize("which", ["length", "trailing", "size"])
def test_pcapng_blocks_of_forged_lengths(tmp_path: Path, which: str, size: int) -> None:
    packets = stream()
    blocks = [enhanced(packet, **({which: size} if number == 2 else {})) for number, packet in enumerate(packets)]
    _, stats = read(tmp_path, section() + interface() + b"".join(blocks))
    told(stats, len(packets))
    assert stats.packets["read"] >= 1


@pytest.mark.parametrize("length", [0, 1, 20, 0x7FFFFFFFFFFFFFFF])
def test_sections_of_forged_lengths(tmp_path: Path, length: int) -> None:
    data = section(length=length) + interface() + b"".join(map(enhanced, stream()))
    table, stats = read(tmp_path, data)
    assert sound(table) == len(FRAMES)
    told(stats, len(stream()))


def test_interfaces_without_end(tmp_path: Path) -> None:
    data = section() + interface() * 100_000 + b"".join(enhanced(packet, 99_999) for packet in stream())
    table, _ = read(tmp_path, data)
    assert sound(table) == len(FRAMES)


def test_interfaces_and_packets_by_turns(tmp_path: Path) -> None:
    packets = stream(5)
    data = section() + b"".join(interface() + enhanced(packet, number) for number, packet in enumerate(packets))
    table, _ = read(tmp_path, data)
    assert sound(table) == len(FRAMES)


@pytest.mark.parametrize("number", [1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_interfaces_that_nobody_described(tmp_path: Path, number: int) -> None:
    packets = stream()
    blocks = [enhanced(packet, number if at % 2 else 0) for at, packet in enumerate(packets)]
    _, stats = read(tmp_path, section() + interface() + b"".join(blocks))
    assert stats.packets["of no interface"] == len(packets) // 2
    told(stats, len(packets))


def test_packets_in_front_of_all_interfaces(tmp_path: Path) -> None:
    table, stats = read(tmp_path, section() + b"".join(map(enhanced, stream())))
    assert table.num_rows == 0
    assert stats.packets == {"of no interface": len(stream())}


def test_sections_in_both_byte_orders(tmp_path: Path) -> None:
    packets = stream()
    orders = itertools.cycle("<>")
    data = b"".join(
        section(order) + interface(order=order) + enhanced(packet, order=order)
        for packet, order in zip(packets, orders, strict=False)
    )
    table, stats = read(tmp_path, data)
    assert sound(table) == len(FRAMES)
    told(stats, len(packets))


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.long)])
def test_connections_of_one_packet(tmp_path: Path, count: int) -> None:
    packets = (ip(tcp(FRAME, ports=(11210, 1024 + number % 60_000)), host=number >> 4) for number in range(count))
    table, stats = read(tmp_path, pcap(packets))
    assert sound(table) == count
    told(stats, count)


def test_segments_that_disagree(tmp_path: Path) -> None:
    random, data = Random(1), b"".join(FRAMES)
    segments = [(at, data[at : at + 50]) for at in range(0, len(data), 50)]
    others = [(at, random.randbytes(random.randint(1, 300))) for at in random.choices(range(50, len(data)), k=200)]
    first, *rest = segments
    random.shuffle(rest)
    packets = [ip(tcp(b"", 0, 2)), *(ip(tcp(piece, 1 + at)) for at, piece in [*rest, *others, first])]
    table, stats = read(tmp_path, pcap(packets))
    assert sound(table) == len(FRAMES)
    assert stats.differing > 0
    told(stats, len(packets))


def test_headers_that_lie_about_their_lengths(tmp_path: Path) -> None:
    lies = [ip(tcp(FRAME, words=words)) for words in range(16)]
    lies += [ip(tcp(FRAME), words=words) for words in range(16)]
    lies += [ip(tcp(FRAME), length=length) for length in (0, 1, 19, 20, 39, 41, 0xFFFF)]
    lies += [ip(tcp(bytes([kind, length]) * 20, words=15)) for kind in (2, 3, 5, 8, 30, 255) for length in (0, 1, 255)]
    lies += [ip(struct.pack(">4H", 11210, 5, length, 0) + FRAME, protocol=17) for length in (0, 1, 7, 8, 9, 0xFFFF)]
    _, stats = read(tmp_path, pcap(lies))
    told(stats, len(lies))
    assert not stats.damage


def test_chains_of_extension_headers(tmp_path: Path) -> None:
    kinds = (0, 43, 44, 51, 60, 135, 139, 140)
    chains = [
        ipv6(bytes([kind, 0, *bytes(6)]) * count + tcp(FRAME), kind) for kind in kinds for count in (1, 15, 16, 17, 200)
    ]
    chains += [ipv6(bytes([6, length, *bytes(6)]) + tcp(FRAME), kind) for kind in kinds for length in (1, 9, 255)]
    chains += [ipv6(bytes([6, 0, *bytes(6)]) + tcp(FRAME), 0, length) for length in (0, 1, 8, 9, 0xFFFF)]
    chains += [ipv6(b"", kind) for kind in range(256)]
    _, stats = read(tmp_path, pcap(chains))
    told(stats, len(chains))
    assert not stats.damage


def test_fragments_that_overlap(tmp_path: Path) -> None:
    whole = tcp(FRAME)
    fragments = [ip(whole[at:stop], fragment=0x2000 | at // 8) for at in range(0, 80, 8) for stop in (at + 8, at + 24)]
    fragments += [ip(whole, fragment=fragment) for fragment in (0x1FFF, 0x3FFF, 0x2000, 1)]
    _, stats = read(tmp_path, pcap(fragments))
    told(stats, len(fragments))
    assert not stats.damage


def test_times_at_the_ends_of_pcap(tmp_path: Path) -> None:
    ends = itertools.cycle([(0, 0), (0xFFFFFFFF, 999_999), (0x7FFFFFFF, 999_999), (0x80000000, 0)])
    table, _ = read(tmp_path, pcap(stream(), times=ends))
    assert sound(table) == len(FRAMES)
    assert table["_time"].null_count == 0


@pytest.mark.parametrize("fraction", [1_000_000, 0xFFFFFFFF])
def test_more_than_a_second_behind_a_second(tmp_path: Path, fraction: int) -> None:
    _, stats = read(tmp_path, pcap(stream(), times=itertools.repeat((1, fraction))))
    assert "fraction" in stats.damage[0]


@pytest.mark.parametrize("unit", [0, 1, 6, 9, 10, 30, 127, 0x80, 0x8A, 0xBF, 0xC0, 0xFF])
@pytest.mark.parametrize("offset", [0, (1 << 63) - 1, -(1 << 63)])
def test_times_at_the_ends_of_pcapng(tmp_path: Path, unit: int, offset: int) -> None:
    options = option(9, bytes([unit])) + option(14, struct.pack("<q", offset)) + option(0, b"")
    stamps = itertools.cycle([0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
    blocks = [enhanced(packet, stamp=stamp) for packet, stamp in zip(stream(), stamps, strict=False)]
    table, _ = read(tmp_path, section() + interface(options=options) + b"".join(blocks))
    assert sound(table) == len(FRAMES)
    assert table["_time"].null_count == 0


@pytest.mark.parametrize("length", [1, 3, 4, 0x7FFF, 0xFFFF])
@pytest.mark.parametrize("code", [0, 1, 9, 14, 0xFFFF])
def test_options_of_forged_lengths(tmp_path: Path, code: int, length: int) -> None:
    options = option(code, b"\6\0\0\0", length=length)
    _, stats = read(tmp_path, section() + interface(options=options) + b"".join(map(enhanced, stream())))
    told(stats, len(stream()))


@pytest.mark.parametrize("link_type", [2, 9, 105, 127, 147, 0xFFFF])
def test_links_that_nobody_knows(tmp_path: Path, link_type: int) -> None:
    table, stats = read(tmp_path, pcap(stream(), link_type))
    assert table.num_rows == 0
    told(stats, len(stream()))
    table, stats = read(tmp_path, section() + interface(link_type) + b"".join(map(enhanced, stream())))
    assert table.num_rows == 0
    told(stats, len(stream()))


@pytest.mark.parametrize("link_type", [0x10065, 0x4000001, 0xFFFFFFFF])
def test_links_with_more_than_their_number(tmp_path: Path, link_type: int) -> None:
    _, stats = read(tmp_path, pcap(stream(), link_type))
    told(stats, len(stream()))


SMALL = {
    "pcap": pcap(stream(60)[:3]),
    "pcapng": section()
    + interface(options=option(9, b"\6") + option(0, b""))
    + b"".join(map(enhanced, stream(60)[:3])),
}


@pytest.mark.sweep
@pytest.mark.parametrize("kind", SMALL)
def test_files_cut_off_at_every_byte(tmp_path: Path, kind: str) -> None:
    data, most = SMALL[kind], 0
    for size in (*range(12, len(data), often(7, 1)), len(data)):
        path = tmp_path / "cut"
        path.write_bytes(data[:size])
        found, stats = delivered(path, couchbase_dcp)
        count = sum(len(part) for parts in found.values() for part in parts if isinstance(part, bytes))
        assert count >= most  # more of a file has no fewer bytes
        most = count
        assert sum(stats.packets.values()) <= 3
    assert most == len(b"".join(FRAMES)[:120])


@pytest.mark.long
@pytest.mark.parametrize("kind", SMALL)
def test_files_with_a_wrong_byte_anywhere(tmp_path: Path, kind: str) -> None:
    random, data = Random(kind), SMALL[kind]
    for place in range(12, len(data)):
        path = tmp_path / "wrong"
        path.write_bytes(data[:place] + random.randbytes(1) + data[place + 1 :])
        delivered(path, couchbase_dcp)


@pytest.mark.long
def test_what_waits_takes_bounded_memory(tmp_path: Path) -> None:
    """Each of many connections has a gap at its beginning, and so holds what follows."""
    path = tmp_path / "holes.pcap"
    data = FRAME * 500
    segments = [data[at : at + 20_000] for at in range(0, len(data), 20_000)]
    packets = (
        ip(tcp(segments[number % len(segments)], 1000 + 20_000 * round, ports=(11210, port)))
        for round in range(12)
        for number, port in enumerate(range(2000, 2600))
    )
    opened = (ip(tcp(b"", 0, 2, (11210, port))) for port in range(2000, 2600))
    path.write_bytes(pcap(itertools.chain(opened, packets)))
    size = path.stat().st_size >> 20
    arguments = ["decode", "couchbase_dcp", str(path), "--message", "snapshot_marker"]
    command = [sys.executable, "-c", peak.PROGRAM, *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    assert size > 100
    assert int(done.stderr.splitlines()[-1]) < 800, done.stderr
