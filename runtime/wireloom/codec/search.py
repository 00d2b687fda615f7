"""The search for the next proven record after an unproven one."""

from collections.abc import Iterator
from typing import NamedTuple

from wireloom.codec.bit_slice import BitSlice
from wireloom.codec.checksums import Sums
from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing
from wireloom.codec.lengths import Buffer, after_terminator, begin_after


class Found(NamedTuple):
    """The position of a ``proven`` record; if there is none, the position before which none begins."""

    position: int
    proven: bool


class Search:
    """Tries one position after the other. Its time grows with the bytes skipped, not with the lengths they claim.

    If validity checks may be right by chance, this many records ``in_a_row`` are not a chance find.
    """

    def __init__(self, framing: Framing, parameters: Values, bound: int) -> None:
        self.framing = framing
        self.parameters = parameters
        self.bound = bound
        self.window = max((lengths.window for lengths in framing.lengths), default=0)
        self.sums = Sums()
        self.in_a_row = 2

    def next(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        *,
        base: int,
        final: bool,
        order: bool | None,
        whole: bool = False,
    ) -> Found:
        """The first record at ``start`` or after it; with ``whole``, the first that does not run past ``end``.

        Other arguments are those of ``Cutter.cut`` and ``Framing.first``.
        """
        for position in self._plausible(buffer, start, end, final=final):
            found = self.at(buffer, position, end, base=base, final=final, order=order, whole=whole)
            if found is not None:
                return found
        return Found(end if final else max(start, end - self.window + 1), False)

    def at(
        self, buffer: Buffer, position: int, end: int, *, base: int, final: bool, order: bool | None, whole: bool
    ) -> Found | None:
        """The result if the search ends at this position: with a proven record, or one that needs more bytes to be
        proven.
        """
        try:
            length, little = self.framing.first(
                buffer,
                position,
                end,
                self.parameters,
                final=final,
                bound=self.bound,
                order=order,
                sums=self.sums,
                base=base,
            )
            fits = 0 < length <= self.bound and not (whole and length > end - position)
            if fits and not self._borne_out(buffer, position, length, end, final=final, order=little):
                fits = False
        except DecodeError as error:
            return Found(position, False) if error.needed > end - position and not final else None
        return Found(position, True) if fits else None

    def _borne_out(self, buffer: Buffer, at: int, length: int, end: int, *, final: bool, order: bool) -> bool:
        """Whether a valid record is not a chance find. Raises ``DecodeError`` if more bytes are needed to decide.

        Where proofs may be in doubt it is one unless its own is not, and its length leads to a chain of others, or to
        where the capture ends.
        """
        framing, parameters, stop = self.framing, self.parameters, at + length
        if not framing.doubts:
            return True
        if framing.doubted(buffer, at, end, parameters, little=order) or (final and stop > end):
            return False
        for _ in range(self.in_a_row - 1):
            if final and stop >= end:
                return True
            try:
                size, order = framing.believed(
                    buffer, stop, end, parameters, final=final, bound=self.bound, order=order
                )
            except DecodeError as error:
                if error.needed > end - stop and not final:
                    error.needed += stop - at
                    raise
                return error.needed > end - stop and framing.may_begin(buffer, stop, end, little=order)
            stop += size
        return True

    def _plausible(self, buffer: Buffer, start: int, end: int, *, final: bool) -> Iterator[int]:
        """Positions whose header fields allow a record. Runs of a single repeated byte are skipped.

        Only the bytes of its window make a position impossible, so in a run of one byte every position is as impossible
        as the first: zeros at the end of a preallocated file cost nothing. If the capture is not ``final`` at ``end``,
        the last ``window`` positions are left out, since more bytes are needed there.
        """
        parameters = self.parameters
        tries = [(lengths, little) for lengths in self.framing.lengths for little in self.framing.orders(parameters)]
        anchor = self._anchor()
        position = start
        least = min(lengths.size for lengths in self.framing.lengths)
        last = end - (least if final else self.window)  # fewer bytes do not determine a length
        while position <= last:
            if anchor is not None:
                offset, value = anchor
                found_at = buffer.find(value, position + offset, last + offset + 1)
                if found_at < 0:
                    return
                position = found_at - offset
            for lengths, little in tries:
                if 0 < lengths.possible(buffer, position, end, little, parameters) <= self.bound:
                    yield position
                    break
            else:
                position = max(position, _run_end(buffer, position, end, self.window) - self.window - 1)
            position += 1

    def _anchor(self) -> tuple[int, bytes] | None:
        """The offset and value of a byte that every record has, if there is one."""
        for name, offset, construct in self.framing.match:
            told = {lengths.match.get(name) for lengths in self.framing.lengths}
            only = told.pop()
            if isinstance(construct, BitSlice):
                continue  # the other bits of its byte may be anything
            if not told and only and not only.spans and len(only.listed) == construct.sizeof() == 1:
                return offset, bytes([int(only.first or 0) & 0xFF])
        return None


class Terminators(Search):
    """Finds the terminators after which records begin."""

    def next(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        *,
        base: int,
        final: bool,
        order: bool | None,
        whole: bool = False,
    ) -> Found:
        """The place after the first terminator from ``start`` on."""
        stop = after_terminator(buffer, self.framing.ends, start, end)
        longest = len(self.framing.longest_first[0])
        return Found(max(start, end - longest + 1), False) if stop < 0 else Found(stop, True)


class Flags(Search):
    """Finds the flags after which records begin: those behind another byte."""

    def next(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        *,
        base: int,
        final: bool,
        order: bool | None,
        whole: bool = False,
    ) -> Found:
        """The place after the first flag that is after another byte, from ``start`` on."""
        (flag,) = self.framing.ends
        begin = begin_after(buffer, flag, start, end)
        found = buffer.find(flag, begin, end)
        return Found(max(start, end - 1) if begin < end else end, False) if found < 0 else Found(found + 1, True)


def searching(framing: Framing, parameters: Values, bound: int) -> Search:
    """The search for records after bytes that are not a record."""
    kind = Flags if framing.flagged else Terminators if framing.ends else Search
    return kind(framing, parameters, bound)


_RUN = 64 * 1024
"""How many bytes of a run are compared at once."""


def _run_end(buffer: Buffer, start: int, end: int, least: int) -> int:
    """Where the run of one byte at ``start`` ends; ``start`` if it has no more than ``least`` bytes."""
    byte = buffer[start : start + 1]
    if buffer[start : start + least + 1] != byte * (least + 1):
        return start
    run = byte * _RUN
    while start < end and (piece := buffer[start : min(start + _RUN, end)]) == run:
        start += len(piece)
    piece = buffer[start : min(start + _RUN, end)]
    return start + len(piece) - len(piece.lstrip(byte))
