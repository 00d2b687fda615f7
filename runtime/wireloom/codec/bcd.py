"""Packed decimal: two digits per byte, the most significant first, followed by a sign as mainframes write it; or with
bytes, or the nibbles of each byte, in the other order.

Signs are written as ``c``, ``d`` or (if there is no minus) ``f``. If the field has ``raw``, which keeps the bytes,
every sign that machines accept is read: ``a``, ``c``, ``e`` and ``f`` are plus, ``b`` and ``d`` minus, and a zero
with a minus is zero (IBM, z/Architecture Principles of Operation, Decimal Instructions).
"""

from decimal import Decimal
from typing import Any

from wireloom.codec.accepted_values import shown
from wireloom.codec.digits import Digits
from wireloom.codec.errors import DecodeError, EncodeError

SIGNS = {None: "", "signed": "cd", "unsigned": "f"}
"""The sign nibbles that are written after the digits: that of plus, and that of minus where there is one."""
PLUS, MINUS = "acef", "bd"
"""The nibbles that are read as a sign."""


class Bcd(Digits):
    """Digits in nibbles, and a sign in the last one, if there is one.

    The bytes come in the other order if it is ``little``, and the nibbles of each byte if the ``low`` one is first.
    """

    def __init__(
        self, digits: int, *, scale: int = 0, sign: str | None = None, little: bool = False, low: bool = False
    ) -> None:
        super().__init__(digits, scale)
        self.little = little
        self.low = low
        self.signs = SIGNS[sign]
        self.size = -(-(digits + len(self.signs[:1])) // 2)

    def _parse(self, stream: Any, context: Any, path: str) -> int | Decimal:
        start = stream.pos
        nibbles = self._arranged(stream.take(self.size)).hex()
        last = len(nibbles) - len(self.signs[:1])
        digits, sign = nibbles[:last], nibbles[last:]
        if last > self.digits and digits[0] != "0":
            raise DecodeError("invalid", f"a leading nibble 0 expected, found {digits[0]}", start + self._place(0))
        if not digits.isdecimal():
            at = next(at for at, nibble in enumerate(digits) if not nibble.isdecimal())
            raise DecodeError("invalid", f"a decimal digit expected, found {digits[at]}", start + self._place(at // 2))
        number = int(digits)
        if self.signs:
            number = self._signed(number, sign, stream, start + self._place(self.size - 1))
        return self.number(number)

    def _arranged(self, data: bytes) -> bytes:
        """The bytes as they are sent, of those in the usual order; and the other way round."""
        data = data[::-1] if self.little else data
        return bytes(octet >> 4 | (octet & 15) << 4 for octet in data) if self.low else data

    def _place(self, number: int) -> int:
        """Where a byte is sent, by its number in the usual order."""
        return self.size - 1 - number if self.little else number

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
        number = self.scaled(obj)
        if number < 0 and "d" not in self.signs:
            raise EncodeError(f"{shown(obj)} is negative, and has no sign")
        sign = self.signs[number < 0] if self.signs else ""
        stream.write(self._arranged(bytes.fromhex(f"{abs(number)}{sign}".rjust(2 * self.size, "0"))))
        return obj
