"""Shared fields whose offsets may lead nowhere: they are null, cost nothing else, and are not written."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import DecodeError, EncodeError

PROTOCOL = compiled.feature("elsewhere_optional").codec
NOWHERE = bytes.fromhex("08 026100 ffff 02 ff")


def row(**values: Any) -> dict[str, Any]:
    return {"message": "object", "object": {"strings": b"a\0", "node_offset": 0xFFFF, "symbols": [], **values}}


def test_null_is_written_as_it_was_read() -> None:
    assert PROTOCOL.build(PROTOCOL.parse(NOWHERE)) == NOWHERE


def test_what_is_left_out_is_what_the_bytes_say() -> None:
    symbols = [{"name_offset": 2}, {"name_offset": 0xFF}]
    assert PROTOCOL.build(row(symbols=symbols)) == NOWHERE


def test_a_value_that_is_not_there_is_refused() -> None:
    with pytest.raises(EncodeError, match="given, but the bytes there are None"):
        PROTOCOL.build(row(symbols=[{"name_offset": 0xFF, "name": "a"}]))


def test_what_is_read_in_vain_counts() -> None:
    """Each of these offsets leads to a text without an end, which is all the rest of the record."""
    strings = b"a" * 100
    symbols = bytes([2]) * 150
    record = bytes([6 + len(strings) + len(symbols) - 2, len(strings)]) + strings + b"\xff\xff" + symbols
    record = bytes([len(record)]) + record[1:]
    with pytest.raises(DecodeError, match="too-long"):
        PROTOCOL.parse(record)


def test_a_few_that_are_read_in_vain_do_not_matter() -> None:
    strings, symbols = b"a" * 100, bytes([2]) * 20
    record = bytes([len(strings)]) + strings + b"\xff\xff" + symbols
    found = PROTOCOL.parse(bytes([1 + len(record)]) + record)
    assert [symbol.name for symbol in found.object.symbols] == [None] * 20


SIGNED = """\
protocol: signed
byte_order: big
record:
  length: rest
  fields:
    - {section: body, size: rest}
---
message: one
match: {}
sections:
  body:
    - {name: offset, type: i16}
    - {name: text, type: text, until: "00", at: offset, shared: true, optional: true}
    - {name: rest, type: bytes, size: rest}
"""


@pytest.mark.parametrize("offset", [-(2**15), -1, 3, 2**15 - 1])
def test_however_far_outside_the_record_an_offset_leads_it_costs_its_value_alone(offset: int) -> None:
    codec, data = compiled.of(SIGNED).codec, offset.to_bytes(2, signed=True) + b"a"
    found = codec.parse(data)
    assert found["one"] == {"offset": offset, "text": None, "rest": b"a"}
    assert codec.build(found) == data
