"""Values of variable size: bytes, text and structs, and the extents that say where they end."""

from collections.abc import Callable
from copy import copy
from typing import Any, Self

from construct import Construct

from wireloom.codec.accepted_values import octets, shown
from wireloom.codec.columns import ColumnType, StructOf, visible
from wireloom.codec.encodings import decoded, encoded
from wireloom.codec.errors import DecodeError, EncodeError, counted, surplus
from wireloom.codec.fields import packing_of
from wireloom.codec.frames import Frame, Values
from wireloom.codec.raw import Value
from wireloom.codec.reader import Reader
from wireloom.codec.tracing import SpanKind
from wireloom.codec.writer import Writer
from wireloom.expressions import Expression, Formula, expression


class Extent:
    """Where a value ends. After a ``strict`` one, only the bytes that it writes there are accepted."""

    strict = True
    fixed: int | None = None
    """How many bytes it always has."""

    def span(self, reader: Reader, this: Values) -> tuple[int, int, int]:
        """The start and end of the value, and where reading continues, in bytes from the record's start."""
        raise NotImplementedError

    def read(self, reader: Reader, this: Values) -> bytes:
        """The value's bytes; moves the cursor past them."""
        start, end, after = self.span(reader, this)
        reader.pos = after
        return reader.buffer[start:end]

    def write(self, writer: Writer, this: Values, data: bytes) -> None:
        """Write ``data`` so that ``read`` finds it."""
        writer.write(data)

    def keep(self, writer: Writer, this: Values, data: bytes) -> None:
        """Write ``data``, all the bytes of a value, as they were read."""
        writer.write(data)

    def lead(self, size: int) -> int:
        """How many bytes come before a value of ``size`` bytes."""
        return 0

    def lenient(self) -> Self:
        """The same for values with ``raw``: with any bytes that can follow the value."""
        found = copy(self)
        found.strict = False
        return found

    def room(self, writer: Writer, this: Values) -> int | None:
        """How many bytes a value has, as far as that is known before it is written."""
        return self.fixed

    def alone(self) -> "Extent":
        """The same where there is nothing else."""
        return self


class Rest(Extent):
    """To the end of the enclosing section."""

    def span(self, reader: Reader, this: Values) -> tuple[int, int, int]:
        return reader.pos, reader.limit, reader.limit

    def write(self, writer: Writer, this: Values, data: bytes) -> None:
        writer.write(data)
        writer.follow(self, this, followed=False)

    keep = write

    def refusal(self, this: Values, taken: Any, found: Any) -> EncodeError:
        return EncodeError("takes all of its section, but there are bytes behind it")


class Size(Extent):
    """As many bytes as a number or an expression says."""

    def __init__(self, size: Formula) -> None:
        self.size: int | Expression = size if isinstance(size, int) else expression(size)
        self.fixed = size if isinstance(size, int) else None
        self.asks_left = isinstance(self.size, Expression) and self.size.asks_left
        self._asks_spot = self.asks_left or (isinstance(self.size, Expression) and self.size.asks_index)

    def span(self, reader: Reader, this: Values) -> tuple[int, int, int]:
        size = self.measure(reader, this)
        end = reader.pos + size
        if not reader.pos <= end <= reader.limit:
            raise reader.short(size)
        return reader.pos, end, end

    def measure(self, reader: Reader, this: Values) -> int:
        """The number of bytes. Raises ``DecodeError`` if a value that it is computed from is absent."""
        size = self.size if isinstance(self.size, int) else reader.ask(self.size, this)
        if not isinstance(size, int):
            raise DecodeError("invalid-size", "a size that follows from an absent value", reader.pos)
        return size

    def write(self, writer: Writer, this: Values, data: bytes) -> None:
        if isinstance(self.size, Expression):
            writer.claim(self, this, len(data), spot=writer.spot() if self._asks_spot else None)
        elif len(data) != self.size:
            raise EncodeError(f"{counted(self.size, 'byte')} expected, {len(data)} given")
        writer.write(data)

    keep = write

    def room(self, writer: Writer, this: Values) -> int | None:
        found = self.size if isinstance(self.size, int) else self.size.ask(this, writer.record, writer.frame)
        return found if isinstance(found, int) else None

    def alone(self) -> Extent:
        return Rest() if isinstance(self.size, Expression) else self

    def state(self, this: Values, record: Values, frame: Frame) -> Any:
        """The number of bytes it gives."""
        return self.size if isinstance(self.size, int) else self.size.ask(this, record, frame)

    def refusal(self, this: Values, taken: int, found: Any) -> EncodeError:
        return EncodeError(f"has {counted(taken, 'byte')}, but its size says {shown(found)}")


class Prefixed(Extent):
    """A length, then as many bytes. The length is an integer, or a number in decimal digits."""

    def __init__(self, length: Construct) -> None:
        self.length = length
        self._fixed: int | None = None
        self._most: int | None = None
        if packing_of(length) is not None:
            self._fixed = length.sizeof()
            self._most = (1 << 8 * self._fixed) - 1
        elif (digits := getattr(length, "digits", None)) is not None:
            self._fixed, self._most = length.size, 10**digits - 1

    def span(self, reader: Reader, this: Values) -> tuple[int, int, int]:
        size = self.count(reader, this)
        end = reader.pos + size
        if end > reader.limit:
            raise reader.short(size)
        return reader.pos, end, end

    def count(self, reader: Reader, this: Values) -> int:
        """The length that the cursor is at; moves the cursor past it."""
        if self._fixed is not None and reader.limit - reader.pos < self._fixed:
            raise reader.short(self._fixed)
        found: int = self.length._parse(reader, this, "")
        return found

    def write(self, writer: Writer, this: Values, data: bytes) -> None:
        self.put(writer, this, len(data), data)

    def put(self, writer: Writer, this: Values, count: int, data: bytes, unit: str = "byte") -> None:
        """Write ``data``, which has so many bytes, or units of another kind."""
        if self._most is not None and count > self._most:
            raise EncodeError(f"{counted(count, unit)} are too many for its length prefix")
        self.length._build(count, writer, this, "")
        writer.write(data)

    def lead(self, size: int) -> int:
        return len(self.length.encoded(size)) if self._fixed is None else self._fixed


class Scalar(Value):
    """A value that consists of no other parts; ``size`` is its number of bytes, None if that varies."""

    size: int | None = None


class Composite(Value):
    """A value that is not a number; ``type`` is its table type."""

    type: ColumnType


class Ended(Composite):
    """A value that ends where its ``extent`` says."""

    def __init__(self, extent: Extent) -> None:
        super().__init__()
        self.extent = extent

    def lenient(self) -> Self:
        found = super().lenient()
        found.extent = self.extent.lenient()
        return found

    def alone(self) -> Self:
        found = copy(self)
        found.extent = self.extent.alone()
        return found

    def keep(self, writer: Writer, this: Values, value: Any, data: bytes) -> None:
        self.extent.keep(writer, this, data)


class Blob(Ended):
    """Bytes as they are. ``constant_size`` is how many there always are; 0 if that varies."""

    type = "binary"

    def __init__(self, extent: Extent) -> None:
        super().__init__(extent)
        self.constant_size = extent.fixed or 0 if isinstance(extent, Size) else 0

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        return self.extent.read(stream, context)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        self.extent.write(stream, context, octets(obj))
        return obj


class Text(Ended):
    """Text in an encoding. Bytes that are not valid in it make the record malformed, so no bytes are ever changed; with
    ``raw``, the text is then null.
    """

    type = "string"

    def __init__(self, extent: Extent, encoding: str = "utf-8") -> None:
        super().__init__(extent)
        self.encoding = encoding

    def _parse(self, stream: Any, context: Any, path: str) -> str | None:
        start = stream.pos
        data = self.extent.read(stream, context)
        try:
            return decoded(data, self.encoding, start)
        except DecodeError as error:
            if self.strict:
                stream.refuse(error)
            return None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, str):
            raise EncodeError(f"text expected, not {shown(obj)}")
        self.extent.write(stream, context, encoded(obj, self.encoding))
        return obj


class Constant(Composite):
    """Bytes that must be exactly these."""

    type = "binary"

    def __init__(self, value: bytes) -> None:
        super().__init__()
        self.value = value

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        start = stream.pos
        data: bytes = stream.take(len(self.value))
        if data != self.value:
            stream.refuse(DecodeError("constant", f"{self.value.hex()} expected, found {data.hex()}", start))
        return data

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if obj is not None and octets(obj) != self.value:
            raise EncodeError(f"must be {self.value.hex()}, not {octets(obj)[: 2 * len(self.value)].hex()}")
        stream.write(self.value)
        return self.value


class Nested(Composite):
    """A struct in a region of its own; bytes left over in it make the record malformed."""

    def __init__(self, extent: Extent, layout: Construct) -> None:
        super().__init__()
        self.extent = extent
        self.layout = layout

    @property
    def type(self) -> ColumnType:  # type: ignore[override]
        return value_type(self.layout)

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        begin = stream.pos
        stream.pos, limit, after = self.extent.span(stream, context)
        outer = stream.enter(limit)
        if stream.trace is not None and begin < stream.pos:
            length = {"(length)": stream.limit - stream.pos}
            stream.trace.note("(length)", begin, stream.pos, length, kind=SpanKind.PART)
        if stream.trace is not None:
            stream.trace.bound()
        value = self.layout._parse(stream, context, path)
        if left := stream.left_over():
            stream.refuse(surplus(left))
        if stream.trace is not None and stream.pos < after:
            stream.trace.note("(terminator)", stream.pos, after, {}, kind=SpanKind.PART)
        stream.pos = after
        stream.leave(outer)
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        mark, start = stream.mark(), len(stream.buffer)
        lead = self.extent.lead(0)
        while True:
            stream.buffer += bytes(lead)  # so that everything in it is at its final place
            region = stream.enter()
            built = self.layout._build(obj, stream, context, path)
            stream.leave(region)
            needed = self.extent.lead(len(stream.buffer) - start - lead)
            if needed == lead:
                break
            if needed < lead:
                raise EncodeError("no length prefix fits what stands behind it")
            lead = needed
            stream.rewind(mark)
        data = bytes(stream.buffer[start + lead :])
        del stream.buffer[start:]
        self.extent.write(stream, context, data)
        return built


def value_type(construct: Construct) -> ColumnType:
    """The table type of a value: of a number, of a ``Composite`` one, or of a nested layout."""
    kind = packing_of(construct)
    if kind is not None:
        return kind.type
    columns: Callable[[], Any] | None = getattr(construct, "columns", None)
    return StructOf(visible(columns())) if columns is not None else construct.type
