"""Integers of variable length, each in as many bytes as it needs.

Only the shortest form is accepted, since a longer one could not be written back unchanged. Where the field has ``raw``,
it can.
"""

from typing import Any

from wireloom.codec.accepted_values import unfit
from wireloom.codec.columns import integer_type
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.values import Scalar


class Varint(Scalar):
    """An integer of at most ``bits`` bits. ``code`` is that of the error for bytes that are none."""

    signed = False
    code = "leb128"

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits = bits
        self.type = integer_type(bits, signed=self.signed)
        self.least = -(1 << bits - 1) if self.signed else 0
        self.most = (1 << bits - self.signed) - 1
        self.longest = -(-bits // 7)

    def encoded(self, value: int) -> bytes:
        """The bytes that a number is written as."""
        raise NotImplementedError

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, int) or not self.least <= obj <= self.most:
            raise EncodeError(unfit(obj, self.type, self.bits))
        stream.write(self.encoded(obj))
        return obj

    def _groups(self, stream: Any, start: int) -> bytes:
        """Bytes up to and with the first whose highest bit is not set."""
        for count in range(1, self.longest + 1):
            if stream.take(1)[0] < 0x80:
                found: bytes = stream.buffer[start : start + count]
                return found
        raise self._fault(f"no stop byte within {self.longest} bytes", start)

    def _fault(self, detail: str, start: int) -> DecodeError:
        return DecodeError(self.code, detail, start)

    def _must_be_shortest(self, is_longer: bool, start: int) -> None:
        if is_longer and self.strict:
            raise self._fault("not the shortest form", start)

    def _must_fit(self, value: int, start: int) -> int:
        if not self.least <= value <= self.most:
            raise self._fault(f"more than {self.bits} bits", start)
        return value


def leb128(value: int) -> bytes:
    """An unsigned number in groups of seven bits, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(groups: bytes) -> int:
    """The number whose groups of seven bits these are, the lowest first."""
    value = 0
    for shift, byte in enumerate(groups):
        value |= (byte & 0x7F) << 7 * shift
    return value


class Leb128(Varint):
    """Unsigned LEB128: seven bits a byte, the lowest first."""

    def encoded(self, value: int) -> bytes:
        return leb128(value)

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        start = stream.pos
        groups = self._groups(stream, start)
        self._must_be_shortest(len(groups) > 1 and groups[-1] == 0, start)
        return self._must_fit(_number(groups), start)


class SignedLeb128(Varint):
    """Signed LEB128: two's complement, with the sign in bit 6 of the last byte."""

    signed = True

    def encoded(self, value: int) -> bytes:
        out = bytearray()
        while not -0x40 <= value < 0x40:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value & 0x7F)
        return bytes(out)

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        start = stream.pos
        groups = self._groups(stream, start)
        value = _number(groups)
        if groups[-1] & 0x40:
            value -= 1 << 7 * len(groups)
        self._must_be_shortest(len(groups) > 1 and groups[-1] == (0x7F if groups[-2] & 0x40 else 0), start)
        return self._must_fit(value, start)


class ZigZag(Leb128):
    """A signed integer folded into unsigned LEB128: 0, -1, 1, -2 … become 0, 1, 2, 3 …"""

    signed = True

    def encoded(self, value: int) -> bytes:
        return leb128(value << 1 if value >= 0 else (-value << 1) - 1)

    def _must_fit(self, value: int, start: int) -> int:
        return super()._must_fit((value >> 1) ^ -(value & 1), start)


class Protobuf(Varint):
    """A signed integer as Protocol Buffers has it: its 64 bits of two's complement as unsigned LEB128.

    A negative one has ten bytes, also with fewer ``bits``. One that is not strict loses the bits it has no room for.
    """

    signed = True

    def __init__(self, bits: int) -> None:
        super().__init__(bits)
        self.longest = 10

    def encoded(self, value: int) -> bytes:
        return leb128(value & (1 << 64) - 1)

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        start = stream.pos
        groups = self._groups(stream, start)
        self._must_be_shortest(len(groups) > 1 and groups[-1] == 0, start)
        value = _number(groups)
        if value >> 64:
            raise self._fault("more than 64 bits", start)
        width = 64 if self.strict else self.bits
        value &= (1 << width) - 1
        return self._must_fit(value - (1 << width) if value >> width - 1 else value, start)


class Vlq(Varint):
    """Seven bits a byte, the highest first, as in MIDI files and ASN.1."""

    code = "varint"

    def encoded(self, value: int) -> bytes:
        out = bytearray([value & 0x7F])
        while value := value >> 7:
            out.append(value & 0x7F | 0x80)
        return bytes(out[::-1])

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        start = stream.pos
        groups = self._groups(stream, start)
        self._must_be_shortest(groups[0] == 0x80, start)
        return self._must_fit(_number(groups[::-1]), start)


class Quic(Varint):
    """As QUIC has it: the two highest bits of the first byte say whether there are 1, 2, 4 or 8."""

    code = "varint"

    def encoded(self, value: int) -> bytes:
        exponent = next(exponent for exponent in range(4) if value < 1 << (8 << exponent) - 2)
        return (value | exponent << (8 << exponent) - 2).to_bytes(1 << exponent)

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        start = stream.pos
        first = stream.take(1)
        size = 1 << (first[0] >> 6)
        value = int.from_bytes(first + stream.take(size - 1)) & (1 << 8 * size - 2) - 1
        self._must_be_shortest(size > 1 and value < 1 << 4 * size - 2, start)
        return self._must_fit(value, start)
