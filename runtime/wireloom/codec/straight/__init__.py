"""Straight lines: functions that read single records without going through their parts.

They are written in Python from the codec's own parts when some records of a kind have been read, and compiled. They say
nothing of records that are malformed, or that they have no lines for: those are in doubt, and left to the parts.
"""

import struct
from typing import TYPE_CHECKING, Any

from construct import Container

from wireloom.codec.dispatch import Dispatch
from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing
from wireloom.codec.message import Record

if TYPE_CHECKING:
    from wireloom.codec.straight.source import StraightLine

MANY = 32
"""So many records of a kind are read by the parts before a function is written for them."""
_KINDS = 512
"""How many kinds of records there are functions for at most."""
_DOUBTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
"""What is raised where a record is in doubt."""


def nothing(data: bytes, parameters: Values) -> None:
    """Leaves every record to the parts."""


class Straight:
    """The straight lines of a protocol. ``row`` has all columns of a row, ``recorded`` are those that are parameters.

    Each is written once so ``many`` records of its kind were met.
    """

    def __init__(
        self, record: Record, dispatch: Dispatch, framing: Framing, row: Values, recorded: tuple[str, ...]
    ) -> None:
        self.record = record
        self.dispatch = dispatch
        self.framing = framing
        self.row = row
        self.recorded = recorded
        self.many = MANY
        self._met = 0
        self._select: dict[bool, StraightLine] = {}
        self._measure: dict[bool, StraightLine] = {}
        self._read: dict[tuple[bool, tuple[Any, ...]], StraightLine] = {}
        self._seen: dict[tuple[bool, tuple[Any, ...]], int] = {}

    def parse(self, data: bytes, parameters: Values) -> Container | None:
        """The row of exactly one record; None if it is in doubt."""
        little = self.order(data, parameters)
        return None if little is None else self.read(data, parameters, little=little)

    def order(self, data: bytes, parameters: Values) -> bool | None:
        """The byte order, as ``little``, in which alone the bytes are exactly one record; None if that is in doubt."""
        if self._met < self.many:
            return None
        found = None
        try:
            for little in self.framing.orders(parameters):
                measure = self._measure.get(little) or self._measuring(little)
                length = measure(data, parameters)
                if length is not None:
                    if found is not None or length != len(data):
                        return None
                    found = little
        except _DOUBTS:
            return None
        return found

    def read(self, data: bytes, parameters: Values, *, little: bool) -> Container | None:
        """The row of a record in that byte order; None if it is in doubt."""
        if self._met < self.many:
            self._met += 1
            return None
        select = self._select.get(little) or self._selecting(little)
        try:
            kind = little, select(data, parameters)
            read = self._read.get(kind) or self._reading(kind, parameters)
            row: Container | None = read(data, parameters)
        except _DOUBTS:
            return None
        return row

    def _selecting(self, little: bool) -> "StraightLine":
        from wireloom.codec.straight.reading import selecting
        from wireloom.codec.straight.terms import UnsaidError

        try:
            found = nothing if self.record.until else selecting(self.record, self.dispatch.fields, little=little)
        except UnsaidError:
            found = nothing
        self._select[little] = found
        return found

    def _measuring(self, little: bool) -> "StraightLine":
        from wireloom.codec.straight.proofs import measuring
        from wireloom.codec.straight.terms import UnsaidError

        try:
            found: StraightLine = measuring(self.framing, little=little)
        except UnsaidError:
            found = nothing
        self._measure[little] = found
        return found

    def _reading(self, kind: tuple[bool, Any], parameters: Values) -> "StraightLine":
        """The function for a kind of records, written once it has been met often enough."""
        from wireloom.codec.straight.reading import reading
        from wireloom.codec.straight.terms import UnsaidError

        little, values = kind
        if len(self._seen) < _KINDS or kind in self._seen:
            self._seen[kind] = self._seen.get(kind, 0) + 1
        if values is None or self._seen.get(kind, 0) < self.many:
            return nothing
        self._read[kind] = nothing
        known = dict(zip(self.dispatch.fields, values, strict=True))
        try:
            message = self.dispatch.message_of(known, parameters)
            self._read[kind] = reading(message, self.row, known, self.framing.byte_order, self.recorded, little=little)
        except (UnsaidError, DecodeError):
            pass  # the message has no straight line, or there is no message
        return self._read[kind]
