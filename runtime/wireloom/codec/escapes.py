"""Byte stuffing: bytes that must not occur in data, or mean something there, are written as several bytes.

SLIP is defined in RFC 1055, the escapes of HDLC in RFC 1662, COBS by Cheshire and Baker (1999), and unsynchronisation
in section 6.1 of ID3v2.4.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property

from wireloom.codec.errors import DecodeError


class Escaping:
    """A way to escape bytes. The escaped form that ``escape`` gives is the canonical one; others may mean the same."""

    def unescape(self, data: bytes) -> bytes:
        """What escaped ``data`` stand for. Raises ``DecodeError``, its offset counted from their start."""
        raise NotImplementedError

    def escape(self, data: bytes) -> bytes:
        """The shortest escaped form of ``data``."""
        raise NotImplementedError

    def canonical(self, data: bytes) -> bytes:
        """As ``unescape``. Raises ``ValueError`` also for data in another form than the canonical one."""
        found = self.unescape(data)
        if self.escape(found) != data:
            raise ValueError
        return found


class EscapePairs(Escaping):
    """Escapes of two bytes: the byte ``escaping``, and a code. ``codes`` has the byte that each code stands for.

    These bytes are always escaped, each with the first code for it. Codes of ``others`` are only read.
    """

    def __init__(self, escaping: int, codes: Mapping[int, int], others: Mapping[int, int] | None = None) -> None:
        self.escaping = escaping
        self.codes = dict(codes)
        self.others = dict(others or {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EscapePairs) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def written(self) -> dict[int, int]:
        """The code with which each byte is written that must be escaped."""
        return {byte: code for code, byte in reversed(self.codes.items())}

    @cached_property
    def _escape(self) -> Callable[[bytes], bytes]:
        forms = {bytes((byte,)): bytes((self.escaping, code)) for byte, code in self.written.items()}
        special = re.compile(b"[%s]" % b"".join(map(re.escape, forms)))
        return lambda data: special.sub(lambda found: forms[found[0]], data)

    @cached_property
    def _bare(self) -> Callable[[bytes, int, int], int]:
        """The place of the first byte that must be escaped, or -1."""
        special = bytes(byte for byte in self.written if byte != self.escaping)
        if not special:
            return lambda data, start, stop: -1
        search = re.compile(b"[%s]" % re.escape(special)).search

        def place(data: bytes, start: int, stop: int) -> int:
            found = search(data, start, stop)
            return -1 if found is None else found.start()

        return place

    def unescape(self, data: bytes) -> bytes:
        found, at = bytearray(), 0
        while at <= len(data):
            place = data.find(self.escaping, at)
            stop = len(data) if place < 0 else place
            if (bare := self._bare(data, at, stop)) >= 0:
                raise DecodeError("escape", f"{data[bare]:02x} must be escaped", bare)
            found += data[at:stop]
            if place < 0:
                break
            code = data[place + 1 : place + 2]
            byte = self.codes.get(code[0], self.others.get(code[0])) if code else None
            if byte is None:
                what = f"{data[place : place + 2].hex()} is no escape" if code else f"{data[place]:02x} ends it"
                raise DecodeError("escape", what, place)
            found.append(byte)
            at = place + 2
        return bytes(found)

    def escape(self, data: bytes) -> bytes:
        return self._escape(data)


class Cobs(Escaping):
    """Consistent Overhead Byte Stuffing: each zero is replaced by the distance to the next one."""

    def unescape(self, data: bytes) -> bytes:
        found, at = bytearray(), 0
        if (zero := data.find(0)) >= 0:
            raise DecodeError("escape", "00 must be escaped", zero)
        while at < len(data):
            stop = at + data[at]
            if stop > len(data):
                what = f"{data[at]:02x} stands for {data[at] - 1} bytes, {len(data) - at - 1} left"
                raise DecodeError("escape", what, at)
            found += data[at + 1 : stop]
            if data[at] < _LONGEST and stop < len(data):
                found.append(0)
            at = stop
        return bytes(found)

    def escape(self, data: bytes) -> bytes:
        found = bytearray()
        pieces = data.split(b"\0")
        for number, piece in enumerate(pieces):
            while len(piece) >= _LONGEST - 1:
                found += bytes((_LONGEST,)) + piece[: _LONGEST - 1]
                piece = piece[_LONGEST - 1 :]
                if not piece and number == len(pieces) - 1:
                    return bytes(found)
            found += bytes((len(piece) + 1,)) + piece
        return bytes(found)


_LONGEST = 0xFF
"""The code of COBS for 254 bytes, after which there is no zero."""


class Unsynchronisation(Escaping):
    """That of ID3v2: ``00`` follows each ``ff`` that looks like the start of an MPEG frame, or like an escape."""

    def unescape(self, data: bytes) -> bytes:
        if (wrong := _SYNCHRONISED.search(data)) is not None:
            what = f"{wrong[0].hex()} must be escaped" if len(wrong[0]) > 1 else "ff ends it"
            raise DecodeError("escape", what, wrong.start())
        return data.replace(b"\xff\0", b"\xff")

    def escape(self, data: bytes) -> bytes:
        return _STARTS.sub(b"\xff\0", data)


_SYNCHRONISED = re.compile(rb"\xff(?:[\xe0-\xff]|\Z)", re.DOTALL)
_STARTS = re.compile(rb"\xff(?=[\0\xe0-\xff]|\Z)", re.DOTALL)


def _hdlc() -> EscapePairs:
    codes = {byte ^ 0x20: byte for byte in (0x7D, 0x7E)}
    others = {code: code ^ 0x20 for code in range(256) if code not in (0x7D, 0x7E)}
    return EscapePairs(0x7D, codes, others)


ESCAPINGS: dict[str, Escaping] = {
    "slip": EscapePairs(0xDB, {0xDC: 0xC0, 0xDD: 0xDB}),
    "hdlc": _hdlc(),
    "dle": EscapePairs(0x10, {0x10: 0x10}),
    "cobs": Cobs(),
    "unsynchronisation": Unsynchronisation(),
}
"""By the names that specs have for them."""
