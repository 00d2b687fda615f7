"""Decimal numbers with a fixed number of digits, of which each type writes digits and signs in its own way."""

from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

from wireloom.codec.accepted_values import shown, unfit
from wireloom.codec.columns import decimal
from wireloom.codec.errors import EncodeError, counted
from wireloom.codec.values import Scalar


class Digits(Scalar):
    """A number with this many ``digits``, ``scale`` of them after the decimal point."""

    size: int

    def __init__(self, digits: int, scale: int) -> None:
        super().__init__()
        self.digits = digits
        self.scale = scale
        self.type = decimal(digits, scale)
        self._unit = Decimal((0, (1,), -scale))
        self._exactly = Context(prec=digits, traps=[Inexact, InvalidOperation])

    def number(self, value: int) -> int | Decimal:
        """The number whose digits, without the point, are these."""
        return Decimal(f"{value}e-{self.scale}") if self.scale else value

    def scaled(self, value: Any) -> int:
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
