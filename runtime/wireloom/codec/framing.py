"""Captures cut into records: where each one ends, whether that can be believed, and what happens when it cannot.

A record's length is believed once its proof holds (a legal magic, a checksum …). Behind one that is not, the reader
goes on only where the protocol declares how, and reports what it skipped as one malformed range.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wireloom.codec.checksums import Sums
from wireloom.codec.errors import DecodeError, counted
from wireloom.codec.lengths import Buffer, Lengths, Probe, told, too_short
from wireloom.codec.search import Search
from wireloom.codec.streams import Values
from wireloom.options import MAX_RECORD_BYTES


@dataclass(frozen=True, slots=True)
class Record:
    """A stretch of a capture: one record, or a malformed range with its ``error``. Offsets in bytes.

    The length of a ``proven`` one is believed, even if it runs past the end.
    """

    offset: int
    length: int
    little: bool = False
    proven: bool = True
    error: DecodeError | None = None


_AHEAD = 16
"""How many records are looked at to tell the byte order of one that proves itself in both."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How a place is looked at: see ``Framing.first``."""

    buffer: Buffer
    end: int
    parameters: Values
    final: bool
    bound: int | None
    sums: Sums | None
    base: int

    def waits(self, error: DecodeError, at: int) -> bool:
        """Whether more bytes could show that there is a record after all."""
        return not self.final and error.needed > self.end - at


class Framing:
    """How a protocol's captures fall into records.

    ``match`` are the header fields that tell which of ``lengths`` holds, as (name, offset, construct); ``byte_order``
    is the parameter that tells it, ``auto`` meaning: the order in which the record proves itself. With ``resync``, the
    reader searches behind an unproven record for the next proven one.
    """

    def __init__(
        self,
        lengths: tuple[Lengths, ...],
        *,
        match: tuple[tuple[str, int, Any], ...] = (),
        byte_order: str | None = None,
        resync: bool = False,
    ) -> None:
        self.lengths = lengths
        self.match = match
        self.byte_order = byte_order
        self.resync = resync
        self._probes = {little: [Probe.of(field, little=little) for field in match] for little in (False, True)}

    def orders(self, parameters: Values) -> tuple[bool, ...]:
        """The byte orders to try, as ``little``."""
        order = parameters[self.byte_order] if self.byte_order else "big"
        return {"big": (False,), "little": (True,)}.get(str(order), (False, True))

    def first(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        parameters: Values,
        *,
        final: bool = True,
        bound: int | None = None,
        order: bool | None = None,
        sums: Sums | None = None,
        base: int = 0,
    ) -> tuple[int, bool]:
        """The length and byte order of the record at ``start``. Raises ``DecodeError``, offset from ``start``.

        A record that proves itself in both orders has the ``order`` of the one before it, else that of what follows.
        Unless the capture is ``final`` at ``end``, nothing is told before more bytes cannot change it; the error says
        how many are ``needed`` for that. ``sums`` are those of the capture, in which the buffer stands at ``base``.
        """
        look = _Look(buffer, end, parameters, final, bound, sums, base)
        found: dict[bool, int] = {}
        problems: dict[bool, DecodeError] = {}
        orders = self.orders(parameters)
        for little in orders if order is not True else reversed(orders):
            try:
                found[little] = self._measure(look, start, little)
            except DecodeError as error:
                if look.waits(error, start):
                    raise
                problems[little] = error
            if little == order and little in found:
                return found[little], little
        if not found:
            raise _told(problems, end - start)
        if len(found) == 1:
            ((little, length),) = found.items()
            return length, little
        followed = [little for little in orders if self._followed(look, start, start + found[little], little)]
        if len(followed) != 1:
            what = f"a record in both byte orders, and nothing beside it tells which; {self.byte_order} can"
            raise DecodeError("ambiguous", what)
        return found[followed[0]], followed[0]

    def believed(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        parameters: Values,
        *,
        final: bool,
        bound: int,
        order: bool | None,
    ) -> tuple[int, bool]:
        """As ``first``, of a record that has a byte, and no more than ``bound`` of them."""
        length, little = self.first(buffer, start, end, parameters, final=final, bound=bound, order=order)
        if length > bound:
            raise DecodeError("too-long", f"a record of {counted(length, 'byte')}, more than the {bound} allowed")
        if length <= 0:
            raise DecodeError("invalid-size", f"a record of {counted(length, 'byte')}")
        return length, little

    def decided(
        self, buffer: Buffer, start: int, end: int, parameters: Values, *, final: bool, bound: int | None = None
    ) -> bool:
        """Whether the record at ``start`` proves itself in one byte order alone, so that it needs no neighbours."""
        if len(self.orders(parameters)) == 1:
            return True
        try:
            return len(self._proofs(_Look(buffer, end, parameters, final, bound, None, 0), start)) == 1
        except DecodeError:
            return False

    def _measure(self, look: _Look, start: int, little: bool) -> int:
        lengths = self._select(look.buffer, start, look.end, little)
        return lengths.measure(look.buffer, start, look.end, little, look.parameters, look.bound, look.sums, look.base)

    def _proofs(self, look: _Look, at: int) -> dict[bool, int]:
        """The byte orders in which a record at ``at`` proves itself, with its length. Raises if that has to wait."""
        found = {}
        for little in self.orders(look.parameters):
            try:
                found[little] = self._measure(look, at, little)
            except DecodeError as error:
                if look.waits(error, at):
                    raise
        return found

    def _followed(self, look: _Look, start: int, at: int, little: bool) -> bool:
        """Whether what follows at ``at`` are records in one byte order, the first that proves itself in one alone."""
        origin = start
        for _ in range(_AHEAD):
            if at <= start or at - start > (look.bound or MAX_RECORD_BYTES):
                return False
            try:
                found = self._proofs(look, at)
            except DecodeError as error:
                error.needed += at - origin
                raise
            if little not in found:
                return False
            if len(found) == 1:
                return True
            start, at = at, at + found[little]
        return False

    def likely(self, data: Buffer, parameters: Values) -> tuple[int, bool]:
        """The length and byte order of a record that proves itself in none: the shortest that its fields allow."""
        orders = self.orders(parameters)
        tries = [
            (one.possible(data, 0, len(data), order, parameters), order) for order in orders for one in self.lengths
        ]
        return min((found for found in tries if 0 < found[0] <= MAX_RECORD_BYTES), default=(len(data), orders[0]))

    def _select(self, buffer: Buffer, start: int, end: int, little: bool) -> Lengths:
        if not self.match:
            return self.lengths[0]
        found = {}
        for probe in self._probes[little]:
            if end - start < probe.offset + probe.code.size:
                needed = probe.offset + probe.code.size
                error = too_short(
                    needed, f"needs {counted(probe.code.size, 'byte')}, {end - start - probe.offset} left"
                )
                error.offset = probe.offset
                raise error.within(probe.name)
            found[probe.name] = probe.read(buffer, start)
        for lengths in self.lengths:
            if all(found[name] in values for name, values in lengths.match.items()):
                return lengths
        raise DecodeError("unknown-layout", self.unknown(found, little))

    def unknown(self, values: Values, little: bool) -> str:
        """What is wrong if no ``lengths`` are for such header fields."""
        return f"no layout for {told(values, self._probes[little])}, so its length is unknown"

    def records(
        self, buffer: Buffer, parameters: Values, *, max_record_bytes: int = MAX_RECORD_BYTES
    ) -> Iterator[Record]:
        """The records of ``buffer`` in order, malformed ranges among them, together covering every byte."""
        cutter = Cutter(self, parameters, max_record_bytes)
        start, end = 0, len(buffer)
        while start < end:
            record = cutter.cut(buffer, start, end)
            assert record is not None
            yield record
            start += record.length


def _told(problems: dict[bool, DecodeError], left: int) -> DecodeError:
    """What is wrong with a record that proves itself in no byte order: best of all, that it is cut off."""
    cut = sorted((error.needed, little) for little, error in problems.items() if error.needed > left)
    little = cut[0][1] if cut else min(problems)
    error = problems[little]
    if len({problem.detail for problem in problems.values()}) > 1:
        error.detail += nor(little)
    return error


def nor(little: bool) -> str:
    """What to say, behind what is wrong in one byte order, if something else is wrong in the other."""
    return f"; nor is it a record in {'big' if little else 'little'} byte order"


class Cutter:
    """Cuts a capture into records, be it whole in memory or coming piece by piece.

    ``range`` is the malformed range in which the reader stands, whose end may not be known yet; ``order`` the byte
    order of the last record, as ``little``.
    """

    def __init__(
        self,
        framing: Framing,
        parameters: Values,
        max_record_bytes: int = MAX_RECORD_BYTES,
        search: Search | None = None,
    ) -> None:
        self.framing = framing
        self.parameters = parameters
        self.bound = max_record_bytes
        self.largest = max(max_record_bytes, MAX_RECORD_BYTES)
        self.search = search or Search(framing, parameters, max_record_bytes)
        self.range: MalformedRange | None = None
        self.order: bool | None = None

    @property
    def lost(self) -> bool:
        return self.range is not None

    def cut(self, buffer: Buffer, start: int, end: int, *, base: int = 0, final: bool = True) -> Record | None:
        """The record at ``start``, or the malformed range or the next piece of one; None if more bytes are needed.

        ``buffer`` holds the capture from its byte ``base`` on, up to ``end``, where the capture ends if ``final``.
        Records say where they stand in ``buffer``, their errors where in the capture. A caller goes on behind what it
        was given and, having got None, with the same bytes and more.
        """
        if self.range is None:
            record = self._next(buffer, start, end, base, final=final)
            if record is None or record.proven:
                return record
            assert record.error is not None
            stop = base + start + record.length if record.length < end - start else None
            self.range = MalformedRange(record.error, base + start, base + start + 1, stop)
        stop = self._stop(self.range, buffer, end, base, final=final)
        piece = min(stop - base if stop is not None else end, start + self.largest)
        settled = stop is not None or base + piece <= self.range.searched
        if not settled or (stop is None and piece < start + self.largest):
            return None
        error = self.range.error
        told = DecodeError(error.code, error.detail, error.offset, error.field)
        if stop is not None and base + piece == stop:
            self.range = None
        return Record(start, piece - start, proven=False, error=told)

    def _next(self, buffer: Buffer, start: int, end: int, base: int, *, final: bool) -> Record | None:
        """The record at ``start``, unproven if its length cannot be believed; None if more bytes could tell.

        One that runs past the end of the capture, with a whole record inside it, is malformed up to that one.
        """
        left = end - start
        try:
            length, little = self.framing.believed(
                buffer, start, end, self.parameters, final=final, bound=self.bound, order=self.order
            )
        except DecodeError as error:
            if error.needed > left and not final:
                return None
            error.offset += base + start
            return Record(start, left, proven=False, error=error)
        if length > left and not final:
            return None
        if length <= left:
            self.order = little
            return Record(start, length, little)
        cut = DecodeError("truncated", f"a record of {counted(length, 'byte')}, {left} left", base + start)
        cut.whole = length
        if self.framing.resync:
            inner = self.search.next(buffer, start + 1, end, base=base, final=True, order=self.order, whole=True)
            if inner.proven:
                return Record(start, inner.position - start, little, proven=False, error=cut)
        return Record(start, left, little, error=cut)

    def _stop(self, lost: "MalformedRange", buffer: Buffer, end: int, base: int, *, final: bool) -> int | None:
        """Where in the capture a malformed range ends; None if that is not known yet."""
        if lost.stop is None and self.framing.resync:
            first = lost.searched - base
            found = self.search.next(buffer, first, end, base=base, final=final, order=self.order)
            lost.searched = base + found.position
            lost.stop = lost.searched if found.proven else None
        elif lost.stop is None:
            lost.searched = base + end
        if final and lost.stop is None:
            lost.stop = base + end
        return lost.stop


@dataclass(slots=True)
class MalformedRange:
    """A malformed range: where in the capture it starts and ends, and how far its end was searched for."""

    error: DecodeError
    start: int
    searched: int
    stop: int | None = None
