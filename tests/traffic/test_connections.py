"""Connections in recorded traffic: their ends, their names, and which of them are wanted."""

from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pytest
from support.traffic import CLIENT, PORT, SERVER, Flow

from traffic.recorded_frames import ALL, ENDS, FRAMES, SENT, frames, reasons, record, seqnos
from wireloom.columnar import decoder


def test_rows_say_how_they_were_sent(tmp_path: Path) -> None:
    packets = Flow(size=100).sent(SENT)
    table = record(tmp_path, packets)
    assert table["_connection"].unique().to_pylist() == [f"{SERVER}:{PORT}-{CLIENT}:50000"]
    assert table["_length"].to_pylist() == [len(frame) for frame in FRAMES]
    begins = [1 + (end - len(frame)) // 100 for end, frame in zip(ENDS, FRAMES, strict=True)]
    times = [round(float(packets[number].time) * 1000) for number in begins]
    assert [round(each.timestamp() * 1000) for each in table["_time"].to_pylist()] == times
    sizes = [24, *accumulate((16 + len(packet) for packet in packets), initial=24)][1:]
    assert table["_offset"].to_pylist() == [sizes[number] for number in begins]
    assert set(table["_gap_before"].to_pylist()) == {0}


def test_who_sends_syn_is_the_client_and_who_answers_it_is_not(tmp_path: Path) -> None:
    server = Flow()
    packets = [server.back.syn(), server.syn(answers=True), *server.sent(SENT, syn=False)]
    assert set(record(tmp_path, packets)["_from_client"].to_pylist()) == {False}
    assert set(record(tmp_path, server.sent(SENT))["_from_client"].to_pylist()) == {True}


def test_ports_that_are_used_again(tmp_path: Path) -> None:
    first = Flow(size=1000, first=5)
    again = Flow(size=1000, first=2_000_000_000)
    table = record(tmp_path, [*first.sent(SENT), *again.sent(SENT)])
    assert seqnos(table) == ALL + ALL
    name = f"{SERVER}:{PORT}-{CLIENT}:50000"
    assert table["_connection"].to_pylist() == [name] * len(ALL) + [f"{name}#2"] * len(ALL)


def test_ports_that_are_used_again_where_the_first_syn_was_not_captured(tmp_path: Path) -> None:
    first = Flow(size=1000, first=3_000_000_000)
    again = Flow(size=1000, first=5)
    opened = [again.back.syn(), again.syn(answers=True)]
    table = record(tmp_path, [*first.sent(SENT, syn=False), *opened, *again.sent(SENT, syn=False)])
    assert seqnos(table) == ALL + ALL
    assert reasons(table) == []
    assert table["_gap_before"].unique().to_pylist() == [None, 0]
    assert [name.partition("#")[2] for name in table["_connection"].unique().to_pylist()] == ["", "2"]


def test_a_syn_that_comes_late(tmp_path: Path) -> None:
    syn, *sent = Flow(size=100, first=3_000_000_000).sent(SENT)
    table = record(tmp_path, [*sent[:9], syn, *sent[9:]])
    assert seqnos(table) == ALL
    assert set(table["_gap_before"].to_pylist()) == {0}
    assert table["_connection"].unique().to_pylist() == [f"{SERVER}:{PORT}-{CLIENT}:50000"]


def test_many_connections_at_once(tmp_path: Path) -> None:
    flows = [Flow(size=300, destination_port=50000 + number, first=7 * number) for number in range(5)]
    every = [packet for packets in zip(*(flow.sent(SENT) for flow in flows), strict=True) for packet in packets]
    table = record(tmp_path, every)
    assert table.num_rows == 5 * len(FRAMES)
    for connection in table["_connection"].unique():
        assert seqnos(table.filter(pa.compute.equal(table["_connection"], connection))) == ALL


def test_only_some_ports_hosts_and_directions(tmp_path: Path) -> None:
    server, other = Flow(size=1000), Flow(size=1000, source_port=12000, source="192.168.1.1")
    answers = b"".join(FRAMES[:10])
    packets = [
        server.back.syn(),
        *server.sent(SENT, syn=False),
        *server.back.sent(answers, syn=False),
        *other.sent(SENT),
    ]
    assert record(tmp_path, packets, ports="11210").num_rows == len(FRAMES) + 10
    assert record(tmp_path, packets, ports="11210", direction="client").num_rows == 10
    assert record(tmp_path, packets, ports="11210", direction="server").num_rows == len(FRAMES)
    assert record(tmp_path, packets, ports="12000,11210").num_rows == 2 * len(FRAMES) + 10
    assert record(tmp_path, packets, ports="12000,11210", hosts="192.168.0.0/16").num_rows == len(FRAMES)


def test_one_end_tells_connections_apart_for_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A capture that begins in the middle; then the client connects again from the same port, and no answer is seen."""
    monkeypatch.setattr(decoder, "BATCH_ROWS", 1)
    data, server, again = b"".join(frames(3)), Flow(), Flow(first=500_000)
    said = [*server.back.sent(data, syn=False), *server.sent(data, syn=False)]
    said += [again.back.syn(), *again.sent(data, syn=False), *again.back.sent(data, syn=False)]
    columns = ["_offset", "_connection", "_from_client", "_gap_before", "_corrupt_reason"]
    both = record(tmp_path, said, columns=columns)
    assert sorted(set(both["_connection"].to_pylist())) == [f"{SERVER}:11210-{CLIENT}:50000{at}" for at in ("", "#2")]
    for end, is_client in (("client", True), ("server", False)):
        rows = record(tmp_path, said, columns=columns, direction=end)
        assert rows.to_pylist() == [row for row in both.to_pylist() if row["_from_client"] == is_client]
        assert rows.num_rows == 6


def test_requests_and_answers_come_in_the_order_of_the_capture(tmp_path: Path) -> None:
    server = Flow()
    packets, ask, answer = [server.back.syn(), server.syn(answers=True)], 0, 0
    for frame in FRAMES[:50]:
        packets += [server.back.segment(ask, frame), server.segment(answer, frame + frame)]
        ask, answer = ask + len(frame), answer + 2 * len(frame)
    assert record(tmp_path, packets)["_from_client"].to_pylist() == [True, False, False] * 50
