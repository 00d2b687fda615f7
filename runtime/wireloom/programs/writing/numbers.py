"""Numbers laid out by programs: where they go, and those that follow from other values.

What is laid out is a guess, of which nothing is checked: the program proves it by reading it again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from wireloom import codec
from wireloom.expressions import Expression
from wireloom.expressions.tree import Function, Name, Origin
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as orders
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import Found, both
from wireloom.programs.number_format import NumberFormat
from wireloom.programs.outputs import Table
from wireloom.programs.reading.checks import joined
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.values import (
    FARTHEST,
    WORD,
    Datum,
    NoProgramError,
    Number,
    Octets,
)
from wireloom.programs.writing.scope import Copied, Following, Laid, Stamp, Summed
from wireloom.rowwise import Judge


class ArrangingNumbers(Lowering):
    """Lays out numbers. Positions are counted from the record's start."""

    this: Laid

    def __init__(self, judge: Judge, parameters: Mapping[str, Any], asm: Assembler, header: Laid, *, little: bool):
        super().__init__(judge, parameters, little=little, limit=0, asm=asm)
        self.limit = self.total = asm.number(FARTHEST)
        self.position = self.nothing = self.origin = asm.number(0)
        self.offsets = {self.nothing: 0}
        self.numbers: dict[tuple[int, int], tuple[int, int, bool]] = {}
        """The numbers at the same place in all rows: their registers, sizes, and whether they are little endian, by the
        place and by the mask of the rows that they are written in.
        """
        self.this = self.record = header
        self.header = header
        self.writes: list[tuple[tuple[str, ...], Callable[[], None]]] = []
        """What writes something once all is known, and the path of its field."""
        self.following: list[Following] = []
        self.sums: list[Stamp] = []
        self.summed: list[Summed] = []

    # What expressions ask for

    def _reached(self, name: Name, steps: Sequence[str]) -> Datum | None:
        """As when it is read: there is none of a field that has no place before what asks."""
        scope = self.record if name.origin is Origin.RECORD else self.this
        is_ahead = isinstance(scope, Laid) and steps[0] in scope.told and steps[0] not in scope.placed
        return None if is_ahead else super()._reached(name, steps)

    def offset(self, name: str) -> Number:
        """Where ``name`` starts."""
        return Number(self.span(name)[0], 0, FARTHEST)

    def span(self, name: str) -> Span:
        """From where to where ``name`` is."""
        return (self.nothing, self.total) if name == "record" else self.spans.get(name, (self.nothing, self.nothing))

    def _field(self, name: str, said: codec.Field, kind: NumberFormat) -> None:
        """A number of a fixed size, which goes to the cursor."""
        if said.meaning is not None or isinstance(said.subcon, codec.As) or kind.half:
            raise NoProgramError("a number that stands for something else")
        self._prepare(name, said, floating=kind.kind == "f")
        self._narrow(name, kind)
        start, position, shift = self.cursor, self.position, self.shift
        self.move(position, shift + kind.size)
        self.spans[name] = start, self.cursor
        where, little = self.where, kind.is_little(little=self.little)
        write = partial(self._write, size=kind.size, position=position, shift=shift, where=where, little=little)
        self._number_later(name, said, write, position, shift, kind.size)

    def _number_later(
        self, name: str, said: codec.Field, write: Callable[[int], None], position: int, shift: int, size: int
    ) -> None:
        """Write a number once it is known; a checksum of so many bytes once all others are written."""
        of = self.this
        if said.checksum is not None:
            following = Following(name, said, of, self.where, self.asm.path)
            self.sums.append(Stamp(following, size, position, shift, write))
        else:
            self._later(lambda: write(self._register(of, name)))

    def _prepare(self, name: str, said: codec.Field, *, floating: bool = False) -> None:
        """Put something in place of missing values, or remember that it follows from others. Raises ``NoProgramError``
        if that is no integer.
        """
        known = self.this.columns.get(name)
        if known is not None and known.valid == op.ONES:
            return
        if floating and (said.derived or said.const is not None or said.default is not None):
            raise NoProgramError("something to fill in that is no integer")
        if said.checksum is not None or said.derive is not None:
            self._may_fill(self.this, name)
            if said.derive is not None:
                self.following.append(Following(name, said, self.this, self.where, self.asm.path))
            return
        instead = said.const if said.const is not None else said.default
        if instead is not None and not isinstance(instead, Expression):
            self.fill(self.this, name, instead)

    def _narrow(self, name: str, kind: NumberFormat) -> None:
        """Take for granted that a number fits the bytes it is written in: else the record does not say it."""
        if not kind.boolean:
            bits = 8 * kind.size - (kind.kind == "i")
            self._bound(name, -1 << bits if kind.kind == "i" else 0, (1 << bits) - 1)

    def _bound(self, name: str, least: int, most: int) -> None:
        """Take for granted that a number is between two others: else the record does not say it."""
        known = self.this.columns.get(name)
        if isinstance(known, Number) and not known.floating:
            self.this.columns[name] = replace(known, least=max(known.least, least), most=min(known.most, most))

    def fill(self, of: Laid, name: str, instead: object) -> None:
        """Put a number, a text or bytes where none is given. Raises ``NoProgramError`` if it is something else."""
        known = of.columns.get(name)
        if isinstance(instead, str | bytes) and isinstance(known, Octets | None):
            self._fill_octets(of, name, known, instead.encode() if isinstance(instead, str) else instead)
            return
        if not isinstance(instead, int) or not -WORD <= instead < 2 * WORD or not isinstance(known, Number | None):
            raise NoProgramError("something to fill in that is no integer")
        other = Number(self.asm.number(instead), int(instead), int(instead), truth=isinstance(instead, bool))
        self._may_fill(of, name)
        if known is None:
            of.columns[name] = other
        elif known.valid != op.ONES:
            register = self.asm.value(op.CHOOSE, (known.valid, known.register, other.register))
            least, most = min(known.least, int(instead)), max(known.most, int(instead))
            of.columns[name] = Number(register, least, most, truth=known.truth)

    def _fill_octets(self, of: Laid, name: str, known: Octets | None, instead: bytes) -> None:
        start, stop = self.constant(instead)
        self._may_fill(of, name)
        if known is not None:
            start, stop = (
                self.asm.value(op.CHOOSE, (known.valid, *pair)) for pair in ((known.start, start), (known.stop, stop))
            )
        of.columns[name] = Octets(start, stop)

    def constant(self, octets: bytes) -> Span:
        """From where to where in memory these bytes are."""
        start, stop = self.asm.several(orders.CONSTANT, 2, (), (self.asm.shared(Table(octets)), len(octets)))
        return start, stop

    def settle(self, of: Laid, name: str, number: int) -> None:
        """Rows in which it is another number are not sound. Raises ``NoProgramError`` if it is none."""
        known = of.columns[name]
        if not isinstance(known, Number):
            raise NoProgramError("a number that is given as something else")
        self.asm.check(self.asm.value(op.EQUAL_NUMBER, (known.register,), (number,)), op.ONES)
        of.columns[name] = Number(self.asm.number(number), number, number, truth=known.truth)

    def _may_fill(self, of: Laid, name: str) -> None:
        """Note that a value can be filled in in these rows."""
        of.filled[name] = self.where

    def _register(self, of: Laid, name: str) -> int:
        """The number under that name, 0 where there is none."""
        known = of.columns.get(name)
        match known:
            case None:
                return self.nothing
            case Number():
                return known.register
        raise NoProgramError("a number that is given as something else")

    def _write(self, register: int, *, size: int, position: int, shift: int, where: int, little: bool) -> None:
        """Write a number of so many bytes so many bytes behind a position of the record."""
        self.asm.do(orders.WRITE, (register, self._place(position), where), (shift, size, int(not little)))
        offset = self.offset_of(position, where)
        if offset is not None:
            said = register, size, little
            self.numbers[offset + shift, where] = said
            if self.numbers.get((offset + shift, self.asm.negated.get(where, -1))) == said:
                self.numbers[offset + shift, op.ONES] = said

    def _place(self, position: int) -> int:
        """The address of a position of the record."""
        return op.START if position == self.nothing else self.asm.value(op.ADD, (op.START, position))

    def _bits(self, part: codec.Bits) -> None:
        kind = NumberFormat.from_construct(part.integer)
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
            self._may_fill(self.this, part.whole[0])
            self.spans[part.whole[0]] = start, self.cursor
        of, where, little = self.this, self.where, kind.is_little(little=self.little)
        write = partial(self._write, size=kind.size, position=position, shift=shift, where=where, little=little)
        self._later(lambda: write(self._word(part, of)))

    def _word(self, part: codec.Bits, of: Laid) -> int:
        """The number that bits make up, where it is not given itself."""
        asm, word = self.asm, self.nothing
        for name, _, shift, mask in part.fields:
            bits = asm.value(op.AND_NUMBER, (self._register(of, name),), (mask,))
            word = asm.value(op.OR, (word, asm.value(op.SHIFT_LEFT, (bits, asm.number(shift)))))
        known = None if part.whole is None else of.columns.get(part.whole[0])
        return asm.value(op.CHOOSE, (known.valid, known.register, word)) if isinstance(known, Number) else word

    def _varint(self, name: str, said: codec.Field) -> None:
        if said.derived:
            raise NoProgramError("a derived value without a size of its own")
        self._prepare(name, said)
        self._leb128(self._register(self.this, name))

    def _leb128(self, register: int) -> None:
        """An unsigned number in groups of seven bits, which goes to the cursor."""
        position, where = self.cursor, self.where
        self._later(lambda: self.asm.do(orders.WRITE_VARINT, (register, self._place(position), where), (0,)))
        self._on(self.asm.value(orders.VARINT_SIZE, (register,)))

    def _on(self, size: int) -> None:
        """Go on so many bytes behind the cursor."""
        self.move(self.asm.value(op.ADD, (self.cursor, size)))

    def _copy(self, octets: Octets) -> Copied:
        """Let some bytes go to the cursor. Returns from where to where they are."""
        asm, where = self.asm, both(self.asm, self.where, octets.valid)
        size = asm.value(op.SUBTRACT, (octets.stop, octets.start))
        begin, to, shift = self.cursor, self.position, self.shift
        self._on(size if octets.valid == op.ONES else asm.value(op.CHOOSE, (octets.valid, size, self.nothing)))
        self._later(lambda: asm.do(orders.COPY, (octets.start, octets.stop, self._place(to), where), (shift,)))
        return Copied(begin, self.position, where)

    def _finish(self) -> None:
        """Compute what follows from the values and from where they stand, and write everything: ``total`` bytes."""
        self.total = self.cursor
        given = [each.of.columns.get(each.name) for each in self.following]
        for _ in self.following:
            for each, known in zip(self.following, given, strict=True):
                self._follow(each, known)
        for path, write in self.writes:
            self.asm.path = path
            write()
        for seal in self._in_order():
            self._sum(seal)
        self.asm.path = ()

    def _in_order(self) -> list[Stamp]:
        """The checksums, each behind those that it may be over: what is in front of it, if its bytes end where it
        stands, or else what is behind it. Of two that may be over each other, the first one comes first.
        """
        left, found = list(enumerate(self.sums)), list[Stamp]()
        while left:
            free = [
                (place, one)
                for place, one in left
                if not any(other < place if _ends_there(one) else other > place for other, _ in left)
            ]
            found += [one for _, one in free or left[:1]]
            left = [each for each in left if each not in (free or left[:1])]
        return found

    def _later(self, write: Callable[[], None]) -> None:
        """Write something once all is known."""
        self.writes.append((self.asm.path, write))

    def _follow(self, each: Following, known: Datum | None) -> None:
        assert each.said.derive is not None
        self.asm.path = each.path
        self.this, self.spans = each.of, each.of.spans
        found = self.ask(each.said.derive)
        if found is None:
            return
        number = self._of_each(found)
        if isinstance(known, Number) and known.valid != op.ONES:
            register = self.asm.value(op.CHOOSE, (known.valid, known.register, number.register))
            number = Number(register, min(known.least, number.least), max(known.most, number.most))
        before = each.of.columns.get(each.name)
        if each.where != op.ONES and isinstance(before, Number):  # which may follow from others in other rows
            register = self.asm.value(op.CHOOSE, (each.where, number.register, before.register))
            number = Number(register, min(before.least, number.least), max(before.most, number.most))
        each.of.columns[each.name] = number

    def _sum(self, each: Stamp) -> None:
        self.asm.path = each.following.path
        self.this, self.spans, self.where = each.following.of, each.following.of.spans, each.following.where
        checksum = each.following.said.checksum
        assert checksum is not None
        each.write(joined(self, checksum, self.where))
        begin = self.moved(self._place(each.position), each.shift)
        for known in self.summed:
            apart = self.asm.value(op.LESS_EQUAL, (known.stop, begin))
            behind = self.asm.value(op.LESS_EQUAL, (self.moved(begin, each.size), known.start))
            known.valid = both(self.asm, known.valid, self.asm.value(op.OR, (apart, behind)))

    def crc(self, algorithm: codec.Crc, start: int, stop: int, where: int) -> int:
        found = super().crc(algorithm, start, stop, where)
        self.summed.append(Summed(algorithm, start, stop, found))
        return found

    def _of_each(self, found: Found) -> Number:
        if isinstance(found, int):
            return Number(self.asm.number(found), found, found)
        if found is None:
            raise NoProgramError("a value that no row has")
        return found


def _ends_there(stamp: Stamp) -> bool:
    """Whether the bytes that a checksum is over end where it stands, or in front of that."""
    of, checksum = stamp.following, stamp.following.said.checksum
    assert checksum is not None
    ends = [each[1] for each in checksum.over if isinstance(each, tuple)]
    names = {name.name for end in ends for function, name in end.mentions if function is Function.OFFSET}
    laid = list(of.of.spans)
    return bool(names) and names <= set(laid[: laid.index(of.name) + 1])
