"""Invented messages: Hypothesis strategies read off a protocol's own messages, field by field.

A strategy gives the values of a row that somebody could write down: what is derived, constant, or only a label is not
among them. A few combinations cannot be written, as when the values would read back as another variant; those raise
``EncodeError`` and are to be thrown away.
"""

import math
from collections.abc import Callable, Collection, Iterator
from itertools import product
from typing import Any

from hypothesis import strategies as st

from support.invented_values import (
    TABLE_VALUES,
    characters_of,
    literals,
    meant,
    numbers,
    octets,
    of_bits,
    of_column,
    of_type,
    packed_text,
    text,
)
from wireloom.codec import (
    As,
    Ascii,
    Bits,
    Blob,
    Choice,
    Constant,
    Elsewhere,
    Field,
    IbmFloat,
    Layout,
    Message,
    Nested,
    Optional,
    Ordered,
    Packed,
    PackedText,
    Pad,
    Prefixed,
    Protocol,
    Repeat,
    Rest,
    Section,
    Size,
    Text,
    Unpack,
    Variant,
    When,
    With,
)
from wireloom.codec.computed import Computed
from wireloom.codec.envelopes import KeptRecord
from wireloom.codec.fields import packing_of
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.frames import Frame
from wireloom.codec.layout import Lone
from wireloom.codec.matching import Selection
from wireloom.codec.runs import Run
from wireloom.codec.values import value_type
from wireloom.expressions import Expression
from wireloom.expressions.tree import Value

Values = dict[str, Any]

NUMBERS = (*range(21), 0x303, 0xFFF7)
"""Among which the numbers that select a variant are looked for."""


def shapes(protocol: Protocol) -> Iterator[tuple[Message, Variant | None]]:
    """Every message in each of its variants, and in none of them where that can be."""
    for message in protocol.messages.values():
        yield from ((message, variant) for variant in message.variants)
        if message.otherwise is None or message.otherwise.tree != Value(False):
            yield message, None


def rows(message: Message, variant: Variant | None, parameters: Values) -> st.SearchStrategy[Values]:
    """Rows of ``message``: its header's values, and its own under its name."""

    @st.composite
    def draw(draw: st.DrawFn) -> Values:
        return _Row(draw, message, variant, parameters).draw()

    return draw()


def asked(expression: Expression) -> frozenset[str]:
    """The names in an expression."""
    return frozenset(name.name for _, name in expression.mentions)


def selecting(message: Message, variant: Variant | None, names: frozenset[str]) -> list[Values]:
    """Values for which the variant's condition holds, or that of none, as far as it is about values to be chosen."""
    if variant is None:
        found = [each.when for each in message.variants if each.when is not None and names >= asked(each.when)]
        if len(frozenset().union(*map(asked, found))) > 2:  # more values than are worth trying
            return [{}]
        return _tried(found, lambda values: not any(each.holds(values, values, Frame({})) for each in found)) or [{}]
    when = variant.when
    if when is None or not names >= asked(when):
        return [{}]
    return _tried([when], lambda values: when.holds(values, values, Frame({})))


def _tried(conditions: list[Expression], wanted: Callable[[Values], bool]) -> list[Values]:
    """Of the values of all names in the conditions, those that are wanted."""
    names = sorted(frozenset().union(*map(asked, conditions)))
    known = dict.fromkeys((*NUMBERS, *(number for each in conditions for number in literals(each))))
    tried = (dict(zip(names, numbers, strict=True)) for numbers in product(known, repeat=len(names)))
    return [values for values in tried if wanted(values)]


def _selecting(selection: Selection) -> st.SearchStrategy[Any]:
    """Values that select a message."""
    listed = [st.sampled_from(sorted(selection.listed, key=repr))] if selection.listed else []
    return st.one_of(*listed, *(st.integers(least, most) for least, most in selection.spans))


class _Row:
    """One row while it is drawn."""

    def __init__(self, draw: st.DrawFn, message: Message, variant: Variant | None, parameters: Values) -> None:
        self.choose = draw
        self.message = message
        self.variant = variant
        self.frame = Frame(parameters)
        self.record: Values = dict.fromkeys(column.name for column in message.record.columns)
        for name, selection in message.match.items():
            if name in self.record:
                self.record[name] = draw(_selecting(selection))
        self.derived: set[str] = set()
        self.asked: frozenset[str] = frozenset()
        self.room = True
        """Whether more bytes in the section would not change what was drawn for it."""

    def draw(self) -> Values:
        """The row."""
        record = self.message.record
        head = {name for step in record.head.steps for name in step.showing}
        shown = {name for layout in self._layouts() for name in layout.showing}
        this = dict(self.message.empty)
        for name, value in self.choose(
            st.sampled_from(selecting(self.message, self.variant, frozenset(head | shown)))
        ).items():
            (self.record if name in head else this)[name] = value
        self._fill(record.head, self.record)
        for part in record.tail:
            if isinstance(part, Layout):
                self._fill(part, self.record)
                continue
            self.room = True
            for layout in self._layouts(part.name):
                self._fill(layout, this)
            self._trail(self.message.trailing.get(part.name), this)
        own = _chosen(this, self.message.hidden)
        return {"message": self.message.name, **_chosen(self.record), self.message.name: own}

    def _layouts(self, slot: str | None = None) -> list[Layout]:
        sections = (self.message.sections, self.variant.sections if self.variant else {})
        return [layout for found in sections for name, layout in found.items() if slot in (None, name)]

    def _trail(self, name: str | None, this: Values) -> None:
        if name is not None and self.room and self.choose(st.integers(0, 3)) == 0:
            this[name] = self.choose(st.binary(min_size=1, max_size=8))

    def _fill(self, layout: Layout, this: Values) -> None:
        for _, field in layout.derived:
            self.asked |= asked(field.derive) if field.derive else frozenset()
        for step in layout.steps:
            self._step(step, this)

    def _step(self, step: Any, this: Values) -> None:
        match step:
            case Run():
                for name, field in step.fields:
                    self._number(name, field, numbers(field), this)
                    if field.raw is not None and field.meaning is not None:
                        this[name], this[field.raw] = field.meaning.kept(this[name])
            case Bits(bitmap=first):
                for name, field, _, _ in step.fields:
                    self._number(name, field, of_bits(field.subcon), this)
                    if first and field.derived:
                        this[name] = self.choose(st.booleans())
            case Lone() if step.derived:
                self.derived.add(step.name)
            case Lone():
                this[step.name] = self._value(step.subcon, this)
            case Pad():
                pass
            case Encoded():
                fields = step.encoding.table.fields
                this[step.name] = {field.name: self.choose(TABLE_VALUES[field.type]) for field in fields}
                self.room = False
            case Computed():
                if step.name in self.asked:
                    this[step.name] = self.choose(st.integers(0, 40))
            case Section():
                self._section(step, this)
            case Unpack():
                self.room = True
                self._fill(step.content, this)
                self._trail(step.trailing, this)
            case When():
                if step.condition.holds(this, self.record, self.frame) or self.choose(st.booleans()):
                    self._fill(step.content, this)
            case Choice():
                self._choice(step, this)
            case Ordered() | Elsewhere(shared=False):
                self._fill(step.content, this)
            case Elsewhere():
                pass  # what it says, others say
            case KeptRecord():
                pass  # the record is as it would be written
            case Optional():
                self.room = self.choose(st.booleans())
                if self.room:
                    self._fill(step.content, this)
            case _:
                raise NotImplementedError(type(step).__name__)

    def _number(self, name: str, field: Field, kind: st.SearchStrategy[Any], this: Values) -> None:
        if field.derived:
            self.derived.add(name)
        elif field.const is None and this[name] is None:
            this[name] = self.choose(kind)

    def _section(self, section: Section, this: Values) -> None:
        size = section.extent.size if isinstance(section.extent, Size) else None
        if isinstance(size, Expression) and not any(
            name in self.derived or this.get(name) is not None for name in asked(size)
        ):
            return  # what would give it a size is not there
        self.room = True
        self._fill(section.content, this)
        self._trail(section.trailing, this)

    def _choice(self, choice: Choice, this: Values) -> None:
        for option in choice.alternatives:
            if isinstance(option, Layout):
                return self._fill(option, this)
            if option.condition.holds(this, self.record, self.frame):
                return self._fill(option.content, this)
        return None

    def _value(self, kind: Any, around: Values) -> Any:
        match kind:
            case Blob() | Text():
                self.room = self.room and not isinstance(kind.extent, Rest)
                return self.choose(octets(kind.extent) if isinstance(kind, Blob) else text(kind.encoding))
            case PackedText(known=known, counted=Prefixed()):
                return self.choose(characters_of(known, 0, 9))
            case PackedText(known=known, characters=characters):
                self.room = self.room and not isinstance(kind.extent, Rest)
                return self.choose(packed_text(known, characters.pad, kind.extent.fixed))
            case As(subcon=inner) if packing_of(kind) is None:
                raw = octets(inner.extent) if isinstance(inner, Blob) else of_column(value_type(inner))
                return self.choose(meant(kind, raw))
            case Repeat():
                fixed = literals(kind.count) if kind.count is not None and not kind.count.mentions else []
                count = st.sampled_from(fixed) if len(fixed) == 1 else st.integers(0, 3)
                items = [self._value(kind.item, around) for _ in range(self.choose(count))]
                self.room = False
                return items
            case Layout():
                this = dict.fromkeys(column.name for column in kind.columns())
                self._fill(kind, this)
                return _chosen(this, kind.hidden)
            case Nested():
                return self._value(kind.layout, around)
            case With():
                outer, self.frame = self.frame, Frame(self.frame.parameters)
                self.frame.given = {name: value.ask(around, self.record, outer) for name, value in kind.values.items()}
                inner = self._value(kind.layout, around)
                self.frame = outer
                return inner
            case Packed():
                return self._value(kind.value, around)
            case Constant():
                return kind.value
            case IbmFloat():
                return self.choose(st.integers(-(1 << 20), 1 << 20).map(lambda number: number / 16))
            case Ascii():
                return self.choose(st.integers(0, min(kind.most, kind.base**kind.digits - 1)))
        return self.choose(of_type(kind))


def _chosen(values: Values, hidden: Collection[str] = ()) -> Values:
    return {name: value for name, value in values.items() if value is not None and name not in hidden}


def assert_says(found: Any, said: Any, path: str = "") -> None:
    """See that ``found`` has everything that ``said`` has; it may have more."""
    match said:
        case dict():
            for name, value in said.items():
                assert_says(found[name], value, f"{path}.{name}")
        case list():
            assert len(found) == len(said), path
            for index, value in enumerate(said):
                assert_says(found[index], value, f"{path}[{index}]")
        case float() if math.isnan(said):
            assert math.isnan(found), path
        case _:
            assert found == said, path
