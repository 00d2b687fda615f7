"""Packed decimal: two digits per byte, the most significant first, followed by a sign as mainframes write it.

Signs are written as ``c``, ``d`` or (if there is no minus) ``f``. If the field has ``raw``, which keeps the bytes,
every sign that machines accept is read: ``a``, ``c``, ``e`` and ``f`` are plus, ``b`` and ``d`` minus, and a zero
with a minus is zero (IBM, z/Architecture Principles of Operation, Decimal Instructions).
"""

from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

from wireloom.codec.accepted_values import shown, unfit
from wireloom.codec.columns import decimal
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.values import Scalar

SIGNS = {None: "", "signed": "cd", "unsigned": "f"}
"""The sign nibbles that are written after the digits: that of plus, and that of minus where there is one."""
PLUS, MINUS = "acef", "bd"
"""The nibbles that are read as a sign."""


class Bcd(Scalar):
    """A number with this many ``digits``, ``scale`` of them after the decimal point."""

    size: int

    def __init__(self, digits: int, *, scale: int = 0, sign: str | None = None) -> None:
        super().__init__()
        self.digits = digits
        self.scale = scale
        self.signs = SIGNS[sign]
        self.size = -(-(digits + len(self.signs[:1])) // 2)
        self.type = decimal(digits, scale)
        self._unit = Decimal((0, (1,), -scale))
        self._exactly = Context(prec=digits, traps=[Inexact, InvalidOperation])

    def _parse(self, stream: Any, context: Any, path: str) -> int | Decimal:
        start = stream.pos
        nibbles: str = stream.take(self.size).hex()
        last = len(nibbles) - len(self.signs[:1])
        digits, sign = nibbles[:last], nibbles[last:]
        if last > self.digits and digits[0] != "0":
            raise DecodeError("invalid", f"a leading nibble 0 expected, found {digits[0]}", start)
        if not digits.isdecimal():
            at = next(at for at, nibble in enumerate(digits) if not nibble.isdecimal())
            raise DecodeError("invalid", f"a decimal digit expected, found {digits[at]}", start + at // 2)
        number = int(digits)
        if self.signs:
            number = self._signed(number, sign, stream, start + self.size - 1)
        return Decimal(f"{number}e-{self.scale}") if self.scale else number

    def _signed(self, number: int, sign: str, stream: Any, at: int) -> int:
        """The number with its sign, which is at the byte ``at``."""
        if sign not in PLUS + MINUS:
            raise DecodeError("invalid", f"a sign (a to f) expected, found {sign}", at)
        number = -number if sign in MINUS else number
        if number < 0 and len(self.signs) == 1:
            raise DecodeError("invalid", f"a number without a minus expected, found the sign {sign}", at)
        usual = self.signs[number < 0]
        if self.strict and sign != usual:
            stream.refuse(DecodeError("invalid", f"the sign {usual} expected, found {sign}", at))
        return number

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        number = self._scaled(obj)
        if number < 0 and "d" not in self.signs:
            raise EncodeError(f"{shown(obj)} is negative, and has no sign")
        sign = self.signs[number < 0] if self.signs else ""
        stream.write(bytes.fromhex(f"{abs(number)}{sign}".rjust(2 * self.size, "0")))
        return obj

    def _scaled(self, value: Any) -> int:
        """The number without its decimal point. Raises ``EncodeError`` if it is not a number, or has too many
        digits.
        """
        if value is None or (not self.scale and not isinstance(value, int)):
            raise EncodeError(unfit(value, self.type, 0))
        if not isinstance(value, int | Decimal):
            raise EncodeError(f"a decimal expected, not {shown(value)}")
        if isinstance(value, int) and value.bit_length() > 4 * self.digits:
            raise self._too_long(value)
        try:
            return int(self._exactly.scaleb(self._exactly.quantize(Decimal(value), self._unit), self.scale))
        except InvalidOperation:
            raise self._too_long(value) from None
        except Inexact:
            behind = f"{counted(self.scale, 'digit')} behind the point"
            raise EncodeError(f"{shown(value)} has more than {behind}") from None

    def _too_long(self, value: object) -> EncodeError:
        return EncodeError(f"{shown(value)} does not fit {counted(self.digits, 'digit')}")
