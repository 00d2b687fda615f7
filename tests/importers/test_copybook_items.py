"""Items of copybooks: what their pictures and usages say, and where they are."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cli.calls import run
from support import compiled

from importers.copybooks import ACCOUNT, ITEMS, fixed, imported, running, shown, total
from wireloom_generator.importers.copybook.pictures import Kind, PictureError, picture


def test_a_spec_reads_as_if_it_was_written_by_hand(tmp_path: Path) -> None:
    folder = imported(tmp_path, ACCOUNT, "account.cpy")
    assert (folder / "protocol.yaml").read_text() == (
        """\
# yaml-language-server: $schema=../schema.json
protocol: account
source: {document: account.cpy}
byte_order: big
# Records of a fixed size (RECFM=F). For records that each begin with an RDW (RECFM=V), write instead:
# record:
#   length: rdw_length
#   fields:
#     - {name: rdw_length, type: u16, derive: size(record)}
#     - {name: rdw_segment, type: u16, const: 0}
#     - {section: body, size: rest}
# For blocks of them (RECFM=VB), write this, and the other sections of the message:
# types:
#   - name: DescribedRecord
#     fields:
#       - {name: rdw_length, type: u16, derive: size(data) + 4}
#       - {name: rdw_segment, type: u16, const: 0}
#       - section: data
#         size: rdw_length - 4
#         fields: [{include: AccountRecord}]
# record:
#   length: bdw_length
#   fields:
#     - {name: bdw_length, type: u16, derive: size(record)}
#     - {name: bdw_reserved, type: u16, const: 0}
#     - {section: body, size: rest}
record:
  length: 66
  fields: [{section: body, size: rest}]
"""
    )
    assert (folder / "account_record.yaml").read_text() == (
        """\
# yaml-language-server: $schema=../schema.json
message: account_record
doc: Accounts, one for each customer.
source: {document: account.cpy, section: line 2}
match: {}
enums:
  - name: Branch
    values:
      - {name: HEAD_OFFICE, label: HEAD-OFFICE, value: 1}
      - {name: ABROAD_100, from: 100, to: 199}
      - {name: ABROAD_300, value: 300}
    groups: {ABROAD: [ABROAD_100, ABROAD_300]}
types:
  - name: AccountRecord
    source: {document: account.cpy, section: line 2}
    fields:
      - {name: holder, type: text, size: 20, pad: "40", encoding: cp037, doc: Who holds the account. PIC X(20).}
      - {name: balance, type: bcd, digits: 11, scale: 2, sign: signed, doc: PIC S9(9)V99 COMP-3.}
      - name: status_code
        type: text
        size: 1
        pad: "40"
        encoding: cp037
        doc: "PIC X. ACTIVE: 'A'. CLOSED: 'C', 'D'."
      - {name: branch, type: u16, enum: Branch, doc: PIC 9(4) COMP.}
      - {name: filler_1, type: bytes, size: 3, reserved: true, doc: PIC X(3).}
      - {name: entries, type: Entries, repeat: {count: 2}}
  - name: Entries
    source: {document: account.cpy, section: line 13}
    fields:
      - {name: amount, type: bcd, digits: 9, scale: 2, sign: signed, doc: PIC S9(7)V99 COMP-3.}
      - {name: purpose, type: text, size: 12, pad: "40", encoding: cp037, default: "''", doc: PIC X(12).}
# For blocks (RECFM=VB):
# sections:
#   body: [{name: records, type: DescribedRecord, repeat: rest}]
sections:
  body: [{include: AccountRecord}]
"""
    )


def test_what_became_of_the_copybook_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("account.cpy").write_text(ACCOUNT)
    result = run("import", "account.cpy")
    assert result.stderr == "account.cpy:16:8: HEAD: refused: level 66: RENAMES gives a second name to bytes\n"
    assert result.stdout.endswith("messages and types: 2 whole, 0 in bytes, 1 refused, no problems\n")


def test_items_are_what_their_pictures_and_usages_say(tmp_path: Path) -> None:
    lines = [f"    05 F-{number} {clauses}." for number, (clauses, _, _) in enumerate(ITEMS)]
    found = running(tmp_path, fixed("01 R.\n" + "\n".join(lines)))
    data = bytes.fromhex("".join(item[1] for item in ITEMS))
    row = found.codec.parse(data)
    values = {f"f_{number}": shown(row.r[f"f_{number}"]) for number in range(len(ITEMS))}
    assert values == {f"f_{number}": value for number, (_, _, value) in enumerate(ITEMS)}
    assert found.codec.build({"r": {name: row.r[name] for name in values}}) == data
    assert [
        shown(item) for item in found.columnar.decode_columnar(data).to_pylist()[0]["r"].values() if item is not None
    ]


def test_items_as_cobrix_reads_them(tmp_path: Path) -> None:
    """COMP-0 is COMP, and a sign beside a point that is written stays the zone of the last digit, in a text."""
    found = running(tmp_path, fixed("01 R.\n    05 A PIC S9(4) COMP-0.\n    05 B PIC S9(2).9."))
    row = found.codec.parse(data := bytes.fromhex("fff4 f1f24bd5"))
    assert (row.r.a, row.r.b) == (-12, "12.N")
    assert found.codec.build(row) == data


@pytest.mark.parametrize(
    ("clauses", "data", "digits", "value"),
    [
        ("PIC S9(2)P(3)", "f1d2", -12, -12000),
        ("PIC S9(2)P(3)", "f1c2", 12, 12000),
        ("PIC S9(2)P(3)", "f1f2", 12, 12000),  # without a sign, which is kept
        ("PIC SVPP9(2)", "f1d2", -12, "-0.0012"),
        ("PIC S9(3)PP SIGN LEADING SEPARATE", "60f1f2f3", -123, -12300),
        ("PIC S9(3)PP COMP-3", "123c", 123, 12300),
        ("PIC SPP9(3) COMP-3", "123d", -123, "-0.00123"),
        ("PIC SPP9(3) COMP-3", "000d", 0, "0.00000"),
        ("PIC 9(3)P COMP-3", "123f", 123, 1230),
    ],
)
def test_a_signed_number_with_assumed_digits_has_its_digits_beside_it(
    tmp_path: Path, clauses: str, data: str, digits: int, value: int | str
) -> None:
    found = running(tmp_path, fixed(f"01 R.\n    05 A {clauses}."))
    row = found.codec.parse(bytes.fromhex(data))
    assert (row.r.a_digits, shown(row.r.a)) == (digits, value)
    assert found.codec.build(row).hex() == data
    (table,) = found.columnar.decode_columnar(bytes.fromhex(data)).to_pylist()
    assert str(table["r"]["a"]) == str(value)


def test_of_a_list_a_signed_number_with_assumed_digits_is_bytes_with_the_reason(tmp_path: Path) -> None:
    folder = imported(tmp_path, fixed("01 R.\n    05 A PIC S9(2)P(3) OCCURS 2.\n    05 B PIC X."))
    text = (folder / "r.yaml").read_text()
    assert "# TODO: " in text
    assert "- {name: a, type: bytes, size: 2, repeat: {count: 2}, doc: PIC S9(2)P(3).}" in text
    assert compiled.compiled(folder).codec.parse(b"\xf1\xc2\xf1\xc2\xc1").r.b == "A"


@pytest.mark.parametrize(
    ("text", "kind", "size", "scale", "is_signed"),
    [
        ("X(10)", Kind.TEXT, 10, 0, False),
        ("XXX", Kind.TEXT, 3, 0, False),
        ("x(0010)", Kind.TEXT, 10, 0, False),
        ("X9A", Kind.TEXT, 3, 0, False),
        ("XX/XX", Kind.TEXT, 5, 0, False),
        ("9(3)9(2)", Kind.NUMBER, 5, 0, False),
        ("S9(7)V9(2)", Kind.NUMBER, 9, 2, True),
        ("S9(7)V", Kind.NUMBER, 7, 0, True),
        ("SV9", Kind.NUMBER, 1, 1, True),
        ("SP(2)9", Kind.NUMBER, 1, 3, True),
        ("SVPP9(5)", Kind.NUMBER, 5, 7, True),
        ("9PPV", Kind.NUMBER, 1, -2, False),
        ("9(3).99", Kind.EDITED, 6, 0, False),
        ("S9(3).99", Kind.EDITED, 6, 0, False),
        ("-9(3)", Kind.EDITED, 4, 0, False),
        ("9(4)+", Kind.EDITED, 5, 0, False),
        ("Z(4)V99", Kind.EDITED, 6, 0, False),
        ("***9DB", Kind.EDITED, 6, 0, False),
        ("99/99/9999", Kind.EDITED, 10, 0, False),
        ("+9.9(3)E+99", Kind.EDITED, 10, 0, False),
        ("N(4)", Kind.NATIONAL, 4, 0, False),
        ("G(4)", Kind.DOUBLE_BYTES, 4, 0, False),
    ],
)
def test_pictures(text: str, kind: Kind, size: int, scale: int, is_signed: bool) -> None:
    found = picture(text)
    assert (found.kind, found.size, found.scale, found.is_signed) == (kind, size, scale, is_signed)


@pytest.mark.parametrize(
    "text", ["V", "S", "X(", "X()", "X(0)", "Q", "9S", "9V9V9", "P9P", "9(4)X(2)V", "X(9999999999)"]
)
def test_pictures_without_a_meaning(text: str) -> None:
    with pytest.raises(PictureError):
        picture(text)


# IBM's own examples (Enterprise COBOL Language Reference, "Slack bytes"): unused bytes are before a group that begins
# with the item, and at the end of each occurrence.
@pytest.mark.parametrize(
    ("text", "size", "places"),
    [
        (
            """
            01 FIELD-A.
               05 FIELD-B PIC X(5).
               05 FIELD-C.
                  10 FIELD-D PIC XX.
                  10 FIELD-E COMPUTATIONAL PIC S9(6) SYNC.
            """,
            12,
            {"field_a": {"field_b": 0, "field_c": {"field_d": 5, "slack_1": 7, "field_e": 8}}},
        ),
        (
            """
            01 FIELD-L.
               05 FIELD-M PIC X(5).
               05 FIELD-N PIC XX.
               05 FIELD-O.
                  10 FIELD-P COMPUTATIONAL PIC S9(6) SYNC.
            """,
            12,
            {"field_l": {"field_m": 0, "field_n": 5, "slack_1": 7, "field_o": {"field_p": 8}}},
        ),
        (
            """
            01 COMP-RECORD.
               05 A-1 PIC X(5).
               05 A-2 PIC X(3).
               05 A-3 PIC X(3).
               05 B-1 PIC S9999 USAGE COMP SYNCHRONIZED.
               05 B-2 PIC S99999 USAGE COMP SYNCHRONIZED.
               05 B-3 PIC S9999 USAGE COMP SYNCHRONIZED.
            """,
            22,
            {
                "comp_record": {
                    "a_1": 0,
                    "a_2": 5,
                    "a_3": 8,
                    "slack_1": 11,
                    "b_1": 12,
                    "slack_2": 14,
                    "b_2": 16,
                    "b_3": 20,
                }
            },
        ),
        ("01 R.\n 05 A PIC X.\n 05 B PIC S9(18) COMP SYNC.", 12, {"r": {"a": 0, "slack_1": 1, "b": 4}}),
        ("01 R.\n 05 A PIC X.\n 05 B COMP-2 SYNC.", 16, {"r": {"a": 0, "slack_1": 1, "b": 8}}),
        ("01 R SYNC.\n 05 A PIC X.\n 05 B COMP-1.", 8, {"r": {"a": 0, "slack_1": 1, "b": 4}}),
    ],
)
def test_synchronized_items_have_unused_bytes_before_them(
    tmp_path: Path, text: str, size: int, places: dict[str, Any]
) -> None:
    found = running(tmp_path, fixed(text))
    (message,) = found.protocol.messages
    data = bytes(range(1, size + 1))
    row = found.codec.parse(data)
    assert _first_bytes(row, places) == dict(_flat(places))
    assert found.codec.build(row) == data
    assert message.name in places


def _flat(places: dict[str, Any]) -> list[tuple[str, int]]:
    return [
        each for key, value in places.items() for each in (_flat(value) if isinstance(value, dict) else [(key, value)])
    ]


def _first_bytes(row: Any, places: dict[str, Any]) -> dict[str, int]:
    """Where items begin in bytes that count, by the first byte of their values."""
    found: dict[str, int] = {}
    for key, value in places.items():
        if isinstance(value, dict):
            found |= _first_bytes(row[key], value)
        else:
            found[key] = _first_byte(row[key], row.get(f"{key}_bytes")) - 1
    return found


def _first_byte(value: Any, raw: bytes | None) -> int:
    if raw is not None:
        return raw[0]
    if isinstance(value, str):
        return value.encode("cp037")[0]
    if isinstance(value, bytes):
        return value[0]
    return value.to_bytes((value.bit_length() + 7) // 8, "big")[0]


def test_each_occurrence_is_aligned(tmp_path: Path) -> None:
    """IBM's figure of COMP-TABLE: an occurrence has 16 bytes, and the record 161."""
    found = running(
        tmp_path,
        fixed(
            """
            01 WORK-RECORD.
               05 WORK-CODE PIC X.
               05 COMP-TABLE OCCURS 10 TIMES.
                  10 COMP-TYPE PIC X.
                  10 COMP-PAY PIC S9(4)V99 COMP SYNC.
                  10 COMP-HRS PIC S9(3) COMP SYNC.
                  10 COMP-NAME PIC X(5).
            """
        ),
    )
    item = bytes.fromhex("c1 0000 00003039 0005 c1c2c3c4c5 0000")
    row = found.codec.parse(b"\xc1" + item * 10)
    assert len(row.work_record.comp_table) == 10
    last = row.work_record.comp_table[9]
    assert (last.comp_pay, last.comp_hrs, last.comp_name) == (Decimal("123.45"), 5, "ABCDE")
    assert found.codec.build(row) == b"\xc1" + item * 10


def test_sync_is_about_binary_numbers() -> None:
    assert total("01 R.\n 05 A PIC X.\n 05 B PIC 9(3) SYNC.\n 05 C PIC 9(3) COMP-3 SYNC.") == 6


@pytest.mark.parametrize("digits", range(1, 19))
def test_binary_numbers_have_two_four_or_eight_bytes(digits: int) -> None:
    assert total(f"01 R PIC 9({digits}) COMP.") == (2 if digits <= 4 else 4 if digits <= 9 else 8)
