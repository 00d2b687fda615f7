"""Packed (transformed) bytes: ``Packed``, a value, and ``Unpack``, the fields of a section. Both use a ``Way``."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from construct import Construct

from wireloom.codec.accepted_values import octets
from wireloom.codec.columns import Column, ColumnType
from wireloom.codec.deferred_values import Awaited
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.fixups import pack, seal
from wireloom.codec.frames import Frame, Values
from wireloom.codec.layout import Layout, Part, await_, given_left, keep_left, verify
from wireloom.codec.reader import Reader
from wireloom.codec.transforms import Same, Transform, Way
from wireloom.codec.values import Composite, Extent
from wireloom.codec.writer import Reservation, Writer

Read = Callable[[Reader], Any]


class Through(NamedTuple):
    """The way from bytes to their unpacked form, of at most ``limit`` bytes; ``raw`` is the column for the
    packed ones.
    """

    way: Way
    limit: int = Reader.HEAVIEST
    raw: str | None = None

    def read(self, reader: Reader, this: Values, start: int, end: int, read: Read, name: str = "") -> Any:
        """The result of ``read`` in the unpacked bytes of this range, which errors call ``name``.

        The caller decides where reading continues.
        """
        try:
            step = self.way.step(this, reader.record, reader.frame)
            packed = reader.buffer[start:end]
            data = step.unpack(packed, min(self.limit, Reader.HEAVIEST - reader.weight))
        except DecodeError as error:
            error.offset += start
            raise (error.within(name) if name else error) from None
        if step.grows:
            reader.weigh(len(data))
        keeps = step.keeps(packed, data)
        if self.raw is not None:
            this[self.raw] = packed if keeps else None
        elif keeps:
            reader.refuse(DecodeError(*step.stray, start, name))
        outside = reader.open(data)
        if reader.trace is not None:
            reader.trace.open(start, packed, same=isinstance(step, Same))
        try:
            found = read(reader)
        except DecodeError as error:
            if isinstance(step, Same):
                error.offset += start
            else:
                error.detail += f" (at byte {error.offset} of what is unpacked)"
                error.offset = start
            raise
        if reader.trace is not None:
            reader.trace.close()
        reader.close(outside, end)
        return found

    def write(
        self,
        writer: Writer,
        this: Values,
        content: Callable[[], None],
        around: list[Awaited],
        name: str = "",
    ) -> bytes:
        """The packed bytes of what ``content`` writes, with values of the struct ``around`` it; errors are about the
        ``name``.
        """
        step = self.step(this, writer.record, writer.frame)
        reserved, awaited, little = len(writer.reserved), len(writer.awaited), writer.little
        path, outside = writer.path, writer.open()
        content()
        seal(writer, reserved, awaited, around)
        writer.path, writer.little = path, little
        data, writer.buffer = writer.buffer, outside
        written = bytes(data)
        writer.claim(_Sealed(writer, writer.reserved[reserved:], data), this, written)
        writer.claim(_Chosen(self, name), this, step)
        try:
            return self._packed(step or Same(), this, written)
        except EncodeError as error:
            raise (error if error.field or not name else error.within(name)) from None

    def _packed(self, step: Transform, this: Values, data: bytes) -> bytes:
        """The packed bytes of what was written: the given ones, if they still unpack to the same."""
        given = None if self.raw is None else this.get(self.raw)
        if given is not None and self.raw is not None and not step.exact:
            kept = octets(given, self.raw)
            try:
                if step.unpack(kept, self.limit) == data:
                    return kept
            except DecodeError:
                pass
        if step.grows and len(data) > self.limit:
            raise EncodeError(f"unpacks to {counted(len(data), 'byte')}, more than the {self.limit} allowed")
        step.check(data)
        return step.pack(data)

    def step(self, this: Values, record: Values, frame: Frame) -> Transform | None:
        """The transform; None if it does not follow from the values."""
        try:
            return self.way.step(this, record, frame)
        except DecodeError:
            return None


class _Chosen(NamedTuple):
    """The claim that bytes went through what the values say in the end."""

    through: Through
    name: str

    def state(self, this: Values, record: Values, frame: Frame) -> object:
        return self.through.step(this, record, frame) or self

    def refusal(self, this: Values, taken: object, found: object) -> EncodeError:
        what = f"{self.through.way.asked.written} says nothing that it can go through"
        return EncodeError(what if found is self else f"{what} in the end", self.name)


class _Sealed(NamedTuple):
    """The claim that the packed bytes are still those of the final contents."""

    writer: Writer
    reserved: list[Reservation]
    data: bytearray

    def state(self, this: Values, record: Values, frame: Frame) -> bytes:
        pack(self.writer, self.reserved)
        return bytes(self.data)

    def refusal(self, this: Values, taken: bytes, found: bytes) -> EncodeError:
        return EncodeError("what is packed follows from what is around it, and never comes to rest")


class Packed(Composite):
    """A packed value: all of its unpacked bytes."""

    def __init__(self, extent: Extent, through: Through, value: Construct) -> None:
        super().__init__()
        self.extent = extent
        self.through = through
        self.value = value
        self.beside = through.raw or ""

    @property
    def type(self) -> ColumnType:  # type: ignore[override]
        found: ColumnType = self.value.type
        return found

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        start, end, after = self.extent.span(stream, context)
        found = self.through.read(stream, context, start, end, lambda reader: self.value._parse(reader, context, path))
        stream.pos = after
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if self.beside and context.get(self.beside) is not None:
            within, (stream.path, _) = stream.path, stream.path or (None, "")
            octets(context[self.beside], self.beside)
            stream.path = within
        built: list[Any] = []

        def write() -> None:
            region = stream.enter()
            built.append(self.value._build(obj, stream, context, path))
            stream.leave(region)

        self.extent.write(stream, context, self.through.write(stream, context, write, []))
        return built[0]


class Unpack(Part):
    """The fields in the unpacked bytes of the section ``name``. Bytes left over go to ``trailing``, or make it
    malformed.
    """

    def __init__(self, name: str, through: Through, *items: Construct, trailing: str | None = None) -> None:
        super().__init__()
        self.name = name
        self.through = through
        self.trailing = trailing
        self.content = Layout(*items)
        beside = tuple(filter(None, (trailing, through.raw)))
        self.showing = (*self.content.showing, *beside)
        self.derived = [(name, field) for name, field in self.content.derived if field.checksum is None]
        self._sums = [(name, field) for name, field in self.content.derived if field.checksum is not None]
        self.late = self.content.late
        self.follows = bool(self.content.derived)
        self.names = tuple(dict.fromkeys(_located(self.content)))
        self._blamed = trailing or next(self.columns(), Column("", "")).name

    def columns(self) -> Iterator[Column]:
        yield from self.content.columns()
        yield from (Column(name, "binary") for name in (self.trailing, self.through.raw) if name)

    def read(self, reader: Reader, this: Values) -> None:
        start = reader.pos
        self.through.read(reader, this, start, reader.limit, lambda inside: self._content(inside, this), self.name)
        reader.frame.unpacked = {**reader.frame.unpacked, **dict.fromkeys(self.names, start)}

    def _content(self, reader: Reader, this: Values) -> None:
        self.content.read(reader, this)
        verify(reader, this, self._sums)
        keep_left(reader, this, reader.left_over(), self.name, self.trailing)

    def write(self, writer: Writer, this: Values) -> None:
        around: list[Awaited] = [(this, name, field, writer.frame, writer.path) for name, field in self.derived]
        writer.write(self.through.write(writer, this, lambda: self._write(writer, this), around, self._blamed))

    def _write(self, writer: Writer, this: Values) -> None:
        await_(writer, this, self._sums)
        region = writer.enter()
        self.content.write(writer, this)
        writer.leave(region, given_left(this, self.trailing))


def _located(content: Layout) -> Iterator[str]:
    """The names whose place expressions may use."""
    for step in content.steps:
        yield from (column.name for column in step.columns())
        name = getattr(step, "name", None)
        if isinstance(name, str):
            yield name
