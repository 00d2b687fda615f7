"""Translates a layout to instructions that read it: the state of a program under construction.

A row is accepted only if every check of the program passes. What no instruction says rejects the rows that use it.
Rejected rows are read by the codec, unless the check that failed has a reason.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any, TypeVar

from wireloom.codec.checksums import REVERSED, Crc, withdrawals
from wireloom.codec.reader import Reader
from wireloom.expressions import Expression
from wireloom.expressions.tree import Expr, Name, Origin
from wireloom.options import U64Type
from wireloom.programs import expressions, offsets
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import both, truth
from wireloom.programs.merging import merged
from wireloom.programs.number_format import NumberFormat
from wireloom.programs.offsets import Offset
from wireloom.programs.outputs import Table
from wireloom.programs.reading.scattered import TakenSpan, left_over, total
from wireloom.programs.reasons import AnyReason, Distance, Missing, Reason
from wireloom.programs.values import (
    FARTHEST,
    WORD,
    Borrowed,
    Datum,
    Level,
    Listing,
    Mask,
    NoProgramError,
    Number,
    Octets,
    Struct,
    valid_in,
)

T = TypeVar("T")
Span = tuple[int, int]
"""The registers that have the addresses where something starts and stops."""
UNKNOWN: Span = (-1, -1)
"""Where something is that another program reads."""
Region = tuple[int, tuple[TakenSpan, ...]]
"""Where a region ends, and what was read out of sequence in it."""


class Lowering:
    """Puts together a program for records of one byte order with these ``parameters``.

    Its rows are those where the mask ``where`` is set. The cursor is at ``position + shift``; the innermost section
    ends at ``limit``. All of these are registers but ``shift``. ``nesting`` counts the structs around what is read.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        *,
        little: bool,
        limit: int,
        asm: Assembler | None = None,
        decoding: bool = False,
    ) -> None:
        self.parameters = parameters
        self.little = little
        self.u64 = U64Type.of(parameters)
        self.asm = Assembler() if asm is None else asm
        self.where = op.ONES
        self.position, self.shift = op.START, 0
        self.origin = op.START
        self.offsets: dict[int, Offset] = {op.START: 0}
        """How far behind the record's start registers are, as far as that is known."""
        self.moves: dict[int, tuple[int, int]] = {}
        """Places by how many bytes they are behind others."""
        self.limit = self._last = self.moved(op.STOP, limit)
        self.reasoning = True
        """Whether checks have reasons."""
        self.reach: int | None = None
        """How many bytes a list may take whose end only its items show; None for as many as there are."""
        self.taken: tuple[TakenSpan, ...] = ()
        """What was read out of sequence in the innermost region."""
        self.heavy = 0
        """How many values there are that may have all bytes of the record again."""
        self.this = self.record = Level()
        self.spans: dict[str, Span] = {}
        self.absent: set[int] = set()
        """The starts of what is absent in some rows."""
        self.inside: dict[str, Span] = {}
        """Where the fields are of the struct that was read last."""
        self.innermost: tuple[Level, Set[str]] = self.this, frozenset()
        """The struct that was read last, and what was read in it in other bytes."""
        self.nesting = 0
        self.decoding = decoding
        """Whether bytes may be packed, and lists have items."""
        self.lists: list[Listing] = []
        """The lists whose items other programs read."""
        self.whole: Span = op.START, op.STOP
        """The bytes in which places are: those of the record, or what packed ones around unpack to."""
        self.apart: Set[str] = frozenset()
        """What was read in other bytes than these."""
        self.variant: int | None = None
        """The register with the number of the variant, if it is known before it is read."""
        self.settled: Mapping[str, int] = {}
        """Fields of the header whose numbers are known: records with others are not sound."""
        self.left: dict[str, None] = {}
        """What makes rows unsound because no program says it, in the order in which it was met."""
        self.partial = False
        """Whether rows are unsound in which a number has more than 64 bits, or is kept as it is not written."""

    # What expressions ask for

    def known(self, name: Name) -> Datum | int | None:
        """The value of a name; None if no row has one. Raises ``NoProgramError``."""
        if name.origin is Origin.ITEM:
            raise NoProgramError("an item of a list")
        if name.item is not None:
            is_given = name.origin is Origin.INPUT
            if (self._given(name.steps[0]) if is_given else self._reached(name, name.steps)) is not None:
                raise NoProgramError("an item of a list")
            return None
        if name.origin is Origin.PARAMETER:
            value = self.parameters[name.name]
            if not isinstance(value, int):
                raise NoProgramError("a parameter that is no number")
            return int(value)
        if name.origin is Origin.SECTION:
            return Number(self.asm.value(op.SUBTRACT, (self.limit, self.cursor)), 0, FARTHEST)
        if name.origin is Origin.INPUT:
            return self._given(name.name)
        found = self._reached(name, name.steps)
        if isinstance(found, Number) and found.least == found.most and found.valid == op.ONES and not found.floating:
            return found.least
        return found

    def _reached(self, name: Name, steps: Sequence[str]) -> Datum | None:
        """The value that these steps lead to; valid where all structs around it are."""
        scope = self.record if name.origin is Origin.RECORD else self.this
        found = scope.columns.get(steps[0])
        for step in steps[1:]:
            if isinstance(found, Borrowed):
                break
            outer = found
            found = outer.fields.get(step) if isinstance(outer, Struct) else None
            if found is not None and outer is not None:
                found = valid_in(found, both(self.asm, outer.valid, found.valid))
        if isinstance(found, Borrowed):
            raise NoProgramError("what stands at another place, asked for in a list")
        return found

    def _given(self, name: str) -> Datum | int | None:
        if name not in self.this.given:
            raise NoProgramError("what a struct around another is given")
        found: Datum | int | None = self.this.given[name]
        return found

    def size(self, name: str) -> Number:
        """How many bytes ``name`` takes; 0 when it is absent."""
        start, stop = self.span(name)
        return Number(self.asm.value(op.SUBTRACT, (stop, start)), 0, FARTHEST)

    def offset(self, name: str) -> Number:
        """Where ``name`` starts in the record, or in what is unpacked around here; 0 when it is absent."""
        if name in self.apart:
            raise NoProgramError("where something is in what is packed, or around that")
        start = self.begin if name == "record" else self.span(name)[0]
        return Number(self.asm.value(op.SUBTRACT, (start, self.begin)), 0, FARTHEST)

    def span(self, name: str) -> Span:
        """From where to where ``name`` is; both the start of all bytes when it is absent."""
        found = (op.START, op.STOP) if name == "record" else self.spans.get(name, (self.whole[0],) * 2)
        if found == UNKNOWN:
            raise NoProgramError("where something is in what stands at another place, in a list")
        return found

    @property
    def last(self) -> int:
        """The register with the place where the outermost section ends."""
        return self._last

    @property
    def begin(self) -> int:
        """The register with the place where the record starts, or what is unpacked around here."""
        return self.whole[0]

    def ask(self, expression: Expression) -> expressions.Found:
        """The value of an expression that stands here."""
        return self.ask_tree(expression.tree)

    def ask_tree(self, tree: Expr) -> expressions.Found:
        """The same for the tree of one."""
        return expressions.found(tree, self)

    def holds(self, expression: Expression) -> Mask:
        """Where an expression is true."""
        return truth(self.ask(expression), self.asm)

    def must(self, holds: Mask, where: int | None = None, reason: AnyReason | None = None) -> None:
        """Rows ``where`` it does not hold are not sound, for a ``reason`` if one is known."""
        if holds is not True and holds != op.ONES:
            mask = self.where if where is None else where
            self.asm.check(self.asm.number(0) if holds is False else holds, mask, self.reason_here(reason))

    def must_equal(self, one: Number, other: Number, where: int, reason: AnyReason | None = None) -> None:
        """Rows ``where`` two numbers are not the same are not sound: 2^64 - 1 is not -1, which has the same bits."""
        self.must(self.asm.value(op.EQUAL, (one.register, other.register)), where, reason)
        if max(one.most, other.most) >= WORD and min(one.least, other.least) < 0:
            self.must(self.asm.value(op.MORE_NUMBER, (other.register,), (-1,)), where)

    @property
    def is_packed(self) -> bool:
        """Whether what is read is in packed bytes."""
        return self.whole != (op.START, op.STOP)

    def reason_here(self, reason: AnyReason | None) -> AnyReason | None:
        """A reason, unless it has positions in what is packed."""
        return None if self.is_packed or not self.reasoning else reason

    @contextmanager
    def without_reasons(self) -> Iterator[None]:
        """What is checked meanwhile has no reasons."""
        before, self.reasoning = self.reasoning, False
        try:
            yield
        finally:
            self.reasoning = before

    # Where it reads

    @property
    def cursor(self) -> int:
        """The register with the place where reading goes on."""
        return self.moved(self.position, self.shift)

    def offset_of(self, position: int, where: int) -> int | None:
        """How far behind the record's start a position is in these rows; None if that differs, or is not known."""
        offset = self.offsets.get(position)
        found = None if offset is None else offsets.within(self.asm, where, offset)
        return found if isinstance(found, int) else None

    def moved(self, position: int, count: int) -> int:
        """The place so many bytes behind another."""
        found = self.asm.value(op.ADD_NUMBER, (position,), (count,)) if count else position
        self._keep(found, position, count)
        base, before = self.moves.get(position, (position, 0))
        self.moves[found] = base, before + count
        return found

    def distance(self, start: int, stop: int) -> int | None:
        """How many bytes are between two places; None if that differs between rows, or is not known."""
        (base, before), (other, behind) = (self.moves.get(each, (each, 0)) for each in (start, stop))
        return behind - before if base == other else None

    def _keep(self, found: int, position: int, count: int = 0) -> None:
        """Note that a place is so many bytes behind another."""
        if position in self.offsets:
            self.offsets[found] = offsets.moved(self.offsets[position], count)

    def move(self, position: int, shift: int = 0) -> None:
        """Go on elsewhere."""
        self.position, self.shift = position, shift

    def need(self, *sizes: tuple[str | None, int]) -> None:
        """Values of these names, or of none, and of these sizes must follow the cursor."""
        reads, count = (self.position, self.limit, self.where), sum(size for _, size in sizes)
        reason = self.reason_here(Missing(self.position, self.limit, self.shift, sizes))
        (position,) = self.asm.several(op.NEED, 1, reads, (self.shift + count,), reason)
        self._keep(position, self.position)
        self.position = position

    def take(self, size: expressions.Found) -> Span:
        """The next bytes, so many; goes on behind them."""
        if isinstance(size, int) and size >= 0:
            self.need((None, size))
            start = self.cursor
            self.shift += size
            return start, self.cursor
        if not isinstance(size, Number) or not size.whole:
            raise NoProgramError("a size that is no number")
        cursor = self.cursor
        there = size.register
        if size.valid != op.ONES:
            there = self.asm.value(op.CHOOSE, (size.valid, there, self.asm.number(0)))
        reason = self.reason_here(Missing(cursor, self.limit, register=there))
        start, stop = self.asm.several(op.TAKE, 2, (cursor, there, self.limit, self.where), (), reason)
        words = ("a size that follows from an absent value",)
        self.must(size.valid, reason=Reason("invalid-size", start, words))
        self._keep(start, cursor)
        self.move(stop)
        return start, stop

    def enter(self, span: Span) -> Region:
        """Read a region; returns that around it, for ``leave``."""
        outer = self.limit, self.taken
        self.limit, self.taken = span[1], ()
        self.move(span[0])
        return outer

    def leave(self, outer: Region) -> None:
        """Go on behind a region."""
        self.move(self.limit)
        self.limit, self.taken = outer

    def end(self, trailing: str | None = None) -> None:
        """What is left over up to the limit goes to ``trailing``, or there must be nothing."""
        start, stop = self.cursor, self.limit
        if self.taken:
            start, stop = left_over(
                self.asm,
                self.taken,
                start,
                stop,
                lambda holds, where: self.must(holds, both(self.asm, self.where, where)),
            )
        if trailing is None:
            words = Distance(start, stop), " left over"
            reason = None if self.taken else Reason("trailing-bytes", start, words)
            self.must(self.asm.value(op.EQUAL, (start, stop)), reason=reason)
        else:
            self.this.columns[trailing] = Octets(start, stop, self.asm.value(op.LESS, (start, stop)))

    def away(self, place: expressions.Found, read: Callable[[], None], *, shared: bool) -> None:
        """Read something at a byte of the record; then reading goes on here. The bytes of what is ``shared`` belong to
        others.
        """
        if place is None or self.is_packed:
            raise NoProgramError("a place that may be absent, or in what is packed")
        position, shift, outer = self.position, self.shift, (self.limit, self.taken)
        if shared:
            self.weigh()
            self.limit, self.taken = self.last, ()
        if isinstance(place, Number):
            self.must(place.valid)
        reads = op.START, expressions.whole(self.asm, place), self.limit, self.where
        start = self.asm.several(op.TAKE, 2, reads)[1]
        self.move(start)
        read()
        if shared and self.taken:
            raise NoProgramError("a value at another place in one whose bytes belong to others")
        taken = outer[1] if shared else (*self.taken, TakenSpan(start, self.cursor, self.where))
        self.move(position, shift)
        self.limit, self.taken = outer[0], taken
        if not shared and len(taken) > 1:  # or the codec reads no further
            reach = self.asm.value(op.SUBTRACT, (self.limit, op.START))
            self.must(self.asm.value(op.LESS_EQUAL, (total(self.asm, taken), reach)))

    def weigh(self) -> None:
        """Count a value that may have all bytes of the record again. Few such values, of records that are not very
        large, are never too many for the codec.
        """
        self.heavy += 1
        if self.heavy * Reader.STEP > Reader.SHARED:
            raise NoProgramError("very many values that have bytes of others")
        size = self.asm.value(op.SUBTRACT, (op.STOP, op.START))
        self.must(self.asm.value(op.LESS_NUMBER, (size,), (Reader.HEAVIEST * Reader.STEP // Reader.SHARED // 2,)))

    def written(self, kind: NumberFormat) -> int | None:
        """The register with the number at the cursor if the program has written it; None if it is to be loaded."""
        return None

    def within_packed(self, unpacked: Span, read: Callable[[], T]) -> T:
        """Read something in what bytes unpack to. Then reading goes on at the same place as before."""
        before, apart, outside = self._state, self.apart, self.spans
        self.move(unpacked[0])
        self.limit, self.whole, self.taken = unpacked[1], unpacked, ()
        self.apart, self.spans = apart | outside.keys(), dict(outside)
        try:
            found = read()
            apart |= {name for name, span in self.spans.items() if span is not outside.get(name)}
        finally:
            self._state, self.apart = before, apart
        return found

    # Checksums

    def crc(self, algorithm: Crc, start: int, stop: int, where: int) -> int:
        """The CRC of the bytes from ``start`` to before ``stop``, in the rows ``where`` it is asked for."""
        asm = self.asm
        tables = asm.shared(algorithm)
        reverses = not algorithm.reflect_in
        numbers = tables, algorithm.initial, asm.shared(Table(REVERSED)) if reverses else tables, int(reverses)
        found = asm.value(op.CRC, (start, stop), numbers)
        if algorithm.unaugmented:
            found = self._withdrawn(found, algorithm)
        if not algorithm.reflect_out:
            found = self._reversed(found, algorithm.bits)
        return asm.value(op.XOR, (found, asm.number(algorithm.xor_out))) if algorithm.xor_out else found

    def _withdrawn(self, register: int, algorithm: Crc) -> int:
        """What a register was before as many zero bits as it has."""
        asm, found = self.asm, self.asm.number(0)
        for place, numbers in enumerate(withdrawals(algorithm.bits, algorithm.poly)):
            shifted = asm.value(op.SHIFT_RIGHT, (register, asm.number(8 * place)))
            byte = asm.value(op.AND_NUMBER, (shifted,), (0xFF,))
            one = asm.value(op.LOOK_UP, (byte,), (asm.shared(Table.of(numbers)), 1 << 8))
            found = asm.value(op.XOR, (found, one))
        return found

    def _reversed(self, register: int, bits: int) -> int:
        """The lowest bits of a register in the other order."""
        asm, table, count = self.asm, self.asm.shared(Table.of(REVERSED)), -(-bits // 8)
        found = asm.number(0)
        for byte in range(count):
            shifted = asm.value(op.SHIFT_RIGHT, (register, asm.number(8 * byte))) if byte else register
            one = asm.value(op.LOOK_UP, (asm.value(op.AND_NUMBER, (shifted,), (0xFF,)),), (table, 1 << 8))
            found = asm.value(op.ADD, (asm.value(op.MULTIPLY_NUMBER, (found,), (1 << 8,)), one))
        if bits == 64:
            asm.wide.add(found)
        return asm.value(op.SHIFT_RIGHT, (found, asm.number(8 * count - bits))) if bits % 8 else found

    # In which rows

    def within(self, holds: Mask, read: Callable[[], None]) -> None:
        """Read something in the rows where ``holds``. If no program says it, none of these rows is sound."""
        if isinstance(holds, bool):
            if holds:
                read()
            return
        mask = both(self.asm, self.where, holds)
        before, columns, spans = self._state, dict(self.this.columns), dict(self.spans)
        lists = len(self.lists)
        self.where = mask
        try:
            with self.asm.block(mask):
                read()
        except NoProgramError as error:
            self.left[str(error)] = None
            self._state = before
            self.this.columns, self.spans = columns, spans
            del self.lists[lists:]
            self.must(False, mask)
            return
        for listing in self.lists[lists:]:
            listing.where = both(self.asm, mask, listing.where)
        inner, read_columns, read_spans = (self.position, self.shift), self.this.columns, self.spans
        taken = self.taken
        self._state, self.taken = before, taken
        self.this.columns, self.spans = columns, spans
        if inner != (self.position, self.shift):
            self._go_on(mask, self.moved(*inner))
        for name, value in read_columns.items():
            if value is not columns.get(name):
                columns[name] = merged(self.asm, mask, value, columns.get(name))
        for name, span in read_spans.items():
            if UNKNOWN in (span, spans.get(name)):
                spans[name] = UNKNOWN
            elif span != spans.get(name):
                pairs = zip(span, self.span(name), strict=True)
                start, stop = (self.asm.value(op.CHOOSE, (mask, one, other)) for one, other in pairs)
                if name not in spans or not self.absent.isdisjoint((span[0], spans[name][0])):
                    self.absent.add(start)
                spans[name] = start, stop

    def _go_on(self, mask: int, position: int) -> None:
        """Go on at a position in the rows where the mask is set, and at the cursor in others."""
        cursor, known = self.cursor, self.offsets
        offset = None
        if position in known and cursor in known:
            offset = offsets.chosen(self.asm, mask, known[position], known[cursor])
        if isinstance(offset, int):
            self.move(self.origin, offset)
            return
        self.move(self.asm.value(op.CHOOSE, (mask, position, cursor)))
        if offset is not None:
            known[self.position] = offset

    @property
    def _state(self) -> tuple[Any, ...]:
        """What reading changes."""
        return self.where, self.position, self.shift, self.limit, self.this, self.nesting, self.whole, self.taken

    @_state.setter
    def _state(self, state: tuple[Any, ...]) -> None:
        self.where, self.position, self.shift, self.limit, self.this, self.nesting, self.whole, self.taken = state
