"""Files divided into parts that tasks read, of which planning reads nothing but an index."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from wireloom import registry
from wireloom.columnar import index
from wireloom.columnar.scans import LOG, FilePart
from wireloom.columnar.splits import Place, UnfitError
from wireloom.columnar.traffic.opening import is_recorded
from wireloom.files import INDEX, CaptureFile
from wireloom.kinds import FILES, PACKETS
from wireloom.options import ReadOptions

_MOST_FOLLOWED = 16
"""The most parts of a file whose tasks read everything before them; more of them save little time."""


@dataclass(frozen=True, slots=True)
class Divider:
    """Divides the captures of a protocol that are read with ``options``. ``final`` ones do not grow."""

    protocol: str
    options: ReadOptions
    final: bool = True

    def parts(self, file: CaptureFile, most: int) -> list[tuple[FilePart, int]]:
        """The first ``file.size`` bytes of a file in parts of about ``most`` bytes, with their sizes; the last
        part also
        has what was appended since.

        A file is split by its index, or anywhere if records can be recognised at any position: then tasks search for
        them. A file of packets that is read as packets is also split anywhere, and each task follows the packets before
        its part. Other files are one part.
        """
        whole, size = FilePart(file.path), file.size
        if size <= most or file.compression is not None:
            return [(whole, size)]
        found = registry.protocol(self.protocol)
        if found.name == PACKETS and self._recorded(file):
            return _followed(whole, size, most)
        if found.framing.to_the_end:
            return [(whole, size)]
        noted = self._noted(file)
        if noted is None and found.name in FILES and self.final:
            return _followed(whole, size, most)
        if (noted is None and not found.framing.telling) or self._recorded(file):
            return [(whole, size)]
        if noted is not None:
            return _divided(replace(whole, indexed=True), index.parts(noted, size, most))
        return _divided(replace(whole, searched=size), _cut(size, most))

    def _recorded(self, file: CaptureFile) -> bool:
        return is_recorded(file.path, self.protocol, self.options)

    def _noted(self, file: CaptureFile) -> Sequence[Place] | None:
        """What the index of a file notes; None if it has none that fits."""
        try:
            name = registry.protocol(self.protocol).name
            return index.read(file, index.Reading.of(name, registry.digest(self.protocol), self.options))
        except UnfitError as error:
            LOG.warning("wireloom: %s%s is not used: %s", file.path, INDEX, error)
        except OSError:
            pass
        return None


def _followed(whole: FilePart, size: int, most: int) -> list[tuple[FilePart, int]]:
    """The parts of a file, of equal sizes, to which its records are followed."""
    count = min(ceil(size / most), _MOST_FOLLOWED)
    return _divided(replace(whole, followed=True), _cut(size, ceil(size / count)))


def _cut(size: int, most: int) -> Iterator[tuple[int, int]]:
    """(start, end) of parts of ``most`` bytes."""
    return ((start, min(start + most, size)) for start in range(0, size, most))


def _divided(whole: FilePart, bounds: Iterable[tuple[int, int]]) -> list[tuple[FilePart, int]]:
    """The parts of a file with these bounds, with their sizes."""
    *others, (last, end) = bounds
    parts = [(replace(whole, start=start, stop=stop), stop - start) for start, stop in others]
    return [*parts, (replace(whole, start=last), end - last)]


def tell(parts: Iterable[tuple[FilePart, int]], most: int, *, whole: bool = False) -> None:
    """Log how the parts of files, which were to have ``most`` bytes, were found; ``whole`` ones cannot be divided."""
    indexed = searched = followed = undivided = 0
    large: list[int] = []
    for part, size in parts:
        if part.indexed:
            indexed += 1
        elif part.searched is not None:
            searched += 1
        elif part.followed:
            followed += 1
        else:
            undivided += 1
            if not whole and size > most and CaptureFile(part.path, size, 0).takes_index:
                large.append(size)
    what = "wireloom: %d parts by indexes, %d to be searched for, %d to be followed to, %d whole files"
    LOG.info(what, indexed, searched, followed, undivided)
    if large:
        what = "wireloom: %d bytes in %d files without an index, each read by one task; wireloom index lets more share"
        LOG.warning(what, sum(large), len(large))
