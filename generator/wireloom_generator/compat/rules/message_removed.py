"""A message stays.

Its records are the message unknown then: every byte is kept, and none is decoded.

Bad::

    match: {opcode: 0x5f}
    # and failover_log_request.yaml is no longer there

Good::

    match: {opcode: 0x5f}
    doc: Not sent since 8.0.
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BACKWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages of the old version that the new one does not have."""
    name = comparison.old.name
    for message in comparison.paired_messages.removed:
        yield Change(f"{name}.{message.name}", "message removed; its records are unknown now", BACKWARD)
