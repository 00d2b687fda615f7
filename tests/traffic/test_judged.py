"""Recorded traffic, judged by others: what tshark makes of the same packets, and what Scapy finds in the same file.

Scapy is the third judge: what of a stream is in a file, wherever it stands there, is what its segments say.
"""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from scapy.layers.inet import TCP
from scapy.packet import Packet
from support.cases import often
from support.tapped import (
    Conversation,
    Delivery,
    captured,
    conversation,
    delivered,
    followed,
    patient,
    tool,
)
from support.traffic import NUMBERS, Flow, disordered, written

from traffic.talks import SESSIONS, joined
from wireloom_protocols import couchbase_dcp, databus

pytestmark = pytest.mark.wireshark
BEHIND_HEADERS = 54
PROTOCOLS = pytest.mark.parametrize("protocol", SESSIONS, ids=lambda protocol: protocol.PROTOCOL.name)


def talks(protocol: ModuleType, size: int, random: Random, *, count: int = 2) -> list[Conversation]:
    """Conversations at the same time, whose numbers wrap now and then."""
    wraps = [
        NUMBERS - random.randrange(1, 20000) if random.random() < 0.5 else random.randrange(NUMBERS) for _ in "1234"
    ]
    return [
        conversation(
            joined(said), Flow("10.0.0.7", "10.0.0.1", 50000 + number, 11210, wraps[number], size), wraps[2 + number]
        )
        for number, said in enumerate(SESSIONS[protocol][:count])
    ]


def by_time(packets: Sequence[Packet]) -> list[Packet]:
    return sorted(packets, key=lambda packet: packet.time)


def agree(path: Path, protocol: ModuleType, streams: int = 2) -> Delivery:
    """What all judges find."""
    found, stats = delivered(path, protocol)
    expected, count = captured(path)
    assert found == expected
    assert found == followed(path, streams)
    assert sum(stats.packets.values()) == count
    assert sum(part for parts in found.values() for part in parts if isinstance(part, int)) == stats.missing
    return found


# --- what all judges find


def in_nanoseconds(path: Path, random: Random) -> None:
    tool("editcap", "-F", "nsecpcap", path, path.with_suffix(".out"))


def in_blocks(path: Path, random: Random) -> None:
    tool("editcap", "-F", "pcapng", path, path.with_suffix(".out"))


def thinned(path: Path, random: Random) -> None:
    lost = random.sample(range(7, 80), 6)
    tool("editcap", "-F", "pcap", path, path.with_suffix(".out"), *lost, "90-95")


def late(path: Path, random: Random) -> None:
    tool("editcap", "-F", "pcap", "-r", path, path.with_suffix(".out"), "60-100000")


def altered(path: Path, random: Random) -> None:
    seed = ("--seed", random.randrange(1, 1000))
    tool("editcap", "-F", "pcap", "-E", 0.01, *seed, "-o", BEHIND_HEADERS, path, path.with_suffix(".out"))


def halves(path: Path, random: Random) -> None:
    """The second half in front of the first one, and then brought back to the order of time."""
    parts = [path.with_suffix(f".{number}") for number in (1, 2, 3)]
    tool("editcap", "-r", path, parts[0], "101-100000")
    tool("editcap", "-r", path, parts[1], "1-100")
    tool("mergecap", "-a", "-w", parts[2], parts[0], parts[1])
    tool("reordercap", parts[2], path.with_suffix(".out"))


RECORDED = [in_nanoseconds, in_blocks, thinned, late, altered, halves]
KINDS = {
    "couchbase_dcp-1500": (couchbase_dcp, 1460),
    "couchbase_dcp-9000": (couchbase_dcp, 8960),
    "databus-1500": (databus, 1460),
}


@pytest.fixture(scope="module", params=KINDS)
def intact(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A file in which all that was sent was recorded, as all judges say."""
    protocol, size = KINDS[request.param]
    both = talks(protocol, size, Random(size))
    packets = by_time([packet for talk in both for packet in talk.packets])
    path = written(tmp_path_factory.mktemp("intact") / "talks.pcap", packets)
    assert agree(path, protocol) == {(talk.name, way): [sent] for talk in both for way, sent in talk.sent.items()}
    return request.param, path


@pytest.mark.sweep
def test_tshark_finds_the_same_bytes_in_edited_files(intact: tuple[str, Path]) -> None:
    """Each kind of file is edited in some ways, and in each way some kind of file."""
    kind, path = intact
    for edited in RECORDED[often([*KINDS].index(kind), 0) :: often(len(KINDS), 1)]:
        edited(path, Random(edited.__name__))
        agree(path.with_suffix(".out"), KINDS[kind][0])


@pytest.mark.parametrize(
    ("protocol", "ways"),
    [(couchbase_dcp, ([], ["-F", "pcap"])), (databus, (["-a"],))],
    ids=["couchbase_dcp", "databus"],
)
def test_tshark_finds_the_same_bytes_in_merged_files(
    tmp_path: Path, protocol: ModuleType, ways: Sequence[Sequence[str]]
) -> None:
    both = talks(protocol, 1460, Random(4))
    for number, (talk, name) in enumerate(zip(both, ("one.pcap", "two.pcapng"), strict=True)):
        written(tmp_path / name, talk.packets[5 * number :])
    for told in ways:
        tool("mergecap", *told, "-w", tmp_path / "merged.out", tmp_path / "one.pcap", tmp_path / "two.pcapng")
        agree(tmp_path / "merged.out", protocol)


@PROTOCOLS
@pytest.mark.parametrize("seed", range(often(2, 6)))
def test_tshark_finds_the_same_bytes_in_damaged_order(tmp_path: Path, protocol: ModuleType, seed: int) -> None:
    random = Random(seed)
    talk = talks(protocol, random.choice([300, 1460, 8960]), random)[seed % 2]
    packets = patient(talk)
    lost = set(random.sample(range(3, len(packets) - 2), 5 * (seed % 2)))
    packets = [packet for number, packet in enumerate(packets) if number not in lost]
    packets[3:-2] = resent(talk, disordered(packets[3:-2], random, random.choice([1, 4, 30])), random)
    path = written(tmp_path / "talk.pcap", packets)
    agree(path, protocol, 1)
    name, *told = (["editcap", "-d"], ["reordercap"])[(seed + (protocol is databus)) % 2]
    tool(name, *told, path, tmp_path / "edited.out")
    agree(tmp_path / "edited.out", protocol, 1)


def resent(talk: Conversation, packets: Sequence[Packet], random: Random) -> list[Packet]:
    """Some bytes again, in segments that begin and end elsewhere."""
    found = list(packets)
    for _ in range(8):
        way = random.random() < 0.3
        at = random.randrange(len(talk.sent[way]) - 10)
        data = talk.sent[way][at : at + random.randint(1, 3000)]
        packet = (talk.client if way else talk.server).segment(at, data)
        place = random.randrange(len(found))
        packet.time = found[place].time
        packet[TCP].ack = found[place][TCP].ack if found[place][TCP].sport == packet[TCP].sport else 0
        packet[TCP].flags = "A" if packet[TCP].ack else ""
        found.insert(place, packet)
    return found


def test_tshark_finds_the_same_connections_at_ports_that_are_used_again(tmp_path: Path) -> None:
    said = SESSIONS[couchbase_dcp]
    flows = [Flow("10.0.0.7", "10.0.0.1", 50000, 11210, first) for first in (9, 2_000_000_000)]
    both = [conversation(joined(each), flow, flow.first) for flow, each in zip(flows, said, strict=True)]
    found = agree(written(tmp_path / "again.pcap", [packet for talk in both for packet in talk.packets]), couchbase_dcp)
    numbered = zip(both, ("", "#2"), strict=True)
    assert found == {(talk.name + number, way): [sent] for talk, number in numbered for way, sent in talk.sent.items()}


# --- what tshark shows otherwise, and who is right


def test_tshark_gives_up_what_is_acknowledged_before_it_comes(tmp_path: Path) -> None:
    """An acknowledgement that overtook the bytes it is for is proof of a loss to tshark. They are in the file."""
    random = Random(5)
    (talk,) = talks(couchbase_dcp, 1460, random, count=1)
    packets = talk.packets[:3] + disordered(talk.packets[3:-2], random, 12) + talk.packets[-2:]
    path = written(tmp_path / "talk.pcap", packets)
    found, _ = delivered(path, couchbase_dcp)
    assert found == {(talk.name, way): [sent] for way, sent in talk.sent.items()} == captured(path)[0]
    shown = followed(path, 1)
    gaps = 0
    for (_, way), parts in shown.items():
        ends = list(accumulate(part if isinstance(part, int) else len(part) for part in parts))
        assert ends[-1] == len(talk.sent[way])
        for end, part in zip(ends, parts, strict=True):
            if isinstance(part, int):
                gaps += 1
            else:
                assert talk.sent[way][end - len(part) : end] == part
    assert gaps


def test_tshark_waits_for_ever_for_what_nobody_acknowledges(tmp_path: Path) -> None:
    """Where one direction alone was recorded, it shows nothing behind the first gap."""
    (talk,) = talks(couchbase_dcp, 1460, Random(6), count=1)
    packets = [packet for packet in talk.packets if packet[TCP].sport == 11210]
    full = [packet for packet in packets if packet[TCP].payload]
    for lost in (full[5], full[9]):
        packets.remove(lost)
    path = written(tmp_path / "talk.pcap", packets)
    found, _ = delivered(path, couchbase_dcp)
    ((_, parts),) = found.items()
    assert parts == captured(path)[0][talk.name, False]
    assert [type(part) for part in parts] == [bytes, int, bytes, int, bytes]
    assert followed(path, 1) == {(talk.name, False): parts[:1]}


@pytest.mark.parametrize("size", [90, 200, 1000])
def test_tshark_does_not_say_what_the_snapshot_length_cut_off(tmp_path: Path, size: int) -> None:
    """It shows what is there of segments end to end, as if nothing were missing between them."""
    (talk,) = talks(couchbase_dcp, 1460, Random(7), count=1)
    path = written(tmp_path / "talk.pcap", talk.packets)
    tool("editcap", "-F", "pcap", "-s", size, path, tmp_path / "cut.pcap")
    found, stats = delivered(tmp_path / "cut.pcap", couchbase_dcp)
    assert found == captured(tmp_path / "cut.pcap")[0]
    assert stats.missing > 0
    for (_, way), parts in found.items():
        at = 0
        for part in parts:
            assert isinstance(part, int) or talk.sent[way][at : at + len(part)] == part
            at += part if isinstance(part, int) else len(part)
    there = {way: [b"".join(part for part in parts if isinstance(part, bytes))] for way, parts in found.items()}
    assert followed(tmp_path / "cut.pcap", 1) == there


def test_tshark_leaves_out_what_stands_in_front_of_what_it_saw_first(tmp_path: Path) -> None:
    """Without a SYN, the segment that was recorded first need not be the first one."""
    (talk,) = talks(couchbase_dcp, 1460, Random(8), count=1)
    full = [packet for packet in talk.packets if packet[TCP].payload and packet[TCP].sport == 11210][10:]
    first, second, *others = full
    path = written(tmp_path / "talk.pcap", [second, first, *others])
    found, _ = delivered(path, couchbase_dcp)
    assert found == captured(path)[0]
    whole = b"".join(bytes(packet[TCP].payload) for packet in full)
    assert found == {(talk.name, False): [whole]}
    assert talk.sent[False].endswith(whole)
    assert followed(path, 1) == {(talk.name, False): [whole[len(first[TCP].payload) :]]}
