"""Rows written in the formats of ``decode``: JSON Lines, Parquet, Arrow."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from wireloom import registry
from wireloom.cli.diagnostics import FailedError, MisuseError
from wireloom.cli.outputs import is_seen
from wireloom.cli.writer_thread import writer_thread
from wireloom.codec import Column, Protocol
from wireloom.json_rows import json_line, json_writer, without_nulls
from wireloom.options import ReadOptions, TableTypes
from wireloom.views import Row, View

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    from wireloom.columnar.consumers import Consumer

ROWS_A_GROUP = 64 * 1024
BYTES_A_GROUP = 32 * 1024 * 1024
"""Parquet files are read by row groups, which are held in memory while they are written."""
_BYTES_A_COLUMN = 1024
"""About how many bytes a column of a batch takes beside its values."""


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
            raise MisuseError(f"--format must be one of {', '.join(cls)}, not {name!r}") from None

    def must_suit(self, path: Path | None) -> None:
        """Raises ``MisuseError`` if the file's name has the extension of another format."""
        promised = path.suffix.lower().removeprefix(".") if path else ""
        if promised in tuple(Format) and promised != self:
            raise MisuseError(f"{path} does not fit --format {self}; write --format {promised}, or another extension")


def row_writer(columns: tuple[Column, ...], stream: BinaryIO, nulls: bool | None) -> Callable[[Row], None]:
    """What writes a row as one JSON object on a line; with ``nulls`` or without, or None: without on a terminal.

    Of a protocol with many messages, most of a row is nulls.
    """
    as_json = json_writer(columns)
    bare = stream.isatty() if nulls is None else not nulls
    seen = is_seen(stream)

    def write(row: Row) -> None:
        made = as_json(row)
        stream.write(json_line(without_nulls(made) if bare else made))
        if seen:
            stream.flush()

    return write


def consumer_of(protocol: Protocol, options: ReadOptions, form: Format, types: TableTypes) -> "Consumer":
    """Who gets a file of that format, with its schema, comments included."""
    try:
        from wireloom.columnar.consumers import Consumer

        schema = registry.table(protocol).view(options, types)
    except ModuleNotFoundError as error:
        raise MisuseError(f"--format {form}: {error}") from None
    return Consumer(View(protocol, options).columns, _fitting(schema) if form is Format.PARQUET else schema)


def write_batches(batches: "Iterable[pa.RecordBatch]", schema: "pa.Schema", form: Format, stream: BinaryIO) -> None:
    """Write batches as they arrive, each while the next ones are made."""
    with table_writer(schema, form, stream) as writer, writer_thread() as write:
        if form is Format.ARROW:
            for batch in batches:
                write(writer.write_batch, batch)
            return
        for group in _groups(batches):
            write(writer.write_table, group)


def table_writer(schema: "pa.Schema", form: Format, stream: BinaryIO) -> "ParquetWriter | pa.ipc.RecordBatchFileWriter":
    """What writes tables and batches of ``schema``, as row groups where the format has them."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    from wireloom.lakes import parquet_options

    if form is Format.ARROW:
        return pa.ipc.new_file(stream, schema)
    return ParquetWriter(stream, schema, **parquet_options(schema))


def batches_of(stream: BufferedIOBase, name: str) -> "Iterator[pa.RecordBatch] | None":
    """The batches of a Parquet or Arrow file; None for another one, of which nothing was read."""
    if not stream.seekable():
        return None
    magic = stream.read(len(_ARROW))
    stream.seek(0)
    if not magic.startswith((_PARQUET, _ARROW)):
        return None
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError as error:
        raise MisuseError(f"{name}: {error}") from None

    def batches() -> "Iterator[pa.RecordBatch]":
        try:
            if magic.startswith(_PARQUET):
                yield from ParquetFile(stream).iter_batches()
                return
            reader = pa.ipc.open_file(stream)
            for batch in map(reader.get_batch, range(reader.num_record_batches)):
                batch.validate(full=True)
                yield batch
        except (pa.ArrowException, OSError) as error:
            raise FailedError(f"{name}: {error}") from None

    return batches()


_PARQUET, _ARROW = b"PAR1", b"ARROW1"
"""What files begin with."""


@dataclass(slots=True)
class RowGroup:
    """Batches that become a row group. ``size`` is in bytes, what Python needs for small batches included."""

    batches: "list[pa.RecordBatch]" = field(default_factory=list)
    rows: int = 0
    size: int = 0

    def add(self, batch: "pa.RecordBatch") -> None:
        """Have one more."""
        self.batches.append(batch)
        self.rows += batch.num_rows
        self.size += int(batch.nbytes) + _BYTES_A_COLUMN * batch.num_columns

    @property
    def is_full(self) -> bool:
        return self.rows >= ROWS_A_GROUP or self.size >= BYTES_A_GROUP

    @property
    def table(self) -> "pa.Table":
        """All of them, at least one."""
        import pyarrow as pa

        return pa.Table.from_batches(self.batches)


def _groups(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.Table]":
    """The row groups of batches."""
    group = RowGroup()
    for batch in batches:
        group.add(batch)
        if group.is_full:
            yield group.table
            group = RowGroup()
    if group.batches:
        yield group.table


def _fitting(schema: "pa.Schema") -> "pa.Schema":
    """What Parquet can hold of a schema. It has no structs without fields, such as those of messages without fields."""
    import pyarrow as pa

    return pa.schema(filter(None, map(_fitting_field, schema)))


def _fitting_field(field: "pa.Field") -> "pa.Field | None":
    import pyarrow as pa

    if pa.types.is_struct(field.type):
        kept = list(filter(None, map(_fitting_field, field.type)))
        return field.with_type(pa.struct(kept)) if kept else None
    if pa.types.is_list(field.type):
        element = _fitting_field(field.type.value_field)
        return field.with_type(pa.list_(element)) if element else None
    return field
