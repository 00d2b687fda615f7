"""Nodes → the construct expressions of generated parsers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from wireloom_generator import expressions, model
from wireloom_generator.blocks import class_name
from wireloom_generator.expressions import Value
from wireloom_generator.output import Bracketed, Code, Keyed
from wireloom_generator.python_code.pretty import call, entry, group, literal, mapping, named, string
from wireloom_generator.reading import catalogue
from wireloom_generator.reading.vocabulary import TERMINATORS
from wireloom_generator.types import (
    Ascii,
    Bcd,
    Boolean,
    Bytes,
    CharacterSet,
    Deeper,
    FlatBuffers,
    Float,
    IbmFloat,
    Integer,
    NumberType,
    SizedInteger,
    Struct,
    Text,
    Varint,
    Zoned,
)
from wireloom_generator.types.meanings import Meaning

_NONE: Mapping[str, model.Condition] = {}


def expression_of(condition: model.Condition) -> str:
    """An expression in generated code: a number, or text."""
    value = condition.expression
    if isinstance(value, Value) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return literal(value.value)
    return string(expressions.qualified(value, condition.text))


def optional_expression(condition: model.Condition | None) -> str | None:
    return None if condition is None else expression_of(condition)


def record_check(condition: model.Condition | None) -> str | None:
    """A condition on a whole message; one that always holds is left out."""
    return None if condition is None or condition.expression == Value(True) else expression_of(condition)


def optional_string(text: str | None) -> str | None:
    return None if text is None else string(text)


def layout(nodes: Iterable[model.Node], late: Iterable[str] = ()) -> Bracketed:
    """A layout of the nodes, which is given the ``late`` inputs when all around it was read."""
    names = group(*map(string, late)) if late else None
    return call("Layout", *row(nodes), late=names)


def row(nodes: Iterable[model.Node]) -> Iterator[Code]:
    """The items of a layout."""
    return map(_item, model.grouped(nodes))


def _item(part: model.Node | model.Alternative | model.Tail | model.Elsewhere) -> Code:
    match part:
        case model.Field():
            return named(part.name, _field(part))
        case model.Elsewhere(place=place, field=field):
            value = named(field.name, _field(field))
            return call("Elsewhere", expression_of(place), value, shared=field.shared, optional=field.optional)
        case model.Computed():
            return named(part.name, _computed(part))
        case model.Bits(wire=wire, gapless=gapless, whole=whole, lsb=lsb, over=over, bitmap=bitmap):
            found = (call("Bit", literal(it)) if isinstance(it, int) else named(it.name, _bit(it)) for it in gapless)
            number_ = None if whole is None else named(whole.name, _bit(whole))
            first = literal(bitmap) if bitmap else None
            return call("Bits", number(wire), *found, whole=number_, lsb=lsb, over=over is not None, bitmap=first)
        case model.Padding(size=size, align=1):
            return call("Pad", expression_of(size))
        case model.Padding(align=align, start=start):
            return call("Pad", align=literal(align), start=optional_string(start))
        case model.Section(name=name, nodes=nodes, through=model.Through() as through):
            inside = call(
                "Unpack", string(name), _through(through), *row(nodes), trailing=optional_string(part.trailing)
            )
            return call("Section", string(name), _extent(part.extent), inside)
        case model.Section(name=name, nodes=nodes):
            return call(
                "Section", string(name), _extent(part.extent), *row(nodes), trailing=optional_string(part.trailing)
            )
        case model.Slot(name=name):
            return call("Slot", string(name), _extent(part.extent), trailing=optional_string(part.trailing))
        case model.Ordered(little=little, nodes=nodes):
            return call("Ordered", expression_of(little), *row(nodes))
        case model.When(when=condition, nodes=nodes):
            return call("When", expression_of(condition), *row(nodes))
        case model.Tail(nodes=nodes):
            return call("Optional", *row(nodes))
        case model.Choice(alternatives=alternatives):
            return call("Choice", *map(_item, alternatives))
        case model.Otherwise(nodes=nodes):
            return layout(nodes)


def number(wire: model.Wire) -> Code:
    """The construct of a number of a fixed size."""
    if wire.order is model.Order.PARAMETER:
        return wire.type.word  # a module-level number
    found = fixed_order(wire, little=wire.order is not None and wire.order.is_little)
    return call("WordSwapped", found) if wire.order is not None and wire.order.swapped else found


def fixed_order(wire: model.Wire, *, little: bool) -> Code:
    """The construct of a number of a fixed size in one byte order."""
    order = "l" if little else "b"
    match wire.type:
        case Boolean():
            return call("Boolean")
        case Float(bits=bits):
            return f"Float{bits}{order}"
        case Integer(bits=bits, signed=signed):
            sign = "s" if signed else "u"
            if bits == 8:
                return f"Int8{sign}b"
            if bits in (16, 24, 32, 64):
                return f"Int{bits}{sign}{order}"
            return call("BytesInteger", str(bits // 8), signed=signed, swapped=little)
        case (
            SizedInteger()
            | IbmFloat()
            | Varint()
            | Bcd()
            | Zoned()
            | Ascii()
            | Bytes()
            | Text()
            | Struct()
            | FlatBuffers()
            | Deeper()
        ):
            raise AssertionError(f"{wire.type} has no fixed size")
        case _:
            assert_never(wire.type)


def _field(field: model.Field) -> Code:
    if isinstance(field.const, bytes):
        return call("Constant", literal(field.const))
    value = _packed(field, field.through) if field.through else _value(field.wire, field.raw, field.inputs)
    if field.meaning is not None:
        value = call("As", value, _meaning(field.meaning))
    if field.repeat is not None:
        is_placed = model.numbered(field, "at")
        value = call(
            "Repeat",
            value,
            count=optional_expression(field.repeat.count),
            until=optional_expression(field.repeat.until),
            at=optional_expression(field.place) if is_placed else None,
            shared=is_placed and field.shared,
            numbered=model.numbered(field),
            hollow=model.may_have_empty_items(field),
            name=string(field.name) if field.watched or is_placed else None,
        )
    sum_ = None if field.checksum is None else checksum(field.checksum)
    raw = None if isinstance(field.type, FlatBuffers) or field.through else optional_string(field.raw)
    watched = field.watched and field.repeat is None and isinstance(field.type, Struct | Deeper)
    return _described(
        value, field, flags=field.flags, checksum=sum_, long=field.long, decimal=field.decimal, raw=raw, watched=watched
    )


def _packed(field: model.Field, through: model.Through) -> Code:
    """A value that is packed in its extent."""
    assert field.wire.extent is not None
    inside = replace(field.wire, extent=model.Rest())
    return call("Packed", _extent(field.wire.extent), _through(through), _value(inside, None, field.inputs))


def escape_pairs(table: model.Escapes) -> Code:
    """Escapes of two bytes."""
    codes = mapping(*(Keyed(f"0x{code:02X}: ", f"0x{byte:02X}") for code, byte in table.pairs.items()))
    return call("EscapePairs", f"0x{table.escape[0]:02X}", codes)


def _through(through: model.Through) -> Code:
    way = {"": "Compressing", "xor": "Xor", "rol": "Rol", "zeros": "Zeros", "unescape": "Unescape"}[through.way]
    asked = escape_pairs(through.table) if through.table is not None else expression_of(through.asked)
    limit = None if through.limit is None else literal(through.limit)
    return call("Through", call(way, asked), limit=limit, raw=optional_string(through.raw))


def _bit(field: model.BitField) -> Code:
    if field.text is not None and isinstance(known := field.text.encoding, CharacterSet):
        front = literal(known.width), string(known.characters), literal(field.width // known.width)
        return _described(call("BitText", *front, *_pad(known, field.pad)), field)
    sign = None if field.sign is None else call(field.sign.block, *map(literal, field.sign.details.values()))
    value = call("Bit", literal(field.width), boolean=field.boolean, sign=sign)
    if field.meaning is not None:
        value = call("As", value, _meaning(field.meaning))
    if field.count is not None:
        value = call("BitList", value, literal(field.count))
    return _described(value, field)


def _described(
    value: Code,
    field: model.Field | model.BitField,
    *,
    flags: str | None = None,
    checksum: Code | None = None,
    long: bool = False,
    decimal: bool = False,
    raw: str | None = None,
    watched: bool = False,
) -> Code:
    """A value with its description from the spec, if there is one."""
    found = call(
        "Field",
        value,
        enum=_named(field.enum),
        flags=_named(flags),
        labels=_labels(field.labels, field.enum or flags),
        const=None if field.const is None else literal(field.const),
        valid=optional_expression(field.valid),
        derive=_derived(field),
        checksum=checksum,
        default=_default(field.default),
        long=long,
        decimal=decimal,
        hex=field.hex,
        raw=raw,
        watched=watched,
    )
    return found if len(found.items) > 1 else value


def _derived(field: model.Field | model.BitField) -> Code | None:
    """The derivation of a field, or of each item of a list."""
    if field.told:
        return string(expressions.qualified(expressions.Name(field.name, origin=expressions.Origin.INPUT), field.name))
    about = model.derived_from(field) if isinstance(field, model.Field) else None
    if about is None or field.derive is None:
        return optional_expression(field.derive)
    return call("PerItem", expression_of(field.derive), string(expressions.qualified(about, about.name)))


def _named(numbers: str | None) -> str | None:
    """The class of an enum or of flags."""
    return None if numbers is None else class_name(numbers)


def _labels(labels: bool, names: str | None) -> str | None:
    return "False" if names and not labels else None


def _default(default: model.Condition | None) -> Code | None:
    if default is None:
        return None
    value = default.expression
    return literal(value.value) if isinstance(value, Value) else call("Expression", expression_of(default))


def probe(found: model.Probe) -> Code:
    """A number that is read before its record."""
    value, bits = number(found.wire), found.bits
    if bits is not None:
        value = call("BitSlice", value, literal(bits.shift), literal(bits.width), boolean=bits.boolean)
    field = call("Field", value, hex=True) if found.hex else value
    return group(string(found.name), literal(found.offset), field)


def checksum(written: model.Checksum) -> Bracketed:
    """A checksum and its range or pieces."""
    assert written.kind is not None
    algorithm, covered = _algorithm(written.kind), written.alone
    if covered is not None:
        return call("Checksum", algorithm, expression_of(covered.start), expression_of(covered.end))
    pieces = (
        literal(piece) if isinstance(piece, bytes) else group(expression_of(piece.start), expression_of(piece.end))
        for piece in written.over
    )
    return call("Joined", algorithm, *pieces)


def _algorithm(kind: catalogue.Computation) -> Code:
    match kind:
        case catalogue.Other(name=name):
            return string(name)
        case catalogue.CrcParameters():
            digits = -(-kind.width // 4)
            poly, init, last = (f"0x{number:0{digits}X}" for number in (kind.poly, kind.init, kind.xor_out))
            return call(
                "Crc",
                str(kind.width),
                poly,
                init=init if kind.init else None,
                reflect_in=kind.reflect_in,
                reflect_out=kind.reflect_out,
                xor_out=last if kind.xor_out else None,
                unaugmented=kind.unaugmented,
            )


def _value(wire: model.Wire, raw: str | None = None, inputs: Mapping[str, model.Condition] = _NONE) -> Code:
    found, extent = wire.type, wire.extent
    match found:
        case Integer() | Float() | Boolean():
            return number(wire)
        case Varint(form=form, bits=bits):
            return call(form.block, str(bits))
        case Bcd():
            scale = str(found.scale) if found.scale else None
            orders = {"little": found.little, "low": found.low}
            return call("Bcd", str(found.digits), scale=scale, sign=optional_string(found.sign), **orders)
        case IbmFloat(bits=bits):
            return call(found.block, str(bits // 8), little=_is_little(wire.order))
        case Zoned():
            scale = str(found.scale) if found.scale else None
            encoding = None if found.encoding == "ebcdic" else string(found.encoding)
            sign = optional_string(found.sign)
            return call(found.block, str(found.digits), scale=scale, encoding=encoding, sign=sign)
        case Deeper(depth=depth, deepest=deepest, like=like):
            given_values = [_inputs(inputs)] if inputs else []
            return call("Deeper", f"lambda: {class_name(like)}", *given_values, depth=str(depth), limit=str(deepest))
        case Struct(name=written):
            name = class_name(written)
            struct = call("With", name, _inputs(inputs)) if inputs else name
            return struct if extent is None else call("Nested", _extent(extent), struct)
        case SizedInteger(signed=signed, shortest=shortest):
            assert extent is not None
            little = _is_little(wire.order)
            return call(found.block, _extent(extent), signed=signed, little=little, shortest=shortest)
        case Ascii() | Bytes() | Text() | FlatBuffers():
            return _sized(found, extent, raw)
        case _:
            assert_never(found)


def _is_little(order: model.Order | None) -> str | None:
    """Whether a byte order is little, if that is not the default; None in Python for that of the record."""
    return {model.Order.LITTLE: "True", model.Order.PARAMETER: "None"}.get(order or model.Order.BIG)


def _inputs(inputs: Mapping[str, model.Condition]) -> Bracketed:
    """What a struct is given."""
    return mapping(*(entry(key, expression_of(value)) for key, value in inputs.items()))


def _sized(found: Ascii | Bytes | Text | FlatBuffers, extent: model.Extent | None, raw: str | None) -> Code:
    """A value of a type without an end of its own."""
    assert extent is not None
    match found:
        case Ascii(base=base, digits=digits, fill=fill):
            keys = {
                "base": None if base == 10 else str(base),
                "digits": None if digits == 1 else str(digits),
                "fill": literal(fill) if fill else None,
                "width": str(found.width) if fill else None,
            }
            return call("Ascii", _extent(extent), str(found.bits), **keys, signed=found.signed, upper=found.upper)
        case Bytes():
            return call("Blob", _extent(extent))
        case Text(encoding=encoding):
            return _text(encoding, extent)
        case FlatBuffers(table=table):
            assert raw is not None
            return call("FlatBuffer", _extent(extent), class_name(table), raw=string(raw))
        case _:
            assert_never(found)


def _text(encoding: str | CharacterSet, extent: model.Extent) -> Code:
    if isinstance(encoding, str):
        return call("Text", _extent(extent), *([] if encoding == "utf-8" else [string(encoding)]))
    orders = {"lsb": encoding.lsb, "right": encoding.right}
    known = call("CharacterSet", literal(encoding.width), string(encoding.characters), **orders)
    if not isinstance(extent, model.Size):
        counted = isinstance(extent, model.Prefix) and extent.in_characters
        return call("PackedText", _extent(extent), known, counted=counted)
    return call("PackedText", _extent(replace(extent, pad=None)), known, *_pad(encoding, extent.pad))


def _pad(known: CharacterSet, pad: bytes | None) -> Iterator[Code]:
    """The character behind a text, if there is one."""
    if pad is not None:
        yield string(known.text(pad))


def _extent(extent: model.Extent) -> Code:
    match extent:
        case model.Rest():
            return call("Rest")
        case model.Size(condition=size, pad=bytes() as pad, until=until):
            return call("Padded", expression_of(size), literal(pad), *([] if until is None else [_extent(until)]))
        case model.Size(condition=size):
            return call("Size", expression_of(size))
        case model.Prefix(length=length):
            return call("Prefixed", _value(length))
        case model.Terminator(ends=ends, terminator=kept, unterminated=missing, unit=unit):
            told = None if kept == TERMINATORS[0] else string(kept)
            units = None if unit == 1 else str(unit)
            return call("Until", *map(literal, ends), terminator=told, unterminated=missing, unit=units)


def _computed(computed: model.Computed) -> Code:
    kind, labels = string(str(computed.plain)), _labels(computed.labels, computed.enum)
    meaning = None if computed.meaning is None else _meaning(computed.meaning)
    return call(
        "Compute",
        expression_of(computed.value),
        kind,
        enum=_named(computed.enum),
        labels=labels,
        valid=optional_expression(computed.valid),
        hex=computed.hex,
        meaning=meaning,
        default=None if computed.default is None else expression_of(computed.default),
    )


def _meaning(meaning: Meaning) -> Code:
    details = {
        key: string(value) if isinstance(value, str) else literal(value) for key, value in meaning.details.items()
    }
    return call(meaning.block, **details)


def used_numbers(protocol: model.Protocol) -> list[model.Wire]:
    """The numbers whose byte order is a parameter, in order of first use."""
    found: dict[model.Wire, None] = {}
    for node in (node for nodes in protocol.layouts for node in model.walk(nodes)):
        if isinstance(node, model.Field | model.Bits):
            length = (node.wire.extent.length,) if isinstance(node.wire.extent, model.Prefix) else ()
            wires = (wire for wire in (node.wire, *length) if isinstance(wire.type, NumberType))
            found |= dict.fromkeys(wire for wire in wires if wire.order is model.Order.PARAMETER)
    return list(found)
