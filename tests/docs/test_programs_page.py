"""The page on programs has every instruction, as the table of instructions says."""

import re
import runpy

from support.pages import ROOT, text

from wireloom.programs.write_opcodes import OPCODES

PAGE = "docs/programs.md"
TABLES = runpy.run_path(str(ROOT / "docs" / "site" / "instruction_tables.py"))


def test_tables_of_instructions_are_what_their_entries_say() -> None:
    assert text(PAGE) == TABLES["filled"](text(PAGE)), "write the tables anew: make generate"


def test_each_instruction_is_in_one_table() -> None:
    assert TABLES["listed"](text(PAGE)) == [each.name for each in OPCODES.values()]
    assert re.findall(r"^\| `([A-Z_0-9]+)` \| `", text(PAGE), re.MULTILINE) == TABLES["listed"](text(PAGE))


def test_the_page_says_how_many_rows_are_followed_at_once() -> None:
    from wireloom.backends.llvm import tiles
    from wireloom.backends.numpy import backend as numpy_backend

    assert f"{tiles.TILE} rows in a compiled loop, {numpy_backend.TILE:,} in numpy" in " ".join(text(PAGE).split())
