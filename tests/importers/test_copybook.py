"""Copybooks: what is read in them, where items are, and that other implementations of COBOL agree about the bytes."""

import re
import shutil
import struct
import subprocess
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli.calls import run
from hypothesis import given, settings
from hypothesis import strategies as st
from support import compiled

from importers.copybooks import ASCII, NATIVE, fixed, imported, instead, replaced, running
from wireloom_generator.importers import SourceError, Sources
from wireloom_generator.importers.copybook import IMPORTER
from wireloom_generator.importers.copybook.entries import copybook
from wireloom_generator.importers.copybook.layout import laid_out
from wireloom_generator.importers.copybook.pictures import Kind, PictureError, picture
from wireloom_generator.importing import imported as specs_of

HERE = Path("a.cpy")

ACCOUNT = """\
000100* Accounts, one for each customer.                                BANK0001
000200 01  ACCOUNT-RECORD.                                              BANK0001
000300*    Who holds the account
000400     05  HOLDER              PIC X(20).
000500     05  BALANCE             PIC S9(9)V99 COMP-3.
000600     05  STATUS-CODE         PIC X.
000700         88  ACTIVE          VALUE 'A'.
000800         88  CLOSED          VALUES 'C' 'D'.
000900     05  BRANCH              PIC 9(4) COMP.
001000         88  HEAD-OFFICE     VALUE 1.
001100         88  ABROAD          VALUES 100 THRU 199, 300.
001200     05  FILLER              PIC X(3).
001300     05  ENTRIES OCCURS 2 TIMES.
001400         10  AMOUNT          PIC S9(7)V99 COMP-3.
001500         10  PURPOSE         PIC X(12) VALUE SPACES.
001600 66  HEAD RENAMES HOLDER THRU BALANCE.
"""


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
doc: "Accounts, one for each customer."
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


# Bytes worked out by hand: zones and signs from z/Architecture's Principles of Operation (decimal formats, hexadecimal
# floats), sizes of COMP from the table of computational items of Enterprise COBOL, which Cobrix follows.
ITEMS: list[tuple[str, str, Any]] = [
    ("PIC X(4)", "c1824040", "Ab"),
    ("PIC A(2)", "c1c2", "AB"),
    ("PIC X(3) JUSTIFIED RIGHT", "4040c1", "  A"),
    ("PIC 9(4)", "f0f0f1f2", 12),
    ("PIC S9(3)", "f0f1d2", -12),
    ("PIC S9(3)", "f0f1c2", 12),
    ("PIC S9(3) SIGN IS LEADING", "d0f1f2", -12),
    ("PIC S9(3) SIGN LEADING SEPARATE CHARACTER", "60f0f1f2", -12),
    ("PIC S9(3) TRAILING SEPARATE", "f0f1f24e", 12),
    ("PIC S9(3)V99 DISPLAY", "f1f2f3f4d5", "-123.45"),
    ("PIC 9V9(3)", "f1f2f3f4", "1.234"),
    ("PIC SV9(2)", "f1d2", "-0.12"),
    ("PIC 9(2)P(3)", "f1f2", 12000),
    ("PIC VP(3)99", "f1f2", "0.00012"),
    ("PIC PP9", "f5", "0.005"),
    ("PIC S9(4) COMP", "fff4", -12),
    ("PIC 9(4) USAGE IS BINARY", "fff4", 65524),
    ("PIC S9(5) COMP-4", "fffffff4", -12),
    ("PIC 9(9) COMPUTATIONAL", "fffffff4", 4294967284),
    ("PIC S9(10) COMP", "fffffffffffffff4", -12),
    ("PIC 9(18) COMP-5", "fffffffffffffff4", 18446744073709551604),
    ("PIC S9(3)V99 COMP", "ffffcfc7", "-123.45"),
    ("PIC 9(4)P(2) COMP", "000c", 1200),
    ("PIC S9(4) COMP-9", "f4ff", -12),
    ("PIC 9(2) COMP-9", "0c", 12),
    ("COMP-1", "c276a000", -118.625),
    ("USAGE COMP-2", "4110000000000000", 1.0),
    ("PIC S9(5) COMP-3", "12345d", -12345),
    ("PIC S9(4) PACKED-DECIMAL", "01234c", 1234),
    ("PIC 9(3)V99 COMP-3", "12345f", "123.45"),
    ("PIC 9(5) COMP-6", "012345", 12345),
    ("PIC 9(4) COMP-3U", "1234", 1234),
    ("PIC ZZ,ZZ9.99-", "40f16bf2f3f44bf5f660", " 1,234.56-"),
    ("PIC $$9.99CR", "405bf54bf0f0c3d9", " $5.00CR"),
    ("PIC N(2)", "00410020", "A"),
    ("PIC X(4) COMP", "00ff00ff", "00ff00ff"),
    ("USAGE INDEX", "00000001", "00000001"),
    ("POINTER", "00000002", "00000002"),
    ("PIC G(2) DISPLAY-1", "42c142c2", "42c142c2"),
]


def _shown(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else str(value) if isinstance(value, Decimal) else value


def test_items_are_what_their_pictures_and_usages_say(tmp_path: Path) -> None:
    lines = [f"    05 F-{number} {clauses}." for number, (clauses, _, _) in enumerate(ITEMS)]
    found = running(tmp_path, fixed("01 R.\n" + "\n".join(lines)))
    data = bytes.fromhex("".join(item[1] for item in ITEMS))
    row = found.codec.parse(data)
    values = {f"f_{number}": _shown(row.r[f"f_{number}"]) for number in range(len(ITEMS))}
    assert values == {f"f_{number}": value for number, (_, _, value) in enumerate(ITEMS)}
    assert found.codec.build({"r": {name: row.r[name] for name in values}}) == data
    assert [
        _shown(item) for item in found.columnar.decode_columnar(data).to_pylist()[0]["r"].values() if item is not None
    ]


def test_a_signed_number_with_assumed_digits_is_bytes_with_the_reason(tmp_path: Path) -> None:
    folder = imported(tmp_path, fixed("01 R.\n    05 A PIC S9(2)P(3).\n    05 B PIC X."))
    text = (folder / "r.yaml").read_text()
    assert "# TODO: " in text
    assert "- {name: a, type: bytes, size: 2, doc: PIC S9(2)P(3).}" in text
    assert compiled.compiled(folder).codec.parse(b"\xf1\xc2\xc1").r.b == "A"


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


def _total(text: str) -> int | None:
    (record,) = copybook(HERE, fixed(text)).records
    return laid_out(record).total


def test_sync_is_about_binary_numbers() -> None:
    assert _total("01 R.\n 05 A PIC X.\n 05 B PIC 9(3) SYNC.\n 05 C PIC 9(3) COMP-3 SYNC.") == 6


@pytest.mark.parametrize("digits", range(1, 19))
def test_binary_numbers_have_two_four_or_eight_bytes(digits: int) -> None:
    assert _total(f"01 R PIC 9({digits}) COMP.") == (2 if digits <= 4 else 4 if digits <= 9 else 8)


# OCCURS DEPENDING ON

LINES = """
    01 INVOICE.
       05 NUMBER-OF-LINES PIC {number}.
       05 LINE-ITEM OCCURS 1 TO 3 TIMES DEPENDING ON NUMBER-OF-LINES.
          10 ARTICLE PIC X(2).
          10 PIECES PIC 9(3) COMP-3.
       05 REMARK PIC X(3).
"""


@pytest.mark.parametrize(
    ("number", "data"),
    [("9(2)", "f0f2"), ("S9(4) COMP", "0002"), ("9(3) COMP-3", "002f"), ("S9 SIGN TRAILING SEPARATE", "f24e")],
)
def test_what_follows_a_list_of_a_variable_size_is_right_behind_it(tmp_path: Path, number: str, data: str) -> None:
    found = running(tmp_path, fixed(LINES.format(number=number)))
    record = bytes.fromhex(data) + bytes.fromhex("c1c2 012f c3c4 345f d6d24b")
    first, second = found.codec.iter_records(record * 2)
    assert first.invoice == second.invoice
    assert [(item.article, item.pieces) for item in first.invoice.line_item] == [("AB", 12), ("CD", 345)]
    assert (first.invoice.number_of_lines, first.invoice.remark) == (2, "OK.")
    values = {"line_item": [{"article": "AB", "pieces": 12}, {"article": "CD", "pieces": 345}], "remark": "OK."}
    assert found.codec.build({"invoice": values}) == record
    (row, _) = found.columnar.decode_columnar(record * 2).to_pylist()
    assert row["invoice"]["line_item"][1]["pieces"] == 345


def test_more_items_than_the_copybook_has_are_malformed(tmp_path: Path) -> None:
    found = running(tmp_path, fixed(LINES.format(number="9(2)")))
    (row,) = found.codec.iter_records(bytes.fromhex("f0f4") + b"\xf0" * 19, mode="PERMISSIVE")
    assert "number_of_lines <= 3" in row["_corrupt_reason"]


def test_numbers_reach_groups_inside_of_groups(tmp_path: Path) -> None:
    found = running(
        tmp_path,
        fixed(
            """
            01 R.
               05 HEAD.
                  10 COUNTS.
                     15 ROWS PIC 9.
                     15 COLUMNS-N PIC 9.
               05 BODY.
                  10 ROW-N OCCURS 0 TO 5 DEPENDING ON ROWS OF COUNTS.
                     15 CELL PIC X OCCURS 0 TO 5 DEPENDING ON COLUMNS-N.
               05 LAST-ONE PIC X.
            """
        ),
    )
    record = "23abcdefz".encode("cp037")
    row = found.codec.parse(record)
    assert [row_n.cell for row_n in row.r.body.row_n] == [["a", "b", "c"], ["d", "e", "f"]]
    assert row.r.last_one == "z"
    assert found.codec.build(row) == record
    assert [each.r.last_one for each in found.codec.iter_records(record * 3)] == ["z"] * 3


# REDEFINES

DATES = """
    01 R.
       05 OPENED PIC 9(8).
       05 PARTS REDEFINES OPENED.
          10 YEAR-N PIC 9(4).
          10 MONTH-N PIC 99.
          10 DAY-N PIC 99.
       05 OPENED-X REDEFINES OPENED PIC X(8).
       05 LAST-ONE PIC X.
"""


def test_views_that_are_never_malformed_are_columns_of_the_same_bytes(tmp_path: Path) -> None:
    found = running(tmp_path, fixed(DATES))
    data = "20310704z".encode("cp037")
    row = found.codec.parse(data).r
    assert (row.opened, row.parts.year_n, row.parts.month_n, row.parts.day_n, row.opened_x) == (
        20310704,
        2031,
        7,
        4,
        "20310704",
    )
    assert found.codec.build({"r": {"opened": 20310704, "last_one": "z"}}) == data
    table = found.columnar.decode_columnar(data).to_pylist()
    assert table[0]["r"]["parts"] == {"year_n": 2031, "month_n": 7, "day_n": 4}


SEGMENTS = """
    01 R.
       05 KIND PIC X.
       05 PERSON.
          10 NAME-OF-IT PIC X(4).
       05 COMPANY REDEFINES PERSON.
          10 EMPLOYEES PIC S9(5) COMP-3.
          10 CITY PIC X(4).
       05 LAST-ONE PIC X.
"""


def test_a_view_that_can_be_malformed_is_bytes_and_a_choice_to_make(tmp_path: Path) -> None:
    folder = imported(tmp_path, fixed(SEGMENTS))
    text = (folder / "r.yaml").read_text()
    assert (
        """\
      # TODO: COMPANY redefines PERSON, and EMPLOYEES is malformed in records that have something else there. If a field
      #   says which one a record has, write instead:
      # - choice:
      #     - when: ...
      #       fields: [{name: person, type: Person}]
      #     - when: ...
      #       fields: [{name: company, type: Company}]
      - {name: person, type: Person}
"""
        in text
    )
    found = compiled.compiled(folder)
    person, company = "PAnnaxyzz".encode("cp037"), b"\xc3\x12\x34\x5d" + "Romez".encode("cp037")
    assert found.codec.parse(person).r.person.name_of_it == "Anna"
    row = found.codec.parse(company)
    assert (row.r.company.hex(), row.r.last_one) == ("12345dd9969485", "z")
    assert [found.codec.build(found.codec.parse(data)) for data in (person, company)] == [person, company]


def test_the_choice_reads_each_view_where_it_is(tmp_path: Path) -> None:
    folder = imported(tmp_path, fixed(SEGMENTS))
    path = folder / "r.yaml"
    lines = path.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.endswith("- choice:"))
    end = next(number for number, line in enumerate(lines) if line.startswith("      - {name: last_one"))
    chosen = [line.replace("      # ", "      ", 1) for line in lines[start : start + 5]]
    rest = "- {name: person_rest, type: bytes, size: 3, reserved: true}"
    chosen[2] = f"{chosen[2].removesuffix(']')}, {rest.removeprefix('- ')}]"
    text = "\n".join([*lines[:start], *chosen, *lines[end:]])
    text = text.replace("when: ...", "when: kind == 'P'", 1).replace("when: ...", "when: kind == 'C'", 1)
    path.write_text(re.sub(r" *accept: .*\n", "", text))
    found = compiled.compiled(folder)
    company = b"\xc3\x12\x34\x5d" + "Romez".encode("cp037")
    row = found.codec.parse(company)
    assert (row.r.person, row.r.company.employees, row.r.company.city) == (None, -12345, "Rome")
    assert found.codec.build(row) == company


def test_views_in_a_record_of_a_variable_size_come_last(tmp_path: Path) -> None:
    found = running(
        tmp_path,
        fixed(
            """
            01 R.
               05 OPENED PIC X(4).
               05 OPENED-N REDEFINES OPENED PIC S9(9) COMP.
               05 N PIC 9.
               05 ITEM PIC X OCCURS 0 TO 9 DEPENDING ON N.
            """
        ),
    )
    data = bytes.fromhex("00000102 f2 c1c2")
    rows = list(found.codec.iter_records(data * 2))
    assert [(row.r.opened_n, row.r.item) for row in rows] == [(258, ["A", "B"])] * 2
    assert found.codec.build(rows[0]) == data


# Record formats


def _built(folder: Path, which: int | None, *pairs: tuple[str, str], text: str = ACCOUNT) -> Any:
    protocol = imported(folder, text, "account.cpy")
    if which is not None:
        instead(protocol / "protocol.yaml", which)
        if which:
            instead(protocol / "account_record.yaml", 0)
    replaced(protocol, *pairs)
    return compiled.compiled(protocol)


def _account(holder: str, amount: int) -> bytes:
    entry = bytes.fromhex(f"{amount:09}c") + "rent".ljust(12).encode("cp037")
    return holder.ljust(20).encode("cp037") + bytes.fromhex("00000012345d c1 0001 000000") + entry * 2


def _holders(rows: Any) -> list[str]:
    return [row.account_record.holder for row in rows]


def test_records_of_a_fixed_size_follow_each_other(tmp_path: Path) -> None:
    found = _built(tmp_path, None)
    data = _account("Anna", 5) + _account("Bert", 6)
    rows = list(found.codec.iter_records(data))
    assert _holders(rows) == ["Anna", "Bert"]
    assert (rows[0].account_record.balance, rows[1].account_record.entries[1].amount) == (
        Decimal("-123.45"),
        Decimal("0.06"),
    )
    assert b"".join(map(found.codec.build, rows)) == data
    assert found.columnar.decode_columnar(data).num_rows == 2


SHORT = """
       01 ACCOUNT-RECORD.
          05 HOLDER PIC X(2).
          05 N PIC 9.
          05 ITEM PIC X OCCURS 0 TO 9 DEPENDING ON N.
"""


@pytest.mark.parametrize(
    ("pairs", "header"),
    [
        # z/OS: the length is big endian, and that of the descriptor is in it.
        ((), "0009 0000"),
        # Cobrix without options, and what FTP clients for PCs write: little endian, and without the descriptor.
        (
            (
                ("length: rdw_length", "length: 4 + rdw_length"),
                (
                    "{name: rdw_length, type: u16, derive: size(record)}",
                    "{name: rdw_length, type: u16, byte_order: little, derive: size(body)}",
                ),
                ("    - {name: rdw_segment, type: u16, const: 0}\n", ""),
                ("    - {name: rdw_length", "    - {name: rdw_segment, type: u16, const: 0}\n    - {name: rdw_length"),
            ),
            "0000 0500",
        ),
        # Cobrix with is_rdw_big_endian, and GnuCOBOL.
        (
            (
                ("length: rdw_length", "length: 4 + rdw_length"),
                ("derive: size(record)", "derive: size(body)"),
            ),
            "0005 0000",
        ),
    ],
)
def test_records_with_a_descriptor_word(tmp_path: Path, pairs: tuple[tuple[str, str], ...], header: str) -> None:
    found = _built(tmp_path, 0, ("# Not with an RDW.\nlength: 3 + n\n", ""), *pairs, text=SHORT)
    record = bytes.fromhex(header) + "Ab2xy".encode("cp037")
    rows = list(found.codec.iter_records(record * 3))
    assert [row.account_record.item for row in rows] == [["x", "y"]] * 3
    assert found.codec.build({"account_record": {"holder": "Ab", "item": ["x", "y"]}}) == record
    assert found.columnar.decode_columnar(record * 3).num_rows == 3


def test_blocks_with_a_descriptor_word_are_rows_of_records(tmp_path: Path) -> None:
    """Of z/OS DFSMS Using Data Sets, "Variable-Length Record Formats": both words count themselves."""
    found = _built(tmp_path, 1)
    anna, bert, carl = (bytes.fromhex("0046 0000") + _account(name, 5) for name in ("Anna", "Bert", "Carl"))
    data = bytes.fromhex("0090 0000") + anna + bert + bytes.fromhex("004a 0000") + carl
    rows = list(found.codec.iter_records(data))
    assert [[each.holder for each in row.account_record.records] for row in rows] == [["Anna", "Bert"], ["Carl"]]
    assert b"".join(map(found.codec.build, rows)) == data
    records = found.columnar.decode_columnar(data).to_pylist()[0]["account_record"]["records"]
    assert [each["entries"][0]["amount"] for each in records] == [Decimal("0.05")] * 2


# Conditions and values


def test_conditions_without_a_number_are_in_the_documentation(tmp_path: Path) -> None:
    text = """
        01 R.
           05 A PIC 9V9 COMP.
              88 HALF VALUE 0.5.
           05 B PIC S9(4) COMP.
              88 LOW-ONE VALUES ARE -5 THRU -1.
              88 NONE-OF-IT VALUE IS ZERO.
              88 BOTH-OF-IT VALUES 0, 7.
           05 C PIC X(2) VALUE 'it'.
           05 D PIC 9(2) VALUE 12.
           05 E PIC 9V9 VALUE 1.5.
           05 F PIC X(3) VALUE HIGH-VALUES.
           05 FILLER PIC X(3) VALUE "a'b".
           05 FILLER PIC X(3) VALUE 'end'.
    """
    folder = imported(tmp_path, fixed(text))
    found = compiled.compiled(folder)
    (b,) = (each for each in found.protocol.enums)
    assert b.name == "B"
    written = (folder / "r.yaml").read_text()
    assert "- {name: LOW_ONE, label: LOW-ONE, from: -5, to: -1}" in written
    assert "- {name: BOTH_OF_IT_7, value: 7}" in written
    assert 'doc: "PIC 9V9 COMP. HALF: 0.5."' in written
    row = {"a": Decimal("0.5"), "b": -3, "e": Decimal("1.5"), "f": "", "filler_1": "a'b"}
    data = found.codec.build({"r": row})
    assert data == bytes.fromhex("0005 fffd 89a3 f1f2 f1f5 404040 817d82 859584")
    assert found.codec.parse(data).r.b_name == "LOW-ONE"


# How copybooks are written

SAME = [
    "       01  R.\n           05  A PIC X(2).\n           05  B PIC 9(3) COMP-3.\n",
    "000010 01  R.                                                            PROG\n"
    "000020     05  A PIC X(2).\n000030     05  B PIC 9(3)\n000040            COMP-3.\n",
    "     1 01  R.\n    10     05  A PIC X(2).\n   100     05  B PIC 9(3) COMP-3.\n",
    "      *" + " a long remark" * 9 + "\n       01  R.\n       05  A PIC X(2).\n       05  B PIC 9(3) COMP-3.\n",
    "ABC123 01 R. 05 A PIC X(2). 05 B PIC 9(3) COMP-3.\n",
    "01 R.\n05 A PIC X(2).\n05 B PIC 9(3) COMP-3.\n",
    "01  R.\n  05  A PIC X(2). *> two letters\n  *> a number\n  05  B PIC 9(3) COMP-3." + " " * 60 + "*> far away\n",
    "      * A record\n       01  R.\n      /\n\t05  A PICTURE IS X(2).\n"
    "      D    05  DEBUG-ONLY PIC X.\n       EJECT\n       SKIP1\n\t05  B; PIC 9(3), USAGE COMP-3.\n",
    "      >>SOURCE FORMAT IS FREE\n                     01 R. 05 A PIC X(2).\n 05 B PIC 9(3) COMP-3.\n",
    "       01  R.\r\n           05  A PIC X\r\n      -    X.\r\n           05  B PIC 9(3) COMP-3.\r\n\x1a",
    "       01  R.\n           05  A PIC X(2) VALUE 'a.b\n      -    ' c.'.\n           05  B PIC 9(3) COMP-3.\n",
    "       05  A PIC XX.\n       05  B PIC 9(3) USAGE PACKED-DECIMAL.\n",
    "       01  R USAGE COMP-3.\n           05  A PIC XX DISPLAY.\n           05  B PIC 999.\n",
]


@pytest.mark.parametrize("text", SAME)
def test_formats_of_source(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.cpy").write_bytes(text.encode())
    assert run("import", tmp_path / "r.cpy", "--out", tmp_path / "specs").exit_code == 0
    found = compiled.compiled(tmp_path / "specs" / "r")
    row = found.codec.parse(bytes.fromhex("c1c2 123f")).r
    assert (row.a, row.b) == ("AB", 123)


def test_comments_are_the_documentation_of_what_is_below_or_beside_them() -> None:
    text = """
      ******************************
      * Of the bank,                *
      * as of today                 *
      ******************************
       01  R.
      * About something else

           05  A PIC X. *> The first
      *--- The second ---
           05  B
                                  *> one
               PIC X.
           05  C PIC X.
    """
    (record,) = copybook(HERE, text).records
    assert [each.doc for each in (record, *record.items)] == [
        "Of the bank, as of today",
        "The first",
        "The second one",
        "",
    ]


def test_several_records_are_protocols_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "both.cpy"
    path.write_text(
        fixed(
            "01 HEAD-R.\n 05 A PIC X.\n01 TAIL-R REDEFINES HEAD-R PIC 9(3).\n"
            "77 COUNTER PIC 9(4) COMP.\n78 MOST VALUE 5."
        )
    )
    result = run("import", path, "--out", tmp_path / "specs")
    assert "MOST: refused: level 78: a constant has no bytes" in result.stderr
    assert result.stdout.endswith("3 whole, 0 in bytes, 1 refused, no problems\n")
    assert sorted(each.parent.name for each in tmp_path.glob("specs/*/protocol.yaml")) == [
        "counter",
        "head_r",
        "tail_r",
    ]


def test_names_that_are_taken_or_start_with_a_digit_get_other_ones(tmp_path: Path) -> None:
    text = """
        01 RECORD-1.
           05 RECORD PIC X.
           05 1ST-ADDRESS PIC X.
           05 :TAG:-NAME PIC X.
           05 A-B PIC X.
           05 A_B PIC X.
           05 GROUP-1.
              10 MESSAGE-TEXT PIC X.
           05 FILLER.
              10 GROUP-1.
                 15 A-B PIC X.
           05 FILLER OCCURS 2.
              10 VARIANT PIC X.
    """
    found = running(tmp_path, fixed(text))
    row = found.codec.parse("abcdefghi".encode("cp037")).record_1
    groups = {"group_1": dict(row.group_1), "group_1_2": dict(row.group_1_2)}
    assert {**row, **groups, "filler_1": list(map(dict, row.filler_1))} == {
        "record_value": "a",
        "item_1st_address": "b",
        "tag_name": "c",
        "a_b": "d",
        "a_b_2": "e",
        "group_1": {"message_text": "f"},
        "group_1_2": {"a_b": "g"},
        "filler_1": [{"variant_value": "h"}, {"variant_value": "i"}],
    }


def test_columns_that_others_have_are_named_differently(tmp_path: Path) -> None:
    text = """
        01 R.
           05 STATUS-N PIC S9(4) COMP.
              88 A-1 VALUE 1.
              88 A-2 VALUE 1.
              88 A-1 VALUE 3.
           05 STATUS-N-NAME PIC X.
           05 AMT PIC S9(3) COMP-3.
           05 AMT-BYTES PIC X.
           05 BODY PIC X.
    """
    row = running(tmp_path, fixed(text)).codec.parse(bytes.fromhex("0001 c1 012f c2 c3")).r
    assert (row.status_n, row.status_n_name, row.amt, row.amt_raw.hex(), row.amt_bytes, row.body) == (
        1,
        "A",
        12,
        "012f",
        "B",
        "C",
    )


def test_what_the_language_does_not_have_is_bytes(tmp_path: Path) -> None:
    groups = "\n".join(f"{level:02} A-{level}." for level in range(1, 49))
    folder = imported(tmp_path, groups + "\n49 B PIC X.\n49 C PIC X.\n")
    assert "# TODO: a group in 31 others" in (folder / "a_1.yaml").read_text()
    (row,) = compiled.compiled(folder).codec.iter_records(b"\xc1\xc2")
    while isinstance(row, dict):
        (row,) = [value for name, value in row.items() if name.startswith("a_")]
    assert row == b"\xc1\xc2"
    folder = imported(tmp_path / "wide", fixed("01 R.\n 05 A PIC 9(40).\n 05 B PIC 9(2) VALUE 300.\n"))
    assert "- {name: a, type: bytes, size: 40, doc: PIC 9(40).}" in (folder / "r.yaml").read_text()


# What is refused


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import os\n", "a.cpy:1:8: 'os' is not a level number; a copybook has entries that begin with 01 to 49"),
        ('{"json": 1}\n', "a.cpy:1:7: '{\"json\": 1}' is not COBOL: column 7 has '\"'"),
        ("IDENTIFICATION DIVISION.\n01 A PIC X.\n", "a.cpy:1:1: 'IDENTIFICATION' is not a level number"),
        ("", "a.cpy:1:1: there is no entry in it"),
        ("      * nothing\n", "a.cpy:1:1: there is no entry in it"),
        ("       01 A.\n", "a.cpy:1:8: A has neither a picture nor items of its own"),
        ("       01 A PIC X", "a.cpy:1:8: the entry '01' does not end; a period ends it"),
        ("       01 A PIC.\n", "a.cpy:1:16: the entry ends too early"),
        ("       01 A PIC Q(3).\n", "a.cpy:1:17: the picture 'Q(3)' has no meaning from 'Q(3)' on"),
        ("       01 A PIC X(99999999999).\n", "a.cpy:1:17: the picture 'X(99999999999)' has no meaning from"),
        ("       01 A.\n       50 B PIC X.\n", "a.cpy:2:8: '50' is not a level number"),
        (
            "       01 A.\n         05 B PIC X.\n           10 C PIC X.\n",
            "a.cpy:3:12: C is inside of B, which has a picture",
        ),
        ("       88 A VALUE 1.\n", "a.cpy:1:8: there is no item that A is about"),
        ("       01 A PIC 9(3) COMP-7.\n", "a.cpy:1:22: 'COMP-7' is not a clause or a usage"),
        ("       01 A PIC 9(19) COMP.\n", "a.cpy:1:8: A has 19 digits; COMP has up to 18"),
        ("       01 A PIC X(3) COMP-3.\n", "a.cpy:1:8: A has the usage COMP-3, which does not go with its picture"),
        (
            "       01 A.\n         05 B PIC X\n         05 C PIC X.\n",
            "a.cpy:3:10: '05' is not a clause or a usage that is known here; is there a period",
        ),
        ("       01 A.\n         05 B PIC X OCCURS 0.\n", "a.cpy:2:28: OCCURS 0"),
        ("       01 A.\n         05 B PIC X OCCURS N TIMES.\n", "a.cpy:2:28: 'N' is not a number of occurrences"),
        (
            "       01 A.\n         05 B PIC X(5) OCCURS 999999999.\n",
            "a.cpy:2:10: B has 4,999,999,995 bytes; COBOL has items of up to 134,217,727",
        ),
        ("       01 A OCCURS 3.\n         05 B PIC X.\n", "a.cpy:1:8: A has level 01 and OCCURS"),
        (
            "       01 A.\n         05 B PIC X.\n         05 C REDEFINES X PIC X.\n",
            "a.cpy:3:10: C redefines X, which is not the item before it",
        ),
        ("       01 A PIC X VALUE 'a.\n", "a.cpy:1:25: the literal that begins here does not end"),
        ("      -    01 A.\n", "a.cpy:1:7: there is no line that this one continues"),
        ("       01 A PIC X VALUE.\n", "a.cpy:1:24: the entry ends too early"),
        ("       01 A PIC X SIGN IS.\n", "a.cpy:1:26: the entry ends too early"),
        ("       COPY OTHER.\n       01 A PIC X.\n", "a.cpy:1:8: 'COPY' is not a level number"),
    ],
)
def test_what_is_not_a_copybook_is_refused_with_a_sentence_and_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cpy").write_text(text)
    told = run("import", "a.cpy", "--format", "copybook", status=1).stderr
    assert told.startswith(f"wireloom: {error}")
    assert told.count("\n") == 1
    assert not Path("specs").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("01 R.\n 05 A PIC X OCCURS 1 TO 5 DEPENDING ON N.", "A depends on N, which is not in the record before it"),
        (
            "01 R.\n 05 G OCCURS 2.\n  10 N PIC 9.\n 05 A PIC X OCCURS 1 TO 5 DEPENDING ON N.",
            "A depends on N, of which there are several",
        ),
        (
            "01 R.\n 05 N PIC 9.\n 05 A PIC X OCCURS 1 TO 5 DEPENDING ON N.\n 05 B PIC S9(4) COMP SYNC.",
            "B has SYNC, and what is before it varies in size",
        ),
        (
            "01 R.\n 05 N PIC 9.\n 05 A.\n  10 C PIC X OCCURS 1 TO 5 DEPENDING ON N.\n 05 B REDEFINES A PIC X.",
            "B redefines A, and the size of one varies",
        ),
    ],
)
def test_records_that_no_spec_says_are_refused_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "r.cpy"
    path.write_text(fixed(text + "\n01 OTHER PIC X."))
    result = run("import", path, "--out", tmp_path / "specs")
    assert f"R: refused: {reason}\n" in result.stderr
    assert result.stdout.endswith("1 whole, 0 in bytes, 1 refused, no problems\n")


def test_hostile_copybooks_are_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    entry = "       05 A PIC X.\n"
    hostile = {
        "many": (entry * 100_000, "a.cpy:10001:8: more than 10000 entries"),
        "large": (entry * 800_000, "a.cpy:1:1: more than 8 MiB in all files together"),
        "long": ("       01 " + "A" * 7_000_000 + " PIC X.\n", "a.cpy:1:11: "),
        "open": ("       01 A PIC X VALUE " + "'" * 1_000_001 + "\n", "a.cpy:1:"),
        "words": ("       01 A " + "PIC X " * 1_000_000 + "\n", "a.cpy:1:"),
        "deep": (
            "".join(f"       {level:02} A{level}.\n" for level in range(1, 5000)),
            "a.cpy:50:8: '50' is not a level number",
        ),
        "nested": (
            "".join(f"       {level:02} A{level} OCCURS 1000.\n" for level in range(2, 49)) + "       49 B PIC X.\n",
            "a.cpy:",
        ),
        "binary": ("\x00\x01" * 100_000, "a.cpy:1:"),
    }
    for text, error in hostile.values():
        Path("a.cpy").write_text(text)
        told = run("import", "a.cpy", "--format", "copybook", status=1).stderr
        assert told.startswith(f"wireloom: {error}")
        assert told.count("\n") == 1
        assert len(told) < 300


WORDS = st.sampled_from([
    *re.findall(r"\S+", "01 05 10 49 66 77 88 A B-C FILLER PIC PICTURE X 9(3) S9(4)V99 P9 Z9.9 COMP COMP-1 COMP-3"),
    *re.findall(r"\S+", "SYNC OCCURS 2 TO 5 TIMES DEPENDING ON REDEFINES VALUE VALUES 'a' ' \" THRU . . . . USAGE"),
    *re.findall(r"\S+", "IS SIGN LEADING SEPARATE * - *> RENAMES"), "\n", "\n",
])  # fmt: skip


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=30).map(" ".join), st.booleans())
def test_words_in_any_order_are_read_or_refused(tmp_path_factory: Any, text: str, is_free: bool) -> None:
    path = tmp_path_factory.mktemp("any") / "a.cpy"
    path.write_text(text if is_free else fixed(text))
    error = ""
    try:
        IMPORTER.read([path], Sources(), {})
    except SourceError as refused:
        error = str(refused)
    assert not error or re.match(r".*a\.cpy:\d+:\d+: ", error)


CLAUSES = [clauses for clauses, _, _ in ITEMS if "(2)P(3)" not in clauses]


def _random(random: Random, name: str = "R", clauses: Sequence[str] = CLAUSES, *, is_fixed: bool = False) -> str:
    """A copybook without a fault."""
    lines = [f"01 {name}.", "05 N-1 PIC 9(2)."]

    def add(level: int, left: int) -> None:
        for number in range(random.randrange(1, 4)):
            name = random.choice(("FILLER", f"F-{level}-{number}-{random.randrange(99)}"))
            occurs = random.choice(("", "", "", f" OCCURS {random.randrange(1, 4)}"))
            if left and random.random() < 0.4:
                lines.append(f"{level:02} {name}{occurs}.")
                add(level + 5, left - 1)
            else:
                sync = " SYNC" * (not is_fixed and random.random() < 0.2)
                lines.append(f"{level:02} {name}\n  {random.choice(clauses)}{sync}{occurs}.")
            if random.random() < 0.2 and name != "FILLER":
                view = f"V-{level}-{number}-{random.randrange(99)}"
                lines.append(f"{level:02} {view} REDEFINES {name}\n  {random.choice(clauses)}.")

    add(5, 3)
    if not is_fixed and random.random() < 0.5:
        lines.append("05 TAIL-T OCCURS 0 TO 9 DEPENDING ON N-1.")
        lines.append(f"10 TAIL-F {random.choice(clauses)}.")
    return "\n".join(lines)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_each_spec_passes_check(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "r.cpy"
    path.write_text(_random(Random(seed)))
    found = specs_of([path], IMPORTER, tmp_path / "specs", Sources())
    assert not found.problems
    assert all(outcome.coverage != "refused" for outcome in found.outcomes)


# Other implementations

COBOL = shutil.which("cobc")

GNUCOBOL = """
    01 SALE.
       05 SHOP              PIC X(6).
       05 NUMBER-N          PIC 9(4).
       05 CHANGE-N          PIC S9(3)V99.
       05 LEAD-N            PIC S9(3) SIGN LEADING.
       05 LEAD-S            PIC S9(3) SIGN LEADING SEPARATE.
       05 TRAIL-S           PIC S9(3) SIGN TRAILING SEPARATE.
       05 PACKED-N          PIC S9(5)V9(2) COMP-3.
       05 PACKED-U          PIC 9(4) COMP-3.
       05 PACKED-6          PIC 9(3) COMP-6.
       05 SMALL-N           PIC S9(2) COMP.
       05 MIDDLE-N          PIC S9(7)V99 COMP.
       05 LARGE-N           PIC 9(12) BINARY.
       05 SCALED-N          PIC 9(2)P(3).
       05 TINY-N            PIC VP(2)9(2).
       05 SCALED-C          PIC S9(3)P(2) COMP.
       05 ALIGNED-A         PIC S9(4) COMP SYNC.
       05 ALIGNED-B         PIC S9(5) COMP SYNC.
       05 FLOAT-1           COMP-1.
       05 FLOAT-2           COMP-2.
       05 RIGHT-X           PIC X(4) JUSTIFIED RIGHT.
       05 EDITED-N          PIC ZZ9.99-.
       05 FILLER            PIC X(2).
       05 OPENED            PIC 9(8).
       05 OPENED-P REDEFINES OPENED.
          10 OPENED-Y       PIC 9(4).
          10 OPENED-M       PIC 9(2).
          10 OPENED-D       PIC 9(2).
       05 TABLE-T OCCURS 3 TIMES.
          10 CELL-A         PIC S9(4) COMP.
          10 CELL-B         PIC X(1).
       05 COUNT-N           PIC 9(2).
       05 LINE-T OCCURS 0 TO 5 DEPENDING ON COUNT-N.
          10 LINE-A         PIC S9(3) COMP-3.
"""
VALUES: list[list[Any]] = [
    ["Bonn", 12, "-1.05", -12, 12, -7, "-123.45", 99, 123, -5, "-1234567.89", 123456789012, 12000, "0.0012", -12300,
     -5, 70000, -2.5, 0.125, "ab", -12.5, 20310704, [(1, "x"), (-2, "y"), (3, "z")], [5, -6]],
    ["", 9999, "999.99", 120, -999, 0, "0.00", 0, 0, 99, "0.01", 0, 99000, "0.0099", 100,
     32, -1, 1.0, 1e10, "", 0, 19991231, [(0, "a"), (0, "b"), (0, "c")], []],
]  # fmt: skip
NAMES = [
    "shop", "number_n", "change_n", "lead_n", "lead_s", "trail_s", "packed_n", "packed_u", "packed_6", "small_n",
    "middle_n", "large_n", "scaled_n", "tiny_n", "scaled_c", "aligned_a", "aligned_b", "float_1", "float_2", "right_x",
    "edited_n", "opened", "table_t", "line_t",
]  # fmt: skip


def _moves(values: list[Any]) -> list[str]:
    """Statements that give the record these values."""
    found = ["MOVE LOW-VALUES TO SALE"]
    for name, value in zip(NAMES, values, strict=True):
        target = name.upper().replace("_", "-")
        if name == "table_t":
            for number, (a, b) in enumerate(value, 1):
                found += [f"MOVE {a} TO CELL-A({number})", f"MOVE '{b}' TO CELL-B({number})"]
        elif name == "line_t":
            found.append(f"MOVE {len(value)} TO COUNT-N")
            found += [f"MOVE {each} TO LINE-A({number})" for number, each in enumerate(value, 1)]
        elif name in ("shop", "right_x"):
            found.append(f"MOVE '{value}' TO {target}" if value else f"MOVE SPACES TO {target}")
        elif name.startswith("float"):
            found.append(f"COMPUTE {target} = {value}")
        else:
            found.append(f"MOVE {value} TO {target}")
    return [*found, "WRITE SALE"]


def _written(folder: Path, copybook_text: str, organization: str, moves: list[list[str]]) -> bytes:
    """The file that GnuCOBOL writes."""
    body = "\n".join(f"           {line}" for record in moves for line in record)
    (folder / "book.cpy").write_text(copybook_text)
    (folder / "sales.cob").write_text(
        f"""\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SALES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT SALES-FILE ASSIGN TO "sales.bin"
           ORGANIZATION IS SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD SALES-FILE{organization}.
       COPY "book.cpy".
       PROCEDURE DIVISION.
           OPEN OUTPUT SALES-FILE.
{body}.
           CLOSE SALES-FILE.
           STOP RUN.
"""
    )
    subprocess.run(["cobc", "-x", "-std=ibm", "sales.cob"], cwd=folder, check=True, capture_output=True)
    subprocess.run(["./sales"], cwd=folder, check=True, capture_output=True, timeout=60)
    return (folder / "sales.bin").read_bytes()


def _told(row: Any) -> list[Any]:
    """The values of a row in the form of ``VALUES``."""
    found = []
    for name in NAMES:
        value = row[name]
        if name == "table_t":
            value = [(each["cell_a"], each["cell_b"]) for each in value]
        elif name == "line_t":
            value = [each["line_a"] for each in value]
        elif name in ("right_x", "edited_n"):
            value = value.strip()
            value = (
                value
                if name == "right_x"
                else float(f"{value[-1:]}{value[:-1]}")
                if value[-1:] == "-"
                else float(value)
            )
        found.append(_shown(value))
    return found


@pytest.mark.program
@pytest.mark.skipif(COBOL is None, reason="needs GnuCOBOL")
def test_gnucobol_writes_the_same_bytes(tmp_path: Path) -> None:
    """Without SYNC for what has more than 9 digits and for COMP-2, and with its records of a variable size: the length
    of a descriptor is that of the record without it.
    """
    data = _written(tmp_path, fixed(GNUCOBOL), " RECORD VARYING", [_moves(values) for values in VALUES])
    folder = imported(tmp_path, fixed(GNUCOBOL), "sales.cpy")
    instead(folder / "protocol.yaml", 0)
    replaced(folder, *ASCII, *NATIVE, ("length: rdw_length", "length: rdw_length + 4"), ("size(record)", "size(body)"))
    (message,) = folder.glob("sale.yaml")
    message.write_text(re.sub(r"# Not with an RDW\.\nlength: .*\n", "", message.read_text()))
    found = compiled.compiled(folder)
    rows = list(found.codec.iter_records(data))
    assert [_told(row.sale) for row in rows] == VALUES
    assert [(row.sale.opened_p.opened_y, row.sale.opened_p.opened_m) for row in rows] == [(2031, 7), (1999, 12)]
    assert b"".join(map(found.codec.build, rows)) == data
    # What only wireloom knows is left out: signs that are spelled otherwise, and bytes without a meaning.
    unmarked = [
        {key: value for key, value in row.sale.items() if not key.startswith(("count_n", "opened_p"))} for row in rows
    ]
    assert b"".join(found.codec.build({"sale": row}) for row in unmarked) == data


@pytest.mark.program
@pytest.mark.skipif(COBOL is None, reason="needs GnuCOBOL")
def test_gnucobol_has_the_same_sizes(tmp_path: Path) -> None:
    """Without SYNC, which it aligns otherwise, and without what Cobrix adds."""
    clauses = [each for each in CLAUSES if not re.search(r"COMP-9|COMP-3U|DISPLAY-1|X\(4\) COMP|POINTER|\$", each)]
    records = [_random(Random(seed), f"R-{seed}", clauses, is_fixed=True) for seed in range(40)]
    shown = "".join(f"           DISPLAY LENGTH OF R-{seed}.\n" for seed in range(40))
    (tmp_path / "sizes.cob").write_text(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. SIZES.\n       DATA DIVISION.\n"
        "       WORKING-STORAGE SECTION.\n" + fixed("\n".join(records)) + "\n       PROCEDURE DIVISION.\n" + shown
    )
    command = ["cobc", "-x", "-w", "-std=ibm", "-frelax-syntax-checks", "sizes.cob"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    told = subprocess.run(["./sizes"], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
    assert [_total(record) for record in records] == list(map(int, told.split()))


JSONIFIER = """\
       01 POSTING.
          05 ACCOUNT-NAME        PIC X(12).
          05 KIND                PIC X(1).
             88 KIND-A           VALUE 'A'.
          05 PLACE               PIC 9(5).
          05 SMALL-AMOUNT        PIC S9(5).
          05 AMOUNT              PIC S9(7)V99.
          05 BALANCE             PIC S9(9)V99 COMP-3.
          05 NUMBER-A            PIC S9(4) COMP.
          05 NUMBER-B            PIC S9(9) COMP.
          05 NUMBER-C            PIC S9(18) BINARY.
          05 RATE                PIC S9(3)V99 COMP.
          05 ENTRIES OCCURS 3 TIMES.
             10 POSTED           PIC 9(8).
             10 ENTRY-AMOUNT     PIC S9(5)V99 COMP-3.
          05 REMARK              PIC X(5).
"""


def test_coboljsonifier_reads_the_same(tmp_path: Path) -> None:
    parser_type = pytest.importorskip("coboljsonifier.config.parser_type_enum").ParseType
    extractor = pytest.importorskip("coboljsonifier.copybookextractor").CopybookExtractor
    parser = pytest.importorskip("coboljsonifier.parser").Parser
    path = tmp_path / "posting.cpy"
    path.write_text(JSONIFIER)
    other = parser(extractor(str(path)).dict_book_structure, parser_type.BINARY_EBCDIC).build()
    found = running(tmp_path, JSONIFIER)
    random = Random("coboljsonifier")
    for _ in range(100):
        data = _posting(random)
        other.parse(data)
        row = found.codec.parse(data)
        assert _as_read(row.posting) == other.value
        assert found.codec.build(row) == data


def _posting(random: Random) -> bytes:
    def zoned(digits: int, zones: str) -> bytes:
        data = bytearray(f"{random.randrange(10**digits):0{digits}}".encode("cp037"))
        data[-1] = data[-1] & 0x0F | int(random.choice(zones), 16) << 4
        return bytes(data)

    def packed(digits: int) -> bytes:
        return bytes.fromhex(f"{random.randrange(10**digits):0{digits}}{random.choice('cdf')}")

    def text(size: int) -> bytes:
        return "".join(random.choices("ABCxyz123 -,", k=size)).rstrip().ljust(size).encode("cp037")

    numbers = struct.pack(">hiqi", *(random.randrange(-(10**digits), 10**digits) for digits in (4, 9, 18, 5)))
    entries = b"".join(zoned(8, "f") + packed(7) for _ in range(3))
    name = ("N" + text(11).decode("cp037").rstrip()).ljust(12).encode("cp037")
    return (
        name
        + b"\xc1"
        + zoned(5, "f")
        + zoned(5, "cdf")
        + zoned(9, "cdf")
        + packed(11)
        + numbers
        + entries
        + b"\xd9"
        + text(4)
    )


def _as_read(row: Any) -> dict[str, Any]:
    """A row with the other library's names."""
    return {
        name.upper().replace("_", "-"): [_as_read(each) for each in value] if isinstance(value, list) else value
        for name, value in row.items()
        if not name.endswith("_bytes")
    }
