"""Recorded packets that an example makes up: what is decoded of them is what their maker knows to be in them."""

import sys
from typing import Any

import pytest
from support.pages import ROOT, blocks

from wireloom_protocols import couchbase_dcp, packets, pcap

sys.path.insert(0, str(ROOT / "examples"))
try:
    import latency
    import recorded_session
finally:
    sys.path.pop(0)

SESSION = ROOT / "examples" / "captures" / "traffic" / "session.pcap"


def test_every_packet_is_sound_and_comes_back() -> None:
    data = SESSION.read_bytes()
    opening, *recorded = pcap.iter_records(data)
    sent = [packets.parse(row.packet.data) for row in recorded]
    assert [packets.build(row) for row in sent] == [row.packet.data for row in recorded]
    known = {name: opening.capture[name] for name in recorded_session.OPENED}
    built = [pcap.build(opening), *(pcap.build(row, **known) for row in recorded)]
    assert b"".join(built) == data


def test_requests_waited_as_long_as_their_maker_knows() -> None:
    found = latency.answers([SESSION]).to_pylist()
    waited = {row["opaque"]: row["latency"].microseconds for row in found}
    assert waited == recorded_session.make().latencies
    assert {row["request"]["opaque"] for row in found} == waited.keys()


def test_one_range_is_malformed_where_a_packet_is_missing() -> None:
    table = couchbase_dcp.decode_columnar(SESSION, mode="PERMISSIVE", connections=True)
    malformed = table.filter(table["_corrupt_reason"].is_valid()).to_pylist()
    assert [(row["_gap_before"], len(row["_corrupt_record"])) for row in malformed] == [(recorded_session.SEGMENT, 24)]
    documents = [row["by_seqno"] for row in table["mutation"].drop_null().to_pylist()]
    assert documents == [*range(1, 13)]


def test_the_table_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    latency.main([])
    made = capsys.readouterr().out
    latency.main([str(SESSION)])
    assert capsys.readouterr().out == made
    assert "│ stream_req           │ 200    │ client   │ stream_req_response   │ 1.20 ms │" in made


def test_the_page_on_recorded_traffic_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for _, code in blocks("docs/traffic.md", "python"):
        exec(compile(code, "docs/traffic.md", "exec"), names)
    waited = {each.microseconds for each in names["waited"].to_pylist()}
    assert waited == {*recorded_session.make().latencies.values()}
