"""Servers listen at the ports at which they did.

Whoever reads recorded traffic without naming ports no longer gets the packets of a port that is gone. One that is added
is a note.

Bad::

    ports: [11210]           # [11210, 11207] before

Good::

    ports: [11210, 11207]
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BACKWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Ports that are gone or new."""
    name, old, new = comparison.new.name, comparison.old.ports, comparison.new.ports
    for port in old:
        if port not in new:
            yield Change(name, f"port {port} removed; its packets are only read if that is asked for", BACKWARD)
    for port in new:
        if port not in old:
            yield Change(name, f"port {port} added; its packets are read unless told otherwise", NEITHER)
