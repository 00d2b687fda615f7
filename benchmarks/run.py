"""``make bench``: the speed of the compiler, and of generated parsers beside hand-written construct in the same run.

Machines are noisy, so the table gives ratios within one run and the spread of its rounds. A JSON file has the numbers.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import hand_written
from rich.console import Console
from rich.table import Table

import wireloom_generator
from wireloom_protocols import couchbase_dcp, databus

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement: seconds a call, the middle of its rounds, and how far the rounds lie apart."""

    name: str
    seconds: float
    spread: float


@dataclass(frozen=True, slots=True)
class Rival:
    """A hand-written layout, and how one parses and builds with it."""

    layout: Any
    parse: Callable[[Any, bytes], Any]
    build: Callable[[Any, Any], bytes]


def measure(name: str, call: Callable[[], object], rounds: int) -> Result:
    """Time ``call``, repeated so that a round takes some tens of milliseconds."""
    start = time.perf_counter()
    call()
    repeat = max(1, int(0.05 / max(time.perf_counter() - start, 1e-7)))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeat):
            call()
        times.append((time.perf_counter() - start) / repeat)
    middle = statistics.median(times)
    return Result(name, middle, (max(times) - min(times)) / middle)


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
    """All specs: read, checked, lowered, emitted, their examples run."""
    specs, out = [ROOT / "specs"], ROOT / "generated"

    def call() -> None:
        found = wireloom_generator.generate(specs, out, write=False, package="wireloom_protocols")
        if found.errors:
            sys.exit(f"the specs have problems: {found.errors[0]}")

    return measure("compile all specs", call, rounds)


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
    yield Comparison(
        f"{name}: decode",
        measure("generated", lambda: protocol.parse(data), rounds),
        measure("construct", lambda: rival.parse(rival.layout, data), rounds),
        measure("construct, compiled", lambda: rival.parse(compiled, data), rounds),
    )
    yield Comparison(
        f"{name}: encode",
        measure("generated", lambda: protocol.build(row), rounds),
        measure("construct", lambda: rival.build(rival.layout, values), rounds),
        measure("construct, compiled", lambda: rival.build(compiled, values), rounds),
    )


def comparisons(rounds: int) -> Iterator[Comparison]:
    """All messages, both directions."""
    frame = Rival(hand_written.COUCHBASE_DCP, hand_written.parse_frame, hand_written.build_frame)
    yield from compare("snapshot marker", marker(), couchbase_dcp, frame, rounds)
    yield from compare("system event", created(), couchbase_dcp, frame, rounds)
    yield from compare("failover log", failover_log(), couchbase_dcp, frame, rounds)
    rival = Rival(hand_written.DBUS_EVENT, hand_written.parse_event, hand_written.build_event)
    yield from compare("Databus event", event(), databus, rival, rounds)


def shown(found: Iterable[Comparison]) -> Table:
    """The comparisons as a table."""
    items = list(found)
    spread = max(result.spread for item in items for result in (item.ours, item.interpreted, item.compiled))
    table = Table(
        title="Records a second on one core",
        caption=f"times: how often as fast we are. Rounds of a measurement lie up to {spread:.0%} apart.",
    )
    for column in ("", "generated", "construct", "times", "compiled", "times"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for item in items:
        cells = [f"{1 / item.ours.seconds:,.0f}"]
        for rival in (item.interpreted, item.compiled):
            cells += [f"{1 / rival.seconds:,.0f}", f"{rival.seconds / item.ours.seconds:.2f}"]
        table.add_row(item.what, *cells)
    return table


def main() -> None:
    """Measure, print, write the results down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each measurement")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench.json", help="where the numbers go")
    options = parser.parse_args()
    console = Console()
    compiling = compile_specs(5)
    console.print(f"all specs compiled and their examples run in {compiling.seconds:.2f} s (±{compiling.spread:.0%})")
    found = list(comparisons(options.rounds))
    console.print(shown(found))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    results = {"compile": asdict(compiling), "records": [asdict(item) for item in found]}
    options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
