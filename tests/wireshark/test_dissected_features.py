"""Everything that the language has, feature by feature, as tshark shows it."""

import itertools
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from language.reference_blocks import BLOCKS, documents
from protocols import strangers
from support import compiled
from support.cases import often
from support.compiled import FEATURES, Compiled
from support.tshark import PORT, dissected, udp

from wireloom_generator import model
from wireloom_protocols import couchbase_dcp
from wireshark.dissectors import SCRIPTS, compared, emitted, of_packets, preferences, rows_of, tables

pytestmark = pytest.mark.wireshark

TAKEN = {"dispatch": "wireloom_dispatch"}
"""Protocols that have another name in Wireshark, which has one of theirs."""


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


def test_a_number_beyond_doubles_has_its_name(tmp_path: Path) -> None:
    found = compiled.of("""
protocol: large
byte_order: big
enums:
  - name: Limit
    values:
      - {name: Last, value: 0xffffffffffffffff}
      - {name: Zero, value: 0}
record:
  length: 8
  fields: [{section: body, size: rest}]
---
message: limits
match: {}
sections:
  body: [{name: limit, type: u64, enum: Limit}]
""")
    data = [bytes.fromhex(text) for text in ("ffffffffffffffff", "fffffffffffffffe", "0000000000000000")]
    records = dissected(udp(data), {"large": emitted(found, tmp_path)}, tmp_path)
    rows = [row for one in data for row in rows_of(found.codec, one)]
    assert [row["limits"]["limit_name"] for row in rows] == ["Last", None, "Zero"]
    assert compared(rows, records, found.codec) == []


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
