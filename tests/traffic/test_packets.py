"""Packets: every column is what Scapy reads, wherever they were cut off, and nothing that they claim does harm."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from struct import pack
from typing import Any

import pyarrow as pa
import pytest
from protocols.strangers import packets
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from support.lockstep import Pair, damaged, records_alike

from wireloom.columnar.cells import one
from wireloom.columnar.decoder import Decoder
from wireloom_protocols.packets import columnar, parse

PAIR = Pair.of(columnar)
CUT = (
    "padded IPv4 options TCP",
    "untagged IPv4 UDP",
    "padded IPv4 fragment",
    "untagged IPv4 ICMP",
    "802.1ad IPv6 TCP",
    "untagged IPv6 chain TCP",
    "untagged IPv6 AH UDP",
    "untagged IPv6 last fragment",
    "cooked 4",
    "cooked 2 6",
    "loop 0 < 30",
    "raw 101 4",
    "raw 229 6",
    "ARP",
)
"""Packets that are cut off at every byte."""
READ = (
    "transport",
    "identification",
    "more_fragments",
    "fragment_offset",
    "ipv4",
    "ipv6",
    "tcp",
    "udp",
    "fragment",
)
"""What it takes to put streams together."""


def decoder(columns: Sequence[str] = (), **options: Any) -> Decoder:
    """What reads columns of packets."""
    chosen = PAIR.options({"mode": "PERMISSIVE", "positions": "false", **options})
    chosen = chosen._replace(columns=tuple(columns)) if columns else chosen
    return Decoder(PAIR.codec, chosen, columnar.TABLE.view(chosen))


def read(data: Sequence[bytes], columns: Sequence[str] = (), **options: Any) -> list[dict[str, Any]]:
    """Packets of one link type, all at once."""
    rows: list[dict[str, Any]] = one(decoder(columns, **options), pa.array(data, pa.binary())).to_pylist()
    return rows


def found_in(row: Any, expected: Any) -> Any:
    """What is expected of a row, as it has it."""
    if isinstance(expected, Mapping):
        return {name: found_in(row[name], value) for name, value in expected.items()} if row else row
    if isinstance(expected, list) and row:
        return [found_in(*both) for both in zip(row, expected, strict=True)]
    return row


def by_link_type() -> Iterator[tuple[int, list[packets.Made]]]:
    """The packets that Scapy makes."""
    for link_type in sorted({made.link_type for made in packets.packets()}):
        yield link_type, [made for made in packets.packets() if made.link_type == link_type]


def test_every_column_is_what_scapy_reads() -> None:
    for link_type, made in by_link_type():
        rows = read([each.data for each in made], link_type=link_type)
        for each, row in zip(made, rows, strict=True):
            expected = packets.row(each)
            assert found_in(row, expected) == expected, each.name


@cache
def named(name: str) -> packets.Made:
    """A packet of Scapy's."""
    (found,) = (made for made in packets.packets() if made.name == name)
    return found


@pytest.mark.parametrize("name", CUT)
def test_a_cut_packet_has_what_is_there_of_its_payload(name: str) -> None:
    made = named(name)
    (whole,) = read([made.data], link_type=made.link_type)
    message, parts = whole["message"], whole[whole["message"]]
    payload = {"fragment": "data", "unknown": "body"}.get(message, "payload")
    behind = len(parts["link_trailer"] if message == "unknown" else parts["trailer"] or b"")
    begin = len(made.data) - behind - len(parts[payload])
    for size, row in enumerate(read([made.data[:size] for size in range(len(made.data))], link_type=made.link_type)):
        if size < begin:
            code = (row["_corrupt_reason"] or "").partition(":")[0]
            assert code in ("truncated", "overrun", "place", "invalid-size"), size
            assert row[message] is None
            continue
        assert row["_corrupt_reason"] is None, size
        assert row[message][payload] == made.data[begin : min(size, begin + len(parts[payload]))]
        if message != "unknown":
            assert row[message]["missing"] == max(0, begin + len(parts[payload]) - size)
            assert row[message]["trailer"] == (made.data[begin + len(parts[payload]) : size] or None)
        header = columnar.TABLE.schema.names[1 : columnar.TABLE.schema.names.index("fragment")]
        assert {key: row[key] for key in header} == {key: whole[key] for key in header}


HEAD = bytes(Ether(src=packets.SOURCE, dst=packets.DESTINATION, type=0x0800))
SIX = HEAD[:12] + b"\x86\xdd"
BODY = bytes(TCP(sport=1, dport=2) / b"more than it says")


@pytest.mark.parametrize("head", [HEAD + bytes(IP(len=0, proto=6)), SIX + bytes(IPv6(plen=0, nh=6))], ids=["4", "6"])
def test_where_the_header_tells_no_length_all_is_payload(head: bytes) -> None:
    (row,) = read([head + BODY])
    assert row["transport_length"] is None
    assert (row["tcp"]["payload"], row["tcp"]["missing"]) == (b"more than it says", 0)


def test_a_datagram_may_tell_no_length_and_have_bytes_behind_it() -> None:
    data = b"\0\1\0\2" + pack(">HH", 0, 7) + b"all of it"
    (row,) = read([HEAD + bytes(IP(proto=17) / data)])
    assert (row["udp"]["payload"], row["udp"]["surplus"], row["udp"]["missing"]) == (b"all of it", b"", 0)
    data = b"\0\1\0\2" + pack(">HH", 11, 7) + b"twobehind"
    (row, cut) = read([HEAD + bytes(IP(proto=17) / data), (HEAD + bytes(IP(proto=17) / data))[:-7]])
    assert (row["udp"]["payload"], row["udp"]["surplus"]) == (b"two", b"behind")
    assert (cut["udp"]["payload"], cut["udp"]["missing"]) == (b"tw", 1)


FORGED = {
    "a header of IPv4 that is too short": HEAD + b"\x44" + bytes(IP() / BODY)[1:],
    "a version that the link denies": HEAD + b"\x65" + bytes(IP() / BODY)[1:],
    "a packet shorter than its header": HEAD + bytes(IP(len=19, proto=6)) + BODY,
    "a segment shorter than its header": HEAD + bytes(IP(len=30, proto=6)) + BODY,
    "a header of TCP that is too short": HEAD + bytes(IP(proto=6) / (BODY[:12] + b"\x40" + BODY[13:])),
    "options of TCP behind the packet": HEAD + bytes(IP(proto=6) / (BODY[:12] + b"\xf0" + BODY[13:])),
    "a datagram longer than its packet": HEAD + bytes(IP() / UDP(len=9)),
    "a datagram shorter than its header": HEAD + bytes(IP() / UDP(len=7) / b"data"),
    "extensions longer than their packet": SIX + bytes(IPv6(plen=8, nh=0) / (b"\6\1" + bytes(14))) + BODY,
    "an extension longer than all": SIX + bytes(IPv6(nh=60) / (b"\6\xff" + bytes(14))),
    "tags that go on and on": HEAD[:12] + b"\x81\0\0\1" * 20000,
    "nothing": b"",
}


@pytest.mark.parametrize("name", FORGED)
def test_what_contradicts_itself_is_malformed(name: str) -> None:
    (row,) = read([FORGED[name]])
    assert row["_corrupt_reason"]
    assert not any(row[message] for message in ("tcp", "udp", "fragment", "unknown"))


def test_so_many_extensions_and_no_more_are_read() -> None:
    (row,) = read([SIX + bytes(IPv6(nh=60, plen=65528) / (b"\x3c\0\1\4\0\0\0\0" * 8191))])
    assert (row["message"], row["transport"], len(row["extensions"])) == ("unknown", 60, 16)
    assert len(row["unknown"]["body"]) == 8 * (8191 - 16)


def test_both_engines_read_damage_alike() -> None:
    random = Random("packets")
    for made in random.sample(packets.packets(), 12):
        if made.link_type == 1:
            records_alike(PAIR, list(damaged(made.data, random, 25)))


def test_ordinary_packets_are_read_many_at_once() -> None:
    names = ("IPv4 TCP", "IPv4 options TCP", "IPv4 UDP", "IPv4 fragment", "IPv4 ICMP", "IPv6 TCP", "IPv6 UDP")
    data = [named(f"{tags} {name}").data for tags in ("untagged", "802.1Q", "802.1ad") for name in names]
    reading = decoder()
    assert len(one(reading, pa.array(data * 10, pa.binary()))) == 10 * len(data)
    assert reading.tally.redone == 0
    assert reading.tally.records


def test_some_columns_are_those_of_all() -> None:
    for link_type, made in by_link_type():
        data = [each.data for each in made]
        rows, some = read(data, link_type=link_type), read(data, READ, link_type=link_type)
        assert some == [{name: row[name] for name in READ} for row in rows]


def test_a_packet_is_parsed_alone() -> None:
    row = parse(named("untagged IPv4 UDP").data)
    assert (row["ipv4"]["source"], row["udp"]["payload"]) == ("1.2.3.4", b"question")
