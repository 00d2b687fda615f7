"""A query over a folder without Spark, whose reader and offset are made anew for each trigger as after a restart."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]


class Query:
    """A query over a folder that does what Spark does, one step at a time."""

    def __init__(self, path: Path | str, protocol: str = "couchbase_dcp", **options: object) -> None:
        self.protocol = protocol
        self.options = {"path": str(path), **{name: str(value) for name, value in options.items()}}
        self.offset: dict[str, Any] = self.reader().initialOffset()

    def source(self) -> Any:
        from wireloom.spark.sources import source_of

        return source_of(self.protocol)(self.options)

    def reader(self) -> Any:
        source = self.source()
        return source.streamReader(source.schema())

    def plan(self, limit: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """The offsets of the next batch."""
        reader = self.reader()
        end = reader.latestOffset(self.offset, limit or reader.getDefaultReadLimit())
        return self.offset, json.loads(json.dumps(end))

    def batch(self, start: dict[str, Any], end: dict[str, Any]) -> Rows:
        """The rows between two offsets."""
        reader = self.reader()
        return [
            row for part in reader.partitions(start, end) for batch in reader.read(part) for row in batch.to_pylist()
        ]

    def trigger(self, limit: Any = None) -> Rows:
        """The rows of the next batch."""
        start, self.offset = self.plan(limit)
        return self.batch(start, self.offset)

    def triggers(self) -> list[Rows]:
        """The batches until nothing is left; some may have no rows."""
        found = []
        while True:
            start, end = self.plan()
            if end == start:
                return found
            found.append(self.batch(start, end))
            self.offset = end

    def commit(self) -> None:
        """What Spark does when a batch is done."""
        self.reader().commit(self.offset)

    def known(self) -> dict[str, int]:
        """How many bytes were taken, by the path below the folder."""
        folder = Path(self.options["path"])
        files = self.reader().offsets.state(self.offset).files
        return {str(Path(path).relative_to(folder)): taken.end for path, taken in files.items()}

    def at_once(self) -> Rows:
        """The rows of the batch source."""
        source = self.source()
        reader = source.reader(source.schema())
        return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def logged(tmp_path: Path, **options: object) -> Query:
    """A query with a log over the folder ``in``."""
    (tmp_path / "in").mkdir(exist_ok=True)
    return Query(tmp_path / "in", logLocation=tmp_path / "log", **options)


def cas(rows: Rows) -> list[int | None]:
    return [None if row["cas"] is None else int(row["cas"]) for row in rows]


def joined(rows: Rows) -> Rows:
    """The rows, malformed ones of one reason that follow each other made one."""
    result = []
    for reason, same in groupby(rows, key=lambda row: row["_corrupt_reason"]):
        if reason is None:
            result += list(same)
        else:
            first, *others = same
            result.append({**first, "_corrupt_record": b"".join(row["_corrupt_record"] for row in (first, *others))})
    return result
