"""Lists in programs: where they start and stop, and how many items they have."""

from collections.abc import Mapping
from typing import Any

from wireloom import codec
from wireloom.expressions import Expression
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import either_not, whole
from wireloom.programs.outputs import Output
from wireloom.programs.reading.checks import of_each
from wireloom.programs.reading.items import ItemLowering
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.reading.walks import Walk
from wireloom.programs.reasons import Counted, Distance, Reason, WrongItem
from wireloom.programs.values import (
    FARTHEST,
    Datum,
    Level,
    Listed,
    Listing,
    Mask,
    NoItems,
    NoProgramError,
    Number,
    Struct,
)


def listed(kind: codec.Repeat, item: Datum, given: Mapping[str, Any], inner: ItemLowering, at: Lowering) -> Listed:
    """A list, each item of which is read as ``item`` was by a program of its own, and was ``given`` these values; goes
    on behind the list. Raises ``NoProgramError``.
    """
    size = None if inner.varies else inner.shift
    if size == 0:
        raise NoProgramError("items that take no bytes")
    count, walk, start, limit, checks = None, None, at.cursor, at.limit, at.asm.checks
    walks = kind.until is not None or size is None
    place, *_ = (at.asm.place(Output(each=8) if walks else Output(bits=64)) for _ in range(3))
    if kind.until is not None:
        if kind.count is not None or not isinstance(item, Struct):
            raise NoProgramError("a list that ends with an item and has a number of them")
        inner.this, inner.spans = Level(dict(item.fields), given), inner.inside
        begun = either_not(at.asm, at.where, _ends_before_items(kind.until, at))
        where = at.asm.number(0) if isinstance(begun, bool) else begun
        walk = Walk(at.asm, inner, start, limit, where, place, last=inner.holds(kind.until))
        count = Number(walk.count, 0, FARTHEST)
    elif kind.count is not None:
        count = _count(kind.count, at)
        if size is None:
            if not kind.hollow:
                _must_stand_in(count, start, limit, at)
            walk = Walk(at.asm, inner, start, limit, at.where, place, count=count.register)
        else:
            octets = at.asm.value(op.MULTIPLY_NUMBER, (count.register,), (size,))
            start, limit = at.asm.several(op.TAKE, 2, (start, octets, limit, at.where))
    elif size is not None:
        cut_off = _behind_whole(inner, place, size, start, limit, at)
        count = Number(cut_off.number, 0, FARTHEST)
        at.must(at.asm.value(op.EQUAL, (cut_off.position, limit)), reason=cut_off)
    else:
        walk = Walk(at.asm, inner, start, limit, at.where, place)
        walk.loop.for_outputs = True
    stop = limit if walk is None or walk.loop.for_outputs else walk.stop
    at.move(stop)
    what = inner, size, kind.weight, at.asm.message, at.asm.checks if walk is None else checks, walk
    listing = Listing(place, start, stop, limit, at.where, item, *what)
    at.left |= inner.left
    if kind.hollow and not kind.numbered:
        at.left["items that take no bytes"] = None
    at.lists.append(listing)
    return Listed((listing,), count)


def _behind_whole(inner: ItemLowering, place: int, size: int, start: int, stop: int, at: Lowering) -> WrongItem:
    """The item of that size behind those that are whole, in some bytes."""
    asm = at.asm
    count = asm.value(op.DIVIDE, (asm.value(op.SUBTRACT, (stop, start)), asm.number(size)))
    position = asm.value(op.ADD, (start, asm.value(op.MULTIPLY_NUMBER, (count,), (size,))))
    return WrongItem(place, count, position, stop, inner.given)


def _must_stand_in(count: Number, start: int, stop: int, at: Lowering) -> None:
    """So many items take at least as many bytes."""
    words = Counted(count.register, "item"), " cannot stand in ", Distance(start, stop)
    room = at.asm.value(op.SUBTRACT, (stop, start))
    at.must(at.asm.value(op.LESS_EQUAL, (count.register, room)), reason=Reason("count", start, words))


def _count(said: Expression, at: Lowering) -> Number:
    """How many items a list has; rows in which there is no such number, or one that is too large, are not sound."""
    asm, number = at.asm, of_each(at, at.ask(said))
    at.must(number.valid)
    fits = asm.value(op.LESS_NUMBER, (whole(asm, number),), (FARTHEST,))
    at.must(fits)
    if number.least < 0:
        at.must(asm.value(op.MORE_NUMBER, (number.register,), (-1,)))
    return Number(asm.value(op.CHOOSE, (fits, number.register, asm.number(0))), 0, FARTHEST)


def _ends_before_items(until: Expression, at: Lowering) -> Mask:
    """Where a list ends in front of its first item."""
    return False if until.before_items is None else at.holds(until.before_items)


def no_items(kind: codec.Repeat, at: Lowering) -> NoItems:
    """A list; rows in which it has items are not sound."""
    if kind.until is not None:
        at.must(_ends_before_items(kind.until, at))
    elif kind.count is None:
        at.must(at.asm.value(op.EQUAL, (at.cursor, at.limit)))
    else:
        at.must(at.asm.value(op.EQUAL_NUMBER, (_count(kind.count, at).register,), (0,)))
    return NoItems()
