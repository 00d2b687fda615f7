"""Where a record's bytes come from: a reader that goes no further than the section it is in."""

from collections.abc import Callable
from typing import Any, TypeVar

from wireloom.codec.accepted_values import shown
from wireloom.codec.errors import DecodeError, counted
from wireloom.codec.fields import Field
from wireloom.codec.frames import Extremes, Frame, Values
from wireloom.codec.places import Scattered
from wireloom.codec.tracing import Trace
from wireloom.expressions import Expression
from wireloom.options import U64Type

T = TypeVar("T")
Enclosing = tuple[int, Scattered | None]
"""The end of a region, and what was read out of sequence in it."""
Outside = tuple[bytes, Enclosing, int, int]
"""The bytes around what is packed in them, the region there, where the outermost ends, and how many were summed."""


class Reader:
    """A record's bytes with a cursor and a limit; enough of a stream for construct's fields to read from it.

    ``limit`` is the end of the innermost section, ``end`` that of the outermost. Nothing is read beyond it, and a size
    is compared with what is left before a byte is copied. ``trace``, if given, notes where everything is. ``inner`` is
    the frame of the struct that was read last. ``weight`` is that of the lists read so far, and ``steps`` counts the
    values that are read one by one. ``borrowed`` counts the bytes read that belong to others, of which ``bearable`` are
    allowed; ``summed`` counts the bytes under checksums of structs. ``taken`` is what was read out of sequence in the
    innermost region. ``nested`` counts the values around this place that are too deep for columns. In unpacked bytes
    nothing ends with the record, and there is no ``end``.
    """

    __slots__ = (
        "bearable",
        "borrowed",
        "buffer",
        "end",
        "frame",
        "inner",
        "limit",
        "little",
        "nested",
        "pos",
        "record",
        "steps",
        "summed",
        "taken",
        "trace",
        "u64",
        "weight",
    )

    HEAVIEST = 256 * 1024 * 1024
    """The most bytes that the lists of a record may take in a table, not counting texts and bytes.

    The same bound holds for a batch of records. It is needed because a list may take a hundred times as many bytes in a
    table as in the record.
    """
    judges = True
    """Whether wrong values matter, and sections without a size end where the bytes do."""
    SHARED = 64
    """How many times as many bytes as the record has its fields may read that belong to others, and the checksums of
    structs may sum.
    """
    STEP = 4
    """As how many of these bytes one counts that is a value by itself, and as how many an item without bytes.

    Texts, bytes and lists of numbers are copied at once. Values that are read one by one take far longer.
    """

    def __init__(
        self,
        buffer: bytes,
        parameters: Values | None = None,
        *,
        little: bool = False,
        trace: Trace | None = None,
        terminator: int = 0,
    ) -> None:
        self.buffer = buffer
        self.pos = 0
        self.limit = self.end = len(buffer) - terminator
        self.little = little
        self.record: Values = {}
        self.frame = self.inner = Frame(parameters or {}, record=(0, len(buffer)))
        self.trace = trace
        self.weight = self.steps = self.nested = 0
        self.borrowed = self.summed = 0
        self.bearable = self.SHARED * len(buffer)
        self.taken: Scattered | None = None
        self.u64 = U64Type.of(self.frame.parameters)

    def weigh(self, weight: int) -> None:
        """Add items to the record's weight. Raises ``DecodeError`` if it is too much."""
        self.weight += weight
        if self.weight > self.HEAVIEST:
            raise DecodeError("too-long", f"lists of more than {self.HEAVIEST} bytes in a table", self.pos)

    def ask(self, expression: Expression, this: Values) -> Any:
        """The value of an expression at this place."""
        if expression.asks_left:
            self.frame.left = self.limit - self.pos
        return expression.ask(this, self.record, self.frame)

    def borrow(self, count: int, steps: int) -> None:
        """Count bytes that belong to others, read in so many ``steps``. Raises ``DecodeError`` if they are too many."""
        self.borrowed += count + (self.STEP - 1) * min(steps, count)
        if self.borrowed > self.bearable:
            raise DecodeError("too-long", f"more than {self.SHARED} times its bytes are read again", self.pos)
        self.weigh(count)

    def sum(self, count: int) -> None:
        """Count bytes that a struct's checksum is over. Raises ``DecodeError`` if they are too many."""
        self.summed += count
        if self.summed > self.SHARED * len(self.buffer):
            raise DecodeError("too-long", f"checksums over more than {self.SHARED} times its bytes", self.pos)

    def borrow_nothing(self) -> None:
        """Count an item without bytes. Raises ``DecodeError`` if there are too many."""
        self.borrow(1, 1)

    def away(
        self,
        at: object,
        name: str,
        parse: Callable[[], T],
        *,
        shared: bool,
        path: str | None = None,
        is_empty: bool = False,
    ) -> T:
        """The result of ``parse`` at a byte of the record; then reading continues here.

        The bytes of ``shared`` fields belong to others. Errors are in the ``path``, or the ``name`` if that is not
        given. What ``is_empty`` may be outside the record.
        """
        pos, limit, taken, trace = self.pos, self.limit, self.taken, self.trace
        if shared:
            self.limit, self.taken = self.end, Scattered()
        if not isinstance(at, int) or not (is_empty or 0 <= at <= self.limit):
            where = "the record" if shared else "its section"
            raise DecodeError(
                "place", f"would stand at byte {shown(at)}, not in {where}", pos, name if path is None else path
            )
        is_nowhere = not 0 <= at <= self.limit
        if is_nowhere:
            self.limit = at
        if trace is not None:
            trace.leave(shared=shared or is_nowhere)
        self.pos, steps = at, self.steps
        value = parse()
        end = self.pos
        if trace is not None:
            trace.come_back(pos)
        self.pos, self.limit = pos, limit
        if shared:
            self.taken = taken
            self.borrow(end - at, 1 + self.steps - steps)
            return value
        self.taken = self.taken or Scattered()
        self.taken.take(at, end, limit, name)
        return value

    def attempt(self, at: object, parse: Callable[[], object]) -> bool:
        """Whether there is what ``parse`` reads, ``at`` a byte of the record. If not, reading continues as before, but
        what was read counts. Raises ``DecodeError`` if that is too much.
        """
        before, trace = [getattr(self, name) for name in Reader.__slots__], self.trace
        self.trace = None
        try:
            parse()
        except DecodeError as error:
            if error.code == "too-long":
                raise
            stop = self.limit if error.code == "unterminated" else max(self.pos, error.offset)
            cost = self.weight, self.steps, self.borrowed
            self._restore(before)
            self.weight, self.steps, self.borrowed = cost
            self.borrow(max(stop - max(at, 0), 1) if isinstance(at, int) else 1, 1)
            return False
        if trace is not None:
            self._restore(before)
            parse()
        return True

    def _restore(self, before: list[Any]) -> None:
        """Read on as it was before."""
        for name, value in zip(Reader.__slots__, before, strict=True):
            setattr(self, name, value)

    def enter(self, limit: int) -> "Enclosing":
        """Begin a region that ends there; returns the bounds of the one around it."""
        outer = self.limit, self.taken
        self.limit, self.taken = limit, None
        return outer

    def leave(self, outer: "Enclosing") -> None:
        """End the region; reading continues after it."""
        self.limit, self.taken = outer

    def open(self, data: bytes) -> Outside:
        """Continue in what is packed here; returns the state around it."""
        outside = self.buffer, self.enter(len(data)), self.end, self.summed
        self.buffer, self.pos, self.end, self.summed = data, 0, -1, 0
        return outside

    def close(self, outside: Outside, pos: int) -> None:
        """Continue after what was packed."""
        self.buffer, outer, self.end, self.summed = outside
        self.pos = pos
        self.leave(outer)

    def left_over(self, region: str = "") -> list[Extremes]:
        """The unread bytes of the region; reading continues at its end.

        Raises ``DecodeError`` if a byte was read twice in the ``region``.
        """
        pos, self.pos = self.pos, self.limit
        if self.taken is None:
            return [(pos, self.limit)] if pos < self.limit else []
        try:
            return self.taken.left_over(pos, self.limit)
        except DecodeError as error:
            raise error.within(region) from None

    @property
    def reach(self) -> tuple[int, Scattered | None, int]:
        """How far the record is read, in sequence and elsewhere."""
        return self.pos, self.taken, self.borrowed

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes. Raises ``DecodeError`` when they are not there."""
        start = self.pos
        end = start + count
        if end > self.limit or count < 0:
            raise self.short(count)
        self.pos = end
        return self.buffer[start:end]

    def short(self, count: int, at: int | None = None) -> DecodeError:
        """The error for ``count`` bytes that are wanted at ``at`` (by default the cursor) and not there."""
        pos = self.pos if at is None else at
        if count < 0:
            return DecodeError("invalid-size", f"a size of {counted(count, 'byte')}", pos)
        code, where = ("truncated", "") if self.limit == self.end else ("overrun", " in its section")
        what = f"needs {counted(count, 'byte')}, {self.limit - pos} left{where}"
        return self.wanting(DecodeError(code, what, pos), pos + count)

    def wanting(self, error: DecodeError, end: int) -> DecodeError:
        """An error that there might not be if there were bytes up to ``end``, and the section went on as far."""
        if self.limit == self.end:
            error.needed = end
        return error

    def refuse(self, error: DecodeError) -> None:
        """Report a wrong value, whose end is known all the same."""
        raise error

    def read(self, count: int) -> bytes:
        """As a stream's ``read``, within the limit."""
        return self.take(min(count, self.limit - self.pos))

    def nest(
        self, label: str, parse: Callable[["Reader", Any, str], Any], context: Values, field: Field | None = None
    ) -> Any:
        """What ``parse`` reads, a value of ``field``; errors and trace have ``label`` in their path."""
        if self.trace is not None:
            self.trace.begin(label, self.pos, field=field)
        try:
            value = parse(self, context, "")
        except DecodeError as error:
            if self.trace is not None and error.code not in ("truncated", "overrun"):
                self.trace.fail(self.pos)
            raise error.within(label) from None
        if self.trace is not None:
            self.trace.finish(self.pos, value)
        return value


class Glance(Reader):
    """A reader of the first bytes of a record that finds out where it ends; wrong values do not matter yet."""

    __slots__ = ("limits",)
    judges = False

    def __init__(self, buffer: bytes, parameters: Values, record: Values, *, little: bool) -> None:
        super().__init__(buffer, parameters, little=little)
        self.record = record
        self.limits: list[Enclosing] = []

    def refuse(self, error: DecodeError) -> None:
        pass

    def borrow(self, count: int, steps: int) -> None:
        try:
            super().borrow(count, steps)
        except DecodeError as error:
            raise self.wanting(error, self.bearable // self.SHARED + 1) from None
