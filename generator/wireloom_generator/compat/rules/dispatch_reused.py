"""The header values that select a message are not given to another one.

Old records are decoded as the new message, and new ones by old decoders as the old message: bytes that fit by chance
are wrong values, without any error.

Bad::

    message: stream_note    # system_event had the opcode before
    match: {opcode: 0x5f}

Good::

    message: stream_note
    match: {opcode: 0x60}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import words
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.model import matching

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages that are selected by records of another one."""
    old = comparison.paired_messages.removed + tuple(pair.old for pair in comparison.messages)
    new = comparison.paired_messages.added + tuple(pair.new for pair in comparison.messages)
    same = {(pair.old.name, pair.new.name) for pair in comparison.messages}
    for earlier in old:
        for message in new:
            both = _both(comparison.match_of(earlier), message.match)
            if both and (earlier.name, message.name) not in same:
                path = f"{comparison.new.name}.{message.name}"
                yield Change(path, f"takes records of {earlier.name}: {both}", BOTH)


def _both(old: model.Match, new: model.Match) -> str:
    """The records that both select, in words; empty if there are none."""
    common = {name: matching.common(values, old[name]) for name, values in new.items() if name in old}
    told = (f"{name} {', '.join(map(words.selector, values))}" for name, values in common.items())
    return (" and ".join(told) or "every one") if all(common.values()) else ""
