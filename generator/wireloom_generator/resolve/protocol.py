"""A valid spec → the protocol for emitters."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wireloom_generator import expressions, model
from wireloom_generator.analysis import captured_parameters, heads, offsets
from wireloom_generator.analysis.scopes import Input
from wireloom_generator.analysis.sites import late_inputs, sites
from wireloom_generator.expressions import Expr, Logical, Unary, Value, printed
from wireloom_generator.expressions.comparisons import conjuncts
from wireloom_generator.model import matching
from wireloom_generator.resolve.columns import record_columns
from wireloom_generator.resolve.spec import message_columns
from wireloom_generator.types import Bytes

UNKNOWN = "unknown"
"""The message of records that no message of the spec matches."""


def protocol_of(spec: model.Resolved) -> model.Protocol:
    """The protocol of a valid spec."""
    record, messages, parameters = spec.record, spec.messages, spec.protocol.parameters
    if _keeps_unknown(record) and all(message.match for message in messages):
        messages = (*messages, _unknown(record))
    sources = tuple(sorted({part.at.path for part in (*spec.shared, *spec.messages)}))
    return model.Protocol(
        name=spec.protocol.name,
        doc=spec.protocol.doc,
        included={each.name: spec.structs[each.name].doc for each in spec.included},
        libraries=tuple(library.doc for library in spec.libraries),
        path=spec.protocol.at.path,
        ports=spec.ports,
        parameters=(*_from_capture(spec), *(_discovered(spec, parameter) for parameter in parameters)),
        little=spec.little,
        capture=spec.capture,
        byte_order=spec.byte_order if spec.byte_order in spec.parameters else None,
        enums=tuple(spec.enums.values()),
        flags=tuple(spec.flags.values()),
        structs=tuple(_with_late_inputs(spec, struct) for struct in spec.used),
        tables=tuple(spec.tables.values()),
        record=record,
        header=(*_recorded(parameters), *record_columns(record)),
        messages=messages,
        lengths=tuple(_lengths(spec)),
        match=_match_probes(spec),
        sources=sources,
        folders=tuple(sorted({part.at.path.parent for part in spec.shared})),
    )


def _with_late_inputs(spec: model.Resolved, struct: model.Struct) -> model.Struct:
    late = tuple(name for name in struct.given if Input(struct.name, name) in late_inputs(spec))
    return replace(struct, late=late) if late else struct


def _from_capture(spec: model.Resolved) -> Iterator[model.Parameter]:
    """The parameters that the header of a capture has, if records use them."""
    records = (site for site in sites(spec) if not site.scope.is_preamble)
    asked = {seen for site in records for seen in site.used}
    matched = {name for message in spec.messages for name in message.match}
    from_capture = (parameter for parameter in spec.parameters.values() if parameter.default is None)
    yield from (parameter for parameter in from_capture if parameter in asked or parameter.name in matched)


def _discovered(spec: model.Resolved, parameter: model.Parameter) -> model.Parameter:
    """The parameter; if captures have it, with the messages that need it."""
    if parameter.found is None:
        return parameter
    return replace(parameter, found=replace(parameter.found, asked=captured_parameters.asking(spec, parameter)))


def _keeps_unknown(record: model.Record) -> bool:
    """Whether the end of a record is known even if no message matches it."""
    sized = all(isinstance(slot.extent, model.Size) for slot in record.slots)
    return record.end is not None and (sized or not isinstance(record.end, model.Fields))


def _recorded(parameters: Iterable[model.Parameter]) -> Iterator[model.Column]:
    """The columns of the parameters that each row has."""
    for parameter in parameters:
        if parameter.column:
            kind: model.ColumnType = model.Primitive.STRING if parameter.choices else model.Primitive.BOOLEAN
            if parameter.bounds is not None:
                kind = model.Primitive.LONG if parameter.bounds[1] < 1 << 63 else model.U64
            yield model.Column(parameter.name, kind, parameter.doc.comment)


def _lengths(spec: model.Resolved) -> Iterator[model.Lengths]:
    """How to find the length of records: by the record's rule, or by each message's."""
    record = spec.record
    owners: tuple[model.Record | model.Message, ...] = (record,) if record.end is not None else spec.messages
    for owner in owners:
        match = owner.match if isinstance(owner, model.Message) else {}
        proof, layout = owner.proof or record.proof, offsets.of(spec, owner)
        asked = [*filter(None, (owner.length, proof.valid if proof else None))]
        trees = [condition.tree for condition in asked if condition.tree is not None]
        if all(layout.determines(tree) for tree in trees):
            yield _found(owner, proof, layout, match, _doubts(spec, owner, layout))
            continue
        assert owner.end is not None
        most = heads.of(spec, owner).most(trees, spec.parameters)
        message = owner.name if isinstance(owner, model.Message) else None
        beginning = model.Beginning(message, most, *heads.needed(spec, owner, trees))
        yield model.Lengths(match, (), owner.end, proof.valid if proof else None, (), None, None, beginning)


def _found(
    owner: model.Record | model.Message,
    proof: model.Proof | None,
    layout: offsets.Offsets,
    match: model.Match,
    doubted: Iterable[model.Condition],
) -> model.Lengths:
    """How to find and check the length of the matching records before they are read."""

    length = owner.length.tree if owner.length else None

    def early(condition: model.Condition) -> model.Condition:
        """The condition as it is known then: only of numbers at fixed offsets, with the names of the owner."""
        assert condition.tree is not None
        return model.Condition(owner.names.resolved(layout.settled(condition.tree, length)), condition.text)

    def is_early(condition: model.Condition) -> bool:
        return condition.tree is not None and layout.determines(layout.settled(condition.tree, length))

    def summed(field: model.Field) -> tuple[str, model.Checksum] | None:
        """The field, and its checksum as it is known then; None if it is not over one range that is."""
        covered = field.checksum.alone if field.checksum is not None else None
        if field.checksum is None or covered is None or not (is_early(covered.start) and is_early(covered.end)):
            return None
        return field.name, replace(field.checksum, over=(model.ByteRange(early(covered.start), early(covered.end)),))

    assert owner.end is not None
    checksum, stored = None, None
    valid = early(proof.valid) if proof and proof.valid else None
    doubts = tuple(map(early, doubted))
    end = model.Size(early(owner.length)) if owner.length else owner.end
    early_length = end.condition if isinstance(end, model.Size) else None
    asked = [condition for condition in (early_length, valid, *doubts) if condition]
    if proof and proof.checksum:
        field = layout.fields[proof.checksum]
        assert isinstance(field, model.Field)
        checksum = summed(field)
        assert checksum is not None
        asked += [end for piece in checksum[1].ranges for end in (piece.start, piece.end)]
        at = layout.places[field.name]
        if at.sizes:
            stored = field.wire, model.Condition(owner.names.resolved(at.expression), f"offset({field.name})")
            asked.append(stored[1])
    needed = {name.name for condition in asked for name in expressions.names(condition.expression)}
    needed |= {checksum[0]} if checksum else set()
    probes = _probes(layout, needed)
    fields = (each.node for each in layout.numbers.values() if isinstance(each.node, model.Field))
    others = (summed(each) for each in fields if checksum and each.name != checksum[0])
    rest = next((each for each in others if each and early_length and _ends_with(each[1], early_length, needed)), None)
    seal = None
    if rest is not None:
        (probe,) = _probes(layout, {rest[0]})
        seal = probe, rest[1]
    return model.Lengths(match, probes, end, valid, doubts, checksum, stored, rest=seal)


def _ends_with(checksum: model.Checksum, length: model.Condition, known: set[str]) -> bool:
    """Whether it covers the last bytes of a record of that length, and depends only on known values."""
    conditions = [end for piece in checksum.ranges for end in (piece.start, piece.end)]
    asked = {name.name for condition in conditions for name in expressions.names(condition.expression)}
    return asked <= known and conditions[-1].expression == length.expression


def _match_probes(spec: model.Resolved) -> tuple[model.Probe, ...]:
    """The header fields that select a message's length rule; none if there is one for all."""
    if spec.record.end is not None:
        return ()
    needed = {name for message in spec.messages for name in message.match}
    return _probes(offsets.of(spec, spec.record), needed)


def _probes(layout: offsets.Offsets, needed: set[str]) -> tuple[model.Probe, ...]:
    """The needed numbers at offsets that are the same in every record."""
    return tuple(
        model.Probe(name, number.offset, number.wire, number.node.hex, number.bits)
        for name, number in layout.numbers.items()
        if name in needed
    )


def _unknown(record: model.Record) -> model.Message:
    def field(slot: model.Slot) -> model.Field:
        doc = model.Doc(at=slot.at, places={}, text=model.Prose(f"Bytes of the {slot.name}"))
        column = model.Column(slot.name, model.Primitive.BINARY, doc.text)
        wire = model.Wire(Bytes(), extent=model.Rest())
        default = model.Condition(Value(b""), "none")
        return model.Field(slot.name, wire, (column,), default=default, doc=doc, written=slot.written)

    sections: dict[str, tuple[model.Node, ...]] = {slot.name: (field(slot),) for slot in record.slots}
    text = model.Prose("A well-formed record that the spec has no message for; every byte is kept.")
    doc = model.Doc(at=record.at, places={}, title="Unknown message", text=text)
    return model.Message(
        name=UNKNOWN,
        match={},
        sections=sections,
        variants=(),
        trailing=(),
        columns=message_columns(record.slots, sections),
        examples=(),
        forms=(),
        path=None,
        names=record.names,
        doc=doc,
        written=record.written,
    )


def _doubts(
    spec: model.Resolved, owner: model.Record | model.Message, layout: offsets.Offsets
) -> Iterator[model.Condition]:
    """The conditions under which a record of the owner is unusual, over numbers at fixed offsets; none without a
    ``doubt``.

    The ``doubt`` is followed by violations of the ``valid`` of messages, piece by piece. Such a record is malformed
    anyway, so no well-formed one is doubted. Messages with the same conditions share one.
    """
    proof = owner.proof or spec.record.proof
    if proof is None or proof.doubt is None:
        return
    yield proof.doubt
    pieces: dict[str, tuple[Expr, list[model.Match]]] = {}
    for message in spec.messages if isinstance(owner, model.Record) else (owner,):
        if message.match.keys() <= layout.numbers.keys() | layout.parameters:
            for piece in filter(layout.determines, _pieces(message)):
                _, matches = pieces.setdefault(printed(piece), (piece, []))
                matches.append(message.match)
    for piece, matches in pieces.values():
        broken = Unary("not", piece)
        for match in _together(matches):
            tree = Logical("and", (*conjuncts(matching.condition(match)), broken)) if match else broken
            yield model.Condition(tree, printed(tree), raw=printed(tree))


def _pieces(message: model.Message) -> Iterator[Expr]:
    """The conditions on all records of a message, separately."""
    tree = message.valid.tree if message.valid is not None else None
    return iter(()) if tree is None else conjuncts(tree)


def _together(matches: list[model.Match]) -> Iterator[model.Match]:
    """The same selection with fewer matches: those that differ only in the last field are merged."""
    joined: dict[tuple[tuple[str, tuple[model.Selector, ...]], ...], model.Match] = {}
    for match in matches:
        *others, (last, selectors) = match.items() if match else [("", ())]
        before = joined.get(key := (*others, (last, ())), {})
        joined[key] = {**match, last: (*before.get(last, ()), *selectors)} if match else {}
    yield from joined.values()
