"""Copybooks with lists of a variable size, and several views of the same bytes."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from support import compiled

from importers.copybooks import fixed, imported, running

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


def test_a_view_is_null_in_records_that_it_does_not_fit(tmp_path: Path) -> None:
    folder = imported(tmp_path, fixed(SEGMENTS))
    text = (folder / "r.yaml").read_text()
    assert (
        """\
      # What does not fit a record is null. If a field says which one a record has, write instead:
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
    row = found.codec.parse(person)
    assert (row.r.person.name_of_it, row.r.company) == ("Anna", None)
    row = found.codec.parse(company)
    assert (row.r.company.employees, row.r.company.city, row.r.last_one) == (-12345, "Rome", "z")
    assert [found.codec.build(found.codec.parse(data)) for data in (person, company)] == [person, company]


NUMBERS_FIRST = """
    01 R.
       05 AMOUNT PIC S9(5) COMP-3.
       05 AMOUNT-X REDEFINES AMOUNT PIC X(3).
       05 PIECES REDEFINES AMOUNT PIC S9(3).
       05 LAST-ONE PIC X.
"""


def test_bytes_that_the_first_view_may_not_fit_are_a_field_of_their_own(tmp_path: Path) -> None:
    found = running(tmp_path, fixed(NUMBERS_FIRST))
    data = bytes.fromhex("12345d a9" + "404040 a9" + "f0f1d2 a9")
    rows = [row["r"] for row in found.columnar.decode_columnar(data).to_pylist()]
    assert [(row["amount"], row["amount_x"], row["pieces"]) for row in rows] == [
        (-12345, bytes.fromhex("12345d").decode("cp037"), None),
        (None, "", None),
        (None, "01K", -12),
    ]
    assert [row["amount_bytes"] for row in rows] == [data[:3], data[4:7], data[8:11]]
    assert b"".join(found.codec.build({"r": row}) for row in rows) == data


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


def test_views_in_items_of_a_list_of_a_variable_size(tmp_path: Path) -> None:
    """Each item has all bytes of its views, so that the end of the record is known from the number of items alone."""
    text = """
        01 R.
           05 NUMBER-OF-ACCOUNTS PIC 9(3) COMP-3.
           05 ACCOUNT OCCURS 80 TIMES DEPENDING ON NUMBER-OF-ACCOUNTS.
              10 KIND-N PIC 9(3) COMP-3.
              10 KIND-X REDEFINES KIND-N PIC X(2).
              10 PIECES PIC S9(4) COMP.
           05 REMARK PIC X(2).
    """
    found = running(tmp_path, fixed(text))
    records = bytes.fromhex("002f  123f0007  345ffffe  d6d2" + "000f d5d6")
    (two, none) = found.columnar.decode_columnar(records).column("r").to_pylist()
    assert [(item["kind_n"], item["kind_x"], item["pieces"]) for item in two["account"]] == [
        (Decimal(123), bytes.fromhex("123f").decode("cp037"), 7),
        (Decimal(345), bytes.fromhex("345f").decode("cp037"), -2),
    ]
    assert (two["remark"], none["account"], none["remark"]) == ("OK", [], "NO")
    assert b"".join(found.codec.build({"r": row}) for row in (two, none)) == records
