"""How much of which files a trigger takes, by their sizes alone."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wireloom.files import CaptureFile
from wireloom.spark.options import SourceOptions


@dataclass(frozen=True, slots=True)
class Admission:
    """How many files and bytes a trigger may take. A single compressed file that is larger is taken all the same."""

    files: int = sys.maxsize
    size: int = sys.maxsize

    @classmethod
    def of(cls, source: SourceOptions, files: int = sys.maxsize, size: int = sys.maxsize) -> "Admission":
        """What the options allow, and no more than so many files and bytes."""
        return cls(
            min(files, source.max_files_per_trigger or sys.maxsize),
            min(size, source.max_bytes_per_trigger or sys.maxsize),
        )

    def admitted(self, grown: Iterable["Grown"]) -> Iterator[tuple["Grown", int]]:
        """Which files were taken, in order, and how many of the first bytes of each."""
        count, room = self.files, self.size
        for each in grown:
            more = each.file.size - each.taken
            if not count or room <= 0:
                return
            if more > room and not each.file.splittable:
                if room == self.size:
                    yield each, each.file.size
                return
            yield each, each.taken + min(more, room)
            count, room = count - 1, room - more


@dataclass(frozen=True, slots=True)
class Grown:
    """A file of which no more than the first ``taken`` bytes were taken."""

    file: CaptureFile
    taken: int
