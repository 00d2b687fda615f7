"""Packets, blocks and files of recorded traffic that tests lay out byte by byte, forged lengths in them."""

import itertools
import struct
from collections.abc import Iterable
from typing import Any

from support.dcp_sessions import mutation

from wireloom_protocols import couchbase_dcp

FRAME = couchbase_dcp.build(mutation(1, 1, "key", "value"))
FRAMES = [couchbase_dcp.build(mutation(1, number + 1, f"key{number}", "value" * number)) for number in range(12)]
ETHERNET, RAW_IP = 1, 101


def tcp(
    data: bytes, sequence: int = 1, flags: int = 0x18, ports: tuple[int, int] = (11210, 50000), words: int = 5
) -> bytes:
    return struct.pack(">2H2I2B3H", *ports, sequence & 0xFFFFFFFF, 1, words << 4, flags, 0xFFFF, 0, 0) + data


def ip(
    data: bytes, protocol: int = 6, fragment: int = 0, host: int = 1, length: int | None = None, words: int = 5
) -> bytes:
    size = 20 + len(data) if length is None else length
    head = struct.pack(">BBHHHBBHII", 0x40 | words, 0, size, 7, fragment, 64, protocol, 0, host, 0x0A000002)
    return head + data


def ipv6(data: bytes, next_header: int = 6, length: int | None = None) -> bytes:
    size = len(data) if length is None else length
    return struct.pack(">IHBB", 6 << 28, size, next_header, 64) + bytes(15) + b"\1" + bytes(15) + b"\2" + data


def stream(size: int = 100) -> list[bytes]:
    """A connection in which all frames are sent."""
    data = b"".join(FRAMES)
    segments = [tcp(data[at : at + size], 1 + at) for at in range(0, len(data), size)]
    return [ip(tcp(b"", 0, 2)), *map(ip, segments)]


def pcap(
    packets: Iterable[bytes], link_type: int = RAW_IP, order: str = "<", times: Iterable[tuple[int, int]] | None = None
) -> bytes:
    head = struct.pack(f"{order}IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, link_type)
    stamps = itertools.repeat((1, 0)) if times is None else times
    return head + b"".join(
        struct.pack(f"{order}4I", *stamp, len(packet), len(packet)) + packet
        for packet, stamp in zip(packets, stamps, strict=False)
    )


def block(kind: int, body: bytes, order: str = "<", length: int | None = None, trailing: int | None = None) -> bytes:
    body += bytes(-len(body) % 4)
    size = 12 + len(body) if length is None else length
    end = size if trailing is None else trailing
    return struct.pack(f"{order}II", kind, size & 0xFFFFFFFF) + body + struct.pack(f"{order}I", end & 0xFFFFFFFF)


def section(order: str = "<", length: int = -1) -> bytes:
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, length), order)


def option(code: int, data: bytes, order: str = "<", length: int | None = None) -> bytes:
    return struct.pack(f"{order}HH", code, len(data) if length is None else length) + data + bytes(-len(data) % 4)


def interface(link_type: int = RAW_IP, order: str = "<", options: bytes = b"") -> bytes:
    return block(1, struct.pack(f"{order}HHI", link_type, 0, 0) + options, order)


def enhanced(
    packet: bytes, number: int = 0, order: str = "<", stamp: int = 0, size: int | None = None, **more: Any
) -> bytes:
    size = len(packet) if size is None else size
    head = struct.pack(f"{order}5I", number, stamp >> 32, stamp & 0xFFFFFFFF, size & 0xFFFFFFFF, len(packet))
    return block(6, head + packet, order, **more)
