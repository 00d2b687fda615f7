"""One record, one meaning: parsed dict, JSON object, Arrow row and Spark Row of the same bytes are equal.

For every worked example of the specs, every vector, and invented messages of every kind and variant. What the values
must be is the business of other tests; invented ones come back as they were invented.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from support import invented, vectors
from support.cases import often
from support.paths import ROOT
from support.plain_values import plain
from support.vectors import data_of

from wireloom import columnar
from wireloom.codec import EncodeError
from wireloom.json_rows import json_reader, json_writer
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_protocols import couchbase_dcp, databus, memcached

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROTOCOLS = {"couchbase_dcp": couchbase_dcp, "databus": databus, "memcached": memcached}
SPECS = ROOT / "specs"
ALWAYS_ONE_OF_ITS_VARIANTS = {"dbus_event"}

Record = tuple[bytes, dict[str, Any]]
"""Bytes, and the parameters to read them with."""

Invention = tuple[dict[str, Any], bytes]
"""A row that somebody could write down, and its bytes."""


@cache
def examples(protocol: str) -> dict[str, Record]:
    """The worked examples of a protocol's spec."""
    (one,), problems = spec.load([SPECS / protocol])
    assert not problems
    found = ((message, example) for message in protocol_of(resolve(one)).messages for example in message.examples)
    return {f"{message.name}: {example.name}": (example.data, dict(example.parameters)) for message, example in found}


@cache
def vector_records(protocol: str) -> dict[str, Record]:
    """The records of the vectors, malformed ones among them."""
    files = {
        "databus": ("databus/vectors.jsonl",),
        "couchbase_dcp": (
            "couchbase_dcp/frames.jsonl",
            "couchbase_dcp/seed_frames.jsonl",
            "couchbase_dcp_all/doc_frames.jsonl",
            "couchbase_dcp_all/other_doc_frames.jsonl",
        ),
        "memcached": ("couchbase_dcp_all/other_doc_frames.jsonl",),
    }[protocol]
    rows = vectors.external(*files) or vectors.committed(*files)
    wanted = ("event", "corrupt") if protocol == "databus" else ("frame",)
    return {
        row["id"]: (data_of(row), {"byte_order": row["order"]} if "order" in row else {})
        for row in rows
        if row.get("kind", "frame") in wanted and data_of(row)
    }


def in_json(value: Any) -> Any:
    """A parsed value as JSON has it, by the value model: bytes are hex text, times text, all else is what JSON has."""
    match value:
        case datetime():
            return f"{value:%Y-%m-%dT%H:%M:%S}{f'.{value.microsecond:06}' if value.microsecond else ''}Z"
        case bytes():
            return value.hex()
        case list():
            return [in_json(item) for item in value]
        case dict():
            return {name: in_json(item) for name, item in value.items()}
    return value


def without_nulls(value: Any) -> Any:
    """A parsed value without what is not there."""
    match value:
        case list():
            return [without_nulls(item) for item in value]
        case dict():
            return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return value


def assert_equal_everywhere(protocol: ModuleType, rows: list[Any]) -> None:
    """See that JSON objects and Arrow rows say what the parsed ``rows`` say."""
    columns = protocol.PROTOCOL.columns
    write, read = json_writer(columns), json_reader(columns)
    for row in rows:
        text = json.dumps(write(row), allow_nan=False)
        assert json.loads(text) == in_json(row)
        assert list(json.loads(text)) == [column.name for column in columns]
        assert read(json.loads(text)) == without_nulls(row)
    table = columnar.table(rows, protocol.arrow_schema)
    assert table.schema.equals(protocol.arrow_schema)
    assert plain(table.to_pylist()) == rows


def rows_of(module: ModuleType, records: dict[str, Record]) -> list[Any]:
    """The rows of records, malformed ones among them."""
    known = records.values()
    return [row for data, given in known for row in module.iter_records(data, "PERMISSIVE", **given)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_examples_are_equal_everywhere(protocol: str) -> None:
    rows = rows_of(PROTOCOLS[protocol], examples(protocol))
    assert len(rows) >= len(examples(protocol)) > 0
    assert_equal_everywhere(PROTOCOLS[protocol], rows)


@pytest.mark.sweep
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_vectors_are_equal_everywhere(protocol: str) -> None:
    rows = rows_of(PROTOCOLS[protocol], vector_records(protocol))
    assert {row["_corrupt_reason"] is None for row in rows} == {True, False}
    assert_equal_everywhere(PROTOCOLS[protocol], rows)


# --- invented messages


def shapes(protocol: str) -> list[tuple[Any, Any]]:
    """Each message of a protocol in each variant that it can have."""
    found = invented.shapes(PROTOCOLS[protocol].PROTOCOL)
    return [(message, each) for message, each in found if each or message.name not in ALWAYS_ONE_OF_ITS_VARIANTS]


PARTS = {"databus": 1, "memcached": 3, "couchbase_dcp": 12}
"""How many tests share the messages of a protocol."""


def inventions(protocol: ModuleType, message: Any, variant: Any, count: int, **parameters: Any) -> list[Invention]:
    """``count`` invented rows of a message in a variant, each with its bytes; the same ones every time."""
    resolved = {parameter.name: parameter.default for parameter in protocol.PROTOCOL.parameters} | parameters
    found: list[Invention] = []

    @settings(max_examples=count, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(invented.rows(message, variant, resolved))
    def invent(row: dict[str, Any]) -> None:
        try:
            found.append((row, protocol.build(row, **resolved)))
        except EncodeError:
            reject()

    invent()
    return found


@pytest.mark.parametrize(
    ("protocol", "part"),
    [
        pytest.param(protocol, part, marks=() if protocol == "databus" else pytest.mark.sweep)
        for protocol, parts in PARTS.items()
        for part in range(parts)
    ],
)
def test_invented_messages_come_back_and_are_equal_everywhere(protocol: str, part: int) -> None:
    module, rows = PROTOCOLS[protocol], []
    for message, variant in shapes(protocol)[part :: PARTS[protocol]]:
        found = inventions(module, message, variant, often(3, 30))
        assert found, (message.name, variant)
        for said, data in found:
            row = module.parse(data)
            invented.assert_says(row, said, message.name)
            assert variant is None or row[message.name]["variant"] == variant.name
            assert module.build(row) == data, message.name
            rows.append(row)
    assert_equal_everywhere(module, rows)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("repl_dbus", [False, True])
@pytest.mark.parametrize("variant", databus.dbus_event.variants, ids=lambda variant: variant.name)
def test_invented_events_come_back_in_each_byte_order(variant: Any, repl_dbus: bool, order: str) -> None:
    parameters = {"byte_order": order, "repl_dbus": repl_dbus}
    for said, data in inventions(databus, databus.dbus_event, variant, often(4, 30), **parameters):
        invented.assert_says(databus.parse(data, **parameters), said)
        assert databus.parse(data, repl_dbus=repl_dbus)["byte_order"] == order


# --- Spark


def capture(protocol: str) -> bytes:
    """Some of it in one capture, what has no end of its own last."""
    module = PROTOCOLS[protocol]
    known = [*examples(protocol).values(), *[*vector_records(protocol).values()][::8]]
    whole = [data for data, _ in known if len(list(module.iter_records(data, "PERMISSIVE"))) == 1]
    for message, variant in shapes(protocol):
        whole += [data for _, data in inventions(module, message, variant, 3)]
    good = [data for data in whole if next(module.iter_records(data, "PERMISSIVE"))["_corrupt_reason"] is None]
    return b"".join([*good, *(data for data in whole if data not in good)])


@pytest.mark.spark
@pytest.mark.parametrize("protocol", ["couchbase_dcp", "databus"])  # which have all types of columns between them
def test_spark_rows_are_equal_to_the_parsed(spark: SparkSession, tmp_path: Path, protocol: str) -> None:
    from wireloom.spark import register

    data = capture(protocol)
    tmp_path.joinpath("capture.bin").write_bytes(data)
    register(spark, protocol)
    frame = spark.read.format(protocol).load(str(tmp_path))
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    assert plain(rows) == plain(list(PROTOCOLS[protocol].iter_records(data, "PERMISSIVE")), local=True)
