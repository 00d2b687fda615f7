"""Captures opened: their records, be they end to end or in packets."""

import logging
from collections.abc import Iterator

from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts
from wireloom.kinds import ReadInto, into, reading, told
from wireloom.options import CaptureKind

LOG = logging.getLogger("wireloom")


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
