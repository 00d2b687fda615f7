"""What encoding says is wrong: the whole message, which begins with the field that is meant."""

from typing import Any

import pytest
from support import compiled

from wireloom.codec import EncodeError
from wireloom.codec.accepted_values import shown

FIRST = """
protocol: letters
byte_order: big
enums:
  - {name: Kind, values: [{name: Plain, value: 1}, {name: Framed, value: 2}]}
types:
  - name: Item
    fields:
      - {name: length, type: u8, derive: size(word)}
      - {name: word, type: text, size: length, encoding: ascii}
record:
  length: 4 + size
  proof: {valid: version < 4}
  fields:
    - {name: size, type: u8, derive: size(body)}
    - {name: kind, type: u8, enum: Kind}
    - {name: version, type: u8, default: 1}
    - {name: told, type: u8, default: 0}
    - {section: body, size: size, trailing: trailing_body}
---
message: plain
match: {kind: 1}
sections:
  body:
    - bits: u8
      fields:
        - {name: qos, width: 2}
        - {name: is_last, width: 1, type: bool, default: false}
        - {name: words_count, width: 5, derive: count(words)}
    - {name: packet_id, type: u16, when: qos > 0}
    - {name: ratio, type: f32, default: 0}
    - {name: long, type: u64, table_type: long, default: 0}
    - {name: sure, type: bool, default: false}
    - {name: big, type: leb128_u64, default: 0}
    - {name: low, type: leb128_u64, table_type: long, default: 0}
    - {name: words, type: Item, repeat: {count: words_count}}
    - {name: pairs, type: Item, repeat: {until: length == 0}, when: told == 1}
    - section: box
      size: 2
      trailing: box_rest
      fields: [{name: inner, type: u8, valid: inner < 100}]
---
message: framed
match: {kind: 2}
sections:
  body:
    - {name: form, type: u8}
variants:
  - name: short
    when: form == 1
    sections:
      body:
        - {name: number, type: u8}
  - name: wide
    when: form == 2
    sections:
      body:
        - {name: number, type: u16}
        - {name: name, type: text, prefix: u8}
        - {name: rest, type: bytes, size: rest}
"""
PLAIN = {"qos": 0, "inner": 1, "box_rest": b"x"}

ERRORS: dict[str, tuple[dict[str, Any], str]] = {
    # --- the header
    "a header's number": ({"version": 300, "plain": PLAIN}, "version: 300 does not fit 8 bits"),
    "a type of variable length": ({"plain": {**PLAIN, "low": "x"}}, "plain.low: a whole number expected, not 'x'"),
    "a header's type": ({"told": "x", "plain": PLAIN}, "told: a whole number expected, not 'x'"),
    "another message's number": ({"kind": 2, "plain": PLAIN}, "kind: 2 selects framed, not plain"),
    "no message's number": ({"kind": 9, "plain": PLAIN}, "kind: 9 selects unknown, not plain"),
    "another message's label": ({"kind_name": "Framed", "plain": PLAIN}, "kind: 2 selects framed, not plain"),
    "an unknown label": ({"kind_name": "Nice", "plain": PLAIN}, "kind_name: 'Nice' names no single number of Kind"),
    "a proof that fails": (
        {"version": 7, "plain": PLAIN},
        "version: cannot be read back: version < 4 expected, found version 7",
    ),
    "two messages": (
        {"message": "plain", "plain": PLAIN, "framed": {}},
        "framed: given, but the row is a plain",
    ),
    "no message": ({}, "message: needed: one of framed, plain, unknown"),
    "a message that is no text": ({"message": 5}, "message: text expected, not 5"),
    # --- numbers
    "a bit field before what follows from it": ({"plain": {**PLAIN, "qos": 9}}, "plain.qos: 9 does not fit 2 bits"),
    "a missing bit field": ({"plain": {"inner": 1, "box_rest": b"x"}}, "plain.qos: missing"),
    "a fraction": ({"plain": {**PLAIN, "qos": 1.0}}, "plain.qos: a whole number expected, not 1.0"),
    "a fraction of a larger number": ({"told": 1.0, "plain": PLAIN}, "told: a whole number expected, not 1.0"),
    "a bit": ({"plain": {**PLAIN, "is_last": 2}}, "plain.is_last: true or false expected, not 2"),
    "a bool": ({"plain": {**PLAIN, "sure": 1}}, "plain.sure: true or false expected, not 1"),
    "a float that is text": ({"plain": {**PLAIN, "ratio": "x"}}, "plain.ratio: a number expected, not 'x'"),
    "a float too large": ({"plain": {**PLAIN, "ratio": 1e300}}, "plain.ratio: 1e+300 is too large for 32 bits"),
    "a long too large": (
        {"plain": {**PLAIN, "long": 2**63}},
        "plain.long: 9223372036854775808 does not fit a long; it needs the option u64=decimal",
    ),
    "a negative long": ({"plain": {**PLAIN, "long": -1}}, "plain.long: -1 does not fit 64 bits"),
    "a huge number": ({"plain": {**PLAIN, "big": 10**5000}}, "plain.big: a number of 16610 bits does not fit 64 bits"),
    "long text for a number": (
        {"plain": {**PLAIN, "big": "x" * 99}},
        f"plain.big: a whole number expected, not '{'x' * 59}…",
    ),
    # --- presence
    "given against a condition": (
        {"plain": {**PLAIN, "packet_id": 5}},
        "plain.packet_id: given, but qos > 0 is false",
    ),
    "missing against a condition": ({"plain": {**PLAIN, "qos": 1}}, "plain.packet_id: missing"),
    "nothing left over": ({"plain": {**PLAIN, "trailing_body": b""}}, "plain.trailing_body: given, but has no bytes"),
    # --- sections, lists, structs
    "a section's size": ({"plain": {"qos": 0, "inner": 1}}, "plain.box_rest: box has 1 byte, but its size says 2"),
    "a condition": ({"plain": {**PLAIN, "inner": 100}}, "plain.inner: 100 does not satisfy inner < 100"),
    "an item's text": (
        {"plain": {**PLAIN, "words": [{"word": "a"}, {"word": "é"}]}},
        "plain.words[1].word: 'é' cannot be written in ascii",
    ),
    "an item that is none": (
        {"plain": {**PLAIN, "words": [None]}},
        "plain.words[0]: a mapping of fields expected, not NoneType",
    ),
    "no list": ({"plain": {**PLAIN, "words": "ab"}}, "plain.words: a list expected, not str"),
    "too many items": (
        {"plain": {**PLAIN, "words": [{"word": ""}] * 32}},
        "plain.words_count: 32 does not fit 5 bits",
    ),
    "a list without an end": (
        {"told": 1, "plain": {**PLAIN, "pairs": [{"word": "a"}]}},
        "plain.pairs: has no item that ends it",
    ),
    "a list with two ends": (
        {"told": 1, "plain": {**PLAIN, "pairs": [{"word": ""}, {"word": ""}]}},
        "plain.pairs: ends with item 0, but there are more behind it",
    ),
    # --- variants
    "an unknown variant": (
        {"framed": {"variant": "big"}},
        "framed.variant: unknown variant 'big'; known are short, wide",
    ),
    "a field of another variant": (
        {"framed": {"variant": "short", "form": 1, "number": 5, "name": "x"}},
        "framed.name: variant short has no such field",
    ),
    "another variant's number": (
        {"framed": {"variant": "short", "form": 2, "number": 5}},
        "framed.variant: reads back as wide: short needs form == 1",
    ),
    "the only variant that has the fields": (
        {"framed": {"form": 2, "number": 2**16, "name": "", "rest": b""}},
        "framed.number: 65536 does not fit 16 bits",
    ),
    "bytes behind what takes all": (
        {"framed": {"form": 2, "number": 5, "name": "", "rest": b"", "trailing_body": b"x"}},
        "framed.rest: takes all of its section, but there are bytes behind it",
    ),
}


@pytest.fixture(scope="module")
def letters() -> Any:
    return compiled.of(FIRST).codec


@pytest.mark.parametrize(("row", "message"), ERRORS.values(), ids=ERRORS)
def test_an_error_names_the_field_and_says_what_is_wrong(letters: Any, row: dict[str, Any], message: str) -> None:
    with pytest.raises(EncodeError) as error:
        letters.build(row)
    assert str(error.value) == message


def test_the_field_is_named_whatever_follows_from_it() -> None:
    codec = compiled.feature("computed_in_parts").codec
    values = {"side_name": "Right", "scales": "Right", "height": float("nan")}
    with pytest.raises(EncodeError, match=r"^computed\.scales: a list expected, not str$"):
        codec.build({"message": "computed", "scale": 2, "computed": values})
    items = [{"number": 5, "scaled": 10, "total": 11}]
    with pytest.raises(EncodeError, match=r"^scale: a whole number expected, not 'x'$"):
        codec.build({"message": "computed", "scale": "x", "computed": {"word": 13, "scales": items}})


def test_left_over_bytes_of_a_wrong_size_are_named_with_their_message() -> None:
    text = FIRST.replace("derive: size(body)", "default: 0")
    with pytest.raises(EncodeError, match=r"^plain\.trailing_body: body has \d+ bytes, but its size says 3$"):
        compiled.of(text).codec.build({"size": 3, "plain": {**PLAIN, "trailing_body": b"xy"}})


def test_a_list_in_itself_is_shown() -> None:
    endless: list[Any] = []
    endless.append(endless)
    wide: list[Any] = [1]
    for _ in range(12):
        wide = [wide] * 6
    assert shown(endless) == "[[[…]]]"
    assert len(shown(wide)) < 70
