"""Dissectors for Wireshark, as tshark runs them: of every record they show what the codec reads.

Whatever is asked of tshark is asked in one run where that can be, because it takes a second to start.
"""

import random
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support import compiled, tshark, vectors
from support.cases import often
from support.paths import ROOT
from support.tshark import PORT, dissected, tcp, udp, undirected

from wireshark.dissectors import (
    LONGEST,
    OWN,
    SCRIPTS,
    captures,
    compared,
    emitted,
    of_packets,
    preferences,
    protocol_in,
    rows_of,
    sampled,
    sound,
    tables,
)

pytestmark = pytest.mark.wireshark


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("couchbase_dcp", {}),
        ("databus", {}),
        ("databus", {"byte_order": "little", "repl_dbus": True}),
        ("databus", {"byte_order": "big"}),
        ("memcached", {}),
    ],
    ids=str,
)
def test_shows_what_the_codec_reads(name: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    data = sampled(captures(name), often(300 if parameters else 600, 10_000))
    options = preferences(name, parameters)
    found = of_packets(dissected(udp(data), {name: SCRIPTS[name]}, tmp_path, *options), len(data))
    skipped = tables(protocol_in(name))
    for one, records in zip(data, found, strict=True):
        assert compared(rows_of(OWN[name], one, **parameters), records, OWN[name], skipped) == [], one.hex()


def cut(data: bytes, sizes: Iterable[int]) -> list[bytes]:
    """The bytes in pieces of these sizes, and the rest in a last one."""
    ends = [0]
    for size in sizes:
        ends.append(min(len(data), ends[-1] + size))
    return [piece for start, end in pairwise([*ends, len(data)]) if (piece := data[start:end])]


@pytest.mark.parametrize("name", OWN)
def test_records_are_split_and_joined_across_segments(name: str, tmp_path: Path) -> None:
    records = sound(name)
    some, chance = records[::-1][:3], random.Random(7)
    streams = [
        ("all in one", records, [b"".join(records)[:LONGEST]]),
        ("one a segment", records, records),
        ("byte by byte", some, [bytes([byte]) for byte in b"".join(some)]),
        ("a byte of the next", some, cut(b"".join(some), [len(some[0]) + 1, len(some[1])])),
        ("in pieces", records, cut(b"".join(records), [chance.randint(1, 99) for _ in range(4000)])),
        ("in large pieces", records, cut(b"".join(records), [chance.randint(1, 1460) for _ in range(4000)])),
    ]
    packets, ends = [], [0]
    for number, (_, _, segments) in enumerate(streams):
        packets += tcp(segments, number)
        ends.append(len(packets))
    found = dissected(packets, {name: SCRIPTS[name]}, tmp_path)
    skipped = tables(protocol_in(name))
    for (what, _, segments), (start, end) in zip(streams, pairwise(ends), strict=True):
        rows = [row for row in rows_of(OWN[name], b"".join(segments)) if row["_corrupt_reason"] is None]
        shown = [record for record in found if start <= record.packet < end]
        assert rows
        assert compared(rows, shown, OWN[name], skipped) == [], what


def test_the_last_record_does_not_wait_for_the_other_byte_order(tmp_path: Path) -> None:
    event = bytes.fromhex(
        "00824e2f0c00000039000900000000000003e80007001e12d5084f77904d15000f6162636465666768696a6b6c6d6e6f700000000000000000"
    )  # in the other byte order its attributes would announce a header of 61 bytes
    streams = [[event], cut(event, [30]), cut(event, [56])]
    packets = [packet for number, pieces in enumerate(streams) for packet in tcp(pieces, number)]
    found = dissected(packets, {"databus": SCRIPTS["databus"]}, tmp_path)
    assert compared(rows_of(OWN["databus"], event) * 3, found, OWN["databus"]) == []


def test_a_stream_is_cut_as_the_codec_cuts_it(tmp_path: Path) -> None:
    folder = Path(vectors.EXTERNAL) if vectors.EXTERNAL else vectors.COMMITTED
    files = [path for path in sorted(folder.glob("databus/*.bin")) if path.stat().st_size < 2 * LONGEST]
    data = [path.read_bytes() for path in files]
    whole = [one if len(one) < LONGEST else one[:LONGEST] for one in data]
    found = of_packets(dissected(udp(whole), {"databus": SCRIPTS["databus"]}, tmp_path), len(whole))
    for path, one, records in zip(files, whole, found, strict=True):
        assert compared(rows_of(OWN["databus"], one), records, OWN["databus"]) == [], path.name


def test_damage_in_a_stream_costs_no_record_but_its_own(tmp_path: Path) -> None:
    events = sound("databus")[:12]
    damaged = bytes([*events[4][:3], events[4][3] ^ 1, *events[4][4:]])
    stream = b"".join([*events[:4], damaged, *events[5:]])
    found = dissected(tcp(cut(stream, [50] * 400)), {"databus": SCRIPTS["databus"]}, tmp_path)
    whole = [record for record in found if record.reason is None]
    rows = [row for row in rows_of(OWN["databus"], stream) if row["_corrupt_reason"] is None]
    assert len(rows) == 11
    assert compared(rows, whole, OWN["databus"]) == []


@pytest.mark.parametrize("way", [["-o", f"databus.wireloom_ports:{PORT}"], ["-o", "databus.wireloom_heuristic:TRUE"]])
def test_is_found_by_a_preference(way: list[str], tmp_path: Path) -> None:
    events = sound("databus")[:5]
    found = undirected(tcp(events), {"databus": SCRIPTS["databus"]}, tmp_path, *way)
    assert compared(rows_of(OWN["databus"], b"".join(events)), found, OWN["databus"]) == []


def test_is_not_tried_unasked(tmp_path: Path) -> None:
    assert undirected(tcp(sound("databus")[:5]), {"databus": SCRIPTS["databus"]}, tmp_path) == []


@pytest.mark.parametrize(("name", "port"), [("couchbase_dcp", 11210), ("memcached", 11211)])
def test_is_asked_at_the_ports_of_the_spec(name: str, port: int, tmp_path: Path) -> None:
    records = sound(name)[:5]
    rows = rows_of(OWN[name], b"".join(records))
    skipped, scripts = tables(protocol_in(name)), {name: SCRIPTS[name]}
    packets = [*tcp(records, port=port), *tcp(records, 1)]
    for way, first in (([], 0), (["-o", f"{name}.wireloom_ports:{port}"], 0), (moved(name), len(packets) // 2)):
        found = undirected(packets, scripts, tmp_path, *way)
        assert compared(rows, found, OWN[name], skipped) == [], way
        assert found[0].packet == first + 1, way
    assert undirected(packets, scripts, tmp_path, "-o", f"{name}.wireloom_ports:") == []
    assert undirected(packets, scripts, tmp_path, "-d", f"tcp.port=={port},couchbase") == []


def moved(name: str) -> list[str]:
    """The options with which a protocol is expected at ``PORT`` alone."""
    return ["-o", f"{name}.wireloom_ports:{PORT}"]


def test_wireshark_has_ports_back_that_are_not_wanted(tmp_path: Path) -> None:
    given = ("-X", f"lua_script:{SCRIPTS['couchbase_dcp']}")
    packets = tcp(sound("couchbase_dcp")[:1], port=11210)
    for options, expected in (((), "couchbase_dcp"), (moved("couchbase_dcp"), "couchbase")):
        shown = tshark.shown(packets, tmp_path, *given, *options)[1]
        assert [proto.get("name") for proto in shown.iter("proto")][-1] == expected


def test_is_asked_where_its_records_are(tmp_path: Path) -> None:
    found = tshark.listening(SCRIPTS["couchbase_dcp"], tmp_path)
    assert (found["tcp.port 11207"], found["tls.port 11207"]) == ("tls", "couchbase_dcp")
    assert "udp.port 11210" not in found
    datagrams = tshark.listening(emitted(compiled.feature("ports"), tmp_path), tmp_path)
    assert datagrams["udp.port 4040"] == datagrams["udp.port 65520"] == "ports"
    assert "ports" not in {name for port, name in datagrams.items() if not port.startswith("udp")}


def test_words_of_the_spec_are_told(tmp_path: Path) -> None:
    (record,) = dissected(udp([sound("databus")[0]]), {"databus": SCRIPTS["databus"]}, tmp_path)
    assert record.tree.get("showname", "").startswith("LinkedIn Databus (databus), dbus_event")
    fields = tshark.explained(SCRIPTS["databus"], tmp_path)
    assert fields["databus.dbus_event.sequence"] == "The sequence number (SCN) of the event window the event is in."
    assert fields["databus.dbus_event.attributes.TRACE"] == "A trace event."


def test_the_recipe_counts_the_files_of_the_dissector() -> None:
    compiler = ROOT / "generator" / "wireloom_generator"
    files = [path for path in compiler.rglob("*") if path.suffix in (".py", ".j2", ".lua")]
    of_it = [path for path in files if "wireshark" in path.relative_to(compiler).as_posix()]
    naming = [path for path in files if "wireshark" in path.read_text(encoding="utf-8")]  # prose has a capital letter
    assert set(naming) <= set(of_it)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"took {len(of_it)} files by hand" in " ".join(text.split())
    assert len(of_it) <= 5
    assert [path.name for path in of_it if f"`{path.name}`" not in text.replace("emitters/wireshark/", "")] == []
