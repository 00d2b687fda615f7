"""Tables of the captures among the examples, how their rows are changed, and an event to make others of."""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pyarrow as pa
from support.paths import ROOT

from wireloom_protocols import couchbase_dcp, databus, memcached

CAPTURES = ROOT / "examples" / "captures"
MODULES = {"couchbase_dcp": couchbase_dcp, "databus": databus, "memcached": memcached}
OPTIONS: dict[str, dict[str, Any]] = {"couchbase_dcp": {"collections": True}}
EVENT = {
    "src_id": 3, "nano_timestamp": 2, "physical_partition_id": 1, "logical_partition_id": 4, "schema_id": bytes(16),
    "opcode": 1, "key": 0,
}  # fmt: skip


def captures(name: str) -> Iterator[bytes]:
    return (path.read_bytes() for path in sorted((CAPTURES / name).iterdir()))


@cache
def rows(name: str) -> pa.Table:
    options = OPTIONS.get(name, {})
    found = [MODULES[name].decode_columnar(each, mode="PERMISSIVE", **options) for each in captures(name)]
    return pa.concat_tables(found).combine_chunks()


def change(chance: Random, found: list[dict[str, Any]]) -> None:
    """Change one field in some of the rows, or in all of them."""
    path = chance.choice(list(paths(found[0])))
    held = [value for row in found if (value := reached(row, path)) is not None]
    some = chance.random() < 0.5
    for row in found:
        inner = reached(row, path[:-1])
        if inner is None or (some and chance.random() < 0.5):
            continue
        inner[path[-1]] = chance.choice([None, *held]) if held else None


def paths(row: dict[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in row.items():
        yield (*before, name)
        if isinstance(value, dict):
            yield from paths(value, (*before, name))


def reached(row: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        row = None if row is None else row.get(name)
    return row
