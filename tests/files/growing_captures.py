"""Captures that grow, held against the whole however they are cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from wireloom import columnar
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.following import Follower, Reach
from wireloom.options import ReadOptions
from wireloom.views import View

Rows = list[dict[str, Any]]


def decoder(protocol: Any, largest: int | None = None) -> Decoder:
    """One whose records, and whose rows of malformed ranges, have so many bytes at most."""
    given = {"positions": "true"} | ({} if largest is None else {"maxRecordBytes": str(largest)})
    options = ReadOptions.of(given, protocol.PROTOCOL.parameters, protocol.PROTOCOL.messages)
    return Decoder(protocol.PROTOCOL, options, columnar.arrow_schema(View(protocol.PROTOCOL, options).columns))


def rows(cuts: Iterator[Any], made: Any) -> Rows:
    return [row for each in cuts for batch in made.cuts(each, "") for row in batch.to_pylist()]


def joined(found: Rows) -> Rows:
    """The rows, malformed ones of one reason that follow each other made one: a lost capture has some in each batch."""
    result = []
    for reason, same in groupby(found, key=lambda row: row["_corrupt_reason"]):
        first, *others = same
        if reason is None:
            result += [first, *others]
            continue
        record = b"".join(row["_corrupt_record"] for row in (first, *others))
        result.append({**first, "_corrupt_record": record, "_length": len(record)})
    return result


def check(made: Any, capture: bytes, sizes: list[int], remembered: list[bool], path: Path) -> None:
    """Batches between the sizes that a file had give what is there, and each gives the same when it is read again.

    Some go on from where the one before has ended, others follow the file from its beginning.
    """
    sizes = sorted({0, *sizes, len(capture)})
    found, reach = [], Reach()
    for (size, end), known in zip(pairwise(sizes), remembered, strict=False):
        path.write_bytes(capture[:end])
        follower = Follower(made(), str(path), reach if known else Reach())
        batch = rows(follower.between(size, end, final=False), follower.decoder)
        path.write_bytes(capture)
        again = Follower(made(), str(path), Reach())
        assert rows(again.between(size, end, final=False), again.decoder) == batch
        assert vars_of(again.reach) == vars_of(follower.reach)
        reach = follower.reach
        assert reach.position <= end
        found += batch
    whole = [row for batch in made().capture(capture) for row in batch.to_pylist()]
    rest = Follower(made(), str(path), reach)
    last = rows(rest.between(len(capture), len(capture), final=True), rest.decoder)
    assert joined(found + last) == joined(whole)


def vars_of(reach: Reach) -> tuple[object, ...]:
    return reach.position, reach.order, reach.lost and reach.lost.reason
