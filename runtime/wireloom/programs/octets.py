"""What instructions do with bytes, for back ends that have them as such."""

from wireloom.characters import CharacterSet
from wireloom.codec.transforms import Masked


def sought_in(data: bytes, wanted: bytes, unit: int, start: int = 0, stop: int | None = None) -> int:
    """Where some bytes begin, a multiple of ``unit`` behind the start; -1 if they are not there."""
    found = data.find(wanted, start, stop)
    while found >= 0 and (found - start) % unit:
        found = data.find(wanted, found + 1, stop)
    return found


def without(data: bytes, padding: bytes) -> bytes:
    """The bytes without the padding at their end, which is there any number of times."""
    stop = len(data)
    while stop >= len(padding) and data.endswith(padding, 0, stop):
        stop -= len(padding)
    return data[:stop]


def lowest(number: int, size: int) -> bytes:
    """So many of the lowest bytes of a number, which may be negative, the lowest first."""
    return (number & (1 << 8 * size) - 1).to_bytes(size, "little")


def masked(data: bytes, key: int, size: int) -> bytes:
    """The XOR of bytes with those of a number, the lowest first, again and again."""
    return Masked(lowest(key, size)).pack(data)


def transcoded(data: bytes, encoding: str) -> bytes:
    """The text in an encoding as UTF-8. Raises ``ValueError`` if it is none, or would be written as other bytes."""
    text = data.decode(encoding)
    if text.encode(encoding) != data:
        raise ValueError
    return text.encode()


def spread(data: bytes, bits: int, order: int, before: int, behind: int) -> bytes:
    """The numbers of so many bits each in bytes, as ``SPREAD`` writes them. Raises ``ValueError`` if bits are left over
    that are not 0.
    """
    known = CharacterSet(bits, "", lsb=bool(order & 1))
    if before or behind:
        first, last = (before, behind) if known.lsb else (behind, before)
        count, left = divmod(8 * len(data) - before - behind, bits)
        number = int.from_bytes(data, "little" if known.lsb else "big") >> first
        codes = known.split(number & (1 << 8 * len(data) - first - last) - 1, count)
    else:
        codes, left = known.unpacked(data)
    if left:
        raise ValueError
    return codes[::-1] if order & 2 else codes
