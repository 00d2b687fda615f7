"""Syntax → model for lists of fields: types are looked up, names in expressions resolved, sizes added up."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from wireloom_generator import expressions, model, types
from wireloom_generator.expressions import Value
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.reading.vocabulary import BIT_ORDERS, WORD_ORDERS
from wireloom_generator.resolve import conditions, instants, keys, uses
from wireloom_generator.resolve.byte_orders import Orders
from wireloom_generator.resolve.columns import columns, field_columns, labelled, raw_column
from wireloom_generator.resolve.matches import Matching, filled, follows, names_of_numbers
from wireloom_generator.resolve.names import DeclaredNames, Spliced, Splicing, loops
from wireloom_generator.types import (
    Bytes,
    Declared,
    Deeper,
    Float,
    Integer,
    SizedInteger,
    Struct,
    Text,
    Unknown,
    WireType,
    integer_column,
)
from wireloom_generator.types.signs import sign_of
from wireloom_generator.types.sizes import SizeRange
from wireloom_generator.types.strings import character_set


class FieldResolving:
    """Resolves the fields of one protocol; ``structs`` are added when they are first used, inner ones first.

    Records see the parameters ``from_capture``, which the header of their capture has.
    """

    def __init__(
        self, spec: Spec, shared: Sequence[model.Declarations], from_capture: Sequence[model.Parameter] = ()
    ) -> None:
        self.spec = spec
        self.from_capture = from_capture
        self.enums = {enum.name: enum for part in reversed(shared) for enum in part.enums}
        self.flags = {flags.name: flags for part in reversed(shared) for flags in part.flags}
        self.tables = {table.name: table for part in reversed(shared) for table in part.tables}
        self.loops = tuple(loops(spec.structs))
        self.recursive = frozenset(loop.name for loop in self.loops)
        self.splicing = Splicing(spec.structs, self.recursive)
        self.structs: dict[str, model.Struct] = {}
        self.columns: dict[str, tuple[model.Column, ...]] = {}
        tables = {name: types.table_columns(table) for name, table in self.tables.items()}
        self.declared = Declared(self.columns, tables)
        self.matching = Matching(self.enums, {each.name: each for each in (*from_capture, *shared[0].parameters)})
        self.numbers = dict(names_of_numbers(self.enums.values(), self.flags.values()))
        self.record_names = self._record_names()
        self.orders = Orders.of(spec)
        self.watched = uses.watched(spec)

    def _record_names(self) -> Names:
        names = self.splicing.declared(self.spec.record.fields)
        parameters = frozenset(parameter.name for parameter in self.spec.protocol.parameters)
        parameters |= frozenset(parameter.name for parameter in self.from_capture)
        told = frozenset(name for message in self.spec.messages for name in message.derive)
        return Names(names, {}, parameters, uses.compared_in(self.spec), told=told, numbers=self.numbers)

    def _hex(self, field: syntax.Field | syntax.BitField, names: Names, flags: str | None = None) -> bool:
        named = None if field.enum is None else self.enums.get(field.enum)
        return uses.is_in_hexadecimal(field, named, None if flags is None else self.flags.get(flags), names)

    def names(self, entries: Iterable[syntax.Entry], given: Iterable[str] = ()) -> Names:
        """The names for the expressions of a shared struct."""
        own, record = self.splicing.declared(entries), self.record_names
        return Names(own, record.own, record.parameters, given=frozenset(given), numbers=self.numbers)

    def struct_named(self, name: str) -> None:
        """Resolve the shared struct of that name, if it is not resolved yet; recursive ones are left out."""
        if name not in self.columns:
            self.columns[name] = ()
            found = self.struct(self.spec.structs[name])
            self.structs[name], self.columns[name] = found, found.columns

    def struct(self, written: syntax.Struct) -> model.Struct:
        """A shared struct."""
        with self._in(self.orders.of_struct):
            nodes = self.ordered(written, written.fields, self.names(written.fields, written.given))
        exhausts = model.exhausting(nodes, self.structs) is not None
        return model.Struct(
            written.name,
            written.given,
            nodes,
            columns(nodes),
            exhausts,
            written.depth,
            written.limit,
            written.of if isinstance(written, syntax.Level) else None,
            doc=written.doc,
            written=written,
        )

    def ordered(
        self,
        around: syntax.Struct | syntax.Section | None,
        entries: Iterable[syntax.Entry],
        names: Names,
        via: Location | None = None,
    ) -> tuple[model.Node, ...]:
        """The nodes of a list of fields, in the byte order of what is ``around`` them if that has one."""
        text = None if around is None else around.byte_order
        if around is None or text is None:
            return self.nodes(entries, names, via)
        inside = self.orders.inside(text)
        with self._in(inside):
            nodes = self.nodes(entries, names, via)
        if inside.now is not model.Order.PARAMETER:
            return nodes
        little = conditions.little(text, names)
        return (model.Ordered(little, nodes, written=around, via=via),)

    @contextmanager
    def _in(self, orders: Orders) -> Iterator[None]:
        """Resolve within these byte orders."""
        outer, self.orders = self.orders, orders
        yield
        self.orders = outer

    def nodes(
        self, entries: Iterable[syntax.Entry], names: Names, via: Location | None = None, *, with_slots: bool = False
    ) -> tuple[model.Node, ...]:
        """The nodes of a list of fields; ``with_slots`` if messages fill its sections without any."""
        found = self.splicing.spliced(entries, via)
        return tuple(self._node(entry, names, include, with_slots) for entry, include in found)

    def _node(self, entry: Spliced, names: Names, via: Location | None, with_slots: bool) -> model.Node:
        match entry:
            case syntax.Field(compute=syntax.Expression() | syntax.Instant() as compute):
                return self._computed(entry, compute, names, via)
            case syntax.Field():
                return self._in_order(entry, names, via)
            case syntax.Section(section=name, trailing=trailing):
                extent, doc = keys.sized(entry, names), entry.doc
                if with_slots and not entry.fields:
                    return model.Slot(name, extent, trailing, doc=doc, written=entry, via=via)
                nodes, bare = self.ordered(entry, entry.fields, names, via), not entry.fields
                through = conditions.through(entry.through, entry, names)
                return model.Section(name, extent, trailing, nodes, bare, through, doc=doc, written=entry, via=via)
            case syntax.Choice():
                return model.Choice(tuple(self._alternatives(entry, names, via)), written=entry, via=via)
            case syntax.Bits():
                return self._in_order(entry, names, via)
            case syntax.Pad(pad=size):
                return model.Padding(conditions.expression(size, names), 1, written=entry, via=via)
            case syntax.Align(align=align, start=start):
                return model.Padding(_NOTHING, align, start, written=entry, via=via)

    def _alternatives(self, entry: syntax.Choice, names: Names, via: Location | None) -> Iterator[model.Alternative]:
        for alternative in entry.choice:
            nodes = self.nodes(alternative.fields, names, via)
            condition = self.matching.condition(alternative, names)
            misnamed = tuple(self.matching.misnamed(alternative, names))
            yield model.When(condition, nodes, misnamed) if condition else model.Otherwise(nodes, alternative.at)

    def _whole(
        self, entry: syntax.Bits, wire: model.Wire, when: model.Condition | None, names: Names, via: Location | None
    ) -> model.BitField | None:
        """The whole number of bit fields, as bits of itself, if it has a name."""
        if entry.name is None:
            return None
        width = wire.type.bits if isinstance(wire.type, Integer) else 0
        columns = (model.Column(entry.name, integer_column(width, signed=False), entry.doc.comment),)
        is_hex = entry.name in names.hexadecimal
        return model.BitField(
            entry.name, 0, width, False, columns, hex=is_hex, when=when, doc=entry.doc, written=entry, via=via
        )

    def _bits(self, entry: syntax.Bits, names: Names, via: Location | None) -> model.Bits:
        when = conditions.condition(entry.when, names)
        fields = tuple(
            self._bit_field(field, first, when, names, via, lsb=entry.bit_order == "lsb")
            for field, first in entry.begins
            if isinstance(field, syntax.BitField)
        )
        others = sum(each.taken for each in entry.fields if isinstance(each, syntax.BitChoice))
        lsb = entry.bit_order == "lsb"
        stray = {} if entry.bit_order in BIT_ORDERS else {"bit_order": entry.bit_order}
        if entry.is_alone:
            stray["extension"] = "alone"
        wire = self.number(entry.bits)
        whole = self._whole(entry, wire, when, names, via)
        if entry.bitmap:
            fields = tuple(replace(each, columns=()) for each in fields)
        return model.Bits(
            wire,
            fields,
            whole,
            lsb,
            when,
            others,
            entry.over,
            stray,
            entry.faults,
            entry.bitmap,
            written=entry,
            via=via,
        )

    def _bit_field(
        self,
        field: syntax.BitField,
        first: int,
        when: model.Condition | None,
        names: Names,
        via: Location | None,
        *,
        lsb: bool,
    ) -> model.BitField:
        boolean = field.type == "bool" or (field.width == 1 and field.enum is None and field.type != "text")
        sign = sign_of(field)
        type_ = model.bit_type(field.width, boolean=boolean, sign=sign)
        meaning = keys.meaning(field.meaning, type_)
        kind: model.ColumnType = type_.column(self.declared) if meaning is None else meaning.column()
        if field.count is not None:
            kind = model.ListType(kind)
        text = _bit_text(field, lsb=lsb)
        if text is not None:
            kind = model.Primitive.STRING
        stray = {} if field.type in (None, "bool") or text is not None else {"type": str(field.type)}
        if field.count is not None and field.items is None:
            stray["count"] = field.count
        if isinstance(field.sign, str) and sign is None:
            stray["sign"] = field.sign
        if field.encoding is not None and field.encoding.bit_order is not None:
            stray["encoding"] = field.encoding.bit_order
        return model.BitField(
            field.name,
            first,
            field.width,
            boolean,
            labelled(field.name, kind, field.doc.comment, labels=field.labels, enum=field.enum),
            field.enum,
            field.labels,
            field.const,
            conditions.condition(field.valid, names),
            conditions.condition(field.derive, names),
            self._default(field, names),
            meaning,
            self._hex(field, names),
            field.reserved,
            when,
            stray,
            field.items,
            sign,
            text,
            field.pad,
            field.name in names.told,
            doc=field.doc,
            written=field,
            via=via,
        )

    def _computed(
        self, field: syntax.Field, compute: syntax.Expression | syntax.Instant, names: Names, via: Location | None
    ) -> model.Computed:
        type_, instant, meaning = self.type(field), None, keys.meaning(field.meaning, self.type(field))
        if isinstance(compute, syntax.Instant):
            instant, meaning = instants.instant(field, compute, names), instants.MEANING
            value = instants.time(compute, names)
        else:
            value = conditions.expression(compute, names)
        kind = type_.column(self.declared) if meaning is None else meaning.column()
        return model.Computed(
            field.name,
            value,
            conditions.condition(field.when, names),
            labelled(field.name, kind, field.doc.comment, labels=field.labels, enum=field.enum),
            field.enum,
            field.labels,
            conditions.condition(field.valid, names),
            meaning,
            instant,
            self._of_time(field, names),
            self._hex(field, names),
            type=type_,
            stray=dict(keys.meaningless(field)),
            faults=tuple(type_.faults(field)),
            doc=field.doc,
            written=field,
            via=via,
        )

    def _in_order(
        self, entry: syntax.Field | syntax.Bits, names: Names, via: Location | None
    ) -> model.Field | model.Bits | model.Ordered:
        """A field or bits, wrapped in their own byte order if the wire type does not carry it."""
        text = entry.byte_order
        if text in WORD_ORDERS and isinstance(entry, syntax.Field) and has_words(entry):
            with self._in(self.orders.of_words(text)):
                return self._field(entry, names, via)
        orders = self.orders if text is None else self.orders.of_value(text)
        with self._in(orders):
            node = self._bits(entry, names, via) if isinstance(entry, syntax.Bits) else self._field(entry, names, via)
        if text is not None and orders.now is model.Order.PARAMETER:
            little = conditions.little(text, names)
        elif orders.turns and isinstance(node, model.Field) and isinstance(node.type, Struct):
            little = model.Condition(Value(orders.now is model.Order.LITTLE), orders.now)
        else:
            return node
        return model.Ordered(little, (node,), written=entry, via=via)

    def _field(self, field: syntax.Field, names: Names, via: Location | None) -> model.Field:
        wire = self._wire(field, names)
        repeat, meaning = self._repeat(field, names), keys.meaning(field.meaning, wire.type)
        through = conditions.through(field.through, field, names)
        return model.Field(
            name=field.name,
            wire=wire,
            doc=field.doc,
            columns=field_columns(field, wire.type.column(self.declared), field.doc.comment, meaning, through),
            enum=field.enum,
            flags=field.flags,
            labels=field.labels,
            const=_constant(wire, field.const),
            valid=conditions.condition(field.valid, names),
            derive=conditions.condition(field.derive, names),
            told=field.name in names.told,
            checksum=keys.checksum(field.checksum, names),
            default=self._default(field, names),
            long=field.table_type == "long",
            decimal=field.table_type == "decimal",
            meaning=meaning,
            raw=raw_column(field),
            inputs={
                name: conditions.of_text(text, field.where(f"with.{name}"), names)
                for name, text in field.inputs.items()
            },
            through=through,
            repeat=repeat,
            hex=self._hex(field, names, field.flags),
            when=conditions.condition(field.when, names),
            optional=field.tail,
            place=conditions.condition(field.place, names),
            shared=field.shared,
            space=self._space(field, wire, repeat),
            item_space=self._taken(wire, None) if self._has_end(wire) else None,
            reserved=field.reserved,
            stray=dict(keys.stray(field)),
            faults=(*wire.type.faults(field), *keys.prefix_faults(field, wire)),
            watched=field.name in self.watched,
            written=field,
            via=via,
        )

    def _wire(self, field: syntax.Field, names: Names) -> model.Wire:
        """The wire form of a field's values."""
        found, extent = self.type(field), self._extent(field, names)
        if isinstance(found, SizedInteger) and isinstance(extent, model.Size):
            found = replace(found, shortest=follows(expressions.names(extent.condition.expression), names))
        return self._ordered(found, extent)

    def _space(self, field: syntax.Field, wire: model.Wire, repeat: model.Repeat | None) -> SizeRange:
        """The size of a field, as far as the spec determines it."""
        total = self._taken(wire, repeat)
        return SizeRange(0, total.most) if field.when is not None or field.tail else total

    def _taken(self, wire: model.Wire, repeat: model.Repeat | None) -> SizeRange:
        """The size of a value or of a list, if it is present."""
        struct = self.structs.get(wire.type.name) if isinstance(wire.type, Struct) else None
        return model.taken(wire, repeat, struct if self._has_end(wire) else None)

    def _has_end(self, wire: model.Wire) -> bool:
        """Whether the contents of a value are resolved, as for all types that are not recursive."""
        if isinstance(wire.type, Struct):
            return wire.type.name in self.structs and wire.type.name not in self.recursive
        return not isinstance(wire.type, Deeper)

    def _repeat(self, field: syntax.Field, names: Names) -> model.Repeat | None:
        repeat = field.repeat
        if repeat is None or isinstance(repeat, str):
            return None if repeat is None else model.Repeat(None, None, rest=repeat == "rest")
        count = conditions.condition(repeat.count, names)
        struct = self.spec.structs.get(field.like if isinstance(field, syntax.Deeper) else field.type)
        item = names if struct is None else self.names(struct.fields, struct.given)
        return model.Repeat(count, conditions.condition(repeat.until, item), rest=False)

    def _default(self, field: syntax.Field | syntax.BitField, names: Names) -> model.Condition | None:
        default = field.default
        if default is None:
            if field.reserved:
                return self._nothing(field, names)
            return filled(field, self.splicing, self.matching, names) or self._of_time(field, names)
        if not isinstance(default, str):
            return model.Condition(Value(default), str(default))
        return conditions.of_text(default, field.where("default"), names)

    def _of_time(self, field: syntax.Field | syntax.BitField, names: Names) -> model.Condition | None:
        """The default of a field that a time consists of; None if there is none, or it has a value of its own."""
        own = names.own
        found = own.of_times.get(field.name) if isinstance(own, DeclaredNames) else None
        has_value = field.const is not None or field.derive is not None or field.meaning is not None
        return None if found is None or has_value else instants.default(*found, names)

    def _nothing(self, field: syntax.Field | syntax.BitField, names: Names) -> model.Condition:
        """The value written for a reserved field or bits."""
        if isinstance(field, syntax.Field) and field.type == Bytes.spelling:
            size = model.Wire(Bytes(), None, self._extent(field, names)).fixed or 0
            return model.Condition(Value(bytes(size if 0 < size <= model.MOST_RESERVED else 0)), "zeros")
        return model.Condition(Value(0), "0")

    def type(self, field: syntax.Field) -> WireType:
        """The type of a field. A shared struct is resolved on first use; an undeclared type becomes ``Unknown``."""
        found = types.of(field)
        if found is not None:
            return found
        if field.type not in self.spec.structs:
            return Unknown(field.type)
        self.struct_named(field.type)
        return Struct(field.type)

    def number(self, name: str) -> model.Wire:
        """The wire form of a plain number: a length prefix, or the integer of bit fields."""
        return self._ordered(types.parse(name) or Unknown(name))

    def _ordered(self, found: WireType, extent: model.Extent | None = None) -> model.Wire:
        return model.Wire(found, self.orders.now if found.has_order else None, extent)

    def _extent(self, field: syntax.Field, names: Names) -> model.Extent | None:
        prefix = field.prefix
        if prefix is None or field.size is not None:
            return keys.extent(field, self.type(field), names)
        if isinstance(prefix, str):
            return model.Prefix(self.number(prefix))
        number = keys.length(prefix)
        return model.Prefix(self._ordered(types.of(number) or Unknown(prefix.type)), prefix.counts)


def has_words(field: syntax.Field) -> bool:
    """Whether it is a number of several words of 16 bits."""
    found = types.of(field)
    return isinstance(found, Integer | Float) and found.bits in (32, 64)


_NOTHING = model.Condition(Value(0), "0", "0")


def _constant(wire: model.Wire, const: syntax.Literal | None) -> int | float | bool | str | bytes | None:
    """A constant, as bytes if its type is bytes and it fits."""
    if isinstance(wire.type, Bytes) and isinstance(const, str) and wire.type.misfit(const, wire.fixed) is None:
        return bytes.fromhex(const)
    return const


def _bit_text(field: syntax.BitField, *, lsb: bool) -> Text | None:
    """The type of a bit field that is a text, if its set of characters is known."""
    if field.type != Text.spelling or field.encoding is None:
        return None
    return Text(character_set(field.encoding, lsb=lsb))
