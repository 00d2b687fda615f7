"""Dissectors for Wireshark, as tshark runs them: of every record they show what the codec reads.

Whatever is asked of tshark is asked in one run where that can be, because it takes a second to start.
"""

import itertools
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from attack.texts import ALL
from compiler.test_emitted_code import STRANGE
from compiler.test_hostile_texts import ALL_PLACES, written
from hypothesis import given, settings
from language.test_reference import BLOCKS, documents
from protocols import strangers
from support import compiled, tshark, vectors
from support.cases import often
from support.compiled import FEATURES, Compiled
from support.invented_expressions import ABSENT, CONDITION, NUMBER, OF_ABSENT, PARAMETERS, ROWS, Row, parsed
from support.paths import ROOT
from support.tshark import PORT, Record, differences, dissected, tcp, udp, undirected

from wireloom.codec import Protocol
from wireloom.codec.frames import Frame
from wireloom.codec.meanings import DoubleMeaning
from wireloom.expressions import expression as of_text
from wireloom.expressions.text import printed as as_text
from wireloom.expressions.tree import Expr
from wireloom_generator import expressions, model
from wireloom_generator.emitters import wireshark
from wireloom_generator.emitters.wireshark import lua
from wireloom_generator.emitters.wireshark.lua import LuaTable, entries
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_generator.types import FlatBuffers
from wireloom_protocols import couchbase_dcp, databus, memcached

pytestmark = pytest.mark.wireshark

OWN: dict[str, Protocol] = {each.PROTOCOL.name: each.PROTOCOL for each in (couchbase_dcp, databus, memcached)}
SCRIPTS = {name: ROOT / "generated" / "wireshark" / f"{name}.lua" for name in OWN}
LONGEST = 60_000
"""Bytes that are put into one packet at most."""
TAKEN = {"dispatch": "wireloom_dispatch"}
"""Protocols that have another name in Wireshark, which has one of theirs."""
Rows = list[Mapping[str, Any]]


@cache
def protocol_in(name: str) -> model.Protocol:
    """One of our protocols as the compiler has it."""
    (one,), _ = spec.load([ROOT / "specs" / name])
    return protocol_of(resolve(one))


def tables(protocol: model.Protocol) -> frozenset[str]:
    """The FlatBuffers fields, which are shown as bytes."""
    return frozenset(field.name for nodes in _lists(protocol) for field in nodes if _is_table(field))


def _is_table(node: model.Node | model.Otherwise) -> bool:
    return isinstance(node, model.Field) and isinstance(node.wire.type, FlatBuffers)


def _lists(protocol: model.Protocol) -> Iterator[list[Any]]:
    messages = protocol.messages
    found: list[Iterable[Any]] = [protocol.record.nodes, *(shared.nodes for shared in protocol.structs)]
    found += [nodes for message in messages for nodes in message.sections.values()]
    found += [nodes for message in messages for one in message.variants for nodes in one.sections.values()]
    for nodes in found:
        yield list(_flat(nodes))


def _flat(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        yield from _flat([*getattr(node, "nodes", ()), *getattr(node, "alternatives", ())])


def rows_of(protocol: Protocol, data: bytes, **parameters: Any) -> Rows:
    """What the codec makes of a capture, malformed records and ranges included."""
    return list(protocol.iter_records(data, "PERMISSIVE", positions=True, **parameters))


def compared(rows: Rows, found: list[Record], protocol: Protocol, skipped: frozenset[str] = frozenset()) -> list[str]:
    """What tshark shows otherwise than the codec."""
    lengths, shown = [row["_length"] for row in rows], [record.length for record in found]
    if lengths != shown:
        return [f"records of {lengths} bytes expected, found {shown}"]
    pairs = zip(rows, found, strict=True)
    return [what for row, record in pairs for what in differences(row, record, protocol, skipped)]


def preferences(name: str, parameters: Mapping[str, Any]) -> list[str]:
    """The options with which tshark takes parameters for a protocol."""
    told = {
        key: f"{value:d}" if type(value) is not bool and isinstance(value, int) else value
        for key, value in parameters.items()
    }
    return [option for key, value in told.items() for option in ("-o", f"{name}.{key}:{value}")]


def of_packets(found: list[Record], count: int) -> list[list[Record]]:
    """The records of each packet."""
    packets: list[list[Record]] = [[] for _ in range(count)]
    for record in found:
        packets[record.packet].append(record)
    return packets


@cache
def captures(name: str) -> tuple[bytes, ...]:
    """The bytes of every example of a protocol, and of all vectors of its format, but what is packed."""
    protocol = protocol_in(name)
    found = [example.data for _, example in compiled.worked(protocol)]
    folders = [vectors.COMMITTED, *([Path(vectors.EXTERNAL)] if vectors.EXTERNAL else [])]
    for path in (path for folder in folders for path in sorted(folder.glob(f"{name}*/*.jsonl"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            found += _bytes_in(json.loads(line))
    return tuple(data for data in dict.fromkeys(found) if 0 < len(data) <= LONGEST and not is_packed(name, data))


def is_packed(name: str, data: bytes) -> bool:
    """Whether it is a DCP frame whose value went through Snappy, which is shown as bytes."""
    return name == "couchbase_dcp" and len(data) > 5 and data[5] & couchbase_dcp.Datatype.Snappy != 0


def _bytes_in(value: object) -> Iterator[bytes]:
    """All that a vector has in hex under such a key, in whatever object inside it."""
    match value:
        case dict():
            for key, inner in value.items():
                if key in ("hex", "repaired_hex") and isinstance(inner, str):
                    yield bytes.fromhex(inner)
                else:
                    yield from _bytes_in(inner)
        case list():
            for inner in value:
                yield from _bytes_in(inner)


@cache
def sound(name: str) -> tuple[bytes, ...]:
    """Those of the captures that are one good record, or as many of them as are enough."""
    some = dict.fromkeys((*captures(name)[:20], *sampled(captures(name), often(200, 10_000))))
    found = [(data, rows_of(OWN[name], data)) for data in some]
    return tuple(data for data, rows in found if len(rows) == 1 and rows[0]["_corrupt_reason"] is None)


def sampled(data: Sequence[bytes], most: int) -> Sequence[bytes]:
    """About so many of them at most, from everywhere."""
    return data[:: len(data) // most | 1]


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


# --- the language, feature by feature


def emitted(found: Compiled, folder: Path, name: str = "") -> Path:
    """The dissector of a protocol, written into a folder; under another name, if one is given."""
    (file,) = wireshark.emit(replace(found.protocol, name=name or found.protocol.name))
    path = folder / file.path.name
    path.write_text(file.text, encoding="utf-8")
    return path


def packs(found: Compiled) -> bool:
    """Whether the protocol has what is shown as it is packed."""
    nodes = (node for layout in found.protocol.layouts for node in model.walk(layout))
    return any(isinstance(node, model.Field | model.Section) and node.through is not None for node in nodes)


@pytest.mark.sweep
def test_every_feature_is_shown_as_the_codec_reads_it(tmp_path: Path) -> None:
    features = itertools.filterfalse(packs, map(compiled.feature, FEATURES))
    protocols = {TAKEN.get(found.protocol.name, found.protocol.name): found for found in features}
    scripts = {name: emitted(found, tmp_path) for name, found in protocols.items()}
    assert shown_otherwise(protocols, scripts, tmp_path) == []


def test_what_is_packed_is_shown_as_bytes(tmp_path: Path) -> None:
    found = compiled.feature("through")
    (record,) = dissected(udp([bytes.fromhex("0200020701")]), {"through": emitted(found, tmp_path)}, tmp_path)
    assert record.reason is None
    assert b'show="07:01"' in ElementTree.tostring(record.tree)


def test_what_is_packed_or_not_is_shown_as_it_stands(tmp_path: Path) -> None:
    """A cluster map in plain text and through Snappy, and a document alike."""
    refused = {"message": "failover_log_response", "status": 7, "failover_log_response": {"cluster_map": '{"rev":7}'}}
    written = {"by_seqno": 1, "rev_seqno": 1, "flags": 0, "expiration": 0, "collection_id": 0, "document_key": "k"}
    mutation = {"message": "mutation", "mutation": {**written, "json": "{}"}}
    rows = [
        row | {"datatype": datatype} for row, datatype in ((refused, 0), (refused, 2), (mutation, 1), (mutation, 3))
    ]
    data = [couchbase_dcp.build(row) for row in rows]
    found = dissected(udp(data), {"couchbase_dcp": SCRIPTS["couchbase_dcp"]}, tmp_path)
    names = [{field.get("name") for field in record.tree.iter("field")} for record in found]
    answer, document = "couchbase_dcp.failover_log_response.cluster_map", "couchbase_dcp.mutation"
    assert [name & {answer, f"{answer}.packed"} for name in names[:2]] == [{answer}, {f"{answer}.packed"}]
    assert [name & {f"{document}.json", f"{document}.document"} for name in names[2:]] == [
        {f"{document}.json"},
        {f"{document}.document"},
    ]


def test_a_list_that_is_not_valid_is_shown_as_the_codec_shows_it(tmp_path: Path) -> None:
    found, data = compiled.feature("bits_list"), bytes.fromhex("0000 0000000000 f6c6")
    (row,) = found.codec.iter_records(data, "PERMISSIVE")
    (record,) = dissected(udp([data]), {"status_vectors": emitted(found, tmp_path)}, tmp_path)
    assert record.reason is not None
    assert record.reason.partition(" at ")[2] == row["_corrupt_reason"].partition(" at ")[2]
    assert record.reason.endswith("expected, found [3, 1, 2, 3, 0, 1, 2]")


def test_every_example_of_the_reference_is_shown_as_the_codec_reads_it(tmp_path: Path) -> None:
    found = (compiled.of(documents(block)) for block in BLOCKS)
    protocols = {f"block_{number}": one for number, one in enumerate(found) if not packs(one)}
    scripts = {name: emitted(found, tmp_path, name) for name, found in protocols.items()}
    assert shown_otherwise(protocols, scripts, tmp_path) == []


def test_every_example_protocol_is_shown_as_the_codec_reads_it(tmp_path: Path) -> None:
    found = {f"example_{name}": strangers.protocol(name) for name in strangers.NAMES}
    protocols = {name: one for name, one in found.items() if not packs(one)}
    scripts = {name: emitted(found, tmp_path, name) for name, found in protocols.items()}
    assert shown_otherwise(protocols, scripts, tmp_path) == []


def test_a_record_whose_end_is_unknown_has_no_message(tmp_path: Path) -> None:
    found = strangers.protocol("messagepack")
    data = bytes.fromhex("dd0000")
    (row,) = found.codec.iter_records(data, "PERMISSIVE")
    assert (row["message"], row["_corrupt_reason"].partition(":")[0]) == (None, "truncated")
    (record,) = dissected(udp([data]), {"example": emitted(found, tmp_path, "example")}, tmp_path)
    assert b"example.message" not in ElementTree.tostring(record.tree)


def test_a_record_that_would_be_too_long_is_refused_before_it_is_there(tmp_path: Path) -> None:
    found = strangers.protocol("messagepack")
    (record,) = dissected(
        udp([bytes.fromhex("dd7fffffff00")]), {"example": emitted(found, tmp_path, "example")}, tmp_path
    )
    assert record.reason is not None
    assert record.reason.startswith("too-long: ")


def shown_otherwise(protocols: Mapping[str, Compiled], scripts: Mapping[str, Path], root: Path) -> list[str]:
    """What tshark shows otherwise than the codec, of the examples of all these protocols, and of bytes like them."""
    told = []
    for sets in parameter_sets(protocols):
        chosen = {name: scripts[name] for name in sets}
        ports = {name: PORT + number for number, name in enumerate(chosen)}
        options = [option for name, chosen in sets.items() for option in preferences(name, chosen)]
        data = [(name, one) for name in sets for one in mangled(protocols[name], sets[name])]
        packets = [packet for name, one in data for packet in udp([one], ports[name])]
        found = of_packets(dissected(packets, chosen, root, *options), len(packets))
        for (name, one), records in zip(data, found, strict=True):
            codec, skipped = protocols[name].codec, tables(protocols[name].protocol)
            different = compared(rows_of(codec, one, **sets[name]), records, codec, skipped)
            told += [f"{name} {one.hex()}: {what}" for what in different]
    return told


def parameter_sets(protocols: Mapping[str, Compiled]) -> Iterator[dict[str, dict[str, Any]]]:
    """One choice of parameters for each protocol after the other, until each has had all that its examples have."""
    chosen = {name: [] for name in protocols}
    for name, found in protocols.items():
        for _, example in compiled.worked(found.protocol):
            if dict(example.parameters) not in chosen[name]:
                chosen[name].append(dict(example.parameters))
    for number in range(max(map(len, chosen.values()))):
        yield {name: sets[number] for name, sets in chosen.items() if number < len(sets)}


def mangled(found: Compiled, parameters: Mapping[str, Any]) -> Iterator[bytes]:
    """The examples with these parameters; each cut short, and each with a byte changed, in some ways."""
    chance = random.Random(11)
    for _, example in compiled.worked(found.protocol):
        if example.parameters == parameters:
            data = example.data
            yield data
            yield from (data[:length] for length in chance.sample(range(1, len(data)), min(often(2, 4), len(data) - 1)))
            for _ in range(often(3, 8)):
                at = chance.randrange(len(data))
                yield data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


# --- texts that mean harm


def test_wireshark_takes_hostile_texts(tmp_path: Path) -> None:
    (one,), _ = spec.load([written(dict.fromkeys(ALL_PLACES, ALL), tmp_path)])
    (file,) = wireshark.emit(protocol_of(resolve(one)))
    (tmp_path / "post.lua").write_text(file.text, encoding="utf-8")
    lines = tshark.printed(tmp_path / "post.lua", tmp_path).splitlines()
    assert [line for line in lines if line.count("\t") != 2 or not line.replace("\t", "").isprintable()] == []
    assert [line for line in lines if line.endswith("\tpost")] != []
    found = dissected(udp([bytes.fromhex("0700")]), {"post": tmp_path / "post.lua"}, tmp_path)
    assert [record.reason and record.reason.partition(":")[0] for record in found] == ["truncated"]


LONG = ["word " * 60 + text + " word" * 60 for text in STRANGE]
LONG += [" " * 300, "  two  blanks  " * 30, " " + "x" * 300 + "  y " * 40, "(one two) " * 60, "a b " * 20_000]


def test_a_long_text_is_the_same_in_several_lines(tmp_path: Path) -> None:
    print_bytes = "local function hex(char) return string.format('%02x', char:byte()) end\n"
    print_bytes += "local function say(given) print('= ' .. given.text:gsub('.', hex)) end\n"
    trees = [LuaTable(entries(number="1", text=lua.string(text)), "say") for text in LONG]
    script = tmp_path / "texts.lua"
    script.write_text(print_bytes + "\n".join(map(lua.render, trees)), encoding="utf-8")
    found = [line[2:] for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    assert found == [text.encode().hex() for text in LONG]


def test_the_recipe_counts_the_files_of_the_dissector() -> None:
    compiler = ROOT / "generator" / "wireloom_generator"
    files = [path for path in compiler.rglob("*") if path.suffix in (".py", ".j2")]
    of_it = [path for path in files if "wireshark" in path.relative_to(compiler).as_posix()]
    naming = [path for path in files if "wireshark" in path.read_text(encoding="utf-8").lower()]
    assert set(naming) <= set(of_it)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"took {len(of_it)} files by hand" in " ".join(text.split())
    assert len(of_it) <= 5
    assert [path.name for path in of_it if f"`{path.name}`" not in text.replace("emitters/wireshark/", "")] == []


# --- numbers beyond those that Lua holds exactly

EDGES = (0, 1, 2, 7, 255, 2**24 - 1, 2**24, 2**31, 2**32 - 1, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1)
OPERATIONS = (
    "a + b", "a - b", "a * b", "a & b", "a | b", "a ^ b", "~a", "-a", "a == b", "a != b", "a < b", "a <= b", "a > b",
    "a >= b", "a in [b, 2]", "min(a, b)", "max(a, b)", "a * b + a", "(a - b) * (a - b)", "a if a < b else b",
    "a == 18446744073709551615 or b == -0x8000000000000000", "not a < b and b <= a * a",
)  # fmt: skip
LITERALS = (1, 2, 3, 10, 1000, 2**24, 2**24 + 1, 2**32, 2**40 + 5, 2**53 + 3, 2**64 - 1)
SHIFTS = (0, 1, 7, 24, 25, 31, 53, 64, 100)


def calculations() -> Iterator[tuple[str, int, int]]:
    """Expressions, and what their names stand for."""
    chance = random.Random(3)
    numbers = [sign * edge for edge in EDGES for sign in (1, -1)]
    numbers += [chance.randint(-(2**64), 2**64) for _ in range(10)]
    texts = [*OPERATIONS]
    texts += [f"a {operator} {sign}{number}" for operator in ("//", "%") for number in LITERALS for sign in ("", "-")]
    texts += [f"a {operator} {number}" for operator in ("<<", ">>") for number in SHIFTS]
    for text in texts:
        yield from ((text, a, b) for a, b in zip(numbers, chance.sample(numbers, len(numbers)), strict=True))


ASK = """
local parameters = PARAMETERS
local function ask(expression, this)
  local known, value = pcall(expression, this)
  if known then return value end
end
"""


def asked() -> list[tuple[Expr, Row]]:
    """Many expressions, each with rows to ask it of."""
    found: list[tuple[Expr, Row]] = []

    @settings(max_examples=often(60, 500), database=None)
    @given(expression=NUMBER | CONDITION, rows=ROWS)
    def note(expression: Expr, rows: list[Row]) -> None:
        found.extend((expression, row) for row in rows)

    note()
    return found


def test_asks_expressions_as_the_codec_does(tmp_path: Path) -> None:
    cases = [*asked(), *((parsed(text), row) for text in OF_ABSENT for row in ABSENT)]
    script = emitted(compiled.feature("integers_big_endian"), tmp_path)
    lines = [script.read_text(encoding="utf-8"), ASK.replace("PARAMETERS", _table(PARAMETERS))]
    lines += [f"print('= ' .. shown(ask({lua.render(lua.function(tree))}, {_table(row)})))" for tree, row in cases]
    script.write_text("\n".join(lines), encoding="utf-8")
    found = [line[2:] for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    expected = [of_text(as_text(tree)).ask(row, row, Frame(PARAMETERS)) for tree, row in cases]
    wrong = [
        (as_text(case[0]), case[1], said, value)
        for case, said, value in zip(cases, found, expected, strict=True)
        if said != ("nil" if value is None else str(value).lower())
    ]
    assert wrong == []


def _table(values: Mapping[str, Any]) -> str:
    there = (f"{name} = {lua.literal(value)}" for name, value in values.items() if value is not None)
    return f"{{{', '.join(there)}}}"


def test_computes_as_python_does(tmp_path: Path) -> None:
    cases = list(calculations())
    script = emitted(compiled.feature("integers_big_endian"), tmp_path)
    lines = [script.read_text(encoding="utf-8")]
    for text, a, b in cases:
        asked = lua.render(lua.function(expressions.parse(text)))
        lines.append(f"print('= ' .. shown(({asked})({{a = {lua.literal(a)}, b = {lua.literal(b)}}})))")
    script.write_text("\n".join(lines), encoding="utf-8")
    found = [line[2:] for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    expected = [eval(text, {"a": a, "b": b}) for text, a, b in cases]
    wrong = [
        (case, said, value)
        for case, said, value in zip(cases, found, expected, strict=True)
        if said != (str(value).lower() if isinstance(value, bool) else str(value))
    ]
    assert wrong == []


SCALE = """
local function scaled(value, times, plus, by)
  local meaning = {times = times, plus = plus, by = by}
  local sum = add(mul(value, times), plus)
  local number, exponent = nearest(sum, by)
  local same = is_determined(value, sum, meaning, number, exponent)
  print(string.format("= %.17g %s", number * 2.0 ^ exponent, tostring(same)))
end
"""


def test_scales_as_the_codec_does(tmp_path: Path) -> None:
    """The nearest doubles, and whether they determine their numbers."""
    chance = random.Random(8)
    scales = (("1/4294967296", "0"), ("0.1", "0"), ("-1/3", "7"), ("256", "0"), ("1e-40", "0"), ("1e20", "-0.5"))
    numbers = [sign * (chance.getrandbits(bits) | 1 << bits) for bits in range(64) for sign in (1, -1)]
    cases = [(DoubleMeaning(scale=one, offset=other), number) for one, other in scales for number in (0, *numbers)]
    script = emitted(compiled.feature("integers_big_endian"), tmp_path)
    lines = [script.read_text(encoding="utf-8"), SCALE]
    for meaning, number in cases:
        given = (number, meaning.times, meaning.plus, meaning.by)
        lines.append(f"scaled({', '.join(map(lua.literal, given))})")
    script.write_text("\n".join(lines), encoding="utf-8")
    found = [line[2:].split() for line in tshark.printed(script, tmp_path).splitlines() if line.startswith("= ")]
    expected = [(value, raw is None) for value, raw in (meaning.kept(number) for meaning, number in cases)]
    assert [(float(value), same == "true") for value, same in found] == expected
