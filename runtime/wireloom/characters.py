"""Encodings that have one byte for each character, as tables."""

import codecs
from functools import lru_cache


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
