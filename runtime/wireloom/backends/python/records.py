"""Python functions for single records, generated from their programs."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

from construct import Container

from wireloom.backends.python.instructions import InstructionSource
from wireloom.backends.python.results import ResultSource, asked_texts, doubles, lists_of, registers
from wireloom.backends.python.rows import RowSource, RowValue
from wireloom.backends.python.source import Script
from wireloom.codec import Protocol
from wireloom.codec.coercion import fitting
from wireloom.codec.columns import Column, ColumnType, ListOf
from wireloom.codec.frames import Values
from wireloom.codec.reader import Reader
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.records import RecordLowering
from wireloom.programs.values import Datum, Listing, NoProgramError, Number
from wireloom.programs.writing.inputs import ITEM, Kind, Outline
from wireloom.programs.writing.layout import Arranging, InnerArranging
from wireloom.programs.writing.outlines import outline_of
from wireloom.programs.writing.records import write_record

Specialisation = Callable[[bytes], Any]
"""Returns None for a record that the program does not accept, or raises an error of values."""
Types = Mapping[str, type]
"""The types of values by the columns that they are given for."""
_TAKEN = ("data", "end", "row", "left")
_BEGINNING = {op.START: "0", op.STOP: "end", op.ONES: "True"}


class RecordFunctions:
    """Functions for the records of a protocol, in one byte order and with the same ``parameters``. ``row`` has all
    columns of a row. All methods raise ``NoProgramError`` if no program says what is asked for.
    """

    def __init__(self, protocol: Protocol, row: Values, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.records = RecordLowering(protocol, parameters, little=little)
        self.row = row | {each.name: parameters[each.name] for each in protocol.parameters if each.name in row}
        if protocol.framing.byte_order in row:
            self.row[protocol.framing.byte_order] = "little" if little else "big"

    def proof(self, *, exact: bool) -> Specialisation:
        """Returns True for bytes that are exactly one record, as far as its framing goes; unless ``exact``, also for
        those that begin with one.
        """
        at = self.records.proof(exact=exact)
        if at.left:
            raise NoProgramError("some of the lengths")
        source = self._begun(at.asm, ())[0]
        source.add("return True")
        return source.function("is_proven", "data", f"{self.records.protocol.name} proof")

    def select(self, names: Sequence[str]) -> Specialisation:
        """Returns the values of these columns of the header as a tuple, with None for what is none."""
        at, parameters = self.records.head(), self.records.parameters
        kinds = {each.name: each.type for each in self.records.protocol.record.columns}
        if not parameters.keys() | kinds.keys() >= set(names):
            raise NoProgramError("messages that a struct of the header selects")
        known = [_unnamed(at.record.columns.get(name)) for name in names]
        source, instructions = self._begun(at.asm, [(each, "") for each in known], judging=False)
        results = ResultSource(source, instructions)
        texts = [results.value(each, kinds.get(name, "")) for name, each in zip(names, known, strict=True)]
        source.add(f"return ({''.join(f'{text}, ' for text in texts)})")
        return source.function("select", "data", f"{self.records.protocol.name} selection")

    def read(self, message: str, selected: Mapping[str, Any], *, proven: bool) -> Specialisation:
        """Returns the row of a record of a message, whose header has the values that are ``selected``. Records that the
        framing has verified are ``proven``.
        """
        numbers = {name: int(value) for name, value in selected.items() if isinstance(value, int)}
        at = self.records.head(settled=numbers)
        number = self._code(message)
        said = self.records.messages[number]
        level = self.records.message(number, at, None if proven else _never)
        found: dict[str, Datum] = {**at.record.columns}
        header = [each for each in said.record.columns if each.name in found]
        values: list[tuple[Datum | None, ColumnType]] = [(found[each.name], each.type) for each in header]
        values += [(level.columns.get(each.name), each.type) for each in said.columns]
        source, instructions = self._begun(at.asm, values, heavy=at.heavy)
        results = ResultSource(source, instructions)
        texts = {each.name: results.value(found[each.name], each.type) for each in header}
        struct = results.struct(said.columns, level.columns)
        source.add(
            f"row = {source.bind('Container', Container)}({source.bind('row', self.row | {'message': message})})"
        )
        for name, text in texts.items():
            source.add(f"row[{name!r}] = {text}")
        source.add(f"row[{message!r}] = {struct}")
        source.add("return row")
        if instructions.pads:
            source.lines.insert(instructions.begun, f"data += bytes({instructions.pads})")
        return source.function(f"read_{message}", "data", f"{message} {selected} from bytes")

    def write(
        self,
        message: str,
        header: Mapping[str, type],
        given: Mapping[str, type],
        settled: Mapping[str, int],
        number: int,
    ) -> Specialisation:
        """Returns the bytes of a row of a message that has values of these types in columns of the header and of the
        message; that ``number`` is the one of its variant. Some numbers of the header are ``settled``.
        """
        protocol = self.records.protocol
        if protocol.record.until:
            raise NoProgramError("a terminator of records")
        if protocol.record.envelope is not None:
            raise NoProgramError(protocol.record.envelope.described)
        code = self._code(message)
        above = _given(protocol.record.columns, header)
        inside = _given(self.records.messages[code].columns, given)
        outlines = {each.name: outline_of(each.type, missing=False) for _, each in above if not each.label}
        asked = [each for _, each in inside if not each.label and each.name != "variant"]
        fields = tuple((each.name, outline_of(each.type, missing=False)) for each in asked)
        outlines[message] = Outline(Kind.STRUCT, 0, missing=False, fields=fields)
        laid, inputs, read, lists = write_record(self.records, code, outlines, settled)
        _check_items(laid)
        source = Script(("header", "this", "item", *_TAKEN))
        row = RowSource(source, laid.asm, _BEGINNING, inputs, number)
        row.items = laid.items
        for place, each in above:
            if not each.label:
                row.take((each.name,), each, f"header[{place}]", header[each.name])
        for each in asked:
            row.take((message, each.name), each, f"this[{each.name!r}]", given[each.name])
        for path, items in laid.items.items():
            row.join(path, self._items(items, row.values[path].kind), items.asked)
        row.total = laid.total
        row.program((laid.total, *(each for one in lists.values() for each in (one.where, *registers(one.found)))))
        _check_budget(source, list(lists_of(one.found for one in lists.values())), read.heavy)
        results = ResultSource(source, row)
        for path, one in lists.items():
            differs = f"{results.value(replace(one.found, valid=op.ONES), one.type)} != {row.values[path].name}"
            row.refuse(differs, one.where)
        return row.finish(f"write_{message}", "header, this", f"{message} to bytes")

    def can_write(self, message: str) -> bool:
        """Whether there are functions that write rows of a message, whatever columns these have values for."""
        if self.records.protocol.record.until or self.records.protocol.record.envelope is not None:
            return False
        code = self._code(message)
        for missing, lists in product((True, False), repeat=2):  # one of these may be what is said
            header, fields = (
                tuple(
                    (each.name, outline_of(each.type, missing=missing))
                    for each in columns
                    if lists or not isinstance(each.type, ListOf)
                )
                for columns in (self.records.protocol.record.columns, self.records.messages[code].columns)
            )
            struct = Outline(Kind.STRUCT, 0, missing=False, fields=fields)
            with suppress(NoProgramError):
                laid, *_ = write_record(self.records, code, {**dict(header), message: struct})
                _check_items(laid)
                return True
        return False

    def _code(self, message: str) -> int:
        """The number of a message."""
        return next(number for number, each in enumerate(self.records.messages) if each.name == message)

    def _items(self, items: InnerArranging, kind: ColumnType) -> Specialisation:
        """Returns the bytes of an item of a list of that type."""
        assert isinstance(kind, ListOf)
        source = Script(("item", *_TAKEN))
        row = RowSource(source, items.asm, _BEGINNING, items.inputs, -1)
        row.items = items.items
        columns = {each.name: each for each in self.records.protocol.record.columns}
        for name in items.asked:
            row.values[name,] = RowValue(source.lasting(name), columns[name].type, missing=False)
        row.take((ITEM,), Column("item", kind.element), "item", None)
        for path, inner in items.items.items():
            row.join(path, self._items(inner, row.values[path].kind), inner.asked)
        row.total = items.total
        row.program((items.total,))
        names = ", ".join(["item", *(row.values[name,].name for name in items.asked)])
        return row.finish("write_item", names, "item to bytes")

    def _begun(
        self, asm: Assembler, asked: Sequence[tuple[Datum | None, ColumnType]], *, judging: bool = True, heavy: int = 0
    ) -> tuple[Script, InstructionSource]:
        """A function that has followed a program up to the values that are ``asked`` for, in columns of these types.
        There are so many ``heavy`` values that may have all bytes of the record again.
        """
        source, data = Script(_TAKEN), [known for known, _ in asked]
        source.add("end = len(data)")
        _check_budget(source, list(lists_of(data)), heavy)
        if until := self.records.protocol.record.until:
            source.add(f"if not data.endswith({until!r}): return None")
        instructions = InstructionSource(source, asm, _BEGINNING, doubles(*data), asked_texts(*asked))
        instructions.begun = len(source.lines)
        instructions.program(registers(*data), judging=judging)
        return source, instructions


def _check_budget(source: Script, lists: Sequence[Listing], heavy: int) -> None:
    """Leave out records whose lists may weigh too much, and say how many bytes may be read that belong to others."""
    weight, share = sum(each.weight for each in lists), Reader.SHARED // Reader.STEP
    if any(each.borrowed for each in lists):
        source.add(f"left = {share - heavy} * end")
        weight = (1 + share) * (1 + weight)
    if weight:
        source.add(f"if end > {Reader.HEAVIEST // weight}: return None")


def _given(columns: Sequence[Column], types: Types) -> list[tuple[int, Column]]:
    """The columns that are given, by their places. Raises ``NoProgramError`` for labels of numbers that are not."""
    found = [(place, each) for place, each in enumerate(columns) if each.name in types]
    for _, each in found:
        if each.label and (each.name.rpartition("_")[0] not in types or types[each.name] not in fitting(each.type)):
            raise NoProgramError("a number that only its label tells")
    return found


def _check_items(laid: Arranging) -> None:
    """Raises ``NoProgramError`` for bytes that are changed, and for lists that ask for more than the header."""
    for each in laid.items.values():
        if each.change is not None or any(len(path) > 1 for path in each.asked.values()):
            raise NoProgramError("bytes that are changed, or a list that asks for what is around it")
        _check_items(each)


def unless_left(make: Callable[..., Specialisation], *arguments: Any, **options: Any) -> Specialisation | None:
    """A function; None if no program says it."""
    try:
        return make(*arguments, **options)
    except NoProgramError:
        return None


def _unnamed(known: Datum | None) -> Datum | None:
    return replace(known, names=None) if isinstance(known, Number) else known


def _never(name: str, checksum: object) -> bool:
    return False
