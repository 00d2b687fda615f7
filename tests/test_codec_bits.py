"""Bit fields whose whole number has a name: either is enough to write them, and both must agree."""

from typing import Any

import pytest
from compiled import feature

from wireloom.codec import EncodeError

HEAD = {"kind": 1, "more": 2, "size": 3}
PARTS = {"version": 5, "is_last": True, "level": 2}
REST = {"data": bytes([1, 2, 3]), "high": 0xABC}


def built(head: Any = None, **values: Any) -> str:
    """The record of these values, in hex."""
    row = {**(HEAD if head is None else head), "all": {**REST, **values}}
    data: bytes = feature("bits_named").codec.build(row)
    return data.hex(" ", -2)


@pytest.mark.parametrize(
    "values",
    [
        PARTS,
        {"word": 0xB203},
        {"word": 0xB200},  # the last bits are derived
        {"word": 0xB203, "version": 5},
        {"word": 0xB203, **PARTS, "length": 3},
        {"word": 0xB203, "level_name": "Low"},  # as everywhere, the number goes before its label
        {"version": 5, "is_last": 1, "level_name": "High"},
    ],
)
def test_the_whole_or_its_parts_are_enough(values: Any) -> None:
    assert built(**values) == "0102 03b2 0301 0203 abc0"


def test_reserved_bits_are_taken_from_the_whole() -> None:
    assert built(word=0xB203, nibbles=0xABC7).endswith("abc7")
    assert built({"head": 0x0102, "size": 3}, word=0xB203) == built(word=0xB203)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"word": 0xB203, "version": 4}, "version: 4 given, but word makes it 5"),
        ({"word": 0x10000}, "word: 65536 does not fit 16 bits"),
        ({"word": -1}, "word: "),
        ({"word": "0xb203"}, "word: "),
        ({"word": True}, "word: "),
        ({"version": 8, "is_last": True, "level": 2}, "version: "),
        ({"word": 0xB203, "version": "5"}, "version: "),
        ({"version": 5, "level": 2}, "is_last: "),
    ],
)
def test_what_contradicts_itself_is_refused(values: Any, reason: str) -> None:
    with pytest.raises(EncodeError) as found:
        built(**values)
    assert str(found.value).startswith(f"all.{reason}")
