"""Captures with records within records and with damage, and where they are divided."""

import io
from itertools import pairwise
from typing import Any

from wireloom import columnar
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.splits import places
from wireloom.options import ReadOptions
from wireloom.views import View
from wireloom_protocols import couchbase_dcp, databus

UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})


def frame(value: bytes, key: bytes = b"") -> bytes:
    fields = {"key": key, "value": value}
    return couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": fields})


def event(value: bytes, order: str = "big") -> bytes:
    fields = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
    fields |= {"nano_timestamp": 7, "schema_id": bytes(16), "key": 1, "value": value}
    return databus.build({"message": "dbus_event", "byte_order": order, "version": 0, "dbus_event": fields})


FRAMES_IN_FRAMES = (
    UNKNOWN
    + frame(UNKNOWN * 5, b"\x80\xb6")
    + frame(frame(UNKNOWN + UNKNOWN) * 2)
    + UNKNOWN
    + frame(UNKNOWN[:-1])
    + UNKNOWN
)
DAMAGED = event(b"a")[:-2] + b"zz" + event(b"x" * 30)[:40]
CAPTURES = {
    "frames in frames": (couchbase_dcp, FRAMES_IN_FRAMES),
    "frames cut off": (couchbase_dcp, FRAMES_IN_FRAMES + frame(UNKNOWN * 2)[:-3]),
    "frames that end in garbage": (couchbase_dcp, FRAMES_IN_FRAMES + b"\xff" * 30 + FRAMES_IN_FRAMES),
    "events in events": (databus, event(event(b"a") + event(b"b")) + event(b"c", "little") + event(event(b"d")[:-1])),
    "damaged events": (databus, event(b"a") + DAMAGED + event(event(b"b")) + DAMAGED + event(b"c")),
}


def decoder(protocol: Any) -> Decoder:
    options = ReadOptions.of({"positions": "true"}, protocol.PROTOCOL.parameters, protocol.PROTOCOL.messages)
    schema = columnar.arrow_schema(View(protocol.PROTOCOL, options).columns)
    return Decoder(protocol.PROTOCOL, options, schema)


def divided(decoding: Decoder, capture: bytes, every: int) -> list[tuple[int, int]]:
    """(start, end) of parts, each ending with a record behind a multiple of ``every``."""
    found = places(decoding.scanner(), io.BytesIO(capture).readinto, len(capture), every)
    return list(pairwise([0, *(place.offset for place in found), *([len(capture)] if capture else [])]))
