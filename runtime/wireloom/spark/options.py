"""What the data source can be told beside what every reader can be told."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wireloom.options import positive, truth


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How files are shared out among tasks, what happens to one that cannot be read, and who filters.

    ``push_filters`` is for data that is queried once: Spark 4.3 goes on reading through the filters of one query in
    later ones over the same DataFrame, and in the other branches of a query that uses it twice.
    """

    max_partition_bytes: int = 128 * 1024 * 1024
    ignore_corrupt_files: bool = False
    max_files_per_trigger: int | None = None
    max_bytes_per_trigger: int | None = None
    push_filters: bool = False

    @staticmethod
    def names() -> tuple[str, ...]:
        """The names that users write."""
        return tuple(_READERS)

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "SourceOptions":
        """The options among those ``given``, names in any case. Raises ``OptionError``."""
        names = {name.lower(): name for name in _READERS}
        read: dict[str, object] = {}
        for name, value in given.items():
            canonical = names.get(name.lower())
            if canonical is not None:
                attribute, reader = _READERS[canonical]
                read[attribute] = reader(canonical, value)
        return cls(**read)  # type: ignore[arg-type]


_READERS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "maxPartitionBytes": ("max_partition_bytes", positive),
    "ignoreCorruptFiles": ("ignore_corrupt_files", truth),
    "maxFilesPerTrigger": ("max_files_per_trigger", lambda name, value: positive(name, value, "files")),
    "maxBytesPerTrigger": ("max_bytes_per_trigger", positive),
    "pushFilters": ("push_filters", truth),
}
"""What each option sets, and how its text is read."""


def split_paths(options: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The paths among a reader's options, and the other options."""
    rest = {name: value for name, value in options.items() if name.lower() not in ("path", "paths")}
    given = {name.lower(): value for name, value in options.items()}
    if "paths" in given:
        return tuple(json.loads(given["paths"])), rest
    return ((given["path"],) if "path" in given else ()), rest
