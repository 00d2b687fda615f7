"""Fragments of IP put together to whole packets."""

import struct
from collections import OrderedDict
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address

_WAITING = 4096
"""So many packets wait for fragments at once; the one that began to wait first is given up for another."""
_LARGEST = 0xFFFF
"""The most bytes that a packet has after its header."""

FragmentKey = tuple[str, str, int, int]
"""Addresses, the protocol inside IP, and the identification: equal for all fragments of a packet."""


@dataclass(slots=True)
class Fragmented:
    """The parts of a packet that have arrived, by offset. ``size`` is that of the packet, once its last
    fragment is there.
    """

    parts: dict[int, bytes] = field(default_factory=dict)
    size: int | None = None

    def whole(self) -> bytes | None:
        """All of it; of bytes that came more than once, the first are taken. None if some are missing."""
        found = b""
        for at in sorted(self.parts):
            if at > len(found):
                return None
            found += self.parts[at][len(found) - at :]
        return found[: self.size] if self.size is not None and len(found) >= self.size else None


class Fragments:
    """Packets that are not whole yet."""

    def __init__(self) -> None:
        self.waiting: OrderedDict[FragmentKey, Fragmented] = OrderedDict()

    def take(self, key: FragmentKey, at: int, data: bytes, *, more: bool) -> bytes | None:
        """The packet that is whole with one more fragment, from the header of IP on; None if it is not."""
        if at + len(data) > _LARGEST:
            return None
        parts = self.waiting.setdefault(key, Fragmented())
        parts.parts.setdefault(at, data)
        if not more and parts.size is None:
            parts.size = at + len(data)
        whole = parts.whole()
        if whole is not None:
            del self.waiting[key]
            return _header(key, len(whole)) + whole
        if len(self.waiting) > _WAITING:
            self.waiting.popitem(last=False)
        return None


def _header(key: FragmentKey, size: int) -> bytes:
    """An IP header for a packet that is not a fragment."""
    source, destination, transport, _ = key
    ends = ip_address(source).packed + ip_address(destination).packed
    if isinstance(ip_address(source), IPv4Address):
        # A length of 0 means everything, because the length of the largest packets with their header does not fit.
        return struct.pack(">BBHHHBBH", 0x45, 0, 0, 0, 0, 64, transport, 0) + ends
    return struct.pack(">IHBB", 6 << 28, size, transport, 64) + ends
