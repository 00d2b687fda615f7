"""Rows written in the formats of ``decode``: JSON Lines, Parquet, Arrow."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from typing import BinaryIO

from wireloom.cli.diagnostics import MisuseError
from wireloom.codec import Column, ListOf, StructOf
from wireloom.codec.columns import ColumnType
from wireloom.rows import json_writer
from wireloom.views import Row

ROWS_A_GROUP = 64 * 1024
BYTES_A_GROUP = 32 * 1024 * 1024
"""Parquet is read by row groups, and written from memory by them."""


class Format(StrEnum):
    """A format of rows."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"

    @classmethod
    def of(cls, name: str) -> "Format":
        """The format called ``name``. Raises ``MisuseError``."""
        try:
            return cls(name.lower())
        except ValueError:
            raise MisuseError(f"--format is {', '.join(cls)}, not {name!r}") from None


def write_rows(rows: Iterable[Row], columns: tuple[Column, ...], form: Format, stream: BinaryIO) -> None:
    """Write all rows as they come."""
    _WRITERS[form](rows, columns, stream)


def _write_jsonl(rows: Iterable[Row], columns: tuple[Column, ...], stream: BinaryIO) -> None:
    as_json = json_writer(columns)
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
    live = stream.isatty()
    for row in rows:
        stream.write(encode(as_json(row)).encode() + b"\n")
        if live:
            stream.flush()


def _write_parquet(rows: Iterable[Row], columns: tuple[Column, ...], stream: BinaryIO) -> None:
    with _needs_pyarrow():
        import pyarrow as pa
        from pyarrow import parquet

        from wireloom import columnar
    schema = columnar.arrow_schema(_with_fields(columns))
    with parquet.ParquetWriter(stream, schema) as writer:
        for batch in columnar.batches(rows, schema, size=ROWS_A_GROUP, size_bytes=BYTES_A_GROUP):
            writer.write_table(pa.Table.from_batches([batch]))


def _with_fields(columns: Iterable[Column]) -> Iterator[Column]:
    """The columns that Parquet can hold: it has no structs without fields, which a message without fields is."""
    for column in columns:
        kind = _kept(column.type)
        if kind is not None:
            yield replace(column, type=kind)


def _kept(kind: ColumnType) -> ColumnType | None:
    match kind:
        case StructOf(columns):
            kept = tuple(_with_fields(columns))
            return StructOf(kept) if kept else None
        case ListOf(element):
            inner = _kept(element)
            return None if inner is None else ListOf(inner)
    return kind


def _write_arrow(rows: Iterable[Row], columns: tuple[Column, ...], stream: BinaryIO) -> None:
    with _needs_pyarrow():
        import pyarrow as pa

        from wireloom import columnar
    schema = columnar.arrow_schema(columns)
    with pa.ipc.new_file(stream, schema) as writer:
        for batch in columnar.batches(rows, schema):
            writer.write_batch(batch)


@contextmanager
def _needs_pyarrow() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise MisuseError(f"this format needs {error.name}; pip install 'wireloom[cli]'") from None


_WRITERS: dict[Format, Callable[[Iterable[Row], tuple[Column, ...], BinaryIO], None]] = {
    Format.JSONL: _write_jsonl,
    Format.PARQUET: _write_parquet,
    Format.ARROW: _write_arrow,
}
