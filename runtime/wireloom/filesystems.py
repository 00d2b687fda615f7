"""Filesystems: this machine's, and those that pyarrow and fsspec know, listed, read and changed.

This is the only module that knows filesystems. A path is local (``/x``, ``x``, or ``file:///a%20b`` with percent
escapes), or the URI of a filesystem that pyarrow or fsspec knows. Such a URI is used unchanged, as Hadoop does: ``%``
and ``#`` are ordinary characters. Those libraries find their credentials in the environment.
"""

import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import cache
from glob import glob, has_magic
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import unquote

from wireloom.options import OptionError

HIDDEN_LIST = "_hidden-"
"""How the names of files begin that list others which readers leave out."""
_HIDDEN_LIST = re.compile(rf"{HIDDEN_LIST}[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\.json")
"""Such a name, which has the UUID of a job."""
_URI = re.compile(r"([a-z][a-z0-9+.-]+):(?://([^/]*)|(?=/))(.*)", re.IGNORECASE | re.DOTALL)


class StoredFile(NamedTuple):
    """One file: an absolute local path or a URI, its size as stored, and when it changed in nanoseconds since the
    epoch, or 0.
    """

    path: str
    size: int
    modified: int


class Directory(NamedTuple):
    """One directory."""

    path: str


def located(path: str) -> "tuple[Local | Remote, str]":
    """The filesystem of a path, and the path in it: a local one without its scheme, a URI unchanged."""
    uri = _URI.fullmatch(path)
    if uri is None:
        return LOCAL, path
    scheme, host, rest = uri[1].lower(), uri[2] or "", uri[3]
    if scheme != "file":
        return _remote(scheme, host, os.getpid()), f"{scheme}://{host}{rest}"
    if host not in ("", "localhost"):
        raise OptionError(f"{path} names the host {host}; write local files as file:///…")
    return LOCAL, unquote(rest, errors="surrogateescape")


def _hidden(name: str) -> bool:
    """Whether it is a hidden file or a marker, which Spark's own sources also skip below a directory."""
    marked = name.startswith("_") and "=" not in name and not is_hidden_list(name)
    return name.startswith(".") or marked or name.endswith("._COPYING_")


def is_hidden_list(name: str) -> bool:
    """Whether a file of that name lists others of its folder that are hidden while a job replaces files."""
    return _HIDDEN_LIST.fullmatch(name) is not None


def _fits(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the names of a path match those of a pattern, by the rules of ``glob``. Wildcards do
    not match hidden files, nor anything below hidden directories.
    """
    if not pattern or not names:
        return not names and all(part == "**" for part in pattern)
    meant = pattern[0] == names[0] or pattern[0].startswith((".", "_"))
    hidden = not meant and (_hidden(names[0]) or is_hidden_list(names[0]))
    if pattern[0] == "**":
        return _fits(names, pattern[1:]) or (not hidden and _fits(names[1:], pattern))
    return not hidden and fnmatchcase(names[0], pattern[0]) and _fits(names[1:], pattern[1:])


class Local:
    """The files of this machine."""

    def entry(self, path: str) -> StoredFile | Directory | None:
        """The file or directory at a path."""
        file = Path(path).absolute()
        with suppress(FileNotFoundError):  # it was there a moment ago
            if file.exists():
                return Directory(str(file)) if file.is_dir() else _stored(str(file), file.stat())
        return None

    def below(self, directory: str) -> Iterator[StoredFile]:
        """All files below a directory, sorted, except hidden ones; none if it was there a moment ago."""
        entries: list[os.DirEntry[str]] = []
        with suppress(FileNotFoundError), os.scandir(directory) as found:
            entries = sorted((entry for entry in found if not _hidden(entry.name)), key=lambda entry: entry.name)
        for entry in entries:
            if entry.is_dir():
                yield from self.below(entry.path)
                continue
            try:
                yield _stored(entry.path, entry.stat())
            except FileNotFoundError:
                if entry.is_symlink():
                    raise OptionError(f"there is no file or directory {entry.path}") from None
                # else it was there a moment ago: renamed or deleted by whoever writes here

    def matching(self, pattern: str) -> Iterator[StoredFile | Directory]:
        """What matches a pattern without choices."""
        wanted = _names(pattern)
        for path in glob(pattern, recursive=True):  # noqa: PTH207 - a pattern may be absolute
            if not _fits(_names(path), wanted):
                continue
            if entry := self.entry(path):
                yield entry
            elif Path(path).is_symlink():
                raise OptionError(f"there is no file or directory {path}")

    def reader(self, path: str, _ahead: int) -> io.BufferedIOBase:
        return Path(path).open("rb")

    def writer(self, path: str) -> BinaryIO:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return Path(path).open("xb")

    def move(self, source: str, target: str) -> None:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(source).replace(target)

    def remove(self, path: str) -> None:
        if Path(path).is_dir() and not Path(path).is_symlink():
            import shutil  # which takes long, and few delete folders

            shutil.rmtree(path)
        else:
            Path(path).unlink(missing_ok=True)


def _stored(path: str, status: os.stat_result) -> StoredFile:
    return StoredFile(path, status.st_size, status.st_mtime_ns)


LOCAL = Local()


class Remote(NamedTuple):
    """The files of a pyarrow filesystem. Its paths begin with ``root`` where URIs have ``prefix``, their scheme and
    host.
    """

    prefix: str
    root: str
    library: Any

    def entry(self, path: str) -> StoredFile | Directory | None:
        return self._entry(self.library.get_file_info(self._inner(path)))

    def below(self, directory: str) -> list[StoredFile]:
        files = (entry for entry in self._entries(directory, recursive=True) if isinstance(entry, StoredFile))
        seen = (file for file in files if not any(map(_hidden, _names(file.path, directory))))
        return sorted(seen, key=lambda file: file.path.split("/"))

    def matching(self, pattern: str, directory: str = "") -> Iterator[StoredFile | Directory]:
        """Goes level by level up to the first ``**``, since listing everything below a directory may list a whole
        bucket.
        """
        parts = _names(pattern, self.prefix)
        plain = list(takewhile(lambda part: not has_magic(part), parts))
        directory, parts = "/".join((directory or self.prefix, *plain)), parts[len(plain) :]
        if not parts:
            yield from filter(None, [self.entry(directory)])
            return
        here = parts if parts[0] == "**" else parts[:1]
        for entry in self._entries(directory, recursive=parts[0] == "**"):
            if not _fits(_names(entry.path, directory), here):
                continue
            if len(here) < len(parts):
                if isinstance(entry, Directory):
                    yield from self.matching("/".join(parts[1:]), entry.path)
            elif isinstance(entry, StoredFile) or here[-1] != "**":  # ** has all files below its directories too
                yield entry

    def _entries(self, directory: str, *, recursive: bool) -> Iterator[StoredFile | Directory]:
        """The entries of a directory, listed in one request; none if it does not exist."""
        from pyarrow.fs import FileSelector

        try:
            infos = self.library.get_file_info(FileSelector(self._inner(directory), recursive=recursive))
        except (FileNotFoundError, NotADirectoryError):
            return
        yield from filter(None, map(self._entry, infos))

    def _entry(self, info: Any) -> StoredFile | Directory | None:
        path = "/".join((self.prefix, *_names(info.path.strip("/"), self.root.strip("/"))))
        if info.type.name == "NotFound":
            return None
        if info.type.name == "Directory":
            return Directory(path)
        return StoredFile(path, info.size or 0, info.mtime_ns or 0)

    def _inner(self, path: str) -> str:
        """A path in the form that the library uses."""
        start = [self.root.rstrip("/")] if self.root else []
        return "/".join((*start, *_names(path, self.prefix))) or self.root

    def reader(self, path: str, ahead: int) -> io.BufferedIOBase:
        stored = self.library.open_input_file(self._inner(path))
        return io.BufferedReader(stored, ahead) if ahead else stored

    def writer(self, path: str) -> BinaryIO:
        inner = self._inner(path)
        try:
            stream = self.library.open_output_stream(inner, compression=None)
        except FileNotFoundError:  # object stores need no directories, and would make empty objects of them
            self.library.create_dir(inner.rpartition("/")[0], recursive=True)
            stream = self.library.open_output_stream(inner, compression=None)
        return stream  # type: ignore[no-any-return]

    def move(self, source: str, target: str) -> None:
        inner = self._inner(target)
        try:
            self.library.move(self._inner(source), inner)
        except FileNotFoundError:  # as in ``writer``
            self.library.create_dir(inner.rpartition("/")[0], recursive=True)
            self.library.move(self._inner(source), inner)

    def remove(self, path: str) -> None:
        match self.entry(path):
            case Directory():
                self.library.delete_dir(self._inner(path))
            case StoredFile():
                self.library.delete_file(self._inner(path))


def _names(path: str, directory: str = "") -> list[str]:
    """The names that lead from a directory, or from nowhere, to a path below it."""
    return [name for name in path.removeprefix(directory).split("/") if name]


@cache
def _remote(scheme: str, host: str, _process: int) -> Remote:
    """The filesystem of URIs that begin like this. Each process has its own: connections do not survive a fork."""
    import pyarrow as pa
    from pyarrow.fs import FileSystem

    prefix = f"{scheme}://{host}"
    try:
        library, root = FileSystem.from_uri(f"{prefix}/")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # not one of pyarrow's
        library, root = _fsspec(scheme, f"{prefix}/")
    return Remote(prefix, root, library)


def _fsspec(scheme: str, uri: str) -> tuple[Any, str]:
    """An fsspec filesystem as a pyarrow one, and the path in it. Raises ``OptionError``."""
    from pyarrow import PythonFile
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    class Handler(FSSpecHandler):  # type: ignore[misc]
        def get_file_info(self, paths: list[str]) -> Any:
            self.fs.invalidate_cache()  # or files that came since would not be seen
            return super().get_file_info(paths)

        def open_input_file(self, path: str) -> Any:
            if not self.fs.isfile(path):
                raise FileNotFoundError(path)
            return PythonFile(self.fs.open(path, mode="rb", cache_type="none"), mode="r")  # without read-ahead

        @staticmethod
        def _create_file_info(path: str, info: dict[str, Any]) -> Any:
            return FSSpecHandler._create_file_info(path, {**info, "mtime": _modified(info)})

    try:
        core = import_module("fsspec.core")
    except ImportError:
        raise OptionError(f"{scheme}:// paths need fsspec: pip install fsspec") from None
    try:
        filesystem, path = core.url_to_fs(uri)
    except (ImportError, ValueError) as error:  # a driver that is not installed, a scheme that is not known
        raise OptionError(f"{scheme}:// paths cannot be used: {error}") from None
    return PyFileSystem(Handler(filesystem)), path


def _modified(info: dict[str, Any]) -> datetime | None:
    """When a file changed; fsspec's filesystems have different names for it."""
    for name in ("mtime", "LastModified", "last_modified", "created"):
        match info.get(name):
            case datetime() as time:
                return time.astimezone(UTC) if time.tzinfo else time  # pyarrow takes any zone for UTC
            case int() | float() as seconds:
                return datetime.fromtimestamp(seconds, UTC)
    return None
