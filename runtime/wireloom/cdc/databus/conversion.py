"""Events of version 2 as events of version 1, for readers that know no other."""

from collections.abc import Mapping
from typing import Any

UPSERT, DELETE = 1, 2
NO_SCHEMA = bytes(16)


def to_v1(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the row of a Databus event of version 2 to one of version 1, as ``convertToV1`` in Java does.

    Version 1 has no metadata, no version of the value's schema and no ``ext_replicated``; they are left out. The
    partition becomes both the physical and the logical one. Of a source id, the low 16 bits are kept: 70000 becomes
    4464. Events without an opcode, control events included, become an UPSERT.

    Parameters
    ----------
    row : mapping
        A row of ``databus.parse`` or ``databus.iter_records``.

    Returns
    -------
    dict
        A row for ``databus.build``.

    Raises
    ------
    ValueError
        If the row is not an event of version 2, or its key has a schema, which version 1 does not support.
    """
    event = row.get("dbus_event_v2")
    if event is None:
        raise ValueError(f"expected an event of version 2, not {row.get('message') or 'a malformed record'}")
    if event["key_with_schema"] is not None:
        raise ValueError("version 1 does not support keys with a schema")
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
