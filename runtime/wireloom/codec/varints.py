"""Variable-length integers: unsigned LEB128 and its zig-zag signed sibling.

Only the shortest form is accepted, since a longer one could not be written back unchanged. Where the field has ``raw``,
it can.
"""

from typing import Any

from wireloom.codec.columns import U64
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.givens import unfit, whole
from wireloom.codec.values import Scalar


class Leb128(Scalar):
    """Unsigned LEB128 of at most ``bits`` bits (32 or 64)."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits = bits

    @property
    def type(self) -> str:
        return "long" if self.bits == 32 else U64

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        start = stream.tell()
        value: int = 0
        shift = 0
        while True:
            byte = stream.take(1)[0]
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
            shift += 7
            if shift >= self.bits:
                raise DecodeError("leb128", f"no stop byte within {-(-self.bits // 7)} bytes", start)
        if byte == 0 and shift and self.strict:
            raise DecodeError("leb128", "not the shortest form", start)
        if value >> self.bits:
            raise DecodeError("leb128", f"more than {self.bits} bits", start)
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        obj = whole(obj)
        if not isinstance(obj, int) or not 0 <= obj < 1 << self.bits:
            raise EncodeError(unfit(obj, self.type, self.bits))
        rest: int = obj
        out = bytearray()
        while rest > 0x7F:
            out.append(rest & 0x7F | 0x80)
            rest >>= 7
        out.append(rest)
        stream.write(bytes(out))
        return obj


class ZigZag(Scalar):
    """A signed integer of ``bits`` bits, folded into unsigned LEB128: 0, -1, 1, -2 … become 0, 1, 2, 3 …"""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits = bits
        self.unsigned = Leb128(bits)

    def lenient(self) -> "ZigZag":
        found = super().lenient()
        found.unsigned = self.unsigned.lenient()
        return found

    @property
    def type(self) -> str:
        return "int" if self.bits == 32 else "long"

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        value: int = self.unsigned._parse(stream, context, path)
        return (value >> 1) ^ -(value & 1)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        obj = whole(obj)
        if not isinstance(obj, int) or not -(1 << self.bits - 1) <= obj < 1 << self.bits - 1:
            raise EncodeError(unfit(obj, self.type, self.bits))
        self.unsigned._build(obj << 1 if obj >= 0 else (-obj << 1) - 1, stream, context, path)
        return obj
