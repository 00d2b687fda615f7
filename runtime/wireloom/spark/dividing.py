"""Files divided into parts that tasks read, of which planning reads nothing but an index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wireloom import registry
from wireloom.columnar import index
from wireloom.columnar.scans import LOG, FilePart
from wireloom.columnar.splits import Place, UnfitError
from wireloom.columnar.traffic.opening import is_recorded
from wireloom.files import INDEX, CaptureFile
from wireloom.options import ReadOptions


@dataclass(frozen=True, slots=True)
class Divider:
    """Divides the captures of a protocol that are read with ``options``."""

    protocol: str
    options: ReadOptions

    def parts(self, file: CaptureFile, most: int) -> list[tuple[FilePart, int]]:
        """The first ``file.size`` bytes of a file in parts of about ``most`` bytes, with their sizes; the last part has
        what was appended since, too.

        By its index; or anywhere, if records can be told wherever they stand: then tasks search for them. Else the file
        is one part, and so is one of recorded packets.
        """
        size = file.size
        framing = registry.protocol(self.protocol).framing
        if not file.splittable or size <= most or framing.to_the_end:
            return [(FilePart(file.path), size)]
        noted, searched = self._noted(file), None
        if (noted is None and not framing.telling) or is_recorded(file.path, self.protocol, self.options):
            return [(FilePart(file.path), size)]
        if noted is not None:
            bounds = list(index.parts(noted, size, most))
        else:
            bounds, searched = [(start, min(start + most, size)) for start in range(0, size, most)], size
        last, indexed = bounds[-1][0], noted is not None
        return [
            (FilePart(file.path, start, None if start == last else stop, indexed, searched), stop - start)
            for start, stop in bounds
        ]

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


def tell(parts: Iterable[tuple[FilePart, int]], most: int, *, whole: bool = False) -> None:
    """Log how the parts of files, which were to have ``most`` bytes, were found; ``whole`` ones cannot be divided."""
    indexed = searched = undivided = 0
    large: list[int] = []
    for part, size in parts:
        if part.indexed:
            indexed += 1
        elif part.searched is not None:
            searched += 1
        else:
            undivided += 1
            if not whole and size > most and CaptureFile(part.path, size, 0).takes_index:
                large.append(size)
    LOG.info("wireloom: %d parts by indexes, %d to be searched for, %d whole files", indexed, searched, undivided)
    if large:
        what = "wireloom: %d bytes in %d files without an index, each read by one task; wireloom index lets more share"
        LOG.warning(what, sum(large), len(large))
