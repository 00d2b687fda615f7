"""Capture files of blocks, as Scapy writes and reads them, and put together by hand where it has none."""

from collections.abc import Iterator
from io import BytesIO
from random import Random
from struct import pack
from tempfile import NamedTemporaryFile
from typing import Any

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgWriter, RawPcapNgReader

from protocols.strangers import Capture

SECTION, INTERFACE, PACKET, SIMPLE, NAMES, STATISTICS, ENHANCED, SECRETS = 0x0A0D0D0A, 1, 2, 3, 4, 5, 6, 10


def captures() -> Iterator[Capture]:
    """Files in both byte orders, and in both one behind the other."""
    yield _scapys()
    little, big = _sections("<"), _sections(">")
    for name, blocks in (("big", big), ("both", [*little, *big[:3], *little[:3]])):
        yield Capture(name, b"".join(data for data, _ in blocks), tuple(row for _, row in blocks))


def _scapys() -> Capture:
    random = Random("pcapng")
    with NamedTemporaryFile() as file:
        with PcapNgWriter(file.name) as writing:
            for number in range(12):
                packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(dst="1.2.3.4") / UDP()
                packet /= random.randbytes(number)
                packet.time, packet.comments = 1_700_000_000 + number / 4, [f"number {number}"] * (number % 3)
                packet.sniffed_on = f"device {number % 2}"
                writing.write(packet)
        data = file.read()
    rows: list[dict[str, Any]] = []
    with RawPcapNgReader(BytesIO(data)) as reading:
        for packet, said in reading:
            options = [{"code": 1, "text": each.decode(), "value": None} for each in said.comments or ()]
            rows.append(
                {
                    "message": "enhanced_packet",
                    "enhanced_packet": {
                        "timestamp": said.tshigh << 32 | said.tslow,
                        "captured_length": len(packet),
                        "original_length": said.wirelen,
                        "data": packet,
                        "options": [*options, {"code": 0, "text": None, "value": b""}] if options else [],
                    },
                }
            )
    interface = {"message": "interface_description", "interface_description": {"link_type": 1}}
    head: dict[str, Any] = {"message": "section_header", "section_header": {"major_version": 1, "section_length": -1}}
    return Capture("Scapy's", data, (head, interface, interface, rows[0], interface, *rows[1:]))


def _sections(order: str) -> list[tuple[bytes, dict[str, Any]]]:
    """A section with a block of every kind, each with what it says."""
    name = {"<": "little", ">": "big"}[order]
    made: list[tuple[bytes, dict[str, Any]]] = []

    def block(kind: int, message: str, content: bytes, /, **said: Any) -> None:
        size = pack(f"{order}I", len(content) + 12)
        data = pack(f"{order}I", kind) + size + content + size
        told = {"byte_order": name, "block_type": kind, "total_length": len(data), "total_length_again": len(data)}
        made.append((data, {**told, "message": message, message: said}))

    def option(code: int, value: bytes) -> bytes:
        return pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)

    def packed(kinds: str, *values: int) -> bytes:
        return pack(order + kinds, *values)

    end = option(0, b"")
    head = packed("IHHq", 0x1A2B3C4D, 1, 2, -1)
    block(
        SECTION,
        "section_header",
        head + option(4, "wireloöm".encode()) + option(9, b"\1") + end,
        byte_order_magic=0x1A2B3C4D,
        major_version=1,
        minor_version=2,
        section_length=-1,
        options=[
            {"code": 4, "length": 9, "text": "wireloöm", "value": None, "padding": bytes(3)},
            {"code": 9, "length": 1, "text": None, "value": b"\1", "padding": bytes(3)},
            {"code": 0, "length": 0, "text": None, "value": b"", "padding": b""},
        ],
    )
    options = option(2, b"eth0") + option(9, b"\x89") + option(14, packed("q", -7)) + option(8, packed("Q", 10**9))
    block(
        INTERFACE,
        "interface_description",
        packed("HHI", 276, 0, 96) + options + option(2, b"\xff") + option(9, b""),
        link_type=276,
        reserved=0,
        snap_len=96,
        options=[
            {"code": 2, "text": "eth0", "text_bytes": None},
            {"code": 9, "is_binary": True, "exponent": 9, "padding": bytes(3)},
            {"code": 14, "offset": -7},
            {"code": 8, "speed": 10**9},
            {"code": 2, "text": None, "text_bytes": b"\xff"},
            {"code": 9, "is_binary": None, "value": b""},
        ],
    )
    block(
        ENHANCED,
        "enhanced_packet",
        packed("IIIII", 0, 0x61234, 0xFFFFFFFE, 5, 1500) + b"hello" + b"xyz" + option(2, bytes(4)) + end,
        interface_id=0,
        timestamp=0x61234FFFFFFFE,
        captured_length=5,
        original_length=1500,
        data=b"hello",
        padding=b"xyz",
        options=[{"code": 2, "value": bytes(4)}, {"code": 0, "value": b""}],
    )
    block(
        ENHANCED,
        "enhanced_packet",
        packed("IIIII", 3, 0, 1, 0, 0),
        interface_id=3,
        timestamp=1,
        data=b"",
        padding=b"",
        options=[],
    )
    block(
        PACKET,
        "packet",
        packed("HHIIII", 1, 0xFFFF, 2, 3, 4, 4) + b"four",
        interface_id=1,
        drops_count=0xFFFF,
        timestamp=2 << 32 | 3,
        data=b"four",
        padding=b"",
        options=[],
    )
    block(SIMPLE, "simple_packet", packed("I", 2) + b"ab\0\0", original_length=2, data=b"ab", padding=bytes(2))
    block(SIMPLE, "simple_packet", packed("I", 9) + b"abcd", original_length=9, data=b"abcd", padding=b"")
    four = packed("HH", 1, 8) + bytes([192, 0, 2, 1]) + b"one\0"
    six = packed("HH", 2, 22) + bytes(15) + b"\1" + b"a\0bcd\0" + bytes(2)
    block(
        NAMES,
        "name_resolution",
        four + six + packed("HH", 9, 1) + b"x\0\0\0" + packed("HH", 0, 0) + option(2, b"dns"),
        records=[
            {"kind": 1, "ipv4": "192.0.2.1", "ipv6": None, "names": b"one\0", "padding": b""},
            {"kind": 2, "ipv4": None, "ipv6": "::1", "names": b"a\0bcd\0", "padding": bytes(2)},
            {"kind": 9, "names": None, "value": b"x", "padding": bytes(3)},
            {"kind": 0, "names": None, "value": b"", "padding": b""},
        ],
        options=[{"code": 2, "value": b"dns", "padding": b"\0"}],
    )
    block(
        STATISTICS,
        "interface_statistics",
        packed("III", 0, 1, 2) + option(3, packed("II", 5, 6)) + option(4, packed("Q", 2**64 - 1)) + option(7, b""),
        interface_id=0,
        timestamp=1 << 32 | 2,
        options=[
            {"code": 3, "timestamp_high": 5, "timestamp_low": 6},
            {"code": 4, "packets": 2**64 - 1, "value": None},
            {"code": 7, "packets": None, "value": b""},
        ],
    )
    block(
        SECRETS,
        "decryption_secrets",
        packed("II", 0x544C534B, 5) + b"CLIEN" + bytes(3) + option(1, b"key"),
        secrets_type=0x544C534B,
        secrets_length=5,
        secrets=b"CLIEN",
        padding=bytes(3),
        options=[{"code": 1, "text": "key"}],
    )
    block(0xBAD, "unknown", packed("I", 32473) + b"some", body=packed("I", 32473) + b"some")
    return made
