"""A message is selected by the records it was selected by.

Records that it loses are unknown, or another message. Those it gains are unknown to old decoders: a note, unless they
are what new ones write, which is the first value, or tell their length as only this message does.

Bad::

    match: {magic: 0x80, opcode: 0x56}    # magic: [0x80, 0x08] before

Good::

    match: {magic: [0x80, 0x08], opcode: 0x56}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages that are selected by other values, or by other fields."""
    for pair in comparison.messages:
        path = f"{comparison.new.name}.{pair.new.name}"
        before = {name: set(values) for name, values in comparison.match_of(pair.old).items()}
        after = {name: set(values) for name, values in pair.new.match.items()}
        if before.keys() != after.keys():
            yield Change(path, f"was selected by {_fields(before)}, is by {_fields(after)}", BOTH)
            continue
        for name, values in after.items():
            for value in sorted(before[name] - values):
                yield Change(path, f"no longer selected by {name} {value:#x}", BACKWARD)
            written = pair.new.match[name][0]
            for value in sorted(values - before[name]):
                lost = value == written or comparison.lengths_by_message
                told = "; old decoders do not know such records" if lost else " too"
                yield Change(path, f"selected by {name} {value:#x}{told}", FORWARD if lost else NEITHER)


def _fields(match: Mapping[str, object]) -> str:
    return " and ".join(match) or "nothing"
