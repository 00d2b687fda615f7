"""How long a record is, and when that is believed, stays the same.

The length is how the next record is found: with another one everything behind the first record is lost. The proof says
which records are believed, and resync whether anything is read behind one that is not.

Bad::

    record:
      length: length        # length + 4 before

Good::

    record:
      length: length + 4
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Records that are found differently."""
    old, new = comparison.old, comparison.new
    if (old.capture is None) is not (new.capture is None):
        had, has = ("no header", "a header") if old.capture is None else ("a header", "no header")
        yield Change(new.name, f"captures began with {had}, and now with {has}", BOTH)
    before, after = _by_message(old), _by_message(new)
    if ("" in before) is not ("" in after):
        yield Change(new.name, "the length of records is told elsewhere", BOTH)
    elif "" in before:
        yield from _lengths(comparison, comparison.header, new.name, before[""], after[""])
    for pair in comparison.messages:
        if pair.old.name in before and pair.new.name in after:
            path = f"{new.name}.{pair.new.name}"
            names = pair.layouts[0] if pair.layouts else comparison.header
            yield from _lengths(comparison, names, path, before[pair.old.name], after[pair.new.name])
    if old.record.resync and not new.record.resync:
        yield Change(new.name, "what follows a damaged record is no longer searched for", BACKWARD)
    elif new.record.resync and not old.record.resync:
        yield Change(new.name, "what follows a damaged record is searched for; old decoders give it up", FORWARD)


def _by_message(protocol: model.Protocol) -> Mapping[str, model.Lengths]:
    """How the length of records is found, by message; under no name if it is the same for all."""
    names = {tuple(sorted(message.match.items())): message.name for message in protocol.messages if message.match}
    return {names.get(tuple(sorted(lengths.match.items())), ""): lengths for lengths in protocol.lengths}


def _lengths(
    comparison: Comparison, names: LayoutPair, path: str, old: model.Lengths, new: model.Lengths
) -> Iterator[Change]:
    found_out = _is_found_out(comparison.old) or _is_found_out(comparison.new)
    if not names.same_extent(old.end, new.end):
        yield Change(path, f"length {walks.was(_told(old.end), _told(new.end))}", BOTH)
    if not names.same(old.valid, new.valid):
        breaks = BOTH if found_out else walks.narrowed(old.valid, new.valid)
        yield Change(path, f"proof {walks.was(old.valid, new.valid)}", breaks)
    one, two = (next(iter(each.doubts), None) for each in (old, new))  # others are what messages say
    if not names.same(one, two):
        yield Change(path, f"doubt {walks.was(one, two)}", BOTH)
    before, after = _checksum(old), _checksum(new)
    if names.renamed.get(before, before) != after if before is not None else after is not None:
        breaks = BOTH if found_out else walks.restricted(before, after)
        yield Change(path, f"proof by checksum {walks.was(before, after)}", breaks)


def _told(end: model.End) -> model.Condition | str:
    """Where records end, in the words of the spec."""
    match end:
        case model.Size(condition=condition):
            return condition
        case model.Rest():
            return "`rest`"
        case model.Fields():
            return "`fields`"
        case model.Terminator(value=value):
            return f"until {value.hex()}"
        case _:
            assert_never(end)


def _is_found_out(protocol: model.Protocol) -> bool:
    """Whether the proof may have to decide the byte order, too."""
    choices = {parameter.name: parameter.choices for parameter in protocol.parameters}
    return "auto" in choices.get(protocol.byte_order or "", ())


def _checksum(lengths: model.Lengths) -> str | None:
    """The checksum that proves the length; another way to compute it is a rule of its own."""
    return lengths.checksum[0] if lengths.checksum else None
