"""Where names are declared and used, and what has to be edited to rename one."""

import re
from collections.abc import Iterator
from pathlib import Path

from wireloom_generator.language_server.occurrences import Occurrences, Symbol, SymbolKind, occurrences
from wireloom_generator.language_server.places import FileRange, replaced
from wireloom_generator.language_server.workspace import Workspace, errors

_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SPELLED = {
    SymbolKind.TYPE: (_CAMEL, "CamelCase"),
    SymbolKind.ENUM: (_CAMEL, "CamelCase"),
    SymbolKind.VALUE: (_WORD, "letters, digits and underscores"),
    SymbolKind.TABLE: (_WORD, "letters, digits and underscores"),
}
"""How names of each kind are spelled; others are in ``snake_case``."""


class RenameError(Exception):
    """A name that cannot be changed to another one, with the reason in a sentence."""


def declarations(workspace: Workspace, path: Path, line: int, column: int) -> list[FileRange]:
    """The declarations of the name at a cursor."""
    found = _found(workspace, path, line, column)
    return sorted({place for names, _, symbol in found for place in names.declarations(symbol)})


def references(workspace: Workspace, path: Path, line: int, column: int) -> list[FileRange]:
    """Every place, in all files, that names what the name at a cursor does."""
    found = _found(workspace, path, line, column)
    return sorted({place for names, _, symbol in found for place in names.of(symbol)})


def name_at(workspace: Workspace, path: Path, line: int, column: int) -> tuple[FileRange, Symbol] | None:
    """The name at a cursor, and what it names."""
    return next(((place, symbol) for _, place, symbol in _found(workspace, path, line, column)), None)


def renamed(workspace: Workspace, path: Path, line: int, column: int, name: str) -> list[FileRange]:
    """The places to replace by another name. Raises ``RenameError``.

    They are replaced in a copy first: what was right has to stay right, and each place has to name the same.
    """
    found = name_at(workspace, path, line, column)
    if found is None:
        raise RenameError("there is no name here that a spec declares")
    place, symbol = found
    if symbol.kind is SymbolKind.MESSAGE:
        raise RenameError("a message has the name of its file; rename the file, then the message")
    pattern, spelled = _SPELLED.get(symbol.kind, (_SNAKE, "snake_case"))
    if not pattern.fullmatch(name):
        raise RenameError(f"a {symbol.kind} is written in {spelled}, not {name!r}")
    places = references(workspace, path, line, column)
    before = workspace.copy()
    old = errors(before.check(path))
    after = workspace.copy()
    for each, text in edited(workspace, places, name).items():
        after.texts[each] = text
    new = errors(after.check(path)) - old
    if new:
        where, _, what = min(new)
        raise RenameError(f"with the name {name!r} {where.name} would be wrong: {what}")
    moved = _moved(places, len(name) - len(symbol.name), place)
    if len(references(after, path, moved.span.line, moved.span.start)) != len(places):
        raise RenameError(f"{name!r} already means something else where {symbol.name!r} is used")
    return places


def edited(workspace: Workspace, places: list[FileRange], name: str) -> dict[Path, str]:
    """The texts of files with a name in some places."""
    return {
        path: replaced(workspace.document(path).text, {each.span: name for each in places if each.path == path})
        for path in {place.path for place in places}
    }


def _moved(places: list[FileRange], grown: int, place: FileRange) -> FileRange:
    """Where a place is after those before it in its line have grown."""
    same = [each for each in places if each.path == place.path and each.span.line == place.span.line]
    by = grown * sum(each.span.start < place.span.start for each in same)
    return place._replace(span=place.span._replace(start=place.span.start + by, end=place.span.end + by + grown))


def _found(workspace: Workspace, path: Path, line: int, column: int) -> Iterator[tuple[Occurrences, FileRange, Symbol]]:
    """The name at a cursor in each protocol that its file is part of."""
    for checked in workspace.of(path):
        names = occurrences(checked)
        found = names.at(path, line, column)
        if found is not None:
            yield names, *found
