"""Problems of specs where they are in a text, and the edits that mend them."""

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from wireloom_generator import rules
from wireloom_generator.formatting import FormatError, formatted
from wireloom_generator.language_server.places import TextRange, marked
from wireloom_generator.language_server.workspace import Document
from wireloom_generator.problems import Problem
from wireloom_generator.reading import shape
from wireloom_generator.reading.source import YamlMapping

_DID_YOU_MEAN = re.compile(r"did you mean '([^']+)'\?")
_WRITE = re.compile(r"write (\"[^\"]*\")")
_QUOTED = re.compile(r"'([^']+)'")
_FAR = 12
"""A misspelt name is looked for in so many lines from where its expression begins."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Words to write in a place of a text, and what that does, in a few words."""

    title: str
    span: TextRange
    word: str


def span_of(document: Document, problem: Problem) -> TextRange:
    """What a problem is about: the misspelt name, or the word at its place."""
    return _misspelt(document, problem) or marked(document.lines, problem.location)


def page_of(rule: str) -> Path | None:
    """The page that explains a rule."""
    page = Path(str(files(rules).joinpath("pages", f"{rule}.md")))
    return page if page.is_file() else None


def fixes(document: Document, problem: Problem) -> Iterator[Fix]:
    """The edits that a problem suggests."""
    span = span_of(document, problem)
    if near := _DID_YOU_MEAN.search(problem.hint):
        yield Fix(f"Write {near[1]}", span, near[1])
    elif said := _WRITE.search(problem.hint):
        yield Fix(f"Write {said[1]}", span, said[1])
    elif problem.rule == "missing-key" and (missing := _QUOTED.match(problem.what)):
        yield from _with_key(document, problem, missing[1])


def canonical(document: Document) -> str | None:
    """The text in canonical form, if it is another and there is one."""
    try:
        found = formatted(document.text, document.path)
    except FormatError:
        return None
    return found if found != document.text else None


def _misspelt(document: Document, problem: Problem) -> TextRange | None:
    """Where the first name in quotes in a problem is, at or behind its place."""
    name = _QUOTED.search(problem.what)
    if name is None or not _DID_YOU_MEAN.search(problem.hint):
        return None
    line, column = problem.location.line - 1, problem.location.column - 1
    for number, text in enumerate(document.lines[line : line + _FAR], line):
        found = re.compile(rf"(?<![\w.]){re.escape(name[1])}(?!\w)").search(text, column if number == line else 0)
        if found is not None:
            return TextRange(number, *found.span())
    return None


def _with_key(document: Document, problem: Problem, key: str) -> Iterator[Fix]:
    """The key before the first of its mapping, with its example."""
    for kind, node in document.kinds:
        if node.at == problem.location and key in shape.keys(kind):
            field, _ = shape.keys(kind)[key]
            if field.default is dataclasses.MISSING:
                text = f"{key}: {field.metadata['key'].example}{_between(document, node)}"
                yield Fix(f"Add {key}", _begin(node), text)
                return


def _begin(node: YamlMapping) -> TextRange:
    at = node.entries[0][0].at if node.entries else node.at
    return TextRange(at.line - 1, at.column - 1, at.column - 1)


def _between(document: Document, node: YamlMapping) -> str:
    """What is between two keys of a mapping: a comma, or a line break."""
    line, column = document.lines[node.at.line - 1], node.at.column - 1
    return ", " if line[column : column + 1] == "{" else "\n" + " " * (node.entries[0][0].at.column - 1)
