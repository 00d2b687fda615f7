"""Forms of capture files that other programs read are read: headers, times, blocks, options and compressions."""

import bz2
import gzip
import json
import lzma
import re
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import dpkt
import pyarrow as pa
import pytest
from click.testing import CliRunner
from support.cases import often

from traffic.forged import FRAMES, RAW_IP, block, interface, ip, option, section, stream, tcp
from wireloom.cli import app
from wireloom.codec import DecodeError
from wireloom.columnar import decoder
from wireloom_protocols import couchbase_dcp, databus, packets, pcap, pcapng

SECOND = 1_700_000_000
MICRO, NANO, MODIFIED = 0xA1B2C3D4, 0xA1B23C4D, 0xA1B2CD34
Stamp = tuple[int, int]
ORDERS = pytest.mark.parametrize("order", "<>")


def in_pcap(
    sent: list[bytes], stamps: list[Stamp], magic: int = MICRO, order: str = "<", link_type: int = RAW_IP
) -> bytes:
    """A file of any form."""
    data = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 0x40000, link_type)
    more = struct.pack(f"{order}IHBB", 3, 0x0800, 4, 0) if magic == MODIFIED else b""
    for packet, stamp in zip(sent, stamps, strict=True):
        data += struct.pack(f"{order}4I", *stamp, len(packet), len(packet)) + more + packet
    return data


def by_dpkt(data: bytes) -> list[bytes]:
    return [packet for _, packet in dpkt.pcap.Reader(BytesIO(data))]


def summary(tmp_path: Path, data: bytes, module: Any = couchbase_dcp) -> dict[str, Any]:
    path = tmp_path / "trace"
    path.write_bytes(data)
    (found,) = module.summary(path).to_pylist()
    return dict(found)


def rows(data: bytes, *columns: str, module: Any = packets) -> list[dict[str, Any]]:
    table = module.decode_columnar(data, list(columns) or None, mode="PERMISSIVE", connections=True)
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def nanoseconds(data: bytes) -> list[int | None]:
    table = packets.decode_columnar(data, ["_time"], mode="PERMISSIVE", connections=True)
    return [None if time is None else time.value for time in table["_time"].to_pylist()]


@ORDERS
@pytest.mark.parametrize(("magic", "unit"), [(MICRO, 1000), (NANO, 1), (MODIFIED, 1000)])
def test_a_packet_is_proven_by_its_lengths_whatever_its_time(tmp_path: Path, magic: int, unit: int, order: str) -> None:
    random, sent = Random(f"{magic} {order}"), stream()
    stamps = [(random.randrange(1 << 32), random.choice((random.randrange(1 << 32), 5))) for _ in sent]
    data = in_pcap(sent, stamps, magic, order)
    assert nanoseconds(data) == [seconds * 10**9 + fraction * unit for seconds, fraction in stamps]
    found = summary(tmp_path, data)
    assert (found["records"], found["malformed"], found["packets"]) == (len(FRAMES), 0, len(sent))
    odd = sum(fraction * unit >= 10**9 for _, fraction in stamps)
    assert found["damage"] == f"{odd} packets with a fraction of a second that is a second or more, and counts as such"
    if magic != MODIFIED or order == "<":  # dpkt reads the longer headers of little endian files alone
        assert by_dpkt(data) == sent


def test_packets_of_odd_times_are_found_behind_damage() -> None:
    sent = stream()
    data = bytearray(in_pcap(sent, [(SECOND, 999_000_000 + number) for number in range(len(sent))]))
    data[24:26] = b"\xee" * 2
    data[32:36] = b"\xff" * 4  # the length of the first packet
    found = [row["packet"]["data"] for row in rows(bytes(data), module=pcap) if row["packet"]]
    assert found == sent[1:]


@ORDERS
def test_files_with_longer_headers_of_packets_come_back(order: str) -> None:
    sent = stream()
    data = in_pcap(sent, [(SECOND, number) for number in range(len(sent))], MODIFIED, order)
    table = pcap.decode_columnar(data)
    assert table["modified_header"].to_pylist()[1:] == [
        {"interface_index": 3, "protocol": 0x0800, "packet_type": 4, "padding": 0}
    ] * len(sent)
    assert pcap.encode_columnar(table).to_pybytes() == data
    damaged = bytearray(data)
    damaged[24:40] = b"\xee" * 16
    found = [row["packet"]["data"] for row in rows(bytes(damaged), module=pcap) if row["packet"]]
    assert found == sent[1:]


@ORDERS
def test_the_upper_bits_of_the_link_type_are_those_of_libpcap(order: str) -> None:
    """In its pcap/pcap.h LT_FCS_LENGTH_PRESENT is bit 26, LT_FCS_LENGTH the upper four and LT_LINKTYPE the lower 16."""
    random, sent = Random(order), stream()
    for number in (0x24000001, 0xF4000001, 0x04000000, *(random.randrange(1 << 32) for _ in range(8))):
        upper = number & 0xFFFF0000
        data = in_pcap(sent, [(SECOND, 0)] * len(sent), order=order, link_type=upper | RAW_IP)
        header = rows(data, module=pcap)[0]["capture"]
        said = (header["has_fcs_len"], header["fcs_len"], header["link_type"])
        assert said == (bool(number >> 26 & 1), number >> 28, RAW_IP)
        assert {row["message"] for row in rows(data, "message")} == {"tcp"}


FOREIGN = {
    b"snoop\0\0\0\0\0\0\2": "snoop",
    b"btsnoop\0\0\0\0\1": "btsnoop",
    b"GMBU\0\2\1\0": "Network Monitor",
    b"RTSS\1\1": "Network Monitor 1",
    b"TRSNIFF data    \x1a": "Sniffer",
    b"XCP\0" + b"002.002": "NetXRay",
    b"\x05VNF": "Visual",
    bytes.fromhex("ac01001c"): "Ixia",
    gzip.compress(b"content"): ".gz",
    bytes.fromhex("28b52ffd0458"): ".zst",
    lzma.compress(b"content"): ".xz",
    bz2.compress(b"content"): ".bz2",
    bytes.fromhex("04224d186470"): "LZ4",
    b"PK\3\4\x14\0": "ZIP",
    bytes.fromhex("377abcaf271c0004"): "7z",
    bytes.fromhex("0a0d0d0a0000001c00000000"): "pcapng",
    bytes.fromhex("0a0d0d0a1c0000001a2b3c4e"): "pcapng",
}


@pytest.mark.parametrize("first", FOREIGN, ids=FOREIGN.get)
def test_files_of_other_formats_are_named(tmp_path: Path, first: bytes) -> None:
    data = first + bytes(40)
    files = () if FOREIGN[first] == "pcapng" else (pcap, pcapng)  # which say by themselves what is wrong with their own
    for module in (couchbase_dcp, databus, *files):
        with pytest.raises(DecodeError, match=r"^[a-z-]+: [a-z_.]+ at byte [0-9]+: it begins like an? ") as raised:
            module.decode_columnar(data, capture="auto")
        assert FOREIGN[first] in raised.value.reason
        assert next(iter(module.iter_records(data, mode="PERMISSIVE")))["_corrupt_reason"] == raised.value.reason
        assert summary(tmp_path, data, module)["first_reason"] == raised.value.reason


@pytest.mark.parametrize("most", [1, 30])
def test_they_are_named_however_few_bytes_come_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    path = tmp_path / "capture"
    for first, form in FOREIGN.items():
        path.write_bytes(first + bytes(40))
        for size in (1, 3, 7, 8):
            monkeypatch.setattr(decoder, "PIECE_BYTES", size)
            reasons = [
                module.scan(path, mode="PERMISSIVE", maxRecordBytes=most).read_all()["_corrupt_reason"][0].as_py()
                for module in (couchbase_dcp, databus)
            ]
            assert all(re.search(f"it begins like an? .*{re.escape(form)}", reason) for reason in reasons), (form, size)


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".xz", ".bz2"])
def test_compressed_captures_are_read(tmp_path: Path, suffix: str) -> None:
    sent = stream()
    data = in_pcap(sent, [(SECOND, 0)] * len(sent))
    pack = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
    path = tmp_path / f"trace.pcap{suffix}"
    path.write_bytes(pack.get(suffix, lambda data: pa.Codec("zstd").compress(data, asbytes=True))(data))
    assert couchbase_dcp.scan(path).read_all().num_rows == len(FRAMES)
    assert summary_of(path)["packets"] == len(sent)
    printed = CliRunner().invoke(app, ["decode", "packets", str(path), "--columns", "tcp.payload"])
    assert len(printed.stdout.splitlines()) == len(sent)


def summary_of(path: Path) -> dict[str, Any]:
    printed = CliRunner().invoke(app, ["summary", "couchbase_dcp", str(path)])
    return dict(json.loads(printed.stdout))


def simple(packet: bytes, order: str = "<", original: int | None = None) -> bytes:
    """A block with a packet, and with padding that is no zeros."""
    data = packet + b"\xaa" * (-len(packet) % 4)
    return block(3, struct.pack(f"{order}I", len(packet) if original is None else original) + data, order)


@ORDERS
@pytest.mark.parametrize("snap_len", range(93, 101))
def test_simple_packets_end_at_the_snap_length_of_their_interface(order: str, snap_len: int) -> None:
    head = section(order) + block(1, struct.pack(f"{order}HHI", RAW_IP, 0, snap_len), order)
    head += block(1, struct.pack(f"{order}HHI", 1, 0, 7), order)  # which is no interface of theirs
    whole, short = ip(tcp(bytes(range(200)))), ip(tcp(b"short"))
    data = head + simple(whole[:snap_len], order, len(whole)) + simple(short, order)
    long, other = (row["tcp"] for row in rows(data, "tcp"))
    assert (long["payload"], long["missing"]) == (bytes(range(200))[: snap_len - 40], 240 - snap_len)
    assert (other["payload"], other["missing"]) == (b"short", 0)


def test_simple_packets_have_no_time(tmp_path: Path) -> None:
    data = section() + interface() + b"".join(map(simple, stream()))
    assert set(nanoseconds(data)) == {None}
    (tmp_path / "trace.pcapng").write_bytes(data)
    printed = CliRunner().invoke(app, ["decode", "couchbase_dcp", str(tmp_path / "trace.pcapng"), "--connections"])
    found = [json.loads(line) for line in printed.stdout.splitlines()]
    assert [(row["_time"], row["_corrupt_reason"]) for row in found] == [(None, None)] * len(FRAMES)


UNIT = 9
"""The option with the unit of the times of an interface, of which 9 are nanoseconds."""


def faults(random: Random, order: str) -> Iterator[bytes]:
    """Bytes behind the options that count."""
    yield option(0, b"", order) + option(UNIT, b"\1", order)
    yield option(0, b"", order) + random.randbytes(4 * random.randrange(1, 5))
    yield struct.pack(f"{order}HH", 1, 100) + bytes(4)
    yield struct.pack(f"{order}HH", UNIT, 0xFFFF)
    yield option(0, b"", order, length=8)


@ORDERS
def test_what_stands_behind_options_costs_no_packet(tmp_path: Path, order: str) -> None:
    packet = ip(tcp(FRAMES[0]))
    odd = packet + b"\0"
    for seed in range(often(1, 40)):
        for fault in faults(Random(seed), order):
            described = block(1, struct.pack(f"{order}HHI", RAW_IP, 0, 0) + option(UNIT, b"\x09", order) + fault, order)
            stamp, sizes = struct.pack(f"{order}II", 1, 5), struct.pack(f"{order}II", len(odd), len(odd))
            head = struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1) + option(4, b"me", order)
            data = block(0x0A0D0D0A, head + fault, order) + described
            body = odd + bytes(-len(odd) % 4) + option(1, b"comment", order) + fault
            data += block(6, struct.pack(f"{order}I", 0) + stamp + sizes + body, order)
            data += block(2, struct.pack(f"{order}HH", 0, 0xFFFF) + stamp + sizes + body, order)
            assert nanoseconds(data) == [(1 << 32) + 5] * 2
            assert [row["tcp"]["payload"] for row in rows(data, "tcp.payload")] == [FRAMES[0]] * 2
            malformed = sum(row["_corrupt_reason"] is not None for row in rows(data, module=pcapng))
            found = summary(tmp_path, data)
            assert (found["packets"], found["read"]) == (2, 2)
            told = f"{malformed} blocks with damaged options, which were read without these: "
            assert (found["damage"] or told if malformed else "").startswith(told if malformed else "")
            assert bool(malformed) == bool(found["damage"])


@ORDERS
def test_blocks_that_stay_malformed_without_their_damaged_options_are_no_packets(tmp_path: Path, order: str) -> None:
    packet, tail = ip(tcp(FRAMES[0])), struct.pack(f"{order}HH", 1, 100) + bytes(4)
    odd = block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x11111111, 1, 0, -1) + tail, order)
    sizes = struct.pack(f"{order}IIIII", 0, 0, 5, len(packet), len(packet))
    read = block(6, sizes + packet + bytes(-len(packet) % 4) + tail, order)
    head = section(order) + block(1, struct.pack(f"{order}HHI", RAW_IP, 0, 0), order)
    found = summary(tmp_path, head + read + odd)
    assert (found["packets"], found["read"]) == (1, 1)
    damage = found["damage"]
    assert "1 block with damaged options, which were read without these: " in damage
    assert f"{len(odd)} bytes are no packets: " in damage
    assert "damaged options" not in summary(tmp_path, head + odd)["damage"]
