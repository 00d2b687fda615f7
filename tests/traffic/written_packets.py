"""Rows that tests write as recorded packets, and what becomes of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pyarrow as pa
from click.testing import CliRunner, Result
from protocols import strangers

from traffic.recorded_frames import FRAMES
from wireloom.cli import app
from wireloom.codec.protocol import PROVENANCE
from wireloom.columnar.python_values import to_python
from wireloom.json_rows import json_writer
from wireloom_protocols import couchbase_dcp, databus

KINDS = ("pcap", "pcapng")
SENT = ("_time", "_connection", "_from_client", "_gap_before")
ENDS = ("10.0.0.1:11210-10.0.0.7:50000", "10.0.0.1:11207-10.0.0.7:50001", "[2001:db8::1]:11210-[2001:db8::2]:50000")
TIME = 1_714_566_600 * 10**9
"""The first of May 2024, half past noon, in nanoseconds since 1970."""


def run(*arguments: str | Path, stdin: bytes = b"", status: int = 0) -> Result:
    """Call the program in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == status, result.output
    return result


def dns() -> ModuleType:
    """A protocol whose records are datagrams."""
    return strangers.protocol("dns").columnar


def of_dns() -> list[bytes]:
    """Its records, of other programs."""
    return [capture.data for capture in strangers.captures("dns")]


def events(count: int) -> list[bytes]:
    """Events of Databus of several sizes."""
    fields = {"variant": "long_key", "physical_partition_id": 1, "logical_partition_id": 1, "nano_timestamp": 1}
    fields |= {"src_id": 1, "schema_id": bytes(16), "key": 7}
    return [
        databus.build({"message": "dbus_event", "dbus_event": {**fields, "sequence": n, "value": bytes(n % 5000)}})
        for n in range(0, 50 * count, 50)
    ]


RECORDS = {
    "couchbase_dcp": (couchbase_dcp, FRAMES),
    "databus": (databus, events(60)),
    "dns": (None, None),
}


def protocol_and_records(name: str) -> tuple[Any, list[bytes]]:
    """A protocol's module, and records of it."""
    module, records = RECORDS[name]
    return (dns(), of_dns()) if module is None or records is None else (module, records)


def columnar(module: Any) -> Any:
    """What decodes and encodes tables of a protocol."""
    return module if hasattr(module, "decode_columnar") else module.TABLE


def table_of(module: Any, records: list[bytes]) -> pa.Table:
    """The records of a protocol, each decoded alone where it is a datagram."""
    captures = records if module.PROTOCOL.framing.to_the_end else [b"".join(records)]
    return pa.concat_tables([columnar(module).decode_columnar(capture, mode="PERMISSIVE") for capture in captures])


def sent(table: pa.Table, random: Random, ends: tuple[str, ...] = ENDS) -> pa.Table:
    """The rows as if they had been sent, in any direction of several connections, at times that count up."""
    count = table.num_rows
    times, now = [], TIME
    for _ in range(count):
        now += random.choice([0, 1, 999_999, 999_999_999, 5_000_000_000])
        times.append(now)
    columns = (
        pa.array(times, pa.timestamp("ns", tz="UTC")),
        pa.array([random.choice(ends) for _ in range(count)]),
        pa.array([random.random() < 0.5 for _ in range(count)]),
        pa.array([0] * count, pa.int64()),
    )
    for name, column in zip(SENT, columns, strict=True):
        table = table.append_column(name, column)
    return table


def recorded(path: Path, module: Any, table: pa.Table, **parameters: Any) -> Path:
    """A file with the rows of a table, in the format that its name says."""
    kind = path.suffix.removeprefix(".")
    path.write_bytes(columnar(module).encode_columnar(table, capture=kind, **parameters))
    return path


def read(path: Path, module: Any, **options: Any) -> pa.Table:
    """The rows of a file of packets, and how they were sent."""
    return columnar(module).decode_columnar(path, mode="PERMISSIVE", connections=True, **options)


def same(found: pa.Table, expected: pa.Table) -> bool:
    """Whether rows are alike in all columns that were given."""
    return bool(found.select(expected.schema.names).equals(expected))


def whole(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The rows of a batch, with all columns."""
    columns = (
        to_python(column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column) for column in batch.columns
    )
    return (dict(zip(batch.schema.names, row, strict=True)) for row in zip(*columns, strict=True))


def lines(table: pa.Table, module: Any) -> bytes:
    """Rows as ``decode`` prints them."""
    write = json_writer([*module.PROTOCOL.columns, *(each for each in PROVENANCE if each.name in table.schema.names)])
    rows = [row for batch in table.to_batches() for row in whole(batch)]
    return b"".join(json.dumps(write(row)).encode() + b"\n" for row in rows)
