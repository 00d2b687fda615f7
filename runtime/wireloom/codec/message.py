"""A record and its messages: the header of every record, and what each message puts into the record's sections."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from construct import Construct, Container

from wireloom.codec.accepted_values import given, shown
from wireloom.codec.answers import Answers
from wireloom.codec.coercion import Coercion
from wireloom.codec.columns import Column, StructOf, merge, visible
from wireloom.codec.deferred_values import Path
from wireloom.codec.envelopes import Envelope, KeptRecord
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.fixups import ATTEMPTS, learn, misfit, settle, tell
from wireloom.codec.frames import Frame, Values
from wireloom.codec.layout import LateValues, Layout, await_, container, verify, verify_late
from wireloom.codec.matching import Given, selections
from wireloom.codec.parts import Section
from wireloom.codec.reader import Reader
from wireloom.codec.rules import in_words, measured
from wireloom.codec.writer import Trust, Writer
from wireloom.expressions import Expression, Formula, expression

_TRUSTS = tuple(Trust)
"""How far given numbers are believed, in the order in which that is tried."""


class Slot(Section):
    """A section of the record that messages fill."""


class Record:
    """What all records of a protocol share: header fields, sections, slots for the messages' fields, and the terminator
    ``until``, if they end at one, or else the ``envelope`` around their contents, if there is one.
    """

    def __init__(self, *items: Construct, until: bytes = b"", envelope: Envelope | None = None) -> None:
        self.until = until
        self.envelope = envelope
        first = next((index for index, item in enumerate(items) if isinstance(item, Slot)), len(items))
        self.head = Layout(*items[:first])
        self.tail: list[Slot | Layout] = []
        for item in items[first:]:
            self.tail.append(item if isinstance(item, Slot) else Layout(item))
        if envelope is not None:
            self.tail.append(Layout(KeptRecord(envelope.raw)))
        layouts = [self.head, *(part for part in self.tail if isinstance(part, Layout))]
        self.columns = merge(column for layout in layouts for column in layout.columns())
        self.coercion = Coercion(self.columns)
        self.derived = [item for layout in layouts for item in layout.derived]
        self.late = [item for layout in layouts for item in layout.late]
        self.slots = [part for part in self.tail if isinstance(part, Slot)]


class Variant:
    """One of a message's layouts. It is chosen if ``when`` holds, and adds fields to the sections it names.

    If it is chosen, ``valid`` must hold for the whole record.
    """

    def __init__(
        self, name: str, when: Formula | None, sections: Mapping[str, Layout], valid: Formula | None = None
    ) -> None:
        self.name = name
        self.when = expression(when)
        self.sections = sections
        self.valid = expression(valid)


_NOTHING = Layout()


class RecordStep(NamedTuple):
    """A part of the record after its head: a slot with the fields that all variants share in it, or fields of the
    record.

    The variant is chosen after the shared fields of the ``decisive`` slot are read.
    """

    slot: Slot | None
    common: Layout
    decisive: bool = False


class Message(Construct):
    """One message of a protocol. As a construct, it parses and builds whole records, header and fields side by side.

    ``valid`` must hold for all its records, and ``otherwise`` for those that have none of its variants. The variant of
    a record is known after the shared fields of the ``decisive`` slot. No bytes are left over in the ``whole`` slots,
    so there is no column for them. ``derive`` says what fields of the header follow from, by their names.
    """

    def __init__(
        self,
        name: str,
        record: Record,
        *,
        match: Given,
        sections: Mapping[str, Layout] | None = None,
        variants: tuple[Variant, ...] = (),
        decisive: str = "",
        whole: tuple[str, ...] = (),
        derive: Mapping[str, Formula] | None = None,
        valid: Formula | None = None,
        otherwise: Formula | None = None,
        answers: Answers | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.record = record
        self.match = selections(match)
        self.sections = sections or {}
        self.variants = variants
        self.derive = {name: expression(value) for name, value in (derive or {}).items()}
        self.header_derived = [
            (name, field) for name, field in record.derived if name in self.derive or not field.asks({name})
        ]
        self.valid = expression(valid)
        self.otherwise = expression(otherwise)
        self.answers = answers
        self.trailing = {slot.name: slot.trailing for slot in record.slots if slot.trailing and slot.name not in whole}
        self.decisive = decisive
        self.plan = [
            RecordStep(None, part)
            if isinstance(part, Layout)
            else RecordStep(part, self.sections.get(part.name, _NOTHING), part.name == decisive)
            for part in record.tail
        ]
        found = {
            variant.name if variant else None: [
                layout for slot in record.slots for layout in self._layouts(slot, variant)
            ]
            for variant in (None, *variants)
        }
        self.derived = {key: [item for layout in layouts for item in layout.derived] for key, layouts in found.items()}
        self.late = {key: [item for layout in layouts for item in layout.late] for key, layouts in found.items()}
        every = merge(self._all_columns())
        self.columns = visible(every)
        self._claimants = {
            (slot.name, variant and variant.name): slot
            if slot.name in self.trailing
            else slot.among(column for layout in self._layouts(slot, variant) for column in layout.columns())
            for slot in record.slots
            for variant in (None, *variants)
        }
        self.empty: Values = dict.fromkeys(column.name for column in every)
        self.hidden = tuple(column.name for column in every if column.hidden)
        self.coercion = Coercion(every)
        self._fits: dict[str | None, frozenset[str]] = {}
        self.protocol: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _message, (self.protocol, self.name)

    def _all_columns(self) -> Iterator[Column]:
        if self.variants:
            yield Column("variant", "string", texts=tuple(variant.name for variant in self.variants))
        for slot in self.record.slots:
            for variant in (None, *self.variants):
                for layout in self._layouts(slot, variant):
                    yield from layout.columns()
            trailing = self.trailing.get(slot.name)
            if trailing:
                yield Column(trailing, "binary")

    def _layouts(self, slot: Slot, variant: Variant | None) -> Iterator[Layout]:
        """The contents of a slot: the shared fields, then the variant's."""
        if slot.name in self.sections:
            yield self.sections[slot.name]
        if variant is not None and slot.name in variant.sections:
            yield variant.sections[slot.name]

    @cached_property
    def _digits(self) -> dict[str, int]:
        """The number of digits of each field that messages show in hexadecimal."""
        return {column.name: column.digits for column in (*self.record.columns, *self.columns) if column.digits}

    @property
    def rules(self) -> Iterator[Expression]:
        """The conditions that select variants, and those that must hold for the whole record."""
        variants = (rule for variant in self.variants for rule in (variant.when, variant.valid))
        return filter(None, (self.valid, self.otherwise, *variants))

    @property
    def type(self) -> StructOf:
        """The message's struct column."""
        return StructOf(self.columns)

    def read(self, reader: Reader, record: Values) -> Container:
        """The message's fields, read after the record's head. Fields after the sections are read into ``record``."""
        this = container(self.empty)
        variant: Variant | None = None
        trace = reader.trace
        if trace is not None:
            trace.message = self.name
        for slot, common, decisive in self.plan:
            if slot is None:
                common.read(reader, record)
                continue
            outer = slot.enter(reader, record)
            if trace is not None:
                trace.of_message(self.name)
            common.read(reader, this)
            if decisive:
                variant = self._select(this, record, reader.frame)
                this["variant"] = variant.name if variant else None
                if trace is not None:
                    trace.variant = this["variant"]
            if variant is not None and slot.name in variant.sections:
                variant.sections[slot.name].read(reader, this)
            slot.leave(reader, this, outer)
        if self.derive:
            reader.frame.given = LateValues(self.derive, reader, this)
        key = variant.name if variant else None
        verify(reader, this, self.derived[key])
        verify_late(reader, this, self.late[key])
        wrong = self.wrong(this, reader.record, reader.frame, variant)
        if wrong is not None:
            reader.refuse(wrong)
        for name in self.hidden:
            del this[name]
        return this

    def _select(self, this: Values, record: Values, frame: Frame) -> Variant | None:
        """The first variant whose condition holds."""
        for variant in self.variants:
            if variant.when is None or variant.when.ask(this, record, frame):
                return variant
        return None

    def wrong(self, this: Values, record: Values, frame: Frame, variant: Variant | None) -> DecodeError | None:
        """The error for a condition of the whole record that does not hold; None if all hold."""
        own = (variant.valid, f" of {variant.name}") if variant else (self.otherwise, " where no variant is")
        for rule, which in ((self.valid, ""), own):
            if rule is None or rule.ask(this, record, frame):
                continue
            expected, asked = f"{rule.written} expected{which}", [rule]
            if rule.text == "false":
                expected = "one of its variants expected"
                asked = [known.when for known in self.variants if known.when]
            region = measured(rule, this, record, frame)
            found = in_words(asked, this, record, frame, self._digits)
            return DecodeError("invalid", f"{expected}, found {found}", frame.origin(region), region)
        return None

    def write(self, writer: Writer, obj: Any) -> None:
        """Append the whole record; ``writer.record`` holds the header's values. Raises ``EncodeError``."""
        header = writer.record
        try:
            values = self.coercion.struct(obj, self.empty)
            candidates = self._candidates(values)
        except EncodeError as error:
            raise error.within(self.name) from None
        errors: list[EncodeError] = []
        for variant in candidates:
            wrong = self._attempt(writer, header, values, variant)
            if wrong is None:
                return
            errors.append(wrong)
        if len({(error.field, error.detail) for error in errors}) == 1:
            raise errors[0]
        reasons = (
            f"{variant.name if variant else 'none'}: {error}" for variant, error in zip(candidates, errors, strict=True)
        )
        raise EncodeError(f"none fits these fields: {'; '.join(reasons)}", f"{self.name}.variant")

    def _candidates(self, values: Values) -> list[Variant | None]:
        """The variants to try: the named one, or each that has the given fields and at last no variant."""
        if not self.variants:
            return [None]
        if values["variant"] is not None:
            named = [variant for variant in self.variants if variant.name == values["variant"]]
            if not named:
                known = ", ".join(variant.name for variant in self.variants)
                raise EncodeError(f"unknown variant {shown(values['variant'])}; known are {known}", "variant")
            return [*named]
        every: list[Variant | None] = [*self.variants, None]
        return [variant for variant in every if self._strange(values, variant) is None] or every

    def _strange(self, values: Values, variant: Variant | None) -> str | None:
        """The first given field that the variant does not have."""
        fits = self.fitting(variant)
        return next((name for name, value in values.items() if value is not None and name not in fits), None)

    def _attempt(self, writer: Writer, header: Values, values: Values, variant: Variant | None) -> EncodeError | None:
        """Try to write the record as that variant; returns the error if it cannot be."""
        strange = self._strange(values, variant)
        if strange is not None:
            has = f"variant {variant.name}" if variant else "a record without a variant"
            return EncodeError(f"{has} has no such field", f"{self.name}.{strange}")
        error: EncodeError | None = None
        for trust in _TRUSTS:
            writer.trust, writer.trusted, writer.known = trust, False, {}
            error = self._settled(writer, header, values, variant)
            if error is None or not writer.trusted:
                break
        return error and writer.within(misfit(writer) or error)

    def _settled(self, writer: Writer, header: Values, values: Values, variant: Variant | None) -> EncodeError | None:
        """Write the record repeatedly until all assumptions about it hold; returns the error if they never do.

        Given values of derived fields are tried once, and so are given places once the size is known.
        """
        writer.length, writer.keeps = None, False
        error = self._once(writer, dict(header), dict(values), variant)
        if writer.moved:
            learn(writer)
            writer.known, known, writer.keeps = {}, writer.known, True
            if self._once(writer, dict(header), dict(values), variant) is None:
                return None
            writer.known, writer.keeps = known, False
            error = self._once(writer, dict(header), dict(values), variant)
        for _ in range(ATTEMPTS):
            if error is None or (writer.trusted and writer.trust is Trust.VALUES) or not learn(writer):
                break
            error = self._once(writer, dict(header), dict(values), variant)
        return error

    def _once(self, writer: Writer, header: Values, this: Values, variant: Variant | None) -> EncodeError | None:
        writer.restart(header)
        if self.derive:
            writer.frame.given = LateValues(self.derive, writer, this)
        try:
            self._write_parts(writer, this, variant)
            error = settle(writer, len(self.record.until))
        except EncodeError as found:
            path = writer.path
            with suppress(EncodeError):
                tell(writer)
            writer.path = path
            return found
        selected = self._select(this, writer.record, writer.frame)
        if error is not None:
            return error
        writer.path = (None, self.name)
        if selected is not variant:
            what = f"reads back as {selected.name}" if selected else "reads back as none"
            needs = f"{variant.name} needs {variant.when.written}" if variant and variant.when else "none may apply"
            return EncodeError(f"{what}: {needs}", "variant")
        wrong = self.wrong(this, writer.record, writer.frame, variant)
        if wrong is None:
            return None
        return EncodeError(wrong.detail, self._blamed(writer, this, variant, wrong.field))

    def _blamed(self, writer: Writer, this: Values, variant: Variant | None, region: str) -> str:
        """The field to name if a condition of the whole record does not hold; ``path`` leads to it.

        If the size of a section decided the condition, it is the field with the bytes left over there.
        """
        trailing = self.trailing.get(region)
        if trailing is not None and this[trailing] is not None:
            return trailing
        rules = filter(None, (self.valid, variant.valid if variant else self.otherwise))
        names = (asked.name for rule in rules for asked in rule.names)
        name = next(names, next(iter(self.empty), ""))
        if name in writer.record and name not in self.empty:
            writer.path = None
        return name

    def fitting(self, variant: Variant | None) -> frozenset[str]:
        """The columns that a variant can have values for."""
        key = variant.name if variant else None
        if key not in self._fits:
            layouts = (layout for slot in self.record.slots for layout in self._layouts(slot, variant))
            names = (column.name for layout in layouts for column in layout.columns())
            self._fits[key] = frozenset({"variant", *names, *self.trailing.values()})
        return self._fits[key]

    def _write_parts(self, writer: Writer, this: Values, variant: Variant | None) -> None:
        own: Path = (None, self.name)
        await_(writer, writer.record, self.header_derived)
        writer.path = own
        await_(writer, this, self.derived[variant.name if variant else None])
        writer.path = None
        whole = writer.enter()
        self.record.head.write(writer, writer.record)
        for slot, common, _ in self.plan:
            if slot is None:
                common.write(writer, writer.record)
                continue
            writer.path = own
            spot, region = slot.begin(writer)
            common.write(writer, this)
            if variant is not None and slot.name in variant.sections:
                variant.sections[slot.name].write(writer, this)
            slot.close(writer, this, region)
            claimant = self._claimants[slot.name, variant and variant.name]
            writer.path = own if claimant.last in self.empty else None
            claimant.claim(writer, writer.record, spot)
            writer.path = None
        writer.leave(whole)
        writer.write(self.record.until)

    def _parse(self, stream: Any, context: Any, path: str) -> Container:
        row = self.protocol.parse_stream(stream, **self._parameters(context))
        if row["message"] != self.name:
            raise DecodeError("message", f"{self.name} expected, found {row['message']}")
        flat = Container({column.name: row[column.name] for column in self.protocol.header})
        flat.update(row[self.name])
        return flat

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        names = [column.name for column in self.columns]
        values = given(obj, dict.fromkeys([c.name for c in self.protocol.header] + names))
        row = {name: value for name, value in values.items() if name not in names}
        row |= {"message": self.name, self.name: {name: values[name] for name in names}}
        stream.write(self.protocol.build(row, **self._parameters(context)))
        return obj

    def _parameters(self, context: Any) -> Values:
        """The protocol's parameters among those given to the outermost construct, which may have others of its own."""
        root = context.get("_params", context)
        known = {parameter.name for parameter in self.protocol.parameters}
        return {name: root[name] for name in root if name in known or (root is context and not name.startswith("_"))}


def _message(protocol: Any, name: str) -> Message:
    message: Message = protocol.messages[name]
    return message
