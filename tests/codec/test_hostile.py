"""Bad input, through both protocols: every byte comes back, every reason says where, nothing else is ever raised."""

import re
import tracemalloc
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import vectors
from support.cases import each
from support.vectors import data_of

from codec.cuts import lengths
from wireloom.codec import DecodeError
from wireloom_protocols import couchbase_dcp, databus

PROTOCOLS = {"couchbase_dcp": couchbase_dcp, "databus": databus}
REASON = re.compile(r"(?P<code>[a-z0-9-]+): (?P<path>\S+) at byte (?P<offset>\d+): (?P<detail>.+)", re.DOTALL)
MEGABYTE = 1 << 20

protocols = pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)


def samples(protocol: ModuleType) -> dict[str, bytes]:
    """Good records of a protocol, by name."""
    if protocol is databus:
        rows = vectors.committed("databus/vectors.jsonl")
        return {row["id"]: data_of(row) for row in rows if row["kind"] == "event" and row["scan_event"] == "OK"}
    rows = vectors.committed("couchbase_dcp/frames.jsonl", "couchbase_dcp/seed_frames.jsonl")
    return {row["id"]: data_of(row) for row in rows}


SAMPLES = [
    pytest.param(protocol, data, id=f"{name}:{sample}")
    for name, protocol in PROTOCOLS.items()
    for sample, data in samples(protocol).items()
]
every_sample = each(("protocol", "data"), SAMPLES)


def permissive(protocol: ModuleType, data: bytes, **parameters: Any) -> list[Any]:
    """The rows of ``data`` in mode PERMISSIVE, of which this much always holds."""
    rows = list(protocol.iter_records(data, "PERMISSIVE", positions=True, **parameters))
    end = 0
    for row in rows:
        start, end, covered = row["_offset"], row["_offset"] + row["_length"], end
        assert start == covered
        assert protocol.build(row, **parameters) == data[start:end]
        if row["_corrupt_reason"] is None:
            assert row["_corrupt_record"] is None
            assert row[row["message"]] is not None
            continue
        assert row["_corrupt_record"] == data[start:end]
        assert all(row[message] is None for message in protocol.PROTOCOL.messages)
        reason = REASON.fullmatch(row["_corrupt_reason"])
        assert reason is not None, row["_corrupt_reason"]
        assert start <= int(reason["offset"]) <= end, row["_corrupt_reason"]
    assert end == len(data)
    return rows


def in_every_mode(protocol: ModuleType, data: bytes, **parameters: Any) -> list[Any]:
    """The rows in mode PERMISSIVE; the other modes must agree with them."""
    rows = permissive(protocol, data, **parameters)
    good = [row for row in rows if row["_corrupt_reason"] is None]
    assert list(protocol.iter_records(data, "DROPMALFORMED", positions=True, **parameters)) == good
    reason = next((row["_corrupt_reason"] for row in rows if row["_corrupt_reason"] is not None), None)
    if reason is None:
        assert list(protocol.iter_records(data, "FAILFAST", positions=True, **parameters)) == rows
    else:
        with pytest.raises(DecodeError) as raised:
            list(protocol.iter_records(data, "FAILFAST", **parameters))
        assert raised.value.reason == reason
    return rows


def refusal(protocol: ModuleType, data: bytes, **parameters: Any) -> str:
    """Why ``data``, one record, is malformed."""
    (row,) = in_every_mode(protocol, data, **parameters)
    assert row["_corrupt_reason"] is not None, "it is not"
    with pytest.raises(DecodeError) as raised:
        protocol.parse(data, **parameters)
    assert raised.value.reason == row["_corrupt_reason"]
    return str(row["_corrupt_reason"])


def patched(data: bytes, at: int, replacement: bytes) -> bytes:
    """``data`` with some of its bytes replaced."""
    return data[:at] + replacement + data[at + len(replacement) :]


# --- too short, too long, nothing


@pytest.mark.sweep
@every_sample
def test_a_record_truncated_at_any_length_is_one_malformed_row(protocol: ModuleType, data: bytes) -> None:
    for length in lengths(data):
        (row,) = permissive(protocol, data[:length])
        assert row["_corrupt_reason"].startswith("truncated: "), length


@every_sample
def test_a_truncated_record_cannot_be_parsed(protocol: ModuleType, data: bytes) -> None:
    for length in lengths(data, 0):
        with pytest.raises(DecodeError) as raised:
            protocol.parse(data[:length])
        assert raised.value.code == "truncated"


@every_sample
def test_records_before_a_truncated_one_are_kept(protocol: ModuleType, data: bytes) -> None:
    first, last = in_every_mode(protocol, data + data[:-1])
    assert first["_corrupt_reason"] is None
    assert last["_corrupt_reason"].startswith("truncated: ")


@every_sample
def test_bytes_behind_a_record_are_refused_by_parse(protocol: ModuleType, data: bytes) -> None:
    with pytest.raises(DecodeError) as raised:
        protocol.parse(data + b"\xff")
    assert raised.value.code == "trailing-bytes"
    assert raised.value.offset == len(data)


@protocols
def test_an_empty_input_has_no_rows(protocol: ModuleType) -> None:
    assert in_every_mode(protocol, b"") == []
    with pytest.raises(DecodeError, match="truncated: "):
        protocol.parse(b"")


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@protocols
def test_any_buffer_will_do(protocol: ModuleType, kind: Callable[[bytes], Any]) -> None:
    data = b"".join(samples(protocol).values()) + b"\xff"
    rows = list(protocol.iter_records(kind(data), "PERMISSIVE"))
    assert rows == list(protocol.iter_records(data, "PERMISSIVE"))
    for sample in samples(protocol).values():
        assert protocol.parse(kind(sample)) == protocol.parse(sample)


# --- lengths that contradict each other, hostile sizes

MARKER = samples(couchbase_dcp)["marker-v1"]
MARKER_WITH_STREAM = samples(couchbase_dcp)["marker-v1-sid"]
CREATED = samples(couchbase_dcp)["sysevt-create-coll-v1"]
FLATBUFFER = samples(couchbase_dcp)["sysevt-v2-modify-coll"]
LOG = samples(couchbase_dcp)["failover-rsp-1"]
ERROR = samples(couchbase_dcp)["failover-rsp-err-json"]
LONG_KEY = samples(databus)["v1.le.long.upsert"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(patched(MARKER, 4, b"\x15"), "truncated: snapshot_marker.extras at byte 24: ", id="extras"),
        pytest.param(patched(MARKER, 2, b"\x00\x01"), "truncated: snapshot_marker.key at byte 44: ", id="key"),
        pytest.param(patched(MARKER, 2, b"\xff\xff"), "truncated: snapshot_marker.key at byte 44: ", id="long key"),
        pytest.param(patched(MARKER_WITH_STREAM, 2, b"\xff"), "truncated: framing_extras at byte 24: ", id="framing"),
        pytest.param(patched(MARKER_WITH_STREAM, 24, b"\x25"), "overrun: ", id="frame info"),
        pytest.param(patched(MARKER_WITH_STREAM, 24, b"\x2f\xff"), "overrun: ", id="escaped frame info"),
        pytest.param(patched(CREATED, 4, b"\x0c"), "overrun: system_event.version at byte 36: ", id="short extras"),
    ],
)
def test_lengths_that_contradict_each_other(data: bytes, reason: str) -> None:
    assert refusal(couchbase_dcp, data).startswith(reason)


def peak_of(read: Callable[[], object]) -> int:
    """The memory that ``read`` needs at most, in bytes."""
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


HOSTILE_SIZES = {
    "body": (couchbase_dcp, patched(MARKER, 8, b"\xff\xff\xff\xe8"), "too-long"),
    "largest body": (couchbase_dcp, patched(MARKER, 8, b"\xff\xff\xff\xff"), "too-long"),
    "body within the bound": (couchbase_dcp, patched(MARKER, 8, b"\x03\xff\x00\x00"), "truncated"),
    "FlatBuffer text": (couchbase_dcp, patched(FLATBUFFER, -20, b"\xff\xff\xff\x7f"), "flatbuffers"),
    "negative length": (databus, patched(LONG_KEY, 5, b"\xff\xff\xff\xff"), "invalid"),
    "length": (databus, patched(LONG_KEY, 5, b"\xff\xff\xff\x7f"), "checksum"),
}


@pytest.mark.parametrize(("protocol", "data", "code"), HOSTILE_SIZES.values(), ids=HOSTILE_SIZES)
def test_hostile_sizes_cost_no_memory(protocol: ModuleType, data: bytes, code: str) -> None:
    parameters = {"byte_order": "little"} if protocol is databus else {}
    (row,) = in_every_mode(protocol, data, **parameters)
    assert row["_corrupt_reason"].startswith(f"{code}: ")
    assert peak_of(lambda: permissive(protocol, data, **parameters)) < MEGABYTE
    with pytest.raises(DecodeError):
        protocol.parse(data, **parameters)


def test_a_record_longer_than_the_bound_is_malformed() -> None:
    data = MARKER + CREATED + MARKER
    first, lost, last = couchbase_dcp.iter_records(data, "PERMISSIVE", max_record_bytes=len(MARKER))
    assert first["message"] == last["message"] == "snapshot_marker"
    assert lost["_corrupt_record"] == CREATED
    assert lost["_corrupt_reason"].startswith("too-long: record at byte 44: ")


def test_behind_an_event_longer_than_the_bound_the_next_is_read() -> None:
    long_event = databus.build({"dbus_event": dict(databus.parse(LONG_KEY)["dbus_event"]) | {"value": bytes(100)}})
    *pieces, event = databus.iter_records(long_event + LONG_KEY, "PERMISSIVE", max_record_bytes=len(LONG_KEY))
    assert event["message"] == "dbus_event"
    assert b"".join(row["_corrupt_record"] for row in pieces) == long_event
    assert all(row["_corrupt_reason"].startswith("too-long: record at byte 0: ") for row in pieces)


# --- what is wrong inside a record of the right length


def covered(data: bytes) -> Iterator[int]:
    """The bytes that a CRC of a V1 event covers, and the CRC of the header itself."""
    return iter(range(1, len(data)))


@pytest.mark.parametrize("name", ["v1.le.long.upsert", "v1.be.byte.empty_empty", "v1.le.value.b64_57"])
def test_a_change_of_any_covered_byte_fails_a_checksum(name: str) -> None:
    data = samples(databus)[name]
    order = databus.parse(data)["byte_order"]
    for at in covered(data):
        for bits in (0x01, 0x80, 0xFF):
            rows = permissive(databus, patched(data, at, bytes([data[at] ^ bits])), byte_order=order)
            # The length and the attributes say what the CRC is of: they may be unbelievable before it is computed.
            codes = ("checksum: ", "invalid: ", "truncated: ") if 5 <= at < 11 else ("checksum: ",)
            assert rows[0]["_corrupt_reason"].startswith(codes), (at, bits)


def test_a_wrong_checksum_of_the_value_names_it() -> None:
    reason = refusal(databus, patched(LONG_KEY, len(LONG_KEY) - 1, b"\x00"))
    assert reason.startswith("checksum: dbus_event.value_crc at byte 49: 0x")


@pytest.mark.parametrize("name", samples(databus))
def test_the_wrong_byte_order_is_malformed(name: str) -> None:
    data = samples(databus)[name]
    wrong = {"big": "little", "little": "big"}[databus.parse(data)["byte_order"]]
    refusal(databus, data, byte_order=wrong)


def frame(opcode: int, *, magic: int = 0x80, extras: bytes = b"", key: bytes = b"", value: bytes = b"") -> bytes:
    """A frame whose lengths are right, whatever is in it."""
    sizes = len(key).to_bytes(2, "big") + bytes([len(extras)])
    body = extras + key + value
    return bytes([magic, opcode]) + sizes + bytes(3) + len(body).to_bytes(4, "big") + bytes(12) + body


@pytest.mark.parametrize("size", [1, 7, 8, 15, 17, 31])
def test_a_failover_log_that_is_no_multiple_of_16_is_malformed(size: int) -> None:
    reason = refusal(couchbase_dcp, frame(0x54, magic=0x81, value=bytes(size)))
    whole = size // 16
    assert reason.startswith(f"truncated: failover_log_response.entries[{whole}].")


@pytest.mark.parametrize(
    ("data", "path"),
    [
        pytest.param(patched(CREATED, 37, b"\xff"), "system_event.key at byte 37", id="key"),
        pytest.param(patched(ERROR, 30, b"\xc0"), "failover_log_response.error at byte 24", id="error"),
        pytest.param(patched(FLATBUFFER, -8, b"\xff"), "system_event.collection.name at byte ", id="FlatBuffer"),
    ],
)
def test_text_that_cannot_be_decoded_is_malformed(data: bytes, path: str) -> None:
    assert refusal(couchbase_dcp, data).startswith(f"text: {path}")


@pytest.mark.parametrize("value", [0x00, 0x7F, 0xFF])
@pytest.mark.parametrize("name", [name for name in samples(couchbase_dcp) if name.startswith("sysevt-v2")])
def test_a_flatbuffer_with_any_byte_changed_never_reads_outside(name: str, value: int) -> None:
    data = samples(couchbase_dcp)[name]
    start = 24 + data[4] + int.from_bytes(data[2:4], "big")
    for at in range(start, len(data)):
        (row,) = permissive(couchbase_dcp, patched(data, at, bytes([value])))
        reason = row["_corrupt_reason"]
        assert reason is None or reason.startswith(("flatbuffers: system_event.", "text: system_event."))


@pytest.mark.parametrize("size", range(12))
def test_a_flatbuffer_too_short_for_a_table_is_malformed(size: int) -> None:
    extras = bytes(8) + b"\x00\x00\x00\x00\x02"
    assert refusal(couchbase_dcp, frame(0x5F, extras=extras, value=bytes(size))).startswith("flatbuffers: ")


def test_seqnos_beyond_a_signed_number_are_malformed() -> None:
    reason = refusal(couchbase_dcp, patched(MARKER, 24, b"\x80"))
    assert (
        reason == f"range: snapshot_marker.start_seqno at byte 24: {1 << 63} does not fit a long; "
        "read it with the option u64=decimal"
    )


def test_a_frame_with_an_illegal_magic_costs_no_other() -> None:
    rows = in_every_mode(couchbase_dcp, MARKER + patched(MARKER, 0, b"\x42") + MARKER)
    assert [row["_length"] for row in rows] == [len(MARKER)] * 3
    assert rows[2]["_corrupt_reason"] is None
    assert rows[1]["_corrupt_reason"].startswith(f"invalid: record at byte {len(MARKER)}: magic in ")


# --- anything at all


def damaged(protocol: ModuleType) -> st.SearchStrategy[bytes]:
    """Good records with bits flipped, bytes cut out and noise put in between."""
    records = st.sampled_from(sorted(samples(protocol).values(), key=len)[:12])
    noise = st.binary(max_size=40)

    @st.composite
    def draw(draw: st.DrawFn) -> bytes:
        data = bytearray(b"".join(draw(st.lists(st.one_of(records, noise), min_size=1, max_size=4))))
        for _ in range(draw(st.integers(0, 4)) if data else 0):
            at = draw(st.integers(0, len(data) - 1))
            data[at] ^= 1 << draw(st.integers(0, 7))
        start = draw(st.integers(0, len(data)))
        del data[start : start + draw(st.sampled_from([0, 0, 0, 1, 2, 30]))]
        return bytes(data)

    return draw()


@settings(derandomize=True)
@given(data=damaged(couchbase_dcp))
def test_damaged_frames_lose_no_byte(data: bytes) -> None:
    in_every_mode(couchbase_dcp, data)


@pytest.mark.parametrize("order", ["auto", "big", "little"])
@settings(derandomize=True)
@given(data=damaged(databus))
def test_damaged_events_lose_no_byte(data: bytes, order: str) -> None:
    in_every_mode(databus, data, byte_order=order)


@pytest.mark.parametrize("magic", sorted(couchbase_dcp.Magic))
@settings(derandomize=True)
@given(
    opcode=st.sampled_from([0x54, 0x56, 0x5F, 0x01]),
    sizes=st.tuples(st.integers(0, 2), st.integers(0, 24), st.integers(0, 24)),
    rest=st.binary(min_size=3, max_size=3),
    body=st.binary(max_size=60),
)
def test_frames_of_random_bytes_lose_no_byte(magic: int, opcode: int, sizes: Any, rest: bytes, body: bytes) -> None:
    head = bytes([magic, opcode, *sizes]) + rest + len(body).to_bytes(4, "big") + bytes(12)
    in_every_mode(couchbase_dcp, head + body)


def test_an_event_between_noise_is_found() -> None:
    rows = in_every_mode(databus, bytes(100) + LONG_KEY + b"\xff" * 100)
    assert [(row["_offset"], row["_length"]) for row in rows] == [(0, 100), (100, 68), (168, 100)]
