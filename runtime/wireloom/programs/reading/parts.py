"""The parts of layouts, and values, in programs."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial, singledispatch
from typing import Any

from construct import BytesInteger, FormatField

from wireloom import codec
from wireloom.codec.columns import is_whole
from wireloom.codec.computed import LIMITS, Computed
from wireloom.codec.envelopes import KeptRecord
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.layout import Lone
from wireloom.codec.runs import Run
from wireloom.codec.varints import Varint
from wireloom.expressions import Expression
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import Found, both, both_masks, either_not, whole
from wireloom.programs.labels import named
from wireloom.programs.number_format import NumberFormat, singles, swapped_words, varint_form
from wireloom.programs.reading.bit_fields import bit_field, bits_in_memory
from wireloom.programs.reading.borrowing import borrowed
from wireloom.programs.reading.checks import (
    certain,
    inputs,
    late_structs,
    limited,
    meant,
    name_number,
    of_each,
    put,
    shown,
    valid,
    verify,
    verify_late,
)
from wireloom.programs.reading.compression import opened
from wireloom.programs.reading.decimals import packed_decimal
from wireloom.programs.reading.ends import padded, terminated
from wireloom.programs.reading.flatbuffers import table
from wireloom.programs.reading.ibm import ibm_float
from wireloom.programs.reading.items import ItemLowering
from wireloom.programs.reading.lists import listed, no_items
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.reading.sized import sized_integer
from wireloom.programs.reading.texts import chosen, counted_text, packed_text, text, text_in_bits
from wireloom.programs.reading.zoned import zoned_decimal
from wireloom.programs.reasons import Hexadecimal, Reason, SectionName, ShownNumber
from wireloom.programs.values import (
    FARTHEST,
    TOO_DEEP,
    WAYS,
    WORD,
    Datum,
    LateStruct,
    Level,
    Listed,
    Mask,
    NoItems,
    NoProgramError,
    Number,
    Octets,
    Spelled,
    Struct,
    valid_in,
)

_ZEROS = 3
"""Numbers whose bytes are kept may begin with so many zeros that are not written."""


def layout(content: codec.Layout, at: Lowering) -> None:
    """The parts of a layout in order. Raises ``NoProgramError``."""
    for each in content.steps:
        step(each, at)


@singledispatch
def step(part: Any, at: Lowering) -> None:
    """A part of a layout. Raises ``NoProgramError``."""
    raise NoProgramError(f"parts of type {type(part).__name__}")


@step.register
def _run(part: Run, at: Lowering) -> None:
    kinds = [NumberFormat.from_construct(said) for _, said in part.fields]
    at.need(*((name, kind.size) for (name, _), kind in zip(part.fields, kinds, strict=True)))
    numbers = []
    for (name, _), kind in zip(part.fields, kinds, strict=True):
        start = at.cursor
        with at.asm.field(name):
            numbers.append(number_at(kind, at))
        at.spans[name] = start, at.cursor
    for (name, said), number in zip(part.fields, numbers, strict=True):
        with at.asm.field(name):
            _number(name, said, number, at)
    for name, said in part.fields:
        valid(at, name, said)


def _number(name: str, said: codec.Field, number: Number, at: Lowering) -> None:
    """A field whose number was just read, or what that means."""
    if isinstance(said.subcon, codec.As):
        at.this.columns[name] = certain(at, meant(at, number, said.subcon.meaning))
    else:
        put(at, name, said, number)


@step.register
def _lone(part: Lone, at: Lowering) -> None:
    with at.asm.field(part.name):
        _lone_value(part, at)
    valid(at, part.name, part.field)


def _lone_value(part: Lone, at: Lowering) -> None:
    start, field = at.cursor, part.field
    if field.raw and field.meaning is None:
        found = _kept(part.subcon, field.raw, at)
        if part.derived and isinstance(found, Number):
            at.must(found.valid)
    elif field.enum is not None and isinstance(part.subcon, codec.Repeat):
        found = _named_list(part.subcon, part.name, field, at)
    else:
        found = value(part.subcon, at)
    at.spans[part.name] = start, at.cursor
    if isinstance(found, Number):
        put(at, part.name, field, found)
    elif field.meaning is not None:
        raise NoProgramError("a meaning of what is no number")
    else:
        at.this.columns[part.name] = found
        if field.const is not None:
            _must_be(field.const, found, part.subcon, at)
    for name, kind in part.late:
        level, apart = at.innermost
        at.this.late.append(LateStruct(name, kind, level, at.inside, apart, at.where, at.whole))
    if isinstance(found, Struct):
        if field.watched and isinstance(part.subcon, codec.Packed):
            raise NoProgramError("where something is in what is packed, or around that")
        at.spans.update({f"{part.name}.{name}": span for name, span in at.inside.items()})
        at.apart = at.apart | {f"{part.name}.{name}" for name in at.innermost[1]}


_ONE_FORM = Varint | codec.SizedInteger | codec.IbmFloat | codec.Bcd | codec.Zoned
"""Numbers that programs read as they are written."""


def _kept(kind: object, name: str, at: Lowering) -> Datum:
    """A value, and its bytes where these lack a terminator, or digits, that would be written."""
    asm, begin = at.asm, at.cursor
    if isinstance(kind.item if isinstance(kind, codec.Repeat) else kind, _ONE_FORM):
        read_strictly, at.partial = value(kind, at), True
        at.this.columns[name] = Octets(begin, at.cursor, asm.number(0))
        return read_strictly
    if not isinstance(kind, codec.Text | codec.Blob | codec.Ascii):
        raise NoProgramError("bytes that are kept beside a value")
    (start, stop), kept = _extent(kind.extent, at)
    end, at.partial = at.cursor, at.partial or asm.constant(kept) != 0
    found: Datum
    if isinstance(kind, codec.Ascii):
        there = asm.value(op.LESS, (start, stop))
        outer, at.where = at.where, both(asm, at.where, there)
        first = _behind_zeros(kind, start, stop, at)
        found = replace(_ascii(kind, (first, stop), at), valid=there)
        at.where = outer
        written = both(asm, there, asm.value(op.EQUAL, (start, first)))
        kept = asm.value(op.OR, (kept, asm.value(op.NOT, (written,))))
    elif isinstance(kind, codec.Text):
        found = text(kind, (start, stop), begin, at)
    else:
        found = Octets(start, stop)
    at.this.columns[name] = Octets(begin, end, kept)
    return found


def _behind_zeros(kind: codec.Ascii, start: int, stop: int, at: Lowering) -> int:
    """Where a number begins behind zeros that would not be written, if they are not very many."""
    asm = at.asm
    for _ in range(_ZEROS):
        is_long = asm.value(op.LESS_EQUAL, (at.moved(start, 1 + kind.digits), stop))
        second = asm.value(op.CHOOSE, (is_long, at.moved(start, 1), start))
        start = asm.value(op.CHOOSE, (asm.same(start, second, b"0"), second, start))
    return start


def _ascii(kind: codec.Ascii, span: Span, at: Lowering) -> Number:
    """A number in digits that are as it is written."""
    if kind.fill:
        raise NoProgramError("digits after a filling")
    at.partial |= kind.bits > 63
    form = int(kind.signed) + 2 * int(kind.alphabet.isupper() and kind.base > 10)
    register = at.asm.value(op.DIGITS, (*span, at.where), (kind.base, kind.digits, form))
    return limited(at, Number(register, -WORD, WORD - 1), kind.least, kind.most, at.where)


def _must_be(wanted: object, found: Datum, kind: object, at: Lowering) -> None:
    """The text or the bytes that were just read must be these."""
    octets = wanted.encode() if isinstance(wanted, str) else wanted
    if not isinstance(octets, bytes) or not isinstance(found, Octets):
        raise NoProgramError("a constant that is neither text nor bytes")
    match kind:
        case codec.Text(extent=codec.Size(), encoding="utf-8") | codec.Blob(extent=codec.Size()):
            if kind.extent.fixed == len(octets):
                _are(octets, at.position, at.shift - len(octets), at)
                return
    at.must(at.asm.same(found.start, found.stop, octets))


@step.register
def _bits(part: codec.Bits, at: Lowering) -> None:
    kind = NumberFormat.from_construct(part.integer)
    if part.over:
        at.shift -= kind.size
    at.need((part.whole[0] if part.whole is not None else part.fields[0][0], kind.size))
    start, place = at.cursor, at.shift
    word = number_at(kind, at) if kind.size <= 8 else None
    at.shift = place + kind.size
    span = start, at.cursor
    if part.whole is not None and word is not None:
        at.spans[part.whole[0]] = span
        with at.asm.field(part.whole[0]):
            put(at, *part.whole, word)
    for name, said, shift, mask in part.fields:
        if isinstance(said.subcon, codec.BitList):
            raise NoProgramError("bits as a list")
        at.spans[name] = span
        with at.asm.field(name), at.without_reasons() if part.bitmap else nullcontext():
            if isinstance(said.subcon, codec.BitText):
                at.this.columns[name] = _bit_text(part, said.subcon, kind, shift, place, at)
            elif word is None:
                width, little = mask.bit_length(), kind.is_little(little=at.little)
                bits = bits_in_memory(at, place, kind.size, shift, width, little=little)
                _number(name, said, bit_field(at, said.subcon, bits, 0, start), at)
            else:
                _number(name, said, bit_field(at, said.subcon, word, shift, start), at)
        valid(at, name, said)


def _bit_text(
    part: codec.Bits, text: codec.BitText, kind: NumberFormat, shift: int, place: int, at: Lowering
) -> Octets:
    """A text in some bits of a number at a place behind the position."""
    little, width = kind.is_little(little=at.little), text.count * text.width
    low, high = shift // 8, (shift + width + 7) // 8
    begin, end = (low, high) if little else (kind.size - high, kind.size - low)
    span = at.moved(at.position, place + begin), at.moved(at.position, place + end)
    others = shift - 8 * low, 8 * high - shift - width
    return text_in_bits(text, span, others, at, lsb=part.lsb, little=little)


@step.register
def _computed(part: Computed, at: Lowering) -> None:
    with at.asm.field(part.name):
        _computed_value(part, at)
    value = at.this.columns.get(part.name)
    if value is not None and part.field.valid is not None:
        at.within(value.valid, lambda: valid(at, part.name, part.field, at.cursor))


def _computed_value(part: Computed, at: Lowering) -> None:
    compute = part.compute
    if compute.type in ("string", "binary"):
        at.weigh()
        text_or_octets = chosen(compute.value.tree, at)
        if text_or_octets is not None:
            at.this.columns[part.name] = text_or_octets
        return
    number = of_each(at, at.ask(compute.value))
    if part.field.is_bounded(at.u64):
        number = limited(at, number, 0, WORD - 1)
    if not number.integer or not (compute.type == "boolean" or is_whole(compute.type)):
        raise NoProgramError("a number that is computed and not whole")
    if compute.type == "boolean" and not number.truth:
        raise NoProgramError("a truth value that is computed from numbers")
    limits = LIMITS.get(str(compute.type))
    if limits is not None:
        words = shown(part.field, number), f" does not fit a {compute.type}"
        number = limited(at, number, *limits, reason=Reason("range", at.cursor, words))
    if compute.meaning is not None:
        at.this.columns[part.name] = meant(at, number, compute.meaning)
        return
    name_number(at, part.name, part.field, number)


@step.register
def _pad(part: codec.Pad, at: Lowering) -> None:
    size: Found
    if part.align == 1:
        asked = part.extent.size
        size = asked if isinstance(asked, int) else at.ask(asked)
    else:
        origin = at.offset("record" if part.start is None else part.start)
        here = at.asm.value(op.SUBTRACT, (at.cursor, at.begin))
        gap = at.asm.value(op.SUBTRACT, (origin.register, here))
        size = Number(at.asm.value(op.MODULO, (gap, at.asm.number(part.align))), 0, part.align - 1)
    with at.without_reasons():  # which would be of the section that it is in
        start, stop = at.take(size)
    at.must(at.asm.value(op.EQUAL, (at.asm.value(op.TRIM, (start, stop, at.where), (0, 1)), start)))


@step.register
def _section(part: codec.Section, at: Lowering) -> None:
    with at.asm.field(SectionName(part.name)):
        at.spans[part.name] = span = extent(part.extent, at)
        outer = at.enter(span)
        layout(part.content, at)
        at.end(part.trailing)
        at.leave(outer)


@step.register
def _elsewhere(part: codec.Elsewhere, at: Lowering) -> None:
    if not part.optional:
        _read_elsewhere(part, at)
        return
    with at.without_reasons():  # as a record is not malformed without it, but the codec's
        _read_elsewhere(part, at)
    at.partial = True


def _read_elsewhere(part: codec.Elsewhere, at: Lowering) -> None:
    if part.shared and isinstance(at, ItemLowering):
        borrowed(at.ask(part.at), partial(layout, part.content), at)
    elif part.count is None:
        at.away(at.ask(part.at), lambda: layout(part.content, at), shared=part.shared)
    else:
        _list_elsewhere(part, part.count, at)


def _list_elsewhere(part: codec.Elsewhere, count: Expression, at: Lowering) -> None:
    """A counted list, which may be outside the record if it has no items: then it is read here."""
    asm, place, items = at.asm, at.ask(part.at), at.ask(count)
    if not isinstance(place, Number) or not isinstance(items, Number):
        at.away(place, lambda: layout(part.content, at), shared=part.shared)
        return
    is_empty = both(asm, asm.value(op.EQUAL_NUMBER, (whole(asm, items),), (0,)), items.valid)
    here = asm.value(op.SUBTRACT, (at.cursor, op.START))
    inside = asm.value(op.CHOOSE, (is_empty, here, whole(asm, place)))
    at.away(
        Number(inside, min(place.least, 0), max(place.most, FARTHEST), place.valid),
        lambda: layout(part.content, at),
        shared=part.shared,
    )
    start = asm.value(op.ADD, (op.START, place.register))
    stop = asm.value(op.CHOOSE, (is_empty, start, at.spans[part.name][1]))
    at.spans[part.name] = start, stop


@step.register
def _when(part: codec.When, at: Lowering) -> None:
    at.within(at.holds(part.condition), lambda: layout(part.content, at))


@step.register
def _optional(part: codec.Optional, at: Lowering) -> None:
    at.within(at.asm.value(op.LESS, (at.cursor, at.limit)), lambda: layout(part.content, at))


@step.register
def _choice(part: codec.Choice, at: Lowering) -> None:
    tests: list[Mask] = [at.holds(one.condition) if isinstance(one, codec.When) else True for one in part.alternatives]
    contents = (option.content if isinstance(option, codec.When) else option for option in part.alternatives)
    _alternatives(at, [(holds, partial(layout, content, at)) for holds, content in zip(tests, contents, strict=True)])


@step.register
def _ordered(part: codec.Ordered, at: Lowering) -> None:
    def read_in(*, little: bool) -> None:
        outer, at.little = at.little, little
        try:
            layout(part.content, at)
        finally:
            at.little = outer

    _alternatives(at, [(at.holds(part.little), partial(read_in, little=True)), (True, partial(read_in, little=False))])


def _alternatives(at: Lowering, options: Iterable[tuple[Mask, Callable[[], None]]]) -> None:
    """Read the first one of several that holds."""
    before = dict(at.this.columns)
    free: Mask = True
    common: set[str] | None = None
    for holds, read_one in options:
        mine = both_masks(at.asm, free, holds)
        names = _alternative(mine, read_one, at)
        if mine is not False:
            common = names if common is None else common & names
        free = either_not(at.asm, free, holds)
    for name in common or () if free is False else ():
        if before.get(name) is not at.this.columns[name]:
            at.this.columns[name] = valid_in(at.this.columns[name], op.ONES)


def _alternative(holds: Mask, read_one: Callable[[], None], at: Lowering) -> set[str]:
    """Read one of several; the names of the values that all of its rows have."""
    found: set[str] = set()

    def read_all() -> None:
        known = dict(at.this.columns)
        read_one()
        news = ((name, one) for name, one in at.this.columns.items() if one is not known.get(name))
        found.update(name for name, one in news if one.valid == op.ONES)

    at.within(holds, read_all)
    return found


@step.register
def _encoded(part: Encoded, at: Lowering) -> None:
    begin = at.cursor
    with at.asm.field(part.name):
        with at.without_reasons():  # which would be of what is around it
            span = extent(part.encoding.extent, at)
        at.this.columns[part.name] = table(part.encoding.table, at, span)
    at.this.columns[part.encoding.raw] = Octets(*span)
    at.spans[part.name] = begin, at.cursor


@step.register
def _kept_record(part: KeptRecord, at: Lowering) -> None:
    """Nothing: programs read records that are as they would be written."""


@step.register
def _unpack(part: codec.Unpack, at: Lowering) -> None:
    def read_inside() -> None:
        layout(part.content, at)
        sums = [(name, field) for name, field in part.content.derived if field.checksum is not None]
        verify(at, sums, lambda name, checksum: False)
        at.end(part.trailing)

    unpacked = opened(part.through, at, (at.cursor, at.limit))
    at.move(at.limit)
    at.within_packed(unpacked, read_inside)


def value(kind: object, at: Lowering) -> Datum:
    """The next value. Raises ``NoProgramError``."""
    match kind:
        case FormatField() | BytesInteger() | codec.Boolean() | codec.EitherOrder() | codec.WordSwapped():
            number = NumberFormat.from_construct(kind)
            at.need((None, number.size))
            return number_at(number, at)
        case Varint():
            return _varint(kind, at)
        case codec.Bcd():
            return packed_decimal(kind, at)
        case codec.IbmFloat():
            return ibm_float(kind, at)
        case codec.Zoned():
            return zoned_decimal(kind, at)
        case codec.SizedInteger():
            return sized_integer(kind, extent(kind.extent, at), at)
        case codec.Constant():
            return _constant(kind.value, at)
        case codec.Ascii():
            return _ascii(kind, extent(kind.extent, at), at)
        case codec.Blob():
            return Octets(*extent(kind.extent, at))
        case codec.Text():
            begin = at.cursor
            return text(kind, extent(kind.extent, at), begin, at)
        case codec.PackedText(counted=codec.Prefixed(length=length)) if isinstance(count := value(length, at), Number):
            return counted_text(kind, count, at)
        case codec.PackedText():
            return packed_text(kind, extent(kind.extent, at), at)
        case codec.Layout():
            return _struct(kind, {}, at)
        case codec.With() if not kind.items:
            return _struct(kind.layout, inputs(kind.early, at), at)
        case codec.As() if (way := WAYS.get(type(kind.meaning))) is not None:
            start, _ = extent(kind.subcon.extent, at)
            return Spelled(start, way)
        case codec.As() if isinstance(found := value(kind.subcon, at), Number):
            return certain(at, meant(at, found, kind.meaning))
        case codec.Deeper():
            return _deeper(at)
        case codec.Packed():
            unpacked = opened(kind.through, at, extent(kind.extent, at))
            return at.within_packed(unpacked, lambda: value(kind.value, at))
        case codec.Nested():
            return _nested(kind, at)
        case codec.Repeat(at=None):
            return _list(kind, at, partial(value, kind.item))
    raise NoProgramError(f"parts of type {type(kind).__name__}")


def _deeper(at: Lowering) -> Octets:
    """A value whose bytes only the codec finds."""
    at.left[TOO_DEEP] = None
    at.must(False)
    at.move(at.cursor)
    return Octets(at.cursor, at.cursor)


def _varint(kind: Varint, at: Lowering) -> Number:
    """A number of variable length."""
    bits = 64 if isinstance(kind, codec.Protobuf) else kind.bits
    register, after = at.asm.several(op.VARINT, 2, (at.cursor, at.limit, at.where), (bits, varint_form(kind)))
    at.move(after)
    if isinstance(kind, codec.ZigZag):
        register = _unfolded(register, at)
    if isinstance(kind, codec.Protobuf):
        return limited(at, Number(register, -WORD, WORD - 1), kind.least, kind.most)
    return Number(register, kind.least, kind.most)


def _unfolded(register: int, at: Lowering) -> int:
    """The signed number that an unsigned one stands for, whose lowest bit is its sign."""
    asm = at.asm
    half = asm.value(op.AND_NUMBER, (asm.value(op.SHIFT_RIGHT, (register, asm.number(1))),), (WORD - 1,))
    sign = asm.value(op.SUBTRACT, (asm.number(0), asm.value(op.AND_NUMBER, (register,), (1,))))
    return asm.value(op.XOR, (half, sign))


def _constant(wanted: bytes, at: Lowering) -> Octets:
    """Bytes that must be these."""
    span = at.take(len(wanted))
    words = f"{wanted.hex()} expected, found ", Hexadecimal(span[0], len(wanted))
    _are(wanted, at.position, at.shift - len(wanted), at, Reason("constant", span[0], words))
    return Octets(*span)


def _are(wanted: bytes, position: int, shift: int, at: Lowering, reason: Reason | None = None) -> None:
    """Rows in which the bytes there are others are not sound."""
    while wanted:
        size = next(each for each in (8, 4, 2, 1) if each <= len(wanted))
        found = at.asm.load(position, shift, size, little=True)
        same = at.asm.value(op.EQUAL_NUMBER, (found,), (int.from_bytes(wanted[:size], "little"),))
        at.must(same, reason=reason)
        wanted, shift = wanted[size:], shift + size


def _nested(kind: codec.Nested, at: Lowering) -> Datum:
    span = extent(kind.extent, at)
    after, outer = at.cursor, at.enter(span)
    found = value(kind.layout, at)
    at.end()
    at.leave(outer)
    at.move(after)
    return found


def _named_list(kind: codec.Repeat, name: str, said: codec.Field, at: Lowering) -> Datum:
    """A list of numbers with names. Their labels are a list of its own, which is read from the same bytes."""
    assert said.enum is not None
    enum, begin = said.enum, (at.position, at.shift)

    def numbers(inner: Lowering) -> Datum:
        number = value(kind.item, inner)
        return replace(number, names=enum) if isinstance(number, Number) else number

    def of_numbers(inner: Lowering) -> Datum:
        number = numbers(inner)
        return named(inner.asm, number, enum) if isinstance(number, Number) else number

    found = _list(kind, at, numbers)
    if said.labels:
        at.move(*begin)
        with at.asm.field(f"{name}_name"), at.without_reasons():
            at.this.columns[f"{name}_name"] = _list(kind, at, of_numbers)
    return found


def _list(kind: codec.Repeat, at: Lowering, item: Callable[[Lowering], Datum]) -> Listed | NoItems:
    """A list, whose items a program of their own reads; rows in which it has some are not sound if none can."""
    inner = ItemLowering(at)
    try:
        if not at.decoding:
            raise NoProgramError("items of a list")
        given = inputs(kind.item.early, inner) if isinstance(kind.item, codec.With) else {}
        return listed(kind, item(inner), given, inner, at)
    except NoProgramError as error:
        at.left[str(error)] = None
        return no_items(kind, at)


def _struct(content: codec.Layout, given: dict[str, Any], at: Lowering) -> Struct:
    outer, spans, apart = at.this, at.spans, at.apart
    at.this, at.spans, at.apart = Level(given=given, late_inputs=content.late_inputs), {}, frozenset()
    at.nesting += 1
    layout(content, at)
    verify(at, content.derived_early, lambda name, checksum: False)
    verify_late(at, late_structs(at.this, outside=False))
    at.nesting -= 1
    at.this.hide(content.hidden)
    found, at.inside = Struct(at.this.columns), at.spans
    at.innermost = at.this, at.apart
    at.this, at.spans, at.apart = outer, spans, apart
    return found


def number_at(kind: NumberFormat, at: Lowering) -> Number:
    """The number at the cursor, whose bytes are there."""
    place, shift, little, bits = at.position, at.shift, kind.is_little(little=at.little), 8 * kind.size
    written = at.written(kind)
    at.shift += kind.size
    if written is not None and not kind.swapped:
        register = written
        known = at.asm.constant(register)
        if known is not None and (known >= 0 or kind.kind == "i") and kind.kind != "f" and not kind.boolean:
            return Number(register, known, known)
    elif written is not None:
        register = swapped_words(at.asm, written, kind.size)
    else:
        register = at.asm.load(place, shift, kind.size, little=little)
        register = swapped_words(at.asm, register, kind.size) if kind.swapped else register
    if kind.half:
        single = at.asm.value(op.LOOK_UP, (register,), (at.asm.shared(singles()), 1 << bits))
        return Number(at.asm.value(op.AND_NUMBER, (single,), (0xFFFF_FFFF,)), 0, 0, floating=4)
    if kind.kind == "f":
        return Number(register, 0, 0, floating=kind.size)
    if kind.boolean:
        words = "0 or 1 expected, found ", ShownNumber(register, None)
        reason = Reason("invalid", at.moved(place, shift), words)
        at.must(at.asm.value(op.LESS_NUMBER, (register,), (2,)), reason=reason)
        mask = register if written is not None else at.asm.value(op.MORE_NUMBER, (register,), (0,))
        return Number(mask, 0, 1, truth=True)
    if kind.kind == "i":
        is_signed = bits == 64 or (written is not None and not kind.swapped)
        register = register if is_signed else at.asm.value(op.SIGN, (register,), (bits,))
        return Number(register, -1 << bits - 1, (1 << bits - 1) - 1)
    return Number(register, 0, (1 << bits) - 1)


def extent(kind: object, at: Lowering) -> Span:
    """From where to where a value is; goes on behind it. Raises ``NoProgramError``."""
    return _extent(kind, at)[0]


def _extent(kind: object, at: Lowering) -> tuple[Span, int]:
    """The same, and the mask of where its bytes are kept beside the value."""
    match kind:
        case codec.Rest():
            span = at.cursor, at.limit
            at.move(at.limit)
        case codec.Size(size=size):
            span = at.take(size if isinstance(size, int) else at.ask(size))
        case codec.Prefixed(length=length) if isinstance(found := value(length, at), Number):
            span = at.take(found)
        case codec.Until():
            return terminated(kind, at)
        case codec.Padded(size=size):
            return padded(kind, extent(size, at), at)
        case _:
            raise NoProgramError(f"parts of type {type(kind).__name__}")
    return span, at.asm.number(0)
