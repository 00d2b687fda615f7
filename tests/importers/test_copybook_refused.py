"""What copybooks cannot say here, and what is no copybook."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli.calls import run
from hypothesis import given, settings
from hypothesis import strategies as st
from support import compiled

from importers.copybooks import fixed, imported, random_copybook
from wireloom_generator.importers import SourceError, Sources
from wireloom_generator.importers.copybook import IMPORTER
from wireloom_generator.importing import imported as specs_of


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
        ("01 R.\n 05 N PIC X.\n 05 A PIC X OCCURS 5 DEPENDING ON N.", "A depends on N, whose picture is not a number"),
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


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_each_spec_passes_check(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "r.cpy"
    path.write_text(random_copybook(Random(seed)))
    found = specs_of([path], IMPORTER, tmp_path / "specs", Sources())
    assert not found.problems
    assert all(outcome.coverage != "refused" for outcome in found.outcomes)
