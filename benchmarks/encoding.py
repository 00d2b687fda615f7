"""Tables to bytes: many rows at once, beside rows one by one and hand-written construct."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import captures
import hand_written
import protocols
from captures import Block
from in_process import Effort
from messages import Rival, marker
from report import Report, spread
from timing import Result, alternating

_ALONE = 1_000
"""How many records are built one by one."""
_FRAME = Rival(hand_written.COUCHBASE_DCP, hand_written.parse_frame, hand_written.build_frame)
_EVENT = Rival(hand_written.DBUS_EVENT, hand_written.parse_event, hand_written.build_event)


def encoders(effort: Effort) -> Iterator[Report]:
    """Traffic of several kinds, as tables with all columns."""
    blocks = {
        "snapshot markers": (Block("couchbase_dcp", (marker(),) * _ALONE, {}), _FRAME, {}),
        "mixed DCP traffic": (captures.mixed(), None, {}),
        "a session of DCP with documents": (captures.session(), None, {"collections": "true"}),
        "Databus events": (captures.events(), _EVENT, {"byte_order": "big"}),
    }
    rows, found = [], []
    for what, (block, rival, parameters) in blocks.items():
        results = _measured(block, rival, parameters, effort)
        ours = results["encode_columnar"].seconds
        times = (f"{results[name].seconds / ours:.0f}" if name in results else "" for name in ("build", "construct"))
        rows.append((what, f"{1 / ours:,.0f}", *times, spread(*(each.spread for each in results.values()))))
        found.append({"what": what, **{name: asdict(result) for name, result in results.items()}})
    yield Report(
        "Tables to bytes, in rows a second on one core",
        ("", "encode_columnar", "× build", "× construct", "spread"),
        tuple(rows),
        "Construct's layouts are hand-written and interpreted; there is none of mixed traffic.",
        found,
    )


def _measured(block: Block, rival: Rival | None, parameters: dict[str, str], effort: Effort) -> dict[str, Result]:
    """Seconds a record of each way, having seen that bytes come back as they were."""
    protocol = protocols.load(block.protocol)
    data = b"".join(block.frames) * max(1, round(effort.records / len(block.frames)))
    table = protocol.decode_columnar(data, mode="PERMISSIVE", **parameters)
    if protocol.encode_columnar(table, **parameters).to_pybytes() != data:
        sys.exit("a table does not come back as it went in")
    few = block.frames[:_ALONE]
    given = [protocol.parse(frame, **parameters) for frame in few]
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "encode_columnar": (lambda: protocol.encode_columnar(table, **parameters), len(table)),
        "build": (lambda: [protocol.build(row, **parameters) for row in given], len(few)),
    }
    if rival is not None:
        values: list[Any] = [rival.parse(rival.layout, frame) for frame in few]
        if [rival.build(rival.layout, each) for each in values] != list(few):
            sys.exit("construct gives other bytes")
        calls["construct"] = lambda: [rival.build(rival.layout, each) for each in values], len(few)
    results = alternating({name: call for name, (call, _) in calls.items()}, effort.rounds, effort.least)
    return {each.name: Result(each.name, each.seconds / calls[each.name][1], each.spread) for each in results}
