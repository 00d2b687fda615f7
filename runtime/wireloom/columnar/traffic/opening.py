"""Captures opened: their records, be they end to end or in packets."""

import logging
from collections.abc import Iterator
from contextlib import suppress

from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts
from wireloom.files import opened
from wireloom.kinds import ReadInto, into, reading, told
from wireloom.options import CaptureKind, ReadOptions

LOG = logging.getLogger("wireloom")


def is_recorded(path: str, options: ReadOptions) -> bool:
    """Whether a file holds recorded packets, as the options or its first bytes say; not if it cannot be read."""
    with suppress(OSError), opened(path, ahead=0) as stream:
        return told(options.capture, stream.read)[0] is not CaptureKind.RAW
    return False


def records(decoder: Decoder, readinto: ReadInto, file: str) -> Iterator[Cuts]:
    """The records of a whole capture, end to end or in packets: what its first bytes say, or the decoder's options."""
    kind, ahead = told(decoder.options.capture, reading(readinto))
    readinto = into(ahead, readinto)
    if kind is CaptureKind.RAW:
        yield from decoder.cut(readinto)
        return
    from wireloom.columnar.traffic.reading import Traffic  # which records that stand end to end do not need

    traffic = Traffic(decoder)
    yield from traffic.cuts(readinto, kind, file)
    LOG.info("wireloom: %s: %s", file, traffic.ledger)
