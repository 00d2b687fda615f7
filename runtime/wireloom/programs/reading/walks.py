"""Lists that are read item by item to find where each of them starts, by loops in the program around them."""

from collections.abc import Mapping

from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, Block, Instruction, Loop, Steps
from wireloom.programs.expressions import both
from wireloom.programs.outputs import Output
from wireloom.programs.reading.items import ItemLowering
from wireloom.programs.reasons import AnyReason, WrongItem
from wireloom.programs.values import Mask


class Walk:
    """A list in the rows ``where`` there is one, walked through from ``start`` on. Its items may take all bytes up to
    ``limit``. There is a ``count`` of them, or one is the last where ``last`` holds, a register of their own program;
    or they end at the limit. Where each of them is can be written to the three outputs from ``place`` on.
    """

    def __init__(
        self,
        asm: Assembler,
        inner: ItemLowering,
        start: int,
        limit: int,
        where: int,
        place: int,
        *,
        count: int | None = None,
        last: Mask | None = None,
    ) -> None:
        self.asm = asm
        begun = op.ONES
        if count is not None:
            begun = asm.value(op.LESS, (asm.number(0), count))
        elif last is None:
            begun = asm.value(op.LESS, (start, limit))
        with asm.loop((start, asm.number(0), both(asm, where, begun))) as loop:
            item, number, going = loop.carried
            given = inner.given if inner.number is None else {**inner.given, inner.number: number}
            reason = WrongItem(place, number, item, limit, inner.given)
            known = {op.START: item, op.STOP: limit, op.ONES: op.ONES}
            inlined = Inlined(asm, inner.asm, known, given, going, inner.reason_here(reason))
            asked = [inner.cursor] if last is None or isinstance(last, bool) else [inner.cursor, last]
            end, *others = inlined.values(asked)
            moves = asm.value(op.LESS, (item, end))
            if inner.reach is not None:
                reached = asm.value(op.SUBTRACT, (end, start))
                moves = both(asm, moves, asm.value(op.LESS_NUMBER, (reached,), (inner.reach,)))
            asm.check(moves, going)
            following = asm.value(op.ADD_NUMBER, (number,), (1,))
            if count is not None:
                goes_on = asm.value(op.LESS, (following, count))
            elif last is None:
                goes_on = asm.value(op.LESS, (end, limit))
            else:
                goes_on = asm.value(op.NOT, (others[0],)) if others else asm.number(int(not last))
            goes_on = both(asm, goes_on, moves)  # also where a walk around this one leaves out its checks
            for value, found in ((item, end), (number, following), (going, goes_on)):
                loop.carried[value] = loop.carried[value][0], found
        self.loop = loop
        self.stop, self.count = item, number
        """Where the list stops, and how many items it has."""
        self._stored = Instruction(op.STORE_LIST, (), (item, end, going), (place,), asm.path)

    def store(self) -> None:
        """Write where each of the items is."""
        self.loop.outputs.append(self._stored)


class Inlined:
    """Instructions of a program as a part of another one, in the rows where the mask ``where`` is set. What they reject
    is for one ``reason``.

    Of the registers that programs find, it has those of ``known``; ``given`` are the registers of what it is given.
    """

    def __init__(
        self,
        asm: Assembler,
        inner: Assembler,
        known: Mapping[int, int],
        given: Mapping[int, int],
        where: int,
        reason: AnyReason | None,
    ) -> None:
        self.asm = asm
        self.inner = inner
        self.where = where
        self.reason = reason
        self._values = dict(known)
        self._given = given
        self._places: dict[int, int] = {}

    def values(self, asked: list[int]) -> list[int]:
        """The values that registers of the program have."""
        code, _ = self.inner.needed(asked, judging=False)
        self.asm.reach = max(self.asm.reach, self.inner.reach)
        path = self.asm.path
        self._steps(code)
        self.asm.path = path
        return [self._values[value] for value in asked]

    def _steps(self, code: Steps) -> None:
        for each in code:
            if isinstance(each, Loop):
                self._loop(each)
            elif isinstance(each, Block):
                with self.asm.block(self._mask(self._values[each.when])):
                    self._steps(each.body)
            else:
                self._instruction(each)

    def _loop(self, loop: Loop) -> None:
        values = [*(value for value in loop.carried if value != loop.when), loop.when]
        *others, begun = (self._values[loop.carried[value][0]] for value in values)
        with self.asm.loop((*others, self._mask(begun))) as found:
            self._values.update(zip(values, found.carried, strict=True))
            self._steps(loop.body)
            for value in values:
                mine, following = self._values[value], self._values[loop.carried[value][1]]
                found.carried[mine] = found.carried[mine][0], following

    def _instruction(self, each: Instruction) -> None:
        asm, self.asm.path = self.asm, each.field
        reads = [self._values[value] for value in each.reads]
        if each.kind == op.GIVEN:
            self._values[each.sets[0]] = self._given[each.numbers[0]]
        elif each.kind == op.NUMBER:
            self._values[each.sets[0]] = asm.number(each.numbers[0])
        else:
            known, numbers = op.OPCODES[each.kind], list(each.numbers)
            if known.mask is not None:
                reads[known.mask] = self._mask(reads[known.mask])
            for place in known.places:
                numbers[place] = self._place(numbers[place])
            found = asm.several(each.kind, len(each.sets), reads, numbers, self.reason)
            self._values.update(zip(each.sets, found, strict=True))

    def _mask(self, mask: int) -> int:
        return both(self.asm, self.where, mask)

    def _place(self, place: int) -> int:
        if place not in self._places:
            memory = self.inner.memory[place]
            placed = self.asm.place if isinstance(memory, Output) else self.asm.shared
            self._places[place] = placed(memory)
        return self._places[place]
