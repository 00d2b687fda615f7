"""Fields in programs: what must hold of them, and what their numbers mean."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from wireloom import codec
from wireloom.codec.checksums import Totals, table
from wireloom.codec.fields import TOO_LARGE
from wireloom.codec.labels import bits_of
from wireloom.codec.meanings import Counted, DecimalMeaning, DoubleMeaning, Meaning
from wireloom.expressions import Expression
from wireloom.expressions.tree import Name
from wireloom.programs import labels
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import Found, both, whole
from wireloom.programs.outputs import Table
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.reasons import Reason, ShownNumber, Word
from wireloom.programs.values import WORD, Datum, Flags, LateStruct, Level, NoProgramError, Number

Proven = Callable[[str, codec.Joined], bool]
"""Whether records have passed a field's checksum already."""


def put(at: Lowering, name: str, said: codec.Field, number: Number) -> None:
    """A field whose number was just read."""
    if name in at.settled and at.this is at.record:
        number = _settled(at, number, at.settled[name])
    if said.meaning is not None:
        assert said.raw is not None
        at.this.columns[name], at.this.columns[said.raw] = _kept(at, number, said.meaning)
        return
    if said.const is not None:
        if not isinstance(said.const, int) or number.floating:
            raise NoProgramError("a constant that is no integer")
        expected = f"{said.shown(said.const)} expected, found "
        found = said.shown(not said.const) if isinstance(said.const, bool) else shown(said, number)
        reason = _reason(at, "constant", name, (expected, found)) if number.valid == op.ONES else None
        at.must(at.asm.value(op.EQUAL_NUMBER, (number.register,), (int(said.const),)), reason=reason)
    if said.is_bounded(at.u64):
        reason = _reason(at, "range", name, (shown(said, number), TOO_LARGE))
        at.must(at.asm.value(op.MORE_NUMBER, (number.register,), (-1,)), reason=reason)
        number = replace(number, most=WORD - 1)
    name_number(at, name, said, number)


def _settled(at: Lowering, number: Number, known: int) -> Number:
    """A number that is known; rows with another one are not sound."""
    if number.floating or not -WORD <= known < WORD:
        raise NoProgramError("a choice by what is no number of 64 bits")
    at.must(at.asm.value(op.EQUAL_NUMBER, (number.register,), (known,)))
    return replace(number, register=at.asm.number(known), least=known, most=known)


def name_number(at: Lowering, name: str, said: codec.Field, number: Number) -> None:
    """A number with its names, and the column with its labels, if it has one."""
    number = at.this.columns[name] = replace(number, names=said.enum or said.flags)
    if said.labels and said.enum is not None:
        at.this.columns[f"{name}_name"] = labels.named(at.asm, number, said.enum)
    if said.labels and said.flags is not None:
        at.this.columns[f"{name}_flags"] = Flags(number.register, bits_of(said.flags), number.valid, number)


def of_each(at: Lowering, found: Found) -> Number:
    """The number of each row, also if that is the same, or if there is none."""
    if found is None:
        return Number(at.asm.number(0), 0, 0, at.asm.number(0))
    if isinstance(found, int):
        return Number(at.asm.number(found), found, found, truth=found in (0, 1))
    return found


def limited(
    at: Lowering, number: Number, least: int, most: int, where: int | None = None, reason: Reason | None = None
) -> Number:
    """The same; rows in which it is outside are not sound."""
    if number.most >= WORD > most:
        at.must(at.asm.value(op.NOT, (both(at.asm, _is_negative(at, number.register), number.valid),)), where, reason)
        number = replace(number, most=WORD - 1)
    for sign, bound, inside in (
        (op.LESS_NUMBER, least, number.least >= least),
        (op.MORE_NUMBER, most, number.most <= most),
    ):
        if not inside and -WORD <= bound < WORD:
            beyond = at.asm.value(sign, (number.register,), (bound,))
            at.must(at.asm.value(op.NOT, (both(at.asm, beyond, number.valid),)), where, reason)
    return replace(number, least=max(least, number.least), most=min(most, number.most))


def _within(at: Lowering, number: Number, least: int, most: int) -> Number:
    """The same; rows in which it is outside have more than registers hold."""
    at.partial |= number.least < least or number.most > most
    return limited(at, number, least, most)


def _is_negative(at: Lowering, register: int) -> int:
    """The mask where the highest bit of a register is set."""
    return at.asm.value(op.LESS_NUMBER, (register,), (0,))


def _kept(at: Lowering, number: Number, meaning: Meaning) -> tuple[Number, Number]:
    """What a number stands for, and the number itself where that does not determine it."""
    if isinstance(meaning, DoubleMeaning):
        if not meaning.determines(number.least, number.most):
            raise NoProgramError("a number kept beside a double that may not determine it")
        return meant(at, number, meaning), replace(number, valid=at.asm.number(0))
    asm, value = at.asm, meant(at, number, meaning)
    if isinstance(meaning, Counted) and meaning.parts > 1:
        steps = asm.value(op.MULTIPLY_NUMBER, (at.moved(value.register, -meaning.first),), (meaning.parts,))
        told = both(asm, value.valid, asm.value(op.EQUAL, (steps, number.register)))
    else:
        told = value.valid
    return value, replace(number, valid=both(asm, number.valid, asm.value(op.NOT, (told,))))


def meant(at: Lowering, number: Number, meaning: Meaning) -> Number:
    """Times and durations in microseconds, or decimals; not valid where the number has no meaning."""
    if not number.integer:
        raise NoProgramError("a meaning of what is no integer")
    if isinstance(meaning, DecimalMeaning):
        return _scaled(at, number, meaning)
    if isinstance(meaning, DoubleMeaning):
        return replace(number, double=meaning, truth=False)
    if not isinstance(meaning, Counted):
        raise NoProgramError("a number that stands for a text")
    if number.most >= WORD > meaning.highest:
        none = _is_negative(at, number.register)  # as it is from 2^63 on
        number = replace(number, most=WORD - 1, valid=both(at.asm, number.valid, at.asm.value(op.NOT, (none,))))
    asm, parts = at.asm, meaning.parts
    if number.most >= WORD and parts % 2 == 0:
        half = asm.value(op.AND_NUMBER, (asm.value(op.SHIFT_RIGHT, (number.register, asm.number(1))),), (WORD - 1,))
        number, parts = replace(number, register=half, least=0, most=WORD - 1), parts // 2
    number, valid = _within(at, number, -WORD, WORD - 1), number.valid
    least, most = meaning.fewest * parts // meaning.parts, meaning.highest * parts // meaning.parts
    if number.least < least:
        valid = both(asm, valid, asm.value(op.NOT, (asm.value(op.LESS_NUMBER, (number.register,), (least,)),)))
    if number.most > most:
        valid = both(asm, valid, asm.value(op.NOT, (asm.value(op.MORE_NUMBER, (number.register,), (most,)),)))
    register = number.register
    if parts > 1:
        register = asm.value(op.DIVIDE, (register, asm.number(parts)))
    elif meaning.times > 1:
        register = asm.value(op.MULTIPLY_NUMBER, (register,), (meaning.times,))
    return Number(at.moved(register, meaning.first), -WORD, WORD - 1, valid)


def _scaled(at: Lowering, number: Number, meaning: DecimalMeaning) -> Number:
    """Decimals, as whole numbers of their last place; rows in which these have more than 64 bits are not sound."""
    low, high = (-WORD, WORD - 1) if meaning.times > 0 else (WORD - 1, -WORD)
    number = _within(at, number, -((meaning.plus - low) // meaning.times), (high - meaning.plus) // meaning.times)
    ends = [each * meaning.times + meaning.plus for each in (number.least, number.most)]
    register = number.register
    if meaning.times != 1:
        register = at.asm.value(op.MULTIPLY_NUMBER, (register,), (meaning.times,))
    return Number(at.moved(register, meaning.plus), min(ends), max(ends), number.valid, parts=meaning.by)


def certain(at: Lowering, number: Number) -> Number:
    """The same; rows without one are not sound."""
    at.must(number.valid)
    return replace(number, valid=op.ONES)


def valid(at: Lowering, name: str, said: codec.Field, start: int | None = None) -> None:
    """A field must be as it says, once it was read, or computed at ``start``."""
    if said.valid is None:
        return
    reason, number = None, at.this.columns.get(name)
    means = said.meaning is not None or isinstance(said.subcon, codec.As)
    if isinstance(number, Number) and is_shown(number) and (start is not None or number.valid == op.ONES) and not means:
        words = f"{said.valid.written} expected, found ", shown(said, number)
        reason = Reason("invalid", at.span(name)[0] if start is None else start, words)
    with at.asm.field(name):
        at.must(at.holds(said.valid), reason=reason)


def is_shown(number: Number) -> bool:
    """Whether messages can show it as registers have it."""
    return number.integer and not number.truth


def shown(said: codec.Field, number: Number) -> ShownNumber:
    """A number, as messages show those of a field."""
    return ShownNumber(number.register, said, number.most >= WORD)


def _reason(at: Lowering, code: str, name: str, words: tuple[Word, ...]) -> Reason | None:
    """What is wrong with the field of that name; None if it was read in other bytes than these."""
    return None if name in at.apart else Reason(code, at.span(name)[0], words)


def verify(at: Lowering, derived: Iterable[tuple[str, codec.Field]], proven: Proven) -> None:
    """Derived values must be what follows from others."""
    for name, field in derived:
        column = at.this.columns.get(name)
        if column is None:
            continue
        if not isinstance(column, Number):
            raise NoProgramError("a derived value that is no number")
        with at.asm.field(name):
            _verify(at, name, field, column, proven)


def inputs(values: Mapping[str, Expression], at: Lowering) -> dict[str, Datum | int | None]:
    """What a struct is given."""
    trees = ((name, each.tree) for name, each in values.items())
    return {name: at.known(tree) if isinstance(tree, Name) else at.ask_tree(tree) for name, tree in trees}


def verify_late(at: Lowering, structs: Iterable[LateStruct]) -> None:
    """Derived values of structs must be what follows from what is around them, all of which was read."""
    for struct in structs:
        with at.asm.field(struct.name):
            at.within(struct.where, partial(_verify_late, at, struct))


def _verify_late(at: Lowering, struct: LateStruct) -> None:
    level, content, outer = struct.level, struct.kind.layout, (at.this, at.spans, at.apart, at.whole)
    level.given = {**level.given, **inputs(struct.kind.late, at)}
    at.this, at.spans, at.apart, at.whole = level, dict(struct.spans), struct.apart, struct.whole
    at.nesting += 1
    try:
        verify(at, content.derived_late, lambda name, checksum: False)
        verify_late(at, late_structs(level, outside=True))
    finally:
        at.nesting -= 1
        at.this, at.spans, at.apart, at.whole = outer


def late_structs(level: Level, *, outside: bool) -> list[LateStruct]:
    """The structs with late inputs that follow from what is ``outside`` of the struct around them, or the others."""
    return [each for each in level.late if each.kind.asks(level.late_inputs) is outside]


def _verify(at: Lowering, name: str, field: codec.Field, column: Number, proven: Proven) -> None:
    where = both(at.asm, at.where, column.valid)
    if field.derive is not None:
        expected = at.ask(field.derive)
        if isinstance(expected, Number):
            at.must(expected.valid, where)
            whole(at.asm, expected)  # or no program can tell
            words = shown(field, expected), " expected, found ", shown(field, column)
            reason = _reason(at, "derived", name, words) if is_shown(expected) and is_shown(column) else None
            at.must_equal(column, expected, where, reason)
        elif expected is None or not column.least <= expected <= column.most:
            at.must(False, where)
        else:
            found = f"{field.shown(expected)} expected, found "
            reason = _reason(at, "derived", name, (found, shown(field, column)))
            at.must(at.asm.value(op.EQUAL_NUMBER, (column.register,), (expected,)), where, reason)
    elif field.checksum is not None and not proven(name, field.checksum):
        right = replace(column, register=joined(at, field.checksum, where))
        words = shown(field, right), " expected, found ", shown(field, column)
        same = at.asm.value(op.EQUAL, (right.register, column.register))
        at.must(same, where, _reason(at, "checksum", name, words))


def joined(at: Lowering, checksum: codec.Joined, where: int) -> int:
    """A sum, or the CRC of the one range that it is over, and of constants after that. Raises ``NoProgramError``."""
    if isinstance(checksum.algorithm, Totals) and not checksum.algorithm.twice and not at.nesting:
        return _added(at, checksum.algorithm, checksum.over, where)
    span, *others = checksum.over
    more = [each for each in others if isinstance(each, bytes)]
    if isinstance(span, bytes) or at.nesting or len(more) < len(others):
        raise NoProgramError("a checksum over several ranges, or in a list")
    first, last = map(at.ask, span)
    found = summed(at, checksum.algorithm, first, last, where)
    return _continued(at, checksum.algorithm, found, b"".join(more)) if more else found


def _added(at: Lowering, algorithm: Totals, over: Iterable[bytes | tuple[Expression, Expression]], where: int) -> int:
    """The sum of some ranges and constants, which does not depend on their order."""
    found = at.asm.number(algorithm.initial)
    for each in over:
        if isinstance(each, bytes):
            found = at.asm.value(op.ADD_NUMBER, (found,), (sum(each),))
        else:
            part = summed(at, algorithm._replace(initial=0), at.ask(each[0]), at.ask(each[1]), where)
            found = at.asm.value(op.ADD, (found, part))
    return at.asm.value(op.MODULO, (found, at.asm.number(algorithm.modulus)))


def _continued(at: Lowering, algorithm: object, found: int, more: bytes) -> int:
    """A reflected CRC after more bytes, which are the same in each record."""
    is_reflected = isinstance(algorithm, codec.Crc) and algorithm.reflect_in and algorithm.reflect_out
    if not isinstance(algorithm, codec.Crc) or not is_reflected or algorithm.bits > 31:
        raise NoProgramError("a checksum over several ranges, or in a list")
    asm, place = at.asm, at.asm.shared(Table.of(table(algorithm.bits, algorithm.poly), "I"))
    turned = asm.number(algorithm.xor_out)
    register = asm.value(op.XOR, (found, turned))
    for byte in more:
        changed = asm.value(op.AND_NUMBER, (asm.value(op.XOR, (register, asm.number(byte))),), (0xFF,))
        added = asm.value(op.LOOK_UP, (changed,), (place, 1 << 8))
        register = asm.value(op.XOR, (asm.value(op.SHIFT_RIGHT, (register, asm.number(8))), added))
    return asm.value(op.XOR, (register, turned))


def summed(at: Lowering, algorithm: object, first: Found, last: Found, where: int) -> int:
    """The checksum of the record's bytes from ``first`` to before ``last``; rows ``where`` they are not there are not
    sound.
    """
    asm = at.asm
    if not isinstance(algorithm, codec.Crc | Totals):
        raise NoProgramError("a checksum of words")
    for bound in (first, last):
        at.must(bound is not None if not isinstance(bound, Number) else bound.valid, where)
    one, other = (whole(asm, 0 if bound is None else bound) for bound in (first, last))
    first_byte, end = at.whole
    _, begin = asm.several(op.TAKE, 2, (first_byte, one, end, where))
    start, stop = asm.several(op.TAKE, 2, (begin, asm.value(op.SUBTRACT, (other, one)), end, where))
    if isinstance(algorithm, Totals):
        numbers = algorithm.modulus, algorithm.initial, algorithm.bits // 2 if algorithm.twice else 0
        return asm.value(op.SUM, (start, stop, where), numbers)
    return at.crc(algorithm, start, stop, where)
