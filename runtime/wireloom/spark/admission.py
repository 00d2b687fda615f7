"""How much of which files a trigger takes: lengths are followed from the consumed position to the end of a record."""

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes, ReadMaxFiles

from wireloom.columnar.buffers import Array
from wireloom.columnar.decoder import PIECE_BYTES
from wireloom.columnar.scanning import Cuts, Pieces, Scanner
from wireloom.columnar.splits import upto
from wireloom.files import CaptureFile, opened
from wireloom.spark.offsets import Consumed, Lost
from wireloom.spark.options import SourceOptions

_FEW_BYTES = 1024 * 1024
"""How much is read at once of a file of which little is wanted."""


@dataclass(frozen=True, slots=True)
class Admission:
    """How many files and bytes a trigger may take. A single record that is larger is taken all the same."""

    files: int
    size: int

    @classmethod
    def of(cls, limit: ReadLimit, source: SourceOptions) -> "Admission":
        """What Spark's limit and the options allow together; ``ReadAllAvailable`` overrides the options."""
        if isinstance(limit, ReadAllAvailable):
            return cls(sys.maxsize, sys.maxsize)
        files = limit.max_files if isinstance(limit, ReadMaxFiles) else sys.maxsize
        size = limit.max_bytes if isinstance(limit, ReadMaxBytes) else sys.maxsize
        return cls(
            min(files, source.max_files_per_trigger or sys.maxsize),
            min(size, source.max_bytes_per_trigger or sys.maxsize),
        )


@dataclass(frozen=True, slots=True)
class Grown:
    """A file with bytes that are not consumed yet."""

    file: CaptureFile
    consumed: Consumed

    @property
    def more(self) -> int:
        """The bytes that were not consumed."""
        return self.file.size - self.consumed.position


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a file can be consumed, and whether the bound on bytes ``cut`` it short."""

    consumed: Consumed
    cut: bool = False


Follow = Callable[[Grown, int, bool], Reach]
"""A request to consume at most this many bytes of a file, or, if it must advance, at least one record."""


def admitted(files: Iterable[Grown], admission: Admission, follow: Follow) -> dict[str, Consumed]:
    """What is taken of which files, in order. A file without a whole record does not count."""
    left = list(files)
    count, room = admission.files, admission.size
    taken: dict[str, Consumed] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while left and count and room > 0:
            wave = _wave(left[:count], room, must=not taken)
            seen = 0
            for (grown, most, must), reach in zip(wave, pool.map(follow, *zip(*wave, strict=True)), strict=True):
                if reach.cut and (most < room or not (must or taken)):
                    break  # once more, as the first of a wave: with all the room there is, and if need be it must
                if reach.consumed != grown.consumed:
                    taken[grown.file.path] = reach.consumed
                    count -= 1
                    room -= reach.consumed.position - grown.consumed.position
                if reach.cut:
                    return taken
                seen += 1
            left = left[seen:]
    return taken


def _wave(files: Iterable[Grown], room: int, *, must: bool) -> list[tuple[Grown, int, bool]]:
    """The files to follow in parallel: those that fit as a whole, and the last as far as it fits."""
    wave = []
    for grown in files:
        if room <= 0:
            break
        wave.append((grown, room, must))
        room, must = room - grown.more, False
    return wave


def followed(scanner: Scanner, grown: Grown, most: int, must: bool) -> Reach:
    """How far a file can be consumed; see ``Follow``."""
    file, begun = grown.file, grown.consumed
    end = min(file.size, begun.position + most)
    if begun.lost is not None:
        return Reach(Consumed(end, begun.lost), end < file.size)
    if not file.splittable:
        fits = file.size <= most or must
        return Reach(Consumed(file.size) if fits else begun, not fits)
    return _records(scanner, grown, end, must=must)


def _records(scanner: Scanner, grown: Grown, most: int, *, must: bool) -> Reach:
    """The last end of a record up to the position ``most``; if it ``must`` advance, at least the first.

    There is none inside a malformed range, nor directly before one whose end is unknown.
    """
    file, start = grown.file, grown.consumed.position
    position = start
    with opened(file.path, start) as stream:
        read, size = upto(stream.read, grown.more), min(PIECE_BYTES, max(_FEW_BYTES, most - start))
        pieces = Pieces(read, size, start, final=False)
        for window in pieces:
            at = 0
            for cuts, after in scanner.scan(window):
                at = after
                ends = _ends(cuts, lost=scanner.cutter.lost)
                fit = int(ends.searchsorted(most, "right"))
                if fit:
                    position = int(ends[fit - 1])
                elif len(ends) and must and position == start:
                    position = int(ends[0])
                if fit < len(ends):
                    return Reach(Consumed(position), cut=True)
            if (lost := _lost(scanner)) is not None:
                return Reach(Consumed(most, lost if most > lost.since else None), most < file.size)
            pieces.keep(at)
    return Reach(Consumed(position))


def _ends(cuts: Cuts, *, lost: bool) -> Array:
    """The positions where records and malformed ranges end. ``lost`` says whether the last range goes on."""
    ends = cuts.stop + cuts.window.base
    going_on = [row for row in cuts.errors if row + 1 in cuts.errors or (lost and row + 1 == len(ends))]
    return np.delete(ends, going_on) if going_on else ends


def _lost(scanner: Scanner) -> Lost | None:
    """The malformed range that the scanner is in, if the protocol has no way to find the next record."""
    lost = scanner.cutter.range
    return None if lost is None or scanner.codec.resync else Lost.of(lost.start, lost.error)
