"""The vectors of Databus, and events of V1 as Java's accessors tell them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import vectors
from support.cases import each
from support.vectors import Vector, data_of

from wireloom_protocols import databus

FILE = "databus/vectors.jsonl"
FORMS = ("json", "json_plain_value")

ERRORS = {"ERROR", "BOOTSTRAPTOOOLD_ERROR_SRCID", "PULLER_RETRIES_EXPIRED"}
PRIVATE = {
    "PRIVATE_SYSTEM",
    "PRIVATE_RANGE_MAX_SRCID",
    "START_OF_SNAPSHOT",
    "START_OF_CATCHUP",
    "END_OF_BOOTSTRAP",
}


def only(keep: Callable[[Vector], bool]) -> Any:
    """A test of the vectors that ``keep`` wants."""
    return each("vector", vectors.parameters(FILE, keep=keep))


def of_kind(kind: str, **wanted: Any) -> Any:
    """A test of the vectors of a kind whose values are as ``wanted``."""
    return only(lambda row: row["kind"] == kind and all(row.get(name) == value for name, value in wanted.items()))


forms = pytest.mark.parametrize("form", FORMS)


def java_fields(data: bytes, order: str) -> dict[str, Any]:
    """The event as Java's accessors tell it."""
    event = databus.parse(data, byte_order=order)["dbus_event"]
    versioned = databus.parse(data, byte_order=order, repl_dbus=True)["dbus_event"]
    by_number = event["variant"] == "long_key"
    key = None if by_number else event["key_bytes"]
    source, label = event["src_id"], event["src_id_name"]
    return {
        "class": "DbusEventV1",
        "version": 0,
        "magic_i32": 0,
        "header_crc": event["header_crc"],
        "length": event["length"],
        "attributes_raw_i16": (event["attributes"] ^ 0x8000) - 0x8000,
        "opcode": event["opcode_name"],
        "trace": event["trace"],
        "ext_replicated": event["ext_replicated"],
        "is_key_number": by_number,
        "is_key_string": not by_number,
        "is_key_schema": False,
        "sequence": event["sequence"],
        "physical_partition_id": event["physical_partition_id"],
        "logical_partition_id": event["logical_partition_id"],
        "partition_id": event["physical_partition_id"],
        "timestamp_in_nanos": event["nano_timestamp"],
        "src_id_i16": source,
        "source_id": source,
        "schema_id": event["schema_id"].hex(),
        "schema_version": versioned["schema_version"],
        "body_crc": event["value_crc"],
        "calculated_body_crc": event["value_crc"],
        "key_long": event["key"],
        "key_bytes": None if key is None else key.hex(),
        "key_part": None,
        "key_length_api": 8 if key is None else 4 + event["key_size"],
        "payload_length_api": len(key or b"") + len(event["value"]),
        "value_length": len(event["value"]),
        "value": event["value"].hex(),
        "is_control": source < 0,
        "is_private_control": label in PRIVATE,
        "is_checkpoint": label == "CHECKPOINT_SRCID",
        "is_error": label in ERRORS,
        "is_eop": event["end_of_period"],
        "is_scn_regress": label == "SCN_REGRESS",
    }


def first_row(vector: Vector) -> Any:
    """The row of the corrupt event, which may have other bytes behind it; None where it has no byte at all."""
    records = databus.iter_records(data_of(vector), "PERMISSIVE", byte_order=vector["order"], max_record_bytes=2**31)
    rows = list(records)
    assert b"".join(databus.build(row) for row in rows) == data_of(vector)
    return rows[0] if rows else None


def beside(vector: Vector, file: str) -> Path:
    """A file of the stream ``vector``."""
    return Path(vector["source"], "databus", vector[file])


def said_events(vector: Vector) -> list[dict[str, Any]]:
    """The events that Java found in the stream: offset, length and fields of each."""
    return [json.loads(line) for line in beside(vector, "events_file").read_text().splitlines()]
