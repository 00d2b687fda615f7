"""Streams whose bytes are not records end to end: bodies of HTTP, and what TLS has encrypted."""

import re
from collections.abc import Iterator

from wireloom.codec import DecodeError
from wireloom.codec.cutting import Cutter
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.http_bodies import Bodies
from wireloom.columnar.traffic.reassembly import Delivered
from wireloom.columnar.traffic.stream_readers import Plain, Sent, StreamReader, refused
from wireloom.http1 import begins

_TLS = re.compile(rb"\x16\x03[\x00-\x04]..[\x01\x02]", re.DOTALL)
"""A record of TLS with the hello of a client or a server."""
_TLS_RECORD = re.compile(rb"[\x14-\x17]\x03[\x00-\x04]([\x00-\x48].)", re.DOTALL)
"""The header of any record of TLS, with its length (RFC 8446, 5.1; RFC 5246, 6.2.3)."""
_TLS_TYPES = range(0x14, 0x18)
_TLS_HEADER, _TLS_MOST = 5, (1 << 14) + 2048
_LOOKED_AT = 1 << 16
"""This many bytes identify a stream that began before it was recorded."""


def course_of(decoder: Decoder, delivered: Delivered, other: StreamReader | None, *, midway: bool) -> StreamReader:
    """How to read a stream that begins with these bytes, or, if ``midway``, whose first known bytes these are.

    ``other`` reads the other direction.
    """
    data = b"".join(delivered.data)
    first = data[:_LOOKED_AT]
    if midway and (isinstance(other, Encrypted) or _goes_on_in_tls(first)):
        return Encrypted(decoder.cutter(), is_reported=isinstance(other, Encrypted))
    is_tls, of_server = _TLS.match(first), begins(first)
    if (is_tls or of_server is not None) and not _believes(decoder.cutter(), data):
        if of_server is not None:
            return Bodies(decoder, of_server=of_server)
        return Encrypted(decoder.cutter(), is_reported=isinstance(other, Encrypted))
    if midway and isinstance(other, Bodies):
        return Bodies(decoder, of_server=not other.messages.of_server, lost=True)
    return Plain(decoder)


def _goes_on_in_tls(first: bytes) -> bool:
    """Whether bytes from the middle of a stream are of TLS: its records follow one another up to their end."""
    for header in _TLS_RECORD.finditer(first, 0, _TLS_HEADER + _TLS_MOST):
        at, count = header.start(), 0
        while at < len(first) and (record := _TLS_RECORD.match(first, at)):
            at += _TLS_HEADER + int.from_bytes(record[1])
            count += 1
        is_cut = at > len(first) or (at < len(first) < at + _TLS_HEADER and first[at] in _TLS_TYPES)
        if (at == len(first) and count) or (is_cut and (count > 1 or not header.start())):
            return True
    return False


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
    """A stream of TLS: one malformed row for both directions of a connection, unless the other one reports it."""

    __slots__ = ("cutter", "is_reported")

    def __init__(self, cutter: Cutter, *, is_reported: bool) -> None:
        self.cutter = cutter
        self.is_reported = is_reported

    def take(self, delivered: Delivered, *, final: bool = False) -> Iterator[Sent]:
        """As ``StreamReader.take``."""
        if delivered.data and not self.is_reported:
            self.is_reported = True
            advice = (
                "the connection is encrypted by TLS; record where it is not, or write its keys to a file"
                " (SSLKEYLOGFILE) and let tshark decrypt it: -o tls.keylog_file:KEYS -z follow,tls,raw,0"
            )
            yield refused(delivered, DecodeError("tls", advice, delivered.begins[0]), self.cutter)

    def lose(self, missing: int | None) -> Iterator[Sent]:
        """As ``StreamReader.lose``."""
        return iter(())
