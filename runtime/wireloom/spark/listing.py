"""Which of the files that paths mean are read, by the options of Spark's own file sources.

A directory means everything below it. With ``recursiveFileLookup`` ``false`` it means the files in it, as to those
sources.
"""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from wireloom.files import CaptureFile, choices, listed
from wireloom.spark.options import SourceOptions

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
            and (source.recursive_file_lookup is not False or file.within in ("", directory))
        ):
            yield file
