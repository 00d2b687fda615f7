"""Encodings of text, strict enough that every text that is read can be written back as the same bytes.

Some of Python's codecs have several byte sequences for one character, or read a character other than the one
written. Bytes that would not be restored are rejected, so these cases need not be known.
"""

from wireloom.codec.accepted_values import shown
from wireloom.codec.errors import DecodeError, EncodeError


def decoded(data: bytes, encoding: str, start: int) -> str:
    """The text in ``data``, which begins at ``start``. Raises ``DecodeError`` if it is not valid."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _no_text(data, encoding, start, error.start, error.end) from None
    if encoding != "utf-8" and (own := _written(text, encoding)) != data:
        first = next((at for at, (one, other) in enumerate(zip(data, own, strict=False)) if one != other), len(own))
        raise _no_text(data, encoding, start, first, first + 1)
    return text


def _no_text(data: bytes, encoding: str, start: int, first: int, last: int) -> DecodeError:
    return DecodeError("text", f"not {encoding} at byte {first} of it: {data[first:last].hex()}", start)


def _written(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        return text[: error.start].encode(encoding)


def encoded(text: str, encoding: str) -> bytes:
    """The bytes of ``text``. Raises ``EncodeError`` if the encoding does not have all of its characters."""
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        found = shown(text[error.start : error.end])
        raise EncodeError(f"{found} cannot be written in {encoding}") from None
    if encoding != "utf-8" and (read := data.decode(encoding, "replace")) != text:
        raise EncodeError(f"{shown(text)} cannot be written in {encoding}: it would be read as {shown(read)}")
    return data
