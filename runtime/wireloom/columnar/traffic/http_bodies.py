"""Bodies of HTTP/1.1 in a stream, each of which is records end to end."""

import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from wireloom.codec import DecodeError
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.reassembly import Chunk, Delivered
from wireloom.columnar.traffic.stream_readers import Plain, Sent, refused
from wireloom.http1 import BodyData, BodyEnd, HeadError, MessageHead, Messages

_TEXTS = re.compile(r"(?:text/|application/(?:json|xml|x-www-form-urlencoded|javascript))", re.IGNORECASE)
"""Types of bodies that are not records."""
_PIECE = 1 << 20
"""So many bytes are unpacked at once."""


class Bodies:
    """Bodies of HTTP/1.1, without those of texts. After a gap in a body its bytes are taken as they are, up to where a
    message or a chunk is found. A stream that is ``lost`` begins after a gap.
    """

    __slots__ = ("begins", "body", "decoder", "messages", "packed", "packets", "position", "ready", "wanted")

    def __init__(self, decoder: Decoder, *, of_server: bool, lost: bool = False) -> None:
        self.decoder = decoder
        self.messages = Messages(of_server=of_server, lost=lost)
        self.begins: list[int] = []
        self.packets: list[list[int]] = []
        """The places in the stream where the bytes of packets begin, and the rows of these packets."""
        self.body: Plain | None = None
        self.position = 0
        """How many bytes of the body there were."""
        self.ready = Delivered()
        """What of these the body has not taken yet, as many bytes at once take no longer than few."""
        self.wanted = True
        self.packed: PackedBody | None = None

    def take(self, delivered: Delivered, *, final: bool = False) -> Iterator[Sent]:
        """As ``StreamReader.take``."""
        if delivered.begins:
            self.begins += delivered.begins
            self.packets += delivered.packets
            self.messages.put(b"".join(delivered.data), delivered.begins[0])
        yield from self._events(final=final)
        if final:
            yield from self._end()
        used = bisect_right(self.begins, self.messages.position + self.messages.at) - 1
        del self.begins[: max(used, 0)], self.packets[: max(used, 0)]

    def lose(self, missing: int | None) -> Iterator[Sent]:
        """As ``StreamReader.lose``."""
        if missing is None and self.messages.state == "start":
            return  # nothing is missing before a head
        yield from self._events(final=True)
        goes_on = self.messages.lose(missing)
        if goes_on and not self.wanted:
            return
        if self.packed is not None:
            yield from self._unpacked()
            if goes_on:
                self.packed.refusal = self.packed.refusal or "bytes before it were not captured"
                return
        self.wanted, self.packed = True, None
        if self.body is None:
            self.body = Plain(self.decoder)
        yield from self.body.lose(missing)
        self.position += missing or 0

    def _events(self, *, final: bool) -> Iterator[Sent]:
        """The records in the bytes that were put in, or in all that is left."""
        while True:
            try:
                event = self.messages.next(final=final)
            except HeadError as error:
                yield from self._end()
                yield self._refused(error.begin, error.data, f"no HTTP/1.1: {error}")
                continue
            match event:
                case MessageHead():
                    self.wanted = not _TEXTS.match(event.fields.get("content-type", ""))
                    self.packed = PackedBody.of(event) if self.wanted else None
                case BodyData() if self.wanted:
                    yield from self._data(event)
                case BodyEnd():
                    yield from self._end()
                case None:
                    yield from self._taken()
                    return

    def _data(self, data: BodyData) -> Iterator[Sent]:
        """The records that are complete with more bytes of a body."""
        if self.packed is None:
            yield from self._content(self._sent(data.begin, data.data, self.position))
            return
        self.packed.add(self._sent(data.begin, bytes(data.data), data.begin))
        if self.packed.size > self.decoder.options.max_record_bytes:
            yield from self._unpacked()
            self.packed.refusal = self.packed.refusal or self._too_many()

    def _content(self, delivered: Delivered) -> Iterator[Sent]:
        """The records that more bytes of a body complete, if these are many."""
        self.ready.data += delivered.data
        self.ready.begins += delivered.begins
        self.ready.packets += delivered.packets
        self.position = delivered.end
        if self.position - self.ready.begins[0] >= _PIECE:
            yield from self._taken()

    def _taken(self) -> Iterator[Sent]:
        """The records that the bytes so far complete."""
        if not self.ready.data:
            return
        self.body = self.body or Plain(self.decoder)
        ready, self.ready = self.ready, Delivered()
        yield from self.body.take(ready)

    def _unpacked(self, *, whole: bool = False) -> Iterator[Sent]:
        """The records in what there is of a packed body. What cannot be unpacked is a malformed range, and so is the
        end of a ``whole`` body that lacks its mark.
        """
        assert self.packed is not None
        pieces, refusal = self.packed.pieces, self.packed.refusal
        self.packed.pieces, self.packed.size, used = [], 0, 0
        if not refusal:
            inflater, size = Inflater(self.packed.coding), 0
            try:
                for _, chunk in pieces:
                    for data in inflater.take(bytes(chunk.data)):
                        size += len(data)
                        if size > self.decoder.options.max_record_bytes:
                            raise OverflowError
                        yield from self._content(Delivered([memoryview(data)], [self.position], [chunk.packet]))
                    used += 1
            except OverflowError:
                refusal = self._too_many()
            except zlib.error as error:
                refusal = str(error)
            if whole and not refusal and inflater.stream is not None:
                last, chunk = pieces[-1]
                pieces, used = (
                    [*pieces, (last + len(chunk.data) - 1, chunk._replace(data=memoryview(b"")))],
                    len(pieces),
                )
                refusal = "it ends before its end is marked"
        yield from self._taken()
        if refusal and pieces[used:]:
            self.packed.refusal = refusal
            yield from self._end_content()
            data = b"".join(bytes(chunk.data) for _, chunk in pieces[used:])
            reason = f"a body with Content-Encoding: {self.packed.coding} cannot be unpacked: {refusal}"
            yield self._refused(pieces[used][0], data, reason)

    def _too_many(self) -> str:
        return f"it is more than {self.decoder.options.max_record_bytes} bytes (maxRecordBytes)"

    def _end(self) -> Iterator[Sent]:
        """The last records of a body."""
        if self.packed is not None:
            yield from self._unpacked(whole=True)
        yield from self._end_content()
        self.wanted, self.packed = True, None

    def _end_content(self) -> Iterator[Sent]:
        yield from self._taken()
        if self.body is not None:
            yield from self.body.take(Delivered(), final=True)
        self.body, self.position = None, 0

    def _sent(self, begin: int, data: Any, position: int) -> Delivered:
        """Bytes that begin there in the stream, as those of a body from ``position`` on."""
        packets = slice(bisect_right(self.begins, begin) - 1, bisect_left(self.begins, begin + len(data)))
        begins = [position + max(each - begin, 0) for each in self.begins[packets]]
        return Delivered([memoryview(data)], begins, self.packets[packets])

    def _refused(self, begin: int, data: bytes, reason: str) -> Sent:
        """Bytes that begin there in the stream as a malformed range."""
        return refused(self._sent(begin, data, begin), DecodeError("http", reason, begin), self.decoder.cutter())


class PackedBody:
    """A body that is packed: what came of it that was not unpacked yet, by packets, and why none of it can be."""

    __slots__ = ("coding", "pieces", "refusal", "size")

    def __init__(self, coding: str, refusal: str = "") -> None:
        self.coding = coding
        self.pieces: list[tuple[int, Chunk]] = []
        self.size = 0
        self.refusal = refusal

    def add(self, delivered: Delivered) -> None:
        """Have more bytes."""
        self.pieces += delivered.pieces()
        self.size += sum(map(len, delivered.data))

    @classmethod
    def of(cls, head: MessageHead) -> "PackedBody | None":
        """The packing that a head declares; None if the body is not packed."""
        coding = head.fields.get("content-encoding", "").lower()
        if coding in ("", "identity"):
            return None
        known = coding in _CODINGS
        return cls(coding, "" if known else f"only {' and '.join(_CODINGS[:2])} are known")


_CODINGS = ("gzip", "deflate", "x-gzip")


class Inflater:
    """Unpacks a body as its bytes come (RFC 9110, 8.4.1). ``deflate`` is zlib's format; some servers leave out its
    header.
    """

    def __init__(self, coding: str) -> None:
        self.coding = coding
        self.stream: Any = None

    def take(self, data: bytes) -> Iterator[bytes]:
        """What these bytes unpack to, in pieces. Raises ``zlib.error``."""
        found = b""
        while data or len(found) == _PIECE:
            if self.stream is None:
                self.stream = self._begun(data)
            found = self.stream.decompress(data, _PIECE)
            yield found
            data = self.stream.unconsumed_tail
            if self.stream.eof:  # another member may follow
                data, found, self.stream = self.stream.unused_data, b"", None

    def _begun(self, first: bytes) -> Any:
        if self.coding != "deflate":
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        has_header = first[0] & 15 == zlib.DEFLATED  # no block of deflate itself begins so
        return zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
