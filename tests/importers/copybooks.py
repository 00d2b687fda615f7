"""Copybooks, imported and made to run, and the other record formats that their specs have as comments."""

import re
import textwrap
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from cli.calls import run
from support import compiled
from support.compiled import Compiled

from wireloom_generator.importers.copybook.entries import copybook
from wireloom_generator.importers.copybook.layout import laid_out

ASCII = (
    ("encoding: cp037", "encoding: latin-1"),
    ('pad: "40"', 'pad: "20"'),
    ("type: zoned", "type: zoned, encoding: ascii"),
)
"""What to replace for data that is not in EBCDIC, as docs/import.md has it."""
NATIVE = (("type: ibm32", "type: f32, byte_order: little"), ("type: ibm64", "type: f64, byte_order: little"))
"""The same, for floats of GnuCOBOL on a little-endian machine."""


def fixed(text: str) -> str:
    """The lines in area A of fixed format."""
    return textwrap.indent(textwrap.dedent(text), " " * 7)


def imported(folder: Path, text: str, name: str = "book.cpy") -> Path:
    """The folder of the only protocol that a copybook becomes, which has no problems."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    result = run("import", path, "--out", folder / "specs")
    assert result.stdout.endswith(", no problems\n"), result.output
    (found,) = (each.parent for each in folder.glob("specs/*/protocol.yaml"))
    return found


def running(folder: Path, text: str) -> Compiled:
    """A copybook's protocol."""
    return compiled.compiled(imported(folder, text))


def replaced(protocol: Path, *pairs: tuple[str, str]) -> None:
    """Replace text in all files of a spec."""
    for path in protocol.glob("*.yaml"):
        text = path.read_text()
        for old, new in pairs:
            text = text.replace(old, new)
        path.write_text(text)


def instead(path: Path, which: int) -> None:
    """Write what a comment of a spec has in place of the entry below it, counting comments from 0."""
    lines = path.read_text().splitlines()
    starts = [number for number, line in enumerate(lines) if re.match(r"# [A-Z]", line)]
    (first, last), key = _block(lines, starts), lines[_block(lines, starts)[1]]
    ends = [*starts[1:], last]
    chosen = [line[2:] for line in lines[starts[which] + 1 : ends[which]] if not line.startswith("#   ") or ":" in line]
    end = next((number for number in range(last + 1, len(lines)) if lines[number][:1] not in " #-"), len(lines))
    assert any(line == key for line in chosen), chosen
    path.write_text("\n".join([*lines[:first], *chosen, *lines[end:]]) + "\n")


def _block(lines: list[str], starts: list[int]) -> tuple[int, int]:
    """The first line of the comments, and that of the entry below them."""
    return starts[0], next(number for number in range(starts[-1], len(lines)) if not lines[number].startswith("#"))


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


CLAUSES = [clauses for clauses, _, _ in ITEMS if "(2)P(3)" not in clauses]


def random_copybook(
    random: Random, name: str = "R", clauses: Sequence[str] = CLAUSES, *, is_fixed: bool = False
) -> str:
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


def shown(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else str(value) if isinstance(value, Decimal) else value


def total(text: str) -> int | None:
    (record,) = copybook(HERE, fixed(text)).records
    return laid_out(record).total
