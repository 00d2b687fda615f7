"""Whole records in programs."""

from collections.abc import Callable
from functools import partial

from wireloom import codec
from wireloom.expressions import Expression
from wireloom.expressions.tree import Origin
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import both_masks, either_not
from wireloom.programs.reading.checks import Proven, inputs, verify, verify_late
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.reading.parts import extent, layout
from wireloom.programs.reasons import BrokenRule, SectionName
from wireloom.programs.values import Label, Level, Mask, NoProgramError, Number


def message(said: codec.Message, at: Lowering, proven: Proven) -> Level:
    """The rest of a record of which the head was read; returns the message's fields. Raises ``NoProgramError``."""
    return _Message(said, at, proven).read()


def read_tail(record: codec.Record, at: Lowering, read_section: Callable[[str], object]) -> None:
    """Read what a record has after its head; what is in a section is read by a function of its name, or left. Raises
    ``NoProgramError``.
    """
    for part in record.tail:
        if isinstance(part, codec.Layout):
            layout(part, at)
            continue
        with at.asm.field(SectionName(part.name)):
            at.spans[part.name] = span = extent(part.extent, at)
            outer = at.enter(span)
            read_section(part.name)
            at.leave(outer)


class _Message:
    def __init__(self, said: codec.Message, at: Lowering, proven: Proven) -> None:
        self.said = said
        self.at = at
        self.proven = proven
        self.this = Level()
        self.chosen: list[Mask] = []
        """Where each of the variants is chosen."""
        self.without: Mask = True
        """Where none is."""
        self.variant = at.asm.number(-1)
        """The register with the number of the one that is chosen; -1 if none is."""

    def read(self) -> Level:
        at, said, header = self.at, self.said, self.at.record
        at.asm.message = said.name
        read_tail(said.record, at, self._section)
        at.this = self.this
        self._verify()
        self._judge()
        header.given = inputs(said.derive, at)
        self.this.hide(said.hidden)
        at.asm.message = None
        at.this = header
        verify(at, said.header_derived, self.proven)
        verify_late(at, header.late)
        at.end()
        return self.this

    def _section(self, name: str) -> None:
        """All that the message has in one of the record's sections."""
        at = self.at
        at.this = self.this
        self._slot(name)
        at.end(self.said.trailing.get(name))
        at.this = at.record

    def _slot(self, name: str) -> None:
        """What the message says of one of the record's sections."""
        at, said = self.at, self.said
        if name in said.sections:
            layout(said.sections[name], at)
        if name == said.decisive:
            self._choose()
        for mask, variant in zip(self.chosen, said.variants, strict=False):
            if name in variant.sections:
                at.within(mask, partial(layout, variant.sections[name], at))

    def _choose(self) -> None:
        """Choose the first variant whose condition holds."""
        at, asm, number = self.at, self.at.asm, self.variant
        for index, variant in enumerate(self.said.variants):
            holds = True if variant.when is None else at.holds(variant.when)
            mask = both_masks(asm, self.without, holds)
            self.without = either_not(asm, self.without, holds)
            self.chosen.append(mask)
            if mask is True:
                number = asm.number(index)
            elif mask is not False:
                number = asm.value(op.CHOOSE, (mask, asm.number(index), number))
        if self.said.variants and at.variant is not None:
            at.must(asm.value(op.EQUAL, (number, at.variant)))
            self.chosen = [asm.value(op.EQUAL_NUMBER, (at.variant,), (index,)) for index in range(len(self.chosen))]
            self.without = asm.value(op.EQUAL_NUMBER, (at.variant,), (-1,))
        self.variant = number
        if self.said.variants:
            self.this.columns["variant"] = Label(number, tuple(variant.name for variant in self.said.variants))

    def _verify(self) -> None:
        """Derived values, section by section."""
        for slot in self.said.record.slots:
            if slot.name in self.said.sections:
                verify(self.at, self.said.sections[slot.name].derived, self.proven)
            for mask, variant in zip(self.chosen, self.said.variants, strict=False):
                if slot.name in variant.sections and (derived := variant.sections[slot.name].derived):
                    self.at.within(mask, partial(verify, self.at, derived, self.proven))
        verify_late(self.at, self.this.late)

    def _judge(self) -> None:
        """What must hold of the whole record."""
        at, said = self.at, self.said
        rules: list[tuple[Mask, Expression | None]] = [(True, said.valid), (self.without, said.otherwise)]
        rules += [(mask, variant.valid) for mask, variant in zip(self.chosen, said.variants, strict=False)]
        reason = self._reason()
        for where, rule in rules:
            if rule is not None and where is not False:
                mask = at.where if where is True else where
                with at.asm.field(said.name):
                    at.must(self._holds(rule), mask, reason)

    def _holds(self, rule: Expression) -> Mask:
        """Where a condition holds; nowhere if no program says that."""
        try:
            return self.at.holds(rule)
        except NoProgramError as error:
            self.at.left[str(error)] = None
            return False

    def _reason(self) -> BrokenRule | None:
        """What a rejection by a condition of the whole record tells of; None if that is not only numbers, and spans in
        the bytes of the record.
        """
        at, numbers, spans = self.at, {}, {}
        for place, name in (mention for rule in self.said.rules for mention in rule.mentions):
            if place:
                if name.name in at.apart:
                    return None
                spans[name.name] = at.span(name.name)
            elif name.item is not None:
                return None
            elif name.origin is not Origin.PARAMETER:
                found = at.known(name)
                if isinstance(found, int):
                    found = Number(at.asm.number(found), found, found)
                if found is not None and not (isinstance(found, Number) and found.integer):
                    return None
                if found is not None:
                    numbers[name.name] = found
        return BrokenRule(self.said, self.variant, numbers, spans)
