"""The length of the record at a position: all there is, up to a terminator, or given by numbers at fixed offsets; and
the validity checks that confirm it.
"""

import re
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from wireloom.codec.checksums import Checksum, Sums
from wireloom.codec.ends import pattern
from wireloom.codec.errors import DecodeError, NoRecordError, counted
from wireloom.codec.fields import Field, packing_of
from wireloom.codec.frames import Frame, Values
from wireloom.codec.matching import Given, selections
from wireloom.expressions import Expression, Formula, expression

Buffer = bytes
_PIECE = 4096
"""How many bytes more are requested at least if a record is all there is."""


class Probe(NamedTuple):
    """A number at a fixed offset, and how to read it."""

    name: str
    offset: int
    code: struct.Struct
    load: Callable[[Any], Any] | None
    field: Field

    @classmethod
    def of(cls, field: tuple[str, int, Any], *, little: bool) -> "Probe":
        """The probe for a construct in a byte order."""
        name, offset, construct = field
        kind = packing_of(construct, little=little)
        assert kind is not None
        told = construct if isinstance(construct, Field) else Field(construct)
        return cls(name, offset, struct.Struct((kind.order or ">") + kind.code), kind.load, told)

    def read(self, buffer: Buffer, start: int) -> Any:
        """The number in the record at ``start``."""
        value = self.code.unpack_from(buffer, start + self.offset)[0]
        return value if self.load is None else self.load(value)


def _at_once(probes: Sequence[Probe]) -> struct.Struct | None:
    """A struct format for all these numbers, if they are side by side and none has another meaning."""
    orders = {probe.code.format[0] for probe in probes if probe.code.size > 1} or {">"}
    if len(orders) > 1 or any(probe.load is not None for probe in probes):
        return None
    code, at = orders.pop(), 0
    for probe in probes:
        if probe.offset < at:
            return None
        code += f"{probe.offset - at}x{probe.code.format[1:]}"
        at = probe.offset + probe.code.size
    return struct.Struct(code)


def in_words(values: Values, probes: Iterable[Probe]) -> str:
    """Header values as messages show them."""
    return ", ".join(f"{probe.name} {probe.field.shown(values[probe.name])}" for probe in probes)


class Look(NamedTuple):
    """The arguments of a look at a capture, which are those of ``Framing.first``."""

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


class Ends:
    """How the end of the records with some header values is found, by ``measure``.

    ``fields`` are (name, offset, construct) at fixed offsets. The end is trusted if ``valid`` holds for them; if one of
    the ``doubts`` also holds, only if a record follows there. If the checksum of the ``rest`` is wrong and no record
    follows, none may begin inside.
    """

    length: Expression | None = None
    checksum: tuple[str, Checksum] | None = None
    rest: Checksum | None = None
    enveloped = False
    """Whether something is around the contents of such a record."""

    def __init__(
        self,
        *fields: tuple[str, int, Any],
        match: Given | None = None,
        valid: Formula | None = None,
        doubts: Sequence[Formula] = (),
    ) -> None:
        self.fields = fields
        self.match = selections(match or {})
        self.valid = expression(valid)
        self.doubts = tuple(map(expression, doubts))
        self._doubt = expression(" or ".join(f"({doubt})" for doubt in doubts) or None)
        self.size = max((offset + construct.sizeof() for _, offset, construct in fields), default=0)
        self.window = self.size
        """How many bytes can make a position impossible."""
        self.probes = {little: [Probe.of(field, little=little) for field in fields] for little in (False, True)}
        self.given = self.probes
        self._names = [name for name, *_ in fields]
        self._at_once = {little: _at_once(probes) for little, probes in self.probes.items()}
        self.sums: dict[bool, Probe] = {}

    def measure(self, look: Look, start: int, little: bool) -> int:
        """The length of the record at ``start``. Raises ``DecodeError``, offset from ``start``, if it is not proven.

        No proof needs more bytes than the look's ``bound``.
        """
        raise NotImplementedError

    def possible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        """The length that the bytes at ``start`` give if their checksum is ignored; 0 if they cannot be a record."""
        raise NotImplementedError

    def doubted(self, look: Look, start: int, little: bool) -> str:
        """Why the length of a proven record is in doubt; empty if it is not."""
        if self._doubt is None:
            return ""
        frame = Frame(look.parameters)
        values = self._asked(look, start, little, frame)
        if not self._doubt.holds(values, values, frame):
            return ""
        return next(doubt.written for doubt in self.doubts if doubt.holds(values, values, frame))

    def unmet(self, values: Values, little: bool) -> str:
        """The message for a record whose ``valid`` does not hold."""
        assert self.valid is not None
        asked = {name.name for name in self.valid.names}
        shown = in_words(values, (probe for probe in self.given[little] if probe.name in asked))
        return f"{self.valid.written} expected, found {shown}"

    def _asked(self, look: Look, start: int, little: bool, frame: Frame) -> Values:
        """The values of ``fields``. Raises ``DecodeError`` if they are not there, or ``valid`` does not hold."""
        left = look.end - start
        if left < self.size:
            raise too_short(self.size, f"needs {counted(self.size, 'byte')} to tell its length, {left} left")
        values = self._values(look.buffer, start, little)
        if self.valid is not None and not self.valid.holds(values, values, frame):
            raise DecodeError("invalid", self.unmet(values, little))
        return values

    def _likely(self, buffer: Buffer, start: int, end: int, little: bool, frame: Frame) -> Values | None:
        """The values of ``fields``; None if they cannot be those of a record."""
        if end - start < self.size:
            return None
        values = self._values(buffer, start, little)
        return values if self.valid is None or self.valid.holds(values, values, frame) else None

    def _values(self, buffer: Buffer, start: int, little: bool) -> Values:
        at_once = self._at_once[little]
        if at_once is None:
            return {probe.name: probe.read(buffer, start) for probe in self.probes[little]}
        return dict(zip(self._names, at_once.unpack_from(buffer, start), strict=True))


class Everything(Ends):
    """The record is all there is: a file, a datagram, a value."""

    def measure(self, look: Look, start: int, little: bool) -> int:
        self._asked(look, start, little, Frame(look.parameters))
        left = look.end - start
        if look.bound is not None and left > look.bound:
            raise DecodeError("too-long", f"a record of more than the {counted(look.bound, 'byte')} allowed")
        if not look.final:
            raise too_short(2 * left + _PIECE, "has no end yet")
        return left

    def possible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        values = self._likely(buffer, start, end, little, Frame(parameters))
        return 0 if values is None else end - start


class Terminated(Ends):
    """The record ends with the bytes ``until``, or with one of ``others``, the first of them that there are. The last
    record of a capture may be ``unterminated``.
    """

    def __init__(self, until: bytes, *others: bytes, unterminated: bool = False) -> None:
        super().__init__()
        self.until = until
        self.ends = (until, *others)
        self.unterminated = unterminated
        self.enveloped = len(self.ends) > 1 or unterminated
        self.window = sys.maxsize

    def measure(self, look: Look, start: int, little: bool) -> int:
        left = look.end - start
        most = left if look.bound is None else min(left, look.bound)
        stop = after_terminator(look.buffer, self.ends, start, start + most)
        if stop >= 0:
            return stop - start
        if left > most:
            raise DecodeError("too-long", f"a record of more than the {counted(most, 'byte')} allowed")
        if self.unterminated and look.final and left:
            return left
        error = DecodeError("unterminated", f"no terminator {' or '.join(end.hex() for end in self.ends)}")
        error.needed = left + 1
        raise error

    def possible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        stop = after_terminator(buffer, self.ends, start, end)
        return end - start if stop < 0 else stop - start


def after_terminator(buffer: Buffer, ends: Sequence[bytes], start: int, end: int) -> int:
    """The place after the first of some terminators; -1 if there is none."""
    if len(ends) == 1:
        found = buffer.find(ends[0], start, end)
        return found if found < 0 else found + len(ends[0])
    match = pattern(ends).search(buffer, start, end)
    return -1 if match is None else match.end()


class BetweenFlags(Terminated):
    """The record ends with the first flag, one byte, that is behind another byte. The flags before that are its own."""

    def __init__(self, flag: bytes) -> None:
        super().__init__(flag)
        self.enveloped = True

    def measure(self, look: Look, start: int, little: bool) -> int:
        left = look.end - start
        most = left if look.bound is None else min(left, look.bound)
        begin = begin_after(look.buffer, self.until, start, start + most)
        if begin < start + most:
            found = look.buffer.find(self.until, begin, start + most)
            if found >= 0:
                return found + 1 - start
        if left > most:
            raise DecodeError("too-long", f"a record of more than the {counted(most, 'byte')} allowed")
        error = DecodeError("unterminated", f"no flag {self.until.hex()} after it")
        if begin == look.end:
            error = NoRecordError(f"no record after {'a flag' if left == 1 else 'flags'} {self.until.hex()}")
        error.needed = left + 1
        raise error

    def possible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        found = buffer.find(self.until, begin_after(buffer, self.until, start, end), end)
        return end - start if found < 0 else found + 1 - start


def begin_after(buffer: Buffer, flag: bytes, start: int, end: int) -> int:
    """The place of the first byte that is no flag, or the end."""
    found = _other_than(flag).search(buffer, start, end)
    return end if found is None else found.start()


@cache
def _other_than(flag: bytes) -> re.Pattern[bytes]:
    """A byte that is not the flag."""
    return re.compile(b"[^%s]" % re.escape(flag), re.DOTALL)


class Lengths(Ends):
    """Their ``length`` is computed from ``fields``, and trusted only if the field ``checksum`` is also right.

    That field is one of ``fields``, or ``stored`` gives its construct and its position.
    """

    def __init__(
        self,
        *fields: tuple[str, int, Any],
        length: Formula,
        match: Given | None = None,
        valid: Formula | None = None,
        doubts: Sequence[Formula] = (),
        checksum: tuple[str, Checksum] | None = None,
        stored: tuple[Any, Formula] | None = None,
        rest: tuple[tuple[str, int, Any], Checksum] | None = None,
    ) -> None:
        super().__init__(*fields, match=match, valid=valid, doubts=doubts)
        self.length: Expression = expression(length)
        self.checksum = checksum
        self.rest = rest[1] if rest else None
        self.seals = {little: Probe.of(rest[0], little=little) for little in (False, True)} if rest else {}
        self.stored = stored[0] if stored else None
        self.place = expression(stored[1]) if stored else None
        own = checksum[0] if checksum else ""
        self.given = {little: [probe for probe in self.probes[little] if probe.name != own] for little in self.probes}
        if checksum:
            found = (checksum[0], 0, stored[0]) if stored else next(f for f in fields if f[0] == checksum[0])
            self.sums = {little: Probe.of(found, little=little) for little in (False, True)}

    def measure(self, look: Look, start: int, little: bool) -> int:
        frame = Frame(look.parameters)
        values = self._asked(look, start, little, frame)
        if self.checksum is not None:
            probe = self.sums[little]
            if self.place is not None:
                probe = probe._replace(offset=self.place.ask(values, values, frame))
            name, checksum = self.checksum
            if wrong := self._wrong(look, start, checksum, probe, values, frame):
                raise DecodeError("checksum", wrong, probe.offset, name)
        return int(self.length.ask(values, values, frame))

    def doubted(self, look: Look, start: int, little: bool) -> str:
        """As ``Ends.doubted``; a record that is not there whole is not in doubt for its ``rest``."""
        doubt = super().doubted(look, start, little)
        if doubt or self.rest is None:
            return doubt
        frame, probe = Frame(look.parameters), self.seals[little]
        try:
            wrong = self._wrong(look, start, self.rest, probe, self._asked(look, start, little, frame), frame)
        except DecodeError:
            return ""
        return f"{probe.name} is wrong, {wrong}" if wrong else ""

    def _wrong(self, look: Look, start: int, checksum: Checksum, probe: Probe, values: Values, frame: Frame) -> str:
        """What is wrong with a checksum; empty if it is right. Raises ``DecodeError`` if bytes are missing."""
        first, last = checksum.start.ask(values, values, frame), checksum.end.ask(values, values, frame)
        self.reach(probe, first, last, look.end - start, look.bound)
        sums = look.sums or Sums()
        expected = sums.of(checksum.algorithm, look.buffer, start + first, start + last, look.base)
        found = probe.read(look.buffer, start)
        return "" if expected == found else differing(expected, found, probe.code.size)

    @staticmethod
    def reach(stored: Probe, first: int, last: int, left: int, bound: int | None) -> None:
        """Raises ``DecodeError`` if a checksum over the bytes from ``first`` to ``last``, or those bytes, are not
        there.
        """
        if min(first, stored.offset) < 0 or last < first:
            what = f"{stored.name} would be at byte {stored.offset}, the sum of {first} to {last}"
            raise DecodeError("invalid-size", what)
        needed = max(last, stored.offset + stored.code.size)
        if bound is not None and needed > bound:
            raise DecodeError("too-long", f"{counted(needed, 'byte')} to be summed up, more than the {bound} allowed")
        if needed > left:
            raise too_short(needed, f"needs {counted(needed, 'byte')}, {left} left")

    def possible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        frame = Frame(parameters)
        values = self._likely(buffer, start, end, little, frame)
        return 0 if values is None else int(self.length.ask(values, values, frame))


def differing(expected: int, found: int, size: int) -> str:
    """The message for a wrong checksum of ``size`` bytes."""
    digits = f"#0{2 + 2 * size}x"
    return f"{expected:{digits}} expected, found {found:{digits}}"


def too_short(needed: int, detail: str) -> DecodeError:
    """The error for a record whose length can be found with this many bytes."""
    error = DecodeError("truncated", detail)
    error.needed = needed
    return error
