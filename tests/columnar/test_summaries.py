"""Summaries of captures: as many records as there are rows, and each packet is counted by what became of it."""

import json
import os
import re
import struct
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from scapy.layers.inet import ICMP, IP, fragment
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet
from support.dcp_sessions import mutation
from support.paths import ROOT
from support.traffic import CLIENT, SERVER, Flow, datagram, disordered, written
from traffic.forged import enhanced, interface, section

from wireloom.cli import app
from wireloom.columnar.summaries import SCHEMA
from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp, databus, packets

CAPTURES = ROOT / "examples" / "captures"
FATES = (
    "read",
    "without_data",
    "other_direction",
    "of_others",
    "no_datagram",
    "not_tcp_or_udp",
    "fragments",
    "damaged",
    "no_interface",
)
HEADERS = 14 + 20 + 20
"""How many bytes stand in front of what TCP carries."""
FRAMES = [couchbase_dcp.build(mutation(1, number + 1, f"key{number}", "x" * (7 * number % 90))) for number in range(60)]
SENT = b"".join(FRAMES)


def row_of(path: Path | str, protocol: Any = couchbase_dcp, **options: Any) -> dict[str, Any]:
    """The summary of one capture."""
    table = protocol.summary(path, **options)
    assert table.schema == SCHEMA
    (row,) = table.to_pylist()
    assert row["packets"] is None or row["packets"] == sum(row[fate] for fate in FATES)
    return row


def expected_of(path: Path | str, protocol: Any = couchbase_dcp, **options: Any) -> dict[str, Any]:
    """What the rows say of the records."""
    table = protocol.scan(path, mode="PERMISSIVE", positions=True, **options).read_all()
    malformed = table.filter(table["_corrupt_reason"].is_valid())
    return {
        "records": table.num_rows,
        "malformed": malformed.num_rows,
        "malformed_bytes": sum(malformed["_length"].to_pylist()),
        "first_reason": next(iter(malformed["_corrupt_reason"].to_pylist()), None),
    }


def agrees(row: dict[str, Any], expected: dict[str, Any]) -> bool:
    return {name: row[name] for name in expected} == expected


# records that stand end to end


def test_files_of_records_have_a_row_each(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(SENT)
    (tmp_path / "b.bin").write_bytes(FRAMES[0] + b"\x99" * 50 + SENT[:-3])
    table = couchbase_dcp.summary(tmp_path)
    assert table["_file"].to_pylist() == [str(tmp_path / "a.bin"), str(tmp_path / "b.bin")]
    assert table["kind"].to_pylist() == ["raw", "raw"]
    sound, damaged = table.to_pylist()
    assert agrees(sound, {"records": 60, "malformed": 0, "malformed_bytes": 0, "first_reason": None})
    assert agrees(damaged, {"records": 62, "malformed": 2, "malformed_bytes": 50 + len(FRAMES[-1]) - 3})
    assert agrees(damaged, expected_of(tmp_path / "b.bin"))
    assert {value for name in SCHEMA.names[6:] for value in table[name].to_pylist()} == {None}


@pytest.mark.parametrize("protocol", [couchbase_dcp, databus], ids=["couchbase_dcp", "databus"])
def test_captures_have_as_many_records_as_rows(protocol: Any) -> None:
    folder = CAPTURES / protocol.PROTOCOL.name
    table = protocol.summary(folder)
    assert table.num_rows == sum(path.is_file() for path in folder.rglob("*"))
    for row in table.to_pylist():
        assert agrees(row, expected_of(row["_file"], protocol))


def test_some_messages_and_filters_are_counted_alone() -> None:
    path = CAPTURES / "couchbase_dcp" / "session.bin"
    whole = row_of(path)
    for options in (
        {"message": "snapshot_marker"},
        {"messages": ["mutation", "stream_end"]},
        {"filters": [("opcode", "in", [0x56, 0x57])]},
    ):
        row = row_of(path, **options)
        assert agrees(row, expected_of(path, **options))
        assert 0 < row["records"] < whole["records"]
    for mode in ("PERMISSIVE", "FAILFAST"):
        assert row_of(path, mode=mode, columns="opcode", labels=False) == whole


def test_what_scan_refuses_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        couchbase_dcp.summary(tmp_path / "nothing.bin")
    with pytest.raises(OptionError, match="did you mean 'ports'"):
        couchbase_dcp.summary(CAPTURES, port=11210)


# recorded packets


@dataclass
class Traffic:
    """Packets as they are recorded, with what becomes of each."""

    random: Random
    wanted: str = "both"
    packets: list[tuple[bytes, int]] = field(default_factory=list)
    """Their bytes, and how many of these were kept."""
    fates: Counter[str] = field(default_factory=Counter)
    cut: int = 0

    def add(self, packet: Packet, fate: str = "", sender: str = "server", headers: int = HEADERS) -> None:
        """One more packet. Without a ``fate``, it is of a connection or datagram that is followed, and may be cut."""
        data = bytes(packet)
        size = len(data)
        if not fate and self.random.random() < 0.3:
            size = self.random.randrange(15, len(data) + 1)
        self.packets.append((data, size))
        if fate:
            self.fates[fate] += 1
        elif size < headers:
            self.fates["damaged"] += 1
        elif self.wanted not in ("both", sender):
            self.fates["other_direction"] += 1
        else:
            self.fates["read" if size > headers else "without_data"] += 1
            self.cut += size < len(data)

    def write(self, path: Path) -> Path:
        """The file, in no order."""
        with path.open("wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, 1))
            for number, (data, size) in enumerate(self.packets):
                file.write(struct.pack("<4I", number, 0, size, len(data)) + data[:size])
        return path


def recorded(seed: int, wanted: str) -> Traffic:
    """Traffic of a seed: lost, repeated and disordered segments, cut packets, fragments, and what others send."""
    random = Random(seed)
    found = Traffic(random, wanted)
    server, other = Flow(size=random.choice([50, 400, 1460])), Flow(source_port=80, size=200)
    elsewhere = Flow(source="192.168.1.1", destination="192.168.1.2")
    said: list[tuple[Packet, str, str]] = [(server.back.syn(), "", "client"), (server.syn(answers=True), "", "server")]
    segments = [packet for packet in server.sent(SENT, syn=False) if random.random() > 0.1]
    said += [(packet, "", "server") for packet in disordered(segments, random)]
    said += [(packet, "", "client") for packet in server.back.sent(b"".join(FRAMES[:20]), syn=False)]
    said += [(server.back.segment(0, b"", "A"), "", "client")] * random.randrange(4)
    said += [(packet, "of_others", "") for flow in (other, elsewhere) for packet in flow.sent(SENT[:2000])]
    said += [(datagram(b"\0" * 20, other), "of_others", "")] * random.randrange(4)
    said += [(Ether() / ARP(), "not_tcp_or_udp", "")] * random.randrange(4)
    said += [(Ether() / IP(src=SERVER, dst=CLIENT) / ICMP(), "not_tcp_or_udp", "")] * random.randrange(4)
    head, tail = said[:2], said[2:]
    random.shuffle(tail)
    for packet, fate, sender in [*head, *tail]:
        found.add(packet, fate, sender)
    for frame in FRAMES[:5]:
        found.add(datagram(frame, server), headers=14 + 20 + 8)
    whole, partial = (IP(bytes(datagram(frame, server)[IP])) for frame in (FRAMES[50], FRAMES[51]))
    for number, packet in enumerate((whole, partial)):
        packet.id = 7 + number
        del packet.chksum
        parts = fragment(packet, 16)
        assert len(parts) > 2
        for part in parts[number:-1]:
            found.add(Ether() / part, "fragments")
        completes = "read" if wanted in ("both", "server") else "other_direction"
        found.add(Ether() / parts[-1], "fragments" if number else completes)
    return found


@pytest.mark.parametrize(
    ("seed", "wanted"),
    [
        pytest.param(seed, wanted, marks=() if seed % 3 == number else pytest.mark.long)
        for seed in range(6)
        for number, wanted in enumerate(("both", "client", "server"))
    ],
)
def test_each_packet_is_counted_by_what_became_of_it(tmp_path: Path, seed: int, wanted: str) -> None:
    traffic = recorded(seed, wanted)
    path = traffic.write(tmp_path / "trace.pcap")
    options = {"hosts": ["10.0.0.0/8"], "direction": wanted}
    row = row_of(path, **options)
    assert (row["kind"], row["packets"]) == ("pcap", len(traffic.packets))
    assert {fate: row[fate] for fate in FATES} == {fate: traffic.fates[fate] for fate in FATES}
    assert row["cut"] == traffic.cut
    assert row["cut"] > 0 or wanted == "client"
    assert agrees(row, expected_of(path, **options))
    table = couchbase_dcp.scan(path, ["_gap_before"], mode="PERMISSIVE", connections=True, **options).read_all()
    lost = [gap for gap in table["_gap_before"].to_pylist() if gap]
    assert (row["gaps"], row["missing_bytes"]) == (len(lost), sum(lost))
    assert row["damage"] is None


def test_what_the_other_end_lost_is_not_missing(tmp_path: Path) -> None:
    server = Flow(size=700)
    lost = [packet for number, packet in enumerate(server.sent(SENT, syn=False)) if number != 2]
    said = [server.back.syn(), server.syn(answers=True), *lost, *server.back.sent(FRAMES[0], syn=False)]
    path = written(tmp_path / "trace.pcap", said)
    assert row_of(path)["missing_bytes"] == row_of(path, direction="server")["missing_bytes"] == 700
    row = row_of(path, direction="client")
    assert agrees(row, {"records": 1, "malformed": 0, "read": 1, "without_data": 1, "other_direction": len(lost) + 1})
    assert (row["gaps"], row["missing_bytes"]) == (0, 0)


def test_the_end_that_is_asked_for_tells_of_tls(tmp_path: Path) -> None:
    hello = bytes.fromhex("1603010200010001fc0303") + bytes(501)
    answer = bytes.fromhex("160303007a020000760303") + bytes(116)
    server = Flow()
    said = [server.back.syn(), *server.back.sent(hello, syn=False), *server.sent(answer, syn=False)]
    path = written(tmp_path / "trace.pcap", said)
    for direction in ("client", "server", "both"):
        row = row_of(path, direction=direction)
        assert row["records"] == row["malformed"] == 1
        assert row["first_reason"].startswith("tls: ")


def test_packets_that_say_something_else_again(tmp_path: Path) -> None:
    server = Flow(size=100)
    first, second, third, *rest = server.sent(SENT)
    forged = server.segment(100, b"\xff" * 100)
    row = row_of(written(tmp_path / "trace.pcap", [first, third, forged, second, *rest]))
    assert row["differing_bytes"] == sum(byte != 0xFF for byte in SENT[100:200])
    assert agrees(row, {"records": 60, "malformed": 0, "gaps": 0})


def test_packets_of_no_interface_and_blocks_that_are_none(tmp_path: Path) -> None:
    frame = bytes(Flow().segment(0, FRAMES[0]))[14:]
    data = section() + interface() + enhanced(frame) + enhanced(frame, 5) + b"\x07" * 30
    (tmp_path / "trace.pcapng").write_bytes(data)
    row = row_of(tmp_path / "trace.pcapng")
    assert agrees(row, {"kind": "pcapng", "packets": 2, "read": 1, "no_interface": 1, "records": 1})
    assert row["damage"].startswith("30 bytes are no packets: ")


def test_protocols_of_datagrams_and_of_packets(tmp_path: Path) -> None:
    from protocols import strangers

    dns = strangers.protocol("dns").columnar.TABLE
    records = [capture.data for capture in strangers.captures("dns")]
    server = Flow(source_port=53)
    said = [*(datagram(data, server) for data in records), server.segment(0, records[0]), Ether() / ARP()]
    path = written(tmp_path / "trace.pcap", said)
    row = row_of(path, dns)
    assert agrees(row, {"read": len(records), "no_datagram": 1, "not_tcp_or_udp": 1, "records": len(records)})
    row = row_of(path, packets)
    assert agrees(row, {"records": len(said), "packets": len(said), "read": len(said), "cut": 0})


def test_parts_of_one_recording_have_one_row(tmp_path: Path) -> None:
    sent = Flow(size=100).sent(SENT)
    names = [f"trace_{part:05}.{kind}" for part, kind in enumerate(["pcap", "pcapng", "pcap"])]
    paths = [written(tmp_path / name, sent[25 * part :][: 25 if part < 2 else None]) for part, name in enumerate(names)]
    assert sum(couchbase_dcp.summary(tmp_path)["malformed"].to_pylist()) > 0
    row = row_of(tmp_path, rotated=True)
    assert row["_file"] == ", ".join(map(str, paths))
    assert agrees(row, {"kind": "pcap, pcapng", "packets": len(sent), "records": 60, "malformed": 0})
    for path in paths[::2]:
        path.write_bytes(path.read_bytes()[:-5])
    assert row_of(tmp_path, rotated=True)["damage"].count("are no packets: ") == 2
    (tmp_path / "raw.bin").write_bytes(SENT)
    with pytest.raises(OptionError, match=r"raw\.bin is not a recording"):
        couchbase_dcp.summary(tmp_path, rotated=True)


def test_the_log_says_what_the_summary_does(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "wireloom")
    path = recorded(3, "server").write(tmp_path / "trace.pcap")
    row = row_of(path, direction="server")
    assert caplog.messages == []
    couchbase_dcp.scan(path, mode="DROPMALFORMED", direction="server").read_all()
    said = next(each for each in caplog.messages if " packets, " in each)
    words = {
        "packets": "packets", "read": "read", "without_data": "without data",
        "other_direction": "of the other direction",
        "of_others": "of others", "fragments": "fragments", "damaged": "damaged or cut", "cut": "of these cut short",
        "not_tcp_or_udp": "not TCP or UDP", "missing_bytes": "bytes not captured",
    }  # fmt: skip
    said, others, more = re.split(r" \(|\)", said)  # what is not TCP or UDP is named in parentheses
    assert sum(int(each.split()[0]) for each in others.split(", ")) == row["not_tcp_or_udp"]
    counts = re.findall(r"(?:: |, )([0-9]+) ([^0-9,]+?)(?= in |,|$)", said + more)
    assert {words: int(count) for count, words in counts} == {
        word: row[name] for name, word in words.items() if row[name]
    }


def test_the_documentation_has_each_column() -> None:
    text = (CAPTURES.parents[1] / "docs" / "traffic.md").read_text().partition("## Packet statistics")[2]
    assert re.findall(r"^\| `(\w+)` \|", text.partition("\n## ")[0], re.MULTILINE) == SCHEMA.names


# the command


def run(*arguments: str | Path, status: int = 0, stdin: bytes = b"") -> str:
    result = CliRunner().invoke(app, ["summary", *map(str, arguments)], input=stdin)
    assert result.exit_code == status, result.output
    return result.stdout if not status else result.stderr


def test_the_command_prints_what_the_function_gives(tmp_path: Path) -> None:
    recorded(1, "server").write(tmp_path / "trace.pcap")
    (tmp_path / "raw.bin").write_bytes(SENT[:-1])
    given = ("--direction", "server", "--hosts", "10.0.0.0/8", "--message", "mutation")
    printed = [json.loads(line) for line in run("couchbase_dcp", tmp_path, *given).splitlines()]
    table = couchbase_dcp.summary(tmp_path, "mutation", direction="server", hosts="10.0.0.0/8")
    assert printed == table.to_pylist()
    assert [list(each) for each in printed] == [SCHEMA.names] * 2
    (both,) = map(json.loads, run("couchbase_dcp", tmp_path / "trace.pcap", "--rotated").splitlines())
    assert both == row_of(tmp_path / "trace.pcap", rotated=True)
    (piped,) = map(json.loads, run("couchbase_dcp", "-", stdin=(tmp_path / "trace.pcap").read_bytes()).splitlines())
    assert piped == {**both, "_file": "-"}


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    assert "unknown direction" in run("couchbase_dcp", CAPTURES, "--direction", "up", status=2)
    assert "nothing.bin" in run("couchbase_dcp", tmp_path / "nothing.bin", status=2)
    (tmp_path / "raw.bin").write_bytes(SENT)
    assert "raw.bin is not a recording" in run("couchbase_dcp", tmp_path / "raw.bin", "--rotated", status=2)
    assert "--rotated needs files" in run("couchbase_dcp", "-", "--rotated", status=2, stdin=SENT)


@pytest.mark.program
def test_a_terminal_gets_a_table_without_zeros(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    path = written(tmp_path / "trace.pcap", Flow(size=1000).sent(SENT))
    reader, writer = pty.openpty()
    try:
        command = [sys.executable, "-m", "wireloom", "summary", "couchbase_dcp", path.name]
        told = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80"}
        subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=True, cwd=tmp_path, env=told)
        printed = os.read(reader, 1 << 16).decode()
    finally:
        os.close(writer)
        os.close(reader)
    lines = [re.sub(r"\x1b\[[0-9]*m", "", line).split() for line in printed.splitlines()]
    expected = {"kind": "pcap", "records": "60", "packets": "8", "read": "7", "without_data": "1"}
    assert -(-len(SENT) // 1000) == 7
    assert lines == [[path.name], *map(list, expected.items())]


@pytest.mark.spark
def test_the_summary_of_spark_has_the_same_numbers(spark: Any, tmp_path: Path) -> None:
    from wireloom.spark import register, summary

    register(spark)
    (tmp_path / "damaged.bin").write_bytes(FRAMES[0] + b"\x99" * 50 + SENT[:-3])
    written(tmp_path / "trace.pcap", [packet for n, packet in enumerate(Flow(size=300).sent(SENT)) if n != 3])
    frames = spark.read.format("couchbase_dcp").option("positions", True).load(str(tmp_path))
    found = {row["_file"]: row.asDict() for row in summary(frames).collect()}
    names = next(iter(found.values()))
    for row in couchbase_dcp.summary(tmp_path).to_pylist():
        assert found[row["_file"]] == {name: row[name] for name in names}
