"""The length of a record is known before the record is read.

Captures are cut into records by ``length``, an expression over numbers at fixed offsets. Either the record has it, or
each message has its own. Numbers after something of varying size, or present only sometimes, are not known yet.

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

from wireloom_generator import expressions, model
from wireloom_generator.analysis import offsets
from wireloom_generator.analysis.scopes import Seen, Visit, fixed_number
from wireloom_generator.analysis.sites import Moment, Site, sites
from wireloom_generator.expressions import Expr, Function
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem
from wireloom_generator.types import NumberType


def check(spec: Resolved) -> Iterator[Problem]:
    """Lengths that are missing, given twice, or not known in time."""
    record = spec.record
    for message in spec.messages:
        if record.end is None and message.end is None:
            hint = "give length to the record, or to each of its messages"
            yield Problem(message.where("message"), "record-length", "nothing says how long such a record is", hint)
        elif record.end is not None and message.end is not None:
            yield Problem(
                message.where("length"), "record-length", "the record has a length, and so its messages have none"
            )
    if record.end is None and not spec.messages and spec.is_whole:
        hint = "give length, an expression over header fields"
        yield Problem(record.at, "record-length", "nothing says how long a record is", hint)
    for site in sites(spec):
        if site.moment is Moment.FRAMING:
            yield from _early(spec, site)
    yield from _proofs(spec)


def _early(spec: Resolved, site: Site) -> Iterator[Problem]:
    tree = site.tree
    if tree is None:
        return
    assert not isinstance(site.scope.owner, model.Struct)
    fixed = offsets.of(spec, site.scope.owner).numbers
    for name in expressions.names(tree):
        if name.name in spec.parameters or name.name not in site.around:
            continue
        if name.name not in fixed:
            yield Problem(site.where(name.column), "record-length", *_late(spec, name.name, site.around[name.name]))
    for function, name in expressions.measured(tree):
        what = f"{function}({name.name}) is not known before the record is read"
        yield Problem(site.where(name.column), "record-length", what)


def _late(spec: Resolved, name: str, around: tuple[Seen, ...]) -> tuple[str, str]:
    items = [seen.item for seen in around if isinstance(seen, Visit)]
    if "." in name:
        hint = "it is inside a struct; include: the type in its place"
    elif any(isinstance(item, model.BitField) for item in items):
        hint = f"it is a part of an integer; declare the integer as a field, and take {name!r} from it by & and >>"
    elif any(isinstance(item, model.Computed) for item in items):
        hint = "it is computed; write the expression in its place"
    elif any(isinstance(item, model.Field) and not _is_number(item) for item in items):
        hint = "it is no number of a fixed size"
    elif any(isinstance(item, model.Field) and fixed_number(item) is None for item in items) or _varies(around):
        hint = "not every record has it"
    else:
        hint = "what stands before it varies in size"
    return f"{name!r} cannot be read before the record is", hint


def _is_number(field: model.Field) -> bool:
    return field.repeat is None and isinstance(field.type, NumberType)


def _varies(around: tuple[Seen, ...]) -> bool:
    return any(isinstance(seen, Visit) and (seen.branch or seen.in_variant) for seen in around)


def _proofs(spec: Resolved) -> Iterator[Problem]:
    """The checksums that prove a length: their positions, and those of what they use, must be fixed, too."""
    owners: tuple[model.Record | model.Message, ...] = (spec.record, *spec.messages)
    for owner in owners:
        if owner.proof is not None and owner.proof.checksum is not None:
            layout = offsets.of(spec, owner)
            field = layout.fields.get(owner.proof.checksum)
            if isinstance(field, model.Field) and field.checksum is not None and field.name in layout.places:
                for condition in (field.checksum.start, field.checksum.end):
                    if (tree := condition.tree) is not None:
                        yield from _range(spec, owner.proof.where("checksum"), tree, layout)


def _range(spec: Resolved, at: Location, tree: Expr, layout: offsets.Offsets) -> Iterator[Problem]:
    for name in expressions.names(tree):
        if name.name not in spec.parameters and name.name not in layout.numbers:
            what = f"its range asks for {name.name!r}, which cannot be read before the record is"
            yield Problem(at, "record-length", what)
    for function, name in expressions.measured(tree):
        known = layout.sizes.keys() | {"record"} if function is Function.SIZE else layout.places.keys()
        if function not in expressions.OF_PLACES or name.name not in known:
            what = f"its range asks for {function}({name.name}), which is not known before the record is read"
            yield Problem(at, "record-length", what)
