"""The length of a record can be told before the record is read.

Captures are cut into records by ``length``, an expression over numbers at fixed offsets. Either the record has it, or
each message has its own. What stands behind something of varying size, or is there only sometimes, is not known yet.

Bad::

    record:
      length: 4 + body_length
      fields:
        - {name: topic, type: text, prefix: u8}
        - {name: body_length, type: u16}

Good::

    record:
      length: 4 + body_length
      fields:
        - {name: body_length, type: u16}
        - {name: topic, type: text, prefix: u8}
"""

from collections.abc import Iterator

from wireloom_generator import expressions
from wireloom_generator.analysis import offsets
from wireloom_generator.analysis.scopes import Visit, fixed_number
from wireloom_generator.analysis.sites import Moment, Seen, Site, sites
from wireloom_generator.expressions import Expr, parsed
from wireloom_generator.problems import Location, Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import Boolean, Float, Integer, parse


def check(spec: Spec) -> Iterator[Problem]:
    """Lengths that are missing, given twice, or not known in time."""
    record = spec.protocol.record
    for message in spec.messages:
        if record.length is None and message.length is None:
            hint = "give length to the record, or to each of its messages"
            yield Problem(message.where("message"), "record-length", "nothing says how long such a record is", hint)
        elif record.length is not None and message.length is not None:
            yield Problem(
                message.where("length"), "record-length", "the record has a length, and so its messages have none"
            )
    if record.length is None and not spec.messages and spec.is_whole:
        hint = "give length, an expression over header fields"
        yield Problem(record.at, "record-length", "nothing says how long a record is", hint)
    for site in sites(spec):
        if site.moment is Moment.FRAMING:
            yield from _early(spec, site)
    yield from _proofs(spec)


def _early(spec: Spec, site: Site) -> Iterator[Problem]:
    tree = parsed(site.text)
    if tree is None:
        return
    message = site.scope.owner if isinstance(site.scope.owner, syntax.Message) else None
    for name in expressions.names(tree):
        if name.name in spec.parameters or name.name not in site.around:
            continue
        if name.name not in _fixed(spec, message):
            yield Problem(site.where(name.column), "record-length", *_late(spec, name.name, site.around[name.name]))
    for function, name in expressions.measured(tree):
        what = f"{function}({name.name}) is not known before the record is read"
        yield Problem(site.where(name.column), "record-length", what)


def _fixed(spec: Spec, message: syntax.Message | None) -> frozenset[str]:
    layout = offsets.of_message(spec, message) if message else offsets.of_record(spec)
    return frozenset(layout.numbers)


def _late(spec: Spec, name: str, around: tuple[Seen, ...]) -> tuple[str, str]:
    items = [seen.item for seen in around if isinstance(seen, Visit)]
    if any(isinstance(item, syntax.BitField) for item in items):
        hint = f"it is a part of an integer; declare the integer as a field, and take {name!r} from it by & and >>"
    elif any(isinstance(item, syntax.Field) and item.compute is not None for item in items):
        hint = "it is computed; write the expression in its place"
    elif any(isinstance(item, syntax.Field) and not _is_number(item) for item in items):
        hint = "it is no number of a fixed size"
    elif any(isinstance(item, syntax.Field) and fixed_number(item) is None for item in items) or _varies(around):
        hint = "not every record has it"
    else:
        hint = "what stands before it varies in size"
    return f"{name!r} cannot be read before the record is", hint


def _is_number(field: syntax.Field) -> bool:
    return field.repeat is None and isinstance(parse(field.type), Integer | Float | Boolean)


def _varies(around: tuple[Seen, ...]) -> bool:
    return any(isinstance(seen, Visit) and (seen.branch or seen.in_variant) for seen in around)


def _proofs(spec: Spec) -> Iterator[Problem]:
    """The checksums that prove a length: where they and what they ask for stand must be fixed too."""
    record = spec.protocol.record
    if record.proof is not None:
        yield from _checksum(spec, record.proof, None)
    for message in spec.messages:
        if message.proof is not None:
            yield from _checksum(spec, message.proof, message)


def _checksum(spec: Spec, proof: syntax.Proof, message: syntax.Message | None) -> Iterator[Problem]:
    layout = offsets.of_message(spec, message) if message else offsets.of_record(spec)
    if proof.checksum is None or proof.checksum not in layout.places:
        return
    field = layout.fields[proof.checksum]
    for text in (field.checksum.start, field.checksum.end) if field.checksum else ():
        tree = parsed(text)
        if tree is not None:
            yield from _range(spec, proof.where("checksum"), tree, layout)


def _range(spec: Spec, at: Location, tree: Expr, layout: offsets.Layout) -> Iterator[Problem]:
    for name in expressions.names(tree):
        if name.name not in spec.parameters and name.name not in layout.numbers:
            what = f"its range asks for {name.name!r}, which cannot be read before the record is"
            yield Problem(at, "record-length", what)
    for function, name in expressions.measured(tree):
        known = layout.sizes.keys() | {"record"} if function == "size" else layout.places.keys()
        if function not in ("size", "offset") or name.name not in known:
            what = f"its range asks for {function}({name.name}), which is not known before the record is read"
            yield Problem(at, "record-length", what)
