"""Records as functions that read them: one for the values that select a message, and one for each such choice."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from construct import Container

from wireloom.codec.frames import Values
from wireloom.codec.message import Message, Record, Slot, Variant
from wireloom.codec.reader import Reader
from wireloom.codec.straight.flow import HEADER, MESSAGE, Nest
from wireloom.codec.straight.source import Script, StraightLine
from wireloom.codec.straight.state import AgainError, ColumnKey, ConditionalLines, EndedError
from wireloom.codec.straight.terms import NONE, Certain, UnsaidError, distance, text_of
from wireloom.codec.straight.values import PartLines

_TAKEN = ("data", "parameters", "end", "row", "number", "_")


def selecting(record: Record, names: tuple[str, ...], *, little: bool) -> StraightLine:
    """The function that reads the header fields of these ``names``; None for records that are in doubt.

    Raises ``UnsaidError`` if they are not in the header.
    """
    header = Nest(HEADER, HEADER, dict.fromkeys(column.name for column in record.columns))

    def write(asked: set[ColumnKey]) -> PartLines:
        parts = PartLines(Script(_TAKEN), asked, little=little, known={}, bare=True)
        parts.header = header
        for step in record.head.steps:
            if all((HEADER, name) in parts.state.values for name in names):
                break
            parts.step(step, header)
            parts.flush()
        terms = [parts.value_of(header, name) for name in names]
        if NONE in terms:
            raise UnsaidError("what selects messages")
        parts.source.add(f"return ({''.join(f'{text_of(term)}, ' for term in terms)})")
        return parts

    return _function(_written(write), "select", "selection")


def reading(
    message: Message, row: Values, known: Values, byte_order: str | None, recorded: tuple[str, ...], *, little: bool
) -> StraightLine:
    """The function that reads a record of a message whose selecting fields are ``known``; None if it is in doubt.

    ``row`` has all columns of a row, ``recorded`` are those that are parameters. Raises ``UnsaidError`` if all records
    are in doubt.
    """

    def write(asked: set[ColumnKey]) -> PartLines:
        parts = RecordLines(Script(_TAKEN), asked, little=little, known=known)
        with suppress(EndedError):
            parts.record(message, row, byte_order, recorded)
        if not parts.returns:
            raise UnsaidError("; ".join(parts.branches.doubts))
        return parts

    return _function(_written(write), f"read_{message.name}", f"{message.name} {known}")


def _written(write: Callable[[set[ColumnKey]], PartLines]) -> PartLines:
    """What is written, with all the places that it turns out to need."""
    asked: set[ColumnKey] = set()
    while True:
        try:
            return write(asked)
        except AgainError as again:
            asked.add(again.key)


def _function(parts: PartLines, name: str, title: str) -> StraightLine:
    source, head = parts.source, ["end = len(data)"]
    if parts.weight:
        head += [f"if end > {Reader.HEAVIEST // parts.weight}:", "    return None"]
    source.lines[:0] = head
    return source.function(name, "data, parameters", title)


class RecordLines(PartLines):
    """Writes the function that reads a message from bytes to a row."""

    returns = 0
    """How many ways lead to a row."""

    def record(self, message: Message, row: Values, byte_order: str | None, recorded: tuple[str, ...]) -> None:
        """The whole record. ``row`` has all columns of a row, ``recorded`` are those that are parameters."""
        self.message = message
        self.header = Nest(HEADER, HEADER, dict.fromkeys(column.name for column in message.record.columns))
        self.this = Nest(MESSAGE, HEADER, message.empty)
        self.row = row
        self.byte_order = byte_order
        self.recorded = recorded
        self.layout(message.record.head, self.header)
        self._parts(0, None)

    def _parts(self, number: int, variant: Variant | None) -> None:
        """The parts of the record from that ``number`` on; the function ends behind them."""
        if number == len(self.message.plan):
            self._end(variant)
            return
        slot, common, decisive = self.message.plan[number]
        if slot is None:
            self.layout(common, self.header)
            self._parts(number + 1, variant)
            return
        outer = self.enter(slot, self.header)
        self.layout(common, self.this)
        if not decisive:
            self._slot(number, slot, outer, variant)
            return
        self.choose(
            [
                *(self._variant(number, slot, outer, each) for each in self.message.variants),
                (None, lambda: self._slot(number, slot, outer, None)),
            ]
        )

    def _variant(self, number: int, slot: Slot, outer: Any, variant: Variant) -> ConditionalLines:
        condition = None if variant.when is None else self.scope(self.this).ask(variant.when)
        return condition, lambda: self._slot(number, slot, outer, variant)

    def _slot(self, number: int, slot: Slot, outer: Any, variant: Variant | None) -> None:
        """The rest of a slot, and what follows it."""
        if variant is not None and slot.name in variant.sections:
            self.layout(variant.sections[slot.name], self.this)
        self.leave(self.this, outer, self.message.trailing.get(slot.name))
        self._parts(number + 1, variant)

    def _end(self, variant: Variant | None) -> None:
        message = self.message
        self.flush()
        self.verify(self.this, message.derived[variant.name if variant else None])
        rules = (message.valid, variant.valid if variant else message.otherwise)
        for rule in rules:
            if rule is not None:
                self.must_hold(rule, self.this)
        self.verify(self.header, message.record.derived)
        left = distance(self.state.pos, self.state.limit)
        if left != 0:
            self.branches.refuse(f"{self.state.pos} != {self.state.limit}")
        if "variant" in self.this.columns:
            name = variant.name if variant else None
            self.let(self.this, "variant", Certain(name, repr(name)))
        self._return()
        self.returns += 1
        raise EndedError

    def _return(self) -> None:
        template, later = dict(self.row), {}
        template["message"] = self.message.name
        for name in self.header.columns:
            term = self.value_of(self.header, name)
            if isinstance(term, Certain):
                template[name] = self.source.bound.get(term.text, term.value)
            else:
                later[name] = term
        later |= {name: f"parameters[{name!r}]" for name in self.recorded}
        if self.byte_order in template:
            later.pop(self.byte_order, None)
            template[self.byte_order] = "little" if self.little else "big"
        add, container = self.source.add, self.source.bind("Container", Container)
        add(f"row = {container}({self.source.bind('row', template)})")
        for name, text in later.items():
            add(f"row[{name!r}] = {text}")
        add(f"row[{self.message.name!r}] = {self.container(self.this)}")
        add("return row")
