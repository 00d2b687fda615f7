"""Numbers laid out by programs: where they go, and those that follow from other values.

What is laid out is a guess, of which nothing is checked: the program proves it by reading it again.
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from wireloom import codec
from wireloom.codec.digits import Digits
from wireloom.codec.meanings import Counted, DecimalMeaning, Meaning
from wireloom.codec.varints import Varint
from wireloom.expressions import Expression
from wireloom.expressions.tree import OF_TIMES, Call, Expr, Function, Logical, Name, Origin, walk
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import Found, both, either
from wireloom.programs.number_format import NumberFormat, swapped_words, varint_form
from wireloom.programs.outputs import Table
from wireloom.programs.reading.checks import joined
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.values import (
    FARTHEST,
    WORD,
    Datum,
    Mask,
    NoProgramError,
    Number,
    Octets,
)
from wireloom.programs.writing.bit_fields import HALF, both_halves, chunks, piece, placed, unsigned
from wireloom.programs.writing.decimals import octets_of
from wireloom.programs.writing.ibm import ibm_bits
from wireloom.programs.writing.scope import Copied, Divided, Following, Laid, Stamp, Summed


class ArrangingNumbers(Lowering):
    """Lays out numbers. Positions are counted from the record's start."""

    this: Laid

    def __init__(self, parameters: Mapping[str, Any], asm: Assembler, header: Laid, *, little: bool):
        super().__init__(parameters, little=little, limit=0, asm=asm)
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
        self.alternatives: list[Divided] = []
        """The last number that was divided into bits, and the alternatives for some of these."""
        self.varying: list[Following] = []
        """Those of ``following`` whose own size depends on their value."""
        self.guesses: list[int] = []
        """The registers of the values of ``varying`` by which their sizes are guessed; none before they are known."""
        self.sums: list[Stamp] = []
        self.summed: list[Summed] = []

    # What expressions ask for

    def _reached(self, name: Name, steps: Sequence[str]) -> Datum | None:
        """As when it is read: there is none of a field that has no place before what asks."""
        scope = self.record if name.origin is Origin.RECORD else self.this
        is_ahead = isinstance(scope, Laid) and steps[0] in scope.told and steps[0] not in scope.placed
        return None if is_ahead else super()._reached(name, steps)

    def _given(self, name: str) -> Datum | int | None:
        level = self.this
        if name not in level.later or level.around is None:
            return super()._given(name)
        inner, self.this, self.spans = self.spans, level.around, level.around.spans
        found = self.ask(level.later[name])
        self.this, self.spans = level, inner
        return found

    def offset(self, name: str) -> Number:
        """Where ``name`` starts."""
        return Number(self.span(name)[0], 0, FARTHEST)

    def span(self, name: str) -> Span:
        """From where to where ``name`` is."""
        return (self.nothing, self.total) if name == "record" else self.spans.get(name, (self.nothing, self.nothing))

    def _field(self, name: str, said: codec.Field, kind: NumberFormat) -> None:
        """A number of a fixed size, which goes to the cursor."""
        self._prepare(name, said, floating=max(4, kind.size) if kind.kind == "f" else 0)
        self._narrow(name, said, kind)
        start, position, shift = self.cursor, self.position, self.shift
        self.move(position, shift + kind.size)
        self.spans[name] = start, self.cursor
        where, little = self.where, kind.is_little(little=self.little)
        put = partial(self._write, size=kind.size, position=position, shift=shift, where=where, little=little)

        def write(register: int) -> None:
            register = self._half(register) if kind.half else register
            put(swapped_words(self.asm, register, kind.size) if kind.swapped else register)

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
            self._later(lambda: write(self._told(of, name, said)))

    def _half(self, register: int) -> int:
        """The bits of a number of half precision, if it is 0, normal or infinite: else the record does not say it."""
        asm = self.asm
        sign = asm.value(op.AND_NUMBER, (asm.value(op.SHIFT_RIGHT, (register, asm.number(16))),), (0x8000,))
        rest = asm.value(op.AND_NUMBER, (register,), (0x7FFF_FFFF,))
        found = self.moved(asm.value(op.SHIFT_RIGHT, (rest, asm.number(13))), -112 << 10)
        for single, half in ((0, 0), (0x7F80_0000, 0x7C00)):
            found = asm.value(op.CHOOSE, (asm.value(op.EQUAL_NUMBER, (rest,), (single,)), asm.number(half), found))
        return asm.value(op.OR, (sign, found))

    def _lay(self, lay: Callable[[], None], levels: Iterable[Laid]) -> None:
        """Lay out these structs and write them. Where numbers have sizes that depend on what they follow from, that is
        laid out twice: the values that are found with sizes of one byte tell what their sizes are.
        """
        known = [(each, dict(each.columns), dict(each.filled), set(each.placed)) for each in levels]
        lay()
        self._derive()
        if self.varying:
            self.guesses = [self._register(each.of, each.name) for each in self.varying]
            for level, columns, filled, placed in known:
                level.columns, level.filled, level.placed, level.octets, level.inner = columns, filled, placed, {}, {}
            self._forget()
            lay()
            self._derive()
        self._write_all()

    def _forget(self) -> None:
        """Forget what is laid out."""
        self.position, self.shift, self.spans = self.nothing, 0, {}
        for made in (self.writes, self.following, self.varying, self.sums):
            made.clear()

    def _prepare(self, name: str, said: codec.Field, *, floating: int = 0) -> None:
        """Put something in place of missing values, or remember that it follows from others. Raises ``NoProgramError``
        if that is neither an integer nor a float of so many bytes.
        """
        known = self.this.columns.get(name)
        if known is not None and known.valid == op.ONES:
            return
        if meaning_of(said) is not None and (said.derived or said.const is not None or said.default is not None):
            raise NoProgramError("something to fill in that is no integer")
        if floating and said.derived:
            raise NoProgramError("something to fill in that is no integer")
        if said.derive is not None and said.asks({name}) and name not in self.this.later:
            return  # nothing in this message gives it to the header
        if said.checksum is not None or said.derive is not None:
            self._may_fill(self.this, name)
            if said.derive is not None:
                self.following.append(Following(name, said, self.this, self.where, self.asm.path))
                self._foresee(name, said.derive)
            return
        instead = said.const if said.const is not None else said.default
        if isinstance(instead, Expression):
            self._fill_from_time(name, instead)
        elif instead is not None:
            self.fill(self.this, name, instead, floating=floating)

    def _fill_from_time(self, name: str, default: Expression) -> None:
        """Put what a time says where nothing is given, if the default is of a time, which stands behind its fields.

        Rows with neither are not sound.
        """
        if not any(isinstance(part, Call) and part.function in OF_TIMES for part in walk(default.tree)):
            return
        placed = self.this.placed
        self.this.placed = placed | self.this.told.keys()
        try:
            found = self.ask(default)
        finally:
            self.this.placed = placed
        if found is None:
            return
        other, known = self._of_each(found), self.this.columns.get(name)
        self._may_fill(self.this, name)
        valid = other.valid
        if isinstance(known, Number):
            register = self.asm.value(op.CHOOSE, (known.valid, known.register, other.register))
            other = replace(
                other, register=register, least=min(known.least, other.least), most=max(known.most, other.most)
            )
            valid = self.asm.value(op.OR, (known.valid, valid))
        self.asm.check(valid, self.where)
        self.this.columns[name] = replace(other, valid=op.ONES)

    def _foresee(self, name: str, derive: Expression) -> None:
        """Take the value of a field that follows from which others are given, before these have a place: what is laid
        out may depend on it.
        """
        holds = self._given_where(derive.tree)
        if holds is None:
            return
        register, known = self.asm.number(holds) if isinstance(holds, bool) else holds, self.this.columns.get(name)
        if isinstance(known, Number):
            register = self.asm.value(op.CHOOSE, (known.valid, known.register, register))
        self.this.columns[name] = Number(register, 0, 1, truth=True)

    def _given_where(self, tree: Expr) -> Mask | None:
        """Where an expression holds that asks only which values are given; None if it asks for something else."""
        match tree:
            case Call(Function.PRESENT, (Name(origin=Origin.THIS, item=None, steps=(name,)),)):
                known = self.this.told.get(name)
                return known is not None and (known.valid == op.ONES or known.valid)
            case Logical("or", operands):
                masks = [self._given_where(each) for each in operands]
                found: Mask = False
                for mask in masks:
                    if mask is None:
                        return None
                    found = either(self.asm, found, mask)
                return found
        return None

    def _narrow(self, name: str, said: codec.Field, kind: NumberFormat) -> None:
        """Take for granted that a number fits the bytes it is written in: else the record does not say it."""
        if not kind.boolean and meaning_of(said) is None:
            bits = 8 * kind.size - (kind.kind == "i")
            self._bound(name, -1 << bits if kind.kind == "i" else 0, (1 << bits) - 1)

    def _bound(self, name: str, least: int, most: int) -> None:
        """Take for granted that a number is between two others: else the record does not say it."""
        known = self.this.columns.get(name)
        if isinstance(known, Number) and not known.floating:
            self.this.columns[name] = replace(known, least=max(known.least, least), most=min(known.most, most))

    def fill(self, of: Laid, name: str, instead: object, *, floating: int = 0) -> None:
        """Put a number, a text or bytes where none is given. Raises ``NoProgramError`` if it is something else."""
        known = of.columns.get(name)
        if floating:
            instead = _bits_of(instead, floating)
        if isinstance(instead, str | bytes) and isinstance(known, Octets | None):
            self._fill_octets(of, name, known, instead.encode() if isinstance(instead, str) else instead)
            return
        if not isinstance(instead, int) or not -WORD <= instead < 2 * WORD or not isinstance(known, Number | None):
            raise NoProgramError("something to fill in that is no integer")
        truth = isinstance(instead, bool)
        other = Number(self.asm.number(instead), int(instead), int(instead), truth=truth, floating=floating)
        self._may_fill(of, name)
        if known is None:
            of.columns[name] = other
        elif known.valid != op.ONES:
            register = self.asm.value(op.CHOOSE, (known.valid, known.register, other.register))
            least, most = min(known.least, int(instead)), max(known.most, int(instead))
            of.columns[name] = Number(register, least, most, truth=known.truth, floating=floating)

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
        start, stop = self.asm.several(write_op.CONSTANT, 2, (), (self.asm.shared(Table(octets)), len(octets)))
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

    def _told(self, of: Laid, name: str, said: codec.Field) -> int:
        """The number that is written for a field: the one that its value stands for, if that is not the same."""
        register, meaning = self._register(of, name), meaning_of(said)
        if meaning is not None:
            register = self._unmeant(register, meaning)
            raw = of.columns.get(said.raw or "")
            if isinstance(raw, Number):
                register = self.asm.value(op.CHOOSE, (raw.valid, raw.register, register))
        return register

    def _unmeant(self, register: int, meaning: Meaning) -> int:
        """The number that stands for a time, a duration or a decimal; any other one if there is none."""
        asm = self.asm
        match meaning:
            case Counted():
                steps = self.moved(register, -meaning.first)
                steps = asm.value(op.MULTIPLY_NUMBER, (steps,), (meaning.parts,)) if meaning.parts > 1 else steps
                times = meaning.times
            case DecimalMeaning():
                steps, times = self.moved(register, -meaning.plus), meaning.times
            case _:
                raise NoProgramError("a number that stands for something else")
        return steps if times == 1 else asm.value(op.DIVIDE, (steps, asm.number(times)))

    def _write(self, register: int, *, size: int, position: int, shift: int, where: int, little: bool) -> None:
        """Write a number of so many bytes so many bytes behind a position of the record."""
        self.asm.do(write_op.WRITE, (register, self._place(position), where), (shift, size, int(not little)))
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
        if any(isinstance(said.subcon, codec.BitList) for _, said, _, _ in part.fields):
            raise NoProgramError("bits as a list")
        if not part.over:
            self.alternatives = []
        kind = NumberFormat.from_construct(part.integer)
        position, shift = self.position, self.shift - (kind.size if part.over else 0)
        start, stop = self.moved(position, shift), self.moved(position, shift + kind.size)
        self.move(position, shift + kind.size)
        texts = dict[str, dict[int, int]]()
        for name, said, low, mask in part.fields:
            if said.checksum is not None:
                raise NoProgramError("a checksum in bits")
            if isinstance(said.subcon, codec.BitText):
                text = self.text_in_bits(name, said, said.subcon, lsb=part.lsb)
                texts[name] = self._words_of(text, mask.bit_length(), low, 8 * kind.size)
            else:
                self._prepare(name, said)
            if isinstance(said.subcon, codec.Bit):
                self._bound(name, said.subcon.least, said.subcon.most)
            self.spans[name] = start, stop
        if part.whole is not None:
            self._may_fill(self.this, part.whole[0])
            self.spans[part.whole[0]] = start, stop
        self.alternatives.append(Divided(part, self.this, self.where, texts))
        if part.over:
            return
        parts, little = self.alternatives, kind.is_little(little=self.little)
        for low, count, behind in chunks(kind.size, little=little):
            place = shift + behind
            write = partial(self._write, size=count, position=position, shift=place, where=self.where, little=little)
            self._later(lambda write=write, low=low, count=count: write(self._word(parts, low, count)))  # type: ignore[misc]

    def text_in_bits(self, name: str, said: codec.Field, kind: codec.BitText, *, lsb: bool) -> Octets:
        """The number that a text makes among bits, the highest byte first. Raises ``NoProgramError``."""
        raise NoProgramError("a text among bits")

    def _words_of(self, text: Octets, width: int, shift: int, bits: int) -> dict[int, int]:
        """What the number of a text, which begins at the bit ``shift``, adds to each 32 bits of one of so many bits: by
        the number of their lowest bit.
        """
        asm, size, found = self.asm, (width + 7) // 8, {}
        (start,) = asm.several(op.NEED, 1, (text.start, text.stop, both(asm, self.where, text.valid)), (size,))
        for low in range(0, bits, HALF):
            first, last = max(low, shift), min(low + HALF, shift + width)
            if first < last:
                skipped, by = divmod(first - shift, 8)
                count = (by + last - first + 7) // 8
                word = asm.value(op.LOAD_ODD, (start,), (size - skipped - count, count, 1))
                found[low] = piece(asm, word, by, last - first, first - low)
        return found

    def _word(self, parts: Iterable[Divided], low: int, count: int) -> int:
        """So many bytes of the number that bits make up, from the bit ``low`` on, where it is not given itself."""
        asm, (first, *others) = self.asm, parts
        word = self._bits_of(first, low, count)
        for other in others:
            found = self._bits_of(other, low, count)
            word = asm.value(op.OR, (word, asm.value(op.CHOOSE, (other.where, found, self.nothing))))
        known = None if first.part.whole is None else first.of.columns.get(first.part.whole[0])
        return asm.value(op.CHOOSE, (known.valid, known.register, word)) if isinstance(known, Number) else word

    def _bits_of(self, divided: Divided, low: int, count: int) -> int:
        asm, word = self.asm, self.nothing
        for name, said, shift, mask in divided.part.fields:
            if name in divided.texts:
                word = asm.value(op.OR, (word, both_halves(asm, divided.texts[name], low, count)))
                continue
            bits = unsigned(asm, self._told(divided.of, name, said), said.subcon)
            found = placed(asm, bits, mask.bit_length(), shift, low, count)
            word = word if found is None else asm.value(op.OR, (word, found))
        return word

    def _varint(self, name: str, said: codec.Field, kind: Varint) -> None:
        """A number of variable length, which goes to the cursor."""
        if said.checksum is not None:
            raise NoProgramError("a checksum without a size of its own")
        room, of = self._room(name, said), self.this
        self._put_varint(kind, room, lambda: self._told(of, name, said))

    def _room(self, name: str, said: codec.Field) -> int:
        """The number that tells how many bytes a field has: a guess where its value follows from others."""
        count = len(self.following)
        self._prepare(name, said)
        if len(self.following) > count:
            self.varying.append(self.following[-1])
            if self.guesses:
                return self.guesses[len(self.varying) - 1]
        return self._told(self.this, name, said)

    def _put_varint(self, kind: Varint, room: int, told: Callable[[], int]) -> None:
        """A number of variable length, which goes to the cursor and has as many bytes as the number ``room``."""
        position, shift, where, form = self.position, self.shift, self.where, varint_form(kind)

        def write() -> None:
            register = self._folded(kind, told())
            self.asm.do(write_op.WRITE_VARINT, (register, self._place(position), where), (shift, form))

        self._later(write)
        self._on(self.asm.value(write_op.VARINT_SIZE, (self._folded(kind, room),), (form,)))

    def _decimal(self, name: str, said: codec.Field, kind: Digits) -> None:
        """A number as digits, which go to the cursor: the bytes that it has, the last one first."""
        if kind.scale and (said.derived or said.const is not None or said.default is not None):
            raise NoProgramError("something to fill in that is no integer")
        self._prepare(name, said)
        position, shift, of, where = self.position, self.shift, self.this, self.where
        self.move(position, shift + kind.size)

        put = partial(self._write_decimal, kind=kind, position=position, shift=shift, where=where)
        self._later(lambda: put(self._told(of, name, said)))

    def _write_decimal(self, register: int, *, kind: Digits, position: int, shift: int, where: int) -> None:
        """Write a number as digits so many bytes behind a position of the record."""
        octets = octets_of(self.asm, register, kind)
        place = self._place(position)
        for number, octet in enumerate(octets):
            self.asm.do(write_op.WRITE, (octet, place, where), (shift + kind.size - 1 - number, 1, 1))

    def _ibm_float(self, name: str, said: codec.Field, kind: codec.IbmFloat) -> None:
        """A double as a float with a base of 16, which goes to the cursor."""
        self._prepare(name, said, floating=8)
        little = self.little if kind.little is None else kind.little
        position, shift, of, where = self.position, self.shift, self.this, self.where
        self.move(position, shift + kind.size)
        put = partial(self._write, size=kind.size, position=position, shift=shift, where=where, little=little)
        self._later(lambda: put(ibm_bits(self.asm, self._told(of, name, said), kind)))

    def _folded(self, kind: Varint, register: int) -> int:
        """What is written for a number: one that is not signed, if its lowest bit is its sign."""
        if not isinstance(kind, codec.ZigZag):
            return register
        asm = self.asm
        sign = asm.value(op.SHIFT_RIGHT, (register, asm.number(63)))
        return asm.value(op.XOR, (asm.value(op.ADD, (register, register)), sign))

    def _on(self, size: int) -> None:
        """Go on so many bytes behind the cursor."""
        self.move(self.asm.value(op.ADD, (self.cursor, size)))

    def _copy(self, octets: Octets) -> Copied:
        """Let some bytes go to the cursor. Returns from where to where they are."""
        asm, where = self.asm, both(self.asm, self.where, octets.valid)
        size = asm.value(op.SUBTRACT, (octets.stop, octets.start))
        begin, to, shift = self.cursor, self.position, self.shift
        self._on(size if octets.valid == op.ONES else asm.value(op.CHOOSE, (octets.valid, size, self.nothing)))
        self._later(lambda: asm.do(write_op.COPY, (octets.start, octets.stop, self._place(to), where), (shift,)))
        return Copied(begin, self.position, where)

    def _derive(self) -> None:
        """Compute what follows from the values and from where they stand: in ``total`` bytes."""
        self.total = self.cursor
        given = [each.of.columns.get(each.name) for each in self.following]
        for _ in self.following:
            for each, known in zip(self.following, given, strict=True):
                self._follow(each, known)

    def _write_all(self) -> None:
        """Write everything."""
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
        left = [(place, one, _ends_there(one)) for place, one in enumerate(self.sums)]
        found: list[Stamp] = []
        while left:
            free = [
                each
                for each in left
                if not any(other < each[0] if each[2] else other > each[0] for other, _, _ in left)
            ] or left[:1]
            found += [one for _, one, _ in free]
            left = [each for each in left if each not in free]
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


def meaning_of(said: codec.Field) -> Meaning | None:
    """What a field's numbers stand for; None if they are no more than that."""
    return said.subcon.meaning if isinstance(said.subcon, codec.As) else said.meaning


def _bits_of(number: object, size: int) -> int:
    """The bits of a float of so many bytes. Raises ``NoProgramError`` if it is none."""
    if not isinstance(number, int | float) or number != number:
        raise NoProgramError("something to fill in that is no number")
    return int.from_bytes(struct.pack("<f" if size == 4 else "<d", number), "little")


def _ends_there(stamp: Stamp) -> bool:
    """Whether the bytes that a checksum is over end where it stands, or in front of that."""
    of, checksum = stamp.following, stamp.following.said.checksum
    assert checksum is not None
    ends = [each[1] for each in checksum.over if isinstance(each, tuple)]
    names = {name.name for end in ends for function, name in end.mentions if function is Function.OFFSET}
    laid = list(of.of.spans)
    return bool(names) and names <= set(laid[: laid.index(of.name) + 1])
