"""Specs → files: read, checked, emitted, and compared with those on disk."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wireloom_generator import emitted_code, emitters, examples, frontend, model, on_disk
from wireloom_generator.emitters import Destination, Emission, Emitter, ModuleEmitter, Subject
from wireloom_generator.explained import differing_types, sentences, single, support
from wireloom_generator.on_disk import FileChange, Wanted
from wireloom_generator.problems import Location, Problem, Severity
from wireloom_generator.resolve import protocol_of


@dataclass(frozen=True, slots=True)
class Generation:
    """The result of a run: problems of the specs, and the files that it changed or, when checking, would change."""

    problems: tuple[Problem, ...]
    changes: tuple[FileChange, ...] = ()
    protocols: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that stop generation."""
        return _errors(self.problems)


@frontend.uncollected()
def subjects(specs: Sequence[Path]) -> tuple[list[Subject], list[Problem]]:
    """The protocols with their worked examples, none if a rule finds an error; and what ``check`` finds."""
    problems: list[Problem] = []
    found = [subject for subject, _ in _run(specs, emitters.codec_modules, "", problems)]
    return found, sorted(set(problems))


def check(specs: Sequence[Path]) -> list[Problem]:
    """Every problem of the specs, sorted: from reading, rules, and worked examples."""
    return subjects(specs)[1]


def explained(specs: Sequence[Path]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """How the messages of each protocol are read and written: the protocol's name, and sentences."""
    judged, problems = frontend.read(specs)
    if not _errors(problems):
        for protocol in map(protocol_of, judged):
            with examples.running(emitters.codec_modules(protocol)) as codec:
                yield protocol.name, (*sentences(support(codec)), *single(codec))


@frontend.uncollected()
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
    changes = on_disk.differences(wanted, specs)
    if write:
        problems = on_disk.write(changes, wanted)
        changes = [] if problems else changes
    else:
        there = wanted.files.keys() - {change.path for change in changes}
        missing, problems = on_disk.untracked({*there, *generation.sources}, out)
        changes += missing
    return replace(generation, problems=(*generation.problems, *problems), changes=tuple(changes))


def outputs(specs: Sequence[Path], out: Path, package: str = "", emit: Sequence[str] = ()) -> tuple[Generation, Wanted]:
    """The output of the specs before it is compared with the disk: the problems, and the contents of each file."""
    chosen = emitters.chosen(emit)
    protocols, problems = compiled(specs, chosen, package)
    files: dict[Path, str] = {}
    own: set[Path] = set()
    shared: set[Path] = set()
    others: set[Path] = set()
    below = {
        Destination.OUT: out,
        Destination.TOP: out,
        Destination.PACKAGE: out.joinpath(*filter(None, package.split("."))),
    }
    for protocol, emissions in protocols:
        folders = {**below, Destination.SPECS: protocol.path.parent.parent}
        for name, destination, file in emissions:
            path = folders[destination] / file.path
            if name not in chosen:
                others.add(path)
                continue
            files[path] = file.text
            if destination is not Destination.SPECS:
                alone = destination is Destination.TOP or protocol.name in file.path.parent.parts[-1:]
                (own if alone else shared).add(path.parent)
    names = tuple(protocol.name for protocol, _ in protocols)
    sources = {path for protocol, _ in protocols for path in protocol.sources}
    generation = Generation(tuple(problems), (), names, tuple(sorted(sources)))
    return generation, Wanted(files, frozenset(own - shared), frozenset(shared), frozenset(others))


def compiled(
    specs: Sequence[Path], chosen: Mapping[str, ModuleEmitter | Emitter], package: str
) -> tuple[list[tuple[model.Protocol, tuple[Emission, ...]]], list[Problem]]:
    """The protocols, each with the files of Wireloom's and the chosen emitters; none if a spec has an error."""
    problems: list[Problem] = []
    made = [
        (subject.protocol, (*modules, *emitters.others(chosen, subject)))
        for subject, modules in _run(specs, emitters.modules, package, problems)
    ]
    return made, sorted(set(problems))


def _run(
    specs: Sequence[Path],
    modules: Callable[[model.Protocol], tuple[Emission, ...]],
    package: str,
    problems: list[Problem],
) -> Iterator[tuple[Subject, tuple[Emission, ...]]]:
    """The protocols, each with the ``modules`` that ran its worked examples; none if a spec has an error.

    ``problems`` gets those of reading, rules and worked examples.
    """
    judged, found = frontend.read(specs)
    problems += found
    for protocol in () if _errors(found) else map(protocol_of, judged):
        emitted = modules(protocol)
        try:
            with examples.running(emitted) as codec:
                traces, failures = examples.run(protocol, codec)
                problems += failures
                module = ".".join(filter(None, (package, protocol.name)))
                subject = Subject(protocol, traces, support(codec), differing_types(codec), module)
        except emitted_code.ForeignCodeError as error:
            hint = "this is a bug in Wireloom; report it with the spec; the generated code was not run"
            problems.append(Problem(Location(protocol.path, 1, 1), emitted_code.RULE, str(error), hint))
        else:
            yield subject, emitted


def _errors(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)
