"""What becomes of each packet of a file, and how that is told."""

from pathlib import Path

import pyarrow as pa
import pytest
from support.traffic import Flow, written

from traffic.recorded_frames import SENT, record
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.packet_stats import PacketStats
from wireloom.columnar.traffic.reading import Traffic
from wireloom.kinds import Recording
from wireloom.options import CaptureKind, ReadOptions
from wireloom_protocols import couchbase_dcp


def test_packets_cut_inside_their_headers_are_accounted_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    flow = Flow(size=1000)
    whole = written(tmp_path / "whole.pcap", [flow.back.segment(0, b"", "A"), flow.back.segment(0, b"", "A")])
    data = whole.read_bytes()
    (tmp_path / "cut.pcap").write_bytes(data[:32] + (40).to_bytes(4, "little") + data[36:80] + data[94:])
    caplog.set_level("INFO", "wireloom")
    stats = ledger_of(tmp_path / "cut.pcap")
    assert stats.packets == {"damaged or cut": 1, "without data": 1, "read": 0}
    assert caplog.messages == ["wireloom: cut.pcap: 2 packets, 1 damaged or cut, 1 without data"]


def test_no_packet_but_some_cut_inside_their_headers(tmp_path: Path) -> None:
    data = written(tmp_path / "whole.pcap", [Flow().back.segment(0, b"", "A")]).read_bytes()
    (tmp_path / "cut.pcap").write_bytes(data[:32] + (40).to_bytes(4, "little") + data[36:80])
    assert ledger_of(tmp_path / "cut.pcap").packets == {"damaged or cut": 1}


def test_packets_of_the_other_end_are_told_apart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "wireloom")
    server = Flow(size=700)
    lost = [packet for number, packet in enumerate(server.sent(SENT, syn=False)) if number != 2]
    sent = [server.back.syn(), *lost, *server.back.sent(SENT[:1400], syn=False)]
    record(tmp_path, sent, direction="client")
    told = f"{len(sent)} packets, {len(lost)} of the other direction, 2 read, 1 without data"
    assert caplog.messages[0] == f"wireloom: {tmp_path / 'trace.pcap'}: {told}"


def test_packets_that_lack_their_ends_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = written(tmp_path / "whole.pcap", Flow(size=1000).sent(SENT[:1000])).read_bytes()
    size, last = len(data) - 7, 24 + 16 + 54
    length = (1000 + 54 - 7).to_bytes(4, "little")
    (tmp_path / "cut.pcap").write_bytes(data[: last + 8] + length + data[last + 12 : size])
    couchbase_dcp.decode_columnar(tmp_path / "cut.pcap", mode="PERMISSIVE")
    told = "2 packets, 1 read, 1 without data, 1 of these cut short"
    assert caplog.messages[0] == f"wireloom: {tmp_path / 'cut.pcap'}: {told}"


def ledger_of(path: Path) -> PacketStats:
    """What became of packets in which there is no record."""
    traffic = Traffic(Decoder(couchbase_dcp.PROTOCOL, ReadOptions(), pa.schema([])))
    with path.open("rb") as file:
        assert list(traffic.cuts([Recording(path.name, CaptureKind.PCAP, file.readinto)])) == []
    return traffic.stats


def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path / "trace.pcap", Flow(size=1000).sent(SENT))
    record(tmp_path, Flow(size=1000).sent(SENT), ports="80")
    assert [each.getMessage() for each in caplog.records] == [f"wireloom: {path}: 34 packets, 34 of others"]
    caplog.clear()
    path.write_bytes(path.read_bytes()[:-5])
    couchbase_dcp.decode_columnar(path, mode="PERMISSIVE")
    told = [each.getMessage() for each in caplog.records if "no packets" in each.getMessage()]
    assert len(told) == 1
