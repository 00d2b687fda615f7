"""Bodies of HTTP responses, as they were before they were cut into chunks."""

import re
from collections.abc import Iterator
from http.client import HTTPException, parse_headers
from typing import BinaryIO

_RESPONSE = b"HTTP/"
_PIECE = 1 << 16
_LINE = 1 << 16
"""No line is longer, as in ``http.client``."""
_BODILESS = re.compile(rb"HTTP/\S+ +(1\d\d|204|304)\b")
"""The first line of a response that has no body whatever its head says."""


def dechunked(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of what a server sent in a connection, without the heads of responses and of chunks.

    ``stream`` begins with a response or with the first chunk of a body; responses may follow each other. A body that
    is not in chunks has the length that its head tells, or goes on to the end. Pieces have at most 64 KiB. A stream may
    end anywhere; what is there comes out.

    Raises ``ValueError`` where neither a chunk nor a response begins, and for a length that is none.
    """
    while line := _line(stream):
        if not line.startswith(_RESPONSE[: len(line)]):
            yield from _chunks(stream, line)
            continue
        try:
            head = parse_headers(stream)
        except HTTPException as error:
            raise ValueError(f"a response without an end of its head: {error}") from None
        length, coding = head.get("Content-Length"), head.get("Transfer-Encoding", "").strip().lower()
        if _BODILESS.match(line):
            continue
        if coding == "chunked":
            yield from _chunks(stream, _line(stream))
        elif coding in ("", "identity"):
            yield from _pieces(stream, None if length is None else _length(length.strip()))
        elif stream.read(1):
            raise ValueError(f"a body in chunks alone expected, found Transfer-Encoding: {coding}")


def _chunks(stream: BinaryIO, line: bytes) -> Iterator[bytes]:
    """The bytes of chunks, the first of which begins with a line that has been read."""
    while size := _size(line):
        yield from _pieces(stream, size)
        if (end := _line(stream)) not in (b"\r\n", b"\n", b"\r", b""):
            raise ValueError(f"the end of a chunk expected, found {end[:20]!r}")
        line = _line(stream)
    while _line(stream).strip():  # fields behind the last chunk
        pass


def _line(stream: BinaryIO) -> bytes:
    """The next line with its end, without one where the stream ends."""
    line = stream.readline(_LINE)
    if len(line) == _LINE and not line.endswith(b"\n"):
        raise ValueError(f"a line of at most {_LINE} bytes expected, found {line[:20]!r} and more")
    return line


def _length(text: str) -> int:
    """The length of a body as its head tells it."""
    if not re.fullmatch("[0-9]{1,20}", text):
        raise ValueError(f"the length of a body expected, found Content-Length: {text[:20]}")
    return int(text)


def _size(line: bytes) -> int:
    """The size in the first line of a chunk; 0 where the stream ends, also within the line."""
    digits = line.partition(b";")[0].strip()
    if not re.fullmatch(rb"[0-9A-Fa-f]{1,16}", digits) and (digits or line.endswith(b"\n")):
        raise ValueError(f"the size of a chunk expected, found {line[:20]!r}")
    return int(digits, 16) if line.endswith(b"\n") else 0


def _pieces(stream: BinaryIO, size: int | None) -> Iterator[bytes]:
    """So many bytes, or all that there are."""
    while size != 0 and (piece := stream.read(_PIECE if size is None else min(size, _PIECE))):
        yield piece
        size = None if size is None else size - len(piece)
