"""The speed of the compiler, and of single messages parsed and built beside hand-written construct."""

import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import hand_written
from report import Measured, Report, spread
from timing import Result, alternating, measure

import wireloom_generator
from wireloom_protocols import couchbase_dcp, databus

ROOT = Path(__file__).parent.parent
LEAST = 0.1
"""Seconds of a round."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A hand-written layout, and how one parses and builds with it."""

    layout: Any
    parse: Callable[[Any, bytes], Any]
    build: Callable[[Any, Any], bytes]


def marker() -> bytes:
    """A snapshot marker, version 1."""
    fields = {"start_seqno": 1, "end_seqno": 8, "snapshot_type": 1}
    header = {"magic": 0x80, "datatype": 0, "vbucket": 7, "opaque": 1, "cas": 0}
    return couchbase_dcp.build({"message": "snapshot_marker", **header, "snapshot_marker": fields})


def created() -> bytes:
    """A system event: a collection was created."""
    fields = {"by_seqno": 4, "event": 0, "version": 1, "key": "mycollection"}
    fields |= {"manifest_uid": 2, "scope_id": 0, "collection_id": 8, "max_ttl": 72000}
    header = {"magic": 0x80, "datatype": 0, "vbucket": 7, "opaque": 1, "cas": 0}
    return couchbase_dcp.build({"message": "system_event", **header, "system_event": fields})


def failover_log() -> bytes:
    """A failover log of four entries."""
    entries = [{"vb_uuid": 0xFEEDDECA + entry, "vb_seqno": entry} for entry in range(4)]
    header = {"magic": 0x81, "datatype": 0, "status": 0, "opaque": 1, "cas": 0}
    return couchbase_dcp.build(
        {"message": "failover_log_response", **header, "failover_log_response": {"entries": entries}}
    )


def event() -> bytes:
    """A Databus event with a long key and 128 bytes of value."""
    fields = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
    fields |= {"nano_timestamp": 1357000000123456789, "schema_id": bytes(range(16)), "key": 12345, "value": bytes(128)}
    return databus.build({"message": "dbus_event", "byte_order": "big", "version": 0, "dbus_event": fields})


def compile_specs(rounds: int) -> Result:
    """All specs: read, checked, emitted, their examples run; as commands do it, who leave garbage to their end."""
    specs, out = [ROOT / "specs"], ROOT / "generated"

    def call() -> None:
        found = wireloom_generator.generate(specs, out, write=False, package="wireloom_protocols")
        if found.errors:
            sys.exit(f"the specs have problems: {found.errors[0]}")

    gc.disable()
    try:
        return measure("compile all specs", call, rounds)
    finally:
        gc.enable()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A message in one direction: generated, hand-written, hand-written and compiled by construct."""

    what: str
    ours: Result
    interpreted: Result
    compiled: Result


def compare(name: str, data: bytes, protocol: Any, rival: Rival, rounds: int) -> Iterator[Comparison]:
    """Decode and encode ``data`` each way, having seen that it comes back as it went in."""
    compiled = rival.layout.compile()
    row, values = protocol.parse(data), rival.parse(rival.layout, data)
    if protocol.build(row) != data or rival.build(compiled, values) != data:
        sys.exit(f"{name} does not come back as it went in")
    calls = {
        "generated": lambda: protocol.parse(data),
        "construct": lambda: rival.parse(rival.layout, data),
        "construct, compiled": lambda: rival.parse(compiled, data),
    }
    yield Comparison(f"{name}: decode", *alternating(calls, rounds, LEAST))
    calls = {
        "generated": lambda: protocol.build(row),
        "construct": lambda: rival.build(rival.layout, values),
        "construct, compiled": lambda: rival.build(compiled, values),
    }
    yield Comparison(f"{name}: encode", *alternating(calls, rounds, LEAST))


def comparisons(rounds: int) -> Iterator[Comparison]:
    """All messages, both directions."""
    frame = Rival(hand_written.COUCHBASE_DCP, hand_written.parse_frame, hand_written.build_frame)
    yield from compare("snapshot marker", marker(), couchbase_dcp, frame, rounds)
    yield from compare("system event", created(), couchbase_dcp, frame, rounds)
    yield from compare("failover log", failover_log(), couchbase_dcp, frame, rounds)
    rival = Rival(hand_written.DBUS_EVENT, hand_written.parse_event, hand_written.build_event)
    yield from compare("Databus event", event(), databus, rival, rounds)


def compiling(rounds: int) -> Iterator[Report]:
    """How long it takes to compile all specs."""
    found = compile_specs(rounds)
    row = ("read, checked, emitted, examples run", f"{found.seconds:.2f}", spread(found.spread))
    yield Report("All specs", ("", "seconds", "spread"), (row,), "", asdict(found), {found.name: found.seconds})


def single(rounds: int) -> Iterator[Report]:
    """The comparisons as a table."""
    items = list(comparisons(rounds))
    rows, times, reached = [], {}, []
    for item in items:
        cells = [f"{1 / item.ours.seconds:,.0f}"]
        for rival in (item.interpreted, item.compiled):
            beside = rival.over(item.ours)
            cells += [f"{1 / rival.seconds:,.0f}", f"{beside.value:.2f} {spread(beside.spread)}".rstrip()]
        rows.append((item.what, *cells))
        times[item.what] = item.ours.seconds
        reached.append(Measured(item.what, False, item.compiled.over(item.ours)))
    yield Report(
        "Single messages a second on one core",
        ("", "generated", "construct", "times", "compiled", "times"),
        tuple(rows),
        "times: how often as fast we are. What construct cannot compile it calls uncompiled.",
        [asdict(item) for item in items],
        times,
        tuple(reached),
    )
