"""Where a record's bytes come from and go to: a bounded reader, and a writer that can come back to what it reserved."""

from collections.abc import Callable
from typing import Any, Protocol

from wireloom.codec.errors import DecodeError, join

Values = dict[str, Any]
"""Field values by name: a parsed record, message or nested struct while it is being read or written."""


class Frame(dict[str, tuple[int, int]]):
    """What an expression may ask beside values: where fields and sections stand, and the reader's parameters.

    Maps a name to (start, end), in bytes from the record's start; ``record`` is the whole record.
    """

    __slots__ = ("parameters",)

    def __init__(self, parameters: Values, **spans: tuple[int, int]) -> None:
        super().__init__(spans)
        self.parameters = parameters

    def size(self, name: str) -> int:
        """Bytes of ``name``; 0 when it is absent."""
        start, end = self.get(name, (0, 0))
        return end - start

    def offset(self, name: str) -> int:
        """Where ``name`` starts; 0 when it is absent."""
        return self.get(name, (0, 0))[0]


class Reader:
    """A record's bytes with a cursor and a limit; looks enough like a stream for any construct to read from it.

    ``limit`` is the end of the innermost section. Nothing is read past it, and a size is compared with what is left
    before a byte is copied. ``trace`` collects (path, start, end) of every field when it is a list.
    """

    __slots__ = ("buffer", "frame", "limit", "little", "pos", "record", "trace")

    def __init__(
        self,
        buffer: bytes,
        parameters: Values | None = None,
        *,
        little: bool = False,
        trace: list[tuple[str, int, int]] | None = None,
    ) -> None:
        self.buffer = buffer
        self.pos = 0
        self.limit = len(buffer)
        self.little = little
        self.record: Values = {}
        self.frame = Frame(parameters or {}, record=(0, len(buffer)))
        self.trace = trace

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes. Raises ``DecodeError`` when they are not there."""
        start = self.pos
        end = start + count
        if end > self.limit or count < 0:
            raise self.short(count)
        self.pos = end
        return self.buffer[start:end]

    def short(self, count: int, at: int | None = None) -> DecodeError:
        """The error for ``count`` bytes wanted at ``at`` (the cursor) and not there."""
        pos = self.pos if at is None else at
        if count < 0:
            return DecodeError("invalid-size", f"a size of {count} bytes", pos)
        code, where = ("truncated", "") if self.limit == len(self.buffer) else ("overrun", " in its section")
        return DecodeError(code, f"needs {count} bytes, {self.limit - pos} left{where}", pos)

    def read(self, count: int = -1) -> bytes:
        """As a stream's ``read``, within the limit."""
        left = self.limit - self.pos
        return self.take(left if count < 0 else min(count, left))

    def tell(self) -> int:
        """Bytes from the record's start."""
        return self.pos

    def nest(self, label: str, parse: Callable[["Reader", Any, str], Any], context: Values) -> Any:
        """What ``parse`` reads, its errors and its trace told as inside ``label``."""
        start, outer = self.pos, self.trace
        if outer is not None:
            self.trace = []
        try:
            value = parse(self, context, "")
        except DecodeError as error:
            raise error.within(label) from None
        if outer is not None:
            inner = self.trace or [("", start, self.pos)]
            outer.extend((join(label, name), a, b) for name, a, b in inner)
            self.trace = outer
        return value


class Writer:
    """The record being built. Parts whose values depend on later ones are reserved and written again at the end."""

    __slots__ = ("buffer", "conditions", "frame", "little", "record", "reserved")

    def __init__(self, parameters: Values | None = None, *, little: bool = False) -> None:
        self.buffer = bytearray()
        self.little = little
        self.record: Values = {}
        self.frame = Frame(parameters or {})
        self.reserved: list[tuple[Reserved, Values, int]] = []
        self.conditions: list[tuple[Conditional, Values, bool]] = []

    def clear(self) -> None:
        """Begin the record anew."""
        self.buffer.clear()
        self.frame.clear()
        self.reserved.clear()
        self.conditions.clear()

    def write(self, data: bytes) -> int:
        """As a stream's ``write``, at the end."""
        self.buffer += data
        return len(data)

    def tell(self) -> int:
        """Bytes from the record's start."""
        return len(self.buffer)


class Conditional(Protocol):
    """Something whose presence depends on values that may be known only at the end."""

    condition: Any
    inputs: tuple[str, ...]

    def given(self, this: Values) -> bool:
        """Whether one of its fields has a value."""
        ...


class Reserved(Protocol):
    """Something that left room in a ``Writer`` and fills it once everything else stands."""

    def pack(self, writer: Writer, this: Values) -> bytes:
        """The bytes that belong there, as many as were reserved."""
        ...
