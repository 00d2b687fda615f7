"""Hex text as people write it: pairs of digits with blanks and line breaks between them, and ``#`` comments."""

import re

_NO_DIGIT = re.compile(rb"[^0-9A-Fa-f]")


class HexTextError(ValueError):
    """A text is no hex text; ``args`` are the sentence that says why."""


class HexDecoder:
    """Decodes hex text that arrives in pieces."""

    def __init__(self) -> None:
        self._line, self._rest, self._in_comment = 1, b"", False

    def decode(self, text: bytes) -> bytes:
        """The bytes that are complete with the next piece of the text. Raises ``HexTextError``."""
        return b"".join(self._line_bytes(number, line) for number, line in enumerate(text.split(b"\n")))

    def finish(self) -> None:
        """End the text. Raises ``HexTextError`` if a digit is left."""
        if self._rest:
            raise HexTextError("the number of hex digits is odd")

    def _line_bytes(self, number: int, line: bytes) -> bytes:
        """The bytes of a line or a part of one; ``number`` 0 continues the last one."""
        if number:
            self._line += 1
            self._in_comment = False
        if self._in_comment:
            return b""
        code, hash_sign, _ = line.partition(b"#")
        self._in_comment = bool(hash_sign)
        digits = self._rest + b"".join(code.split())
        if wrong := _NO_DIGIT.search(digits):
            shown = digits[wrong.start() :].decode(errors="replace")[0]
            raise HexTextError(f"line {self._line} is not hex text: {shown!r} is no hex digit")
        even = len(digits) & ~1
        self._rest = digits[even:]
        return bytes.fromhex(digits[:even].decode())


def decoded(text: str) -> bytes:
    """The bytes of a whole hex text. Raises ``HexTextError``."""
    decoder = HexDecoder()
    found = decoder.decode(text.encode())
    decoder.finish()
    return found
