"""What must hold of a record as a whole: its lengths, and what it is if it has none of its message's variants."""

import struct
from collections.abc import Callable, Iterator

import pytest
from support import compiled
from support.lockstep import Pair, records_alike

from wireloom.codec import DecodeError, EncodeError
from wireloom.inspection import inspect_record
from wireloom_protocols import couchbase_dcp
from wireloom_protocols.couchbase_dcp import columnar

SYSTEM_EVENT, SNAPSHOT_MARKER, FAILOVER_LOG = 0x5F, 0x56, 0x54
STRUCTS = {(0, 0): 16, (0, 1): 20, (1, 0): 16, (3, 0): 12, (4, 0): 12}
"""The bytes of a system event's value, by event and version, where it is a struct."""


def frame(opcode: int, extras: bytes = b"", key: int = 0, value: int = 0, *, status: int | None = None) -> bytes:
    """A request, or with a status a response, whose value is zeros."""
    magic, body = 0x80 if status is None else 0x81, len(extras) + key + value
    head = struct.pack(">BBHBBHI", magic, opcode, key, len(extras), 0, status or 0, body)
    return head + bytes(12) + extras + b"k" * key + bytes(value)


def is_good(data: bytes) -> bool:
    try:
        couchbase_dcp.parse(data)
    except DecodeError:
        return False
    return True


def markers() -> Iterator[tuple[bytes, bool]]:
    """Snapshot markers with whether a server that knows V2.1, and V2.2 with 44 bytes too, takes their lengths.

    Versions to come are not for it to judge.
    """
    lengths = {0: (36,), 1: (44,), 2: (44, 52)}
    for key in (0, 1):
        for value in (0, 1, 35, 36, 37, 43, 44, 45, 51, 52, 53):
            for size in (0, 2, 19, 20, 21):
                yield frame(SNAPSHOT_MARKER, bytes(size), key, value), (size, key, value) == (20, 0, 0)
            for version in (0, 1, 2, 3, 255):
                good = key == 0 and value in lengths.get(version, (value,))
                yield frame(SNAPSHOT_MARKER, bytes([version]), key, value), good


def events() -> Iterator[tuple[bytes, bool]]:
    """System events with whether a server takes their lengths; what it does with events and versions to come aside."""
    for size in range(20):
        yield frame(SYSTEM_EVENT, bytes(size), 0, 16), size == 13
    for event in (0, 1, 2, 3, 4, 5, 6):
        for version in (0, 1, 3):
            for value in range(24):
                extras = struct.pack(">QIB", 1, event, version)
                yield frame(SYSTEM_EVENT, extras, 1, value), value == STRUCTS.get((event, version), value)


def requests() -> Iterator[tuple[bytes, bool]]:
    """Requests for a failover log with whether a server takes their lengths."""
    for size, key, value in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (4, 2, 16)):
        yield frame(FAILOVER_LOG, bytes(size), key, value), (size, key, value) == (0, 0, 0)


def responses() -> Iterator[tuple[bytes, bool]]:
    """Responses with whether a server writes such: without extras and key, and with nothing that says that all is well
    but the failover log itself."""
    for opcode in (SYSTEM_EVENT, SNAPSHOT_MARKER, FAILOVER_LOG):
        for size, key, value in ((0, 0, 0), (0, 0, 16), (0, 0, 17), (1, 0, 0), (0, 1, 0)):
            bare = (size, key) == (0, 0)
            yield frame(opcode, bytes(size), key, value, status=4), bare
            fits = value % 16 == 0 if opcode == FAILOVER_LOG else value == 0
            yield frame(opcode, bytes(size), key, value, status=0), bare and fits


@pytest.mark.parametrize("cases", [markers, events, requests, responses], ids=lambda cases: cases.__name__)
def test_lengths_are_those_that_a_server_takes(cases: Callable[[], Iterator[tuple[bytes, bool]]]) -> None:
    wrong = [data.hex() for data, good in cases() if is_good(data) is not good]
    assert wrong == []


@pytest.mark.parametrize("cases", [markers, events, requests, responses], ids=lambda cases: cases.__name__)
def test_many_at_once_are_judged_alike(cases: Callable[[], Iterator[tuple[bytes, bool]]]) -> None:
    records_alike(Pair.of(columnar), [data for data, _ in cases()])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            frame(FAILOVER_LOG, key=1),
            "failover_log_request.key at byte 24: size(extras) == 0 and size(key) == 0 and size(value) == 0 expected, "
            "found size(extras) 0, size(key) 1, size(value) 0",
        ),
        (
            frame(SNAPSHOT_MARKER, bytes(20), value=3),
            "snapshot_marker.value at byte 44: size(value) == 0 expected of v1, found size(value) 3",
        ),
        (
            frame(SNAPSHOT_MARKER, bytes(19)),
            "snapshot_marker.extras at byte 24: size(extras) == 1 expected where no variant is, found size(extras) 19",
        ),
    ],
)
def test_the_reason_names_what_was_expected_and_found(data: bytes, reason: str) -> None:
    with pytest.raises(DecodeError) as raised:
        couchbase_dcp.parse(data)
    assert raised.value.reason == f"invalid: {reason}"


def test_the_reason_names_what_the_variants_ask_where_one_must_be() -> None:
    codec = compiled.feature("variants_closed").codec
    with pytest.raises(DecodeError) as raised:
        codec.parse(bytes.fromhex("04026162"))
    assert raised.value.reason == "invalid: event at byte 0: one of its variants expected, found version 2"


def test_the_bytes_of_what_has_the_wrong_size_are_shown() -> None:
    shown = inspect_record(couchbase_dcp.PROTOCOL, frame(FAILOVER_LOG, bytes(0), key=3, value=2))
    assert [leaf.path for leaf in shown.leaves() if shown.is_bad(leaf)] == ["failover_log_request.trailing_key"]


def test_all_bytes_are_shown_where_it_is_no_size() -> None:
    codec = compiled.feature("variants_closed").codec
    shown = inspect_record(codec, bytes.fromhex("04026162"))
    assert all(shown.is_bad(leaf) for leaf in shown.leaves())


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"message": "failover_log_request", "failover_log_request": {"trailing_key": b"k"}},
            "failover_log_request.trailing_key: size.extras. == 0 and .* found size.extras. 0, size.key. 1",
        ),
        (
            {"snapshot_marker": {"variant": "v1", "start_seqno": 0, "end_seqno": 1, "snapshot_type": 1,
                                 "trailing_value": b"x"}},
            r"snapshot_marker.trailing_value: size\(value\) == 0 expected of v1, found size\(value\) 1",
        ),
        (
            {"snapshot_marker": {"trailing_extras": bytes(19)}},
            "none: snapshot_marker.trailing_extras: size.extras. == 1 expected where no variant is",
        ),
    ],
)  # fmt: skip
def test_what_would_be_malformed_is_not_written(row: dict[str, object], message: str) -> None:
    with pytest.raises(EncodeError, match=message):
        couchbase_dcp.build(row)


def test_a_version_to_come_can_be_written_again() -> None:
    data = frame(SNAPSHOT_MARKER, b"\x03", value=60)
    assert couchbase_dcp.build(couchbase_dcp.parse(data)) == data


PLACED = """\
protocol: placed
byte_order: big
record:
  length: 3
  fields: [{name: a, type: u8}, {name: b, type: u16}]
---
message: only
match: {}
valid: offset(b) + size(b) == a
"""


@pytest.mark.parametrize(("first", "good"), [(3, True), (2, False)])
def test_expressions_can_ask_where_any_field_stands(first: int, good: bool) -> None:
    protocol = compiled.of(PLACED).codec
    data = bytes([first, 0, 0])
    if good:
        assert protocol.build(protocol.parse(data)) == data
    else:
        with pytest.raises(DecodeError, match="found offset\\(b\\) 1, size\\(b\\) 2, a 2") as error:
            protocol.parse(data)
        assert error.value.offset == 1
