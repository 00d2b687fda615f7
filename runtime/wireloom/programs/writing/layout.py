"""Records laid out by programs, by the parts that read them: which bytes of which columns stand where.

What is laid out is a guess, of which nothing is checked: the program proves it by reading it again.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from construct import BytesInteger, FormatField

from wireloom import codec
from wireloom.characters import CharacterSet
from wireloom.codec.computed import Computed
from wireloom.codec.encodings import encoded
from wireloom.codec.envelopes import KeptRecord
from wireloom.codec.errors import DecodeError
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.frames import NOTHING, Frame
from wireloom.codec.layout import Lone
from wireloom.codec.meanings import Counted, DecimalMeaning
from wireloom.codec.runs import Run
from wireloom.codec.transforms import Same, Transform
from wireloom.codec.varints import Varint
from wireloom.expressions import Expression
from wireloom.expressions.tree import Name, Origin
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import Found, both, both_masks, either_not
from wireloom.programs.number_format import NumberFormat
from wireloom.programs.values import (
    TOO_DEEP,
    WAYS,
    Datum,
    Mask,
    NoProgramError,
    Octets,
    Struct,
)
from wireloom.programs.writing.extents import ArrangingExtents
from wireloom.programs.writing.inputs import ITEM, WRITTEN, Inputs, Items, Outline, Path
from wireloom.programs.writing.scope import Copied, Laid

_NUMBERS = (
    FormatField | BytesInteger | codec.WordSwapped | Varint | codec.Bcd | codec.Zoned | codec.Ascii | codec.SizedInteger
)
"""What may follow from others."""


class Arranging(ArrangingExtents):
    """Lays out a message."""

    def __init__(self, parameters: Mapping[str, Any], asm: Assembler, header: Laid, *, little: bool):
        super().__init__(parameters, asm, header, little=little)
        self.items: dict[Path, InnerArranging] = {}
        """What programs of their own write before: the items of lists, and bytes that are changed."""

    def _forget(self) -> None:
        super()._forget()
        self.items.clear()

    # Whole messages

    def message(self, said: codec.Message, variant: int, fields: Laid) -> None:
        """Lay out a record. ``variant`` is the register with the number of its variant. Raises ``NoProgramError``."""
        self._lay(lambda: self._message(said, variant, fields), (self.header, fields))

    def _message(self, said: codec.Message, variant: int, fields: Laid) -> None:
        self.this = self.header
        self.header.later, self.header.around = said.derive, fields
        self.layout(said.record.head)
        for part in said.record.tail:
            self.this = self.header
            if isinstance(part, codec.Layout):
                self.layout(part)
                continue
            start = self.cursor
            self.this, self.spans[part.name] = fields, (start, start)
            with self.asm.field(part.name):
                self._section(said, part.name, variant)
            self.spans[part.name] = start, self.cursor
        self._constant(said.record.until)
        self.header.spans = fields.spans = self.spans

    def _section(self, said: codec.Message, name: str, variant: int) -> None:
        """What the message has in one of the record's sections."""
        if name in said.sections:
            self.layout(said.sections[name])
        for number, each in enumerate(said.variants):
            if name in each.sections:
                mask = self.asm.value(op.EQUAL_NUMBER, (variant,), (number,))
                self.within(mask, partial(self.layout, each.sections[name]))
        self._trailing(said.trailing.get(name))

    # Parts

    def layout(self, content: codec.Layout) -> None:
        """The parts of a layout in order. Raises ``NoProgramError``."""
        for step in content.steps:
            self._part(step)
            if isinstance(step, Run | Lone | codec.Bits | Computed | Encoded):
                self.this.placed.update(column.name for column in step.columns())

    def _part(self, part: Any) -> None:
        match part:
            case Run():
                for name, said in part.fields:
                    with self.asm.field(name):
                        self._field(name, said, NumberFormat.from_construct(said))
            case Lone():
                with self.asm.field(part.name):
                    self._lone(part)
            case codec.Bits():
                self._bits(part)
            case codec.Section():
                start = self.cursor
                self.spans[part.name] = start, start
                with self.asm.field(part.name):
                    self.layout(part.content)
                    self._trailing(part.trailing)
                self.spans[part.name] = start, self.cursor
            case codec.When():  # how many bytes are left is not known before all is laid out
                holds = self._some_given(part.showing) if asks_left(part) else self.holds(part.condition)
                self.within(holds, lambda: self.layout(part.content))
            case codec.Optional():
                self.within(self._some_given(part.showing), lambda: self.layout(part.content))
            case codec.Choice():
                self._choice(part)
            case codec.Ordered():
                self._ordered(part)
            case codec.Pad():
                self._pad(part)
            case Computed():
                self._computed(part)
            case codec.Unpack():
                self._unpack(part)
            case KeptRecord():
                pass
            case codec.Elsewhere(shared=True):
                pass  # others write its bytes
            case Encoded():
                start = self.cursor
                self._octets(part.encoding.raw, part.encoding.extent)
                self.spans[part.name] = start, self.cursor
            case _:
                raise NoProgramError(f"parts of type {type(part).__name__}")

    def within(self, holds: Mask, read: Callable[[], None]) -> None:
        """Lay out something in the rows where ``holds``. If no program does, none of these rows is sound.

        What programs of their own write for it is kept, as the program has its addresses.
        """
        lists: list[list[Any]] = [self.writes, self.following, self.varying, self.sums, self.alternatives]
        counts = [len(each) for each in lists]
        this, octets, filled = self.this, dict(self.this.octets), dict(self.this.filled)
        mask = holds if isinstance(holds, bool) else both(self.asm, self.where, holds)

        def tried() -> None:
            try:
                read()
            except NoProgramError:
                for each, count in zip(lists, counts, strict=True):
                    del each[count:]
                this.octets, this.filled = octets, filled
                raise

        super().within(holds, tried)
        for name, copied in this.octets.items():
            before = octets.get(name)
            if before not in (None, copied) and not isinstance(mask, bool):
                pairs = zip(copied, before, strict=True)
                this.octets[name] = Copied(*(self.asm.value(op.CHOOSE, (mask, *pair)) for pair in pairs))
        for name, where in this.filled.items():
            if filled.get(name) not in (None, where):
                this.filled[name] = self.asm.value(op.OR, (where, filled[name]))

    def _some_given(self, names: tuple[str, ...]) -> Mask:
        """The rows in which one of these is given."""
        found: Mask = False
        for name in names:
            column = self.this.columns.get(name)
            if column is not None and found is not True:
                valid: Mask = True if column.valid == op.ONES else column.valid
                found = valid if isinstance(valid, bool) or found is False else self.asm.value(op.OR, (found, valid))
        return found

    def _choice(self, part: codec.Choice) -> None:
        free: Mask = True
        tests = [self.holds(one.condition) if isinstance(one, codec.When) else True for one in part.alternatives]
        for option, holds in zip(part.alternatives, tests, strict=True):
            content = option.content if isinstance(option, codec.When) else option
            self.within(both_masks(self.asm, free, holds), lambda content=content: self.layout(content))  # type: ignore[misc]
            free = either_not(self.asm, free, holds)

    def _ordered(self, part: codec.Ordered) -> None:
        def laid_in(*, little: bool) -> None:
            outer, self.little = self.little, little
            self.layout(part.content)
            self.little = outer

        holds = self.holds(part.little)
        self.within(holds, partial(laid_in, little=True))
        self.within(either_not(self.asm, True, holds), partial(laid_in, little=False))

    def _computed(self, part: Computed) -> None:
        """A value that is in no bytes: what is given of it is compared when the record is proved."""
        self._may_fill(self.this, part.name)
        if part.compute.meaning is not None:
            return
        known, found = self.this.columns.get(part.name), None
        with suppress(NoProgramError):  # what is given may do
            found = self.ask(part.compute.value)
        if found is not None and known is None:
            self.this.columns[part.name] = self._of_each(found)
        elif found is not None:
            number = self._of_each(found)
            self._bound(part.name, number.least, number.most)

    def _unpack(self, part: codec.Unpack) -> None:
        """The packed bytes where these are given, else what is not packed."""
        raw = part.through.raw
        given = None if raw is None else self.this.columns.get(raw)

        def content() -> None:
            self.layout(part.content)
            self._trailing(part.trailing)

        def changed() -> None:
            step = _step(part.through)
            if step is None:
                content()
            else:
                self._changed(part.name, None, step.pack, lambda inner: inner.unpacked(part))

        if raw is None or given is None:
            changed()
            return
        self.within(self.asm.value(op.NOT, (given.valid,)), changed)
        self.within(given.valid, lambda: self._octets(raw))

    # Bytes, texts and structs

    def _lone(self, part: Lone) -> None:
        """A value; its bytes where these are given beside it."""
        start, raw = self.cursor, part.field.raw
        kept = self.this.columns.get(raw) if raw else None
        if isinstance(kept, Octets) and raw:
            fixed = getattr(getattr(part.subcon, "extent", None), "fixed", None)
            self.within(self.asm.value(op.NOT, (kept.valid,)), lambda: self._lone_value(part))
            self.within(kept.valid, lambda: self._octets(raw, None if fixed is None else codec.Size(fixed)))
        else:
            self._lone_value(part)
        self.spans[part.name] = start, self.cursor
        if part.name in self.this.inner:
            self.spans.update({f"{part.name}.{name}": span for name, span in self.inside.items()})

    def _lone_value(self, part: Lone) -> None:
        said = part.field
        if part.derived and not isinstance(part.subcon, _NUMBERS):
            raise NoProgramError("a derived value that is no number")
        self._value(part.name, said, part.subcon)

    def _value(self, name: str, said: codec.Field, kind: object) -> None:
        match kind:
            case FormatField() | BytesInteger() | codec.Boolean() | codec.EitherOrder() | codec.WordSwapped():
                self._field(name, said, NumberFormat.from_construct(kind))
            case Varint():
                self._varint(name, said, kind)
            case codec.Bcd() | codec.Zoned():
                self._decimal(name, said, kind)
            case codec.IbmFloat():
                self._ibm_float(name, said, kind)
            case codec.Ascii():
                self._digits(name, said, kind)
            case codec.SizedInteger():
                self._sized_integer(name, said, kind)
            case codec.As(meaning=Counted() | DecimalMeaning()):
                self._value(name, said, kind.subcon)
            case codec.As() if (way := WAYS.get(type(kind.meaning))) is not None:
                self._spelled(name, way)
            case codec.Constant():
                self._may_fill(self.this, name)
                self._constant(kind.value)
            case codec.Blob() | codec.Text(encoding="utf-8" | "ascii"):
                self._prepare(name, said)
                self._octets(name, kind.extent)
            case codec.Text():
                self._changed(name, kind.extent, partial(_encoded, encoding=kind.encoding), lambda it: it._octets(name))
            case codec.PackedText(counted=codec.Prefixed() as prefix):
                self._counted(name, kind.known, prefix)
            case codec.PackedText():
                self._changed(name, kind.extent, _packing(kind), lambda inner: inner._octets(name))
            case codec.Packed(value=codec.Text(extent=codec.Rest()) | codec.Blob(extent=codec.Rest())):
                self._packed(name, said, kind)
            case codec.Layout():
                self._struct(name, kind, {})
            case codec.With() if not kind.items:
                self._struct(name, kind.layout, dict(self._given_to(kind)), kind.late)
            case codec.Nested():
                self._enclosed(kind.extent, lambda: self._value(name, said, kind.layout))
            case codec.Repeat():
                self._may_fill(self.this, name)
                self._items(name, kind)
            case codec.Deeper():
                raise NoProgramError(TOO_DEEP)
            case _:
                raise NoProgramError(f"parts of type {type(kind).__name__}")

    def _given_to(self, kind: codec.With) -> Iterator[tuple[str, Found]]:
        """What a struct is given, as far as that is known: it may be needed only to read."""
        for name, value in kind.early.items():
            with suppress(NoProgramError):
                yield name, self.ask(value)

    def _items(self, name: str, kind: codec.Repeat) -> None:
        """The items of a list, if a program can write them; else it is laid out as if it had none."""
        known = self.this.columns.get(name)
        filled = isinstance(kind.item, codec.With) and not kind.item.early  # their numbers are for defaults alone
        apart = (
            kind.at is not None or kind.shared or (kind.numbered and not filled) or kind.hollow or kind.name is not None
        )
        if not isinstance(known, Items) or known.outline.items is None or apart:
            return
        inner = ItemArranging(self, known.outline.items)
        try:
            inner.item(kind.item)
        except NoProgramError as error:
            self.left[str(error)] = None
            return
        self.left |= inner.left
        self.items[known.path] = inner
        self._copy(known.written())

    def _packed(self, name: str, said: codec.Field, kind: codec.Packed) -> None:
        """The packed bytes where these are given, else those that they unpack to, as far as they are packed."""
        raw = kind.through.raw
        given = None if raw is None else self.this.columns.get(raw)

        def changed() -> None:
            step = _step(kind.through)
            if step is None:
                self._octets(name, kind.extent)
            else:
                self._changed(name, kind.extent, step.pack, lambda inner: inner._value(name, said, kind.value))

        if raw is None or not isinstance(given, Octets):
            changed()
            return
        self.within(self.asm.value(op.NOT, (given.valid,)), changed)
        self.within(given.valid, lambda: self._given_octets(given, kind.extent, raw))

    def _counted(self, name: str, known: CharacterSet, prefix: codec.Prefixed) -> None:
        """Packed characters behind their number."""
        if not known.characters.replace(known.NONE, "").isascii():
            raise NoProgramError("counted characters that have several bytes in UTF-8")
        given = self.this.columns.get(name)
        if not isinstance(given, Octets | None):
            raise NoProgramError("a text that is given as something else")
        self._prefix(prefix, self._size_of(given))
        change = partial(_filled, known=known)
        self._given_octets(self._changed_octets(name, change, lambda it: it._octets(name), always=False), None)

    def _changed(
        self,
        name: str,
        extent: object,
        change: Callable[[bytes], bytes],
        lay: "Callable[[ChangedArranging], None]",
    ) -> None:
        """What becomes of bytes that a program of their own writes before. It stands where these are given."""
        self._given_octets(self._changed_octets(name, change, lay, always=extent is None), extent)

    def _changed_octets(
        self, name: str, change: Callable[[bytes], bytes], lay: "Callable[[ChangedArranging], None]", *, always: bool
    ) -> Octets:
        """The same bytes, which are there ``always``, or where the value is given."""
        inner = ChangedArranging(self, change)
        inner._lay(partial(lay, inner), (inner.header, inner.this))
        this, path = self.this, (*self.this.path, f"{name}, changed {len(self.items)}")
        assert this.inputs is not None
        for each, where in inner.this.filled.items():
            if where == op.ONES:
                self._may_fill(this, each)
        this.placed |= inner.this.placed
        known = this.told.get(name)
        valid = known.valid if isinstance(known, Octets) and not always else op.ONES
        self.items[path] = inner
        return this.inputs.octets((*path, WRITTEN), valid)

    def text_in_bits(self, name: str, said: codec.Field, kind: codec.BitText, *, lsb: bool) -> Octets:
        def change(text: bytes) -> bytes:
            if not text and not kind.pad:  # there is none, or the record says that it is another one
                return bytes((kind.count * kind.width + 7) // 8)
            return kind.octets(text.decode(), lsb=lsb)

        def lay(inner: ChangedArranging) -> None:
            inner._prepare(name, said)
            inner._octets(name)

        return self._changed_octets(name, change, lay, always=False)

    def _column(self, name: Name) -> tuple[Path, Outline] | None:
        """The path of the column with the values of a name, and what is known of it; None if there is none."""
        scope = self.header if name.origin is Origin.RECORD else self.this
        outlines, outline = scope.outlines, None
        for step in name.steps if name.origin is not Origin.INPUT else ():
            outline = outlines.get(step)
            if outline is None:
                return None
            outlines = dict(outline.fields)
        return None if outline is None else ((*scope.path, *name.steps), outline)

    def _trailing(self, name: str | None) -> None:
        if name is not None:
            self._octets(name)

    def _struct(
        self, name: str, content: codec.Layout, given: dict[str, Any], later: Mapping[str, Expression] = NOTHING
    ) -> None:
        known, outer, spans = self.this.columns.get(name), self.this, self.spans
        if not isinstance(known, Struct | None):
            raise NoProgramError("a struct that is given as something else")
        outline = outer.outlines.get(name)
        inner = Laid(
            dict(known.fields) if known is not None else {},
            given,
            outlines=dict(outline.fields) if outline is not None else {},
            inputs=outer.inputs,
            path=(*outer.path, name),
            around=outer,
            later=later,
        )
        outer.inner[name] = inner
        self.this, self.spans = inner, {}
        self.nesting += 1
        self.layout(content)
        self.nesting -= 1
        inner.spans = self.inside = self.spans
        self.this, self.spans = outer, spans


class InnerArranging(Arranging):
    """Lays out a part of what is ``around``, by a program of its own."""

    change: Callable[[bytes], bytes] | None = None
    """What becomes of the bytes that are laid out."""

    def __init__(self, around: Arranging, again: Callable[[Inputs], Laid]) -> None:
        asm = Assembler()
        asm.path = around.asm.path
        self.inputs = Inputs(asm)
        super().__init__(around.parameters, asm, again(self.inputs), little=around.little)
        self.around = around
        self.asked: dict[str, Path] = {}
        """The columns around that are asked for, by the names that they have here."""


class ItemArranging(InnerArranging):
    """Lays out items of a list, a column of a table beside those around the list that they ask for."""

    def __init__(self, around: Arranging, items: Outline) -> None:
        outlines = {ITEM: items}
        super().__init__(around, lambda inputs: Laid(inputs.columns((), outlines), outlines=outlines, inputs=inputs))
        self.columns_around: dict[str, Datum] = {}

    def item(self, kind: object) -> None:
        """Lay out an item. Raises ``NoProgramError``."""
        self._lay(lambda: self._item(kind), [self.header])

    def _item(self, kind: object) -> None:
        self.this = self.header
        self._value(ITEM, kind if isinstance(kind, codec.Field) else codec.Field(kind), kind)

    def known(self, name: Name) -> Datum | int | None:
        around = (Origin.THIS, Origin.INPUT, Origin.RECORD) if self.this is self.header else (Origin.RECORD,)
        if name.origin not in around:
            return super().known(name)
        found = self.around.known(name)
        if found is None or isinstance(found, int):
            return found
        column = self._column(name)
        assert column is not None
        return self.columns_around[column[0][0]]

    def _column(self, name: Name) -> tuple[Path, Outline] | None:
        if name.origin is not Origin.RECORD and self.this is not self.header:
            return super()._column(name)
        column = self.around._column(name)
        if column is None:
            raise NoProgramError("what is not given around a list")
        path, outline = column
        flat = ".".join(path)
        if flat not in self.asked:
            self.asked[flat] = path
            self.columns_around |= self.inputs.columns((), {flat: outline})
        return (flat,), outline


class ChangedArranging(InnerArranging):
    """Lays out bytes that are changed before they stand in the record, from the same columns as what is around them."""

    def __init__(self, around: Arranging, change: Callable[[bytes], bytes]) -> None:
        if around.this.inputs is None:
            raise NoProgramError("bytes that are changed")
        super().__init__(around, lambda inputs: _again(around.header, inputs))
        self.change = change
        if around.this is not around.header:
            self.this = _again(around.this, self.inputs)

    def unpacked(self, part: codec.Unpack) -> None:
        """Lay out what is unpacked of a section."""
        self.layout(part.content)
        self._trailing(part.trailing)
        self.this.spans = self.spans

    def known(self, name: Name) -> Datum | int | None:
        if name.origin is Origin.RECORD and isinstance(self.around, InnerArranging):
            raise NoProgramError("what is not given of the header")
        return super().known(name)


def _again(laid: Laid, inputs: Inputs) -> Laid:
    """The same columns for another program."""
    columns = inputs.columns(laid.path, laid.outlines)
    return Laid(columns, outlines=laid.outlines, inputs=inputs, path=laid.path, placed=set(laid.placed))


def asks_left(part: object) -> bool:
    """Whether something is there if enough bytes are left."""
    return isinstance(part, codec.When) and any(name.origin is Origin.SECTION for name in part.condition.names)


def _step(through: codec.Through) -> Transform | None:
    """What bytes go through, if that is the same in all records."""
    if through.way.asked.names:
        return None
    try:
        step = through.way.step({}, {}, Frame({}))
    except DecodeError:
        return None
    return None if isinstance(step, Same) else step


def _packing(kind: codec.PackedText) -> Callable[[bytes], bytes]:
    """What packs the characters of a text. Raises ``NoProgramError``."""
    fixed = kind.extent.fixed
    if kind.characters.pad and fixed is None:
        raise NoProgramError("packed characters with padding, in a size that varies")
    return lambda text: kind.octets(text.decode(), fixed)


def _filled(text: bytes, known: CharacterSet) -> bytes:
    return known.filled(known.codes(text.decode()))


def _encoded(text: bytes, encoding: str) -> bytes:
    return encoded(text.decode(), encoding)
