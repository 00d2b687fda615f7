"""Which files the paths of a reader refer to, and in which partition each is, by the options of Spark's own sources.

A directory means everything below it, and directories called ``name=value`` are partitions. With
``recursiveFileLookup`` ``false``, it means the same as to those sources: the files in it and those in partitions.
With ``true``, no directory is a partition.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase

from wireloom.files import CaptureFile, choices, listed
from wireloom.options import OptionError
from wireloom.spark.options import SourceOptions
from wireloom.spark.partitions import partition

_MILLISECOND = 1_000_000


def chosen(paths: Iterable[str], source: SourceOptions) -> tuple[CaptureFile, ...]:
    """The files of ``paths`` that the options choose, as ``listed`` gives them. Raises as that does."""
    return tuple(_chosen(listed(paths), source))


def _chosen(files: Iterable[CaptureFile], source: SourceOptions) -> Iterator[CaptureFile]:
    glob = source.path_glob_filter
    patterns = None if glob is None else [choice.replace("[^", "[!") for choice in choices(glob)]
    before, after = source.modified_before, source.modified_after
    for file in files:
        directory, _, name = file.path.rpartition("/")
        modified = file.modified // _MILLISECOND * _MILLISECOND  # all that Spark's own sources see
        if (
            (patterns is None or any(fnmatchcase(name, pattern) for pattern in patterns))
            and (before is None or modified < before)
            and (after is None or modified > after)
            and (
                source.recursive_file_lookup is not False
                or file.within in ("", directory)
                or partition_of(file, source)
            )
        ):
            yield file


def partition_of(file: CaptureFile, source: SourceOptions) -> dict[str, str]:
    """The texts of a file's partition columns by name; see ``partition``. Raises ``OptionError`` for a wrong base."""
    if source.recursive_file_lookup:
        return {}
    base = source.base_path
    if base is not None and not file.path.startswith(f"{base.rstrip('/')}/"):
        raise OptionError(f"basePath is a directory above all that is read: {base} is not above {file.path}")
    return partition(file, file.within if base is None else base)


def chosen_yet(
    paths: Iterable[str], source: SourceOptions, forgiven: type[OptionError] = OptionError
) -> tuple[CaptureFile, ...]:
    """The files there are, each once; a path may have none so far, for which ``listed`` raises what is ``forgiven``."""
    found: dict[str, CaptureFile] = {}
    for path in paths:
        with suppress(forgiven):
            found |= {file.path: file for file in listed([path])}
    return tuple(_chosen(found.values(), source))
