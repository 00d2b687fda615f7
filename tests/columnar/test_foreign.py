"""Tables that other programs made: with other types for the same values, for others, or with columns that lie."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support import accelerator
from support.cases import often
from support.lockstep import misleading

from columnar import tables_to_encode
from columnar.tables_to_encode import MODULES, OPTIONS, rows
from wireloom.codec import EncodeError
from wireloom.columnar import encoding
from wireloom_protocols import databus

Retype = Callable[[pa.DataType], pa.DataType]

EVENT = {**tables_to_encode.EVENT, "sequence": 1, "value": b"12345"}


def instead(of: pa.DataType, other: pa.DataType) -> Retype:
    return lambda kind: other if kind == of else kind


def large_list(kind: pa.DataType) -> pa.DataType:
    return pa.large_list(kind.value_type) if pa.types.is_list(kind) else kind


def naive(kind: pa.DataType) -> pa.DataType:
    return pa.timestamp(kind.unit) if pa.types.is_timestamp(kind) else kind


def retyped(column: pa.Array, retype: Retype) -> pa.Array:
    """The same values, with other types at every depth; in dictionaries, which nothing casts to below a struct."""
    kind = column.type
    if pa.types.is_struct(kind):
        fields = [retyped(column.field(place), retype) for place in range(kind.num_fields)]
        return pa.StructArray.from_arrays(fields, [field.name for field in kind], mask=column.is_null())
    if pa.types.is_list(kind):
        values = retyped(column.values, retype)
        column = pa.ListArray.from_arrays(column.offsets, values, type=pa.list_(values.type), mask=column.is_null())
    wanted = retype(column.type)
    if pa.types.is_dictionary(wanted):
        return column.dictionary_encode()
    return column if wanted == column.type else column.cast(wanted)


@cache
def some(name: str, accelerated: bool) -> pa.Table:
    """The rows of the captures of a protocol; for the codec, which is slow, only some with values in every column."""
    whole = rows(name)
    valid = (column.is_valid().index(True).as_py() for column in whole.columns)
    chosen = {*range(0, len(whole), 1 if accelerated else often(7, 1)), *(row for row in valid if row >= 0)}
    return whole.take(sorted(chosen)).combine_chunks()


def given(table: pa.Table, retype: Retype) -> pa.Table:
    """The rows with other types."""
    return pa.table([retyped(column.combine_chunks(), retype) for column in table.columns], table.schema.names)


@cache
def expected(name: str, accelerated: bool) -> Any:
    """What the rows of a protocol are written as."""
    return written(name, some(name, accelerated))


def written(name: str, table: pa.Table) -> Any:
    """The records, or what is wrong with which row."""
    try:
        return MODULES[name].encode_records(table, **OPTIONS.get(name, {})).to_pylist()
    except EncodeError as error:
        return str(error), error.row


TEXT, OCTETS = pa.string(), pa.binary()


@accelerator.off_and_on
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize(
    "retype",
    [
        pytest.param(instead(TEXT, pa.dictionary(pa.int32(), TEXT)), id="dictionaries of texts"),
        pytest.param(instead(TEXT, pa.large_string()), id="large texts"),
        pytest.param(instead(TEXT, pa.string_view()), id="views of texts"),
        pytest.param(instead(OCTETS, pa.dictionary(pa.int32(), OCTETS)), id="dictionaries of bytes"),
        pytest.param(instead(OCTETS, pa.large_binary()), id="large bytes"),
        pytest.param(instead(OCTETS, pa.binary_view()), id="views of bytes"),
        pytest.param(large_list, id="large lists"),
    ],
)
def test_other_types_of_the_same_values(name: str, retype: Retype, accelerated: bool) -> None:
    other = given(some(name, accelerated), retype)
    assert other.schema != rows(name).schema
    assert written(name, other) == expected(name, accelerated)


@accelerator.off_and_on
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize(
    "retype",
    [
        pytest.param(instead(pa.int32(), pa.float64()), id="floats for whole numbers"),
        pytest.param(instead(pa.bool_(), pa.int8()), id="numbers for booleans"),
        pytest.param(instead(TEXT, OCTETS), id="bytes for texts"),
        pytest.param(naive, id="times without a zone"),
    ],
)
def test_types_of_other_values_are_left_to_the_codec(
    name: str, retype: Retype, accelerated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many rows there are."""
    other = given(some(name, accelerated), retype)
    found = written(name, other)
    monkeypatch.setattr(encoding, "MANY", len(other) + 1)
    assert found == written(name, other)


@accelerator.off_and_on
def test_columns_that_lead_out_of_their_memory_are_refused(accelerated: bool) -> None:
    """Nobody has checked the offsets of a file of Arrow's that was read."""
    record = databus.build({"message": "dbus_event", "dbus_event": EVENT})
    table = databus.decode_columnar(record * 400, byte_order="big")
    names = pa.array(["dbus_event"] * len(table))
    ends = np.frombuffer(names.buffers()[1], np.int32).copy()
    ends[10:200] += 1 << 30
    lying = pa.Array.from_buffers(TEXT, len(names), [None, pa.py_buffer(ends), names.buffers()[2]])
    refused = partial(pytest.raises, pa.ArrowInvalid, match="offsets that do not ascend")
    with refused():
        databus.encode_columnar(misleading(table, "dbus_event", "value"), byte_order="big")
    with refused():
        databus.encode_columnar(table.set_column(table.schema.get_field_index("message"), "message", lying))


@accelerator.off_and_on
def test_records_that_no_array_holds_together_are_laid_out_some_after_the_other(
    accelerated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = databus.build({"message": "dbus_event", "dbus_event": {**EVENT, "value": bytes(1000)}})
    table = databus.decode_columnar(record * 2000, byte_order="big")
    monkeypatch.setattr(encoding, "LARGEST", 700 * len(record))
    monkeypatch.delattr(encoding.Encoder, "_built")
    assert databus.encode_records(table, byte_order="big").to_pylist() == [record] * 2000
