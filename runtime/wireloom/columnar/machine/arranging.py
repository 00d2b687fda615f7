"""Records laid out by programs, by the parts that read them: which bytes of which columns stand where.

What is laid out is a guess, of which nothing is checked: the program proves it by reading it again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from construct import BytesInteger, FormatField

from wireloom import codec
from wireloom.codec.computed import Computed
from wireloom.codec.layout import Lone
from wireloom.codec.runs import Run
from wireloom.columnar.fields import Number as Kind
from wireloom.columnar.fields import code
from wireloom.columnar.machine import operations as op
from wireloom.columnar.machine import orders
from wireloom.columnar.machine.assembly import Assembler
from wireloom.columnar.machine.checks import joined
from wireloom.columnar.machine.formulas import Found, both, both_masks, either_not, wrapped
from wireloom.columnar.machine.lowering import Lowering, Span
from wireloom.columnar.machine.values import (
    APART,
    FARTHEST,
    WORD,
    Datum,
    Level,
    Mask,
    NoProgramError,
    Number,
    Octets,
    Struct,
)
from wireloom.expressions import Expression
from wireloom.rowwise import Judge


@dataclass(slots=True)
class Laid(Level):
    """The values of a struct that is laid out: where those that are bytes stand, which fields can be ``filled`` in, and
    the structs in it.
    """

    octets: dict[str, Span] = field(default_factory=dict)
    filled: set[str] = field(default_factory=set)
    inner: "dict[str, Laid]" = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    told: Mapping[str, Datum] = field(init=False)
    """What is given, with nothing filled in."""

    def __post_init__(self) -> None:
        self.told = dict(self.columns)


@dataclass(frozen=True, slots=True)
class _Following:
    """A field whose value follows from others, and the mask of the rows in which it is laid out."""

    name: str
    said: codec.Field
    of: Laid
    where: int


@dataclass(frozen=True, slots=True)
class _Stamp:
    """A checksum that stands ``shift`` bytes behind ``position``."""

    following: _Following
    kind: Kind
    position: int
    shift: int


class Arranging(Lowering):
    """Lays out a message. Positions are counted from the record's start, until there is ``room``."""

    this: Laid

    def __init__(self, judge: Judge, parameters: Mapping[str, Any], asm: Assembler, header: Laid, *, little: bool):
        super().__init__(judge, parameters, little=little, limit=0, asm=asm)
        self.limit = self.total = asm.number(FARTHEST)
        self.position = self.nothing = asm.number(0)
        self.this = self.record = header
        self.header = header
        self.writes: list[Callable[[], None]] = []
        self.following: list[_Following] = []
        self.sums: list[_Stamp] = []

    # What expressions ask for

    def offset(self, name: str) -> Number:
        """Where ``name`` starts."""
        return Number(self.span(name)[0], 0, FARTHEST)

    def span(self, name: str) -> Span:
        """From where to where ``name`` is."""
        return (self.nothing, self.total) if name == "record" else self.spans.get(name, (self.nothing, self.nothing))

    # Whole messages

    def message(self, said: codec.Message, variant: int, fields: Laid) -> None:
        """Lay out a record. Raises ``NoProgramError``."""
        self.layout(said.record.head)
        for part in said.record.tail:
            self.this = self.header
            if isinstance(part, codec.Layout):
                self.layout(part)
                continue
            start = self.cursor
            self.this = fields
            if part.name in said.sections:
                self.layout(said.sections[part.name])
            if variant >= 0 and part.name in said.variants[variant].sections:
                self.layout(said.variants[variant].sections[part.name])
            self._trailing(said.trailing.get(part.name))
            self.spans[part.name] = start, self.cursor
        self.header.spans = fields.spans = self.spans
        self._finish()

    def _finish(self) -> None:
        """Compute what follows from the values and from where they stand, and write everything."""
        self.total = self.cursor
        given = [each.of.columns.get(each.name) for each in self.following]
        for _ in self.following:
            for each, known in zip(self.following, given, strict=True):
                self._follow(each, known)
        self.asm.do(orders.ALLOT, (self.total,), ())
        for write in self.writes:
            write()
        for seal in reversed(self.sums):
            self._sum(seal)

    def _follow(self, each: _Following, known: Datum | None) -> None:
        assert each.said.derive is not None
        self.this, self.spans = each.of, each.of.spans
        found = self.ask(each.said.derive)
        if found is None:
            return
        number = self._of_each(found)
        if isinstance(known, Number) and known.valid != op.ONES:
            register = self.asm.value(op.CHOOSE, (known.valid, known.register, number.register))
            number = Number(register, min(known.least, number.least), max(known.most, number.most))
        each.of.columns[each.name] = number

    def _sum(self, each: _Stamp) -> None:
        self.this, self.spans, self.where = each.following.of, each.following.of.spans, each.following.where
        checksum = each.following.said.checksum
        assert checksum is not None
        self._write(joined(self, checksum, self.where), each.kind, each.position, each.shift, self.where)

    def _of_each(self, found: Found) -> Number:
        if isinstance(found, int):
            return Number(self.asm.number(wrapped(found)), found, found)
        if found is None:
            raise NoProgramError("a value that no row has")
        return found

    # Parts

    def layout(self, content: codec.Layout) -> None:
        """The parts of a layout in order. Raises ``NoProgramError``."""
        for step in content.steps:
            if self.judge.reason(step):
                raise NoProgramError(APART)
            self._part(step)

    def _part(self, part: Any) -> None:
        match part:
            case Run():
                for name, said in part.fields:
                    self._field(name, said, Kind(code(said)))
            case Lone():
                self._lone(part)
            case codec.Bits():
                self._bits(part)
            case codec.Section():
                start = self.cursor
                self.layout(part.content)
                self._trailing(part.trailing)
                self.spans[part.name] = start, self.cursor
            case codec.When():
                self.within(self.holds(part.condition), lambda: self.layout(part.content))
            case codec.Optional():
                self.within(self._given(part.showing), lambda: self.layout(part.content))
            case codec.Choice():
                self._choice(part)
            case Computed():
                self._computed(part)
            case codec.Unpack():
                outer, self.spans = self.spans, {}
                self.layout(part.content)
                self.spans = outer
                self._trailing(part.trailing)
            case _:
                raise NoProgramError(f"parts of type {type(part).__name__}")

    def within(self, holds: Mask, read: Callable[[], None]) -> None:
        """Lay out something in the rows where ``holds``. If no program does, none of these rows is sound."""
        lists: list[list[Any]] = [self.writes, self.following, self.sums]
        counts, this, octets = [len(each) for each in lists], self.this, dict(self.this.octets)
        mask = holds if isinstance(holds, bool) else both(self.asm, self.where, holds)

        def tried() -> None:
            try:
                read()
            except NoProgramError:
                for each, count in zip(lists, counts, strict=True):
                    del each[count:]
                raise

        super().within(holds, tried)
        for name, span in this.octets.items():
            before = octets.get(name)
            if before not in (None, span) and not isinstance(mask, bool):
                start, stop = (self.asm.value(op.CHOOSE, (mask, *pair)) for pair in zip(span, before, strict=True))
                this.octets[name] = start, stop

    def _given(self, names: tuple[str, ...]) -> Mask:  # type: ignore[override]
        """The rows in which one of these is given."""
        found: Mask = False
        for name in names:
            column = self.this.columns.get(name)
            if column is not None and found is not True:
                valid: Mask = True if column.valid == op.ONES else column.valid
                found = valid if isinstance(valid, bool) or found is False else self.asm.value(op.OR, (found, valid))
        return found

    def _choice(self, part: codec.Choice) -> None:
        free: Mask = True
        tests = [self.holds(one.condition) if isinstance(one, codec.When) else True for one in part.alternatives]
        for option, holds in zip(part.alternatives, tests, strict=True):
            content = option.content if isinstance(option, codec.When) else option
            self.within(both_masks(self.asm, free, holds), lambda content=content: self.layout(content))  # type: ignore[misc]
            free = either_not(self.asm, free, holds)

    def _computed(self, part: Computed) -> None:
        """A value that is in no bytes: what is given of it is compared when the record is proved."""
        self.this.filled.add(part.name)
        if part.name not in self.this.columns and part.compute.meaning is None:
            found = self.ask(part.compute.value)
            if found is not None:
                self.this.columns[part.name] = self._of_each(found)

    # Numbers

    def _field(self, name: str, said: codec.Field, kind: Kind) -> None:
        """A number of a fixed size, which goes to the cursor."""
        if said.meaning is not None or isinstance(said.subcon, codec.As) or kind.half:
            raise NoProgramError("a number that stands for something else")
        self._prepare(name, said)
        start, position, shift = self.cursor, self.position, self.shift
        self.move(position, shift + kind.size)
        self.spans[name] = start, self.cursor
        of, where = self.this, self.where
        if said.checksum is not None:
            self.sums.append(_Stamp(_Following(name, said, of, where), kind, position, shift))
        else:
            self.writes.append(lambda: self._write(self._register(of, name), kind, position, shift, where))

    def _prepare(self, name: str, said: codec.Field) -> None:
        """Put something in place of missing values, or remember that it follows from others."""
        known = self.this.columns.get(name)
        if known is not None and known.valid == op.ONES:
            return
        if said.checksum is not None or said.derive is not None:
            self.this.filled.add(name)
            if said.derive is not None:
                self.following.append(_Following(name, said, self.this, self.where))
            return
        instead = said.const if said.const is not None else said.default
        if instead is not None and not isinstance(instead, Expression):
            self.fill(self.this, name, instead)

    def fill(self, of: Laid, name: str, instead: object) -> None:
        """Put a number where none is given. Raises ``NoProgramError`` if it is none."""
        known = of.columns.get(name)
        if not isinstance(instead, int) or not -WORD <= instead < WORD or not isinstance(known, Number | None):
            raise NoProgramError("something to fill in that is no integer")
        other = Number(self.asm.number(instead), int(instead), int(instead), truth=isinstance(instead, bool))
        of.filled.add(name)
        if known is None:
            of.columns[name] = other
        elif known.valid != op.ONES:
            register = self.asm.value(op.CHOOSE, (known.valid, known.register, other.register))
            least, most = min(known.least, int(instead)), max(known.most, int(instead))
            of.columns[name] = Number(register, least, most, truth=known.truth)

    def _register(self, of: Laid, name: str) -> int:
        """The number under that name, 0 where there is none."""
        known = of.columns.get(name)
        match known:
            case None:
                return self.nothing
            case Number():
                return known.register
        raise NoProgramError("a number that is given as something else")

    def _write(self, register: int, kind: Kind, position: int, shift: int, where: int) -> None:
        """Write a number so many bytes behind a position of the record."""
        big = not kind.is_little(little=self.little)
        self.asm.do(orders.WRITE, (register, self._place(position), where), (shift, kind.size, int(big)))

    def _place(self, position: int) -> int:
        """The address of a position of the record, which has its room."""
        return op.START if position == self.nothing else self.asm.value(op.ADD, (op.START, position))

    def _bits(self, part: codec.Bits) -> None:
        kind = Kind(code(part.integer))
        if part.over or any(isinstance(said.subcon, codec.BitList) or said.meaning for _, said, _, _ in part.fields):
            raise NoProgramError("bits over others, as a list, or with a meaning")
        position, shift = self.position, self.shift
        start = self.cursor
        self.move(position, shift + kind.size)
        for name, said, _, _ in part.fields:
            if said.checksum is not None:
                raise NoProgramError("a checksum in bits")
            self._prepare(name, said)
            self.spans[name] = start, self.cursor
        if part.whole is not None:
            self.this.filled.add(part.whole[0])
            self.spans[part.whole[0]] = start, self.cursor
        of, where = self.this, self.where
        self.writes.append(lambda: self._write(self._word(part, of), kind, position, shift, where))

    def _word(self, part: codec.Bits, of: Laid) -> int:
        """The number that bits make up, where it is not given itself."""
        asm, word = self.asm, self.nothing
        for name, _, shift, mask in part.fields:
            bits = asm.value(op.AND_NUMBER, (self._register(of, name),), (wrapped(mask),))
            word = asm.value(op.OR, (word, asm.value(op.SHIFT_LEFT, (bits, asm.number(shift)))))
        known = None if part.whole is None else of.columns.get(part.whole[0])
        return asm.value(op.CHOOSE, (known.valid, known.register, word)) if isinstance(known, Number) else word

    # Bytes, texts and structs

    def _lone(self, part: Lone) -> None:
        start, said = self.cursor, part.field
        if said.raw and not isinstance(part.subcon, codec.Text | codec.Blob):
            raise NoProgramError("bytes that are kept beside a value")
        if said.meaning is not None or (part.derived and not isinstance(part.subcon, FormatField | BytesInteger)):
            raise NoProgramError("a derived value, or one with a meaning, that is no number")
        self._value(part.name, said, part.subcon)
        self.spans[part.name] = start, self.cursor
        if part.name in self.this.inner:
            self.spans.update({f"{part.name}.{name}": span for name, span in self.inside.items()})

    def _value(self, name: str, said: codec.Field, kind: object) -> None:
        match kind:
            case FormatField() | BytesInteger() | codec.Boolean() | codec.EitherOrder():
                self._field(name, said, Kind(code(kind)))
            case codec.Leb128() if type(kind) is codec.Leb128 and kind.bits < 63:
                self._varint(name, said)
            case codec.Blob():
                self._octets(name, kind.extent)
            case codec.Text(encoding="utf-8"):
                self._octets(name, kind.extent)
            case codec.Packed(value=codec.Text(extent=codec.Rest()) | codec.Blob(extent=codec.Rest())):
                self._octets(name, kind.extent)
            case codec.Layout():
                self._struct(name, kind, {})
            case codec.With() if not kind.items:
                self._struct(name, kind.layout, {each: self.ask(value) for each, value in kind.values.items()})
            case codec.Nested(extent=codec.Rest() | codec.Size()):
                self._value(name, said, kind.layout)
            case codec.Repeat(until=None):
                self.this.filled.add(name)
            case _:
                raise NoProgramError(f"parts of type {type(kind).__name__}")

    def _varint(self, name: str, said: codec.Field) -> None:
        if said.derived:
            raise NoProgramError("a derived value without a size of its own")
        self._prepare(name, said)
        register, position = self._register(self.this, name), self.cursor
        where = self.where
        self.writes.append(lambda: self.asm.do(orders.WRITE_VARINT, (register, self._place(position), where), (0,)))
        self._on(self.asm.value(orders.VARINT_SIZE, (register,)))

    def _on(self, size: int) -> None:
        """Go on so many bytes behind the cursor."""
        self.move(self.asm.value(op.ADD, (self.cursor, size)))

    def _octets(self, name: str, extent: object = None) -> None:
        """The bytes that are given under that name, and their length in front of them, if their extent has one."""
        known, asm, where = self.this.columns.get(name), self.asm, self.where
        if not isinstance(known, Octets | None):
            raise NoProgramError("bytes that are given as something else")
        size = self.nothing
        if known is not None:
            size = asm.value(op.SUBTRACT, (known.stop, known.start))
            size = size if known.valid == op.ONES else asm.value(op.CHOOSE, (known.valid, size, self.nothing))
        match extent:
            case None | codec.Rest() | codec.Size():
                pass
            case codec.Prefixed(length=FormatField() | BytesInteger() as length):
                kind, position, shift = Kind(code(length)), self.position, self.shift
                self.move(position, shift + kind.size)
                self.writes.append(lambda: self._write(size, kind, position, shift, where))
            case _:
                raise NoProgramError(f"parts of type {type(extent).__name__}")
        if known is None:
            return
        begin, to, shift_to = self.cursor, self.position, self.shift
        self._on(size)
        self.this.octets[name] = begin, self.position
        there = both(asm, where, known.valid)
        self.writes.append(lambda: asm.do(orders.COPY, (known.start, known.stop, self._place(to), there), (shift_to,)))

    def _trailing(self, name: str | None) -> None:
        if name is not None:
            self._octets(name)

    def _struct(self, name: str, content: codec.Layout, given: dict[str, Any]) -> None:
        known, outer, spans = self.this.columns.get(name), self.this, self.spans
        if not isinstance(known, Struct | None):
            raise NoProgramError("a struct that is given as something else")
        inner = Laid(dict(known.fields) if known is not None else {}, given)
        outer.inner[name] = inner
        self.this, self.spans = inner, {}
        self.nesting += 1
        self.layout(content)
        self.nesting -= 1
        inner.spans = self.inside = self.spans
        self.this, self.spans = outer, spans
