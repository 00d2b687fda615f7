"""Syntax → model of a spec, as far as it can be interpreted, before rules check it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from wireloom_generator import model
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.model.names import Names
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec, declared_variants
from wireloom_generator.resolve import capture, conditions, keys
from wireloom_generator.resolve.columns import columns, merge
from wireloom_generator.resolve.fields import FieldResolving
from wireloom_generator.resolve.matches import selectors
from wireloom_generator.resolve.uses import compared

Contents = Mapping[str, tuple[model.Node, ...]]
"""The contents of each section."""


def resolve(spec: Spec) -> model.Resolved:
    """The meaning of the spec; undeclared names stay unknown."""
    return _Resolving(spec).all()


class _Resolving:
    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.shared_variants = declared_variants(spec.shared)
        self.shared = tuple(map(_declarations, spec.shared))
        self.from_capture: tuple[model.Parameter, ...] = ()
        if spec.protocol.capture is not None:
            header = capture.header(spec.protocol, FieldResolving(spec, self.shared))
            self.from_capture = tuple(capture.parameters_of(header))
        self.fields = FieldResolving(spec, self.shared, self.from_capture)

    def all(self) -> model.Resolved:
        fields, preamble, record = self.fields, capture.header(self.spec.protocol, self.fields), self.record()
        messages = tuple(self.message(message, record.slots) for message in self.spec.messages)
        used = tuple(fields.structs.values())
        for name in self.spec.structs:
            fields.struct_named(name)
        protocol, *libraries = map(self.completed, self.shared, self.spec.shared)
        protocol = replace(protocol, parameters=tuple(self.parameters(protocol.parameters, messages)))
        return model.Resolved(
            protocol=protocol,
            libraries=tuple(libraries),
            is_whole=self.spec.is_whole,
            byte_order=self.spec.protocol.byte_order,
            little=capture.little(
                self.spec.protocol, Names({}, {}, fields.record_names.parameters, numbers=fields.numbers)
            ),
            ports=tuple(map(int, self.spec.protocol.ports)),
            capture=preamble,
            parameters={parameter.name: parameter for parameter in (*self.from_capture, *protocol.parameters)},
            enums=fields.enums,
            flags=fields.flags,
            structs=fields.structs,
            tables=fields.tables,
            record=record,
            messages=messages,
            used=used,
            recursive=fields.recursive,
            loops=fields.loops,
            included=tuple(map(_included, fields.splicing.included.values())),
        )

    def completed(self, part: model.Declarations, written: syntax.Shared) -> model.Declarations:
        """The declarations of a file, with its shared structs and variants, except hidden ones."""
        fields = self.fields
        structs = (
            fields.structs[struct.name] if self.spec.structs[struct.name] is struct else fields.struct(struct)
            for struct in written.types
        )
        return replace(part, structs=tuple(structs), variants=tuple(map(self.declared_variant, written.variants)))

    def parameters(
        self, parameters: Iterable[model.Parameter], messages: Iterable[model.Message]
    ) -> Iterator[model.Parameter]:
        """The parameters of the protocol, with the values of messages that set them."""
        for parameter, written in zip(parameters, self.spec.protocol.parameters, strict=True):
            if (found := written.found) is None:
                yield parameter
                continue
            path, values = next(iter(found.has.items()), ("", ()))
            message = next((each for each in messages if each.name == found.message), None)
            field = None if message is None else model.field_at(path, message.nodes, self.fields.structs)
            enum = self.fields.enums.get(field.enum) if field is not None and field.enum else None
            meant = selectors(values, Domain() if field is None else field.type.values, enum)
            yield replace(parameter, found=model.FoundInCapture(found.message, path, meant, written=found))

    def record(self) -> model.Record:
        """The record."""
        written, names = self.spec.record, self.fields.record_names
        return model.Record(
            doc=written.doc,
            nodes=self.fields.nodes(written.fields, names, with_slots=True),
            names=names,
            end=self.end(written, names),
            proof=self.proof(written.proof, names),
            resync=written.resync,
            stray=dict(keys.stray_of_record(written)),
            written=written,
        )

    def end(self, written: syntax.Record | syntax.Message, names: Names) -> model.End | None:
        """Where records end."""
        if isinstance(written, syntax.Record) and written.ends:
            missing, (end, *others) = written.unterminated == "allowed", written.ends
            return model.Terminator(end, unterminated=missing, others=tuple(others), raw=written.raw)
        if isinstance(written, syntax.Record) and (flags := written.between) is not None:
            given = flags.unescape
            escaping = conditions.escapes(given) if isinstance(given, syntax.Escapes) else given
            return model.BetweenFlags(flags.flag, flags.shared, escaping, flags.raw, written=flags)
        if written.length == "rest":
            return model.Rest()
        if written.length == "fields":
            return model.Fields()
        length = conditions.condition(written.length, names)
        return None if length is None else model.Size(length)

    def proof(self, written: syntax.Proof | None, names: Names) -> model.Proof | None:
        """The proof of a length."""
        if written is None:
            return None
        valid = conditions.condition(written.valid, names)
        doubt = conditions.condition(written.doubt, names)
        return model.Proof(valid, written.checksum, doubt, written=written)

    def message(self, written: syntax.Message, slots: tuple[model.Slot, ...]) -> model.Message:
        """One message with its fields slot by slot; sections that the record does not have come last."""
        names = self.message_names(written)
        filled = [*written.sections, *(name for variant in written.variants for name in variant.sections)]
        order = dict.fromkeys([*(slot.name for slot in slots), *filled])
        sections = self.sections(order, written.sections, names)
        resolved = tuple(self.variant(variant, order, names) for variant in written.variants)
        trailing = tuple(
            slot.name for slot in slots if slot.trailing and not self.exhausted(slot.name, sections, resolved)
        )
        return model.Message(
            name=written.message,
            doc=written.doc,
            match=self.fields.matching.match(written.match, self.fields.record_names),
            sections=sections,
            variants=resolved,
            trailing=trailing,
            columns=message_columns(slots, sections, resolved, trailing),
            examples=written.examples,
            forms=written.forms,
            path=written.at.path,
            derive={name: conditions.expression(text, names) for name, text in written.derive.items()},
            valid=conditions.condition(written.valid, names),
            otherwise=conditions.condition(written.otherwise, names),
            decisive=_decisive(slots, resolved),
            filled=tuple(written.sections),
            names=names,
            end=self.end(written, names),
            proof=self.proof(written.proof, names),
            answers=self.answers(written.answers),
            written=written,
        )

    def answers(self, written: syntax.Answers | None) -> model.Answers | None:
        """The messages that one answers: those that it names, or else those without an answer that are not answers."""
        if written is None:
            return None
        known = [message.answers for message in self.spec.messages if message.answers is not None]
        named = {name for answers in known for name in answers.to}
        open_ = [each.message for each in self.spec.messages if each.answers is None and each.message not in named]
        quiet = self.fields.matching.match(written.quiet, self.fields.record_names)
        return model.Answers(written.to or tuple(open_), written.by, quiet, written.more, written=written)

    def sections(
        self, order: Iterable[str], written: Mapping[str, tuple[syntax.Entry, ...]], names: Names
    ) -> dict[str, tuple[model.Node, ...]]:
        """The content of each section, without empty ones."""
        around = {entry.section: entry for entry in self.spec.record.fields if isinstance(entry, syntax.Section)}
        found = ((slot, self.fields.ordered(around.get(slot), written.get(slot, ()), names)) for slot in order)
        return {slot: nodes for slot, nodes in found if nodes}

    def exhausted(self, slot: str, sections: Contents, variants: tuple[model.Variant, ...]) -> bool:
        """Whether the shared fields, or those of every variant (there being one for all cases), take all the bytes."""
        always = bool(variants) and variants[-1].when is None
        filled = (sections, *(variant.sections for variant in variants))
        takes, *own = (model.exhausting(each.get(slot, ()), self.fields.structs) is not None for each in filled)
        return takes or (always and all(own))

    def variant(self, written: syntax.Variant, order: Iterable[str], names: Names) -> model.Variant:
        """One of a message's layouts."""
        return model.Variant(
            written.name,
            conditions.condition(written.when, names),
            self.sections(order, written.sections, names),
            conditions.condition(written.valid, names),
            self.shared_variants.get(written.name, written).doc if written.shared else None,
            tuple(written.sections),
            doc=written.doc,
            written=written,
        )

    def declared_variant(self, written: syntax.Variant) -> model.Variant:
        """A variant that messages can share, at its declaration."""
        names = self.fields.names(chain.from_iterable(written.sections.values()))
        return self.variant(written, written.sections, names)

    def message_names(self, written: syntax.Message) -> Names:
        declared, record = self.fields.splicing.declared, self.fields.record_names
        own = declared(chain.from_iterable(written.sections.values()))
        for variant in written.variants:
            own = own.with_some(declared(chain.from_iterable(variant.sections.values())))
        return Names(own, record.own, record.parameters, compared(written), numbers=self.fields.numbers)


def _declarations(written: syntax.Shared) -> model.Declarations:
    """The declarations of a file, except shared structs and variants, which refer to others."""
    kind = "protocol" if isinstance(written, syntax.Protocol) else "library"
    name = getattr(written, kind)
    parameters = written.parameters if isinstance(written, syntax.Protocol) else ()
    return model.Declarations(
        kind=kind,
        name=name,
        doc=replace(written.doc, title=written.doc.title or name),
        parameters=tuple(map(_parameter, parameters)),
        enums=written.enums,
        flags=written.flags,
        structs=(),
        tables=written.tables,
        variants=(),
        written=written,
    )


def _parameter(written: syntax.Parameter) -> model.Parameter:
    return model.Parameter(
        written.name, written.type, written.default, written.choices, written.column, doc=written.doc, written=written
    )


def _included(written: syntax.Include) -> model.Included:
    doc = model.Doc(at=written.at, places=written.places, accepted=written.accept)
    return model.Included(written.include, doc=doc, written=written)


def _decisive(slots: tuple[model.Slot, ...], variants: tuple[model.Variant, ...]) -> str:
    """The slot after whose shared fields the variant is known: the first that any variant fills, else the last."""
    filled = [slot.name for slot in slots if any(slot.name in variant.filled for variant in variants)]
    return next(iter([*filled, *(slot.name for slot in slots[-1:])]), "")


def message_columns(
    slots: tuple[model.Slot, ...],
    sections: Contents,
    variants: tuple[model.Variant, ...] = (),
    trailing: tuple[str, ...] = (),
) -> tuple[model.Column, ...]:
    """The columns of a message, in the order of reading."""

    def found() -> Iterator[model.Column]:
        if variants:
            what = "The variant of the message; null if it is none of them"
            yield model.Column("variant", model.Primitive.STRING, what)
        for slot in slots:
            yield from columns(sections.get(slot.name, ()))
            for variant in variants:
                yield from columns(variant.sections.get(slot.name, ()))
            if slot.trailing is not None and slot.name in trailing:
                what = f"Bytes of the {slot.name} after its last field"
                yield model.Column(slot.trailing, model.Primitive.BINARY, what)

    return merge(found())
