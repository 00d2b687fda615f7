"""The packets of a pcapng file."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, takewhile
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.buffers import Array, every, octets_of, valid_of
from wireloom.columnar.counters import Tally
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.provenance import NO_TIME
from wireloom.columnar.scanning import Cuts, Window
from wireloom.columnar.splits import Front
from wireloom.columnar.traffic.packet_stats import Fate, PacketStats
from wireloom.columnar.traffic.packets import Consecutive, Packets
from wireloom.columnar.traffic.rows import PacketRows, decoder_of, taken
from wireloom.kinds import Recording
from wireloom.units import NANOSECONDS

_EARLIEST, _LATEST = NO_TIME + 1, (1 << 63) - 1
"""The earliest and the latest time in 64 bits of nanoseconds."""
_TIMED = ("enhanced_packet", "packet")
_COLUMNS = (
    "message",
    *(
        f"{message}.{field}"
        for message in _TIMED
        for field in ("interface_id", "timestamp_high", "timestamp_low", "data")
    ),
    "simple_packet.data",
    *(f"interface_description.{field}" for field in ("link_type", "snap_len", "options")),
    "section_header.major_version",
    *("_offset", "_length", "_corrupt_record", "_corrupt_reason"),
)
_END, _UNIT, _OFFSET = 0, 9, 14
"""The options that end options, the unit of timestamps, and their offset."""
_SECTION, _INTERFACE, _PACKETS = 0x0A0D0D0A, 1, (2, 6)
"""The types of blocks that have options: those that begin a section, describe an interface, or have a packet."""
_TELLING = (_SECTION, _INTERFACE, 1 << 24)
"""The types of blocks that begin a section or describe an interface, in either byte order."""


class _Interface(NamedTuple):
    """What the packets of an interface begin with. Their timestamps count ``parts`` of a second, from an ``offset`` in
    seconds. Of each, ``snap_len`` bytes are kept, if it is not 0.
    """

    link_type: int
    snap_len: int
    parts: int = 10**6
    offset: int = 0

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "_Interface":
        """An interface as it is described."""
        known = [*takewhile(lambda option: option["code"] != _END, said["options"])]
        options = {option["code"]: option for option in reversed(known)}
        unit, offset = options.get(_UNIT, {}), options.get(_OFFSET, {}).get("offset") or 0
        exponent = unit.get("exponent")
        parts = 10**6 if exponent is None else (2 if unit["is_binary"] else 10) ** exponent
        return cls(said["link_type"], said["snap_len"], parts, offset)

    def times(self, timestamps: Array) -> Array:
        """Timestamps, which are unsigned, in nanoseconds since 1970; those out of reach are the earliest or the latest
        time.
        """
        begins = self.offset * NANOSECONDS["s"]
        if NANOSECONDS["s"] % self.parts == 0 and _EARLIEST <= begins <= _LATEST:
            scale = NANOSECONDS["s"] // self.parts
            if not len(timestamps) or int(timestamps.max()) <= min((_LATEST - begins) // scale, _LATEST):
                found: Array = timestamps.astype(np.int64) * scale + begins
                return found
        exact = (each * NANOSECONDS["s"] // self.parts + begins for each in timestamps.tolist())
        return np.array([min(max(each, _EARLIEST), _LATEST) for each in exact], np.int64)


def packets_of_pcapng(file: Recording, stats: PacketStats) -> Iterator[Consecutive]:
    """The packets of a file in which interfaces give the link types of their packets."""
    interfaces: list[_Interface] = []
    count = 0
    for rows in _blocks(file, stats):
        sections, described = rows.there("section_header.major_version"), rows.there("interface_description.link_type")
        said = dict(zip(described.tolist(), rows.column("interface_description").drop_null().to_pylist(), strict=True))
        found = _BlockPackets.of(rows)
        told = np.union1d(sections, described)
        parts = np.split(np.arange(len(found.rows)), np.searchsorted(found.rows, told))
        for row, mine in zip([None, *told.tolist()], parts, strict=True):
            if row in said:
                interfaces.append(_Interface.of(said[row]))
            elif row is not None:
                interfaces = []
            if len(mine):
                found.describe(mine, interfaces)
        stats.packets[Fate.NO_INTERFACE] += int(np.count_nonzero(found.links == _NOBODY))
        yield from found.packets(count)
        count += len(found.rows)


_NOBODY = -1
"""The link type of packets of an interface that was not described."""


class _BlockPackets(NamedTuple):
    """The ``rows`` that have packets among some of blocks. Their ``links``, ``times`` and ``most``, which are how many
    bytes of them count, are those of their interfaces.
    """

    rows: Array
    simple: Array
    interfaces: Array
    stamps: Array
    offsets: Array
    data: pa.Array
    links: Array
    times: Array
    most: Array

    @classmethod
    def of(cls, rows: PacketRows) -> "_BlockPackets":
        """The packets among blocks."""
        data = pc.coalesce(*(rows.column(f"{message}.data") for message in (*_TIMED, "simple_packet")))
        there = np.flatnonzero(valid_of(data))

        def numbers(field: str) -> Array:
            column = pc.coalesce(*(rows.column(f"{message}.{field}") for message in _TIMED))
            found: Array = taken(column, there).cast(pa.int64()).fill_null(0).to_numpy()
            return found

        stamps = numbers("timestamp_high").astype(np.uint64) << np.uint64(32) | numbers("timestamp_low").astype(
            np.uint64
        )
        return cls(
            there,
            valid_of(rows.column("simple_packet.data"))[there],
            numbers("interface_id"),
            stamps,
            rows.numbers("_offset", there),
            taken(data, there),
            np.full(len(there), _NOBODY),
            np.full(len(there), NO_TIME),
            np.full(len(there), _LATEST),
        )

    def describe(self, mine: Array, interfaces: list[_Interface]) -> None:
        """Fill in the rows of some of the packets, which are of these interfaces.

        Simple packets have no time, and padding after their snap length.
        """
        for number in np.unique(self.interfaces[mine]).tolist():
            if number >= len(interfaces):
                continue
            interface, chosen = interfaces[number], mine[self.interfaces[mine] == number]
            simple = self.simple[chosen]
            timed = chosen[~simple]
            self.links[chosen] = interface.link_type
            self.times[timed] = interface.times(self.stamps[timed])
            self.most[chosen[simple]] = interface.snap_len or _LATEST

    def packets(self, first: int) -> Iterator[Consecutive]:
        """The packets of interfaces that are described; ``first`` is the number of the first one."""
        buffer, start, stop = octets_of(self.data)
        stop = start + np.minimum(stop - start, self.most)
        known = np.stack([first + np.arange(len(start)), self.times, self.offsets], axis=1)
        links = [link for link in np.unique(self.links).tolist() if link != _NOBODY]
        if links:
            yield [Packets(link, buffer, start, stop, known).part(self.links == link) for link in links]


def _blocks(file: Recording, stats: PacketStats) -> Iterator[PacketRows]:
    """The blocks of a file, batch by batch; those with damaged options without them. ``stats`` counts bytes outside
    blocks.
    """
    decoder, again = decoder_of("pcapng", _COLUMNS), decoder_of("pcapng", _COLUMNS)
    front = Front(decoder, file.readinto, file.start)
    found = chain(_telling(front), front.behind(file.stop))
    lost, shortened_blocks = Tally(), Tally()
    for batch in (batch for cuts in found for batch in decoder.cuts(cuts, file.name)):
        rows = PacketRows(batch)
        malformed = rows.there("_corrupt_reason")
        reasons, records = (taken(rows.column(f"_corrupt_{what}"), malformed) for what in ("reason", "record"))
        whole: dict[int, bytes] = {}
        damaged = [*zip(malformed.tolist(), reasons.to_pylist(), records.to_pylist(), strict=True)]
        for row, _, record in damaged:
            if (shortened := _without_damaged_options(record)) is not None:
                whole[row] = shortened
        if whole:
            rows = PacketRows(_replaced(batch, whole, again, file.name))
        still = {*rows.there("_corrupt_reason").tolist()}
        for row, reason, record in damaged:
            (lost if row in still else shortened_blocks).add(reason, len(record))
        yield rows
    stats.damaged_options(shortened_blocks)
    stats.unread(lost, decoder.damage)


def _telling(blocks: Iterable[Cuts]) -> Iterator[Cuts]:
    """The blocks that describe interfaces."""
    for cuts in blocks:
        start, little = cuts.start, np.broadcast_to(cuts.little, len(cuts.start))
        rows = np.flatnonzero(cuts.stop - start >= 4)
        types = every(np.frombuffer(cuts.window.buffer, np.uint8), 4)[start[rows]].view("<u4")
        rows = rows[np.isin(types, _TELLING)]
        if len(rows):
            yield Cuts(cuts.window, start[rows], cuts.stop[rows], little[rows], cuts.parameters)


def _order_of(block: bytes) -> Literal["little", "big"]:
    """The byte order of a whole block, judging by its length."""
    return "little" if int.from_bytes(block[4:8], "little") == len(block) else "big"


def _without_damaged_options(block: bytes) -> bytes | None:
    """A whole block with its options up to the end of options, or up to the first one that is longer than the block;
    None if the block has no others, or is none.
    """
    order, body = _order_of(block), block[8:-4]

    def number(at: int, size: int = 4) -> int:
        return int.from_bytes(body[at : at + size], order)

    kind, captured = int.from_bytes(block[:4], order), number(12)
    fixed = {_SECTION: 16, _INTERFACE: 8, **dict.fromkeys(_PACKETS, 20 + captured + -captured % 4)}
    if int.from_bytes(block[4:8], order) != len(block) or fixed.get(kind, len(block)) > len(body):
        return None
    at = fixed[kind]
    while at + 4 <= len(body) and number(at, 2) != _END:
        length = number(at + 2, 2)
        if at + 4 + length + -length % 4 > len(body):
            break
        at += 4 + length + -length % 4
    size = (at + 12).to_bytes(4, order)
    return block[:4] + size + body[:at] + size if at < len(body) else None


def _replaced(batch: pa.RecordBatch, blocks: Mapping[int, bytes], decoder: Decoder, name: str) -> pa.RecordBatch:
    """The rows of a batch, in which those of these ``blocks`` replace the old ones."""
    stop = np.cumsum([len(block) for block in blocks.values()])
    little = np.array([_order_of(block) == "little" for block in blocks.values()])
    start = np.append(0, stop[:-1])
    cuts = Cuts(Window(b"".join(blocks.values())), start, stop, little, decoder.options.parameters)
    places = np.arange(batch.num_rows)
    places[[*blocks]] = batch.num_rows + np.arange(len(blocks))
    found = pa.Table.from_batches([batch, *decoder.cuts(cuts, name)]).take(pa.array(places))
    offsets = found.schema.get_field_index("_offset")
    return found.set_column(offsets, "_offset", batch.column("_offset")).combine_chunks().to_batches()[0]
