"""Fields, sections and other nodes as Lua tables that describe how their bytes are read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from wireloom_generator import expressions, model, types
from wireloom_generator.emitters.wireshark.lua import call, characters, entries, entry, function, literal, string, table
from wireloom_generator.expressions import Compare, Name, Value, walk
from wireloom_generator.output import Bracketed, Code
from wireloom_generator.reading import catalogue
from wireloom_generator.reading.vocabulary import JUSTIFIED
from wireloom_generator.types import CharacterSet, meanings
from wireloom_generator.types.signs import Sign, SignedBits

_NONE: Mapping[str, model.Condition] = {}


_SHAPES: Mapping[str, str] = {
    "timestamp": "absolute_time",
    "duration": "relative_time",
    "decimal": "string",
    "double": "double",
    "uuid": "guid",
    "ipv4": "ipv4",
    "ipv6": "ipv6",
    "mac": "ether",
}
"""The shapes of meanings, by word."""


def listed(nodes: Iterable[model.Node]) -> Bracketed:
    """Nodes in order."""
    return table(tuple(map(_node, model.grouped(nodes))))


def _node(node: model.Node | model.When | model.Tail | model.Elsewhere) -> Code:
    match node:
        case model.Field():
            return _field(node)
        case model.Computed():
            return _computed(node)
        case model.Bits(wire=wire, fields=fields, whole=whole, shifts=shifts, lsb=lsb):
            number, over = _bit(whole, 0, lsb=lsb) if whole else None, None if node.over is None else "true"
            bits = (_bit(field, shift, lsb=lsb) for field, shift in zip(fields, shifts, strict=True))
            return table([reading(wire), *entries(whole=number, over=over), *bits], "bits")
        case model.Padding(size=size, align=align, start=start):
            aligned = entries(align=str(align) if align > 1 else None, origin=string(start) if start else None)
            return table([_extent(model.Size(size)), *aligned], "padding")
        case model.Section(through=model.Through() as through, nodes=nodes):
            wire = model.Wire(types.Bytes(), None, model.Rest())
            packed = _field(model.Field(node.name, wire, (), doc=node.doc, written=node.written))
            shown = [packed] if _always(through) else [_or_plain(through, packed, listed(nodes))]
            return _region(node, nodes=table(shown))
        case model.Section(nodes=nodes):
            return _region(node, nodes=listed(nodes))
        case model.Slot():
            return _region(node)
        case model.Elsewhere(place=place, field=field):
            is_optional = "true" if field.optional else None
            way = "shared" if field.shared else "elsewhere"
            return call(way, function(place.expression), _field(field), *filter(None, [is_optional]))
        case model.When():
            return _option(node)
        case model.Ordered(little=little, nodes=nodes):
            return call("ordered", function(little.expression), listed(nodes))
        case model.Choice(alternatives=alternatives):
            return table(tuple(map(_option, alternatives)), "choice")
        case model.Tail(nodes=nodes):
            return table(listed(nodes).items, "tail")
        case _:
            assert_never(node)


def _region(node: model.Section | model.Slot, **values: Code | None) -> Bracketed:
    trailing = string(node.trailing) if node.trailing else None
    named = entries(doc=_doc(node.doc), trailing=trailing, **values)
    kind = "slot" if isinstance(node, model.Slot) else "section"
    return table([string(node.name), _extent(node.extent), *named], kind)


def _option(option: model.When | model.Otherwise) -> Code:
    nodes = listed(option.nodes)
    if isinstance(option, model.Otherwise):
        return table(nodes.items, "otherwise")
    return call("when", function(option.when.expression), nodes)


def _doc(doc: model.Doc) -> str | None:
    text = f"{doc.comment} ({doc.unit})" if doc.unit else doc.comment
    return words(text) if text else None


def words(text: str) -> str:
    """Text for Wireshark, on one line: tshark prints it unescaped, into tables and on terminals."""
    line = " ".join(text.split())
    return string("".join(char if char.isprintable() else repr(char)[1:-1] for char in line))


def _names(enum: str | None, flags: str | None, labels: bool) -> Mapping[str, Code | None]:
    return {
        "enum": f"enums.{enum}" if enum else None,
        "flags": f"flags.{flags}" if flags else None,
        "labels": "true" if labels and enum else None,
    }


def rule(condition: model.Condition | None) -> Bracketed | None:
    """A condition, in words and as a function."""
    return None if condition is None else table([words(condition.text), function(condition.expression)])


def asked(condition: model.Condition | None) -> Code | None:
    """An expression as a function."""
    return None if condition is None else function(condition.expression)


def _always(through: model.Through) -> bool:
    """Whether transformed bytes are always packed."""
    return through.way not in ("", "unescape") or isinstance(through.asked.expression, Value)


def _or_plain(through: model.Through, packed: Code, plain: Bracketed) -> Code:
    """The node shown for packed bytes, or for bytes that are plain."""
    is_packed = function(Compare("!=", through.asked.expression, Value("none")))
    options: list[Code] = [call("when", is_packed, table([packed])), table(plain.items, "otherwise")]
    return table(options, "choice")


def _field(field: model.Field) -> Code:
    if field.through is not None:
        through, name = field.through, field.name if _always(field.through) else f"{field.name}.packed"
        wire = replace(field.wire, type=types.Bytes())
        packed = _field(replace(field, name=name, wire=wire, through=None, raw=None, inputs={}, valid=None))
        plain = replace(field, through=None, raw=None)
        return packed if _always(through) else _or_plain(through, packed, table([_field(plain)]))
    is_bytes, is_table = isinstance(field.const, bytes), isinstance(field.type, types.FlatBuffers)
    value = call("constant", literal(field.const)) if is_bytes else reading(field.wire, field.raw, field.inputs)
    named = entries(
        column=string(field.raw) if field.raw and is_table else None,
        raw=string(field.raw) if field.raw and not is_table else None,
        **_meant(field.meaning),
        hex="true" if field.hex else None,
        **_names(field.enum, field.flags, field.labels),
        const=None if field.const is None or is_bytes else literal(field.const),
        long="true" if field.long else None,
        valid=rule(field.valid),
        derive=asked(field.derive),
        checksum=_checksum(field.checksum),
        **_repeat(field),
        doc=_doc(field.doc),
    )
    return table([string(field.name), value, *named], "field")


def _computed(field: model.Computed) -> Bracketed:
    kind = field.plain
    assert isinstance(kind, model.Primitive | model.Decimal)
    named = entries(
        **_meant(field.meaning), **_names(field.enum, None, field.labels), valid=rule(field.valid), doc=_doc(field.doc)
    )
    value = function(field.value.expression)
    return table([string(field.name), string(str(kind)), value, *named], "computed")


def _meant(meaning: meanings.Meaning | None) -> Mapping[str, Code | None]:
    """The interpretation of numbers and bytes."""
    shape = None if meaning is None else string(_SHAPES[meaning.word])
    return {"shape": shape, "meaning": _meaning(meaning)}


def _meaning(meaning: meanings.Meaning | None) -> Bracketed | None:
    match meaning:
        case meanings.Counted(step=step):
            least, most = meaning.ends
            first = literal(meaning.first) if isinstance(meaning, meanings.Timestamp) else None
            found = entries(step=literal(step), first=first, least=literal(least), most=literal(most))
        case meanings.Scaled(whole=(times, plus, by)):
            places = literal(meaning.column().scale) if isinstance(meaning, meanings.DecimalNumber) else None
            found = entries(times=literal(times), plus=literal(plus), by=literal(by), places=places)
        case meanings.Identifier() | None:
            return None
        case _:
            assert_never(meaning)
    return table(found)


def _shifts(field: model.BitField, shift: int, *, lsb: bool) -> Bracketed | None:
    """The number of the lowest bit of each item or character; None if it is neither a list nor a text."""
    width = field.width
    if field.text is not None and isinstance(field.text.encoding, CharacterSet):
        width = field.text.encoding.width
    elif field.count is None:
        return None
    shifts = range(shift, shift + field.taken, width)
    return table(tuple(map(str, shifts if lsb else shifts[::-1])))


def _sign(sign: Sign | None) -> Mapping[str, Code | None]:
    """How a bit field represents its sign."""
    details = {} if sign is None else {key: literal(value) for key, value in sign.details.items()}
    return {"sign": None if sign is None else string(sign.word), **details}


def _bit(field: model.BitField, shift: int, *, lsb: bool) -> Bracketed:
    meant = {"shape": string("bool")} if field.boolean else _meant(field.meaning)
    if field.meaning is None and isinstance(field.type, SignedBits):
        meant = {"shape": string(f"int{bits if (bits := field.type.extended.bits) <= 32 else 64}")}
    width, text = field.width, dict[str, Code | None]()
    if field.text is not None and isinstance(known := field.text.encoding, CharacterSet):
        named, padding = _characters(known, field.pad)
        width, meant = known.width, {"shape": string("string")}
        text = {"characters": named, "padding": padding}
    keys = entries(
        **meant,
        **_sign(field.sign),
        **text,
        shifts=_shifts(field, shift, lsb=lsb),
        hex="true" if field.hex else None,
        **_names(field.enum, None, field.labels),
        const=None if field.const is None else literal(field.const),
        valid=rule(field.valid),
        derive=asked(field.derive),
        doc=_doc(field.doc),
    )
    return table([string(field.name), str(width), str(shift), *keys], "bit")


def _characters(known: CharacterSet, pad: bytes | None) -> tuple[Code, Code]:
    """The characters of a set, and the code of its padding."""
    named = [None if each == known.NONE else each for each in known.characters]
    return call("characters", characters(named)), "nil" if pad is None else literal(pad[0])


def _repeat(field: model.Field) -> Mapping[str, Code | None]:
    about = model.derived_from(field)
    repeat, is_placed = field.repeat, model.numbered(field, "at")
    if repeat is None:
        return {}
    ends = None if repeat.until is None else expressions.before_items(repeat.until.expression)
    return {
        "list": "true" if repeat.count is None and repeat.until is None else None,
        "count": asked(repeat.count),
        "until": asked(repeat.until),
        "ended": None if ends is None else function(ends),
        "numbered": "true" if model.numbered(field) else None,
        "hollow": "true" if model.may_have_empty_items(field) else None,
        "place": asked(field.place) if is_placed else None,
        "shared": "true" if is_placed and field.shared else None,
        "watched": "true" if field.watched else None,
        "about": None if about is None else function(about),
    }


def _checksum(checksum: model.Checksum | None) -> Bracketed | None:
    if checksum is None:
        return None
    assert checksum.kind is not None
    pieces = (literal(piece) if isinstance(piece, bytes) else table(bounds(piece)) for piece in checksum.over)
    return table(entries(algorithm=algorithm(checksum.kind), over=table(tuple(pieces))))


def bounds(covered: model.ByteRange) -> list[Code]:
    """Where a range begins and ends."""
    return entries(from_=function(covered.start.expression), to=function(covered.end.expression))


def algorithm(kind: catalogue.Computation) -> Code:
    """How a checksum is computed."""
    match kind:
        case catalogue.Other(name=name):
            return f"checksums.{name}"
        case catalogue.CrcParameters():
            flags = ["true" if flag else "false" for flag in (kind.reflect_in, kind.reflect_out)]
            halves = [
                f"0x{half:x}" for number in (kind.poly, kind.init, kind.xor_out) for half in divmod(number, 1 << 32)
            ]
            return call("crc", str(kind.width), *flags, *halves, *(["true"] if kind.unaugmented else []))


def reading(wire: model.Wire, raw: str | None = None, inputs: Mapping[str, model.Condition] = _NONE) -> Code:
    """The reader of a value; with ``raw``, for all its encodings. ``inputs`` are those of a type."""
    stated = [string(wire.order)] if wire.order else []
    extent = [] if wire.extent is None else [_extent(wire.extent, lenient=raw is not None)]
    match wire.type:
        case types.Integer() | types.Float() if wire.order is not None and wire.order.swapped:
            order = model.Order.LITTLE if wire.order.is_little else model.Order.BIG
            return call("word_swapped", reading(replace(wire, order=order)))
        case types.Integer(bits=bits, signed=signed):
            return call("sint" if signed else "uint", str(bits // 8), *stated)
        case types.SizedInteger(signed=signed, shortest=shortest):
            flags = map(literal, (signed, shortest, raw is not None))
            return call("sized", *flags, *stated, *extent)
        case types.Float(bits=bits):
            return call("float", str(bits // 8), *stated)
        case types.Boolean():
            return "bool"
        case types.Varint(form=form, bits=bits):
            return call("varint", string(form.block), str(bits), *(["true"] if raw else []))
        case types.Bytes() | types.FlatBuffers():
            return call("bytes", *extent)
        case types.Bcd(digits=digits, scale=scale, nibbles=nibbles, little=little, low=low):
            orders = (little, low) if little or low else ()
            lenient = (raw is not None,) if raw or orders else ()
            return call("bcd", str(digits), str(scale), string(nibbles), *map(literal, (*lenient, *orders)))
        case types.IbmFloat(bits=bits):
            return call("ibm", str(bits // 8), literal(raw is not None), *stated)
        case types.Zoned(digits=digits, scale=scale, sign=sign, encoding=encoding):
            words = string(encoding), string(sign or "")
            return call("zoned", str(digits), str(scale), *words, *(["true"] if raw else []))
        case types.Ascii() as found:
            front = [str(found.base), str(found.bits), str(found.digits), string(found.fill), str(found.width)]
            return call("ascii", *front, *map(literal, (found.signed, found.upper, raw is not None)), *extent)
        case types.Text(encoding=CharacterSet() as known):
            pad, bare = None, wire.extent
            if isinstance(bare, model.Size):
                pad, bare = bare.pad, replace(bare, pad=None)
            ends: list[Code] = [] if bare is None else [_extent(bare)]
            if isinstance(bare, model.Prefix) and bare.in_characters:
                ends.append(string(JUSTIFIED[known.right]))
            return call("packed_text", str(known.width), literal(known.lsb), *_characters(known, pad), *ends)
        case types.Text(encoding=encoding):
            return call("text", string(str(encoding)), literal(raw is not None), *extent)
        case types.Struct(name=name):
            return call("struct", string(name), *([*(extent or ["nil"]), *_given(inputs)] if inputs else extent))
        case types.Deeper(depth=depth, deepest=deepest, like=like):
            return call("deeper", string(like), str(depth), str(deepest), *_given(inputs))
        case _:
            assert_never(wire.type)


def _given(inputs: Mapping[str, model.Condition]) -> Iterator[Bracketed]:
    """What a struct is given, and which of it must be there."""
    if inputs:
        yield table([entry(key, function(value.expression)) for key, value in inputs.items()])
    if items := [entry(key, "true") for key, value in inputs.items() if _asks_item(value)]:
        yield table(items)


def _asks_item(asked: model.Condition) -> bool:
    return any(isinstance(part, Name) and part.item is not None for part in walk(asked.expression))


def _extent(extent: model.Extent, *, lenient: bool = False) -> Code:
    match extent:
        case model.Rest():
            return "rest"
        case model.Size(condition=model.Condition(expression=bytes, asks_left=is_open), fixed=fixed):
            size = call("size", function(bytes) if fixed is None else literal(fixed))
            if extent.pad is None:
                return size
            until = () if extent.until is None else (_extent(extent.until),)
            return call("padded", literal(lenient), literal(is_open), string(extent.pad), size, *until)
        case model.Prefix(length=length):
            return call("prefix", reading(length))
        case model.Terminator(ends=ends, terminator=kept, unterminated=missing, unit=unit):
            return call(
                "up_to", table(list(map(string, ends))), string(kept), literal(missing), literal(unit), literal(lenient)
            )
