"""Capture files that are damaged or forged: what is sound is found, and no claimed length is taken for granted."""

from random import Random
from struct import pack, pack_into
from typing import Any

import pytest
from protocols.strangers import pcapng as blocks
from support.lockstep import Pair, alike_in_turn, damaged

from wireloom_protocols import packets, pcap, pcapng
from wireloom_protocols.packets import columnar as of_packets
from wireloom_protocols.pcap import columnar as of_pcap
from wireloom_protocols.pcapng import columnar as of_pcapng

SIZES = (60, 1500, 0, 96, 61, 700, 64, 1200, 80, 300, 60, 60)


def file(order: str = "<", *, snap_len: int = 65535, nano: bool = False) -> tuple[bytearray, list[int]]:
    """A capture file, and where its packets begin."""
    random = Random("file")
    data = bytearray(pack(f"{order}IHHIIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, snap_len, 1))
    starts = []
    for number, size in enumerate(SIZES):
        starts.append(len(data))
        kept = min(size, snap_len)
        data += pack(f"{order}IIII", 1_700_000_000 + number, 1000 * number, kept, size)
        data += random.randbytes(kept) if number % 2 else bytes(kept)
    return data, starts


def places(rows: list[dict[str, Any]]) -> list[int]:
    """Where the sound records among rows begin."""
    return [row["_offset"] for row in rows if row["_corrupt_reason"] is None]


def read(module: Any, data: bytes | bytearray, **options: Any) -> list[dict[str, Any]]:
    """All rows, malformed ones included."""
    rows: list[dict[str, Any]] = module.decode_columnar(
        bytes(data), mode="PERMISSIVE", positions=True, **options
    ).to_pylist()
    return rows


FORGED = {
    "captured_length of all ones": (8, 0xFFFFFFFF),
    "captured_length of 200 MB": (8, 200_000_000),
    "captured_length beyond the original": (8, 2000),
    "captured_length that ends in the next header": (8, 70),
}


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("name", FORGED)
def test_a_forged_header_costs_its_packet(order: str, name: str) -> None:
    data, starts = file(order)
    offset, value = FORGED[name]
    for which in (0, 4, len(starts) - 2):
        forged = bytearray(data)
        pack_into(f"{order}I", forged, starts[which] + offset, value)
        assert places(read(of_pcap, forged)) == [0, *(start for start in starts if start != starts[which])]


@pytest.mark.parametrize("snap_len", [65535, 68, 0])
def test_damage_costs_what_it_touches(snap_len: int) -> None:
    data, starts = file(snap_len=snap_len or 65535)
    data[16:20] = pack("<I", snap_len)
    assert places(read(of_pcap, data)) == [0, *starts]
    data[starts[4] + 2 : starts[6] + 9] = b"\xee" * (starts[6] + 7 - starts[4])
    assert places(read(of_pcap, data)) == [0, *starts[:4], *starts[7:]]


def test_a_file_may_keep_more_than_it_says_or_only_parts() -> None:
    data, starts = file()
    data[16:20] = pack("<I", 64)
    assert places(read(of_pcap, data)) == [0, *starts]
    for start in starts:
        pack_into("<I", data, start + 12, 5000)
    assert places(read(of_pcap, data)) == [0, *starts]


def test_packets_of_no_size_are_packets_and_zeros_are_none() -> None:
    data, starts = file()
    assert read(of_pcap, data)[3]["captured_length"] == 0
    assert places(read(of_pcap, data + bytes(64))) == [0, *starts]


def test_nanoseconds_go_on_to_a_second() -> None:
    data, starts = file(nano=True)
    pack_into("<I", data, starts[0] + 4, 999_999_999)
    row = read(of_pcap, data)[1]
    assert (row["fraction"], row["captured_at"].microsecond) == (999_999_999, 999_999)


def sections(order: str) -> list[bytes]:
    """A block of every kind."""
    return [data for data, _ in blocks._sections(order)]


def starts_of(data: list[bytes]) -> list[int]:
    """Where blocks begin."""
    return [sum(map(len, data[:number])) for number in range(len(data))]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("value", [0, 4, 8, 13, 20, 0xFFFFFFFF, 0xFFFFFFFC, 0x01000004])
def test_behind_a_block_of_two_lengths_nothing_is_believed(order: str, value: int) -> None:
    made = sections(order)
    starts, data = starts_of(made), b"".join(made)
    for which in (0, 3, 7):
        for place in (starts[which] + 4, starts[which + 1] - 4):
            forged = bytearray(data)
            pack_into(f"{order}I", forged, place, value)
            rows = read(of_pcapng, forged)
            assert places(rows) == starts[:which]
            assert len(rows) == which + 1


def test_lengths_inside_of_blocks_are_bounded_by_them() -> None:
    body = pack("<IIIII", 0, 0, 0, 0xFFFFFFFF, 60) + bytes(8)
    size = pack("<I", len(body) + 12)
    block = pack("<I", 6) + size + body + size
    made = sections("<")
    (row,) = read(of_pcapng, b"".join([made[0], block, made[1]]))[1:2]
    assert row["_corrupt_reason"].startswith(("overrun: ", "truncated: "))


def test_sections_of_both_orders_follow_each_other() -> None:
    made = [*sections("<"), *sections(">"), *sections("<")]
    rows = read(of_pcapng, b"".join(made))
    count = len(made) // 3
    assert [row["byte_order"] for row in rows] == ["little"] * count + ["big"] * count + ["little"] * count
    assert places(rows) == starts_of(made)


def test_blocks_of_other_kinds_are_unknown_in_the_order_of_their_section() -> None:
    for order, name in (("<", "little"), (">", "big")):
        made = sections(order)
        for kind in (7, 0x0204, 0x80000001, 0x40000BAD):
            size = pack(f"{order}I", 16)
            made.insert(2, pack(f"{order}I", kind) + size + b"body" + size)
        rows = read(of_pcapng, b"".join(made))
        assert [row["byte_order"] for row in rows] == [name] * len(made)
        assert [row["block_type"] for row in rows[2:6]] == [0x40000BAD, 0x80000001, 0x0204, 7]
        assert [row["unknown"]["body"] for row in rows[2:6]] == [b"body"] * 4


@pytest.mark.sweep
def test_both_engines_read_damaged_files_alike() -> None:
    random = Random("attacked")
    data, _ = file(snap_len=80)
    for protocol, whole in ((of_pcap, bytes(data)), (of_pcapng, b"".join(sections("<")[:6]))):
        alike_in_turn(Pair.of(protocol), [(each, {}) for each in damaged(whole, random, 6)])


def test_what_a_file_holds_is_read_by_the_link_type_that_it_tells() -> None:
    capture, *_ = blocks.captures()
    table = of_pcapng.decode_columnar(capture.data, message="enhanced_packet", positions=False)
    found = of_packets.decode_columnar(table.column("data")[5].as_py(), link_type=1)
    assert found.column("udp").to_pylist()[0]["payload"] == table.column("data")[5].as_py()[42:]


def test_protocols_are_found_by_their_modules() -> None:
    assert [each.PROTOCOL.name for each in (packets, pcap, pcapng)] == ["packets", "pcap", "pcapng"]
