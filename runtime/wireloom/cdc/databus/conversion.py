"""Events of version 2 as events of version 1, for readers that know no other."""

from collections.abc import Mapping
from typing import Any

UPSERT, DELETE = 1, 2
NO_SCHEMA = bytes(16)


def to_v1(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row of an event of version 2 as that of an event of version 1, which ``databus.build`` takes, as Java's
    ``convertToV1`` makes one of it.

    Version 1 has no place for metadata, the version of the value's schema, nor ``ext_replicated``, which are left out;
    the partition is both physical and logical; and of a source id the low 16 bits are kept, so 70000 becomes 4464. An
    event without an opcode, a control event too, becomes an UPSERT, as Java's writer gives it.

    Raises ``ValueError`` for a row that is of no event of version 2, and for a key with a schema, which version 1 does
    not know.
    """
    event = row.get("dbus_event_v2")
    if event is None:
        raise ValueError(f"an event of version 2 is needed, not {row.get('message') or 'a malformed record'}")
    if event["key_with_schema"] is not None:
        raise ValueError("version 1 has no keys with a schema")
    payload = event["payload"] or {"digest": NO_SCHEMA, "data": b""}
    key = {name: event[name] for name in ("key", "key_bytes") if event[name] is not None}
    values = {
        "opcode": event["opcode"] or UPSERT,
        "trace": event["trace"],
        "sequence": event["sequence"],
        "physical_partition_id": event["partition_id"],
        "logical_partition_id": event["partition_id"],
        "nano_timestamp": event["nano_timestamp"],
        "src_id": (event["src_id"] + 0x8000) % 0x10000 - 0x8000,
        "schema_id": payload["digest"],
        "value": payload["data"],
        **key,
    }
    return {"message": "dbus_event", "byte_order": row["byte_order"], "dbus_event": values}
