"""Files of other tools → specs on disk, checked.

An importer writes what the source means. ``check`` knows what the language can say: what it refuses, the importer
writes again, as bytes. So no importer repeats the rules.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from wireloom_generator import frontend, on_disk
from wireloom_generator.generate import check
from wireloom_generator.importers import Importer, Outcome, SourceError, Sources
from wireloom_generator.problems import Location, Problem, Severity
from wireloom_generator.spec_text import SpecText, written

HEAD = "yaml-language-server: $schema=../schema.json"
_AFTERWARDS = frozenset({"one-rest", "repeat", "trailing"})
"""Rules whose errors may come from other errors, so that those are refused first."""
MOST_LINES = 40_000
"""The most lines of the specs of an import. The rules take milliseconds for each."""
_ROUNDS = 60
"""After being refused so often, an import is written as it is."""


class TakenError(Exception):
    """A folder is where a spec would be written."""


@dataclass(frozen=True, slots=True)
class SpecImport:
    """What an import wrote, what became of the source, and what ``check`` says about it."""

    files: Mapping[Path, str]
    outcomes: tuple[Outcome, ...]
    problems: tuple[Problem, ...]


def imported(paths: Sequence[Path], importer: Importer, out: Path, sources: Sources | None = None) -> SpecImport:
    """The specs below ``out``, not written yet. Raises ``SourceError``, and ``TakenError`` if there are some."""
    sources = sources or Sources()
    refused: dict[Location, str] = {}
    with TemporaryDirectory() as name:
        rounds = 0
        while True:
            folder = Path(name, str(rounds))
            found = importer.read(paths, sources, refused)
            texts = {path: written(document, head=HEAD) for path, document in found.files.items()}
            if sum(len(text.lines) for text in texts.values()) > MOST_LINES:
                raise SourceError(
                    Location(paths[0], 1, 1),
                    f"its spec would have more than {MOST_LINES:,} lines",
                    "remove what you do not need",
                )
            for protocol in sorted({path.parts[0] for path in texts}):
                if (out / protocol).exists():
                    raise TakenError(
                        f"{(out / protocol).as_posix()} already exists; remove it, or choose another --out"
                    )
            on_disk.put({folder / path: str(text) for path, text in texts.items()})
            more = _refused(frontend.read([folder])[1], folder, texts, refused) if texts else {}
            if not more or rounds == _ROUNDS:
                problems = check([folder]) if texts else []
                moved = tuple(replace(each, location=_moved(each.location, folder, out)) for each in problems)
                return SpecImport({out / path: str(text) for path, text in texts.items()}, found.outcomes, moved)
            refused |= more
            rounds += 1


def _refused(
    problems: Iterable[Problem],
    folder: Path,
    texts: Mapping[PurePosixPath, SpecText],
    known: Container[Location],
) -> dict[Location, str]:
    """The places in the source that are not ``known`` yet and whose meaning is an error in the spec, each with the
    first error.
    """
    first: dict[Location, str] = {}
    afterwards: dict[Location, str] = {}
    for problem in problems:
        at = problem.location
        text = texts.get(PurePosixPath(at.path.relative_to(folder).as_posix()))
        origin = text.origin(at.line) if text is not None else None
        if problem.severity is Severity.ERROR and origin is not None and origin not in known:
            (afterwards if problem.rule in _AFTERWARDS else first).setdefault(origin, problem.what)
    return first or afterwards


def _moved(at: Location, folder: Path, out: Path) -> Location:
    return Location(out / at.path.relative_to(folder), at.line, at.column)


def counted(outcomes: Iterable[Outcome]) -> Mapping[str, int]:
    """How many messages and types are said in each way."""
    found: dict[str, int] = {}
    for outcome in outcomes:
        found[str(outcome.coverage)] = found.get(str(outcome.coverage), 0) + 1
    return found
