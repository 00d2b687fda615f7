"""Bits that say which fields there are, as another decoder reads them: a target report of ASTERIX, category 048."""

import pytest
from support import compiled

from wireloom.codec import DecodeError, EncodeError, Protocol

UAP = (
    "010 140 020 040 070 090 130", "220 240 250 161 042 200 170", "210 030 080 100 110 120 230", "260 055 050 065 060",
)  # fmt: skip
"""The standard user application profile: which item each bit of the field specification says is there."""
TYPES = {
    "010": "type: u16", "140": "type: u24, as: {decimal: {scale: 1/128}}", "020": "type: Descriptor",
    "040": "type: u32", "070": "type: u16", "090": "type: u16", "220": "type: u24", "161": "type: u16",
    "240": "type: text, size: 6, pad: '20', encoding: {width: 6, characters: "
    f"'�ABCDEFGHIJKLMNOPQRSTUVWXYZ{5 * '�'} {15 * '�'}0123456789'}}",
    "250": "type: Mode", "200": "type: u32", "170": "type: Status", "230": "type: u16",
}  # fmt: skip


def _bits() -> str:
    lines = []
    for number, items in enumerate(UAP):
        names = items.split()
        lines += [f"{{name: has_{item}, width: 1, derive: present(i{item})}}" for item in names]
        if len(names) < 7:
            lines.append(f"{{name: spare_{number}, width: {7 - len(names)}, reserved: true}}")
    return ", ".join(lines)


ITEMS = [f"{{name: i{item}, when: has_{item}, {TYPES.get(item, 'type: u8')}}}" for item in " ".join(UAP).split()]
SPEC = f"""\
protocol: cat048
byte_order: big
types:
  - name: Descriptor
    fields:
      - bits: u8
        extension: fx
        fields:
          - {{name: type, width: 3}}
          - {{name: flags, width: 4}}
          - {{name: test, width: 1}}
          - {{name: more, width: 6}}
  - name: Status
    fields:
      - bits: u8
        extension: fx
        fields: [{{name: state, width: 7}}, {{name: end, width: 1}}, {{name: more, width: 6}}]
  - name: Mode
    fields:
      - {{name: count, type: u8, derive: count(reports)}}
      - {{name: reports, type: bytes, size: 8, repeat: {{count: count}}}}
record:
  length: length
  fields:
    - {{name: category, type: u8, default: 48}}
    - {{name: length, type: u16, derive: size(record)}}
    - {{section: body, size: rest}}
---
message: report
match: {{category: 48}}
sections:
  body:
    - {{bits: u8, extension: fx, fields: [{_bits()}]}}
    - {f"{chr(10)}    - ".join(ITEMS)}
"""
OF_BITMAP = ", ".join(f"{{name: i{item}, {TYPES.get(item, 'type: u8')}}}" for item in " ".join(UAP).split())
BITMAP = f"""\
{SPEC.partition("    - {bits: u8, extension: fx, fields: [{name: has")[0]}\
    - {{bitmap: u8, name: fspec, extension: 8, fields: [{OF_BITMAP}]}}
"""
"""The same with a bitmap, which names each item once."""
SAMPLE = bytes.fromhex(
    "300030fdf70219c9356d4da0c5aff1e0020005283c660c10c236d4182001c0780031bc0000400deb07b9582e410020f5"
)
"""The record that the documentation of asterix-decoder explains."""


@pytest.fixture(scope="module")
def codec() -> Protocol:
    return compiled.of(SPEC).codec


def test_a_report_is_read_as_another_decoder_reads_it(codec: Protocol) -> None:
    report = codec.parse(SAMPLE)["report"]
    there = {name[1:] for name, value in report.items() if name[0] == "i" and value is not None}
    wanted = "010 140 020 040 070 090 220 240 250 161 200 170 230"
    assert sorted(there) == sorted(wanted.split())
    assert (report["i010"], float(report["i140"])) == (25 << 8 | 201, 27354.6015625)
    assert (report["i240"], report["i220"], report["i161"]) == ("DLH65A", 0x3C660C, 3563)
    assert (report["i020"]["type"], report["i020"]["fx_1"]) == (5, False)
    assert (report["i170"]["fx_1"], report["i170"]["fx_2"]) == (True, False)
    assert [report[f"fx_{number}"] for number in (1, 2, 3, 4)] == [True, True, False, None]


def test_bits_follow_from_what_is_given(codec: Protocol) -> None:
    report = {name: value for name, value in codec.parse(SAMPLE)["report"].items() if name[0] == "i"}
    assert codec.build({"report": report}) == SAMPLE
    assert codec.build({"report": {}}).hex() == "300004" + "00"
    assert codec.build({"report": {"i130": 7}}).hex() == "300005" + "02" + "07"
    assert codec.build({"report": {"i060": 7}}).hex() == "300008" + "01010108" + "07"
    assert codec.build({"report": {"i060": 7, "has_010": True, "fx_3": False}}).hex() == "300008" + "01010108" + "07"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("0100", "derived: report.fx_1 at byte 3: false expected, found true"),
        ("01010100", "derived: report.fx_1 at byte 3: false expected, found true"),
        ("0101010901", "constant"),
        ("80", "truncated"),
    ],
)
def test_octets_without_need_are_malformed(codec: Protocol, body: str, why: str) -> None:
    data = bytes.fromhex(body)
    with pytest.raises(DecodeError, match=f"^{why}"):
        codec.parse(bytes([48, 0, 3 + len(data)]) + data)


def test_an_integer_that_follows_is_given_as_a_whole(codec: Protocol) -> None:
    """A number in the second octet makes it follow, and then the others must be given."""
    with pytest.raises(EncodeError, match=r"^report\.i020\.more: missing$"):
        codec.build({"report": {"i020": {"type": 1, "flags": 0, "test": True}}})


def test_a_bitmap_is_the_same_without_columns_for_bits(codec: Protocol) -> None:
    bitmap = compiled.of(BITMAP).codec
    row = bitmap.parse(SAMPLE)
    items = {name: value for name, value in codec.parse(SAMPLE)["report"].items() if name[0] == "i"}
    assert row["report"] == items
    assert bitmap.build(row) == bitmap.build({"report": items}) == SAMPLE
    for report in ({}, {"i130": 7}, {"i060": 7}):
        assert bitmap.build({"report": report}) == codec.build({"report": report})
    with pytest.raises(EncodeError, match=r"^report\.fspec_1: unknown field; known are i010, "):
        bitmap.build({"report": {"fspec_1": True}})


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("0100", "derived: report.fspec_8 at byte 3: false expected, found true"),
        ("0101010280", "constant: report.fspec_30_to_32 at byte 6: bit 31 is 1, but has no field"),
        ("80", "truncated"),
    ],
)
def test_bits_of_a_bitmap_without_a_field_are_malformed(body: str, why: str) -> None:
    data = bytes.fromhex(body)
    with pytest.raises(DecodeError, match=f"^{why}"):
        compiled.of(BITMAP).codec.parse(bytes([48, 0, 3 + len(data)]) + data)


def test_each_of_63_fields_can_be_behind_a_bit_for_more() -> None:
    """As all data elements of ISO 8583, with names as long as names are."""
    names = [f"data_element_with_a_name_of_forty_letters_{bit:03}" for bit in (*range(2, 65), *range(66, 129))]
    bits = [*range(2, 65), *range(66, 129)]
    fields = ", ".join(f"{{bit: {bit}, name: {name}, type: u8}}" for bit, name in zip(bits, names, strict=True))
    spec = f"""\
protocol: every
byte_order: big
record: {{length: rest, fields: [{{section: body, size: rest}}]}}
---
message: all_of_them
match: {{}}
sections:
  body: [{{bitmap: u64, name: bitmap, extension: 1, fields: [{fields}]}}]
"""
    codec = compiled.of(spec).codec
    row = {name: number for number, name in enumerate(names)}
    data = codec.build({"all_of_them": row})
    assert data == b"\xff" * 8 + b"\x7f" + b"\xff" * 7 + bytes(range(126))
    assert codec.parse(data)["all_of_them"] == row
