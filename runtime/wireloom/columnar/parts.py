"""The parts of a layout, as the codec has them, for many rows at once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from wireloom.codec.computed import LIMITS
from wireloom.codec.meanings import Meaning
from wireloom.columnar import checksums
from wireloom.columnar.arrays import Column, Numbers, Spans
from wireloom.columnar.buffers import Array, Valid
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import Field, label, must_be_valid, number
from wireloom.columnar.frames import Values
from wireloom.columnar.meanings import meant
from wireloom.columnar.places import Scattered
from wireloom.columnar.refusals import Unit
from wireloom.columnar.rows import Rows
from wireloom.columnar.values import Rest, Size, ValueReader, left_over
from wireloom.columnar.vectors import Vector, true


class Part(Protocol):
    """One step of a layout."""

    @property
    def derived(self) -> Sequence[Field]:
        """The fields in it whose value follows from the rest of the record."""
        ...

    @property
    def fixed(self) -> int | None:
        """Its size, if it is the same in every row."""
        ...

    def read(self, at: Rows, this: Values) -> None:
        """Read it in each row, into ``this``."""
        ...


class Layout:
    """Parts in order. As a value, it reads a struct of its own."""

    def __init__(self, *steps: Part) -> None:
        self.steps = steps
        self.derived = [field for step in steps for field in step.derived]
        sizes = [step.fixed for step in steps]
        self.fixed = None if None in sizes else sum(size or 0 for size in sizes)

    def put(self, at: Rows, this: Values) -> None:
        """Read all parts into ``this``."""
        for step in self.steps:
            step.read(at, this)

    def read(self, at: Rows, this: Values) -> Column:
        return self.read_given(at, {})

    def read_given(self, at: Rows, given: dict[str, Any]) -> Column:
        """A struct whose expressions can also see these values."""
        inner = at.nested()
        inner.frame.given = given
        values = Values(inner.selected)
        self.put(inner, values)
        verify(inner, values, self.derived)
        at.leave(inner)
        return values.struct


class With:
    """A struct that is given ``values`` under names of its own, of which the ``items`` of lists must be there."""

    def __init__(self, layout: Layout, values: Mapping[str, Vectorised], items: Sequence[str]) -> None:
        self.layout = layout
        self.values = values
        self.items = items
        self.fixed = layout.fixed

    def read(self, at: Rows, this: Values) -> Column:
        given = {name: at.ask(value, this) for name, value in self.values.items()}
        for name in self.items:
            if isinstance(given[name], Vector) and given[name].valid is not None:
                at.doubt(~given[name].valid)
        return self.layout.read_given(at, given)


def verify(at: Rows, this: Values, derived: Iterable[Field]) -> None:
    """Refuse rows in which a derived field has a wrong value."""
    for field in derived:
        column = this.column(field.name)
        if column is None:
            continue
        present = np.ones(len(at), bool) if column.valid is None else column.valid
        if field.checksum is not None:
            present = present & ~at.batch.doubtful[at.index]
            found = column.data if isinstance(column, Numbers) else this[field.name].data
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
    texts = [f"{field.said.shown(one)} expected, found {field.said.shown(other)}" for one, other in pairs]
    with at.within(field.name):
        at.refuse(which, "checksum", at.frame.span(field.name)[0], texts)


def _refuse_derived(at: Rows, field: Field, which: Array, expected: Array, found: Array, valid: Valid) -> None:
    if expected.dtype.kind not in "iu" or found.dtype.kind not in "iu":
        at.doubt(which)
        return
    if valid is not None:
        at.doubt(which & ~valid)
    with at.within(field.name):
        wanted, given = field.in_words(expected, which), field.in_words(found, which)
        at.refuse(which, "derived", at.frame.span(field.name)[0], wanted, " expected, found ", given)


class Lone:
    """A value under its name. If it ``keeps`` the bytes that it is not written as, they are in its ``raw`` column; else
    rows that have such bytes are doubtful.

    Somebody asks where it has what the names ``inside`` lead to.
    """

    def __init__(self, field: Field, value: ValueReader, inside: Sequence[str] = (), *, keeps: bool = False) -> None:
        self.field = field
        self.keeps = keeps
        self.inside = inside if field.said.watched else ()
        self.derived = [field] if field.derive or field.checksum else []
        self.value = value
        self.fixed = value.fixed

    def read(self, at: Rows, this: Values) -> None:
        field, start = self.field, at.at
        kept = np.zeros(len(at), bool)
        at.kept = kept if self.keeps else None
        with at.within(field.name):
            column = self.value.read(at, this)
        at.kept = None
        if field.exacting and column.valid is not None:
            at.doubt(~column.valid)
        if isinstance(column, Numbers) and field.meaning is None:
            field.put(at, this, column.data, start, column.valid)
        else:
            this.put(field.name, column)
        if field.said.raw:
            this.put(field.said.raw, Spans(at.batch.buffer, start, at.at, kept))
        if field.located:
            at.frame.put(field.name, start, at.at)
        for name in self.inside:
            at.frame.put(f"{field.name}.{name}", *at.inner.span(name))
        if isinstance(field.const, str):
            at.doubt((this[field.name] != field.const).truth)
        must_be_valid(field, at, this, start)


Enclosing = tuple[Array, Scattered | None]
"""The ends of the regions around another, and the parts read out of sequence in them."""


class Section:
    """A region with a size. Bytes left over go to ``trailing`` or are doubtful."""

    def __init__(self, name: str, extent: Size | Rest, content: Layout, trailing: str | None) -> None:
        self.name = name
        self.extent = extent
        self.trailing = trailing
        self.content = content
        self.derived = content.derived
        self.fixed = extent.fixed

    def read(self, at: Rows, this: Values) -> None:
        outer = self.enter(at, this)
        self.content.put(at, this)
        self.leave(at, this, outer)

    def enter(self, at: Rows, this: Values) -> Enclosing:
        """Set the limits to the section's end, and return the old bounds."""
        outer, pos, shift = (at.limit, at.scattered), at.pos, at.shift
        with at.within(self.name):
            start, at.limit = self.extent.span(at, this)
        at.pos, at.shift = pos, shift
        at.frame.put(self.name, start, at.limit)
        at.scattered = Scattered()
        return outer

    def leave(self, at: Rows, this: Values, outer: Enclosing) -> None:
        """Handle the bytes left over in the section and restore the bounds."""
        start, end = left_over(at)
        if (left := start < end).any():
            if self.trailing is None:
                with at.within(self.name):
                    at.refuse(left, "trailing-bytes", start, end - start, Unit("byte"), " left over")
            else:
                this.put(self.trailing, Spans(at.batch.buffer, start, end, None if left.all() else left))
        at.move(at.limit)
        at.limit, at.scattered = outer


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

    def __init__(self, condition: Vectorised, content: Layout) -> None:
        self.condition = condition
        self.content = content
        self.derived = content.derived

    def read(self, at: Rows, this: Values) -> None:
        within(at, this, true(at.ask(self.condition, this)), self.content)


class Ordered:
    """Fields in a byte order of their own: numbers in either order are little endian in the rows where it holds."""

    def __init__(self, little: Vectorised, content: Layout) -> None:
        self.little = little
        self.content = content
        self.derived = content.derived
        self.fixed = content.fixed

    def read(self, at: Rows, this: Values) -> None:
        outer = at.little
        found = true(self.little(this, at.record, at.frame))
        at.little = found if isinstance(found, bool) else np.broadcast_to(found, len(at))
        self.content.put(at, this)
        at.little = outer


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

    def __init__(self, content: Layout) -> None:
        self.content = content
        self.derived = content.derived

    def read(self, at: Rows, this: Values) -> None:
        within(at, this, at.at < at.limit, self.content)


class Pad:
    """Zero bytes without a meaning: as many as ``extent`` says, or up to a multiple of ``align``.

    That is counted from the record's start, or from that of the section ``origin``.
    """

    derived: Sequence[Field] = ()

    def __init__(self, extent: Size, align: int, origin: str | None) -> None:
        self.extent = extent
        self.align = align
        self.origin = origin
        self.fixed = extent.fixed if align == 1 else None

    def read(self, at: Rows, this: Values) -> None:
        start, end = self.extent.span(at, this) if self.align == 1 else self._gap(at)
        if self.fixed != 0:
            others = at.batch.places(b"")
            stop = np.minimum(end, len(at.batch.buffer))
            if (wrong := np.searchsorted(others, start) < np.searchsorted(others, stop)).any():
                at.doubt(wrong)

    def _gap(self, at: Rows) -> tuple[Array, Array]:
        """From the cursors to the next multiple, where they go."""
        start, origin = at.at, at.start if self.origin is None else at.frame.span(self.origin)[0]
        count = (origin - start) % self.align
        at.need(count)
        at.move(start + count)
        return start, start + count


_NARROW = {"byte": np.int8, "short": np.int16, "int": np.int32}


class Computed:
    """A value that is not in the bytes."""

    derived: Sequence[Field] = ()
    fixed = 0

    def __init__(self, field: Field, value: Vectorised, kind: str, meaning: Meaning | None) -> None:
        self.field = field
        self.value = value
        self.limits = LIMITS.get(kind)
        self.narrow = _NARROW.get(kind)
        self.kind = kind
        self.meaning = meaning

    def read(self, at: Rows, this: Values) -> None:
        name = self.field.name
        data, valid = number(self.value(this, at.record, at.frame), at)
        if self.limits is not None:
            wrong = (data < self.limits[0]) | (data > self.limits[1])
            if (which := wrong if valid is None else wrong & valid).any():
                with at.within(name):
                    at.refuse(which, "range", at.at, self.field.in_words(data, which), f" does not fit a {self.kind}")
        if self.meaning is not None:
            this.put(name, self._meant(at, Numbers(data, valid), self.meaning))
            return
        numbers = Numbers(data if self.narrow is None else data.astype(self.narrow), valid)
        this.put(name, numbers)
        label(this, name, numbers, self.field.enum)

    @staticmethod
    def _meant(at: Rows, numbers: Numbers, meaning: Meaning) -> Column:
        """The meaning of the numbers, null for those without one."""
        found = meant(meaning, numbers)
        if found.doubtful is not None:
            at.doubt(found.doubtful)
        if found.none is None or not isinstance(found.column, Numbers):
            return found.column
        return Numbers(found.column.data, ~found.none if numbers.valid is None else numbers.valid & ~found.none)


class Fallback:
    """Something left to the codec: rows that get here are doubted."""

    derived: Sequence[Field] = ()
    fixed = None

    def read(self, at: Rows, this: Values) -> None:
        at.doubt(np.ones(len(at), bool))
