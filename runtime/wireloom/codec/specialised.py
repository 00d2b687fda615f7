"""Specialised parse and build functions, generated as Python source per message kind after some records of it.

They come from the record's program (``wireloom.programs``). A function returns None for anything that looks wrong or
that no program says; the parts of the codec then decide.
"""

import struct
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple

from construct import Container

from wireloom.codec.compression import DamagedError, OverflowingError
from wireloom.codec.dispatch import Dispatch
from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing
from wireloom.codec.longs import Longs
from wireloom.codec.message import Message, Record
from wireloom.coercion import LITERALS
from wireloom.options import U64, Parameter, U64Type

MANY = 32
"""So many records of a kind are read by the parts before a function is made for them."""
_KINDS = 512
"""For how many kinds of records there are functions at most."""
_LONG = U64Type.LONG.value  # as a text, which is compared in a fraction of the time
_REFUSED = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(struct.error, DamagedError, OverflowingError),
)
"""What functions raise for records that the parts decide on."""

RowFunction = Callable[..., Any]


def nothing(*_: object) -> None:
    """Leaves every record to the parts."""


class _Setting(NamedTuple):
    """The functions for records of one byte order with the same parameters: for what selects a message, whether bytes
    are a record, and whether they begin with one. The framing decides that where there are no functions for it.
    """

    maker: Any
    select: RowFunction
    is_record: RowFunction | None
    begins: RowFunction | None


class Specialised:
    """The functions of a protocol. ``row`` has all columns of a row: the message, the ``recorded`` parameters, the
    header and the messages' structs; ``longs`` are the numbers in it that readers may want as longs.

    Each is made once so ``many`` records of its kind were met.
    """

    def __init__(
        self,
        protocol: Any,
        dispatch: Dispatch,
        row: Values,
        recorded: tuple[Parameter, ...],
        longs: Longs,
    ) -> None:
        self.protocol = protocol
        self.record: Record = protocol.record
        self.framing: Framing = protocol.framing
        self.dispatch = dispatch
        self.row = row
        self.recorded = recorded
        self.longs = longs
        self.many = MANY
        self._names = list(row)
        self._header = 1 + len(recorded)
        self._structs = self._header + len(self.record.columns)
        self._met: dict[object, int] = {}
        self._settings: dict[tuple[Any, ...], _Setting | None] = {}
        self._latest: dict[bool, tuple[Values, _Setting]] = {}
        """The setting that was last asked for of each byte order, and its parameters, which are often the same."""
        self._read: dict[tuple[Any, ...], RowFunction] = {}
        self._write: dict[tuple[Any, ...], RowFunction] = {}

    def parse(self, data: bytes, parameters: Values) -> Container | None:
        """The row of exactly one record; None if the parts decide, as they do on envelopes."""
        if not self._read or self.framing.enveloped:
            return None
        little = self.order(data, parameters)
        return None if little is None else self._row(data, parameters, little, proven=True)

    def order(self, data: bytes, parameters: Values) -> bool | None:
        """The byte order, as ``little``, in which alone the bytes are exactly one record; None if the parts decide."""
        if not data:
            return None
        try:
            orders = self.framing.orders(parameters)
            if len(orders) > 1:
                orders = tuple(each for each in orders if self._begins(data, parameters, each))
                if len(orders) != 1:
                    return None
            setting = self._setting(orders[0], parameters)
            if setting is not None and setting.is_record is not None:
                return orders[0] if setting.is_record(data) else None
            length, little = self.framing.first(data, 0, len(data), parameters)
            return little if length == len(data) else None
        except (*_REFUSED, DecodeError):
            return None

    def _begins(self, data: bytes, parameters: Values, little: bool) -> bool:
        """Whether bytes may begin with a record in that byte order."""
        setting = self._setting(little, parameters)
        try:
            return setting is None or setting.begins is None or setting.begins(data) is not None
        except _REFUSED:
            return False

    def read(self, data: bytes, parameters: Values, *, little: bool) -> Container | None:
        """The row of a record in that byte order; None if the parts decide."""
        return self._row(data, parameters, little, proven=False)

    def _row(self, data: bytes, parameters: Values, little: bool, *, proven: bool) -> Container | None:
        try:
            setting = self._setting(little, parameters)
            if setting is None or (values := setting.select(data)) is None:
                return None
            kind = id(setting), proven, *values
            read = self._read.get(kind) or self._reading(kind, setting, values, parameters, proven)
            row: Container | None = read(data)
        except _REFUSED:
            return None
        return None if row is None or self._has_too_large(row, parameters) else row

    def message(self, data: bytes, parameters: Values, *, little: bool) -> str | None:
        """The name of the message that a record in that byte order is of, unless its header is malformed; None if the
        parts decide, as they do on envelopes.
        """
        if self.framing.enveloped:
            return None
        try:
            setting = self._setting(little, parameters)
            values = None if setting is None else setting.select(data)
            return None if values is None else self._message_of(values, parameters).name
        except (*_REFUSED, DecodeError):
            return None

    def build(self, row: Any, parameters: Values) -> bytes | None:
        """The bytes of a row; None if the parts decide."""
        try:
            return self._build(row, parameters)
        except _REFUSED:
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
        orders = self.framing.orders(parameters)
        setting = self._setting(orders[0], parameters)
        this: Any = {} if values[at] is None else values[at]
        if setting is None or not isinstance(this, dict):
            return None
        header = values[self._header : self._structs]
        variant = this.get("variant")
        if type(variant) not in LITERALS:
            return None
        selected = []
        for place in self._selecting:
            value = header[place]
            if value is not None and not isinstance(value, int):
                return None
            selected.append(value if value is None else int(value))
        kind = id(setting), at, variant, *selected, *map(type, header), *this, *map(type, this.values())
        write = self._write.get(kind) or self._writing(kind, setting, at, header, this)
        data: bytes | None = write(header, this)
        return data if data is None or len(orders) == 1 or self.order(data, parameters) is orders[0] else None

    def _has_too_large(self, row: Values, parameters: Values) -> bool:
        """Whether a number is too large for whoever wants longs. Those that the spec bounds are seen to by programs."""
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
    def _selecting(self) -> list[int]:
        """The places of the header's columns that select messages."""
        return [place for place, column in enumerate(self.record.columns) if column.name in self.dispatch.fields]

    def lacking(self) -> tuple[list[str], list[str]]:
        """The messages that have no function to be read by, and those that have none to be written by."""
        back_end = _back_end()
        maker = back_end.RecordFunctions(self.protocol, self.row, self._assumed, little=False)
        unread, unwritten = [], []
        unselected = back_end.unless_left(maker.select, self.dispatch.fields) is None
        for name, message in self.dispatch.messages.items():
            known = {field: selection.any for field, selection in message.match.items()}
            if unselected or back_end.unless_left(maker.read, name, known, proven=False) is None:
                unread.append(name)
            if unselected or not maker.can_write(name):
                unwritten.append(name)
        return unread, unwritten

    @property
    def _assumed(self) -> Values:
        return {parameter.name: parameter.assumed for parameter in self.protocol.parameters}

    def _is_many(self, kind: object) -> bool:
        """Count a record of that kind; whether there were so many that a function is worth it."""
        if kind not in self._met and len(self._met) >= _KINDS:
            for each in (self._met, self._settings, self._latest, self._read, self._write):
                each.clear()  # what is common is soon met again
        met = self._met[kind] = self._met.get(kind, 0) + 1
        return met > self.many

    def _setting(self, little: bool, parameters: Values) -> _Setting | None:
        """The functions for that byte order and these parameters; None if there are none, or not yet."""
        latest = self._latest.get(little)
        if latest is not None and latest[0] is parameters:
            return latest[1]
        key = little, *parameters.values()
        found = self._settings.get(key)
        if found is not None:
            self._latest[little] = parameters, found
        elif key not in self._settings and self._is_many(key):
            back_end = _back_end()
            maker = back_end.RecordFunctions(self.protocol, self.row, parameters, little=little)
            select = back_end.unless_left(maker.select, self.dispatch.fields)
            if select is not None:
                proofs = (back_end.unless_left(maker.proof, exact=exact) for exact in (True, False))
                found = _Setting(maker, select, *proofs)
            self._settings[key] = found
        return found

    def _message_of(self, values: tuple[Any, ...], parameters: Values) -> Message:
        return self.dispatch.message_of(dict(zip(self.dispatch.fields, values, strict=True)), parameters)

    def _reading(
        self, kind: tuple[Any, ...], setting: _Setting, values: tuple[Any, ...], parameters: Values, proven: bool
    ) -> RowFunction:
        """The function that reads a kind of records, once it has been met often enough."""
        if not self._is_many(kind):
            return nothing
        self._read[kind] = nothing
        known = dict(zip(self.dispatch.fields, values, strict=True))
        try:
            message = self.dispatch.message_of(known, parameters)
        except DecodeError:  # no message is like that
            return nothing
        found = _back_end().unless_left(setting.maker.read, message.name, known, proven=proven)
        if found is not None:
            self._read[kind] = found
        return self._read[kind]

    def _writing(
        self, kind: tuple[Any, ...], setting: _Setting, at: int, header: list[Any], this: Values
    ) -> RowFunction:
        """The function that writes a kind of records, once it has been met often enough."""
        if not self._is_many(("written", *kind)):
            return nothing
        self._write[kind] = nothing
        message = self.dispatch.messages[self._names[at]]
        columns = [column.name for column in self.record.columns]
        above = {name: value for name, value in zip(columns, header, strict=True) if value is not None}
        given = {name: type(value) for name, value in this.items() if value is not None}
        number = _variant_of(message, given, this.get("variant"))
        if number is not None and message.empty.keys() >= this.keys():
            settled = {name: int(above[name]) for name in self.dispatch.fields if name in above}
            types = {name: type(value) for name, value in above.items()}
            found = _back_end().unless_left(setting.maker.write, message.name, types, given, settled, number)
            if found is not None:
                self._write[kind] = found
        return self._write[kind]


def _variant_of(message: Message, given: Mapping[str, type], variant: Any) -> int | None:
    """The number of the first variant that has all that is given, -1 for none of them; None if no layout has."""
    for number, each in chain(enumerate(message.variants), [(-1, None)]):
        if variant in (None, each and each.name) and message.fitting(each).issuperset(given):
            return number
    return None


def _back_end() -> Any:
    """What makes functions of programs. It is above the codec, and imported when a kind of records is met often."""
    return import_module("wireloom.backends.python.records")
