"""Zoned decimal: a digit per byte, in EBCDIC or ASCII, with a sign in a byte of its own or in that of a digit.

A digit with a sign is written as EBCDIC has it, with the zone ``c`` for plus and ``d`` for minus; in ASCII, as the
characters that these are there (``{``, ``A`` to ``I`` and ``}``, ``J`` to ``R``). If the field has ``raw``, which
keeps the bytes, others that machines write are read: in EBCDIC the zones ``a``, ``e`` and ``f`` for plus and ``b`` for
minus, in ASCII plain digits for plus and ``p`` to ``y`` for minus; and a zero with a minus is zero.
"""

from decimal import Decimal
from typing import Any

from wireloom.codec.accepted_values import shown
from wireloom.codec.digits import Digits
from wireloom.codec.errors import DecodeError, EncodeError

_ZONES = {"ebcdic": 0xF0, "ascii": 0x30}
_SEPARATE = {"ebcdic": b"\x4e\x60", "ascii": b"+-"}
_USUAL = {
    "ebcdic": (bytes(range(0xC0, 0xCA)), bytes(range(0xD0, 0xDA))),
    "ascii": (b"{ABCDEFGHI", b"}JKLMNOPQR"),
}
_OTHERS: dict[str, tuple[tuple[bytes, ...], tuple[bytes, ...]]] = {
    "ebcdic": (tuple(bytes(range(zone, zone + 10)) for zone in (0xA0, 0xE0, 0xF0)), (bytes(range(0xB0, 0xBA)),)),
    "ascii": ((b"0123456789",), (b"pqrstuvwxy",)),
}


class Zoned(Digits):
    """Digits in bytes, with a sign where ``sign`` says: ``leading`` or ``trailing``, with ``_separate`` behind it if it
    has a byte of its own; nothing if there is no sign.

    ``signed_digits`` are the bytes of the digits with plus and with minus, ``signs`` those of a separate sign.
    """

    def __init__(self, digits: int, *, scale: int = 0, encoding: str = "ebcdic", sign: str = "") -> None:
        super().__init__(digits, scale)
        self.zone = _ZONES[encoding]
        self.signed = bool(sign)
        self.leading = sign.startswith("leading")
        self.separate = sign.endswith("separate")
        self.signs = _SEPARATE[encoding]
        self.signed_digits = _USUAL[encoding]
        self.size = digits + self.separate
        plus, minus = ((usual, *others) for usual, others in zip(_USUAL[encoding], _OTHERS[encoding], strict=True))
        self._meant = {octet: (digit, False) for octets in plus for digit, octet in enumerate(octets)}
        self._meant |= {octet: (digit, True) for octets in minus for digit, octet in enumerate(octets)}

    @property
    def sign_at(self) -> int:
        """The byte with the sign."""
        return 0 if self.leading else self.size - 1

    def _encoded(self, number: int) -> bytes:
        """The bytes that a number is written as."""
        digits = [int(digit) for digit in str(abs(number)).zfill(self.digits)]
        data = bytearray(self.zone + digit for digit in digits)
        if self.separate:
            data.insert(self.sign_at, self.signs[number < 0])
        elif self.signed:
            data[self.sign_at] = self.signed_digits[number < 0][digits[self.sign_at]]
        return bytes(data)

    def _parse(self, stream: Any, context: Any, path: str) -> int | Decimal:
        start = stream.pos
        data = stream.take(self.size)
        digits, negative = list(data), False
        if self.separate:
            sign = digits.pop(self.sign_at)
            if sign not in self.signs:
                raise DecodeError("invalid", f"a sign expected, found {sign:02x}", start + self.sign_at)
            negative = sign == self.signs[1]
        elif self.signed:
            sign = digits[self.sign_at]
            if sign not in self._meant:
                raise DecodeError("invalid", f"a digit with a sign expected, found {sign:02x}", start + self.sign_at)
            digit, negative = self._meant[sign]
            digits[self.sign_at] = self.zone + digit
        number = 0
        for at, octet in enumerate(digits, start + (self.separate and self.leading)):
            if not self.zone <= octet < self.zone + 10:
                raise DecodeError("invalid", f"a decimal digit expected, found {octet:02x}", at)
            number = 10 * number + octet - self.zone
        number = -number if negative else number
        if self.strict and (usual := self._encoded(number)) != data:
            what = f"the sign {usual[self.sign_at]:02x} expected, found {data[self.sign_at]:02x}"
            stream.refuse(DecodeError("invalid", what, start + self.sign_at))
        return self.number(number)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        number = self.scaled(obj)
        if number < 0 and not self.signed:
            raise EncodeError(f"{shown(obj)} is negative, and has no sign")
        stream.write(self._encoded(number))
        return obj
