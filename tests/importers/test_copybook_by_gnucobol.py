"""Copybooks: GnuCOBOL has the same sizes, and writes the same bytes."""

import re
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support import compiled

from importers.copybooks import (
    ASCII,
    CLAUSES,
    NATIVE,
    fixed,
    imported,
    instead,
    random_copybook,
    replaced,
    shown,
    total,
)

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
       05 SIGNED-N          PIC S9(2)P(3).
       05 SIGNED-P          PIC SVP(2)9(3).
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
     -12000, "0.00123", -5, 70000, -2.5, 0.125, "ab", -12.5, 20310704, [(1, "x"), (-2, "y"), (3, "z")], [5, -6]],
    ["", 9999, "999.99", 120, -999, 0, "0.00", 0, 0, 99, "0.01", 0, 99000, "0.0099", 100,
     99000, "-0.00001", 32, -1, 1.0, 1e10, "", 0, 19991231, [(0, "a"), (0, "b"), (0, "c")], []],
]  # fmt: skip
NAMES = [
    "shop", "number_n", "change_n", "lead_n", "lead_s", "trail_s", "packed_n", "packed_u", "packed_6", "small_n",
    "middle_n", "large_n", "scaled_n", "tiny_n", "scaled_c", "signed_n", "signed_p", "aligned_a", "aligned_b",
    "float_1", "float_2", "right_x", "edited_n", "opened", "table_t", "line_t",
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
        found.append(shown(value))
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
    records = [random_copybook(Random(seed), f"R-{seed}", clauses, is_fixed=True) for seed in range(40)]
    shown = "".join(f"           DISPLAY LENGTH OF R-{seed}.\n" for seed in range(40))
    (tmp_path / "sizes.cob").write_text(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. SIZES.\n       DATA DIVISION.\n"
        "       WORKING-STORAGE SECTION.\n" + fixed("\n".join(records)) + "\n       PROCEDURE DIVISION.\n" + shown
    )
    command = ["cobc", "-x", "-w", "-std=ibm", "-frelax-syntax-checks", "sizes.cob"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    told = subprocess.run(["./sizes"], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
    assert [total(record) for record in records] == list(map(int, told.split()))
