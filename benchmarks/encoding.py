"""Tables to bytes: many rows at once, beside rows one by one and hand-written construct."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import by_construct
import captures
import hand_written
import protocols
import pyarrow as pa
from captures import Block
from in_process import Effort, rates
from messages import marker
from report import Measured, Report, of_rates
from rivals import RIVALS


@dataclass(frozen=True, slots=True)
class Protocol:
    """How bytes of a protocol are read here, where a record's length is, and how one builds it with construct.

    The length is a big-endian ``u32`` at ``place``, less ``more``.
    """

    parameters: dict[str, str]
    place: int
    more: int
    layout: Any
    parse: Callable[[Any, bytes], Any]
    build: Callable[[Any, Any], bytes]


MARKERS = 1_000
"""In a block."""
_FRAME = (hand_written.COUCHBASE_DCP, hand_written.parse_frame, hand_written.build_frame)
_EVENT = (hand_written.DBUS_EVENT, hand_written.parse_event, hand_written.build_event)
_PROTOCOLS = {
    "couchbase_dcp": Protocol({"collections": "true"}, 8, 24, *_FRAME),
    "databus": Protocol({"byte_order": "big"}, 5, 0, *_EVENT),
}
_MIXED = replace(_PROTOCOLS["couchbase_dcp"], layout=by_construct.FRAME)


def table(protocol: str, data: bytes) -> pa.Table:
    """The rows of some bytes as a table."""
    return protocols.load(protocol).decode_columnar(data, mode="PERMISSIVE", **_PROTOCOLS[protocol].parameters)


def rows(protocol: str, data: bytes) -> list[Any]:
    """They as objects."""
    return list(protocols.load(protocol).iter_records(data, **_PROTOCOLS[protocol].parameters))


def values(protocol: str, data: bytes) -> list[Any]:
    """They as construct has them."""
    return _parsed(_PROTOCOLS[protocol], data)


def frames(_: str, data: bytes) -> list[Any]:
    """Frames of all kinds as construct has them."""
    return _parsed(_MIXED, data)


def _parsed(known: Protocol, data: bytes) -> list[Any]:
    found, at = [], 0
    while at < len(data):
        end = at + int.from_bytes(data[at + known.place : at + known.place + 4], "big") + known.more
        found.append(known.parse(known.layout, data[at:end]))
        at = end
    return found


def of_table(protocol: str) -> Callable[[pa.Table], bytes]:
    """What makes bytes of tables."""
    encode, parameters = protocols.load(protocol).encode_columnar, _PROTOCOLS[protocol].parameters
    return lambda given: encode(given, **parameters)


def of_rows(protocol: str) -> Callable[[list[Any]], bytes]:
    """What makes bytes of rows."""
    build, parameters = protocols.load(protocol).build, _PROTOCOLS[protocol].parameters
    return lambda given: b"".join([build(row, **parameters) for row in given])


def of_values(protocol: str) -> Callable[[list[Any]], bytes]:
    """What makes bytes of construct's values."""
    return _building(_PROTOCOLS[protocol])


def of_frames(_: str) -> Callable[[list[Any]], bytes]:
    """What makes bytes of construct's values for frames of all kinds."""
    return _building(_MIXED)


def _building(known: Protocol) -> Callable[[list[Any]], bytes]:
    return lambda given: b"".join([known.build(known.layout, each) for each in given])


def encoders(effort: Effort) -> Iterator[Report]:
    """Traffic of several kinds, as tables with all columns."""
    ours = ("build", "encode", "encode_accelerated")
    yield _compared(
        "snapshot markers",
        Block("couchbase_dcp", (marker(),) * MARKERS, {}),
        effort,
        ("construct_build", *ours),
        "encode_dcp",
    )
    yield _compared("mixed DCP traffic", captures.mixed(), effort, ("frames_build", *ours), "encode_mixed")
    yield _compared("a session of DCP with documents", captures.session(), effort, ours)
    yield _compared("Databus events", captures.events(), effort, ("construct_build", *ours), "encode_databus")


def _compared(what: str, block: Block, effort: Effort, names: tuple[str, ...], target: str = "") -> Report:
    """Each way beside the first, having seen that bytes come back as they were."""
    capture = block.capture("encoded.bin", records=effort.records)
    found = rates(capture, names, effort)
    beside = found[0]
    ways = {RIVALS["encode"].title: False, RIVALS["encode_accelerated"].title: True}
    reached = [Measured(target, ways[rate.name], rate.over(beside)) for rate in found if rate.name in ways]
    caption = "Construct's layout is hand-written and interpreted." if beside.name == "construct" else ""
    return of_rates(f"Tables to bytes: {what}", found, beside.name, caption, "rows", tuple(reached if target else ()))
