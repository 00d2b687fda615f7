"""What a function that writes knows: the columns that are given, and what must hold of them in the end."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from wireloom.codec.coercion import Coercion
from wireloom.codec.straight.flow import HEADER, MESSAGE, Flow, Nest
from wireloom.codec.straight.pieces import AnyPiece, Body, Deferred
from wireloom.codec.straight.source import Script
from wireloom.codec.straight.state import ColumnKey
from wireloom.codec.straight.terms import Byte, Certain, Operand, UnsaidError, distance, text_of
from wireloom.expressions import Expression
from wireloom.expressions.tree import Function, Origin


class Room:
    """A region that is being written, and where it ends, once that is known."""

    def __init__(self) -> None:
        self.end: Byte | None = None


class DraftLines(Flow):
    """Writes the lines that put a record together, as the parts do when they try for the first time.

    What the parts assume of values is seen to when all are known. Where it does not hold, the record is in doubt. Each
    column has a variable, which is the given value at first, and at last that which is written.
    """

    def __init__(self, source: Script, asked: set[ColumnKey], *, little: bool) -> None:
        super().__init__(source, asked, little=little)
        self.body = Body(self.header)
        self.room = Room()
        self.guard: str | None = None
        self.settled: set[ColumnKey] = set()
        """The columns whose variables have what is written."""
        self.late = False
        """Whether all values are known."""
        self.end: Byte | None = None
        self._spot: tuple[Byte, Room] | None = None

    def open(self, nest: Nest, given: str, coercion: Coercion) -> None:
        """Put what a struct is given into the variables of its columns."""
        if nest.columns:
            columns = self.source.bind("columns", list(nest.columns))
            empty = self.source.bind("empty", nest.columns)
            mappings = self.source.bind("mappings", (dict, Mapping))
            self.source.insert(f"if not isinstance({given}, {mappings}):", [self.branches.doubt])
            self.source.insert(
                f"if list({given}) != {columns}:",
                [
                    f"{given} = {{**{empty}, **{given}}}",
                    f"if len({given}) != {len(nest.columns)}:",
                    f"    {self.branches.doubt}",
                ],
            )
            variables = [self.source.fresh(name) for name in nest.columns]
            coerced = self.source.bind("coerced", coercion)
            names = f"{', '.join(variables)}{',' if len(variables) == 1 else ''}"
            self.source.add(f"{names} = {coerced}({given}.values())")
            self.own(nest, variables)
        else:
            self.branches.refuse(given)

    def own(self, nest: Nest, variables: list[str]) -> None:
        """The variables of a struct's columns, which may all be None."""
        for name, variable in zip(nest.columns, variables, strict=True):
            self.let(nest, name, variable, nullable=True)

    def must_lack(self, nest: Nest, *names: str | None) -> None:
        """What is given for one of these columns is left to the parts."""
        variables = [text_of(self.value_of(nest, name)) for name in names if name]
        if variables:
            self.branches.refuse(" or ".join(f"{variable} is not None" for variable in variables))

    def defer(self, write: Callable[[], None]) -> None:
        """Write that when all values are known."""
        self.body.deferred.append(Deferred(self.guard, write))

    def claim(self, rule: Expression, nest: Nest) -> None:
        """A condition must hold in the end."""
        if rule.asks_left:
            raise UnsaidError(rule.written)
        self.defer(lambda: self.branches.require(self.scope(nest).ask(rule)))

    def _named(self, struct: Nest, origin: Origin | None, name: str) -> Operand:
        found = super()._named(struct, origin, name)
        key = (HEADER if origin is Origin.RECORD else struct.number), name
        if key in self.body.computed:
            self.body.used.add(key)
        if self.nested and origin is Origin.RECORD and not isinstance(found, Certain) and key not in self.settled:
            raise UnsaidError(f"{name}, which a struct asks for")
        return found

    @property
    def nested(self) -> bool:
        """Whether a struct inside of the message is written."""
        return self.body.nest.number > MESSAGE

    def _measured(self, struct: Nest, function: Function, name: str) -> str | int:
        if not self.late or (self.nested and (function is Function.OFFSET or name == "record")):
            raise UnsaidError(f"the {function} of {name}")
        return super()._measured(struct, function, name)

    def _left(self) -> str | int:
        if self._spot is None or self._spot[1].end is None:
            raise UnsaidError("how many bytes are left")
        return distance(self._spot[0], self._spot[1].end)

    @contextmanager
    def at(self, spot: Byte, room: Room) -> Iterator[None]:
        """Expressions ask meanwhile how many bytes are left there."""
        outer, self._spot = self._spot, (spot, room)
        try:
            yield
        finally:
            self._spot = outer

    def add(self, piece: AnyPiece, size: int | str) -> Byte:
        """A piece of that size stands here; returns where."""
        start = self.state.pos
        self.body.pieces.append(piece)
        if isinstance(size, int):
            self.state.pos = start.behind(size)
        else:
            pos = self.source.fresh("pos")
            self.source.add(f"{pos} = {f'{start} + ' if start != Byte('', 0) else ''}{size}")
            self.state.pos = Byte(pos, 0)
        return start
