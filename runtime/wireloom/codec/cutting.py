"""Captures cut into records, whether a record's length can be trusted or not.

After a record whose length cannot be trusted, the reader continues only if the protocol declares how. It reports the
bytes that it skipped as one malformed range.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wireloom.codec.errors import DecodeError, NoRecordError, counted
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing
from wireloom.codec.lengths import Buffer
from wireloom.codec.parameter_discovery import WITHIN, Listener
from wireloom.codec.search import Search, searching
from wireloom.kinds import TELLING, format_of
from wireloom.options import MAX_RECORD_BYTES, SOUGHT


class Cut(NamedTuple):
    """A piece of a capture: one record, or a malformed range with its ``error``. Offsets are in bytes.

    The length of a ``proven`` one is trusted, even if it exceeds the capture. The ``preamble`` is not a record, but the
    header of the capture.
    """

    offset: int
    length: int
    little: bool = False
    proven: bool = True
    error: DecodeError | None = None
    preamble: bool = False


@dataclass(slots=True)
class MalformedRange:
    """A malformed range: where in the capture it starts and ends, and how far its end was searched for.

    If it is ``endless``, no record is searched for after it.
    """

    error: DecodeError
    start: int
    searched: int
    stop: int | None = None
    endless: bool = False


class Cutter:
    """Cuts a capture into records, whether it is whole in memory or arrives piece by piece.

    ``range`` is the malformed range that the reader is in, whose end may be unknown. ``order`` is the byte order of the
    last record: true for little-endian. ``parameters`` are those of the capture, with the values of its header once
    that is read, and with those found in the capture; if the header is malformed, the whole capture is. ``looking``
    creates the object that finds parameters.
    """

    __slots__ = ("_ahead", "_search", "awaits", "bound", "framing", "known", "looking", "order", "parameters", "range")

    def __init__(
        self,
        framing: Framing,
        parameters: Values,
        max_record_bytes: int = MAX_RECORD_BYTES,
        looking: "Callable[[Cutter], Ahead] | None" = None,
    ) -> None:
        self.framing = framing
        self.parameters = parameters
        self.bound = max_record_bytes
        self.looking = looking or Ahead
        self.range: MalformedRange | None = None
        self.order: bool | None = None
        self.known: tuple[tuple[int, bool | None], tuple[int, bool]] | None = None
        self.awaits = framing.preamble is not None and framing.preamble.awaited(parameters)
        self._search: Search | None = None
        self._ahead: Ahead | None = None

    @property
    def lost(self) -> bool:
        return self.range is not None

    @property
    def largest(self) -> int:
        """How many bytes of a malformed range are one piece."""
        return max(self.bound, MAX_RECORD_BYTES)

    @property
    def search(self) -> Search:
        """Finds the next record in a malformed range, when it is first needed."""
        if self._search is None:
            self._search = searching(self.framing, self.parameters, self.bound)
        return self._search

    @search.setter
    def search(self, search: Search) -> None:
        self._search = search

    @property
    def ahead(self) -> "Ahead | None":
        """Looks for parameters in the capture, as long as they are unknown."""
        if self._ahead is None and SOUGHT in self.parameters:
            self._ahead = self.looking(self)
        return self._ahead

    def rest(self) -> None:
        """Forget what is quick to compute again, until more bytes come: then the same bytes are at another place."""
        self._search = None
        if self._ahead is not None:
            self._ahead.rest()

    def cut(self, buffer: Buffer, start: int, end: int, *, base: int = 0, final: bool = True) -> Cut | None:
        """The record at ``start``, or the malformed range or the next piece of one; None if more bytes are needed.

        ``buffer`` holds the capture from its byte ``base`` on, up to ``end``, where the capture ends if ``final``.
        Offsets of cuts are in ``buffer``, those of their errors in the capture. The next call continues after the cut
        that was returned; after None, it passes the same bytes and more.
        """
        self.find(buffer, start, end, base=base, final=final)
        if self.range is None:
            first = self._preamble if self.awaits else self._next
            record = first(buffer, start, end, base, final=final)
            if record is None or record.proven:
                return record
            error = record.error
            assert error is not None
            if base + start == 0:
                if end < TELLING and not final:
                    return None
                if what := format_of(bytes(buffer[:TELLING]), self.framing.protocol.name):
                    error.detail = f"{what}; {error.detail}"
            stop = base + start + record.length if record.length < end - start else None
            endless = record.preamble or not self.framing.recovers
            self.range = MalformedRange(error, base + start, base + start + 1, stop, endless)
        stop = self._stop(self.range, buffer, end, base, final=final)
        if stop == base + start:
            self.range = None
            return self.cut(buffer, start, end, base=base, final=final)
        piece = min(stop - base if stop is not None else end, start + self.largest)
        settled = stop is not None or base + piece <= self.range.searched
        if not settled or (stop is None and piece < start + self.largest):
            return None
        ended = stop is not None and base + piece == stop
        error = self.range.error
        caution = self.framing.caution if ended and piece < end else ""
        told = DecodeError(error.code, error.detail + caution, error.offset, error.field)
        is_preamble = self.awaits and base + start == self.range.start
        if ended:
            self.range = None
        return Cut(start, piece - start, proven=False, error=told, preamble=is_preamble)

    def lose(self, position: int, missing: int | None) -> None:
        """Continue at this place of the capture, before which ``missing`` bytes, or an unknown number, are missing.

        The next record is searched for from there; the bytes before it are a malformed range.
        """
        what = "what came before it was" if missing is None else f"{counted(missing, 'byte')} before it were"
        error = DecodeError("gap", f"{what} not captured", position)
        if self.ahead is not None:
            self._heard(self.ahead.listener)
        self.known = None
        self.range = MalformedRange(error, position, position, endless=self.awaits or not self.framing.recovers)

    def find(self, buffer: Buffer, start: int, end: int, *, base: int = 0, final: bool = True) -> None:
        """Look for parameters in the capture before its records are cut; the arguments are those of ``cut``.

        Until they are known, no complete record depends on them.
        """
        if self.ahead is not None and (listener := self.ahead.look(buffer, start, end, base, final=final)) is not None:
            self._heard(listener)

    def cuts(self, buffer: Buffer) -> Iterator[Cut]:
        """The records of a whole capture in order, malformed ranges among them, together covering every byte."""
        start, end = 0, len(buffer)
        while start < end:
            cut = self.cut(buffer, start, end)
            assert cut is not None
            yield cut
            start += cut.length

    def _heard(self, listener: Listener) -> None:
        self.parameters, self._ahead = listener.known(self.parameters), None

    def _preamble(self, buffer: Buffer, start: int, end: int, base: int, *, final: bool) -> Cut | None:
        """As ``_next``, of what the capture begins with."""
        preamble = self.framing.preamble
        assert preamble is not None
        try:
            size, known = preamble.read(buffer, start, end, self.parameters, final=final, bound=self.bound)
        except DecodeError as error:
            if error.needed > end - start and not final:
                return None
            error.offset += base + start
            return Cut(start, end - start, proven=False, error=error, preamble=True)
        self.parameters, self.awaits, self._search = known, False, None
        return Cut(start, size, preamble=True)

    def _next(self, buffer: Buffer, start: int, end: int, base: int, *, final: bool) -> Cut | None:
        """The record at ``start``, unproven if its length cannot be believed; None if more bytes are needed to decide.

        If the record runs past the end of the capture but a whole record begins inside it, the bytes before that one
        are malformed.
        """
        left = end - start
        try:
            length, little = self._believed(buffer, start, end, base, self.order, final=final)
        except DecodeError as error:
            if error.needed > left and not final:
                return None
            error.offset += base + start
            return Cut(start, left, proven=isinstance(error, NoRecordError), error=error)
        if length > left and not final:
            return None
        if length <= left:
            return self._followed(Cut(start, length, little), buffer, end, base, final=final)
        cut = DecodeError("truncated", f"a record of {counted(length, 'byte')}, {left} left", base + start)
        cut.whole = length
        if self.framing.resync and (not self.framing.doubts or self._doubted(buffer, start, end, base, little)):
            inner = self.search.next(buffer, start + 1, end, base=base, final=True, order=self.order, whole=True)
            if inner.proven:
                return Cut(start, inner.position - start, little, proven=False, error=cut)
        return Cut(start, left, little, error=cut)

    def _believed(
        self, buffer: Buffer, start: int, end: int, base: int, order: bool | None, *, final: bool
    ) -> tuple[int, bool]:
        """As ``Framing.believed``, without looking again at bytes that the previous record has already examined."""
        if (known := self.known) is not None and known[0] == (base + start, order):
            return known[1]
        return self.framing.believed(buffer, start, end, self.parameters, final=final, bound=self.bound, order=order)

    def _followed(self, record: Cut, buffer: Buffer, end: int, base: int, *, final: bool) -> Cut | None:
        """The record, unproven if its length is in doubt and nothing bears it out; None if more bytes are needed."""
        framing, start, little = self.framing, record.offset, record.little
        stop = start + record.length
        if framing.sums_up:
            try:
                self.known = (base + stop, little), self._believed(buffer, stop, end, base, little, final=final)
            except DecodeError:
                return self._torn(record, buffer, end, base, final=final)
            self.order = little
            return record
        doubt = self._doubted(buffer, start, end, base, little)
        try:
            if doubt and not framing.followed(
                buffer, stop, end, self.parameters, final=final, bound=self.bound, order=little
            ):
                error = DecodeError("invalid", f"{doubt}, and no record follows", base + start)
                return Cut(start, end - start, proven=False, error=error)
        except DecodeError:
            return None
        self.order = little
        return record

    def _torn(self, record: Cut, buffer: Buffer, end: int, base: int, *, final: bool) -> Cut | None:
        """The record, which no valid one follows; or, if some of its bytes are wrong and another record begins
        inside it,
        only the bytes before that one.
        """
        start, little, stop = record.offset, record.little, record.offset + record.length
        if not (final and stop == end) and (doubt := self._doubted(buffer, start, end, base, little)):
            inner = self.search.next(buffer, start + 1, end, base=base, final=final, order=little)
            if inner.position < stop and inner.proven:
                error = DecodeError("invalid", f"{doubt}, and a record begins inside", base + start)
                return Cut(start, inner.position - start, little, proven=False, error=error)
            if inner.position < stop and not final:
                return None
        self.order = little
        return record

    def _doubted(self, buffer: Buffer, start: int, end: int, base: int, little: bool) -> str:
        """As ``Framing.doubted``."""
        sums = self.search.sums
        return self.framing.doubted(buffer, start, end, self.parameters, little=little, sums=sums, base=base)

    def _stop(self, lost: MalformedRange, buffer: Buffer, end: int, base: int, *, final: bool) -> int | None:
        """Where in the capture a malformed range ends; None if that is not known yet."""
        if lost.stop is None and not lost.endless:
            first = lost.searched - base
            found = self.search.next(buffer, first, end, base=base, final=final, order=self.order)
            lost.searched = base + found.position
            lost.stop = lost.searched if found.proven else None
        elif lost.stop is None:
            lost.searched = base + end
        if final and lost.stop is None:
            lost.stop = base + end
        return lost.stop


class Ahead:
    """Reads ahead in a capture, before it is cut, until its parameters are known."""

    def __init__(self, cutter: Cutter) -> None:
        self.listener = Listener(cutter.framing.protocol, cutter.parameters)
        self.cutter = Cutter(cutter.framing, self.listener.known(cutter.parameters), cutter.bound)
        self.position: int | None = None

    def look(self, buffer: Buffer, start: int, end: int, base: int, *, final: bool) -> Listener | None:
        """The parameters that were found, once no more can be."""
        at = start if self.position is None else self.position - base
        while self.listener.open and base + at < WITHIN and (at < end or not final):
            after = self.passed(buffer, at, end, base, final=final) if at < end else None
            if after is None:
                self.position = base + at
                return None
            at = after
        return self.listener

    def rest(self) -> None:
        """As ``Cutter.rest``."""
        self.cutter.rest()

    def passed(self, buffer: Buffer, at: int, end: int, base: int, *, final: bool) -> int | None:
        """Where the record after the one at ``at`` begins; None if more bytes are needed."""
        cut = self.cutter.cut(buffer, at, end, base=base, final=final)
        if cut is None:
            return None
        if cut.error is None and not cut.preamble:
            data = bytes(buffer[cut.offset : cut.offset + cut.length])
            self.listener.record(data, self.cutter.parameters, little=cut.little)
        return at + cut.length


def discover(
    cutter: Cutter, read: Callable[[int], bytes], *, ahead: bytes = b"", base: int = 0
) -> tuple[Values, bytes]:
    """The parameters of a capture, with those that it contains; and everything that was read of it.

    ``read`` continues after the bytes ``ahead``, which begin at ``base``.
    """
    final = False
    while cutter.ahead is not None:
        cutter.find(ahead, 0, len(ahead), base=base, final=final)
        if cutter.ahead is not None:
            more = read(WITHIN)
            ahead, final = ahead + more, not more
    return cutter.parameters, ahead


def cuts(
    framing: Framing, buffer: Buffer, parameters: Values, *, max_record_bytes: int = MAX_RECORD_BYTES
) -> Iterator[Cut]:
    """As ``Cutter.cuts``."""
    return Cutter(framing, parameters, max_record_bytes).cuts(buffer)
