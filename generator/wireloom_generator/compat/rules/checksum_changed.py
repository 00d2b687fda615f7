"""A checksum keeps its algorithm and the bytes that it is over.

Every record fails a check over other bytes or by another algorithm. One that is new refuses old records that were
written without it; one that is gone lets through what old decoders refuse.

Bad::

    - {name: header_crc, type: u32, checksum: {algorithm: crc32, from: 0, to: 12}}    # crc32_zero before

Good::

    - {name: header_crc, type: u32, checksum: {algorithm: crc32_zero, from: 0, to: 12}}
"""

from collections.abc import Iterator
from functools import partial

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields with another checksum."""
    for pair, kept, old, new in walks.fields(comparison):
        one, other = old.checksum, new.checksum
        if one is None or other is None:
            if one is not other:
                breaks = walks.restricted(one, other)
                yield Change(kept.new.path, f"checksum {walks.was(_in_words(one), _in_words(other))}", breaks)
        elif one.kind != other.kind or not _same_bytes(pair, one, other):
            yield Change(kept.new.path, f"checksum {walks.was(_in_words(one), _in_words(other))}", BOTH)


def _same_bytes(pair: LayoutPair, old: model.Checksum, new: model.Checksum) -> bool:
    return len(old.over) == len(new.over) and all(map(partial(_same, pair), old.over, new.over))


def _same(pair: LayoutPair, old: model.ByteRange | bytes, new: model.ByteRange | bytes) -> bool:
    if isinstance(old, bytes) or isinstance(new, bytes):
        return old == new
    return pair.same(old.start, new.start) and pair.same(old.end, new.end)


def _in_words(checksum: model.Checksum | None) -> str | None:
    if checksum is None:
        return None
    pieces = (f"over `{piece.hex()}`" if isinstance(piece, bytes) else piece.text for piece in checksum.over)
    return f"{checksum.algorithm} {', '.join(pieces)}"
