"""Shapes at the edge of what many rows can be read as at once: the columnar decoder gives what the codec gives."""

from random import Random

import pytest
from support import accelerator, compiled
from support.lockstep import Pair, capture_alike, damaged, records_alike

HEAD = """\
protocol: edges
byte_order: big
enums:
  - name: Distant
    values:
      - {name: Low, value: 7}
      - {name: High, value: 0x80000000}
      - {name: Middle, from: 0x7fffffff, to: 0x80000001}
      - {name: Top, value: 0xffffffff}
types:
  - name: Inner
    fields:
      - {name: count, type: u8}
      - {name: numbers, type: u16, repeat: {count: count}}
      - {name: more, type: u8, when: count == 2}
  - name: Item
    fields:
      - {name: item_size, type: u8, derive: size(part) + 1}
      - section: part
        size: item_size - 1
        trailing: rest_of
        fields:
          - {name: kind, type: u8}
          - {name: flag, type: u8, when: kind >= 2}
          - choice:
              - {when: kind == 1, fields: [{name: value, type: u16}]}
              - {when: kind == 2, fields: [{name: deep, type: Inner, repeat: {count: 2}}]}
              - {fields: [{name: value, type: u32}, {name: word, type: text, prefix: leb128_u32}]}
          - {name: last, type: u8, optional: true}
record:
  length: length
  fields:
    - {name: length, type: u8, derive: size(record)}
    - {section: body, size: rest}
---
message: edge
match: {}
"""

ITEMS = [b"\1\1\2", b"\1\1\2\7", b"\1\1\2\7\x08\x09", b"\2\5\2\1\0\2\0\x63\0", b"\2\5\0\1\7\7\6", b"\3\5\1\2\3\4\2ab"]

KINDS = """sections:
  body:
    - {name: kind, type: u8}
    - choice:
"""

VARINTS = (
    "leb128_u1", "leb128_u28", "leb128_u57", "leb128_u63", "leb128_u64", "leb128_i7", "leb128_i32", "leb128_i63",
    "leb128_i64", "zigzag_i32", "zigzag_i64", "protobuf_i32", "protobuf_i64", "vlq_u28", "vlq_u63", "vlq_u64",
    "quic_u62",
)  # fmt: skip

EDGES: dict[str, tuple[str, list[bytes]]] = {
    "64 bits beside fewer": (
        KINDS
        + """\
        - {when: kind == 0, fields: [{name: value, type: u64}]}
        - {when: kind == 1, fields: [{name: value, type: u64, byte_order: little}]}
        - {when: kind == 2, fields: [{name: value, type: leb128_u64}]}
        - {when: kind == 3, fields: [{name: value, type: u8}]}
        - {when: kind == 4, fields: [{name: value, type: i8}]}
        - {fields: [{name: value, compute: kind * 3, type: u64}]}
""",
        [b"\0" + b"\xff" * 8, b"\1" + b"\xff" * 8, b"\2" + b"\xff" * 9 + b"\1", b"\3\xfe", b"\4\xfe", b"\5"],
    ),
    "64 bits beside fewer in expressions": (
        KINDS
        + """\
        - {when: kind == 0, fields: [{name: value, type: u64}]}
        - {fields: [{name: value, compute: kind * 3, type: u64}]}
    - {name: checked, type: u8, valid: not (value == 3)}
    - {name: more, type: u8, when: value == 6}
    - {name: twice, compute: value * 2 if value < 100 else 0, type: i64}
""",
        [b"\0" + bytes(7) + b"\3\1", b"\0" + bytes(7) + b"\6\1\2", b"\1\1", b"\2\1\2", b"\0" + b"\xff" * 8 + b"\1"],
    ),
    "64 bits of two halves, and labels of distant numbers": (
        """sections:
  body:
    - {name: high, type: u32, enum: Distant}
    - {name: low, type: u32}
    - {name: both, compute: (high << 32) + low, type: u64}
    - {name: mixed, compute: "(high << 32 | low) ^ 1", type: u64}
    - {name: more, type: u8, when: both == 0xffffffffffffffff}
""",
        [
            high + low
            for high in (b"\0" * 4, b"\0\0\0\7", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\x80\0\0\1", b"\xff\xff\xff\xff")
            for low in (b"\0" * 4, b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\7")
        ],
    ),
    "odd integers": (
        KINDS
        + """\
        - {when: kind == 0, fields: [{name: value, type: u32}]}
        - {when: kind == 1, fields: [{name: value, type: i24, byte_order: little}]}
        - {when: kind == 2, fields: [{name: value, type: u56}]}
        - {when: kind == 3, fields: [{name: value, type: i40}]}
        - {when: kind == 4, fields: [{name: value, type: i48, byte_order: little}]}
        - {fields: [{name: value, type: i64}]}
    - {name: twice, compute: "value * 2 if present(value) and value < 1000 else 0", type: i64}
""",
        [bytes([kind]) + b"\xfe\x01\x80\x7f\x00\xff\x81\x80"[:size] for kind, size in enumerate((4, 3, 7, 5, 6, 8))],
    ),
    "integers of variable length": (
        KINDS
        + "".join(
            f"        - {{when: kind == {number}, fields: [{{name: value_{number}, type: {name}}}]}}\n"
            for number, name in enumerate(VARINTS)
        )
        + "    - {name: after, type: bytes, size: rest}\n",
        [
            bytes([number]) + data
            for number in range(len(VARINTS))
            for data in (
                b"\0",
                b"\x7f",
                b"\x40",
                b"\xc0\0",
                b"\xff\0",
                b"\x80\0",
                b"\x80\x7f",
                b"\xff\x7f",
                b"\x40\x40",
                b"\x40\x01",
                b"\x80" * 3 + b"\x01",
                b"\xff" * 9 + b"\x01",
                b"\xff" * 9 + b"\x7f",
                b"\x80" * 9 + b"\x01",
                b"\x80" * 9 + b"\x7f",
                b"\x81" + b"\xff" * 8 + b"\x7f",
                b"\x83" + b"\x80" * 8 + b"\0",
                b"\xff" * 8 + b"\0",
                b"\x80" * 4 + b"\x08",
                b"\xff" * 4 + b"\x07",
                b"\xc0" + b"\xff" * 7,
                b"\xbf" + b"\xff" * 3,
                b"\xff" * 12,
            )
        ],
    ),
    "texts": (
        KINDS
        + """\
        - {when: kind == 0, fields: [{name: word, type: text, prefix: u8}]}
        - {when: kind == 1, fields: [{name: word, type: text, until: "0d0a"}]}
        - {when: kind == 2, fields: [{name: word, type: text, size: 2, encoding: latin-1}]}
        - {when: kind == 3, fields: [{name: word, type: text, size: 0}]}
        - {fields: [{name: word, type: text, size: rest}]}
    - {name: after, type: text, size: rest}
""",
        [b"\0\2ab\xc3\xa9", b"\1ab\r\r\nxx", b"\2\xe9\xe9x", b"\3abc", b"\1\r\n", b"\0\0", b"\x04" + b"x" * 40],
    ),
    "a long terminator": (
        """sections:
  body:
    - {name: long, type: bytes, until: "0000000000000000"}
    - {name: rest, type: bytes, size: rest}
""",
        [b"\1" + bytes(8) + b"\0", bytes(8), b"\0\0", b"", bytes(9)],
    ),
    "many items": (
        "sections: {body: [{name: words, type: text, prefix: u8, repeat: rest}]}\n",
        [b"\1a" * count for count in (0, 1, 63, 64, 65, 70, 100)],
    ),
    "floats": (
        """sections:
  body:
    - {name: tenth, type: f32, const: 0.1}
    - {name: half, type: f64, const: 0.5}
    - {name: all, type: f32, repeat: rest}
""",
        [
            b"\x3d\xcc\xcc\xcd\x3f\xe0" + bytes(6),
            b"\x3d\xcc\xcc\xcd\x3f\xe0" + bytes(6) + b"\x7f\x80\0\1\x7f\xc0\0\0\x80\0\0\0\xff\x80\0\1",
        ],
    ),
    "nans": (
        "sections: {body: [{name: numbers, type: f32, repeat: rest}]}\n",
        [b"\x7f\x80\0\1\x7f\xc0\0\0\x80\0\0\0\xff\x80\0\1", b""],
    ),
    "sections in repeats": (
        "sections: {body: [{name: items, type: Item, repeat: rest}]}\n",
        [b"".join(bytes([len(item) + 1]) + item for item in ITEMS[first:]) for first in range(len(ITEMS))],
    ),
    "what depends on a text": (
        """sections:
  body: [{name: word, type: text, prefix: u8}]
variants:
  - {name: one, when: "word == 'a'", sections: {body: [{name: x, type: u8}]}}
  - {name: two, sections: {body: [{name: y, type: u16}]}}
""",
        [b"\1a\5", b"\1b\5\6"],
    ),
    "comparisons of the absent": (
        """sections:
  body:
    - {name: kind, type: u8}
    - {name: a, type: u8, when: kind & 1 != 0}
    - {name: b, type: bool, when: kind & 2 != 0}
    - {name: c, type: bool, when: kind & 4 != 0}
    - {name: both, compute: b and c, type: bool}
    - {name: same, compute: b == c, type: bool}
    - {name: high, compute: "(a if present(a) else 3) > 2", type: bool}
    - {name: other, compute: "a not in [kind, 1]", type: bool}
    - {name: left, type: bytes, size: rest}
""",
        [bytes([kind, 1, 0, 1]) for kind in range(8)] + [bytes([kind, 0, 1, 1]) for kind in range(8)],
    ),
}


@accelerator.off_and_on
@pytest.mark.parametrize(("text", "bodies"), EDGES.values(), ids=EDGES)
def test_edges(text: str, bodies: list[bytes], accelerated: bool) -> None:
    pair = Pair.of(compiled.of(HEAD + text).columnar)
    random = Random(0)
    records = [bytes([len(body) + 1]) + body for body in bodies]
    changed = [other for record in records for other in damaged(record, random, 30 if len(records) < 50 else 5)]
    for little in (False, True):
        records_alike(pair, records + changed, little=little)
    for record in records:
        records_alike(pair, [record])
    capture_alike(pair, b"".join(records))
    for _ in range(6):
        capture_alike(pair, b"".join(random.choices(records + changed, k=4)))


LENGTHS = """\
protocol: edges
byte_order: big
record:
  length: length * 3 + 1
  fields: [{name: length, type: u64}, {section: body, size: rest}]
---
message: edge
match: {}
sections: {body: [{name: left, type: bytes, size: rest}]}
"""


@accelerator.off_and_on
def test_lengths_beyond_64_bits(accelerated: bool) -> None:
    pair = Pair.of(compiled.of(LENGTHS).columnar)
    record = bytes(7) + b"\3ab"
    for length in (2**62, 2**63 - 40, 2**63 - 1, 2**63, 2**64 - 1, (2**64 + 9) // 3):
        for count in (0, 1, 3):
            capture_alike(pair, record * count + length.to_bytes(8, "big") + bytes(30))


@accelerator.off_and_on
@pytest.mark.parametrize("length", ["18 + (1 << low) % 4", "18 + (low & 3)", "18 + wide % 4"])
def test_no_length_shifts_by_what_does_not_fit(length: str, accelerated: bool) -> None:
    text = LENGTHS.replace("length: length * 3 + 1", f"length: {length}").replace(
        "{name: length, type: u64}", "{name: wide, type: u64}, {name: low, type: u8, compute: wide}"
    )
    pair = Pair.of(compiled.of(text).columnar)
    for wide in (3, 300, 2**15, 2**40, 2**63):
        capture_alike(pair, bytes(18) + wide.to_bytes(8, "big") + bytes(40))


def test_a_message_may_be_chosen_by_what_no_record_has() -> None:
    text = LENGTHS.replace("* 3 + 1", "").replace("type: u64}", "type: u8}, {name: kind, type: u8, when: length > 3}")
    text = text.replace("match: {}", "match: {kind: 1}") + text[text.index("---") :].replace("edge", "unknown")
    pair = Pair.of(compiled.of(text).columnar)
    records_alike(pair, [b"\2a", b"\3ab"])
    records_alike(pair, [b"\2a", b"\4\1ab", b"\4\2ab"])


def test_messages_are_told_by_several_numbers_of_which_some_are_missing() -> None:
    fields = "{name: length, type: u16}, {name: kind, type: u32}, {name: level, type: u16, when: length > 8}"
    text = LENGTHS.replace("length * 3 + 1", "length").replace("{name: length, type: u64}", fields)
    other = text[text.index("---") :]
    matches = ("kind: 7", "kind: [4000000000, 1], level: 1", "kind: 1, level: 500", "level: {from: 0, to: 300}")
    text = text[: text.index("---")]
    for number, match in enumerate(matches):
        text += other.replace("message: edge", f"message: edge_{number}").replace("match: {}", f"match: {{{match}}}")
    pair = Pair.of(compiled.of(text + other.replace("edge", "unknown")).columnar)
    records = [b"\0\7\0\0\0\7a"]
    for kind in (1, 2, 300, 4_000_000_000, *range(1000, 1300)):
        records.append(b"\0\x08" + kind.to_bytes(4, "big") + b"ab")
        records += [
            b"\0\x0a" + kind.to_bytes(4, "big") + level.to_bytes(2, "big") + b"ab" for level in (0, 1, 300, 500)
        ]
    records_alike(pair, records)
    records_alike(pair, records[::-7])
