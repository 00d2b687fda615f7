"""Captures cut into records: where each one ends, whether that can be believed, and what happens when it cannot.

A record's length is believed once its proof holds (a legal magic, a header checksum …). Behind one that is not, the
reader goes on only where the protocol declares how, and reports what it skipped as one malformed range.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from wireloom.codec.checksums import ALGORITHMS, Checksum
from wireloom.codec.errors import DecodeError
from wireloom.codec.fields import Field, Rule, primitive
from wireloom.codec.streams import Expression, Frame, Values
from wireloom.options import MAX_RECORD_BYTES

Buffer = bytes


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


SEARCH_FREE = 1 << 30
SEARCH_FACTOR = 1024
"""How many bytes may be summed up in search of the next record: so many, and so many for each byte skipped."""


class _Probe(NamedTuple):
    """A number at a fixed offset, and how to read it."""

    name: str
    offset: int
    code: struct.Struct
    load: Callable[[Any], Any] | None
    field: Field

    @classmethod
    def of(cls, field: tuple[str, int, Any], *, little: bool) -> "_Probe":
        name, offset, construct = field
        kind = primitive(construct, little=little)
        assert kind is not None
        told = construct if isinstance(construct, Field) else Field(construct)
        return cls(name, offset, struct.Struct((kind.order or ">") + kind.code), kind.load, told)


def _shown(values: Values, probes: Iterable[_Probe]) -> str:
    """What was read, in words."""
    return ", ".join(f"{probe.name} {probe.field.shown(values[probe.name])}" for probe in probes)


class Lengths:
    """How to find the length of the records that some header values select.

    ``fields`` are (name, offset, construct) at fixed offsets; ``length`` computes the record's bytes from them once
    ``valid`` holds and the checksum field ``checksum`` is right.
    """

    def __init__(
        self,
        *fields: tuple[str, int, Any],
        length: Expression,
        match: Mapping[str, tuple[int, ...]] | None = None,
        valid: Rule | None = None,
        checksum: tuple[str, Checksum] | None = None,
    ) -> None:
        self.fields = fields
        self.length = length
        self.match = match or {}
        self.valid = valid
        self.checksum = checksum
        self.size = max((offset + construct.sizeof() for _, offset, construct in fields), default=0)
        self.probes = {little: [_Probe.of(field, little=little) for field in fields] for little in (False, True)}

    def measure(
        self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values, bound: int | None = None
    ) -> int:
        """The length of the record at ``start``. Raises ``DecodeError``, offset from ``start``, if it is not proven.

        No proof takes more than ``bound`` bytes.
        """
        if end - start < self.size:
            raise _too_short(self.size, f"needs {self.size} bytes to tell its length, {end - start} left")
        values = self._values(buffer, start, little)
        frame = Frame(parameters)
        if self.checksum is not None:
            self._prove(buffer, start, end, values, frame, bound)
        if self.valid is not None and not self.valid.holds(values, values, frame):
            shown = _shown(values, (probe for probe in self.probes[little] if probe.name != self._proof))
            raise DecodeError("invalid", f"{self.valid.text} expected, found {shown}")
        return int(self.length(values, values, frame))

    def possible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        """The length that the bytes at ``start`` tell, their checksum not looked at; 0 if they cannot be a record."""
        if end - start < self.size:
            return 0
        values = self._values(buffer, start, little)
        frame = Frame(parameters)
        if self.valid is not None and not self.valid.holds(values, values, frame):
            return 0
        return int(self.length(values, values, frame))

    def _values(self, buffer: Buffer, start: int, little: bool) -> Values:
        values: Values = {}
        for name, offset, code, load, _ in self.probes[little]:
            value = code.unpack_from(buffer, start + offset)[0]
            values[name] = value if load is None else load(value)
        return values

    @property
    def _proof(self) -> str:
        return self.checksum[0] if self.checksum else ""

    def _prove(self, buffer: Buffer, start: int, end: int, values: Values, frame: Frame, bound: int | None) -> None:
        assert self.checksum is not None
        name, checksum = self.checksum
        first, last = checksum.start(values, values, frame), checksum.end(values, values, frame)
        if bound is not None and last > bound:
            raise DecodeError("too-long", f"{last} bytes to be summed up, more than the {bound} allowed")
        if last > end - start:
            raise _too_short(last, f"needs {last} bytes, {end - start} left")
        if self.valid is not None and not self.valid.holds(values, values, frame):
            return
        expected = ALGORITHMS[checksum.algorithm](buffer[start + first : start + last])
        if expected != values[name]:
            probe = next(probe for probe in self.probes[False] if probe.name == name)
            told = Field(probe.field.subcon, hex=True)
            detail = f"{told.shown(expected)} expected, found {told.shown(values[name])}"
            error = DecodeError("checksum", detail, probe.offset, name)
            error.needed = last
            raise error


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
        self._probes = {little: [_Probe.of(field, little=little) for field in match] for little in (False, True)}

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
    ) -> tuple[int, bool]:
        """The length and byte order of the record at ``start``. Raises ``DecodeError``, offset from ``start``.

        Unless the capture is ``final`` at ``end``, a byte order is not tried before the ones in front of it are ruled
        out; the error says how many bytes are ``needed`` for that.
        """
        problems: list[DecodeError] = []
        for little in self.orders(parameters):
            try:
                lengths = self._select(buffer, start, end, little)
                return lengths.measure(buffer, start, end, little, parameters, bound), little
            except DecodeError as error:
                problems.append(error)
                if error.needed > end - start and not final:
                    break
        if len({problem.detail for problem in problems}) > 1:
            problems[0].detail += "; nor is it a record in little byte order"
        needed = [problem.needed for problem in problems if problem.needed]
        problems[0].needed = min((more for more in needed if more > end - start), default=min(needed, default=0))
        raise problems[0]

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
        for name, offset, code, load, _ in self._probes[little]:
            if end - start < offset + code.size:
                error = _too_short(offset + code.size, f"needs {code.size} bytes, {end - start - offset} left")
                error.offset = offset
                raise error.within(name)
            value = code.unpack_from(buffer, start + offset)[0]
            found[name] = value if load is None else load(value)
        for lengths in self.lengths:
            if all(found[name] in values for name, values in lengths.match.items()):
                return lengths
        shown = _shown(found, self._probes[little])
        raise DecodeError("unknown-layout", f"no layout for {shown}, so its length is unknown")

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

    def plausible(
        self, buffer: Buffer, start: int, end: int, parameters: Values, bound: int, *, final: bool = True
    ) -> Iterator[int]:
        """Positions whose header fields allow a record, found without looking at every position of a run of one byte.

        What makes a position impossible is the bytes of its window alone, so the whole run of a byte is as impossible
        as its first position: zeros at the end of a preallocated file cost nothing. Of a capture that is not ``final``
        at ``end``, the positions that only more bytes can tell about, ``window`` of them, are left out.
        """
        tries = [(lengths, little) for lengths in self.lengths for little in self.orders(parameters)]
        sizes = [lengths.size for lengths in self.lengths]
        window = max(sizes)
        anchor = self._anchor()
        position = start
        last = end - (min(sizes) if final else window)  # fewer bytes do not tell a length
        while position <= last:
            if anchor is not None:
                offset, value = anchor
                found_at = buffer.find(value, position + offset, last + offset + 1)
                if found_at < 0:
                    return
                position = found_at - offset
            if any(0 < one.possible(buffer, position, end, little, parameters) <= bound for one, little in tries):
                yield position
            else:
                position = max(position, _run_end(buffer, position, end, window) - window - 1)
            position += 1

    def _anchor(self) -> tuple[int, bytes] | None:
        """A byte every record has at one offset, if there is one to search for."""
        for name, offset, construct in self.match:
            values = {value for lengths in self.lengths for value in lengths.match.get(name, (None, None))}
            value = values.pop()
            if not values and value is not None and construct.sizeof() == 1:
                return offset, bytes([value])
        return None


class Cutter:
    """Cuts a capture into records, be it whole in memory or coming piece by piece.

    ``range`` is the malformed range in which the reader stands, whose end may not be known yet.
    """

    def __init__(self, framing: Framing, parameters: Values, max_record_bytes: int = MAX_RECORD_BYTES) -> None:
        self.framing = framing
        self.parameters = parameters
        self.bound = max_record_bytes
        self.largest = max(max_record_bytes, MAX_RECORD_BYTES)
        self.range: MalformedRange | None = None

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
            self.range = MalformedRange(record.error, base + start, base + start + 1)
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
        """The record at ``start``, unproven if its length cannot be believed; None if more bytes could tell."""
        left = end - start
        try:
            length, little = self.framing.first(buffer, start, end, self.parameters, final=final, bound=self.bound)
            if length > self.bound:
                raise DecodeError("too-long", f"a record of {length} bytes, more than the {self.bound} allowed")
            if length <= 0:
                raise DecodeError("invalid-size", f"a record of {length} bytes")
        except DecodeError as error:
            if error.needed > left and not final:
                return None
            error.offset += base + start
            return Record(start, left, proven=False, error=error)
        if length > left and not final:
            return None
        if length > left:
            cut = DecodeError("truncated", f"a record of {length} bytes, {left} left", base + start)
            cut.whole = length
            return Record(start, left, little, error=cut)
        return Record(start, length, little)

    def _stop(self, lost: "MalformedRange", buffer: Buffer, end: int, base: int, *, final: bool) -> int | None:
        """Where in the capture a malformed range ends; None if that is not known yet.

        A proof over a whole record, tried wherever one could begin, would cost the square of what is skipped. So the
        search is given up when it has summed up ``SEARCH_FACTOR`` times as much, and all that is left is malformed.
        """
        framing = self.framing
        if lost.stop is None and framing.resync and not lost.given_up:
            first = lost.searched - base
            for position in framing.plausible(buffer, first, end, self.parameters, self.bound, final=final):
                lost.searched = base + position
                try:
                    length, _ = framing.first(buffer, position, end, self.parameters, final=final, bound=self.bound)
                except DecodeError as error:
                    if error.needed > end - position and not final:
                        return None
                    lost.summed += error.needed if error.code == "checksum" else 0
                else:
                    if 0 < length <= self.bound:
                        lost.stop = base + position
                        return lost.stop
                if lost.summed > SEARCH_FREE + SEARCH_FACTOR * (base + position - lost.start - 1):
                    lost.given_up = True
                    break
            lost.searched = max(lost.searched, base + end - max(lengths.size for lengths in framing.lengths) + 1)
        if not framing.resync or lost.given_up or final:
            lost.searched = base + end
        if final and lost.stop is None:
            lost.stop = base + end
        return lost.stop


@dataclass(slots=True)
class MalformedRange:
    """A malformed range: where in the capture it starts and ends, and how far its end was searched for.

    ``given_up`` is whether the search was, so that it goes on to the end of the capture.
    """

    error: DecodeError
    start: int
    searched: int
    stop: int | None = None
    summed: int = 0
    given_up: bool = False


_RUN = 64 * 1024
"""Bytes of a run that are compared at once."""


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


def _too_short(needed: int, detail: str) -> DecodeError:
    """The error for a record of which so many bytes would tell the length."""
    error = DecodeError("truncated", detail)
    error.needed = needed
    return error
