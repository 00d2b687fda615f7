"""Specs → files on disk, or the check that the files on disk are what the specs give."""

import difflib
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import assert_never

from wireloom_generator import emitted_code, emitters, examples, git, lockstep, model, rules
from wireloom_generator.emitters import Destination, Emitter, Subject
from wireloom_generator.explained import account, sentences
from wireloom_generator.output import OutputFile, is_marked, made_from
from wireloom_generator.problems import Location, Problem, Severity
from wireloom_generator.resolve import protocol_of

_OWN = emitters.own()


class FileChangeKind(StrEnum):
    """How a file differs from what the specs give."""

    MISSING = "missing"
    EDITED = "edited"
    ORPHANED = "orphaned"
    """Generated from something that the specs no longer have; it is removed."""
    FOREIGN = "foreign"
    """Not generated, but in a generated folder; it is reported and left alone."""
    UNTRACKED = "untracked"
    """Up to date but not in git; reported when nothing is written."""


RULE = "generated"

_WHAT = {
    FileChangeKind.MISSING: "is missing",
    FileChangeKind.EDITED: "is not what the specs give",
    FileChangeKind.ORPHANED: "is generated, but no spec gives it any longer",
    FileChangeKind.FOREIGN: "is not generated, but stands among files that are",
    FileChangeKind.UNTRACKED: "is needed, but git does not have it",
}


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that differs from what the specs give, and how; ``diff`` is from the file to what it should be."""

    path: Path
    kind: FileChangeKind
    diff: str

    def problem(self, command: str) -> Problem:
        """The change as a problem of the file that ``command`` fixes."""
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
class Generation:
    """The result of a run: problems of the specs, and the files that it changed or, when checking, would change."""

    problems: tuple[Problem, ...]
    changes: tuple[FileChange, ...] = ()
    protocols: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    """The files of the specs."""

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that stop generation."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What each file should contain. In the folders ``own`` stand files of one protocol, in ``shared`` ones of several.

    ``others`` are files of emitters that were not chosen; they are left alone.
    """

    files: Mapping[Path, str]
    own: frozenset[Path]
    shared: frozenset[Path]
    others: frozenset[Path]


@dataclass(frozen=True, slots=True)
class _Compiled:
    protocol: model.Protocol
    files: tuple[tuple[str, Emitter, OutputFile], ...]
    """The files, each with its emitter and the emitter's name."""


def check(specs: Sequence[Path]) -> list[Problem]:
    """Every problem of the specs, sorted: from reading, rules, worked examples, and comparing the outputs."""
    return _compile(specs, {})[1]


def explained(specs: Sequence[Path]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """How the columnar decoder reads the messages of each protocol: the protocol's name, and sentences."""
    loaded, problems = rules.read(specs)
    if not any(problem.severity is Severity.ERROR for problem in problems):
        for protocol in map(protocol_of, loaded):
            with examples.emitted(protocol) as codec:
                yield protocol.name, tuple(sentences(account(codec)))


def generate(
    specs: Sequence[Path], out: Path, *, write: bool, package: str = "", emit: Sequence[str] = ()
) -> Generation:
    """Bring ``out`` up to date with the specs, or find out what would change if ``write`` is false.

    Packages go to ``out/<package>/<protocol>``, where ``package`` is a dotted prefix. Other outputs go to
    ``out/<emitter>``, and the JSON Schema of the language beside the specs' folders. ``emit`` names the emitters to
    use; none means Wireloom's own. Nothing is written if a spec has an error, or if a file that was not generated is in
    the way. Raises ``EmitterError``.
    """
    generation, wanted = outputs(specs, out, package, emit)
    if generation.errors:
        return generation
    changes = differences(wanted, specs)
    if not write:
        there = wanted.files.keys() - {change.path for change in changes}
        missing, unknown = _untracked({*there, *generation.sources}, out)
        return replace(generation, problems=(*generation.problems, *unknown), changes=(*changes, *missing))
    taken = [problem for change in changes if (problem := _taken(change))]
    if taken:
        return replace(generation, problems=(*generation.problems, *taken))
    for change in changes:
        _apply(change, wanted)
    return replace(generation, changes=tuple(changes))


def _untracked(there: Iterable[Path], out: Path) -> tuple[list[FileChange], list[Problem]]:
    """The files that are not in git; a warning if git fails. If git is not installed, it is not asked."""
    try:
        return [FileChange(path, FileChangeKind.UNTRACKED, "") for path in git.untracked(there)], []
    except git.MissingGitError:
        return [], []
    except git.GitError as error:
        what = f"git does not tell which files it has: {error}"
        return [], [Problem(Location(out, 1, 1), RULE, what, severity=Severity.WARNING)]


def outputs(specs: Sequence[Path], out: Path, package: str = "", emit: Sequence[str] = ()) -> tuple[Generation, Wanted]:
    """What the specs give, before it is compared with the disk: the problems, and what each file should contain."""
    chosen = emitters.chosen(emit)
    compiled, problems = _compile(specs, chosen)
    files: dict[Path, str] = {}
    own: set[Path] = set()
    shared: set[Path] = set()
    others: set[Path] = set()
    prefix = Path(*package.split(".")) if package else Path()
    for item in compiled:
        folders = {
            Destination.OUT: out,
            Destination.PACKAGE: out / prefix,
            Destination.SPECS: item.protocol.path.parent.parent,
        }
        for name, emitter, file in item.files:
            path = folders[emitter.destination] / file.path
            if name not in chosen:
                others.add(path)
                continue
            files[path] = file.text
            if emitter.destination is not Destination.SPECS:
                (own if item.protocol.name in file.path.parent.parts[-1:] else shared).add(path.parent)
    names = tuple(item.protocol.name for item in compiled)
    sources = {path for item in compiled for path in item.protocol.sources}
    generation = Generation(tuple(problems), (), names, tuple(sorted(sources)))
    return generation, Wanted(files, frozenset(own - shared), frozenset(shared), frozenset(others))


def differences(wanted: Wanted, specs: Sequence[Path]) -> list[FileChange]:
    """How the files on disk differ from what is ``wanted``, including orphaned and foreign files."""
    return [*_differing(wanted.files), *_strays(wanted), *_left_behind(specs, wanted)]


def _taken(change: FileChange) -> Problem | None:
    """The problem if a file that was not generated is where one should be generated."""
    if change.kind is not FileChangeKind.EDITED:
        return None
    text = _text(change.path)
    if not text.strip() or is_marked(OutputFile(PurePosixPath(change.path), text)):
        return None
    what, hint = "is to be generated, but is not a generated file", "move it, or delete it if it was one"
    return Problem(Location(change.path, 1, 1), "taken", what, hint)


def _compile(specs: Sequence[Path], chosen: Mapping[str, Emitter]) -> tuple[list[_Compiled], list[Problem]]:
    loaded, problems = rules.read(specs)
    compiled = []
    if not any(problem.severity is Severity.ERROR for problem in problems):
        for spec in loaded:
            protocol = protocol_of(spec)
            try:
                files, found = _emit(protocol, chosen)
            except emitted_code.ForeignCodeError as error:
                hint = "this is a bug of wireloom's; report it with the spec, none of whose code was run"
                problems.append(Problem(Location(protocol.path, 1, 1), emitted_code.RULE, str(error), hint))
                continue
            problems += found
            compiled.append(_Compiled(protocol, files))
    return compiled, sorted(set(problems))


def _emit(
    protocol: model.Protocol, chosen: Mapping[str, Emitter]
) -> tuple[tuple[tuple[str, Emitter, OutputFile], ...], list[Problem]]:
    """The files of Wireloom's emitters, which are compared with each other in any case, and of the chosen ones."""

    def emitted(*places: Destination) -> Iterator[tuple[str, Emitter, OutputFile]]:
        for name, emitter in {**_OWN, **chosen}.items():
            if emitter.destination in places:
                yield from ((name, emitter, file) for file in emitters.emitted(name, emitter, subject))

    subject = Subject(protocol)
    modules = tuple(emitted(Destination.PACKAGE))
    for _, _, file in modules:
        emitted_code.admit(file)
    with examples.imported(protocol, {file.path: file for _, _, file in modules}) as codec:
        traces, problems = examples.run(protocol, codec)
        subject = Subject(protocol, traces, account(codec))
        files = (*modules, *emitted(Destination.OUT, Destination.SPECS))
        own = {file.path: file for name, _, file in files if name in _OWN}
        problems += lockstep.check(protocol, codec, own)
    return files, problems


def _differing(wanted: Mapping[Path, str]) -> Iterator[FileChange]:
    for path, text in sorted(wanted.items()):
        if not path.exists():
            yield FileChange(path, FileChangeKind.MISSING, _diff(path, "", text))
        elif (found := _text(path)) != "\n".join(re.split("\r\n?|\n", text)):  # as reading translates line ends
            yield FileChange(path, FileChangeKind.EDITED, _diff(path, found, text))


def _strays(wanted: Wanted) -> Iterator[FileChange]:
    """Files beside those that the specs give: generated once, or somebody's own.

    In a folder that several protocols share, those that were generated from other specs are neither.
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
    """Files of protocols that are gone from the given folders of specs, but not those of protocols from elsewhere."""
    roots = [path for path in specs if path.is_dir() and not any(path.glob("*.yaml"))]
    names = {root.resolve().name for root in roots}
    known = {(root.resolve().name, folder.name) for root in roots for folder in root.iterdir()}
    beside = {path for folder in wanted.own if folder.parent.is_dir() for path in folder.parent.glob("*/*")}
    beside |= {path for folder in wanted.shared if folder.is_dir() for path in folder.iterdir()}
    for path in sorted(path for path in beside if path.parent not in wanted.own and path.is_file()):
        sources = [PurePosixPath(source) for source in made_from(_first_line(path))]
        gone = any((source.parent.name, source.name) not in known for source in sources)
        if gone and all(source.parent.name in names for source in sources):
            yield FileChange(path, FileChangeKind.ORPHANED, _diff(path, _text(path), ""))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline(1000)


def _diff(path: Path, found: str, wanted: str) -> str:
    name = PurePosixPath(path).as_posix()
    lines = difflib.unified_diff(found.splitlines(), wanted.splitlines(), f"{name} (on disk)", name, lineterm="", n=1)
    return "\n".join(lines)


def _apply(change: FileChange, wanted: Wanted) -> None:
    match change.kind:
        case FileChangeKind.MISSING | FileChangeKind.EDITED:
            change.path.parent.mkdir(parents=True, exist_ok=True)
            change.path.write_text(wanted.files[change.path], encoding="utf-8")
        case FileChangeKind.ORPHANED:
            change.path.unlink()
        case FileChangeKind.FOREIGN | FileChangeKind.UNTRACKED:
            pass


def _first_line_of(diff: str) -> int:
    """The line of the file on disk at which a unified diff begins; 1 for an empty diff."""
    before, _, hunk = diff.partition("\n@@ -")
    start = re.match(r"\d+", hunk)
    if not before or start is None:
        return 1
    context = 0
    for line in hunk.splitlines()[1:]:
        if not line.startswith(" "):
            break
        context += 1
    return max(1, int(start[0]) + context)
