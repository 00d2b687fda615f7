"""How captures fall into records: unknown messages, layouts of several lengths, damage and what comes behind it."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import DecodeError


def feature(name: str) -> Any:
    return compiled.feature(name).codec


def outcome(codec: Any, capture: str) -> list[tuple[str, str]]:
    """(message, or the code of what is wrong, and bytes in hex) of each row."""
    rows = codec.iter_records(bytes.fromhex(capture), "PERMISSIVE")
    return [
        (row["message"], codec.build(row).hex())
        if row["_corrupt_reason"] is None
        else (row["_corrupt_reason"].partition(":")[0], row["_corrupt_record"].hex())
        for row in rows
    ]


def test_a_record_that_no_message_matches_is_unknown() -> None:
    row = feature("dispatch").parse(bytes.fromhex("80 03 01 02 61 0506"))
    assert (row["message"], row["opcode"], dict(row["unknown"])) == ("unknown", 3, {"key": b"a", "value": b"\5\6"})


def test_an_unknown_record_is_written_back() -> None:
    codec, record = feature("dispatch"), bytes.fromhex("80 03 01 02 61 0506")
    assert codec.build(codec.parse(record)) == record


def test_a_protocol_of_one_message_has_no_unknown() -> None:
    assert [*feature("fixed_length").messages] == ["reading"]


def test_each_message_has_its_own_length() -> None:
    codec = feature("message_length")
    assert outcome(codec, "01000405 02000701aa 01000405".replace("aa", "61")) == [
        ("first", "01000405"), ("second", "0200070161"), ("first", "01000405"),
    ]  # fmt: skip


def test_damage_ends_where_the_next_proven_record_begins() -> None:
    codec, record = feature("proof_resync"), "a50007268b6162"
    assert outcome(codec, f"{record} a5000726ff6162 {record}") == [
        ("text", record), ("checksum", "a5000726ff6162"), ("text", record),
    ]  # fmt: skip


def test_a_short_record_at_the_end_is_found_behind_damage() -> None:
    codec = feature("message_length")
    assert outcome(codec, "ff ff 0200070161") == [("unknown-layout", "ffff"), ("second", "0200070161")]


def test_without_resync_the_rest_is_one_malformed_row() -> None:
    codec = feature("byte_order_parameter")
    good = "000b8cd4420a0001020721"
    assert outcome(codec, f"{good} 000bffffffff0001020721 {good}") == [
        ("number", good), ("checksum", f"000bffffffff0001020721{good}"),
    ]  # fmt: skip


def test_an_error_counts_its_offset_from_the_start_of_the_capture() -> None:
    codec = feature("valid")
    with pytest.raises(DecodeError) as error:
        list(codec.iter_records(bytes.fromhex("01026162 02016162")))
    assert error.value.reason == "invalid: range.high at byte 5: low <= high and high < 100 expected, found 1"


@pytest.mark.parametrize("length", [0, 1, 2])
def test_a_length_that_does_not_cover_the_header_is_malformed(length: int) -> None:
    codec = feature("derive")
    rows = outcome(codec, f"{length:04x} 04 0161 02 08 05 0162 026364")
    assert all(code in ("invalid-size", "truncated", "overrun") for code, _ in rows)


def test_a_form_writes_and_reads_a_line() -> None:
    codec = feature("forms")
    line = '{"kind":"Word","number":5,"format":"JSON","last":true,"data":"/w==","word":"ab"}'
    record = bytes.fromhex("09 01 0005 01 01 ff 6162")
    assert codec.form("json").write(codec.parse(record)) == line
    assert codec.build(codec.form("json").read(line)) == record


def test_a_search_finds_the_next_record_whatever_lengths_claim() -> None:
    spec = """
protocol: whole
byte_order: big
record:
  length: size
  proof: {valid: size >= 8, checksum: crc}
  resync: true
  fields:
    - {name: crc, type: u32, checksum: {algorithm: crc32, from: 4, to: size}}
    - {name: size, type: u32, derive: size(record)}
    - {section: body, size: rest, trailing: more}
---
message: thing
match: {}
"""
    found = compiled.of(spec)
    good = found.codec.build({"thing": {"more": b"hello"}})
    words = (1 << 16).to_bytes(4, "big") * (1 << 15)
    table = found.columnar.decode_columnar(words + good, mode="PERMISSIVE")
    assert table["message"].to_pylist() == [None, "thing"]
    rows = list(found.codec.iter_records(words[: 1 << 13] + good, mode="PERMISSIVE"))
    assert [row.message for row in rows] == [None, "thing"]
