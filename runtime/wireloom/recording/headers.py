"""Packets of TCP and UDP from one end of a connection to the other.

They are packed by ``struct``: as rows of the protocol ``packets`` they would take a hundred times as long.
"""

import struct
from ipaddress import ip_address

from wireloom.codec.errors import EncodeError, counted
from wireloom.endpoints import Endpoint

FIN, SYN, PSH, ACK = 0x01, 0x02, 0x08, 0x10
"""Flags of segments."""
WINDOW = 0xFFFF
"""How many bytes each end takes at once."""

_TCP, _UDP = 6, 17
_MTU, _LONGEST = 1500, 0xFFFF
"""The most bytes of a packet with a segment, and of those that the lengths of IP can give."""
_HOPS, _WHOLE = 64, 0x4000
_V4, _V6 = struct.Struct(">HHIHH"), struct.Struct(">IHBB")
_SEGMENT, _DATAGRAM = struct.Struct(">HHIIHHHH"), struct.Struct(">HHHH")
_NO_OPTIONS = 5 << 12


class Route:
    """What packets from one end to another have in common. ``segment_size`` is how many bytes one carries at most."""

    def __init__(self, source: Endpoint, destination: Endpoint) -> None:
        addresses = [ip_address(address) for address, _ in (source, destination)]
        self.is_v4 = addresses[0].version == 4
        self.addresses = b"".join(address.packed for address in addresses)
        self.ports = source[1], destination[1]
        self.segment_size = _MTU - _SEGMENT.size - (20 if self.is_v4 else 40)
        self.datagram_size = _LONGEST - _DATAGRAM.size - (20 if self.is_v4 else 0)
        self._ends = _sum(self.addresses)
        self._sum = self._ends + sum(self.ports)

    def segment(self, sequence: int, acknowledgment: int, flags: int, data: bytes | memoryview = b"") -> bytes:
        """A packet with a segment of TCP."""
        size, flags = _SEGMENT.size + len(data), _NO_OPTIONS | flags
        sequence, acknowledgment = sequence & 0xFFFFFFFF, acknowledgment & 0xFFFFFFFF
        total = self._sum + _TCP + size + sequence + acknowledgment + flags + WINDOW + _sum(data)
        head = _SEGMENT.pack(*self.ports, sequence, acknowledgment, flags, WINDOW, _checksum(total), 0)
        return b"".join((self._head(_TCP, size), head, data))

    def datagram(self, data: bytes) -> bytes:
        """A packet with a datagram of UDP. Raises ``EncodeError`` for more than one carries."""
        if len(data) > self.datagram_size:
            what = counted(len(data), "byte")
            raise EncodeError(f"a datagram carries {self.datagram_size} bytes at most, and this record has {what}")
        size = _DATAGRAM.size + len(data)
        told = _checksum(self._sum + _UDP + 2 * size + _sum(data)) or 0xFFFF  # zero would say that there is none
        return b"".join((self._head(_UDP, size), _DATAGRAM.pack(*self.ports, size, told), data))

    def _head(self, transport: int, size: int) -> bytes:
        """The IP header before so many bytes."""
        if not self.is_v4:
            return _V6.pack(6 << 28, size, transport, _HOPS) + self.addresses
        first, length, kind = 0x4500, 20 + size, _HOPS << 8 | transport
        told = _checksum(self._ends + first + length + _WHOLE + kind)
        return _V4.pack(first, length, _WHOLE, kind, told) + self.addresses


def _sum(data: bytes | memoryview) -> int:
    """A number from which the checksum of these bytes, and of those of others after them, can be computed.

    The sum of 16-bit numbers with end-around carry is a remainder, so any number congruent to it will do.
    """
    return int.from_bytes(data, "big") << 8 * (len(data) & 1)


def _checksum(total: int) -> int:
    return -total % 0xFFFF
