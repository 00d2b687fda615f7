"""Captures cut into records: where each one ends, whether that can be believed, and what happens when it cannot.

A record's length is believed once its proof holds (a legal magic, a header checksum …). Behind one that is not, the
reader goes on only where the protocol declares how, and reports what it skipped as one malformed range.
"""

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from wireloom.codec.checksums import ALGORITHMS, Checksum
from wireloom.codec.errors import DecodeError
from wireloom.codec.fields import Rule, primitive
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

    @classmethod
    def of(cls, field: tuple[str, int, Any], *, little: bool) -> "_Probe":
        name, offset, construct = field
        kind = primitive(construct, little=little)
        assert kind is not None
        return cls(name, offset, struct.Struct((kind.order or ">") + kind.code), kind.load)


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

    def measure(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        """The length of the record at ``start``. Raises ``DecodeError``, offset from ``start``, if it is not proven."""
        if end - start < self.size:
            raise _too_short(self.size, f"needs {self.size} bytes to tell its length, {end - start} left")
        values = self._values(buffer, start, little)
        frame = Frame(parameters)
        if self.checksum is not None:
            self._prove(buffer, start, end, values, frame)
        if self.valid is not None and not self.valid.holds(values, values, frame):
            shown = ", ".join(f"{name} {value}" for name, value in values.items() if name != self._proof)
            raise DecodeError("invalid", f"{self.valid.text} expected, found {shown}")
        return int(self.length(values, values, frame))

    def plausible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values, bound: int) -> bool:
        """Whether the bytes at ``start`` allow a record, its checksum not looked at."""
        if end - start < self.size:
            return False
        values = self._values(buffer, start, little)
        frame = Frame(parameters)
        if self.valid is not None and not self.valid.holds(values, values, frame):
            return False
        return 0 < int(self.length(values, values, frame)) <= bound

    def _values(self, buffer: Buffer, start: int, little: bool) -> Values:
        values: Values = {}
        for name, offset, code, load in self.probes[little]:
            value = code.unpack_from(buffer, start + offset)[0]
            values[name] = value if load is None else load(value)
        return values

    @property
    def _proof(self) -> str:
        return self.checksum[0] if self.checksum else ""

    def _prove(self, buffer: Buffer, start: int, end: int, values: Values, frame: Frame) -> None:
        assert self.checksum is not None
        name, checksum = self.checksum
        first, last = checksum.start(values, values, frame), checksum.end(values, values, frame)
        if last > end - start:
            raise _too_short(last, f"needs {last} bytes, {end - start} left")
        if self.valid is not None and not self.valid.holds(values, values, frame):
            return
        expected = ALGORITHMS[checksum.algorithm](buffer[start + first : start + last])
        if expected != values[name]:
            offset = next(offset for field, offset, _ in self.fields if field == name)
            error = DecodeError("checksum", f"{expected:#x} expected, found {values[name]:#x}", offset, name)
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

    def first(self, buffer: Buffer, start: int, end: int, parameters: Values) -> tuple[int, bool]:
        """The length and byte order of the record at ``start``. Raises ``DecodeError``, offset from ``start``."""
        problems: list[DecodeError] = []
        for little in self.orders(parameters):
            try:
                lengths = self._select(buffer, start, end, little)
                return lengths.measure(buffer, start, end, little, parameters), little
            except DecodeError as error:
                problems.append(error)
        if len({problem.detail for problem in problems}) > 1:
            problems[0].detail += "; nor is it a record in little byte order"
        problems[0].needed = min((problem.needed for problem in problems if problem.needed), default=0)
        raise problems[0]

    def _select(self, buffer: Buffer, start: int, end: int, little: bool) -> Lengths:
        if not self.match:
            return self.lengths[0]
        found = {}
        for name, offset, code, load in self._probes[little]:
            if end - start < offset + code.size:
                error = _too_short(offset + code.size, f"needs {code.size} bytes, {end - start - offset} left")
                error.offset = offset
                raise error.within(name)
            value = code.unpack_from(buffer, start + offset)[0]
            found[name] = value if load is None else load(value)
        for lengths in self.lengths:
            if all(found[name] in values for name, values in lengths.match.items()):
                return lengths
        shown = ", ".join(f"{name} {value}" for name, value in found.items())
        raise DecodeError("unknown-layout", f"no layout for {shown}, so its length is unknown")

    def records(
        self, buffer: Buffer, parameters: Values, *, max_record_bytes: int = MAX_RECORD_BYTES
    ) -> Iterator[Record]:
        """The records of ``buffer`` in order, malformed ranges among them, together covering every byte."""
        start, end = 0, len(buffer)
        largest = max(max_record_bytes, MAX_RECORD_BYTES)
        while start < end:
            record = self._next(buffer, start, end, parameters, max_record_bytes)
            if not record.proven and self.resync:
                stop = self._resync(buffer, start + 1, end, parameters, max_record_bytes)
                record = replace(record, length=stop - start)
            if record.length > largest:
                yield from _pieces(record, largest)
            else:
                yield record
            start += record.length

    def _next(self, buffer: Buffer, start: int, end: int, parameters: Values, bound: int) -> Record:
        """The record at ``start``; without a length to be believed in, everything from there to ``end``."""
        left = end - start
        try:
            length, little = self.first(buffer, start, end, parameters)
            if length > bound:
                raise DecodeError("too-long", f"a record of {length} bytes, more than the {bound} allowed")
            if length <= 0:
                raise DecodeError("invalid-size", f"a record of {length} bytes")
        except DecodeError as error:
            error.offset += start
            return Record(start, left, proven=False, error=error)
        if length > left:
            cut = DecodeError("truncated", f"a record of {length} bytes, {left} left", start)
            return Record(start, left, little, error=cut)
        return Record(start, length, little)

    def _resync(self, buffer: Buffer, start: int, end: int, parameters: Values, bound: int) -> int:
        """Where the next record begins that proves itself; ``end`` if none does.

        A proof over a whole record, tried wherever one could begin, would cost the square of what is skipped. So the
        search is given up when it has summed up ``SEARCH_FACTOR`` times as much, and all that is left is malformed.
        """
        summed = 0
        for position in self._plausible(buffer, start, end, parameters, bound):
            record = self._next(buffer, position, end, parameters, bound)
            if record.proven:
                return position
            summed += record.error.needed if record.error and record.error.code == "checksum" else 0
            if summed > SEARCH_FREE + SEARCH_FACTOR * (position - start):
                return end
        return end

    def _plausible(self, buffer: Buffer, start: int, end: int, parameters: Values, bound: int) -> Iterator[int]:
        """Positions whose header fields allow a record, found without looking at every position of a run of one byte.

        What makes a position impossible is the bytes of its window alone, so the whole run of a byte is as impossible
        as its first position: zeros at the end of a preallocated file cost nothing.
        """
        tries = [(lengths, little) for lengths in self.lengths for little in self.orders(parameters)]
        window = max(lengths.size for lengths in self.lengths)
        run = re.compile(rb"(.)\1{%d,}" % window, re.DOTALL)
        anchor = self._anchor()
        position = start
        last = end - min(lengths.size for lengths in self.lengths)  # fewer bytes do not tell a length
        while position <= last:
            if anchor is not None:
                offset, value = anchor
                found_at = buffer.find(value, position + offset, last + offset + 1)
                if found_at < 0:
                    return
                position = found_at - offset
            if any(lengths.plausible(buffer, position, end, little, parameters, bound) for lengths, little in tries):
                yield position
            elif (found := run.match(buffer, position)) is not None:
                position = max(position, found.end() - window - 1)
            position += 1

    def _anchor(self) -> tuple[int, bytes] | None:
        """A byte every record has at one offset, if there is one to search for."""
        for name, offset, construct in self.match:
            values = {value for lengths in self.lengths for value in lengths.match.get(name, (None, None))}
            value = values.pop()
            if not values and value is not None and construct.sizeof() == 1:
                return offset, bytes([value])
        return None


def _pieces(record: Record, bound: int) -> Iterator[Record]:
    """A malformed range in pieces of ``bound`` bytes: nobody has to hold the rest of a large capture at once."""
    error = record.error
    assert error is not None
    end = record.offset + record.length
    for offset in range(record.offset, end, bound):
        told = DecodeError(error.code, error.detail, error.offset, error.field)
        yield replace(record, offset=offset, length=min(bound, end - offset), error=told)


def _too_short(needed: int, detail: str) -> DecodeError:
    """The error for a record of which so many bytes would tell the length."""
    error = DecodeError("truncated", detail)
    error.needed = needed
    return error
