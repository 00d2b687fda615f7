"""Records in the values of a binary column: what the codec gives for each value alone."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import accelerator

from wireloom import columnar
from wireloom.codec import DecodeError
from wireloom.columnar import cells
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.execution.fused_scan import FusedScan
from wireloom.options import ReadOptions
from wireloom.views import View
from wireloom_protocols import couchbase_dcp, databus

MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)
UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})
EVENT = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
EVENT |= {"nano_timestamp": 7, "schema_id": bytes(16), "key": 1, "value": b"payload"}
EVENTS = [
    databus.build({"message": "dbus_event", "byte_order": order, "version": 0, "dbus_event": EVENT})
    for order in ("big", "little")
]


def decoder(protocol: Any, **options: object) -> Decoder:
    chosen = ReadOptions.of(options, protocol.PROTOCOL.parameters, protocol.PROTOCOL.messages)
    schema = columnar.arrow_schema(View(protocol.PROTOCOL, chosen).columns)
    return Decoder(protocol.PROTOCOL, chosen, schema)


def rows(found: Decoder, value: bytes) -> list[dict[str, Any]]:
    return columnar.table(found.view.rows(value, ""), found.schema).to_pylist()


def single(found: Decoder, value: bytes) -> dict[str, Any] | None:
    row = found.protocol.cell(value, dict(found.options.parameters), found.options.mode, found.options.only)
    made = columnar.table(found.view.of([row], "") if row else [], found.schema).to_pylist()
    return made[0] if made else None


def values(records: list[bytes]) -> st.SearchStrategy[list[bytes | None]]:
    pieces = st.sampled_from(records) | st.binary(max_size=30) | st.sampled_from(records).map(lambda r: r[:-1])
    return st.lists(st.none() | st.lists(pieces, max_size=4).map(b"".join), max_size=6)


@pytest.mark.sweep
@pytest.mark.parametrize("message", [None, "first"])
@pytest.mark.parametrize(
    ("protocol", "records"), [(couchbase_dcp, [MARKER, UNKNOWN]), (databus, EVENTS)], ids=["couchbase_dcp", "databus"]
)
@given(data=st.data())
def test_values_are_decoded_as_the_codec_decodes_each(
    protocol: Any, records: list[bytes], message: str | None, data: st.DataObject
) -> None:
    chosen = {} if message is None else {"message": next(iter(protocol.PROTOCOL.messages))}
    found = decoder(protocol, **chosen)
    given_values = data.draw(values(records))
    column = pa.array([b"before", *given_values], pa.binary())[1:]
    expected = [None if v is None else rows(found, v) for v in given_values]
    for beside in (0, 1, 32):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cells, "_BESIDE", beside)
            assert cells.many(found, column).to_pylist() == expected
    assert cells.one(found, column).to_pylist() == [None if v is None else single(found, v) for v in given_values]


MARKERS = [MARKER[:12] + bytes([number, 0, 0, 0]) + MARKER[16:] for number in range(30)]


@accelerator.on
@pytest.mark.parametrize(
    ("given_values", "passes"),
    [
        pytest.param(MARKERS, True, id="alike"),
        pytest.param([None, *MARKERS[:7], None, None, *MARKERS[7:], None], True, id="nulls"),
        pytest.param([*MARKERS[:9], b"", *MARKERS[9:]], False, id="an empty one"),
        pytest.param([*MARKERS[:9], UNKNOWN, *MARKERS[9:]], False, id="another message"),
        pytest.param([*MARKERS[:9], MARKER + MARKER[:30], MARKER[30:], *MARKERS[9:]], False, id="cut elsewhere"),
        pytest.param([*MARKERS[:9], MARKER + MARKER, *MARKERS[9:]], False, id="two in one"),
        pytest.param([*MARKERS, MARKER[:-1]], False, id="cut off"),
        pytest.param([*MARKERS, MARKER[:8] + b"\0\0\0\x15" + MARKER[12:]], False, id="too long"),
    ],
)
def test_values_that_are_alike_are_decoded_in_one_pass(
    given_values: list[bytes | None], passes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, every = [], FusedScan.every

    def noted(self: FusedScan, *given: Any) -> Any:
        passed = every(self, *given)
        taken.append(passed is not None)
        return passed

    monkeypatch.setattr(FusedScan, "every", noted)
    accelerator.pay(monkeypatch, 0)
    column = pa.array([b"before", *given_values], pa.binary())[1:]
    for message in (None, "snapshot_marker"):
        found = decoder(couchbase_dcp, **({"message": message} if message else {}))
        cells.one(found, pa.array(MARKERS))  # which tells what is to be expected
        taken.clear()
        assert cells.one(found, column).to_pylist() == [None if v is None else single(found, v) for v in given_values]
        assert taken == [passes]


@accelerator.on
def test_values_that_stand_in_no_order_are_decoded_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, 0)
    found, start = decoder(couchbase_dcp), np.arange(0, len(MARKER) * 30, len(MARKER))[::-1].copy()
    for _ in range(2):
        made = cells.one_between(found, b"".join(MARKERS), start, start + len(MARKER))
        assert made.to_pylist() == [single(found, value) for value in reversed(MARKERS)]


def test_a_column_without_values_may_have_no_offsets() -> None:
    nothing = pa.Array.from_buffers(pa.binary(), 0, [None, pa.py_buffer(b""), pa.py_buffer(b"")])
    assert cells.one(decoder(couchbase_dcp), nothing).to_pylist() == []
    assert cells.many(decoder(couchbase_dcp), nothing).to_pylist() == []


def test_no_value_is_of_the_message() -> None:
    found = decoder(couchbase_dcp, message=next(iter(couchbase_dcp.PROTOCOL.messages)))
    assert single(found, MARKER + MARKER) is None
    assert cells.one(found, pa.array([MARKER + MARKER])).to_pylist() == [None]


def test_the_first_malformed_value_is_told() -> None:
    column = pa.array([UNKNOWN, UNKNOWN[:-1], MARKER[:-1]])
    with pytest.raises(DecodeError, match="a record of 24 bytes, 23 left"):
        cells.one(decoder(couchbase_dcp, mode="FAILFAST"), column)


def test_malformed_records_are_left_out_of_lists() -> None:
    found = decoder(couchbase_dcp, mode="DROPMALFORMED", columns="message")
    assert cells.many(found, pa.array([UNKNOWN + MARKER[:-1]])).to_pylist() == [[{"message": "unknown"}]]


def test_a_value_may_hold_more_records_than_are_followed_at_once() -> None:
    found = decoder(couchbase_dcp, columns="opaque")
    (records,) = cells.many(found, pa.array([UNKNOWN * 10_000])).to_pylist()
    assert len(records) == 10_000
