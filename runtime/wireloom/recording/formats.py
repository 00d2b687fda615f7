"""Files of packets: their headers, and the bytes around each packet."""

import struct
from collections.abc import Callable, Mapping

from wireloom.codec.errors import EncodeError
from wireloom.options import CaptureKind
from wireloom.units import NANOSECONDS

_LINK_TYPE, _LONGEST = 101, 1 << 18
_RESOLUTION = 9
"""The option of an interface with the unit of its times: 9 is a billionth of a second."""
_PCAP, _BLOCK = struct.Struct("<IIII"), struct.Struct("<IIIIIII")


def _pcap(time: int, packet: bytes) -> bytes:
    seconds, fraction = divmod(time, NANOSECONDS["s"])
    if seconds >> 32:
        raise EncodeError("pcap supports times from 1970 to 2106; use pcapng for later ones", "_time")
    return _PCAP.pack(seconds, fraction, len(packet), len(packet)) + packet


def _pcapng(time: int, packet: bytes) -> bytes:
    if not 0 <= time < 1 << 63:
        raise EncodeError("pcapng supports times from 1970 to 2262, in nanoseconds", "_time")
    size, padding = len(packet), -len(packet) % 4
    whole = 32 + size + padding
    head = _BLOCK.pack(6, whole, 0, time >> 32, time & 0xFFFFFFFF, size, size)
    return b"".join((head, packet, bytes(padding), whole.to_bytes(4, "little")))


HEADS: Mapping[CaptureKind, bytes] = {
    CaptureKind.PCAP: struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, _LONGEST, _LINK_TYPE),
    CaptureKind.PCAPNG: (
        struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        + struct.pack("<IIHHIHHIII", 1, 32, _LINK_TYPE, 0, _LONGEST, _RESOLUTION, 1, 9, 0, 32)
    ),
}
"""What files begin with: that packets begin with IP, and how long they are at most."""

Encloses = Callable[[int, bytes], bytes]
"""Adds the header of the file format to a packet that was recorded then, in nanoseconds since 1970."""

ENCLOSING: Mapping[CaptureKind, Encloses] = {CaptureKind.PCAP: _pcap, CaptureKind.PCAPNG: _pcapng}
