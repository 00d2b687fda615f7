"""The problem of text that is not YAML: its message, its place, and the usual cause."""

import re
from pathlib import Path

import yaml

from wireloom_generator.problems import Location, Problem

_COMMENT = "put text with ' #' in it in quotes; otherwise a comment begins there"
_COLON = "put text with ': ' in it in quotes, and a comma between two keys in one line"
_BRACKET = "close all brackets, and put expressions with brackets or commas in quotes"
_AFTER_QUOTE = "put the whole value in quotes"
_BEGINS = "put text that begins with {} in quotes"
_MEANT = {
    "cannot start any token": f"indent with spaces, not tabs, and {_BEGINS.format('@, ` or %')}",
    "did not find expected key": "check the indentation of the lines above, and that brackets and quotes are closed",
    "mapping values are not allowed": "put text with ': ' in it in quotes, and give all keys the same indentation",
    "block sequence entries are not allowed": _BEGINS.format("-"),
    "expected '-' indicator": _BRACKET,
    "unknown escape character": "use single quotes, in which a backslash is an ordinary character",
    "undefined alias": _BEGINS.format("*"),
    "alphabetic or numeric character": _BEGINS.format("* or &"),
    "expected node content": _BEGINS.format("-, ? or a comma"),
    "expected comment or line break": _BEGINS.format("| or >"),
    "tag": _BEGINS.format("!"),
    "found another document": "--- begins a second document; put it into a file of its own",
}
"""Hints for messages of the YAML parser, with the usual cause."""
_TEXT_IN_QUOTES = re.compile(r"""(?<![^\s,:\[{])("(\\.|[^"\\])*"|'(''|[^'])*')""")


def problem_of(error: yaml.MarkedYAMLError, text: str, shown: Path) -> Problem:
    """The problem of the text, which is that of the file ``shown``."""
    mark = error.problem_mark or error.context_mark
    what = error.problem or "not YAML"
    hint = next((hint for sign, hint in _MEANT.items() if sign in what), "")
    line, column = (mark.line, mark.column) if mark else (0, 0)
    if (outer := error.context_mark) is not None and mark is not None:
        begun = outer.line, outer.column
        if "unexpected" in what and "quoted scalar" in (error.context or ""):
            (line, column), what = begun, "this quote is not closed"
        elif "expected ','" in what and (comment := _comment(text.split("\n"), outer.line, line)) is not None:
            (line, column), hint = comment, _COMMENT
        elif "expected ','" in what and _ends(what, outer, mark, text):
            (line, column), what = begun, "this bracket is not closed"
        elif "expected" in what and text[: mark.index].rstrip().endswith(("'", '"')):
            hint = _AFTER_QUOTE
        elif "expected ','" in what:
            hint = _COLON if text[mark.index :].startswith(":") else _BRACKET
    return Problem(Location(shown, line + 1, column + 1), "yaml", what, hint)


def place(shown: Path, event: yaml.Event) -> Location:
    """Where an event of the parser is in the file ``shown``."""
    mark = event.start_mark
    return Location(shown, mark.line + 1, mark.column + 1) if mark is not None else Location(shown, 1, 1)


def unused_anchor(name: str | None, at: Location) -> Problem:
    """The problem of an anchor that no alias refers to, because its text would be lost."""
    return Problem(at, "yaml", f"nothing refers to the anchor '&{name}'", _BEGINS.format("&"))


def unknown_tag(node: yaml.Node, at: Location) -> Problem:
    """The problem of a node with a tag that is not one of YAML's own, because its text would also be lost."""
    return Problem(at, "yaml", f"the tag {node.tag!r} means nothing here", _BEGINS.format("!"))


def _ends(what: str, outer: yaml.Mark, mark: yaml.Mark, text: str) -> bool:
    """Whether the unclosed bracket was opened on an earlier line, since an item or a key follows on this one."""
    line = text.split("\n")[mark.line : mark.line + 1]
    is_key = "']'" in what and text[mark.index :].startswith(":")
    return mark.line > outer.line and (is_key or any(each.lstrip().startswith("- ") for each in line))


def _comment(lines: list[str], first: int, last: int) -> tuple[int, int] | None:
    """The line and column of the first comment that begins in the middle of a value, counted from 0."""
    for number, line in enumerate(lines[first : last + 1], first):
        bare = _TEXT_IN_QUOTES.sub(lambda quoted: "_" * len(quoted[0]), line)
        found = re.search(r"(?<=[^\s,\[{])\s+(#)", bare)
        if found is not None:
            return number, found.start(1)
    return None
