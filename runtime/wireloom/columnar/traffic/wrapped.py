"""Streams whose bytes are not records end to end: bodies of HTTP, and what TLS has encrypted."""

import re
from collections.abc import Iterator
from typing import Any

from wireloom.codec import DecodeError
from wireloom.codec.cutting import Cutter
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.courses import Course, Plain, Sent, refused
from wireloom.columnar.traffic.reassembly import Chunk, Delivered
from wireloom.extras import needed

_TLS = re.compile(rb"\x16\x03[\x00-\x04]..[\x01\x02]", re.DOTALL)
"""A record of TLS with the hello of a client or a server."""
_HTTP = re.compile(rb"HTTP/1\.[01] [1-5]|(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH) [!-~]")
_TEXTS = re.compile(rb"\s*(?:text/|application/(?:json|xml|x-www-form-urlencoded|javascript))", re.IGNORECASE)
"""Types of bodies that are no records."""
_TOLD = 16
"""So many bytes tell what a stream is."""


def course_of(decoder: Decoder, delivered: Delivered, other: Course | None) -> Course:
    """What becomes of a stream that begins with these bytes. ``other`` is what became of the other direction."""
    first = b"".join(bytes(data[:_TOLD]) for data in delivered.data[:_TOLD])[:_TOLD]
    wrapped = _TLS.match(first) or _HTTP.match(first)
    if not wrapped or _believes(cutter := decoder.cutter(), b"".join(delivered.data)):
        return Plain(decoder)
    return Encrypted(cutter, told=isinstance(other, Encrypted)) if _TLS.match(first) else Bodies(decoder, first)


def _believes(cutter: Cutter, data: bytes) -> bool:
    """Whether a stream of the protocol may begin so."""
    if cutter.awaits:
        return False
    known = dict(cutter.parameters)
    try:
        cutter.framing.believed(data, 0, len(data), known, final=False, bound=cutter.bound, order=None)
    except DecodeError as error:
        return error.needed > len(data)
    return True


class Encrypted:
    """A stream of TLS: one malformed row for both directions of a connection, unless that was ``told`` already."""

    __slots__ = ("cutter", "told")

    def __init__(self, cutter: Cutter, *, told: bool) -> None:
        self.cutter = cutter
        self.told = told

    def take(self, delivered: Delivered, *, final: bool = False) -> Iterator[Sent]:
        """As ``Course.take``."""
        if delivered.data and not self.told:
            self.told = True
            advice = (
                "the connection is encrypted by TLS; record where it is not, or write its keys to a file"
                " (SSLKEYLOGFILE) and let tshark decrypt it: -o tls.keylog_file:KEYS -z follow,tls,raw,0"
            )
            yield refused(delivered, DecodeError("tls", advice, delivered.begins[0]), self.cutter)

    def lose(self, missing: int | None) -> Iterator[Sent]:
        """As ``Course.lose``."""
        return iter(())


def _h11() -> Any:
    with needed("recorded HTTP", "http"):
        import h11
    return h11


class Bodies:
    """Bodies of HTTP/1.1, each of which is records end to end; those of texts are left out. Behind a gap in a body the
    bytes are taken as they are.
    """

    def __init__(self, decoder: Decoder, first: bytes) -> None:
        h11 = _h11()
        self.role = h11.CLIENT if first.startswith(b"HTTP/") else h11.SERVER
        self.decoder = decoder
        self.messages = h11.Connection(self.role)
        self.body: Plain | None = None
        self.position = 0
        """How many bytes of the body there were."""
        self.wanted = False
        self.raw = False

    def take(self, delivered: Delivered, *, final: bool = False) -> Iterator[Sent]:
        """As ``Course.take``."""
        if self.raw and self.body is not None:
            yield from self.body.take(delivered, final=final)
            return
        for begin, chunk in delivered.pieces():
            if self.raw and self.body is not None:
                yield from self.body.take(Delivered([chunk.data], [begin], [chunk.packet]))
                continue
            self.messages.receive_data(bytes(chunk.data))
            yield from self._events(begin, chunk)
        if final and self.body is not None:
            yield from self._end()

    def lose(self, missing: int | None) -> Iterator[Sent]:
        """As ``Course.lose``."""
        self.raw = True
        if self.body is None:
            self.body = Plain(self.decoder)
        yield from self.body.lose(missing)

    def _events(self, begin: int, chunk: Chunk) -> Iterator[Sent]:
        h11 = _h11()
        while True:
            try:
                event = self.messages.next_event()
            except h11.RemoteProtocolError as error:
                yield from self._broken(Delivered([chunk.data], [begin], [chunk.packet]), str(error))
                return
            match event:
                case h11.Request() | h11.Response():
                    self.wanted = not _TEXTS.match(dict(event.headers).get(b"content-type", b""))
                case h11.Data() if self.wanted:
                    self.body = self.body or Plain(self.decoder)
                    yield from self.body.take(Delivered([memoryview(event.data)], [self.position], [chunk.packet]))
                    self.position += len(event.data)
                case h11.EndOfMessage():
                    yield from self._end()
                case h11.NEED_DATA:
                    return
                case h11.PAUSED:
                    left, _ = self.messages.trailing_data
                    self.messages = h11.Connection(self.role)
                    self.messages.receive_data(left)

    def _end(self) -> Iterator[Sent]:
        """The last records of a body."""
        if self.body is not None:
            yield from self.body.take(Delivered(), final=True)
        self.body, self.position = None, 0

    def _broken(self, delivered: Delivered, reason: str) -> Iterator[Sent]:
        """What is no HTTP, as one malformed range; what follows is taken as it is."""
        yield from self._end()
        self.raw, self.body = True, Plain(self.decoder)
        self.body.base = delivered.end
        error = DecodeError("http", f"no HTTP/1.1: {reason}", delivered.begins[0])
        yield refused(delivered, error, self.body.cutter)
