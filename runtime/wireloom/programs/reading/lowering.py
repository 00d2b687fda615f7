"""A program while it is put together: where it reads, in which rows, and what is known there.

A program takes for sound what surely is. Whatever no program says, such as a list with items, makes rows that have it
unsound, and so does whatever is wrong. These rows are read by the plan, which knows why.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wireloom.codec.checksums import REVERSED, Crc
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
from wireloom.programs.reasons import AnyReason, Distance, Missing, Reason
from wireloom.programs.values import (
    FARTHEST,
    WORD,
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
from wireloom.rowwise import Judge

Span = tuple[int, int]
"""The registers that have the addresses where something starts and stops."""


class Lowering:
    """Puts together a program for records of one byte order with these ``parameters``.

    Its rows are those where the mask ``where`` is set. The cursor is at ``position + shift``; the innermost section
    ends at ``limit``. All of these are registers but ``shift``. ``nesting`` counts the structs around what is read.
    """

    def __init__(
        self,
        judge: Judge,
        parameters: Mapping[str, Any],
        *,
        little: bool,
        limit: int,
        asm: Assembler | None = None,
        decoding: bool = False,
    ) -> None:
        self.judge = judge
        self.parameters = parameters
        self.little = little
        self.u64 = U64Type.of(parameters)
        self.asm = Assembler() if asm is None else asm
        self.where = op.ONES
        self.position, self.shift = op.START, 0
        self.origin = op.START
        self.offsets: dict[int, Offset] = {op.START: 0}
        """How far behind the record's start registers are, as far as that is known."""
        self.limit = self.moved(op.STOP, limit)
        self.this = self.record = Level()
        self.spans: dict[str, Span] = {}
        self.absent: set[int] = set()
        """The starts of what is absent in some rows."""
        self.inside: dict[str, Span] = {}
        """Where the fields are of the struct that was read last."""
        self.nesting = 0
        self.decoding = decoding
        """Whether bytes may be packed, and lists have items."""
        self.lists: list[Listing] = []
        """The lists whose items other programs read."""
        self.opened = 0
        """How many packed values are around what is read."""
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
            if self._reached(name, name.steps) is not None:
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
            outer = found
            found = outer.fields.get(step) if isinstance(outer, Struct) else None
            if found is not None and outer is not None:
                found = valid_in(found, both(self.asm, outer.valid, found.valid))
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
        """Where ``name`` starts, counted from the record's start; 0 when it is absent."""
        if self.opened:
            raise NoProgramError("where something is in what is packed")
        return Number(self.asm.value(op.SUBTRACT, (self.span(name)[0], self.begin)), 0, FARTHEST)

    def span(self, name: str) -> Span:
        """From where to where ``name`` is; both the record's start when it is absent."""
        return (op.START, op.STOP) if name == "record" else self.spans.get(name, (op.START, op.START))

    @property
    def begin(self) -> int:
        """The register with the place where the record starts."""
        return op.START

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
            self.asm.check(self.asm.number(0) if holds is False else holds, mask, self.told(reason))

    def must_equal(self, one: Number, other: Number, where: int, reason: AnyReason | None = None) -> None:
        """Rows ``where`` two numbers are not the same are not sound: 2^64 - 1 is not -1, which has the same bits."""
        self.must(self.asm.value(op.EQUAL, (one.register, other.register)), where, reason)
        if max(one.most, other.most) >= WORD and min(one.least, other.least) < 0:
            self.must(self.asm.value(op.MORE_NUMBER, (other.register,), (-1,)), where)

    def told(self, reason: AnyReason | None) -> AnyReason | None:
        """A reason, unless it has positions in what is packed."""
        return None if self.opened else reason

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
        return found

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
        reason = self.told(Missing(self.position, self.limit, self.shift, sizes))
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
        self.must(size.valid)
        cursor = self.cursor
        reason = self.told(Missing(cursor, self.limit, register=size.register))
        start, stop = self.asm.several(op.TAKE, 2, (cursor, size.register, self.limit, self.where), (), reason)
        self._keep(start, cursor)
        self.move(stop)
        return start, stop

    def enter(self, name: str, span: Span) -> int:
        """Read a section; returns the end of what is around it, for ``leave``."""
        outer, self.limit = self.limit, span[1]
        self.move(span[0])
        self.spans[name] = span
        return outer

    def leave(self, outer: int) -> None:
        """Go on behind a section."""
        self.move(self.limit)
        self.limit = outer

    def end(self, trailing: str | None = None) -> None:
        """What is left over up to the limit goes to ``trailing``, or there must be nothing."""
        cursor = self.cursor
        if trailing is None:
            words = Distance(cursor, self.limit), " left over"
            whole = self.asm.value(op.EQUAL, (cursor, self.limit))
            self.must(whole, reason=Reason("trailing-bytes", cursor, words))
        else:
            left = self.asm.value(op.LESS, (cursor, self.limit))
            self.this.columns[trailing] = Octets(cursor, self.limit, left)

    def written(self, kind: NumberFormat) -> int | None:
        """The register with the number at the cursor if the program has written it; None if it is to be loaded."""
        return None

    # Checksums

    def crc(self, algorithm: Crc, start: int, stop: int, where: int) -> int:
        """The CRC of the bytes from ``start`` to before ``stop``, in the rows ``where`` it is asked for."""
        asm = self.asm
        tables = asm.shared(algorithm)
        reverses = not algorithm.reflect_in
        numbers = tables, algorithm.initial, asm.shared(Table(REVERSED)) if reverses else tables, int(reverses)
        found = asm.value(op.CRC, (start, stop), numbers)
        if not algorithm.reflect_out:
            found = self._reversed(found, algorithm.bits)
        return asm.value(op.XOR, (found, asm.number(algorithm.xor_out))) if algorithm.xor_out else found

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
        self._state = before
        self.this.columns, self.spans = columns, spans
        if inner != (self.position, self.shift):
            self._go_on(mask, self.moved(*inner))
        for name, value in read_columns.items():
            if value is not columns.get(name):
                columns[name] = merged(self.asm, mask, value, columns.get(name))
        for name, span in read_spans.items():
            if span != spans.get(name):
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
        return self.where, self.position, self.shift, self.limit, self.this, self.nesting, self.opened

    @_state.setter
    def _state(self, state: tuple[Any, ...]) -> None:
        self.where, self.position, self.shift, self.limit, self.this, self.nesting, self.opened = state
