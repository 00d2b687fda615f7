"""Files on any filesystem: which files a path means, and how they are opened, written, renamed and removed."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import has_magic
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from wireloom.compressed import COMPRESSIONS, decompressed
from wireloom.filesystems import HIDDEN_LIST, LOCAL, Directory, StoredFile, is_hidden_list, located
from wireloom.options import OptionError

_REMOTE_CHUNK = 4 * 1024 * 1024  # each is one request to an object store
INDEX = ".wlx"
"""The suffix of an index after the name of its capture; ``wireloom.columnar.index`` describes indexes."""
INDEX_EVERY = 4 * 1024 * 1024
"""An index notes a record after each multiple of so many bytes; a smaller capture needs none."""
_CHOICE = re.compile(r"\{([^{}]*)\}")


class UnmatchedError(OptionError):
    """A pattern matches no file."""


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """One file: an absolute local path or a URI, its size as stored, and when it changed in nanoseconds since the
    epoch, or 0. It was found somewhere below the directory ``within``, or named itself if there is none. One that is
    ``whole`` is one record.
    """

    path: str
    size: int
    modified: int
    within: str = field(default="", compare=False)
    whole: bool = field(default=False, compare=False)

    @property
    def compression(self) -> str | None:
        """The one of ``COMPRESSIONS`` that its name says."""
        return _compression(self.path)

    @property
    def splittable(self) -> bool:
        """Whether reading can begin at any offset."""
        return self.compression is None and not self.whole

    @property
    def takes_index(self) -> bool:
        """Whether an index has something to say of it."""
        return self.splittable and self.size > INDEX_EVERY


def listed(paths: Iterable[str], *, every: bool = False) -> tuple[CaptureFile, ...]:
    """Every file that ``paths`` refer to, each once.

    Paths are files, directories with everything below them, and patterns. The order is that of the paths, sorted within
    each. Patterns have ``*``, ``?``, ``[a-z]``, ``**`` and ``{a,b}``; a name that exists is not a pattern. Raises
    ``OptionError`` for a path without files, ``OSError`` for one that cannot be listed. Indexes are left out, and so
    are hidden files and the lists that hide them (``hide``), unless ``every`` file is wanted.
    """
    if every:
        return tuple({file.path: file for path in paths for file in _meant(path)}.values())
    found = (file for path in paths for file in _visible(path))
    return tuple({file.path: file for file in found if not file.path.endswith(INDEX)}.values())


def hiding(folder: str, job: str) -> str:
    """The file in which a job lists those files of a folder that are hidden from readers."""
    return f"{folder}/{HIDDEN_LIST}{job}.json"


def hide(path: str, names: Iterable[str]) -> None:
    """Hide files by listing them in the file ``path``, by their names below its folder.

    Files that it listed before become visible in the same step.
    """
    with replacing(path) as stream:
        stream.write(json.dumps(sorted(names)).encode())


def hidden_by(path: str) -> frozenset[str]:
    """The paths of the files that a file lists; none if there is no such file."""
    try:
        with opened(path) as stream:
            names = json.load(stream)
    except FileNotFoundError:
        return frozenset()
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise OSError(f"{path} is not a list of hidden files; remove it if no job writes to its folder")
    folder = path.rpartition("/")[0]
    return frozenset(f"{folder}/{name}" for name in names)


@contextmanager
def opened(path: str, offset: int = 0, *, ahead: int = _REMOTE_CHUNK) -> Iterator[BufferedIOBase]:
    """The bytes of a file from ``offset`` on, decompressed according to its name. Only an uncompressed file has
    offsets.

    If it is remote, a request is for at least ``ahead`` bytes; if that is 0, each read is one request.
    Raises ``ValueError`` for an offset into a compressed file. Reading a truncated or corrupt one raises an ``OSError``
    that names the path.
    """
    filesystem, name = located(path)
    compression = _compression(name)
    if offset and compression:
        raise ValueError(f"{path} is compressed, so it cannot be read from byte {offset}")
    with filesystem.reader(name, _REMOTE_CHUNK if compression else ahead) as stored:
        if compression is None:
            if offset:
                stored.seek(offset)
            yield stored
        else:
            with decompressed(stored, compression, path) as stream:
                yield stream


def stored(path: str) -> BufferedIOBase:
    """The bytes of a file as they are stored, compressed or not."""
    filesystem, name = located(path)
    return filesystem.reader(name, 0)


def created(path: str) -> BinaryIO:
    """A new file to write to, and the directories it needs. The bytes written so far stay after an error.

    Raises ``FileExistsError`` if a local file exists; a remote one is replaced.
    """
    filesystem, name = located(path)
    return filesystem.writer(name)


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A new file that takes the place of ``path`` when all of it is written; if that fails, nothing changes."""
    folder, slash, _ = path.rpartition("/")
    made = f"{folder}{slash}.{uuid4().hex}"  # hidden, so nobody reads it
    try:
        with created(made) as stream:
            yield stream
        moved(made, path)
    finally:
        removed(made)


def moved(source: str, target: str) -> None:
    """Rename within a filesystem, replacing a file called ``target``; in one step on a local filesystem.

    Object stores copy instead, and many can move files but not directories. Raises ``ValueError`` for two filesystems.
    """
    filesystem, name = located(source)
    other, new_name = located(target)
    if other is not filesystem:
        raise ValueError(f"{source} and {target} are on different filesystems")
    filesystem.move(name, new_name)


def removed(path: str) -> None:
    """Delete a file, or a directory and everything in it. It need not exist."""
    filesystem, name = located(path)
    filesystem.remove(name)


def file_at(path: str) -> CaptureFile:
    """The file of this name. Patterns are ordinary names here. Raises ``FileNotFoundError`` if there is none."""
    filesystem, name = located(path)
    entry = filesystem.entry(name)
    if not isinstance(entry, StoredFile):
        raise FileNotFoundError(f"there is no file {path}")
    return CaptureFile(*entry)


def exists(path: str) -> bool:
    """Whether there is such a file or directory. Patterns are ordinary names here."""
    filesystem, name = located(path)
    return filesystem.entry(name) is not None


def local(path: str) -> Path | None:
    """The path on this machine; None if it is on another filesystem."""
    filesystem, name = located(path)
    return Path(name) if filesystem is LOCAL else None


def shown(path: str | Path) -> str:
    """A path that can be shown anywhere: the path itself, or its URI if it is local and not UTF-8."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return Path(text).absolute().as_uri()
    return text


def _compression(path: str) -> str | None:
    return COMPRESSIONS.get(os.path.splitext(path)[1].lower())  # noqa: PTH122 - it may be a URI


# The files of a path


def _visible(path: str) -> list[CaptureFile]:
    """The files that a path means, without those that are hidden, as they are at one time while a job replaces them."""
    found, lists = _listing(path)
    while lists:
        before = lists
        found, lists = _listing(path)
        if lists == before:  # so nothing was hidden or shown while they were listed
            hidden = frozenset[str]().union(*lists.values())
            return [file for file in found if file.path not in hidden and not is_hidden_list(_name(file))]
    return found


def _listing(path: str) -> tuple[list[CaptureFile], dict[str, frozenset[str]]]:
    """The files that a path means, and what those among or beside them hide that do so, by path."""
    found = list(_meant(path))
    return found, {file.path: hidden_by(file.path) for file in found if is_hidden_list(_name(file))}


def _name(file: CaptureFile) -> str:
    return file.path.rpartition("/")[2]


def _meant(path: str) -> Iterator[CaptureFile]:
    """The files that a path means, hidden or not, and those that hide them."""
    filesystem, name = located(path)
    entry = filesystem.entry(name)
    found = [entry] if entry else []
    if entry is None and (has_magic(name) or _CHOICE.search(name)):
        patterns = list(choices(name))
        matches = {match.path: match for pattern in patterns for match in filesystem.matching(pattern)}
        if not matches:
            raise UnmatchedError(f"no file matches {path}")
        beside = (match for pattern in patterns for match in filesystem.matching(_hiding(pattern)))
        matches |= {match.path: match for match in beside}
        found = [matches[name] for name in sorted(matches)]
    if not found:
        raise OptionError(f"there is no file or directory {path}")
    for entry in found:
        if isinstance(entry, Directory):
            yield from (CaptureFile(*file, entry.path) for file in filesystem.below(entry.path))
        else:
            yield CaptureFile(*entry)


def _hiding(pattern: str) -> str:
    """The pattern of files that hide some of those that a pattern matches."""
    folder, slash, name = pattern.rpartition("/")
    return f"{pattern}/{HIDDEN_LIST}*" if name == "**" else f"{folder}{slash}{HIDDEN_LIST}*"


def choices(pattern: str) -> Iterator[str]:
    """The patterns without ``{a,b}`` that are equivalent to a pattern; choices may be nested."""
    if inner := _CHOICE.search(pattern):
        for choice in inner[1].split(","):
            yield from choices(pattern[: inner.start()] + choice + pattern[inner.end() :])
    else:
        yield pattern
