"""Numbers with names: what stands in the label columns, and what becomes of names that stand for nothing."""

import pickle
from enum import IntFlag
from typing import Any

import pytest
from support import compiled
from support.compiled import feature

from wireloom.codec import EncodeError
from wireloom.codec.labels import FLAG_SETS_LIMIT
from wireloom.columnar.tables import Table
from wireloom_protocols import couchbase_dcp, databus

MARKER = {"start_seqno": 0, "end_seqno": 8}


def marker(**values: Any) -> Any:
    """A V1 marker with these values, written and read."""
    return couchbase_dcp.parse(couchbase_dcp.build({"snapshot_marker": MARKER | values}))["snapshot_marker"]


def event(**values: Any) -> Any:
    """An event with these values, written and read."""
    others = {"sequence": 5, "physical_partition_id": 3, "logical_partition_id": 2, "nano_timestamp": 1, "src_id": 15}
    fields = others | {"schema_id": bytes(16), "key": 1, "value": b""} | values
    return databus.parse(databus.build({"dbus_event": fields}))["dbus_event"]


def test_flags_are_named_in_the_order_of_the_spec() -> None:
    row = marker(snapshot_type=0x26)
    assert row["snapshot_type"] is couchbase_dcp.SnapshotType(0x26)
    assert row["snapshot_type_flags"] == ["Disk", "Checkpoint", "MayContainDuplicates"]


def test_bits_without_a_name_survive() -> None:
    row = marker(snapshot_type=0x8000_0041)
    assert (row["snapshot_type"], row["snapshot_type_flags"]) == (0x8000_0041, ["Memory"])


@pytest.mark.parametrize(
    ("number", "label"),
    [(7, "DATA"), (0, "ZERO"), (-2, "EOPMarkerSrcId"), (-7, "ERROR"), (-4, "PRIVATE_RANGE_MAX_ERROR_SRCID"),
     (-1, "GLOBAL_SYSTEM"), (-20000, "PRIVATE_RANGE_MAX_SRCID"), (-20004, "PRIVATE_SYSTEM")],
)  # fmt: skip
def test_ranges_of_numbers_share_a_label(number: int, label: str) -> None:
    assert event(src_id=number)["src_id_name"] == label


def test_a_label_is_enough_to_write_its_number() -> None:
    assert marker(snapshot_type_flags=["Disk", "Checkpoint"])["snapshot_type"] == 0x06
    assert marker(snapshot_type_flags=["Disk", "Disk"])["snapshot_type"] == 0x02
    assert event(opcode_name="DELETE")["attributes"] == 0x0002


def test_the_number_decides_where_a_label_contradicts_it() -> None:
    assert marker(snapshot_type=1, snapshot_type_flags=["Disk"])["snapshot_type_flags"] == ["Memory"]


@pytest.mark.parametrize("labels", [["Nonsense"], ["Disk", None], "Disk", 2])
def test_flags_that_are_none_are_refused(labels: Any) -> None:
    with pytest.raises(EncodeError, match="snapshot_type_flags: "):
        marker(snapshot_type_flags=labels)


@pytest.mark.parametrize(
    "values", [{"opcode_name": "Nonsense"}, {"opcode_name": 1}, {"src_id": None, "src_id_name": "DATA"}]
)
def test_a_name_of_no_single_number_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(EncodeError, match="names no single number of "):
        event(**values)


def test_hostile_combinations_of_flags_are_not_remembered_for_ever() -> None:
    flags: type[IntFlag] = couchbase_dcp.SnapshotType
    frame = couchbase_dcp.build({"snapshot_marker": MARKER | {"snapshot_type": 0}})
    for bits in range(FLAG_SETS_LIMIT + 100):
        row = couchbase_dcp.parse(frame[:-4] + (bits << 8 | 0x02).to_bytes(4, "big"))["snapshot_marker"]
        assert (row["snapshot_type"], row["snapshot_type_flags"]) == (bits << 8 | 0x02, ["Disk"])
    assert len(flags._value2member_map_) < FLAG_SETS_LIMIT + 50  # those that other tests made among them


def test_a_label_is_the_words_of_the_document_and_the_name_is_of_python() -> None:
    found = feature("labels").codec
    enums = type(found.parse(bytes(7))["report"]["first"])
    assert enums.label(0) == "GPS L1CA"
    assert (enums["GPS_L1CA"], enums(0).name, pickle.loads(pickle.dumps(enums.GPS_L1CA))) == (0, "GPS_L1CA", 0)
    values = {"first": 1, "second_name": "GPS L1CA", "third_name": "None", "spare": 0, "fourth_name": "Galileo"}
    row = found.build({"report": values | {"warnings_flags": ["too hot: > 80 °C", "Dark"], "bare": 9}})
    assert row.hex(" ") == "01 00 03 81 00 02 09"


@pytest.mark.parametrize("label", ["GPS_L1CA", "Für Privates", "", None])
def test_what_is_no_label_names_no_number(label: Any) -> None:
    values = {"first": 1, "second": 0, "third": 0, "warnings": 0, "spare": 0, "fourth": 0, "bare": 0}
    with pytest.raises(EncodeError, match="first"):
        feature("labels").codec.build({"report": values | {"first": None, "first_name": label}})


def test_a_label_of_two_numbers_names_neither() -> None:
    text = compiled.FEATURES["labels"].read_text(encoding="utf-8").partition("examples:")[0]
    found = compiled.of(text.replace("label: GPS L1CA", "label: Galileo")).codec
    zeros = {"second": 0, "third": 0, "warnings": 0, "spare": 0, "fourth": 0, "bare": 0}
    assert found.parse(bytes([2, 0, 0, 0, 0, 0, 0]))["report"]["second_name"] == "Galileo"
    with pytest.raises(EncodeError, match="'Galileo' names no single number of Signal"):
        found.build({"report": zeros | {"first_name": "Galileo"}})


def test_a_complement_of_flags_is_that_of_their_number() -> None:
    found = compiled.of("""\
protocol: complement
byte_order: big
flags: [{name: Bits, values: [{name: A, value: 1}, {name: C, value: 4}]}]
record:
  length: 1
  fields: [{section: body, size: rest}]
---
message: all
match: {}
sections:
  body:
    - {name: bits, type: u8, flags: Bits}
    - {name: others, type: u8, compute: ~bits & 0xff}
    - {name: below, type: i16, compute: ~bits}
""")
    for number in (0, 1, 5, 8, 255):
        row = found.codec.parse(bytes([number]))["all"]
        assert (row["others"], row["below"]) == (255 - number, -1 - number)
        assert found.codec.build({"all": row}) == bytes([number])
        many = Table(found.codec, {}).decode_columnar(bytes([number]) * 100).to_pylist()[-1]["all"]
        assert (many["others"], many["below"]) == (255 - number, -1 - number)
