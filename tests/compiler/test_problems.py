"""How problems are told: a line each, drawn under their source on a terminal, as JSON, as annotations of GitHub."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wireloom.cli.findings import ReportFormat, drawing, report
from wireloom_generator.problems import Location, Problem, Severity

SPEC = Path("specs/ping/echo.yaml")
WRONG = Problem(Location(SPEC, 3, 20), "known-type", "unknown type 'uint8'", "did you mean 'u8'?")
UNUSED = Problem(Location(SPEC, 9, 1), "unused", "nothing uses 'Kind'", severity=Severity.WARNING)


def drawn(line: str, column: int, *, hint: str = "", width: int = 80, what: str = "wrong") -> list[str]:
    """The lines of a problem at ``column`` of ``line``, the first of its file."""
    problem = Problem(Location(SPEC, 1, column), "known-type", what, hint)
    return drawing(problem, [line], width).plain.splitlines()


def test_text_is_a_line_a_problem_and_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    report([WRONG, UNUSED], ReportFormat.TEXT)
    assert capsys.readouterr() == (
        "",
        "specs/ping/echo.yaml:3:20: error[known-type]: unknown type 'uint8'; did you mean 'u8'?\n"
        "specs/ping/echo.yaml:9:1: warning[unused]: nothing uses 'Kind'\n"
        "wireloom: 1 error, 1 warning; explain with: wireloom explain known-type unused\n",
    )


def test_the_last_line_names_errors_first_and_no_rule_twice(capsys: pytest.CaptureFixture[str]) -> None:
    report([UNUSED, WRONG, WRONG], ReportFormat.TEXT)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "wireloom: 2 errors, 1 warning; explain with: wireloom explain known-type unused"


def test_text_says_nothing_of_no_problems(capsys: pytest.CaptureFixture[str]) -> None:
    report([], ReportFormat.TEXT)
    assert capsys.readouterr() == ("", "")


def test_a_line_is_one_line_whatever_a_spec_has_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    report([Problem(Location(SPEC, 1, 1), "known-type", "unknown \x1b[31m\nred\u2028")], ReportFormat.TEXT)
    first = capsys.readouterr().err.split("\n")[0]
    assert first == "specs/ping/echo.yaml:1:1: error[known-type]: unknown \\x1b[31m\\nred\\u2028"


def test_json_is_a_list_of_objects(capsys: pytest.CaptureFixture[str]) -> None:
    report([WRONG, UNUSED], ReportFormat.JSON)
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == [
        {
            "path": "specs/ping/echo.yaml", "line": 3, "column": 20, "severity": "error", "rule": "known-type",
            "what": "unknown type 'uint8'", "hint": "did you mean 'u8'?",
        },
        {
            "path": "specs/ping/echo.yaml", "line": 9, "column": 1, "severity": "warning", "rule": "unused",
            "what": "nothing uses 'Kind'", "hint": "",
        },
    ]  # fmt: skip


def test_json_of_no_problems_is_an_empty_list(capsys: pytest.CaptureFixture[str]) -> None:
    report([], ReportFormat.JSON)
    assert json.loads(capsys.readouterr().out) == []


def test_github_gets_an_annotation_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    report([WRONG, UNUSED], ReportFormat.GITHUB)
    assert capsys.readouterr().out == (
        "::error file=specs/ping/echo.yaml,line=3,col=20,title=wireloom known-type"
        "::unknown type 'uint8'; did you mean 'u8'?\n"
        "::warning file=specs/ping/echo.yaml,line=9,col=1,title=wireloom unused::nothing uses 'Kind'\n"
    )


def test_annotations_escape_what_would_end_them(capsys: pytest.CaptureFixture[str]) -> None:
    report([Problem(Location(Path("a,b:c%.yaml"), 1, 2), "yaml", "50%\r\n::error::")], ReportFormat.GITHUB)
    assert capsys.readouterr().out == (
        "::error file=a%2Cb%3Ac%25.yaml,line=1,col=2,title=wireloom yaml::50%25%0D%0A::error::\n"
    )


def test_a_drawing_has_the_line_with_a_caret_under_the_word() -> None:
    assert drawn("- {name: port, type: uint8}", 22, hint="did you mean 'u8'?", what="unknown type 'uint8'") == [
        "specs/ping/echo.yaml:1:22: error[known-type]: unknown type 'uint8'",
        "1 | - {name: port, type: uint8}",
        "  |                      ^^^^^",
        "  = hint: did you mean 'u8'?",
    ]


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [
        ("when: version == 2", 7, "version"),
        ('const: "89 50"', 8, '"89 50"'),
        (r'const: "a\"b" ', 8, r'"a\"b"'),
        ("const: 'it''s' ", 8, "'it''s'"),
        ("fields: [1, 2]", 9, "["),
        ("size: -1", 7, "-1"),
        ("type:", 6, " "),
    ],
)
def test_the_caret_is_as_wide_as_the_word(line: str, column: int, marked: str) -> None:
    _, shown, caret = drawn(line, column)
    place = caret.index("^")
    assert shown[place : place + caret.count("^")].ljust(1) == marked


@pytest.mark.parametrize(
    ("before", "cells"),
    [("\t", 4), ("\t\t", 8), ("温度: ", 6), ("e\u0301: ", 3), ("\x1b[2J", 7), ("\x07", 4)],
    ids=["tab", "tabs", "wide", "combining", "escape", "bell"],
)
def test_the_caret_stands_under_the_word_behind(before: str, cells: int) -> None:
    _, shown, caret = drawn(f"{before}uint8", len(before) + 1)
    assert caret == f"  | {' ' * cells}^^^^^"
    assert "\x1b" not in shown
    assert "\x07" not in shown


@pytest.mark.parametrize("words_before", [0, 100, 198], ids=["start", "middle", "end"])
def test_a_long_line_is_shown_around_the_word(words_before: int) -> None:
    line = "x " * words_before + "HERE" + " x" * (198 - words_before)
    _, shown, caret = drawn(line, 2 * words_before + 1, width=60)
    assert len(shown) <= 60
    place = caret.index("^")
    assert shown[place : place + caret.count("^")] == "HERE"
    assert ("…" in shown[:6]) == (words_before > 0)
    assert shown.endswith("…") == (words_before < 198)


def test_a_long_wide_line_is_shown_around_the_word() -> None:
    _, shown, caret = drawn("温" * 100 + " HERE " + "度" * 100, 102, width=40)
    wide = sum(1 for char in shown[: shown.index("HERE")] if char in "温度")
    assert caret.index("^") == shown.index("HERE") + wide
    assert len(shown) + sum(1 for char in shown if char in "温度") <= 40


def test_a_problem_of_no_line_has_no_drawing() -> None:
    problem = Problem(Location(SPEC, 7, 1), "no-spec", "no *.yaml file")
    assert drawing(problem, ["one line"], 80).plain == "specs/ping/echo.yaml:7:1: error[no-spec]: no *.yaml file\n"


def on_a_terminal(folder: Path, *arguments: str) -> str:
    """What the program shows on a terminal, colours taken out."""
    primary, secondary = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "wireloom", *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=secondary, stderr=secondary, env=environment)
    os.close(secondary)
    shown = b""
    try:
        while part := os.read(primary, 65536):
            shown += part
    except OSError:  # how Linux says that nobody writes any longer
        pass
    finally:
        os.close(primary)
        process.wait()
    assert b"\x1b[" in shown
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r\n", "\n")


@pytest.mark.program
def test_a_terminal_gets_the_drawings(tmp_path: Path) -> None:
    folder = tmp_path / "specs" / "ping"
    folder.mkdir(parents=True)
    (folder / "protocol.yaml").write_text("protocol: ping\nbyte_order: bigg\nrecord:\n  length: 1\n  fields:\n")
    assert on_a_terminal(tmp_path, "check") == (
        "specs/ping/protocol.yaml:5:10: error[wrong-type]: a list expected, found ''\n"
        "5 |   fields:\n"
        "  |          ^\n"
        "\n"
        "wireloom: 1 error; explain with: wireloom explain wrong-type\n"
    )


@pytest.mark.program
def test_a_terminal_gets_a_rule_with_its_examples(tmp_path: Path) -> None:
    shown = [line.rstrip() for line in on_a_terminal(tmp_path, "explain", "padding").splitlines()]
    assert shown[0] == "padding: pad must be at least 1, and align at least 2."
    assert shown[-9:] == [
        "Bad:", "", "    - {pad: 0}", "    - {align: 1}", "", "Good:", "", "    - {pad: 3}", "    - {align: 4}",
    ]  # fmt: skip
