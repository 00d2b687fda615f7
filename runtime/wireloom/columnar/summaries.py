"""The summary of a capture, as one row: counts of its records, and the fates of its packets."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from wireloom.codec import Protocol
from wireloom.codec.protocol import CORRUPT
from wireloom.columnar import arrow_schema
from wireloom.columnar.counters import Tally
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.filters import Filter
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.traffic.opening import recording
from wireloom.columnar.traffic.packet_stats import Fate, PacketStats
from wireloom.columnar.traffic.reading import Traffic
from wireloom.files import shown
from wireloom.kinds import ReadInto, Recording
from wireloom.options import CaptureKind, Mode, ReadOptions
from wireloom.views import FILE, Row

_COUNTS = {
    **{name: pa.int64() for name in ("records", "malformed", "malformed_bytes")},
    "first_reason": pa.string(),
    **{name: pa.int64() for name in ("packets", *(fate.column for fate in Fate))},
    **{name: pa.int64() for name in ("cut", "gaps", "missing_bytes", "differing_bytes")},
    "damage": pa.string(),
}
SCHEMA = pa.schema({FILE.name: pa.string(), "kind": pa.string(), **_COUNTS})
"""The columns. If records are end to end, those of packets are null."""


def counting(protocol: Protocol, options: ReadOptions, filters: tuple[Filter, ...] = ()) -> Decoder:
    """A decoder that only finds out which records of a capture are malformed."""
    return Decoder(protocol, options._replace(mode=Mode.DROPMALFORMED), arrow_schema(CORRUPT[1:]), filters)


def of(decoder: Decoder, readinto: ReadInto, file: str) -> Row:
    """The row of a capture of any kind."""
    found = recording(decoder, readinto, file)
    if found.kind is not CaptureKind.RAW:
        return of_packets(decoder, [found])
    _decode(decoder, decoder.cut(found.readinto))
    nothing = dict.fromkeys(SCHEMA.names)
    return {**nothing, FILE.name: shown(file), "kind": found.kind.value, **_of_records(decoder.tally)}


def of_packets(decoder: Decoder, files: Iterable[Recording]) -> Row:
    """The row of recorded packets, be they in one file or in several that are parts of one recording."""
    kinds: dict[str, str] = {}

    def noted() -> Iterator[Recording]:
        for each in files:
            kinds[shown(each.name)] = each.kind.value
            yield each

    traffic = Traffic(decoder)
    _decode(decoder, traffic.found(noted()))
    told = {FILE.name: ", ".join(kinds), "kind": ", ".join(dict.fromkeys(kinds.values()))}
    return {**told, **_of_records(decoder.tally), **_of_packets(traffic.stats)}


def _decode(decoder: Decoder, found: Iterable[Cuts]) -> None:
    """Decode records, which the decoder counts."""
    for cuts in found:
        for _ in decoder.cuts(cuts, ""):
            pass


def _of_records(tally: Tally) -> Row:
    return {
        "records": tally.records,
        "malformed": tally.malformed,
        "malformed_bytes": tally.malformed_bytes,
        "first_reason": tally.first or None,
    }


def _of_packets(stats: PacketStats) -> Row:
    return {
        "packets": stats.packets.total(),
        **{fate.column: stats.packets[fate] for fate in Fate},
        "cut": stats.cut,
        "gaps": stats.gaps,
        "missing_bytes": stats.missing,
        "differing_bytes": stats.differing,
        "damage": "; ".join(stats.damage) or None,
    }
