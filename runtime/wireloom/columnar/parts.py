"""The parts of a layout, as the codec has them, for many rows at once."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from wireloom.codec import WireEnum
from wireloom.codec.computed import LIMITS
from wireloom.columnar import checksums
from wireloom.columnar.arrays import Column, Numbers, Spans
from wireloom.columnar.buffers import Array, Valid
from wireloom.columnar.expressions import vector
from wireloom.columnar.fields import Block, Field, Number, Rule, label, must_be_valid, number
from wireloom.columnar.refusals import Unit
from wireloom.columnar.rows import Rows, Values
from wireloom.columnar.values import Rest, Size, Value
from wireloom.columnar.vectors import true
from wireloom.expressions import Written


class Part(Protocol):
    """One step of a layout."""

    @property
    def derived(self) -> Sequence[Field]:
        """The fields in it whose value follows from the rest of the record."""
        ...

    @property
    def fixed(self) -> int | None:
        """How many bytes it takes, if they are as many in every row."""
        ...

    def read(self, at: Rows, this: Values) -> None:
        """Read it in each row, into ``this``."""
        ...


class Layout:
    """Fields and parts in order. As a value, it reads a struct of its own."""

    def __init__(self, *items: Any) -> None:
        self.steps: list[Part] = list(_steps(items))
        self.derived = [field for step in self.steps for field in step.derived]
        sizes = [step.fixed for step in self.steps]
        self.fixed = None if None in sizes else sum(size or 0 for size in sizes)

    def put(self, at: Rows, this: Values) -> None:
        """Read all parts into ``this``."""
        for step in self.steps:
            step.read(at, this)

    def read(self, at: Rows, this: Values) -> Column:
        inner = at.nested(at.at, at.limit)
        inner.ahead = self.fixed or inner.ahead
        values = Values(inner)
        self.put(inner, values)
        verify(inner, values, self.derived)
        at.move(inner.at)
        return values.struct


def _steps(items: Iterable[Any]) -> Iterable[Part]:
    run: list[Field] = []
    for item in items:
        field = item if isinstance(item, Field) else None
        if run and (field is None or len({each.value.order for each in (*run, field)} - {""}) > 1):
            yield Block(run)  # as the codec has them, which says what is wrong with one block before it reads the next
            run = []
        if field is None:
            yield item
        else:
            run.append(field)
    if run:
        yield Block(run)


def verify(at: Rows, this: Values, derived: Iterable[Field]) -> None:
    """Refuse rows in which a derived field is not what it must be."""
    for field in derived:
        column = this.column(field.name)
        if column is None:
            continue
        present = np.ones(len(at), bool) if column.valid is None else column.valid
        if field.checksum is not None:
            present = present & ~at.batch.doubtful[at.index]
            found = this[field.name].data
            wrong, sums = checksums.wrong(field.checksum, at, this, np.flatnonzero(present), found)
            if len(wrong):
                _refuse_sums(at, field, wrong, sums, found)
        elif field.derive is not None:
            expected, valid = number(field.derive(this, at.record, at.frame), at)
            same = this[field.name].data == expected
            if valid is not None:
                same &= valid
            if (differs := present & ~same).any():
                _refuse_derived(at, field, differs, expected, this[field.name].data, valid)


def _refuse_sums(at: Rows, field: Field, wrong: Array, sums: Array, found: Array) -> None:
    which = np.zeros(len(at), bool)
    which[wrong] = True
    pairs = zip(sums.tolist(), found[wrong].tolist(), strict=True)
    texts = [f"{field.shown(one)} expected, found {field.shown(other)}" for one, other in pairs]
    with at.within(field.name):
        at.refuse(which, "checksum", at.frame.span(field.name)[0], texts)


def _refuse_derived(at: Rows, field: Field, which: Array, expected: Array, found: Array, valid: Valid) -> None:
    if expected.dtype.kind not in "iu" or found.dtype.kind not in "iu":
        at.doubt(which)
        return
    if valid is not None:
        at.doubt(which & ~valid)
    with at.within(field.name):
        wanted, given = field.told(expected, which), field.told(found, which)
        at.refuse(which, "derived", at.frame.span(field.name)[0], wanted, " expected, found ", given)


class Named:
    """A value under its name; a ``located`` one is asked for its place."""

    def __init__(
        self, name: str, value: Value, *, valid: Written | None = None, located: bool = False, hex: bool = False
    ) -> None:
        self.name = name
        self.value = value
        self.valid = None if valid is None else Rule(valid)
        self.located = located
        self.derived: list[Field] = []
        self.fixed = value.fixed
        self.shown = Field(name, "u1", hex=hex)

    def read(self, at: Rows, this: Values) -> None:
        start = at.at
        with at.within(self.name):
            this.put(self.name, self.value.read(at, this))
        if self.located:
            at.frame.put(self.name, start, at.at)
        if self.valid is not None:
            must_be_valid(self.shown, self.valid, at, this, start)


class Section:
    """A region with a size. What is left over goes to ``trailing`` or is doubtful."""

    def __init__(self, name: str, extent: Size | Rest, *items: Any, trailing: str | None = None) -> None:
        self.name = name
        self.extent = extent
        self.trailing = trailing
        self.content = Layout(*items)
        self.derived = self.content.derived
        self.fixed = extent.fixed

    def read(self, at: Rows, this: Values) -> None:
        outer = self.enter(at, this)
        self.content.put(at, this)
        self.leave(at, this, outer)

    def enter(self, at: Rows, this: Values) -> Array:
        """Set the limits to the section's end; the limits there were."""
        outer, pos, shift = at.limit, at.pos, at.shift
        with at.within(self.name):
            start, at.limit = self.extent.span(at, this)
        at.pos, at.shift = pos, shift
        at.frame.put(self.name, start, at.limit)
        return outer

    def leave(self, at: Rows, this: Values, outer: Array) -> None:
        """Deal with what is left of the section and set the limits back."""
        start, end = at.at, at.limit
        if (left := start < end).any():
            if self.trailing is None:
                with at.within(self.name):
                    at.refuse(left, "trailing-bytes", start, end - start, Unit("byte"), " left over")
            else:
                this.put(self.trailing, Spans(at.batch.buffer, start, end, None if left.all() else left))
        at.move(end)
        at.limit = outer


class Slot(Section):
    """A section of the record that messages fill."""


def within(at: Rows, this: Values, holds: Any, content: Layout) -> None:
    """Read ``content`` in the rows where ``holds``."""
    if holds is True or (holds is not False and holds.all()):
        content.put(at, this)
    elif holds is not False and holds.any():
        inner, values = at.only(np.flatnonzero(holds), this)
        content.put(inner, values)
        at.merge(inner, this, values)


class When:
    """Fields that are there only if a condition holds."""

    fixed = None

    def __init__(self, condition: Written, *items: Any) -> None:
        self.condition = vector(condition)
        self.content = Layout(*items)
        self.derived = self.content.derived

    def read(self, at: Rows, this: Values) -> None:
        within(at, this, true(self.condition(this, at.record, at.frame)), self.content)


class Choice:
    """The first of several alternatives whose condition holds; a last one without a condition holds always."""

    fixed = None

    def __init__(self, *alternatives: When | Layout) -> None:
        self.alternatives = alternatives
        every = [field for option in alternatives for field in option.derived]
        self.derived = list({field.name: field for field in every}.values())

    def read(self, at: Rows, this: Values) -> None:
        conditions = [
            true(option.condition(this, at.record, at.frame)) if isinstance(option, When) else True
            for option in self.alternatives
        ]
        free: Any = True
        for option, holds in zip(self.alternatives, conditions, strict=True):
            if not np.any(holds):
                continue
            mine = holds if free is True else np.logical_and(free, holds)
            content = option.content if isinstance(option, When) else option
            within(at, this, bool(mine) if np.ndim(mine) == 0 else mine, content)
            free = np.logical_and(free, np.logical_not(holds))


class Optional:
    """Fields that are there if bytes are left in the section."""

    fixed = None

    def __init__(self, *items: Any) -> None:
        self.content = Layout(*items)
        self.derived = self.content.derived

    def read(self, at: Rows, this: Values) -> None:
        within(at, this, at.at < at.limit, self.content)


class Bit:
    """Some bits of an integer under their name."""

    def __init__(self, name: str, width: int, *, boolean: bool = False, **options: Any) -> None:
        self.width = width
        self.boolean = boolean
        self.kind = np.min_scalar_type((1 << width) - 1)
        self.field = Field(name, "u1", bits=width, **options)


class Bits:
    """An integer split into bit fields, most significant first."""

    def __init__(self, code: str, *fields: Bit) -> None:
        self.word = Number(code)
        self.fields = fields
        self.derived = [bit.field for bit in fields if bit.field.derive]
        self.fixed = self.word.size

    def read(self, at: Rows, this: Values) -> None:
        start = at.at
        with at.within(self.fields[0].field.name):
            raw, offset = at.gather(self.word.size)
        word = self.word.of(raw, at.little, offset)
        kind = np.dtype(np.uint64 if self.word.odd else f"u{self.word.size}").type
        word = word.astype(kind)
        shift = 8 * self.word.size
        for bit in self.fields:
            shift -= bit.width
            value = word >> kind(shift) & kind((1 << bit.width) - 1)
            data = value != 0 if bit.boolean else value.astype(bit.kind)
            bit.field.put(at, this, data, start)
            at.frame.put(bit.field.name, start, at.at)
            if bit.field.valid is not None:
                must_be_valid(bit.field, bit.field.valid, at, this, start)


class Pad:
    """Zero bytes without a meaning: ``size`` of them, or up to a multiple of ``align`` from the record's start."""

    def __init__(self, size: int = 0, *, align: int = 1) -> None:
        self.size = size
        self.align = align
        self.derived: list[Field] = []
        self.fixed = size if align == 1 else None

    def read(self, at: Rows, this: Values) -> None:
        start = at.at
        count = self.size + -(start - at.start + self.size) % self.align
        at.need(count)
        most = self.size + self.align - 1
        if most:
            stop = np.minimum(start + count, len(at.batch.buffer))
            others = at.batch.places(b"")
            if (wrong := np.searchsorted(others, start) < np.searchsorted(others, stop)).any():
                at.doubt(wrong)
        at.move(start + count)


_NARROW = {"byte": np.int8, "short": np.int16, "int": np.int32}


class Compute:
    """A value that is not in the bytes; ``kind`` is its table type."""

    fixed = 0

    def __init__(
        self,
        name: str,
        value: Written,
        kind: str,
        *,
        enum: type[WireEnum] | None = None,
        labels: bool = True,
        hex: bool = False,
    ) -> None:
        self.name = name
        self.value = vector(value)
        self.hex = hex
        self.limits = LIMITS.get(kind)
        self.kind = _NARROW.get(kind)
        self.type = kind
        self.enum = enum if labels else None
        self.derived: list[Field] = []

    def read(self, at: Rows, this: Values) -> None:
        data, valid = number(self.value(this, at.record, at.frame), at)
        if self.limits is not None:
            wrong = (data < self.limits[0]) | (data > self.limits[1])
            if (which := wrong if valid is None else wrong & valid).any():
                self._refuse(at, which, data)
        numbers = Numbers(data if self.kind is None else data.astype(self.kind), valid)
        this.put(self.name, numbers)
        label(this, self.name, numbers, self.enum)

    def _refuse(self, at: Rows, which: Array, data: Array) -> None:
        shown = [f"{number:#04x}" if self.hex and number >= 0 else str(number) for number in data[which].tolist()]
        with at.within(self.name):
            at.refuse(which, "range", at.at, shown, f" does not fit a {self.type}")


class Fallback:
    """Something that is left to the codec, in the rows that come here."""

    derived: Sequence[Field] = ()
    fixed = None

    def read(self, at: Rows, this: Values) -> None:
        at.doubt(np.ones(len(at), bool))
