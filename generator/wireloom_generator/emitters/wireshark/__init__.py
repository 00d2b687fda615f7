"""wireshark/<protocol>.lua: a dissector for Wireshark and tshark, and wireloom.lua, which all dissectors load.

``wireshark_bundle/<protocol>.lua`` is the same dissector with wireloom.lua included, a single file. It is only made if
the output ``wireshark_bundle`` is named.

It splits TCP streams into records like the codec, and shows the same fields under their columns' names, with labels and
bits, and errors as expert information with code and reason.

Differences from the codec: FlatBuffers tables and packed data stay bytes, so errors inside them are not found. Text in
multibyte encodings other than UTF is shown up to its first character that is not ASCII. The memory of lists in a table
is not limited. Bytes left over in several places are several items. At the end of a TCP stream a record is not shown if
it is cut off, or if it has no checksum and only later bytes would decide its byte order, because more bytes may come. A
malformed range ends with its segment; in the codec it would continue.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePosixPath

from wireloom_generator import expressions, model
from wireloom_generator.emitters import Emitter
from wireloom_generator.emitters.wireshark.lua import (
    LuaFunction,
    call,
    characters,
    entries,
    entry,
    function,
    is_exact,
    literal,
    render,
    string,
    table,
)
from wireloom_generator.emitters.wireshark.nodes import algorithm, asked, bounds, listed, reading, rule, words
from wireloom_generator.model import matching
from wireloom_generator.output import MARK, Bracketed, Code, OutputFile, head
from wireloom_generator.templates import filled
from wireloom_generator.types import Bytes, Text


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The dissector, and the library that it loads from its folder."""
    name = f"{protocol.name}.lua"
    yield OutputFile(PurePosixPath("wireshark", name), _dissector(protocol))
    marked = f"-- {MARK}its own library for dissectors.\n-- Do not edit; run `wireloom generate`.\n"
    yield OutputFile(PurePosixPath("wireshark", "wireloom.lua"), f"{marked}\n{_library()}")


def bundle(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The dissector with the library in it."""
    text = _dissector(protocol, library=_library())
    yield OutputFile(PurePosixPath("wireshark_bundle", f"{protocol.name}.lua"), text)


@cache
def _source() -> str:
    return files(__package__).joinpath("wireloom.lua").read_text(encoding="utf-8")


def _version() -> str:
    """A hash of the library: it changes with every version."""
    return sha256(_source().encode()).hexdigest()[:8]


def _library() -> str:
    return f'local VERSION = "{_version()}"\n\n{_source()}'


def _dissector(protocol: model.Protocol, library: str = "") -> str:
    """The text of the dissector, which loads the library unless it is given."""
    return filled(
        __package__,
        "wireshark.lua",
        library=library,
        version=_version(),
        file=f"{protocol.name}.lua",
        head=head(protocol.folders, open="-- "),
        enums=[
            {"name": enum.name, "table": render(_enum(enum), used=len(f"enums.{enum.name} = "))}
            for enum in protocol.enums
        ],
        flags=[
            {"name": flags.name, "table": render(_flags(flags), used=len(f"flags.{flags.name} = "))}
            for flags in protocol.flags
        ],
        encodings=list(_encodings(protocol)),
        types=[
            {"name": shared.name, "table": render(listed(shared.nodes)), "late": shared.late and render(_late(shared))}
            for shared in protocol.structs
        ],
        record=render(listed(protocol.record.nodes)),
        messages=[render(_message(protocol, message)) for message in protocol.messages],
        framing=render(_framing(protocol)),
        ports=render(table(tuple(map(literal, protocol.ports))), 2),
        transport=string("udp" if protocol.has_datagrams else "tcp"),
        parameters=render(table(tuple(map(_parameter, protocol.parameters))), 2),
        name=string(protocol.name),
        title=words(protocol.doc.title),
    )


def _late(shared: model.Struct) -> Bracketed:
    """The late inputs of a type, and the fields whose check needs them."""
    asking = (node.name for node in model.walk(shared.nodes) if model.asks_input(node, shared.late))
    named = {"inputs": shared.late, "fields": asking}
    return table([entry(key, table([entry(name, "true") for name in names])) for key, names in named.items()])


def _enum(enum: model.Enum) -> Bracketed:
    """The enum's names by number, then its ranges, narrow ones first.

    Numbers that a double cannot hold are listed as ranges, because they cannot be keys in Lua.
    """
    numbers: dict[int, model.EnumValue] = {}
    ranges = []
    for value in sorted(enum.values, key=lambda value: value.range):
        if value.first == value.last and is_exact(value.first):
            numbers.setdefault(value.first, value)
        else:
            ranges.append(value)
    ranges.sort(key=lambda value: value.last - value.first)
    names = table([entry(value.first, string(value.label)) for value in numbers.values()])
    wide = [table([literal(value.first), literal(value.last), string(value.label)]) for value in ranges]
    return call("enum", names, table(wide)) if wide else call("enum", names)


def _flags(flags: model.Flags) -> Bracketed:
    return table(list(map(_flag, flags.values)))


def _flag(flag: model.Flag) -> Bracketed:
    """A flag's bit, its name in filters, its doc, and its label if that is another."""
    doc = [words(flag.doc.comment)] if flag.doc.comment else []
    label = entries(label=string(flag.label) if flag.label != flag.name else None)
    return table([literal(flag.value), string(flag.name), *doc, *label])


def _encodings(protocol: model.Protocol) -> Iterator[Mapping[str, str]]:
    """The single-byte encodings of texts, except those that all dissectors have."""
    lists = (
        protocol.record.nodes,
        *(shared.nodes for shared in protocol.structs),
        *(nodes for message in protocol.messages for nodes in message.layouts),
    )
    fields = (node for nodes in lists for node in model.walk(nodes) if isinstance(node, model.Field))
    texts = {field.wire.type for field in fields if isinstance(field.wire.type, Text)}
    for text in sorted(texts, key=lambda text: str(text.encoding)):
        if text.characters is not None and text.encoding not in ("ascii", "latin-1"):
            name = string(str(text.encoding))
            yield {
                "name": name,
                "table": render(characters(text.characters), used=len(f"decoders[{name}] = bytewise()")),
            }


def _parameter(parameter: model.Parameter) -> Bracketed:
    choices = table(tuple(map(string, parameter.choices))) if parameter.choices else None
    doc, bounds = words(parameter.doc.comment), parameter.bounds
    nothing: expressions.Literal = "" if parameter.type == "text" else False if bounds is None else 0
    default = literal(nothing if parameter.default is None else parameter.default)
    least, most = (None, None) if bounds is None else map(literal, bounds)
    return table(
        entries(name=string(parameter.name), default=default, choices=choices, least=least, most=most, doc=doc)
    )


def _match(protocol: model.Protocol, match: model.Match) -> LuaFunction | None:
    """The condition that a header matches; None if every one does."""
    return function(protocol.record.names.resolved(matching.condition(match))) if match else None


def _sections(sections: Mapping[str, tuple[model.Node, ...]]) -> Bracketed | None:
    return table([entry(name, listed(nodes)) for name, nodes in sections.items()]) if sections else None


def _message(protocol: model.Protocol, message: model.Message) -> Bracketed:
    variants = table(tuple(map(_variant, message.variants))) if message.variants else None
    named = entries(
        match=_match(protocol, message.match),
        derive=_derive(message.derive),
        valid=rule(message.valid),
        otherwise=rule(message.otherwise),
        sections=_sections(message.sections),
        variants=variants,
    )
    return table([string(message.name), *named], "message")


def _derive(derived: Mapping[str, model.Condition]) -> Bracketed | None:
    found = [table(entries(name=string(name), derive=asked(value))) for name, value in derived.items()]
    return table(found) if found else None


def _variant(variant: model.Variant) -> Bracketed:
    named = entries(when=asked(variant.when), valid=rule(variant.valid), sections=_sections(variant.sections))
    return table([string(variant.name), *named], "variant")


def _framing(protocol: model.Protocol) -> Bracketed:
    proven = all(lengths.valid or lengths.checksum for lengths in protocol.lengths)
    end = protocol.record.end
    return table(
        entries(
            byte_order=string(protocol.byte_order) if protocol.byte_order else None,
            little=asked(protocol.little),
            resync="true" if protocol.record.resync else None,
            proven="true" if proven else None,
            ends=table(list(map(string, end.ends))) if isinstance(end, model.Terminator) else None,
            flag=string(end.flag) if isinstance(end, model.BetweenFlags) else None,
            shared="true" if isinstance(end, model.BetweenFlags) and end.shared else None,
            escapes=_escapes(end.escaping) if isinstance(end, model.BetweenFlags) else None,
            unterminated="true" if isinstance(end, model.Terminator) and end.unterminated else None,
            raw=string(end.raw) if isinstance(end, model.BetweenFlags | model.Terminator) and end.raw else None,
            match=table(tuple(map(_probe, protocol.match))),
            lengths=table([_lengths(protocol, each) for each in protocol.lengths]),
        )
    )


def _escapes(escaping: str | model.Escapes | None) -> Code | None:
    """How records are escaped."""
    if isinstance(escaping, model.Escapes):
        codes = table([table([str(code), str(byte)]) for code, byte in escaping.pairs.items()])
        return call("escape_pairs", str(escaping.escape[0]), codes)
    return None if escaping is None else f"escapes.{escaping}"


def _probe(probe: model.Probe) -> Bracketed:
    value, bits = reading(probe.wire), probe.bits
    if bits is not None:
        value = call("bit_slice", value, str(bits.shift), str(bits.width), literal(bits.boolean))
    return table([string(probe.name), str(probe.offset), value])


def _lengths(protocol: model.Protocol, lengths: model.Lengths) -> Bracketed:
    ends = (probe.offset + (probe.wire.fixed or 0) for probe in lengths.probes)
    return table(
        entries(
            match=_match(protocol, lengths.match),
            probes=table(tuple(map(_probe, lengths.probes))),
            size=str(max(ends, default=0)),
            length=function(lengths.end.condition.expression) if isinstance(lengths.end, model.Size) else None,
            valid=rule(lengths.valid),
            doubts=table([each for each in map(rule, lengths.doubts) if each]) if lengths.doubts else None,
            checksum=_proof(lengths),
            head=listed(map(_bare, lengths.beginning.nodes)) if lengths.beginning else None,
            fields="true" if isinstance(lengths.end, model.Fields) else None,
            reached=string(lengths.beginning.reached) if lengths.beginning and lengths.beginning.reached else None,
        )
    )


def _bare(node: model.Node) -> model.Node:
    """A node without its conditions, of which only the bytes matter."""
    if not isinstance(node, model.Field):
        return node
    wire = replace(node.wire, type=Bytes()) if isinstance(node.type, Text) else node.wire
    return replace(node, wire=wire, const=None, valid=None, derive=None, checksum=None, enum=None, flags=None)


def _proof(lengths: model.Lengths) -> Bracketed | None:
    """The checksum that proves a length, and its position."""
    if lengths.checksum is None:
        return None
    name, checksum = lengths.checksum
    assert checksum.alone is not None and checksum.kind is not None
    if lengths.stored is None:
        probe = next(probe for probe in lengths.probes if probe.name == name)
        wire, place = probe.wire, LuaFunction(str(probe.offset))
    else:
        wire, place = lengths.stored[0], function(lengths.stored[1].expression)
    known = entries(name=string(name), value=reading(wire), place=place, algorithm=algorithm(checksum.kind))
    return table([*known, *bounds(checksum.alone)])


EMITTER = Emitter(lambda subject: emit(subject.protocol))
BUNDLE = Emitter(lambda subject: bundle(subject.protocol))
