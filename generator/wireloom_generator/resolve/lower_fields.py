"""Syntax → model for what stands in a list of fields: types resolved, expressions scoped, offsets counted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wireloom_generator import expressions, model, types
from wireloom_generator.analysis import kinds
from wireloom_generator.expressions import Value, notation
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.resolve.columns import columns, labelled
from wireloom_generator.resolve.lower_names import Names, declared, measured, resolved
from wireloom_generator.types import Bytes, Declared, Struct, WireType, integer_column


def documentation(written: syntax.Documented, *, title: str | None = None, unit: str | None = None) -> model.Doc:
    """What the spec says of a thing in words."""
    source = written.source
    where = model.Source(source.document, source.section, source.revision) if source else None
    text = " ".join((written.doc or "").split())
    errata = tuple(" ".join(erratum.split()) for erratum in written.erratum)
    return model.Doc(title or "", text, written.since, where, errata, unit)


@dataclass
class Cursor:
    """How far a struct is laid out: bytes from its section's start, and from the record's; None once they vary."""

    section: str = ""
    offset: int | None = 0
    absolute: int | None = 0

    def place(self) -> model.Place:
        return model.Place(self.section, self.offset, self.absolute)

    def move(self, size: int | None) -> None:
        """Go on by ``size`` bytes, None if it varies."""
        self.offset = None if size is None or self.offset is None else self.offset + size
        self.absolute = None if size is None or self.absolute is None else self.absolute + size


def compared(message: syntax.Message) -> frozenset[str]:
    """The names that the conditions on a message's whole records compare with numbers in hexadecimal."""
    conditions = [message.valid, message.otherwise]
    conditions += (condition for variant in message.variants for condition in (variant.when, variant.valid))
    return notation.compared(*filter(None, conditions))


class FieldLowering:
    """Lowers the fields of one protocol; ``types`` grow as they are asked for."""

    def __init__(self, spec: Spec, tables: dict[str, model.Table]) -> None:
        self.spec = spec
        self.types: dict[str, model.Type] = {}
        self.structs: dict[str, tuple[model.Column, ...]] = {}
        self.declared = Declared(self.structs, {name: table.columns for name, table in tables.items()})
        self.measured = frozenset(measured(spec))
        self.record_names = self._record_names()
        order = spec.protocol.byte_order
        self.order = model.Order(order) if order in ("big", "little") else model.Order.PARAMETER

    def _record_names(self) -> Names:
        entries = tuple(self.spec.entries(self.spec.protocol.record.fields))
        names, nullable = declared(self.spec, entries)
        recorded = {parameter.name for parameter in self.spec.protocol.parameters}
        return Names(names, nullable, frozenset(), frozenset(), frozenset(recorded), True, self._compared())

    def _compared(self) -> frozenset[str]:
        """The record's fields that messages match, or conditions on whole records compare, with such numbers."""
        matches = [item for message in self.spec.messages for item in message.match.items()]
        found = frozenset(name for name, values in matches if notation.in_hexadecimal(values))
        proofs = [self.spec.protocol.record.proof, *(message.proof for message in self.spec.messages)]
        texts = [proof.valid for proof in proofs if proof and proof.valid]
        return found.union(notation.compared(*texts), *map(compared, self.spec.messages))

    def _hex(self, field: syntax.Field | syntax.BitField, names: Names, flags: str | None = None) -> bool:
        """Whether the spec writes any of the field's values in hexadecimal."""
        written: list[object] = [field.const, field.default]
        if field.enum in self.spec.enums:
            written += (value for item in self.spec.enums[field.enum].values for value in (item.value, item.first))
        if flags in self.spec.flags:
            written += (item.value for item in self.spec.flags[flags].values)
        told = notation.compared(field.valid) if field.valid is not None else frozenset()
        return notation.in_hexadecimal(written) or field.name in told or field.name in names.hexadecimal

    def names(self, entries: Iterable[syntax.Entry], *, also: frozenset[str] = frozenset()) -> Names:
        """What a struct's expressions can ask for; ``also`` are own names that may be absent."""
        own, nullable = declared(self.spec, entries)
        record = self.record_names
        return Names(own | also, nullable | also, record.own, record.own_nullable, record.parameters)

    def type_named(self, name: str) -> model.Type:
        """The shared struct, lowered when first asked for."""
        if name not in self.types:
            written = self.spec.types[name]
            nodes = self.nodes(written.fields, self.names(written.fields), Cursor(absolute=None))
            self.structs[name] = columns(nodes)
            self.types[name] = model.Type(name, documentation(written), nodes, self.structs[name])
        return self.types[name]

    def condition(self, text: str | None, names: Names) -> model.Condition | None:
        """An expression with its names resolved; None for None."""
        return (
            None if text is None else model.Condition(resolved(expressions.parse(text), names), " ".join(text.split()))
        )

    def nodes(self, entries: Iterable[syntax.Entry], names: Names, cursor: Cursor) -> tuple[model.Node, ...]:
        """The nodes of a list of fields; ``cursor`` is moved behind them."""
        nodes: list[model.Node] = []
        for entry in self.spec.entries(entries):
            _append(nodes, self._node(entry, names, cursor))
        return tuple(nodes)

    def _node(self, entry: syntax.Entry, names: Names, cursor: Cursor) -> model.Node:
        match entry:
            case syntax.Field():
                return self._optional_field(entry, names, cursor)
            case syntax.Section():
                return self._section(entry, names, cursor)
            case syntax.Choice(choice=alternatives):
                return self._choice(alternatives, names, cursor)
            case syntax.Bits():
                return self._bits(entry, names, cursor)
            case syntax.Pad(pad=size):
                return self._padding(size, 1, cursor)
            case syntax.Align(align=align):
                return self._padding(0, align, cursor)
            case syntax.Include():
                raise AssertionError("includes are spliced before")

    def _padding(self, size: int, align: int, cursor: Cursor) -> model.Padding:
        node = model.Padding(size, align, cursor.place())
        start = cursor.absolute
        cursor.move(size if align == 1 else None if start is None else -start % align)
        return node

    def _section(self, entry: syntax.Section, names: Names, cursor: Cursor) -> model.Section | model.Slot:
        extent = self._extent(entry.size, names)
        place, doc = cursor.place(), documentation(entry)
        if names.is_record and not entry.fields:
            cursor.move(None)
            return model.Slot(entry.section, extent, entry.trailing, doc, place)
        inner = Cursor(entry.section, 0, cursor.absolute)
        nodes = self.nodes(entry.fields, names, inner)
        cursor.move(extent.fixed if isinstance(extent, model.Size) else None)
        return model.Section(entry.section, extent, entry.trailing, nodes, doc, place)

    def _extent(self, size: str, names: Names) -> model.Size | model.Rest:
        if size == "rest":
            return model.Rest()
        condition = self.condition(size, names)
        assert condition is not None
        fixed = condition.expression.value if isinstance(condition.expression, Value) else None
        return model.Size(condition.expression, condition.text, fixed if isinstance(fixed, int) else None)

    def _choice(self, alternatives: Sequence[syntax.Alternative], names: Names, cursor: Cursor) -> model.Choice:
        ends: list[Cursor] = []
        lowered: list[model.When | model.Otherwise] = []
        for alternative in alternatives:
            inner = replace(cursor)
            nodes = self.nodes(alternative.fields, names, inner)
            condition = self.condition(alternative.when, names)
            lowered.append(model.When(condition, nodes) if condition else model.Otherwise(nodes))
            ends.append(inner)
        offsets = {(end.offset, end.absolute) for end in ends}
        if len(offsets) == 1 and isinstance(lowered[-1], model.Otherwise):
            cursor.offset, cursor.absolute = offsets.pop()
        else:
            cursor.move(None)
        return model.Choice(tuple(lowered))

    def _bits(self, entry: syntax.Bits, names: Names, cursor: Cursor) -> model.Bits:
        wire = self.number(entry.bits)
        node = model.Bits(wire, tuple(self._bit_field(field, names) for field in entry.fields), cursor.place())
        cursor.move(wire.fixed)
        return node

    def _bit_field(self, field: syntax.BitField, names: Names) -> model.BitField:
        boolean = kinds.is_boolean(field)
        kind = model.Primitive.BOOLEAN if boolean else integer_column(field.width, signed=False)
        doc = documentation(field)
        const = field.const if isinstance(field.const, int) else None
        return model.BitField(
            field.name,
            field.width,
            boolean,
            doc,
            labelled(field.name, kind, doc.text, enum=self._labels(field.enum, field.labels)),
            field.enum,
            field.labels,
            const,
            self.condition(field.valid, names),
            self.condition(field.derive, names),
            self._default(field.default, field.reserved, names),
            self._hex(field, names),
        )

    def _optional_field(self, field: syntax.Field, names: Names, cursor: Cursor) -> model.Node:
        start = replace(cursor)
        node = self._computed(field, names) if field.compute is not None else self._field(field, names, cursor)
        if field.when is not None and field.compute is None:
            condition = self.condition(field.when, names)
            assert condition is not None
            cursor.offset, cursor.absolute = start.offset, start.absolute
            cursor.move(None)
            return model.When(condition, (model.Tail((node,)) if field.tail else node,))
        return model.Tail((node,)) if field.tail else node

    def _computed(self, field: syntax.Field, names: Names) -> model.Computed:
        value = self.condition(field.compute, names)
        when = self.condition(field.when, names)
        assert value is not None
        if when is not None:
            guarded = expressions.Conditional(when.expression, value.expression, Value(None))
            value = model.Condition(guarded, f"{_enclosed(value)} if {when.text} else null")
        doc = documentation(field, unit=field.unit)
        kind = self.type(field).column(self.declared)
        enum = self._labels(field.enum, field.labels)
        return model.Computed(
            field.name,
            value,
            doc,
            labelled(field.name, kind, doc.text, enum=enum),
            field.enum,
            field.labels,
            self._hex(field, names),
        )

    def _field(self, field: syntax.Field, names: Names, cursor: Cursor) -> model.Field:
        wire = self.wire(field, names)
        repeat = self._repeat(field, names)
        size = None if repeat else wire.fixed
        place = cursor.place()
        cursor.move(size)
        doc = documentation(field, unit=field.unit)
        return model.Field(
            name=field.name,
            wire=wire,
            doc=doc,
            columns=self._field_columns(field, wire, doc.text, repeat),
            place=place,
            size=size,
            enum=field.enum,
            flags=field.flags,
            labels=field.labels,
            const=_constant(wire, field.const),
            valid=self.condition(field.valid, names),
            derive=self.condition(field.derive, names),
            checksum=self.checksum(field.checksum, names),
            default=self._default(field.default, field.reserved, names),
            long=field.table_type == "long",
            located=field.name in self.measured,
            raw=field.raw,
            repeat=repeat,
            hex=self._hex(field, names, field.flags),
        )

    def _field_columns(
        self, field: syntax.Field, wire: model.Wire, doc: str, repeat: model.Repeat | None
    ) -> tuple[model.Column, ...]:
        kind: model.ColumnType = wire.type.column(self.declared)
        if field.table_type == "long":
            kind = model.Primitive.LONG
        if repeat is not None:
            kind = model.ListType(kind)
        labels = field.labels and repeat is None
        enum, flags = self._labels(field.enum, labels), self._labels(field.flags, labels)
        found = labelled(field.name, kind, doc, enum=enum, flags=flags)
        if field.raw is not None:
            kept = f"Bytes of {field.name}; written back while it is unchanged"
            return (*found, model.Column(field.raw, model.Primitive.BINARY, kept))
        return found

    def _labels(self, name: str | None, wanted: bool) -> tuple[str, ...] | None:
        """What the label column of an enum or of flags may say; None if there is no such column."""
        if name is None or not wanted:
            return None
        declared = self.spec.enums.get(name) or self.spec.flags[name]
        return tuple(value.name for value in declared.values)

    def _repeat(self, field: syntax.Field, names: Names) -> model.Repeat | None:
        if field.repeat is None:
            return None
        if isinstance(field.repeat, str):
            return model.Repeat(None, None)
        item = self.names(self.spec.types[field.type].fields) if field.type in self.spec.types else names
        return model.Repeat(self.condition(field.repeat.count, names), self.condition(field.repeat.until, item))

    def checksum(self, written: syntax.Checksum | None, names: Names) -> model.Checksum | None:
        """A checksum with its range resolved."""
        if written is None:
            return None
        start, end = self.condition(written.start, names), self.condition(written.end, names)
        assert start is not None and end is not None
        return model.Checksum(written.algorithm, start, end)

    def _default(self, default: syntax.Literal | None, reserved: bool, names: Names) -> model.Condition | None:
        if default is None:
            return model.Condition(Value(0), "0") if reserved else None
        if not isinstance(default, str):
            return model.Condition(Value(default), str(default))
        return self.condition(default, names)

    def type(self, field: syntax.Field) -> WireType:
        """The type of a field; a shared struct is lowered with it."""
        found = types.of(field)
        if found is None:
            self.type_named(field.type)
            return Struct(field.type)
        return found

    def wire(self, field: syntax.Field, names: Names) -> model.Wire:
        """How a field stands in the bytes."""
        found = self.type(field)
        extent = self._field_extent(field, names)
        return self._ordered(found, extent or (model.Rest() if found.endless else None), field.byte_order)

    def number(self, name: str) -> model.Wire:
        """How a number stands in the bytes that is nothing but its type: a length in front, or what bits fill."""
        found = types.parse(name)
        assert found is not None
        return self._ordered(found)

    def _ordered(self, found: WireType, extent: model.Extent | None = None, own: str | None = None) -> model.Wire:
        order = model.Order(own) if own else self.order
        return model.Wire(found, order if found.has_order else None, extent)

    def _field_extent(self, field: syntax.Field, names: Names) -> model.Extent | None:
        if field.size is not None:
            return self._extent(field.size, names)
        if field.prefix is not None:
            return model.Prefix(self.number(field.prefix))
        return model.Terminator(bytes.fromhex(field.until)) if field.until is not None else None


def _append(nodes: list[model.Node], node: model.Node) -> None:
    """Add a node; what has the condition of the node before goes into that, an optional one into an optional one."""
    previous = nodes[-1] if nodes else None
    if isinstance(node, model.When) and isinstance(previous, model.When) and previous.condition == node.condition:
        nodes[-1] = model.When(node.condition, _joined(previous.nodes, node.nodes))
    elif isinstance(node, model.Tail) and isinstance(previous, model.Tail):
        nodes[-1] = model.Tail(_joined(previous.nodes, (node,)))
    else:
        nodes.append(node)


def _joined(first: tuple[model.Node, ...], then: tuple[model.Node, ...]) -> tuple[model.Node, ...]:
    nodes = list(first)
    for node in then:
        _append(nodes, node)
    return tuple(nodes)


def _enclosed(condition: model.Condition) -> str:
    return f"({condition.text})" if isinstance(condition.expression, expressions.Conditional) else condition.text


def _constant(wire: model.Wire, const: syntax.Literal | None) -> int | float | bool | str | bytes | None:
    if isinstance(wire.type, Bytes) and const is not None:
        return bytes.fromhex(str(const))
    return const
