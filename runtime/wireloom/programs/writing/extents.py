"""Values of variable size laid out by programs, in extents: bytes, texts, digits and padding."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from construct import BytesInteger, FormatField

from wireloom import codec
from wireloom.codec.digits import Digits
from wireloom.codec.sized import LONGEST
from wireloom.codec.values import Extent
from wireloom.codec.varints import Varint
from wireloom.options import MAX_RECORD_BYTES
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.expressions import Found, both
from wireloom.programs.number_format import NumberFormat
from wireloom.programs.reading.sized import PIECES, before, behind, bits, fewest_bytes, has_piece, taken
from wireloom.programs.values import SIZES, NoProgramError, Number, Octets
from wireloom.programs.writing.numbers import ArrangingNumbers, meaning_of
from wireloom.programs.writing.scope import Copied


class ArrangingExtents(ArrangingNumbers):
    """Lays out values that end where their extents say."""

    def _octets(self, name: str, extent: object = None) -> None:
        """The bytes that are given under that name."""
        known = self.this.columns.get(name)
        if not isinstance(known, Octets | None):
            raise NoProgramError("bytes that are given as something else")
        self._given_octets(known, extent, name)

    def _given_octets(self, known: Octets | None, extent: object, name: str | None = None) -> None:
        """Some bytes, which are those that are given under that name, if there is one."""
        asm, size = self.asm, self._size_of(known)

        def put(fits: int) -> None:
            if known is not None:
                copied = self._copy(replace(known, valid=both(asm, known.valid, fits)))
                if name is not None:
                    self.this.octets[name] = copied

        self._ended(extent, size, put)

    def _size_of(self, known: Octets | None) -> int:
        """The number of some bytes, where they are given."""
        if known is None:
            return self.nothing
        size = self.asm.value(op.SUBTRACT, (known.stop, known.start))
        return size if known.valid == op.ONES else self.asm.value(op.CHOOSE, (known.valid, size, self.nothing))

    def _spelled(self, name: str, way: int) -> None:
        """The bytes that a text spells."""
        known, position, shift, where = self.this.columns.get(name), self.position, self.shift, self.where
        if not isinstance(known, Octets | None):
            raise NoProgramError("a text that is given as something else")
        start = self.cursor
        self.move(position, shift + SIZES[way])
        if known is not None:
            reads, there = (known.start, known.stop), both(self.asm, where, known.valid)

            def write() -> None:
                self.asm.do(write_op.WRITE_SPELLED, (*reads, self._place(position), there), (shift, way))

            self._later(write)
            self.this.octets[name] = Copied(start, self.cursor, there)

    def _digits(self, name: str, said: codec.Field, kind: codec.Ascii) -> None:
        """A number in digits. As many as there is room for, where it follows from others and that is known before."""
        if kind.fill:
            raise NoProgramError("digits after a filling")
        asm = self.asm
        fixed = kind.extent.fixed if isinstance(kind.extent, codec.Size) else None
        if said.checksum is not None and fixed is None:
            fixed = kind.digits
        if said.derived and fixed is not None:
            self._prepare(name, said)
            size = asm.number(fixed)
        else:
            size = asm.value(write_op.DIGITS_SIZE, (self._room(name, said),), (kind.base, kind.digits))
        if meaning_of(said) is None:
            self._bound(name, kind.least, kind.most)
        form = kind.base, int(kind.alphabet.isupper() and kind.base > 10)

        def put(fits: int) -> None:
            where = both(asm, self.where, fits)
            position, shift = self.position, self.shift
            self._on(size)
            start, stop = self.moved(position, shift), self.cursor

            def write(register: int) -> None:
                asm.do(write_op.WRITE_DIGITS, (register, self._place(start), self._place(stop), where), form)

            self._number_later(name, said, write, position, shift, fixed or 0)

        self._ended(kind.extent, size, put)

    def _sized_integer(self, name: str, said: codec.Field, kind: codec.SizedInteger) -> None:
        """An integer in as many bytes as its size says, or in the fewest where that follows from them."""
        asm, little = self.asm, self.little if kind.little is None else kind.little
        size = fewest_bytes(asm, self._room(name, said), kind)
        asked: Found = None
        if isinstance(kind.extent, codec.Size) and not kind.shortest:
            asked = kind.extent.size if isinstance(kind.extent.size, int) else self.ask(kind.extent.size)
        if asked is not None:
            stated = self._of_each(asked)
            fits = both(asm, asm.value(op.LESS_NUMBER, (stated.register,), (LONGEST + 1,)), stated.valid)
            fits = both(asm, fits, asm.value(op.MORE_NUMBER, (stated.register,), (-1,)))
            size = asm.value(op.CHOOSE, (fits, stated.register, size))
        if meaning_of(said) is None:
            self._bound(name, kind.least, kind.most)
        of, where, place = self.this, self.where, self.moved(self.position, self.shift)
        self._on(size)

        def write() -> None:
            register = self._told(of, name, said)
            for count in (LONGEST, *PIECES):
                at = 0 if count == LONGEST else before(count)
                rest = 0 if count == LONGEST else before(count) if little else behind(count)
                piece = asm.value(op.SHIFT_RIGHT, (register, bits(self, size, rest)))
                to = self._place(asm.value(op.ADD, (place, taken(self, size, at))))
                there = both(asm, where, has_piece(self, size, count))
                asm.do(write_op.WRITE, (piece, to, there), (0, count, int(not little)))

        self._later(write)

    def _ended(self, extent: object, size: int, put: Callable[[int], None]) -> None:
        """What ``put`` lays out at the cursor, so many bytes, where the mask is set that it is given."""
        match extent:
            case None | codec.Rest() | codec.Size() | codec.Until():
                pass
            case codec.Padded(pad=pad) if len(set(pad)) == 1:
                pass
            case codec.Prefixed():
                self._prefix(extent, size)
            case _:
                raise NoProgramError(f"parts of type {type(extent).__name__}")
        if isinstance(extent, codec.Size | codec.Padded) and extent.fixed is not None:
            self._in_region(extent, extent.fixed, size, put)
            return
        put(op.ONES)
        if isinstance(extent, codec.Until) and extent.terminator == "drop":
            self._constant(extent.end)

    def _in_region(self, extent: Extent, room: int, size: int, put: Callable[[int], None]) -> None:
        """The same in a region with room for so many bytes, which is left as it is where they are more."""
        asm, position, shift = self.asm, self.position, self.shift
        put(asm.value(op.LESS_NUMBER, (size,), (room + 1,)))
        if isinstance(extent, codec.Padded):
            self._pad_up(self.cursor, self.moved(position, shift + room), extent.pad[0])
            until = extent.until
            if until is not None and until.terminator == "drop" and set(until.end) != set(extent.pad):
                self._constant(until.end, asm.value(op.LESS_NUMBER, (size,), (room - len(until.end) + 1,)))
        self.move(position, shift + room)

    def _enclosed(self, extent: object, lay: Callable[[], None]) -> None:
        """What is laid out in a region of its own, whose length may be in front of it, or a terminator behind it."""
        position, shift = self.position, self.shift
        match extent:
            case codec.Rest() | codec.Size():
                lay()
            case codec.Padded(fixed=int(room), pad=pad) if len(set(pad)) == 1 and extent.until is None:
                lay()
                stop = self.moved(position, shift + room)
                self._pad_up(self.cursor, stop, pad[0])
                fits = self.asm.value(op.LESS, (self.cursor, stop))
                self.move(self.asm.value(op.CHOOSE, (fits, stop, self.cursor)))
            case codec.Until(terminator="drop"):
                lay()
                self._constant(extent.end)
            case codec.Prefixed(length=length) if not isinstance(length, Varint):
                write, begin = self._length(length), self.cursor
                lay()
                write(self.asm.value(op.SUBTRACT, (self.cursor, begin)))
            case _:
                raise NoProgramError(f"a struct in {type(extent).__name__}")

    def _prefix(self, extent: codec.Prefixed, size: int) -> None:
        """A length before a value."""
        length = extent.length
        if isinstance(length, Varint):
            self._put_varint(length, size, lambda: size)
        else:
            self._length(length)(size)

    def _length(self, kind: object) -> Callable[[int], None]:
        """Room for a length of a fixed size at the cursor. Returns what writes it there, once it is known."""
        position, shift, where = self.position, self.shift, self.where
        match kind:
            case FormatField() | BytesInteger():
                number = NumberFormat.from_construct(kind)
                little, room = number.is_little(little=self.little), number.size
                at = {"size": room, "position": position, "shift": shift, "where": where}
                write = partial(self._write, **at, little=little)
            case Digits():
                room = kind.size
                write = partial(self._write_decimal, kind=kind, position=position, shift=shift, where=where)
            case _:
                raise NoProgramError(f"a length of type {type(kind).__name__}")
        self.move(position, shift + room)
        return lambda size: self._later(partial(write, size))

    def _constant(self, octets: bytes, where: int = op.ONES) -> None:
        """Bytes that are the same in each record."""
        position, shift, where = self.position, self.shift, both(self.asm, self.where, where)
        self.move(position, shift + len(octets))
        for at in range(0, len(octets), 8):
            some = octets[at : at + 8]
            register, to = self.asm.number(int.from_bytes(some, "big")), (shift + at, len(some), 1)
            self._later(partial(self._write_word, register, position, where, to))

    def _write_word(self, register: int, position: int, where: int, to: tuple[int, int, int]) -> None:
        self.asm.do(write_op.WRITE, (register, self._place(position), where), to)

    def _pad(self, part: codec.Pad) -> None:
        """Zeros, as many as its size says, which is below that of records, or none."""
        asm = self.asm
        size: Found
        if part.align == 1:
            asked = part.extent.size
            size = asked if isinstance(asked, int) else self.ask(asked)
        else:
            origin = self.nothing if part.start is None else self.span(part.start)[0]
            gap = asm.value(op.SUBTRACT, (origin, self.cursor))
            size = Number(asm.value(op.MODULO, (gap, asm.number(part.align))), 0, part.align - 1)
        position, shift = self.position, self.shift
        if isinstance(size, int) and 0 <= size < MAX_RECORD_BYTES:
            self.move(position, shift + size)
        else:
            number = self._of_each(size)
            fits = asm.value(op.LESS_NUMBER, (number.register,), (MAX_RECORD_BYTES,))
            fits = both(asm, fits, asm.value(op.MORE_NUMBER, (number.register,), (-1,)))
            self._on(asm.value(op.CHOOSE, (both(asm, fits, number.valid), number.register, self.nothing)))
        self._pad_up(self.moved(position, shift), self.cursor, 0)

    def _pad_up(self, start: int, stop: int, byte: int) -> None:
        """Fill the bytes between two positions of the record."""
        where = self.where
        self._later(lambda: self.asm.do(write_op.PAD, (self._place(start), self._place(stop), where), (byte,)))
