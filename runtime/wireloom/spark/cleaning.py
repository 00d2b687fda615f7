"""Removing files that a stream has read completely, with their indexes: deleted, or moved to an archive."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from itertools import takewhile

from wireloom.columnar.scans import LOG
from wireloom.files import INDEX, choices, exists, file_at, local, moved, removed
from wireloom.options import OptionError
from wireloom.spark.file_identity import AT_ONCE
from wireloom.spark.offsets import State, TakenFile
from wireloom.spark.options import SourceOptions


class Cleaner:
    """Removes files according to the options. Files that cannot be removed stay, and are logged."""

    def __init__(self, source: SourceOptions) -> None:
        self.source = source
        self.seen: set[str] = set()
        self.removed: set[str] = set()

    def clean(self, state: State) -> None:
        """Remove the files that were taken whole and did not change since, each once."""
        files = [(path, taken) for path, taken in state.files.items() if taken.final and path not in self.seen]
        self.seen.update(path for path, _ in files)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            self.removed.update(path for path in pool.map(self._clean, files) if path)

    def forget(self, paths: Iterable[str]) -> None:
        """Take files of these names for new ones from now on."""
        self.seen.difference_update(paths)
        self.removed.difference_update(paths)

    def _clean(self, file: tuple[str, TakenFile]) -> str:
        """Remove a file; returns its path if it is gone."""
        path, taken = file
        try:
            return path if self._cleaned(path, taken) else ""
        except (OSError, ValueError) as error:
            LOG.warning("wireloom: %s was not removed: %s", path, error)
            return ""

    def _cleaned(self, path: str, taken: TakenFile) -> bool:
        """Whether a file is gone now. Its index is removed first, so that a file in the archive always has its
        index.
        """
        try:
            found = file_at(path)
        except FileNotFoundError:
            return True
        if taken.unlike(found):
            LOG.warning("wireloom: %s was not removed, because it changed after it was read", path)
            return False
        if found.takes_index and exists(path + INDEX):
            self._remove(path + INDEX)
        self._remove(path)
        return True

    def _remove(self, path: str) -> None:
        archive = self.source.source_archive_dir
        if archive is None:
            removed(path)
        else:
            moved(path, archive + _parted(path)[1])  # below it with its whole path, as in Spark's own source


def must_be_apart(source: SourceOptions, paths: Iterable[str]) -> None:
    """Raises ``OptionError`` if the options name a directory whose files may be captures of a stream."""
    directories = {"sourceArchiveDir": source.source_archive_dir, "logLocation": source.log_location}
    for option, directory in directories.items():
        if directory is None:
            continue
        for path in paths:
            if any(_meet(directory, pattern) for pattern in choices(_absolute(path))):
                raise OptionError(f"{option} must be neither inside nor above what is read: {directory} and {path}")
            if option == "sourceArchiveDir" and _parted(_absolute(path))[0] != _parted(directory)[0]:
                raise OptionError(f"{option} must be on the filesystem of what is read: {directory} and {path}")


def _meet(directory: str, pattern: str) -> bool:
    """Whether one may be above the other. Names are compared from the root on, as in Spark's own source."""
    names = takewhile(lambda name: name != "**", pattern.rstrip("/").split("/"))
    return all(fnmatchcase(name, wanted) for name, wanted in zip(directory.split("/"), names, strict=False))


def _absolute(path: str) -> str:
    here = local(path)
    return path if here is None else str(here.absolute())


def _parted(path: str) -> tuple[str, str]:
    """The scheme and host of a path, if it has any, and the rest."""
    scheme, found, rest = path.partition("://")
    host, _, inner = rest.partition("/")
    return (f"{scheme}://{host}", f"/{inner}") if found else ("", path)
