"""Numbers are shown as the spec writes them: in reasons, in generated code, on the pages, in inspection."""

import copy
import pickle

import pytest
from support.compiled import Compiled, of

from wireloom.codec import DecodeError, EncodeError
from wireloom.inspection import inspect_record
from wireloom_generator import expressions
from wireloom_generator.emitters import docs, enums, parsers
from wireloom_generator.expressions import integer

SPEC = """
protocol: parcels
byte_order: little
enums:
  - {name: Kind, values: [{name: Letter, value: 0x0A}, {name: Private, from: 0xf0, to: 0xff}]}
  - {name: Place, values: [{name: Here, value: 12}]}
record:
  length: length
  proof: {valid: "magic == 0x574c and version in [0x01, 0x02] and length < 0x10000"}
  fields:
    - {name: magic, type: u16}
    - {name: version, type: u8}
    - {name: opcode, type: u8}
    - {name: length, type: u32, derive: size(record)}
    - {section: body, size: rest}
---
message: parcel
match: {opcode: 0x0c}
sections:
  body:
    - {name: marker, type: u24, const: 0x00beef}
    - {name: kind, type: u8, enum: Kind}
    - {name: mask, type: u16, valid: mask & 0x8000 == 0}
    - {name: place, type: u8, enum: Place, valid: place < 20}
    - bits: u8
      fields: [{name: high, width: 6, const: 0x05}, {name: low, width: 2, valid: low != 3}]
    - {name: seal, type: u16}
valid: seal != 0xbeef or place > 20
examples:
  - {name: One, hex: 4c57 01 0c 12000000 efbe00 0a 0700 0c 15 0100}
---
message: letter
match: {opcode: 0x0d}
sections: {body: [{name: grade, type: u8}]}
variants: [{name: fine, when: grade == 0x01, sections: {body: [{name: weight, type: u8}]}}]
otherwise: grade in [0x02, 0x03]
"""
RECORD = bytes.fromhex("4c57 01 0c 12000000 efbe00 0a 0700 0c 15 0100")


@pytest.fixture(scope="module")
def made() -> Compiled:
    return of(SPEC)


def _emitted(made: Compiled) -> str:
    return "\n".join(file.text for emit in (enums.emit, parsers.emit) for file in emit(made.protocol))


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (0, "6400", " and length < 0x10000 expected, found magic 0x0064, version 0x01, length 18"),
        (8, "ad", "marker at byte 8: 0x00beef expected, found 0x00bead"),
        (12, "0080", "mask at byte 12: mask & 0x8000 == 0 expected, found 0x8000"),
        (14, "15", "place at byte 14: place < 20 expected, found 21"),
        (15, "11", "high at byte 15: 0x05 expected, found 0x04"),
        (15, "17", "low at byte 15: low != 3 expected, found 3"),
        (16, "efbe", "seal != 0xbeef or place > 20 expected, found seal 0xbeef, place 12"),
    ],
)  # fmt: skip
def test_reasons_show_what_was_found_as_the_spec_writes_it(at: int, value: str, reason: str, made: Compiled) -> None:
    damaged = bytearray(RECORD)
    damaged[at : at + len(value) // 2] = bytes.fromhex(value)
    with pytest.raises(DecodeError) as caught:
        made.codec.parse(bytes(damaged))
    assert caught.value.reason.endswith(reason)


def test_reasons_of_records_without_a_variant_show_it_too(made: Compiled) -> None:
    with pytest.raises(DecodeError, match=r"grade in \[0x02, 0x03\] expected where no variant is, found grade 0x0b$"):
        made.codec.parse(bytes.fromhex("4c57 01 0d 09000000 0b"))


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("marker", 0xBEAD, "must be 0x00beef, not 0x00bead"),
        ("seal", 0xBEEF, "seal != 0xbeef or place > 20 expected, found seal 0xbeef, place 12"),
    ],
)
def test_errors_of_encoding_show_it_too(name: str, value: int, error: str, made: Compiled) -> None:
    row = made.codec.parse(RECORD)
    row["parcel"][name] = value
    with pytest.raises(EncodeError, match=error):
        made.codec.build(row)


@pytest.mark.parametrize(
    "code",
    [
        "Letter = 0x0a",
        "Here = 12",
        "(0xf0, 0xff, ",
        'match={"opcode": (0x0c,)}',
        "const=0x00beef",
        '"mask & 0x8000 == 0"',
        '"place < 20"',
    ],
)
def test_generated_code_writes_numbers_as_the_spec_does(code: str, made: Compiled) -> None:
    assert code in _emitted(made)


@pytest.mark.parametrize(
    "text",
    [
        "| 0x0a | `Letter` |",
        "| 0xf0 to 0xff | `Private` |",
        "| 12 | `Here` |",
        "Always `0x00beef`.",
        "Always `0x05`.",
        "`opcode` is 0x0c.",
    ],
)
def test_pages_write_numbers_as_the_spec_does(text: str, made: Compiled) -> None:
    assert text in "\n".join(file.text for file in docs.emit(made.protocol, {}))


def test_inspection_shows_numbers_as_the_spec_writes_them(made: Compiled) -> None:
    shown = {leaf.name: leaf.text for leaf in inspect_record(made.codec, RECORD).leaves()}
    assert {name: shown[name] for name in ("magic", "version", "opcode", "length", "kind", "mask", "place")} == {
        "magic": "0x574c",
        "version": "0x01",
        "opcode": "0x0c",
        "length": "18",
        "kind": "0x0a",
        "mask": "0x0007",
        "place": "12",
    }


def test_a_notation_is_no_difference() -> None:
    assert expressions.parse("a == 0x0c") == expressions.parse("a == 12")
    assert integer("0x0C") == integer("12") == 12


@pytest.mark.parametrize("text", ["0x0c", "-0x05", "12"])
def test_a_number_keeps_its_notation_when_it_is_copied(text: str) -> None:
    number = integer(text)
    assert [str(found) for found in (number, copy.deepcopy(number), pickle.loads(pickle.dumps(number)))] == [text] * 3


def test_digits_stay_apart_in_an_expression() -> None:
    parts = expressions.walk(expressions.parse("'0x10' == a and 0x0_c in [1_0, 0X1f]"))
    assert [str(part.value) for part in parts if isinstance(part, expressions.Value)] == ["0x10", "0x0c", "10", "0x1f"]
