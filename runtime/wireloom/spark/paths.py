"""The files that a path given to ``load`` means: a file, a directory with all that is in it, or a pattern."""

import json
from collections.abc import Iterable, Iterator, Mapping
from glob import glob, has_magic
from pathlib import Path
from urllib.parse import unquote, urlparse

from wireloom.options import OptionError


def split_paths(options: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The paths among a reader's options, and the other options."""
    rest = {name: value for name, value in options.items() if name.lower() not in ("path", "paths")}
    given = {name.lower(): value for name, value in options.items()}
    if "paths" in given:
        return tuple(json.loads(given["paths"])), rest
    return ((given["path"],) if "path" in given else ()), rest


def files(paths: Iterable[str]) -> tuple[str, ...]:
    """Every file that ``paths`` mean, once each, in order. Raises ``OptionError`` for a path that means nothing."""
    return tuple(dict.fromkeys(str(file) for path in paths for file in _files(path)))


def _files(path: str) -> Iterator[Path]:
    local = _local(path)
    found = [local]
    if has_magic(local) and not Path(local).exists():
        found = sorted(glob(local, recursive=True))  # noqa: PTH207 - a pattern may be absolute
    if not found:
        raise OptionError(f"no file matches {path}")
    for name in found:
        file = Path(name).absolute()
        if file.is_dir():
            yield from _inside(file)
        elif file.exists():
            yield file
        else:
            raise OptionError(f"there is no file or directory {path}")


def _local(path: str) -> str:
    address = urlparse(path)
    if address.scheme in ("", "file"):
        return unquote(address.path) if address.scheme else path
    raise OptionError(f"only local paths can be read for now, not {path}")


def _inside(directory: Path) -> Iterator[Path]:
    """All files below a directory but those that Spark's own sources leave out too: hidden ones and markers."""
    for entry in sorted(directory.iterdir()):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _inside(entry)
        else:
            yield entry
