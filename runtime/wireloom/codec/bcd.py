"""Packed decimal: two digits a byte, the most significant first, and behind them a sign as mainframes write it.

Each number is accepted in one form only, so that what is read can be written back unchanged: an unused nibble is 0, a
sign is ``c``, ``d`` or (where there is no minus) ``f``, and zero is positive.
"""

from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

from wireloom.codec.columns import decimal
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.givens import shown, unfit
from wireloom.codec.values import Scalar

SIGNS = {None: "", "signed": "cd", "unsigned": "f"}
"""The sign nibbles that may follow the digits; the first is that of positive numbers."""


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
        if sign not in self.signs:
            expected = " or ".join(self.signs)
            raise DecodeError("invalid", f"the sign {expected} expected, found {sign}", start + self.size - 1)
        number = int(digits)
        if sign == "d":
            if number == 0:
                raise DecodeError("invalid", "zero with a minus", start + self.size - 1)
            number = -number
        return Decimal(f"{number}e-{self.scale}") if self.scale else number

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        number = self._scaled(obj)
        if number < 0 and "d" not in self.signs:
            raise EncodeError(f"{shown(obj)} is negative, and has no sign")
        sign = self.signs[number < 0] if self.signs else ""
        stream.write(bytes.fromhex(f"{abs(number)}{sign}".rjust(2 * self.size, "0")))
        return obj

    def _scaled(self, value: Any) -> int:
        """The number without its decimal point. Raises ``EncodeError`` if it is no number, or has too many digits."""
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
