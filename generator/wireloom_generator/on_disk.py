"""Compares generated files with those on disk, and writes them."""

import difflib
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import assert_never
from uuid import uuid4

from wireloom_generator import git, naming
from wireloom_generator.output import OutputFile, is_marked, made_from
from wireloom_generator.problems import Location, Problem, Severity


class FileChangeKind(StrEnum):
    """How a file differs from what is generated from the specs."""

    MISSING = "missing"
    EDITED = "edited"
    ORPHANED = "orphaned"
    """Generated from a part of the specs that no longer exists; it is removed."""
    FOREIGN = "foreign"
    """Not generated, but in a generated folder; it is reported and left alone."""
    UNTRACKED = "untracked"
    """Up to date but not in git; reported when nothing is written."""


RULE = "generated"

_WHAT = {
    FileChangeKind.MISSING: "is missing",
    FileChangeKind.EDITED: "differs from what the specs generate",
    FileChangeKind.ORPHANED: "was generated, but no spec generates it any more",
    FileChangeKind.FOREIGN: "is not generated, but is among files that are",
    FileChangeKind.UNTRACKED: "is not tracked by git",
}


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that differs from what is generated from the specs, and how; ``diff`` leads from the file to its wanted
    content.
    """

    path: Path
    kind: FileChangeKind
    diff: str

    def problem(self, command: str) -> Problem:
        """The change as a problem of the file, with ``command`` as its fix."""
        match self.kind:
            case FileChangeKind.FOREIGN:
                hint = "keep it elsewhere"
            case FileChangeKind.UNTRACKED:
                hint = f"run: {shlex.join(['git', 'add', str(self.path)])}"
            case FileChangeKind.MISSING | FileChangeKind.EDITED | FileChangeKind.ORPHANED:
                hint = f"run: {command}"
            case _:
                assert_never(self.kind)
        return Problem(Location(self.path, _first_line_of(self.diff), 1), RULE, _WHAT[self.kind], hint)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wanted contents of each file. The folders ``own`` have files of one protocol, ``shared`` ones of several.

    ``others`` are files of emitters that were not chosen; they are left alone.
    """

    files: Mapping[Path, str]
    own: frozenset[Path]
    shared: frozenset[Path]
    others: frozenset[Path]


def differences(wanted: Wanted, specs: Sequence[Path]) -> list[FileChange]:
    """How the files on disk differ from what is ``wanted``, including orphaned and foreign files."""
    return [*_differing(wanted.files), *_strays(wanted), *_left_behind(specs, wanted)]


def untracked(there: Iterable[Path], out: Path) -> tuple[list[FileChange], list[Problem]]:
    """The files that git does not track; a warning if git fails. Nothing if git is not installed."""
    try:
        return [FileChange(path, FileChangeKind.UNTRACKED, "") for path in git.untracked(there)], []
    except git.MissingGitError:
        return [], []
    except git.GitError as error:
        what = f"git cannot list its files: {error}"
        return [], [Problem(Location(out, 1, 1), RULE, what, severity=Severity.WARNING)]


def write(changes: Sequence[FileChange], wanted: Wanted) -> list[Problem]:
    """Make the changes, unless files that were not generated are in the way; then only return the problems of those.

    If one of the files cannot be written, nothing changes. Raises ``OSError``.
    """
    taken = [problem for change in changes if (problem := _taken(change))]
    if taken:
        return taken
    written = (FileChangeKind.MISSING, FileChangeKind.EDITED)
    put({change.path: wanted.files[change.path] for change in changes if change.kind in written})
    for change in changes:
        if change.kind is FileChangeKind.ORPHANED:
            change.path.unlink()
    return []


def put(files: Mapping[Path, str]) -> None:
    """Write files, with the directories they need: all of them or, if one cannot be written, none. Raises ``OSError``.

    Each is written beside its place, and moved there when all are complete. Until then the old ones can be read.
    """
    partials: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, text in files.items():
            made[:0] = (folder for folder in path.parents if not folder.exists())
            path.parent.mkdir(parents=True, exist_ok=True)
            place = path.resolve()  # links lead to what is written
            if place.exists():
                place.open("ab").close()  # what may not be written is not replaced either
            partial = place.with_name(f".wireloom-{uuid4().hex}")
            partials[partial] = place
            partial.write_text(text, encoding="utf-8")
        for partial, place in partials.items():
            if place.exists():
                shutil.copymode(place, partial)
            partial.replace(place)
    finally:
        for partial in partials:
            partial.unlink(missing_ok=True)
        for folder in made:
            with suppress(OSError):  # there are files in it
                folder.rmdir()


def _taken(change: FileChange) -> Problem | None:
    """The problem if a file that was not generated is where one should be generated."""
    if change.kind is not FileChangeKind.EDITED:
        return None
    text = _text(change.path)
    if not text.strip() or is_marked(OutputFile(PurePosixPath(change.path), text)):
        return None
    what, hint = "would be overwritten, but is not a generated file", "move it, or delete it if it was one"
    return Problem(Location(change.path, 1, 1), "taken", what, hint)


def _differing(wanted: Mapping[Path, str]) -> Iterator[FileChange]:
    for path, text in sorted(wanted.items()):
        if not path.exists():
            yield FileChange(path, FileChangeKind.MISSING, _diff(path, "", text))
        elif (found := _text(path)) != text.replace("\r\n", "\n").replace(
            "\r", "\n"
        ):  # as reading translates line ends
            yield FileChange(path, FileChangeKind.EDITED, _diff(path, found, text))


def _strays(wanted: Wanted) -> Iterator[FileChange]:
    """Files beside the wanted ones: generated earlier, or not generated.

    In a folder that several protocols share, files generated from other specs are skipped.
    """
    for folder in sorted(folder for folder in wanted.own | wanted.shared if folder.is_dir()):
        given = {source for path in wanted.files if path.parent == folder for source in made_from(wanted.files[path])}
        for path in sorted(set(filter(Path.is_file, folder.iterdir())) - wanted.files.keys() - wanted.others):
            sources = made_from(_first_line(path))
            if not sources:
                yield FileChange(path, FileChangeKind.FOREIGN, "")
            elif folder in wanted.own or given.issuperset(sources):
                yield FileChange(path, FileChangeKind.ORPHANED, _diff(path, _text(path), ""))


def _left_behind(specs: Sequence[Path], wanted: Wanted) -> Iterator[FileChange]:
    """Files of protocols that no longer exist in the given folders of specs, but not of protocols from elsewhere."""
    roots = [path for path in specs if path.is_dir() and not any(path.glob("*.yaml"))]
    names = {root.resolve().name for root in roots}
    known = {(root.resolve().name, folder.name) for root in roots for folder in root.iterdir()}
    beside = {path for folder in wanted.own if folder.parent.is_dir() for path in folder.parent.glob(_alike(folder))}
    beside |= {path for folder in wanted.shared if folder.is_dir() for path in folder.iterdir()}
    for path in sorted(path for path in beside if path.parent not in wanted.own and path.is_file()):
        sources = [PurePosixPath(source) for source in made_from(_first_line(path))]
        gone = any((source.parent.name, source.name) not in known for source in sources)
        if gone and all(source.parent.name in names for source in sources):
            yield FileChange(path, FileChangeKind.ORPHANED, _diff(path, _text(path), ""))


def _alike(folder: Path) -> str:
    """The pattern of files in similar folders. The folders of all emitters are beside the packages that Spark finds."""
    return f"{naming.FOUND}*/*" if folder.name.startswith(naming.FOUND) else "*/*"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline(1000)


def _diff(path: Path, found: str, wanted: str) -> str:
    name = PurePosixPath(path).as_posix()
    lines = difflib.unified_diff(found.splitlines(), wanted.splitlines(), f"{name} (on disk)", name, lineterm="", n=1)
    return "\n".join(lines)


def _first_line_of(diff: str) -> int:
    """The line of the file on disk at which a unified diff begins; 1 for an empty diff."""
    hunk = re.search(r"^@@ -(\d+).*\n( ?)", diff, re.MULTILINE)  # which has a line of context before it, or none
    return max(1, int(hunk[1]) + len(hunk[2])) if hunk else 1
