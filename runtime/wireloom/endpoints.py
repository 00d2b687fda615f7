"""The two ends of a connection: its name, and which of them is the server."""

import re
from dataclasses import dataclass
from ipaddress import ip_address

Endpoint = tuple[str, int]
"""An address and a port."""
Ports = frozenset[int]
"""Ports that servers of a protocol listen at."""

_END = r"(\[[0-9a-fA-F:.]+\]|[0-9.]+):([0-9]{1,5})"
_NAME = re.compile(f"{_END}-{_END}(?:#[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The two ends of packets, in canonical order: by address, then by port."""

    transport: str
    low: Endpoint
    high: Endpoint

    @classmethod
    def named(cls, transport: str, name: str) -> "Endpoints":
        """The ends of a connection, by its name. Raises ``ValueError``."""
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError(name)
        addresses = [ip_address(found[group].strip("[]")) for group in (1, 3)]
        ends = [(str(address), int(port)) for address, port in zip(addresses, (found[2], found[4]), strict=True)]
        if addresses[0].version != addresses[1].version or ends[0] == ends[1] or max(port for _, port in ends) >> 16:
            raise ValueError(name)
        low, high = sorted(ends, key=lambda end: (place(end[0]), end[1]))
        return cls(transport, low, high)

    def __str__(self) -> str:
        return "-".join(f"[{address}]:{port}" if ":" in address else f"{address}:{port}" for address, port in self.ends)

    @property
    def ends(self) -> tuple[Endpoint, Endpoint]:
        """Both."""
        return self.low, self.high


def place(address: str) -> tuple[int, int]:
    """What addresses are ordered by."""
    known = ip_address(address)
    return known.version, int(known)


def is_client(endpoints: Endpoints, ports: Ports) -> bool:
    """Whether the low end is the client, judging by the ports."""
    (_, low), (_, high) = endpoints.ends
    return high in ports if (low in ports) != (high in ports) else low >= high
