"""A message is selected by the records it was selected by.

Records that it loses are unknown, or another message. Those it gains are unknown to old decoders: a note, unless they
are what new ones write, which is the first value, or tell their length as only this message does.

Bad::

    match: {magic: 0x80, opcode: 0x56}    # magic: [0x80, 0x08] before

Good::

    match: {magic: [0x80, 0x08], opcode: 0x56}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator.compat import words
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.model import matching

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages that are selected by other values, or by other fields."""
    for pair in comparison.messages:
        path = f"{comparison.new.name}.{pair.new.name}"
        before, after = comparison.match_of(pair.old), pair.new.match
        if before.keys() != after.keys():
            yield Change(path, f"was selected by {_fields(before)}, is by {_fields(after)}", BOTH)
            continue
        for name, values in after.items():
            for value in matching.without(before[name], values):
                yield Change(path, f"no longer selected by {name} {words.selector(value)}", BACKWARD)
            for value in matching.without(values, before[name]):
                lost = value == values[0] or comparison.lengths_by_message
                told = "; old decoders do not know such records" if lost else " too"
                yield Change(path, f"selected by {name} {words.selector(value)}{told}", FORWARD if lost else NEITHER)


def _fields(match: Mapping[str, object]) -> str:
    return " and ".join(match) or "nothing"
