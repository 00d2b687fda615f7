"""What messages derive in the header: checked when all is read, filled in when all is written, and otherwise given."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import DecodeError, EncodeError

PATH = bytes.fromhex("01 0007 0003 86 03 09 0102 0304 0506")
ROW: dict[str, Any] = {"message": "path", "path": {"color": 9, "points": [{"x": n, "y": n + 1} for n in (1, 3, 5)]}}
NOTE = {
    "kind": 3,
    "items_count": 0x1234,
    "more": True,
    "room": 127,
    "half": 9,
    "message": "note",
    "note": {"text": "ab"},
}


def codec() -> Any:
    return compiled.feature("header_derived").codec


def test_values_of_lists_are_filled_in() -> None:
    assert codec().build(ROW) == PATH


def test_a_given_value_gives_way_to_what_it_follows_from() -> None:
    assert codec().build(ROW | {"items_count": 9, "half": 300}) == PATH


def test_a_number_that_grows_with_its_value_takes_more_bytes() -> None:
    points = [{"x": 1, "y": 2}] * 130  # 260 bytes, which are 4 more than 256, and half of them two bytes of LEB128
    data = codec().build({"message": "path", "path": {"color": 9, "points": points}})
    assert data == bytes.fromhex("01 0105 0082 84 8201 09" + 130 * "0102")


@pytest.mark.parametrize(
    ("at", "found", "field", "detail"),
    [
        (5, 0x06, "more", "true expected, found false"),
        (5, 0x87, "room", "6 expected, found 7"),
        (6, 2, "half", "3 expected, found 2"),
    ],
)
def test_others_are_malformed_where_they_are(at: int, found: int, field: str, detail: str) -> None:
    with pytest.raises(DecodeError) as raised:
        codec().parse(PATH[:at] + bytes([found]) + PATH[at + 1 :])
    assert (raised.value.code, raised.value.field, raised.value.offset) == ("derived", field, at)
    assert raised.value.detail == detail


def test_messages_that_derive_nothing_have_what_is_given() -> None:
    data = codec().build(NOTE)
    assert data == bytes.fromhex("03 0002 1234 ff 09 6162")
    assert codec().parse(data)["items_count"] == 0x1234


@pytest.mark.parametrize("name", ["items_count", "room", "more", "half"])
def test_messages_that_derive_nothing_need_it(name: str) -> None:
    with pytest.raises(EncodeError, match=name):
        codec().build({key: value for key, value in NOTE.items() if key != name})


def test_unknown_records_keep_it() -> None:
    data = bytes.fromhex("09 0002 00ff 05 07 abcd")
    row = codec().parse(data)
    assert (row["message"], row["items_count"], row["half"]) == ("unknown", 255, 7)
    assert codec().build(row) == data
