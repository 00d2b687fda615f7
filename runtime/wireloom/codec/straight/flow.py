"""Where a function that reads has got to: the numbers that wait to be read, regions, and what expressions mean here."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from wireloom.codec.frames import Values
from wireloom.codec.straight.source import Script
from wireloom.codec.straight.state import (
    NOWHERE,
    AgainError,
    Branches,
    ColumnKey,
    ConditionalLines,
    Pending,
    Progress,
)
from wireloom.codec.straight.terms import NONE, Byte, Certain, Here, Operand, UnsaidError, distance
from wireloom.expressions.tree import Function, Origin


class Nest(NamedTuple):
    """A struct that is being read: its number, that of the frame where its places are, and its columns."""

    number: int
    frame: int
    columns: Values


HEADER, MESSAGE = 0, 1
"""The numbers of the record's header and of the message. Their places are in one frame."""


class Flow:
    """Writes lines into a ``source``, each part of which reads on where the one in front of it ends.

    ``asked`` are names whose places are kept. Numbers side by side wait until something else needs them, so that
    one call reads them all.
    """

    def __init__(self, source: Script, asked: set[ColumnKey], *, little: bool) -> None:
        self.source = source
        self.little = little
        self.branches = Branches(source, asked)
        self.state = Progress(Byte("", 0), Byte("end", 0))
        self.weight = 0
        """What the lists of a record weigh at most, for each of its bytes."""
        self.structs = MESSAGE
        self.header = Nest(HEADER, HEADER, {})

    def wait(self, item: Pending, order: str) -> tuple[Byte, Byte]:
        """Let a number be read with those in front of it; where it will stand."""
        state = self.state
        if item.size == 1 or state.order == order or all(each.size == 1 for each in state.waiting):
            state.order = state.order if item.size == 1 and state.waiting else order
        else:
            self.flush()
            state.order = order
        start = state.pos.behind(sum(each.size for each in state.waiting))
        state.waiting.append(item)
        return start, start.behind(item.size)

    def afterwards(self, then: Callable[[], None]) -> None:
        """Do that once the numbers that wait are read."""
        self.state.after.append(then)

    def flush(self) -> None:
        """Read the numbers that wait."""
        state = self.state
        waiting, order, after = state.waiting, state.order, state.after
        if not waiting:
            return
        state.waiting, state.order, state.after = [], ">", []
        start = state.pos
        self.take(sum(item.size for item in waiting))
        read = [(self.source.fresh(item.name), item) for item in waiting if item.then]
        codes = "".join(item.code if item.then else f"{item.size}x" for item in waiting)
        names = [name for name, _ in read]
        if codes == "B":
            self.source.add(f"{names[0]} = data[{start}]")
        elif read:
            unpack = self.source.unpacking(order + codes)
            self.source.add(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {unpack}(data, {start})")
        for name, item in read:
            assert item.then is not None
            item.then(name)
        for then in after:
            then()

    def take(self, count: int) -> None:
        """Go on behind so many bytes, which must be there."""
        end = self.state.pos.behind(count)
        self.must_reach(end)
        self.state.pos = end

    def must_reach(self, end: Byte) -> None:
        """The region must not end in front of that byte."""
        left = distance(end, self.state.limit)
        if not isinstance(left, int):
            self.branches.refuse(f"{self.state.limit} < {end}")
        elif left < 0:
            raise UnsaidError("a region that is too short")

    def end_behind(self, size: Operand | int, hint: str) -> Byte:
        """The byte so many further on, which must be there."""
        start = self.state.pos
        size = size.value if isinstance(size, Certain) else size
        if isinstance(size, str):
            name = self.source.fresh(f"{hint}_end")
            self.source.add(f"{name} = {f'{start} + ' if start != Byte('', 0) else ''}{size}")
            self.branches.refuse(f"not {start} <= {name} <= {self.state.limit}")
            self.state.sizes[start, Byte(name, 0)] = size
            return Byte(name, 0)
        if not isinstance(size, int) or size < 0:
            raise UnsaidError("a size that is none")
        end = start.behind(size)
        self.must_reach(end)
        return end

    def leave(self, struct: Nest, outer: Byte, trailing: str | None) -> None:
        """End a region, whose bytes left over go to a column if there is one, and go on behind it."""
        self.flush()
        state = self.state
        left = distance(state.pos, state.limit)
        if left != 0 and trailing is not None:
            name = self.source.fresh(trailing)
            self.source.add(f"{name} = data[{state.pos}:{state.limit}] or None")
            self.let(struct, trailing, name, nullable=True)
        elif left != 0:
            if isinstance(left, int):
                raise UnsaidError("bytes that are left over")
            self.branches.refuse(f"{state.pos} != {state.limit}")
        state.pos, state.limit = state.limit, outer

    def choose(self, branches: list[ConditionalLines]) -> None:
        """Go on with the first branch whose condition holds."""

        live = [branch for branch in branches if not (isinstance(branch[0], Certain) and not branch[0].value)]
        if not live or live[0][0] is None or isinstance(live[0][0], Certain):
            for _, write in live[:1]:
                write()
            return
        certain = next((number for number, (condition, _) in enumerate(live) if not isinstance(condition, str)), None)
        live = live if certain is None else [*live[:certain], (None, live[certain][1])]

        def flushing(write: Callable[[], None]) -> Callable[[], None]:
            def written() -> None:
                write()
                self.flush()

            return written

        self.flush()
        self.branches.choose(self, [(condition, flushing(write)) for condition, write in live])

    def note(self, struct: Nest, name: str, start: Byte, end: Byte | None = None) -> None:
        """Note that something stands from there to here, or to that ``end``."""
        key = struct.frame, name
        self.state.spans[key] = start, end or self.state.pos
        self.state.lost.discard(key)
        if self.state.packed:
            self.state.inside.add(key)

    @contextmanager
    def packed(self) -> Iterator[None]:
        """What is read meanwhile is packed: there, places are counted from its own start."""
        outer, self.state.packed = self.state.packed, True
        yield
        self.state.packed = outer

    def let(self, struct: Nest, name: str, term: Operand, *, nullable: bool = False) -> None:
        """A column has that value."""
        if nullable:
            self.state.nullable.add(term)
        self.state.values[struct.number, name] = term

    def forget(self, struct: Nest) -> None:
        """A struct is read, and nobody asks for what is in it."""
        state = self.state
        state.values = {key: term for key, term in state.values.items() if key[0] != struct.number}
        state.spans = {key: span for key, span in state.spans.items() if key[0] != struct.frame}

    def value_of(self, struct: Nest, name: str) -> Operand:
        """What a column has."""
        found = self.state.values.get((struct.number, name))
        if found is None and self.state.waiting:
            self.flush()
            found = self.state.values.get((struct.number, name))
        return NONE if found is None else found

    def scope(self, struct: Nest) -> Here:
        """What names mean in a struct, at this place."""
        return Here(
            lambda origin, name: self._named(struct, origin, name),
            lambda function, name: self._measured(struct, function, name),
            self._left,
            self.state.nullable,
        )

    def _left(self) -> str | int:
        self.flush()
        return distance(self.state.pos, self.state.limit)

    def _named(self, struct: Nest, origin: Origin | None, name: str) -> Operand:
        match origin:
            case None | Origin.THIS:
                if name not in struct.columns:
                    raise UnsaidError(f"the value of {name}")
                return self.value_of(struct, name)
            case Origin.RECORD:
                return self.value_of(self.header, name)
            case Origin.PARAMETER:
                return f"parameters[{name!r}]"
            case _:
                raise UnsaidError("what a struct is given")

    def _measured(self, struct: Nest, function: Function, name: str) -> str | int:
        key = struct.frame, name
        if key in self.state.lost:
            raise AgainError(key)
        if function is Function.OFFSET and (key in self.state.inside or (self.state.packed and name == "record")):
            raise UnsaidError(f"the place of {name}, which is packed")
        span = (Byte("", 0), Byte("end", 0)) if name == "record" else self.state.spans.get(key, NOWHERE)
        if function is Function.OFFSET:
            return distance(Byte("", 0), span[0])
        return self.state.sizes.get(span) or distance(*span)
