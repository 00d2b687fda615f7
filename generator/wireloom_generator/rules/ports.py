"""A port is a number from 1 to 65535, and is given once.

There are no others in packets of TCP and UDP. Those of a wrong port are read as if they were of the protocol, and those
of the right one are not.

Bad::

    ports: [11210, 112070]

Good::

    ports: [11210, 11207]
"""

from collections.abc import Iterator

from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem

_MOST = 0xFFFF


def check(spec: Resolved) -> Iterator[Problem]:
    """Numbers that are no ports, and ports that are given twice."""
    at = spec.protocol.where("ports")
    for number, port in enumerate(spec.ports):
        if not 1 <= port <= _MOST:
            yield Problem(at, "ports", f"{port} is no port; they are 1 to {_MOST}")
        elif port in spec.ports[:number]:
            yield Problem(at, "ports", f"port {port} is given twice")
