"""Items of lists in programs of their own, which are given the numbers that they ask for from around the list."""

from collections.abc import Callable

from wireloom.expressions.tree import Name, Origin
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import Found
from wireloom.programs.outputs import Output
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.values import Datum, NoProgramError, Number


class ItemLowering(Lowering):
    """Puts together a program whose rows are the items of a list that stands at ``around``. Each of them may take all
    bytes up to the end of its list.
    """

    def __init__(self, around: Lowering) -> None:
        super().__init__(around.judge, around.parameters, little=around.little, limit=0, decoding=True)
        self.asm.path = around.asm.path
        self.around = around
        self.base = self.this
        self.nesting = around.nesting + 1
        self.varies = False
        """Whether some items may be longer than others."""
        self.given: dict[int, int] = {}
        """The registers around the list whose numbers are given, by the places of the outputs that have them."""
        self._known: dict[int, int] = {}

    @property
    def is_packed(self) -> bool:
        return self.around.is_packed or super().is_packed

    def known(self, name: Name) -> Datum | int | None:
        around = (Origin.THIS, Origin.INPUT, Origin.RECORD) if self.this is self.base else (Origin.RECORD,)
        if name.origin not in around:
            return super().known(name)
        found = self.around.known(name)
        if found is None or isinstance(found, int):
            return found
        if not isinstance(found, Number):
            raise NoProgramError("what stands around a list and is no number")
        valid = found.valid if found.valid == op.ONES else self._given_register(found.valid)
        register = self._given_register(found.register)
        return Number(register, found.least, found.most, valid, found.truth, found.floating)

    def _given_register(self, outer: int) -> int:
        if outer not in self._known:
            place = self.asm.place(Output())
            self.given[place] = outer
            self._known[outer] = self.asm.value(op.GIVEN, (), (place,))
        return self._known[outer]

    def away(self, place: Found, read: Callable[[], None], *, shared: bool) -> None:
        raise NoProgramError("a value at another place, in a list")

    def weigh(self) -> None:
        raise NoProgramError("a text that is computed, in a list")

    def offset(self, name: str) -> Number:
        raise NoProgramError("where something is, asked for in a list")

    def span(self, name: str) -> Span:
        if name == "record" or self.this is self.base:
            raise NoProgramError("the size of what stands around a list")
        return super().span(name)

    def move(self, position: int, shift: int = 0) -> None:
        self.varies = True
        super().move(position, shift)
