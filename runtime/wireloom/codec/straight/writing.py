"""Parts of layouts as lines that write them: sections and conditions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wireloom.codec.bits import Bits
from wireloom.codec.computed import Computed
from wireloom.codec.layout import Layout
from wireloom.codec.parts import Choice, Optional, Pad, Section, When
from wireloom.codec.runs import Run
from wireloom.codec.straight.drafts import Room
from wireloom.codec.straight.flow import HEADER, Nest
from wireloom.codec.straight.packing import NumberPieces
from wireloom.codec.straight.pieces import CasePieces
from wireloom.codec.straight.state import EndedError
from wireloom.codec.straight.terms import Byte, Certain, Operand, UnsaidError, distance, text_of
from wireloom.codec.values import Size
from wireloom.expressions import Expression
from wireloom.expressions.tree import Origin


class WritingLines(NumberPieces):
    """Writes numbers, sections and conditions; other parts raise ``UnsaidError``."""

    def layout(self, layout: Layout, nest: Nest) -> None:
        """All parts of a layout, computed values first."""
        for step in layout.writing:
            self.step(step, nest)

    def step(self, step: Any, nest: Nest) -> None:
        """One part. Raises ``UnsaidError`` for those that have no straight line."""
        match step:
            case Run():
                for name, field in step.fields:
                    self.number(nest, name, field)
            case Computed():
                self.computed(step, nest)
            case Bits():
                self.bits(step, nest)
            case Section():
                with self.section(step, nest, nest):
                    self.layout(step.content, nest)
                self.must_lack(nest, step.trailing)
            case When():
                self._when(step, nest)
            case Choice():
                self._choice(step, nest)
            case Optional():
                self._optional(step, nest)
            case Pad():
                self._pad(step)
            case _:
                raise UnsaidError(type(step).__name__)

    @contextmanager
    def section(self, part: Section, nest: Nest, asked: Nest) -> Iterator[None]:
        """A region with what is written meanwhile. Its size is ``asked`` of another struct."""
        start, outer = self.state.pos, self.room
        self.source.add(f"# {part.name}")
        with self.region():
            yield
        self.note(nest, part.name, start)
        end = self.state.pos
        if not isinstance(part.extent, Size):
            self.must_end(end, outer)
            return
        self.must_measure(part.extent.size, asked, start, end, outer)

    @contextmanager
    def region(self) -> Iterator[None]:
        """What is written meanwhile is all that stands in a region."""
        outer, self.room = self.room, Room()
        try:
            yield
            self.room.end = self.state.pos
        finally:
            self.room = outer

    def must_end(self, at: Byte, room: Room) -> None:
        """A region must end there."""

        def check() -> None:
            if room.end is None:
                raise UnsaidError("the end of what is around a struct")
            if distance(at, room.end) != 0:
                self.branches.refuse(f"{at} != {room.end}")

        self.defer(check)

    def must_measure(self, size: Expression | int, nest: Nest, start: Byte, end: Byte, room: Room) -> None:
        """What stands between two bytes must be as long as an expression says, which is asked at the first."""

        def check() -> None:
            with self.at(start, room):
                found = self.scope(nest).ask_number(size)
            taken = distance(start, end)
            if isinstance(found, Certain) and isinstance(taken, int):
                if found.value != taken:
                    raise UnsaidError("a size that is another")
            elif (text := text_of(found)) != str(taken):
                self.branches.refuse(f"{text} != {taken}")

        self.defer(check)

    def given(self, nest: Nest, names: tuple[str, ...]) -> str:
        """The condition for one of these columns to be given."""
        return " or ".join(f"{text_of(self.value_of(nest, name))} is not None" for name in names)

    def _when(self, part: When, nest: Nest) -> None:
        condition, spot, room = part.condition, self.state.pos, self.room
        names = tuple(column.name for column in part.columns()) if condition.asks_left else part.showing
        given = self.given(nest, names)
        with self.at(Byte("", 0), _NOTHING_LEFT):
            early = self.scope(nest).ask(condition)
        if isinstance(early, Certain):
            if not early.value:
                if given:
                    self.branches.refuse(given)
                return
            if not condition.asks_left:
                self.layout(part.content, nest)
                return
        if not given and condition.asks_left:
            raise UnsaidError("a condition of what is left")

        def check(*, there: bool) -> None:
            with self.at(spot, room):
                found = self.scope(nest).ask(condition)
            self.branches.refuse(f"not {text_of(found)}" if there else text_of(found))

        settled = not condition.asks_left and self.is_settled(condition, nest)

        def absent() -> None:
            if given:
                self.branches.refuse(text_of(early))
            if not settled:
                self.defer(lambda: check(there=False))

        def present() -> None:
            if not settled:
                self.defer(lambda: check(there=True))
            elif given:
                self.branches.refuse(f"not {text_of(early)}")
            self.layout(part.content, nest)

        self.cases([(given or early, present), (None, absent)], "given")

    def _choice(self, part: Choice, nest: Nest) -> None:
        cases: list[tuple[Operand | None, Callable[[], None]]] = []
        earlier: list[Expression] = []
        for option in part.alternatives:
            condition = option.condition if isinstance(option, When) else None
            if condition is not None and condition.asks_left:
                raise UnsaidError("a choice by what is left")
            early = None if condition is None else self.scope(nest).ask(condition)
            if isinstance(early, Certain) and not early.value:
                continue
            others = tuple(name for name in part.showing if name not in option.showing)
            content = option.content if isinstance(option, When) else option
            cases.append((early, self._option(content, nest, others, condition, tuple(earlier))))
            if early is None or isinstance(early, Certain):
                break
            assert condition is not None
            earlier.append(condition)
        else:
            cases.append((None, self._option(Layout(), nest, part.showing, None, tuple(earlier))))
        if len(cases) == 1:
            cases[0][1]()
            return
        self.cases([(None if isinstance(early, Certain) else early, write) for early, write in cases], "case")

    def _option(
        self,
        content: Layout,
        nest: Nest,
        others: tuple[str, ...],
        condition: Expression | None,
        not_: tuple[Expression, ...],
    ) -> Callable[[], None]:
        """What writes an alternative. In the end its condition must hold, and none of those in front of it."""

        def check() -> None:
            for one in not_:
                self.branches.refuse(text_of(self.scope(nest).ask(one)))
            if condition is not None:
                self.branches.require(self.scope(nest).ask(condition))

        def write() -> None:
            self.must_lack(nest, *others)
            if not all(self.is_settled(one, nest) for one in (*not_, *filter(None, (condition,)))):
                self.defer(check)
            self.layout(content, nest)

        return write

    def is_settled(self, condition: Expression, nest: Nest) -> bool:
        """Whether a condition is the same in the end as it is now."""
        keys = ((HEADER if name.origin is Origin.RECORD else nest.number, name) for name in condition.names)
        return not condition.mentions or (
            all(
                name.origin is Origin.PARAMETER or (name.item is None and (number, name.steps[0]) in self.settled)
                for number, name in keys
            )
            and not any(place for place, _ in condition.mentions)
        )

    def _optional(self, part: Optional, nest: Nest) -> None:
        names = tuple(column.name for column in part.columns())
        spot, room = self.state.pos, self.room

        def followed() -> None:
            if room.end is None:
                raise UnsaidError("the end of what is around a struct")
            left = distance(spot, room.end)
            if not isinstance(left, int) or left <= 0:
                self.branches.refuse(f"{spot} >= {room.end}")

        def present() -> None:
            self.defer(followed)
            self.layout(part.content, nest)

        self.cases([(self.given(nest, names), present), (None, lambda: self.must_end(spot, room))], "given")

    def _pad(self, part: Pad) -> None:
        size = part.extent.fixed
        if part.align != 1 or size is None or size < 0:
            raise UnsaidError("padding of a size that follows")
        self.add(repr(bytes(size)), size)

    def cases(self, branches: list[tuple[Operand | None, Callable[[], None]]], hint: str) -> None:
        """Write what is written if a condition holds; a variable remembers which did."""
        outer, pieces = self.guard, self.body.pieces
        found: list[CasePieces] = []

        def guarded(write: Callable[[], None]) -> Callable[[], None]:
            def written() -> None:
                before, settled = self.body.copy(), set(self.settled)
                self.guard = guard = self.source.lasting(hint)
                self.source.add(f"{guard} = True")
                self.body.guards.append(guard)
                self.body.pieces = []
                try:
                    write()
                except UnsaidError:
                    self.body = before
                    raise
                finally:
                    self.settled = settled
                    self.guard = outer
                    made, self.body.pieces = self.body.pieces, pieces
                if made:
                    found.append(CasePieces(guard, "piece", made))

            return written

        try:
            self.branches.choose(self, [(condition, guarded(write)) for condition, write in branches])
        except EndedError:
            raise UnsaidError("any of the cases") from None
        self.body.pieces = [*pieces, *found]


_NOTHING_LEFT = Room()
_NOTHING_LEFT.end = Byte("", 0)
