"""The packets of a pcap file."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from wireloom.columnar.splits import Front
from wireloom.columnar.traffic.packet_stats import PacketStats
from wireloom.columnar.traffic.packets import Consecutive, Packets
from wireloom.columnar.traffic.rows import PacketRows, decoder_of
from wireloom.kinds import Recording
from wireloom.units import NANOSECONDS

_COLUMNS = (
    *("message", "seconds", "fraction", "captured_length", "capture.link_type", "capture.is_nano"),
    *("_offset", "_length", "_corrupt_reason"),
)


def packets_of_pcap(file: Recording, stats: PacketStats) -> Iterator[Consecutive]:
    """The packets of a file whose header gives the link type of all. Each is the end of its record."""
    link_type, scale, count, odd = -1, 1000, 0, 0
    decoder = decoder_of("pcap", _COLUMNS)
    front = Front(decoder, file.readinto, file.start)
    found = chain((cuts for cuts in front if cuts.preamble), front.behind(file.stop))
    for window, batch in ((cuts.window, batch) for cuts in found for batch in decoder.cuts(cuts, file.name)):
        rows = PacketRows(batch)
        for header in rows.column("capture").drop_null().to_pylist():
            link_type, scale = header["link_type"], 1 if header["is_nano"] else 1000
        which = np.setdiff1d(rows.there("captured_length"), rows.there("_corrupt_reason"), assume_unique=True)
        if not len(which):
            continue
        fractions = rows.numbers("fraction", which) * scale
        odd += int(np.count_nonzero(fractions >= NANOSECONDS["s"]))
        times = rows.numbers("seconds", which) * NANOSECONDS["s"] + fractions
        numbers = np.arange(count, count := count + len(which))
        offsets = rows.numbers("_offset", which)
        stop = offsets - window.base + rows.numbers("_length", which)
        start = stop - rows.numbers("captured_length", which)
        yield (Packets(link_type, window.buffer, start, stop, np.stack([numbers, times, offsets], axis=1)),)
    stats.odd_times(odd)
    stats.unread(decoder.tally, decoder.damage)
