"""Rules about the end of records and the headers of captures."""

from collections.abc import Iterable, Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis import heads, obstacles, offsets
from wireloom_generator.analysis.scopes import Seen, Visit
from wireloom_generator.analysis.sites import Moment, Site, sites
from wireloom_generator.expressions import Expr, Function
from wireloom_generator.model import Order, Resolved
from wireloom_generator.problems import Location, Violation, closest
from wireloom_generator.reading.vocabulary import UNTERMINATED


def record_length(spec: Resolved) -> Iterator[Violation]:
    """Reports lengths that are missing, given twice, or not known in time."""
    record = spec.record
    for message in spec.messages:
        if record.end is None and message.end is None:
            hint = "give length to the record, or to each of its messages"
            yield Violation(message.where("message"), "records of this message have no length", hint)
        elif record.end is not None and message.end is not None:
            has = "a length, so its messages cannot have one"
            for key in ("until", "between"):
                has = f"{key}, so its messages cannot have a length" if record.gives(key) else has
            yield Violation(message.where("length"), f"the record has {has}")
    if isinstance(record.end, model.Terminator):
        yield from _terminators(record, record.end)
    else:
        for key in filter(record.gives, ("raw", "unterminated")):
            what = f"{key} needs a terminator, which the record does not have"
            yield Violation(record.where(key), what, "delete it")
    if record.gives("until") and record.gives("length"):
        what = "the record has both until and length"
        yield Violation(record.where("length"), what, "keep until if each record ends with a terminator, else length")
    for key in ("until", "length"):
        if record.gives("between") and record.gives(key):
            what = f"the record has both between and {key}"
            yield Violation(record.where(key), what, f"keep between if flags are around each record, else {key}")
    for owner in spec.framed:
        if owner.length is not None and owner.length.constant == 0:
            yield Violation(owner.where("length"), "a record has at least one byte")
    if record.end is None and not spec.messages and spec.is_whole:
        yield Violation(record.at, "the record has no length", "add length, an expression over header fields")
    for site in sites(spec):
        if site.moment is Moment.FRAMING:
            yield from _not_known_yet(spec, site)
    yield from _proven_ranges(spec)
    yield from _to_the_last_field(spec)


def _terminators(record: model.Record, end: model.Terminator) -> Iterator[Violation]:
    """Reports terminators that are empty or ambiguous, or get lost."""
    if (word := record.stray.get("unterminated")) is not None:
        yield Violation(record.where("unterminated"), f"unknown word {word!r}", closest(word, UNTERMINATED))
    elif b"" in end.ends:
        yield Violation(record.where("until"), "a terminator has at least one byte", 'as in until: "0a"')
    elif end.unterminated and end.raw is None:
        what = "the last record may lack its terminator, and would be written with it"
        yield Violation(record.where("unterminated"), what, "write raw: for a column that says so")
    elif end.others and end.raw is None:
        what = "records end with one of several terminators, and would be written with the first"
        yield Violation(record.where("until"), what, "write raw: for a column with the others")
    elif end.others and end.ambiguous:
        yield Violation(record.where("until"), end.ambiguous)
    elif end.raw is not None and not (end.others or end.unterminated):
        what = "raw needs several terminators, or one that may be missing"
        yield Violation(record.where("raw"), what, "delete it, or write unterminated: allowed")


def _to_the_last_field(spec: Resolved) -> Iterator[Violation]:
    """Fields that have no end, in records that end where their fields do."""
    whole = isinstance(spec.record.end, model.Fields)
    hint = "with length: fields, each field needs an end of its own"
    for message in spec.messages or (None,):
        if not whole and not (message is not None and isinstance(message.end, model.Fields)):
            continue

        def content(slot: model.Slot, message: model.Message | None = message) -> Iterator[model.Node]:
            if message is not None:
                yield from message.sections.get(slot.name, ())
                for variant in message.variants:
                    yield from variant.sections.get(slot.name, ())

        for node in heads.endless(spec, spec.record.nodes, content):
            name = node.name if isinstance(node, model.Named | model.Region) else "this"
            yield Violation(node.at, f"{name!r} depends on where the record ends, which is not known", hint)


def _not_known_yet(spec: Resolved, site: Site) -> Iterator[Violation]:
    tree = site.tree
    if tree is None:
        return
    assert not isinstance(site.scope.owner, model.Struct)
    layout, head = offsets.of(spec, site.scope.owner), heads.of(spec, site.scope.owner)
    for name in expressions.names(tree):
        first = name.steps[0]
        if name.name not in spec.parameters and name.name in site.around and first not in head.values:
            yield Violation(site.where(name.column), *_late(name.name, site.around[name.name]))
    for function, name in expressions.measured(tree):
        known = {**layout.sizes, **head.regions} if function is Function.SIZE else {**layout.places, **head.places}
        if function in expressions.OF_PLACES and name.name not in known:
            yield Violation(site.where(name.column), f"{function}({name.name}) is not known before the record is read")


def _late(name: str, around: tuple[Seen, ...]) -> tuple[str, str]:
    in_variant = any(isinstance(seen, Visit) and seen.in_variant for seen in around)
    why = "it depends on where the record ends, or follows a field that does"
    hint = "not every variant has it" if in_variant else why
    return f"{name!r} cannot be read before the record is", hint


def _proven_ranges(spec: Resolved) -> Iterator[Violation]:
    """Checksums in proofs whose ranges depend on values without a fixed offset."""
    for owner in spec.framed:
        if owner.proof is not None and owner.proof.checksum is not None:
            layout = offsets.of(spec, owner)
            field = layout.fields.get(owner.proof.checksum)
            if isinstance(field, model.Field) and field.checksum is not None and field.name in layout.places:
                covered = field.checksum.alone
                for condition in (covered.start, covered.end) if covered is not None else ():
                    if (tree := condition.tree) is not None:
                        yield from _unfixed_range(spec, owner, owner.proof.where("checksum"), tree, layout)


def _unfixed_range(
    spec: Resolved, owner: model.Record | model.Message, at: Location, tree: Expr, layout: offsets.Offsets
) -> Iterator[Violation]:
    for name in expressions.names(tree):
        if name.name not in spec.parameters and name.name not in layout.numbers:
            what = f"its range depends on {name.name!r}, which cannot be read before the record is"
            yield Violation(at, what, f"it {obstacles.of_name(spec, owner, name.name)}")
    for function, name in expressions.measured(tree):
        known = layout.sizes.keys() | {"record"} if function is Function.SIZE else layout.places.keys()
        if function not in expressions.OF_PLACES or name.name not in known:
            what = f"its range depends on {function}({name.name}), which is not known before the record is read"
            yield Violation(at, what)


def capture(spec: Resolved) -> Iterator[Violation]:
    """Reports headers of captures that cannot be read first, and other uses of their name."""
    if spec.capture is None:
        return
    hint = "each field of a capture's header needs an end of its own"
    for node in heads.endless(spec, list(_plain(spec.capture.nodes))):
        name = node.name if isinstance(node, model.Named | model.Region) else "this"
        yield Violation(node.at, f"{name!r} depends on where the capture ends", hint)
    if spec.little is not None or spec.proves_order:
        for node in _turning(spec.capture.nodes):
            what = "the byte order is not known yet when this field is read"
            yield Violation(node.at, what, "give it a byte_order of its own: big or little")
    for owner in spec.framed:
        if isinstance(owner.end, model.Rest):
            what = "a capture with a header cannot be a single record with length: rest"
            yield Violation(owner.where("length"), what, "move the fields of capture into the record")
    for at in _same_name(spec):
        what = f"{spec.capture.name!r} is taken: it is the message of the capture's header"
        yield Violation(at, what, "choose another name")


def _plain(nodes: Iterable[model.Node]) -> Iterator[model.Node]:
    """The nodes, with each ``Ordered`` replaced by its nodes."""
    for node in nodes:
        yield from (node.nodes if isinstance(node, model.Ordered) else (node,))


def _turning(nodes: tuple[model.Node, ...]) -> Iterator[model.Field | model.Bits]:
    """Numbers that have the protocol's byte order before it is known."""
    for node in nodes:
        if isinstance(node, model.Field | model.Bits):
            wires = [node.wire, *([node.wire.extent.length] if isinstance(node.wire.extent, model.Prefix) else [])]
            if any(wire.order is Order.PARAMETER for wire in wires):
                yield node
        elif not isinstance(node, model.Ordered):
            yield from _turning(model.children(node))


def _same_name(spec: Resolved) -> Iterator[Location]:
    assert spec.capture is not None
    name = spec.capture.name
    yield from (each.where("message") for each in spec.messages if each.name == name)
    yield from (each.where("name") for each in spec.protocol.parameters if each.name == name)
    for nodes in (spec.capture.nodes, spec.record.nodes):
        named = (node for node in model.walk(nodes) if isinstance(node, model.Named | model.Region))
        yield from (node.at for node in named if node.name == name)
