"""Bit fields that are written: whole numbers and their parts, of which either is enough, and lists of bits."""

from typing import Any

import pytest
from support import compiled
from support.compiled import feature

from wireloom.codec import DecodeError, EncodeError

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


CHOSEN = """
protocol: chosen
byte_order: big
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: packet
match: {}
sections:
  body:
    - bits: u8
      fields:
        - {name: is_list, width: 1}
        - choice:
            - match: {is_list: false}
              fields: [{name: number, width: 7}]
            - fields: [{name: kinds, width: 2, count: 3}, {name: spare, width: 1, reserved: true}]
    - bits: u8
      bit_order: lsb
      fields: [{name: has, width: 1, count: 8}]
    - {name: more, type: u8, when: "has[0] == true"}
"""


def chosen(**values: Any) -> str:
    data: bytes = compiled.of(CHOSEN).codec.build({"packet": values})
    return data.hex()


def test_a_bit_that_is_given_as_a_number_is_true_or_false_to_conditions() -> None:
    assert chosen(is_list=0, number=5, has=[0] * 7 + [1]) == "0580"
    assert chosen(is_list=1, kinds=(3, 0, 1), has=[1] + [0] * 7, more=7) == "e20107"
    with pytest.raises(EncodeError, match="not in the alternative that is taken"):
        chosen(is_list=0, kinds=[3, 0, 1], has=[False] * 8)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"kinds": [1, 2]}, "kinds: 3 items expected, 2 given"),
        ({"kinds": [1, 2, 4]}, "kinds[2]: 4 does not fit 2 bits"),
        ({"kinds": [1, 2, None]}, "kinds[2]: missing"),
        ({"kinds": "012"}, "kinds: a list expected, not str"),
        ({"has": None}, "has: missing"),
        ({"has": [True] * 7 + [2]}, "has[7]: true or false expected, not 2"),
    ],
)
def test_lists_of_bits_that_do_not_fit_are_refused(values: Any, reason: str) -> None:
    with pytest.raises(EncodeError) as found:
        chosen(**{"is_list": True, "kinds": [0, 0, 0], "has": [False] * 8, **values})
    assert str(found.value) == f"packet.{reason}"


def test_a_list_of_bits_is_taken_from_the_whole_number_and_contradicts_it() -> None:
    codec = compiled.feature("bits_list").codec
    given = {"present_ones": [False] * 16, "sizes": [b"", b"", b""], "chunks": []}
    assert codec.build({"packet": {**given, "word": 0x0FF80601}}).hex() == "0000000ff80601"
    with pytest.raises(EncodeError, match=r"nibbles: \[1, 0, 0\] given, but word makes it \[0, 0, 0\]"):
        codec.build({"packet": {**given, "word": 0x0FF80601, "nibbles": [1, 0, 0]}})


def test_valid_of_a_list_asks_for_its_own_items() -> None:
    codec = compiled.of(CHOSEN.replace("more, type: u8", 'more, type: u8, repeat: rest, valid: "more[0] > 2"')).codec
    assert codec.parse(bytes.fromhex("05010301")).packet.more == [3, 1]
    has = compiled.of(CHOSEN.replace("count: 8}", 'count: 8, valid: "has[7] == false"}')).codec
    with pytest.raises(DecodeError, match=r"found \[true, false, false, false, false, false, false, true\]"):
        has.parse(bytes.fromhex("058103"))
    with pytest.raises(DecodeError, match=r"more\[0\] > 2 expected, found \[2, 3\]"):
        codec.parse(bytes.fromhex("05010203"))
