"""Rows as JSON objects: what stands there, that it comes back, and what is said when it cannot."""

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom.codec import Column, EncodeError, ListOf, StructOf
from wireloom.json_rows import json_reader, json_writer, row_reader
from wireloom.options import OptionError, Parameter, ReadOptions
from wireloom.views import View, without_labels
from wireloom_protocols import couchbase_dcp, databus

MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "cas": 2**64 - 1,
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 0x41},
    }
)
EVENT = databus.build(
    {
        "dbus_event": {
            "sequence": 5,
            "physical_partition_id": -1,
            "logical_partition_id": 2,
            "nano_timestamp": 3,
            "src_id": 10,
            "schema_id": bytes(16),
            "opcode": 2,
            "key_bytes": b"k\xff",
            "value": b"",
        }
    }
)


def through_json(columns: tuple[Column, ...], row: dict[str, Any]) -> dict[str, Any]:
    """The row written as JSON text and read again."""
    back: dict[str, Any] = json_reader(columns)(json.loads(json.dumps(json_writer(columns)(row), allow_nan=False)))
    return back


def test_all_columns_stand_in_order_nulls_included() -> None:
    written = json_writer(couchbase_dcp.PROTOCOL.columns)(couchbase_dcp.parse(MARKER))
    assert list(written) == [column.name for column in couchbase_dcp.PROTOCOL.columns]
    assert written["system_event"] is None


def test_u64_is_a_number() -> None:
    written = json_writer(couchbase_dcp.PROTOCOL.columns)(couchbase_dcp.parse(MARKER))
    assert json.loads(json.dumps(written))["cas"] == 2**64 - 1


def test_bytes_are_hex() -> None:
    written = json_writer(databus.PROTOCOL.columns)(databus.parse(EVENT))
    assert written["dbus_event"]["key_bytes"] == "6bff"
    assert written["dbus_event"]["value"] == ""


def test_numbers_and_their_labels_stand_side_by_side() -> None:
    written = json_writer(couchbase_dcp.PROTOCOL.columns)(couchbase_dcp.parse(MARKER))["snapshot_marker"]
    assert (written["snapshot_type"], written["snapshot_type_flags"]) == (0x41, ["Memory"])


@pytest.mark.parametrize(("protocol", "record"), [(couchbase_dcp, MARKER), (databus, EVENT)])
@pytest.mark.parametrize("options", [ReadOptions(), ReadOptions(labels=False), ReadOptions(positions=True)])
def test_json_of_a_record_builds_the_record(protocol: Any, record: bytes, options: ReadOptions) -> None:
    view = View(protocol.PROTOCOL, ReadOptions.of({}, protocol.PROTOCOL.parameters, ()))
    (row,) = view.rows(record, "some.bin")
    text = json.dumps(json_writer(View(protocol.PROTOCOL, options).columns)(row))
    assert protocol.build(row_reader(protocol.PROTOCOL)(json.loads(text))) == record


def test_a_row_of_one_message_has_its_fields_beside_the_header() -> None:
    view = View(couchbase_dcp.PROTOCOL, ReadOptions.of({"message": "snapshot_marker"}, (), ["snapshot_marker"]))
    names = [column.name for column in view.columns]
    assert names[:2] == ["message", "magic"]
    assert "start_seqno" in names
    assert "snapshot_marker" not in names
    assert names[-2:] == ["_corrupt_record", "_corrupt_reason"]


def test_a_row_of_one_message_builds_its_record() -> None:
    options = ReadOptions.of(
        {"message": "snapshot_marker"}, couchbase_dcp.PROTOCOL.parameters, couchbase_dcp.PROTOCOL.messages
    )
    view = View(couchbase_dcp.PROTOCOL, options)
    (row,) = view.rows(MARKER, "")
    written = json_writer(view.columns)(row)
    assert couchbase_dcp.build(row_reader(couchbase_dcp.PROTOCOL)(written)) == MARKER


def test_a_view_of_one_message_leaves_the_others_out_and_keeps_what_is_malformed() -> None:
    options = ReadOptions.of(
        {"message": "system_event"}, couchbase_dcp.PROTOCOL.parameters, couchbase_dcp.PROTOCOL.messages
    )
    (row,) = View(couchbase_dcp.PROTOCOL, options).rows(MARKER + b"\x80", "")
    assert row["_corrupt_record"] == b"\x80"


def test_a_malformed_row_is_its_bytes_whatever_else_it_has() -> None:
    read = row_reader(couchbase_dcp.PROTOCOL)
    row = read({"message": None, "start_seqno": None, "_corrupt_record": "dead", "_corrupt_reason": "because"})
    assert couchbase_dcp.build(row) == b"\xde\xad"


NESTED = (
    Column("number", "short"),
    Column("number_name", "string", label=True),
    Column("items", ListOf(StructOf((Column("flags", "int"), Column("flags_flags", ListOf("string"), label=True))))),
)


def test_without_labels_looks_into_structs_and_lists() -> None:
    assert without_labels(NESTED) == (
        Column("number", "short"),
        Column("items", ListOf(StructOf((Column("flags", "int"),)))),
    )


@pytest.mark.parametrize(
    ("value", "written"), [(math.inf, "Infinity"), (-math.inf, "-Infinity"), (math.nan, "NaN"), (1.5, 1.5)]
)
def test_json_has_words_for_numbers_that_it_lacks(value: float, written: object) -> None:
    assert json_writer((Column("x", "double"),))({"x": value}) == {"x": written}


BITS = st.integers(0, 2**64 - 1)


@given(BITS)
def test_every_double_comes_back_bit_for_bit(bits: int) -> None:
    data = bits.to_bytes(8, "big")
    back = through_json((Column("x", "double"),), {"x": struct.unpack(">d", data)[0]})
    assert struct.pack(">d", back["x"]) == data


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "long": st.integers(-(2**63), 2**63 - 1),
    "decimal(20,0)": st.integers(0, 2**64 - 1),
    "decimal(38,2)": st.decimals(-(10**20), 10**20, places=2),
    "double": st.floats(allow_nan=False),
    "string": st.text(),
    "binary": st.binary(),
}


def columns() -> st.SearchStrategy[tuple[Column, ...]]:
    """Columns of every type, nested."""
    kinds: st.SearchStrategy[Any] = st.recursive(
        st.sampled_from(sorted(VALUES)),
        lambda inner: st.one_of(
            inner.map(ListOf), st.lists(inner, max_size=3).map(lambda kinds: StructOf(named(kinds)))
        ),
        max_leaves=6,
    )
    return st.lists(kinds, min_size=1, max_size=4).map(named)


def named(kinds: list[Any]) -> tuple[Column, ...]:
    """Columns of these types."""
    return tuple(Column(f"c{number}", kind) for number, kind in enumerate(kinds))


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a column type."""
    match kind:
        case ListOf(element):
            return st.lists(values(element), max_size=3)
        case StructOf(inner):
            return st.fixed_dictionaries({column.name: values(column.type) for column in inner})
    return VALUES[kind]


@pytest.mark.sweep
@given(st.data())
def test_every_value_comes_back(data: st.DataObject) -> None:
    drawn = data.draw(columns())
    row = data.draw(values(StructOf(drawn)))
    assert through_json(drawn, row) == row


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([], "an object expected, not a list"),
        ({"cas": "1"}, "cas: a whole number expected, not '1'"),
        ({"cas": True}, "cas: a whole number expected, not true"),
        ({"cas": 1.0}, "cas: a whole number expected, not 1.0"),
        ({"message": 1}, "message: text expected, not 1"),
        ({"unknown": {"key": "0g"}}, "unknown.key: hex text expected, not '0g'"),
        ({"unknown": {"key": {}}}, "unknown.key: hex text expected, not an object"),
        ({"unknown": 1}, "unknown: an object expected, not 1"),
        (
            {"failover_log_response": {"entries": [{"vb_uuid": 1}, {"vb_uuid": []}]}},
            "failover_log_response.entries[1].vb_uuid: a whole number expected, not a list",
        ),
        (
            {"snapshot_marker": {"start_seq": 1}},
            "snapshot_marker.start_seq: unknown field 'start_seq'; did you mean 'start_seqno'?",
        ),
    ],
)
def test_a_field_that_cannot_be_read_is_named(found: object, message: str) -> None:
    with pytest.raises(EncodeError) as error:
        row_reader(couchbase_dcp.PROTOCOL)(found)
    assert str(error.value) == message


@pytest.mark.parametrize("value", ["nan", "NaN()", "NaN(0000000000000001", "1.0", True, [], {}])
def test_what_is_no_float_is_refused(value: object) -> None:
    with pytest.raises(EncodeError, match="x: "):
        json_reader((Column("x", "float"),))({"x": value})


PARAMETERS = (Parameter("byte_order", "auto", ("auto", "big")), Parameter("strict", default=False))


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"mod": "x"}, "unknown option 'mod'; did you mean 'mode'?"),
        ({"mode": "x"}, "mode must be one of PERMISSIVE, DROPMALFORMED, FAILFAST, not 'x'"),
        ({"labels": "perhaps"}, "labels must be true or false, not 'perhaps'"),
        ({"maxRecordBytes": "0"}, "maxRecordBytes must be a positive number of bytes, not '0'"),
        ({"message": "helo"}, "unknown message 'helo'; did you mean 'hello'?"),
        ({"strict": "maybe"}, "strict must be true or false, not 'maybe'"),
    ],
)
def test_an_option_that_cannot_be_is_named(given_options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        ReadOptions.of(given_options, PARAMETERS, ["hello"])
    assert str(error.value) == message


def test_options_are_known_in_any_case() -> None:
    options = ReadOptions.of({"maxrecordbytes": "10", "BYTE_ORDER": "big"}, PARAMETERS, [])
    assert (options.max_record_bytes, options.parameters) == (10, {"byte_order": "big", "strict": False})
