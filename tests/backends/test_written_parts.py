"""Parts of records that programs write, without the codec, and values in them that they leave to it."""

from typing import Any

import pyarrow as pa
import pytest
from support import accelerator, compiled
from support.accelerator import with_llvm
from support.lockstep import Pair, rows_alike
from support.worked import examples, pair_of

from wireloom.columnar import encoding as tabular
from wireloom.columnar.tables import Table

FEATURES = (
    "align",
    "align_from_a_section",
    "bitmap",
    "bits_choice",
    "bits_extension",
    "bits_in_other_orders",
    "bits_signed",
    "byte_order_of_words",
    "bytes_prefixed",
    "checksum_parameters",
    "checksums_over_each_other",
    "constants",
    "counted_characters",
    "enum_groups",
    "packed_characters",
    "pad",
    "pad_of_a_size",
    "prefix_in_digits",
    "proof_of_bits",
    "record_until",
    "recursion",
    "times_of_fields",
    "times_of_ntp_and_gps",
    "types_sized",
)
HEAD = """\
protocol: ours
byte_order: big
types:
  - {name: Pair, fields: [{name: key, type: u8}, {name: words, type: text, size: rest}]}
  - name: Item
    given: [size]
    fields: [{name: octets, type: bytes, size: size}, {name: mark, type: u8, when: size > 1}]
  - name: Link
    given: [last]
    fields: [{bits: u8, fields: [{name: value, width: 7}, {name: more, width: 1, default: not last}]}]
record:
  length: length
  fields:
    - {name: length, type: u16, derive: size(record)}
    - {name: kind, type: u8, default: 1}
    - {section: body, size: rest}
---
message: one
match: {}
sections:
  body:
"""
_ADDRESS = {"mac": "02:00:5e:10:00:ff", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1"}
PARTS: dict[str, tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = {
    "a list in an alternative, with a field that no program writes": (
        "{name: some, type: bool}, {choice: [{when: some, fields: [{name: many, type: text, prefix: u8, "
        "repeat: {count: 2}}, {name: last, type: ascii, size: 4, fill: '20'}]}, {fields: [{name: other, type: u8}]}]}",
        [{"some": False, "other": 7}, {"some": False, "other": 8}],
        [{"some": True, "many": ["a", "bc"], "last": 12}, {"some": True, "many": ["", ""], "last": 12345}],
    ),
    "bits that say whether an item follows": (
        "{name: some, type: Link, repeat: {until: not more}, with: {last: index + 1 == count(some)}}",
        [{"some": [{"value": 5, "more": True}, {"value": 0, "more": False}]}, {"some": [{"value": 7, "more": False}]}],
        [{"some": [{"value": 5}, {"value": 0}]}, {"some": [{"value": 5}, {"value": 6, "more": True}]}, {"some": []}],
    ),
    "regions": (
        "{name: some, type: text, size: 6, until: '00', pad: '2e'}, {name: last, type: bytes, size: 3, pad: ff}",
        [{"some": "abc", "last": b"\1"}, {"some": "abcdef", "last": b""}, {"some": "", "last": b"abc"}],
        [{"some": "abcdefg", "last": b""}, {"some": "a\0", "last": b""}, {"some": "", "last": b"\xff"}],
    ),
    "digits": (
        "{name: some, type: ascii, sign: signed, size: 8, until: '20', pad: '20', digits: 3}, "
        "{name: last, type: ascii, base: 16, size: 4, digits: 4, case: upper}",
        [{"some": number, "last": abs(number)} for number in (0, 7, -7, 1000, -12345, 0xFFFF, -0xABCD)],
        [{"some": 12345678, "last": 0}, {"some": 0, "last": 0x10000}, {"some": None, "last": 1}],
    ),
    "kept bytes": (
        "{name: some, type: ascii, size: 3, until: '20', pad: '20', raw: some_bytes}, {name: last, type: u8}",
        [
            {"some": 12, "some_bytes": None, "last": 1},
            {"some": None, "some_bytes": b"   ", "last": 2},
        ],
        [{"some": 12, "some_bytes": b"13 ", "last": 1}, {"some": 12, "some_bytes": b"12", "last": 1}],
    ),
    "constants": (
        "{name: some, type: bytes, size: 10, const: '00112233445566778899'}, {name: word, type: text, size: 3, "
        "const: abc}, {name: last, type: text, prefix: leb128_u32, default: \"'none'\"}",
        [{"last": "x" * 200}, {"last": None}, {"word": "abc", "last": ""}],
        [{"some": b"", "last": ""}, {"word": "abd", "last": ""}],
    ),
    "byte orders": (
        "{name: order, type: u8}, {section: inner, size: rest, byte_order: little if order == 1 else big, "
        "fields: [{name: number, type: u32}]}",
        [{"order": order, "number": 0x01020304} for order in (0, 1, 2, 1)],
        [{"order": None, "number": 1}, {"order": 1, "number": 1 << 40}],
    ),
    "structs": (
        "{name: first, type: Pair, prefix: u8}, {name: second, type: Pair, until: '3b'}",
        [{"first": {"key": 1, "words": "ab"}, "second": {"key": 2, "words": size * "c"}} for size in (0, 3)],
        [{"first": {"key": 1, "words": 300 * "a"}, "second": {"key": 2, "words": ";"}}],
    ),
    "addresses": (
        ", ".join(f"{{name: {name}, type: bytes, size: {size}, as: {name}}}" for name, size in
                  (("mac", 6), ("ipv4", 4), ("ipv6", 16))),
        [_ADDRESS, {**_ADDRESS, "ipv4": "0.0.0.0"}],
        [{**_ADDRESS, "ipv4": "192.0.2"}, {**_ADDRESS, "ipv6": "2001:DB8::1"}, {**_ADDRESS, "mac": None}],
    ),
    "zeros cut off": (
        "{section: inner, size: rest, through: {zeros: 6}, raw: packed, fields: [{name: number, type: u16}, "
        "{name: last, type: u32, default: 0}]}",
        [{"number": 1, "last": 2}, {"number": 1}, {"number": 0, "last": 0}, {"number": 1, "last": 1 << 24}],
        [{"number": 1, "last": 0, "packed": b"\0\1\0"}, {"number": 1 << 20, "last": 0}],
    ),
    "sizes that follow": (
        "{name: count, type: leb128_u32, derive: size(words)}, {name: words, type: text, encoding: latin-1, "
        "size: count}, {name: digits, type: ascii, until: '20', derive: size(octets)}, {name: octets, type: bytes, "
        "size: digits}, {name: last, type: bytes, prefix: quic_u62}",
        [{"words": size * "é", "octets": size * b"ab", "last": size * b"c"} for size in (0, 4, 63, 64, 600)],
        [{"count": 1, "words": "é", "octets": b"", "last": b""}, {"words": "€", "octets": b"", "last": b""}],
    ),
    "integers of any size": (
        "{name: width, type: u8}, {name: high, type: int, size: width}, {name: low, type: uint, size: width + 1, "
        "byte_order: little}, {name: length, type: u8, derive: size(short)}, {name: short, type: int, size: length, "
        "byte_order: little}",
        [
            {"width": width, "high": high, "low": low, "short": sign * (1 << bits) + beside}
            for width, high, low in ((0, 0, 255), (1, -128, 256), (3, 0x7FFFFF, 0xFFFFFFFF), (7, -1, (1 << 64) - 1))
            for bits in (0, 7, 8, 15, 31, 62)
            for sign in (1, -1)
            for beside in (-1, 0, 1)
        ],
        [
            {"width": 1, "high": 128, "low": 0, "short": 0},
            {"width": 0, "high": 1, "low": 0, "short": 0},
            {"width": 8, "high": 1, "low": 1, "short": 0},
            {"width": 9, "high": 1, "low": 1, "short": 0},
            {"width": 2, "high": None, "low": 1, "short": 0},
            {"width": 2, "high": 1, "low": 1 << 24, "short": 0},
            {"width": 2, "high": 1, "low": 1, "length": 2, "short": 0},
        ],
    ),
    "decimals": (
        "{name: some, type: bcd, digits: 5, sign: signed, byte_order: little}, {name: low, type: bcd, digits: 4, "
        "nibble_order: low}, {name: zoned, type: zoned, digits: 3, sign: leading, encoding: ascii}, {name: last, type: "
        "zoned, digits: 2, sign: trailing_separate}",
        [
            {"some": sign * some, "low": low, "zoned": sign * zoned, "last": sign * last}
            for some, low, zoned, last in ((0, 0, 0, 0), (12345, 1234, 123, 12), (99999, 9999, 999, 99), (7, 7, 7, 7))
            for sign in (1, -1)
        ],
        [{"some": 0, "low": -1, "zoned": 0, "last": 0}, {"some": 0, "low": 1, "zoned": None, "last": 0}],
    ),
    "floats of base 16": (
        "{name: short, type: ibm32}, {name: long, type: ibm64}, {name: last, type: ibm32, byte_order: little}",
        [
            {"short": short, "long": long, "last": -short}
            for short, long in ((1.0, -0.1), (0.0, 1e70), (-118.625, 2.0**-256), (16.0**-65, 0.0), (-(2.0**251), 1 / 3))
        ],
        [
            {"short": 0.1, "long": 0.0, "last": 0.0},
            {"short": 1e80, "long": 1.0, "last": 0.0},
            {"short": 1.0, "long": 1e-100, "last": 0.0},
            {"short": 1.0, "long": None, "last": float("inf")},
        ],
    ),
    "packed characters": (
        "{name: some, type: text, size: 5, encoding: {width: 6, characters: '@AB€'}, pad: '00'}, "
        "{name: other, type: text, prefix: u8, encoding: {width: 7, characters: 'xyz', bit_order: lsb}}, "
        "{bits: u72, fields: [{name: code, type: text, width: 66, encoding: {width: 6, characters: '@AB'}}, "
        "{name: rest, width: 6}]}, "
        "{name: last, type: text, size: rest, encoding: {width: 6, characters: '@AB'}}",
        [
            {"some": "A€B", "other": "xyzzy", "code": "AB@AB@AB@AB", "rest": 5, "last": "BBAA"},
            {"some": "", "other": "", "code": 11 * "@", "rest": 63, "last": ""},
        ],
        [
            {"some": "A@", "other": "x", "code": 11 * "A", "rest": 1, "last": ""},
            {"some": "A", "other": "abc", "code": 11 * "A", "rest": 1, "last": ""},
            {"some": "A", "other": 7 * "x", "code": 11 * "A", "rest": 1, "last": ""},
            {"some": "A", "other": "x", "code": 10 * "A", "rest": 1, "last": ""},
            {"some": "AAAAAAA", "other": "x", "code": 11 * "A", "rest": 1, "last": ""},
            {"some": "A", "other": "x", "code": None, "rest": 1, "last": ""},
            {"some": "A", "other": "x", "code": 11 * "A", "rest": 64, "last": ""},
            {"some": "A", "other": "x", "code": 11 * "A", "rest": 1, "last": "BBA"},
        ],
    ),
    "items that ask": (
        "{name: size, type: u8}, {name: list, type: Item, with: {size: size}, repeat: rest}",
        [{"size": 2, "list": [{"octets": b"ab", "mark": 5}] * count} for count in (0, 1, 3)],
        [{"size": 2, "list": [{"octets": b"abc", "mark": 5}]}, {"size": 1, "list": [{"octets": b"a", "mark": 5}]}],
    ),
}  # fmt: skip
"""What a body has, rows that programs write, and rows that are the codec's affair."""

by_programs = pytest.mark.parametrize(
    "accelerated",
    [
        pytest.param(False, id="numpy"),
        pytest.param(True, id="llvm", marks=[accelerator.on, with_llvm]),
    ],
)


@by_programs
@pytest.mark.parametrize("name", FEATURES)
def test_examples_of_features(name: str, accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular.Encoder, "_built", None)
    for parameters, records in examples(name):
        table = Table(pair_of(name).codec, {})
        for record in records:
            found = table.decode_columnar(record, mode="PERMISSIVE", **parameters)
            if found["_corrupt_reason"].null_count == len(found) > 0:
                assert b"".join(table.encode_records(found, **parameters).to_pylist()) == record


@by_programs
@pytest.mark.parametrize("name", PARTS)
def test_parts(name: str, accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    fields, sound, others = PARTS[name]
    codec = compiled.of(f"{HEAD}    [{fields}]\n").codec
    schema = Table(codec, {}).schema
    rows, changed = ([{"message": "one", "one": each} for each in those] for those in (sound, [*sound, *others]))
    rows_alike(Pair(codec), pa.Table.from_pylist(changed, schema))
    records = [*map(codec.build, rows)]
    monkeypatch.setattr(tabular.Encoder, "_built", None)
    assert Table(codec, {}).encode_records(pa.Table.from_pylist(rows, schema)).to_pylist() == records
