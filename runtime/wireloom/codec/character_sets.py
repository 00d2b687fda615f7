"""Text of packed characters, which have fewer than 8 bits each: in bytes of their own, or among bit fields."""

from typing import Any

from wireloom.characters import CharacterSet
from wireloom.codec.accepted_values import shown
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Values
from wireloom.codec.values import Ended, Extent, Prefixed, Size
from wireloom.codec.writer import Writer
from wireloom.options import MAX_RECORD_BYTES


class Characters:
    """Characters of a set as numbers, and back. The character ``pad`` fills what is left behind a text."""

    def __init__(self, known: CharacterSet, pad: str = "") -> None:
        self.known = known
        self.pad = pad

    def text(self, codes: bytes, start: int) -> str:
        """The text of codes, without padding. Raises ``DecodeError`` for a code without a character."""
        found = self.known.text(codes)
        place = found.find(CharacterSet.NONE)
        if place >= 0:
            raise DecodeError(
                "text", f"no character has the code {codes[place]:#04x}, that of character {place}", start
            )
        return found.rstrip(self.pad) if self.pad else found

    def codes(self, text: Any, room: int | None) -> bytes:
        """The codes of a text, and of its padding if there is ``room`` for so many. Raises ``EncodeError``."""
        if not isinstance(text, str):
            raise EncodeError("missing" if text is None else f"text expected, not {shown(text)}")
        try:
            codes = self.known.codes(text)
        except KeyError as error:
            raise EncodeError(f"{shown(error.args[0])} is no character of {self.known}") from None
        if not self.pad or room is None:
            return codes
        if text.endswith(self.pad):
            raise EncodeError(f"ends with its padding {shown(self.pad)}")
        return codes + self.known.codes(self.pad) * (room - len(codes))


class PackedText(Ended):
    """Text of packed characters in bytes of its own: as many as fit, or if they are ``counted``, as many as its length
    prefix says. Bits left over are zero.
    """

    type = "string"

    def __init__(self, extent: Extent, known: CharacterSet, pad: str = "", *, counted: bool = False) -> None:
        super().__init__(extent)
        self.characters = Characters(known, pad)
        self.counted = extent if counted and isinstance(extent, Prefixed) else None

    @property
    def known(self) -> CharacterSet:
        """The set of its characters."""
        return self.characters.known

    def _parse(self, stream: Any, context: Any, path: str) -> str | None:
        start = stream.pos
        if self.counted is not None:
            count = self.counted.count(stream, context)
            start = stream.pos
            codes, left = self.known.counted(stream.take(self.known.size(count)), count)
        else:
            codes, left = self.known.unpacked(self.extent.read(stream, context))
        try:
            if left:
                where = "before its first" if self.known.right else "behind its last"
                raise DecodeError("padding", f"zeros expected in the bits {where} character", start)
            return self.characters.text(codes, start)
        except DecodeError as error:
            stream.refuse(error)
            return None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if self.counted is not None:
            codes = self.characters.codes(obj, None)
            self.counted.put(stream, context, len(codes), self.known.filled(codes), "character")
        else:
            self.extent.write(stream, context, self.octets(obj, self._size(stream, context)))
        return obj

    def octets(self, text: Any, size: int | None) -> bytes:
        """The bytes of a text, with padding up to a ``size`` if there is one. Raises ``EncodeError``."""
        codes = self.characters.codes(text, None if size is None else 8 * size // self.known.width)
        try:
            return self.known.packed(codes)
        except ValueError as error:
            raise EncodeError(str(error)) from None

    def _size(self, writer: Writer, this: Values) -> int | None:
        """The number of bytes, if it is known before the value is written."""
        if not self.characters.pad or not isinstance(self.extent, Size) or self.extent.asks_left:
            return None
        size = self.extent.state(this, writer.record, writer.frame)
        return size if isinstance(size, int) and 0 <= size <= MAX_RECORD_BYTES else None
