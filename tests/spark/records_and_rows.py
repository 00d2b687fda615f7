"""Records that captures and columns are made of, and rows as they come back from Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.paths import DATA
from support.plain_values import plain

from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

STREAM = DATA / "databus" / "stream_scn_regress.bin"
MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "cas": 2**64 - 1,
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)
UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})
CUT_OFF = MARKER[:-1]


def event(value: bytes) -> bytes:
    fields = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
    fields |= {"nano_timestamp": 7, "schema_id": bytes(16), "key": 1, "value": value}
    return databus.build({"message": "dbus_event", "byte_order": "big", "version": 0, "dbus_event": fields})


def collected(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows, as the Python API has them."""
    return [plain(row.asDict(recursive=True), local=True) for row in frame.collect()]
