"""parsers.py: the protocol's construct parsers and builders, declared field by field."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import PurePosixPath

from wireloom_generator import model, naming
from wireloom_generator.emitters import Destination, Emitter
from wireloom_generator.output import OutputFile, head
from wireloom_generator.python_code import constructs, pretty
from wireloom_generator.python_code.pretty import (
    Bracketed,
    Tree,
    docstring,
    entry,
    group,
    imported,
    keyword,
    literal,
    mapping,
    names,
    render,
    string,
)
from wireloom_generator.templates import filled


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module with the protocol's parsers."""
    declarations = _declarations(protocol)
    used = names("\n".join(chain.from_iterable(declarations.values())))
    found = sorted(filter(naming.NUMBER.fullmatch, used), key=_natural)
    declared = used & {*(enum.name for enum in protocol.enums), *(flags.name for flags in protocol.flags)}
    text = filled(
        __package__,
        "parsers.py",
        head=head(protocol.folders),
        title=docstring(f"Parsers and builders of {protocol.doc.title or protocol.name}. {protocol.doc.text}".strip()),
        numbers=imported("construct", found) if found else "",
        codec=imported("wireloom.codec", sorted(naming.BLOCKS & used)),
        enums=imported(".enums", sorted(declared)) if declared else "",
        **declarations,
    )
    yield OutputFile(PurePosixPath(protocol.name, "parsers.py"), text)


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts Int8ub before Int16ub."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _declarations(protocol: model.Protocol) -> dict[str, list[str]]:
    """The declarations of the module, by their places in the template."""
    variants = _shared_variants(protocol)
    numbers, fields = constructs.used_numbers(protocol), tuple(map(constructs.node, protocol.record))
    return {
        "in_either_order": [_assign(constructs.either_name(wire), _either(wire)) for wire in numbers],
        "tables": [_assign(table.name, _table(table), table.doc) for table in protocol.tables],
        "types": [_assign(shared.name, constructs.layout(shared.nodes), shared.doc) for shared in protocol.types],
        "record": [_assign("RECORD", Bracketed("Record", fields))],
        "variants": [_assign(_constant(name), tree) for name, tree in variants.items()],
        "messages": [_assign(each.name, _message(each, variants), each.doc) for each in protocol.messages],
        "protocol": [_assign("PROTOCOL", _protocol(protocol))],
    }


def _assign(name: str, tree: Tree, doc: model.Doc | None = None) -> str:
    code = render(tree, before=f"{name} = ")
    if doc is None:
        return code
    text = " ".join(part for part in (f"{doc.title}." if doc.title else "", doc.text) if part)
    return f"{code}\n{docstring(text)}" if text else code


def _either(wire: model.Wire) -> Tree:
    return Bracketed(
        "EitherOrder", (constructs.fixed_order(wire, little=False), constructs.fixed_order(wire, little=True))
    )


def _table(table: model.Table) -> Tree:
    fields = []
    for field in table.fields:
        shown = () if field.default is None else (keyword("default", literal(field.default)),)
        name, kind = string(field.name), string(field.type)
        fields.append(Bracketed("TableField", (name, kind, keyword("id", literal(field.id)), *shown)))
    return Bracketed("Table", (string(table.name), *fields))


def _shared_variants(protocol: model.Protocol) -> dict[str, Tree]:
    """The shared variants whose code is the same in several messages. It can differ if names mean different things
    there.
    """
    found: dict[str, list[Tree]] = {}
    for variant in (variant for message in protocol.messages for variant in message.variants if variant.shared):
        found.setdefault(variant.name, []).append(_variant(variant))
    return {name: trees[0] for name, trees in found.items() if len(trees) > 1 and all(t == trees[0] for t in trees)}


def _constant(name: str) -> str:
    """The name of a shared variant; no message and no type can have such a name."""
    return f"{name.upper()}_VARIANT"


def _message(message: model.Message, shared: Mapping[str, Tree]) -> Tree:
    options: list[Tree] = [keyword("match", pretty.match(message.match))]
    if message.sections:
        sections = (entry(slot, constructs.layout(nodes)) for slot, nodes in message.sections.items())
        options.append(keyword("sections", mapping(*sections)))
    if message.variants:
        variants = (
            _constant(variant.name) if variant.shared and variant.name in shared else _variant(variant)
            for variant in message.variants
        )
        options += [keyword("variants", group(*variants)), keyword("decisive", string(message.decisive))]
    if message.trailing:
        options.append(keyword("trailing", group(*map(string, message.trailing))))
    options += constructs.judged(valid=message.valid, otherwise=message.otherwise)
    return Bracketed("Message", (string(message.name), "RECORD", *options))


def _variant(variant: model.Variant) -> Tree:
    when = "None" if variant.when is None else constructs.asked(variant.when)
    sections = (entry(slot, constructs.layout(nodes)) for slot, nodes in variant.sections.items())
    judged = constructs.judged(valid=variant.valid)
    return Bracketed("Variant", (string(variant.name), when, mapping(*sections), *judged))


def _protocol(protocol: model.Protocol) -> Tree:
    options: list[Tree] = [
        keyword("record", "RECORD"),
        keyword("messages", group(*(message.name for message in protocol.messages))),
        keyword("framing", _framing(protocol)),
    ]
    if protocol.parameters:
        options.append(keyword("parameters", group(*map(_parameter, protocol.parameters))))
    forms = [(message, form) for message in protocol.messages for form in message.forms]
    if forms:
        options.append(keyword("forms", group(*(_form(message, form) for message, form in forms))))
    return Bracketed("Protocol", (string(protocol.name), "__package__", *options))


def _parameter(parameter: model.Parameter) -> Tree:
    options: list[Tree] = [string(parameter.name), keyword("default", literal(parameter.default))]
    if parameter.choices:
        options.append(keyword("choices", group(*map(string, parameter.choices))))
    if parameter.column:
        options.append(keyword("column", "True"))
    return Bracketed("Parameter", options)


def _framing(protocol: model.Protocol) -> Tree:
    options: list[Tree] = [group(*map(_lengths, protocol.lengths))]
    if protocol.match:
        options.append(keyword("match", group(*map(constructs.probe, protocol.match))))
    if protocol.byte_order:
        options.append(keyword("byte_order", string(protocol.byte_order)))
    if protocol.resync:
        options.append(keyword("resync", "True"))
    return Bracketed("Framing", options)


def _lengths(lengths: model.Lengths) -> Tree:
    options: list[Tree] = [
        *map(constructs.probe, lengths.probes),
        keyword("length", constructs.asked(lengths.length)),
    ]
    if lengths.match:
        options.append(keyword("match", pretty.match(lengths.match)))
    if lengths.valid is not None:
        options.append(keyword("valid", constructs.asked(lengths.valid)))
    if lengths.checksum is not None:
        name, checksum = lengths.checksum
        options.append(keyword("checksum", group(string(name), constructs.checksum(checksum))))
    if lengths.stored is not None:
        wire, place = lengths.stored
        options.append(keyword("stored", group(constructs.number(wire), constructs.asked(place))))
    return Bracketed("Lengths", options)


def _form(message: model.Message, form: model.Form) -> Tree:
    nodes = [node for nodes in message.sections.values() for node in nodes]
    computed = {node.name for node in nodes if isinstance(node, model.Computed)}
    entries = []
    for item in form.entries:
        options: list[Tree] = [string(item.key)]
        options += [string(item.field)] if item.field else []
        options += [keyword("notation", string(item.notation))] if item.notation != "value" else []
        options += [keyword("const", string(item.const))] if item.const is not None else []
        options += [keyword("omit", string(item.omit))] if item.omit != "never" else []
        options += [keyword("computed", "True")] if item.omit == "never" and item.field in computed else []
        entries.append(Bracketed("Entry", options))
    return Bracketed("Form", (string(form.name), string(message.name), *entries))


EMITTER = Emitter(lambda subject: emit(subject.protocol), Destination.PACKAGE)
