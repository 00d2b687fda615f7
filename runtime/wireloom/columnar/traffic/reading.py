"""Recorded traffic → the records of a protocol."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_address

import numpy as np

from wireloom.buffers import Array
from wireloom.codec import DecodeError
from wireloom.codec.errors import broken_off
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.provenance import Provenance
from wireloom.columnar.scanning import Cuts, Window
from wireloom.columnar.traffic.connections import Exchange, full, grouped, heard
from wireloom.columnar.traffic.conversations import Dialogue, Said
from wireloom.columnar.traffic.datagrams import FRAMED, Datagrams, FramedMessage, MessageKey
from wireloom.columnar.traffic.fragments import Fragments
from wireloom.columnar.traffic.packet_stats import Fate, PacketStats
from wireloom.columnar.traffic.packets import Consecutive, Packets, parts
from wireloom.columnar.traffic.payloads import TUNNELS_INSIDE, Carried, carried, in_order
from wireloom.columnar.traffic.pcap import packets_of_pcap
from wireloom.columnar.traffic.pcapng import packets_of_pcapng
from wireloom.columnar.traffic.stream_readers import Sent
from wireloom.compressed import DamagedFileError
from wireloom.endpoints import Endpoints, is_client
from wireloom.files import shown
from wireloom.kinds import PACKETS, ReadInto, Recording
from wireloom.options import CaptureKind, Mode

_CONVERSATIONS = 64 * 1024
"""So many conversations are followed at once; the one that was silent for longest ends for another."""
_PACKETS = 16 * 1024
"""So many packets are followed together, as the records are held that are complete with them."""
_TOGETHER = 1024
"""So many ranges of records are decoded together at the end of a file."""


class Traffic:
    """The records of a protocol in recorded packets, cut for a ``decoder``."""

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self.stats = PacketStats()
        options, protocol = decoder.options, decoder.protocol
        self.ports = frozenset(protocol.ports) if options.ports is None else options.ports
        self.hosts = options.hosts
        self.direction = options.direction
        self.most = options.max_stream_bytes
        self.fragments = Fragments()
        self.datagrams = Datagrams()
        self.conversations: OrderedDict[Endpoints, Dialogue] = OrderedDict()
        self.waiting: dict[Endpoints, int] = {}
        """How many bytes wait in conversations for missing ones."""
        self.files: dict[int, str] = {}
        """The files by their numbers, which ascend."""
        self.count = 0
        """How many packets there were."""

    def cuts(self, files: Iterable[Recording], *, final: bool = True) -> Iterator[Cuts]:
        """As ``found``; the log reports the fates of the packets."""
        before = len(self.files)
        yield from self.found(files, final=final)
        self.stats.tell(", ".join([*self.files.values()][before:]))

    def found(self, files: Iterable[Recording], *, final: bool = True) -> Iterator[Cuts]:
        """The records of files, in the order in which they were complete.

        Several files are consecutive parts of one recording; if they are not the ``final`` ones, incomplete records
        wait for more. Each packet is a record of the protocol ``packets``.
        """
        found = (packets for file in files for packets in self._packets(file))
        if self.decoder.protocol.name == PACKETS:
            yield from (cuts for packets in found for each in packets for cuts in self._frames(each))
        else:
            batches = (part for packets in found for part in parts(packets, _PACKETS))
            yield from self.follow(map(self._carried, batches), final=final)

    def _carried(self, packets: Consecutive) -> Iterator[Carried]:
        """What packets carry."""
        tunnels = TUNNELS_INSIDE if self.decoder.options.tunnels else 0
        return (found for each in packets for found in carried(each, self.fragments, self.stats, tunnels))

    def _packets(self, file: Recording) -> Iterator[Consecutive]:
        """The packets of a file, numbered through all files."""
        number = next(reversed(self.files), -1) + 1
        self.files[number] = file.name
        file = file._replace(readinto=self._to_damage(file))
        first = self.count
        packets_of = packets_of_pcap if file.kind is CaptureKind.PCAP else packets_of_pcapng
        for packets in packets_of(file, self.stats):
            found = []
            for each in packets:
                known = np.column_stack([each.known, np.full(len(each.known), number)])
                known[:, 0] += first
                found.append(replace(each, known=known))
            self.count = 1 + max(int(each.known[-1, 0]) for each in found)
            yield found

    def _to_damage(self, file: Recording) -> ReadInto:
        """What reads a file up to where it is damaged. Raises ``OSError`` there if the rest is left out, and
        ``DecodeError`` in mode ``FAILFAST``.
        """
        position = 0

        def read(memory: memoryview) -> int | None:
            nonlocal position
            try:
                count = file.readinto(memory)
            except DamagedFileError as error:
                if self.decoder.leaves_out(error):
                    raise OSError(str(error)) from None
                if self.decoder.options.mode is not Mode.FAILFAST:
                    raise
                refusal = broken_off(error.reason, position)
                refusal.file = shown(file.name)
                raise refusal from None
            position += count or 0
            return count

        return read

    def follow(self, batches: Iterable[Iterable[Carried]], *, final: bool = True) -> Iterator[Cuts]:
        """The records of what packets carry, that come batch by batch in the order in which they were captured."""
        for batch in batches:
            said: list[Said] = []
            for each in in_order(batch):
                for exchange in grouped(each):
                    said += self._said(exchange, each)
            room = max(0, self.most - sum(self.waiting.values()))
            said += self._messages(self.datagrams.give_up(room))
            yield from _together(self, said)
            while sum(self.waiting.values()) > self.most:
                yield from self._give_up(max(self.waiting, key=self.waiting.__getitem__))
        if final:
            yield from _together(self, [*self._messages(self.datagrams.give_up(0))])
        while final and self.conversations:
            last: list[Said] = []
            while self.conversations and len(last) < _TOGETHER:
                last += self._end()
            yield from _together(self, last)

    def _frames(self, packets: Packets) -> Iterator[Cuts]:
        """Packets that are records themselves."""
        if not len(packets.known):
            return
        count = len(packets.known)
        self.stats.packets[Fate.READ] += count
        nothing = np.zeros(count, np.int64)
        provenance = Provenance(
            origins=-packets.start,
            offsets=packets.known[:, 2],
            times=packets.known[:, 1],
            names=[None],
            connections=nothing,
            from_client=None,
            gaps=nothing,
            files=self.files,
            sources=packets.known[:, 3],
        )
        known = {**self.decoder.options.parameters, "link_type": packets.link_type}
        yield Cuts(Window(packets.buffer), packets.start, packets.stop, False, known, provenance=provenance)

    def _said(self, exchange: Exchange, carried: Carried) -> Iterator[Said]:
        """The records that are complete with more packets between two ends."""
        endpoints, count = exchange.endpoints, len(exchange.rows)
        if not self._reads(endpoints):
            self.stats.packets[Fate.OF_OTHERS] += count
            return
        if endpoints.transport == "tcp" and self.decoder.protocol.framing.to_the_end:
            self.stats.packets[Fate.NO_DATAGRAM] += count
            return
        if endpoints.transport == "udp":
            yield from self._datagrams(exchange, carried)
            return
        if endpoints not in self.conversations:
            if len(self.conversations) >= _CONVERSATIONS:
                yield from self._end()
            self.conversations[endpoints] = Dialogue(endpoints, self.decoder, self.ports, self.direction)
        self.conversations.move_to_end(endpoints)
        conversation = self.conversations[endpoints]
        yield from conversation.take(exchange, carried, self.stats)
        self._note(conversation)

    def _note(self, conversation: Dialogue) -> None:
        """Note what waits in a conversation, and keep it."""
        if conversation.held:
            conversation.keep()
            self.waiting[conversation.endpoints] = conversation.held
        else:
            self.waiting.pop(conversation.endpoints, None)

    def _give_up(self, endpoints: Endpoints) -> Iterator[Cuts]:
        """The records of a conversation after missing bytes."""
        conversation = self.conversations[endpoints]
        said = list(conversation.skip(self.stats))
        self._note(conversation)
        yield from _together(self, said)

    def _end(self) -> list[Said]:
        """The last records of the conversation that was silent for longest."""
        endpoints, conversation = self.conversations.popitem(last=False)
        self.waiting.pop(endpoints, None)
        return list(conversation.end(self.stats))

    def _datagrams(self, exchange: Exchange, carried: Carried) -> Iterator[Said]:
        """The records in datagrams, each of which is a capture of its own but where frame headers say otherwise."""
        low_is_client = is_client(exchange.endpoints, self.ports)
        found = heard(exchange, carried, self.direction, self.stats, low_is_client=low_is_client)
        if self.decoder.protocol.framing.to_the_end:
            yield from self._whole_datagrams(found, carried, low_is_client=low_is_client)
            return
        framed, wanted = self.decoder.protocol.name in FRAMED, {*found.rows.tolist()}
        every = full(exchange, carried) if framed else found
        for row, upward in zip(every.rows.tolist(), every.upward.tolist(), strict=True):
            data = carried.data[int(carried.start[row]) : int(carried.stop[row])]
            if framed:
                yield from self._messages(self.datagrams.turn(exchange.endpoints, data, upward=upward))
            if row not in wanted:
                continue
            packet = carried.packets[row].tolist()
            whole = self.datagrams.take(exchange.endpoints, data, packet, upward=upward) if framed else None
            if whole is not None:
                yield from self._messages(whole)
                continue
            for cuts, _ in self.decoder.scanner().scan(Window(bytes(data))):
                packets = np.repeat(carried.packets[[row]], len(cuts.start), axis=0)
                sent = Sent(cuts, packets, packets[:, 0], np.zeros(len(cuts.start), np.int64))
                yield Said(sent, str(exchange.endpoints), upward == low_is_client)

    def _messages(self, messages: Iterable[tuple[MessageKey, FramedMessage]]) -> Iterator[Said]:
        """The records in messages that datagrams with a frame header carry."""
        for key, message in messages:
            from_client = key.upward == is_client(key.endpoints, self.ports)
            for sent in message.records(self.decoder, self.stats):
                yield Said(sent, str(key.endpoints), from_client)

    def _whole_datagrams(self, exchange: Exchange, carried: Carried, *, low_is_client: bool) -> Iterator[Said]:
        """Datagrams that are a record each."""
        known = dict(self.decoder.options.parameters)
        little = self.decoder.protocol.framing.orders(known)[0]
        for upward in (True, False):
            rows = exchange.rows[exchange.upward == upward]
            if len(rows):
                places = zip(carried.start[rows].tolist(), carried.stop[rows].tolist(), strict=True)
                sizes, packets = carried.stop[rows] - carried.start[rows], carried.packets[rows]
                stop = np.cumsum(sizes)
                window = Window(b"".join([carried.data[at:end] for at, end in places]))
                cuts = Cuts(window, stop - sizes, stop, little, known)
                found = Sent(cuts, packets, packets[:, 0], np.zeros(len(rows), np.int64))
                yield Said(found, str(exchange.endpoints), upward == low_is_client)

    def _reads(self, endpoints: Endpoints) -> bool:
        """Whether packets between these ends are read."""
        if self.ports and not any(port in self.ports for _, port in endpoints.ends):
            return False
        if self.hosts is None:
            return True
        return any(ip_address(address) in network for address, _ in endpoints.ends for network in self.hosts)


def _together(traffic: Traffic, said: Iterable[Said]) -> Iterator[Cuts]:
    """Records of several streams, in the order in which they were complete; headers, and records with other parameters,
    are separate.
    """
    groups: list[list[Said]] = []
    for each in said:
        mine = next((group for group in groups if _alike(group[0].found.cuts, each.found.cuts)), None)
        groups.append([each]) if mine is None else mine.append(each)
    return (_joined(traffic, group) for group in groups)


def _alike(one: Cuts, other: Cuts) -> bool:
    return not one.preamble and not other.preamble and one.parameters == other.parameters


def _joined(traffic: Traffic, said: list[Said]) -> Cuts:
    """The records of streams with the same parameters, over one buffer."""
    cuts = [each.found.cuts for each in said]
    pieces = [memoryview(each.window.buffer)[int(each.start[0]) : int(each.stop[-1])] for each in cuts]
    sizes, counts = np.array([len(piece) for piece in pieces]), [len(each.start) for each in cuts]
    moved = np.repeat(np.cumsum(sizes) - sizes - [int(each.start[0]) for each in cuts], counts)
    complete = np.concatenate([each.found.complete for each in said])
    order = np.argsort(complete, kind="stable")

    def ordered(*values: Array, more: Array | int = 0) -> Array:
        found: Array = (np.concatenate(values) + more)[order]
        return found

    def repeated(*values: int) -> Array:
        found: Array = np.repeat(np.array(values), counts)[order]
        return found

    orders = np.concatenate([np.broadcast_to(each.little, len(each.start)) for each in cuts])[order]
    little = bool(orders[0]) if (orders == orders[0]).all() else orders
    packets = ordered(*(each.found.packets for each in said))
    provenance = Provenance(
        origins=repeated(*(each.window.base for each in cuts)) - moved[order],
        offsets=packets[:, 2],
        times=packets[:, 1],
        names=[each.connection for each in said],
        connections=repeated(*range(len(said))),
        from_client=repeated(*(each.from_client for each in said)),
        gaps=ordered(*(each.found.gaps for each in said)),
        files=traffic.files,
        sources=packets[:, 3],
    )
    places = np.argsort(order)
    firsts = np.cumsum(counts) - counts
    errors = {
        int(places[first + row]): error
        for first, each in zip(firsts.tolist(), cuts, strict=True)
        for row, error in _errors(traffic.decoder, each)
    }
    start, stop = (ordered(*(getattr(each, name) for each in cuts), more=moved) for name in ("start", "stop"))
    known, begins = cuts[0].parameters, cuts[0].preamble
    window = Window(b"".join(pieces))
    return Cuts(window, start, stop, little, known, errors, preamble=begins, provenance=provenance)


def _errors(decoder: Decoder, cuts: Cuts) -> Iterator[tuple[int, DecodeError]]:
    """The errors of malformed ranges, by row."""
    yield from cuts.errors.items()
    orders, gaps = np.broadcast_to(cuts.little, len(cuts.start)), decoder.gaps(cuts.parameters)
    for row in cuts.gaps.tolist():
        start, order = int(cuts.start[row]), bool(orders[row])
        yield row, gaps.error(cuts.window.buffer, start, cuts.window.base, order=order)
