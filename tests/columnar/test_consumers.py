"""Tables for each consumer have the same values as those for Spark, and become the same bytes again."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from support.compiled import feature, of
from support.paths import ROOT
from support.worked import examples, few, pair_of

from wireloom import columnar, registry
from wireloom.codec import Column, ListOf, StructOf
from wireloom.columnar import tables
from wireloom.columnar.consumers import Consumer, arrow_type
from wireloom.columnar.tables import Table
from wireloom.options import OptionError, ReadOptions, TableTypes
from wireloom_protocols import couchbase_dcp

FRAME = couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}})
OTHERS = tuple(types for types in TableTypes if types is not TableTypes.SPARK)


def as_spark(value: Any, kind: Any) -> Any:
    """A value as a table for Spark has it, of one that another consumer has."""
    match kind, value:
        case _, None:
            return None
        case StructOf(columns), dict():
            return {each.name: as_spark(value[each.name], each.type) for each in columns}
        case ListOf(element), list():
            return [as_spark(item, element) for item in value]
        case "interval day to second", int():
            return timedelta(microseconds=value)
        case "string", UUID():
            return str(value)
        case _, float() if value != value:
            return "NaN"
    return value


def rows(table: pa.Table, protocol: Any) -> list[dict[str, Any]]:
    table.validate(full=True)
    kinds = {column.name: column.type for column in protocol.columns}
    return [{name: as_spark(value, kinds[name]) for name, value in row.items()} for row in table.to_pylist()]


@few
def test_same_values_and_the_same_bytes(name: str) -> None:
    protocol = pair_of(name).codec
    table = Table(protocol, {})
    for parameters, records in examples(name):
        capture = b"".join(records) + records[0][:-1]
        spark = table.decode_columnar(capture, mode="PERMISSIVE", **parameters)
        for types in OTHERS:
            found = table.decode_columnar(capture, mode="PERMISSIVE", types=types, **parameters)
            assert rows(found, protocol) == rows(spark, protocol)
            assert table.encode_columnar(found, **parameters).to_pybytes() == capture


ROWS = (
    (Column("n", "short", unsigned=8), "unsigned, 8 bits"),
    (Column("n", "int", unsigned=16), "unsigned, 16 bits"),
    (Column("n", "long", unsigned=32), "unsigned, 32 bits"),
    (Column("n", "decimal(20,0)", unsigned=64), "unsigned, 64 bits"),
    (Column("n", "string", texts=("a", "b")), "label of an enum, `message`, `variant`"),
    (Column("n", ListOf("string"), texts=("a", "b")), "labels of flags, or of a list"),
    (Column("n", "string", uuid=True), "UUID"),
    (Column("n", "binary", size=16), "bytes of a fixed size up to 16"),
    (Column("n", "interval day to second"), "duration"),
    (Column("n", "timestamp_ns"), "`_time`"),
)


def test_documented_types_are_those_that_consumers_get() -> None:
    text = (ROOT / "docs/tables.md").read_text(encoding="utf-8").partition("## Types for each consumer")[2]
    head, _, *lines = (line.strip("| ").split(" | ") for line in text.split("\n\n")[2].splitlines())
    assert [value for value, *_ in lines] == [value for _, value in ROWS]
    consumers = [[TableTypes(name) for name in cell.strip("`").split("`, `")] for cell in head[1:]]
    assert sorted(types for names in consumers for types in names) == sorted(TableTypes)
    documented = {value: cells for value, *cells in lines}
    for column, value in ROWS:
        for names, cell in zip(consumers, documented.pop(value), strict=True):
            assert {f"`{arrow_type(column, types)}`" for types in names} == {cell}
    assert not documented


@pytest.mark.parametrize(
    ("bits", "type", "expected"),
    [(1, "byte", pa.uint8()), (9, "short", pa.uint16()), (24, "int", pa.uint32()), (48, "long", pa.uint64())],
)
def test_numbers_have_the_narrowest_unsigned_type(bits: int, type: str, expected: pa.DataType) -> None:
    assert arrow_type(Column("n", type, unsigned=bits), TableTypes.ARROW) == expected


def test_bounded_numbers_and_longs_stay_signed() -> None:
    table = couchbase_dcp.decode_columnar(FRAME, types="arrow", message="seqno_advanced")
    assert (table.schema.field("by_seqno").type, table.schema.field("cas").type) == (pa.int64(), pa.uint64())
    longs = couchbase_dcp.decode_columnar(FRAME, types="arrow", message="seqno_advanced", u64="long")
    assert longs.schema.field("cas").type == pa.int64()


def test_batches_share_one_dictionary_of_all_labels() -> None:
    capture = ROOT / "examples/captures/couchbase_dcp/session.bin"
    table = couchbase_dcp.scan([capture, capture], mode="PERMISSIVE", types="arrow").read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:  # which refuses dictionaries that differ
        writer.write_table(table)
    labels = {tuple(chunk.dictionary.to_pylist()) for chunk in table["opcode_name"].chunks}
    assert len(labels) == 1
    assert "DcpMutation" in labels.pop()


@pytest.mark.parametrize("types", list(TableTypes))
def test_a_schema_is_made_once(types: TableTypes, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[TableTypes] = []

    def counted(columns: Any, kind: TableTypes = TableTypes.SPARK) -> pa.Schema:
        asked.append(kind)
        return columnar.arrow_schema(columns, kind)

    monkeypatch.setattr(tables, "arrow_schema", counted)
    table = Table(couchbase_dcp.PROTOCOL, {})
    asked.clear()
    table.decode_columnar(FRAME, ["cas", "vbucket"], types=types)
    assert asked == [types]
    table.decode_columnar(FRAME, types=types)  # with the schema of all columns, which is large
    asked.clear()
    table.decode_columnar(FRAME, types=types)
    assert not asked


@pytest.mark.parametrize("types", list(TableTypes))
def test_batches_without_rows_are_given_as_well(types: TableTypes) -> None:
    table = Table(couchbase_dcp.PROTOCOL, {})  # of which no consumer had a batch before
    assert table.decode_columnar(bytes(50), mode="DROPMALFORMED", types=types).num_rows == 0
    consumer = Consumer(couchbase_dcp.PROTOCOL.columns, table.view(ReadOptions(), types))
    assert consumer.given(pa.RecordBatch.from_pylist([], schema=consumer.decoded)).schema.equals(consumer.schema)


def test_labels_that_a_dictionary_lacks_are_refused() -> None:
    row = {"message": "dcp_noop", "opcode_name": "Nope"}
    assert couchbase_dcp.to_batches([row]).read_all()["opcode_name"].to_pylist() == ["Nope"]
    with pytest.raises(ValueError, match="opcode_name: 'Nope' is none of the labels that this column can have"):
        couchbase_dcp.to_batches([row], types="arrow").read_all()


def test_unknown_consumers_are_refused() -> None:
    with pytest.raises(OptionError, match="unknown types 'sparc'; did you mean 'spark'"):
        couchbase_dcp.decode_columnar(FRAME, types="sparc")


SIZED = """
protocol: sized
byte_order: big
record:
  length: 40
  fields: [{section: body, size: rest}]
flags:
  - name: Colours
    values: [{name: red, value: 0x01}, {name: blue, value: 0x80}]
---
message: it
match: {}
sections:
  body:
    - {name: id, type: bytes, size: 16, as: uuid}
    - {name: four, type: bytes, size: 4}
    - {name: rest, type: bytes, size: 17}
    - {name: colours, type: u8, flags: Colours}
    - {name: two, type: u8, repeat: {count: 2}}
"""
ID = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
RECORDS = (ID + b"four" + bytes(17) + b"\x81\0\0", bytes(16) + b"none" + bytes(17) + b"\x02\0\0")


@pytest.mark.parametrize("name", ["couchbase_dcp", "databus", "packets", "pcapng"])
def test_pages_have_the_types_of_tables(name: str) -> None:
    table = Table(registry.protocol(name), {})
    for message in table.protocol.messages:
        page = (ROOT / f"generated/docs/{name}/{message}.md").read_text(encoding="utf-8")
        section = page.partition("\n## Types for each consumer\n")[2].partition("\n## ")[0]
        cells = [re.findall("`([^`]*)`", line) for line in section.splitlines() if line.startswith("| `")]
        options = ReadOptions(message=message)
        own = {column.name for column in table.protocol.messages[message].columns}
        schemas = [leaves(field for field in table.view(options, types) if field.name in own) for types in TableTypes]
        expected = {path: [spelled(each[path]) for each in schemas] for path in schemas[0]}
        assert {path: kinds for path, *kinds in cells} == {
            path: kinds for path, kinds in expected.items() if len(set(kinds)) > 1
        }


def spelled(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list<{spelled(kind.value_type)}>"
    return "dictionary" if pa.types.is_dictionary(kind) else "uuid" if kind == pa.uuid() else str(kind)


def test_uuids_and_bytes_of_a_constant_size_have_it_in_the_type() -> None:
    table = of(SIZED).columnar.TABLE
    for types, id, four in (
        ("arrow", pa.uuid(), pa.binary(4)),
        ("duckdb", pa.uuid(), pa.binary()),
        ("pandas", pa.string(), pa.binary(4)),
        ("iceberg", pa.string(), pa.binary()),
    ):
        found = table.decode_columnar(b"".join(RECORDS), message="it", types=types)
        assert (found.schema.field("id").type, found.schema.field("four").type) == (id, four)
        assert found.schema.field("rest").type == pa.binary()  # of which a null would take as much as a value
        assert found["four"].to_pylist() == [b"four", b"none"]
        assert [str(each) for each in found["id"].to_pylist()] == [str(UUID(bytes=ID)), str(UUID(int=0))]


def test_labels_of_flags_are_a_dictionary() -> None:
    found = of(SIZED).columnar.TABLE.decode_columnar(b"".join(RECORDS), message="it", types="arrow")["colours_flags"]
    assert found.to_pylist() == [["red", "blue"], []]
    assert found.chunk(0).values.dictionary.to_pylist() == ["red", "blue"]


def test_rows_of_the_codec_have_the_same_types() -> None:
    made = of(SIZED)
    rows = made.columnar.TABLE.to_batches(made.codec.iter_records(b"".join(RECORDS)), "arrow").read_all()
    assert rows.equals(made.columnar.TABLE.decode_columnar(b"".join(RECORDS), types="arrow"))


def test_lakes_keep_durations_as_microseconds() -> None:
    found = feature("meanings")
    (_, records), *_ = examples("meanings")
    spark = found.columnar.TABLE.decode_columnar(b"".join(records), mode="PERMISSIVE")
    delta = found.columnar.TABLE.decode_columnar(b"".join(records), mode="PERMISSIVE", types="delta")
    kinds = leaves(delta.schema)
    found = {kind: kinds[name] for name, kind in leaves(spark.schema).items() if "duration" in str(kind)}
    assert found == {pa.duration("us"): pa.int64(), pa.list_(pa.duration("us")): pa.list_(pa.int64())}


def leaves(fields: Any, within: str = "") -> dict[str, pa.DataType]:
    """The types of all columns without columns in them, by their paths."""
    found: dict[str, pa.DataType] = {}
    for field in fields:
        inner = field.type
        while pa.types.is_list(inner):
            inner = inner.value_type
        path = within + field.name
        found |= leaves(inner, f"{path}.") if pa.types.is_struct(inner) else {path: field.type}
    return found


def test_nanoseconds_that_a_lake_loses_are_told(caplog: pytest.LogCaptureFixture) -> None:
    for types in OTHERS:
        couchbase_dcp.decode_by_message(FRAME, types=types, connections=True)
    couchbase_dcp.decode_columnar(FRAME, ["vbucket"], types="delta", connections=True)
    couchbase_dcp.decode_columnar(FRAME, types="delta")
    after = "has no nanoseconds, so _time is cut to microseconds; types=arrow keeps them"
    assert sorted(caplog.messages) == [f"delta {after}", f"iceberg {after}"]
