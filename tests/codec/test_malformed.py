"""What is told of a malformed record: its message and header wherever they could be read, and nothing that is made up.

That the columnar decoder says the same is held by the tests of lockstep.
"""

from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support import accelerator, compiled, vectors
from support.lockstep import Pair, alike_in_turn, capture_alike, captures_alike, rows_alike, tables_alike
from support.vectors import data_of

from codec.cuts import lengths
from wireloom.columnar import cells
from wireloom.columnar.decoder import RecordSpans
from wireloom.json_rows import json_writer, row_reader
from wireloom_protocols import couchbase_dcp, databus

FRAMES = {row["id"]: data_of(row) for row in vectors.committed("couchbase_dcp/frames.jsonl")}
EVENTS = {
    row["id"]: data_of(row)
    for row in vectors.committed("databus/vectors.jsonl")
    if row["kind"] == "event" and row["scan_event"] == "OK"
}
RECORDS = [
    *(pytest.param(couchbase_dcp, data, id=f"couchbase_dcp:{name}") for name, data in FRAMES.items()),
    *(pytest.param(databus, data, id=f"databus:{name}") for name, data in EVENTS.items()),
]
every_record = pytest.mark.parametrize(("protocol", "data"), RECORDS)


def outline(protocol: Any, row: Any) -> dict[str, Any]:
    """What is told of a record beside its message's fields."""
    return {name: row[name] for name in ("message", *(column.name for column in protocol.PROTOCOL.header))}


def permissive(protocol: Any, data: bytes, **options: Any) -> list[Any]:
    return list(protocol.iter_records(data, "PERMISSIVE", **options))


def head_size(protocol: Any, data: bytes) -> int:
    """Where the header ends: a frame's behind its framing extras, an event's behind the version."""
    if protocol is databus:
        return 1
    return 24 + (data[2] if data[0] in (0x08, 0x18) else 0)


@pytest.mark.sweep
@every_record
def test_a_record_that_is_cut_off_keeps_its_header(protocol: Any, data: bytes) -> None:
    whole = outline(protocol, protocol.parse(data))
    for length in lengths(data):
        (row,) = permissive(protocol, data[:length])
        proven = f"truncated: record at byte 0: a record of {len(data)} bytes, {length} left"
        told = row["_corrupt_reason"] == proven and length >= head_size(protocol, data)
        assert outline(protocol, row) == (whole if told else dict.fromkeys(whole)), length
        assert row["_corrupt_record"] == data[:length]


@every_record
def test_a_value_with_bytes_behind_the_record_keeps_its_header(protocol: Any, data: bytes) -> None:
    pair = Pair(protocol.PROTOCOL)
    decoding = pair.decoder(pair.options({"positions": False}))
    (row,) = cells.one(decoding, pa.array([data + b"\0"])).to_pylist()
    assert outline(protocol, row) == outline(protocol, protocol.parse(data))
    assert row["_corrupt_record"] == data + b"\0"


@pytest.mark.sweep
@every_record
def test_a_value_that_is_cut_off_is_told_as_a_capture_that_is(protocol: Any, data: bytes) -> None:
    pair = Pair(protocol.PROTOCOL)
    decoding = pair.decoder(pair.options({"positions": False}))
    pieces = [data[:length] for length in lengths(data)]
    found = cells.one(decoding, pa.array(pieces, pa.binary())).to_pylist()
    assert found == [permissive(protocol, piece)[0] for piece in pieces]


def test_a_frame_damaged_behind_its_header_keeps_it() -> None:
    random = Random(1)
    seen = 0
    for data in FRAMES.values():
        size = head_size(couchbase_dcp, data)
        whole = outline(couchbase_dcp, couchbase_dcp.parse(data))
        for _ in range(40):
            changed = bytearray(data)
            for _ in range(4):
                if size < len(data):
                    changed[random.randrange(size, len(data))] = random.randrange(256)
            (row,) = permissive(couchbase_dcp, bytes(changed))
            assert outline(couchbase_dcp, row) == whole
            seen += row["_corrupt_reason"] is not None
    assert seen > 20


def test_a_header_that_cannot_be_read_is_no_header() -> None:
    overrun = bytes.fromhex("085c 02 00 0000 0000 00000002 deadbeef 0000000000000000") + b"\x0f\x00"
    assert len(overrun) == 26  # the frame info says that it has 15 bytes
    (row,) = permissive(couchbase_dcp, overrun)
    assert row["_corrupt_reason"].startswith("truncated: frame_infos[0].body at byte 26")
    assert set(outline(couchbase_dcp, row).values()) == {None}


def test_a_length_that_is_not_proven_gives_no_header() -> None:
    event = bytearray(next(iter(EVENTS.values())))
    event[1] ^= 1  # the checksum of the header
    (row,) = permissive(databus, bytes(event))
    assert set(outline(databus, row).values()) == {None}


BROKEN_MARKER = bytes.fromhex("80560000 14000000 00000003 deadbeef 0000000000000000 000000")
CUT_NOOP = bytes.fromhex("805c0000 00000000 00000008 deadbeef 0000000000000000 000000")


@pytest.mark.parametrize("message", ["snapshot_marker", "system_event"])
def test_a_view_of_a_message_has_its_malformed_records_and_no_others(message: str) -> None:
    rows = permissive(couchbase_dcp, BROKEN_MARKER + CUT_NOOP, message=message)
    assert [row["message"] for row in rows] == (["snapshot_marker"] if message == "snapshot_marker" else [])
    capture_alike(Pair(couchbase_dcp.PROTOCOL), BROKEN_MARKER + CUT_NOOP, message=message)


def test_a_view_of_a_message_has_what_is_of_no_known_message() -> None:
    (row,) = permissive(couchbase_dcp, b"\x80\x56", message="system_event")
    assert row["message"] is None


def test_what_is_told_of_a_malformed_record_does_not_change_its_bytes() -> None:
    protocol = couchbase_dcp.PROTOCOL
    write, read = json_writer(protocol.columns), row_reader(protocol)
    for row in permissive(couchbase_dcp, BROKEN_MARKER + CUT_NOOP):
        assert row["message"] is not None
        assert couchbase_dcp.build(row) == row["_corrupt_record"]
        assert couchbase_dcp.build(read(write(row))) == row["_corrupt_record"]


REST_IN_HEAD = """\
protocol: loose
byte_order: big
record:
  length: 2 + size
  fields:
    - {name: kind, type: u8}
    - {name: size, type: u8}
    - {section: intro, size: "size if kind == 0 else 1", fields: [{name: note, type: text, size: rest}]}
    - {name: mark, type: u8, optional: true}
    - {section: body, size: rest}
---
message: some
match: {}
sections: {body: [{name: number, type: u32}]}
"""


@pytest.mark.parametrize(
    ("data", "header"),
    [
        ("00 06 6161", (None, None, None, None)),  # the note is cut off
        ("01 06 61", (None, None, None, None)),  # whether there is a mark, bytes that are missing would tell
        ("01 06 61 07", (1, 6, "a", 7)),
        ("01 06 61 07 0000", (1, 6, "a", 7)),
    ],
)
def test_a_header_that_depends_on_where_the_record_ends_is_not_told_of_one_that_is_cut_off(
    data: str, header: tuple[object, ...]
) -> None:
    found = compiled.of(REST_IN_HEAD)
    (row,) = permissive(found.codec, bytes.fromhex(data))
    assert row["_corrupt_reason"].startswith("truncated: record at byte 0: a record of 8 bytes")
    assert tuple(row[name] for name in ("kind", "size", "note", "mark")) == header
    captures_alike(Pair.of(found.columnar), bytes.fromhex(data))


# --- many at once

GOOD = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})
NO_EXTRAS = bytes.fromhex("80560000 14000000 00000000 deadbeef 0000000000000000")
STREAMS = {
    "one kind": NO_EXTRAS * 30,
    "good between": (NO_EXTRAS + GOOD) * 10,
    "several kinds": (NO_EXTRAS + GOOD + BROKEN_MARKER + NO_EXTRAS) * 5,
}


@pytest.mark.sweep
@accelerator.off_and_on
def test_streams_of_malformed_records_are_the_codecs(accelerated: bool) -> None:
    streams = [*STREAMS.values(), BROKEN_MARKER + CUT_NOOP]
    pair = Pair(couchbase_dcp.PROTOCOL)
    if accelerated:
        for stream in streams:
            tables_alike(pair, stream, mode="PERMISSIVE")
            rows_alike(pair, capture_alike(pair, stream))
    else:
        alike_in_turn(pair, [(stream, {}) for stream in streams])


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_malformed_records_are_counted_and_the_first_is_told(stream: bytes, mode: str) -> None:
    pair = Pair(couchbase_dcp.PROTOCOL)
    decoding = pair.decoder(pair.options({"mode": mode}))
    list(decoding.capture(stream))
    rows = permissive(couchbase_dcp, stream, positions=True)
    wrong = [row for row in rows if row["_corrupt_reason"] is not None]
    seen = decoding.tally
    assert (seen.records, seen.malformed, seen.first) == (len(rows), len(wrong), wrong[0]["_corrupt_reason"])
    assert seen.malformed_bytes == sum(row["_length"] for row in wrong)


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
def test_malformed_records_are_not_left_to_the_codec(mode: str) -> None:
    """What the codec is asked to say costs a hundred times as much."""

    def redo(row: int) -> None:
        raise AssertionError(f"record {row} is left to the codec")

    pair = Pair(couchbase_dcp.PROTOCOL)
    stream = (NO_EXTRAS + GOOD + BROKEN_MARKER) * 20
    stop = np.cumsum([len(NO_EXTRAS), len(GOOD), len(BROKEN_MARKER)] * 20)
    stretch = RecordSpans(stream, np.append(0, stop[:-1]), stop, little=False, origin=0)
    decoding = pair.decoder(pair.options({"mode": mode, "positions": False}))
    ((batch, rows),) = decoding.records(stretch, (), redo, {})
    assert batch.num_rows == len(rows) == (60 if mode == "PERMISSIVE" else 20)
