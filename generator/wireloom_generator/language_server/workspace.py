"""The specs of an editor: files on disk, and texts that are not saved yet; what they mean, and their problems."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from wireloom_generator import frontend
from wireloom_generator.language_server.places import lines_of
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Severity
from wireloom_generator.reading import shape, source, syntax
from wireloom_generator.reading.source import YamlMapping
from wireloom_generator.reading.spec import home, is_declared, read_document

_NEAR = 20
"""What cannot be read began at most so many lines before the problem that is found."""
_IMPORTS = re.compile(r"^imports:", re.MULTILINE)


@dataclass(frozen=True)
class Document:
    """A text of a file, and what it is as far as it could be read."""

    path: Path
    text: str
    yaml: YamlMapping | None
    file: syntax.File | None
    problems: tuple[Problem, ...]

    @cached_property
    def lines(self) -> list[str]:
        return lines_of(self.text)

    @cached_property
    def begun(self) -> YamlMapping | None:
        """As much of it as can be read: all, or what is before its first problem; None if that is nothing."""
        if self.yaml is not None or not self.problems:
            return self.yaml
        wrong = min(problem.location.line for problem in self.problems) - 1
        for end in range(wrong, max(0, wrong - _NEAR), -1):
            found, _ = source.document("\n".join([*self.lines[:end], ""]), self.path)
            if found is not None:
                return found
        return None

    @cached_property
    def kinds(self) -> list[tuple[type, YamlMapping]]:
        """The mappings that can be read, each with the class that declares their keys; outer ones first."""
        return [] if self.begun is None else shape.kinds(self.begun)


@dataclass(frozen=True, eq=False)
class Checked:
    """A protocol as it was checked: its model, the documents that it consists of, and whether they have no errors."""

    model: Resolved
    documents: Mapping[Path, Document]
    is_valid: bool


@dataclass
class Workspace:
    """Texts of open files, and what is known of the specs that they belong to.

    Of a protocol that cannot be read any more, the last model is kept.
    """

    texts: dict[Path, str] = field(default_factory=dict)
    checked: dict[Path, Checked] = field(default_factory=dict)
    _documents: dict[Path, Document] = field(default_factory=dict)

    def document(self, path: Path) -> Document:
        """A file as it is shown, or on disk if it is not open; empty if it is nowhere."""
        if (text := self.texts.get(path)) is None:
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                text = ""
        known = self._documents.get(path)
        if known is None or known.text != text:
            found, problems = source.document(text, path)
            file, problems = read_document(found, problems)
            known = self._documents[path] = Document(path, text, found, file, tuple(problems))
        return known

    def folders(self, path: Path) -> list[Path]:
        """The folders of the protocols that a file is part of: its own, or all that import its library."""
        own = home(path.parent)
        beside = sorted({each.parent for each in own.parent.glob("*/*.yaml")} | {own})
        imports = {folder: set(self._imports(folder)) for folder in beside}
        found, size = {own.name}, 0
        while size < len(found):
            size = len(found)
            found |= {folder.name for folder in beside if imports[folder] & found}
        return [folder for folder in beside if folder.name in found]

    def _imports(self, folder: Path) -> Iterator[str]:
        for path in folder.glob("*.yaml"):
            if path.name in ("protocol.yaml", "library.yaml") or _IMPORTS.search(self.document(path).text):
                file = self.document(path).file
                yield from file.imports if isinstance(file, syntax.Protocol | syntax.Library) else ()

    def check(self, path: Path) -> dict[Path, list[Problem]]:
        """Check the protocols that a file is part of; the problems by file, with an entry for each file."""
        found: dict[Path, set[Problem]] = {}
        for folder in self.folders(path):
            documents = _Documents(self)
            models, problems = frontend.read([folder], documents)
            for each in documents.found:
                found.setdefault(each, set())
            for problem in problems:
                found.setdefault(problem.location.path, set()).add(problem)
            for model in models:
                is_broken = not model.is_whole and folder in self.checked
                if not is_broken:
                    is_valid = not any(problem.severity is Severity.ERROR for problem in problems)
                    self.checked[folder] = Checked(model, documents.found, is_valid)
        return {each: sorted(problems) for each, problems in found.items()}

    def of(self, path: Path) -> list[Checked]:
        """The protocols that a file is part of, as they were last checked; its own first."""
        own = home(path.parent)
        return sorted(
            (each for each in self.checked.values() if path in each.documents),
            key=lambda each: own not in {document.parent for document in each.documents},
        )

    def copy(self) -> "Workspace":
        """Another one with the same texts, to try edits in."""
        return Workspace(dict(self.texts), {}, dict(self._documents))


class _Documents:
    """Reads files of a workspace, and keeps what was read."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.found: dict[Path, Document] = {}

    def __call__(self, path: Path) -> tuple[syntax.File | None, list[Problem]]:
        document = self.found[path] = self.workspace.document(path)
        return document.file, list(document.problems)


def errors(problems: Mapping[Path, list[Problem]]) -> set[tuple[Path, str, str]]:
    """The errors, without where in their files they are."""
    return {
        (path, problem.rule, problem.what)
        for path, found in problems.items()
        for problem in found
        if problem.severity is Severity.ERROR
    }


def is_spec(path: Path, text: str) -> bool:
    """Whether a file is one of a spec: by its first key, or by the files beside it."""
    beside = home(path.parent)
    return path.suffix == ".yaml" and (
        is_declared(text) or any((beside / name).is_file() for name in ("protocol.yaml", "library.yaml"))
    )
