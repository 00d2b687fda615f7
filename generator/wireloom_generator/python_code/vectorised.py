"""Nodes → the parts that the columnar decoder consists of, and what of a protocol it leaves to the codec."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.expressions import RowwiseError, Value, refuse
from wireloom_generator.python_code.constructs import asked, packed, trailing
from wireloom_generator.python_code.pretty import Call, Tree, entry, group, keyword, literal, mapping, string
from wireloom_generator.resolve.columns import weight
from wireloom_generator.types import (
    Bcd,
    Boolean,
    Bytes,
    FlatBuffers,
    Float,
    Integer,
    Leb128,
    Number,
    Struct,
    Text,
    ZigZag,
)


@dataclass(slots=True)
class Parts:
    """Turns nodes into parts; ``rowwise`` collects what cannot be one, as (name of the field or section, why).

    ``strange`` are the names whose values are no whole numbers. ``types`` are those that the nodes refer to.
    ``proof`` is the checksum, with its field's name, that has been right wherever the nodes are read.
    """

    strange: frozenset[str]
    proof: tuple[str, model.Checksum] | None = None
    rowwise: dict[tuple[str, str], None] = field(default_factory=dict)
    types: dict[str, None] = field(default_factory=dict)

    def layout(self, nodes: Iterable[model.Node]) -> Call:
        """A layout of the nodes."""
        return Call("plan.Layout", self.nodes(nodes))

    def nodes(self, nodes: Iterable[model.Node]) -> tuple[Tree, ...]:
        """The items of a layout."""
        return tuple(map(self.node, nodes))

    def node(self, node: model.Node) -> Tree:
        """The item of a layout that a node becomes."""
        try:
            return self._node(node)
        except RowwiseError as reason:
            self.rowwise[_name(node), str(reason)] = None
            return Call("plan.Fallback", ())

    def variants(self, message: model.Message) -> tuple[Tree, ...]:
        """A message's variants; where many records cannot be told apart at once, one that is left to the codec."""
        try:
            return tuple(map(self._variant, message.variants))
        except RowwiseError as reason:
            self.rowwise["variant", str(reason)] = None
            slots = dict.fromkeys(slot for variant in message.variants for slot in variant.sections)
            left = Call("plan.Layout", (Call("plan.Fallback", ()),))
            return (Call("plan.Variant", ('""', "None", mapping(*(entry(slot, left) for slot in slots)))),)

    def _variant(self, variant: model.Variant) -> Tree:
        when = "None" if variant.when is None else self.function(variant.when)
        sections = (entry(slot, self.layout(nodes)) for slot, nodes in variant.sections.items())
        return Call("plan.Variant", (string(variant.name), when, mapping(*sections), *self.judged(valid=variant.valid)))

    def judged(self, **conditions: model.Condition | None) -> Iterator[Tree]:
        """What must hold of a whole message, as keywords; what holds always is left out."""
        for name, condition in conditions.items():
            if condition is not None and condition.expression != Value(True):
                try:
                    yield keyword(name, self.function(condition))
                except RowwiseError as reason:
                    self.rowwise[name, str(reason)] = None
                    yield keyword(name, string("false"))  # what does not hold is left to the codec

    def _node(self, node: model.Node) -> Tree:
        match node:
            case model.Field():
                return self._field(node)
            case model.Computed():
                return self._computed(node)
            case model.Bits(wire=wire, fields=fields):
                return Call("plan.Bits", (string(code(wire)), *map(self._bit, fields)))
            case model.Padding(size=size, align=align):
                options = [literal(size)] if size else []
                return Call("plan.Pad", (*options, *([keyword("align", literal(align))] if align > 1 else [])))
            case model.Section(name=name, nodes=nodes):
                extent, items = self._extent(node.extent), self.nodes(nodes)
                return Call("plan.Section", (string(name), extent, *items, *trailing(node.trailing)))
            case model.Slot(name=name):
                return Call("plan.Slot", (string(name), self._extent(node.extent), *trailing(node.trailing)))
            case model.When(condition=condition, nodes=nodes):
                return Call("plan.When", (self.function(condition), *self.nodes(nodes)))
            case model.Tail(nodes=nodes):
                return Call("plan.Optional", self.nodes(nodes))
            case model.Choice(alternatives=alternatives):
                return Call("plan.Choice", tuple(self._alternative(option) for option in alternatives))

    def _alternative(self, option: model.When | model.Otherwise) -> Tree:
        return self._node(option) if isinstance(option, model.When) else self.layout(option.nodes)

    def function(self, condition: model.Condition) -> str:
        """An expression as the runtime is given it. Raises ``RowwiseError``."""
        refuse(condition.expression, self.strange)
        return asked(condition)

    def _field(self, field: model.Field) -> Tree:
        valid: list[Tree] = [keyword("valid", self.function(field.valid))] if field.valid is not None else []
        located: list[Tree] = [keyword("located", "True")] if field.located else []
        located += _hexadecimal(field)
        if isinstance(field.const, bytes):
            return Call(
                "plan.Named", (string(field.name), Call("plan.Constant", (literal(field.const),)), *valid, *located)
            )
        if field.repeat is not None:
            weighs = keyword("weight", str(weight(field)))
            value = Call("plan.Repeat", (self._value(field.wire), *self._repeat(field.repeat), weighs))
            return Call("plan.Named", (string(field.name), value, *valid, *located))
        found, extent = field.wire.type, field.wire.extent
        if isinstance(found, FlatBuffers):
            assert extent is not None and field.raw is not None
            raw = keyword("raw", string(field.raw))
            return Call("plan.FlatBuffer", (string(field.name), self._extent(extent), found.table, raw, *located))
        if not isinstance(found, Number):
            return Call("plan.Named", (string(field.name), self._value(field.wire), *valid, *located))
        options: list[Tree] = [*_names(field.enum, field.flags, field.labels)]
        options += [keyword("const", literal(field.const))] if field.const is not None else []
        options += valid
        options += [keyword("derive", self.function(field.derive))] if field.derive is not None else []
        if field.checksum is not None and not self._proven(field.name, field.checksum):
            options.append(keyword("checksum", self.checksum(field.checksum)))
        options += [keyword("long", "True")] if field.long else []
        options += located
        return Call("plan.Field", (string(field.name), string(code(field.wire)), *options))

    def _proven(self, name: str, checksum: model.Checksum) -> bool:
        """Whether the framing has summed up the very same bytes."""
        if self.proof is None or self.proof[0] != name:
            return False
        proof = self.proof[1]
        return (proof.algorithm, proof.start.text, proof.end.text) == (
            checksum.algorithm,
            checksum.start.text,
            checksum.end.text,
        )

    def checksum(self, written: model.Checksum) -> Call:
        """A checksum and its range. Raises ``RowwiseError``."""
        return Call(
            "plan.Checksum", (string(written.algorithm), self.function(written.start), self.function(written.end))
        )

    def _repeat(self, repeat: model.Repeat) -> Iterator[Tree]:
        if repeat.count is not None:
            yield keyword("count", self.function(repeat.count))
        if repeat.until is not None:
            yield keyword("until", self.function(repeat.until))

    def _value(self, wire: model.Wire) -> Tree:
        found, extent = wire.type, wire.extent
        match found:
            case Integer() | Float() | Boolean():
                return Call("plan.Number", (string(code(wire)),))
            case Leb128(bits=bits):
                return Call("plan.Leb128", (str(bits),))
            case ZigZag(bits=bits):
                return Call("plan.ZigZag", (str(bits),))
            case Bcd():
                return Call("plan.Bcd", tuple(packed(found)))
            case Struct(name=name):
                self.types[name] = None
                return name if extent is None else Call("plan.Nested", (self._extent(extent), name))
            case FlatBuffers():
                raise RowwiseError("its items are FlatBuffers tables")
        assert extent is not None
        match found:
            case Bytes():
                return Call("plan.Blob", (self._extent(extent),))
            case Text(encoding="utf-8"):
                return Call("plan.Text", (self._extent(extent),))
            case Text(encoding=encoding):
                raise RowwiseError(f"it is text in {encoding}, not in UTF-8")
            case _:
                assert_never(found)

    def _extent(self, extent: model.Extent) -> Tree:
        match extent:
            case model.Rest():
                return Call("plan.Rest", ())
            case model.Size(bytes=size, text=text):
                return Call("plan.Size", (self.function(model.Condition(size, text)),))
            case model.Prefix(length=length):
                return Call("plan.Prefixed", (self._value(length),))
            case model.Terminator(value=value):
                return Call("plan.Until", (literal(value),))

    def _computed(self, computed: model.Computed) -> Tree:
        kind = computed.columns[0].type
        if kind in _STRANGE:
            raise RowwiseError("it is computed and no whole number")
        options = _names(computed.enum, None, computed.labels)
        value, column = self.function(computed.value), string(str(kind))
        return Call("plan.Compute", (string(computed.name), value, column, *options, *_hexadecimal(computed)))

    def _bit(self, field: model.BitField) -> Tree:
        options: list[Tree] = [keyword("boolean", "True")] if field.boolean else []
        options += _names(field.enum, None, field.labels)
        options += [keyword("const", literal(field.const))] if field.const is not None else []
        options += [keyword("valid", self.function(field.valid))] if field.valid is not None else []
        options += [keyword("derive", self.function(field.derive))] if field.derive is not None else []
        options += _hexadecimal(field)
        return Call("plan.Bit", (string(field.name), literal(field.width), *options))


def proof(protocol: model.Protocol, match: Mapping[str, tuple[int, ...]]) -> tuple[str, model.Checksum] | None:
    """The checksum that has proven every record with these header values, if one does."""
    for lengths in protocol.lengths:
        if all(set(values) & set(match.get(name, values)) for name, values in lengths.match.items()):
            sure = all(set(match.get(name, (None,))) <= set(values) for name, values in lengths.match.items())
            return lengths.checksum if sure else None
    return None


def strange(columns: Iterable[model.Column]) -> frozenset[str]:
    """The names of columns, and of columns in them, whose values are no whole numbers; what is strange anywhere is so
    everywhere."""
    return frozenset(_strange(columns))


def _strange(columns: Iterable[model.Column]) -> Iterable[str]:
    for column in columns:
        match column.type:
            case model.Primitive():
                if column.type not in _WHOLE and column.type is not model.Primitive.BOOLEAN:
                    yield column.name
            case model.Decimal(scale=scale):
                if scale:
                    yield column.name
            case model.ListType(element=element):
                yield column.name
                if isinstance(element, model.StructType):
                    yield from _strange(element.columns)
            case model.StructType(columns=inner):
                yield column.name
                yield from _strange(inner)


_WHOLE = {model.Primitive.BYTE, model.Primitive.SHORT, model.Primitive.INT, model.Primitive.LONG}
_STRANGE = (model.Primitive.STRING, model.Primitive.BINARY, model.Primitive.FLOAT, model.Primitive.DOUBLE)


def code(wire: model.Wire) -> str:
    """A number of a fixed size as numpy calls it; ``@`` stands for the record's byte order."""
    order = {model.Order.BIG: ">", model.Order.LITTLE: "<", model.Order.PARAMETER: "@", None: ""}[wire.order]
    match wire.type:
        case Boolean():
            return "?"
        case Integer(bits=bits, signed=signed):
            return f"{order}{'i' if signed else 'u'}{bits // 8}"
        case Float(bits=bits):
            return f"{order}f{bits // 8}"
        case Leb128() | ZigZag() | Bcd() | Bytes() | Text() | Struct() | FlatBuffers():
            raise AssertionError(f"{wire.type} has no fixed size")
        case _:
            assert_never(wire.type)


def probe(found: model.Probe) -> Tree:
    """A number that is read before its record is."""
    return group(string(found.name), literal(found.offset), string(code(found.wire)))


def _name(node: model.Node) -> str:
    match node:
        case model.Field(name=name) | model.Computed(name=name) | model.Section(name=name) | model.Slot(name=name):
            return name
        case model.Bits(fields=fields):
            return fields[0].name
        case model.When(condition=condition):
            return f"what depends on {condition.text}"
        case model.Choice(alternatives=alternatives):
            first = alternatives[0]
            return f"what depends on {first.condition.text}" if isinstance(first, model.When) else "a choice"
        case model.Tail() | model.Padding():
            return "a part"


def _names(enum: str | None, flags: str | None, labels: bool) -> Iterator[Tree]:
    if labels and enum:
        yield keyword("enum", enum)
    if labels and flags:
        yield keyword("flags", flags)


def _hexadecimal(field: model.Field | model.BitField | model.Computed) -> Iterator[Tree]:
    if field.hex:
        yield keyword("hex", "True")
