"""Opening captures, and finding their records: end to end, or in packets."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from io import BytesIO
from typing import Any

import pyarrow as pa

from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.splits import followed
from wireloom.columnar.traffic.packet_stats import LOG
from wireloom.compressed import DamagedFileError
from wireloom.files import opened
from wireloom.kinds import ReadInto, Recording, detect, into, reading
from wireloom.options import CaptureKind, OptionError, ReadOptions

_AHEAD = 256 * 1024
"""How much of a stream is read to detect its kind: all of a small file, since each read of a remote one is a
request.
"""

LeavesOut = Callable[[OSError], bool]
"""Whether to skip the rest of a file with this error."""


def all_are_read(_: OSError) -> bool:
    """No file is left out."""
    return False


class LeavingOut(AbstractContextManager[None, bool]):
    """Suppresses the error of a file whose rest is skipped, and logs it."""

    def __init__(self, leaves_out: LeavesOut) -> None:
        self.leaves_out = leaves_out

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, OSError) or not self.leaves_out(error):
            return False
        LOG.warning("wireloom: the rest is skipped, because it cannot be read: %s", error)
        return True


def is_recorded(path: str, protocol: str, options: ReadOptions) -> bool:
    """Whether a file holds recorded packets, according to the options or its first bytes; false if it cannot
    be read.
    """
    with suppress(OSError), opened(path, ahead=0) as stream:
        return detect(options.capture, protocol, stream.read)[0] is not CaptureKind.RAW
    return False


def recording(decoder: Decoder, readinto: ReadInto, file: str, *, start: int = 0, stop: int | None = None) -> Recording:
    """A capture, whose kind is in the decoder's options or its first bytes; or the part from byte ``start`` to
    ``stop``.
    """
    kind, ahead = detect(decoder.options.capture, decoder.protocol.name, reading(readinto), size=_AHEAD)
    return Recording(file, kind, into(ahead, readinto), start, stop)


def records(
    decoder: Decoder, readinto: ReadInto, file: str, *, start: int = 0, stop: int | None = None
) -> Iterator[Cuts]:
    """The records of a capture, end to end or in packets.

    All of them, or those that begin (or whose packets begin) from byte ``start`` to before ``stop``.
    """
    found = recording(decoder, readinto, file, start=start, stop=stop)
    if found.kind is CaptureKind.RAW:
        yield from followed(decoder, found.readinto, start, stop)
    else:
        yield from _in_packets(decoder, [found])


def rotated(decoder: Decoder, files: Iterable[str], leaves_out: LeavesOut = all_are_read) -> Iterator[Cuts]:
    """The records of files of recorded packets that are parts of one capture, in that order."""
    return _in_packets(decoder, recordings(files, decoder.protocol.name, decoder.options, leaves_out))


def recordings(
    files: Iterable[str], protocol: str, options: ReadOptions, leaves_out: LeavesOut = all_are_read
) -> Iterator[Recording]:
    """Files of recorded packets, one after the other, without empty ones. Raises ``OptionError`` for another file."""
    for file in files:
        with LeavingOut(leaves_out), opened(file) as stream:
            kind, ahead = detect(options.capture, protocol, stream.read)
            if kind is CaptureKind.RAW:
                try:
                    ahead += stream.read(1)
                except DamagedFileError:
                    kind = CaptureKind.PCAP  # its kind is unknown; reading its packets reports the damage
            if kind is CaptureKind.RAW:
                if not ahead:
                    continue
                raise OptionError(f"rotated requires recorded packets (pcap or pcapng), and {file} is not a recording")
            yield Recording(file, kind, into(ahead, _as_far_as_possible(stream.readinto, leaves_out)))


def _as_far_as_possible(readinto: ReadInto, leaves_out: LeavesOut) -> ReadInto:
    """As ``readinto``, but a file whose rest is skipped ends there."""

    def read(memory: memoryview) -> int | None:
        with LeavingOut(leaves_out):
            return readinto(memory)
        return None

    return read


def captured(decoder: Decoder, buffer: Any) -> Iterator[pa.RecordBatch]:
    """The batches of a capture in memory or in a memory map, of any kind. Raises as ``Decoder.capture``."""
    kind, _ = detect(decoder.options.capture, decoder.protocol.name, lambda size: bytes(buffer[:size]))
    if kind is CaptureKind.RAW:
        yield from decoder.capture(buffer)
        return
    for cuts in _in_packets(decoder, [Recording("", kind, BytesIO(buffer).readinto)]):
        yield from decoder.cuts(cuts, "")


def _in_packets(decoder: Decoder, files: Iterable[Recording]) -> Iterator[Cuts]:
    from wireloom.columnar.traffic.reading import Traffic  # not needed for records end to end

    return Traffic(decoder).cuts(files)
