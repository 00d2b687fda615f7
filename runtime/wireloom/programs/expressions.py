"""Expressions → instructions. What is found is a number of each row, or the same value for all; None is no value."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from wireloom.expressions.scalar import function
from wireloom.expressions.times import TIMES, YEARS, gps_count
from wireloom.expressions.tree import (
    OF_TIMES,
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Unary,
    Value,
    asks_for_parameters_alone,
)
from wireloom.programs import opcodes as op
from wireloom.programs import times
from wireloom.programs.assembler import Assembler
from wireloom.programs.selection import among
from wireloom.programs.values import WORD, Datum, Label, Listed, Mask, NoItems, NoProgramError, Number, Octets

Found = Number | int | None
"""A number of each row, the same one for all, or no value. True and false are 1 and 0."""


_FEW, _TABLE = 3, 256
"""One of more than a few numbers is found in a table, which has no more than that."""


class Surroundings(Protocol):
    """What an expression can ask for."""

    asm: Assembler
    parameters: Mapping[str, Any]

    def known(self, name: Name) -> Datum | int | None:
        """The value of a name; None if no row has one."""
        ...

    def size(self, name: str) -> Number:
        """How many bytes ``name`` takes."""
        ...

    def offset(self, name: str) -> Number:
        """Where ``name`` starts in its record."""
        ...


def found(tree: Expr, around: Surroundings) -> Found:
    """The value of an expression. Raises ``NoProgramError``."""
    return _Formula(around).of(tree)


def truth(value: Found, asm: Assembler) -> Mask:
    """Where a value is true: a mask, or true or false for all rows."""
    match value:
        case None:
            return False
        case int():
            return value != 0
    if value.floating:
        raise NoProgramError("whether a float is true")
    mask = value.register if value.truth else asm.value(op.NOT, (asm.value(op.EQUAL_NUMBER, (value.register,), (0,)),))
    return both(asm, mask, value.valid)


def both(asm: Assembler, one: int, other: int) -> int:
    """The mask where two masks are set."""
    if op.ONES in (one, other) or one == other:
        return other if one == op.ONES else one
    return asm.value(op.AND, (one, other))


def whole(asm: Assembler, value: Number | int) -> int:
    """The register that has a number of each row, or the same for all. Raises ``NoProgramError`` if it may not."""
    if isinstance(value, int):
        if not -WORD <= value < WORD:
            raise NoProgramError("what numbers of 64 bits cannot say")
        return asm.number(value)
    if not value.whole:
        raise NoProgramError("what numbers of 64 bits cannot say")
    return value.register


def some_bits(asm: Assembler, word: Number, shift: int, mask: int) -> Number:
    """Some bits of a number: those of ``mask``, after a shift to the right."""
    if not 0 <= mask < WORD:
        raise NoProgramError("what numbers of 64 bits cannot say")
    register = word.register
    if shift:
        register = asm.value(op.SHIFT_RIGHT, (register, asm.number(shift)))
    return Number(asm.value(op.AND_NUMBER, (register,), (mask,)), 0, mask, word.valid, truth=mask == 1)


def both_masks(asm: Assembler, one: Mask, other: Mask) -> Mask:
    """Where both are set."""
    if isinstance(one, bool) or isinstance(other, bool):
        return other if one is True else one if other is True else False
    return both(asm, one, other)


def either(asm: Assembler, one: Mask, other: Mask) -> Mask:
    """Where one of them is set."""
    if isinstance(one, bool) or isinstance(other, bool):
        return other if one is False else one if other is False else True
    return asm.value(op.OR, (one, other))


def either_not(asm: Assembler, one: Mask, other: Mask) -> Mask:
    """Where ``one`` is set and the ``other`` is not."""
    return both_masks(asm, one, not other if isinstance(other, bool) else asm.value(op.NOT, (other,)))


class _Formula:
    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.asm = around.asm

    def of(self, tree: Expr) -> Found:
        if not isinstance(tree, Name | Value) and asks_for_parameters_alone(tree):
            return self._of_parameters(tree)
        match tree:
            case Value(None):
                return None
            case Value(int() as value) if abs(value) < WORD:
                return int(value)
            case Name():
                return self._name(tree)
            case Unary("not", operand):
                return self._not(self._truth(operand))
            case Unary("-", operand):
                return self._binary("-", 0, self.of(operand))
            case Unary("~", operand):
                return self._binary("^", self.of(operand), -1)
            case Binary(sign, left, right):
                return self._binary(sign, self.of(left), self.of(right))
            case Compare("==" | "!=" as sign, left, Value(bool() as wanted)):
                return self._compare("==", self.of(left), int(wanted is (sign == "==")))
            case Compare("==" | "!=" as sign, Name() as name, Value(str() | bytes() as wanted)):
                return self._is(name, wanted, negated=sign == "!=")
            case Compare(sign, left, right):
                return self._compare(sign, self.of(left), self.of(right))
            case Among(Name() as name, choices, negated) if words := _words(choices):
                word = "and" if negated else "or"
                return self._folded(word, [self._is(name, each, negated=negated) for each in words])
            case Among(value, choices, negated):
                return self._among(self.of(value), [self.of(choice) for choice in choices], negated=negated)
            case Logical(word, operands):
                return self._logical(word, operands)
            case Conditional(test, then, other):
                return self._choose(self._truth(test), then, other)
            case Call(Function.PRESENT):
                return self._present(tree.target)
            case Call(Function.COUNT):
                return self._count(tree.target)
            case Call(Function.SIZE | Function.OFFSET) if tree.target.item is not None:
                raise NoProgramError("an item of a list")
            case Call(Function.SIZE):
                return self.around.size(tree.target.name)
            case Call(Function.OFFSET):
                return self.around.offset(tree.target.name)
            case Call(Function.MIN | Function.MAX as function, arguments):
                return self._extreme(function, [self.of(each) for each in arguments])
            case Call(function, arguments) if function in OF_TIMES:
                return self._time(function, [self.of(each) for each in arguments])
        raise NoProgramError("what numbers of 64 bits cannot say")

    def _is(self, name: Name, wanted: str | bytes, *, negated: bool) -> Found:
        """Whether text or bytes are these; where there are none, they are neither these nor others."""
        value = self.around.known(name)
        if value is None:
            return 0
        if isinstance(value, Label):
            texts = [number for number, text in enumerate(value.texts) if text == wanted]
            mask = self.asm.value(op.EQUAL_NUMBER, (value.number,), (texts[0],)) if texts else self.asm.number(0)
        elif isinstance(value, Octets):
            octets = wanted.encode() if isinstance(wanted, str) else wanted
            mask = self.asm.same(value.start, value.stop, octets)
        else:
            raise NoProgramError("a comparison with what is neither text nor bytes")
        mask = self.asm.value(op.NOT, (mask,)) if negated else mask
        return self._mask(both(self.asm, mask, value.valid))

    def _of_parameters(self, tree: Expr) -> Found:
        """The value of an expression that asks for parameters alone, which may be texts."""
        value = function(tree)({}, {}, self.around)
        if value is None or isinstance(value, int):
            return None if value is None else int(value)
        raise NoProgramError("what numbers of 64 bits cannot say")

    def _name(self, name: Name) -> Found:
        value = self.around.known(name)
        if value is None or isinstance(value, Number | int):
            return value
        raise NoProgramError("what numbers of 64 bits cannot say")

    def _truth(self, tree: Expr) -> Mask:
        return truth(self.of(tree), self.asm)

    def _mask(self, mask: Mask, valid: int = op.ONES) -> Found:
        return int(mask) if isinstance(mask, bool) else Number(mask, 0, 1, valid, truth=True)

    def _not(self, mask: Mask) -> Found:
        return self._mask(not mask if isinstance(mask, bool) else self.asm.value(op.NOT, (mask,)))

    def register(self, value: Number | int) -> int:
        return whole(self.asm, value)

    def _binary(self, sign: str, left: Found, right: Found) -> Found:
        if left is None or right is None:
            return None
        if isinstance(left, int) and isinstance(right, int):
            return _plain(sign, left, right)
        if sign == "&" and isinstance(left, int):
            left, right = right, left
        if sign == "&" and isinstance(left, Number) and isinstance(right, int) and 0 <= right < WORD:
            if left.floating:
                raise NoProgramError("what numbers of 64 bits cannot say")
            masked = self.asm.value(op.AND_NUMBER, (left.register,), (right,))
            return Number(masked, 0, right, left.valid, truth=right == 1)
        valid = both(self.asm, *(each.valid if isinstance(each, Number) else op.ONES for each in (left, right)))
        least, most = _bounds(sign, left, right)
        if least >= 0 and WORD <= most < 2 * WORD and sign in _WRAPPING:
            register = self._combined(sign, left, right)
            self.asm.wide.add(register)
            return Number(register, least, most, valid)
        if not (least >= -WORD and most < WORD):
            raise NoProgramError("what numbers of 64 bits cannot say")
        return Number(self._combined(sign, left, right), least, most, valid)

    def _combined(self, sign: str, left: Number | int, right: Number | int) -> int:
        asm, (one, other) = self.asm, (left, right)
        register_of = self._lowest if sign in _WRAPPING else self.register
        if isinstance(one, int) and sign in "+*":
            one, other = other, one
        if isinstance(other, int):
            register = register_of(one)
            match sign:
                case "+" | "-":
                    return register if not other else asm.value(op.ADD_NUMBER, (register,), (_signed(sign, other),))
                case "*":
                    return asm.value(op.MULTIPLY_NUMBER, (register,), (other,))
                case "<<":
                    return asm.value(op.MULTIPLY_NUMBER, (register,), (1 << other,))
                case "&":
                    return asm.value(op.AND_NUMBER, (register,), (other,))
        by = register_of(other)
        if sign in ("<<", ">>"):
            by = asm.value(op.AND_NUMBER, (by,), (63,))  # no more than registers have, also where rows are not sound
        return asm.value(_OPERATIONS[sign], (register_of(one), by))

    def _lowest(self, value: Number | int) -> int:
        """The register that has the lowest 64 bits of a number. Raises ``NoProgramError``."""
        if isinstance(value, int):
            return self.asm.number(value)
        if not value.integer:
            raise NoProgramError("what numbers of 64 bits cannot say")
        return value.register

    def _compare(self, sign: str, left: Found, right: Found) -> Found:
        if left is None or right is None:
            return 0
        if isinstance(left, int) and isinstance(right, int):
            return int(_COMPARED[sign](left, right))
        if isinstance(left, int):
            return self._compare(_TURNED[sign], right, left)
        valid = both(self.asm, left.valid, right.valid if isinstance(right, Number) else op.ONES)
        return self._mask(both(self.asm, self._compared(sign, left, right), valid))

    def _compared(self, sign: str, left: Number, right: Number | int) -> int:
        asm = self.asm
        if sign == "!=":
            return asm.value(op.NOT, (self._compared("==", left, right),))
        if isinstance(right, int):
            if sign == "==" and not left.floating:
                if not left.least <= right <= left.most:
                    return asm.number(0)
                return asm.value(op.EQUAL_NUMBER, (left.register,), (right,))
            register = self.register(left)
            if sign in ("<", "<="):
                end = right + (sign == "<=")
                if not left.least < end <= left.most:
                    return op.ONES if end > left.most else asm.number(0)
                return asm.value(op.LESS_NUMBER, (register,), (end,))
            start = right - (sign == ">=")
            if not left.least <= start < left.most:
                return op.ONES if start < left.least else asm.number(0)
            return asm.value(op.MORE_NUMBER, (register,), (start,))
        one, other = self.register(left), self.register(right)
        match sign:
            case "==":
                return asm.value(op.EQUAL, (one, other))
            case "<":
                return asm.value(op.LESS, (one, other))
            case "<=":
                return asm.value(op.LESS_EQUAL, (one, other))
            case ">":
                return asm.value(op.LESS, (other, one))
            case _:
                return asm.value(op.LESS_EQUAL, (other, one))

    def _among(self, value: Found, choices: list[Found], *, negated: bool) -> Found:
        if isinstance(value, Number) and value.whole and value.valid == op.ONES:
            known = [each for each in choices if isinstance(each, int)]
            inside = [each for each in known if value.least <= each <= value.most]
            if len(known) == len(choices) and len(inside) > _FEW and max(inside) - min(inside) < _TABLE:
                mask = among(self.asm, value.register, inside)
                return self._not(mask) if negated else self._mask(mask)
        if negated:
            return self._folded("and", [self._compare("!=", value, choice) for choice in choices])
        return self._folded("or", [self._compare("==", value, choice) for choice in choices])

    def _logical(self, word: str, operands: tuple[Expr, ...]) -> Found:
        values = []
        for operand in operands:
            values.append(self.of(operand))
            if isinstance(values[-1], int) and bool(values[-1]) is (word == "or"):
                break
        return self._folded(word, values)

    def _folded(self, word: str, values: list[Found]) -> Found:
        """``and`` or ``or`` of values, which has none where the one that decides has none."""
        if any(value is None for value in values) or any(
            isinstance(value, Number) and value.valid != op.ONES for value in values
        ):
            return self._folded_where_valid(word, values)
        masks = [truth(value, self.asm) for value in values]
        if any(mask is (word == "or") for mask in masks):
            return int(word == "or")
        found: int | None = None
        for mask in masks:
            if not isinstance(mask, bool):
                kind = op.OR if word == "or" else op.AND
                found = mask if found is None else self.asm.value(kind, (found, mask))
        return int(word == "and") if found is None else self._mask(found)

    def _folded_where_valid(self, word: str, values: list[Found]) -> Found:
        """The same of values of which some rows have none."""
        asm, (found, *others) = self.asm, [self._truth_register(value) for value in values]
        valid, *valids = (self._valid(value) for value in values)
        for other, other_valid in zip(others, valids, strict=True):
            goes_on = found if word == "and" else asm.value(op.NOT, (found,))
            valid = asm.value(op.CHOOSE, (goes_on, other_valid, valid))
            found = asm.value(op.OR if word == "or" else op.AND, (found, other))
        return self._mask(found, valid)

    def _truth_register(self, value: Found) -> int:
        mask = truth(value, self.asm)
        return self.asm.number(int(mask)) if isinstance(mask, bool) else mask

    def _choose(self, test: Mask, then: Expr, other: Expr) -> Found:
        if isinstance(test, bool):
            return self.of(then if test else other)
        one, two = self.of(then), self.of(other)
        if one is None and two is None:
            return None
        asm = self.asm
        least, most = _span([each for each in (one, two) if each is not None])
        registers = [self.register(each or 0) for each in (one, two)]
        masks = [self._valid(each) for each in (one, two)]
        valid = masks[0] if masks[0] == masks[1] else asm.value(op.CHOOSE, (test, *masks))
        is_truth = all(each is None or (isinstance(each, Number) and each.truth) for each in (one, two))
        return Number(asm.value(op.CHOOSE, (test, *registers)), least, most, valid, truth=is_truth)

    def _valid(self, value: Found) -> int:
        if value is None:
            return self.asm.number(0)
        return value.valid if isinstance(value, Number) else op.ONES

    def _present(self, name: Name) -> Found:
        value = self.around.known(name)
        if value is None or isinstance(value, int):
            return int(value is not None)
        return 1 if value.valid == op.ONES else self._mask(value.valid)

    def _count(self, name: Name) -> Found:
        value = self.around.known(name)
        if value is None:
            return 0
        if not isinstance(value, Listed | NoItems):
            raise NoProgramError("what numbers of 64 bits cannot say")
        if isinstance(value, NoItems) and value.count is None:
            return 0
        if value.count is None:
            raise NoProgramError("how many items a list has that is not read to know that")
        if value.valid == op.ONES:
            return value.count
        number = self.asm.value(op.CHOOSE, (value.valid, value.count.register, self.asm.number(0)))
        return Number(number, min(0, value.count.least), value.count.most)

    def _extreme(self, function: Function, values: list[Found]) -> Found:
        best = values[0]
        for value in values[1:]:
            if best is None or value is None:
                return None
            if isinstance(best, int) and isinstance(value, int):
                best = min(best, value) if function is Function.MIN else max(best, value)
                continue
            one, two = self.register(best), self.register(value)
            less = self.asm.value(op.LESS, (one, two) if function is Function.MIN else (two, one))
            valid = both(self.asm, self._valid(best), self._valid(value))
            best = Number(self.asm.value(op.CHOOSE, (less, one, two)), *_span([best, value]), valid)
        return best

    def _time(self, function: Function, values: list[Found]) -> Found:
        """A time, as microseconds, or the year, the month or the day of one."""
        if any(value is None for value in values):
            return None
        valid, registers = op.ONES, [self.register(value) for value in values if value is not None]
        for value in values:
            valid = both(self.asm, valid, self._valid(value))
        match function:
            case Function.CALENDAR | Function.NTP | Function.GPS:
                register, there = times.TIMES_OF[function](self.asm, registers)
                return Number(register, *TIMES, both(self.asm, valid, there))
            case Function.MICROSECONDS:
                return Number(registers[0], *TIMES, valid)
            case Function.GPS_COUNT:
                least, most = map(gps_count, TIMES)
                return Number(times.gps_count(self.asm, registers[0]), least, most, valid)
        return Number(times.date(self.asm, function, registers[0]), *YEARS, valid)


_OPERATIONS = {
    "+": op.ADD, "-": op.SUBTRACT, "*": op.MULTIPLY, "//": op.DIVIDE, "%": op.MODULO, "&": op.AND, "|": op.OR,
    "^": op.XOR, "<<": op.SHIFT_LEFT, ">>": op.SHIFT_RIGHT,
}  # fmt: skip
_WRAPPING = frozenset(("+", "*", "<<", "|", "^"))
"""The operations that give unsigned numbers of 64 bits, too."""
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _words(choices: tuple[Expr, ...]) -> list[str | bytes]:
    """The texts, or bytes, that are to choose from; none if there are others."""
    found = [each.value for each in choices if isinstance(each, Value) and isinstance(each.value, str | bytes)]
    return found if len(found) == len(choices) else []


def _signed(sign: str, number: int) -> int:
    return -number if sign == "-" else number


def _span(values: list[Number | int]) -> tuple[int, int]:
    """The least and the most that any of them can be."""
    ends = [(each, each) if isinstance(each, int) else (each.least, each.most) for each in values]
    return min(least for least, _ in ends), max(most for _, most in ends)


def _plain(sign: str, left: int, right: int) -> Found:
    match sign:
        case "//" | "%" if right == 0:
            raise NoProgramError("what numbers of 64 bits cannot say")
        case "<<" | ">>" if not 0 <= right <= 61:
            raise NoProgramError("what numbers of 64 bits cannot say")
    arithmetic: dict[str, Callable[[int, int], int]] = {
        "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "//": int.__floordiv__, "%": int.__mod__,
        "&": int.__and__, "|": int.__or__, "^": int.__xor__, "<<": int.__lshift__, ">>": int.__rshift__,
    }  # fmt: skip
    return arithmetic[sign](left, right)


def _bounds(sign: str, left: Number | int, right: Number | int) -> tuple[int, int]:
    """The least and the most that a result can be. Raises ``NoProgramError`` for operations that may have none."""
    (a, b), (c, d) = _span([left]), _span([right])
    match sign:
        case "+":
            return a + c, b + d
        case "-":
            return a - d, b - c
        case "*":
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "//" | "%" if c == d and c > 0:
            return (a // c, b // c) if sign == "//" else (0, c - 1)
        case "<<" | ">>" if 0 <= c <= d <= 61:
            corners = (a << c, a << d, b << c, b << d) if sign == "<<" else (a >> c, a >> d, b >> c, b >> d)
            return min(corners), max(corners)
        case "&" | "|" | "^":
            bits = max(each.bit_length() for each in (a, b, c, d))
            return (0 if min(a, c) >= 0 else -1 << bits), (1 << bits) - 1
    raise NoProgramError("what numbers of 64 bits cannot say")
