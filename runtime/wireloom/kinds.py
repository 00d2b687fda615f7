"""What kind of capture a file is, by its first bytes."""

from collections.abc import Callable
from typing import NamedTuple

from wireloom.options import CaptureKind, OptionError, unknown

_TELLING = 12
"""So many bytes tell the kind of a file."""

_PCAP = tuple(map(bytes.fromhex, ("a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1")))
_SECTION, _ORDERS = bytes.fromhex("0a0d0d0a"), (bytes.fromhex("1a2b3c4d"), bytes.fromhex("4d3c2b1a"))

ReadSome = Callable[[int], bytes]
"""Reads so many bytes of a stream, or fewer; none only at its end."""
ReadInto = Callable[[memoryview], int | None]
"""Fills some memory with the next bytes of a stream, and tells how many there were, as ``io.RawIOBase`` does."""


class Recording(NamedTuple):
    """A capture that is read from its beginning, and what kind it is of; or what begins from byte ``start`` to before
    ``stop`` in it.
    """

    name: str
    kind: CaptureKind
    readinto: ReadInto
    start: int = 0
    stop: int | None = None


def kind_of(first: bytes) -> CaptureKind:
    """The kind of a file that begins with these bytes."""
    if first[:4] in _PCAP:
        return CaptureKind.PCAP
    return CaptureKind.PCAPNG if first[:4] == _SECTION and first[8:_TELLING] in _ORDERS else CaptureKind.RAW


def written_kind(name: str) -> CaptureKind:
    """The kind of file to write that is called so, in any case. Raises ``OptionError``."""
    known = {each.value: each for each in CaptureKind if each is not CaptureKind.AUTO}
    if name.lower() not in known:
        raise OptionError(unknown("capture", name, known))
    return known[name.lower()]


PACKETS = "packets"
"""The protocol of packets."""
FILES = (CaptureKind.PCAP.value, CaptureKind.PCAPNG.value)
"""The protocols of files with packets."""


def told(kind: CaptureKind, protocol: str, read: ReadSome, *, size: int = _TELLING) -> tuple[CaptureKind, bytes]:
    """The kind of what is read by a protocol, if that is to be found out, and what was read of it for that, ``size``
    bytes at once. To the protocols of files with packets, these are records as any.
    """
    if protocol in FILES:
        return CaptureKind.RAW, b""
    ahead = b""
    while kind is CaptureKind.AUTO and _undecided(ahead) and (more := read(size)):
        ahead += more
    return kind_of(ahead) if kind is CaptureKind.AUTO else kind, ahead


def _undecided(first: bytes) -> bool:
    return len(first) < _TELLING and any(magic.startswith(first[:4]) for magic in (*_PCAP, _SECTION))


def filling(read: ReadSome) -> ReadInto:
    """What fills memory by reading bytes."""

    def readinto(memory: memoryview) -> int:
        data = read(len(memory))
        memory[: len(data)] = data
        return len(data)

    return readinto


def behind(ahead: bytes, read: ReadSome) -> ReadSome:
    """What gives bytes that were read ahead, and then reads on."""

    def more(size: int) -> bytes:
        nonlocal ahead
        found, ahead = ahead[:size], ahead[size:]
        return found or read(size)

    return more


def reading(readinto: ReadInto) -> ReadSome:
    """What reads bytes by filling memory."""

    def read(size: int) -> bytes:
        memory = memoryview(bytearray(size))
        return bytes(memory[: readinto(memory) or 0])

    return read


def into(ahead: bytes, readinto: ReadInto) -> ReadInto:
    """As ``behind``, for what fills memory."""

    def more(memory: memoryview) -> int | None:
        nonlocal ahead
        count = min(len(memory), len(ahead))
        memory[:count], ahead = ahead[:count], ahead[count:]
        return count or readinto(memory)

    return more
