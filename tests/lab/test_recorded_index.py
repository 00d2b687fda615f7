"""Recorded packets in the lab: their records, put together from streams that Scapy wrote."""

from dataclasses import replace
from pathlib import Path

from support.traffic import Flow, datagram, written

from lab import small
from wireloom_generator.lab.capture_bytes import FileBytes
from wireloom_generator.lab.session import RecordFilter, Session
from wireloom_generator.lab.workspace import SpecDrafts

METER = Flow(source_port=4040)
OTHER = replace(METER, source="10.0.0.2")


def opened(folder: Path, capture: Path) -> Session:
    """A session with the small protocol and a file of packets, whose records are all found."""
    session = Session(SpecDrafts([small.specs(folder)]), FileBytes(capture))
    small.decoded(session)
    return session


def test_records_are_put_together_from_the_segments_of_their_streams(tmp_path: Path) -> None:
    first = replace(METER, size=5).sent(small.FIRST + small.SECOND)  # in segments of five bytes
    other = replace(OTHER, at=METER.at + 1).sent(small.THIRD, syn=False)
    session = opened(tmp_path, written(tmp_path / "meters.pcapng", [*first, *other]))
    views = [session.record(number) for number in range(3)]
    assert [view.headline for view in views] == [
        "record 0 at 0x0: level, 11 bytes, 10.0.0.1:4040-10.0.0.7:50000, sent by the client",  # who sent the SYN
        "record 1 at 0xb: alarm, 8 bytes, 10.0.0.1:4040-10.0.0.7:50000, sent by the client",
        "record 2 at 0x0: level, 11 bytes, 10.0.0.2:4040-10.0.0.7:50000, sent by the server",  # by its port
    ]
    assert [row["values"] for row in session.rows(1, 3)] == [
        'text "leak"',
        "tank 6  ·  millimetres 3  ·  at 1970-01-01T02:00:00Z",
    ]
    assert session.index is not None
    assert session.index.note == "6 packets, 5 read, 1 without data"
    assert session.at_place(0.99, by_time=True) == 2  # by the time of its packet
    session.wanted = RecordFilter(text="leak")
    assert session.numbers().tolist() == [1]


def test_what_was_not_captured_is_said_where_it_is_missing(tmp_path: Path) -> None:
    stream = small.FIRST * 2 + small.THIRD * 3
    packets = [METER.syn(), METER.segment(0, stream[:15]), METER.segment(22, stream[22:], number=1)]
    session = opened(tmp_path, written(tmp_path / "gap.pcap", packets))
    reasons = [session.record(number).reason for number in range(4)]
    assert reasons[0] == reasons[2] == reasons[3] == ""
    assert reasons[1] == "truncated: record at byte 11: a record of 11 bytes, 4 left"
    assert [row["length"] for row in session.rows(0, 9)] == [11, 4, 11, 11, 11]
    assert session.index is not None
    assert session.index.note.endswith("7 bytes not captured in 1 gap")


def test_a_worked_example_is_made_of_a_record_in_a_packet(tmp_path: Path) -> None:
    session = opened(tmp_path, written(tmp_path / "meters.pcap", METER.sent(small.FIRST + small.THIRD)))
    path, text, _ = session.example(1, "The other tank")
    assert path.name == "level.yaml"
    assert f"hex: {small.THIRD.hex(' ')}" in text


def test_datagrams_are_records_of_a_protocol_that_takes_all_there_is(tmp_path: Path) -> None:
    capture = written(tmp_path / "datagrams.pcap", [datagram(small.FIRST, METER), datagram(small.SECOND, METER.back)])
    folder = small.specs(tmp_path)
    protocol = folder / "protocol.yaml"
    whole = small.PROTOCOL.replace("length: 4 + size", "length: rest").replace("  resync: true\n", "")
    protocol.write_text(whole.replace("  proof: {valid: magic == 0xca}\n", ""))
    session = Session(SpecDrafts([folder]), FileBytes(capture))
    small.decoded(session)
    assert session.problems == ()
    assert [row["message"] for row in session.rows(0, 9)] == ["level", "alarm"]
    assert session.record(1).headline.endswith("sent by the client")


def test_that_no_packet_was_read_is_explained(tmp_path: Path) -> None:
    capture = written(tmp_path / "others.pcap", METER.sent(small.FIRST))
    folder = small.specs(tmp_path)
    (folder / "protocol.yaml").write_text(f"{small.PROTOCOL}ports: [5050]\n")
    session = Session(SpecDrafts([folder]), FileBytes(capture))
    small.decoded(session)
    assert session.index is not None
    assert not len(session.index.found)
    assert session.index.note == "2 packets, 2 of others"
