"""Straight lines: functions that read single records without going through their parts.

They are written in Python from the codec's own parts when some records of a kind have been read, and compiled. They say
nothing of records that are malformed, or that they have no lines for: those are in doubt, and left to the parts.
"""

import struct
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from construct import Container

from wireloom.codec.coercion import fits, fitting
from wireloom.codec.dispatch import Dispatch
from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing
from wireloom.codec.longs import Longs
from wireloom.codec.message import Record
from wireloom.coercion import LITERALS
from wireloom.options import U64, Parameter, U64Type

if TYPE_CHECKING:
    from wireloom.codec.straight.source import StraightLine

MANY = 32
"""So many records of a kind are read by the parts before a function is written for them."""
_KINDS = 512
"""How many kinds of records there are functions for at most."""
_LONG = U64Type.LONG.value  # as a text, which is compared in a fraction of the time
_DOUBTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
"""What is raised where a record is in doubt."""


def nothing(*_: object) -> None:
    """Leaves every record to the parts."""


RecordKind = tuple[Any, ...]
"""Records for which one function is written: the byte order, and the values that select the message. If they are to be
written, the message and its variant, too.
"""


class Straight:
    """The straight lines of a protocol. ``row`` has all columns of a row: the message, the ``recorded`` parameters, the
    header and the messages' structs; ``longs`` are the numbers in it that readers may want as longs.

    Each is written once so ``many`` records of its kind were met.
    """

    def __init__(
        self,
        record: Record,
        dispatch: Dispatch,
        framing: Framing,
        row: Values,
        recorded: tuple[Parameter, ...],
        longs: Longs,
    ) -> None:
        self.record = record
        self.dispatch = dispatch
        self.framing = framing
        self.row = row
        self.recorded = recorded
        self.longs = longs
        self.many = MANY
        self._names = list(row)
        self._header = 1 + len(recorded)
        self._structs = self._header + len(record.columns)
        self._met: dict[object, int] = {}
        self._select: dict[bool, StraightLine] = {}
        self._measure: dict[bool, StraightLine | None] = {}
        self._read: dict[RecordKind, StraightLine] = {}
        self._write: dict[RecordKind, StraightLine] = {}

    def parse(self, data: bytes, parameters: Values) -> Container | None:
        """The row of exactly one record; None if it is in doubt."""
        if self._read:
            little = self.order(data, parameters)
            return None if little is None else self.read(data, parameters, little=little)
        return None

    def order(self, data: bytes, parameters: Values) -> bool | None:
        """The byte order, as ``little``, in which alone the bytes are exactly one record; None if that is in doubt."""
        found = None
        if not data:
            return None
        try:
            for little in self.framing.orders(parameters):
                measure = self._measure[little] if little in self._measure else self._measuring(little)
                if measure is None:
                    length, little = self.framing.first(data, 0, len(data), parameters)
                    return little if length == len(data) else None
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
        select = self._select.get(little) or self._selecting(little)
        try:
            kind = little, select(data, parameters)
            read = self._read.get(kind) or self._reading(kind, parameters)
            row: Container | None = read(data, parameters)
        except _DOUBTS:
            return None
        return None if row is None or self._has_too_large(row, parameters) else row

    def message(self, data: bytes, parameters: Values, *, little: bool) -> str | None:
        """The name of the message that a record in that byte order is of, unless its header is malformed; None if that
        is in doubt.
        """
        select = self._select.get(little) or self._selecting(little)
        try:
            values = select(data, parameters)
            known = dict(zip(self.dispatch.fields, values, strict=True))
            return self.dispatch.message_of(known, parameters).name
        except (*_DOUBTS, DecodeError):
            return None

    def build(self, row: Any, parameters: Values) -> bytes | None:
        """The bytes of a row; None if it is in doubt, and whatever is wrong with it."""
        try:
            return self._build(row, parameters)
        except _DOUBTS:
            return None

    def _build(self, row: Any, parameters: Values) -> bytes | None:
        if list(row) != self._names:
            row = {**self.row, **row}
            if len(row) != len(self._names):
                return None
        if self._has_too_large(row, parameters):
            return None
        values = list(row.values())
        at = self._struct_of(values)
        if not at:
            return None
        for value in values[self._structs : at] + values[at + 1 :]:
            if value is not None:  # which others can be equal to
                return None
        for number, parameter in enumerate(self.recorded, 1):
            value = values[number]
            if value is not None and value is not parameters[parameter.name]:
                if type(value) not in LITERALS:
                    return None
                parameters = {**parameters, parameter.name: parameter.value_of(value)}
        little = True in self.framing.orders(parameters)[:1]
        header = [*self.record.coercion(values[self._header : self._structs])]
        struct: Any = {} if values[at] is None else values[at]
        if not isinstance(struct, (dict, Mapping)):
            return None
        selecting = []
        for number, fit in self._selected:
            value = header[number]
            if type(value) not in fit and not fits(type(value), fit):
                return None  # what is equal to a number, as a float may be, is not written as it
            selecting.append(value)
        variant = struct.get("variant") if self.dispatch.messages[self._names[at]].variants else None
        if type(variant) not in LITERALS:
            return None
        kind = (little, at, variant, *selecting)
        write = self._write.get(kind) or self._writing(kind, selecting, parameters)
        data: bytes | None = write(header, struct, parameters)
        return data if data is not None and self.order(data, parameters) is little else None

    def _has_too_large(self, row: Values, parameters: Values) -> bool:
        """Whether a number is too large for whoever wants longs. Those that the spec bounds are seen to by lines."""
        return parameters.get(U64.name) == _LONG and not self.longs.fit(row)

    def _struct_of(self, values: list[Any]) -> int | None:
        """The number of the column with the struct of the message that a row is of; None if it does not say."""
        if type(values[0]) is str:
            return self._places.get(values[0])
        found = [number for number in self._places.values() if values[number] is not None]
        return found[0] if len(found) == 1 and values[0] is None else None

    @cached_property
    def _places(self) -> dict[str, int]:
        """The numbers of the columns of messages."""
        return {name: number for number, name in enumerate(self._names) if name in self.dispatch.messages}

    @cached_property
    def _selected(self) -> list[tuple[int, frozenset[type]]]:
        """The numbers of the header's columns that select messages, and the types that fit them. Raises ``ValueError``
        if other things do.
        """
        names = self._names[self._header : self._structs]
        found = [names.index(name) for name in self.dispatch.fields]
        return [(number, fitting(self.record.columns[number].type)) for number in found]

    def lacking(self) -> tuple[list[str], list[str]]:
        """The messages that have no straight line to be read by, and those that have none to be written by."""
        from wireloom.codec.straight.reading import reading, selecting
        from wireloom.codec.straight.records import writing
        from wireloom.codec.straight.terms import UnsaidError

        def lacks(write: Callable[..., object], *arguments: object) -> bool:
            try:
                write(*arguments, little=False)
            except UnsaidError:
                return True
            return bool(self.record.until)

        header = dict.fromkeys(column.name for column in self.record.columns)
        names, order = tuple(parameter.name for parameter in self.recorded), self.framing.byte_order
        unread, unwritten = [], []
        unselected = lacks(selecting, self.record, self.dispatch.fields)
        for name, message in self.dispatch.messages.items():
            known = {field: selection.any for field, selection in message.match.items()}
            if unselected or lacks(reading, message, self.row, known, order, names):
                unread.append(name)
            if unselected or lacks(writing, message, (*message.variants, None), header, known, ()):
                unwritten.append(name)
        return unread, unwritten

    def _is_many(self, kind: object) -> bool:
        """Count a record of that kind; whether there were so many that a function is worth it."""
        if kind not in self._met and len(self._met) >= _KINDS:
            for each in (self._met, self._read, self._write):
                each.clear()  # what is common is soon met again
        met = self._met[kind] = self._met.get(kind, 0) + 1
        return met > self.many

    def _selecting(self, little: bool) -> "StraightLine":
        if not self._is_many(little):
            return nothing
        from wireloom.codec.straight.reading import selecting
        from wireloom.codec.straight.terms import UnsaidError

        try:
            found = nothing if self.record.until else selecting(self.record, self.dispatch.fields, little=little)
        except UnsaidError:
            found = nothing
        self._select[little] = found
        return found

    def _measuring(self, little: bool) -> "StraightLine | None":
        from wireloom.codec.straight.proofs import measuring
        from wireloom.codec.straight.terms import UnsaidError

        try:
            self._measure[little] = measuring(self.framing, little=little)
        except UnsaidError:
            self._measure[little] = None
        return self._measure[little]

    def _reading(self, kind: tuple[bool, Any], parameters: Values) -> "StraightLine":
        """The function that reads a kind of records, once it has been met often enough."""
        little, values = kind
        if values is None or not self._is_many(kind):
            return nothing
        from wireloom.codec.straight.reading import reading
        from wireloom.codec.straight.terms import UnsaidError

        self._read[kind] = nothing
        known = dict(zip(self.dispatch.fields, values, strict=True))
        names = tuple(parameter.name for parameter in self.recorded)
        try:
            message = self.dispatch.message_of(known, parameters)
            self._read[kind] = reading(message, self.row, known, self.framing.byte_order, names, little=little)
        except (UnsaidError, DecodeError):
            pass  # the message has no straight line, or there is no message
        return self._read[kind]

    def _writing(self, kind: RecordKind, selecting: list[Any], parameters: Values) -> "StraightLine":
        """The function that writes a kind of records, once it has been met often enough."""
        if not self._is_many(("written", *kind)):
            return nothing
        from wireloom.codec.straight.records import writing
        from wireloom.codec.straight.terms import UnsaidError

        self._write[kind] = nothing
        message = self.dispatch.messages[self._names[kind[1]]]
        variants = tuple(each for each in (*message.variants, None) if kind[2] in (None, each and each.name))
        known: Values = {}
        filled: list[str] = []
        for name, value in zip(self.dispatch.fields, selecting, strict=True):
            if value is None and name in message.match:
                value = message.match[name].first
                filled += [column.name for column in self.record.columns if column.name == f"{name}_name"]
            known[name] = int(value) if isinstance(value, int) and not isinstance(value, bool) else value
        header = dict.fromkeys(column.name for column in self.record.columns)
        try:
            if not self.record.until and self.dispatch.message_of(known, parameters) is message:
                self._write[kind] = writing(message, variants, header, known, tuple(filled), little=kind[0])
        except (UnsaidError, DecodeError):
            pass
        return self._write[kind]
