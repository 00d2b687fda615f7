"""Extents in programs that end at a terminator, or where padding begins.

Of each it is also found where the bytes are kept beside the value because it would be written in another way.
"""

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import wrapped
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.reasons import Reason
from wireloom.programs.values import NoProgramError

_LONGEST = 8
"""Terminators and paddings are numbers of so many bytes at most."""


def terminated(kind: codec.Until, at: Lowering) -> tuple[Span, int]:
    """Up to a terminator, or to the limit if it may be missing; and the mask of where the bytes are kept."""
    start, limit = at.cursor, at.limit
    needed = not kind.unterminated or (kind.terminator == "drop" and kind.strict)
    if len(kind.ends) > 1:
        return _terminated_by_any(kind, (start, limit), at, needed=needed)
    stop, size = sought(kind, (start, limit), at, needed=needed), len(kind.end)
    if kind.terminator == "leave":
        at.move(stop)
    elif needed:
        at.move(stop, size)
    else:
        at.move(_behind(stop, size, limit, at))
    end, kept = at.cursor, at.asm.number(0)
    if kind.unterminated and kind.terminator == "drop":
        kept = at.asm.value(op.EQUAL, (stop, end))
    return (start, end if kind.terminator == "keep" else stop), kept


def _terminated_by_any(kind: codec.Until, span: Span, at: Lowering, *, needed: bool) -> tuple[Span, int]:
    """The same where it is one of several terminators: the bytes are kept if it is another than is written."""
    asm, (start, limit) = at.asm, span
    stop, behind, kept = limit, limit, asm.number(1)
    for end in kind.ends:
        found = sought(codec.Until(end, unterminated=True, unit=kind.unit), span, at, needed=False)
        first = asm.value(op.LESS, (found, stop))
        stop = asm.value(op.CHOOSE, (first, found, stop))
        behind = asm.value(op.CHOOSE, (first, at.moved(found, len(end)), behind))
        kept = asm.value(op.CHOOSE, (first, asm.number(int(end != kind.end)), kept))
    if needed:
        reason = Reason("unterminated", start, (f"no terminator {kind.text}",))
        at.must(asm.value(op.LESS, (stop, limit)), reason=reason)
    at.move(behind)
    return (start, behind if kind.terminator == "keep" else stop), kept if kind.terminator == "drop" else asm.number(0)


def padded(kind: codec.Padded, region: Span, at: Lowering) -> tuple[Span, int]:
    """In a region, up to a terminator or to its padding; and the mask of where the bytes are kept."""
    asm, (start, stop) = at.asm, region
    if kind.until is None:
        end = behind = _trimmed(kind.pad, region, at)
    else:
        end = sought(kind.until, region, at, needed=not kind.until.unterminated)
        behind = _behind(end, len(kind.until.end), stop, at)
        if kind.until.terminator == "keep":
            missing = asm.value(op.EQUAL, (end, stop))
            end = behind = asm.value(op.CHOOSE, (missing, _trimmed(kind.pad, region, at), behind))
    span = start, end
    if not kind.strict and (isinstance(kind.size, codec.Rest) or kind.size.asks_left):
        # it is written without padding, with the terminator that is dropped
        kept = asm.value(op.NOT, (asm.value(op.EQUAL, (behind, stop)),))
        if kind.until is not None and kind.until.terminator != "keep":
            kept = asm.value(op.OR, (kept, asm.value(op.EQUAL, (end, stop))))
        return span, kept
    if kind.until is None:
        return span, asm.number(0)
    is_padded = asm.value(op.EQUAL, (_trimmed(kind.pad, (behind, stop), at), behind))
    if kind.strict or len(kind.pad) > 1:  # of several bytes, the last ones may be missing
        at.must(is_padded)
    return span, asm.value(op.NOT, (is_padded,))


def _trimmed(padding: bytes, region: Span, at: Lowering) -> int:
    """Where the padding begins that ends a region."""
    if len(padding) > _LONGEST:
        raise NoProgramError("padding of more than eight bytes")
    return at.asm.value(op.TRIM, (*region, at.where), (int.from_bytes(padding, "little"), len(padding)))


def sought(until: codec.Until, span: Span, at: Lowering, *, needed: bool) -> int:
    """Where a terminator is; if it is missing where it need not be, where it was sought in vain."""
    if len(until.end) > _LONGEST:
        raise NoProgramError("a terminator of more than eight bytes")
    numbers = wrapped(int.from_bytes(until.end, "little")), len(until.end), int(needed), until.unit
    reason = None if until.unterminated else Reason("unterminated", span[0], (f"no terminator {until.end.hex()}",))
    (stop,) = at.asm.several(op.FIND, 1, (*span, at.where), numbers, at.reason_here(reason))
    return stop


def _behind(stop: int, size: int, limit: int, at: Lowering) -> int:
    """So many bytes further, but not beyond the limit."""
    behind = at.moved(stop, size)
    return at.asm.value(op.CHOOSE, (at.asm.value(op.LESS, (limit, behind)), limit, behind))
