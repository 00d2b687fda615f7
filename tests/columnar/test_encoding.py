"""Tables are written to the bytes that the codec makes of each row, or refused for the same reason."""

from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import accelerator, compiled
from support.cases import each
from support.lockstep import Pair, records_alike, rows_alike

from columnar.tables_to_encode import MODULES, OPTIONS, captures, change, rows
from wireloom.buffers import Growing
from wireloom.codec import EncodeError
from wireloom.codec.captures import CaptureBuilder
from wireloom.columnar import encoding
from wireloom.columnar.encoding import Encoder, gathered
from wireloom.columnar.tables import Table
from wireloom_protocols import couchbase_dcp, databus, memcached


@cache
def plain(name: str) -> list[dict[str, Any]]:
    """The same in Python, which is to be copied where it is changed."""
    return rows(name).to_pylist()


@each("name", MODULES)
def test_what_is_decoded_is_encoded_to_the_same_bytes(name: str) -> None:
    for capture in captures(name):
        table = MODULES[name].decode_columnar(capture, mode="PERMISSIVE")
        assert MODULES[name].encode_columnar(table).to_pybytes() == capture


@each("name", MODULES)
def test_few_rows_are_left_to_the_codec(name: str) -> None:
    sound = rows(name).filter(rows(name)["_corrupt_reason"].is_null())
    counted = Counting(MODULES[name].PROTOCOL, OPTIONS.get(name, {}))
    for batch in sound.to_batches():
        counted.encode(batch)
    assert counted.built < len(sound) / 10


@pytest.mark.parametrize("before", [0, 9, 300])
def test_rows_are_built_one_by_one_up_to_those_that_tell(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to a handshake says how keys are written in the rows behind it, of which the first ends the search."""
    monkeypatch.setattr(encoding, "MANY", 200)
    features = {"variant": "success", "features": [{"feature": 0x12}]}
    hello = {"message": "hello_response", "magic": 0x81, "status": 0, "hello_response": features}
    document = {"by_seqno": 1, "rev_seqno": 2, "flags": 0, "expiration": 0, "lock_time": 0, "nru": 0, "body": b"{}"}
    mutation = {"message": "mutation", "mutation": {**document, "collection_id": 9, "document_key": "key"}}
    noop: dict[str, Any] = {"message": "dcp_noop", "dcp_noop": {}}
    records = [*map(CaptureBuilder(couchbase_dcp.PROTOCOL, {}).build, [*[noop] * before, hello, *[mutation] * 400])]
    (given,) = couchbase_dcp.decode_columnar(b"".join(records)).combine_chunks().to_batches()
    counted = Counting(couchbase_dcp.PROTOCOL, {})
    assert counted.encode(given).to_pylist() == records
    assert counted.built == (before if before < encoding.MANY else 0) + 2


def test_batches_are_put_together_that_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = (
        next(couchbase_dcp.to_batches([{"message": "dcp_noop", "dcp_noop": {}}] * count)) for count in (3, 100)
    )
    monkeypatch.setattr(encoding, "_COPIED", 1000)
    first, alone, last = gathered(couchbase_dcp.PROTOCOL, [small, small, large, small])
    assert (len(first), len(last)) == (6, 3)
    assert alone is large


class Counting(Encoder):
    built = 0

    def _built(self, batch: pa.RecordBatch, rows: Any) -> pa.Array:
        self.built += len(rows)
        return super()._built(batch, rows)


@pytest.mark.sweep
@given(name=st.sampled_from(sorted(MODULES)), seed=st.integers(0, 2**32))
def test_changed_rows_are_written_or_refused_as_by_the_codec(name: str, seed: int) -> None:
    """Values that are missing, of other rows, or at the bounds of their columns."""
    chance, table = Random(seed), rows(name)
    message = chance.choice([each for each in table["message"].to_pylist() if each])
    found = deepcopy([row for row in plain(name) if row["message"] == message] * 2)
    for _ in range(chance.randint(1, 4)):
        change(chance, found)
    changed = pa.Table.from_pylist(found, table.schema)
    rows_alike(Pair.of(MODULES[name]), changed, **OPTIONS.get(name, {}))
    for place in range(min(5, len(changed))):
        rows_alike(Pair.of(MODULES[name]), changed.slice(place, 1), **OPTIONS.get(name, {}))


MARKER = {"start_seqno": 0, "end_seqno": 8, "snapshot_type": 1}
ROW = {"message": "snapshot_marker", "snapshot_marker": MARKER}


@pytest.mark.parametrize(
    "table",
    [
        pa.Table.from_pylist([ROW, ROW | {"dcp_noop": {"trailing_extras": b""}}]),
        pa.Table.from_pylist([ROW, ROW | {"strange": 1}]),
        pa.Table.from_pylist([ROW | {"snapshot_marker": MARKER | {"strange": None}}] * 2),
        pa.Table.from_pylist([ROW | {"frame_infos": [{"strange": None}]}] * 2),
        pa.Table.from_pylist([ROW, ROW | {"message": "dcp_noop"}]),
        pa.Table.from_pylist([ROW | {"snapshot_marker": 5}] * 2),
        pa.Table.from_pylist([ROW, {"snapshot_marker": MARKER}]),
    ],
    ids=["another message", "a column", "a field", "a field of items", "a message without", "no struct", "no name"],
)
def test_what_is_strange_is_the_codecs_affair(table: pa.Table) -> None:
    rows_alike(Pair.of(couchbase_dcp), table, collections=True)


@pytest.mark.parametrize("order", ["auto", "strange", "little", None])
def test_byte_orders_are_those_of_rows(order: str | None) -> None:
    event = {"src_id": -2, "sequence": 1, "nano_timestamp": 2, "physical_partition_id": 3, "schema_id": bytes(16)}
    row = {"message": "dbus_event", "dbus_event": {**event, "key": 0, "value": b""}}
    table = pa.Table.from_batches(databus.to_batches([row | {"byte_order": "big"}, row | {"byte_order": order}]))
    rows_alike(Pair.of(databus), table)
    rows_alike(Pair.of(databus), table, byte_order="little")


HEAD = """\
protocol: ours
byte_order: big
record:
  length: length
  fields:
    - {name: length, type: u8, derive: size(record)}
"""
BODY = """\
    - {section: body, size: rest}
---
message: one
match: {}
sections:
  body:
"""
ALTERNATIVES = (
    f"{HEAD}{BODY}"
    """\
    - {name: kind, type: u8}
    - choice:
        - when: kind == 1
          fields: [{name: number, type: u16, default: 0}]
        - fields: [{name: number, type: u16}]
"""
)


@accelerator.off_and_on
@pytest.mark.parametrize("last", [{"kind": 2, "number": None}, {"kind": 2}, {"kind": 1}, {"kind": 2, "number": 4}])
def test_a_value_is_filled_in_only_where_it_may_be(last: dict[str, Any], accelerated: bool) -> None:
    codec = compiled.of(ALTERNATIVES).codec
    for others in ([{"kind": 1}, {"kind": 1, "number": 3}, {"kind": 2, "number": 0}], [{"kind": 1}]):
        found = [{"message": "one", "one": each} for each in (*others, last)]
        rows_alike(Pair(codec), pa.Table.from_pylist(found, Table(codec, {}).schema))


@accelerator.off_and_on
@pytest.mark.parametrize("given", [None, 1, 7])
@pytest.mark.parametrize(
    "field",
    [
        "name: some, type: f32, default: 1",
        "name: some, type: f64, default: 2.5",
        "name: some, type: u64, default: 3",
        "name: some, type: u64, derive: less - 5",
        "name: some, type: u64, derive: 0 - 1",
        "name: some, type: i64, derive: 5 - less",
    ],
)
def test_what_is_filled_in_is_of_its_type(field: str, given: int | None, accelerated: bool) -> None:
    fields = f"    - {{name: less, type: u8}}\n    - {{{field}}}\n"
    pair = Pair.of(compiled.of(f"{HEAD}{fields}{BODY}    - {{name: last, type: u8}}\n").columnar)
    schema = Table(pair.codec, {}).schema
    rows = [{"message": "one", "less": less, "one": {"last": 0}} for less in (3, 9, 5)]
    if given is not None:
        rows[1]["some"] = float(given) if pa.types.is_floating(schema.field("some").type) else given
    rows_alike(pair, pa.Table.from_pylist(rows, schema))
    rows_alike(pair, pa.Table.from_pylist(rows[1:], schema))
    numbers = (bytes(8), b"\xff" * 7 + b"\xfe")
    records_alike(pair, [bytes([11, less, *number, 0]) for less in (3, 9) for number in numbers])


DERIVED = (
    f"{HEAD}{BODY}"
    """\
    - {name: kind, type: u8}
variants:
  - name: first
    when: kind == 0
    sections: {body: [{name: number, type: u8, derive: kind + 1}, {name: data, type: bytes, prefix: u8}]}
  - name: second
    when: kind == 1
    sections: {body: [{name: data, type: bytes, prefix: u16}, {name: number, type: u16, derive: size(data)}]}
"""
)


@accelerator.on
@pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")
def test_variants_may_derive_a_number_of_one_name_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    codec = compiled.of(DERIVED).codec
    rows = [{"message": "one", "one": {"kind": kind, "data": bytes(size)}} for size in range(5) for kind in (0, 1)]
    records = [*map(codec.build, rows)]
    monkeypatch.setattr(Encoder, "_built", None)
    for row in rows:
        row["one"]["variant"] = ("first", "second")[row["one"]["kind"]]
    table = pa.Table.from_pylist(rows, Table(codec, {}).schema)
    assert Table(codec, {}).encode_records(table).to_pylist() == records


SEALED = (
    f"{HEAD}{BODY}"
    """\
    - {name: inner, type: u32, checksum: {algorithm: crc32, from: 9, to: size(record)}}
    - {name: outer, type: u32, checksum: {algorithm: crc32, from: BEGIN, to: END}}
    - {name: octets, type: bytes, size: rest}
"""
)


@accelerator.off_and_on
@pytest.mark.parametrize(("begin", "end"), [("1", "5"), ("9", "size(record)"), ("5 if length > 12 else 1", "5")])
def test_a_checksum_may_be_over_another(begin: str, end: str, accelerated: bool) -> None:
    """Also over one in front of it, which is written later."""
    codec = compiled.of(SEALED.replace("BEGIN", begin).replace("END", end)).codec
    found = [{"message": "one", "one": {"octets": bytes(range(size))}} for size in (0, 3, 4, 9)]
    rows_alike(Pair(codec), pa.Table.from_pylist(found, Table(codec, {}).schema))


def test_what_follows_from_the_rest_may_be_missing() -> None:
    table = rows("couchbase_dcp")
    table = table.filter(
        pa.compute.and_(table["_corrupt_reason"].is_null(), pa.compute.equal(table["message"], "mutation"))
    )
    expected = couchbase_dcp.encode_records(table, collections=True)
    left_out = [name for name in table.schema.names if name.endswith(("_length", "_name", "_flags"))]
    assert {"total_body_length", "key_length", "extras_length"} <= {*left_out}
    assert couchbase_dcp.encode_records(table.drop_columns(left_out), collections=True) == expected


@accelerator.off_and_on
def test_checksums_may_be_missing(accelerated: bool) -> None:
    """Also the one that proves a record, which decoding checks only once."""
    table = rows("databus")
    table = table.filter(table["_corrupt_reason"].is_null())
    found = table.to_pylist()
    for row in found:
        row[row["message"]] |= dict.fromkeys({"header_crc", "value_crc", "body_crc"} & row[row["message"]].keys())
    counted = Counting(databus.PROTOCOL, {})
    (batch,) = pa.Table.from_pylist(found, table.schema).to_batches()
    assert counted.encode(batch).to_pylist() == databus.encode_records(table).to_pylist()
    assert counted.built == 0


def test_the_error_says_which_row_it_is() -> None:
    wrong = ROW | {"snapshot_marker": MARKER | {"start_seqno": None}}
    table = pa.Table.from_batches(couchbase_dcp.to_batches([ROW, ROW, wrong]))
    with pytest.raises(EncodeError) as raised:
        couchbase_dcp.encode_columnar(table, collections=False)
    assert str(raised.value) == "snapshot_marker.start_seqno: missing"
    assert raised.value.row == 2


def test_a_reader_of_batches_is_written_too() -> None:
    capture = next(captures("memcached"))
    table = memcached.decode_columnar(capture, mode="PERMISSIVE")
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))
    assert memcached.encode_columnar(reader).to_pybytes() == capture


def test_a_large_row_in_front_of_many_does_not_ask_for_all_memory() -> None:
    found, before = Growing(1 << 40), pa.total_allocated_bytes()
    for value in (bytes(1 << 20), b"ab"):
        found.add(pa.array([value], pa.binary()))
    whole = found.whole()
    assert whole.to_pybytes() == bytes(1 << 20) + b"ab"
    assert pa.total_allocated_bytes() - before < 2 << 20


@pytest.mark.parametrize("count", [2, 300])
def test_columns_are_told_apart_by_their_names(count: int) -> None:
    frame = bytes.fromhex("80 4a 0000 00 00 0000 00000000 00000000 0000000000000000")
    table = couchbase_dcp.decode_columnar(frame * count)
    twice = table.append_column("vbucket", table["vbucket"])
    with pytest.raises(EncodeError, match="vbucket: given twice") as error:
        couchbase_dcp.encode_columnar(twice)
    assert error.value.row == 0
