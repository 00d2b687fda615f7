"""Rows as Arrow data: schemas that equal the generated ones, batches of bounded size."""

import gc
import mmap
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from wireloom import columnar
from wireloom.codec import DecodeError
from wireloom.codec.cutting import cuts
from wireloom.options import MAX_RECORD_BYTES, OptionError
from wireloom_protocols import couchbase_dcp, databus

UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "cas": 2**64 - 1, "unknown": {}})
SCHEMA = pa.schema([("x", pa.int16()), ("y", pa.struct([("z", pa.string())]))])


@pytest.mark.parametrize("protocol", [couchbase_dcp, databus])
def test_the_schema_of_the_columns_is_the_generated_one(protocol: Any) -> None:
    assert columnar.arrow_schema(protocol.PROTOCOL.columns).equals(protocol.arrow_schema)


def test_batches_have_no_more_rows_than_allowed() -> None:
    found = list(columnar.batches(({"x": number} for number in range(10)), SCHEMA, size=4))
    assert [batch.num_rows for batch in found] == [4, 4, 2]
    assert [value for batch in found for value in batch.column("x").to_pylist()] == list(range(10))


def test_batches_hold_no_more_bytes_than_allowed_but_one_record() -> None:
    rows = ({"x": 0, "_length": length} for length in (50, 50, 60, 200, 10))
    assert [batch.num_rows for batch in columnar.batches(rows, SCHEMA, size_bytes=100)] == [2, 1, 1, 1]


def test_what_a_row_lacks_is_null() -> None:
    assert columnar.table([{"y": {}}, {"y": {"z": "a", "other": 1}}], SCHEMA).to_pylist() == [
        {"x": None, "y": {"z": None}},
        {"x": None, "y": {"z": "a"}},
    ]


def test_no_rows_are_a_table_without_rows() -> None:
    assert couchbase_dcp.decode_columnar(b"").schema == couchbase_dcp.arrow_schema


def test_u64_is_a_decimal() -> None:
    (row,) = couchbase_dcp.decode_columnar(UNKNOWN).to_pylist()
    assert int(row["cas"]) == 2**64 - 1


def test_columns_can_be_chosen() -> None:
    table = couchbase_dcp.decode_columnar(UNKNOWN * 2, columns=["opcode", "message"])
    assert table.to_pydict() == {"opcode": [0xB6, 0xB6], "message": ["unknown", "unknown"]}


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(OptionError, match="unknown column 'opcod'; did you mean 'opcode'"):
        couchbase_dcp.decode_columnar(UNKNOWN, columns=["opcod"])
    with pytest.raises(OptionError, match="column '_offset' requires positions=true"):
        couchbase_dcp.decode_columnar(UNKNOWN, columns=["opcode", "_offset"])


def test_the_mode_says_what_becomes_of_malformed_records() -> None:
    with pytest.raises(ValueError, match="truncated"):
        couchbase_dcp.decode_columnar(UNKNOWN[:-1])
    assert couchbase_dcp.decode_columnar(UNKNOWN[:-1], mode="PERMISSIVE").num_rows == 1
    assert couchbase_dcp.decode_columnar(UNKNOWN[:-1], mode="DROPMALFORMED").num_rows == 0


def test_nobody_has_to_hold_the_malformed_rest_of_a_large_capture() -> None:
    found = cuts(couchbase_dcp.PROTOCOL.framing, bytes(MAX_RECORD_BYTES * 2 + 1), {"collections": False})
    assert [record.length for record in found] == [MAX_RECORD_BYTES, MAX_RECORD_BYTES, 1]


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])
def test_a_memory_map_can_be_closed_behind_the_decoder(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(UNKNOWN * 3 + UNKNOWN[:-1])
    gc.disable()
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as capture:
            if mode == "FAILFAST":
                with pytest.raises(DecodeError, match="a record of 24 bytes, 23 left"):
                    couchbase_dcp.decode_columnar(capture)
            else:
                rows = couchbase_dcp.decode_columnar(capture, mode=mode).num_rows
                assert rows == (4 if mode == "PERMISSIVE" else 3)
    finally:
        gc.enable()


def test_columns_are_a_list_of_names_and_not_none_of_them() -> None:
    with pytest.raises(OptionError, match="columns must be a list of names, not 'opcode'"):
        couchbase_dcp.decode_columnar(UNKNOWN, columns="opcode")
    with pytest.raises(OptionError, match="columns is empty; name at least one column"):
        couchbase_dcp.decode_columnar(UNKNOWN, columns=[])


def test_a_bound_that_no_table_can_hold_is_refused() -> None:
    with pytest.raises(OptionError, match="maxRecordBytes must be at most 1073741824, not 4294967296"):
        couchbase_dcp.decode_columnar(UNKNOWN, maxRecordBytes=1 << 32)
