"""``Layout``: a struct. It reads consecutive fixed-size fields together, and has parts such as sections and choices.
``With`` gives it values from around it.

All parts of a layout work on one dict of values, ``this``. Derived values are checked after the whole struct was read,
and filled in after the whole struct was written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from construct import Construct, Container, Renamed

from wireloom.codec.accepted_values import octets
from wireloom.codec.coercion import Coercion
from wireloom.codec.columns import Column, StructOf, merge
from wireloom.codec.deferred_checks import Settled, Validity
from wireloom.codec.errors import DecodeError, EncodeError, surplus
from wireloom.codec.fields import Field, fixed
from wireloom.codec.frames import NOTHING, Extremes, Frame, Values
from wireloom.codec.items import agrees
from wireloom.codec.labels import longest
from wireloom.codec.lists import Repeat
from wireloom.codec.raw import Raw, written
from wireloom.codec.reader import Reader
from wireloom.codec.runs import Run, byte_order
from wireloom.codec.values import Constant, Nested, value_type
from wireloom.codec.writer import Trust, Writer
from wireloom.expressions import Expression, Formula, expression
from wireloom.options import U64Type


class Part(Construct):
    """One step of a layout: reads into ``this``, writes from it.

    ``showing`` are the columns that show that it is there, if a value is given for one of them. ``late`` are structs
    with derived values that are checked only when what is around them was read.
    """

    showing: tuple[str, ...] = ()
    derived: Sequence[tuple[str, Field]] = ()
    late: "Sequence[tuple[str, With]]" = ()
    computed = over = False

    def columns(self) -> Iterator[Column]:
        """The columns in order."""
        return iter(())

    def read(self, reader: Reader, this: Values) -> None:
        raise NotImplementedError

    def write(self, writer: Writer, this: Values) -> None:
        raise NotImplementedError


Step = Part | Run


class Layout(Construct):
    """Fields and parts in order. As a value inside a record, it has a ``Container`` of its own.

    Of what it is given, the ``late`` inputs are known only when what is around it was read.
    """

    def __init__(self, *items: Construct, late: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.late_inputs = frozenset(late)
        self.steps = list(_steps(items))
        self.writing = sorted(self.steps, key=lambda step: not step.computed)
        self.showing = tuple(name for step in self.steps for name in step.showing)
        self.derived = [item for step in self.steps for item in step.derived]
        self.late = [item for step in self.steps for item in step.late]
        self.derived_late = [item for item in self.derived if late and item[1].asks(self.late_inputs)]
        self.derived_early = [item for item in self.derived if item not in self.derived_late]
        self.checked_outside = [item for item in self.late if item[1].asks(self.late_inputs)]
        self.checked_here = [item for item in self.late if item not in self.checked_outside]
        self._columns = merge(column for step in self.steps for column in step.columns())
        self.empty: Values = dict.fromkeys(column.name for column in self._columns)
        self.hidden = tuple(column.name for column in self._columns if column.hidden)
        self.coercion = Coercion(self._columns)

    def columns(self) -> Iterator[Column]:
        """The columns in order of first appearance, the hidden ones among them."""
        return iter(self._columns)

    def read(self, reader: Reader, this: Values) -> None:
        """Read all parts into ``this``."""
        reader.steps += len(self.steps)
        for step in self.steps:
            step.read(reader, this)

    def write(self, writer: Writer, this: Values) -> None:
        """Write all parts from ``this``; computed values come first, since defaults may use them."""
        for step in self.writing:
            step.write(writer, this)

    def _parse(self, stream: Any, context: Any, path: str) -> Container:
        return self.parse_given(stream, NOTHING)

    def parse_given(self, stream: Reader, values: Mapping[str, Any]) -> Container:
        """A struct whose expressions can also see these values."""
        this = container(self.empty)
        outer = stream.frame
        stream.frame = Frame(outer.parameters, record=outer["record"])
        stream.frame.given = values
        self.read(stream, this)
        if self.derived_early:
            for _, field in self.derived_early:
                stream.sum(field.summed(this, stream.record, stream.frame))
            verify(stream, this, self.derived_early)
        if self.checked_here:
            verify_late(stream, this, self.checked_here)
        for name in self.hidden:
            del this[name]
        stream.inner, stream.frame = stream.frame, outer
        return this

    def verify_late(self, reader: Reader, this: Values) -> None:
        """Check what follows from the late inputs. Raises ``DecodeError``."""
        verify(reader, this, self.derived_late)
        verify_late(reader, this, self.checked_outside)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return self.build_given(obj, stream, NOTHING)

    def build_given(self, obj: Any, stream: Writer, values: Mapping[str, Any]) -> Values:
        """Write a struct whose expressions can also see these values."""
        this = self.coercion.struct(obj, self.empty)
        outer = stream.nest()
        stream.frame.given = values
        if self.derived:
            await_(stream, this, self.derived)
        self.write(stream, this)
        stream.inner, stream.frame = stream.frame, outer
        return this


def container(empty: Values) -> Container:
    """A fresh ``Container`` with every column of ``empty``, all None."""
    this = Container.__new__(Container)
    dict.update(this, empty)
    return this


def keep_left(reader: Reader, this: Values, left: list[Extremes], name: str, trailing: str | None) -> None:
    """Put the bytes ``left`` in the region ``name`` into the column ``trailing``, or reject them if there is none."""
    if not left:
        return
    if trailing is None:
        reader.refuse(surplus(left, name))
        return
    this[trailing] = b"".join(reader.buffer[start:end] for start, end in left)
    if reader.trace is not None:
        for start, end in left:
            reader.trace.note(trailing, start, end, {trailing: reader.buffer[start:end]})


def given_left(this: Values, trailing: str | None) -> bytes:
    """The bytes that are given as left over. Raises ``EncodeError``."""
    if trailing is None or this.get(trailing) is None:
        return b""
    left = octets(this[trailing], trailing)
    if not left:
        raise EncodeError("given, but has no bytes", trailing)
    return left


def await_(writer: Writer, this: Values, derived: Iterable[tuple[str, Field]]) -> None:
    """Let the derived values of a struct be computed at the end.

    Until then the values of the attempt before are used, or the given ones, which may be wrong.
    """
    for name, field in derived:
        writer.await_(this, name, field)


def verify(reader: Reader, this: Values, derived: Iterable[tuple[str, Field]]) -> None:
    """Check derived values that were read. Raises ``DecodeError`` naming the first that is wrong."""
    if not reader.judges:
        return
    for name, field in derived:
        if this.get(name) is None:
            continue
        expected = field.expected(this, reader.record, reader.frame, reader.buffer)
        if this[name] != expected:
            code = "checksum" if field.checksum else "derived"
            detail = f"{field.shown(expected)} expected, found {field.shown(this[name])}"
            reader.refuse(DecodeError(code, detail, reader.frame.origin(name), name))


def verify_late(reader: Reader, this: Values, late: "Iterable[tuple[str, With]]") -> None:
    """Check what in structs follows from what is around them, all of which was read. Raises ``DecodeError``."""
    outer = reader.frame
    for name, struct in late:
        if this.get(name) is None or not reader.judges:
            continue
        reader.frame = outer.inside(name)
        try:
            struct.layout.verify_late(reader, this[name])
        except DecodeError as error:
            raise error.within(name) from None
        reader.frame = outer


def _steps(items: Iterable[Construct]) -> Iterator[Step]:
    run: list[tuple[str, Field]] = []
    order: tuple[str | None, str | None] = _NO_ORDER
    for item in items:
        field = fixed(item)
        own = _NO_ORDER if field is None else byte_order(field[1])
        if field is None or (_NO_ORDER not in (own, order) and own != order):
            if run:
                yield Run(run)
            run, order = [], _NO_ORDER
        order = order if own == _NO_ORDER else own
        if field is not None:
            run.append(field)
        elif isinstance(item, Part):
            yield item
        elif isinstance(item, Renamed) and isinstance(item.subcon, NamedPart):
            yield item.subcon.called(item.name)
        else:
            yield Lone(item.name, item.subcon)
    if run:
        yield Run(run)


_NO_ORDER = (None, None)
"""The byte order of a single byte, which goes with any."""


class Around(Part):
    """A part around fields and parts that it says something about."""

    def __init__(self, *items: Construct) -> None:
        super().__init__()
        self.content = Layout(*items)
        self.showing = self.content.showing
        self.derived = self.content.derived
        self.late = self.content.late

    def columns(self) -> Iterator[Column]:
        return self.content.columns()


class Lone(Part):
    """A value that is in no run, under its name. If it is a checksum, it has as many bytes in each record."""

    def __init__(self, name: str, subcon: Construct) -> None:
        super().__init__()
        self.name = name
        self.field = subcon if isinstance(subcon, Field) else Field(subcon)
        self.beside: str = getattr(self.field.subcon, "beside", "")
        self.raw = Raw(self.field.raw, self.field.subcon) if self.field.raw else None
        self.subcon = self.raw.value if self.raw else self.field.subcon
        if isinstance(self.subcon, Repeat) and self.field.enum is not None and self.field.labels:
            self.subcon = self.subcon.labelled(longest(self.field.enum))
        self._shared = isinstance(self.subcon, Repeat) and self.subcon.shared
        self._nothing: Any = [] if isinstance(self.subcon, Repeat) else 0
        self.showing = (*self.field.showing(name), *filter(None, (self.field.raw, self.beside)))
        is_struct = isinstance(value_type(self.subcon), StructOf) or getattr(self.subcon, "is_struct", False)
        self.is_built = is_struct or isinstance(self.subcon, Repeat)
        self.derived = [(name, self.field)] if self.field.derived else []
        self.is_told = self.field.asks({name})
        self.late = [(name, struct) for struct in _late(self.subcon)]
        self.is_watched = self.field.watched or bool(self.late)
        self._loaded = {u64: list(self.field.loaders(name, u64)) for u64 in U64Type}
        self._settled = Settled(name)
        self._validity = Validity(name, self.field.valid) if self.field.valid else None

    def columns(self) -> Iterator[Column]:
        yield from self.field.labelled(self.name, value_type(self.subcon))
        if self.raw is not None or self.beside:
            yield Column(self.field.raw or self.beside, "binary")

    def read(self, reader: Reader, this: Values) -> None:
        start = reader.pos
        if reader.trace is not None:
            this[self.name] = reader.nest(self.name, self.subcon._parse, this, self.field)
        else:
            try:
                this[self.name] = self.subcon._parse(reader, this, "")
            except DecodeError as error:
                raise error.within(self.name) from None
        if self.raw is not None:
            this[self.raw.column] = self.raw.kept(reader, this, start, this[self.name])
            if self.derived and this[self.name] is None:
                found = reader.buffer[start : reader.pos].hex()
                reader.refuse(DecodeError("invalid", f"a value expected, found {found}", start, self.name))
        for load in self._loaded[reader.u64]:
            try:
                load(this)
            except DecodeError as error:
                error.offset = start
                reader.refuse(error.within(self.name))
        reader.frame[self.name] = (start, reader.pos)
        if self.is_watched:
            reader.frame.note(self.name, reader.inner)
        if self.field.valid is not None:
            self.field.validate(this, self.name, reader, start)

    def write(self, writer: Writer, this: Values) -> None:
        start = len(writer.buffer)
        if self.field.last:
            self._reserve(writer, this)
            return
        if self._shared and this[self.name] is None:
            this[self.name] = writer.known.get(writer.path, NOTHING).get(self.name)
            writer.share(self, this)
            return
        if self.derived and (not self.is_told or writer.awaited.has(this, self.name)):
            value = writer.guess(this, self.name) or self._nothing
            writer.claim(self._settled, this, value)
        else:
            value = self._given(writer, this)
        raw = None if self.raw is None else self._kept(self.raw, writer, this, value)
        if value is None and raw is None and not isinstance(self.subcon, Constant):
            raise EncodeError("missing", self.name)
        outer = writer.path
        writer.path = (outer, self.name)
        if raw is not None:
            self.subcon.keep(writer, this, value, raw)
        else:
            built = self.subcon._build(value, writer, this, "")
            this[self.name] = built if self.is_built else value
        writer.path = outer
        writer.frame[self.name] = (start, len(writer.buffer))
        if self.field.watched:
            writer.frame.note(self.name, writer.inner)
        if self._validity is not None:
            writer.claim(self._validity, this, taken=True)

    @property
    def names(self) -> Iterable[str]:
        """Its columns, if its bytes belong to others."""
        return (self.name,)

    def reread(self, reader: Reader, this: Values) -> bool:
        """Take the list that others wrote, of which nothing is given; returns whether it is other than was taken.
        Raises ``EncodeError`` if there is none.
        """
        found = dict(this)
        try:
            self.read(reader, found)
        except DecodeError as error:
            raise EncodeError(f"cannot be read back: {error.detail}", error.field or self.name) from None
        news = not agrees(found[self.name], this[self.name])
        this[self.name] = found[self.name]
        return news

    def _reserve(self, writer: Writer, this: Values) -> None:
        """Leave room for a checksum."""
        start, size = len(writer.buffer), self.subcon.extent.fixed
        writer.reserve(self, this, size)
        writer.frame[self.name] = (start, start + size)
        if self._validity is not None:
            writer.claim(self._validity, this, taken=True)

    def pack(self, writer: Writer, this: Values) -> bytes:
        """The bytes of a checksum, or those beside it that say the same. Raises ``EncodeError``."""
        found = None if self.raw is None else self.raw.meant(writer, this, this[self.name])
        try:
            return written(self.subcon, this[self.name], this, writer) if found is None else found
        except EncodeError as error:
            raise error.within(self.name) from None

    def misfit(self, writer: Writer, this: Values) -> EncodeError | None:
        """None, since a checksum that is given is not written."""
        return None

    def _given(self, writer: Writer, this: Values) -> Any:
        """The value, or the default of a missing one."""
        awaited = this[self.name] is None and self.field.fill(writer, this, self.name)
        if this[self.name] is None and isinstance(self.subcon, Repeat):
            this[self.name] = []
        if awaited:
            writer.claim(self._settled, this, this[self.name])
        self.field.check(this, self.name, writer.u64)
        return this[self.name]

    def _kept(self, raw: Raw, writer: Writer, this: Values, value: Any) -> bytes | None:
        """The bytes that are kept beside the value, if they are still those to write."""
        if not self.derived:
            return raw.meant(writer, this, value)
        found = None if writer.trust is Trust.NOTHING else raw.meant(writer, this, value)
        writer.trusted |= found is not None
        return found


def _late(subcon: Construct) -> "Iterator[With]":
    """The struct that a value is, perhaps in a region of its own, if it has late inputs."""
    match subcon:
        case With() if subcon.layout.late_inputs:
            yield subcon
        case Nested():
            yield from _late(subcon.layout)


class NamedPart(Construct):
    """A construct that becomes a part of its own once it has a name."""

    def called(self, name: str) -> Part:
        """The part under that name."""
        raise NotImplementedError


class With(Construct):
    """A struct that is given ``values`` under names of its own: each is computed from what surrounds the struct."""

    def __init__(self, layout: Layout, values: Mapping[str, Formula]) -> None:
        super().__init__()
        self.layout = layout
        self.values = {name: expression(value) for name, value in values.items()}
        self.late = {name: value for name, value in self.values.items() if name in layout.late_inputs}
        self.early = {name: value for name, value in self.values.items() if name not in self.late}
        self.items = [GivenItem(name, value) for name, value in self.early.items() if value.asks_item]

    def asks(self, inputs: Set[str]) -> bool:
        """Whether late values use one of these inputs of the struct around it."""
        return any(value.asks_input(inputs) for value in self.late.values())

    def columns(self) -> Iterator[Column]:
        """The columns in order."""
        return self.layout.columns()

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        record, frame = stream.record, stream.frame
        values = {name: value.ask(context, record, frame) for name, value in self.early.items()}
        for item in self.items:
            if values[item.name] is None:
                raise DecodeError("invalid", item.fault, stream.pos)
        late = LateValues(self.late, stream, context, values) if self.late else values
        return self.layout.parse_given(stream, late)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for item in self.items:
            stream.claim(item, context, taken=True, spot=stream.spot())
        return self.layout.build_given(obj, stream, LateValues(self.values, stream, context))


class GivenItem:
    """The claim that there is the item of a list which a struct is given under a ``name``."""

    def __init__(self, name: str, value: Expression) -> None:
        self.name = name
        self.value = value

    @property
    def fault(self) -> str:
        """The error if there is no value."""
        return f"{self.value.written} has no value, which is given as {self.name}"

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        return self.value.ask(this, record, frame) is not None

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        return EncodeError(self.fault)


class LateValues(Mapping[str, Any]):
    """The values, as far as they are known when they are used: they may depend on what surrounds the struct, or on a
    message that its header is given them by. Those that are ``known`` already do not.
    """

    def __init__(
        self,
        values: Mapping[str, Expression],
        stream: Reader | Writer,
        this: Values,
        known: Mapping[str, Any] = NOTHING,
    ) -> None:
        self.values_of = values
        self.known = known
        self.stream = stream
        self.frame = stream.frame
        self.index = stream.frame.index
        self.this = this

    def __getitem__(self, name: str) -> Any:
        if name in self.known:
            return self.known[name]
        self.frame.index = self.index
        return self.values_of[name].ask(self.this, self.stream.record, self.frame)

    def __iter__(self) -> Iterator[str]:
        return iter({**self.known, **self.values_of})

    def __len__(self) -> int:
        return len({**self.known, **self.values_of})
