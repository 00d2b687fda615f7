"""Files as Arrow batches: opened on any filesystem, decoded in order, and their malformed records logged."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from wireloom.columnar import index, splits
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.gathering import Gatherer
from wireloom.columnar.headers import header_of
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.splits import UnfitError
from wireloom.columnar.traffic.opening import LeavesOut, LeavingOut, all_are_read, records, rotated
from wireloom.files import INDEX, opened

LOG = logging.getLogger("wireloom")


@dataclass(frozen=True, slots=True)
class FilePart:
    """The records of a file that begin from byte ``start`` to before ``stop``, or to its end.

    If that is what an ``indexed`` file's index says, it is checked. If the first ``searched`` bytes of the file were
    cut anywhere, a record is searched for where the part begins and where it ends. If it is ``followed``, records are
    followed from the beginning of the file to the part. ``added`` is what its rows have beside that.
    """

    path: str
    start: int = 0
    stop: int | None = None
    indexed: bool = False
    searched: int | None = None
    followed: bool = False
    added: tuple[object, ...] = ()

    @property
    def final(self) -> bool:
        """Whether the capture ends with its file; else an incomplete record at its end may continue later."""
        return True


@dataclass(frozen=True, slots=True)
class Rotated(FilePart):
    """``files`` of recorded packets that are one recording, in this order."""

    files: tuple[str, ...] = ()


def parts_of(files: Sequence[str], *, are_rotated: bool) -> Sequence[FilePart]:
    """Whole files, each by itself, or all as one recording if they are rotated."""
    if are_rotated:
        return [Rotated(", ".join(files), files=tuple(files))] if files else []
    return [FilePart(file) for file in files]


Cutting = Callable[[Decoder, FilePart], Iterable[Cuts]]
"""A way to cut a part into records."""


def cut(decoder: Decoder, part: FilePart) -> Iterator[Cuts]:
    """The records of a part that begins, and ends, where records do, or is followed."""
    if isinstance(part, Rotated):
        yield from rotated(decoder, part.files)
        return
    begun, known = 0 if part.followed else part.start, None
    if begun:
        if (header := header_of(decoder, part.path)) is None:
            raise UnfitError("its header is malformed")
        known = header.parameters
    with opened(part.path, begun, ahead=0) as stream:
        cuts: Iterable[Cuts]
        if part.followed or (not part.start and part.stop is None):
            cuts = records(decoder, stream.readinto, part.path, start=part.start, stop=part.stop)
        else:
            cuts = decoder.cut(stream.readinto, start=part.start, stop=part.stop, scanner=decoder.scanner(known))
        if part.indexed:
            cuts = index.checked(cuts, decoder.scanner(), part.start, part.stop)
        elif part.searched is not None:
            cuts = splits.checked(cuts, part.start, part.stop)
        yield from cuts


def gathered(part: FilePart, gatherer: Gatherer, rest: Cutting = cut) -> Iterator[pa.RecordBatch]:
    """The batches that are full while a part is read. ``rest`` cuts one that nothing follows."""
    decoder = gatherer.decoder
    try:
        found = part if part.searched is None else _found(part, part.searched, decoder)
        if found is None:
            return
        cuts = rest(decoder, found) if found.stop is None else cut(decoder, found)
        yield from gatherer.capture(cuts, found.path)
    except UnfitError as error:
        raise UnfitError(_misfit(part, error)) from None


def _found(part: FilePart, size: int, decoder: Decoder) -> FilePart | None:
    """A part of the first ``size`` bytes of a file that begins and ends where records do; None if none begins in it."""
    header = header_of(decoder, part.path)
    if header is None:  # then all of the file is malformed
        return None if part.start else replace(part, stop=None)
    known, first = header.parameters, header.size

    def begun(start: int, limit: int) -> int | None:
        base, scanner = max(first, splits.before(start)), decoder.scanner(known)
        with opened(part.path, base, ahead=0) as stream:
            return splits.begun(scanner, stream.readinto, base, start, limit, size, first=first, final=part.final)

    start = begun(part.start, part.stop or size) if part.start else 0
    if start is None:
        return None
    stop = size if part.stop is None else begun(part.stop, size) or size
    if start > stop:
        raise UnfitError(f"no record begins at byte {stop}")
    return replace(part, start=start, stop=stop if stop < size else None) if start < stop else None


def _misfit(part: FilePart, error: UnfitError) -> str:
    """The error of a part whose start or end does not fit, with what to do."""
    if part.indexed:
        return f"{part.path}{INDEX} does not fit its capture: {error}; delete it, or run wireloom index again"
    return f"{part.path} has records within records, so it can only be split by an index: {error}; run wireloom index"


def batches(
    decoder: Decoder,
    parts: Iterable[FilePart],
    read: Callable[[FilePart, Gatherer], Iterator[pa.RecordBatch]] = gathered,
    leaves_out: LeavesOut = all_are_read,
) -> Iterator[pa.RecordBatch]:
    """The batches of parts of files, in order; small ones are decoded together.

    Raises ``DecodeError`` in mode ``FAILFAST``, which names the file, and ``OSError`` for what cannot be read and is
    not ``leaves_out``: then the rest of that part is left out.
    """
    gatherer, decoder.leaves_out = Gatherer(decoder), leaves_out
    for part in parts:
        try:
            with LeavingOut(leaves_out):
                yield from read(part, gatherer)
        except OSError:
            yield from gatherer.rest()  # raises the error of an earlier file, if there is one
            raise
    yield from gatherer.rest()
    for file, seen in zip(gatherer.files, decoder.tallies, strict=True):
        if seen.malformed:
            told = "wireloom: %s: %d of %d records malformed (%d bytes), the first: %s"
            LOG.warning(told, file, seen.malformed, seen.records, seen.malformed_bytes, seen.first)
