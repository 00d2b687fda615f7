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

from collections.abc import Iterator

from wireloom_generator import ir
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Records that are found otherwise."""
    old, new = comparison.old, comparison.new
    before = {_key(lengths): lengths for lengths in old.lengths}
    for lengths in new.lengths:
        earlier = before.get(_key(lengths))
        if earlier is not None:
            yield from _lengths(comparison, earlier, lengths)
    if {_key(lengths) for lengths in old.lengths if not lengths.match} != {
        _key(lengths) for lengths in new.lengths if not lengths.match
    }:
        yield Change(new.name, "the length of records is told elsewhere", BOTH)
    if old.resync and not new.resync:
        yield Change(new.name, "what follows a damaged record is no longer searched for", BACKWARD)
    elif new.resync and not old.resync:
        yield Change(new.name, "what follows a damaged record is searched for; old decoders give it up", FORWARD)


def _key(lengths: ir.Lengths) -> frozenset[tuple[str, tuple[int, ...]]]:
    return frozenset(lengths.match.items())


def _lengths(comparison: Comparison, old: ir.Lengths, new: ir.Lengths) -> Iterator[Change]:
    header, name = comparison.header, comparison.new.name
    of_message = (f"{name}.{message.name}" for message in comparison.new.messages if message.match == new.match)
    path = next(of_message, name) if new.match else name
    if not header.same(old.length, new.length):
        yield Change(path, f"length {walks.was(old.length, new.length)}", BOTH)
    if not header.same(old.valid, new.valid):
        yield Change(path, f"proof {walks.was(old.valid, new.valid)}", walks.narrowed(old.valid, new.valid))
    before, after = _checksum(comparison, old), _checksum(comparison, new)
    if before != after:
        told = [proof.checksum[0] if proof.checksum else None for proof in (old, new)]
        yield Change(path, f"proof by checksum {walks.was(*told)}", walks.restricted(before, after))


def _checksum(comparison: Comparison, lengths: ir.Lengths) -> str | None:
    """The new name of the checksum that proves the length; that it is another one is a rule of its own."""
    name = lengths.checksum[0] if lengths.checksum else None
    return comparison.header.renamed.get(name, name) if name and lengths in comparison.old.lengths else name
