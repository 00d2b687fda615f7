"""Drafts of specs → a protocol that runs, as far as they are right, in memory."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Lock

from wireloom.codec import Protocol
from wireloom.inspection import Inspected
from wireloom_generator import emitted_code, emitters, examples, frontend, model
from wireloom_generator.emitters import Subject, docs
from wireloom_generator.explained import differing_types, support
from wireloom_generator.field_lines import FieldLine, FieldLines
from wireloom_generator.output import OutputFile
from wireloom_generator.problems import Location, Problem, Severity
from wireloom_generator.reading import source, syntax
from wireloom_generator.reading.spec import read_document, read_file
from wireloom_generator.resolve import protocol_of

_RUNNING = Lock()
"""Modules of a protocol have the same names whoever runs them."""


@dataclass(frozen=True)
class Compiled:
    """A protocol, and its codec."""

    protocol: model.Protocol
    codec: Protocol
    _lines: dict[tuple[str | None, bool], FieldLines] = field(default_factory=dict)
    _pages: dict[str, str] = field(default_factory=dict)
    _making: Lock = field(default_factory=Lock)

    def line_of(self, inspected: Inspected, names: tuple[str, ...], *, header: bool) -> FieldLine | None:
        """Where the spec has a part of a record, or of the capture's ``header``; ``names`` lead to it from there."""
        protocol = (self.protocol.preamble or self.protocol) if header else self.protocol
        key = inspected.message, header
        if key not in self._lines:
            message = next((each for each in protocol.messages if each.name == inspected.message), None)
            self._lines[key] = FieldLines(protocol, message)
        found = self._lines[key].of([name for name in names if not name.startswith(("[", "("))])
        return found[0] if found else None

    @cached_property
    def worked(self) -> tuple[Subject, list[Problem]]:
        """The protocol with its worked examples, for emitters, and the problems of those that fail."""
        traces, problems = examples.run(self.protocol, self.codec)
        types = differing_types(self.codec)
        return Subject(self.protocol, traces, support(self.codec), types, self.protocol.name), problems

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The texts of the modules of its Python package, by name."""
        return {each.file.path.stem: each.file.text for each in emitters.modules(self.protocol)}

    def page(self, name: str) -> str | None:
        """A page of the documentation in Markdown, by the name of its file; no more pages are made than it takes."""
        with self._making:  # a tab and a link may ask at the same time
            while name not in self._pages and (file := next(self._more_pages, None)) is not None:
                self._pages[file.path.name] = file.text
        return self._pages.get(name)

    @cached_property
    def _more_pages(self) -> Iterator[OutputFile]:
        subject, _ = self.worked
        return docs.emit(self.protocol, subject.traces, subject.support, subject.types)


@dataclass(frozen=True, slots=True)
class CheckedDrafts:
    """The problems of drafts, and the protocol that they are if none of these is an error."""

    problems: tuple[Problem, ...]
    compiled: Compiled | None = None


def check(folder: Path, drafts: Mapping[Path, str]) -> CheckedDrafts:
    """Check the drafts of the protocol in a folder, and make it run. Worked examples are not run yet."""
    found, problems = frontend.read([folder], partial(_read, drafts), drafts)
    if not found or any(problem.severity is Severity.ERROR for problem in problems):
        return CheckedDrafts(tuple(problems))
    protocol = protocol_of(found[0])
    try:
        with _RUNNING, examples.running(emitters.codec_modules(protocol)) as codec:
            return CheckedDrafts(tuple(problems), Compiled(protocol, codec))
    except emitted_code.ForeignCodeError as error:
        hint = "this is a bug in Wireloom; report it with the spec; the generated code was not run"
        return CheckedDrafts((*problems, Problem(Location(protocol.path, 1, 1), emitted_code.RULE, str(error), hint)))


def _read(drafts: Mapping[Path, str], path: Path) -> tuple[syntax.File | None, list[Problem]]:
    """The syntax of a file: of its draft, if it has one."""
    return read_document(*source.document(drafts[path], path)) if path in drafts else read_file(path)
