"""Characters as tables: of encodings that have one byte for each, and of sets whose characters have fewer bits."""

import codecs
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar


@lru_cache(maxsize=64)
def characters(encoding: str) -> tuple[str | None, ...] | None:
    """What each byte means in an encoding, None for bytes that mean nothing; None if a character has several bytes."""
    found: list[str | None] = []
    for byte in (bytes([value]) for value in range(256)):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(byte)
            if not text:  # more bytes are asked for
                return None
            found.append(text if text.encode(encoding) == byte else None)
        except UnicodeError:
            found.append(None)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """Characters of ``width`` bits each, 1 to 8, without gaps between them. The first is in the most significant bits
    of the first byte, or with ``lsb`` in the least significant ones.

    ``characters`` has the character of each code from 0 on; U+FFFD stands for codes without one, as do codes behind it.

    Characters that are counted may leave room for another one in their bytes. It is behind them, or if they are
    justified to the ``right``, before them, and has the code 0.
    """

    NONE: ClassVar[str] = "\ufffd"

    width: int
    characters: str
    lsb: bool = False
    right: bool = False

    def __str__(self) -> str:
        return f"its set of {self.width}-bit characters"

    def unpacked(self, data: bytes) -> tuple[bytes, int]:
        """The codes in bytes, one byte each, as many as fit; and the bits behind them, as a number."""
        codes, left = bytearray(), 0
        for at in range(0, len(data), self.width):  # 8 codes
            part = data[at : at + self.width]
            number, bits = int.from_bytes(part, "little" if self.lsb else "big"), 8 * len(part)
            count = bits // self.width
            if self.lsb:
                left = number >> count * self.width
            else:
                left = number & (1 << bits - count * self.width) - 1
                number >>= bits - count * self.width
            codes += self.split(number, count)
        return bytes(codes), left

    def packed(self, codes: bytes) -> bytes:
        """The fewest bytes that codes fit in, with zeros behind them. Raises ``ValueError`` if another character could
        be read behind them.
        """
        if 8 * self.size(len(codes)) - len(codes) * self.width >= self.width:
            raise ValueError(f"{len(codes)} characters leave room for another, which would be read behind them")
        data = bytearray()
        for at in range(0, len(codes), 8):
            part = codes[at : at + 8]
            size = -(-len(part) * self.width // 8)
            number = self.joined(part) << (0 if self.lsb else 8 * size - len(part) * self.width)
            data += number.to_bytes(size, "little" if self.lsb else "big")
        return bytes(data)

    def size(self, count: int) -> int:
        """How many bytes so many characters take."""
        return -(-count * self.width // 8)

    def filled(self, codes: bytes) -> bytes:
        """The bytes of codes that are counted, with codes 0 where there is room for others."""
        zeros = bytes(8 * self.size(len(codes)) // self.width - len(codes))
        return self.packed(zeros + codes if self.right else codes + zeros)

    def counted(self, data: bytes, count: int) -> tuple[bytes, int]:
        """So many codes in bytes, one byte each; and a number above 0 if anything else in the bytes is not zero."""
        codes, left = self.unpacked(data)
        start = len(codes) - count if self.right else 0
        return codes[start : start + count], left + sum(codes[:start]) + sum(codes[start + count :])

    def split(self, number: int, count: int) -> bytes:
        """The codes that a number consists of, without bits left over."""
        mask, shifts = (1 << self.width) - 1, range(0, count * self.width, self.width)
        return bytes(number >> shift & mask for shift in (shifts if self.lsb else reversed(shifts)))

    def joined(self, codes: bytes) -> int:
        """The number that codes make up."""
        number = 0
        for code in reversed(codes) if self.lsb else codes:
            number = number << self.width | code
        return number

    def text(self, codes: bytes) -> str:
        """The characters of codes; U+FFFD for codes without one."""
        known, none = self.characters, self.NONE
        return "".join(known[code] if code < len(known) else none for code in codes)

    def codes(self, text: str) -> bytes:
        """The codes of a text, one byte each. Raises ``KeyError`` with a character that has none."""
        known = _codes(self.characters)
        return bytes(known[character] for character in text)


@lru_cache(maxsize=64)
def _codes(characters: str) -> dict[str, int]:
    return {character: code for code, character in enumerate(characters) if character != CharacterSet.NONE}
