"""Recordings that go on in another process, file by file, and their rows."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from scapy.packet import Packet
from support.lockstep import Pair
from support.traffic import written

from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.opening import recordings
from wireloom.columnar.traffic.reading import Traffic
from wireloom.columnar.traffic.resuming import resumed, suspended
from wireloom.views import Row

DIGEST = "that of the protocol"


def decoder_of(pair: Pair, **options: str) -> Decoder:
    return pair.decoder(pair.options({"mode": "PERMISSIVE", "ports": "all", "connections": True, **options}))


def rows(traffic: Traffic, files: Sequence[Path], *, final: bool) -> list[Row]:
    """What files add to a recording."""
    decoder = traffic.decoder
    found = recordings(map(str, files), decoder.protocol.name, decoder.options)
    cuts = traffic.cuts(found, final=final)
    return [row for each in cuts for batch in decoder.cuts(each, "") for row in batch.to_pylist()]


def alike(pair: Pair, folder: Path, packets: Sequence[Packet], cuts: Sequence[int]) -> list[Row]:
    """See that a recording that goes on in another process at each cut has the rows of one that never stops."""
    ends = [0, *sorted(cuts), len(packets)]
    files = [
        written(folder / f"{number:03}.pcap", packets[start:end]) for number, (start, end) in enumerate(pairwise(ends))
    ]
    whole = rows(Traffic(decoder_of(pair)), files, final=True)
    traffic = Traffic(decoder_of(pair))
    found: list[Row] = []
    for number, file in enumerate(files, start=1):
        found += rows(traffic, [file], final=number == len(files))
        left = suspended(traffic, DIGEST)
        traffic = resumed(decoder_of(pair), DIGEST, left)
    assert sorted(found, key=repr) == sorted(whole, key=repr)
    return found
