"""Expressions over many rows at once: ``Vector``, and functions for words that Python cannot overload.

They mean the same as in the codec for one row. If 64 bits do not hold a value, or a division has no result, the row
becomes doubtful and the codec decodes it.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from wireloom.buffers import Array, Valid

Doubt = Callable[[Array], None]
"""Marks rows, given as a mask, for the codec."""

_LIMIT = float(2**62)
_NARROW = 62
"""Numbers of up to so many bits are within the limit."""


def _of_sum(one: int, other: int) -> int:
    """The most bits of the sum of two numbers of so many bits, or of their difference."""
    return max(one, other) + 1


def _of_product(one: int, other: int) -> int:
    """The most bits of their product."""
    return one + other


def _of_quotient(one: int, other: int) -> int:
    """The most bits of their quotient."""
    return one + 1


def _bits(value: Any) -> int:
    """The most bits that any of the numbers has."""
    return value.bits if isinstance(value, Vector) else value.bit_length() if isinstance(value, int) else 64


class Vector:
    """One number or boolean a row, as narrow as on the wire; rows that are not ``valid`` have none. No number has more
    than so many ``bits``, by default those of its type.

    A comparison is false where an operand is missing; anything else is missing there.
    """

    __slots__ = ("bits", "data", "doubt", "valid")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Array, valid: Valid, doubt: Doubt, bits: int | None = None) -> None:
        self.data = data
        self.valid = valid
        self.doubt = doubt
        self.bits = (8 * data.dtype.itemsize if data.dtype.kind in "iub" else 64) if bits is None else bits

    @property
    def truth(self) -> Array:
        """Where it is true, or a number other than 0."""
        found: Array = self.data if self.data.dtype == bool else self.data != 0
        return found if self.valid is None else found & self.valid

    def _arithmetic(self, other: Any, operation: Any, grown: Callable[[int, int], int] | None = None) -> "Vector":
        """The result of an operation, whose bits are ``grown`` from those of both if it may be too large."""
        data, valid = _operand(other, self)
        valid = _both_valid(self.valid, valid)
        mine = self.data.astype(np.int64, copy=False)
        if valid is not None and not valid.any():
            return Vector(mine, valid, self.doubt)
        result = operation(mine, data)
        bits = None if grown is None else grown(self.bits, _bits(other))
        if bits is not None and bits > _NARROW:
            # In floating point, a result that is too large stays large instead of wrapping around.
            shown = np.abs(operation(mine.astype(float), np.asarray(data, float)))
            if shown.size and shown.max() >= _LIMIT:
                self.doubt(shown >= _LIMIT)
            bits = None
        return Vector(result, valid, self.doubt, bits)

    def __add__(self, other: Any) -> "Vector":
        return self._arithmetic(other, np.add, _of_sum)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Vector":
        return self._arithmetic(other, np.subtract, _of_sum)

    def __rsub__(self, other: Any) -> "Vector":
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> "Vector":
        return self._arithmetic(other, np.multiply, _of_product)

    __rmul__ = __mul__

    def __floordiv__(self, other: int) -> "Vector":
        return self._divided(other, np.floor_divide, _of_quotient)

    def __mod__(self, other: int) -> "Vector":
        return self._divided(other, np.mod)

    def _divided(self, by: int, operation: Any, grown: Callable[[int, int], int] | None = None) -> "Vector":
        """By a number that is written in the expression. If that is 0, all rows are in doubt."""
        if not by:
            self.doubt(np.ones(len(self.data), bool))
        return self._arithmetic(by or 1, operation, grown)

    def __and__(self, other: Any) -> "Vector":
        return self._arithmetic(other, np.bitwise_and)

    __rand__ = __and__

    def __or__(self, other: Any) -> "Vector":
        return self._arithmetic(other, np.bitwise_or)

    __ror__ = __or__

    def __xor__(self, other: Any) -> "Vector":
        return self._arithmetic(other, np.bitwise_xor)

    __rxor__ = __xor__

    def __lshift__(self, other: Any) -> "Vector":
        shift = self._shift(other)
        if isinstance(shift, int):
            return self * (1 << shift)
        return self * Vector(np.left_shift(1, shift.data), shift.valid, self.doubt)

    def __rlshift__(self, other: Any) -> "Vector":
        return self.like(other) << self

    def __rshift__(self, other: Any) -> "Vector":
        return self._arithmetic(self._shift(other), np.right_shift)

    def __rrshift__(self, other: Any) -> "Vector":
        return self.like(other) >> self

    def _shift(self, other: Any) -> "Vector | int":
        """How far to shift; from 0 to 61, or in doubt."""
        if isinstance(other, int) and 0 <= other <= 61:
            return other
        data, valid = _operand(other, self)
        shift = np.broadcast_to(np.asarray(data), self.data.shape)
        wrong = (shift < 0) | (shift > 61)
        if wrong.any():
            self.doubt(wrong)
        return Vector(np.where(wrong, 0, shift).astype(np.int64), valid, self.doubt)

    def __neg__(self) -> "Vector":
        return self._arithmetic(-1, np.multiply, _of_product)

    def __invert__(self) -> "Vector":
        return self._arithmetic(-1, np.bitwise_xor)

    def _compared(self, other: Any, operation: Any) -> "Vector":
        if isinstance(other, str | bytes):  # either there is nothing, or it is in no form that is compared here
            self.doubt(_mask(self))
            return Vector(np.zeros(len(self.data), bool), None, self.doubt)
        data, valid = _operand(other, self)
        valid = _both_valid(self.valid, valid)
        if (self.data.dtype.kind == "f") != (np.asarray(data).dtype.kind == "f") and not isinstance(data, int):
            self.doubt(_mask(self))  # numpy would round the whole number
        found = operation(self.data, data)
        return Vector(found if valid is None else found & valid, None, self.doubt)

    def __eq__(self, other: object) -> "Vector":  # type: ignore[override]
        return self._compared(other, np.equal)

    def __ne__(self, other: object) -> "Vector":  # type: ignore[override]
        return self._compared(other, np.not_equal)

    def __lt__(self, other: Any) -> "Vector":
        return self._compared(other, np.less)

    def __le__(self, other: Any) -> "Vector":
        return self._compared(other, np.less_equal)

    def __gt__(self, other: Any) -> "Vector":
        return self._compared(other, np.greater)

    def __ge__(self, other: Any) -> "Vector":
        return self._compared(other, np.greater_equal)

    def like(self, number: Any) -> "Vector":
        """``number`` in every row, if it is not a vector already."""
        if isinstance(number, Vector):
            return number
        kind = bool if isinstance(number, bool) else np.int64
        return Vector(np.full(len(self.data), self._held(number), kind), None, self.doubt)

    def _held(self, number: Any) -> Any:
        """``number`` if 64 bits hold it; else all rows are in doubt."""
        if isinstance(number, int) and not -(2**63) <= number < 2**63:
            self.doubt(np.ones(len(self.data), bool))
            return 0
        return number


def _operand(value: Any, beside: Vector) -> tuple[Any, Valid]:
    if isinstance(value, Vector):
        data = value.data.astype(np.int64) if value.data.dtype == bool and beside.data.dtype != bool else value.data
        return data, value.valid
    return beside._held(value), None


def _both_valid(one: Valid, other: Valid) -> Valid:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def true(value: Any) -> Any:
    """Where a value is true: a mask, or one boolean for all rows."""
    return value.truth if isinstance(value, Vector) else bool(value)


def both(*values: Any) -> Any:
    """``and``: the first value that is not true, or the last."""
    return _folded(values, goes_on=True)


def either(*values: Any) -> Any:
    """``or``: the first value that is true, or the last."""
    return _folded(values, goes_on=False)


def settles(value: Any, *, truth: bool) -> bool:
    """Whether a value decides ``either`` or ``both`` for all rows, whatever follows."""
    if not isinstance(value, Vector):
        return bool(value) is truth
    return value.valid is None and bool(value.truth.all() if truth else not value.truth.any())


def _folded(values: tuple[Any, ...], *, goes_on: bool) -> Any:
    vectors = [value for value in values if isinstance(value, Vector)]
    whole = all(vector.valid is None for vector in vectors)
    if whole and any(bool(value) is not goes_on for value in values if not isinstance(value, Vector)):
        return not goes_on
    if not vectors:
        return goes_on
    found, *rest = vectors if whole else [_optional(value, vectors[0]) for value in values]
    for other in rest:
        truth = found.truth & other.truth if goes_on else found.truth | other.truth
        valid = None if whole else np.where(found.truth == goes_on, _mask(other), _mask(found))
        found = Vector(truth, valid, found.doubt)
    return found


def negate(value: Any) -> Any:
    """``not``."""
    return Vector(~value.truth, None, value.doubt) if isinstance(value, Vector) else not value


def among(value: Any, choices: tuple[Any, ...]) -> Any:
    """``in``: false if there is no value."""
    if not isinstance(value, Vector):
        return either(*(choice == value for choice in choices))
    if value.data.dtype == np.uint8 and all(type(choice) is int for choice in choices):
        found = np.frombuffer(value.data.tobytes().translate(_octets(choices)), bool)
        return Vector(found if value.valid is None else found & value.valid, None, value.doubt)
    return either(*(value == choice for choice in choices))


@lru_cache
def _octets(choices: tuple[int, ...]) -> bytes:
    """For each of the 256 bytes, 1 if it is among the choices, else 0."""
    return bytes(octet in choices for octet in range(256))


def present(value: Any) -> Any:
    """Where there is a value."""
    if not isinstance(value, Vector):
        return value is not None
    return True if value.valid is None else Vector(value.valid, None, value.doubt)


def choose(test: Any, then: Any, other: Any) -> Any:
    """``then if test else other``; either may be None, meaning no value."""
    if not isinstance(test, Vector):
        return then if test else other
    holds = test.truth
    if all(type(value) is int and abs(value) < _LIMIT for value in (then, other)):
        return Vector(np.array([other, then]).take(holds.view(np.uint8)), None, test.doubt)
    if isinstance(then, Vector) and not holds.any():
        return _optional(other, test)
    one, two = (_optional(value, test) for value in (then, other))
    valid = np.where(holds, _mask(one), _mask(two))
    data = np.where(holds, one.data, two.data)
    return Vector(data, None if valid.all() else valid, test.doubt)


def _optional(value: Any, beside: Vector) -> Vector:
    if value is None:
        return Vector(np.zeros(len(beside.data), np.int64), np.zeros(len(beside.data), bool), beside.doubt)
    return beside.like(value)


def _mask(vector: Vector) -> Array:
    return np.ones(len(vector.data), bool) if vector.valid is None else vector.valid


def least(*values: Any) -> Any:
    """``min``."""
    return _extreme(values, np.minimum, min)


def greatest(*values: Any) -> Any:
    """``max``."""
    return _extreme(values, np.maximum, max)


def _extreme(values: tuple[Any, ...], operation: Any, plain: Any) -> Any:
    vectors = [value for value in values if isinstance(value, Vector)]
    if not vectors:
        return plain(values)
    found = vectors[0]
    for value in values:
        if value is not found:
            found = found._arithmetic(value, operation)
    return found
