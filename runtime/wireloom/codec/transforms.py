"""Transforms of bytes: a mask, a rotation, zeros that are cut off, escapes, a compression.

A ``Way`` is what a spec declares; its ``Transform`` for a record changes the bytes, and changes them back.
"""

from functools import cache
from typing import Any

from wireloom.codec.accepted_values import shown
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.escapes import ESCAPINGS, Escaping
from wireloom.codec.frames import Frame, Values
from wireloom.expressions import Expression, Formula, expression
from wireloom.options import MAX_RECORD_BYTES


class Transform:
    """The transform of bytes in one record. The packed bytes of an ``exact`` one follow from the unpacked ones."""

    exact = True
    grows = False
    """Whether there may be more bytes than were packed, so that they count."""
    stray = ("", "")
    """The code and the detail of the error for packed bytes that must be kept, and are not."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def unpack(self, data: bytes, most: int) -> bytes:
        """The unpacked ``data``, of at most ``most`` bytes. Raises ``DecodeError``."""
        return data

    def pack(self, data: bytes) -> bytes:
        """The packed ``data``."""
        return data

    def check(self, data: bytes) -> None:
        """Raises ``EncodeError`` for what would unpack to something else."""

    def keeps(self, data: bytes, unpacked: bytes) -> bool:
        """Whether packed ``data`` must be kept beside the unpacked bytes, which do not determine it."""
        return False


class Same(Transform):
    """Nothing."""


class Masked(Transform):
    """The XOR with a key, which is repeated."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def unpack(self, data: bytes, most: int) -> bytes:
        return self.pack(data)

    def pack(self, data: bytes) -> bytes:
        if len(self.key) == 1:
            return data.translate(_masking(self.key[0]))
        repeated = (self.key * -(-len(data) // max(len(self.key), 1)))[: len(data)]
        return (int.from_bytes(data) ^ int.from_bytes(repeated)).to_bytes(len(data))


class Rotated(Transform):
    """The bits of each byte, stored so many places further left than they are."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def unpack(self, data: bytes, most: int) -> bytes:
        return data.translate(_rotating(-self.bits % 8))

    def pack(self, data: bytes) -> bytes:
        return data.translate(_rotating(self.bits))


class Filled(Transform):
    """``size`` bytes without the zeros at their end, but for the first byte."""

    exact = False
    grows = True
    stray = ("padding", "zeros at its end, which are cut off when it is written")

    def __init__(self, size: int) -> None:
        self.size = size

    def unpack(self, data: bytes, most: int) -> bytes:
        if self.size > most:
            raise DecodeError("too-long", f"zeros up to {counted(self.size, 'byte')}, more than the {most} allowed")
        return data.ljust(self.size, b"\0")

    def pack(self, data: bytes) -> bytes:
        return data.rstrip(b"\0") or data[:1]

    def check(self, data: bytes) -> None:
        if len(data) < self.size:
            raise EncodeError(f"has {counted(len(data), 'byte')}, and would be filled with zeros up to {self.size}")
        if len(data) > self.size and data.endswith(b"\0"):
            raise EncodeError(f"has more than {counted(self.size, 'byte')}, and zeros at its end, which are cut off")

    def keeps(self, data: bytes, unpacked: bytes) -> bool:
        return data.endswith(b"\0") if len(data) > 1 else not data and self.size > 0


class Unescaped(Transform):
    """Bytes without their escapes."""

    exact = False
    stray = ("escape", "escapes that are not written like this")

    def __init__(self, escaping: Escaping) -> None:
        self.escaping = escaping

    def unpack(self, data: bytes, most: int) -> bytes:
        found = self.escaping.unescape(data)
        if len(found) > most:
            raise DecodeError("too-long", f"escapes of {counted(len(found), 'byte')}, more than the {most} allowed")
        return found

    def pack(self, data: bytes) -> bytes:
        return self.escaping.escape(data)

    def keeps(self, data: bytes, unpacked: bytes) -> bool:
        return self.pack(unpacked) != data


class Compressed(Transform):
    """A compression, by its name in ``COMPRESSORS``. All its bytes are kept: no two programs write the same."""

    exact = False
    grows = True

    def __init__(self, name: str) -> None:
        self.name = name

    def unpack(self, data: bytes, most: int) -> bytes:
        from wireloom.codec.compression import COMPRESSORS, DamagedError, OverflowingError

        try:
            return COMPRESSORS[self.name].unpack(data, most)
        except DamagedError as error:
            raise DecodeError("packed", f"no {self.name}: {error}") from None
        except OverflowingError:
            raise DecodeError("too-long", f"{self.name} of more than the {most} bytes allowed") from None
        except ModuleNotFoundError as error:
            raise DecodeError("missing-package", str(error)) from None

    def pack(self, data: bytes) -> bytes:
        from wireloom.codec.compression import COMPRESSORS

        try:
            return COMPRESSORS[self.name].pack(data)
        except ModuleNotFoundError as error:
            raise EncodeError(str(error)) from None

    def keeps(self, data: bytes, unpacked: bytes) -> bool:
        return True


@cache
def _masking(key: int) -> bytes:
    return bytes(byte ^ key for byte in range(256))


@cache
def _rotating(bits: int) -> bytes:
    return bytes((byte << bits | byte >> (8 - bits)) & 0xFF for byte in range(256))


class Way:
    """A transform with an argument. ``asked`` is the expression for it."""

    def __init__(self, asked: Formula) -> None:
        self.asked: Expression = expression(asked)

    def step(self, this: Values, record: Values, frame: Frame) -> Transform:
        """The transform for a record. Raises ``DecodeError`` if its argument does not follow from the record's
        values.
        """
        return self.of(self.asked.ask(this, record, frame))

    def of(self, value: Any) -> Transform:
        """The step, for this argument. Raises ``DecodeError``."""
        raise NotImplementedError


class Xor(Way):
    """The XOR with a byte, or with bytes that are repeated."""

    def of(self, value: Any) -> Transform:
        if isinstance(value, bytes):
            return Masked(value)
        if isinstance(value, int) and 0 <= value <= 0xFF:
            return Masked(bytes((value,)))
        raise DecodeError("invalid", f"a key from 0 to 255 expected, found {shown(value)}")


class Rol(Way):
    """Bytes whose bits were rotated to the left."""

    def of(self, value: Any) -> Transform:
        if isinstance(value, int):
            return Rotated(value % 8)
        raise DecodeError("invalid", f"a number of bits expected, found {shown(value)}")


class Zeros(Way):
    """So many bytes, without the zeros at their end."""

    def of(self, value: Any) -> Transform:
        if isinstance(value, int) and 0 <= value <= MAX_RECORD_BYTES:
            return Filled(value)
        raise DecodeError("invalid-size", f"a size expected, found {shown(value)}")


class Unescape(Way):
    """Escapes: those of a table, or of a name in ``ESCAPINGS`` or none, selected with an expression."""

    def __init__(self, escaping: Formula | Escaping) -> None:
        self.table = escaping if isinstance(escaping, Escaping) else None
        super().__init__(0 if isinstance(escaping, Escaping) else escaping)

    def of(self, value: Any) -> Transform:
        if self.table is not None:
            return Unescaped(self.table)
        return Unescaped(ESCAPINGS[value]) if value in ESCAPINGS else Same()


class Compressing(Way):
    """A compression, or none, selected by name with an expression."""

    def of(self, value: Any) -> Transform:
        return _named(value) if isinstance(value, str) else Same()


@cache
def _named(name: str) -> Transform:
    return Same() if name == "none" else Compressed(name)
