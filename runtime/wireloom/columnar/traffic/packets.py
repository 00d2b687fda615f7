"""Packets of capture files, as many at a time as a batch has."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.columnar.buffers import Array, every, octets_of, valid_of
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.splits import Front
from wireloom.columnar.traffic.ledgers import Fate, Ledger
from wireloom.columnar.traffic.rows import PacketRows, decoder_of, taken
from wireloom.kinds import Recording
from wireloom.options import CaptureKind

_SECOND = 10**9
"""In nanoseconds."""
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
"""The earliest and the latest time in 64 bits of nanoseconds."""


@dataclass(frozen=True, slots=True)
class Packets:
    """Packets that begin with the same link header. What was captured of each is in ``buffer``, from ``start`` to
    ``stop``.

    What is ``known`` of each has a row: its number, when it was captured, in nanoseconds since 1970, where in its file
    it stands, and the number of the file.
    """

    link_type: int
    buffer: Any
    start: Array
    stop: Array
    known: Array

    @classmethod
    def of(cls, link_type: int, frames: pa.Array, known: Array) -> "Packets":
        """Packets as an array of bytes."""
        return cls(link_type, *octets_of(frames), known)

    def parts(self, count: int) -> Iterator["Packets"]:
        """The same packets, so many at a time."""
        for at in range(0, len(self.known), count):
            part = slice(at, at + count)
            yield replace(self, start=self.start[part], stop=self.stop[part], known=self.known[part])


def packets_of(file: Recording, ledger: Ledger) -> Iterator[Packets]:
    """The packets of a file. ``ledger`` is told of what is none."""
    return (_pcap if file.kind is CaptureKind.PCAP else _pcapng)(file, ledger)


_PCAP = ("message", "seconds", "fraction", "captured_length", "capture.link_type", "capture.is_nano")
_OWN = ("_offset", "_length", "_corrupt_reason")


def _pcap(file: Recording, ledger: Ledger) -> Iterator[Packets]:
    """Packets of a file whose header tells what all of them begin with. Each is the end of its record."""
    link_type, scale, count = -1, 1000, 0
    decoder = decoder_of("pcap", (*_PCAP, *_OWN))
    front = Front(decoder, file.readinto, file.start)
    found = chain((cuts for cuts in front if cuts.preamble), front.behind(file.stop))
    for window, batch in ((cuts.window, batch) for cuts in found for batch in decoder.cuts(cuts, file.name)):
        rows = PacketRows(batch)
        for header in rows.column("capture").drop_null().to_pylist():
            link_type, scale = header["link_type"], 1 if header["is_nano"] else 1000
        which = np.setdiff1d(rows.there("captured_length"), rows.there("_corrupt_reason"), assume_unique=True)
        if not len(which):
            continue
        times = rows.numbers("seconds", which) * _SECOND + rows.numbers("fraction", which) * scale
        numbers = np.arange(count, count := count + len(which))
        offsets = rows.numbers("_offset", which)
        stop = offsets - window.base + rows.numbers("_length", which)
        start = stop - rows.numbers("captured_length", which)
        yield Packets(link_type, window.buffer, start, stop, np.stack([numbers, times, offsets], axis=1))
    ledger.unread(decoder.tally)


_TIMED = ("enhanced_packet", "packet")
_PCAPNG = (
    "message",
    *(f"{message}.{field}" for message in _TIMED for field in ("interface_id", "timestamp", "data")),
    "simple_packet.data",
    "interface_description.link_type",
    "interface_description.options",
    "section_header.major_version",
)
_UNIT, _OFFSET = 9, 14
"""The options with the unit of timestamps, and with what is to be added to them."""
_TELLING = (0x0A0D0D0A, 1, 1 << 24)
"""The types of blocks that begin a section or describe an interface, in either byte order."""


class _Interface(NamedTuple):
    """What the packets of an interface begin with. Their timestamps count ``parts`` of a second, from an ``offset`` in
    seconds.
    """

    link_type: int
    parts: int = 10**6
    offset: int = 0

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "_Interface":
        """An interface as it is described."""
        options = {option["code"]: option for option in reversed(said["options"])}
        unit, offset = options.get(_UNIT, {}), options.get(_OFFSET, {})
        if (exponent := unit.get("exponent")) is None:
            return cls(said["link_type"], offset=offset.get("offset") or 0)
        return cls(said["link_type"], (2 if unit["is_binary"] else 10) ** exponent, offset.get("offset") or 0)

    def times(self, timestamps: Array) -> Array:
        """Timestamps in nanoseconds since 1970; those out of reach are the earliest or the latest time."""
        begins = self.offset * _SECOND
        if _SECOND % self.parts == 0 and _LEAST <= begins <= _MOST:
            scale = _SECOND // self.parts
            least, most = -((begins - _LEAST) // scale), (_MOST - begins) // scale
            if not len(timestamps) or (least <= timestamps.min() and timestamps.max() <= most):
                found: Array = timestamps * scale + begins
                return found
        exact = (int(each) * _SECOND // self.parts + begins for each in timestamps)
        return np.array([min(max(each, _LEAST), _MOST) for each in exact], np.int64)


def _telling(blocks: Iterable[Cuts]) -> Iterator[Cuts]:
    """The blocks that tell of interfaces."""
    for cuts in blocks:
        start, little = cuts.start, np.broadcast_to(cuts.little, len(cuts.start))
        rows = np.flatnonzero(cuts.stop - start >= 4)
        types = every(np.frombuffer(cuts.window.buffer, np.uint8), 4)[start[rows]].view("<u4")
        rows = rows[np.isin(types, _TELLING)]
        if len(rows):
            yield Cuts(cuts.window, start[rows], cuts.stop[rows], little[rows], cuts.parameters)


def _pcapng(file: Recording, ledger: Ledger) -> Iterator[Packets]:
    """Packets of a file in which interfaces tell what their packets begin with."""
    interfaces: list[_Interface] = []
    decoder, count = decoder_of("pcapng", (*_PCAPNG, *_OWN)), 0
    front = Front(decoder, file.readinto, file.start)
    found = chain(_telling(front), front.behind(file.stop))
    for batch in (batch for cuts in found for batch in decoder.cuts(cuts, file.name)):
        rows = PacketRows(batch)
        ids, stamps, data = (
            pc.coalesce(*(rows.column(f"{message}.{field}") for message in messages))
            for field, messages in (
                ("interface_id", _TIMED),
                ("timestamp", _TIMED),
                ("data", (*_TIMED, "simple_packet")),
            )
        )
        sections, described = rows.there("section_header.major_version"), rows.there("interface_description.link_type")
        said = dict(zip(described.tolist(), rows.column("interface_description").drop_null().to_pylist(), strict=True))
        packets = np.flatnonzero(valid_of(data))
        told = np.union1d(sections, described)
        parts = np.split(packets, np.searchsorted(packets, told))
        for row, mine in zip([None, *told.tolist()], parts, strict=True):
            if row in said:
                interfaces.append(_Interface.of(said[row]))
            elif row is not None:
                interfaces = []
            if not len(mine):
                continue
            numbers = np.arange(count, count := count + len(mine))
            offsets = rows.numbers("_offset", mine)
            which, stamped = (taken(each, mine).fill_null(0).to_numpy() for each in (ids, stamps))
            for number in np.unique(which).tolist():
                chosen = np.flatnonzero(which == number)
                if number >= len(interfaces):
                    ledger.packets[Fate.NO_INTERFACE] += len(chosen)
                    continue
                interface = interfaces[number]
                frames, times = taken(data, mine[chosen]), interface.times(stamped[chosen])
                known = np.stack([numbers[chosen], times, offsets[chosen]], axis=1)
                yield Packets.of(interface.link_type, frames, known)
    ledger.unread(decoder.tally)
