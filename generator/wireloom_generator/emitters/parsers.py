"""parsers.py: the protocol's construct parsers and builders, declared field by field."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from wireloom_generator import blocks, model
from wireloom_generator.blocks import class_name, message_name
from wireloom_generator.emitters import ModuleEmitter, module
from wireloom_generator.output import Bracketed, Code, Keyed, OutputFile
from wireloom_generator.python_code import constructs, pretty
from wireloom_generator.python_code.pretty import (
    call,
    docstring,
    entry,
    group,
    imported,
    literal,
    mapping,
    names,
    render,
    string,
)


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module with the protocol's parsers."""
    declarations = _declarations(protocol)
    used = names("\n".join(chain.from_iterable(declarations.values())))
    found = sorted(filter(blocks.NUMBER.fullmatch, used), key=_natural)
    numbers = [*(enum.name for enum in protocol.enums), *(flags.name for flags in protocol.flags)]
    declared = used & set(map(class_name, numbers))
    yield module(
        protocol,
        "parsers.py",
        f"Parsers and builders of {protocol.doc.title}. {protocol.doc.comment}",
        numbers=imported("construct", found) if found else "",
        codec=imported("wireloom.codec", sorted(blocks.BLOCKS & used)),
        enums=imported(".enums", sorted(declared)) if declared else "",
        **declarations,
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts Int8ub before Int16ub."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _declarations(protocol: model.Protocol) -> dict[str, list[str]]:
    """The declarations of the module, by their places in the template."""
    variants, slots = _shared_variants(protocol), protocol.record.slots
    end = protocol.record.end
    until = literal(end.value) if isinstance(end, model.Terminator) and end.raw is None else None
    numbers, fields = constructs.used_numbers(protocol), tuple(constructs.row(protocol.record.nodes))
    return {
        "in_either_order": [_assign(wire.type.word, _either(wire)) for wire in numbers],
        "tables": [_assign(class_name(table.name), _table(table), table.doc) for table in protocol.tables],
        "types": list(_types(protocol.structs)),
        "record": [_assign("RECORD", call("Record", *fields, until=until, envelope=_envelope(end)))],
        "variants": [_assign(_constant(name), _variant(variant), variant.shared) for name, variant in variants.items()],
        "messages": [
            _assign(message_name(each.name), _message(each, variants, slots), each.doc) for each in protocol.messages
        ],
        "protocol": [_assign("PROTOCOL", _protocol(protocol))],
    }


def _assign(name: str, tree: Code, doc: model.Doc | None = None) -> str:
    code = render(tree, before=f"{name} = ")
    if doc is None:
        return code
    text = " ".join(part for part in (f"{doc.title}." if doc.title else "", doc.comment) if part)
    return f"{code}\n{docstring(text)}" if text else code


def _types(structs: Sequence[model.Struct]) -> Iterator[str]:
    """The layouts of the types; the levels of a recursive one are made by one function if they are alike."""
    levels: dict[str, list[model.Struct]] = {}
    for each in structs:
        levels.setdefault(each.level_of or each.name, []).append(each)
    made: dict[str, Code | None] = {}
    for name, alike in levels.items():
        made |= zip((each.name for each in alike), _levels(name, alike), strict=True)
    for each in structs:
        if (found := made[each.name]) is not None:
            yield _assign(class_name(each.name), found, each.doc)


def _levels(name: str, structs: Sequence[model.Struct]) -> list[Code | None]:
    """The layouts of the levels of a type from the deepest on, None for those that the first one's function makes."""
    found = [constructs.layout(each.nodes, each.late) for each in structs]
    if structs[-1].name != name or len(structs) == 1:
        return [*found]
    own, inner = class_name(name), [class_name(each.name) for each in structs]
    upper = [_renamed(tree, inner[number], own) for number, tree in enumerate(found[1:])]
    deeper = next(_deeper(found[0], f"lambda: {inner[0]}"), None)
    if upper[0] == found[1] or any(each != upper[0] for each in upper):
        return [*found]
    function = Keyed(f"lambda {own}: ", upper[0])
    if deeper is not None and _renamed(found[0], deeper, own) == upper[0]:
        depth, limit = deeper.items[1:]
        return [*[None] * len(upper), Bracketed("recursive", (function, depth, limit))]
    if len(upper) == 1:
        return [*found]
    made = call("recursive", function, inner[0], depth=str(len(structs)))
    return [found[0], *[None] * (len(upper) - 1), made]


def _deeper(tree: Code, layout: str) -> Iterator[Bracketed]:
    """The values of that layout which are too deep for columns, and are given nothing."""
    match tree:
        case Bracketed(head="Deeper", items=(first, Keyed(), Keyed())) if first == layout:
            yield tree
        case Bracketed(items=items):
            for item in items:
                yield from _deeper(item, layout)
        case Keyed(tree=inner):
            yield from _deeper(inner, layout)


def _renamed(tree: Code, old: Code, new: str) -> Code:
    """The tree with another name in some places."""
    if tree == old:
        return new
    match tree:
        case Bracketed(items=items):
            return replace(tree, items=tuple(_renamed(item, old, new) for item in items))
        case Keyed(tree=inner):
            return replace(tree, tree=_renamed(inner, old, new))
    return tree


def _either(wire: model.Wire) -> Code:
    return call("EitherOrder", constructs.fixed_order(wire, little=False), constructs.fixed_order(wire, little=True))


def _table(table: model.Table) -> Code:
    return call("Table", string(table.name), *map(_table_field, table.fields))


def _table_field(field: model.TableField) -> Code:
    shown = None if field.default is None else literal(field.default)
    return call("TableField", string(field.name), string(field.type), id=literal(field.id), default=shown)


def _shared_variants(protocol: model.Protocol) -> dict[str, model.Variant]:
    """The shared variants whose code is the same in several messages. It can differ if names mean different things
    there.
    """
    found: dict[str, list[model.Variant]] = {}
    for variant in (variant for message in protocol.messages for variant in message.variants if variant.shared):
        found.setdefault(variant.name, []).append(variant)
    return {
        name: first
        for name, (first, *others) in found.items()
        if others and all(_variant(other) == _variant(first) for other in others)
    }


def _constant(name: str) -> str:
    """The name of a shared variant, which no message or type can have."""
    return f"{name.upper()}_VARIANT"


def _message(message: model.Message, shared: Mapping[str, model.Variant], slots: Sequence[model.Slot]) -> Code:
    whole = [slot.name for slot in slots if slot.trailing and slot.name not in message.trailing]
    variants = [
        _constant(variant.name) if variant.shared and variant.name in shared else _variant(variant)
        for variant in message.variants
    ]
    return call(
        "Message",
        string(message.name),
        "RECORD",
        match=pretty.match(message.match),
        sections=_sections(message.sections) if message.sections else None,
        variants=group(*variants) if variants else None,
        decisive=string(message.decisive) if variants else None,
        whole=group(*map(string, whole)) if whole else None,
        derive=_derive(message.derive) if message.derive else None,
        valid=constructs.record_check(message.valid),
        otherwise=constructs.record_check(message.otherwise),
        answers=_answers(message.answers) if message.answers else None,
    )


def _answers(answers: model.Answers) -> Code:
    to, by, more = (group(*map(string, names)) for names in (answers.to, answers.by, answers.more))
    quiet = pretty.match(answers.quiet) if answers.quiet else None
    return call("Answers", to, by, quiet=quiet, more=more if answers.more else None)


def _derive(derived: Mapping[str, model.Condition]) -> Code:
    return mapping(*(entry(name, constructs.expression_of(value)) for name, value in derived.items()))


def _sections(sections: Mapping[str, tuple[model.Node, ...]]) -> Code:
    return mapping(*(entry(slot, constructs.layout(nodes)) for slot, nodes in sections.items()))


def _variant(variant: model.Variant) -> Code:
    name, when = string(variant.name), constructs.optional_expression(variant.when) or "None"
    return call("Variant", name, when, _sections(variant.sections), valid=constructs.record_check(variant.valid))


def _protocol(protocol: model.Protocol) -> Code:
    forms = [_form(message, form) for message in protocol.messages for form in message.forms]
    found = [_found(each, each.found) for each in protocol.parameters if each.found is not None]
    return call(
        "Protocol",
        string(protocol.name),
        "__package__",
        record="RECORD",
        messages=group(*(message_name(message.name) for message in protocol.messages)),
        framing=_framing(protocol),
        capture=None if protocol.capture is None else constructs.layout(protocol.capture.nodes),
        parameters=group(*map(_parameter, protocol.parameters)) if protocol.parameters else None,
        forms=group(*forms) if forms else None,
        found=group(*found) if found else None,
        ports=group(*map(literal, protocol.ports)) if protocol.ports else None,
    )


def _parameter(parameter: model.Parameter) -> Code:
    choices = group(*map(string, parameter.choices)) if parameter.choices else None
    name, default = string(parameter.name), None if parameter.default is None else literal(parameter.default)
    bounds = group(*map(literal, parameter.bounds)) if parameter.bounds is not None else None
    is_text = parameter.type == "text" and not parameter.choices
    return call(
        "Parameter",
        name,
        default=default,
        choices=choices,
        bounds=bounds,
        text=is_text,
        column=parameter.column,
        found=parameter.found is not None,
    )


def _found(parameter: model.Parameter, found: model.FoundInCapture) -> Code:
    has, asked = pretty.match({found.field: found.values}), group(*map(string, found.asked))
    return call("FoundParameter", string(parameter.name), string(found.message), has=has, asked=asked)


def _framing(protocol: model.Protocol) -> Code:
    match = group(*map(constructs.probe, protocol.match)) if protocol.match else None
    order = constructs.optional_string(protocol.byte_order)
    lengths = group(*(_lengths(protocol, each) for each in protocol.lengths))
    little, resync = constructs.optional_expression(protocol.little), protocol.record.resync
    return call("Framing", lengths, match=match, byte_order=order, little=little, resync=resync)


def _envelope(end: model.End | None) -> Code | None:
    """What is around the contents of each record, if it may be written in several ways."""
    match end:
        case model.BetweenFlags():
            return _flagged(end)
        case model.Terminator(raw=str() as raw):
            return call("EndedByAny", *map(literal, end.ends), raw=string(raw), unterminated=end.unterminated)
        case _:
            return None


def _flagged(between: model.BetweenFlags) -> Code:
    escaping, unescape = between.escaping, None
    if escaping is not None:
        named = string(repr(escaping)) if isinstance(escaping, str) else constructs.escape_pairs(escaping)
        unescape = call("Unescape", named)
    return call("Flagged", literal(between.flag), string(between.raw), shared=between.shared, unescape=unescape)


def _selected(message: model.Message, lengths: model.Lengths) -> bool:
    """Whether such lengths are those of the message."""
    return not lengths.match or message.match == lengths.match


def _lengths(protocol: model.Protocol, lengths: model.Lengths) -> Code:
    checksum, stored, rest = None, None, None
    if lengths.checksum is not None:
        checksum = group(string(lengths.checksum[0]), constructs.checksum(lengths.checksum[1]))
    if lengths.rest is not None:
        rest = group(constructs.probe(lengths.rest[0]), constructs.checksum(lengths.rest[1]))
    if lengths.stored is not None:
        stored = group(constructs.number(lengths.stored[0]), constructs.expression_of(lengths.stored[1]))
    probes = map(constructs.probe, lengths.probes)
    match = pretty.match(lengths.match) if lengths.match else None
    valid = constructs.optional_expression(lengths.valid)
    doubts = group(*map(constructs.expression_of, lengths.doubts)) if lengths.doubts else None
    length = constructs.expression_of(lengths.end.condition) if isinstance(lengths.end, model.Size) else None
    if lengths.beginning is not None:
        most = None if lengths.beginning.most is None else literal(lengths.beginning.most)
        message = [lengths.beginning.message] if lengths.beginning.message else []
        return call("Headed", "RECORD", *message, length=length, match=match, valid=valid, most=most)
    if isinstance(lengths.end, model.Terminator):
        return call("Terminated", *map(literal, lengths.end.ends), unterminated=lengths.end.unterminated)
    if isinstance(lengths.end, model.BetweenFlags):
        return call("BetweenFlags", literal(lengths.end.flag))
    if isinstance(lengths.end, model.Fields):
        messages = group(*(each.name for each in protocol.messages if _selected(each, lengths)))
        return call("Fields", *probes, record="RECORD", messages=messages, match=match, valid=valid)
    block = "Lengths" if length else "Everything"
    return call(
        block,
        *probes,
        length=length,
        match=match,
        valid=valid,
        doubts=doubts,
        checksum=checksum,
        stored=stored,
        rest=rest,
    )


def _form(message: model.Message, form: model.Form) -> Code:
    nodes = [node for nodes in message.sections.values() for node in nodes]
    computed = {node.name for node in nodes if isinstance(node, model.Computed)}
    entries = (
        call(
            "FormEntry",
            string(item.key),
            *([string(item.field)] if item.field else []),
            notation=string(item.notation) if item.notation != "value" else None,
            const=constructs.optional_string(item.const),
            omit=string(item.omit) if item.omit != "never" else None,
            computed=item.omit == "never" and item.field in computed,
        )
        for item in form.entries
    )
    return call("Form", string(form.name), string(message.name), *entries, write_only=not form.reads)


EMITTER = ModuleEmitter(emit)
