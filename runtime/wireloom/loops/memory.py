"""Bytes in memory by their address. Compiled code has each of these in one instruction or a few; see ``native``."""

import ctypes


def u1(at: int) -> int:
    """A byte."""
    return ctypes.c_uint8.from_address(int(at)).value


def u2(at: int) -> int:
    """Two bytes, the lowest first."""
    return int.from_bytes(ctypes.string_at(int(at), 2), "little")


def u4(at: int) -> int:
    """Four bytes, the lowest first."""
    return int.from_bytes(ctypes.string_at(int(at), 4), "little")


def i8(at: int) -> int:
    """Eight bytes, the lowest first, in two's complement."""
    return int.from_bytes(ctypes.string_at(int(at), 8), "little", signed=True)


def u2_big(at: int) -> int:
    """Two bytes, the highest first."""
    return int.from_bytes(ctypes.string_at(int(at), 2))


def u4_big(at: int) -> int:
    """Four bytes, the highest first."""
    return int.from_bytes(ctypes.string_at(int(at), 4))


def i8_big(at: int) -> int:
    """Eight bytes, the highest first, in two's complement."""
    return int.from_bytes(ctypes.string_at(int(at), 8), signed=True)


def put1(at: int, value: int) -> None:
    """Write the lowest byte of a number."""
    ctypes.memmove(int(at), (int(value) & 0xFF).to_bytes(1), 1)


def put2(at: int, value: int) -> None:
    """Write the two lowest bytes of a number, the lowest first."""
    ctypes.memmove(int(at), (int(value) & 0xFFFF).to_bytes(2, "little"), 2)


def put4(at: int, value: int) -> None:
    """Write the four lowest bytes of a number, the lowest first."""
    ctypes.memmove(int(at), (int(value) & 0xFFFF_FFFF).to_bytes(4, "little"), 4)


def put8(at: int, value: int) -> None:
    """Write the eight lowest bytes of a number, the lowest first."""
    ctypes.memmove(int(at), (int(value) & (1 << 64) - 1).to_bytes(8, "little"), 8)


def put2_big(at: int, value: int) -> None:
    """Write the two lowest bytes of a number, the highest first."""
    ctypes.memmove(int(at), (int(value) & 0xFFFF).to_bytes(2), 2)


def put4_big(at: int, value: int) -> None:
    """Write the four lowest bytes of a number, the highest first."""
    ctypes.memmove(int(at), (int(value) & 0xFFFF_FFFF).to_bytes(4), 4)


def put8_big(at: int, value: int) -> None:
    """Write the eight lowest bytes of a number, the highest first."""
    ctypes.memmove(int(at), (int(value) & (1 << 64) - 1).to_bytes(8), 8)


def move32(to: int, at: int) -> None:
    """Copy 32 bytes."""
    ctypes.memmove(int(to), int(at), 32)


def fetch(to: int, at: int) -> None:
    """Let the processor fetch the memory that is written and read soon. These may be any addresses."""


def move(to: int, at: int, count: int) -> None:
    """Copy ``count`` bytes."""
    ctypes.memmove(int(to), int(at), int(count))


def shifted(register: int, count: int) -> int:
    """An unsigned number, shifted to the right by ``count`` bits."""
    return signed((int(register) & _WORD) >> int(count))


def folds() -> bool:
    """Whether ``folded`` is fast: whether the processor multiplies without carrying."""
    return True


def folded(register: int, at: int, size: int, constants: int) -> int:
    """A CRC's register behind ``size`` bytes, 16 or more; before them it is ``register``.

    Zeros in front do not change a register of 0, so that the first of the blocks of 16 bytes may have some. Each block
    is moved behind the next one by products with two of the ``constants``, see ``sums``; with the last three of them,
    what is left is divided by the polynomial.
    """
    first, last, _, _, inverse, divisor, odd = (i8(constants + 8 * number) & _WORD for number in range(7))
    octets = int.from_bytes(ctypes.string_at(int(at), int(size)), "little") ^ int(register) & _WORD
    octets <<= 8 * (-int(size) % 16)
    found = octets & _BLOCK
    while octets := octets >> 128:
        found = _product(found & _WORD, first) ^ _product(found >> 64, last) ^ octets & _BLOCK
    found = _product(found & _WORD, last) ^ found >> 64
    quotient = _product(found & _WORD, inverse) & _WORD
    return signed((found ^ _product(quotient, divisor)) >> 64 ^ quotient & odd)


_WORD, _BLOCK = (1 << 64) - 1, (1 << 128) - 1


def signed(number: int) -> int:
    """A number of 64 bits, in two's complement."""
    return number - (1 << 64) if number >> 63 else number


def _product(one: int, other: int) -> int:
    found = 0
    while other:
        found ^= one if other & 1 else 0
        one, other = one << 1, other >> 1
    return found
