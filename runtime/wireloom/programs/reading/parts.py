"""The parts of layouts, and values, in programs."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, singledispatch
from typing import Any

from construct import BytesInteger, FormatField

from wireloom import codec
from wireloom.codec.computed import LIMITS, Computed
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.layout import Lone
from wireloom.codec.runs import Run
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import Found, both, both_masks, either_not, some_bits, whole
from wireloom.programs.number_format import NumberFormat
from wireloom.programs.outputs import Output
from wireloom.programs.reading.checks import certain, meant, name_number, put, shown, valid, verify
from wireloom.programs.reading.compression import opened
from wireloom.programs.reading.flatbuffers import table
from wireloom.programs.reading.items import ItemLowering
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.reasons import Hexadecimal, Reason, SectionName, Shown
from wireloom.programs.values import (
    APART,
    FARTHEST,
    WAYS,
    WORD,
    Datum,
    Level,
    Listed,
    Listing,
    Mask,
    NoItems,
    NoProgramError,
    Number,
    Octets,
    Spelled,
    Struct,
    valid_in,
)


def layout(content: codec.Layout, at: Lowering) -> None:
    """The parts of a layout in order. Raises ``NoProgramError``."""
    for step in content.steps:
        if at.judge.reason(step):
            raise NoProgramError(APART)
        read(step, at)


@singledispatch
def read(part: Any, at: Lowering) -> None:
    """Read a part of a layout. Raises ``NoProgramError``."""
    raise NoProgramError(f"parts of type {type(part).__name__}")


@read.register
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


@read.register
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
            _must_be(field.const, part.subcon, at)
    if isinstance(found, Struct):
        at.spans.update({f"{part.name}.{name}": span for name, span in at.inside.items()})


def _kept(kind: object, name: str, at: Lowering) -> Datum:
    """A value, and its bytes where these lack a terminator, or digits, that would be written."""
    if not isinstance(kind, codec.Text | codec.Blob | codec.Ascii):
        raise NoProgramError("bytes that are kept beside a value")
    asm, begin = at.asm, at.cursor
    start, stop = extent(kind.extent, at)
    end, kept = at.cursor, asm.number(0)
    if isinstance(kind.extent, codec.Until) and kind.extent.unterminated and kind.extent.terminator == "drop":
        kept = asm.value(op.EQUAL, (stop, end))
    found: Datum
    if isinstance(kind, codec.Ascii):
        there = asm.value(op.LESS, (start, stop))
        outer, at.where = at.where, both(asm, at.where, there)
        found = replace(_ascii(kind, (start, stop), at), valid=there)
        at.where = outer
        kept = asm.value(op.OR, (kept, asm.value(op.NOT, (there,))))
    elif isinstance(kind, codec.Text):
        found = _text(kind, (start, stop), at)
    else:
        found = Octets(start, stop)
    at.this.columns[name] = Octets(begin, end, kept)
    return found


def _ascii(kind: codec.Ascii, span: Span, at: Lowering) -> Number:
    """A number in digits that are as it is written."""
    if kind.fill or kind.bits > 63:
        raise NoProgramError("digits after a filling, or of 64 bits")
    form = int(kind.signed) + 2 * int(kind.alphabet.isupper() and kind.base > 10)
    register = at.asm.value(op.DIGITS, (*span, at.where), (kind.base, kind.digits, form))
    return _limited(at, Number(register, -WORD, WORD - 1), kind.least, kind.most, at.where)


def _must_be(wanted: object, kind: object, at: Lowering) -> None:
    """The text or the bytes that were just read must be these."""
    octets = wanted.encode() if isinstance(wanted, str) else wanted
    match kind:
        case codec.Text(extent=codec.Size(size=int(size))) | codec.Blob(extent=codec.Size(size=int(size))):
            if isinstance(octets, bytes) and len(octets) == size:
                _are(octets, at.position, at.shift - size, at)
                return
    raise NoProgramError("a constant of a size that varies")


@read.register
def _bits(part: codec.Bits, at: Lowering) -> None:
    kind = NumberFormat.from_construct(part.integer)
    if part.over:
        at.shift -= kind.size
    at.need((part.whole[0] if part.whole is not None else part.fields[0][0], kind.size))
    start = at.cursor
    word = number_at(kind, at)
    span = start, at.cursor
    if part.whole is not None:
        at.spans[part.whole[0]] = span
        with at.asm.field(part.whole[0]):
            put(at, *part.whole, word)
    for name, said, shift, mask in part.fields:
        if isinstance(said.subcon, codec.BitList):
            raise NoProgramError("bits as a list")
        at.spans[name] = span
        with at.asm.field(name):
            _number(name, said, some_bits(at.asm, word, shift, mask), at)
        valid(at, name, said)


@read.register
def _computed(part: Computed, at: Lowering) -> None:
    with at.asm.field(part.name):
        _computed_value(part, at)


def _computed_value(part: Computed, at: Lowering) -> None:
    compute, found = part.compute, at.ask(part.compute.value)
    number = _of_each(at, found)
    if not number.whole:
        raise NoProgramError("a number computed from one of 64 unsigned bits, or from a float")
    if compute.type == "boolean" and not number.truth:
        raise NoProgramError("a truth value that is computed from numbers")
    limits = LIMITS.get(str(compute.type))
    if limits is not None:
        words = shown(part.field, number), f" does not fit a {compute.type}"
        number = _limited(at, number, *limits, reason=Reason("range", at.cursor, words))
    if compute.meaning is not None:
        at.this.columns[part.name] = meant(at, number, compute.meaning)
        return
    name_number(at, part.name, part.field, number)


def _of_each(at: Lowering, found: Found) -> Number:
    """The number of each row, also if that is the same, or if there is none."""
    if found is None:
        return Number(at.asm.number(0), 0, 0, at.asm.number(0))
    if isinstance(found, int):
        return Number(at.asm.number(found), found, found, truth=found in (0, 1))
    return found


def _limited(
    at: Lowering, number: Number, least: int, most: int, where: int | None = None, reason: Reason | None = None
) -> Number:
    """The same; rows in which it is outside are not sound."""
    for sign, bound, inside in (
        (op.LESS_NUMBER, least, number.least >= least),
        (op.MORE_NUMBER, most, number.most <= most),
    ):
        if not inside and -WORD <= bound < WORD:
            beyond = at.asm.value(sign, (number.register,), (bound,))
            at.must(at.asm.value(op.NOT, (both(at.asm, beyond, number.valid),)), where, reason)
    return replace(number, least=max(least, number.least), most=min(most, number.most))


@read.register
def _pad(part: codec.Pad, at: Lowering) -> None:
    size: Found
    if part.align == 1:
        asked = part.extent.size
        size = asked if isinstance(asked, int) else at.ask(asked)
    else:
        origin = at.offset("record" if part.start is None else part.start)
        here = at.asm.value(op.SUBTRACT, (at.cursor, op.START))
        gap = at.asm.value(op.SUBTRACT, (origin.register, here))
        size = Number(at.asm.value(op.MODULO, (gap, at.asm.number(part.align))), 0, part.align - 1)
    start, stop = at.take(size)
    at.must(at.asm.value(op.EQUAL, (at.asm.value(op.TRIM, (start, stop, at.where), (0,)), start)))


@read.register
def _section(part: codec.Section, at: Lowering) -> None:
    with at.asm.field(SectionName(part.name)):
        outer = at.enter(part.name, extent(part.extent, at))
        layout(part.content, at)
        at.end(part.trailing)
        at.leave(outer)


@read.register
def _when(part: codec.When, at: Lowering) -> None:
    at.within(at.holds(part.condition), lambda: layout(part.content, at))


@read.register
def _optional(part: codec.Optional, at: Lowering) -> None:
    at.within(at.asm.value(op.LESS, (at.cursor, at.limit)), lambda: layout(part.content, at))


@read.register
def _choice(part: codec.Choice, at: Lowering) -> None:
    tests: list[Mask] = [at.holds(one.condition) if isinstance(one, codec.When) else True for one in part.alternatives]
    contents = (option.content if isinstance(option, codec.When) else option for option in part.alternatives)
    _alternatives(at, [(holds, partial(layout, content, at)) for holds, content in zip(tests, contents, strict=True)])


@read.register
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


@read.register
def _encoded(part: Encoded, at: Lowering) -> None:
    begin = at.cursor
    with at.asm.field(part.name):
        span = extent(part.encoding.extent, at)
        at.this.columns[part.name] = table(part.encoding.table, at, span)
    at.this.columns[part.encoding.raw] = Octets(*span)
    at.spans[part.name] = begin, at.cursor


@read.register
def _unpack(part: codec.Unpack, at: Lowering) -> None:
    if any(field.checksum is not None for _, field in part.content.derived):
        raise NoProgramError("a checksum of what is packed")
    outer, spans = at.limit, at.spans
    (start, at.limit), at.spans = opened(part.through, at, (at.cursor, outer)), {}
    at.move(start)
    at.opened += 1
    layout(part.content, at)
    at.end(part.trailing)
    at.opened -= 1
    at.limit, at.spans = outer, spans
    at.move(outer)


def value(kind: object, at: Lowering) -> Datum:
    """The next value. Raises ``NoProgramError``."""
    match kind:
        case FormatField() | BytesInteger() | codec.Boolean() | codec.EitherOrder():
            number = NumberFormat.from_construct(kind)
            at.need((None, number.size))
            return number_at(number, at)
        case codec.Leb128() if type(kind) is codec.Leb128 and kind.bits < 63:
            return Number(_leb128(kind.bits, at), 0, (1 << kind.bits) - 1)
        case codec.ZigZag() if type(kind) is codec.ZigZag and kind.bits < 63:
            return _folded(kind, at)
        case codec.Constant():
            return _constant(kind.value, at)
        case codec.Ascii():
            return _ascii(kind, extent(kind.extent, at), at)
        case codec.Blob():
            return Octets(*extent(kind.extent, at))
        case codec.Text():
            return _text(kind, extent(kind.extent, at), at)
        case codec.Layout():
            return _struct(kind, {}, at)
        case codec.With() if not kind.items:
            return _struct(kind.layout, {name: at.ask(each) for name, each in kind.values.items()}, at)
        case codec.As() if (way := WAYS.get(type(kind.meaning))) is not None:
            start, _ = extent(kind.subcon.extent, at)
            return Spelled(start, way)
        case codec.As() if isinstance(found := value(kind.subcon, at), Number):
            return certain(at, meant(at, found, kind.meaning))
        case codec.Packed(value=codec.Text(extent=codec.Rest()) | codec.Blob(extent=codec.Rest()) as inside):
            span = opened(kind.through, at, extent(kind.extent, at))
            return _text(inside, span, at) if isinstance(inside, codec.Text) else Octets(*span)
        case codec.Nested():
            return _nested(kind, at)
        case codec.Repeat(until=None, at=None):
            return _list(kind, at)
    raise NoProgramError(f"parts of type {type(kind).__name__}")


def _leb128(bits: int, at: Lowering) -> int:
    """The unsigned number at the cursor, in groups of seven bits."""
    register, after = at.asm.several(op.VARINT, 2, (at.cursor, at.limit, at.where), (bits,))
    at.move(after)
    return register


def _folded(kind: codec.ZigZag, at: Lowering) -> Number:
    """A signed number whose lowest bit is its sign."""
    asm, register = at.asm, _leb128(kind.bits, at)
    sign = asm.value(op.SUBTRACT, (asm.number(0), asm.value(op.AND_NUMBER, (register,), (1,))))
    found = asm.value(op.XOR, (asm.value(op.SHIFT_RIGHT, (register, asm.number(1))), sign))
    return Number(found, -1 << kind.bits - 1, (1 << kind.bits - 1) - 1)


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
        found = at.asm.value(_LOADS[size, True], (position,), (shift,))
        same = at.asm.value(op.EQUAL_NUMBER, (found,), (int.from_bytes(wanted[:size], "little"),))
        at.must(same, reason=reason)
        wanted, shift = wanted[size:], shift + size


def _text(kind: codec.Text, span: Span, at: Lowering) -> Octets:
    if kind.encoding not in ("utf-8", "ascii"):
        raise NoProgramError("a text that is not in UTF-8 or ASCII")
    at.asm.check_text(*span, at.where, is_ascii=kind.encoding == "ascii")
    return Octets(*span)


def _nested(kind: codec.Nested, at: Lowering) -> Datum:
    start, stop = extent(kind.extent, at)
    behind = at.cursor
    outer, at.limit = at.limit, stop
    at.move(start)
    found = value(kind.layout, at)
    at.end()
    at.move(behind)
    at.limit = outer
    return found


def _list(kind: codec.Repeat, at: Lowering) -> Listed | NoItems:
    """A list, whose items a program of their own reads; rows in which it has some are not sound if none can."""
    if not at.decoding or kind.name is not None or kind.hollow or kind.numbered:
        return _no_items(kind, at)
    inner = ItemLowering(at)
    try:
        item = value(kind.item, inner)
        size = None if inner.varies else inner.shift
        count, (start, stop) = _bounds(kind, size, at)
    except NoProgramError as error:
        at.left[str(error)] = None
        return _no_items(kind, at)
    at.left |= inner.left
    place = at.asm.place(Output(bits=64))
    at.asm.place(Output(bits=64))
    at.asm.place(Output(bits=64))
    listing = Listing(place, start, stop, at.where, item, inner, size, kind.weight, at.asm.message)
    at.lists.append(listing)
    return Listed((listing,), count)


def _bounds(kind: codec.Repeat, size: int | None, at: Lowering) -> tuple[Number | None, Span]:
    """How many items a list has, as far as that is known, and where it starts and stops; goes on behind it."""
    asm = at.asm
    if kind.count is None:
        start, stop = at.cursor, at.limit
        at.move(stop)
        if size is None:
            return None, (start, stop)
        left = Number(asm.value(op.SUBTRACT, (stop, start)), 0, FARTHEST)
        count = Number(asm.value(op.DIVIDE, (left.register, asm.number(size))), 0, left.most)
        whole_items = asm.value(op.MULTIPLY_NUMBER, (count.register,), (size,))
        at.must(asm.value(op.EQUAL, (whole_items, left.register)))
        return count, (start, stop)
    found = at.ask(kind.count)
    if size is None or not isinstance(found, Number | int):
        raise NoProgramError("a list that must be read to find its end")
    number = _of_each(at, found)
    at.must(number.valid)
    fits = asm.value(op.LESS_NUMBER, (whole(asm, number),), (FARTHEST,))
    at.must(fits)
    bounded = asm.value(op.CHOOSE, (fits, number.register, asm.number(0)))
    octets = Number(asm.value(op.MULTIPLY_NUMBER, (bounded,), (size,)), 0, 1 << 62)
    return Number(bounded, 0, FARTHEST), at.take(octets)


def _no_items(kind: codec.Repeat, at: Lowering) -> NoItems:
    """A list; rows in which it has items are not sound."""
    at.left["items of a list"] = None
    if kind.count is None:
        at.must(at.asm.value(op.EQUAL, (at.cursor, at.limit)))
        return NoItems()
    count = at.ask(kind.count)
    if not isinstance(count, Number):
        raise NoProgramError("a list with a known number of items")
    at.must(count.valid)
    at.must(at.asm.value(op.EQUAL_NUMBER, (count.register,), (0,)))
    return NoItems()


def _struct(content: codec.Layout, given: dict[str, Any], at: Lowering) -> Struct:
    outer, spans = at.this, at.spans
    at.this, at.spans = Level(given=given), {}
    at.nesting += 1
    layout(content, at)
    verify(at, content.derived, lambda name, checksum: False)
    at.nesting -= 1
    found, at.inside = Struct(at.this.columns), at.spans
    at.this, at.spans = outer, spans
    return found


def number_at(kind: NumberFormat, at: Lowering) -> Number:
    """The number at the cursor, whose bytes are there."""
    place, shift, little, bits = at.position, at.shift, kind.is_little(little=at.little), 8 * kind.size
    if kind.half:
        raise NoProgramError("a number of half precision")
    written = at.written(kind)
    at.shift += kind.size
    if written is not None:
        register = written
        known = at.asm.constant(register)
        if known is not None and (known >= 0 or kind.kind == "i") and kind.kind != "f" and not kind.boolean:
            return Number(register, known, known)
    elif kind.odd:
        register = at.asm.value(op.LOAD_ODD, (place,), (shift, kind.size, int(not little)))
    else:
        register = at.asm.value(_LOADS[kind.size, little], (place,), (shift,))
    if kind.kind == "f":
        return Number(register, 0, 0, floating=kind.size)
    if kind.boolean:
        words = "0 or 1 expected, found ", Shown(register, None)
        reason = Reason("invalid", at.moved(place, shift), words)
        at.must(at.asm.value(op.LESS_NUMBER, (register,), (2,)), reason=reason)
        return Number(register, 0, 1, truth=True)
    if kind.kind == "i":
        register = register if bits == 64 or written is not None else at.asm.value(op.SIGN, (register,), (bits,))
        return Number(register, -1 << bits - 1, (1 << bits - 1) - 1)
    return Number(register, 0, (1 << bits) - 1)


_LOADS = {
    (1, False): op.LOAD_1, (1, True): op.LOAD_1,
    (2, False): op.LOAD_2_BIG, (2, True): op.LOAD_2,
    (4, False): op.LOAD_4_BIG, (4, True): op.LOAD_4,
    (8, False): op.LOAD_8_BIG, (8, True): op.LOAD_8,
}  # fmt: skip


def extent(kind: object, at: Lowering) -> Span:
    """From where to where a value is; goes on behind it. Raises ``NoProgramError``."""
    match kind:
        case codec.Rest():
            start = at.cursor
            at.move(at.limit)
            return start, at.limit
        case codec.Size(size=size):
            return at.take(size if isinstance(size, int) else at.ask(size))
        case codec.Prefixed(length=length) if isinstance(found := value(length, at), Number):
            return at.take(found)
        case codec.Until(unit=1):
            return _terminated(kind, at)
        case codec.Padded(size=size, pad=pad) if len(pad) == 1:
            return _padded(kind, extent(size, at), at)
    raise NoProgramError(f"parts of type {type(kind).__name__}")


def _terminated(kind: codec.Until, at: Lowering) -> Span:
    """Up to a terminator, or to the limit if it may be missing."""
    start, limit, size = at.cursor, at.limit, len(kind.end)
    needed = not kind.unterminated or (kind.terminator == "drop" and kind.strict)
    stop = sought(kind.end, (start, limit), at, needed=needed)
    if kind.terminator == "leave":
        at.move(stop)
    elif needed:
        at.move(stop, size)
    else:
        at.move(_behind(stop, size, limit, at))
    return start, at.cursor if kind.terminator == "keep" else stop


def _padded(kind: codec.Padded, span: Span, at: Lowering) -> Span:
    """In a region, up to a terminator or to its padding, which must be all that follows."""
    start, stop = span
    padding = kind.pad[0]
    if kind.until is None:
        return start, at.asm.value(op.TRIM, (start, stop, at.where), (padding,))
    if kind.until.terminator != "drop" or kind.until.unit != 1:
        raise NoProgramError("padding after a terminator that is kept")
    end = sought(kind.until.end, span, at, needed=not kind.until.unterminated)
    behind = _behind(end, len(kind.until.end), stop, at)
    at.must(at.asm.value(op.EQUAL, (at.asm.value(op.TRIM, (behind, stop, at.where), (padding,)), behind)))
    return start, end


def sought(end: bytes, span: Span, at: Lowering, *, needed: bool) -> int:
    """Where a terminator is; if it is missing where it need not be, where it was sought in vain."""
    if len(end) > 7:
        raise NoProgramError("a terminator of more than seven bytes")
    numbers = int.from_bytes(end, "little"), len(end), int(needed)
    reason = at.told(Reason("unterminated", span[0], (f"no terminator {end.hex()}",)))
    (stop,) = at.asm.several(op.FIND, 1, (*span, at.where), numbers, reason)
    return stop


def _behind(stop: int, size: int, limit: int, at: Lowering) -> int:
    """So many bytes further, but not beyond the limit."""
    behind = at.moved(stop, size)
    return at.asm.value(op.CHOOSE, (at.asm.value(op.LESS, (limit, behind)), limit, behind))
