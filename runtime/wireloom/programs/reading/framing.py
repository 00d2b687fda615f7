"""Framing in programs: records that are exactly as long as they say, and in which what proves that holds."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from wireloom import codec
from wireloom.codec.headed import HeadItem, Reached
from wireloom.codec.lengths import Ends
from wireloom.expressions import Expression
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import Found, either_not, some_bits, whole
from wireloom.programs.number_format import NumberFormat
from wireloom.programs.reading.checks import summed
from wireloom.programs.reading.ends import sought
from wireloom.programs.reading.lowering import Lowering, Region
from wireloom.programs.reading.parts import extent, number_at, step
from wireloom.programs.selection import first
from wireloom.programs.values import NoProgramError, Number


def prove(framing: codec.Framing, at: Lowering, *, doubting: bool = False, exact: bool = True) -> None:
    """Rows that are no whole records of the framing are not sound, nor, if ``doubting``, those that are in doubt until
    a record follows. Unless ``exact``, records may end before the bytes do. Raises ``NoProgramError``.
    """
    if len(framing.lengths) == 1 and not framing.match:
        _measure(framing.lengths[0], at, doubting=doubting, exact=exact)
        return
    probes = _probed(framing.match, at)
    chosen = first(at.asm, probes, [ends.match for ends in framing.lengths])
    at.must(at.asm.value(op.MORE_NUMBER, (chosen,), (-1,)))
    for number, ends in enumerate(framing.lengths):
        measure = partial(_measure, ends, at, doubting=doubting, exact=exact)
        at.within(at.asm.value(op.EQUAL_NUMBER, (chosen,), (number,)), measure)


def _probed(fields: Iterable[tuple[str, int, object]], at: Lowering) -> dict[str, Number]:
    """The numbers at offsets of the record, all of which must have a place in it."""
    kinds = [(name, offset, NumberFormat.from_construct(construct)) for name, offset, construct in fields]
    at.move(op.START)
    at.need((None, max((offset + kind.size for _, offset, kind in kinds), default=0)))
    found, position = {}, at.position
    for name, offset, kind in kinds:
        at.move(position, offset)
        word, part = number_at(kind, at), kind.part
        found[name] = word if part is None else some_bits(at.asm, word, part.shift, part.mask)
    return found


def _measure(ends: Ends, at: Lowering, *, doubting: bool, exact: bool) -> None:
    """What proves a length, and the length."""
    asm = at.asm
    if (isinstance(ends, codec.Everything) or ends.enveloped) and doubting:  # of the contents, which are all there is
        at.must(asm.value(op.LESS, (op.START, op.STOP)))
        return
    if isinstance(ends, codec.Terminated) and doubting:
        end = sought(codec.Until(ends.until), (op.START, op.STOP), at, needed=True)
        at.must(asm.value(op.EQUAL, (at.moved(end, len(ends.until)), op.STOP)))
        return
    if isinstance(ends, codec.Headed) and exact:
        _read_head(ends, at)
    elif not isinstance(ends, codec.Lengths):
        raise NoProgramError("a length that is no sum of numbers")
    at.this.columns.update(_probed(ends.fields, at))
    if ends.valid is not None:
        at.must(at.holds(ends.valid))
    for doubt in ends.doubts if doubting else ():
        at.must(either_not(asm, True, at.holds(doubt)))
    length = at.ask(ends.length)
    if length is None:
        raise NoProgramError("a length that may be absent")
    if isinstance(length, Number):
        at.must(length.valid)
    there = asm.value(op.SUBTRACT, (op.STOP, op.START))
    at.must(asm.value(op.EQUAL if exact else op.LESS_EQUAL, (whole(asm, length), there)))
    if not ends.fields:  # which have bytes
        at.must(asm.value(op.MORE_NUMBER, (whole(asm, length),), (0,)))
    if isinstance(ends, codec.Lengths) and ends.checksum is not None:
        with asm.field(ends.checksum[0]):
            _sum_up(ends, *ends.checksum, at)


class HeadLowering(Lowering):
    """Reads what records begin with, wherever they end."""

    def away(self, place: Found, read: Callable[[], None], *, shared: bool) -> None:
        raise NoProgramError("a length that depends on a value at another place")


def head_length(ends: codec.Headed, at: Lowering) -> tuple[int, int]:
    """The registers with the length of a record, of which the head is read, and with the mask of where it breaks a
    condition. Rows in which more was read are not sound. Raises ``NoProgramError``.
    """
    asm = at.asm
    _read_head(ends, at)
    valid = True if ends.valid is None else at.holds(ends.valid)
    length = at.ask(ends.length)
    if length is None:
        raise NoProgramError("a length that may be absent")
    if isinstance(length, Number):
        at.must(length.valid)
    register = whole(asm, length)
    read = asm.value(op.SUBTRACT, (at.cursor, op.START))
    at.must(asm.value(op.LESS_EQUAL, (read, register)))
    return register, asm.number(int(not valid)) if isinstance(valid, bool) else asm.value(op.NOT, (valid,))


def _read_head(ends: codec.Headed, at: Lowering) -> None:
    """What a record begins with, as far as its length depends on that."""
    around: list[Region] = []
    at.move(op.START)
    for item in ends.items:
        match item:
            case HeadItem(part, None):
                step(part, at)
            case HeadItem(codec.Section(name=name, extent=inner), True):
                at.spans[name] = span = extent(inner, at)
                around.append(at.enter(span))
            case HeadItem():
                at.leave(around.pop())
            case Reached(name):
                at.spans[name] = at.cursor, at.cursor


def _sum_up(ends: codec.Lengths, name: str, checksum: codec.Checksum, at: Lowering) -> None:
    """The checksum that proves a length must be right."""
    stored = at.this.columns[name] if ends.place is None else _stored(ends.place, ends.stored, at)
    assert isinstance(stored, Number)
    told = summed(at, checksum.algorithm, at.ask(checksum.start), at.ask(checksum.end), at.where)
    at.must(at.asm.value(op.EQUAL, (told, whole(at.asm, stored))))


def _stored(where: Expression, stored: Any, at: Lowering) -> Number:
    """The checksum that stands where the other numbers tell."""
    kind, place = NumberFormat.from_construct(stored), at.ask(where)
    if place is None:
        raise NoProgramError("a checksum that may be absent")
    at.move(op.START)
    at.take(place)
    at.need((None, kind.size))
    return number_at(kind, at)
