"""Items of lists in programs of their own, which are given what they ask for from around the list."""

from collections.abc import Callable

from wireloom.expressions.tree import Name, Origin
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import Found
from wireloom.programs.outputs import Output
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.values import FARTHEST, Datum, Listed, NoItems, NoProgramError, Number, Octets, Struct


class ItemLowering(Lowering):
    """Puts together a program whose rows are the items of a list that stands at ``around``. Each of them may take all
    bytes up to the end of its list.
    """

    def __init__(self, around: Lowering) -> None:
        super().__init__(around.parameters, little=around.little, limit=0, decoding=True)
        self.asm.path = around.asm.path
        self.reasoning, self.reach = around.reasoning, around.reach
        self.around = around
        self.base = self.this
        self.nesting = around.nesting + 1
        self.varies = False
        """Whether some items may be longer than others, or are otherwise not all alike."""
        self.given: dict[int, int] = {}
        """The registers around the list whose numbers are given, by the places of the outputs that have them."""
        self.is_placed = False
        """Whether positions are given, too."""
        self.number: int | None = None
        """The place of the output with the numbers of items, if these are asked for."""
        self._places: dict[int, int] = {}

    @property
    def is_packed(self) -> bool:
        return self.around.is_packed or super().is_packed

    def known(self, name: Name) -> Datum | int | None:
        if name.origin is Origin.ITEM:
            return self._index()
        if name.origin is Origin.SECTION:
            self.varies = True  # what is left to items goes beyond their list, unless that is known to end before
        around = (Origin.THIS, Origin.INPUT, Origin.RECORD) if self.this is self.base else (Origin.RECORD,)
        if name.origin not in around:
            return super().known(name)
        found = self.around.known(name)
        return found if found is None or isinstance(found, int) else self._given_value(found)

    def _index(self) -> Number:
        """The number of the item."""
        if self.this is not self.base:
            raise NoProgramError("an item of a list")
        if self.number is None:
            self.number = self.asm.place(Output())
        return Number(self.asm.value(op.GIVEN, (), (self.number,)), 0, FARTHEST)

    def _given_value(self, found: Datum) -> Datum:
        """A value from around the list."""
        valid = self._given_register(found.valid)
        match found:
            case Number():
                register = self._given_register(found.register)
                return Number(register, found.least, found.most, valid, found.truth, found.floating)
            case Octets():
                return Octets(*self._given_span((found.start, found.stop)), valid)
            case NoItems(count=None):
                return NoItems(valid)
            case Listed(count=Number() as count) | NoItems(count=Number() as count):
                return NoItems(valid, Number(self._given_register(count.register), count.least, count.most))
            case Struct():
                return Struct({}, valid)
        raise NoProgramError("what stands around a list and is no number")

    def _given_register(self, outer: int) -> int:
        if outer == op.ONES:
            return outer
        if outer not in self._places:
            self._places[outer] = self.asm.place(Output())
            self.given[self._places[outer]] = outer
        return self.asm.value(op.GIVEN, (), (self._places[outer],))  # anew in each block, which may be left out

    def _given_span(self, span: Span) -> Span:
        self.is_placed = True
        start, stop = span
        return self._given_register(start), self._given_register(stop)

    @property
    def last(self) -> int:
        self.is_placed = True
        return self._given_register(self.around.last)

    @property
    def begin(self) -> int:
        if super().is_packed:
            return super().begin
        self.is_placed = True
        return self._given_register(self.around.begin)

    def away(self, place: Found, read: Callable[[], None], *, shared: bool) -> None:
        raise NoProgramError("a value at another place, in a list")

    def weigh(self) -> None:
        raise NoProgramError("a text that is computed, in a list")

    def offset(self, name: str) -> Number:
        if name != "record" and self.this is not self.base:
            if name not in self.spans or self.spans[name][0] in self.absent:
                raise NoProgramError("where something is that may be absent, asked for in a list")
            return super().offset(name)
        found = self.around.offset(name)
        return Number(self._given_register(found.register), found.least, found.most)

    def span(self, name: str) -> Span:
        if name == "record" or self.this is self.base:
            return self._given_span(self.around.span(name))
        return super().span(name)

    def size(self, name: str) -> Number:
        if name != "record" and self.this is not self.base:
            return super().size(name)
        found = self.around.size(name)
        return Number(self._given_register(found.register), found.least, found.most)

    def move(self, position: int, shift: int = 0) -> None:
        self.varies = True
        super().move(position, shift)


class BorrowedLowering(ItemLowering):
    """Puts together a program whose rows are values that stand elsewhere than what is ``around``, and whose bytes
    belong to others. Each of them may take all bytes up to the end of the record.
    """

    REACH = 1 << 12
    """How many bytes lists in them may take: each of very many values may lead to the same long list."""

    def __init__(self, around: ItemLowering) -> None:
        super().__init__(around)
        self.reasoning, self.reach = False, self.REACH

    def _index(self) -> Number:
        raise NoProgramError("the number of an item, asked for at another place")
