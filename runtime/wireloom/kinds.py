"""What kind of capture a file is, by its first bytes."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from wireloom.compressed import DamagedFileError
from wireloom.options import CaptureKind, OptionError, unknown

TELLING = 12
"""How many bytes determine the kind of a file."""

_PCAP = tuple(map(bytes.fromhex, ("a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1", "a1b2cd34", "34cdb2a1")))
_SECTION, _ORDERS = bytes.fromhex("0a0d0d0a"), (bytes.fromhex("1a2b3c4d"), bytes.fromhex("4d3c2b1a"))

_CAPTURE = "; convert it to pcapng with Wireshark's editcap"
_UNPACKED = "; it is decompressed if its name ends in"
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"snoop\0\0\0", f"a snoop capture{_CAPTURE}"),
    (b"btsnoop\0", f"a btsnoop capture{_CAPTURE}"),
    (b"GMBU", f"a capture of Microsoft Network Monitor{_CAPTURE}"),
    (b"RTSS", f"a capture of Microsoft Network Monitor 1{_CAPTURE}"),
    (b"TRSNIFF data", f"a capture of Sniffer{_CAPTURE}"),
    (b"XCP\0", f"a capture of NetXRay{_CAPTURE}"),
    (b"\x05VNF", f"a capture of Visual Networks{_CAPTURE}"),
    *(
        (bytes.fromhex(magic), f"a capture of Ixia{_CAPTURE}")
        for magic in ("1c0001ac", "ac01001c", "1c0001ab", "ab01001c")
    ),
    (bytes.fromhex("1f8b08"), f"a gzip file{_UNPACKED} .gz"),
    (bytes.fromhex("28b52ffd"), f"a zstd file{_UNPACKED} .zst"),
    (bytes.fromhex("fd377a585a00"), f"an xz file{_UNPACKED} .xz"),
    (b"BZh", f"a bzip2 file{_UNPACKED} .bz2"),
    (bytes.fromhex("04224d18"), "an LZ4 file"),
    (b"PK\3\4", "a ZIP archive"),
    (bytes.fromhex("377abcaf271c"), "a 7z archive"),
)
"""The first bytes of files of other formats, and their names."""

PACKETS = "packets"
"""The protocol of packets."""
FILES = (CaptureKind.PCAP.value, CaptureKind.PCAPNG.value)
"""The protocols of files with packets."""

ReadSome = Callable[[int], bytes]
"""Reads so many bytes of a stream, or fewer; none only at its end."""
ReadInto = Callable[[memoryview], int | None]
"""Fills memory with the next bytes of a stream, and returns how many there were, as ``io.RawIOBase`` does."""


class Recording(NamedTuple):
    """A capture that is read from its beginning, and its kind; or the part that begins from byte ``start`` to before
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
    return CaptureKind.PCAPNG if first[:4] == _SECTION and first[8:TELLING] in _ORDERS else CaptureKind.RAW


def format_of(first: bytes, protocol: str) -> str:
    """The likely format of a file that begins with these bytes, which are not a record of the protocol.

    It is empty if the format is unknown.
    """
    if protocol not in FILES and first.startswith(_SECTION) and kind_of(first) is CaptureKind.RAW:
        return "it begins like a pcapng file, but has no byte-order magic (1a2b3c4d or 4d3c2b1a) at byte 8"
    return next((f"it begins like {what}" for magic, what in _OTHERS if first.startswith(magic)), "")


def written_kind(name: str) -> CaptureKind:
    """The kind of file to write that is called so, in any case. Raises ``OptionError``."""
    known = {each.value: each for each in CaptureKind if each is not CaptureKind.AUTO}
    if name.lower() not in known:
        raise OptionError(unknown("capture", name, known))
    return known[name.lower()]


def detect(kind: CaptureKind, protocol: str, read: ReadSome, *, size: int = TELLING) -> tuple[CaptureKind, bytes]:
    """The kind of a stream for a protocol, and the bytes that were read to detect it, ``size`` at once.

    To the protocols of packet files, such files are records end to end.
    """
    if protocol in FILES:
        return CaptureKind.RAW, b""
    ahead = b""
    with suppress(DamagedFileError):  # reported when the rest is read
        while kind is CaptureKind.AUTO and _undecided(ahead) and (more := read(size)):
            ahead += more
    return kind_of(ahead) if kind is CaptureKind.AUTO else kind, ahead


def _undecided(first: bytes) -> bool:
    return len(first) < TELLING and any(magic.startswith(first[:4]) for magic in (*_PCAP, _SECTION))


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
    """As ``behind``, for functions that fill memory."""

    def more(memory: memoryview) -> int | None:
        nonlocal ahead
        count = min(len(memory), len(ahead))
        memory[:count], ahead = ahead[:count], ahead[count:]
        return count or readinto(memory)

    return more
