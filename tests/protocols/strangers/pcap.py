"""Capture files as Scapy writes and reads them, and those with longer headers of packets as dpkt reads them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from random import Random
from struct import pack
from typing import Any

import dpkt
from scapy.utils import RawPcapReader, RawPcapWriter

from protocols.strangers import Capture

MAGIC = {(">", False): 0xA1B2C3D4, ("<", False): 0xD4C3B2A1, (">", True): 0xA1B23C4D, ("<", True): 0x4D3CB2A1}
"""The magic numbers by byte order, and whether fractions are in nanoseconds."""


class _Kept(BytesIO):
    """What is written stays there when it is closed."""

    def close(self) -> None:
        """Stay open."""


def captures() -> Iterator[Capture]:
    """Files in both byte orders and of both fractions, with packets and without."""
    random = Random("pcap")
    for order, nano in MAGIC:
        for link, count in ((1, 12), (101, 0)):
            yield _file(random, order, link, count, nano=nano)
    yield _modified(random)


def _modified(random: Random) -> Capture:
    """A file with longer headers of packets, which Scapy does not know."""
    data = pack("<IHHIIII", 0xA1B2CD34, 2, 4, 0, 0, 96, 1)
    said = {"interface_index": 7, "protocol": 0x86DD, "packet_type": 4}
    for number in range(12):
        size = random.randint(0, 200)
        kept = random.randbytes(min(size, 96))
        data += pack("<IIIIIHBx", number, 1000 * number, len(kept), size, *said.values()) + kept
    header = {"magic_number": 0x34CDB2A1, "snap_len": 96, "link_type": 1, "is_nano": False}
    rows: list[dict[str, Any]] = [{"message": "capture", "capture": header}]
    for time, packet in dpkt.pcap.Reader(BytesIO(data)):
        moment = datetime.fromtimestamp(0, UTC) + timedelta(seconds=time)
        rows.append({"captured_at": moment, "modified_header": said, "packet": {"data": packet}})
    return Capture("modified", data, tuple(rows))


def _file(random: Random, order: str, link: int, count: int, *, nano: bool) -> Capture:
    made = _Kept()
    writing = RawPcapWriter(made, linktype=link, endianness=order, nano=nano, snaplen=96)
    writing.write_header(None)
    for _ in range(count):
        size, fraction = random.randint(0, 200), random.randrange(10**9 if nano else 10**6)
        kept = random.randbytes(min(size, 96))
        writing.write_packet(kept, sec=random.randrange(1 << 32), usec=fraction, caplen=len(kept), wirelen=size)
    writing.flush()
    data = made.getvalue()
    return Capture(f"{order} {nano} {link}", data, tuple(_rows(data, order, nano=nano)))


def _rows(data: bytes, order: str, *, nano: bool) -> Iterator[dict[str, Any]]:
    """What Scapy reads."""
    reading = RawPcapReader(BytesIO(data))
    assert (reading.endian, reading.nano) == (order, nano)
    header = {"magic_number": MAGIC[order, nano], "snap_len": reading.snaplen, "link_type": reading.linktype}
    yield {"message": "capture", "capture": {**header, "major_version": 2, "minor_version": 4, "is_nano": nano}}
    for packet, said in reading:
        parts = timedelta(microseconds=said.usec // 1000 if nano else said.usec)
        times = {
            "seconds": said.sec,
            "fraction": said.usec,
            "captured_at": datetime.fromtimestamp(said.sec, UTC) + parts,
        }
        yield {"message": "packet", **times, "original_length": said.wirelen, "packet": {"data": packet}}
