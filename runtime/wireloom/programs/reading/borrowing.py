"""Values at other places in lists, whose bytes belong to others: programs of their own read them."""

from collections.abc import Callable

from wireloom.programs import opcodes as op
from wireloom.programs.expressions import Found, whole
from wireloom.programs.outputs import Output
from wireloom.programs.reading.items import BorrowedLowering, ItemLowering
from wireloom.programs.reading.lowering import UNKNOWN, Lowering
from wireloom.programs.reading.walks import Inlined
from wireloom.programs.values import Borrowed, Listing, NoProgramError, Number, Struct


def borrowed(place: Found, read: Callable[[Lowering], None], at: ItemLowering) -> None:
    """Read something at a byte of the record, by a program of its own; the program around it finds where it ends.
    Raises ``NoProgramError``.
    """
    if place is None or at.is_packed:
        raise NoProgramError("a place that may be absent, or in what is packed")
    asm, inner, checks = at.asm, BorrowedLowering(at), at.asm.checks
    read(inner)
    if inner.taken:
        raise NoProgramError("a value at another place in one whose bytes belong to others")
    if isinstance(place, Number):
        at.must(place.valid)
    limit = at.last
    start = asm.several(op.TAKE, 2, (at.begin, whole(asm, place), limit, at.where))[1]
    known = {op.START: start, op.STOP: limit, op.ONES: op.ONES}
    (stop,) = Inlined(asm, inner.asm, known, inner.given, at.where, None).values([inner.cursor])
    at.must(asm.value(op.LESS, (start, stop)))  # of what has no bytes, the codec says more
    item = Struct(dict(inner.this.columns))
    span = asm.place(Output(bits=64)), start, stop, limit, at.where
    asm.place(Output(bits=64)), asm.place(Output(bits=64))
    listing = Listing(*span, item, inner, None, 0, asm.message, checks, borrowed=True)
    at.left |= inner.left
    at.lists.append(listing)
    at.this.columns |= {name: Borrowed((listing,), name) for name in item.fields}
    at.spans |= dict.fromkeys(inner.spans, UNKNOWN)
