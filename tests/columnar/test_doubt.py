"""Records whose length is in doubt: what bears them out, and what is searched for where nothing does."""

import pytest
from support import compiled
from support.cases import each
from support.lockstep import Pair, capture_alike

from wireloom_protocols import couchbase_dcp

GOOD, OTHER = bytes.fromhex("4d 01 0002 6162"), bytes.fromhex("4d 02 0001 63")
STRANGE = bytes.fromhex("4d 09 0003 787878")
"""Of an unknown kind."""
NONSENSE = bytes.fromhex("4d 99 0009")
"""A header that claims nine bytes more."""

CAPTURES = {
    "a strange record between others": (GOOD + STRANGE + OTHER, [(0, 6, True), (6, 7, True), (13, 5, True)]),
    "a strange record at the end": (GOOD + STRANGE, [(0, 6, True), (6, 7, True)]),
    "a strange record before one that is cut off": (STRANGE + b"\x4d\x01", [(0, 7, True), (7, 2, False)]),
    "nonsense that leads nowhere": (GOOD + NONSENSE + OTHER * 3, [(0, 6, True), (6, 4, False)] + [
        (start, 5, True) for start in (10, 15, 20)
    ]),
    "nonsense that ends behind the capture": (GOOD + NONSENSE + OTHER, [(0, 6, True), (6, 4, False), (10, 5, True)]),
    "what looks like a record, in damage": (b"?" + NONSENSE + b"??" + GOOD + OTHER, [
        (0, 7, False), (7, 6, True), (13, 5, True)
    ]),
    "what looks like a record, and leads nowhere": (b"?" + bytes.fromhex("4d 01 0001") + b"???" + GOOD, [
        (0, 8, False), (8, 6, True)
    ]),
}  # fmt: skip
"""Captures, and where in them are records, with their lengths, and whether each is sound."""


@each("name", list(CAPTURES))
def test_a_record_in_doubt_is_believed_where_something_bears_it_out(name: str) -> None:
    capture, expected = CAPTURES[name]
    found = compiled.feature("proof_doubt")
    rows = list(found.codec.iter_records(capture, "PERMISSIVE", positions=True))
    assert [(row["_offset"], row["_length"], row["_corrupt_reason"] is None) for row in rows] == expected
    capture_alike(Pair.of(found.columnar), capture)


def test_what_is_in_doubt_is_told_and_that_the_next_record_is_a_guess() -> None:
    found = compiled.feature("proof_doubt")
    capture = GOOD + NONSENSE + OTHER * 3
    (_, lost, *_) = found.codec.iter_records(capture, "PERMISSIVE")
    why = "kind > 3, and no record follows; that a record follows is a guess"
    assert lost["_corrupt_reason"] == f"invalid: record at byte 6: {why}"


@each("name", list(CAPTURES))
def test_nothing_is_found_behind_damage_where_no_guess_is_wanted(name: str) -> None:
    capture, expected = CAPTURES[name]
    sound = [start for start, _, sound in expected if sound]
    lost = next((start for start, _, sound in expected if not sound), len(capture))
    found = compiled.feature("proof_doubt")
    rows = list(found.codec.iter_records(capture, "PERMISSIVE", positions=True, resync="proof"))
    begins = [*(start for start in sound if start < lost), *([lost] if lost < len(capture) else [])]
    assert [row["_offset"] for row in rows] == begins
    assert "guess" not in (rows[-1]["_corrupt_reason"] or "")
    capture_alike(Pair.of(found.columnar), capture, resync="proof")


@pytest.mark.parametrize("size", [0, 1 << 20])
def test_a_dcp_header_with_nonsense_behind_it_swallows_no_frames(size: int) -> None:
    frame = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {"value": b"v" * 100}})
    nonsense = bytes.fromhex("80f37b217c99 0001") + (size or 1000).to_bytes(4, "big") + bytes(range(12))
    capture = frame * 3 + nonsense + frame * 50
    table = couchbase_dcp.decode_columnar(capture + bytes(size), mode="PERMISSIVE", positions=True)
    rows = table.select(["_offset", "_length", "_corrupt_reason"]).to_pylist()
    sound = [row["_offset"] for row in rows if row["_corrupt_reason"] is None]
    assert sound == [*range(0, 3 * 124, 124), *(3 * 124 + 24 + 124 * number for number in range(50))]


def test_a_dcp_frame_of_a_kind_to_come_is_kept() -> None:
    frame = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "datatype": 0x28, "unknown": {}})
    table = couchbase_dcp.decode_columnar(frame * 3)
    assert table["datatype"].to_pylist() == [0x28] * 3


MESSAGE, BROKEN = bytes.fromhex("4d 01 02 0004 0007 6162"), bytes.fromhex("4d 02 03 000a")
"""A record, and a header that claims ten bytes more and a part in front that its message does not have."""


@each("name", ["with nothing that bears it out", "before another record", "of no message"])
def test_what_no_record_of_a_message_has_is_in_doubt(name: str) -> None:
    broken, size, kind, reason = {
        "with nothing that bears it out": (BROKEN, 5, None, "and no record follows"),
        "before another record": (BROKEN + b"?" * 10, 15, 2, "size(head) == 2"),
        "of no message": (b"\x4e" + BROKEN[1:] + b"?" * 10, 15, 2, None),
    }[name]
    found = compiled.feature("proof_doubt_valid")
    capture = MESSAGE + broken + MESSAGE * 3
    rows = list(found.codec.iter_records(capture, "PERMISSIVE", positions=True))
    starts = [0, 9, *(9 + size + 9 * number for number in range(3))]
    assert [row["_offset"] for row in rows] == starts
    assert [row["_corrupt_reason"] is None for row in rows] == [True, reason is None, True, True, True]
    assert rows[1]["kind"] == kind
    assert reason is None or reason in rows[1]["_corrupt_reason"]
    capture_alike(Pair.of(found.columnar), capture)


def test_a_dcp_header_with_extras_that_its_command_does_not_have_swallows_no_frames() -> None:
    frame = couchbase_dcp.build({"message": "dcp_noop", "magic": 0x80, "dcp_noop": {}})
    mutation = bytes.fromhex("8057 0003 1e 00 0000 00000064") + bytes(12)
    table = couchbase_dcp.decode_columnar(frame + mutation + frame * 6, mode="PERMISSIVE", positions=True)
    assert table["_offset"].to_pylist() == [0, 24, *range(48, 192, 24)]
    assert [reason is None for reason in table["_corrupt_reason"].to_pylist()] == [True, False, *[True] * 6]
