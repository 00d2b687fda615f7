"""The n-th call of ``parse`` and ``build`` answers as the first, also where one branch has what others have not."""

from itertools import count
from random import Random
from typing import Any

import pytest
from support import compiled
from support.specialised import build_alike, changed, parse_alike, present, reads

from wireloom.codec import DecodeError, EncodeError
from wireloom.codec.specialised import MANY

HEAD = """\
protocol: branches
byte_order: big
types:
  - name: Placed
    fields:
      - {name: number, type: u32}
      - {name: ahead, type: u8, at: offset(number), shared: true}
  - name: Filled
    fields:
      - {name: flag, type: u8}
      - {name: more, type: u16, when: flag == 5, default: flag + 1}
record:
  length: rest
  fields: [{section: body, size: rest}]
---
message: only
match: {}
"""
CASES = {
    "a number that waits in an item without a line": (
        """
    - {name: items_count, type: u8, derive: count(items)}
    - {name: items, type: Placed, repeat: {count: items_count}}
    - {name: data, type: bytes, size: rest}""",
        ("000102030405060708",),
        ({"data": b"x"},),
    ),
    "a number that waits in an alternative without a line": (
        """
    - {name: kind, type: u8}
    - choice:
        - {match: {kind: 1}, fields: [{name: item, type: Placed}]}
        - fields: [{name: plain, type: u8}]
    - {name: data, type: bytes, size: rest}""",
        ("000102030405060708",),
        ({"kind": 0, "plain": 1, "data": b""},),
    ),
    "a number that is small in another alternative": (
        """
    - {name: kind, type: u8}
    - choice:
        - {match: {kind: 1}, fields: [{name: x, type: u8}, {name: y, type: i16, compute: x}]}
        - fields: [{name: x, type: u24}, {name: y, type: i16, compute: x}]""",
        ("0105", "02000005", "0200ffff"),
        ({"kind": 2, "x": 5}, {"kind": 2, "x": 65535}, {"kind": 2, "x": 65535, "y": 65535}),
    ),
    "a size that is told in another alternative": (
        """
    - {name: kind, type: u8}
    - {name: n, type: u8}
    - choice:
        - {match: {kind: 1}, fields: [{name: x, type: bytes, size: n}, {name: s, type: i16, compute: size(x)}]}
        - fields: [{name: x, type: bytes, until: "00"}, {name: s, type: i16, compute: size(x)}]""",
        ("0103616263", "0207616200"),
        ({"kind": 2, "n": 7, "x": b"ab"}, {"kind": 2, "n": 7, "x": b"ab", "s": 7}),
    ),
    "a default of a field that may be absent": (
        """
    - {name: number, type: u8}
    - {name: e, type: u16, when: number == 5, default: number + 1}
    - {name: data, type: bytes, size: rest, when: number != 5}""",
        ("010102", "050003"),
        ({"number": 5}, {"number": 1, "data": b"x"}, {"number": 1, "e": 2, "data": b"x"}),
    ),
    "a default in an alternative": (
        """
    - {name: number, type: u8}
    - choice:
        - {match: {number: 5}, fields: [{name: e, type: u16, default: number + 1}]}
        - fields: [{name: data, type: bytes, size: rest}]""",
        ("010102", "050003"),
        ({"number": 5}, {"number": 1, "data": b"x"}, {"number": 1, "e": 2}),
    ),
    "a default of a bit that may be absent": (
        """
    - {name: number, type: u8}
    - bits: u16
      when: number == 5
      fields: [{name: has_data, width: 1, default: present(data)}, {name: low, width: 15, default: number}]
    - {name: data, type: bytes, size: rest, when: number != 5}""",
        ("010102", "058003", "050003"),
        ({"number": 5}, {"number": 5, "low": 7}, {"number": 1, "data": b"x"}),
    ),
    "a default in something optional": (
        """
    - {name: number, type: u8}
    - {name: e, type: u16, optional: true}
    - {name: f, type: u16, optional: true, default: e + 1}""",
        ("01", "010002", "0100020009"),
        ({"number": 1}, {"number": 1, "e": 2}, {"number": 1, "e": 2, "f": 9}),
    ),
    "a default in a type": (
        """
    - {name: one, type: Filled}
    - {name: items, type: Filled, repeat: true}""",
        ("01", "050006", "01020500070102"),
        ({"one": {"flag": 5}, "items": [{"flag": 5}, {"flag": 1}, {"flag": 5, "more": 2}]},),
    ),
    "derived fields alone in an alternative": (
        """
    - {name: first, type: u8, default: "0x81 if size(data) > 127 else size(data)"}
    - choice:
        - {match: {first: 0x81}, fields: [{name: long, type: u8, derive: size(data)}]}
    - {name: data, type: bytes, size: long if present(long) else first}""",
        ("0178", "81c8" + "78" * 200),
        ({"data": b"x"}, {"data": b"x" * 200}, {"first": 0x81, "data": b"x"}, {"first": 3, "data": b"x" * 200}),
    ),
    "padding alone in an alternative": (
        """
    - {name: a, type: u8, default: size(data)}
    - choice:
        - {match: {a: 2}, fields: [{pad: 1}]}
        - {match: {a: 3}, fields: [{pad: 2}]}
    - {name: data, type: bytes, size: a}""",
        ("0178", "02007878"),
        ({"data": b"x"}, {"data": b"xx"}, {"data": b"xxx"}, {"a": 2, "data": b"x"}),
    ),
}
VARIANTS = """\
sections:
  body: [{name: kind, type: u8}]
variants:
  - name: one
    when: kind == 1
    sections: {body: [{name: a, type: u8}, {name: b, type: u8, valid: a != 5}]}
  - name: two
    when: kind == 2
    sections: {body: [{name: a, type: u8, when: kind == 3}, {name: c, type: u8, valid: a != 5}]}
"""


@pytest.mark.parametrize("case", CASES)
def test_branches_know_nothing_of_each_other(case: str) -> None:
    body, records, rows = CASES[case]
    protocol = compiled.of(f"{HEAD}sections:\n  body:{body}\n").codec
    random = Random(case)
    found: list[Any] = [{"only": row} for row in rows]
    for record in map(bytes.fromhex, records):
        parse_alike(protocol, record)
        try:
            row = protocol.parse(record)
        except DecodeError:
            continue
        assert protocol.build(row) == record
        assert protocol.build(present(row)) == record
        found += [row, present(row), *changed(row, random, 30)]
    for row in found:
        build_alike(protocol, row)


def test_a_value_that_one_variant_always_has_is_absent_in_another() -> None:
    protocol = compiled.of(HEAD + VARIANTS).codec
    for row in ({"kind": 2, "c": 3}, {"kind": 1, "a": 2, "b": 3}, {"kind": 1, "a": 5, "b": 3}):
        build_alike(protocol, {"only": row})


def test_records_beside_those_without_a_line_have_one() -> None:
    body, records, _ = CASES["a number that waits in an item without a line"]
    assert reads(compiled.of(f"{HEAD}sections:\n  body:{body}\n").codec, bytes.fromhex(records[0]))


SELECTED = """\
protocol: selected
byte_order: big
enums: [{name: Kind, values: [{name: A, value: 1}, {name: B, value: 2}]}]
record:
  length: rest
  fields:
    - bits: u8%s
      fields: [{name: kind, width: 4%s}, {name: other, width: 4, default: 0}]
    - {section: body, size: rest}
---
message: one
match: {kind: 1%s}
sections:
  body: [{name: x, type: u8}]
---
message: two
match: {kind: 2}
sections:
  body: [{name: y, type: u8}]
"""


@pytest.mark.parametrize("also", ["", ", other: 3"])
@pytest.mark.parametrize("more", ["", ", enum: Kind", ", default: 1", ", enum: Kind, default: 1", ", valid: kind < 3"])
@pytest.mark.parametrize("named", ["", "\n      name: word"])
def test_bits_that_select_the_message_may_be_left_out(named: str, more: str, also: str) -> None:
    """Also where the whole number is given, and where the message matches bits besides those that tell it apart."""
    protocol = compiled.of(SELECTED % (named, more, also)).codec
    words = ({}, {"word": 0x13}, {"word": 0x23}) if named else ({},)
    for word in words:
        for head in (
            {},
            {"kind": 1},
            {"kind": 1, "other": 3},
            {"other": 4},
            {"kind_name": "A"} if "enum" in more else {},
        ):
            for message in ({}, {"message": "one"}):
                build_alike(protocol, {**message, **word, **head, "one": {"x": 1}})


def test_nobody_looks_into_what_is_no_struct() -> None:
    """It may be endless."""
    text = """
    - {name: items_count, type: u8, derive: count(items)}
    - {name: items, type: Filled, repeat: {count: items_count}}"""
    codec = compiled.of(f"{HEAD}sections:\n  body:{text}").codec
    for _ in range(MANY + 2):
        codec.build({"only": {"items": [{"flag": 5}]}})
        for wrong in (count(), range(10**9), memoryview(b"abcd").cast("B", (2, 2))):
            with pytest.raises(EncodeError, match="a mapping of fields expected"):
                codec.build({"only": {"items": [wrong]}})
