"""Syntax → model: a spec that the rules found clean, turned into what it means."""

from collections.abc import Iterable, Iterator, Mapping

from wireloom_generator import expressions, model, types
from wireloom_generator.analysis import offsets
from wireloom_generator.expressions import Value
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.resolve.columns import columns, merge
from wireloom_generator.resolve.lower_fields import Cursor, FieldLowering, compared, documentation
from wireloom_generator.resolve.lower_names import Names, declared, resolved
from wireloom_generator.types import Bytes, Declared

UNKNOWN = "unknown"
"""The message of records that no message of the spec matches."""


def lower(spec: Spec) -> model.Protocol:
    """What the spec means."""
    return _Lowering(spec).protocol()


class _Lowering:
    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.tables = {table.name: _table(table) for shared in spec.shared for table in shared.tables}
        self.fields = FieldLowering(spec, self.tables)

    def protocol(self) -> model.Protocol:
        """The whole protocol."""
        written = self.spec.protocol
        names = self.fields.record_names
        record = self.fields.nodes(written.record.fields, names, Cursor())
        parameters = tuple(_parameter(parameter) for parameter in written.parameters)
        slots = tuple(node for node in record if isinstance(node, model.Slot))
        messages = [self.message(message, slots) for message in self.spec.messages]
        if written.record.length is not None and all(message.match for message in self.spec.messages):
            messages.append(_unknown(slots))
        recorded = (
            model.Column(
                parameter.name,
                model.Primitive.STRING if parameter.choices else model.Primitive.BOOLEAN,
                parameter.doc.text,
            )
            for parameter in parameters
            if parameter.column
        )
        sources = tuple(sorted({part.at.path for part in (*self.spec.shared, *self.spec.messages)}))
        return model.Protocol(
            name=written.protocol,
            doc=documentation(written, title=written.title),
            record_doc=documentation(written.record),
            included={name: documentation(self.spec.types[name]) for name in dict.fromkeys(_included(self.spec))},
            libraries=tuple(
                documentation(shared, title=shared.title or shared.library) for shared in self.spec.libraries
            ),
            path=written.at.path,
            parameters=parameters,
            byte_order=written.byte_order if written.byte_order in self.spec.parameters else None,
            enums=tuple(_enum(enum) for enum in self.spec.enums.values()),
            flags=tuple(_flags(flags) for flags in self.spec.flags.values()),
            types=tuple(self.fields.types.values()),
            tables=tuple(self.tables.values()),
            record=record,
            header=(*recorded, *columns(record)),
            messages=tuple(messages),
            lengths=tuple(self.lengths(record, messages)),
            match=self.match_probes(record, messages),
            resync=written.record.resync,
            sources=sources,
            folders=tuple(dict.fromkeys(path.parent for path in sources)),
        )

    def message(self, written: syntax.Message, slots: tuple[model.Slot, ...]) -> model.Message:
        """One message, its fields laid out slot by slot."""
        names = self.message_names(written)
        common: dict[str, tuple[model.Node, ...]] = {}
        variants: dict[str, dict[str, tuple[model.Node, ...]]] = {variant.name: {} for variant in written.variants}
        for slot in slots:
            cursor = Cursor(slot.name, 0, slot.place.absolute)
            common[slot.name] = self.fields.nodes(written.sections.get(slot.name, ()), names, cursor)
            for variant in written.variants:
                start = Cursor(slot.name, cursor.offset, cursor.absolute)
                variants[variant.name][slot.name] = self.fields.nodes(variant.sections.get(slot.name, ()), names, start)
        lowered = tuple(
            model.Variant(
                variant.name,
                documentation(variant, title=variant.title),
                self.fields.condition(variant.when, names),
                {slot: nodes for slot, nodes in variants[variant.name].items() if nodes},
                self.fields.condition(variant.valid, names),
                variant.shared,
            )
            for variant in written.variants
        )
        sections = {slot: nodes for slot, nodes in common.items() if nodes}
        trailing = tuple(slot.name for slot in slots if slot.trailing and not _exhausts(slot.name, sections, lowered))
        return model.Message(
            name=written.message,
            doc=documentation(written, title=written.title),
            match=written.match,
            sections=sections,
            variants=lowered,
            trailing=trailing,
            columns=_message_columns(slots, sections, lowered, trailing),
            examples=tuple(_example(example) for example in written.examples),
            forms=tuple(_form(form) for form in written.forms),
            path=written.at.path,
            valid=self.fields.condition(written.valid, names),
            otherwise=self.fields.condition(written.otherwise, names),
        )

    def message_names(self, written: syntax.Message) -> Names:
        """What a message's expressions can ask for."""
        shared = [entry for entries in written.sections.values() for entry in entries]
        own, nullable = declared(self.spec, shared)
        entries = [entry for variant in written.variants for entries in variant.sections.values() for entry in entries]
        varying, _ = declared(self.spec, entries, nullable=True)
        record = self.fields.record_names
        told = compared(written)
        return Names(own | varying, nullable | varying, record.own, record.own_nullable, record.parameters, False, told)

    def lengths(self, record: tuple[model.Node, ...], messages: Iterable[model.Message]) -> Iterator[model.Lengths]:
        """How records are delimited: by the record's rule, or by each message's."""
        written = self.spec.protocol.record
        if written.length is not None:
            layout = offsets.of_record(self.spec)
            yield self._lengths({}, written.length, written.proof, record, self.fields.record_names, layout)
            return
        by_name = {message.name: message for message in messages}
        for message in self.spec.messages:
            nodes = (*record, *(node for nodes in by_name[message.message].sections.values() for node in nodes))
            assert message.length is not None
            proof = message.proof or written.proof
            layout = offsets.of_message(self.spec, message)
            yield self._lengths(message.match, message.length, proof, nodes, self.message_names(message), layout)

    def _lengths(
        self,
        match: Mapping[str, tuple[int, ...]],
        length: str,
        proof: syntax.Proof | None,
        nodes: tuple[model.Node, ...],
        names: Names,
        layout: offsets.Layout,
    ) -> model.Lengths:
        rule = self.fields.condition(length, names)
        valid = self.fields.condition(proof.valid, names) if proof else None
        assert rule is not None
        asked = [rule.expression, *([valid.expression] if valid else [])]
        checksum, stored = None, None
        if proof and proof.checksum:
            field = layout.fields[proof.checksum]
            checksum = (field.name, self._early_checksum(field, names, layout, length))
            asked += [checksum[1].start.expression, checksum[1].end.expression]
            if layout.places[field.name].told:
                place = resolved(layout.places[field.name].expression, names)
                stored = (self.fields.wire(field, names), model.Condition(place, f"offset({field.name})"))
                asked.append(place)
        needed = {name.name for expression in asked for name in expressions.names(expression)}
        needed |= {checksum[0]} if checksum else set()
        probes = tuple(_probe(field) for field in _fields(nodes) if field.name in needed)
        return model.Lengths(match, probes, rule, valid, checksum, stored)

    def _early_checksum(self, field: syntax.Field, names: Names, layout: offsets.Layout, length: str) -> model.Checksum:
        """A checksum whose range is asked for before the record is read: by numbers at fixed offsets alone."""
        assert field.checksum is not None

        def early(text: str) -> model.Condition:
            settled = layout.settled(expressions.parse(text), expressions.parse(length))
            return model.Condition(resolved(settled, names), text)

        return model.Checksum(field.checksum.algorithm, early(field.checksum.start), early(field.checksum.end))

    def match_probes(
        self, record: tuple[model.Node, ...], messages: Iterable[model.Message]
    ) -> tuple[model.Probe, ...]:
        """The header fields that tell which message's length rule holds; none if there is one for all."""
        if self.spec.protocol.record.length is not None:
            return ()
        needed = {name for message in messages for name in message.match}
        return tuple(_probe(field) for field in _fields(record) if field.name in needed)


def _included(spec: Spec) -> Iterator[str]:
    """The shared structs whose fields are spliced in somewhere."""
    parts = syntax.within((spec.protocol, *spec.messages, *spec.libraries))
    return (part.include for part in parts if isinstance(part, syntax.Include))


def _fields(nodes: Iterable[model.Node]) -> Iterator[model.Field]:
    """The fields that stand at a fixed offset whatever the record is."""
    for node in nodes:
        if isinstance(node, model.Field):
            if node.place.absolute is not None:
                yield node
        elif isinstance(node, model.Section):
            yield from _fields(node.nodes)


def _probe(field: model.Field) -> model.Probe:
    assert field.place.absolute is not None
    return model.Probe(field.name, field.place.absolute, field.wire, field.hex)


def _exhausts(slot: str, sections: Mapping[str, tuple[model.Node, ...]], variants: tuple[model.Variant, ...]) -> bool:
    """Whether the shared fields, or those of every variant (there being one for all cases), take all the bytes."""
    if slot in sections and _takes_rest(sections[slot]):
        return True
    always = bool(variants) and variants[-1].when is None
    return always and all(_takes_rest(variant.sections.get(slot, ())) for variant in variants)


def _takes_rest(nodes: tuple[model.Node, ...]) -> bool:
    last = nodes[-1] if nodes else None
    if not isinstance(last, model.Field):
        return False
    if last.repeat is not None:
        return last.repeat.count is None and last.repeat.until is None
    return last.wire.type.endless and isinstance(last.wire.extent, model.Rest)


def _message_columns(
    slots: tuple[model.Slot, ...],
    sections: Mapping[str, tuple[model.Node, ...]],
    variants: tuple[model.Variant, ...],
    trailing: tuple[str, ...],
) -> tuple[model.Column, ...]:
    def found() -> Iterator[model.Column]:
        if variants:
            yield model.Column(
                "variant", model.Primitive.STRING, "Which of the message's layouts it has; null if none known"
            )
        for slot in slots:
            yield from columns(sections.get(slot.name, ()))
            for variant in variants:
                yield from columns(variant.sections.get(slot.name, ()))
            if slot.name in trailing:
                assert slot.trailing is not None
                yield model.Column(
                    slot.trailing, model.Primitive.BINARY, f"Bytes of the {slot.name} behind its last field"
                )

    return merge(found())


def _unknown(slots: tuple[model.Slot, ...]) -> model.Message:
    def field(slot: model.Slot) -> model.Field:
        doc = model.Doc(text=f"Bytes of the {slot.name}")
        place = model.Place(slot.name, 0, slot.place.absolute)
        column = model.Column(slot.name, model.Primitive.BINARY, doc.text)
        default = model.Condition(Value(b""), "none")
        return model.Field(
            slot.name, model.Wire(Bytes(), extent=model.Rest()), doc, (column,), place, None, default=default
        )

    sections: dict[str, tuple[model.Node, ...]] = {slot.name: (field(slot),) for slot in slots}
    doc = model.Doc("Unknown message", "A well-formed record that the spec has no message for; every byte is kept.")
    return model.Message(UNKNOWN, doc, {}, sections, (), (), _message_columns(slots, sections, (), ()), (), (), None)


def _parameter(written: syntax.Parameter) -> model.Parameter:
    default = written.default if isinstance(written.default, bool) else str(written.default)
    return model.Parameter(written.name, default, written.choices, written.column, documentation(written))


def _enum(written: syntax.Enum) -> model.Enum:
    def value(item: syntax.EnumValue) -> model.EnumValue:
        if item.value is not None:
            return model.EnumValue(item.name, item.value, item.value, False, documentation(item))
        assert item.first is not None and item.last is not None
        return model.EnumValue(item.name, item.first, item.last, True, documentation(item))

    return model.Enum(written.name, documentation(written), tuple(map(value, written.values)))


def _flags(written: syntax.Flags) -> model.Flags:
    values = tuple(model.Flag(item.name, item.value, documentation(item)) for item in written.values)
    return model.Flags(written.name, documentation(written), values)


def _table(written: syntax.Table) -> model.Table:
    fields = tuple(
        model.TableField(field.name, field.type, field.id, _table_default(field), documentation(field))
        for field in written.fields
    )
    return model.Table(written.name, documentation(written), fields, tuple(map(_table_column, fields)))


def _table_default(field: syntax.TableField) -> int | float | bool | str | None:
    if field.default is not None or field.type == "text":
        return field.default
    return False if field.type == "bool" else 0.0 if field.type.startswith("f") else 0


def _table_column(field: model.TableField) -> model.Column:
    found = types.parse(field.type)
    assert found is not None
    return model.Column(field.name, found.column(Declared({}, {})), field.doc.text)


def _example(written: syntax.Example) -> model.Example:
    return model.Example(
        name=written.name,
        doc=documentation(written),
        data=bytes.fromhex(written.hex),
        parameters=written.parameters,
        decoded=written.decoded,
        malformed=written.malformed,
        at=written.at,
    )


def _form(written: syntax.Form) -> model.Form:
    entries = tuple(
        model.FormEntry(entry.key, entry.field, entry.notation, entry.const, entry.omit, documentation(entry))
        for entry in written.entries
    )
    return model.Form(written.name, documentation(written), entries)
