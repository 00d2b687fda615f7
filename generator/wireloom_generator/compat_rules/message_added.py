"""A new message takes records that no message had, and breaks nobody.

Old decoders keep them as unknown, every byte of them. The finding is a note.

Bad::

    match: {opcode: 0x56}    # a record of snapshot_marker before

Good::

    match: {opcode: 0x5f}    # a record of no message before
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages that are new."""
    name = comparison.new.name
    for message in comparison.paired_messages.added:
        yield Change(f"{name}.{message.name}", "message added; old decoders have its records as unknown", NEITHER)
