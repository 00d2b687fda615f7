"""Parts of a capture that is cut anywhere, and how they are held against the whole."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.lockstep import Pair

from wireloom.columnar import decoder, scans, splits
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scans import FilePart

WITHIN = "has records within records, so it can only be split by an index"


def cut(capture: bytes, every: int) -> list[FilePart]:
    size = len(capture)
    bounds = [(start, start + every if start + every < size else None) for start in range(0, size, every)]
    return [FilePart("capture", start, stop, searched=size) for start, stop in bounds]


def rows(decoding: Decoder, parts: list[FilePart]) -> pa.Table:
    return pa.Table.from_batches(scans.batches(decoding, parts), decoding.schema)


def exact(of: Pair, capture: bytes, every: int, **options: Any) -> bool:
    """See that parts of any bytes are the whole, or are refused."""
    chosen = of.options(options)
    whole = pa.Table.from_batches(of.decoder(chosen).capture(capture), of.decoder(chosen).schema)
    Path("capture").write_bytes(capture)
    try:
        parts = pa.concat_tables([whole[:0], *(rows(of.decoder(chosen), [part]) for part in cut(capture, every))])
    except ValueError as error:
        assert WITHIN in str(error)  # noqa: PT017 - it may also be right
        return False
    parts, whole = (table.drop_columns("_file") for table in (parts, whole))
    assert parts.equals(whole), every
    return True


@contextmanager
def searching(before: int | None, pieces: int) -> Iterator[None]:
    """Searches that begin so far before a cut, or at the cut itself, and pieces of about so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "BEFORE_BYTES", before or pieces)
        patch.setattr(decoder, "PIECE_BYTES", pieces)
        if before is None:
            patch.setattr(splits, "before", lambda start: start)
        yield
