"""How long a record is, in which byte order, and whether that can be believed.

A record's length is believed once its proof holds (a legal magic, a checksum …).
"""

from copy import copy
from functools import cached_property
from typing import Any

from wireloom.codec.checksums import Sums
from wireloom.codec.errors import DecodeError, counted
from wireloom.codec.frames import Frame, Values
from wireloom.codec.lengths import BetweenFlags, Buffer, Ends, Everything, Look, Probe, Terminated, in_words, too_short
from wireloom.codec.preamble import Preamble
from wireloom.expressions import Formula, expression
from wireloom.options import MAX_RECORD_BYTES, Resync

_AHEAD = 16
"""How many of the following records are read to decide the byte order of one that is proven in both."""
_TELLING = 4
"""How many bytes a checksum has at least that is not right by chance."""
_ORDERS: dict[Any, tuple[bool, ...]] = {"big": (False,), "little": (True,)}


class Framing:
    """How a protocol's captures fall into records.

    ``match`` are the header fields that select one of ``lengths``, as (name, offset, construct). ``byte_order`` is the
    name of the parameter with the byte order; its value ``auto`` means the order in which a record is proven. Or it is
    ``little`` if that holds of the parameters. With ``resync``, the reader searches for the next proven record after an
    unproven one. ``preamble`` is what captures begin with. Their records are of ``protocol``.
    """

    def __init__(
        self,
        lengths: tuple[Ends, ...],
        *,
        match: tuple[tuple[str, int, Any], ...] = (),
        byte_order: str | None = None,
        little: Formula | None = None,
        resync: bool = False,
    ) -> None:
        self.lengths = lengths
        self.match = match
        self.byte_order = byte_order
        self.little = expression(little)
        self.preamble: Preamble | None = None
        self.protocol: Any = None
        self.resync = resync
        self.ends = next((each.ends for each in lengths if isinstance(each, Terminated)), ())
        """The terminators, or the flag, with one of which all records end; none if they end otherwise."""
        self.longest_first = sorted(self.ends, key=len, reverse=True)
        self.flagged = any(isinstance(each, BetweenFlags) for each in lengths)
        """Whether records are between flags."""
        self.enveloped = any(each.enveloped for each in lengths)
        """Whether something is around the contents of records."""
        self.probes = {little: [Probe.of(field, little=little) for field in match] for little in (False, True)}

    def orders(self, parameters: Values) -> tuple[bool, ...]:
        """The byte orders to try, as ``little``."""
        if self.little is not None:
            return (self.little.holds({}, {}, Frame(parameters)),)
        return _ORDERS.get(parameters[self.byte_order], (False, True)) if self.byte_order else (False,)

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
        """The length and byte order of the record at ``start``, which has bytes. Raises ``DecodeError``, offset from
        ``start``.

        A record that is proven in both orders has the ``order`` of the one before it, or else that of the ones after
        it. Unless the capture is ``final`` at ``end``, the answer is given only when more bytes cannot change it; the
        error says how many are ``needed``. ``sums`` are the capture's checksums; the buffer begins at byte ``base`` of
        the capture.
        """
        look = Look(buffer, end, parameters, final, bound, sums, base)
        orders = self.orders(parameters)
        found, problems = self._proven(look, start, orders, order)
        if not found:
            raise _unproven(problems, end - start)
        if order in found:
            found = {order: found[order]}
        if len(found) > 1:
            ends = {little: start + length for little, length in found.items()}
            found = {little: found[little] for little in orders if self._followed(look, start, ends[little], little)}
        if len(found) != 1:
            what = f"a record in both byte orders, and nothing beside it tells which; {self.byte_order} can"
            raise DecodeError("ambiguous", what)
        ((little, length),) = found.items()
        if length <= 0:
            raise DecodeError("invalid-size", f"a record of {counted(length, 'byte')}")
        return length, little

    def _proven(
        self, look: Look, start: int, orders: tuple[bool, ...], order: bool | None
    ) -> tuple[dict[bool, int], dict[bool, DecodeError]]:
        """The length of the record in each byte order in which it is valid, and what is wrong in the others.

        ``order`` is tried first, and if it proves the record no other. Raises ``DecodeError`` if more bytes are needed.
        """
        found: dict[bool, int] = {}
        problems: dict[bool, DecodeError] = {}
        for little in orders if order is not True else reversed(orders):
            try:
                found[little] = self._measure(look, start, little)
            except DecodeError as error:
                if look.waits(error, start):
                    raise
                problems[little] = error
            if little == order and little in found:
                break
        return found, problems

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
        """As ``first``, but raises if the record has no bytes or more than ``bound``."""
        length, little = self.first(buffer, start, end, parameters, final=final, bound=bound, order=order)
        if length > bound:
            raise DecodeError("too-long", f"a record of {counted(length, 'byte')}, more than the {bound} allowed")
        return length, little

    def doubted(
        self,
        buffer: Buffer,
        start: int,
        end: int,
        parameters: Values,
        *,
        little: bool,
        sums: Sums | None = None,
        base: int = 0,
    ) -> str:
        """Why the length of the proven record at ``start`` is in doubt; empty if it is not. Others as in ``first``."""
        look = Look(buffer, end, parameters, True, None, sums, base)
        return self._select(buffer, start, end, little).doubted(look, start, little)

    def followed(
        self, buffer: Buffer, at: int, end: int, parameters: Values, *, final: bool, bound: int, order: bool | None
    ) -> bool:
        """Whether the capture ends at ``at``, or a valid record begins there, or may begin there with bytes
        that were cut
        off.

        Raises ``DecodeError`` if more bytes are needed to decide.
        """
        if final and at >= end:
            return at == end
        try:
            self.believed(buffer, at, end, parameters, final=final, bound=bound, order=order)
        except DecodeError as error:
            if error.needed > end - at and not final:
                raise
            return final and error.needed > end - at
        return True

    def may_begin(self, buffer: Buffer, at: int, end: int, *, little: bool) -> bool:
        """Whether bytes that were cut off may begin a record, as far as they contain the fields that select
        its length.
        """
        probes = [probe for probe in self.probes[little] if at + probe.offset + probe.code.size <= end]
        told = {probe.name: probe.read(buffer, at) for probe in probes}
        return any(
            all(value in each.match[name] for name, value in told.items() if name in each.match)
            for each in self.lengths
        )

    @property
    def to_the_end(self) -> bool:
        """Whether a record can be all there is, so that a file is never more than one, and is read as a whole."""
        return any(isinstance(each, Everything) for each in self.lengths)

    @property
    def recovers(self) -> bool:
        """Whether the next record can be found after bytes that are not a record."""
        return self.resync or bool(self.ends)

    @property
    def guesses(self) -> bool:
        """Whether records may be searched for that no checksum proves."""
        return self.resync and not all(each.sums for each in self.lengths)

    @property
    def caution(self) -> str:
        """What the reason of a malformed range adds about the record that was found after it."""
        return "; that a record follows is a guess" if self.guesses else ""

    def resyncing(self, how: Resync) -> "Framing":
        """The framing that continues after malformed records in the selected way."""
        if how is Resync.CHAIN or not self.guesses:
            return self
        sure = copy(self)
        sure.resync = False
        return sure

    @cached_property
    def doubts(self) -> bool:
        """Whether a proof may be in doubt: payloads look like records, which others must bear out."""
        return any(each.doubts for each in self.lengths)

    @cached_property
    def sums_up(self) -> bool:
        """Whether records have a checksum of the bytes that the one in their validity check leaves out."""
        return any(each.rest for each in self.lengths)

    @property
    def telling(self) -> bool:
        """Whether a record can be recognised at any position: it has a checksum that payloads do not have by chance, or
        follows a terminator that cannot overlap itself. Several never overlap.
        """
        if self.ends:
            end = self.ends[0]
            return len(self.ends) > 1 or not any(end.startswith(end[size:]) for size in range(1, len(end)))
        sums = [each.sums.get(False) for each in self.lengths]
        return self.resync and bool(sums) and all(each is not None and each.code.size >= _TELLING for each in sums)

    def alone(
        self, buffer: Buffer, start: int, end: int, parameters: Values, *, final: bool, bound: int | None
    ) -> int | None:
        """The length of the record at ``start`` if it is proven in exactly one byte order, so that its neighbours do
        not matter. Raises ``DecodeError`` if more bytes are needed.
        """
        proofs = self._proofs(Look(buffer, end, parameters, final, bound, None, 0), start)
        return proofs.popitem()[1] if len(proofs) == 1 else None

    def decided(
        self, buffer: Buffer, start: int, end: int, parameters: Values, *, final: bool, bound: int | None
    ) -> bool:
        """Whether the record at ``start`` is known to be proven in exactly one byte order."""
        try:
            return self.alone(buffer, start, end, parameters, final=final, bound=bound) is not None
        except DecodeError:
            return False

    def _measure(self, look: Look, start: int, little: bool) -> int:
        lengths = self._select(look.buffer, start, look.end, little)
        return lengths.measure(look, start, little)

    def _proofs(self, look: Look, at: int) -> dict[bool, int]:
        """The byte orders in which the record at ``at`` is proven, each with its length. Raises if more bytes are
        needed.
        """
        found = {}
        for little in self.orders(look.parameters):
            try:
                found[little] = self._measure(look, at, little)
            except DecodeError as error:
                if look.waits(error, at):
                    raise
        return found

    def _followed(self, look: Look, start: int, at: int, little: bool) -> bool:
        """Whether the records from ``at`` on have this byte order, as the first of them that is proven in only one
        shows.
        """
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
        """The likely length and byte order of an unproven record: the shortest length that its fields allow."""
        orders = self.orders(parameters)
        tries = [
            (one.possible(data, 0, len(data), order, parameters), order) for order in orders for one in self.lengths
        ]
        return min((found for found in tries if 0 < found[0] <= MAX_RECORD_BYTES), default=(len(data), orders[0]))

    def guess(self, buffer: Buffer, start: int, end: int, parameters: Values, *, little: bool) -> int:
        """The length that the bytes at ``start`` give if their checksum is ignored; 0 if no record begins there."""
        try:
            return self._select(buffer, start, end, little).possible(buffer, start, end, little, parameters)
        except DecodeError:
            return 0

    def _select(self, buffer: Buffer, start: int, end: int, little: bool) -> Ends:
        if not self.match:
            return self.lengths[0]
        found = {}
        for probe in self.probes[little]:
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
        """The message for header fields that none of ``lengths`` is for."""
        return f"no layout for {in_words(values, self.probes[little])}, so its length is unknown"


def _unproven(problems: dict[bool, DecodeError], left: int) -> DecodeError:
    """The error for a record that is proven in no byte order; if it may be cut off, the error says so."""
    cut = sorted((error.needed, little) for little, error in problems.items() if error.needed > left)
    little = cut[0][1] if cut else min(problems)
    differ = len({problem.detail for problem in problems.values()}) > 1
    error = problems.pop(little)
    problems.clear()  # the frames of its traceback have them, and would keep it and the buffer alive
    if differ:
        error.detail += nor(little)
    return error


def nor(little: bool) -> str:
    """The end of a message that reports the errors in both byte orders, which differ."""
    return f"; nor is it a record in {'big' if little else 'little'} byte order"
