"""Whole numbers in ASCII digits.

Each number is accepted in one form only, so that it can be written back unchanged. If the field has ``raw``, blanks
and NULs around it, leading zeros, signs and letters of either case are also accepted, and text that is not a number
is None.
"""

from typing import Any

from wireloom.codec.accepted_values import unfit
from wireloom.codec.columns import integer_type
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.values import Ended, Extent

_DIGITS = b"0123456789abcdef"
BLANKS = b"\0 "
_SHOWN = 20
"""How many bytes an error shows."""


class Ascii(Ended):
    """A number of at most ``bits`` bits, with leading zeros up to ``digits`` characters, and with ``fill`` up to
    ``width``.
    """

    def __init__(
        self,
        extent: Extent,
        bits: int,
        *,
        base: int = 10,
        digits: int = 1,
        fill: bytes = b"",
        width: int = 0,
        signed: bool = False,
        upper: bool = False,
    ) -> None:
        super().__init__(extent)
        self.bits = bits
        self.base = base
        self.digits = digits
        self.fill = fill
        self.signed = signed
        self.alphabet = _DIGITS[:base].upper() if upper else _DIGITS[:base]
        self.width = width
        self._kind = self.type = integer_type(bits, signed=signed)
        self.least = -(1 << bits - 1) if signed else 0
        self.most = (1 << bits - signed) - 1

    def encoded(self, value: int) -> bytes:
        """The characters of a number."""
        found, rest = bytearray(), abs(value)
        while rest or not found:
            rest, digit = divmod(rest, self.base)
            found.append(self.alphabet[digit])
        number = bytes(found[::-1])
        written = (b"-" + number if value < 0 else number).zfill(self.digits)
        return written.rjust(self.width, self.fill) if self.fill else written

    def _parse(self, stream: Any, context: Any, path: str) -> int | None:
        start = stream.pos
        data = self.extent.read(stream, context)
        value = self._said(data)
        if not self.strict or (value is not None and self.encoded(value) == data):
            return value
        shown = data[:_SHOWN].hex() + ("…" if len(data) > _SHOWN else "")
        if value is None:
            what = f"a number of base {self.base} and {self.bits} bits expected, found {shown}"
        else:
            what = f"{value} is written {self.encoded(value)[: 2 * _SHOWN].hex()}, found {shown}"
        stream.refuse(DecodeError("invalid", what, start))
        return value

    def _said(self, data: bytes) -> int | None:
        """The number that the characters say, in whatever form; None if they say none that fits."""
        digits = data.strip(BLANKS + self.fill).lower()
        negative = self.signed and digits.startswith(b"-")
        if negative or digits.startswith(b"+"):
            digits = digits[1:]
        number = digits.lstrip(b"0")
        if not digits or len(number) > self.bits or number.translate(None, _DIGITS[: self.base]):
            return None
        value = int(number or b"0", self.base)
        value = -value if negative else value
        return value if self.least <= value <= self.most else None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, int) or not self.least <= obj <= self.most:
            raise EncodeError(unfit(obj, self._kind, self.bits))
        self.extent.write(stream, context, self.encoded(obj))
        return obj
