"""What selects a message: read one by one and many at once, and filled in when a record is written."""

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from support import compiled
from support.lockstep import Pair, captures_alike, damaged, records_alike

from wireloom.codec import DecodeError, EncodeError
from wireloom.columnar.framings import framing_of


@pytest.mark.parametrize("name", ["match", "match_of_lengths", "dispatch"])
def test_many_at_once_are_the_messages_that_one_by_one_are(name: str) -> None:
    found = compiled.feature(name)
    random, pair = Random(name), Pair(found.codec)
    whole = [example.data for _, example in compiled.worked(found.protocol)] * 3
    random.shuffle(whole)
    wrong = [each for data in whole for each in damaged(data, random, 12)]
    options: list[dict[str, Any]] = [{}, {"version": 0}, {"version": 7}] if name == "match" else [{}]
    for given in options:
        records_alike(pair, [*whole, *wrong], **given)
    captures_alike(pair, b"".join(whole))


def test_ranges_are_read_many_at_once_and_followed() -> None:
    found = compiled.feature("match_of_lengths")
    decoded = captures_alike(Pair(found.codec), bytes.fromhex("8005 01026162 090161") * 100)
    assert decoded["message"].to_pylist() == ["short", "long", "long"] * 100
    assert framing_of(found.codec).lengths


PLAIN = {"is_last": False, "has_code": False, "level": 5}
"""A head without what selects."""


@pytest.mark.parametrize(
    ("row", "data"),
    [
        ({"tag": "abc", "head": PLAIN, "hello": {"number": 7}}, "cafe 616263 01 05 07"),
        ({"tag": "", "head": {"has_code": False, "level": 0}, "bye": {"text": "ab"}}, "cafe 202020 02 80 02 6162"),
        ({"magic": b"\xbe\xef", "head": PLAIN, "of_one": {"one": 1}}, "beef 412020 03 05 01"),
        ({"magic": bytearray(b"\xbe\xef"), "head": PLAIN, "of_one": {"one": 1}}, "beef 412020 03 05 01"),
        ({"head": {**PLAIN, "kind": 0xF4}, "of_one": {"one": 3}}, "cafe 412020 f4 05 03"),
        (
            {"tag": "", "head": {**PLAIN, "kind_name": "Good bye"}, "until_later": {"minutes": 5}},
            "cafe 202020 02 05 05",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_selects_is_filled_in(row: dict[str, Any], data: str) -> None:
    before = deepcopy(row)
    assert compiled.feature("match").codec.build(row) == bytes.fromhex(data)
    assert row == before


@pytest.mark.parametrize(
    ("row", "parameters", "why"),
    [
        ({"coded": {"two": 4}}, {}, "head.kind: missing"),
        ({"head": {**PLAIN, "kind": 0xF1, "has_code": True}, "coded": {"two": 4}}, {}, "code: missing"),
        (
            {"head": {**PLAIN, "kind": 0xF1, "has_code": True}, "code": 1, "coded": {"two": 4}},
            {},
            "code: 1 selects coded_well, not coded",
        ),
        ({"hello": {"number": 7}}, {"version": 0}, "version: 0 selects old_hello, not hello"),
        ({"magic": b"\0\0", "hello": {"number": 7}}, {}, r"magic: no message has .* b'\\x00\\x00'"),
        ({"head": {**PLAIN, "kind": 2}, "bye": {"text": ""}}, {}, "head.is_last: false selects until_later, not bye"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_header_that_does_not_select_the_message_is_an_error(
    row: dict[str, Any], parameters: dict[str, Any], why: str
) -> None:
    with pytest.raises(EncodeError, match=why):
        compiled.feature("match").codec.build({"magic": b"\xca\xfe", "tag": "abc", "head": PLAIN, **row}, **parameters)


def test_what_selects_an_alternative_is_filled_in() -> None:
    codec = compiled.feature("choice_by_match").codec
    given = [
        {"hello": {"number": 5}},
        {"text": "ab"},
        {"msg_type": 0x80, "codes": [1, 2]},
        {"msg_type": 4, "data": b"\x08"},
    ]
    assert codec.build({"handshake": {"messages": given}}) == bytes.fromhex("160f 01020005 02026162 80020102 040108")
    items = [{"level": 7, "wide": 5}, {"mark": b"\xbe\xef", "level": 6, "narrow": 3}]
    assert codec.build({"items": {"items": items}}) == bytes.fromhex("1709 cafe870005 beef0603")


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"codes": [1, 2]}, r"messages\[0\].codes: not in the alternative that is taken: no condition holds"),
        ({"data": b"\x08"}, r"messages\[0\].msg_type: missing"),
        ({"msg_type": 2, "hello": {"number": 5}}, r"messages\[0\].hello: not in the alternative that is taken"),
        ({"hello": {"number": 5}, "text": "ab"}, r"messages\[0\].text: not in one alternative with hello"),
    ],
)
def test_what_selects_no_alternative_alone_must_be_given(item: dict[str, Any], why: str) -> None:
    with pytest.raises(EncodeError, match=why):
        compiled.feature("choice_by_match").codec.build({"handshake": {"messages": [item]}})


NEVER = """\
protocol: never
byte_order: big
record:
  length: 3
  fields:
    - {name: kind, type: u8, valid: kind > 0 and kind < 3}
    - {section: body, size: rest}
---
message: known
match: {kind: [1, 2]}
sections:
  body:
    - choice:
        - {when: kind == 1, fields: [{name: small, type: u8}, {name: spare, type: u8}]}
        - {when: kind == 7, fields: [{name: word, type: bytes, size: 2}]}
        - {match: {kind: 2}, fields: [{name: large, type: u16}]}
        - fields: [{name: other, type: u16}]
examples:
  - {name: A small one, hex: 01 05 06, decoded: {kind: 1, small: 5, spare: 6, word: null, large: null, other: null}}
  - {name: A large one, hex: 02 0506, decoded: {kind: 2, large: 0x0506, small: null, spare: null}}
---
message: to_come
match: {kind: 3}
sections:
  body:
    - {name: number, type: u16}
"""


def test_what_is_never_taken_is_a_warning_and_harms_nothing() -> None:
    found = compiled.of(NEVER)
    assert not compiled.failures(found)
    records = [bytes.fromhex("010506"), bytes.fromhex("020506"), bytes.fromhex("030506")] * 20
    records_alike(Pair(found.codec), records)
    captures_alike(Pair(found.codec), b"".join(records[:2]))
    assert [found.codec.build(found.codec.parse(data)) for data in records[:2]] == records[:2]
    with pytest.raises(DecodeError, match="invalid"):
        found.codec.parse(records[2])
