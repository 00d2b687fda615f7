"""columnar.py: the protocol's Arrow schema, and the plan by which many records are decoded into it at once."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from wireloom_generator import model
from wireloom_generator.emitters import Destination, Emitter
from wireloom_generator.expressions import RowwiseError, linear
from wireloom_generator.output import OutputFile, head
from wireloom_generator.python_code import pretty
from wireloom_generator.python_code.pretty import (
    Call,
    Tree,
    docstring,
    entry,
    group,
    keyword,
    literal,
    mapping,
    names,
    render,
    string,
)
from wireloom_generator.python_code.vectorised import Parts, code, probe, proof, strange

CONSTANT = '''
arrow_schema = columnar.arrow_schema(PROTOCOL.columns)


def decode_columnar(
    buffer: bytes, columns: Sequence[str] | None = None, mode: str = "FAILFAST", **options: Any
) -> pa.Table:
    """The records of ``buffer`` as a table; see ``wireloom.columnar.decode_columnar``."""
    return columnar.decode_columnar(PROTOCOL, PLAN, buffer, columns, mode, **options)
'''


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module with the protocol's Arrow schema and plan."""
    blocks = list(_plan(protocol, strange(protocol.columns)))
    code = "\n\n".join(blocks)
    used = names(code)
    declared = used & {*(enum.name for enum in protocol.enums), *(flags.name for flags in protocol.flags)}
    tables = {table.name for table in protocol.tables} & used
    title = docstring(f"Arrow schema of {protocol.doc.title or protocol.name}, and its records as Arrow tables.")
    imports = [
        "from collections.abc import Sequence",
        "from typing import Any",
        "",
        "import pyarrow as pa",
        "",
        "from wireloom import columnar",
        "from wireloom.columnar import plan",
        "",
        *([pretty.imported(".enums", sorted(declared))] if declared else []),
        pretty.imported(".parsers", ["PROTOCOL", *sorted(tables)]),
        "",
    ]
    text = "\n".join([head(protocol.folders), title, "", *imports, code, CONSTANT])
    yield OutputFile(PurePosixPath(protocol.name, "columnar.py"), text)


def _plan(protocol: model.Protocol, odd: frozenset[str]) -> Iterator[str]:
    for shared in protocol.types:
        yield render(Parts(odd).layout(shared.nodes), before=f"{shared.name} = ")
    yield render(Call("plan.Record", Parts(odd, proof(protocol, {})).nodes(protocol.record)), before="RECORD = ")
    messages = group(*(_message(message, Parts(odd, proof(protocol, message.match))) for message in protocol.messages))
    options = (
        keyword("record", "RECORD"),
        keyword("messages", messages),
        keyword("framing", _framing(protocol, odd)),
    )
    yield render(Call("plan.Plan", options), before="PLAN = ")


def _message(message: model.Message, parts: Parts) -> Tree:
    options: list[Tree] = [keyword("match", pretty.match(message.match))]
    sections = [entry(slot, parts.layout(nodes)) for slot, nodes in message.sections.items()]
    if sections:
        options.append(keyword("sections", mapping(*sections)))
    variants = parts.variants(message)
    if variants:
        options.append(keyword("variants", group(*variants)))
    options += parts.judged(valid=message.valid, otherwise=message.otherwise)
    return Call("plan.Message", (string(message.name), "RECORD", *options))


def _framing(protocol: model.Protocol, odd: frozenset[str]) -> Tree:
    """The lengths; none of them if one cannot be found for many records at once."""
    try:
        options: list[Tree] = [_lengths(lengths, Parts(odd)) for lengths in protocol.lengths]
    except RowwiseError:
        return Call("plan.Framing", ())
    if protocol.match:
        options.append(keyword("match", group(*map(probe, protocol.match))))
    return Call("plan.Framing", options)


def _lengths(lengths: model.Lengths, parts: Parts) -> Tree:
    options: list[Tree] = [*map(probe, lengths.probes), keyword("length", parts.function(lengths.length))]
    sum_of = linear(lengths.length.expression)
    if sum_of is not None:
        terms = mapping(*(entry(name, literal(factor)) for name, factor in sum_of[1].items()))
        options.append(keyword("linear", group(literal(sum_of[0]), terms)))
    if lengths.match:
        options.append(keyword("match", pretty.match(lengths.match)))
    if lengths.valid is not None:
        options.append(keyword("valid", parts.function(lengths.valid)))
    if lengths.checksum is not None:
        name, checksum = lengths.checksum
        options.append(keyword("checksum", group(string(name), parts.checksum(checksum))))
    if lengths.stored is not None:
        wire, place = lengths.stored
        options.append(keyword("stored", group(string(code(wire)), parts.function(place))))
    return Call("plan.Lengths", options)


EMITTER = Emitter(lambda subject: emit(subject.protocol), Destination.PACKAGE)
