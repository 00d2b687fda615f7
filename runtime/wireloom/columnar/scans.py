"""Files as Arrow batches: opened on any filesystem, decoded in order, and their malformed records told in the log."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from wireloom.columnar import index
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.gathering import Gatherer
from wireloom.files import INDEX, opened

LOG = logging.getLogger("wireloom")


@dataclass(frozen=True, slots=True)
class FilePart:
    """The records of a file that begin from byte ``start`` to before ``stop``, or to its end.

    If that is what an ``indexed`` file's index says, it is checked. ``added`` is what its rows have beside that.
    """

    path: str
    start: int = 0
    stop: int | None = None
    indexed: bool = False
    added: tuple[object, ...] = ()


def gathered(part: FilePart, gatherer: Gatherer) -> Iterator[pa.RecordBatch]:
    """The batches that are full while a part is read."""
    decoder = gatherer.decoder
    with opened(part.path, part.start, ahead=0) as stream:
        cuts = decoder.cut(stream.read, start=part.start, stop=part.stop)
        if part.indexed:
            cuts = index.checked(cuts, decoder.scanner(), part.start, part.stop)
        try:
            yield from gatherer.capture(cuts, part.path)
        except index.UnfitError as error:
            told = f"{part.path}{INDEX} does not fit: {error}; delete it, or make it anew with wireloom index"
            raise ValueError(told) from None


def batches(
    decoder: Decoder,
    parts: Iterable[FilePart],
    read: Callable[[FilePart, Gatherer], Iterator[pa.RecordBatch]] = gathered,
    leaves_out: Callable[[OSError], bool] = lambda _: False,
) -> Iterator[pa.RecordBatch]:
    """The batches of parts of files, in order; small ones are decoded together.

    Raises ``DecodeError`` in mode ``FAILFAST``, which names the file, and ``OSError`` for what cannot be read and is
    not ``leaves_out``: then the rest of that part is left out.
    """
    gatherer = Gatherer(decoder)
    for part in parts:
        try:
            yield from read(part, gatherer)
        except OSError as error:
            if not leaves_out(error):
                yield from gatherer.rest()  # raises what is wrong in the files before, if there is anything
                raise
            LOG.warning("wireloom: left from here on, as it cannot be read: %s", error)
    yield from gatherer.rest()
    for file, seen in zip(gatherer.files, decoder.tallies, strict=True):
        if seen.malformed:
            told = "wireloom: %s: %d of %d records malformed (%d bytes), the first: %s"
            LOG.warning(told, file, seen.malformed, seen.records, seen.malformed_bytes, seen.first)
