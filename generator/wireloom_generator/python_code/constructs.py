"""Nodes → the construct expressions of generated parsers."""

from collections.abc import Iterable, Iterator
from typing import assert_never

from wireloom_generator import expressions, model
from wireloom_generator.expressions import Value
from wireloom_generator.python_code.pretty import Bracketed, Tree, group, keyword, literal, named, string
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


def asked(condition: model.Condition) -> str:
    """An expression as generated code has it: a number, or text."""
    value = condition.expression
    if isinstance(value, Value) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return literal(value.value)
    return string(expressions.qualified(value, condition.text))


def judged(**conditions: model.Condition | None) -> Iterator[Tree]:
    """The conditions on a whole message, as keywords; those that always hold are left out."""
    for name, condition in conditions.items():
        if condition is not None and condition.expression != Value(True):
            yield keyword(name, asked(condition))


def layout(nodes: Iterable[model.Node]) -> Bracketed:
    """A layout of the nodes."""
    return Bracketed("Layout", tuple(map(node, nodes)))


def node(part: model.Node) -> Tree:
    """One item of a layout."""
    match part:
        case model.Field():
            return named(part.name, _field(part))
        case model.Computed():
            return named(part.name, _computed(part))
        case model.Bits(wire=wire, fields=fields):
            return Bracketed("Bits", (number(wire), *(named(field.name, _bit(field)) for field in fields)))
        case model.Padding(size=size, align=align):
            options = [literal(size)] if size else []
            return Bracketed("Pad", (*options, *([keyword("align", literal(align))] if align > 1 else [])))
        case model.Section(name=name, nodes=nodes):
            return Bracketed(
                "Section", (string(name), _extent(part.extent), *map(node, nodes), *trailing(part.trailing))
            )
        case model.Slot(name=name):
            return Bracketed("Slot", (string(name), _extent(part.extent), *trailing(part.trailing)))
        case model.When(condition=condition, nodes=nodes):
            return Bracketed("When", (asked(condition), *map(node, nodes)))
        case model.Tail(nodes=nodes):
            return Bracketed("Optional", tuple(map(node, nodes)))
        case model.Choice(alternatives=alternatives):
            return Bracketed("Choice", tuple(_alternative(option) for option in alternatives))


def _alternative(option: model.When | model.Otherwise) -> Tree:
    return node(option) if isinstance(option, model.When) else layout(option.nodes)


def trailing(name: str | None) -> Iterator[Tree]:
    """Where a section's left-over bytes go, if they may be left over."""
    if name is not None:
        yield keyword("trailing", string(name))


def number(wire: model.Wire) -> Tree:
    """The construct of a number of a fixed size."""
    if wire.order is model.Order.PARAMETER:
        return either_name(wire)
    return fixed_order(wire, little=wire.order is model.Order.LITTLE)


def either_name(wire: model.Wire) -> str:
    """The name of a module-level number whose byte order is a parameter."""
    return wire.type.word


def fixed_order(wire: model.Wire, *, little: bool) -> Tree:
    """The construct of a number of a fixed size in one byte order."""
    order = "l" if little else "b"
    match wire.type:
        case Boolean():
            return Bracketed("Boolean", ())
        case Float(bits=bits):
            return f"Float{bits}{order}"
        case Integer(bits=bits, signed=signed):
            sign = "s" if signed else "u"
            if bits == 8:
                return f"Int8{sign}b"
            if bits in (16, 24, 32, 64):
                return f"Int{bits}{sign}{order}"
            options = [keyword("signed", "True")] if signed else []
            options += [keyword("swapped", "True")] if little else []
            return Bracketed("BytesInteger", (str(bits // 8), *options))
        case Leb128() | ZigZag() | Bcd() | Bytes() | Text() | Struct() | FlatBuffers():
            raise AssertionError(f"{wire.type} has no fixed size")
        case _:
            assert_never(wire.type)


def _field(field: model.Field) -> Tree:
    if isinstance(field.const, bytes):
        return Bracketed("Constant", (literal(field.const),))
    value = _value(field.wire, field.raw)
    if field.repeat is not None:
        value = Bracketed("Repeat", (value, *_repeat(field.repeat)))
    options = [*_names(field.enum, field.flags, field.labels), *_checks(field.const, field.valid, field.derive)]
    if field.checksum is not None:
        options.append(keyword("checksum", checksum(field.checksum)))
    options += _default(field.default)
    options += [keyword("long", "True")] if field.long else []
    options += [keyword("located", "True")] if field.located and isinstance(field.wire.type, Number) else []
    options += _hexadecimal(field)
    return Bracketed("Field", (value, *options)) if options else value


def _names(enum: str | None, flags: str | None, labels: bool) -> Iterator[Tree]:
    if enum:
        yield keyword("enum", enum)
    if flags:
        yield keyword("flags", flags)
    if (enum or flags) and not labels:
        yield keyword("labels", "False")


def _checks(
    const: int | float | str | bytes | None, valid: model.Condition | None, derive: model.Condition | None
) -> Iterator[Tree]:
    if const is not None:
        yield keyword("const", literal(const))
    if valid is not None:
        yield keyword("valid", asked(valid))
    if derive is not None:
        yield keyword("derive", asked(derive))


def _default(default: model.Condition | None) -> Iterator[Tree]:
    if default is not None:
        value = default.expression
        yield keyword(
            "default", literal(value.value) if isinstance(value, Value) else Bracketed("Expression", (asked(default),))
        )


def _hexadecimal(field: model.Field | model.BitField | model.Computed | model.Probe) -> Iterator[Tree]:
    if field.hex:
        yield keyword("hex", "True")


def probe(found: model.Probe) -> Tree:
    """A number that is read before its record is."""
    value = number(found.wire)
    told = Bracketed("Field", (value, *_hexadecimal(found))) if found.hex else value
    return group(string(found.name), literal(found.offset), told)


def checksum(written: model.Checksum) -> Bracketed:
    """A checksum and its range."""
    return Bracketed("Checksum", (string(written.algorithm), asked(written.start), asked(written.end)))


def _repeat(repeat: model.Repeat) -> Iterator[Tree]:
    if repeat.count is not None:
        yield keyword("count", asked(repeat.count))
    if repeat.until is not None:
        yield keyword("until", asked(repeat.until))


def _value(wire: model.Wire, raw: str | None = None) -> Tree:
    found, extent = wire.type, wire.extent
    match found:
        case Integer() | Float() | Boolean():
            return number(wire)
        case Leb128(bits=bits):
            return Bracketed("Leb128", (str(bits),))
        case ZigZag(bits=bits):
            return Bracketed("ZigZag", (str(bits),))
        case Bcd():
            return Bracketed("Bcd", tuple(packed(found)))
        case Struct(name=name):
            return name if extent is None else Bracketed("Nested", (_extent(extent), name))
    assert extent is not None
    match found:
        case Bytes():
            return Bracketed("Blob", (_extent(extent),))
        case Text(encoding=encoding):
            return Bracketed("Text", (_extent(extent), *([] if encoding == "utf-8" else [string(encoding)])))
        case FlatBuffers(table=table):
            assert raw is not None
            return Bracketed("FlatBuffer", (_extent(extent), table, keyword("raw", string(raw))))
        case _:
            assert_never(found)


def packed(found: Bcd) -> Iterator[Tree]:
    """The arguments of a packed decimal's construct."""
    yield str(found.digits)
    if found.scale:
        yield keyword("scale", str(found.scale))
    if found.sign is not None:
        yield keyword("sign", string(found.sign))


def _extent(extent: model.Extent) -> Tree:
    match extent:
        case model.Rest():
            return Bracketed("Rest", ())
        case model.Size(condition=size):
            return Bracketed("Size", (asked(size),))
        case model.Prefix(length=length):
            return Bracketed("Prefixed", (_value(length),))
        case model.Terminator(value=value):
            return Bracketed("Until", (literal(value),))


def _computed(computed: model.Computed) -> Tree:
    kind = computed.columns[0].type
    options = (*_names(computed.enum, None, computed.labels), *_hexadecimal(computed))
    return Bracketed("Compute", (asked(computed.value), string(str(kind)), *options))


def _bit(field: model.BitField) -> Tree:
    bit = Bracketed("Bit", (literal(field.width), *([keyword("boolean", "True")] if field.boolean else [])))
    options = [*_names(field.enum, None, field.labels), *_checks(field.const, field.valid, field.derive)]
    options += [*_default(field.default), *_hexadecimal(field)]
    return Bracketed("Field", (bit, *options)) if options else bit


def used_numbers(protocol: model.Protocol) -> list[model.Wire]:
    """The numbers whose byte order is a parameter, in order of first use."""
    found: dict[model.Wire, None] = {}
    for node in (node for nodes in protocol.layouts for node in model.walk(nodes)):
        if isinstance(node, model.Field | model.Bits):
            length = (node.wire.extent.length,) if isinstance(node.wire.extent, model.Prefix) else ()
            found |= dict.fromkeys(wire for wire in (node.wire, *length) if wire.order is model.Order.PARAMETER)
    return list(found)
