"""Rows as the bytes that they are written as, and which of them begin a new file.

Adjacent records are read as they were written, but not always next to a malformed one. So records without a
malformed one near them are passed on in bulk.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, octets_of
from wireloom.codec import DecodeError, Protocol
from wireloom.codec.cutting import cuts
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing


class WrittenRecords(NamedTuple):
    """The bytes of a row, and its reason if it is malformed; or those of several rows, which are not.

    ``begins`` is whether a capture begins with it, ``known`` are the parameters of its capture.
    """

    data: bytes | memoryview
    reason: str | None
    begins: bool
    known: Values


def runs(records: pa.Array, reasons: Mapping[int, str], known: Values, *, single: bool) -> Iterator[WrittenRecords]:
    """The records of rows; ``reasons`` are those of malformed ones, by row. Rows without bytes are left out.

    Rows that ``apart`` must examine are alone, and all are if ``single``.
    """
    octets, start, stop = octets_of(records)
    rows = np.flatnonzero(start < stop)
    malformed = np.isin(rows, list(reasons))
    firsts = np.flatnonzero(_firsts(malformed) | single).tolist()
    data = octets.data
    for first, behind in pairwise([*firsts, len(rows)]):
        row = int(rows[first])
        yield WrittenRecords(data[start[row] : stop[rows[behind - 1]]], reasons.get(row), False, known)


def _firsts(malformed: Array) -> Array:
    """The rows with which a run begins. One before a malformed row and two after it are runs of their own."""
    alone = malformed.copy()
    alone[:-1] |= malformed[1:]
    alone[1:] |= malformed[:-1]
    alone[2:] |= malformed[:-2]
    alone[:2] = alone[-1:] = True  # the adjacent batches may have malformed ones there
    begins = alone.copy()
    begins[1:] |= alone[:-1]
    return begins


def apart(records: Iterator[WrittenRecords], protocol: Protocol) -> Iterator[tuple[int, bytes | memoryview]]:
    """Each record, after the number of its file.

    A new file begins with the header of a capture, and after a record that would change if the file continued: one that
    was cut off at the end of a capture would swallow the next one. If a record can be all there is, each has a file of
    its own.
    """
    number, before, framing = -1, None, protocol.framing
    header: bytes | memoryview = b""
    written = (record for record in records if record.data)
    if framing.to_the_end:
        yield from enumerate(record.data for record in written)
        return
    for record, after in pairwise(chain(written, [None])):
        assert record is not None
        header = record.data if record.begins else header
        awaits = framing.preamble is not None and framing.preamble.awaited(record.known)
        if before is not None and not record.begins and not awaits and not _stays(framing, before, record, after):
            number += 1
            if header:
                yield number, header
        number += record.begins or number < 0
        before = record
        yield number, record.data


def _stays(framing: Framing, before: WrittenRecords, record: WrittenRecords, after: WrittenRecords | None) -> bool:
    """Whether a record is unchanged if ``record`` follows it, and then ``after``, or nothing."""
    if before.reason is None and (record.reason is None or not framing.doubts):
        return True
    behind = b"" if after is None or after.begins else bytes(after.data)
    for rest in (b"", behind):
        cut = next(cuts(framing, bytes(before.data) + bytes(record.data) + rest, record.known))
        same = cut.proven if before.reason is None else _says(before.reason, cut.error)
        if not same or cut.length != len(before.data):
            return False
    return True


def _says(reason: str, error: DecodeError | None) -> bool:
    """Whether a malformed record's reason is that error at any offset; a missing reason fits every error."""
    return not reason or error is None or (reason.startswith(f"{error.code}: ") and reason.endswith(error.detail))
