"""Bodies of HTTP responses, as they were before they were cut into chunks."""

from collections.abc import Iterator
from typing import BinaryIO

from wireloom.http1 import LINE, BodyData, Messages

_PIECE = 1 << 16


def dechunked(stream: BinaryIO) -> Iterator[bytes]:
    r"""The bodies of the HTTP/1 responses of a connection, with chunked ones put together (RFC 9112, section 7.1).

    Parameters
    ----------
    stream : binary file object
        What a server sent. It begins with a response, or with the first chunk of a body; responses may follow one
        another. A body that is not chunked has the length that its head gives, or continues to the end.

    Yields
    ------
    bytes
        The bytes of the bodies, in pieces of at most 64 KiB. If the stream ends within a body, what is there is given.

    Raises
    ------
    ValueError
        If there is neither a chunk nor a response where one must begin, or a length is not valid.

    Examples
    --------
    >>> import io
    >>> from wireloom.responses import dechunked
    >>> response = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    >>> b"".join(dechunked(io.BytesIO(response)))
    b'abcde'
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
