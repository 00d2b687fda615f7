"""Bodies of HTTP responses, as they were before they were cut into chunks."""

from collections.abc import Iterator
from typing import BinaryIO

from wireloom.http1 import LINE, BodyData, Messages

_PIECE = 1 << 16


def dechunked(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of what a server sent in a connection, without the heads of responses and of chunks.

    ``stream`` begins with a response or with the first chunk of a body; responses may follow each other. A body that
    is not in chunks has the length that its head tells, or goes on to the end. Pieces have at most 64 KiB. A stream may
    end anywhere; what is there comes out.

    Raises ``ValueError`` where neither a chunk nor a response begins, and for a length that is none.
    """
    messages, final = Messages(of_server=True, bare=True), False
    while not final:
        size = _PIECE if messages.state == "open" else min(messages.left, _PIECE)
        data = stream.read(size) if size else stream.readline(LINE)
        messages.put(data)
        final = not data
        while event := messages.next(final=final):
            if isinstance(event, BodyData):
                yield bytes(event.data)
