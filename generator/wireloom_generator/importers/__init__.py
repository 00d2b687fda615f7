"""Other tools' descriptions of formats → specs: one module or package for each format, found by its name.

Each module beside this one has an ``IMPORTER``. Those of other packages are entry points of the group
``wireloom.importers``: ``name = "package.module:IMPORTER"``. No importer imports another.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from wireloom_generator.problems import Location, closest
from wireloom_generator.problems import SourceError as SourceError
from wireloom_generator.spec_text import YamlValue

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "wireloom.importers"
MOST_BYTES = 8 << 20
"""The most bytes that all files of an import have together."""
MOST_FILES = 1000
DEEPEST = 50
"""How many files may include each other, one inside the other."""
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that are in no text, whatever its encoding."""


class ImporterError(Exception):
    """There is no such importer, or nothing says which one reads a file."""


class Coverage(StrEnum):
    """How much of a message or a type of the source the spec says."""

    WHOLE = "whole"
    VALUES = "without some values"
    """All of its bytes are said. Values that the source computes from them, or names that it has for values, are left
    out; a comment has the reason.
    """
    BYTES = "in bytes"
    """Bytes stand for some of it, or something without bytes is left out; a comment in the spec has the reason."""
    REFUSED = "refused"
    """It is not in the spec."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one message or type of the source, with the reasons if it is not said whole."""

    name: str
    at: Location
    coverage: Coverage = Coverage.WHOLE
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """Specs, by their paths below the folder of specs, and what became of what is in the source."""

    files: Mapping[PurePosixPath, Mapping[str, YamlValue]]
    outcomes: tuple[Outcome, ...]


@dataclass
class Sources:
    """Reads the files of an import, and those that they include: UTF-8 or Windows-1252, and not too much of it."""

    _left: int = MOST_BYTES
    _texts: dict[Path, str] = field(default_factory=dict)
    _open: list[Path] = field(default_factory=list)

    def text(self, path: Path, by: Location | None = None) -> str:
        """The text of a file, which is named in another one at ``by``. Raises ``SourceError`` and ``OSError``."""
        at = Location(path, 1, 1)
        key = path.resolve()
        if key not in self._texts:
            if not key.is_file():
                raise SourceError(by or at, f"there is no file {path.as_posix()}" if by else "not a file")
            with key.open("rb") as file:
                data = file.read(self._left + 1)
            self._left -= len(data)
            if self._left < 0:
                raise SourceError(at, f"more than {MOST_BYTES >> 20} MiB in all files together")
            if len(self._texts) >= MOST_FILES:
                raise SourceError(by or at, f"more than {MOST_FILES} files")
            self._texts[key] = _text(path, data)
        return self._texts[key]

    @contextmanager
    def including(self, path: Path, by: Location) -> Iterator[str]:
        """The text of a file that is included at ``by``, while what it includes is read. Raises as ``text`` does, and
        if the file includes itself.
        """
        key = path.resolve()
        if key in self._open:
            raise SourceError(by, f"{path.as_posix()} includes itself")
        if len(self._open) == DEEPEST:
            raise SourceError(by, f"files include each other more than {DEEPEST} deep")
        self._open.append(key)
        try:
            yield self.text(path, by)
        finally:
            self._open.pop()


_Read = Callable[[Sequence[Path], Sources, Mapping[Location, str]], Imported]


@dataclass(frozen=True, slots=True)
class Importer:
    """One format.

    ``read`` gets the files, which it reads with ``Sources``, and the places in them whose meaning ``wireloom check``
    refused in the spec, with its message: there it writes bytes and the message as a comment. It raises
    ``SourceError`` for files that are not of the format.
    """

    title: str
    suffixes: tuple[str, ...]
    """The ends of the names of its files, with their dots."""
    is_ours: Callable[[str], bool]
    """Whether a file with one of these suffixes is of the format, by its text."""
    read: _Read


def each_alone(read: Callable[[Path, Sources, Mapping[Location, str]], Imported]) -> _Read:
    """``read`` of an importer for which each file is a protocol of its own. It refuses two of one name."""

    def read_all(paths: Sequence[Path], sources: Sources, refused: Mapping[Location, str]) -> Imported:
        files: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
        outcomes: list[Outcome] = []
        for path in paths:
            found = read(path, sources, refused)
            for other in found.files.keys() & files.keys():
                raise SourceError(
                    Location(path, 1, 1), f"another of the files is the protocol {other.parts[0]} as well"
                )
            files |= found.files
            outcomes += found.outcomes
        return Imported(files, tuple(outcomes))

    return read_all


@cache
def own() -> Mapping[str, Importer]:
    """The importers that come with Wireloom, by name."""
    return {module.name: import_module(f"{__name__}.{module.name}").IMPORTER for module in iter_modules(__path__)}


def named(name: str) -> Importer:
    """The importer of that name, of Wireloom or of another package. Raises ``ImporterError``."""
    if name in own():
        return own()[name]
    installed = _installed()
    if name not in installed:
        raise ImporterError(f"unknown format {name!r}; {closest(name, own(), installed)}")
    return _loaded(installed[name])


def importer_of(path: Path, sources: Sources) -> str:
    """The name of the importer that reads a file, by its suffix and its text. Raises ``ImporterError``."""
    text = sources.text(path)
    found = [name for name, importer in own().items() if _reads(importer, path, text)]
    if not found:
        found = [name for name, entry in _installed().items() if _reads(_loaded(entry), path, text)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ImporterError(f"{path.as_posix()} may be {' or '.join(found)}; say --format")
    known = ", ".join(f"{name} ({' '.join(importer.suffixes)})" for name, importer in own().items())
    raise ImporterError(f"nothing says what {path.as_posix()} is; say --format: {known}")


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not _CONTROLS.search(data):
            with suppress(UnicodeDecodeError):
                return data.decode("cp1252")
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(Location(path, line, 1), "not text in UTF-8 or Windows-1252", "convert it first") from None


def _reads(importer: Importer, path: Path, text: str) -> bool:
    return path.name.lower().endswith(importer.suffixes) and importer.is_ours(text)


def _installed() -> Mapping[str, "EntryPoint"]:
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(entry: "EntryPoint") -> Importer:
    try:
        found = entry.load()
    except Exception as error:
        raise ImporterError(f"the importer {entry.name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Importer):
        raise ImporterError(f"{entry.value} is not an Importer")
    return found
