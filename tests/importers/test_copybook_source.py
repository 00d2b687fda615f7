"""The source of copybooks: its formats, comments and names."""

from decimal import Decimal
from pathlib import Path

import pytest
from cli.calls import run
from support import compiled

from importers.copybooks import HERE, fixed, imported, running
from wireloom_generator.importers.copybook.entries import copybook

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
    "      01  R.\n          05  A PIC X(2).\n          05  B PIC 9(3) COMP-3.\n",
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
