"""A capture that comes piece by piece falls into the same records as one that is there as a whole."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireloom.codec import Protocol
from wireloom.codec.cutting import Cut, Cutter, cuts
from wireloom.options import resolve
from wireloom_protocols import couchbase_dcp, databus

EVENT = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
EVENT |= {"nano_timestamp": 7, "schema_id": bytes(16), "key": 1, "value": b"\x00\x00\x00D payload"}
EVENTS = [
    databus.build({"message": "dbus_event", "byte_order": order, "version": 0, "dbus_event": EVENT})
    for order in ("big", "little")
]
FRAMES = [bytes.fromhex("80560000140000000000001400000000000000000000000000000000000000000000000800000001")]

Told = tuple[int, int, bool, bool, str | None]


def told(record: Cut, base: int) -> Told:
    reason = record.error.reason if record.error else None
    return base + record.offset, record.length, record.little, record.proven, reason


def in_pieces(protocol: Protocol, capture: bytes, sizes: list[int], bound: int) -> Iterator[Told]:
    cutter = Cutter(protocol.framing, resolve(protocol.parameters, {}), bound)
    base, held, arrived = 0, b"", 0
    steps = iter(sizes)
    while arrived < len(capture) or held:
        size = next(steps, len(capture))
        held += capture[arrived : arrived + size]
        arrived = min(len(capture), arrived + size)
        start = 0
        while start < len(held):
            final = arrived == len(capture)
            record = cutter.cut(held, start, len(held), base=base, final=final)
            if record is None:
                assert not final
                break
            yield told(record, base)
            start += record.length
        base, held = base + start, held[start:]


@st.composite
def captures(draw: st.DrawFn, records: list[bytes]) -> bytes:
    parts = draw(st.lists(st.sampled_from(records) | st.binary(max_size=40), max_size=6))
    capture = bytearray(b"".join(parts))
    for _ in range(draw(st.integers(0, 2)) if capture else 0):
        capture[draw(st.integers(0, len(capture) - 1))] = draw(st.integers(0, 255))
    return bytes(capture)


@pytest.mark.parametrize(
    ("protocol", "records"),
    [(databus.PROTOCOL, [*EVENTS, EVENTS[0][:-3]]), (couchbase_dcp.PROTOCOL, FRAMES)],
    ids=["databus", "couchbase_dcp"],
)
@given(data=st.data(), sizes=st.lists(st.integers(1, 90), max_size=12), bound=st.sampled_from([40, 1 << 26]))
def test_pieces_of_any_size_give_the_same_records(
    protocol: Protocol, records: list[bytes], data: st.DataObject, sizes: list[int], bound: int
) -> None:
    capture = data.draw(captures(records))
    whole = cuts(protocol.framing, capture, resolve(protocol.parameters, {}), max_record_bytes=bound)
    assert list(in_pieces(protocol, capture, sizes, bound)) == [told(record, 0) for record in whole]


def test_a_byte_order_that_more_bytes_could_prove_is_not_ruled_out() -> None:
    values = EVENT | {"attributes": 0xFFF7, "key": 0, "value": b""}  # in big order those of a shorter header
    event = databus.build({"message": "dbus_event", "byte_order": "little", "version": 0, "dbus_event": values})
    whole = (0, len(event), True, True, None)
    assert list(in_pieces(databus.PROTOCOL, event, [57, 1, 1], 1 << 26)) == [whole]
