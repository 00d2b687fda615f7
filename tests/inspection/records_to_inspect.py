"""Records of the specs and the vectors to inspect, and what to ask of what is found."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from support.compiled import worked
from support.paths import ROOT
from support.vectors import Vector, committed, data_of

from wireloom.codec import Protocol
from wireloom.inspection import Inspected, Shown
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_protocols import couchbase_dcp, databus

SPECS = ROOT / "specs"
DCP, DATABUS = couchbase_dcp.PROTOCOL, databus.PROTOCOL
FILES = ("frames.jsonl", "seed_frames.jsonl")
ALL_FILES = ("doc_frames.jsonl", "other_doc_frames.jsonl")


@cache
def examples() -> tuple[tuple[str, Protocol, bytes, Mapping[str, Any]], ...]:
    """What the specs and the committed vectors have: a name, a protocol, bytes and parameters."""
    found: list[tuple[str, Protocol, bytes, Mapping[str, Any]]] = []
    for protocol in (DCP, DATABUS):
        (one,), problems = spec.load([SPECS / protocol.name])
        assert not problems
        found += [
            (f"{message.name}: {example.name}", protocol, example.data, example.parameters)
            for message, example in worked(protocol_of(resolve(one)))
        ]
    frames: list[Vector] = committed(*(f"couchbase_dcp/{file}" for file in FILES))
    frames += committed(*(f"couchbase_dcp_all/{file}" for file in ALL_FILES))
    found += [(row["id"], DCP, data_of(row), {}) for row in frames]
    events = [row for row in committed("databus/vectors.jsonl") if row["kind"] in ("event", "corrupt")]
    found += [(row["id"], DATABUS, data_of(row), {"byte_order": row["order"]}) for row in events]
    return tuple(found)


EXAMPLES = [pytest.param(*example[1:], id=example[0]) for example in examples()]


def nodes(inspected: Inspected) -> Iterator[Shown]:
    """All nodes of the tree, an outer one before those inside."""
    left = list(inspected.fields)
    while left:
        node = left.pop(0)
        yield node
        left = [*node.children, *left]


def covers_every_byte_once(inspected: Inspected) -> bool:
    """Whether the leaves, in order, are the record; those that share bytes, as bit fields do, count once."""
    spans = list(dict.fromkeys((leaf.start, leaf.end) for leaf in inspected.leaves() if leaf.start < leaf.end))
    return b"".join(inspected.data[start:end] for start, end in spans) == inspected.data and all(
        end == start for (_, end), (start, _) in pairwise(spans)
    )


def noop(value: bytes) -> bytes:
    """A frame that no message describes."""
    return couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {"value": value}})
