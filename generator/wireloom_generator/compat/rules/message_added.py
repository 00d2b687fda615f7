"""A new message takes records that no message had, and breaks nobody.

Old decoders keep them as unknown, every byte of them, and the finding is a note. If each message has its own length,
old decoders find neither its end nor what follows.

Bad::

    match: {opcode: 0x56}    # a record of snapshot_marker before

Good::

    match: {opcode: 0x5f}    # a record of no message before
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import FORWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages that are new."""
    name = comparison.new.name
    for message in comparison.paired_messages.added:
        if comparison.lengths_by_message:
            what = "message added; old decoders do not know how long its records are"
            yield Change(f"{name}.{message.name}", what, FORWARD)
        else:
            yield Change(f"{name}.{message.name}", "message added; old decoders have its records as unknown", NEITHER)
